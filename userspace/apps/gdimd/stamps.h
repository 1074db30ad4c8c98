/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stamps.h - whether a message's stamp can be
 *
 * Old stamps can, as recordings are old. A stamp ahead of this machine's clock
 * is wrong, or the clock is: robots without a battery for theirs boot in the
 * past. Stamps that agree with the clock prove it; as long as there are none,
 * a stamp that agrees with the newest one that was stored, or with another one
 * that came before it, proves it wrong.
 */
#ifndef APPS_GDIMD_STAMPS_H
#define APPS_GDIMD_STAMPS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct stamps - what is known of clocks; ns
 * @newest:	that was accepted, or stored before; 0: none
 * @seen:	when it was accepted, CLOCK_MONOTONIC; 0: before this run
 * @proven:	a stamp agreed with the clock, when that was @offset ahead of
 *		CLOCK_MONOTONIC
 * @refused:	the last one, and when: others may agree with it
 */
struct stamps {
	int64_t		newest;
	uint64_t	seen;
	bool		proven;
	int64_t		offset;
	int64_t		refused;
	uint64_t	refused_seen;
};

/* @newest: that is stored, 0: none */
void stamps_begin(struct stamps *s, int64_t newest);

/**
 * stamps_take() - a message more
 * @stamp:	of it, 0 or more
 * @wall:	CLOCK_REALTIME now
 * @now:	CLOCK_MONOTONIC
 *
 * Return: whether it is accepted.
 */
bool stamps_take(struct stamps *s, int64_t stamp, int64_t wall, uint64_t now);

/* How far the newest stamp is ahead of the clock; 0: not */
int64_t stamps_ahead(const struct stamps *s, int64_t wall);

#endif
