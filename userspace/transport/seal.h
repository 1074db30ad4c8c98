/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * seal.h - segments that only who has the key can make, each good once
 *
 * A key is a file that both ends have. Each datagram then ends its header with
 * a serial number of the run that sent it and a keyed BLAKE2b of all of it
 * (optsample/segment.h, RFC 7693). Nothing is encrypted.
 *
 * A serial that came is not taken again. What was recorded in another run of
 * the receiver is not taken either: a stream begins with an announcement that
 * has the number of the receiver's run as its stamp, which a sender learns from
 * the receiver's datagrams.
 */
#ifndef TRANSPORT_SEAL_H
#define TRANSPORT_SEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct seal;

/* Which way a datagram goes: one that is thrown back is none */
enum seal_way { SEAL_UP = 1, SEAL_DOWN };

/**
 * seal_open() - read a key
 * @path:	a file of 16 to 4096 bytes; line ends at its end do not count
 * @error:	gets one line
 *
 * Return: 0, to be freed with seal_close(), or a negative errno.
 */
int seal_open(struct seal **s, const char *path, char error[256]);
void seal_close(struct seal *s);

/**
 * seal_put() - close a datagram
 * @datagram: a struct optsample_segment_sealed and its payload, all else of
 *	which is final
 */
void seal_put(const struct seal *s, enum seal_way way, uint8_t *datagram,
	      size_t len, uint64_t serial);

/**
 * seal_check() - whether a datagram is whole, and of who has the key
 * @serial: gets its number
 *
 * Return: 0, -ENOKEY: it has no seal, -EKEYREJECTED: of another key, or it was
 * changed.
 */
int seal_check(const struct seal *s, enum seal_way way,
	       const uint8_t *datagram, size_t len, uint64_t *serial);

/**
 * struct replay - serials that came; all zero to begin with
 *
 * It remembers the last four million: what was kept in an outage comes late.
 */
struct replay {
	uint64_t	top;
	uint64_t	*bits;
};

/* Return: whether it is new, and not too old to know; -ENOMEM counts as old */
bool replay_take(struct replay *r, uint64_t serial);
void replay_free(struct replay *r);

#endif
