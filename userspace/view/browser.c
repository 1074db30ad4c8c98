// SPDX-License-Identifier: GPL-2.0-only
/*
 * browser - the protocol of the page
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ros/io/file_write.h"
#include "view/browser_frame.h"
#include "view/browser_parts.h"
#include "view/pictures.h"

#define MS	1000000LL

/* A page that draws nothing for so long gets nothing, ns */
static const int64_t seen_within = 400 * MS;

static void browser_refuse(struct browser *b, const char *why)
{
	cJSON *o = peer_begin("error");

	cJSON_AddStringToObject(o, "text", why);
	peer_json(&b->peer, o);
}

static void browser_hello(struct browser *b)
{
	const struct view *v = b->peer.view;
	cJSON *o = peer_begin("hello");

	cJSON_AddStringToObject(o, "version", OPTSAMPLE_VERSION);
	cJSON_AddStringToObject(o, "name", v->host);
	cJSON_AddNumberToObject(o, "now", floor(board_now(v->board) / 1e6));
	cJSON_AddNumberToObject(o, "slot", BAND_SLOT / MS);
	cJSON_AddNumberToObject(o, "slots", BAND_SLOTS);
	cJSON_AddBoolToObject(o, "gdim", v->gdim != NULL);
	cJSON_AddBoolToObject(o, "replay", v->replaying);
	cJSON_AddBoolToObject(o, "control", v->control);
	peer_json(&b->peer, o);
}

/*
 * Messages
 */

/* Does the page draw what it gets? */
static bool browser_keeps_up(const struct browser *b, int64_t now)
{
	const uint64_t unseen = b->sent - b->seen;

	if (!unseen)
		return true;
	return unseen < BROWSER_UNSEEN &&
	       now - b->when[b->seen % BROWSER_UNSEEN] < seen_within;
}

static void browser_sent(struct browser *b, int64_t now)
{
	b->when[b->sent++ % BROWSER_UNSEEN] = now;
}

/* A small message as JSON. Return: 0 or a negative errno */
static int browser_send_small(struct browser *b, const struct view_message *m,
			      bool at)
{
	union message *msg = malloc(sizeof(*msg));
	struct compressed_buffer text = { 0 };
	int err = -ENOMEM;
	cJSON *o;

	if (msg)
		err = message_read(m->kind, m->format, m->data, m->len, msg);
	if (!err)
		err = file_write_json(m->kind, msg, &text);
	if (!err)
		err = compressed_buffer_reserve(&text, 1);
	free(msg);
	if (err) {
		free(text.data);
		return err;
	}
	text.data[text.len] = 0;
	o = peer_begin("msg");
	cJSON_AddNumberToObject(o, "id", m->topic);
	cJSON_AddNumberToObject(o, "t", m->t / 1e6);
	cJSON_AddNumberToObject(o, "a", m->arrival / 1e6);
	cJSON_AddBoolToObject(o, "kept", m->kept);
	cJSON_AddBoolToObject(o, "at", at);
	cJSON_AddRawToObject(o, "data", (char *)text.data);
	peer_json(&b->peer, o);
	free(text.data);
	return 0;
}

/* Pose of the sensor of a message now; NULL: unknown */
static const struct pose *sensor_pose(struct browser *b,
				      const struct view_message *m,
				      struct pose *pose)
{
	struct board *board = b->peer.view->board;
	union message *msg = malloc(sizeof(*msg));
	const struct board_source *s;
	char frame[TF_FRAME_NAME];
	struct placement place;
	bool upside_down, found = false;

	if (msg && !message_read(m->kind, m->format, m->data, m->len, msg) &&
	    frame_name(frame, &msg->scan.header.frame_id)) {
		board_lock(board);
		s = board_source(board, board_topic(board, m->topic)->source);
		found = s->tf && tf_find(s->tf, frame, s->frame, &place) &&
			placement_pose(&place, pose, &upside_down);
		board_unlock(board);
	}
	free(msg);
	return found ? pose : NULL;
}

static int browser_send_scan(struct browser *b, const struct view_message *m,
			     unsigned int flags)
{
	struct view_message *frame;
	uint8_t head[FRAME_HEAD];
	struct pose pose;
	int err = browser_frame_body(m, flags & FRAME_AT ? NULL :
				     sensor_pose(b, m, &pose), &frame);

	if (err)
		return err;
	browser_frame_head(head, m, flags);
	peer_binary(&b->peer, head, sizeof(head), NULL, 0, frame);
	return 0;
}

static bool browser_send_message(struct browser *b, int64_t now)
{
	struct feed_item item;
	uint8_t head[FRAME_HEAD];

	if (!browser_keeps_up(b, now) || !peer_next(&b->peer, &item))
		return false;
	browser_sent(b, now);
	if (message_is_picture(item.message->kind) ||
	    message_is_map(item.message->kind)) {
		/* it is a frame already: see browser_newest() */
		browser_frame_head(head, item.message, 0);
		peer_binary(&b->peer, head, sizeof(head), NULL, 0,
			    item.message);
		return true;
	}
	if (item.message->kind == MESSAGE_LASER_SCAN ?
	    browser_send_scan(b, item.message, 0) :
	    browser_send_small(b, item.message, false)) {
		assert(b->sent);
		b->sent--;
	}
	view_message_put(item.message);
	return true;
}

static struct view_message *browser_newest(void *arg, struct board_topic *t,
					   unsigned int number)
{
	struct peer *p = arg;

	return pictures_newest(p->view->pictures, t, number);
}

static bool browser_send_layers(struct browser *b)
{
	struct gdim *g = b->peer.view->gdim;
	cJSON *o = g ? gdim_layers(g, &b->layers) : NULL;

	if (!o)
		return false;
	cJSON_AddStringToObject(o, "op", "layers");
	peer_json(&b->peer, o);
	return true;
}

/*
 * The past
 */

static void browser_answered(struct browser *b)
{
	cJSON *o = peer_begin("at");

	cJSON_AddNumberToObject(o, "time", b->at);
	cJSON_AddBoolToObject(o, "done", true);
	cJSON_AddItemToObject(o, "found", b->found);
	b->found = NULL;
	b->asked = false;
	peer_json(&b->peer, o);
}

static void browser_ask_one(struct browser *b, uint32_t id, int64_t t)
{
	struct board *board = b->peer.view->board;
	struct view_message *m = NULL;
	char key[16];
	int err = 0;

	board_lock(board);
	if (id < board_topics(board))
		m = topic_history_at(&board_topic(board, id)->history, t);
	if (m)
		view_message_get(m);
	board_unlock(board);
	if (!m)
		return;
	snprintf(key, sizeof(key), "%u", id);
	cJSON_AddNumberToObject(b->found, key, m->t / 1e6);
	if (m->kind == MESSAGE_LASER_SCAN) {
		err = browser_send_scan(b, m, FRAME_AT | (m->kept ?
							  FRAME_KEPT : 0));
	} else if (!browser_frame_type(m->kind)) {
		err = browser_send_small(b, m, true);
	} else {
		b->left += !pictures_convert(b->peer.view->pictures, m,
					     b->peer.id);
		return;
	}
	if (!err)
		browser_sent(b, loop_now());
	view_message_put(m);
}

static void browser_ask(struct browser *b, const cJSON *o)
{
	const cJSON *time = cJSON_GetObjectItem(o, "time"), *id;
	bool asked[BOARD_TOPICS] = { false };
	unsigned int n = 0;

	if (!cJSON_IsNumber(time) || !isfinite(time->valuedouble) ||
	    fabs(time->valuedouble) > 9e12) {
		browser_refuse(b, "at needs a time in ms");
		return;
	}
	if (b->asked) {
		browser_refuse(b, "at: the last question is not answered yet");
		return;
	}
	b->asked = true;
	b->at = time->valuedouble;
	b->left = 0;
	b->found = cJSON_CreateObject();
	cJSON_ArrayForEach(id, cJSON_GetObjectItem(o, "ids")) {
		if (b->peer.failed || n == BROWSER_AT)
			break;
		if (!cJSON_IsNumber(id) || !(id->valuedouble >= 0) ||
		    id->valuedouble >= BOARD_TOPICS ||
		    asked[(unsigned int)id->valuedouble])
			continue;
		asked[(unsigned int)id->valuedouble] = true;
		n++;
		browser_ask_one(b, id->valuedouble, b->at * 1e6);
	}
	if (!b->left)
		browser_answered(b);
}

static void browser_converted(struct peer *p, struct view_message *frame)
{
	struct browser *b = browser_of(p);
	uint8_t head[FRAME_HEAD];

	if (frame) {
		browser_frame_head(head, frame, FRAME_AT |
				   (frame->kept ? FRAME_KEPT : 0));
		peer_binary(p, head, sizeof(head), NULL, 0, frame);
		browser_sent(b, loop_now());
	}
	if (b->asked && b->left && !--b->left)
		browser_answered(b);
}

/*
 * From the page
 */

static void browser_greet(struct browser *b, const cJSON *o)
{
	const char *token = cJSON_GetStringValue(cJSON_GetObjectItem(o,
								     "token"));
	char text[HTTP_TOKEN + 8];

	if (!b->peer.authorised && token) {
		snprintf(text, sizeof(text), "Bearer %s", token);
		b->peer.authorised = http_auth_token(b->peer.auth, text);
	}
	if (!b->peer.authorised) {
		browser_refuse(b, "missing or wrong token");
		return;
	}
	if (!b->greeted)
		browser_hello(b);
	b->greeted = true;
}

static void browser_want(struct browser *b, const cJSON *o)
{
	struct board *board = b->peer.view->board;
	bool wants[BOARD_TOPICS] = { false };
	const cJSON *id;

	cJSON_ArrayForEach(id, cJSON_GetObjectItem(o, "ids"))
		if (cJSON_IsNumber(id) && id->valuedouble >= 0 &&
		    id->valuedouble < BOARD_TOPICS)
			wants[(unsigned int)id->valuedouble] = true;
	board_lock(board);
	for (unsigned int i = 0; i < b->topics; i++) {
		const struct board_topic *t = board_topic(board, i);

		if (!browser_frame_type(t->kind) ||
		    t->kind == MESSAGE_LASER_SCAN || wants[i] == b->wants[i])
			continue;
		b->wants[i] = wants[i];
		if (wants[i])
			feed_subscribe(&b->peer.feed, board, i, false);
		else
			feed_unsubscribe(&b->peer.feed, i, false);
	}
	board_unlock(board);
}

static void browser_ack(struct browser *b, const cJSON *o)
{
	const cJSON *n = cJSON_GetObjectItem(o, "n");

	if (cJSON_IsNumber(n) && n->valuedouble >= b->seen &&
	    n->valuedouble <= b->sent)
		b->seen = n->valuedouble;
}

static void browser_act(struct browser *b, const struct action *a)
{
	if (actions_put(b->peer.view->actions, a))
		browser_refuse(b, "too many commands");
}

static bool browser_text(const cJSON *o, const char *key, char *to)
{
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(o, key));

	if (!text || strlen(text) >= ACTION_TEXT)
		return false;
	strcpy(to, text);
	return true;
}

/* focus and priority */
static void browser_command(struct browser *b, const cJSON *o)
{
	const cJSON *value = cJSON_GetObjectItem(o, "value");
	struct action a = { .type = value ? ACTION_PRIORITY : ACTION_FOCUS };

	if (!b->peer.view->control) {
		browser_refuse(b, "no robot here takes commands");
		return;
	}
	if (!browser_text(o, "source", a.source) ||
	    (!browser_text(o, "topic", a.topic) && value)) {
		browser_refuse(b, "a command needs a source and a topic");
		return;
	}
	if (value && (!cJSON_IsNumber(value) || !(value->valuedouble >= 0) ||
		      value->valuedouble > 7)) {
		browser_refuse(b, "a priority is 0..7");
		return;
	}
	a.value = value ? (int)value->valuedouble : 0;
	browser_act(b, &a);
}

static void browser_play(struct browser *b, const cJSON *o)
{
	const cJSON *paused = cJSON_GetObjectItem(o, "paused");
	const cJSON *speed = cJSON_GetObjectItem(o, "speed");
	const cJSON *time = cJSON_GetObjectItem(o, "time");
	struct action a = { .type = ACTION_REPLAY };

	if (!b->peer.view->replaying) {
		browser_refuse(b, "this is no replay");
		return;
	}
	if (cJSON_IsNumber(speed) && speed->valuedouble > 0)
		a.value = speed->valuedouble;
	if (cJSON_IsNumber(time) && fabs(time->valuedouble) < 9e12) {
		a.seek = true;
		a.time = time->valuedouble * 1e6;
	}
	if (cJSON_IsBool(paused))
		a.pause = cJSON_IsTrue(paused) ? 1 : -1;
	a.number = ++b->peer.view->asked;
	browser_act(b, &a);
}

static const struct {
	const char	*op;
	void		(*take)(struct browser *b, const cJSON *o);
} ops[] = {
	{ "hello", browser_greet },
	{ "want", browser_want },
	{ "ack", browser_ack },
	{ "at", browser_ask },
	{ "focus", browser_command },
	{ "priority", browser_command },
	{ "play", browser_play },
};

static int browser_received(struct peer *p, const uint8_t *data, size_t len,
			    bool binary)
{
	struct browser *b = browser_of(p);
	cJSON *o = binary ? NULL :
		   cJSON_ParseWithLength((const char *)data, len);
	const char *op = cJSON_GetStringValue(cJSON_GetObjectItem(o, "op"));
	unsigned int i;

	for (i = 0; op && i < sizeof(ops) / sizeof(*ops); i++)
		if (!strcmp(ops[i].op, op))
			break;
	if (!op || i == sizeof(ops) / sizeof(*ops)) {
		cJSON_Delete(o);
		return peer_fail(p, "it sent what no page sends");
	}
	if (i && !b->greeted)
		browser_refuse(b, "say hello first");
	else
		ops[i].take(b, o);
	cJSON_Delete(o);
	return p->failed ? -EPROTO : 0;
}

static bool browser_compose(struct peer *p)
{
	struct browser *b = browser_of(p);
	const int64_t now = loop_now();

	if (!b->greeted)
		return false;
	if (p->view->gdim)
		gdim_look(p->view->gdim);
	return browser_send_topics(b) || browser_send_play(b, now) ||
	       browser_send_state(b, now) || browser_send_band(b, now) ||
	       browser_send_layers(b) || browser_send_link(b) ||
	       browser_send_track(b, now) ||
	       browser_send_message(b, now);
}

static int browser_opened(struct peer *p)
{
	p->feed.newest_only = true;
	p->feed.newest = browser_newest;
	p->feed.arg = p;
	return 0;
}

static void browser_closed(struct peer *p)
{
	struct browser *b = browser_of(p);

	for (unsigned int i = 0; i < BOARD_TOPICS; i++)
		free(b->band[i]);
	cJSON_Delete(b->found);
}

const struct peer_ops browser_ops = {
	.name		= "optsample.view.v1",
	.size		= sizeof(struct browser),
	.opened		= browser_opened,
	.received	= browser_received,
	.compose	= browser_compose,
	.converted	= browser_converted,
	.closed		= browser_closed,
};
