/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * settings.h - one table of settings for the command line, the configuration
 * file and the running daemon
 */
#ifndef BASE_SETTINGS_H
#define BASE_SETTINGS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

/**
 * struct setting - one of them; the last one of a table has no name
 * @arg:	what its value is called; NULL: yes or no
 * @help:	one line; NULL: only in the file
 * @must:	what a value must be, for the error
 * @set:	take a value. Return: 0 or a negative errno
 */
struct setting {
	const char	*name, *arg, *help, *must;
	int		(*set)(void *config, const char *value);
};

/**
 * settings_set() - by name
 * @error: gets one line
 *
 * Return: 0, -EINVAL.
 */
int settings_set(const struct setting *table, void *config, const char *name,
		 const char *value, char error[256]);

enum {
	SETTINGS_KEY	= 1000,		/* of the first setting as an option */
	SETTINGS_MAX	= 48,
};

/* The settings as options, @room of them with the empty one at the end */
void settings_options(const struct setting *table, struct argp_option *out,
		      unsigned int room);

/**
 * settings_option() - an option of settings_options() was given
 *
 * Return: 0; -EINVAL, and it was told; -ENOENT: it is none of these.
 */
int settings_option(const struct setting *table, void *config, int key,
		    const char *value);

/**
 * settings_load() - an ini file
 * @section:	called for the name of each section, before its lines. Return:
 *		the table for these, and @config; NULL: there is no such
 * @error:	gets one line, with that of the file
 *
 * Return: 0 or a negative errno.
 */
int settings_load(const char *path,
		  const struct setting *(*section)(void *arg, const char *name,
						   void **config),
		  void *arg, char error[256]);

/**
 * settings_load_told() - the file of --config FILE, of -c FILE, or none
 *
 * Before all other options are looked at, as these count more. Errors are told.
 *
 * Return: as settings_load().
 */
int settings_load_told(int argc, char **argv,
		       const struct setting *(*section)(void *arg,
							const char *name,
							void **config),
		       void *arg);

/* yes, no, on, off, 1, 0; NULL is yes. Return: 0, -EINVAL */
int settings_flag(bool *to, const char *value);

/* Of @room bytes with the final 0; not empty. Return: 0, -EINVAL */
int settings_text(char *to, size_t room, const char *value);

#endif
