/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bytes.h - a buffer that grows and never shrinks
 *
 * All zero is empty. Memory is only allocated when it grows: a buffer that is
 * filled again and again soon needs no allocation.
 */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <stddef.h>
#include <stdint.h>

struct bytes {
	uint8_t	*data;
	size_t	len;
	size_t	cap;
};

/**
 * bytes_reserve - make room for @cap bytes in all; the contents stay
 * Return: 0 or -ENOMEM
 */
int bytes_reserve(struct bytes *b, size_t cap);
/* Return: 0 or -ENOMEM */
int bytes_append(struct bytes *b, const void *data, size_t len);
/* As printf, without the NUL. Return: 0 or -ENOMEM */
__attribute__((format(printf, 2, 3)))
int bytes_printf(struct bytes *b, const char *format, ...);
/* Remove the first @len bytes */
void bytes_consume(struct bytes *b, size_t len);
void bytes_free(struct bytes *b);

#endif
