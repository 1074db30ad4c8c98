/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * priority.h - how well which part of an embedded stream is protected
 *
 * Priority encoding transmission: the stream is cut into levels; a level of
 * need i is coded so that any i of the N datagrams give it back. The first
 * bytes, without which the others are worthless, need the fewest. With k
 * datagrams there is a prefix of R_k = sum over needs i <= k of i * columns_i
 * bytes, and every datagram holds sum of columns_i bytes.
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
 * struct priority_chances - what the channel is believed to do
 * @chance: [k]: that k of the datagrams arrive, k from 1; need not add up to 1
 */
struct priority_chances {
	double		chance[PRIORITY_DATAGRAMS + 1];
};

/**
 * priority_fixed() - chances that suit any loss from 0 to 90 %
 * @curve: of the stream: each loss counts by what an ideal code would leave
 * @datagrams: of a frame
 * @size: bytes of a datagram
 */
void priority_fixed(struct priority_chances *c,
		    const struct zeroblock_curve *curve,
		    unsigned int datagrams, unsigned int size);

/**
 * priority_loss() - chances at a loss that was estimated
 * @curve, @size: as for priority_fixed()
 * @loss: 0 .. 1
 * @burst: mean length of losses, datagrams; 0, or up to 1 / (1 - @loss): each
 *	is lost by chance
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
 * @base: bytes that any @first datagrams shall give; 0: none asked for
 * @first: fewest that shall give anything, 1 or more; less than @whole
 * @levels: most of them, 2 .. PRIORITY_LEVELS
 * @whole: datagrams that shall give all of the curve; 0: any number
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
 * priority_bytes() - of a datagram, for all levels
 */
size_t priority_bytes(const struct priority *p);

#endif
