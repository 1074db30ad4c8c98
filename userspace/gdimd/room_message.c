// SPDX-License-Identifier: GPL-2.0-only
/*
 * room_message - a room, and what the maps say of it, as gdim_msgs has it
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "gdim/utf8.h"
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

bool room_message_point(const struct message_point32 *p)
{
	return fabs(p->x) <= POSE_MAX && fabs(p->y) <= POSE_MAX &&
	       fabs(p->z) <= POSE_MAX;
}

static bool read_name(const struct message_string *name, char to[ROOM_NAME])
{
	if (name->len >= ROOM_NAME)
		return false;
	utf8_clean(name->text, name->len, to, ROOM_NAME);
	return strlen(to) == name->len && !memcmp(to, name->text, name->len);
}

static bool percent(int v)
{
	return v >= -1 && v <= 100;
}

/* What the sender measured, or nothing. Return: whether that can be */
static bool read_averages(const struct message_room *m, struct room *r)
{
	r->temperature = NAN;
	r->smoke = r->signal = r->hazard = -1;
	if (!m->averages_valid)
		return true;
	r->reported = true;
	r->temperature = m->avg_temperature;
	r->smoke = m->avg_smoke;
	r->signal = m->avg_signal;
	r->hazard = m->max_hazard;
	if (isinf(r->temperature) || !percent(r->smoke) ||
	    !percent(r->signal) || !percent(r->hazard) ||
	    m->avg_gases.count > ROOM_GASES)
		return false;
	for (; r->gases < m->avg_gases.count; r->gases++) {
		r->gas[r->gases] = message_float(&m->avg_gases, r->gases);
		if (isinf(r->gas[r->gases]))
			return false;
	}
	return true;
}

__attribute__((format(printf, 3, 4)))
static int refuse(char error[ROOM_MESSAGE_ERROR], int err, const char *format,
		  ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error, ROOM_MESSAGE_ERROR, format, args);
	va_end(args);
	return err;
}

int room_message_read(const struct message_room *m, struct room *r,
		      char error[ROOM_MESSAGE_ERROR])
{
	struct message_list rest = m->outline;
	struct message_point32 p;

	*r = (struct room){
		.id = m->id, .stamp = m->header.stamp, .x = m->location.x,
		.y = m->location.y, .size = m->size,
	};
	if (!room_message_point(&m->location) ||
	    !(m->size >= 0 && m->size <= 1e9))
		return refuse(error, -EINVAL, "room %u: a place or size that "
			      "cannot be: %g, %g m, %g m^2", m->id,
			      m->location.x, m->location.y, m->size);
	if (!read_name(&m->name, r->name))
		return refuse(error, -EINVAL, "room %u: its name is no text "
			      "of up to %d bytes", m->id, ROOM_NAME - 1);
	if (!read_averages(m, r))
		return refuse(error, -EINVAL, "room %u: averages that cannot "
			      "be", m->id);
	if (m->outline.count > ROOM_CORNERS)
		return refuse(error, -E2BIG, "room %u: %u corners, %d at most",
			      m->id, m->outline.count, ROOM_CORNERS);
	while (message_next_point(&rest, &p)) {
		if (!room_message_point(&p))
			return refuse(error, -EINVAL, "room %u: a corner that "
				      "cannot be", m->id);
		r->corner[r->corners][0] = p.x;
		r->corner[r->corners++][1] = p.y;
	}
	return 0;
}
