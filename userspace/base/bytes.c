// SPDX-License-Identifier: GPL-2.0-only
/*
 * bytes.c - a buffer that grows and never shrinks
 */
#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/bytes.h"

enum { BYTES_FIRST = 256 };

int bytes_reserve(struct bytes *b, size_t cap)
{
	size_t grown = b->cap ? b->cap : BYTES_FIRST;
	uint8_t *data;

	if (cap <= b->cap)
		return 0;
	while (grown < cap)
		grown += grown / 2;
	data = realloc(b->data, grown);
	if (!data)
		return -ENOMEM;
	b->data = data;
	b->cap = grown;
	return 0;
}

int bytes_append(struct bytes *b, const void *data, size_t len)
{
	if (!len)
		return 0;
	if (bytes_reserve(b, b->len + len))
		return -ENOMEM;
	assert(b->len + len <= b->cap);
	memcpy(b->data + b->len, data, len);
	b->len += len;
	return 0;
}

int bytes_printf(struct bytes *b, const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(NULL, 0, format, ap);
	va_end(ap);
	if (n < 0 || bytes_reserve(b, b->len + (size_t)n + 1))
		return -ENOMEM;
	va_start(ap, format);
	vsnprintf((char *)b->data + b->len, (size_t)n + 1, format, ap);
	va_end(ap);
	b->len += (size_t)n;
	return 0;
}

void bytes_consume(struct bytes *b, size_t len)
{
	assert(len <= b->len);
	b->len -= len;
	if (len && b->len)
		memmove(b->data, b->data + len, b->len);
}

void bytes_free(struct bytes *b)
{
	free(b->data);
	memset(b, 0, sizeof(*b));
}
