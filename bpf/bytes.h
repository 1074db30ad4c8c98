/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers on the wire: in either byte order, at any address.
 */
#ifndef OPTSAMPLE_BYTES_H
#define OPTSAMPLE_BYTES_H

#include <linux/types.h>

#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif

/* In host byte order */
static __always_inline __u32 bytes_raw32(const __u8 *p)
{
	__u32 v;

	__builtin_memcpy(&v, p, sizeof(v));
	return v;
}

/* The same at a multiple of 4 */
static __always_inline __u32 bytes_word(const void *p)
{
	return bytes_raw32(__builtin_assume_aligned(p, 4));
}

static __always_inline __u32 bytes_u32(const __u8 *p, int little)
{
	__u32 v = bytes_raw32(p);

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return little ? v : __builtin_bswap32(v);
#else
	return little ? __builtin_bswap32(v) : v;
#endif
}

static __always_inline __u32 bytes_u16(const __u8 *p, int little)
{
	return little ? p[0] | p[1] << 8 : p[0] << 8 | p[1];
}

static __always_inline __u64 bytes_u64(const __u8 *p, int little)
{
	__u64 a = bytes_u32(p, little), b = bytes_u32(p + 4, little);

	return little ? b << 32 | a : a << 32 | b;
}

#endif
