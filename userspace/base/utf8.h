/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * utf8.h - make text from other machines safe to display
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>

/**
 * utf8_clean() - a copy that is UTF-8 without control characters
 * @s: ends at a 0 or after @len bytes; invalid UTF-8 becomes "?", a control
 *	character a space
 * @to: @size bytes, 1 or more: gets whole characters and a 0
 */
void utf8_clean(const char *s, size_t len, char *to, size_t size);

#endif
