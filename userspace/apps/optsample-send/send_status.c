// SPDX-License-Identifier: GPL-2.0-only
/*
 * send_status - status of the sender, with causes, as JSON and metrics
 */
#include <string.h>
#include "base/metrics.h"
#include "apps/optsample-send/send_status.h"
#include "transport/sender_status.h"

static cJSON *link_status(const struct sender *s)
{
	const struct estimate *e = sender_link(s);
	const struct link_stats *d = sender_device(s);
	const struct load *l = sender_load(s);
	const struct uplink_counts *c = sender_counts(s);
	const struct command_counts *k = sender_commands(s);
	cJSON *o = cJSON_CreateObject();

	cJSON_AddStringToObject(o, "state", sender_status_state(e->state));
	cJSON_AddNumberToObject(o, "outages", e->epoch);
	cJSON_AddNumberToObject(o, "rate", e->rate * 8);
	cJSON_AddNumberToObject(o, "capacity", e->capacity * 8);
	cJSON_AddNumberToObject(o, "loss", e->loss);
	cJSON_AddNumberToObject(o, "loss_high", e->loss_high);
	cJSON_AddNumberToObject(o, "round_trip", e->round_trip);
	cJSON_AddNumberToObject(o, "queue", e->queue);
	cJSON_AddNumberToObject(o, "pace", sender_pace(s)->rate * 8);
	cJSON_AddNumberToObject(o, "burst", sender_pace(s)->burst);
	cJSON_AddBoolToObject(o, "spread", sender_pace(s)->spread);
	cJSON_AddNumberToObject(o, "limit", sender_options(s)->rate * 8);
	cJSON_AddNumberToObject(o, "cpu", l->used);
	cJSON_AddNumberToObject(o, "cpu_limit", l->limit);
	cJSON_AddBoolToObject(o, "cpu_limits", sender_is_slow(s));
	cJSON_AddNumberToObject(o, "datagrams", c->datagrams);
	cJSON_AddNumberToObject(o, "bytes", c->bytes);
	cJSON_AddNumberToObject(o, "refused", c->refused);
	cJSON_AddNumberToObject(o, "unreachable", c->unreachable);
	cJSON_AddStringToObject(o, "error", sender_error(s) ?
				strerror(sender_error(s)) : "");
	cJSON_AddNumberToObject(o, "unsealed", c->unsealed);
	cJSON_AddNumberToObject(o, "replayed", c->replayed);
	cJSON_AddNumberToObject(o, "commands", k->commands);
	cJSON_AddNumberToObject(o, "commands_changed", k->changes);
	cJSON_AddNumberToObject(o, "commands_refused", k->refused);
	if (d->known) {
		cJSON_AddNumberToObject(o, "backlog", d->backlog);
		cJSON_AddBoolToObject(o, "carrier", d->carrier);
		cJSON_AddBoolToObject(o, "sampling", d->sampling);
	}
	if (d->counted) {
		cJSON_AddNumberToObject(o, "held", d->held);
		cJSON_AddNumberToObject(o, "oldest", d->oldest);
		cJSON_AddNumberToObject(o, "sent", d->sent);
		cJSON_AddNumberToObject(o, "discarded", d->discarded);
		cJSON_AddNumberToObject(o, "evicted", d->evicted);
	}
	return o;
}

static cJSON *send_status_topic_status(const struct send_topic *t)
{
	const struct control_topic *a = send_topic_announcement(t);
	const struct send_options *w = send_topic_options(t);
	const struct send_counts *c = send_topic_counts(t);
	const struct plan *p = send_topic_plan(t);
	cJSON *o = cJSON_CreateObject();

	cJSON_AddStringToObject(o, "topic", a->name);
	cJSON_AddStringToObject(o, "type", message_type(a->kind, MESSAGE_CDR));
	cJSON_AddStringToObject(o, "codec", codec_name(send_topic_codec(t)));
	cJSON_AddNumberToObject(o, "priority", w->priority);
	cJSON_AddBoolToObject(o, "focus", w->focus);
	cJSON_AddBoolToObject(o, "on", p->on);
	cJSON_AddNumberToObject(o, "hz_in", send_topic_hz(t));
	cJSON_AddNumberToObject(o, "hz", p->hz);
	cJSON_AddNumberToObject(o, "share", send_topic_rate(t) * 8);
	cJSON_AddNumberToObject(o, "frame_bytes", p->bytes);
	cJSON_AddNumberToObject(o, "messages", c->messages);
	cJSON_AddNumberToObject(o, "frames", c->frames);
	cJSON_AddNumberToObject(o, "thinned", c->thinned);
	cJSON_AddNumberToObject(o, "broken", c->broken);
	cJSON_AddNumberToObject(o, "behind", c->behind);
	cJSON_AddNumberToObject(o, "left_out", c->left_out);
	cJSON_AddNumberToObject(o, "forgotten", c->forgotten);
	cJSON_AddNumberToObject(o, "datagrams", c->datagrams);
	cJSON_AddNumberToObject(o, "bytes", c->bytes);
	return o;
}

void send_status(const struct sender *s, cJSON *answer)
{
	struct send_topic *t;
	cJSON *topics;

	cJSON_AddStringToObject(answer, "name", sender_options(s)->name);
	cJSON_AddItemToObject(answer, "link", link_status(s));
	topics = cJSON_AddArrayToObject(answer, "topics");
	for (unsigned int i = 0; (t = sender_topic(s, i)); i++)
		cJSON_AddItemToArray(topics, send_status_topic_status(t));
}

static double send_status_value_of(const struct send_topic *t,
				   unsigned int which)
{
	const struct send_counts *c = send_topic_counts(t);
	const struct plan *p = send_topic_plan(t);
	const double v[] = {
		c->messages, c->frames, c->thinned, c->broken, c->behind,
		c->left_out, c->forgotten, c->datagrams, c->bytes, c->coding / 1e9,
		send_topic_rate(t), p->on ? p->hz : 0,
	};

	return v[which];
}

/* In the order of send_status_value_of() */
static const struct {
	const char *name, *type, *help;
} families[] = {
	{ "messages_total", "counter", "Messages received from the source." },
	{ "frames_total", "counter", "Frames sent." },
	{ "thinned_total", "counter", "Messages dropped to keep the rate." },
	{ "broken_total", "counter", "Messages that could not be encoded." },
	{ "behind_total", "counter",
	  "Messages dropped because the encoder was busy." },
	{ "left_out_total", "counter",
	  "Transforms dropped because the tree has too many frames." },
	{ "forgotten_total", "counter",
	  "tf frames removed after a minute without a transform." },
	{ "datagrams_total", "counter", "Datagrams sent." },
	{ "bytes_total", "counter", "Payload sent, in bytes." },
	{ "coding_seconds_total", "counter",
	  "CPU time of coding, in seconds." },
	{ "share_bytes_per_second", "gauge",
	  "Rate allocated to the topic, in bytes per second." },
	{ "frames_per_second", "gauge", "Planned frame rate, in Hz." },
};

static void link_metric(FILE *out, const char *name, const char *type,
			const char *help, double value)
{
	char full[64];

	snprintf(full, sizeof(full), "optsample_send_%s", name);
	metrics_family(out, full, type, help);
	fprintf(out, "%s %.15g\n", full, value);
}

void send_metrics(const struct sender *s, FILE *out)
{
	const struct estimate *e = sender_link(s);
	const struct uplink_counts *c = sender_counts(s);

	for (unsigned int f = 0; f < sizeof(families) / sizeof(*families); f++) {
		struct send_topic *t;
		char full[64];

		snprintf(full, sizeof(full), "optsample_send_%s",
			 families[f].name);
		metrics_family(out, full, families[f].type, families[f].help);
		for (unsigned int i = 0; (t = sender_topic(s, i)); i++) {
			fprintf(out, "%s{topic=\"", full);
			metrics_label(out, send_topic_announcement(t)->name);
			fprintf(out, "\"} %.15g\n", send_status_value_of(t, f));
		}
	}
	link_metric(out, "sent_datagrams_total", "counter",
		    "Datagrams sent, including announcements.", c->datagrams);
	link_metric(out, "sent_bytes_total", "counter",
		    "Bytes sent, including announcements.",
		    c->bytes);
	link_metric(out, "refused_total", "counter",
		    "Datagrams rejected by the kernel.", c->refused);
	link_metric(out, "unreachable_total", "counter",
		    "Error reports that the receiver is unreachable.",
		    c->unreachable);
	link_metric(out, "budget_bytes_per_second", "gauge",
		    "Rate available to all topics, in bytes per second.",
		    e->rate);
	link_metric(out, "capacity_bytes_per_second", "gauge",
		    "Estimated link capacity, in bytes per second; 0: unknown.",
		    e->capacity);
	link_metric(out, "loss_ratio", "gauge",
		    "Datagram loss rate, 0..1.", e->loss);
	link_metric(out, "queue_seconds", "gauge",
		    "Queueing delay, in seconds.", e->queue);
	link_metric(out, "round_trip_seconds", "gauge",
		    "Round-trip time, in seconds.",
		    e->round_trip);
	link_metric(out, "coding_ratio", "gauge",
		    "CPU time of coding in the last second, as a ratio of one "
		    "core.",
		    sender_load(s)->used);
	link_metric(out, "coding_limits", "gauge",
		    "1 if CPU time, not the link, limits the quality of "
		    "images.",
		    sender_is_slow(s));
	link_metric(out, "outages_total", "counter", "Outages of the link.",
		    e->epoch);
	link_metric(out, "live", "gauge", "1 if the receiver reports.",
		    e->state == ESTIMATE_LIVE || e->state == ESTIMATE_DRAIN);
}
