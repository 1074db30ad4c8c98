// SPDX-License-Identifier: GPL-2.0-only
/*
 * trajectory - the poses of a robot over time
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/atomic_file.h"
#include "base/error.h"
#include "base/number.h"
#include "base/table.h"
#include "laser/interpolate.h"
#include "slam/output/trajectory.h"

static const int64_t second = 1000000000;

int trajectory_add(struct trajectory *t, int64_t stamp,
		   const struct pose *pose)
{
	if (t->count == TRAJECTORY_MAX)
		return -E2BIG;
	if (array_grow(&t->point, &t->room, t->count, sizeof(*t->point)))
		return -ENOMEM;
	assert(t->count < t->room);
	t->point[t->count++] = (struct trajectory_point){ stamp, *pose };
	return 0;
}

void trajectory_free(struct trajectory *t)
{
	free(t->point);
	*t = (struct trajectory){ 0 };
}

/*
 * Sorting: a merge sort, which is stable and fast if most is in order already
 */

static void trajectory_merge(struct trajectory_point *to,
			     const struct trajectory_point *a, size_t n,
			     const struct trajectory_point *b, size_t m)
{
	while (n || m) {
		const bool first = n && (!m || a->stamp <= b->stamp);

		*to++ = first ? *a++ : *b++;
		n -= first;
		m -= !first;
	}
}

static void sort(struct trajectory_point *p, size_t n,
		 struct trajectory_point *room)
{
	const size_t half = n / 2;

	if (n < 2)
		return;
	sort(p, half, room);
	sort(p + half, n - half, room);
	if (p[half - 1].stamp <= p[half].stamp)
		return;
	memcpy(room, p, half * sizeof(*p));
	/* the front of @p is free now, and is never filled beyond @half */
	trajectory_merge(p, room, half, p + half, n - half);
}

int trajectory_sort(struct trajectory *t)
{
	struct trajectory_point *room = NULL;
	uint32_t i = 1;

	while (i < t->count && t->point[i - 1].stamp <= t->point[i].stamp)
		i++;
	if (i >= t->count)
		return 0;
	room = malloc((t->count / 2 + 1) * sizeof(*room));
	if (!room)
		return -ENOMEM;
	sort(t->point, t->count, room);
	free(room);
	return 0;
}

/* The first one that is not before @stamp, or the count */
static uint32_t first_from(const struct trajectory *t, int64_t stamp)
{
	uint32_t low = 0, high = t->count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (t->point[middle].stamp < stamp)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool trajectory_at(const struct trajectory *t, int64_t stamp, int64_t reach,
		   struct pose *pose)
{
	const uint32_t i = first_from(t, stamp);
	const struct trajectory_point *a, *b;

	if (!t->count)
		return false;
	if (i == t->count) {
		*pose = t->point[i - 1].pose;
		return stamp - t->point[i - 1].stamp <= reach;
	}
	b = &t->point[i];
	if (!i || b->stamp == stamp) {
		*pose = b->pose;
		return b->stamp - stamp <= reach;
	}
	a = b - 1;
	*pose = pose_interpolate(&a->pose, &b->pose,
				 time_share(a->stamp, b->stamp, stamp));
	return true;
}

/*
 * Odometry between keys
 */

/* @pose, moved by the odometry from @from to @to */
static struct pose trajectory_follow(const struct pose *pose,
				     const struct pose *from,
				     const struct pose *to)
{
	const struct pose way = pose_between(from, to);

	return pose_compose(pose, &way);
}

/* Key @a and the next one, and their poses by odometry */
struct leg {
	const struct trajectory_point	*a, *b;
	struct pose			from, to;
};

static struct pose fill_one(const struct leg *leg, bool spread,
			    const struct trajectory_point *o)
{
	struct pose p = trajectory_follow(&leg->a->pose, &leg->from, &o->pose);
	struct pose end;
	double share;

	if (!leg->b)
		return p;
	share = time_share(leg->a->stamp, leg->b->stamp, o->stamp);
	if (!spread)
		return share <= 0.5 ? p :
		       trajectory_follow(&leg->b->pose, &leg->to, &o->pose);
	end = trajectory_follow(&leg->a->pose, &leg->from, &leg->to);
	p.x += share * (leg->b->pose.x - end.x);
	p.y += share * (leg->b->pose.y - end.y);
	p.yaw += share * remainder(leg->b->pose.yaw - end.yaw, 2 * M_PI);
	p.yaw = remainder(p.yaw, 2 * M_PI);
	return p;
}

/* The leg after the last key that is not after @stamp */
static bool make_leg(const struct trajectory *keys,
		     const struct trajectory *odometry, int64_t stamp,
		     struct leg *leg)
{
	uint32_t i = first_from(keys, stamp);

	i += i < keys->count && keys->point[i].stamp == stamp;
	leg->a = &keys->point[i ? i - 1 : 0];
	leg->b = i && i < keys->count ? &keys->point[i] : NULL;
	return trajectory_at(odometry, leg->a->stamp, second, &leg->from) &&
	       (!leg->b || trajectory_at(odometry, leg->b->stamp, second,
					 &leg->to));
}

int trajectory_fill(const struct trajectory *keys,
		    const struct trajectory *odometry, bool spread,
		    struct trajectory *filled)
{
	struct leg leg = { 0 };
	struct pose p;
	int err = 0;

	if (!keys->count ||
	    !trajectory_at(odometry, keys->point[0].stamp, second, &p) ||
	    !trajectory_at(odometry, keys->point[keys->count - 1].stamp,
			   second, &p))
		return -ENODATA;
	for (uint32_t i = 0; i < odometry->count && !err; i++) {
		const struct trajectory_point *o = &odometry->point[i];

		/* most are on the same leg as the one before */
		if ((!leg.b || o->stamp < leg.a->stamp ||
		     o->stamp >= leg.b->stamp) &&
		    !make_leg(keys, odometry, o->stamp, &leg)) {
			err = -ENODATA;
			break;
		}
		p = fill_one(&leg, spread, o);
		err = trajectory_add(filled, o->stamp, &p);
	}
	if (err)
		trajectory_free(filled);
	return err;
}

/*
 * Files
 */

static int trajectory_read_line(const char *at, void *arg)
{
	struct trajectory *t = arg;
	double v[3], q[4], n = 0;
	struct pose pose;
	int64_t stamp;

	if (!number_stamp(&at, 9, &stamp))
		return -EINVAL;
	for (int i = 0; i < 3; i++)
		if (!number_within(&at, POSE_MAX, &v[i]))
			return -EINVAL;
	for (int i = 0; i < 4; i++) {
		if (!number_within(&at, 2, &q[i]))
			return -EINVAL;
		n += q[i] * q[i];
	}
	if (*at || n < 0.25 || n > 4)
		return -EINVAL;
	pose = (struct pose){ v[0], v[1],
			      atan2(2 * (q[3] * q[2] + q[0] * q[1]),
				    n - 2 * (q[1] * q[1] + q[2] * q[2])) };
	return trajectory_add(t, stamp, &pose);
}

int trajectory_read(struct trajectory *t, const char *path,
		    struct error *error)
{
	int err;

	*t = (struct trajectory){ 0 };
	err = table_read(path, "stamp x y z qx qy qz qw", trajectory_read_line,
			 t, error);
	if (!err && !t->count)
		err = table_error(error, path, 0, -ENODATA, "no poses");
	if (!err && trajectory_sort(t))
		err = table_error(error, path, 0, -ENOMEM, NULL);
	if (err)
		trajectory_free(t);
	return err;
}

int trajectory_write(const struct trajectory *t, const char *path,
		     struct error *error)
{
	struct atomic_file n;
	char line[192];
	int err = atomic_file_open(&n, path, error);

	if (err)
		return err;
	for (uint32_t i = 0; i < t->count; i++) {
		const struct trajectory_point *p = &t->point[i];
		const double half = remainder(p->pose.yaw, 2 * M_PI) / 2;

		atomic_file_write(&n, line, snprintf(line, sizeof(line),
			"%" PRId64 ".%09" PRId64 " %.9f %.9f 0 0 0 %.12f %.12f\n",
			p->stamp / second, p->stamp % second, p->pose.x,
			p->pose.y, sin(half), cos(half)));
	}
	return atomic_file_finish(&n, error);
}
