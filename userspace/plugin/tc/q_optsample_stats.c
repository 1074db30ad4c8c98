// SPDX-License-Identifier: GPL-2.0-only
/*
 * Statistics of the optsample qdisc and of its classes, for tc.
 *
 * In: the payload of TCA_STATS_APP. Out: a few lines for people, or JSON
 * with every counter under its name in linux/pkt_sch_optsample.h.
 *
 * Limits: with an older or newer kernel only the common fields are read; JSON
 * leaves out what the kernel did not send.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <linux/pkt_sch_optsample.h>
#include <optsample/stall.h>
#include "q_optsample.h"

#define NSEC_PER_MSEC	1000000ULL
#define NSEC_PER_SEC	1000000000ULL

/**
 * struct field - a number of a statistics structure, for JSON
 * @name: of the field
 * @offset: in the structure
 * @size: 4 or 8 bytes
 * @sign: signed
 */
struct field {
	const char *name;
	size_t offset;
	size_t size;
	bool sign;
};

#define FIELD(type, field)						\
	{ #field, offsetof(struct type, field),				\
	  sizeof(((struct type *)0)->field), false }
#define COUNTER(field)	FIELD(tc_optsample_counters, field)
#define QDISC(field)	FIELD(tc_optsample_qd_stats, field)
#define CLASS(field)	FIELD(tc_optsample_cl_stats, field)

/* Both structures begin with them. */
static const struct field counter_fields[] = {
	COUNTER(msgs_in), COUNTER(msgs_out), COUNTER(msgs_sampled),
	COUNTER(msgs_evicted), COUNTER(pkts_in), COUNTER(pkts_out),
	COUNTER(pkts_dropped), COUNTER(bytes_out), COUNTER(ctl_in),
	COUNTER(ctl_dropped),
	COUNTER(repair_in), COUNTER(late), COUNTER(incomplete), COUNTER(torn),
	COUNTER(oversize), COUNTER(reordered), COUNTER(restarts),
	COUNTER(ctl_replaced), COUNTER(msgs_recalled), COUNTER(pkts_recalled),
};

static const struct field qdisc_fields[] = {
	QDISC(oldest_ns), QDISC(longest_gap), QDISC(memory),
	QDISC(memory_max), QDISC(ordinary_sent), QDISC(ordinary_dropped),
	QDISC(flows_new), QDISC(flows_reclaimed), QDISC(flows_refused),
	QDISC(flows_displaced), QDISC(flows), QDISC(flows_active),
	QDISC(backlog_msgs), QDISC(ordinary_qlen), QDISC(inflight_packets),
	QDISC(inflight_bytes), QDISC(inflight_recounts),
	QDISC(inflight_limit_bytes), QDISC(destinations), QDISC(watched),
	QDISC(recall_msgs), QDISC(recall_forgotten), QDISC(ordinary_aged),
	QDISC(msgs_aged),
};

static const struct field class_fields[] = {
	CLASS(oldest_ns), CLASS(longest_gap), CLASS(last_position),
	CLASS(memory), CLASS(flow), CLASS(backlog_msgs), CLASS(backlog_pkts),
	CLASS(backlog_bytes), CLASS(distance),
	{ "deficit", offsetof(struct tc_optsample_cl_stats, deficit), 4,
	  true },
	CLASS(profile), CLASS(msgs_aged),
};

_Static_assert(!offsetof(struct tc_optsample_qd_stats, c) &&
	       !offsetof(struct tc_optsample_cl_stats, c),
	       "counters come first");

/* Fields that the kernel did not send are left out, not printed as 0. */
static void json_fields(const void *st, size_t len,
			const struct field *f, size_t count)
{
	for (; count; count--, f++) {
		const char *p = (const char *)st + f->offset;
		uint32_t value32 = 0;
		uint64_t value;

		if (f->offset + f->size > len)
			continue;
		if (f->size == sizeof(value)) {
			memcpy(&value, p, sizeof(value));
		} else {
			memcpy(&value32, p, sizeof(value32));
			value = value32;
		}
		if (f->sign)
			print_color_int(TC_PRINT_JSON, TC_COLOR_ANY, f->name,
					NULL, (int32_t)value32);
		else
			json_number(f->name, value);
	}
}

static void json_stall(const struct tc_optsample_qd_stats *st)
{
	char key[32];
	int i;

	open_json_object("stall");
	for (i = 0; i < __TC_OPTSAMPLE_STALL_MAX; i++) {
		snprintf(key, sizeof(key), "%s_ns", optsample_stall_name(i));
		json_number(key, st->stall_ns[i]);
	}
	close_json_object();
}

static void json_qdisc(const struct tc_optsample_qd_stats *st, size_t len)
{
	json_fields(st, len, counter_fields, ARRAY_SIZE(counter_fields));
	if (len >= offsetof(struct tc_optsample_qd_stats, oldest_ns))
		json_stall(st);
	json_fields(st, len, qdisc_fields, ARRAY_SIZE(qdisc_fields));
	if (len >= offsetof(struct tc_optsample_qd_stats, flows_displaced))
		json_string("stalled", optsample_stalled(st->stalled));
	if (len > offsetof(struct tc_optsample_qd_stats, recall_state))
		json_string("recall_state",
			    optsample_recall_name(st->recall_state));
}

static void json_class(const struct tc_optsample_cl_stats *st, size_t len)
{
	json_fields(st, len, counter_fields, ARRAY_SIZE(counter_fields));
	json_fields(st, len, class_fields, ARRAY_SIZE(class_fields));
}

#define ULL(x)	((unsigned long long)(x))

static void print_ns(FILE *f, const char *label, uint64_t ns)
{
	fprintf(f, " %s ", label);
	if (ns < 10 * NSEC_PER_SEC)
		fprintf(f, "%llums", ULL(ns / NSEC_PER_MSEC));
	else
		fprintf(f, "%.1fs", (double)ns / NSEC_PER_SEC);
}

/* For people: rounded, unlike a limit */
static void print_bytes(FILE *f, const char *label, uint64_t bytes)
{
	if (bytes >= 10 * MIB)
		fprintf(f, " %s %.1fMb", label, (double)bytes / MIB);
	else if (bytes >= 10 * KIB)
		fprintf(f, " %s %.1fKb", label, (double)bytes / KIB);
	else
		fprintf(f, " %s %llub", label, ULL(bytes));
}

/* Rare counters are only printed if they are not 0. */
static void print_some(FILE *f, const char *label, uint64_t count)
{
	if (count)
		fprintf(f, " %s %llu", label, ULL(count));
}

static void print_counters(FILE *f, const struct tc_optsample_counters *c,
			   uint64_t aged, uint32_t backlog_msgs)
{
	fprintf(f, "  messages in %llu out %llu sampled %llu evicted %llu backlog %u",
		ULL(c->msgs_in), ULL(c->msgs_out), ULL(c->msgs_sampled),
		ULL(c->msgs_evicted), backlog_msgs);
	print_some(f, "aged", aged);
	print_nl();
	fprintf(f, "  packets in %llu out %llu dropped %llu late %llu repair %llu control %llu control_dropped %llu",
		ULL(c->pkts_in), ULL(c->pkts_out), ULL(c->pkts_dropped),
		ULL(c->late), ULL(c->repair_in), ULL(c->ctl_in),
		ULL(c->ctl_dropped));
	print_some(f, "control_replaced", c->ctl_replaced);
	print_nl();
	fprintf(f, "  irregular incomplete %llu torn %llu oversize %llu reordered %llu restarts %llu",
		ULL(c->incomplete), ULL(c->torn), ULL(c->oversize),
		ULL(c->reordered), ULL(c->restarts));
	print_nl();
}

static void print_stall(FILE *f, const struct tc_optsample_qd_stats *st)
{
	const char *now = optsample_stalled(st->stalled);
	int i;

	fprintf(f, "  stalled %s for", now ? now : "no");
	for (i = 0; i < __TC_OPTSAMPLE_STALL_MAX; i++)
		print_ns(f, optsample_stall_name(i), st->stall_ns[i]);
}

/* Nothing without it */
static void print_recall(FILE *f, const struct tc_optsample_qd_stats *st)
{
	if (st->recall_state == TC_OPTSAMPLE_RECALL_IDLE &&
	    !st->c.msgs_recalled)
		return;
	fprintf(f, "  recall %s on_air %u recalled %llu forgotten %u",
		optsample_recall_name(st->recall_state), st->recall_msgs,
		ULL(st->c.msgs_recalled), st->recall_forgotten);
	print_nl();
}

static void print_qdisc(FILE *f, const struct tc_optsample_qd_stats *st)
{
	print_counters(f, &st->c, st->msgs_aged, st->backlog_msgs);
	fprintf(f, "  flows %u active %u new %llu reclaimed %llu refused %llu",
		st->flows, st->flows_active, ULL(st->flows_new),
		ULL(st->flows_reclaimed), ULL(st->flows_refused));
	print_some(f, "displaced", st->flows_displaced);
	print_nl();
	fprintf(f, "  ordinary sent %llu dropped %llu aged %llu backlog %up",
		ULL(st->ordinary_sent), ULL(st->ordinary_dropped),
		ULL(st->ordinary_aged), st->ordinary_qlen);
	print_nl();
	fputc(' ', f);
	print_bytes(f, "memory", st->memory);
	print_bytes(f, "max", st->memory_max);
	fprintf(f, " inflight %up", st->inflight_packets);
	print_bytes(f, "inflight", st->inflight_bytes);
	if (st->inflight_limit_bytes)
		print_bytes(f, "limit", st->inflight_limit_bytes);
	print_some(f, "destinations", st->destinations);
	print_some(f, "recounts", st->inflight_recounts);
	print_ns(f, "oldest", st->oldest_ns);
	fprintf(f, " longest_gap %llu", ULL(st->longest_gap));
	print_nl();
	print_recall(f, st);
	print_stall(f, st);
	print_some(f, "watched ifindex", st->watched);
}

static void print_class(FILE *f, const struct tc_optsample_cl_stats *st)
{
	fprintf(f, "  flow 0x%08x distance %u longest_gap %llu last_position %llu deficit %d profile %u",
		st->flow, st->distance, ULL(st->longest_gap),
		ULL(st->last_position), (int32_t)st->deficit, st->profile);
	print_nl();
	print_counters(f, &st->c, st->msgs_aged, st->backlog_msgs);
	fprintf(f, "  held %up", st->backlog_pkts);
	print_bytes(f, "bytes", st->backlog_bytes);
	print_bytes(f, "memory", st->memory);
	print_ns(f, "oldest", st->oldest_ns);
}

/**
 * optsample_print_xstats - TCA_STATS_APP as text or JSON
 * @qu: unused
 * @f: where tc prints
 * @xstats: struct tc_optsample_xstats of any length, or NULL
 *
 * Return: 0, tc ignores it.
 */
int optsample_print_xstats(struct qdisc_util *qu, FILE *f,
			   struct rtattr *xstats)
{
	const size_t head = offsetof(struct tc_optsample_xstats, qdisc);
	struct tc_optsample_xstats st = {};
	size_t len;

	(void)qu;
	if (!xstats || RTA_PAYLOAD(xstats) < head)
		return 0;
	len = RTA_PAYLOAD(xstats);
	if (len > sizeof(st))
		len = sizeof(st);
	memcpy(&st, RTA_DATA(xstats), len);
	len -= head;
	if (len > st.size)
		len = st.size;
	/* Whatever length the kernel gives, nothing beyond it is read. */
	memset((char *)&st + head + len, 0, sizeof(st) - head - len);
	if (st.type == TC_OPTSAMPLE_XSTATS_CLASS) {
		if (is_json_context())
			json_class(&st.cl, len);
		else
			print_class(f, &st.cl);
	} else if (st.type == TC_OPTSAMPLE_XSTATS_QDISC) {
		if (len < offsetof(struct tc_optsample_qd_stats,
				   flows_displaced))
			st.qdisc.stalled = TC_OPTSAMPLE_NOT_STALLED;
		if (is_json_context())
			json_qdisc(&st.qdisc, len);
		else
			print_qdisc(f, &st.qdisc);
	}
	return 0;
}
