// SPDX-License-Identifier: GPL-2.0-only
/*
 * sender_status - the sender's status, as messages to the operator
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "transport/sender_status.h"

enum { OK, WARN, ERROR };		/* diagnostic_msgs/DiagnosticStatus */

enum { TEXT = 1024, NAME = SEND_NAME + 8 };

/* Texts of a status: the message only points to them */
static struct page {
	char	name[NAME], text[TEXT];
	size_t	used;
} pages[SENDER_STATUS_TOPICS + 1];

const char *sender_status_state(enum estimate_state state)
{
	static const char *const names[] = {
		[ESTIMATE_START] = "start", [ESTIMATE_LIVE] = "live",
		[ESTIMATE_BLIND] = "outage", [ESTIMATE_DRAIN] = "drain",
	};

	return names[state];
}

__attribute__((format(printf, 4, 5))) static void
sender_status_put(struct message_status *s, struct page *p, const char *key,
		  const char *format, ...)
{
	char *at = p->text + p->used;
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(at, TEXT - p->used, format, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= TEXT - p->used ||
	    s->values == MESSAGE_VALUES)
		return;
	p->used += n + 1;
	s->value[s->values].key = message_string(key);
	s->value[s->values++].value = message_string(at);
}

static void sender_status_count(struct message_status *s, struct page *p,
				const char *key, uint64_t count)
{
	sender_status_put(s, p, key, "%llu", (unsigned long long)count);
}

static void sender_status_flag(struct message_status *s, struct page *p,
			       const char *key, bool on)
{
	sender_status_put(s, p, key, on ? "true" : "false");
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
	sender_status_put(s, p, "oldest", "%.2f", d->oldest);
	sender_status_count(s, p, "sent", d->sent);
	sender_status_count(s, p, "discarded", d->discarded);
	sender_status_count(s, p, "evicted", d->evicted);
}

static void sender_status_link(const struct sender *s, unsigned int topics,
			       struct message_status *m, struct page *p)
{
	const struct estimate *e = sender_link(s);
	const struct uplink_counts *c = sender_counts(s);
	const struct command_counts *k = sender_commands(s);

	snprintf(p->name, NAME, "link");
	m->level = e->state == ESTIMATE_LIVE ? OK :
		   e->state == ESTIMATE_BLIND ? ERROR : WARN;
	m->message = message_string(sender_status_state(e->state));
	sender_status_put(m, p, "state", "%s", sender_status_state(e->state));
	sender_status_count(m, p, "outages", e->epoch);
	sender_status_put(m, p, "rate", "%.0f", e->rate * 8);
	sender_status_put(m, p, "capacity", "%.0f", e->capacity * 8);
	sender_status_put(m, p, "loss", "%.4f", e->loss);
	sender_status_put(m, p, "loss_high", "%.4f", e->loss_high);
	sender_status_put(m, p, "round_trip", "%.4f", e->round_trip);
	sender_status_put(m, p, "queue", "%.4f", e->queue);
	sender_status_put(m, p, "pace", "%.0f", sender_pace(s)->rate * 8);
	sender_status_put(m, p, "limit", "%.0f", sender_options(s)->rate * 8);
	sender_status_put(m, p, "cpu", "%.3f", sender_load(s)->used);
	sender_status_flag(m, p, "cpu_limits", sender_is_slow(s));
	sender_status_count(m, p, "datagrams", c->datagrams);
	sender_status_count(m, p, "bytes", c->bytes);
	sender_status_count(m, p, "refused", c->refused);
	sender_status_count(m, p, "topics", topics);
	sender_status_flag(m, p, "obeys", sender_options(s)->commands);
	sender_status_count(m, p, "commands", k->commands);
	sender_status_count(m, p, "commands_refused", k->refused);
	sender_status_queue(m, p, sender_device(s));
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
	sender_status_put(m, p, "codec", "%s", codec_name(send_topic_codec(t)));
	sender_status_count(m, p, "priority", o->priority);
	sender_status_flag(m, p, "focus", o->focus);
	sender_status_flag(m, p, "on", plan->on);
	sender_status_put(m, p, "hz_in", "%.2f", send_topic_hz(t));
	sender_status_put(m, p, "hz", "%.2f", plan->hz);
	sender_status_put(m, p, "share", "%.0f", send_topic_rate(t) * 8);
	sender_status_count(m, p, "frame_bytes", plan->bytes);
	sender_status_count(m, p, "thinned", c->thinned);
	sender_status_count(m, p, "behind", c->behind);
	sender_status_count(m, p, "broken", c->broken);
}

static unsigned int sender_status_count_topics(const struct sender *s)
{
	unsigned int n = 0;

	while (sender_topic(s, n))
		n++;
	return n;
}

unsigned int sender_status_parts(const struct sender *s)
{
	unsigned int topics = sender_status_count_topics(s);

	return topics ? (topics + SENDER_STATUS_TOPICS - 1) /
			SENDER_STATUS_TOPICS : 1;
}

/* The next status of the message, with its page */
static struct message_status *
sender_status_begin(const struct sender *s, struct message_diagnostics *m,
		    struct page **page)
{
	struct message_status *status = &m->status[m->statuses];
	struct page *p = *page = &pages[m->statuses++];

	memset(status, 0, sizeof(*status));
	p->used = 0;
	status->hardware_id = message_string(sender_options(s)->name);
	return status;
}

const union message *sender_status(const struct sender *s, unsigned int part,
				   bool link, int64_t now)
{
	static union message msg;
	struct message_diagnostics *m = &msg.diagnostics;
	struct message_status *status;
	struct send_topic *t;
	struct page *p;

	m->header = (struct message_header){ .stamp = now };
	m->statuses = 0;
	if (link) {
		status = sender_status_begin(s, m, &p);
		sender_status_link(s, sender_status_count_topics(s), status, p);
		status->name = message_string(p->name);
	}
	for (unsigned int i = 0; i < SENDER_STATUS_TOPICS; i++) {
		t = sender_topic(s, part * SENDER_STATUS_TOPICS + i);
		if (!t)
			break;
		status = sender_status_begin(s, m, &p);
		sender_status_topic(t, status, p);
		status->name = message_string(p->name);
	}
	return &msg;
}
