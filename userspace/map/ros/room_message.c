// SPDX-License-Identifier: GPL-2.0-only
/*
 * room_message - gdim_msgs of a room with values of the maps
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/error.h"
#include "base/utf8.h"
#include "map/layer/modality_values.h"
#include "map/ros/modality_fields.h"
#include "map/ros/room_message.h"
#include "ros/io/io.h"

/* The sender's value of a gas; without names, of the gas layer @number */
static double reported_gas(const struct room *r, const char *name,
			   unsigned int number)
{
	for (unsigned int i = 0; i < r->gases; i++)
		if (*r->gas_name[0] ? !strcmp(r->gas_name[i], name) :
				      i == number)
			return r->gas[i];
	return NAN;
}

static void add_gas(struct room_message *keep, struct message_room *m,
		    const char *name, double value)
{
	const unsigned int n = m->names;

	if (n == ROOM_MESSAGE_GASES)
		return;
	keep->gas[n] = value;
	snprintf(keep->name[n], sizeof(keep->name[n]), "%s", name);
	m->gas_name[m->names++] = message_string(keep->name[n]);
	m->averages_valid |= !isnan(value);
}

/* Values of the maps, or the sender's where the maps have none */
static void add_gases(struct site *site, const struct room *r,
		      const struct room_values *v, struct room_message *keep,
		      struct message_room *m)
{
	const bool named = *r->gas_name[0];
	unsigned int layers, n;
	struct layer l;
	double value;

	for (unsigned int i = 0; i < v->layers; i++) {
		site_layer(site, v->of[i].layer, &l);
		if (modality_get(l.modality)->report != MODALITY_PER_LAYER)
			continue;
		value = isnan(v->of[i].mean) ?
			reported_gas(r, l.name, m->names) :
			layer_physical(&l, v->of[i].mean);
		add_gas(keep, m, l.name, value);
	}
	layers = m->names;
	for (unsigned int i = 0; i < r->gases && named; i++) {
		bool there = false;

		for (unsigned int k = 0; k < layers && !there; k++)
			there = !strcmp(keep->name[k], r->gas_name[i]);
		if (!there)
			add_gas(keep, m, r->gas_name[i], r->gas[i]);
	}
	n = m->names;
	/* without names and gas layers the sender's order is kept */
	for (; !named && !layers && n < r->gases; n++) {
		keep->gas[n] = r->gas[n];
		m->averages_valid |= !isnan(r->gas[n]);
	}
	m->avg_gases = (struct message_floats){ (const void *)keep->gas, n,
						false };
}

static void room_message_add_values(struct site *site,
				    const struct room_values *v,
				    const struct room *r,
				    struct message_room *m)
{
	struct modality_values values;

	modality_values_begin(&values);
	for (unsigned int i = 0; i < v->layers; i++) {
		struct layer l;

		site_layer(site, v->of[i].layer, &l);
		modality_values_add(&values, &l,
				    modality_get(l.modality)->aggregate ==
				    MODALITY_MAX ? v->of[i].max :
						   v->of[i].mean);
	}
	for (int i = 0; i < MODALITIES; i++) {
		if (!modality_is_single(i))
			continue;
		if (isnan(values.value[i]) && r->reported)
			values.value[i] = r->value[i];
		m->averages_valid |= !isnan(values.value[i]);
	}
	modality_fields_room(m, values.value);
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
	};
	room_message_add_values(site, v, room, m);
	add_gases(site, room, v, keep, m);
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

static bool read_gas_name(const struct message_string *name, char to[ROOM_NAME])
{
	return read_name(name, to) && layer_name_valid(to);
}

/* Averages of the sender, if any. Return: whether they are valid */
static bool read_averages(const struct message_room *m, struct room *r)
{
	modality_unknown(r->value);
	if (!m->averages_valid)
		return true;
	r->reported = true;
	if (!modality_fields_read(m, r->value) ||
	    m->avg_gases.count > ROOM_GASES ||
	    (m->names && m->names != m->avg_gases.count))
		return false;
	for (; r->gases < m->avg_gases.count; r->gases++) {
		r->gas[r->gases] = message_float(&m->avg_gases, r->gases);
		if (isinf(r->gas[r->gases]))
			return false;
		if (m->names && !read_gas_name(&m->gas_name[r->gases],
					       r->gas_name[r->gases]))
			return false;
	}
	return true;
}

int room_message_read(const struct message_room *m, struct room *r,
		      struct error *error)
{
	struct message_list rest = m->outline;
	struct message_point32 p;

	*r = (struct room){
		.id = m->id, .stamp = m->header.stamp, .x = m->location.x,
		.y = m->location.y, .size = m->size,
	};
	if (!room_message_point(&m->location) ||
	    !(m->size >= 0 && m->size <= 1e9))
		return error_set(error, -EINVAL, "room %u: invalid position or "
				 "size: %g, %g m, %g m^2", m->id,
				 m->location.x, m->location.y, m->size);
	if (!read_name(&m->name, r->name))
		return error_set(error, -EINVAL,
				 "room %u: name is not UTF-8 text of at most "
				 "%d bytes",
				 m->id, ROOM_NAME - 1);
	if (!read_averages(m, r))
		return error_set(error, -EINVAL, "room %u: averages out of "
				 "range", m->id);
	if (m->outline.count > ROOM_CORNERS)
		return error_set(error, -E2BIG,
				 "room %u: too many corners: %u, at most %d",
				 m->id,
				 m->outline.count, ROOM_CORNERS);
	while (message_next_point(&rest, &p)) {
		if (!room_message_point(&p))
			return error_set(error, -EINVAL,
					 "room %u: corner position out of "
					 "range", m->id);
		r->corner[r->corners][0] = p.x;
		r->corner[r->corners++][1] = p.y;
	}
	return 0;
}
