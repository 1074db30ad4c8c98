/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hash.h - a hash of bytes: FNV-1a, 64 bits
 *
 * For tables and to detect changes; not secure against an attacker.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t hash_bytes(const void *data, size_t len)
{
	const uint8_t *byte = data;
	uint64_t hash = 0xcbf29ce484222325;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ byte[i]) * 0x100000001b3;
	return hash;
}

#endif
