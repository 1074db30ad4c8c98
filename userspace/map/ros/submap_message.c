// SPDX-License-Identifier: GPL-2.0-only
/*
 * submap_message - convert maps and transforms of ROS for the site
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/utf8.h"
#include "map/ros/submap_message.h"
#include "ros/io/io.h"
#include "ros/msg/convert.h"

enum { MESSAGE_CELLS = 4 * CELLS_MAX };		/* of all layers */

/* Yaw of an orientation; NAN for an invalid quaternion */
static double submap_message_yaw_of(const double q[4])
{
	const double norm = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] +
			    q[3] * q[3];

	/* all zero: the sender did not set it */
	if (norm == 0)
		return 0;
	if (!(fabs(norm - 1) < 0.01))
		return NAN;
	return atan2(2 * (q[3] * q[2] + q[0] * q[1]),
		     1 - 2 * (q[1] * q[1] + q[2] * q[2]));
}

/* A float of 0.05 is 0.0500000007: round, to equal a double of 0.05 */
static double decimal(float v)
{
	char text[32];

	snprintf(text, sizeof(text), "%.7g", v);
	return strtod(text, NULL);
}

/* NAN for an invalid position, also if only its height is invalid */
static double place_of(const double position[3], int axis)
{
	return isfinite(position[2]) ? position[axis] : NAN;
}

static struct storey_link rise_of(const double position[3], const double q[4])
{
	struct storey_link rise = { .height = position[2] };

	for (unsigned int i = 0; i < 4; i++)
		rise.turn[i] = q[i];
	return rise;
}

/* A submap is seen from above. @height: gets that in its frame, m */
static int check_level(const double position[3], const double q[4],
		       double *height, struct error *error)
{
	const struct storey_link rise = rise_of(position, q);
	const struct storey s = storey_follow(&(struct storey){ 0 },
					      &(struct pose){ 0 }, &rise);

	*height = s.height;
	if (storey_lean(&s) <= STOREY_LEAN)
		return 0;
	return error_set(error, -EINVAL, "it leans by %.0f degrees; only level "
			 "maps are fused", storey_lean(&s));
}

/* Cells that are neither -1 nor 0 to 100 */
static size_t count_odd(const struct message_bytes *b)
{
	size_t n = 0;

	for (uint32_t i = 0; i < b->count; i++)
		n += (uint8_t)(b->data[i] + 1) > CELLS_FULL_8 + 1;
	return n;
}

static int submap_message_read_grid(const struct message_occupancy_grid *m,
				    struct submap_layer *layer,
				    struct error *error)
{
	const struct pose origin = { place_of(m->origin.position, 0),
				     place_of(m->origin.position, 1),
				     submap_message_yaw_of(
					     m->origin.orientation) };
	const double resolution = decimal(m->resolution);
	struct error why;
	size_t odd;
	int err;

	err = cells_check(m->width, m->height, 8, resolution, &origin, &why);
	if (err)
		return error_set(error, err, "%s", why.text);
	err = check_level(m->origin.position, m->origin.orientation,
			  &layer->height, error);
	if (err)
		return err;
	if (m->data.count != (uint64_t)m->width * m->height)
		return error_set(error, -EBADMSG,
				 "%u cells do not match the size of %u x %u",
				 m->data.count, m->width, m->height);
	odd = count_odd(&m->data);
	if (odd)
		return error_set(error, -EINVAL, "%zu cells are neither -1 "
				 "(unknown) nor 0..%d", odd,
				 CELLS_FULL_8);
	*layer->name = 0;
	layer->cells = cells_create(m->width, m->height, 8, resolution, &origin,
				    m->data.data);
	return layer->cells ? 1 : error_set(error, -ENOMEM, "out of memory");
}

static int name_layer(const struct message_string *s, char name[LAYER_NAME],
		      struct error *error)
{
	if (s->len < LAYER_NAME) {
		memcpy(name, s->text, s->len);
		name[s->len] = 0;
		if (strlen(name) == s->len && layer_name_valid(name))
			return 0;
	}
	return error_set(error, -EINVAL, "invalid layer name");
}

static bool is_twice(const struct submap_layer *layer, unsigned int i)
{
	for (unsigned int k = 0; k < i; k++)
		if (!strcmp(layer[k].name, layer[i].name))
			return true;
	return false;
}

static int read_layers(const struct message_grid_map *m,
		       struct submap_layer *layer, struct error *error)
{
	unsigned int rows, columns, n = 0;
	struct pose middle = { place_of(m->pose.position, 0),
			       place_of(m->pose.position, 1),
			       submap_message_yaw_of(m->pose.orientation) };
	struct pose corner, origin;
	double height;
	float *room;
	struct error why;
	int err;

	if (!m->layers || message_grid_shape(m, &rows, &columns))
		return error_set(error, -EBADMSG,
				 "layers differ in size");
	corner = (struct pose){ -0.5 * rows * m->resolution,
				-0.5 * columns * m->resolution, 0 };
	origin = pose_compose(&middle, &corner);
	err = cells_check(rows, columns, 16, m->resolution, &origin, &why);
	if (err)
		return error_set(error, err, "%s", why.text);
	err = check_level(m->pose.position, m->pose.orientation, &height,
			  error);
	if (err)
		return err;
	if ((uint64_t)rows * columns * m->layers > MESSAGE_CELLS)
		return error_set(error, -E2BIG, "%u layers of %u x %u cells "
				 "exceed the limit of %d cells", m->layers,
				 rows, columns, MESSAGE_CELLS);
	room = malloc((size_t)rows * columns * sizeof(*room));
	for (unsigned int i = 0; i < m->layers && room && !err; i++) {
		err = name_layer(&m->layer[i], layer[n].name, error);
		if (!err && is_twice(layer, n))
			err = error_set(error, -EINVAL, "layer %s occurs twice",
					layer[n].name);
		if (err)
			break;
		layer[n].height = height;
		message_grid_raster(m, i, room);
		layer[n].cells = cells_from_floats(rows, columns, m->resolution,
						   &origin, room);
		if (layer[n].cells)
			n++;
		else
			err = error_set(error, -ENOMEM, "out of memory");
	}
	free(room);
	if (!room)
		err = error_set(error, -ENOMEM, "out of memory");
	if (err)
		submap_free(layer, n);
	return err ? err : (int)n;
}

int submap_read(enum message_kind kind, const union message *msg,
		struct submap_layer *layer, struct error *error)
{
	if (kind == MESSAGE_OCCUPANCY_GRID)
		return submap_message_read_grid(&msg->map, layer, error);
	if (kind == MESSAGE_GRID_MAP)
		return read_layers(&msg->grid, layer, error);
	return error_set(error, -EINVAL, "not a map");
}

void submap_free(struct submap_layer *layer, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		cells_put(layer[i].cells);
}

int submap_frame(const struct message_string *id, char frame[STORE_FRAME])
{
	const char *text = id->text;
	size_t len = id->len;

	if (len && *text == '/') {
		text++;
		len--;
	}
	if (!len || len >= STORE_FRAME)
		return -EINVAL;
	/* the site requires UTF-8 without control characters */
	utf8_clean(text, len, frame, STORE_FRAME);
	return strlen(frame) == len && !memcmp(frame, text, len) ? 0 : -EINVAL;
}

int submap_transform(const struct message_transform *m,
		     struct site_transform *t, struct error *error)
{
	*t = (struct site_transform){
		.stamp = m->header.stamp,
		.pose = { place_of(m->translation, 0),
			  place_of(m->translation, 1),
			  submap_message_yaw_of(m->rotation) },
	};
	if (submap_frame(&m->child_frame_id, t->frame) ||
	    submap_frame(&m->header.frame_id, t->predecessor))
		return error_set(error, -EINVAL,
				 "transform with an invalid frame_id or "
				 "child_frame_id");
	if (!pose_valid(&t->pose))
		return error_set(error, -EINVAL,
			"frame %s: invalid transform: %g m, %g m, %g rad",
			t->frame, t->pose.x, t->pose.y, t->pose.yaw);
	t->rise = rise_of(m->translation, m->rotation);
	return 0;
}
