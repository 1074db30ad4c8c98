// SPDX-License-Identifier: GPL-2.0-only
/*
 * foxglove_services - questions to gdimd as services
 *
 * Requests and responses are JSON: the responses are gdimd's own answers
 * (Documentation/gdim-http.md).
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/wire.h"
#include "view/foxglove_parts.h"

#define SCHEMA(properties) \
	"{\"type\":\"object\",\"properties\":{" properties "}}"

/* Write the path of a question. Return: false: something is missing */
static bool path_of_spot(const cJSON *o, char *path, size_t room)
{
	const cJSON *x = cJSON_GetObjectItem(o, "x");
	const cJSON *y = cJSON_GetObjectItem(o, "y");

	if (!cJSON_IsNumber(x) || !cJSON_IsNumber(y) ||
	    !isfinite(x->valuedouble) || !isfinite(y->valuedouble))
		return false;
	snprintf(path, room, "spot?x=%.6f&y=%.6f", x->valuedouble,
		 y->valuedouble);
	return true;
}

static bool path_of_room(const cJSON *o, char *path, size_t room)
{
	uint32_t id;

	if (!foxglove_number(o, "room", &id))
		return false;
	snprintf(path, room, "rooms/%u", id);
	return true;
}

/**
 * struct question - a service; its number is its place + 1
 * @path:	of gdimd, or NULL: @path_of writes it
 * @must:	what a request must have
 */
static const struct question {
	const char	*name, *type, *schema, *path;
	bool		(*path_of)(const cJSON *o, char *path, size_t room);
	const char	*must;
} questions[] = {
	{ "/gdim/spot", "gdim.Spot",
	  SCHEMA("\"x\":{\"type\":\"number\"},\"y\":{\"type\":\"number\"}"),
	  NULL, path_of_spot, "x and y, m" },
	{ "/gdim/room", "gdim.Room",
	  SCHEMA("\"room\":{\"type\":\"integer\"}"), NULL, path_of_room,
	  "room, its id" },
	{ "/gdim/rooms", "gdim.Rooms", SCHEMA(""), "rooms", NULL, NULL },
	{ "/gdim/layers", "gdim.Layers", SCHEMA(""), "layers", NULL, NULL },
	{ "/gdim/status", "gdim.Status", SCHEMA(""), "status", NULL, NULL },
};

enum { QUESTIONS = sizeof(questions) / sizeof(*questions) };

static void add_side(cJSON *o, const char *key, const char *name,
		     const char *schema)
{
	cJSON *side = cJSON_AddObjectToObject(o, key);

	cJSON_AddStringToObject(side, "encoding", "json");
	cJSON_AddStringToObject(side, "schemaName", name);
	cJSON_AddStringToObject(side, "schemaEncoding", "jsonschema");
	cJSON_AddStringToObject(side, "schema", schema);
}

void foxglove_advertise_services(struct foxglove *f)
{
	cJSON *o, *list;

	if (!f->peer.view->gdim)
		return;
	o = peer_begin("advertiseServices");
	list = cJSON_AddArrayToObject(o, "services");
	for (unsigned int i = 0; i < QUESTIONS; i++) {
		const struct question *q = &questions[i];
		cJSON *one = cJSON_CreateObject();
		char name[64];

		cJSON_AddNumberToObject(one, "id", i + 1);
		cJSON_AddStringToObject(one, "name", q->name);
		cJSON_AddStringToObject(one, "type", q->type);
		snprintf(name, sizeof(name), "%s_Request", q->type);
		add_side(one, "request", name, q->schema);
		snprintf(name, sizeof(name), "%s_Response", q->type);
		add_side(one, "response", name, SCHEMA(""));
		/* for clients of ws-protocol before 0.7 */
		cJSON_AddStringToObject(one, "requestSchema", q->schema);
		cJSON_AddStringToObject(one, "responseSchema", SCHEMA(""));
		cJSON_AddItemToArray(list, one);
	}
	peer_json(&f->peer, o);
}

static void fail_call(struct foxglove *f, uint32_t service, uint32_t call,
		      const char *text)
{
	cJSON *o = peer_begin("serviceCallFailure");

	cJSON_AddNumberToObject(o, "serviceId", service);
	cJSON_AddNumberToObject(o, "callId", call);
	cJSON_AddStringToObject(o, "message", text);
	peer_json(&f->peer, o);
}

/* Return: NULL, or why not */
static const char *ask(struct foxglove *f, uint32_t service, uint32_t call,
		       const char *encoding, size_t n, const uint8_t *data,
		       size_t len, char *text, size_t room)
{
	const struct question *q;
	char path[GDIM_PATH];
	cJSON *o;
	bool good;

	if (!f->peer.view->gdim || !service || service > QUESTIONS)
		return "no such service";
	if (n != 4 || memcmp(encoding, "json", 4))
		return "the encoding must be json";
	q = &questions[service - 1];
	if (q->path) {
		snprintf(path, sizeof(path), "%s", q->path);
	} else {
		o = cJSON_ParseWithLength((const char *)data, len);
		good = q->path_of(o, path, sizeof(path));
		cJSON_Delete(o);
		if (!good) {
			snprintf(text, room, "the request needs %s", q->must);
			return text;
		}
	}
	return gdim_request(f->peer.view->gdim, path, "", f->peer.id,
			    (uint64_t)service << 32 | call) ?
	       "too many requests" : NULL;
}

int foxglove_service_call(struct foxglove *f, const uint8_t *data, size_t len)
{
	uint32_t service, call, n;
	const char *why;
	char text[96];

	if (len < 12)
		return peer_fail(&f->peer, "it sent a cut request");
	service = get_le32(data);
	call = get_le32(data + 4);
	n = get_le32(data + 8);
	if (n > len - 12)
		return peer_fail(&f->peer, "it sent a damaged request");
	why = ask(f, service, call, (const char *)data + 12, n, data + 12 + n,
		  len - 12 - n, text, sizeof(text));
	if (why)
		fail_call(f, service, call, why);
	return 0;
}

void foxglove_answered(struct peer *p, const struct gdim_result *r)
{
	struct foxglove *f = foxglove_of(p);
	const uint32_t service = r->tag >> 32, call = (uint32_t)r->tag;
	uint8_t head[17] = { 3 };
	cJSON *o;
	const char *why;

	if (r->status == 200) {
		put_le32(head + 1, service);
		put_le32(head + 5, call);
		put_le32(head + 9, 4);
		memcpy(head + 13, "json", 4);
		peer_binary(p, head, sizeof(head), r->body.data, r->body.len,
			    NULL);
		return;
	}
	o = cJSON_ParseWithLength((const char *)r->body.data, r->body.len);
	why = cJSON_GetStringValue(cJSON_GetObjectItem(o, "error"));
	fail_call(f, service, call, why ? why : "gdimd does not answer");
	cJSON_Delete(o);
}
