/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * web_parts.h - internals of the server; for web*.c only
 */
#ifndef APPS_GDIMD_WEB_PARTS_H
#define APPS_GDIMD_WEB_PARTS_H

#include <cjson/cJSON.h>
#include <pthread.h>
#include "apps/gdimd/web.h"
#include "apps/gdimd/web_request.h"
#include "base/bytes.h"
#include "base/http_auth.h"
#include "base/http_server.h"
#include "base/loop_call.h"
#include "map/site/peaks.h"
#include "map/site/site.h"

enum {
	WEB_THREADS	= 32,		/* requests answered concurrently */
	WEB_BODY	= 1 << 20,	/* bytes of a request */
	WEB_HEAD	= 1024,		/* bytes before the body of an answer */
	WEB_PATIENCE	= 5000,		/* ms, for clients and for the loop */
};

struct web_worker;

/**
 * struct web
 * @calls:	to the loop
 * @whole:	held while drawing a whole map, which needs much memory
 * @run:	number of this run of the daemon: revisions restart with it
 * @nothing:	an empty tile
 * @requests, @errors: atomic
 * @worker:	WEB_THREADS of them, and one of the thread of connections
 */
struct web {
	struct web_config	config;
	struct loop_call	*calls;
	struct http_server	*server;
	struct http_auth		auth;
	struct peaks		*peaks;
	pthread_mutex_t		whole;
	uint64_t		run;
	struct bytes		nothing;
	uint64_t		requests, errors;
	struct web_worker	*worker;
};

/**
 * struct web_worker - a thread of the server; reused for each request
 * @conn, @asked: the current request
 * @head:	HEAD: answer without a body
 * @stays:	the connection stays open
 * @out:	the answer; its body begins at WEB_HEAD
 * @cells, @drawn, @small: of pictures; @..._room: their capacity
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
 * @type:	of the content; NULL: no body
 * @lines:	more of the header, each with its CR LF; "": none
 *
 * Return: @status.
 */
int web_reply(struct web_worker *w, int status, const char *type,
	      const char *lines);

/* Start the body of an answer. Return: 0, -ENOMEM */
int web_begin(struct web_worker *w);

/* {"error": @text}. Return: @status */
int web_refuse(struct web_worker *w, int status, const char *text);

/* Status 405; @allow: the methods of the path, "GET, HEAD". Return: 405 */
int web_refuse_method(struct web_worker *w, const char *allow);

/* As web_refuse(), with the HTTP status of an errno */
int web_fail(struct web_worker *w, int err, const char *text);

/* Deletes @answer. Return: the status */
int web_json(struct web_worker *w, cJSON *answer);

/*
 * web_answer_...() - answer a request; w->request has the parts of its path.
 * Return: the status.
 */
int web_answer_spot(struct web_worker *w);
int web_answer_layers(struct web_worker *w);
int web_answer_layer(struct web_worker *w, unsigned int layer);
int web_answer_rooms(struct web_worker *w);
int web_answer_edges(struct web_worker *w);
int web_answer_room(struct web_worker *w, const char *id);
int web_answer_status(struct web_worker *w);
int web_answer_topics(struct web_worker *w);
int web_answer_metrics(struct web_worker *w);
int web_answer_rate(struct web_worker *w);
int web_answer_command(struct web_worker *w);

/* web_tiles.c; @layer is the number of the path's layer */
int web_answer_picture(struct web_worker *w, unsigned int layer);
int web_answer_tile(struct web_worker *w, unsigned int layer);
int web_answer_values(struct web_worker *w, unsigned int layer, bool png);

/* web_peaks.c */
int web_answer_peaks(struct web_worker *w, unsigned int layer);

/* Prepare the empty tile. Return: 0 or a negative errno */
int web_tiles_open(struct web *web);

/* Free memory that a single large answer needed */
void web_tiles_trim(struct web_worker *w);
void web_tiles_close(struct web_worker *w);

/* Number of changes of the fused map of a layer */
uint64_t web_revision(struct web_worker *w, unsigned int layer);

#endif
