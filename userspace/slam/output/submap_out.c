// SPDX-License-Identifier: GPL-2.0-only
/*
 * submap_out - submaps, maps and poses as ROS messages
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/error.h"
#include "base/utf8.h"
#include "ros/io/io.h"
#include "slam/output/submap_out.h"

/* As gdimd accepts it; a leading slash, as in ROS 1, is removed */
static int submap_out_set_name(char to[STORE_FRAME], const char *name,
			       const char *what, size_t max,
			       struct error *error)
{
	const size_t len = strlen(name);
	char clean[STORE_FRAME];

	if (*name && *name != '/' && len <= max) {
		utf8_clean(name, len, clean, sizeof(clean));
		if (!strcmp(clean, name)) {
			strcpy(to, name);
			return 0;
		}
	}
	return error_set(error, -EINVAL, "%s must have 1 to %zu bytes of UTF-8 "
			 "and not begin with a slash", what, max);
}

/* Whether a submap could have this name */
static bool is_taken(const char *prefix, const char *frame)
{
	const size_t len = strlen(prefix), digits = strspn(frame + (strncmp(
		frame, prefix, len) ? 0 : len), "0123456789");

	return !strncmp(frame, prefix, len) && digits && !frame[len + digits];
}

int submap_out_init(struct submap_out *out, const char *map, const char *robot,
		    const char *prefix, struct error *error)
{
	const size_t max = STORE_FRAME - 1;
	int err;

	*out = (struct submap_out){ 0 };
	err = submap_out_set_name(out->map, map, "the frame of the map", max,
				  error);
	if (!err)
		err = submap_out_set_name(out->robot, robot,
					  "the frame of the robot", max, error);
	if (!err)
		err = submap_out_set_name(out->prefix, prefix,
					  "the prefix of submaps",
					  max - (SUBMAP_OUT_NUMBER - 1), error);
	if (err)
		return err;
	if (is_taken(prefix, map) || is_taken(prefix, robot))
		return error_set(error, -EINVAL, "the prefix of submaps "
				 "conflicts with the frame of the map or of "
				 "the robot");
	return 0;
}

void submap_out_free(struct submap_out *out)
{
	map_room_free(&out->room);
	free(out->frames);
	free(out->transform);
	free(out->way);
	*out = (struct submap_out){ 0 };
}

void submap_out_frame(const struct submap_out *out, uint32_t number,
		      char frame[STORE_FRAME])
{
	snprintf(frame, STORE_FRAME, "%.*s%u",
		 (int)(STORE_FRAME - SUBMAP_OUT_NUMBER), out->prefix, number);
}

/*
 * Maps
 */

static int grid(struct submap_out *out, const struct occupancy *o,
		int64_t stamp, const char *frame, union message *m,
		struct error *error)
{
	struct raster r = { .rect = occupancy_known(o) };
	int err;

	if (rect_is_empty(&r.rect))
		return error_set(error, -ENODATA, "%s: no known cells",
				 frame);
	err = map_room_reserve(&out->room, (size_t)r.rect.width *
					   r.rect.height);
	if (err == -E2BIG)
		return error_set(error, err, "%s: map of %u x %u cells exceeds "
				 "%d cells per message", frame, r.rect.width,
				 r.rect.height, MAP_MESSAGE_CELLS);
	if (err)
		return error_set(error, err, "out of memory");
	r.cells = out->room.cells;
	occupancy_read(o, &r);
	map_message(&out->room, &r, stamp, frame, m);
	return 0;
}

int submap_out_grid(struct submap_out *out, uint32_t number,
		    const struct submap *submap, const struct occupancy *o,
		    union message *m, struct error *error)
{
	submap_out_frame(out, number, out->frame);
	return grid(out, o, submap->stamp, out->frame, m, error);
}

int submap_out_map(struct submap_out *out, const struct occupancy *o,
		   int64_t stamp, union message *m,
		   struct error *error)
{
	return grid(out, o, stamp, out->map, m, error);
}

/*
 * Poses
 */

static struct message_header submap_out_header(int64_t stamp, const char *frame)
{
	return (struct message_header){ stamp, 0, message_string(frame) };
}

static void submap_out_turn(double yaw, double q[4])
{
	const double half = remainder(yaw, 2 * M_PI) / 2;

	q[0] = q[1] = 0;
	q[2] = sin(half);
	q[3] = cos(half);
}

static struct message_pose message_pose_of(const struct pose *p)
{
	struct message_pose m = { { p->x, p->y, 0 }, { 0 } };

	submap_out_turn(p->yaw, m.orientation);
	return m;
}

/* Both arrays: transforms point to the names of their frames */
static int submap_out_reserve(struct submap_out *out, uint32_t used)
{
	if (array_grow(&out->transform, &out->transform_room, used,
		       sizeof(*out->transform)))
		return -ENOMEM;
	return array_grow(&out->frames, &out->frame_room, used,
			  sizeof(*out->frames));
}

int submap_out_transforms(struct submap_out *out, const struct submaps *s,
			  const uint32_t *list, uint32_t count, bool all,
			  union message *m, struct error *error)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct submap *p = submaps_at(s, list[i]);
		struct message_transform *t;

		if (!all && !p->moved)
			continue;
		if (submap_out_reserve(out, n))
			return error_set(error, -ENOMEM, "out of memory");
		t = &out->transform[n];
		*t = (struct message_transform){
			.header = submap_out_header(p->stamp, out->map),
			.translation = { p->pose.x, p->pose.y, 0 },
		};
		submap_out_turn(p->pose.yaw, t->rotation);
		submap_out_frame(out, list[i], out->frames[n++]);
	}
	/* only now the names do not move any more */
	for (uint32_t i = 0; i < n; i++)
		out->transform[i].child_frame_id =
			message_string(out->frames[i]);
	assert(n <= count);
	m->tf = (struct message_transforms){ message_list(out->transform, n) };
	return n;
}

void submap_out_pose(const struct submap_out *out, int64_t stamp,
		     const struct pose *pose, const double covariance[6],
		     union message *m)
{
	static const unsigned char at[3] = { 0, 1, 5 };
	const double *v = covariance;
	const double full[3][3] = {
		{ v[0], v[1], v[2] }, { v[1], v[3], v[4] },
		{ v[2], v[4], v[5] },
	};

	m->odometry = (struct message_odometry){
		.header = submap_out_header(stamp, out->map),
		.child_frame_id = message_string(out->robot),
		.pose = message_pose_of(pose),
	};
	for (int i = 0; i < 9; i++)
		m->odometry.pose_covariance[at[i / 3] * 6 + at[i % 3]] =
			full[i / 3][i % 3];
}

void submap_out_drift(const struct submap_out *out, const char *odom,
		      int64_t stamp, const struct pose *pose,
		      const struct pose *odometry,
		      struct message_transform *t, union message *m)
{
	const struct pose origin = { 0, 0, 0 };
	const struct pose back = pose_between(odometry, &origin);
	const struct pose drift = pose_compose(pose, &back);

	*t = (struct message_transform){
		.header = submap_out_header(stamp, out->map),
		.child_frame_id = message_string(odom),
		.translation = { drift.x, drift.y, 0 },
	};
	submap_out_turn(drift.yaw, t->rotation);
	m->tf = (struct message_transforms){ message_list(t, 1) };
}

int submap_out_way(struct submap_out *out,
		   const struct trajectory_point *point, uint32_t count,
		   int64_t stamp, union message *m,
		   struct error *error)
{
	/* room for the last one and those before it */
	const uint32_t step = count <= SUBMAP_OUT_WAY ? 1 :
			      (count - 2) / (SUBMAP_OUT_WAY - 1) + 1;
	uint32_t n = 0;

	if (!out->way)
		out->way = malloc(SUBMAP_OUT_WAY * sizeof(*out->way));
	if (!out->way)
		return error_set(error, -ENOMEM, "out of memory");
	for (uint32_t i = 0; i < count; i += step) {
		if (count - i <= step)
			i = count - 1;
		assert(n < SUBMAP_OUT_WAY);
		out->way[n++] = (struct message_pose_stamped){
			submap_out_header(point[i].stamp, out->map),
			message_pose_of(&point[i].pose),
		};
	}
	m->path = (struct message_path){ submap_out_header(stamp, out->map),
					 message_list(out->way, n) };
	return 0;
}
