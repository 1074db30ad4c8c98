// SPDX-License-Identifier: GPL-2.0-only
/*
 * recv_status - status of the receiver, as a table, JSON and metrics
 */
#include "base/metrics.h"
#include "apps/optsample-recv/recv_status.h"

/* The next topic of an active stream. Return: false: no more */
static bool next_topic(const struct receiver *r, unsigned int *stream,
		       unsigned int *topic, const struct stream **s,
		       const struct recv_topic **t)
{
	bool old;

	while ((*s = receiver_stream(r, *stream, &old))) {
		*t = old ? NULL : stream_topic(*s, (*topic)++);
		if (*t)
			return true;
		*topic = 0;
		(*stream)++;
	}
	return false;
}

/* Frames of which no datagram was usable */
static uint64_t missing(const struct recv_topic *t)
{
	const struct recv_counts *c = recv_topic_counts(t);

	return recv_topic_datagrams(t).missing + c->failed + c->behind;
}

static cJSON *recv_status_topic_status(const struct receiver *r,
				       const struct stream *s,
				       const struct recv_topic *t)
{
	const struct control_topic *a = recv_topic_announcement(t);
	const struct recv_stats *x = recv_topic_stats(t);
	const struct recv_counts *c = recv_topic_counts(t);
	struct reassembly_counts d = recv_topic_datagrams(t);
	cJSON *o = cJSON_CreateObject();
	char name[512];

	receiver_name(r, s, a->name, "", name);
	cJSON_AddStringToObject(o, "topic", name);
	cJSON_AddStringToObject(o, "type", message_type(a->kind, MESSAGE_CDR));
	cJSON_AddNumberToObject(o, "rate", x->rate);
	cJSON_AddNumberToObject(o, "loss", x->loss);
	cJSON_AddNumberToObject(o, "delay", x->delay + stream_delay(s));
	cJSON_AddNumberToObject(o, "datagrams_per_frame", x->datagrams);
	cJSON_AddNumberToObject(o, "quality", x->share);
	cJSON_AddNumberToObject(o, "bits_per_second", x->bits);
	cJSON_AddNumberToObject(o, "silent", x->silent);
	cJSON_AddNumberToObject(o, "frames", c->decoded);
	cJSON_AddNumberToObject(o, "frames_repeated", c->repeated);
	cJSON_AddNumberToObject(o, "frames_kept", c->kept);
	cJSON_AddNumberToObject(o, "frames_whole", c->exact);
	cJSON_AddNumberToObject(o, "frames_missing", missing(t));
	cJSON_AddNumberToObject(o, "frames_behind", c->behind);
	cJSON_AddNumberToObject(o, "datagrams", d.datagrams);
	cJSON_AddNumberToObject(o, "duplicates", d.duplicates);
	cJSON_AddNumberToObject(o, "late", d.late);
	cJSON_AddNumberToObject(o, "bad", d.bad);
	return o;
}

void recv_status(const struct receiver *r, cJSON *answer)
{
	cJSON *senders = cJSON_AddArrayToObject(answer, "senders");
	const struct stream *s;
	bool old;

	for (unsigned int i = 0; (s = receiver_stream(r, i, &old)); i++) {
		cJSON *o = cJSON_CreateObject(), *topics;
		const struct recv_topic *t;
		char from[ADDRESS_TEXT], label[CONTROL_WORD + 8];

		cJSON_AddItemToArray(senders, o);
		receiver_label(r, s, label);
		cJSON_AddStringToObject(o, "name", label);
		cJSON_AddStringToObject(o, "address",
					address_text(stream_address(s), from));
		cJSON_AddBoolToObject(o, "over", old);
		cJSON_AddNumberToObject(o, "silent",
				(loop_now() - stream_heard(s)) / 1e9);
		cJSON_AddNumberToObject(o, "bytes", stream_counts(s)->bytes);
		cJSON_AddNumberToObject(o, "copies",
					stream_counts(s)->copies);
		cJSON_AddNumberToObject(o, "unannounced",
					stream_counts(s)->unannounced);
		cJSON_AddNumberToObject(o, "memory",
					stream_spent(s)->reserved);
		cJSON_AddNumberToObject(o, "refused_memory",
					stream_spent(s)->refused);
		cJSON_AddNumberToObject(o, "skipped_time",
					stream_spent(s)->skipped);
		topics = cJSON_AddArrayToObject(o, "topics");
		for (unsigned int k = 0; (t = stream_topic(s, k)); k++)
			cJSON_AddItemToArray(topics,
					     recv_status_topic_status(r, s, t));
	}
	cJSON_AddNumberToObject(answer, "published",
				receiver_counts(r)->published);
	cJSON_AddNumberToObject(answer, "refused", receiver_refused(r));
	cJSON_AddNumberToObject(answer, "outdated",
				receiver_counts(r)->outdated);
	cJSON_AddNumberToObject(answer, "strange", receiver_strange(r));
	cJSON_AddNumberToObject(answer, "unsealed", receiver_unsealed(r));
	cJSON_AddNumberToObject(answer, "replayed",
				receiver_counts(r)->replayed);
	cJSON_AddNumberToObject(answer, "crowded", receiver_counts(r)->crowded);
}

static double recv_status_value_of(const struct stream *s,
				   const struct recv_topic *t,
				   unsigned int which)
{
	const struct recv_counts *c = recv_topic_counts(t);
	const struct recv_stats *x = recv_topic_stats(t);
	struct reassembly_counts d = recv_topic_datagrams(t);
	const double v[] = {
		c->decoded, c->repeated, c->kept, missing(t), c->behind, d.datagrams,
		d.expected, d.bytes, d.duplicates, d.late, d.bad,
		x->loss, x->delay + stream_delay(s), x->share,
	};

	return v[which];
}

/* In the order of recv_status_value_of() */
static const struct {
	const char *name, *type, *help;
} families[] = {
	{ "frames_total", "counter", "Frames decoded and published." },
	{ "frames_repeated_total", "counter",
	  "Frames that repeat an already published state." },
	{ "frames_kept_total", "counter",
	  "Published frames that were kept during an outage." },
	{ "frames_missing_total", "counter",
	  "Frames not published: lost, or dropped by the decoder." },
	{ "frames_behind_total", "counter",
	  "Frames dropped because the decoder was busy; part of "
	  "frames_missing." },
	{ "datagrams_total", "counter", "Datagrams received." },
	{ "datagrams_sent_total", "counter",
	  "Datagrams sent by the sender, from their sequence numbers." },
	{ "bytes_total", "counter", "Payload received, in bytes." },
	{ "duplicates_total", "counter", "Duplicate datagrams." },
	{ "late_total", "counter",
	  "Datagrams received too late for their frame." },
	{ "bad_total", "counter", "Malformed datagrams." },
	{ "loss_ratio", "gauge", "Datagram loss rate, 0..1." },
	{ "delay_seconds", "gauge",
	  "Delay from sending to publishing, in seconds." },
	{ "quality_ratio", "gauge",
	  "Share of the sent data that is shown, 0..1." },
};

void recv_metrics(const struct receiver *r, FILE *out)
{
	const struct receiver_counts *c = receiver_counts(r);

	for (unsigned int f = 0; f < sizeof(families) / sizeof(*families); f++) {
		unsigned int i = 0, k = 0;
		const struct recv_topic *t;
		const struct stream *s;
		char full[64], name[512], label[CONTROL_WORD + 8];

		snprintf(full, sizeof(full), "optsample_recv_%s",
			 families[f].name);
		metrics_family(out, full, families[f].type, families[f].help);
		while (next_topic(r, &i, &k, &s, &t)) {
			receiver_name(r, s, recv_topic_announcement(t)->name,
				      "", name);
			fprintf(out, "%s{sender=\"", full);
			receiver_label(r, s, label);
			metrics_label(out, label);
			fputs("\",topic=\"", out);
			metrics_label(out, name);
			fprintf(out, "\"} %.15g\n",
				recv_status_value_of(s, t, f));
		}
	}
	metrics_family(out, "optsample_recv_published_total", "counter",
		       "Messages published.");
	fprintf(out, "optsample_recv_published_total %llu\n",
		(unsigned long long)c->published);
	metrics_family(out, "optsample_recv_refused_total", "counter",
		       "Messages dropped or not written by a sink.");
	fprintf(out, "optsample_recv_refused_total %llu\n",
		(unsigned long long)receiver_refused(r));
	metrics_family(out, "optsample_recv_strange_total", "counter",
		       "Datagrams that are not from optsample-send.");
	fprintf(out, "optsample_recv_strange_total %llu\n",
		(unsigned long long)receiver_strange(r));
}

void recv_table(const struct receiver *r, FILE *out)
{
	unsigned int i = 0, k = 0;
	const struct recv_topic *t;
	const struct stream *s;
	char name[512];

	fprintf(out, "%-36s %6s %6s %8s %6s %8s %9s\n", "topic", "Hz", "loss",
		"delay", "parts", "quality", "kbit/s");
	while (next_topic(r, &i, &k, &s, &t)) {
		const struct recv_stats *x = recv_topic_stats(t);

		receiver_name(r, s, recv_topic_announcement(t)->name, "", name);
		fprintf(out, "%-36s %6.1f %5.1f%% %6.0fms %6.1f %7.1f%% %9.1f\n",
			name, x->rate, x->loss * 100,
			(x->delay + stream_delay(s)) * 1000, x->datagrams,
			x->share * 100, x->bits / 1000);
	}
	fflush(out);
}
