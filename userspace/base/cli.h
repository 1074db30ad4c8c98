/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cli.h - the command line of all programs: commands, options, numbers, and
 * error messages of one line
 */
#ifndef BASE_CLI_H
#define BASE_CLI_H

#include <stddef.h>
#include <stdint.h>

/* prefix of every message; the program sets it */
extern const char *cli_program;

/* One line on stderr. Return: @err, which may be 0 */
int cli_error(int err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void cli_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

struct argp;

/* Exit statuses of all programs */
enum { CLI_FAILURE = 1, CLI_USAGE = 2 };

/*
 * The exit status of a program that ends with @ret: a negative errno is
 * CLI_USAGE after cli_usage() or an error of cli_parse(), else CLI_FAILURE
 */
int cli_status(int ret);

/* One line: the error, and a hint at --help. Return: -EINVAL */
int cli_usage(const char *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * cli_parse - argp_parse(), but an error is one line; --help and --version end
 * the program
 * @argp:	its parser returns a negative errno after it reported an error
 * @argc:	as for main(); argv[0] is the command, or the program if it
 *		has none
 * @argv:
 * @input:	for the parser
 *
 * Return: 0 or a negative errno
 */
int cli_parse(const struct argp *argp, int argc, char **argv, void *input);

/**
 * struct cli_command - a command of the program
 * @run: arguments as for main(), with the command as argv[0]; returns 0, a
 *	negative errno for cli_status(), or an exit status
 */
struct cli_command {
	const char	*name;
	int		(*run)(int argc, char **argv);
	const char	*help;
};

/**
 * cli_main() - run a command, or list the commands
 * @commands: the last one's name is NULL
 *
 * Return: the return value for main().
 */
int cli_main(const struct cli_command *commands, int argc, char **argv);

/*
 * Numbers in a range: -EINVAL if the text is not a number or out of range.
 * Units are those of tc.
 */
int parse_u32(const char *s, uint32_t min, uint32_t max, uint32_t *v);
int parse_size(const char *s, uint32_t min, uint32_t max, uint32_t *bytes);
int parse_time_ms(const char *s, uint32_t min, uint32_t max, uint32_t *ms);
int parse_double(const char *s, double min, double max, double *v);

#endif
