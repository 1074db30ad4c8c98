// SPDX-License-Identifier: GPL-2.0-only
/*
 * tf - the transforms between the frames of a robot
 */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include "laser/tf.h"

static const double level = 0.866;	/* cos(30 degrees) */

bool frame_name(char name[TF_FRAME_NAME], const struct message_string *s)
{
	const char *p = s->text;
	uint32_t n = s->len;

	if (n && *p == '/') {
		p++;
		n--;
	}
	if (!n || n >= TF_FRAME_NAME || memchr(p, '\0', n))
		return false;
	memcpy(name, p, n);
	name[n] = '\0';
	return true;
}

bool placement_make(struct placement *p, const double position[3],
		    const double q[4])
{
	const double n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
	double x, y, z, w;

	/* an unset quaternion is all zero */
	if (!(n > 0.25 && n < 4))
		return false;
	for (int i = 0; i < 3; i++)
		if (!(fabs(position[i]) <= POSE_MAX))
			return false;
	x = q[0] / sqrt(n);
	y = q[1] / sqrt(n);
	z = q[2] / sqrt(n);
	w = q[3] / sqrt(n);
	*p = (struct placement){ {
		{ 1 - 2 * (y * y + z * z), 2 * (x * y - z * w),
		  2 * (x * z + y * w) },
		{ 2 * (x * y + z * w), 1 - 2 * (x * x + z * z),
		  2 * (y * z - x * w) },
		{ 2 * (x * z - y * w), 2 * (y * z + x * w),
		  1 - 2 * (x * x + y * y) },
	}, { position[0], position[1], position[2] } };
	return true;
}

bool placement_pose(const struct placement *p, struct pose *pose,
		    bool *upside_down)
{
	*upside_down = p->axes[2][2] < 0;
	*pose = (struct pose){ p->origin[0], p->origin[1],
			       atan2(p->axes[1][0], p->axes[0][0]) };
	return fabs(p->axes[2][2]) >= level && pose_valid(pose);
}

/* Transform @b from frame @a to the frame that @a is in */
static struct placement compose(const struct placement *a,
				const struct placement *b)
{
	struct placement c = { 0 };

	for (int i = 0; i < 3; i++) {
		c.origin[i] = a->origin[i];
		for (int k = 0; k < 3; k++) {
			c.origin[i] += a->axes[i][k] * b->origin[k];
			for (int j = 0; j < 3; j++)
				c.axes[i][j] += a->axes[i][k] * b->axes[k][j];
		}
	}
	return c;
}

static struct placement invert(const struct placement *a)
{
	struct placement c = { 0 };

	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++) {
			c.axes[i][j] = a->axes[j][i];
			c.origin[i] -= a->axes[j][i] * a->origin[j];
		}
	return c;
}

static int tf_index(const struct tf_frames *f, const char *name)
{
	name += *name == '/';
	for (unsigned int i = 0; i < f->count; i++)
		if (!strcmp(f->frame[i].name, name))
			return (int)i;
	return -1;
}

static int find_or_add(struct tf_frames *f, const char *name)
{
	int i = tf_index(f, name);

	if (i >= 0)
		return i;
	if (f->count == TF_FRAMES_MAX)
		return -E2BIG;
	assert(f->count < TF_FRAMES_MAX);
	strcpy(f->frame[f->count].name, name);
	f->frame[f->count].parent = -1;
	return (int)f->count++;
}

int tf_add(struct tf_frames *f, const struct message_transform *t)
{
	char parent[TF_FRAME_NAME], child[TF_FRAME_NAME];
	struct placement place;
	int p, c;

	if (!frame_name(parent, &t->header.frame_id) ||
	    !frame_name(child, &t->child_frame_id) || !strcmp(parent, child) ||
	    !placement_make(&place, t->translation, t->rotation))
		return -EBADMSG;
	p = find_or_add(f, parent);
	c = p < 0 ? p : find_or_add(f, child);
	if (c < 0)
		return c;
	f->frame[c].parent = p;
	f->frame[c].place = place;
	return 0;
}

/*
 * Walk up from frame @i to @to or, with -1, to the root. Return: the last
 * frame, and @place of @i in it; -1 if there is no path, or a cycle
 */
static int tf_climb(const struct tf_frames *f, int i, int to,
		    struct placement *place)
{
	static const struct placement same = {
		{ { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 0 }
	};

	*place = same;
	for (unsigned int n = 0; n <= f->count; n++) {
		if (i == to || (to < 0 && f->frame[i].parent < 0))
			return i;
		if (f->frame[i].parent < 0)
			return -1;
		*place = compose(&f->frame[i].place, place);
		i = f->frame[i].parent;
	}
	return -1;
}

bool tf_find(const struct tf_frames *f, const char *name, const char *in,
	     struct placement *place)
{
	const int from = tf_index(f, name), to = tf_index(f, in);
	struct placement a, b;
	int top;

	if (from < 0 || to < 0)
		return false;
	if (tf_climb(f, from, to, place) == to)
		return true;
	top = tf_climb(f, from, -1, &a);
	if (top < 0 || tf_climb(f, to, top, &b) != top)
		return false;
	b = invert(&b);
	*place = compose(&b, &a);
	return true;
}
