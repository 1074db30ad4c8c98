// SPDX-License-Identifier: GPL-2.0-only
/*
 * optsample show [DEV] [-j] - counters of flows: kept, dropped, and delays
 */
#include <argp.h>
#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <optsample/sampler.h>
#include <optsample/stall.h>
#include "apps/optsample/commands.h"
#include "apps/optsample/stats.h"
#include "base/cli.h"
#include "topics/topics.h"

struct show {
	const char	*dev;
	bool		json;
	cJSON		*root;
};

static const struct argp_option show_options[] = {
	{ "json", 'j', NULL, 0, "print JSON", 1 },
	{ 0 }
};

static error_t show_parse(int key, char *arg, struct argp_state *state)
{
	struct show *show = state->input;

	switch (key) {
	case 'j':
		show->json = true;
		return 0;
	case ARGP_KEY_ARG:
		if (show->dev)
			return cli_usage("show", "one DEV only");
		show->dev = arg;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/*
 * Text output
 */

static void show_flow(const struct flow_stats *f)
{
	const struct tc_optsample_cl_stats *st = &f->st;
	char name[TOPIC_NAME], type[TOPIC_NAME], to[64], from[64];

	stats_flow_name(f, name, sizeof(name));
	stats_flow_to(f, to, sizeof(to));
	topic_ros_type(f->type, type);
	stats_flow_from(f, from, sizeof(from));
	printf("  %s", name);
	if (*type)
		printf(" (%s)", type);
	if (*to)
		printf(" to %s", to);
	if (*f->topic)
		printf("\n    writer %s", from);
	printf("\n    messages in %llu kept %llu (out %llu waiting %u) sampled %llu evicted %llu",
	       st->c.msgs_in, (unsigned long long)stats_kept(&st->c),
	       st->c.msgs_out, st->backlog_msgs, st->c.msgs_sampled,
	       st->c.msgs_evicted);
	if (st->msgs_aged)
		printf(" aged %llu", st->msgs_aged);
	printf("\n    distance %u longest gap %llu oldest %.3f s, %u packets %u bytes",
	       st->distance, st->longest_gap, st->oldest_ns / 1e9,
	       st->backlog_pkts, st->backlog_bytes);
	if (st->profile)
		printf(", profile %u", st->profile);
	if (st->c.ctl_in || st->c.repair_in)
		printf("\n    control %llu repairs %llu packets",
		       st->c.ctl_in, st->c.repair_in);
	putchar('\n');
}

static void show_text(const struct dev_stats *s)
{
	const struct tc_optsample_qd_stats *qd = &s->queue.qd;
	const char *stall = optsample_stalled(qd->stalled);
	char own[OWN_LIST];

	printf("%s: qdisc on %s, policy %s, limit %u", s->dev, s->queue.queue,
	       optsample_policy_name(s->queue.policy), s->queue.limit);
	if (s->queue.inflight)
		printf(", inflight %up", s->queue.inflight);
	if (s->queue.inflight_auto)
		printf(", inflight auto");
	printf(", gate %s\n", s->queue.gate_open ? "open" : "closed");
	if (*s->lower) {
		own_text(&s->own, own);
		printf("  ipvlan on %s, address %s\n", s->lower, own);
	}
	if (s->warnings)
		printf("  warning: %s\n", s->warnings);
	printf("  stalled: %s; so far", stall ? stall : "no");
	for (uint32_t i = 0; i < __TC_OPTSAMPLE_STALL_MAX; i++)
		if (qd->stall_ns[i])
			printf(" %s %.3f s", optsample_stall_name(i),
			       qd->stall_ns[i] / 1e9);
	if (qd->recall_state != TC_OPTSAMPLE_RECALL_IDLE)
		printf("\n  recall %s: %u messages on the air, %llu came back",
		       optsample_recall_name(qd->recall_state),
		       qd->recall_msgs, qd->c.msgs_recalled);
	printf("\n  %u flows, %u messages wait, memory %llu of at most %llu\n",
	       qd->flows, qd->backlog_msgs, qd->memory, qd->memory_max);
	printf("  ordinary traffic: sent %llu dropped %llu dropped by age %llu waiting %u packets\n",
	       qd->ordinary_sent, qd->ordinary_dropped, qd->ordinary_aged,
	       qd->ordinary_qlen);
	for (size_t i = 0; i < s->nflows; i++)
		show_flow(&s->flow[i]);
}

/*
 * JSON output
 */

static void show_counters(cJSON *o, const struct tc_optsample_counters *c)
{
	const struct {
		const char	*name;
		uint64_t	value;
	} v[] = {
		{ "messages_in", c->msgs_in },
		{ "messages_out", c->msgs_out },
		{ "kept", stats_kept(c) },
		{ "sampled", c->msgs_sampled },
		{ "evicted", c->msgs_evicted },
		{ "packets_in", c->pkts_in },
		{ "packets_out", c->pkts_out },
		{ "packets_dropped", c->pkts_dropped },
		{ "bytes_out", c->bytes_out },
		{ "control_in", c->ctl_in },
		{ "control_dropped", c->ctl_dropped },
		{ "repair_in", c->repair_in },
		{ "late", c->late },
		{ "incomplete", c->incomplete },
		{ "torn", c->torn },
		{ "oversize", c->oversize },
		{ "reordered", c->reordered },
		{ "recalled", c->msgs_recalled },
		{ "restarts", c->restarts },
	};

	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++)
		cJSON_AddNumberToObject(o, v[i].name, v[i].value);
}

static cJSON *show_flow_json(const struct flow_stats *f)
{
	char from[64], to[64], id[16];
	cJSON *o = cJSON_CreateObject();

	snprintf(id, sizeof(id), "%08x", f->st.flow);
	cJSON_AddStringToObject(o, "flow", id);
	snprintf(id, sizeof(id), "%x:%x", f->classid >> 16,
		 f->classid & 0xffff);
	cJSON_AddStringToObject(o, "class", id);
	if (*f->topic) {
		cJSON_AddStringToObject(o, "topic", f->topic);
		cJSON_AddStringToObject(o, "type", f->type);
	}
	if (f->named) {
		stats_flow_from(f, from, sizeof(from));
		cJSON_AddStringToObject(o, "guid", from);
		stats_flow_to(f, to, sizeof(to));
		cJSON_AddStringToObject(o, "destination", to);
	}
	show_counters(o, &f->st.c);
	cJSON_AddNumberToObject(o, "backlog_messages", f->st.backlog_msgs);
	cJSON_AddNumberToObject(o, "backlog_packets", f->st.backlog_pkts);
	cJSON_AddNumberToObject(o, "backlog_bytes", f->st.backlog_bytes);
	cJSON_AddNumberToObject(o, "distance", f->st.distance);
	cJSON_AddNumberToObject(o, "longest_gap", f->st.longest_gap);
	cJSON_AddNumberToObject(o, "last_position", f->st.last_position);
	cJSON_AddNumberToObject(o, "profile", f->st.profile);
	cJSON_AddNumberToObject(o, "oldest_s", f->st.oldest_ns / 1e9);
	cJSON_AddNumberToObject(o, "memory", f->st.memory);
	cJSON_AddNumberToObject(o, "aged", f->st.msgs_aged);
	return o;
}

static cJSON *show_qdisc_json(const struct dev_stats *s)
{
	const struct tc_optsample_qd_stats *qd = &s->queue.qd;
	const char *stall = optsample_stalled(qd->stalled);
	cJSON *o = cJSON_CreateObject(), *times;

	cJSON_AddStringToObject(o, "policy",
				optsample_policy_name(s->queue.policy));
	cJSON_AddNumberToObject(o, "limit", s->queue.limit);
	cJSON_AddStringToObject(o, "gate", s->queue.gate_open ? "open" : "closed");
	if (stall)
		cJSON_AddStringToObject(o, "stalled", stall);
	else
		cJSON_AddNullToObject(o, "stalled");
	times = cJSON_AddObjectToObject(o, "stall_s");
	for (uint32_t i = 0; i < __TC_OPTSAMPLE_STALL_MAX; i++)
		cJSON_AddNumberToObject(times, optsample_stall_name(i),
					qd->stall_ns[i] / 1e9);
	show_counters(o, &qd->c);
	cJSON_AddNumberToObject(o, "backlog_messages", qd->backlog_msgs);
	cJSON_AddNumberToObject(o, "oldest_s", qd->oldest_ns / 1e9);
	cJSON_AddNumberToObject(o, "longest_gap", qd->longest_gap);
	cJSON_AddNumberToObject(o, "memory", qd->memory);
	cJSON_AddNumberToObject(o, "memory_max", qd->memory_max);
	cJSON_AddNumberToObject(o, "flows", qd->flows);
	cJSON_AddNumberToObject(o, "inflight_packets", qd->inflight_packets);
	cJSON_AddNumberToObject(o, "inflight_bytes", qd->inflight_bytes);
	cJSON_AddBoolToObject(o, "inflight_auto", s->queue.inflight_auto);
	cJSON_AddNumberToObject(o, "inflight_limit_packets", s->queue.inflight);
	cJSON_AddNumberToObject(o, "inflight_limit_bytes",
				qd->inflight_limit_bytes);
	cJSON_AddStringToObject(o, "recall_state",
				optsample_recall_name(qd->recall_state));
	cJSON_AddNumberToObject(o, "recall_messages", qd->recall_msgs);
	cJSON_AddNumberToObject(o, "recall_forgotten", qd->recall_forgotten);
	cJSON_AddNumberToObject(o, "ordinary_sent", qd->ordinary_sent);
	cJSON_AddNumberToObject(o, "ordinary_dropped", qd->ordinary_dropped);
	cJSON_AddNumberToObject(o, "ordinary_aged", qd->ordinary_aged);
	cJSON_AddNumberToObject(o, "ordinary_backlog", qd->ordinary_qlen);
	cJSON_AddNumberToObject(o, "aged", qd->msgs_aged);
	return o;
}

static void show_own_json(cJSON *o, const struct dev_stats *s)
{
	cJSON *list;
	char text[OWN_TEXT];

	cJSON_AddStringToObject(o, "lower", s->lower);
	list = cJSON_AddArrayToObject(o, "addresses");
	for (int i = 0; i < s->own.n; i++) {
		own_addr_text(&s->own.v[i], text);
		cJSON_AddItemToArray(list, cJSON_CreateString(text));
	}
}

static void show_json(struct show *show, const struct dev_stats *s)
{
	cJSON *o = cJSON_CreateObject(), *flows;

	cJSON_AddItemToArray(show->root, o);
	cJSON_AddStringToObject(o, "dev", s->dev);
	cJSON_AddStringToObject(o, "queue", s->queue.queue);
	if (*s->lower)
		show_own_json(o, s);
	if (s->warnings)
		cJSON_AddStringToObject(o, "warning", s->warnings);
	cJSON_AddNumberToObject(o, "writers_left_out", s->left_out);
	cJSON_AddItemToObject(o, "qdisc", show_qdisc_json(s));
	flows = cJSON_AddArrayToObject(o, "flows");
	for (size_t i = 0; i < s->nflows; i++)
		cJSON_AddItemToArray(flows, show_flow_json(&s->flow[i]));
}

static int show_one(const char *dev, void *arg)
{
	struct show *show = arg;
	struct dev_stats s;
	int err = stats_read(dev, &s);

	if (!err && show->json)
		show_json(show, &s);
	else if (!err)
		show_text(&s);
	stats_free(&s);
	return err;
}

int cmd_show(int argc, char **argv)
{
	static const struct argp argp = {
		show_options, show_parse, "[DEV]",
		"Print statistics of the queue and of each flow.",
		NULL, NULL, NULL
	};
	struct show show = { 0 };
	char *text;
	int err;

	if (cli_parse(&argp, argc, argv, &show))
		return -EINVAL;
	show.root = cJSON_CreateArray();
	err = stats_each(show.dev, show_one, &show);
	if (!err && show.json) {
		text = cJSON_Print(show.root);
		puts(text ? text : "[]");
		free(text);
	}
	cJSON_Delete(show.root);
	return err;
}
