/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * seal.h - authenticate segments with a shared key, and reject replays
 *
 * Both ends have the same key file. The header of each datagram then ends with
 * a serial number within the sender's run and a keyed BLAKE2b of the whole
 * datagram (optsample/segment.h, RFC 7693). Nothing is encrypted.
 *
 * Each serial is accepted once. Datagrams recorded in another run of the
 * receiver are rejected too: a stream must begin with an announcement whose
 * stamp is the number of the receiver's run, which a sender learns from the
 * receiver's datagrams.
 */
#ifndef TRANSPORT_SEAL_H
#define TRANSPORT_SEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/error.h"

struct seal;

/* Direction of a datagram: one that is sent back to its source is invalid */
enum seal_way { SEAL_UP = 1, SEAL_DOWN };

/**
 * seal_open() - read a key
 * @path:	a file of 16 to 4096 bytes; final newlines do not count
 * @error:	one line on failure
 *
 * Return: 0, to be freed with seal_close(), or a negative errno.
 */
int seal_open(struct seal **s, const char *path, struct error *error);
void seal_close(struct seal *s);

/**
 * seal_put() - add the MAC to a datagram
 * @datagram: a struct optsample_segment_sealed and its payload, with all other
 *	fields final
 */
void seal_put(const struct seal *s, enum seal_way way, uint8_t *datagram,
	      size_t len, uint64_t serial);

/**
 * seal_check() - check the MAC of a datagram
 * @serial: out: its serial number
 *
 * Return: 0, -ENOKEY: it has no MAC, -EKEYREJECTED: the key differs, or it was
 * modified.
 */
int seal_check(const struct seal *s, enum seal_way way,
	       const uint8_t *datagram, size_t len, uint64_t *serial);

/**
 * struct replay - received serials; all zero initially
 *
 * It remembers the last four million: kept datagrams arrive late.
 */
struct replay {
	uint64_t	top;
	uint64_t	*bits;
};

/* Return: true if it is new and recent enough; -ENOMEM counts as old */
bool replay_take(struct replay *r, uint64_t serial);
void replay_free(struct replay *r);

#endif
