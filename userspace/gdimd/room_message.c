// SPDX-License-Identifier: GPL-2.0-only
/*
 * room_message - a room, and what the maps say of it, as gdim_msgs has it
 */
#include <math.h>
#include "gdimd/room_message.h"

/* Of several layers with one role the first that knows something counts */
static void add_values(struct site *site, const struct room_values *v,
		       struct room_message *keep, struct message_room *m)
{
	unsigned int gases = 0;

	for (unsigned int i = 0; i < v->layers; i++) {
		const double mean = v->of[i].mean;
		struct layer l;

		site_layer(site, v->of[i].layer, &l);
		if (l.role == LAYER_GAS && gases < ROOM_MESSAGE_GASES)
			keep->gas[gases++] = isnan(mean) ? NAN :
					     layer_physical(&l, mean);
		if (isnan(mean))
			continue;
		if (l.role == LAYER_TEMPERATURE && isnan(m->avg_temperature))
			m->avg_temperature = layer_physical(&l, mean);
		if (l.role == LAYER_SMOKE && m->avg_smoke < 0)
			m->avg_smoke = lrint(mean);
		if (l.role == LAYER_SIGNAL && m->avg_signal < 0)
			m->avg_signal = lrint(mean);
		if (l.role == LAYER_HAZARD && v->of[i].max > m->max_hazard)
			m->max_hazard = v->of[i].max;
	}
	m->avg_gases = (struct message_floats){ (const void *)keep->gas, gases,
						false };
}

void room_message(struct site *site, const struct room *room,
		  const struct room_values *v, const char *frame,
		  struct room_message *keep, struct message_room *m)
{
	double corner[ROOM_CORNERS][2];
	const unsigned int n = room_outline(room, corner);

	for (unsigned int i = 0; i < n; i++)
		keep->corner[i] = (struct message_point32){ corner[i][0],
							    corner[i][1], 0 };
	*m = (struct message_room){
		.header = { room->stamp, 0, message_string(frame) },
		.id = room->id, .name = message_string(room->name),
		.location = { room->x, room->y, 0 }, .size = room->size,
		.outline = message_list(keep->corner, n),
		.averages_valid = true, .avg_temperature = NAN,
		.avg_smoke = -1, .avg_signal = -1, .max_hazard = -1,
	};
	add_values(site, v, keep, m);
}
