/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * table.h - text files of numbers, a line each
 */
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include "base/error.h"

/**
 * table_read() - call for each line
 * @columns: what a line should be, for the error
 * @line: gets its text, without space at its ends. Return: 0; -EINVAL if it is
 *	not as it should be; another negative errno
 * @error: gets one line, with the number of the line that is wrong
 *
 * Empty lines and those with # in front are passed over.
 *
 * Return: 0 or a negative errno, the first that came.
 */
int table_read(const char *path, const char *columns,
	       int (*line)(const char *text, void *arg), void *arg,
	       char error[ERROR_TEXT]);

/**
 * table_error() - write an error line
 * @number: of the line, or 0
 * @text: NULL: that of @err
 *
 * Return: @err
 */
int table_error(char error[ERROR_TEXT], const char *path,
		unsigned long number, int err, const char *text);

#endif
