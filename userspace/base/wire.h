/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * wire.h - numbers in datagrams and files: little endian, at any address
 */
#ifndef BASE_WIRE_H
#define BASE_WIRE_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t get_le16(const void *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return le16toh(v);
}

static inline uint32_t get_le32(const void *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

static inline uint64_t get_le64(const void *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return le64toh(v);
}

static inline float get_lef32(const void *p)
{
	uint32_t v = get_le32(p);
	float f;

	memcpy(&f, &v, sizeof(f));
	return f;
}

static inline double get_lef64(const void *p)
{
	uint64_t v = get_le64(p);
	double f;

	memcpy(&f, &v, sizeof(f));
	return f;
}

static inline void put_le16(void *p, uint16_t v)
{
	v = htole16(v);
	memcpy(p, &v, sizeof(v));
}

static inline void put_le32(void *p, uint32_t v)
{
	v = htole32(v);
	memcpy(p, &v, sizeof(v));
}

static inline void put_le64(void *p, uint64_t v)
{
	v = htole64(v);
	memcpy(p, &v, sizeof(v));
}

static inline void put_lef32(void *p, float f)
{
	uint32_t v;

	memcpy(&v, &f, sizeof(v));
	put_le32(p, v);
}

static inline void put_lef64(void *p, double f)
{
	uint64_t v;

	memcpy(&v, &f, sizeof(v));
	put_le64(p, v);
}

#endif
