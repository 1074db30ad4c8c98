/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * table.h - text files of numbers, one row per line
 */
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include "base/error.h"

/**
 * table_read() - call @line for each line
 * @columns: the expected columns, for the error
 * @line: gets the text, without space at its ends. Return: 0; -EINVAL if the
 *	line is invalid; another negative errno
 * @error: gets one line, with the number of the invalid line
 *
 * Empty lines and those with # in front are skipped.
 *
 * Return: 0 or the first negative errno.
 */
int table_read(const char *path, const char *columns,
	       int (*line)(const char *text, void *arg), void *arg,
	       struct error *error);

/**
 * table_error() - write an error line
 * @number: of the line, or 0
 * @text: NULL: that of @err
 *
 * Return: @err
 */
int table_error(struct error *error, const char *path,
		unsigned long number, int err, const char *text);

#endif
