// SPDX-License-Identifier: GPL-2.0-only
/*
 * Arguments by argp, which reports some errors in two lines and some by getopt:
 * here each error is one line.
 */
#include <argp.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli.h"
#include "base/log.h"
#include "base/version.h"

const char *cli_program;

static bool cli_wrong;		/* usage */

struct usage {
	void		*input;
	const char	*word;	/* the argument at which argp stopped */
};

static void cli_print(const char *kind, const char *format, va_list args)
{
	fprintf(stderr, "%s: %s", cli_program, kind);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
}

int cli_error(int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	cli_print("", format, args);
	va_end(args);
	return err;
}

void cli_warn(const char *format, ...)
{
	va_list args;

	if (!log_shows(LOG_WARNING))
		return;
	va_start(args, format);
	cli_print("warning: ", format, args);
	va_end(args);
}

int cli_usage(const char *command, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	cli_wrong = true;
	if (!strcmp(command, cli_program))
		return cli_error(-EINVAL, "%s, see '%s --help'", text, command);
	return cli_error(-EINVAL, "%s: %s, see '%s %s --help'", command, text,
			 cli_program, command);
}

static error_t usage_parse(int key, char *arg, struct argp_state *state)
{
	struct usage *u = state->input;

	(void)arg;
	if (key == ARGP_KEY_INIT) {
		state->child_inputs[0] = u->input;
		return 0;
	}
	if (key == ARGP_KEY_ERROR) {
		u->word = state->argv[state->next - 1];
		/* within a cluster of short options it has not advanced */
		if (*u->word != '-' && state->next < state->argc)
			u->word = state->argv[state->next];
	}
	return ARGP_ERR_UNKNOWN;
}

static int usage_error(const struct argp *argp, const char *command,
		       const char *word)
{
	const struct argp_option *o = argp->options, *found = NULL;
	int n = (int)strcspn(word, "=");

	/* a heading has no name */
	for (; n > 2 && o && (o->name || o->doc); o++)
		if (o->name && !strncmp(o->name, word + 2, n - 2) &&
		    (!found || !o->name[n - 2]))
			found = o;
	if (!found)
		return cli_usage(command, "no option %.*s", n, word);
	return cli_usage(command, "--%s %s", found->name, found->arg ?
			 "needs a value" : "takes no value");
}

/* Of all programs; for the text only */
static const struct argp_option common[] = {
	{ "help", 'h', NULL, 0, "print this help", -1 },
	{ "version", 'V', NULL, 0, "print the version", -1 },
	{ 0 }
};

static void usage_help(const struct argp *argp, char *command)
{
	const struct argp_child child[] = { { argp, 0, NULL, 0 }, { 0 } };
	const struct argp all = {
		.options = common, .children = child,
	};
	char name[64];

	if (strcmp(command, cli_program))
		snprintf(name, sizeof(name), "%s %s", cli_program, command);
	else
		snprintf(name, sizeof(name), "%s", command);
	argp_help(&all, stdout, ARGP_HELP_STD_HELP, name);
}

/* Return: whether @word was one of these, and is answered */
static bool cli_version(const char *word)
{
	if (strcmp(word, "--version") && strcmp(word, "-V"))
		return false;
	printf("%s %s\n", cli_program, OPTSAMPLE_VERSION);
	return true;
}

static bool cli_help(const char *word)
{
	return !strcmp(word, "--help") || !strcmp(word, "-h") ||
	       !strcmp(word, "-?");
}

/* Standard output may be full */
static int cli_flush(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	cli_error(0, "standard output: %s", strerror(errno));
	return CLI_FAILURE;
}

int cli_parse(const struct argp *argp, int argc, char **argv, void *input)
{
	const struct argp_child child[] = { { argp, 0, NULL, 0 }, { 0 } };
	const struct argp all = { .parser = usage_parse, .children = child };
	struct usage u = { input, argv[0] };
	int err;

	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
		if (cli_version(argv[i]))
			exit(cli_flush());
		if (cli_help(argv[i])) {
			usage_help(argp, argv[0]);
			exit(cli_flush());
		}
	}
	err = argp_parse(&all, argc, argv, ARGP_NO_ERRS | ARGP_NO_HELP, NULL,
			 &u);
	cli_wrong |= err == -EINVAL;
	/* Our own errors are negative, and already reported. */
	return err == EINVAL ? usage_error(argp, argv[0], u.word) : err;
}

int cli_status(int ret)
{
	if (ret < 0)
		return cli_wrong ? CLI_USAGE : CLI_FAILURE;
	return ret;
}

static void cli_list(FILE *to, const struct cli_command *commands)
{
	int width = 8;

	for (const struct cli_command *c = commands; c->name; c++)
		if ((int)strlen(c->name) > width)
			width = strlen(c->name);
	fprintf(to, "usage: %s COMMAND [options]\n\n", cli_program);
	for (const struct cli_command *c = commands; c->name; c++)
		fprintf(to, "  %-*s%s\n", width + 2, c->name, c->help);
	fprintf(to, "\n'%s COMMAND --help' lists the options.\n", cli_program);
}

int cli_main(const struct cli_command *commands, int argc, char **argv)
{
	if (argc < 2)
		return cli_status(cli_usage(cli_program, "missing command"));
	if (cli_version(argv[1]))
		return cli_flush();
	if (cli_help(argv[1]) || !strcmp(argv[1], "help")) {
		cli_list(stdout, commands);
		return cli_flush();
	}
	for (const struct cli_command *c = commands; c->name; c++)
		if (!strcmp(argv[1], c->name))
			return cli_status(c->run(argc - 1, argv + 1));
	if (*argv[1] == '-')
		return cli_status(cli_usage(cli_program, "no option %s",
					    argv[1]));
	cli_error(-EINVAL, "no command \"%s\", see '%s help'", argv[1],
		  cli_program);
	return CLI_USAGE;
}
