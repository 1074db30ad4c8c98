// SPDX-License-Identifier: GPL-2.0-only
/*
 * input_topics - the topics of /gdim/input/, and who takes their messages
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include "base/service.h"
#include "map/ros/input_topics.h"
#include "map/ros/wildcard.h"

static enum message_kind kind_of(const struct map_config_layer *l)
{
	return strstr(l->words, "bits=16") ? MESSAGE_GRID_MAP :
					     MESSAGE_OCCUPANCY_GRID;
}

static const char *topic_of(const struct input_topics *t, const char *input,
			    char topic[MAP_CONFIG_TEXT])
{
	snprintf(topic, MAP_CONFIG_TEXT, INPUT_TOPICS_PREFIX "%s", input);
	return map_config_topic(t->config, topic);
}

/* Images are only shown, all else is stored: subscribe reliably */
static void subscribe(struct source *s, const char *topic,
		      enum message_kind kind)
{
	const int err = kind == MESSAGE_IMAGE ?
			source_subscribe(s, topic, kind) :
			source_subscribe_all(s, topic, kind);

	/* not in the recording, or already subscribed */
	if (err && err != -ENOENT && err != -EEXIST)
		service_logf(LOG_WARNING, "%s: %s", topic, strerror(-err));
}

/*
 * Messages other than maps
 */

static int take_image(const struct input_topics *t, const char *topic,
		      const union message *m)
{
	const int err = map_input_image(t->input, topic, &m->image);

	return err ? err : t->image(t->arg, m);
}

static int take_transforms(const struct input_topics *t, const char *topic,
			   const union message *m)
{
	const int err = map_input_transforms(t->input, topic, &m->tf);

	if (!err)
		t->stored(t->arg, MAP_PUBLISHER_TRANSFORMS);
	return err;
}

static int take_repeaters(const struct input_topics *t, const char *topic,
			  const union message *m)
{
	const int err = map_input_repeaters(t->input, topic, &m->polygon);

	if (!err)
		t->stored(t->arg, MAP_PUBLISHER_REPEATERS);
	return err;
}

static int take_rooms(const struct input_topics *t, const char *topic,
		      const union message *m)
{
	return map_input_rooms(t->input, topic, m->uint8.data);
}

static int take_room(const struct input_topics *t, const char *topic,
		     const union message *m)
{
	return map_input_room(t->input, topic, &m->room);
}

static int take_graph(const struct input_topics *t, const char *topic,
		      const union message *m)
{
	return map_input_graph(t->input, topic, &m->graph);
}

static const struct {
	const char		*name;
	enum message_kind	kind;
	int			(*take)(const struct input_topics *t,
					const char *topic,
					const union message *m);
} others[] = {
	{ "thermal_image", MESSAGE_IMAGE, take_image },
	{ "submap_transform", MESSAGE_TRANSFORMS, take_transforms },
	{ "repeater_map", MESSAGE_POLYGON, take_repeaters },
	{ "rooms", MESSAGE_UINT8, take_rooms },
	{ "room_information", MESSAGE_ROOM, take_room },
	{ "pose_graph", MESSAGE_POSE_GRAPH, take_graph },
};

enum { OTHERS = sizeof(others) / sizeof(*others) };

/*
 * All topics
 */

void input_topics_subscribe(const struct input_topics *t, struct source *s)
{
	char input[LAYER_NAME], topic[MAP_CONFIG_TEXT];

	for (unsigned int i = 0; i < OTHERS; i++)
		subscribe(s, topic_of(t, others[i].name, topic),
			  others[i].kind);
	for (unsigned int i = 0; i < t->config->layers; i++) {
		const struct map_config_layer *l = &t->config->layer[i];

		map_config_input(l, input);
		if (!wildcard_in(input))
			subscribe(s, topic_of(t, input, topic), kind_of(l));
	}
}

/* The line for a topic, and the name of its layer */
static const struct map_config_layer *
find_line(const struct input_topics *t, const char *topic,
	  char name[LAYER_NAME])
{
	char input[LAYER_NAME], full[MAP_CONFIG_TEXT];

	for (unsigned int i = 0; i < t->config->layers; i++) {
		const struct map_config_layer *l = &t->config->layer[i];

		map_config_input(l, input);
		if (!wildcard_fill(topic_of(t, input, full), topic, l->name,
				   name, LAYER_NAME))
			return l;
	}
	return NULL;
}

void input_topics_found(const struct input_topics *t, struct source *s,
			const char *topic, enum message_kind kind)
{
	char name[LAYER_NAME];
	const struct map_config_layer *l = find_line(t, topic, name);

	if (l && kind == kind_of(l))
		subscribe(s, topic, kind);
	else if (l)
		map_input_unknown(t->input, topic,
				  kind_of(l) == MESSAGE_GRID_MAP ?
				  "not of type grid_map_msgs/GridMap" :
				  "not of type nav_msgs/OccupancyGrid");
	else if (!strncmp(topic, INPUT_TOPICS_PREFIX,
			  strlen(INPUT_TOPICS_PREFIX)))
		map_input_unknown(t->input, topic, "no layer uses this topic");
}

int input_topics_take(const struct input_topics *t,
		      const struct source_message *m, union message *msg)
{
	char name[LAYER_NAME], topic[MAP_CONFIG_TEXT];
	const struct map_config_layer *l;

	assert(t->input && t->config);
	if (message_read(m->kind, m->format, m->data, m->len, msg)) {
		map_input_damaged(t->input, m->topic);
		return -EBADMSG;
	}
	for (unsigned int i = 0; i < OTHERS; i++)
		if (!strcmp(topic_of(t, others[i].name, topic), m->topic) &&
		    others[i].kind == m->kind)
			return others[i].take(t, m->topic, msg);
	l = find_line(t, m->topic, name);
	return l ? map_input_map(t->input, m->topic, l, name, m->kind, msg) :
		   -ENOENT;
}
