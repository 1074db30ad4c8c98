// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_tf - frames of a robot: rotations by their axis and angle, chains of
 * transforms, names
 */
#include <errno.h>
#include <math.h>
#include <string.h>
#include "laser/tf.h"
#include "tap.h"

static struct message_string name_of(const char *s)
{
	return message_string(s);
}

/* A turn by @angle about an axis of length 1 */
static void quaternion(double q[4], const double axis[3], double angle)
{
	for (int i = 0; i < 3; i++)
		q[i] = axis[i] * sin(angle / 2);
	q[3] = cos(angle / 2);
}

/* The same, by Rodrigues' formula: v cos + (k x v) sin + k (k v)(1 - cos) */
static void turn(const double k[3], double angle, const double v[3],
		 double to[3])
{
	const double c = cos(angle), s = sin(angle);
	const double along = k[0] * v[0] + k[1] * v[1] + k[2] * v[2];
	const double cross[3] = {
		k[1] * v[2] - k[2] * v[1], k[2] * v[0] - k[0] * v[2],
		k[0] * v[1] - k[1] * v[0],
	};

	for (int i = 0; i < 3; i++)
		to[i] = v[i] * c + cross[i] * s + k[i] * along * (1 - c);
}

static void test_rotations(void)
{
	static const double axis[][3] = {
		{ 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 0.6, 0, 0.8 },
		{ 2 / 7., -3 / 7., 6 / 7. }, { -4 / 9., 7 / 9., 4 / 9. },
	};
	const double at[3] = { 1, -2, 3 };

	for (unsigned int i = 0; i < 6; i++) {
		const double angle = 0.3 + 0.9 * i;
		double q[4], worst = 0;
		struct placement p;

		quaternion(q, axis[i], angle);
		/* of another length, as others send it */
		for (int k = 0; k < 4; k++)
			q[k] *= 0.8;
		ok(placement_make(&p, at, q), "rotation %u", i);
		for (int c = 0; c < 3; c++) {
			const double unit[3] = { c == 0, c == 1, c == 2 };
			double want[3];

			turn(axis[i], angle, unit, want);
			for (int r = 0; r < 3; r++)
				worst = fmax(worst, fabs(want[r] -
							 p.axes[r][c]));
		}
		ok_range(worst, 0, 1e-12, "... its axes");
		ok_mem(p.origin, at, sizeof(at), "... its origin");
	}
}

static void test_limits(void)
{
	double at[3] = { 0, 0, 0 }, q[4] = { 0, 0, 0, 1 };
	struct placement p;

	ok(placement_make(&p, at, q), "nowhere else");
	q[3] = 0;
	ok(!placement_make(&p, at, q), "an orientation of zeros");
	q[3] = 0.5;
	ok(!placement_make(&p, at, q), "one of half the length");
	q[3] = 2;
	ok(!placement_make(&p, at, q), "one of twice the length");
	q[3] = NAN;
	ok(!placement_make(&p, at, q), "none");
	q[3] = 1;
	at[2] = NAN;
	ok(!placement_make(&p, at, q), "no position");
	at[2] = -POSE_MAX;
	ok(placement_make(&p, at, q), "as far as it may be");
	at[2] = -2 * POSE_MAX;
	ok(!placement_make(&p, at, q), "farther");
}

static void test_pose(void)
{
	static const double x[3] = { 1, 0, 0 }, z[3] = { 0, 0, 1 };
	const double at[3] = { 4, 5, 6 };
	struct placement p;
	struct pose pose;
	bool down;
	double q[4];

	quaternion(q, z, 2);
	placement_make(&p, at, q);
	ok(placement_pose(&p, &pose, &down), "a level one");
	ok_near(pose.x, 4, 0, "... x");
	ok_near(pose.y, 5, 0, "... y");
	ok_near(pose.yaw, 2, 1e-12, "... yaw");
	ok(!down, "... is not upside down");
	quaternion(q, x, M_PI);
	placement_make(&p, at, q);
	ok(placement_pose(&p, &pose, &down), "one upside down");
	ok(down, "... is known as such");
	quaternion(q, x, 29 * M_PI / 180);
	placement_make(&p, at, q);
	ok(placement_pose(&p, &pose, &down), "tilted by 29 degrees");
	quaternion(q, x, 31 * M_PI / 180);
	placement_make(&p, at, q);
	ok(!placement_pose(&p, &pose, &down), "not by 31");
}

static int add(struct tf_frames *f, const char *parent, const char *child,
	       double x, double y, double yaw)
{
	static const double z[3] = { 0, 0, 1 };
	struct message_transform t = {
		.header = { .frame_id = name_of(parent) },
		.child_frame_id = name_of(child), .translation = { x, y, 7 },
	};

	quaternion(t.rotation, z, yaw);
	return tf_add(f, &t);
}

/* map -> odom -> base -> laser, base -> camera */
static void test_chain(void)
{
	static struct tf_frames f;
	struct placement p;
	struct pose pose;
	bool down;

	ok_eq(add(&f, "map", "odom", 1, 0, M_PI / 2), 0, "map, odom");
	ok_eq(add(&f, "/odom", "base", 2, 0, 0), 0, "odom, base");
	ok_eq(add(&f, "base", "laser", 0, 3, M_PI / 2), 0, "base, laser");
	ok_eq(add(&f, "base", "/camera", 4, 0, M_PI), 0, "base, camera");
	ok_eq(f.count, 5, "five frames");
	ok(tf_find(&f, "laser", "map", &p), "the laser in the map");
	placement_pose(&p, &pose, &down);
	/* 2 m along odom's x is up in the map; 3 m of the base is left */
	ok_near(pose.x, 1 - 3, 1e-12, "... x");
	ok_near(pose.y, 2, 1e-12, "... y");
	ok_near(fabs(pose.yaw), M_PI, 1e-12, "... yaw");
	ok_near(p.origin[2], 21, 1e-12, "... z");
	ok(tf_find(&f, "map", "laser", &p), "the map in the laser");
	placement_pose(&p, &pose, &down);
	ok_near(pose.x, -2, 1e-12, "... x");
	ok_near(pose.y, 2, 1e-12, "... y");
	ok_near(p.origin[2], -21, 1e-12, "... z");
	ok(tf_find(&f, "laser", "camera", &p), "the laser in the camera");
	placement_pose(&p, &pose, &down);
	ok_near(pose.x, 4, 1e-12, "... x");
	ok_near(pose.y, -3, 1e-12, "... y");
	ok_near(pose.yaw, -M_PI / 2, 1e-12, "... yaw");
	ok(tf_find(&f, "base", "base", &p), "the base in itself");
	placement_pose(&p, &pose, &down);
	ok_near(pose.x, 0, 0, "... x");
	ok_near(pose.yaw, 0, 0, "... yaw");
	ok_near(p.axes[2][2], 1, 0, "... up");
	ok(!tf_find(&f, "laser", "nobody", &p), "an unknown frame");
	ok(!tf_find(&f, "nobody", "laser", &p), "another one");
	add(&f, "elsewhere", "thing", 0, 0, 0);
	ok(!tf_find(&f, "thing", "map", &p), "frames without a path");
	/* a cycle is no path, and ends */
	add(&f, "laser", "map", 0, 0, 0);
	ok(!tf_find(&f, "camera", "thing", &p), "frames in a circle");
}

static void test_refused(void)
{
	static struct tf_frames f;
	char name[TF_FRAME_NAME], longest[TF_FRAME_NAME + 1];
	const struct message_string nul = { "a\0b", 3 };
	struct message_string s;

	memset(longest, 'n', TF_FRAME_NAME);
	longest[TF_FRAME_NAME] = '\0';
	s = name_of(longest);
	ok(!frame_name(name, &s), "a name that is too long");
	s = name_of(longest + 1);
	ok(frame_name(name, &s), "the longest one");
	ok_str(name, longest + 1, "... is kept");
	ok(!frame_name(name, &nul), "one with a NUL");
	s = name_of("");
	ok(!frame_name(name, &s), "an empty one");
	s = name_of("/");
	ok(!frame_name(name, &s), "a slash");
	s = name_of("//a");
	ok(frame_name(name, &s), "two of them");
	ok_str(name, "/a", "... are one");
	ok_eq(add(&f, "a", "/a", 0, 0, 0), -EBADMSG, "a frame in itself");
	ok_eq(add(&f, "a", "b", NAN, 0, 0), -EBADMSG, "one that is nowhere");
	ok_eq(f.count, 0, "nothing of these is there");
	for (int i = 0; i < TF_FRAMES_MAX / 2; i++) {
		snprintf(name, sizeof(name), "p%d", i);
		snprintf(longest, sizeof(longest), "c%d", i);
		if (add(&f, name, longest, 0, 0, 0))
			ok(false, "frame %d", i);
	}
	ok_eq(f.count, TF_FRAMES_MAX, "as many as there may be");
	ok_eq(add(&f, "p1", "more", 0, 0, 0), -E2BIG, "one more");
	ok_eq(add(&f, "p1", "c0", 0, 0, 0), 0, "known ones move");
}

int main(void)
{
	test_rotations();
	test_limits();
	test_pose();
	test_chain();
	test_refused();
	return tap_done();
}
