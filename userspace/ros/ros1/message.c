// SPDX-License-Identifier: GPL-2.0-only
/*
 * message.c - copies of messages that subscribers wait for
 *
 * A message that must be queued is copied once, for all subscribers. Copies are
 * reused: there are never more than were queued at the same time.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "node.h"

void message_tidy(struct ros1_pub *pub)
{
	struct message *m;

	while (!pub->sinks && (m = pub->unused)) {
		pub->unused = m->next;
		free(m);
	}
}

struct message *message_new(struct ros1_pub *pub, const void *bytes, size_t len)
{
	struct message *m = pub->unused, *grown;
	size_t cap = len + len / 8;	/* the next one may be larger */

	if (m)
		pub->unused = m->next;
	if (!m || m->cap < len) {
		grown = realloc(m, sizeof(*m) + cap);
		if (!grown) {
			free(m);
			return NULL;
		}
		m = grown;
		m->cap = cap;
	}
	assert(len <= m->cap);
	m->refs = 1;
	m->len = len;
	memcpy(m->bytes, bytes, len);
	return m;
}

void message_put(struct ros1_pub *pub, struct message *m)
{
	assert(m->refs);
	if (--m->refs)
		return;
	m->next = pub->unused;
	pub->unused = m;
}
