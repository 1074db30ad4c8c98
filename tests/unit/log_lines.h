/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * log_lines.h - what is logged at a level, as a text
 */
#ifndef TESTS_LOG_LINES_H
#define TESTS_LOG_LINES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"

static struct {
	FILE	*was;
	char	*text;
	size_t	len;
} log_lines;

static inline void log_lines_begin(int level)
{
	free(log_lines.text);
	log_lines.text = NULL;
	unsetenv("JOURNAL_STREAM");
	log_level = level;
	log_lines.was = stderr;
	stderr = open_memstream(&log_lines.text, &log_lines.len);
}

/* Return: the lines since log_lines_begin(), until it is called again */
static inline const char *log_lines_end(void)
{
	fclose(stderr);
	stderr = log_lines.was;
	log_level = LOG_INFO;
	return log_lines.text;
}

/* Lines of the last log_lines_end() with @text */
static inline unsigned int log_lines_with(const char *text)
{
	unsigned int n = 0;

	for (const char *at = log_lines.text; (at = strstr(at, text)); at++)
		n++;
	return n;
}

#endif
