// SPDX-License-Identifier: GPL-2.0-only
/*
 * browser_state - topics, bands, states, places and links for the page
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "view/band_json.h"
#include "view/browser_parts.h"

#define MS	1000000LL

static const int64_t band_every = 250 * MS;
static const int64_t state_every = 500 * MS;
static const int64_t track_every = 200 * MS;

/*
 * Topics
 */

static const char *const kinds[MESSAGE_KINDS] = {
	[MESSAGE_IMAGE] = "image", [MESSAGE_COMPRESSED_IMAGE] = "image",
	[MESSAGE_POINT_CLOUD] = "cloud", [MESSAGE_LASER_SCAN] = "scan",
	[MESSAGE_OCCUPANCY_GRID] = "map", [MESSAGE_ODOMETRY] = "odometry",
	[MESSAGE_GRID_MAP] = "grid_map", [MESSAGE_TWIST] = "twist",
	[MESSAGE_TWIST_STAMPED] = "twist",
	[MESSAGE_DIAGNOSTICS] = "diagnostics",
	[MESSAGE_TRANSFORMS] = "transforms", [MESSAGE_PATH] = "path",
	[MESSAGE_CAMERA_INFO] = "camera_info", [MESSAGE_IMU] = "imu",
	[MESSAGE_JOINT_STATE] = "joints",
};

static void add_hz(cJSON *o, struct board *board, const struct board_topic *t)
{
	const struct band_view v = board_band(board, t);

	if (v.period)
		cJSON_AddNumberToObject(o, "hz", round(1e11 / v.period) / 100);
	else
		cJSON_AddNullToObject(o, "hz");
}

bool browser_send_topics(struct browser *b)
{
	struct board *board = b->peer.view->board;
	cJSON *o, *list;

	board_lock(board);
	if (b->topics == board_topics(board)) {
		board_unlock(board);
		return false;
	}
	o = peer_begin("topics");
	list = cJSON_AddArrayToObject(o, "topics");
	for (unsigned int i = 0; i < board_topics(board); i++) {
		const struct board_topic *t = board_topic(board, i);
		cJSON *one = cJSON_CreateObject();

		cJSON_AddNumberToObject(one, "id", i);
		cJSON_AddStringToObject(one, "name", t->name);
		cJSON_AddStringToObject(one, "type",
					message_type(t->kind, MESSAGE_ROS1));
		cJSON_AddStringToObject(one, "kind", t->kind < MESSAGE_KINDS ?
					kinds[t->kind] : "other");
		cJSON_AddStringToObject(one, "source",
					board_source(board, t->source)->name);
		add_hz(one, board, t);
		cJSON_AddItemToArray(list, one);
		if (i >= b->topics && !message_is_picture(t->kind) &&
		    !message_is_map(t->kind) && t->kind != MESSAGE_TRANSFORMS &&
		    t->kind != MESSAGE_CAMERA_INFO)
			feed_subscribe(&b->peer.feed, board, i, false);
	}
	b->topics = board_topics(board);
	board_unlock(board);
	peer_json(&b->peer, o);
	return true;
}

/*
 * Bands: only slots that changed
 */

/* The part of a band that the page does not have */
static void add_band(struct browser *b, cJSON *list, unsigned int i)
{
	struct board *board = b->peer.view->board;
	char part[BAND_SLOTS + 1], *old = b->band[i];
	int first = 0, last = BAND_SLOTS;
	const char *text;
	int64_t from;
	cJSON *one;

	text = board_band_text(board, board_topic(board, i), &from);
	if (!text)
		return;
	if (old) {
		const int64_t moved = from - b->from[i];
		const int64_t kept = moved < 0 || moved > BAND_SLOTS ? 0 :
				     BAND_SLOTS - moved;

		while (first < kept && text[first] == old[first + moved])
			first++;
		if (kept == BAND_SLOTS)
			while (last > first && text[last - 1] == old[last - 1])
				last--;
	} else {
		old = b->band[i] = malloc(BAND_SLOTS);
		while (first < last && text[first] == BAND_NOTHING)
			first++;
	}
	if (!old || first == last)
		return;
	memcpy(old, text, BAND_SLOTS);
	b->from[i] = from;
	memcpy(part, text + first, last - first);
	part[last - first] = 0;
	one = cJSON_CreateObject();
	cJSON_AddNumberToObject(one, "id", i);
	cJSON_AddNumberToObject(one, "first", from + first);
	cJSON_AddStringToObject(one, "s", part);
	cJSON_AddItemToArray(list, one);
}

static uint64_t json_hash(const cJSON *o)
{
	char *text = cJSON_PrintUnformatted(o);
	uint64_t hash = text ? hash_bytes(text, strlen(text)) : 0;

	cJSON_free(text);
	return hash;
}

bool browser_send_band(struct browser *b, int64_t now)
{
	struct board *board = b->peer.view->board;
	cJSON *o, *list, *outages;
	uint64_t hash;

	if (now - b->band_sent < band_every)
		return false;
	o = peer_begin("band");
	board_lock(board);
	if (!b->band_sent || b->cuts != board_cuts(board)) {
		cJSON_AddBoolToObject(o, "full", true);
		for (unsigned int i = 0; i < BOARD_TOPICS; i++) {
			free(b->band[i]);
			b->band[i] = NULL;
		}
		b->cuts = board_cuts(board);
		b->outages = 0;
	} else {
		cJSON_AddBoolToObject(o, "full", false);
	}
	b->band_sent = now;
	cJSON_AddNumberToObject(o, "now", floor(board_now(board) / 1e6));
	list = cJSON_AddArrayToObject(o, "topics");
	for (unsigned int i = 0; i < b->topics; i++)
		add_band(b, list, i);
	outages = band_json_outages(board, 1e6);
	board_unlock(board);
	hash = json_hash(outages);
	cJSON_AddItemToObject(o, "outages", outages);
	if (!cJSON_GetArraySize(list) && hash == b->outages) {
		cJSON_Delete(o);
		return false;
	}
	b->outages = hash;
	peer_json(&b->peer, o);
	return true;
}

/*
 * States
 */

static unsigned int lost_messages(struct board *board, struct board_topic *t)
{
	const struct band_view v = board_band(board, t);
	int64_t from;

	if (!v.period || !board_band_text(board, t, &from))
		return 0;
	return (double)t->lost * BAND_SLOT / v.period;
}

bool browser_send_state(struct browser *b, int64_t now)
{
	struct board *board = b->peer.view->board;
	cJSON *o, *list;
	bool connected = false;

	if (now - b->state_sent < state_every)
		return false;
	b->state_sent = now;
	o = peer_begin("state");
	board_lock(board);
	cJSON_AddNumberToObject(o, "now", floor(board_now(board) / 1e6));
	list = cJSON_AddArrayToObject(o, "topics");
	for (unsigned int i = 0; i < b->topics; i++) {
		struct board_topic *t = board_topic(board, i);
		cJSON *one = cJSON_CreateObject();

		cJSON_AddNumberToObject(one, "id", i);
		cJSON_AddStringToObject(one, "state",
				band_state_name(board_state(board, t)));
		if (t->seen)
			cJSON_AddNumberToObject(one, "t", t->seen / 1e6);
		else
			cJSON_AddNullToObject(one, "t");
		add_hz(one, board, t);
		cJSON_AddNumberToObject(one, "live", t->live);
		cJSON_AddNumberToObject(one, "kept", t->kept);
		cJSON_AddNumberToObject(one, "lost", lost_messages(board, t));
		cJSON_AddItemToArray(list, one);
	}
	for (unsigned int i = 0; i < board_sources(board); i++)
		connected |= board_source(board, i)->heard &&
			     !board_is_out(board_source(board, i));
	board_unlock(board);
	cJSON_AddBoolToObject(o, "connected", connected);
	peer_json(&b->peer, o);
	return true;
}

/*
 * Places
 */

static cJSON *track_points(const struct board_source *s, uint32_t from)
{
	cJSON *list = cJSON_CreateArray();

	for (uint32_t i = from; i < s->tracks; i++) {
		const struct place *p = &s->track[i];
		const double v[4] = { floor(p->t / 1e6),
				      round(p->pose.x * 1e3) / 1e3,
				      round(p->pose.y * 1e3) / 1e3,
				      round(p->pose.yaw * 1e3) / 1e3 };

		cJSON_AddItemToArray(list, cJSON_CreateDoubleArray(v, 4));
	}
	return list;
}

bool browser_send_track(struct browser *b, int64_t now)
{
	struct board *board = b->peer.view->board;
	bool sent = false;

	if (now - b->track_sent < track_every)
		return false;
	b->track_sent = now;
	board_lock(board);
	for (unsigned int i = 0; i < board_sources(board); i++) {
		const struct board_source *s = board_source(board, i);
		const uint32_t had = b->tracks[i];
		/* one more for each change: all at the end */
		const bool grew = had && s->tracks - had ==
				  s->moves - b->moves[i] &&
				  s->track[had - 1].t == b->track_end[i];
		cJSON *o;

		if (s->moves == b->moves[i])
			continue;
		o = peer_begin("track");
		cJSON_AddBoolToObject(o, "full", !grew);
		cJSON_AddStringToObject(o, "source", s->name);
		cJSON_AddStringToObject(o, "frame", s->frame);
		cJSON_AddItemToObject(o, "points",
				      track_points(s, grew ? had : 0));
		b->moves[i] = s->moves;
		b->tracks[i] = s->tracks;
		b->track_end[i] = s->tracks ? s->track[s->tracks - 1].t : 0;
		peer_json(&b->peer, o);
		sent = true;
	}
	board_unlock(board);
	return sent;
}

/*
 * Links and replays
 */

static cJSON *link_of(const struct board_source *s)
{
	const struct robot_status *r = &s->status;
	cJSON *o = peer_begin("link"), *link, *list;

	cJSON_AddStringToObject(o, "source", s->name);
	cJSON_AddNumberToObject(o, "t", floor(r->t / 1e6));
	link = cJSON_AddObjectToObject(o, "link");
	cJSON_AddStringToObject(link, "state", r->state);
	cJSON_AddNumberToObject(link, "rate", r->rate);
	cJSON_AddNumberToObject(link, "capacity", r->capacity);
	cJSON_AddNumberToObject(link, "loss", r->loss);
	cJSON_AddNumberToObject(link, "round_trip", r->round_trip);
	cJSON_AddNumberToObject(link, "queue", r->queue);
	cJSON_AddNumberToObject(link, "outages", r->outages);
	list = cJSON_AddArrayToObject(o, "topics");
	for (unsigned int i = 0; i < r->topics; i++) {
		const struct robot_topic *t = &r->topic[i];
		cJSON *one = cJSON_CreateObject();

		cJSON_AddStringToObject(one, "topic", t->name);
		cJSON_AddNumberToObject(one, "priority", t->priority);
		cJSON_AddBoolToObject(one, "focus", t->focus);
		cJSON_AddBoolToObject(one, "on", t->on);
		cJSON_AddNumberToObject(one, "hz", t->hz);
		cJSON_AddNumberToObject(one, "share", t->share);
		cJSON_AddItemToArray(list, one);
	}
	return o;
}

bool browser_send_link(struct browser *b)
{
	struct board *board = b->peer.view->board;
	bool sent = false;

	board_lock(board);
	for (unsigned int i = 0; i < board_sources(board); i++) {
		const struct board_source *s = board_source(board, i);

		if (s->status.changes == b->changes[i])
			continue;
		b->changes[i] = s->status.changes;
		peer_json(&b->peer, link_of(s));
		sent = true;
	}
	board_unlock(board);
	return sent;
}

bool browser_send_play(struct browser *b, int64_t now)
{
	const struct view *v = b->peer.view;
	struct view_replay r;
	cJSON *o;

	if (!v->replaying || (b->replayed == view_replayed(v) &&
			      now - b->play_sent < state_every))
		return false;
	b->replayed = view_replayed(v);
	board_lock(v->board);
	r = v->replay;
	board_unlock(v->board);
	b->play_sent = now;
	o = peer_begin("play");
	cJSON_AddBoolToObject(o, "paused", r.paused || r.ended);
	cJSON_AddNumberToObject(o, "speed", r.speed);
	cJSON_AddNumberToObject(o, "time", floor(board_now(v->board) / 1e6));
	cJSON_AddNumberToObject(o, "begin", floor(r.begin / 1e6));
	cJSON_AddNumberToObject(o, "end", floor(r.end / 1e6));
	peer_json(&b->peer, o);
	return true;
}
