// SPDX-License-Identifier: GPL-2.0-only
/*
 * foxglove_publish - messages of clients, to a robot
 *
 * Only topics that the user allowed. A message that may be older than the view's
 * publish_age is refused: after a stall the connection delivers what an operator
 * wanted long ago. Its age is bounded by the last pong: what arrives now was
 * sent after that pong, and so after its ping. No part of the round trip may be
 * taken off: the way back can have all of the delay.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/wire.h"
#include "view/foxglove_parts.h"

#define SECOND	1000000000LL

static bool is_allowed(const struct foxglove *f, const char *topic)
{
	for (const char *const *t = f->peer.view->publish; t && *t; t++)
		if (!strcmp(*t, topic))
			return true;
	return false;
}

static const char *take_channel(struct foxglove *f, const cJSON *one)
{
	const char *topic = cJSON_GetStringValue(cJSON_GetObjectItem(one,
								     "topic"));
	const char *encoding = cJSON_GetStringValue(
					cJSON_GetObjectItem(one, "encoding"));
	const char *type = cJSON_GetStringValue(
					cJSON_GetObjectItem(one, "schemaName"));
	struct foxglove_channel *c = &f->channel[f->channels];
	uint32_t id;
	int kind;

	if (!topic || !encoding || !type || !foxglove_number(one, "id", &id))
		return "a channel needs id, topic, encoding and schemaName";
	if (!is_allowed(f, topic))
		return "this topic is not in allow-publish of optsample-view";
	kind = message_any_kind_of(type);
	if (kind < 0)
		return "unknown type";
	if (strcmp(encoding, "cdr") && strcmp(encoding, "ros1"))
		return "the encoding must be cdr or ros1";
	for (unsigned int i = 0; i < f->channels; i++)
		if (f->channel[i].id == id)
			return "this channel is advertised already";
	if (f->channels == FOXGLOVE_CHANNELS)
		return "too many channels";
	c->id = id;
	c->kind = kind;
	c->format = *encoding == 'c' ? MESSAGE_CDR : MESSAGE_ROS1;
	snprintf(c->topic, sizeof(c->topic), "%s", topic);
	f->channels++;
	return NULL;
}

void foxglove_client_advertise(struct foxglove *f, const cJSON *o)
{
	const cJSON *one;
	char text[BOARD_NAME + 128];

	cJSON_ArrayForEach(one, cJSON_GetObjectItem(o, "channels")) {
		const char *topic = cJSON_GetStringValue(
					cJSON_GetObjectItem(one, "topic"));
		const char *why = take_channel(f, one);

		if (!why)
			continue;
		snprintf(text, sizeof(text), "cannot publish %.200s: %s",
			 topic ? topic : "", why);
		foxglove_status(f, 2, NULL, text);
	}
}

void foxglove_client_unadvertise(struct foxglove *f, const cJSON *o)
{
	const cJSON *one;
	uint32_t id;

	cJSON_ArrayForEach(one, cJSON_GetObjectItem(o, "channelIds")) {
		if (!foxglove_number(one, NULL, &id))
			continue;
		for (unsigned int i = 0; i < f->channels; i++)
			if (f->channel[i].id == id) {
				assert(f->channels);
				f->channel[i] = f->channel[--f->channels];
			}
	}
}

/* Counted; said at most once a second */
static void refuse(struct foxglove *f, const struct foxglove_channel *c,
		   const char *why)
{
	const int64_t now = loop_now();
	char text[ACTION_TEXT + 128];

	f->refused++;
	__atomic_add_fetch(&f->peer.view->refused, 1, __ATOMIC_RELAXED);
	if (now - f->refused_said < SECOND)
		return;
	f->refused_said = now;
	snprintf(text, sizeof(text), "%s: message refused: %s (%llu so far)",
		 c->topic, why, (unsigned long long)f->refused);
	foxglove_status(f, 2, "refused", text);
}

int foxglove_client_message(struct foxglove *f, const uint8_t *data, size_t len)
{
	const struct foxglove_channel *c = NULL;
	const uint32_t most = f->peer.view->publish_age;
	struct action a = { .type = ACTION_PUBLISH,
			    .until = f->peer.answered + most * 1000000LL };
	static union message scratch;
	char why[64];
	uint32_t id;

	if (len < 4)
		return peer_fail(&f->peer, "it sent a cut message");
	id = get_le32(data);
	for (unsigned int i = 0; i < f->channels; i++)
		if (f->channel[i].id == id)
			c = &f->channel[i];
	if (!c) {
		foxglove_status(f, 1, NULL, "message on a channel that is not "
				"advertised");
		return 0;
	}
	data += 4;
	len -= 4;
	if ((int64_t)loop_now() > a.until) {
		snprintf(why, sizeof(why), "it may be older than %u ms", most);
		refuse(f, c, why);
		return 0;
	}
	if (message_read(c->kind, c->format, data, len, &scratch)) {
		refuse(f, c, "it is damaged");
		return 0;
	}
	snprintf(a.topic, sizeof(a.topic), "%s", c->topic);
	a.kind = c->kind;
	a.format = c->format;
	a.len = len;
	a.message = malloc(len ? len : 1);
	if (!a.message)
		return peer_fail(&f->peer, "no memory");
	memcpy(a.message, data, len);
	if (actions_put(f->peer.view->actions, &a))
		refuse(f, c, "too many messages");
	return 0;
}
