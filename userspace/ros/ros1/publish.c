// SPDX-License-Identifier: GPL-2.0-only
/*
 * publish.c - advertised topics, and queued messages
 *
 * A message that must be queued is copied once, for all subscribers. Copies are
 * reused: there are never more than were queued at the same time.
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "node.h"

enum { QUEUE_MAX = 1 << 16 };

int ros1_advertise(struct ros1 *r, const char *topic, const char *type,
		   const char *md5, const char *definition, bool latching,
		   unsigned int queue, struct ros1_pub **pub)
{
	struct ros1_pub *p;
	int err = -ENOMEM;

	if (!queue || queue > QUEUE_MAX ||
	    strlen(definition) > HEADER_MAX / 2)
		return -EINVAL;
	p = calloc(1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	p->latching = latching;
	p->queue = queue;
	p->definition = strdup(definition);
	if (p->definition)
		err = master_enter(&p->known, r, topic, type, md5, true);
	if (err) {
		free(p->definition);
		free(p);
		return err;
	}
	*pub = p;
	return 0;
}

void ros1_unadvertise(struct ros1_pub *pub)
{
	while (pub->sinks)
		sink_free(pub->sinks);
	if (pub->latched)
		message_put(pub, pub->latched);
	pub->latched = NULL;
	pub_tidy(pub);
	master_leave(&pub->known);
	free(pub->definition);
	free(pub->rejected);
	free(pub);
}

void ros1_pub_stats(const struct ros1_pub *pub, struct ros1_pub_stats *stats)
{
	const struct sink *s;

	*stats = pub->stats;
	for (s = pub->sinks; s; s = s->next)
		stats->subscribers++;
}

void pub_tidy(struct ros1_pub *pub)
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

int ros1_publish(struct ros1_pub *pub, const void *bytes, size_t len)
{
	struct message *copy = NULL;
	struct sink *s, *next;
	int err = 0;

	if (len > pub->known.node->message_max) {
		pub->stats.refused++;
		return -EMSGSIZE;
	}
	pub->stats.messages++;
	pub->stats.bytes += len;
	if (pub->latching) {
		if (pub->latched)
			message_put(pub, pub->latched);
		pub->latched = copy = message_new(pub, bytes, len);
		if (copy)
			copy->refs++;
		else
			err = -ENOMEM;
	}
	for (s = pub->sinks; s; s = next) {
		next = s->next;
		if (sink_give(s, bytes, len, &copy))
			err = -ENOMEM;
	}
	if (copy)
		message_put(pub, copy);
	return err;
}

int pub_header(const struct ros1_pub *pub, struct bytes *out)
{
	const struct registration *g = &pub->known;

	if (header_append(out, "callerid", g->node->name) ||
	    header_append(out, "latching", pub->latching ? "1" : "0") ||
	    header_append(out, "md5sum", g->md5) ||
	    header_append(out, "message_definition", pub->definition) ||
	    header_append(out, "type", g->type))
		return -ENOMEM;
	return header_append(out, "topic", g->topic);
}

/* Log it once, not at each retry */
static void pub_log_rejection(struct ros1_pub *pub, const struct header *h,
			      const char *why)
{
	char *who = header_value(h, HEADER_CALLERID);

	if (who && (!pub->rejected || strcmp(pub->rejected, who))) {
		free(pub->rejected);
		pub->rejected = strdup(who);
		node_log(pub->known.node, LOG_ERR,
			 "%s: subscriber %s rejected: %s",
			 pub->known.topic, node_clean(who), why);
	}
	free(who);
}

int pub_accepts(struct ros1_pub *pub, const struct header *h, char *why)
{
	const struct registration *g = &pub->known;
	char *md5 = header_value(h, HEADER_MD5SUM);
	char *type = header_value(h, HEADER_TYPE);
	int err = 0;

	if (!header_is(h, HEADER_MD5SUM, "*") &&
	    !header_is(h, HEADER_MD5SUM, g->md5)) {
		snprintf(why, TEXT_MAX, "type mismatch: wants %.60s (md5 "
			 "%.32s), published is %.60s (%.32s)",
			 type ? node_clean(type) : "",
			 md5 ? node_clean(md5) : "", g->type, g->md5);
		pub_log_rejection(pub, h, why);
		err = -EPROTO;
	}
	free(md5);
	free(type);
	return err;
}
