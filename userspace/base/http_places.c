// SPDX-License-Identifier: GPL-2.0-only
/*
 * http_places - which client waits with an unfinished request, and whose is
 * given up first
 */
#include <assert.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/random.h>
#include "base/http_places.h"
#include "base/loop.h"

void http_places_init(struct http_places *p)
{
	memset(p, 0, sizeof(*p));
	if (getrandom(&p->key, sizeof(p->key), 0) < 0)
		p->key = loop_now();
	for (unsigned int i = 0; i < HTTP_PLACES; i++)
		TAILQ_INIT(&p->row[i]);
}

uint16_t http_places_row(const struct http_places *p,
			 const struct sockaddr_storage *from)
{
	const struct sockaddr_in6 *in6 = (const void *)from;
	const struct sockaddr_in *in = (const void *)from;
	uint64_t h = 0;

	if (from->ss_family == AF_INET)
		h = in->sin_addr.s_addr;
	else if (from->ss_family == AF_INET6 &&
		 IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr))
		memcpy(&h, in6->sin6_addr.s6_addr + 12, 4);
	else if (from->ss_family == AF_INET6)
		memcpy(&h, in6->sin6_addr.s6_addr, sizeof(h));
	/* the finalizer of splitmix64 */
	h ^= p->key;
	h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9;
	h = (h ^ (h >> 27)) * 0x94d049bb133111eb;
	return (h ^ (h >> 31)) % HTTP_PLACES;
}

void http_places_take(struct http_places *p, struct http_place *place)
{
	assert(!place->taken && place->row < HTTP_PLACES);
	place->taken = true;
	TAILQ_INSERT_TAIL(&p->row[place->row], place, next);
	p->count[place->row]++;
}

void http_places_leave(struct http_places *p, struct http_place *place)
{
	if (!place->taken)
		return;
	assert(p->count[place->row]);
	place->taken = false;
	TAILQ_REMOVE(&p->row[place->row], place, next);
	p->count[place->row]--;
}

struct http_place *http_places_worst(struct http_places *p)
{
	unsigned int worst = 0;

	for (unsigned int i = 1; i < HTTP_PLACES; i++)
		if (p->count[i] > p->count[worst])
			worst = i;
	return TAILQ_FIRST(&p->row[worst]);
}
