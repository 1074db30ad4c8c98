// SPDX-License-Identifier: GPL-2.0-only
/*
 * foxglove_parameters - priorities and focus of robots as parameters:
 * /ROBOT/focus, a topic or "", and /ROBOT/priority/TOPIC, 0..7
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "view/foxglove_parts.h"

enum { NAME = 2 * BOARD_NAME + 16 };

static void add_parameter(cJSON *list, const char *name, cJSON *value)
{
	cJSON *one = cJSON_CreateObject();

	cJSON_AddStringToObject(one, "name", name);
	cJSON_AddItemToObject(one, "value", value);
	cJSON_AddItemToArray(list, one);
}

static void add_robot(cJSON *list, const struct board_source *s)
{
	const char *focus = "";
	char name[NAME];

	for (unsigned int i = 0; i < s->status.topics; i++) {
		const struct robot_topic *t = &s->status.topic[i];

		if (t->focus)
			focus = t->name;
		snprintf(name, sizeof(name), "/%s/priority%s%s", s->name,
			 *t->name == '/' ? "" : "/", t->name);
		add_parameter(list, name, cJSON_CreateNumber(t->priority));
	}
	snprintf(name, sizeof(name), "/%s/focus", s->name);
	add_parameter(list, name, cJSON_CreateString(focus));
}

static bool is_wanted(const cJSON *names, const char *name)
{
	const cJSON *one;

	if (!cJSON_GetArraySize(names))
		return true;
	cJSON_ArrayForEach(one, names)
		if (cJSON_IsString(one) && !strcmp(one->valuestring, name))
			return true;
	return false;
}

/* @names: an array of names; NULL or empty: all */
static cJSON *parameters(struct foxglove *f, const cJSON *names)
{
	struct board *b = f->peer.view->board;
	cJSON *all = cJSON_CreateArray(), *list = cJSON_CreateArray(), *one;

	board_lock(b);
	for (unsigned int i = 0; i < board_sources(b); i++)
		if (board_source(b, i)->status.t)
			add_robot(all, board_source(b, i));
	board_unlock(b);
	while ((one = cJSON_DetachItemFromArray(all, 0))) {
		if (is_wanted(names, cJSON_GetObjectItem(one, "name")
			      ->valuestring))
			cJSON_AddItemToArray(list, one);
		else
			cJSON_Delete(one);
	}
	cJSON_Delete(all);
	return list;
}

static void send_parameters(struct foxglove *f, cJSON *list, const cJSON *id)
{
	cJSON *o = peer_begin("parameterValues");

	cJSON_AddItemToObject(o, "parameters", list);
	if (cJSON_IsString(id))
		cJSON_AddStringToObject(o, "id", id->valuestring);
	peer_json(&f->peer, o);
}

void foxglove_get_parameters(struct foxglove *f, const cJSON *o)
{
	send_parameters(f, parameters(f, cJSON_GetObjectItem(o,
							"parameterNames")),
			cJSON_GetObjectItem(o, "id"));
}

/* /ROBOT/REST. Return: what follows the robot's name, or NULL */
static const char *of_robot(struct board *b, const char *name, char *robot)
{
	const char *rest = NULL;

	board_lock(b);
	for (unsigned int i = 0; i < board_sources(b) && !rest; i++) {
		const char *s = board_source(b, i)->name;
		const size_t n = strlen(s);

		if (*name != '/' || strncmp(name + 1, s, n) ||
		    name[n + 1] != '/')
			continue;
		snprintf(robot, ACTION_TEXT, "%.255s", s);
		rest = name + n + 2;
	}
	board_unlock(b);
	return rest;
}

/* The topic as the robot calls it: with or without a leading slash */
static bool has_topic(struct board *b, const char *robot, const char *topic,
		      char name[ACTION_TEXT])
{
	bool found = false;

	board_lock(b);
	for (unsigned int i = 0; i < board_sources(b); i++) {
		const struct board_source *s = board_source(b, i);

		if (strcmp(s->name, robot))
			continue;
		for (unsigned int k = 0; k < s->status.topics; k++) {
			const char *t = s->status.topic[k].name;

			if (strcmp(t, topic) && (*t != '/' ||
						 strcmp(t + 1, topic)))
				continue;
			snprintf(name, ACTION_TEXT, "%s", t);
			found = true;
		}
	}
	board_unlock(b);
	return found;
}

/* Return: NULL, or why it is refused */
static const char *set_parameter(struct foxglove *f, const char *name,
				 const cJSON *value)
{
	static const char priority[] = "priority/";
	struct board *b = f->peer.view->board;
	struct action a = { 0 };
	const char *rest = of_robot(b, name, a.source);

	if (!f->peer.view->control)
		return "priorities and focus cannot be set: no robot listens";
	if (!rest)
		return "no such parameter";
	if (!strcmp(rest, "focus")) {
		if (!cJSON_IsString(value))
			return "focus is the name of a topic, or empty";
		a.type = ACTION_FOCUS;
		if (*value->valuestring &&
		    !has_topic(b, a.source, value->valuestring, a.topic))
			return "the robot sends no such topic";
	} else if (!strncmp(rest, priority, sizeof(priority) - 1)) {
		if (!cJSON_IsNumber(value) || !(value->valuedouble >= 0) ||
		    value->valuedouble > 7 ||
		    value->valuedouble != (int)value->valuedouble)
			return "a priority is 0..7";
		a.type = ACTION_PRIORITY;
		a.value = value->valuedouble;
		if (!has_topic(b, a.source, rest + sizeof(priority) - 1,
			       a.topic))
			return "the robot sends no such topic";
	} else {
		return "no such parameter";
	}
	return actions_put(f->peer.view->actions, &a) ? "too many commands" :
	       NULL;
}

/* The answer has the values that are valid now; new ones follow as updates */
void foxglove_set_parameters(struct foxglove *f, const cJSON *o)
{
	const cJSON *id = cJSON_GetObjectItem(o, "id"), *one;
	cJSON *names = cJSON_CreateArray();
	char text[NAME + 64];

	cJSON_ArrayForEach(one, cJSON_GetObjectItem(o, "parameters")) {
		const char *name = cJSON_GetStringValue(
					cJSON_GetObjectItem(one, "name"));
		const char *why = name ? set_parameter(f, name,
					cJSON_GetObjectItem(one, "value")) :
				  "a parameter needs a name";

		if (name)
			cJSON_AddItemToArray(names, cJSON_CreateString(name));
		if (!why)
			continue;
		snprintf(text, sizeof(text), "%.256s: %s", name ? name : "",
			 why);
		foxglove_status(f, 1, NULL, text);
	}
	if (cJSON_IsString(id) && cJSON_GetArraySize(names))
		send_parameters(f, parameters(f, names), id);
	cJSON_Delete(names);
}

/* All of them or none: they are few */
void foxglove_subscribe_parameters(struct foxglove *f, const cJSON *o)
{
	(void)o;
	f->wants_parameters = true;
	f->sent_parameters = 0;
}

void foxglove_unsubscribe_parameters(struct foxglove *f, const cJSON *o)
{
	(void)o;
	f->wants_parameters = false;
}

static uint64_t status_changes(struct board *b)
{
	uint64_t sum = 1;

	board_lock(b);
	for (unsigned int i = 0; i < board_sources(b); i++)
		sum += board_source(b, i)->status.changes;
	board_unlock(b);
	return sum;
}

bool foxglove_send_parameters(struct foxglove *f)
{
	const uint64_t changes = f->wants_parameters ?
				 status_changes(f->peer.view->board) : 0;
	uint64_t hash;
	cJSON *list;
	char *text;

	if (!changes || changes == f->seen_status)
		return false;
	f->seen_status = changes;
	list = parameters(f, NULL);
	text = cJSON_PrintUnformatted(list);
	hash = text ? hash_bytes(text, strlen(text)) : 0;
	cJSON_free(text);
	if (hash == f->sent_parameters) {
		cJSON_Delete(list);
		return false;
	}
	f->sent_parameters = hash;
	send_parameters(f, list, NULL);
	return true;
}
