/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * utf8.h - text of other machines, made fit to be shown
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>

/**
 * utf8_clean() - a copy that is UTF-8 without control characters
 * @s: ends at a 0 or after @len bytes; what is not UTF-8 becomes "?", what
 *	controls a space
 * @to: @size bytes, 1 or more: filled with whole characters and a 0
 */
void utf8_clean(const char *s, size_t len, char *to, size_t size);

#endif
