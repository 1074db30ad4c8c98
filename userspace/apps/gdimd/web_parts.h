/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * web_parts.h - what the server consists of; for web*.c only
 */
#ifndef APPS_GDIMD_WEB_PARTS_H
#define APPS_GDIMD_WEB_PARTS_H

#include <cjson/cJSON.h>
#include <pthread.h>
#include "apps/gdimd/http_server.h"
#include "apps/gdimd/web.h"
#include "apps/gdimd/web_auth.h"
#include "apps/gdimd/web_request.h"
#include "base/bytes.h"
#include "base/loop_call.h"
#include "map/site/site.h"

enum {
	WEB_THREADS	= 32,		/* requests that are answered at once */
	WEB_BODY	= 1 << 20,	/* bytes of a request */
	WEB_HEAD	= 1024,		/* bytes before the body of an answer */
	WEB_PATIENCE	= 5000,		/* ms: with clients, and for the loop */
};

struct web_worker;

/**
 * struct web
 * @calls:	to the loop
 * @whole:	held while a whole map is drawn: these need much memory
 * @run:	this time that the daemon runs: revisions begin anew with it
 * @nothing:	a tile with nothing known
 * @requests, @errors: of any thread, atomic
 * @worker:	WEB_THREADS of them, and that of the thread of connections
 */
struct web {
	struct web_config	config;
	struct loop_call	*calls;
	struct http_server	*server;
	struct web_auth		auth;
	pthread_mutex_t		whole;
	uint64_t		run;
	struct bytes		nothing;
	uint64_t		requests, errors;
	struct web_worker	*worker;
};

/**
 * struct web_worker - a thread of the server; all of it is kept for the next
 * @conn, @asked: the request that it works on
 * @head:	it is to be answered without a body
 * @stays:	the connection does
 * @out:	the answer; its body begins at WEB_HEAD
 * @cells, @drawn, @small: of pictures, with the @..._room they have
 */
struct web_worker {
	struct web			*web;
	struct http_conn		*conn;
	const struct http_request	*asked;
	struct web_request		request;
	bool				head, stays;
	struct bytes			out;
	int16_t				*cells, *drawn;
	size_t				cells_room, drawn_room;
	struct raster			small;
	size_t				small_room;
};

/**
 * web_reply() - send w->out from WEB_HEAD on
 * @type:	NULL: there is no body
 * @lines:	more of the header, each with its CR LF; "": none
 *
 * Return: @status.
 */
int web_reply(struct web_worker *w, int status, const char *type,
	      const char *lines);

/* The body of an answer begins anew. Return: 0, -ENOMEM */
int web_begin(struct web_worker *w);

/* {"error": @text}. Return: @status */
int web_refuse(struct web_worker *w, int status, const char *text);

/* As web_refuse(), with the status that suits an errno */
int web_fail(struct web_worker *w, int err, const char *text);

/* Deletes @answer. Return: the status */
int web_json(struct web_worker *w, cJSON *answer);

/*
 * web_answer_...() - answer a request; parts of its path are w->request's.
 * Return: the status.
 */
int web_answer_spot(struct web_worker *w);
int web_answer_layers(struct web_worker *w);
int web_answer_layer(struct web_worker *w, unsigned int layer);
int web_answer_rooms(struct web_worker *w);
int web_answer_room(struct web_worker *w, const char *id);
int web_answer_status(struct web_worker *w);
int web_answer_topics(struct web_worker *w);
int web_answer_metrics(struct web_worker *w);
int web_answer_rate(struct web_worker *w);
int web_answer_command(struct web_worker *w);

/* web_tiles.c; @name is that of the layer */
int web_answer_picture(struct web_worker *w, unsigned int layer);
int web_answer_tile(struct web_worker *w, unsigned int layer);
int web_answer_values(struct web_worker *w, unsigned int layer, bool png);

/* The tile of those who know nothing. Return: 0 or a negative errno */
int web_tiles_open(struct web *web);

/* Memory that a single large answer needed */
void web_tiles_trim(struct web_worker *w);
void web_tiles_close(struct web_worker *w);

/* How often the fused map of a layer changed */
uint64_t web_revision(struct web_worker *w, unsigned int layer);

#endif
