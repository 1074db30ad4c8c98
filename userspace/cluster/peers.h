/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * peers.h - whom a member talks with, and what is on the way between them
 */
#ifndef CLUSTER_PEERS_H
#define CLUSTER_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct peer - another member
 * @present:	at the coordinator: it is in; otherwise it was only welcomed
 * @gone:	at a worker: it was in; the entry stays, as late messages of it
 *		are not for us
 * @address:	at the coordinator: where it said hello from
 * @heard:	CLOCK_MONOTONIC, ns
 * @sent:	bytes to it, and of them @taken_there by its caller, as it said
 * @taken:	bytes from it that our caller took, and it knows of @told
 */
struct peer {
	uint32_t	id;
	bool		present;
	bool		gone;
	uint64_t	address;
	uint64_t	heard;
	uint64_t	sent;
	uint64_t	taken_there;
	uint64_t	taken;
	uint64_t	told;
};

/* By id; room is kept */
struct peers {
	struct peer	*list;
	uint32_t	count;
	uint32_t	room;
};

struct peer *peers_find(const struct peers *p, uint32_t id);
struct peer *peers_find_address(const struct peers *p, uint64_t address);
/* New or there already; NULL: no memory. Moves the others. */
struct peer *peers_add(struct peers *p, uint32_t id);
void peers_remove(struct peers *p, struct peer *peer);
void peers_free(struct peers *p);

/* What a message counts for in a window: small ones cost memory, too */
static inline uint64_t peer_cost(size_t len)
{
	return len + 64;
}

static inline bool peer_full(const struct peer *p, uint32_t window)
{
	return p->sent - p->taken_there >= window;
}

/* Said often enough that a sender does not wait, and no more */
static inline bool peer_to_be_told(const struct peer *p, uint32_t window)
{
	return p->taken - p->told >= window / 4;
}

#endif
