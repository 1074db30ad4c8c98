/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * member.h - who is in, and what frames mean
 */
#ifndef CLUSTER_MEMBER_H
#define CLUSTER_MEMBER_H

#include "cluster/transport.h"

/* All with the engine's lock held */

void member_connected(struct engine *e, uint64_t address, uint32_t id);
void member_lost(struct engine *e, const char *why);
void member_frame(struct engine *e, const struct frame *f,
		  struct engine_buffer *b);
void member_returned(struct engine *e, const struct frame *f);
void member_gone(struct engine *e, uint32_t id, const char *why);
uint64_t member_tick(struct engine *e, uint64_t now);

/* Tell the others that this one closes */
void member_leave(struct engine *e);
/* The caller took a message: its sender may send more */
void member_took(struct engine *e, struct engine_buffer *b);
/* The caller waits for room: what is there already counts as taken */
void member_lend(struct engine *e);
/* The caller waits for that, or its descriptor is asked about it */
void member_notify(struct engine *e);

uint64_t member_now(void);

#endif
