// SPDX-License-Identifier: GPL-2.0-only
/*
 * erasure_ref - Reed-Solomon code byte by byte
 */
#include <errno.h>
#include <string.h>
#include "codec/core/erasure.h"

/* GF(256) with x^8 + x^4 + x^3 + x^2 + 1 */
static uint8_t mul(uint8_t a, uint8_t b)
{
	uint8_t p = 0;

	for (; b; b >>= 1) {
		if (b & 1)
			p ^= a;
		a = (a << 1) ^ (a & 0x80 ? 0x1d : 0);
	}
	return p;
}

static uint8_t inv(uint8_t a)
{
	uint8_t b = 1;

	while (mul(a, b) != 1)
		b++;
	return b;
}

static uint8_t generator(unsigned int i, unsigned int j, unsigned int need)
{
	if (i < need)
		return i == j;
	return need == 1 ? 1 : inv(i ^ j);
}

void erasure_encode_ref(unsigned int count, unsigned int need,
			uint8_t *const row[], size_t len)
{
	for (unsigned int i = need; i < count; i++) {
		memset(row[i], 0, len);
		for (unsigned int j = 0; j < need; j++) {
			uint8_t g = generator(i, j, need);

			for (size_t b = 0; b < len; b++)
				row[i][b] ^= mul(g, row[j][b]);
		}
	}
}

/* row @to += @factor * row @from, for the matrix and the right side */
static void erasure_ref_eliminate(uint8_t *to, const uint8_t *from,
				  uint8_t factor, size_t len)
{
	for (size_t b = 0; b < len; b++)
		to[b] ^= mul(factor, from[b]);
}

static void erasure_ref_scale(uint8_t *row, uint8_t factor, size_t len)
{
	for (size_t b = 0; b < len; b++)
		row[b] = mul(factor, row[b]);
}

int erasure_decode_ref(unsigned int count, unsigned int need,
		       uint8_t *const row[], const uint8_t there[],
		       size_t len)
{
	uint8_t m[need][need], right[need][len + !len];
	uint8_t t[len > need ? len : need];
	unsigned int have = 0;

	for (unsigned int i = 0; i < count && have < need; i++) {
		if (!there[i])
			continue;
		for (unsigned int j = 0; j < need; j++)
			m[have][j] = generator(i, j, need);
		memcpy(right[have++], row[i], len);
	}
	if (have < need)
		return -ENODATA;
	for (unsigned int j = 0; j < need; j++) {
		unsigned int p = j;
		uint8_t f;

		while (!m[p][j])
			p++;
		memcpy(t, m[p], need);
		memcpy(m[p], m[j], need);
		memcpy(m[j], t, need);
		memcpy(t, right[p], len);
		memcpy(right[p], right[j], len);
		memcpy(right[j], t, len);
		f = inv(m[j][j]);
		erasure_ref_scale(m[j], f, need);
		erasure_ref_scale(right[j], f, len);
		for (unsigned int i = 0; i < need; i++) {
			f = m[i][j];
			if (i == j || !f)
				continue;
			erasure_ref_eliminate(m[i], m[j], f, need);
			erasure_ref_eliminate(right[i], right[j], f, len);
		}
	}
	for (unsigned int j = 0; j < need; j++)
		memcpy(row[j], right[j], len);
	return 0;
}
