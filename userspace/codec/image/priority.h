/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * priority.h - protection of the parts of an embedded stream
 *
 * Priority encoding transmission: the stream is cut into levels; any i of the N
 * datagrams restore a level of need i. The first bytes, without which the
 * others are useless, need the fewest. With k datagrams there is a prefix of
 * R_k = sum over needs i <= k of i * columns_i bytes, and every datagram holds
 * sum of columns_i bytes.
 *
 * Sources: Albanese et al., "Priority encoding transmission" (IEEE IT 1996);
 * Puri and Ramchandran, "Multiple description source coding using forward
 * error correction codes" (Asilomar 1999), whose convex optimum this is.
 */
#ifndef CODEC_IMAGE_PRIORITY_H
#define CODEC_IMAGE_PRIORITY_H

#include <stddef.h>
#include <stdint.h>
#include "codec/image/zeroblock.h"

enum { PRIORITY_LEVELS = 12, PRIORITY_DATAGRAMS = 255 };

/**
 * struct priority - levels of a stream
 * @need:	datagrams that a level needs, increasing
 * @columns:	bytes of the level in each datagram, at least 1
 */
struct priority {
	unsigned int		levels;
	struct {
		uint8_t		need;
		uint16_t	columns;
	} level[PRIORITY_LEVELS];
};

/**
 * struct priority_chances - model of the channel
 * @chance: [k]: that k of the datagrams arrive, k from 1; not normalised
 */
struct priority_chances {
	double		chance[PRIORITY_DATAGRAMS + 1];
};

/**
 * priority_fixed() - chances for an unknown loss from 0 to 90 %
 * @curve: of the stream: weights losses by the error of an ideal code
 * @datagrams: of a frame
 * @size: bytes of a datagram
 */
void priority_fixed(struct priority_chances *c,
		    const struct zeroblock_curve *curve,
		    unsigned int datagrams, unsigned int size);

/**
 * priority_loss() - chances for an estimated loss
 * @curve, @size: as for priority_fixed()
 * @loss: 0 .. 1
 * @burst: mean length of losses, datagrams; 0, or up to 1 / (1 - @loss):
 *	independent losses
 *
 * Bursts are those of a channel of two states (Gilbert, "Capacity of a
 * burst-noise channel", BSTJ 1960).
 */
void priority_loss(struct priority_chances *c,
		   const struct zeroblock_curve *curve,
		   unsigned int datagrams, unsigned int size, double loss,
		   double burst);

/**
 * priority_solve() - levels with the least expected error
 * @size: bytes of a datagram for all levels
 * @base: bytes that any @first datagrams must give; 0: none
 * @first: fewest that must give anything, 1 or more; less than @whole
 * @levels: their limit, 2 .. PRIORITY_LEVELS
 * @whole: datagrams that must give the whole curve; 0: any number
 *
 * A level's last column may reach beyond the end of the stream.
 */
void priority_solve(struct priority *p, const struct zeroblock_curve *curve,
		    const struct priority_chances *c, unsigned int datagrams,
		    unsigned int size, unsigned int base, unsigned int first,
		    unsigned int levels, unsigned int whole);

/**
 * priority_prefix() - bytes of the stream that @received datagrams give
 */
size_t priority_prefix(const struct priority *p, unsigned int received);

/**
 * priority_bytes() - bytes of a datagram, for all levels
 */
size_t priority_bytes(const struct priority *p);

#endif
