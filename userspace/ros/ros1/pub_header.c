// SPDX-License-Identifier: GPL-2.0-only
/*
 * pub_header.c - headers of an advertised topic: ours, and those of subscribers
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "node.h"

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
