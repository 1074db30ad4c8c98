// SPDX-License-Identifier: GPL-2.0-only
/*
 * utf8 - make text from other machines safe to display
 */
#include <stdint.h>
#include <string.h>
#include "base/utf8.h"

/* Bytes of the character at @s; 0: none (RFC 3629, section 4) */
static size_t character(const uint8_t *s, size_t len)
{
	const size_t n = *s < 0x80 ? 1 : *s < 0xc2 ? 0 : *s < 0xe0 ? 2 :
			 *s < 0xf0 ? 3 : *s < 0xf5 ? 4 : 0;
	uint8_t low = 0x80, high = 0xbf;

	if (!n || n > len)
		return 0;
	low = *s == 0xe0 ? 0xa0 : *s == 0xf0 ? 0x90 : low;
	high = *s == 0xed ? 0x9f : *s == 0xf4 ? 0x8f : high;
	for (size_t i = 1; i < n; i++, low = 0x80, high = 0xbf)
		if (s[i] < low || s[i] > high)
			return 0;
	return n;
}

void utf8_clean(const char *s, size_t len, char *to, size_t size)
{
	len = len ? strnlen(s, len) : 0;
	while (len) {
		const size_t n = character((const uint8_t *)s, len);
		const size_t step = n ? n : 1;

		if (step >= size)
			break;
		if (!n)
			*to = '?';
		else if (n == 1 && ((uint8_t)*s < ' ' || *s == 0x7f))
			*to = ' ';
		else
			memcpy(to, s, n);
		to += step;
		size -= step;
		s += step;
		len -= step;
	}
	*to = '\0';
}
