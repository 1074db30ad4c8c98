/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * array.h - arrays that grow
 */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/**
 * array_grow() - make room for one more element
 * @array:	pointer to an array of @used elements of @size bytes
 * @room:	elements that fit
 *
 * Return: 0; -ENOMEM: nothing changed.
 */
static inline int array_grow(void *array, uint32_t *room, uint32_t used,
			     size_t size)
{
	const uint32_t more = *room ? 2 * *room : 8;
	void *p;

	if (used < *room)
		return 0;
	p = realloc(*(void **)array, more * size);
	if (!p)
		return -ENOMEM;
	*(void **)array = p;
	*room = more;
	return 0;
}

#endif
