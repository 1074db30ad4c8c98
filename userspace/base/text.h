/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * text.h - string functions that the C library lacks
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <string.h>

/* Whether a text is longer than another one, and ends with it */
static inline bool text_ends(const char *text, const char *end)
{
	const size_t len = strlen(text), n = strlen(end);

	return len > n && !strcmp(text + len - n, end);
}

#endif
