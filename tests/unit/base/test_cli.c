// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_cli - command lines: each error is one line, help and version end the
 * program
 */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cli.h"
#include "base/settings.h"
#include "folder.h"
#include "tap.h"

/*
 * A program in a process of its own, as it keeps what went wrong
 */

static int status;
static char out[8192], err[2048];

static void read_all(int fd, char *text, size_t room)
{
	size_t used = 0;
	ssize_t n;

	while ((n = read(fd, text + used, room - 1 - used)) > 0)
		used += n;
	text[used] = 0;
	close(fd);
}

/* @to: instead of a pipe, for standard output */
static void run_to(const char *to, int (*main)(int argc, char **argv),
		   const char *command)
{
	int o[2], e[2];
	char copy[512], *argv[16], *word, *rest = copy;
	int argc = 0, ret;
	pid_t child;

	snprintf(copy, sizeof(copy), "%s", command);
	while ((word = strsep(&rest, " ")))
		argv[argc++] = word;
	argv[argc] = NULL;
	fflush(stdout);
	if (pipe(o) || pipe(e))
		abort();
	child = fork();
	if (!child) {
		dup2(to ? open(to, O_WRONLY) : o[1], 1);
		dup2(e[1], 2);
		close(o[0]);
		close(e[0]);
		ret = main(argc, argv);
		fflush(stdout);
		/* texts of a file are kept: no leak */
#ifdef __SANITIZE_ADDRESS__
		_exit(ret);
#endif
		exit(ret);
	}
	close(o[1]);
	close(e[1]);
	read_all(o[0], out, sizeof(out));
	read_all(e[0], err, sizeof(err));
	waitpid(child, &status, 0);
	status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void run(int (*main)(int argc, char **argv), const char *command)
{
	run_to(NULL, main, command);
}

/*
 * A program with commands
 */

static int on_go(int argc, char **argv)
{
	printf("%s %d %s\n", argv[0], argc, argc > 1 ? argv[1] : "-");
	return 0;
}

static int on_fail(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return cli_error(-EIO, "no %s", "disk");
}

static int on_usage(int argc, char **argv)
{
	(void)argc;
	return cli_usage(argv[0], "missing %s", "word");
}

static int on_status(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	cli_warn("%d is odd", 5);
	return 5;
}

static int commands(int argc, char **argv)
{
	static const struct cli_command all[] = {
		{ "go", on_go, "go somewhere" },
		{ "fail", on_fail, "fail" },
		{ "a-long-command", on_usage, "usage" },
		{ "status", on_status, "a status" },
		{ NULL, NULL, NULL }
	};

	cli_program = "prog";
	return cli_main(all, argc, argv);
}

static void test_commands(void)
{
	run(commands, "prog go there");
	ok_str(out, "go 2 there\n", "a command has its arguments");
	ok_eq(status, 0, "and a status");
	run(commands, "prog fail");
	ok_str(err, "prog: no disk\n", "an error is one line");
	ok_eq(status, CLI_FAILURE, "and a failure");
	run(commands, "prog a-long-command");
	ok_str(err, "prog: a-long-command: missing word, see 'prog "
	       "a-long-command --help'\n", "wrong usage hints at help");
	ok_eq(status, CLI_USAGE, "and has its status");
	run(commands, "prog status");
	ok_eq(status, 5, "a command may have its own");
	ok_str(err, "prog: warning: 5 is odd\n", "a warning");
	run(commands, "prog");
	ok_str(err, "prog: missing command, see 'prog --help'\n", "no command");
	ok_eq(status, CLI_USAGE, "is wrong");
	run(commands, "prog none");
	ok_str(err, "prog: no command \"none\", see 'prog help'\n", "another");
	ok_eq(status, CLI_USAGE, "is, too");
	run(commands, "prog --none");
	ok_str(err, "prog: no option --none, see 'prog --help'\n", "an option");
	ok_eq(status, CLI_USAGE, "is, too");
	run(commands, "prog help");
	ok_eq(strncmp(out, "usage: prog COMMAND [options]\n\n", 31), 0, "help");
	ok(strstr(out, "\n  go              go somewhere\n") != NULL,
	   "lists the commands, aligned");
	ok(strstr(out, "\n'prog COMMAND --help' lists the options.\n") != NULL,
	   "and how to go on");
	ok_eq(status, 0, "it is no error");
	run(commands, "prog --version");
	ok_eq(strncmp(out, "prog ", 5), 0, "the version");
	ok_eq(status, 0, "nor is that");
	run_to("/dev/full", commands, "prog help");
	ok_eq(status, CLI_FAILURE, "a full disk");
	ok_str(err, "prog: standard output: No space left on device\n",
	       "has a line");
}

/*
 * A program with options
 */

struct config {
	const char	*name;
	uint32_t	number, ms;
	double		part;
	bool		flag;
	char		text[8];
};

#define SETTING_CONFIG struct config

static int set_text(void *c, const char *v)
{
	return settings_text(((struct config *)c)->text, 8, v);
}

static int set_file_only(void *c, const char *v)
{
	(void)c;
	(void)v;
	return 0;
}

static const struct setting table[] = {
	{ "name", "NAME", "a text", SETTING_FIELD_TEXT(name), .letter = 'n',
	  .heading = "First:" },
	{ "number", "N", "a number", SETTING_FIELD_U32(number, 2, 9) },
	{ "time", "TIME", "a time", .type = SETTING_MS,
	  .at = offsetof(struct config, ms), .min = 1, .max = 1000 },
	{ "part", "P", "a part", SETTING_FIELD_DOUBLE(part, 0, 1),
	  .heading = "Second:" },
	{ "flag", NULL, "a flag", SETTING_FIELD_FLAG(flag) },
	{ "text", "TEXT", "a text", "a short text", set_text },
	{ "inner", NULL, NULL, "anything", set_file_only },
	{ 0 }
};

static int check(void *config, const bool *given, const char *program)
{
	const struct config *c = config;

	if (given[1] && !c->name)
		return cli_usage(program, "--number needs --name");
	return 0;
}

static int options(int argc, char **argv)
{
	static const struct settings_program program = {
		.table = table, .section = "prog", .check = check,
		.doc = "A program.",
	};
	struct config c = { .number = 5 };
	int ret;

	cli_program = "prog";
	ret = settings_parse(&program, &c, argc, argv);
	if (!ret)
		printf("%s %u %u %g %d %s\n", c.name ? c.name : "-", c.number,
		       c.ms, c.part, c.flag, c.text);
	return cli_status(ret);
}

/* Whether it is refused with that line */
static void refused(const char *command, const char *line)
{
	char want[300];

	run(options, command);
	snprintf(want, sizeof(want), "prog: %s\n", line);
	ok_str(err, want, "refused: %s", command);
	ok_eq(status, CLI_USAGE, "with its status");
}

static void test_options(void)
{
	run(options, "prog --name=a --number 7 --time 20ms --part .5 --flag "
	    "--text x");
	ok_str(out, "a 7 20 0.5 1 x\n", "options");
	ok_eq(status, 0, "are taken");
	run(options, "prog -n b --number 7 --nu 8");
	ok_str(out, "b 8 0 0 0 \n", "short ones, and what is clear");
	run(options, "prog");
	ok_str(out, "- 5 0 0 0 \n", "none");
	refused("prog --number 1", "number must be 2..9, not '1'");
	refused("prog --number 10", "number must be 2..9, not '10'");
	refused("prog --time 2s", "time must be 1..1000, not '2s'");
	refused("prog --part 1.5", "part must be 0..1, not '1.5'");
	refused("prog --text 12345678", "text must be a short text, not "
		"'12345678'");
	refused("prog --none", "no option --none, see 'prog --help'");
	refused("prog -x", "no option -x, see 'prog --help'");
	refused("prog --name", "--name needs a value, see 'prog --help'");
	refused("prog --flag=1", "--flag takes no value, see 'prog --help'");
	refused("prog --inner", "no option --inner, see 'prog --help'");
	refused("prog more", "unexpected argument 'more', see 'prog --help'");
	refused("prog --number 3", "--number needs --name, see 'prog --help'");
	run(options, "prog --none --help");
	ok_eq(status, 0, "help, whatever else is there");
	ok(strstr(out, "A program.") != NULL, "says what the program is");
	ok(strstr(out, "First:") != NULL, "has headings");
	ok(strstr(out, "-n, --name=NAME") != NULL, "has the options");
	ok(!strstr(out, "--inner"), "but not those of the file");
	run(options, "prog -V");
	ok_eq(strncmp(out, "prog ", 5), 0, "the version");
	run_to("/dev/full", options, "prog --version");
	ok_eq(status, CLI_FAILURE, "that cannot be written");
}

/* Return: the command with that file */
static const char *with_file(const char *text)
{
	static char command[200];
	FILE *f = fopen(in_folder("a.conf"), "w");

	fputs(text, f);
	fclose(f);
	snprintf(command, sizeof(command), "prog --config %s",
		 in_folder("a.conf"));
	return command;
}

static void refused_file(const char *text, const char *line)
{
	run(options, with_file(text));
	ok(strstr(err, line) != NULL, "refused: %s", line);
	ok_eq(status != 0, true, "with a status");
}

static void test_file(void)
{
	run(options, with_file("[prog]\nname = a b\nnumber=7\nflag=off\n"
			       "inner=x\ntime=1s\n"));
	ok_str(out, "a b 7 1000 0 0 \n", "a file");
	refused_file("[prog]\nname = a\nnumber = x\n",
		     "a.conf:3: number must be 2..9, not 'x'");
	refused_file("[prog]\nnone = x\n", ":2: unknown setting 'none'");
	refused_file("[other]\nname = x\n", ":2: unknown section [other]");
	refused_file("name = x\n", ":1: name = is before the first [section]");
	refused_file("[prog]\nflag = maybe\n",
		     ":2: flag must be yes or no, not 'maybe'");
	refused_file("[prog]\nno line\n", ":2: not a line of an ini file");
	refused_file("[01234567890123456789012345678901234567890123456789]\n"
		     "name=x\n", "section name longer than 48 bytes");
	run(options, "prog --config /none");
	ok(strstr(err, "/none: No such file") != NULL, "no file");
}

static void test_flag(void)
{
	bool flag = false;

	ok_eq(settings_flag(&flag, "yes"), 0, "yes");
	ok_eq(flag, true, "is yes");
	ok_eq(settings_flag(&flag, "0"), 0, "0");
	ok_eq(flag, false, "is no");
	ok_eq(settings_flag(&flag, NULL), 0, "nothing");
	ok_eq(flag, true, "is yes");
	ok_eq(settings_flag(&flag, "false"), 0, "false");
	ok_eq(flag, false, "is no");
	ok_eq(settings_flag(&flag, "on"), 0, "on");
	ok_eq(flag, true, "is yes");
	ok_eq(settings_flag(&flag, "maybe"), -EINVAL, "a word that is neither");
	ok_eq(flag, true, "changes nothing");
	ok_eq(settings_row(table, "part"), 3, "the row of a name");
	ok_eq(settings_row(table, "none"), -1, "there is none");
}

int main(void)
{
	make_folder();
	test_commands();
	test_options();
	test_file();
	test_flag();
	remove_folder();
	return tap_done();
}
