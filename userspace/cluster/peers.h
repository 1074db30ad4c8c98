/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * peers.h - the other members, and the bytes in flight to them
 */
#ifndef CLUSTER_PEERS_H
#define CLUSTER_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct peer - another member
 * @present:	at the coordinator: it is in; otherwise it was only welcomed
 * @gone:	at a worker: it left; the entry stays, to drop late messages of
 *		it
 * @address:	at the coordinator: where its hello came from
 * @heard:	CLOCK_MONOTONIC, ns
 * @sent:	bytes to it; @taken_there of them its caller received, as it
 *		reported
 * @taken:	bytes from it that our caller received; @reported_bytes: reported to it
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
	uint64_t	reported_bytes;
};

/* Sorted by id; memory is kept */
struct peers {
	struct peer	*list;
	uint32_t	count;
	uint32_t	room;
};

struct peer *peers_find(const struct peers *p, uint32_t id);
struct peer *peers_find_address(const struct peers *p, uint64_t address);
/* New or existing; NULL: no memory. Moves the others. */
struct peer *peers_add(struct peers *p, uint32_t id);
void peers_remove(struct peers *p, struct peer *peer);
void peers_free(struct peers *p);

/* The cost of a message in a window: small ones need memory, too */
static inline uint64_t peer_cost(size_t len)
{
	return len + 64;
}

static inline bool peer_full(const struct peer *p, uint32_t window)
{
	return p->sent - p->taken_there >= window;
}

/* Often enough that a sender does not wait, and no more */
static inline bool peer_to_be_told(const struct peer *p, uint32_t window)
{
	return p->taken - p->reported_bytes >= window / 4;
}

#endif
