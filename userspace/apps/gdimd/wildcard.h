/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * wildcard.h - names with stars in them: gas_*_map_* is many layers
 */
#ifndef APPS_GDIMD_WILDCARD_H
#define APPS_GDIMD_WILDCARD_H

#include <stdbool.h>
#include <stddef.h>

static inline bool wildcard_in(const char *name)
{
	return __builtin_strchr(name, '*') != NULL;
}

/**
 * wildcard_fill() - what @pattern's stars stand for in @name, put into @text
 * @text: has as many stars, or fewer
 *
 * A star stands for one character or more, as few as possible.
 *
 * Return: 0; -ENOENT: @name is no such name; -ENOSPC.
 */
int wildcard_fill(const char *pattern, const char *name, const char *text,
		  char *to, size_t room);

/* A name that fits: x for each star; good until the next call */
const char *wildcard_example(const char *pattern);

#endif
