/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * http_places.h - which client waits with an unfinished request, and whose is
 * given up first
 *
 * Somebody who opens connections and sends nothing must not take the places of
 * others. So clients are counted by address, hashed with a random key. If
 * places are scarce, the address with most of them loses its oldest: one that
 * asks and is answered is never that.
 */
#ifndef BASE_HTTP_PLACES_H
#define BASE_HTTP_PLACES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/socket.h>

enum { HTTP_PLACES = 256 };

/* In a connection; zero-initialised: it has no place */
struct http_place {
	TAILQ_ENTRY(http_place)	next;
	uint16_t		row;
	bool			taken;
};

TAILQ_HEAD(http_places_list, http_place);

/**
 * struct http_places
 * @row:	of addresses with the same hash, oldest first
 * @count:	of each row
 */
struct http_places {
	uint64_t		key;
	struct http_places_list	row[HTTP_PLACES];
	unsigned int		count[HTTP_PLACES];
};

void http_places_init(struct http_places *p);

/* The row of an address. Of IPv6 the first 64 bits count: a host has all */
uint16_t http_places_row(const struct http_places *p,
			 const struct sockaddr_storage *from);

/* As the newest of its row; it must not have a place */
void http_places_take(struct http_places *p, struct http_place *place);

/* Nothing happens if it has none */
void http_places_leave(struct http_places *p, struct http_place *place);

/* The oldest of the fullest row, or NULL */
struct http_place *http_places_worst(struct http_places *p);

#endif
