// SPDX-License-Identifier: GPL-2.0-only
/*
 * inputs - input topics, and who handles their messages
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include "apps/gdimd/gdimd.h"
#include "map/ros/wildcard.h"
#include "base/service.h"

#define PREFIX	"/gdim/input/"

static bool takes_grid_map(const struct map_config_layer *l)
{
	return strstr(l->words, "bits=16");
}

static const char *inputs_topic_of(const struct gdimd *g, const char *input,
				   char topic[MAP_CONFIG_TEXT])
{
	snprintf(topic, MAP_CONFIG_TEXT, PREFIX "%s", input);
	return map_config_topic(&g->config.map, topic);
}

/* Images are only shown, all else is stored: subscribe reliably */
static void inputs_subscribe(struct gdimd *g, const char *topic,
			     enum message_kind kind)
{
	const int err = kind == MESSAGE_IMAGE ?
			source_subscribe(g->source, topic, kind) :
			source_subscribe_all(g->source, topic, kind);

	/* not in the recording, or already subscribed */
	if (err && err != -ENOENT && err != -EEXIST)
		service_logf(LOG_WARNING, "%s: %s", topic, strerror(-err));
}

/*
 * Messages other than maps
 */

static int passed(struct gdimd *g, enum map_publisher_state what, int err)
{
	if (!err)
		gdimd_stored(g, 1U << what);
	return err;
}

static int thermal_image(struct gdimd *g, const char *topic,
			 const union message *m)
{
	const int err = map_input_image(g->input, topic, &m->image);

	if (err)
		return err;
	recorder_image(g->recorder, m);
	return map_publisher_pass(g->publisher, "thermal_image", MESSAGE_IMAGE,
				  false, m);
}

static int transform(struct gdimd *g, const char *topic,
		     const union message *m)
{
	return passed(g, MAP_PUBLISHER_TRANSFORMS,
		      map_input_transforms(g->input, topic, &m->tf));
}

static int repeaters(struct gdimd *g, const char *topic,
		     const union message *m)
{
	return passed(g, MAP_PUBLISHER_REPEATERS,
		      map_input_repeaters(g->input, topic, &m->polygon));
}

static int inputs_rooms(struct gdimd *g, const char *topic,
			const union message *m)
{
	return map_input_rooms(g->input, topic, m->uint8.data);
}

static int inputs_room(struct gdimd *g, const char *topic,
		       const union message *m)
{
	return map_input_room(g->input, topic, &m->room);
}

static const struct {
	const char		*name;
	enum message_kind	kind;
	int			(*take)(struct gdimd *g, const char *topic,
					const union message *m);
} others[] = {
	{ "thermal_image", MESSAGE_IMAGE, thermal_image },
	{ "submap_transform", MESSAGE_TRANSFORMS, transform },
	{ "repeater_map", MESSAGE_POLYGON, repeaters },
	{ "rooms", MESSAGE_UINT8, inputs_rooms },
	{ "room_information", MESSAGE_ROOM, inputs_room },
};

enum { OTHERS = sizeof(others) / sizeof(*others) };

/*
 * All topics
 */

void gdimd_subscribe(struct gdimd *g)
{
	char input[LAYER_NAME], topic[MAP_CONFIG_TEXT];

	for (unsigned int i = 0; i < OTHERS; i++)
		inputs_subscribe(g, inputs_topic_of(g, others[i].name, topic),
				 others[i].kind);
	for (unsigned int i = 0; i < g->config.map.layers; i++) {
		const struct map_config_layer *l = &g->config.map.layer[i];

		map_config_input(l, input);
		if (!wildcard_in(input))
			inputs_subscribe(g, inputs_topic_of(g, input, topic),
					 takes_grid_map(l) ? MESSAGE_GRID_MAP :
						      MESSAGE_OCCUPANCY_GRID);
	}
}

/* The line for a topic, and the name of its layer */
static const struct map_config_layer *
find_line(const struct gdimd *g, const char *topic, char name[LAYER_NAME])
{
	char input[LAYER_NAME], full[MAP_CONFIG_TEXT];

	for (unsigned int i = 0; i < g->config.map.layers; i++) {
		const struct map_config_layer *l = &g->config.map.layer[i];

		map_config_input(l, input);
		if (!wildcard_fill(inputs_topic_of(g, input, full), topic,
				   l->name, name, LAYER_NAME))
			return l;
	}
	return NULL;
}

void gdimd_found(void *gdimd, const char *topic, enum message_kind kind)
{
	struct gdimd *g = gdimd;
	char name[LAYER_NAME];
	const struct map_config_layer *l = find_line(g, topic, name);

	if (l && kind == (takes_grid_map(l) ? MESSAGE_GRID_MAP :
			  MESSAGE_OCCUPANCY_GRID))
		inputs_subscribe(g, topic, kind);
	else if (l)
		map_input_unknown(g->input, topic, takes_grid_map(l) ?
				  "not of type grid_map_msgs/GridMap" :
				  "not of type nav_msgs/OccupancyGrid");
	else if (!strncmp(topic, PREFIX, strlen(PREFIX)))
		map_input_unknown(g->input, topic, "no layer uses this topic");
}

static void inputs_take(struct gdimd *g, const struct source_message *m,
			const union message *msg)
{
	char name[LAYER_NAME], topic[MAP_CONFIG_TEXT];
	const struct map_config_layer *l;

	for (unsigned int i = 0; i < OTHERS; i++)
		if (!strcmp(inputs_topic_of(g, others[i].name, topic),
			    m->topic) &&
		    others[i].kind == m->kind) {
			others[i].take(g, m->topic, msg);
			return;
		}
	l = find_line(g, m->topic, name);
	if (l)
		map_input_map(g->input, m->topic, l, name, m->kind, msg);
}

static void inputs_read_message(struct gdimd *g, const struct source_message *m,
				union message *msg)
{
	if (message_read(m->kind, m->format, m->data, m->len, msg))
		map_input_damaged(g->input, m->topic);
	else
		inputs_take(g, m, msg);
}

void gdimd_store_message(void *gdimd, const struct source_message *m)
{
	static union message msg;	/* large */

	inputs_read_message(gdimd, m, &msg);
}

/* Images are passed on at once and not stored */
void gdimd_message(void *gdimd, const struct source_message *m)
{
	static union message msg;	/* large; only used by the loop */
	struct gdimd *g = gdimd;

	if (m->kind == MESSAGE_IMAGE)
		inputs_read_message(g, m, &msg);
	else
		storing_message(g->storing, m);
}
