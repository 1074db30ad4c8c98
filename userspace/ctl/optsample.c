// SPDX-License-Identifier: GPL-2.0-only
/*
 * optsample - keep an operator informed over a bad link: the one command
 * for what a user should not have to know. See optsample(8).
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "ctl.h"

static const struct {
	const char	*name;
	int		(*run)(int argc, char **argv);
	const char	*help;
} commands[] = {
	{ "up", cmd_up, "set up an interface" },
	{ "down", cmd_down, "undo that" },
	{ "show", cmd_show, "statistics of the queue and its flows" },
	{ "watch", cmd_watch, "the same, live" },
	{ "topic", cmd_topic, "how topics are sampled: limit, policy, priority, by, sync, never" },
	{ "topics", cmd_topics, "topics there are, and which are sampled" },
	{ "discover", cmd_discover, "tell the classifier whom to sample (run by up)" },
};

int ctl_error(int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("optsample: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	return err;
}

void ctl_warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("optsample: warning: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
}

static void usage(FILE *to)
{
	fputs("usage: optsample COMMAND [options]\n\n", to);
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		fprintf(to, "  %-10s%s\n", commands[i].name,
			commands[i].help);
	fputs("\n'optsample COMMAND --help' tells the options.\n", to);
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		usage(stderr);
		return 1;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
	    !strcmp(argv[1], "help")) {
		usage(stdout);
		return 0;
	}
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		if (strcmp(argv[1], commands[i].name))
			continue;
		return commands[i].run(argc - 1, argv + 1) ? 1 : 0;
	}
	ctl_error(-EINVAL, "no command \"%s\", see 'optsample help'",
		  argv[1]);
	return 1;
}
