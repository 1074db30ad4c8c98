// SPDX-License-Identifier: GPL-2.0-only
/*
 * foxglove - the Foxglove WebSocket protocol: sessions
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/wire.h"
#include "view/band_json.h"
#include "view/foxglove_parts.h"

#define MS	1000000LL

static const int64_t band_every = 1000 * MS;
static const int64_t status_every = 10000 * MS;
static const int64_t ping_every = 45 * MS; /* with the next tick */
static const int64_t time_every = 100 * MS;

enum { BAND_SECONDS = 60, REPLACED = 10 };

/*
 * From the server
 */

static void foxglove_stamp(cJSON *o, const char *key, int64_t ns)
{
	cJSON *t = cJSON_AddObjectToObject(o, key);

	cJSON_AddNumberToObject(t, "sec", ns / 1000000000);
	cJSON_AddNumberToObject(t, "nsec", ns % 1000000000);
}

static void foxglove_send_info(struct foxglove *f)
{
	const struct view *v = f->peer.view;
	cJSON *o = peer_begin("serverInfo"), *list, *metadata;

	cJSON_AddStringToObject(o, "name", v->name);
	list = cJSON_AddArrayToObject(o, "capabilities");
#define CAN(what)	cJSON_AddItemToArray(list, cJSON_CreateString(what))
	CAN("connectionGraph");
	CAN("parameters");
	CAN("parametersSubscribe");
	if (v->publish)
		CAN("clientPublish");
	if (v->assets)
		CAN("assets");
	if (v->gdim)
		CAN("services");
	if (v->replaying)
		CAN("time");
	if (v->replaying && f->sdk)
		CAN("rangedPlayback");
#undef CAN
	list = cJSON_AddArrayToObject(o, "supportedEncodings");
	cJSON_AddItemToArray(list, cJSON_CreateString("cdr"));
	cJSON_AddItemToArray(list, cJSON_CreateString("ros1"));
	cJSON_AddItemToArray(list, cJSON_CreateString("json"));
	metadata = cJSON_AddObjectToObject(o, "metadata");
	cJSON_AddStringToObject(metadata, "optsample", OPTSAMPLE_VERSION);
	cJSON_AddStringToObject(o, "sessionId", v->session);
	if (v->replaying && f->sdk) {
		foxglove_stamp(o, "dataStartTime", v->replay.begin);
		foxglove_stamp(o, "dataEndTime", v->replay.end);
	}
	peer_json(&f->peer, o);
}

static cJSON *foxglove_channel(const struct board_topic *t, unsigned int id,
			       bool kept)
{
	static char text[MESSAGE_DEFINITION_MAX];
	const bool ros1 = t->format == MESSAGE_ROS1;
	cJSON *o = cJSON_CreateObject();
	char name[BOARD_NAME + 8];

	snprintf(name, sizeof(name), "%s%s", t->name, kept ? "/kept" : "");
	message_definition(t->kind, t->format, text);
	cJSON_AddNumberToObject(o, "id", id);
	cJSON_AddStringToObject(o, "topic", name);
	cJSON_AddStringToObject(o, "encoding", ros1 ? "ros1" : "cdr");
	cJSON_AddStringToObject(o, "schemaName",
				message_type(t->kind, t->format));
	cJSON_AddStringToObject(o, "schema", text);
	cJSON_AddStringToObject(o, "schemaEncoding",
				ros1 ? "ros1msg" : "ros2msg");
	return o;
}

static cJSON *foxglove_band_channel(void)
{
	cJSON *o = cJSON_CreateObject();

	cJSON_AddNumberToObject(o, "id", FOXGLOVE_BAND);
	cJSON_AddStringToObject(o, "topic", "/optsample/band");
	cJSON_AddStringToObject(o, "encoding", "json");
	cJSON_AddStringToObject(o, "schemaName", "optsample.Band");
	cJSON_AddStringToObject(o, "schema",
		"{\"type\":\"object\",\"properties\":{"
		"\"slot\":{\"type\":\"number\"},"
		"\"topics\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
		"\"properties\":{\"name\":{\"type\":\"string\"},"
		"\"source\":{\"type\":\"string\"},"
		"\"state\":{\"type\":\"string\"},"
		"\"age\":{\"type\":\"number\"},\"hz\":{\"type\":\"number\"},"
		"\"live\":{\"type\":\"number\"},"
		"\"kept\":{\"type\":\"number\"},"
		"\"lost_seconds\":{\"type\":\"number\"},"
		"\"band\":{\"type\":\"string\"}}}},"
		"\"outages\":{\"type\":\"array\",\"items\":{"
		"\"type\":\"object\",\"properties\":{"
		"\"source\":{\"type\":\"string\"},"
		"\"begin\":{\"type\":\"number\"},"
		"\"end\":{\"type\":\"number\"}}}}}}");
	cJSON_AddStringToObject(o, "schemaEncoding", "jsonschema");
	return o;
}

/* Topics that are new on the board */
static bool foxglove_advertise(struct foxglove *f, bool first)
{
	struct board *b = f->peer.view->board;
	cJSON *o, *list;

	board_lock(b);
	if (f->advertised == board_topics(b) && !first) {
		board_unlock(b);
		return false;
	}
	o = peer_begin("advertise");
	list = cJSON_AddArrayToObject(o, "channels");
	if (first)
		cJSON_AddItemToArray(list, foxglove_band_channel());
	for (; f->advertised < board_topics(b); f->advertised++) {
		const struct board_topic *t = board_topic(b, f->advertised);
		const unsigned int id = 2 * f->advertised + 1;

		cJSON_AddItemToArray(list, foxglove_channel(t, id, false));
		if (board_has_kept(t->kind))
			cJSON_AddItemToArray(list,
					     foxglove_channel(t, id + 1, true));
	}
	board_unlock(b);
	peer_json(&f->peer, o);
	return true;
}

static void foxglove_send_message(struct foxglove *f,
				  const struct feed_item *item)
{
	const unsigned int id = 2 * item->topic + 1 + item->kept;
	uint8_t head[13] = { 1 };

	put_le32(head + 1, f->sub[id]);
	put_le64(head + 5, item->message->arrival);
	peer_binary(&f->peer, head, sizeof(head), NULL, 0, item->message);
}

static bool foxglove_send_band(struct foxglove *f)
{
	struct board *b = f->peer.view->board;
	const int64_t now = loop_now();
	uint8_t head[13] = { 1 };
	cJSON *o;
	char *text;

	if (!f->subscribed[FOXGLOVE_BAND] || now - f->band_sent < band_every)
		return false;
	f->band_sent = now;
	board_lock(b);
	o = band_json_summary(b, BAND_SECONDS);
	board_unlock(b);
	text = cJSON_PrintUnformatted(o);
	cJSON_Delete(o);
	if (!text)
		return false;
	put_le32(head + 1, f->sub[FOXGLOVE_BAND]);
	put_le64(head + 5, board_now(b));
	peer_owned(&f->peer, head, sizeof(head), text, strlen(text));
	return true;
}

/* Once in a while, and only what is new */
static bool foxglove_send_left_out(struct foxglove *f, int64_t now)
{
	const struct feed_counts *c = &f->peer.feed.counts;
	const uint64_t replaced = c->replaced - f->said.replaced;
	const uint64_t left_out = c->left_out - f->said.left_out;
	char text[160];

	/* a picture now and then is no news */
	if (now - f->status_sent < status_every ||
	    (replaced < REPLACED && !left_out))
		return false;
	f->status_sent = now;
	f->said = *c;
	snprintf(text, sizeof(text), "this connection is slower than the data: "
		 "%llu large messages were replaced by newer ones, %llu others "
		 "left out", (unsigned long long)replaced,
		 (unsigned long long)left_out);
	foxglove_status(f, left_out ? 1 : 0, "slow", text);
	return true;
}

static bool foxglove_send_outages(struct foxglove *f)
{
	struct board *b = f->peer.view->board;
	char id[BOARD_NAME + 16], text[BOARD_NAME + 64];
	bool sent = false;

	board_lock(b);
	for (unsigned int i = 0; i < board_sources(b); i++) {
		const struct board_source *s = board_source(b, i);
		const bool out = board_is_out(s);
		const struct outage *o = s->outages ?
					 &s->outage[s->outages - 1] : NULL;

		if (out == f->out[i])
			continue;
		f->out[i] = out;
		snprintf(id, sizeof(id), "outage %s", s->name);
		if (out)
			snprintf(text, sizeof(text), "%s: no link", s->name);
		else
			snprintf(text, sizeof(text),
				 "%s: the link is back after %.1f s", s->name,
				 o ? (o->end - o->begin) * 1e-9 : 0);
		foxglove_status(f, out ? 2 : 0, id, text);
		sent = true;
	}
	board_unlock(b);
	return sent;
}

static bool foxglove_send_time(struct foxglove *f, int64_t now)
{
	const struct view *v = f->peer.view;
	uint8_t head[9] = { 2 };
	uint64_t cuts;

	if (!v->replaying)
		return false;
	board_lock(v->board);
	cuts = board_cuts(v->board);
	board_unlock(v->board);
	/* at once after a jump, before its messages */
	if (cuts == f->time_cuts && now - f->time_sent < time_every)
		return false;
	f->time_sent = now;
	f->time_cuts = cuts;
	put_le64(head + 1, board_now(v->board));
	peer_binary(&f->peer, head, sizeof(head), NULL, 0, NULL);
	return true;
}

static void foxglove_send_playback(struct foxglove *f)
{
	const struct view *v = f->peer.view;
	struct view_replay r;
	uint8_t head[19] = { 5 };
	uint64_t cuts;
	size_t n;
	bool acted;

	f->replayed = view_replayed(v);
	board_lock(v->board);
	r = v->replay;
	cuts = v->cuts;
	acted = v->acted >= f->asked;
	board_unlock(v->board);
	n = acted ? strlen(f->request) : 0;
	head[1] = r.ended ? 3 : r.paused ? 1 : 0;
	put_le64(head + 2, r.time);
	put_lef32(head + 10, r.speed);
	head[14] = cuts != f->cuts;
	put_le32(head + 15, n);
	peer_binary(&f->peer, head, sizeof(head), f->request, n, NULL);
	f->cuts = cuts;
	if (acted)
		f->request[0] = 0;
}

static bool foxglove_compose(struct peer *p)
{
	struct foxglove *f = foxglove_of(p);
	const int64_t now = loop_now();
	struct feed_item item;

	if (foxglove_advertise(f, false) || foxglove_send_outages(f) ||
	    foxglove_send_parameters(f) || foxglove_send_graph(f))
		return true;
	if (p->view->replaying && f->sdk &&
	    f->replayed != view_replayed(p->view)) {
		foxglove_send_playback(f);
		return true;
	}
	if (foxglove_send_time(f, now) || foxglove_send_band(f) ||
	    foxglove_send_left_out(f, now))
		return true;
	if (!peer_next(p, &item))
		return false;
	foxglove_send_message(f, &item);
	return true;
}

/*
 * From the client
 */

static void foxglove_complain(struct foxglove *f, const char *what,
			      unsigned int id)
{
	char text[128];

	snprintf(text, sizeof(text), "%s %u", what, id);
	foxglove_status(f, 1, NULL, text);
}

static bool foxglove_is_channel(const struct foxglove *f, uint32_t id)
{
	struct board *b = f->peer.view->board;
	const unsigned int topic = (id - 1) / 2;
	bool there;

	if (id == FOXGLOVE_BAND)
		return true;
	if (!id || id >= FOXGLOVE_IDS || topic >= f->advertised)
		return false;
	board_lock(b);
	there = id % 2 || board_has_kept(board_topic(b, topic)->kind);
	board_unlock(b);
	return there;
}

static void foxglove_subscribe_one(struct foxglove *f, const cJSON *one)
{
	struct board *b = f->peer.view->board;
	uint32_t sub, id;

	if (!foxglove_number(one, "id", &sub) ||
	    !foxglove_number(one, "channelId", &id)) {
		foxglove_status(f, 1, NULL,
				"a subscription needs id and channelId");
		return;
	}
	if (!foxglove_is_channel(f, id)) {
		foxglove_complain(f, "no channel", id);
		return;
	}
	if (f->subscribed[id]) {
		foxglove_complain(f, "already subscribed to channel", id);
		return;
	}
	for (unsigned int i = 0; i < FOXGLOVE_IDS; i++)
		if (f->subscribed[i] && f->sub[i] == sub) {
			foxglove_complain(f, "already used: subscription", sub);
			return;
		}
	f->subscribed[id] = true;
	f->sub[id] = sub;
	f->band_sent = 0;
	if (id == FOXGLOVE_BAND)
		return;
	board_lock(b);
	feed_subscribe(&f->peer.feed, b, (id - 1) / 2, !(id % 2));
	board_unlock(b);
}

static void foxglove_subscribe(struct foxglove *f, const cJSON *o)
{
	const cJSON *one;

	cJSON_ArrayForEach(one, cJSON_GetObjectItem(o, "subscriptions"))
		foxglove_subscribe_one(f, one);
}

static void foxglove_unsubscribe(struct foxglove *f, const cJSON *o)
{
	const cJSON *one;
	uint32_t sub;

	cJSON_ArrayForEach(one, cJSON_GetObjectItem(o, "subscriptionIds")) {
		if (!foxglove_number(one, NULL, &sub))
			continue;
		for (unsigned int id = 1; id < FOXGLOVE_IDS; id++) {
			if (!f->subscribed[id] || f->sub[id] != sub)
				continue;
			f->subscribed[id] = false;
			if (id != FOXGLOVE_BAND)
				feed_unsubscribe(&f->peer.feed, (id - 1) / 2,
						 !(id % 2));
		}
	}
}

/* In the order of the protocol's documentation */
static const struct {
	const char	*op;
	void		(*take)(struct foxglove *f, const cJSON *o);
} ops[] = {
	{ "subscribe", foxglove_subscribe },
	{ "unsubscribe", foxglove_unsubscribe },
	{ "advertise", foxglove_client_advertise },
	{ "unadvertise", foxglove_client_unadvertise },
	{ "getParameters", foxglove_get_parameters },
	{ "setParameters", foxglove_set_parameters },
	{ "subscribeParameterUpdates", foxglove_subscribe_parameters },
	{ "unsubscribeParameterUpdates", foxglove_unsubscribe_parameters },
	{ "subscribeConnectionGraph", foxglove_subscribe_graph },
	{ "unsubscribeConnectionGraph", foxglove_unsubscribe_graph },
	{ "fetchAsset", foxglove_fetch_asset },
};

static int foxglove_text(struct foxglove *f, const uint8_t *data, size_t len)
{
	cJSON *o = cJSON_ParseWithLength((const char *)data, len);
	const char *op = cJSON_GetStringValue(cJSON_GetObjectItem(o, "op"));
	char text[96];
	unsigned int i;

	if (!op) {
		cJSON_Delete(o);
		return peer_fail(&f->peer, "it sent a text that is no message");
	}
	for (i = 0; i < sizeof(ops) / sizeof(*ops); i++)
		if (!strcmp(ops[i].op, op))
			break;
	if (i < sizeof(ops) / sizeof(*ops)) {
		ops[i].take(f, o);
	} else {
		snprintf(text, sizeof(text), "unknown operation '%.40s'", op);
		foxglove_status(f, 1, NULL, text);
	}
	cJSON_Delete(o);
	return f->peer.failed ? -EPROTO : 0;
}

static int foxglove_binary(struct foxglove *f, const uint8_t *data, size_t len)
{
	if (!len)
		return peer_fail(&f->peer, "it sent an empty message");
	switch (*data) {
	case 1:
		return foxglove_client_message(f, data + 1, len - 1);
	case 2:
		return foxglove_service_call(f, data + 1, len - 1);
	case 3:
		return foxglove_playback(f, data + 1, len - 1);
	}
	return peer_fail(&f->peer, "it sent a message of type %u", *data);
}

static int foxglove_received(struct peer *p, const uint8_t *data, size_t len,
			     bool binary)
{
	struct foxglove *f = foxglove_of(p);

	return binary ? foxglove_binary(f, data, len) :
			foxglove_text(f, data, len);
}

static int foxglove_opened(struct peer *p)
{
	struct foxglove *f = foxglove_of(p);

	f->sdk = p->ops == &foxglove_sdk_ops;
	board_lock(p->view->board);
	f->cuts = p->view->cuts;
	board_unlock(p->view->board);
	foxglove_send_info(f);
	foxglove_advertise(f, true);
	foxglove_advertise_services(f);
	if (p->view->replaying && f->sdk)
		foxglove_send_playback(f);
	return 0;
}

static void foxglove_tick(struct peer *p, int64_t now)
{
	struct foxglove *f = foxglove_of(p);

	/* the age of what a client publishes is known by its pongs */
	if (f->channels && now - f->pinged >= ping_every) {
		f->pinged = now;
		p->wants_ping = true;
	}
}

#define FOXGLOVE_OPS(sub_protocol) {			\
	.name		= sub_protocol,				\
	.size		= sizeof(struct foxglove),		\
	.opened		= foxglove_opened,			\
	.received	= foxglove_received,			\
	.compose	= foxglove_compose,			\
	.tick		= foxglove_tick,			\
	.answered	= foxglove_answered,			\
}

const struct peer_ops foxglove_sdk_ops = FOXGLOVE_OPS("foxglove.sdk.v1");
const struct peer_ops foxglove_websocket_ops =
	FOXGLOVE_OPS("foxglove.websocket.v1");
