// SPDX-License-Identifier: GPL-2.0-only
/*
 * diagnose - how each topic arrives, as /diagnostics
 */
#include <stdarg.h>
#include <stdio.h>
#include "transport/diagnose.h"

enum { OK, WARN, ERROR };		/* diagnostic_msgs/DiagnosticStatus */

enum { TEXT = 2048, NAME = 600 };

#define SILENT	3.0			/* s without a frame */
#define POOR	.5			/* share that is to be seen */

/* The texts of a status: the message only points to them */
struct page {
	char	name[NAME], text[TEXT], sender[CONTROL_WORD + 8];
	size_t	used;
};

/* A sender has at most STREAM_TOPICS, a message MESSAGE_STATUSES */
static struct page pages[MESSAGE_STATUSES];

__attribute__((format(printf, 4, 5))) static void
diagnose_put(struct message_status *s, struct page *p, const char *key,
	     const char *format, ...)
{
	char *at = p->text + p->used;
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(at, TEXT - p->used, format, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= TEXT - p->used)
		return;
	p->used += n + 1;
	s->value[s->values].key = message_string(key);
	s->value[s->values++].value = message_string(at);
}

static void diagnose_describe(struct message_status *s, struct page *p,
			      const struct stream *stream,
			      const struct recv_topic *t)
{
	const struct recv_stats *x = recv_topic_stats(t);
	const struct recv_counts *c = recv_topic_counts(t);

	*s = (struct message_status){
		.name = message_string(p->name),
		.hardware_id = message_string(p->sender),
		.message = message_string("arrives"),
	};
	if (x->silent > SILENT &&
	    !message_is_map(recv_topic_announcement(t)->kind)) {
		s->level = ERROR;
		s->message = message_string("silent");
	} else if (x->share < POOR && c->decoded) {
		s->level = WARN;
		s->message = message_string("poor");
	}
	p->used = 0;
	diagnose_put(s, p, "frames per second", "%.2f", x->rate);
	diagnose_put(s, p, "loss of datagrams", "%.3f", x->loss);
	diagnose_put(s, p, "delay (s)", "%.3f",
		     x->delay + stream_delay(stream));
	diagnose_put(s, p, "datagrams per frame", "%.1f", x->datagrams);
	diagnose_put(s, p, "shown of what was sent", "%.3f", x->share);
	diagnose_put(s, p, "bits per second", "%.0f", x->bits);
	diagnose_put(s, p, "seconds since the last frame", "%.1f", x->silent);
	diagnose_put(s, p, "frames", "%llu", (unsigned long long)c->decoded);
	diagnose_put(s, p, "frames kept in outages", "%llu",
		     (unsigned long long)c->kept);
}

void diagnose(const struct receiver *r, struct publish *publish, int64_t now)
{
	union message msg = { .diagnostics = { .header.stamp = now } };
	struct message_diagnostics *m = &msg.diagnostics;
	const struct stream *s;
	bool old;

	for (unsigned int i = 0; (s = receiver_stream(r, i, &old)); i++) {
		const struct recv_topic *t;

		for (unsigned int k = 0; !old && (t = stream_topic(s, k)); k++) {
			struct page *p = &pages[m->statuses];

			snprintf(p->name, NAME, "optsample: ");
			receiver_name(r, s, recv_topic_announcement(t)->name,
				      "", p->name + 11);
			receiver_label(r, s, p->sender);
			diagnose_describe(&m->status[m->statuses++], p, s, t);
			if (m->statuses < MESSAGE_STATUSES)
				continue;
			publish_message(publish, "/diagnostics",
					MESSAGE_DIAGNOSTICS, now, &msg);
			m->statuses = 0;
		}
	}
	if (m->statuses)
		publish_message(publish, "/diagnostics", MESSAGE_DIAGNOSTICS,
				now, &msg);
}
