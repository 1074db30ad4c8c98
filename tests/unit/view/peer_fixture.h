/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * peer_fixture.h - a client of optsample-view without a socket
 */
#ifndef TESTS_VIEW_PEER_FIXTURE_H
#define TESTS_VIEW_PEER_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/wire.h"
#include "ros/io/io.h"
#include "tap.h"
#include "view/browser.h"
#include "view/peer.h"
#include "view/pictures.h"

static struct view view;
static struct loop *loop;
static struct action last_action;
static unsigned int actions;

__attribute__((unused))
static void fixture_take(void *arg, const struct action *a)
{
	(void)arg;
	last_action = *a;
	actions++;
}

static void fixture_changed(void *arg)
{
	(void)arg;
}

__attribute__((unused))
static void fixture_open(bool replay)
{
	const struct board_config config = { .memory = 8 << 20,
					     .replay = replay };

	memset(&view, 0, sizeof(view));
	view.board = board_create(&config);
	loop = loop_create();
	if (!view.board || !loop ||
	    actions_open(&view.actions, loop, fixture_take, NULL) ||
	    pictures_open(&view.pictures, view.board, fixture_changed, NULL))
		exit(1);
	view.name = "test";
	view.session = "1";
	view.replaying = replay;
}

__attribute__((unused))
static void fixture_close(void)
{
	pictures_close(view.pictures);
	actions_close(view.actions);
	board_destroy(view.board);
	loop_destroy(loop);
}

/* Serialize and put on the board; @stamp in ns, arrives at once */
__attribute__((unused))
static void fixture_put(const char *topic, enum message_kind kind,
			const union message *m, int64_t stamp)
{
	const long len = message_size(kind, MESSAGE_CDR, m);
	uint8_t *data = malloc(len);

	message_write(kind, MESSAGE_CDR, m, data, len);
	board_message(view.board, "robot", topic, kind, MESSAGE_CDR, data, len,
		      stamp, stamp ? stamp : io_now());
	free(data);
}

__attribute__((unused))
static void fixture_odometry(const char *topic, double x, int64_t stamp)
{
	union message m = { .odometry = {
		.header = { .stamp = stamp, .frame_id = message_string("odom") },
		.child_frame_id = message_string("base_link"),
		.pose = { { x, 0, 0 }, { 0, 0, 0, 1 } },
	} };

	fixture_put(topic, MESSAGE_ODOMETRY, &m, stamp);
}

/* Say @text. Return: as received() */
__attribute__((unused))
static int fixture_say(struct peer *p, const char *text)
{
	return p->ops->received(p, (const uint8_t *)text, strlen(text), false);
}

/* A page that may do all */
__attribute__((unused))
static struct peer *fixture_open_page(void)
{
	struct peer *p = peer_create(&browser_ops, &view, 7, "test");

	p->authorised = true;
	p->ops->opened(p);
	fixture_say(p, "{\"op\":\"hello\"}");
	return p;
}

/* The next message to the client, or NULL; free with outgoing_free() */
__attribute__((unused))
static struct outgoing *fixture_next(struct peer *p)
{
	struct outgoing *o;

	if (STAILQ_EMPTY(&p->queue) && !p->ops->compose(p))
		return NULL;
	o = STAILQ_FIRST(&p->queue);
	if (!o)
		return NULL;
	STAILQ_REMOVE_HEAD(&p->queue, next);
	p->queued -= o->head_len + o->len;
	return o;
}

/* The next text with this op, others are dropped; NULL: none comes */
__attribute__((unused))
static cJSON *fixture_expect(struct peer *p, const char *op)
{
	struct outgoing *o;

	for (unsigned int i = 0; i < 100 && (o = fixture_next(p)); i++) {
		cJSON *json = o->binary ? NULL :
			      cJSON_ParseWithLength((const char *)o->body,
						    o->len);
		const char *is = cJSON_GetStringValue(
					cJSON_GetObjectItem(json, "op"));

		outgoing_free(o);
		if (is && !strcmp(is, op))
			return json;
		cJSON_Delete(json);
	}
	return NULL;
}

/* Is there a string @value in the array @key? */
__attribute__((unused))
static bool fixture_has(const cJSON *o, const char *key, const char *value)
{
	const cJSON *one;

	cJSON_ArrayForEach(one, cJSON_GetObjectItem(o, key))
		if (cJSON_IsString(one) && !strcmp(one->valuestring, value))
			return true;
	return false;
}

static void fixture_stop(void *arg, uint64_t now)
{
	(void)now;
	loop_stop(arg, 0);
}

/* Let the loop take the actions that wait */
__attribute__((unused))
static void fixture_act(void)
{
	struct loop_timer stop = { loop_now() + 20000000, fixture_stop, loop,
				   NULL };

	loop_add_timer(loop, &stop);
	loop_run(loop);
	loop_remove_timer(loop, &stop);
}

#endif
