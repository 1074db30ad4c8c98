// SPDX-License-Identifier: GPL-2.0-only
/*
 * diagnose - reception quality of each topic, as /diagnostics
 */
#include <stdarg.h>
#include <stdio.h>
#include "transport/diagnose.h"

enum { OK, WARN, ERROR };		/* diagnostic_msgs/DiagnosticStatus */

enum { TEXT = 2048, NAME = 600 };

#define SILENT	3.0			/* s without a frame */
#define POOR	.5			/* least share that is not a warning */

/* Texts of a status: the message only points to them */
struct page {
	char	name[NAME], text[TEXT], sender[CONTROL_WORD + 8];
	size_t	used;
};

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
			      double delay, const struct recv_topic *t)
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
	diagnose_put(s, p, "delay (s)", "%.3f", x->delay + delay);
	diagnose_put(s, p, "datagrams per frame", "%.1f", x->datagrams);
	diagnose_put(s, p, "shown of what was sent", "%.3f", x->share);
	diagnose_put(s, p, "bits per second", "%.0f", x->bits);
	diagnose_put(s, p, "seconds since the last frame", "%.1f", x->silent);
	diagnose_put(s, p, "frames", "%llu", (unsigned long long)c->decoded);
	diagnose_put(s, p, "frames kept in outages", "%llu",
		     (unsigned long long)c->kept);
}

void diagnose_begin(struct diagnose *d, struct publish *publish, int64_t now)
{
	d->publish = publish;
	d->msg.diagnostics.header =
		(struct message_header){ .stamp = now };
	d->msg.diagnostics.statuses = 0;
}

void diagnose_end(struct diagnose *d)
{
	struct message_diagnostics *m = &d->msg.diagnostics;

	if (m->statuses)
		publish_message(d->publish, "/diagnostics",
				MESSAGE_DIAGNOSTICS, m->header.stamp, &d->msg);
	m->statuses = 0;
}

void diagnose_topic(struct diagnose *d, const char *name, const char *sender,
		    double delay, const struct recv_topic *t)
{
	struct message_diagnostics *m = &d->msg.diagnostics;
	struct page *p = &pages[m->statuses];

	snprintf(p->name, NAME, "optsample: %s", name);
	snprintf(p->sender, sizeof(p->sender), "%s", sender);
	diagnose_describe(&m->status[m->statuses++], p, delay, t);
	if (m->statuses == MESSAGE_STATUSES)
		diagnose_end(d);
}
