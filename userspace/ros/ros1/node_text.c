// SPDX-License-Identifier: GPL-2.0-only
/*
 * node_text.c - texts of a node: its log, names, and what others sent
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "node.h"

void node_log(const struct ros1 *r, int priority, const char *format, ...)
{
	char line[2 * TEXT_MAX + HOST_MAX];
	va_list ap;

	if (!r->log)
		return;
	va_start(ap, format);
	vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	r->log(r->arg, priority, node_clean(line));
}

char *node_clean(char *text)
{
	char *p;

	for (p = text; p && *p; p++)
		if (!isprint((unsigned char)*p))
			*p = '?';
	return text;
}

bool node_valid_name(const char *name)
{
	const char *p = name;

	if (!name || *p++ != '/' || !*p || strlen(name) >= TEXT_MAX)
		return false;
	for (; *p; p++)
		if (!isalnum((unsigned char)*p) && *p != '_' && *p != '/')
			return false;
	return true;
}
