// SPDX-License-Identifier: GPL-2.0-only
/*
 * publish.c - advertised topics
 */
#include <errno.h>
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
	message_tidy(pub);
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
