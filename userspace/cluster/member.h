/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * member.h - membership, and handling of frames
 */
#ifndef CLUSTER_MEMBER_H
#define CLUSTER_MEMBER_H

#include "cluster/transport.h"

/* All with the lock of the bus held */

void member_connected(struct bus *e, uint64_t address, uint32_t id);
void member_lost(struct bus *e, const char *why);
void member_frame(struct bus *e, const struct frame *f,
		  struct bus_buffer *b);
void member_returned(struct bus *e, const struct frame *f);
void member_gone(struct bus *e, uint32_t id, const char *why);
uint64_t member_tick(struct bus *e, uint64_t now);

/* Notify the others that this one leaves */
void member_leave(struct bus *e);
/* The caller received a message: its sender may send more */
void member_took(struct bus *e, struct bus_buffer *b);
/* The caller waits for room: queued messages count as received */
void member_lend(struct bus *e);
/* Wake the caller, or signal its descriptor */
void member_notify(struct bus *e);

uint64_t member_now(void);

#endif
