// SPDX-License-Identifier: GPL-2.0-only
/*
 * subscribe.c - subscribed topics, and their publishers
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "node.h"

static struct source *sub_find(struct ros1_sub *sub, const char *uri)
{
	struct source *s;

	for (s = sub->sources; s; s = s->next)
		if (!strcmp(s->text, uri))
			return s;
	return NULL;
}

void sub_publishers(struct ros1_sub *sub, xmlrpc_value *uris, bool all)
{
	struct source *s, *next;
	unsigned int left = 0;
	char *uri;
	int i;

	for (s = sub->sources; s && all; s = s->next)
		s->listed = false;
	for (i = 0; i < xml_size(uris); i++) {
		uri = xml_string(uris, i);
		if (uri && strcmp(uri, sub->known.node->uri)) {
			s = sub_find(sub, uri);
			if (!s)
				s = source_new(sub, uri);
			if (s)
				s->listed = true;
			else
				left++;
		}
		free(uri);
	}
	if (left)
		node_log(sub->known.node, LOG_ERR, "%s: %u publishers ignored: "
			 "too many, or without a URI", sub->known.topic, left);
	for (s = sub->sources; s; s = next) {
		next = s->next;
		if (!s->listed)
			source_unlisted(s);
	}
}

static void sub_registered(struct registration *g, xmlrpc_value *uris)
{
	sub_publishers(sub_of(g), uris, false);
}

int ros1_subscribe(struct ros1 *r, const char *topic, const char *type,
		   const char *md5, enum ros1_transport transport,
		   ros1_message message, void *arg, struct ros1_sub **sub)
{
	struct ros1_sub *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return -ENOMEM;
	s->transport = transport;
	s->message = message;
	s->arg = arg;
	s->known.publishers = sub_registered;
	err = master_enter(&s->known, r, topic, type, md5, false);
	if (err) {
		free(s);
		return err;
	}
	*sub = s;
	return 0;
}

void ros1_unsubscribe(struct ros1_sub *sub)
{
	while (sub->sources)
		source_free(sub->sources);
	master_leave(&sub->known);
	free(sub);
}

void ros1_sub_stats(const struct ros1_sub *sub, struct ros1_sub_stats *stats)
{
	const struct source *s;

	*stats = sub->stats;
	for (s = sub->sources; s; s = s->next) {
		stats->publishers += s->state == SOURCE_FLOWS;
		stats->refused += s->in.refused;
		stats->incomplete += s->in.incomplete;
		stats->missing += s->in.missing;
	}
}
