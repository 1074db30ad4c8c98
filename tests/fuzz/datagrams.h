/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * datagrams.h - a fuzzer's bytes as datagrams: each after its length, u16, or
 * as changes of good ones
 */
#ifndef FUZZ_DATAGRAMS_H
#define FUZZ_DATAGRAMS_H

#include <stdbool.h>
#include "base/wire.h"
#include "codec/core/payload.h"

struct datagrams {
	const uint8_t	*p, *end;
};

/**
 * datagrams_next() - the next datagram
 *
 * Return: false: no more. The last one may be cut short.
 */
static inline bool datagrams_next(struct datagrams *d, const uint8_t **data,
				  size_t *len)
{
	if (d->end - d->p < 2)
		return false;
	*len = get_le16(d->p);
	*data = d->p + 2;
	if (*len > (size_t)(d->end - *data))
		*len = d->end - *data;
	d->p = *data + *len;
	return true;
}

/**
 * datagrams_edit() - valid payloads with some bytes changed
 * @data: of each change: slot, position (u16), byte to XOR
 *
 * Fuzzers pass checks faster when they start from valid input.
 */
static inline void datagrams_edit(struct payloads *p, const uint8_t *data,
				  size_t size)
{
	for (; size >= 4 && p->count; data += 4, size -= 4) {
		unsigned int slot = data[0] % p->count;
		unsigned int at = get_le16(data + 1);

		if (p->len[slot])
			payload_at(p, slot)[at % p->len[slot]] ^= data[3];
	}
}

#endif
