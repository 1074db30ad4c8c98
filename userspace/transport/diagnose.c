// SPDX-License-Identifier: GPL-2.0-only
/*
 * diagnose - reception quality of each topic, and contact with each robot, as
 * /diagnostics
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "transport/diagnose.h"
#include "transport/status_values.h"

enum { OK, WARN, ERROR };		/* diagnostic_msgs/DiagnosticStatus */

enum { NAME = 600 };

#define DIAGNOSE_PREFIX	"optsample: "	/* of the names of statuses */
/* Names of topics begin with a slash */
#define ROBOT	DIAGNOSE_PREFIX "robot "

static const char heard_key[] = "seconds since it was heard";
static const char since_key[] = "seconds without an outage";
static const char silence_key[] = "seconds of the outage before";
static const char run_key[] = "run";

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

	assert(m->statuses < MESSAGE_STATUSES);
	snprintf(p->name, NAME, DIAGNOSE_PREFIX "%s", name);
	snprintf(p->sender, sizeof(p->sender), "%s", sender);
	diagnose_describe(&m->status[m->statuses++], p, delay, t);
	if (m->statuses == MESSAGE_STATUSES)
		diagnose_end(d);
}

void diagnose_robot(struct diagnose *d, const char *label, uint64_t run,
		    const struct contact *c, int64_t now)
{
	struct message_diagnostics *m = &d->msg.diagnostics;
	struct page *p = &pages[m->statuses];
	struct message_status *s = &m->status[m->statuses++];
	const bool out = now - c->heard > CONTACT_SILENCE;

	assert(m->statuses <= MESSAGE_STATUSES);
	snprintf(p->name, NAME, ROBOT "%s", label);
	snprintf(p->sender, sizeof(p->sender), "%s", label);
	*s = (struct message_status){
		.level = out ? ERROR : OK,
		.name = message_string(p->name),
		.hardware_id = message_string(p->sender),
		.message = message_string(out ? "link down" : "link up"),
	};
	p->values.used = 0;
	status_values_put(&p->values, s, heard_key, "%.3f",
			  (now - c->heard) / 1e9);
	status_values_put(&p->values, s, since_key, "%.3f",
			  (now - c->since) / 1e9);
	status_values_put(&p->values, s, silence_key, "%.3f",
			  c->silence / 1e9);
	status_values_put(&p->values, s, run_key, "%016llx",
			  (unsigned long long)run);
	if (m->statuses == MESSAGE_STATUSES)
		diagnose_end(d);
}

/*
 * Reading
 */

/* The text of a value; "": there is none, or it is too long */
static void diagnose_value(const struct message_status *s, const char *key,
			   char text[32])
{
	*text = '\0';
	for (uint32_t i = 0; i < s->values; i++)
		if (message_string_is(&s->value[i].key, key) &&
		    s->value[i].value.len < 32)
			snprintf(text, 32, "%.*s", (int)s->value[i].value.len,
				 s->value[i].value.text);
}

/* Return: ns; -1: none, or out of range */
static int64_t diagnose_seconds(const struct message_status *s, const char *key)
{
	char text[32], *end;
	double d;

	diagnose_value(s, key, text);
	d = strtod(text, &end);
	return *text && !*end && d >= 0 && d < 1e9 ? llround(d * 1e9) : -1;
}

static void diagnose_read_robot(const struct diagnose_reader *r,
				const struct message_status *s,
				const char *label, int64_t now)
{
	const int64_t heard = diagnose_seconds(s, heard_key);
	const int64_t since = diagnose_seconds(s, since_key);
	const int64_t silence = diagnose_seconds(s, silence_key);
	const struct contact c = { now - heard, now - since, silence };
	char run[32];

	diagnose_value(s, run_key, run);
	if (heard >= 0 && since >= heard && silence >= 0 && *label)
		r->robot(r->arg, label, strtoull(run, NULL, 16), &c, now);
}

bool diagnose_read(const struct diagnose_reader *r,
		   const struct message_diagnostics *m, int64_t now)
{
	const size_t n = strlen(DIAGNOSE_PREFIX);
	bool any = false;

	for (uint32_t i = 0; i < m->statuses; i++) {
		const struct message_status *s = &m->status[i];
		char name[NAME], label[CONTROL_WORD + 8];

		if (s->name.len <= n || s->name.len >= NAME ||
		    memcmp(s->name.text, DIAGNOSE_PREFIX, n) ||
		    s->hardware_id.len >= sizeof(label))
			continue;
		snprintf(name, NAME, "%.*s", (int)s->name.len, s->name.text);
		snprintf(label, sizeof(label), "%.*s", (int)s->hardware_id.len,
			 s->hardware_id.text);
		/* others: of the node optsample_ros, about a device */
		if (strncmp(name, ROBOT, strlen(ROBOT)) && name[n] != '/')
			continue;
		any = true;
		if (r && name[n] == '/')
			r->topic(r->arg, name + n, label);
		else if (r)
			diagnose_read_robot(r, s, label, now);
	}
	return any;
}
