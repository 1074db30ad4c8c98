// SPDX-License-Identifier: GPL-2.0-only
/*
 * io - shared by sources and sinks
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "base/error.h"
#include "ros/io/io.h"

void io_log(void (*log)(void *arg, int priority, const char *line), void *arg,
	    int priority, const char *format, va_list args)
{
	char line[ERROR_TEXT];

	if (!log)
		return;
	vsnprintf(line, sizeof(line), format, args);
	log(arg, priority, line);
}

bool io_valid_name(const char *name)
{
	size_t len = name ? strlen(name) : 0;

	if (len < 2 || len >= IO_NAME - 4 || *name != '/' ||
	    name[len - 1] == '/')
		return false;
	for (; *name; name++) {
		if (*name != '/' && *name != '_' &&
		    !isalnum((unsigned char)*name))
			return false;
		if (*name == '/' && (name[1] == '/' ||
				     isdigit((unsigned char)name[1])))
			return false;
	}
	return true;
}

bool io_is(const char *spec, const char *scheme, const char **rest)
{
	size_t len = strlen(scheme);

	if (strncmp(spec, scheme, len) || (spec[len] && spec[len] != ':'))
		return false;
	*rest = spec[len] ? spec + len + 1 : NULL;
	return true;
}

int64_t io_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}
