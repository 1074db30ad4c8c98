/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stamps.h - whether a message's stamp is valid
 *
 * Old stamps are valid: recordings. If a stamp is ahead of this machine's
 * clock, one of both is wrong: robots without a battery-backed clock boot in
 * the past. A stamp that agrees with the clock proves the clock. Until then, a
 * stamp that agrees with the newest stored stamp, or with the last refused one,
 * proves the clock wrong.
 */
#ifndef MAP_ROS_STAMPS_H
#define MAP_ROS_STAMPS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct stamps - state of clocks; ns
 * @newest:	newest stamp that was accepted or stored; 0: none
 * @seen:	when it was accepted, CLOCK_MONOTONIC; 0: before the start
 * @proven:	a stamp agreed with the clock, when that was @offset ahead of
 *		CLOCK_MONOTONIC
 * @refused:	the last refused stamp; @refused_seen: when, CLOCK_MONOTONIC
 */
struct stamps {
	int64_t		newest;
	uint64_t	seen;
	bool		proven;
	int64_t		offset;
	int64_t		refused;
	uint64_t	refused_seen;
};

/* @newest: the newest stored stamp, ns; 0: none */
void stamps_begin(struct stamps *s, int64_t newest);

/**
 * stamps_take() - check the stamp of a message
 * @stamp:	ns, 0 or more
 * @wall:	CLOCK_REALTIME now, ns
 * @now:	CLOCK_MONOTONIC, ns
 *
 * Return: whether it is accepted.
 */
bool stamps_take(struct stamps *s, int64_t stamp, int64_t wall, uint64_t now);

/* How far the newest stamp is ahead of the clock, ns; 0: not ahead */
int64_t stamps_ahead(const struct stamps *s, int64_t wall);

#endif
