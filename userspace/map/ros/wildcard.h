/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * wildcard.h - names with wildcards: gas_*_map_* is many layers
 */
#ifndef MAP_ROS_WILDCARD_H
#define MAP_ROS_WILDCARD_H

#include <stdbool.h>
#include <stddef.h>

static inline bool wildcard_in(const char *name)
{
	return __builtin_strchr(name, '*') != NULL;
}

/**
 * wildcard_fill() - replace @text's stars by what @pattern's match in @name
 * @text: has at most as many stars as @pattern
 *
 * A star matches one character or more, as few as possible.
 *
 * Return: 0; -ENOENT: @name does not match @pattern; -ENOSPC.
 */
int wildcard_fill(const char *pattern, const char *name, const char *text,
		  char *to, size_t room);

/* A name that matches: x for each star; valid until the next call */
const char *wildcard_example(const char *pattern);

#endif
