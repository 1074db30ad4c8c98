// SPDX-License-Identifier: GPL-2.0-only
/*
 * sender_status - the sender's status, as messages to the operator
 */
#include <stdio.h>
#include <string.h>
#include "transport/sender_status.h"
#include "transport/status_values.h"

enum { OK, WARN, ERROR };		/* diagnostic_msgs/DiagnosticStatus */

enum { NAME = SEND_NAME + 8 };

/* Texts of a status: the message only points to them */
static struct page {
	char			name[NAME];
	struct status_values	values;
} pages[SENDER_STATUS_TOPICS + 1];

const char *sender_status_state(enum estimate_state state)
{
	static const char *const names[] = {
		[ESTIMATE_START] = "start", [ESTIMATE_LIVE] = "live",
		[ESTIMATE_BLIND] = "outage", [ESTIMATE_DRAIN] = "drain",
	};

	return names[state];
}

static void sender_status_count(struct message_status *s, struct page *p,
				const char *key, uint64_t count)
{
	status_values_put(&p->values, s, key, "%llu",
			  (unsigned long long)count);
}

static void sender_status_flag(struct message_status *s, struct page *p,
			       const char *key, bool on)
{
	status_values_put(&p->values, s, key, on ? "true" : "false");
}

/* What the queue of the device holds, and what it gave up */
static void sender_status_queue(struct message_status *s, struct page *p,
				const struct link_stats *d)
{
	if (!d->known)
		return;
	sender_status_count(s, p, "backlog", d->backlog);
	sender_status_flag(s, p, "carrier", d->carrier);
	sender_status_flag(s, p, "sampling", d->sampling);
	if (!d->counted)
		return;
	sender_status_count(s, p, "held", d->held);
	status_values_put(&p->values, s, "oldest", "%.2f", d->oldest);
	sender_status_count(s, p, "sent", d->sent);
	sender_status_count(s, p, "discarded", d->discarded);
	sender_status_count(s, p, "evicted", d->evicted);
}

static void sender_status_link(const struct sender_state *s,
			       struct message_status *m, struct page *p)
{
	const struct estimate *e = s->link;
	const struct uplink_counts *c = s->counts;
	const struct command_counts *k = s->commands;

	snprintf(p->name, NAME, "link");
	m->level = e->state == ESTIMATE_LIVE ? OK :
		   e->state == ESTIMATE_BLIND ? ERROR : WARN;
	m->message = message_string(sender_status_state(e->state));
	status_values_put(&p->values, m, "state", "%s",
			  sender_status_state(e->state));
	sender_status_count(m, p, "outages", e->epoch);
	status_values_put(&p->values, m, "rate", "%.0f", e->rate * 8);
	status_values_put(&p->values, m, "capacity", "%.0f", e->capacity * 8);
	status_values_put(&p->values, m, "loss", "%.4f", e->loss);
	status_values_put(&p->values, m, "loss_high", "%.4f", e->loss_high);
	status_values_put(&p->values, m, "round_trip", "%.4f", e->round_trip);
	status_values_put(&p->values, m, "queue", "%.4f", e->queue);
	status_values_put(&p->values, m, "pace", "%.0f", s->pace * 8);
	status_values_put(&p->values, m, "limit", "%.0f", s->limit * 8);
	status_values_put(&p->values, m, "cpu", "%.3f", s->cpu);
	sender_status_flag(m, p, "cpu_limits", s->cpu_limits);
	sender_status_count(m, p, "datagrams", c->datagrams);
	sender_status_count(m, p, "bytes", c->bytes);
	sender_status_count(m, p, "refused", c->refused);
	sender_status_count(m, p, "topics", s->topics);
	sender_status_flag(m, p, "obeys", s->obeys);
	sender_status_count(m, p, "commands", k->commands);
	sender_status_count(m, p, "commands_refused", k->refused);
	sender_status_queue(m, p, s->device);
}

static void sender_status_topic(const struct send_topic *t,
				struct message_status *m, struct page *p)
{
	const struct send_options *o = send_topic_options(t);
	const struct send_counts *c = send_topic_counts(t);
	const struct plan *plan = send_topic_plan(t);

	snprintf(p->name, NAME, "topic %s", send_topic_announcement(t)->name);
	m->level = plan->on ? OK : WARN;
	m->message = message_string(plan->on ? "sent" : "off");
	status_values_put(&p->values, m, "codec", "%s",
			  codec_name(send_topic_codec(t)));
	sender_status_count(m, p, "priority", o->priority);
	sender_status_flag(m, p, "focus", o->focus);
	sender_status_flag(m, p, "on", plan->on);
	status_values_put(&p->values, m, "hz_in", "%.2f", send_topic_hz(t));
	status_values_put(&p->values, m, "hz", "%.2f", plan->hz);
	status_values_put(&p->values, m, "share", "%.0f",
			  send_topic_rate(t) * 8);
	sender_status_count(m, p, "frame_bytes", plan->bytes);
	sender_status_count(m, p, "thinned", c->thinned);
	sender_status_count(m, p, "behind", c->behind);
	sender_status_count(m, p, "broken", c->broken);
}

unsigned int sender_status_parts(unsigned int topics)
{
	return topics ? (topics + SENDER_STATUS_TOPICS - 1) /
			SENDER_STATUS_TOPICS : 1;
}

/* The next status of the message, with its page */
static struct message_status *
sender_status_begin(const struct sender_state *s, struct message_diagnostics *m,
		    struct page **page)
{
	struct message_status *status = &m->status[m->statuses];
	struct page *p = *page = &pages[m->statuses++];

	memset(status, 0, sizeof(*status));
	p->values.used = 0;
	status->hardware_id = message_string(s->name);
	return status;
}

const union message *sender_status(const struct sender_state *s,
				   unsigned int part, bool link, int64_t now)
{
	static union message msg;
	struct message_diagnostics *m = &msg.diagnostics;
	struct message_status *status;
	unsigned int i = part * SENDER_STATUS_TOPICS;
	const unsigned int end = i + SENDER_STATUS_TOPICS;
	struct page *p;

	m->header = (struct message_header){ .stamp = now };
	m->statuses = 0;
	if (link) {
		status = sender_status_begin(s, m, &p);
		sender_status_link(s, status, p);
		status->name = message_string(p->name);
	}
	for (; i < end && i < s->topics; i++) {
		status = sender_status_begin(s, m, &p);
		sender_status_topic(s->topic[i], status, p);
		status->name = message_string(p->name);
	}
	return &msg;
}
