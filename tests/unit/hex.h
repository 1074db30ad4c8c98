/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hex.h - bytes from hexadecimal digits
 */
#ifndef UNIT_HEX_H
#define UNIT_HEX_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Return: bytes */
static inline size_t from_hex(const char *hex, uint8_t *out)
{
	size_t n = strlen(hex) / 2;

	for (size_t i = 0; i < n; i++) {
		const char digits[3] = { hex[2 * i], hex[2 * i + 1], 0 };

		out[i] = strtoul(digits, NULL, 16);
	}
	return n;
}

#endif
