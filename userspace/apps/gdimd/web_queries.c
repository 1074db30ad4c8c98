// SPDX-License-Identifier: GPL-2.0-only
/*
 * web_queries - queries as JSON, as on the daemon's socket: from the site, in
 * the threads of the server
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "apps/gdimd/web_parts.h"
#include "base/cli.h"
#include "base/error.h"
#include "map/site/queries.h"

/* Sends @answer, or the error. Return: the status */
static int web_queries_finish(struct web_worker *w, int err, cJSON *answer,
			      const char *error)
{
	if (!err)
		return web_json(w, answer);
	cJSON_Delete(answer);
	return web_fail(w, err, error);
}

int web_answer_spot(struct web_worker *w)
{
	struct error error = { "" };
	cJSON *answer;
	double x, y;
	int err;

	if (web_request_only(&w->request, "x y", &error) ||
	    web_request_number(&w->request, "x", -POSE_MAX, POSE_MAX, &x,
			       &error) ||
	    web_request_number(&w->request, "y", -POSE_MAX, POSE_MAX, &y,
			       &error))
		return web_fail(w, -EINVAL, error.text);
	answer = cJSON_CreateObject();
	err = query_spot(w->web->config.site, x, y, answer, &error);
	return web_queries_finish(w, err, answer, error.text);
}

int web_answer_layers(struct web_worker *w)
{
	cJSON *answer = cJSON_CreateObject();

	return web_queries_finish(w, query_layers(w->web->config.site, answer),
				  answer, "");
}

int web_answer_layer(struct web_worker *w, unsigned int layer)
{
	cJSON *answer = cJSON_CreateObject(), *item = NULL, *found = NULL, *i;
	const uint64_t revision = web_revision(w, layer);
	struct layer l;

	site_layer(w->web->config.site, layer, &l);
	if (!query_layers(w->web->config.site, answer))
		cJSON_ArrayForEach(i, cJSON_GetObjectItem(answer, "layers"))
			if (!strcmp(cJSON_GetStringValue(
				    cJSON_GetObjectItem(i, "name")), l.name))
				found = i;
	if (found)
		item = cJSON_DetachItemViaPointer(
			cJSON_GetObjectItem(answer, "layers"), found);
	cJSON_Delete(answer);
	cJSON_AddNumberToObject(item, "revision", revision);
	return web_queries_finish(w, item ? 0 : -ENOMEM, item, "");
}

int web_answer_rooms(struct web_worker *w)
{
	cJSON *answer = cJSON_CreateObject();
	struct error error = { "" };
	int err = query_rooms(w->web->config.site, answer, &error);

	return web_queries_finish(w, err, answer, error.text);
}

int web_answer_edges(struct web_worker *w)
{
	cJSON *answer = cJSON_CreateObject();
	struct error error = { "" };
	int err = query_edges(w->web->config.site, answer, &error);

	return web_queries_finish(w, err, answer, error.text);
}

int web_answer_room(struct web_worker *w, const char *id)
{
	struct error error = { "" };
	cJSON *answer;
	uint32_t number;
	int err;

	if (parse_u32(id, 0, ROOM_ID_MAX, &number)) {
		snprintf(error.text, sizeof(error.text), "a room must be a number, 0..%d",
			 ROOM_ID_MAX);
		return web_fail(w, -EINVAL, error.text);
	}
	answer = cJSON_CreateObject();
	err = query_room(w->web->config.site, number, answer, &error);
	return web_queries_finish(w, err, answer, error.text);
}
