/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * settings.h - one table of settings for the command line, the configuration
 * file and the running daemon
 */
#ifndef BASE_SETTINGS_H
#define BASE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include "base/error.h"

/**
 * enum setting_type - how a setting takes its value
 * @SETTING_CALL: by @set
 * @SETTING_TEXT: const char *, which lives as long as the process
 * @SETTING_U32: uint32_t, @min..@max
 * @SETTING_DOUBLE: double, @min..@max
 * @SETTING_MS: uint32_t of ms, @min..@max, written with a unit (500ms, 2s)
 * @SETTING_FLAG: bool, yes or no
 */
enum setting_type {
	SETTING_CALL,
	SETTING_TEXT,
	SETTING_U32,
	SETTING_DOUBLE,
	SETTING_MS,
	SETTING_FLAG,
};

/**
 * struct setting - one row of a table; the last row has no name
 * @arg:	name of the value in --help; NULL: yes or no
 * @help:	one line; NULL: for the file only
 * @must:	what a value must be, for the error; NULL: @min..@max
 * @set:	take a value. Return: 0 or a negative errno
 * @option:	take a value of the command line, where @set is for the file
 *		only. Return: 0, or a negative errno after one line on stderr
 * @at:		offset of the field in the config, if there is no @set
 * @letter:	short option, 0: none
 * @heading:	in --help, of this option and of those after it
 */
struct setting {
	const char		*name, *arg, *help, *must;
	int			(*set)(void *config, const char *value);
	int			(*option)(void *config, const char *value);
	enum setting_type	type;
	size_t			at;
	double			min, max;
	int			letter;
	const char		*heading;
};

/*
 * What a row has whose value goes to a field. The file with the table defines
 * SETTING_CONFIG: the type of the config
 */
#define SETTING_FIELD(kind, field) \
	.type = SETTING_##kind, .at = offsetof(SETTING_CONFIG, field)
#define SETTING_FIELD_TEXT(field) \
	.must = "a text", SETTING_FIELD(TEXT, field)
#define SETTING_FIELD_FLAG(field) \
	.must = "yes or no", SETTING_FIELD(FLAG, field)
#define SETTING_FIELD_U32(field, low, high) \
	SETTING_FIELD(U32, field), .min = low, .max = high
#define SETTING_FIELD_DOUBLE(field, low, high) \
	SETTING_FIELD(DOUBLE, field), .min = low, .max = high

/**
 * settings_set() - by name
 * @error: gets one line
 *
 * Return: 0, -EINVAL.
 */
int settings_set(const struct setting *table, void *config, const char *name,
		 const char *value, struct error *error);

enum { SETTINGS_MAX = 80 };

/**
 * struct settings_program - a program whose options are one table
 * @table:	at most SETTINGS_MAX - 2 rows and headings
 * @doc:	for --help
 * @section:	of the file of --config; NULL: the program has no file
 * @file:	help for --config; NULL: the usual one
 * @sections:	the table, and its config, of a section of another name. Return:
 *		NULL: there is no such, or none more, with a line in @error
 * @arguments:	for --help, what is given without an option
 * @argument:	take one of these; NULL: there are none. Return: 0, or a
 *		negative errno after one line on stderr
 * @check:	of all options together; @given has the rows on the command
 *		line. Return: 0, or a negative errno after one line on stderr
 */
struct settings_program {
	const struct setting	*table;
	const char		*doc, *section, *file, *arguments;
	const struct setting	*(*sections)(void *config, const char *name,
					     void **to, struct error *error);
	int			(*argument)(void *config, const char *value);
	int			(*check)(void *config, const bool *given,
					 const char *program);
};

/**
 * settings_parse() - the file of --config, then the command line
 * @config:	has the defaults
 *
 * Return: 0, or a negative errno after one line on stderr.
 */
int settings_parse(const struct settings_program *p, void *config, int argc,
		   char **argv);

/* The row of @name, or -1 */
int settings_row(const struct setting *table, const char *name);

/* yes, on, 1, true; no, off, 0, false; NULL is yes. Return: 0, -EINVAL */
int settings_flag(bool *to, const char *value);

/* Of @room bytes with the final 0; not empty. Return: 0, -EINVAL */
int settings_text(char *to, size_t room, const char *value);

#endif
