/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * text.h - what the C library has no word for
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <string.h>

/* Whether a text ends with another one, and is more than that */
static inline bool text_ends(const char *text, const char *end)
{
	const size_t len = strlen(text), n = strlen(end);

	return len > n && !strcmp(text + len - n, end);
}

#endif
