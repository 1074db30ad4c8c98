/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * md5.h - MD5 (RFC 1321), and with it ROS 1's version of a type
 *
 * The version is the sum of a type's text without comments: constants first,
 * and in place of each type that is not built in, the version of that one.
 */
#ifndef OPTSAMPLE_MD5_H
#define OPTSAMPLE_MD5_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static inline void md5_block(uint32_t sum[4], const uint8_t *p)
{
	static const uint8_t turns[4][4] = {
		{ 7, 12, 17, 22 }, { 5, 9, 14, 20 }, { 4, 11, 16, 23 },
		{ 6, 10, 15, 21 },
	};
	static const uint8_t step[4] = { 1, 5, 3, 7 };
	static const uint8_t begin[4] = { 0, 1, 5, 0 };
	uint32_t a = sum[0], b = sum[1], c = sum[2], d = sum[3], w[16];

	for (int i = 0; i < 16; i++)
		w[i] = p[4 * i] | p[4 * i + 1] << 8 | p[4 * i + 2] << 16 |
		       (uint32_t)p[4 * i + 3] << 24;
	for (int i = 0; i < 64; i++) {
		int r = i / 16, n = turns[r][i % 4];
		uint32_t f = r == 0 ? (b & c) | (~b & d) :
			     r == 1 ? (d & b) | (~d & c) :
			     r == 2 ? b ^ c ^ d : c ^ (b | ~d);

		f += a + w[(begin[r] + step[r] * (i % 16)) % 16] +
		     (uint32_t)floor(4294967296.0 * fabs(sin(i + 1)));
		a = d;
		d = c;
		c = b;
		b += f << n | f >> (32 - n);
	}
	sum[0] += a;
	sum[1] += b;
	sum[2] += c;
	sum[3] += d;
}

/* Of a text of less than 4 kB */
static inline void md5_of(const char *text, char hex[33])
{
	uint32_t sum[4] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476 };
	size_t n = strlen(text), all = (n + 8) / 64 * 64 + 64;
	uint8_t data[4160] = { 0 };

	memcpy(data, text, n);
	data[n] = 0x80;
	for (int i = 0; i < 8; i++)
		data[all - 8 + i] = (uint64_t)n * 8 >> 8 * i;
	for (size_t at = 0; at < all; at += 64)
		md5_block(sum, data + at);
	for (int i = 0; i < 16; i++)
		sprintf(hex + 2 * i, "%02x", sum[i / 4] >> i % 4 * 8 & 255);
}

static inline void md5_of_type(const char *text, const char *all, char hex[33]);

/* One line of a type's text, as it is summed */
static inline int md5_line(const char *line, size_t n, const char *all,
			   char *out)
{
	const char *name = memchr(line, ' ', n), *found;
	size_t type = strcspn(line, " [");
	char sub[33], wanted[128];

	if (!memchr(line, '/', type))
		return sprintf(out, "%.*s\n", (int)n, line);
	snprintf(wanted, sizeof(wanted), "MSG: %.*s\n", (int)type, line);
	found = strstr(all, wanted);
	md5_of_type(found ? found + strlen(wanted) : "", all, sub);
	return sprintf(out, "%s%.*s\n", sub, (int)(line + n - name), name);
}

/**
 * md5_of_type() - the version of a type
 * @text: of a type, up to a line of = or the end
 * @all: with the texts of those it consists of
 */
static inline void md5_of_type(const char *text, const char *all, char hex[33])
{
	char sum[4096] = "";
	size_t at = 0;

	for (int fields = 0; fields < 2; fields++)
		for (const char *l = text; *l && *l != '='; ) {
			size_t n = strcspn(l, "\n");

			if ((memchr(l, '=', n) == NULL) == fields)
				at += md5_line(l, n, all, sum + at);
			l += n + (l[n] == '\n');
		}
	if (at)
		sum[at - 1] = '\0';
	md5_of(sum, hex);
}

#endif
