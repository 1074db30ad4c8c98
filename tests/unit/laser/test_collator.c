// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_collator - scans and odometry that come apart become readings: the
 * collator itself, frames of tf, and recordings of ROS
 */
#include <errno.h>
#include <string.h>
#include "base/error.h"
#include "folder.h"
#include "laser/collator.h"
#include "laser/input.h"
#include "laser/readings.h"
#include "laser/tf.h"
#include "ros/bag/bag.h"
#include "tap.h"

#define SECOND	INT64_C(1000000000)
#define MS	INT64_C(1000000)
#define REAL	"../shared/data/slam/ccny_scan_tools_demo.bag"

static const int64_t start = INT64_C(1700000000) * SECOND;

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-6;
}

/*
 * Collator
 */

static float ranges[READING_BEAMS_MAX];

static int add_scan(struct collator *p, int64_t stamp, unsigned int beams)
{
	const struct reading r = {
		.stamp = stamp, .beams = beams, .angle_min = -1,
		.angle_increment = 0.01f, .range_max = 30, .range = ranges,
	};

	for (unsigned int i = 0; i < beams && i < READING_BEAMS_MAX; i++)
		ranges[i] = beams + i;
	return collator_add_scan(p, &r);
}

/* Moves 1 m/s along x, turns through -pi */
static int add_odometry(struct collator *p, int64_t stamp)
{
	const double t = stamp / 1e9;
	const struct pose pose = { t, -2 * t, remainder(3 + t, 2 * M_PI) };

	return collator_add_odometry(p, stamp, &pose);
}

static bool right(const struct reading *r, int64_t stamp, unsigned int beams)
{
	const double t = stamp / 1e9;

	return r->stamp == stamp && near(r->odometry.x, t) &&
	       near(r->odometry.y, -2 * t) && r->beams == beams &&
	       near(remainder(r->odometry.yaw - 3 - t, 2 * M_PI), 0) &&
	       r->range[beams - 1] == 2 * beams - 1;
}

static void test_waiting(void)
{
	struct collator *p = collator_new(SECOND);
	struct collator_count count;
	struct reading r;

	add_scan(p, 50 * MS, 5);
	ok(!collator_next(p, &r), "collator: no odometry yet");
	add_odometry(p, 0);
	ok(!collator_next(p, &r), "collator: none from after it yet");
	add_scan(p, 120 * MS, 700);
	add_scan(p, 200 * MS, 3);
	add_odometry(p, 100 * MS);
	ok(collator_next(p, &r), "collator: in between, around -pi");
	ok(right(&r, 50 * MS, 5), "... right");
	ok(!collator_next(p, &r), "collator: the next one waits");
	add_odometry(p, 200 * MS);
	ok(collator_next(p, &r), "collator: also just at it");
	ok(right(&r, 120 * MS, 700), "... right");
	ok(collator_next(p, &r), "... collator next");
	ok(right(&r, 200 * MS, 3), "... right");
	ok_eq(collator_next(p, &r), 0, "... collator next");
	/* odometry that is late, out of order, twice */
	add_scan(p, 250 * MS, 4);
	add_odometry(p, 300 * MS);
	add_odometry(p, 240 * MS);
	add_odometry(p, 240 * MS);
	add_odometry(p, 260 * MS);
	ok(collator_next(p, &r), "collator: odometry that is out of order");
	ok(right(&r, 250 * MS, 4), "... right");
	collator_count(p, &count);
	ok_eq(count.given, 4, "collator: counts");
	ok_eq(count.dropped, 0, "... dropped");
	ok_eq(count.bad, 0, "... bad");
	collator_free(p);
}

/* A scan that takes 200 ms, of a robot that goes 1 m/s ahead and turns */
static void test_sweep(void)
{
	struct collator *p = collator_new(SECOND);
	struct collator_count count;
	struct reading scan = {
		.stamp = 100 * MS, .beams = 101, .angle_min = -1,
		.angle_increment = 0.01f, .range_max = 30, .range = ranges,
		.time_increment = 0.002f,
	}, r;
	struct pose at = { 0, 0, 0 };

	for (int i = 0; i < 101; i++)
		ranges[i] = 1;
	collator_add_odometry(p, 0, &at);
	collator_add_scan(p, &scan);
	at = (struct pose){ 0.2, 0, 0.1 };
	collator_add_odometry(p, 200 * MS, &at);
	ok(!collator_next(p, &r), "sweep: waits for odometry of its end");
	at = (struct pose){ 0.4, 0, 0.2 };
	collator_add_odometry(p, 400 * MS, &at);
	ok(collator_next(p, &r), "sweep: how the robot moved during the scan");
	ok(near(r.odometry.x, 0.1), "... is near");
	ok(near(hypot(r.sweep.x, r.sweep.y), 0.2), "... is near");
	ok(near(r.sweep.yaw, 0.1), "... is near");
	ok(reading_sweeps(&r), "... reading sweeps");
	ok(near(reading_swept(&r, 50).yaw, 0.05), "... is near");
	scan.stamp = 390 * MS;
	collator_add_scan(p, &scan);
	ok(!collator_next(p, &r), "sweep: its end is not there yet");
	collator_add_odometry(p, 3000 * MS, &at);
	collator_count(p, &count);
	ok(collator_next(p, &r),
	   "sweep: and does not come: as if the robot stood");
	ok_eq(reading_sweeps(&r), 0, "... reading sweeps");
	ok_eq(count.unswept, 0, "... unswept");
	collator_count(p, &count);
	ok_eq(count.unswept, 1, "sweep: that is counted");
	ok_eq(count.given, 2, "... given");
	scan.time_increment = 5;
	scan.stamp = 3000 * MS;
	collator_add_scan(p, &scan);
	ok(collator_next(p, &r),
	   "sweep: a time that cannot be is not looked at");
	ok_eq(reading_sweeps(&r), 0, "... reading sweeps");
	collator_free(p);
}

/* Scans of an outage, then the odometry of it: each is behind the other */
static void test_behind_outage(void)
{
	struct collator *p = collator_new(3 * SECOND);
	struct collator_count count;
	struct reading r;
	int given = 0;

	add_odometry(p, 0);
	for (int i = 1; i <= 20; i++)
		add_scan(p, i * 2 * SECOND, 3);
	ok(!collator_next(p, &r), "behind an outage: scans wait");
	for (int i = 1; i <= 41; i++) {
		add_odometry(p, i * SECOND);
		while (collator_next(p, &r))
			given += right(&r, (given + 1) * 2 * SECOND, 3);
	}
	collator_count(p, &count);
	ok_eq(given, 20, "behind an outage: %d of 20", given);
	ok_eq(count.dropped, 0, "... dropped");
	for (int i = 42; i <= 80; i++)
		add_odometry(p, i * SECOND);
	given = 0;
	for (int i = 42; i <= 60; i++) {
		add_scan(p, i * SECOND, 3);
		if (collator_next(p, &r))
			given += right(&r, i * SECOND, 3);
	}
	ok(given == 19, "behind an outage: odometry first");
	collator_free(p);
}

static void test_dropping(void)
{
	struct collator *p = collator_new(SECOND);
	const struct pose nowhere = { NAN, 0, 0 };
	struct collator_count count;
	struct reading r;
	int given = 0;

	add_scan(p, 0, 1);
	add_odometry(p, 100 * MS);
	add_scan(p, 200 * MS, 2);
	add_odometry(p, 300 * MS);
	ok(!collator_next(p, &r), "dropping: odometry from before may come");
	add_odometry(p, 1001 * MS);
	ok(collator_next(p, &r), "dropping: not for ever");
	ok(right(&r, 200 * MS, 2), "... right");
	/* odometry fails for a while */
	add_scan(p, 1500 * MS, 3);
	add_scan(p, 2600 * MS, 4);
	add_odometry(p, 2550 * MS);
	ok(!collator_next(p, &r), "dropping: a gap says nothing");
	add_odometry(p, 2650 * MS);
	ok(collator_next(p, &r), "dropping: it goes on after it");
	ok(right(&r, 2600 * MS, 4), "... right");
	for (int i = 0; i < 200; i++)
		add_scan(p, 3000 * MS + i, 5);
	for (int i = 26; i < 32; i++)
		add_odometry(p, i * 100 * MS);
	while (collator_next(p, &r))
		given++;
	ok(given == COLLATOR_SCANS, "dropping: so many wait (%d)", given);
	collator_count(p, &count);
	ok_eq(count.dropped, 2 + 200 - COLLATOR_SCANS, "dropping: counts");
	ok_eq(count.given, (unsigned int)given + 2, "... given");
	ok_eq(add_scan(p, -1, 5), -EINVAL,
	      "dropping: what cannot be is refused");
	ok_eq(add_scan(p, 5, 0), -EINVAL, "... add scan");
	ok_eq(add_scan(p, 5, READING_BEAMS_MAX + 1), -EINVAL, "... add scan");
	ok_eq(collator_add_odometry(p, -1, &(struct pose){ 0 }), -EINVAL,
	      "... collator add odometry");
	ok_eq(collator_add_odometry(p, 5, &nowhere), -EINVAL,
	      "... collator add odometry");
	collator_count(p, &count);
	ok(count.bad == 5, "dropping: and counted");
	collator_free(p);
}

static void test_clock(void)
{
	struct collator *p = collator_new(SECOND);
	struct collator_count count;
	struct reading r;
	int given = 0;

	for (int turn = 0; turn < 3; turn++)
		for (int i = 0; i < 3000; i++) {
			add_odometry(p, i * 10 * MS);
			if (i % 10 == 5)
				add_scan(p, i * 10 * MS - 3 * MS, 6);
			while (collator_next(p, &r))
				given += r.stamp % (100 * MS) == 47 * MS &&
					 right(&r, r.stamp, 6);
		}
	collator_count(p, &count);
	ok_eq(given, 900, "clock: a recording that plays again and again (%d)",
	      given);
	ok_eq(count.dropped, 0, "... dropped");
	/* one stamp from far away */
	add_odometry(p, start);
	add_scan(p, 40 * SECOND, 6);
	add_odometry(p, 40 * SECOND - MS);
	add_odometry(p, 40 * SECOND + MS);
	ok(collator_next(p, &r), "clock: one wrong stamp does not end it");
	ok(right(&r, 40 * SECOND, 6), "... right");
	collator_free(p);
}

/*
 * Frames
 */

static struct message_transform transform(const char *parent, const char *child,
					  double x, double yaw, double roll)
{
	return (struct message_transform){
		.header.frame_id = message_string(parent),
		.child_frame_id = message_string(child),
		.translation = { x, 0, 0.3 },
		/* about z and then, of what is turned, about x */
		.rotation = { sin(roll / 2) * cos(yaw / 2),
			      sin(roll / 2) * sin(yaw / 2),
			      cos(roll / 2) * sin(yaw / 2),
			      cos(roll / 2) * cos(yaw / 2) },
	};
}

static void test_frames(void)
{
	static struct tf_frames f;
	const struct message_transform good[] = {
		transform("odom", "base_footprint", 5, 1, 0),
		transform("/base_footprint", "base_link", 0.5, 0, 0),
		transform("base_link", "/laser", 0.25, M_PI_2, M_PI),
		transform("base_link", "mast", 0, 0, M_PI_2),
		transform("a", "b", 0, 0, 0), transform("b", "a", 0, 0, 0),
	};
	struct message_transform bad = good[0];
	struct placement place;
	struct pose pose;
	bool turned;
	char name[16];
	int err = 0;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		err |= tf_add(&f, &good[i]);
	ok_eq(err, 0, "frames: along a chain, upside down");
	ok(tf_find(&f, "laser", "base_footprint", &place), "... tf find");
	ok(placement_pose(&place, &pose, &turned), "... placement pose");
	ok(near(pose.x, 0.75), "... is near");
	ok(near(pose.y, 0), "... is near");
	ok(near(pose.yaw, M_PI_2), "... is near");
	ok(turned, "... turned");
	ok(tf_find(&f, "base_footprint", "base_link", &place),
	   "frames: the other way");
	ok(placement_pose(&place, &pose, &turned), "... placement pose");
	ok(near(pose.x, -0.5), "... is near");
	ok_eq(turned, 0, "... turned");
	ok(tf_find(&f, "mast", "base_link", &place), "frames: not level");
	ok_eq(placement_pose(&place, &pose, &turned), 0, "... placement pose");
	ok_eq(tf_find(&f, "laser", "a", &place), 0,
	      "frames: no way there, or in circles");
	ok_eq(tf_find(&f, "a", "laser", &place), 0, "... tf find");
	ok_eq(tf_find(&f, "laser", "camera", &place), 0, "... tf find");
	memset(bad.rotation, 0, sizeof(bad.rotation));
	err = tf_add(&f, &bad);
	bad = good[0];
	bad.translation[1] = INFINITY;
	err = err == -EBADMSG ? tf_add(&f, &bad) : 0;
	bad = good[0];
	bad.child_frame_id = bad.header.frame_id;
	err = err == -EBADMSG ? tf_add(&f, &bad) : 0;
	bad.child_frame_id.len = 0;
	err = err == -EBADMSG ? tf_add(&f, &bad) : 0;
	ok(err == -EBADMSG, "frames: what cannot be");
	for (int i = 0; i < 2 * TF_FRAMES_MAX; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		bad = transform("odom", name, 0, 0, 0);
		err = tf_add(&f, &bad);
	}
	ok_eq(err, -E2BIG, "frames: too many");
	ok_eq(f.count, TF_FRAMES_MAX, "... count");
}

/*
 * Messages as they come live
 */

static int take_scan(struct laser_input *in, int64_t stamp)
{
	static const float range[2] = { 1, 2 };
	const union message msg = { .scan = {
		.header = { stamp, 0, message_string("laser") },
		.angle_increment = 0.5f, .range_max = INFINITY,
		.ranges = { (const uint8_t *)range, 2, false },
	} };

	return laser_input_add(in, MESSAGE_LASER_SCAN, &msg, false, 0);
}

static int take_transform(struct laser_input *in, struct message_transform t,
			  int64_t stamp, bool fixed)
{
	union message msg = { .tf.transforms = message_list(&t, 1) };
	static uint8_t data[512];
	long n;

	/* lists are read from what was sent only */
	t.header.stamp = stamp;
	n = message_write(MESSAGE_TRANSFORMS, MESSAGE_CDR, &msg, data,
			  sizeof(data));
	if (n < 0 || message_read(MESSAGE_TRANSFORMS, MESSAGE_CDR, data, n,
				  &msg))
		abort();
	return laser_input_add(in, MESSAGE_TRANSFORMS, &msg, fixed, 0);
}

static bool is_state(const struct laser_input *in, enum laser_input_state state)
{
	const char *laser, *robot;

	return laser_input_state(in, &laser, &robot) == state;
}

/* All is known before the first scan comes */
static void test_placed_early(void)
{
	struct laser_input *in = laser_input_new(&(struct laser_input_config){
		.patience = SECOND });
	struct reading r;
	bool got;

	take_transform(in, transform("base", "laser", 0.5, 0, M_PI), 0, true);
	take_transform(in, transform("odom", "base", 1, 0, 0), 40 * MS, false);
	take_scan(in, 50 * MS);
	take_transform(in, transform("odom", "base", 1, 0, 0), 60 * MS, false);
	got = laser_input_next(in, &r);
	ok(got, "live: the first scan has its laser where it is");
	ok(near(r.laser.x, 0.5), "... is near");
	ok(near(r.angle_increment, -0.5), "... is near");
	laser_input_free(in);
}

static void test_live(void)
{
	struct laser_input *in = laser_input_new(&(struct laser_input_config){
		.patience = SECOND });
	struct laser_input_count count;
	struct reading r;
	bool good;

	good = is_state(in, LASER_INPUT_NO_LASER) && !take_scan(in, 5 * MS) &&
	       is_state(in, LASER_INPUT_NO_ROBOT);
	take_transform(in, transform("odom", "base", 1, 0, 0), 0, false);
	good &= is_state(in, LASER_INPUT_NO_WAY) && !take_scan(in, 10 * MS);
	take_transform(in, transform("base", "laser", 0, 0, M_PI_2), 0, true);
	good &= is_state(in, LASER_INPUT_TILTED);
	take_transform(in, transform("base", "laser", 0.5, 0, M_PI), 0, true);
	ok(good, "live: what is missing yet");
	ok(is_state(in, LASER_INPUT_READY), "... is state");
	take_scan(in, 50 * MS);
	ok(!laser_input_next(in, &r), "live: a scan waits");
	take_transform(in, transform("map", "odom", 7, 0, 0), 60 * MS, false);
	ok(!laser_input_next(in, &r), "live: another transform is no odometry");
	take_transform(in, transform("odom", "base", 3, 0, 0), 100 * MS, false);
	ok(laser_input_next(in, &r), "live: a reading");
	ok(near(r.odometry.x, 2), "... is near");
	ok_near(r.laser.x, 0.5, 0, "... x");
	ok(near(r.angle_increment, -0.5), "... is near");
	ok_near(r.range_max, READING_RANGE_MAX, 0, "... range max");
	good = take_transform(in, transform("odom", "base", NAN, 0, 0),
			      200 * MS, false) == -EINVAL;
	laser_input_count(in, &count);
	ok(good, "live: counts");
	ok_eq(count.given, 1, "... given");
	ok_eq(count.dropped, 2, "... dropped");
	ok_eq(count.bad, 1, "... bad");
	laser_input_free(in);
}

/*
 * Recordings
 */

/* What a recording is made of */
struct kind {
	const char	*file;
	bool		odometry, tf, fixed, upside_down;
	const char	*laser;		/* frame of the scans */
};

static void write_one(struct bag_writer *w, int topic, enum message_kind kind,
		      enum message_format format, int64_t stamp,
		      const union message *msg)
{
	static uint8_t data[65536];
	long n = message_write(kind, format, msg, data, sizeof(data));

	if (n < 0 || bag_write(w, topic, stamp, data, n))
		abort();
}

static int add_topic(struct bag_writer *w, const char *name,
		     enum message_kind kind, enum message_format format)
{
	const struct bag_topic t = {
		.name = name, .type = message_type(kind, format),
		.format = format,
	};
	const int topic = bag_add_topic(w, &t);

	if (topic < 0)
		abort();
	return topic;
}

static void write_scan(struct bag_writer *w, int topic, int64_t stamp,
		       enum message_format format, const char *frame)
{
	float range[4] = { 1, 0.01f, INFINITY, 2 };
	const union message msg = { .scan = {
		.header = { stamp, 0, message_string(frame) },
		.angle_min = -0.5f, .angle_max = 1, .angle_increment = 0.5f,
		.range_min = 0.1f, .range_max = 12,
		.ranges = { (uint8_t *)range, 4, false },
	} };

	write_one(w, topic, MESSAGE_LASER_SCAN, format, stamp + 20 * MS, &msg);
}

static void write_transform(struct bag_writer *w, int topic, int64_t stamp,
			    enum message_format format,
			    const struct message_transform *t)
{
	struct message_transform with = *t;
	union message msg = { .tf.transforms = message_list(&with, 1) };

	with.header.stamp = stamp;
	write_one(w, topic, MESSAGE_TRANSFORMS, format, stamp, &msg);
}

static void write_odometry(struct bag_writer *w, int topic, int64_t stamp,
			   enum message_format format, double t)
{
	const union message msg = { .odometry = {
		.header = { stamp, 0, message_string("odom") },
		.child_frame_id = message_string("base_link"),
		.pose = { { t, 2 * t, 0 },
			  { 0, 0, sin(t / 2), cos(t / 2) } },
	} };

	write_one(w, topic, MESSAGE_ODOMETRY, format, stamp, &msg);
}

/* 10 s: scans each 100 ms, 20 ms late; odometry 50 times a second */
static const char *make_bag(const struct kind *k)
{
	const char *path = in_folder(k->file);
	enum bag_format f = bag_format_of(path);
	enum message_format format = f == BAG_ROSBAG ? MESSAGE_ROS1 :
						       MESSAGE_CDR;
	struct message_transform place = transform("base_link", "laser", 0.2,
		0, k->upside_down ? M_PI : 0);
	int scan, odometry = -1, tf = -1, fixed = -1;
	struct bag_writer *w;

	if (bag_create(&w, path, f, true))
		abort();
	scan = add_topic(w, "/scan", MESSAGE_LASER_SCAN, format);
	if (k->odometry)
		odometry = add_topic(w, "/odom", MESSAGE_ODOMETRY, format);
	if (k->tf)
		tf = add_topic(w, "/tf", MESSAGE_TRANSFORMS, format);
	if (k->fixed)
		fixed = add_topic(w, "/tf_static", MESSAGE_TRANSFORMS, format);
	for (int ms = 0; ms <= 10000; ms += 20) {
		struct message_transform t = transform("odom", "base_link",
			ms / 1e3, ms / 1e3, 0);

		if (k->odometry)
			write_odometry(w, odometry, start + ms * MS, format,
				       ms / 1e3);
		if (k->tf)
			write_transform(w, tf, start + ms * MS, format, &t);
		/* it comes late, as latched ones in recordings do */
		if (k->fixed && ms == 400)
			write_transform(w, fixed, start + ms * MS, format,
					&place);
		if (ms % 100 == 0)
			write_scan(w, scan, start + (ms + 50) * MS - MS,
				   format, k->laser);
	}
	if (bag_finish(w))
		abort();
	return path;
}

static struct error error;

/* All of it. Return: how many readings, or what opening it said */
static int read_bag(const char *path, const struct readings_config *config,
		    struct reading *last, float *range,
		    struct readings_count *count)
{
	struct readings *log;
	struct reading r;
	int n = 0, ret = readings_open(&log, path, config, &error);

	if (ret)
		return ret;
	while ((ret = readings_next(log, &r, &error)) == 1) {
		*last = r;
		memcpy(range, r.range, 4 * sizeof(float));
		n++;
	}
	readings_count(log, count);
	readings_close(log);
	return ret ? ret : n;
}

static void test_bags(void)
{
	static const struct kind kinds[] = {
		{ "odom.mcap", true, false, true, false, "laser" },
		{ "tf.mcap", false, true, true, false, "laser" },
		{ "both.bag", true, true, true, true, "/laser" },
		{ "same.bag", true, false, false, false, "base_link" },
		{ "tf.db3", false, true, true, true, "laser" },
	};
	struct readings_count count;
	struct reading r;
	float range[4];

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const char *path = make_bag(&kinds[i]);
		const double sign = kinds[i].upside_down ? -1 : 1;
		int n = read_bag(path, NULL, &r, range, &count);
		double t = n > 0 ? (r.stamp - start) * 1e-9 : 0;

		ok_eq(n, 100, "%s: readings with odometry", kinds[i].file);
		ok(near(t, 9.949), "... is near");
		ok(near(r.odometry.x, t), "... is near");
		ok(near(remainder(r.odometry.yaw - t, 2 * M_PI), 0),
		   "... is near");
		/* the last one has no odometry behind it */
		ok_eq(count.bad, 0, "%s: counts", kinds[i].file);
		ok_eq(count.unpaired, 1, "... unpaired");
		ok_eq(count.backwards, 0, "... backwards");
		ok_eq(count.bytes, count.size, "... bytes");
		ok_range(count.size, 1001, INFINITY, "... size");
		ok(near(r.laser.x, kinds[i].fixed ? 0.2 : 0),
		   "%s: where the laser is", kinds[i].file);
		ok(near(r.laser.yaw, 0), "... is near");
		ok(near(r.angle_min, -0.5 * sign), "... is near");
		ok(near(r.angle_increment, 0.5 * sign), "... is near");
		ok_eq(r.beams, 4, "%s: ranges", kinds[i].file);
		ok_near(range[0], 1, 0, "... range");
		ok_near(range[1], 0, 0, "... range");
		ok(isinf(range[2]), "... range is infinite");
		ok_near(range[3], 2, 0, "... range");
		ok_near(r.range_max, 12, 0, "... range max");
	}
}

static void test_bags_refused(void)
{
	static const struct kind no_place = {
		"place.mcap", true, true, false, false, "laser" };
	static const struct kind silent = {
		"silent.mcap", true, false, false, false, "" };
	const struct pose place = { 0.1, 0.2, 0.3 };
	struct readings_config config = { .laser = &place };
	struct readings_count count;
	const char *path = make_bag(&no_place);
	struct reading r;
	float range[4];

	ok_eq(read_bag(path, NULL, &r, range, &count), -ENODATA,
	      "no place of the laser: %s", error.text);
	ok(strstr(error.text, "laser (laser)"), "... error says it");
	ok_eq(read_bag(path, &config, &r, range, &count), 100,
	      "but it may be given");
	ok_near(r.laser.y, 0.2, 0, "... y");
	config.scan = "/front";
	ok_eq(read_bag(path, &config, &r, range, &count), -ENODATA,
	      "no such topic: %s", error.text);
	ok(strstr(error.text, "no topic /front"), "... error says it");
	path = make_bag(&silent);
	ok_eq(read_bag(path, NULL, &r, range, &count), -ENODATA, "%s", error.text);
	ok(strstr(error.text, "frame_id"), "... error says it");
	config.scan = NULL;
	ok(read_bag(path, &config, &r, range, &count) == 100,
	   "no frame, but a place given");
}

/* Each scan is given, and the robot does not move by odometry */
static void test_bags_without_odometry(void)
{
	static const struct kind kinds[] = {
		{ "alone.mcap", false, false, false, false, "laser" },
		{ "turned.bag", false, false, true, true, "/laser" },
		{ "unused.db3", true, true, true, false, "laser" },
		{ "nameless.mcap", false, false, false, false, "" },
	};
	const struct readings_config none = { .odometry = READINGS_NO_ODOMETRY };
	struct readings_count count;
	struct reading r;
	float range[4];

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct kind *k = kinds + i;

		ok_eq(read_bag(make_bag(k), k->odometry ? &none : NULL, &r,
			       range, &count), 101,
		      "%s: readings without odometry", k->file);
		ok_eq(count.standing, 101, "... standing");
		ok_eq(count.unpaired, 0, "... unpaired");
		ok_near(r.odometry.x, 0, 0, "... x");
		ok_near(r.odometry.yaw, 0, 0, "... yaw");
		ok(near(r.laser.x, k->fixed ? 0.2 : 0), "... laser");
		ok(near(r.angle_increment, k->upside_down ? -0.5 : 0.5),
		   "... angle increment");
	}
	if (access(REAL, R_OK))
		return;
	ok_eq(read_bag(REAL, NULL, &r, range, &count), 360, "a real one");
	ok_eq(count.standing, 360, "... standing");
}

/* Odometry that does not come, and then does */
static void test_live_without_odometry(void)
{
	struct laser_input *in = laser_input_new(&(struct laser_input_config){
		.odometry = LASER_ODOMETRY_TF, .patience = SECOND });
	struct laser_input_count count;
	struct reading r;

	take_scan(in, 10 * MS);
	ok(!laser_input_next(in, &r), "live: no odometry yet");
	laser_input_use(in, LASER_ODOMETRY_NONE);
	take_scan(in, 20 * MS);
	ok(!laser_input_next(in, &r), "... where is the laser?");
	laser_input_alone(in);
	take_scan(in, 30 * MS);
	ok(laser_input_next(in, &r), "... the laser is the robot");
	ok_eq(r.stamp, 30 * MS, "... stamp");
	ok_near(r.laser.x, 0, 0, "... laser");
	laser_input_use(in, LASER_ODOMETRY_TF);
	take_scan(in, 50 * MS);
	ok(!laser_input_next(in, &r), "... a scan waits again");
	take_transform(in, transform("odom", "laser", 3, 0, 0), 60 * MS, false);
	take_scan(in, 60 * MS);
	take_transform(in, transform("odom", "laser", 4, 0, 0), 100 * MS,
		       false);
	laser_input_count(in, &count);
	ok_eq(count.standing, 1, "... standing");
	ok_eq(count.poses, 2, "... poses");
	laser_input_free(in);
}

static void test_several(void)
{
	const char *path = in_folder("two.mcap");
	struct readings_config config = { .scan = "/front" };
	struct readings_count count;
	struct bag_writer *w;
	struct reading r;
	int topic[3];
	float range[4];

	if (bag_create(&w, path, BAG_MCAP, false))
		abort();
	topic[0] = add_topic(w, "/front", MESSAGE_LASER_SCAN, MESSAGE_CDR);
	topic[1] = add_topic(w, "/rear", MESSAGE_LASER_SCAN, MESSAGE_CDR);
	topic[2] = add_topic(w, "/odom", MESSAGE_ODOMETRY, MESSAGE_CDR);
	for (int i = 0; i < 10; i++) {
		write_odometry(w, topic[2], start + i * 20 * MS, MESSAGE_CDR,
			       i);
		write_scan(w, topic[0], start + i * 20 * MS, MESSAGE_CDR,
			   "base_link");
		write_scan(w, topic[1], start + i * 20 * MS, MESSAGE_CDR,
			   i == 5 ? "elsewhere" : "base_link");
	}
	bag_write(w, topic[2], start + SECOND, "\0\1\0\0abc", 7);
	if (bag_finish(w))
		abort();
	ok_eq(read_bag(path, NULL, &r, range, &count), -ENODATA,
	      "several scans: %s", error.text);
	ok(strstr(error.text, "/front /rear"), "... error says it");
	ok_eq(read_bag(path, &config, &r, range, &count), 10,
	      "one of them; a damaged message is passed over");
	ok_eq(count.bad, 1, "... bad");
	config.scan = "/rear";
	ok_eq(read_bag(path, &config, &r, range, &count), 9,
	      "the other one; a scan of another frame is passed over");
	ok_eq(count.bad, 2, "... bad");
}

int main(void)
{
	make_folder();
	test_waiting();
	test_sweep();
	test_behind_outage();
	test_dropping();
	test_clock();
	test_frames();
	test_placed_early();
	test_live();
	test_bags();
	test_bags_refused();
	test_bags_without_odometry();
	test_live_without_odometry();
	test_several();
	remove_folder();
	return tap_done();
}
