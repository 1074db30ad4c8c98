// SPDX-License-Identifier: GPL-2.0-only
/*
 * diagnose - reception quality of each topic, as /diagnostics
 */
#include <stdio.h>
#include "transport/diagnose.h"
#include "transport/status_values.h"

enum { OK, WARN, ERROR };		/* diagnostic_msgs/DiagnosticStatus */

enum { NAME = 600 };

#define SILENT	3.0			/* s without a frame */
#define POOR	.5			/* least share that is not a warning */

struct page {
	char			name[NAME], sender[CONTROL_WORD + 8];
	struct status_values	values;
};

static struct page pages[MESSAGE_STATUSES];

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
	p->values.used = 0;
	status_values_put(&p->values, s, "frames per second", "%.2f", x->rate);
	status_values_put(&p->values, s, "loss of datagrams", "%.3f", x->loss);
	status_values_put(&p->values, s, "delay (s)", "%.3f", x->delay + delay);
	status_values_put(&p->values, s, "datagrams per frame", "%.1f",
			  x->datagrams);
	status_values_put(&p->values, s, "shown of what was sent", "%.3f",
			  x->share);
	status_values_put(&p->values, s, "bits per second", "%.0f", x->bits);
	status_values_put(&p->values, s, "seconds since the last frame", "%.1f",
			  x->silent);
	status_values_put(&p->values, s, "frames", "%llu",
			  (unsigned long long)c->decoded);
	status_values_put(&p->values, s, "frames kept in outages", "%llu",
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

	snprintf(p->name, NAME, DIAGNOSE_PREFIX "%s", name);
	snprintf(p->sender, sizeof(p->sender), "%s", sender);
	diagnose_describe(&m->status[m->statuses++], p, delay, t);
	if (m->statuses == MESSAGE_STATUSES)
		diagnose_end(d);
}
