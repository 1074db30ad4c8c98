// SPDX-License-Identifier: GPL-2.0-only
/*
 * peer - a WebSocket client, without its socket
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "view/peer.h"

struct peer *peer_create(const struct peer_ops *ops, struct view *view,
			 uint64_t id, const char *name)
{
	struct peer *p = calloc(1, ops->size);

	if (!p)
		return NULL;
	p->ops = ops;
	p->view = view;
	p->id = id;
	snprintf(p->name, sizeof(p->name), "%s", name);
	STAILQ_INIT(&p->queue);
	p->answered = p->opened = loop_now();
	return p;
}

void outgoing_free(struct outgoing *o)
{
	if (!o)
		return;
	view_message_put(o->message);
	free(o->owned);
	free(o);
}

void peer_destroy(struct peer *p)
{
	struct outgoing *o;

	if (!p)
		return;
	if (p->ops->closed)
		p->ops->closed(p);
	while ((o = STAILQ_FIRST(&p->queue))) {
		STAILQ_REMOVE_HEAD(&p->queue, next);
		outgoing_free(o);
	}
	free(p);
}

int peer_fail(struct peer *p, const char *format, ...)
{
	va_list args;

	if (p->failed)
		return -EPROTO;
	p->failed = true;
	va_start(args, format);
	vsnprintf(p->failure, sizeof(p->failure), format, args);
	va_end(args);
	return -EPROTO;
}

static void peer_put(struct peer *p, struct outgoing *o)
{
	p->queued += o->head_len + o->len;
	STAILQ_INSERT_TAIL(&p->queue, o, next);
	if (p->queued > PEER_QUEUE && STAILQ_FIRST(&p->queue) != o)
		peer_fail(p, "it does not read the answers to its requests");
}

static struct outgoing *peer_new(struct peer *p, bool binary, const void *head,
				 size_t head_len)
{
	struct outgoing *o = calloc(1, sizeof(*o));

	if (!o || head_len > PEER_HEAD) {
		free(o);
		peer_fail(p, "no memory");
		return NULL;
	}
	o->binary = binary;
	o->head_len = head_len;
	if (head_len)
		memcpy(o->head, head, head_len);
	return o;
}

cJSON *peer_begin(const char *op)
{
	cJSON *o = cJSON_CreateObject();

	cJSON_AddStringToObject(o, "op", op);
	return o;
}

void peer_json(struct peer *p, cJSON *json)
{
	char *text = json ? cJSON_PrintUnformatted(json) : NULL;
	struct outgoing *o = text ? peer_new(p, false, NULL, 0) : NULL;

	cJSON_Delete(json);
	if (!o) {
		cJSON_free(text);
		peer_fail(p, "no memory");
		return;
	}
	o->owned = text;
	o->body = o->owned;
	o->len = strlen(text);
	peer_put(p, o);
}

void peer_binary(struct peer *p, const void *head, size_t head_len,
		 const void *body, size_t len, struct view_message *message)
{
	struct outgoing *o = peer_new(p, true, head, head_len);

	if (o && message) {
		o->body = body ? body : message->data;
		o->len = body ? len : message->len;
		o->message = message;
	} else if (o) {
		o->owned = malloc(len ? len : 1);
		if (!o->owned) {
			free(o);
			peer_fail(p, "no memory");
			return;
		}
		if (len)
			memcpy(o->owned, body, len);
		o->body = o->owned;
		o->len = len;
	} else {
		view_message_put(message);
		return;
	}
	peer_put(p, o);
}

void peer_owned(struct peer *p, const void *head, size_t head_len, void *body,
		size_t len)
{
	struct outgoing *o = peer_new(p, true, head, head_len);

	if (!o) {
		free(body);
		return;
	}
	o->owned = body;
	o->body = body;
	o->len = len;
	peer_put(p, o);
}

void peer_note(struct peer *p, int64_t now)
{
	if (!window_stalled(&p->window, now))
		return;
	board_lock(p->view->board);
	feed_note(&p->feed, p->view->board, true);
	board_unlock(p->view->board);
}

bool peer_next(struct peer *p, struct feed_item *item)
{
	const int64_t now = loop_now();
	const bool stalled = window_stalled(&p->window, now);
	bool found;

	p->feed.now = now;
	board_lock(p->view->board);
	feed_note(&p->feed, p->view->board, stalled);
	found = feed_next(&p->feed, p->view->board, item);
	board_unlock(p->view->board);
	return found;
}
