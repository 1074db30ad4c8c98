// SPDX-License-Identifier: GPL-2.0-only
/*
 * log-bag - a laser log as a recording of ROS: /scan, /odom, /tf_static
 *
 * usage: log-bag LOG NAME.mcap [FIRST COUNT [X Y YAW FRAME [TOPIC]]]
 *
 * Times are those of the log, so that a recording that plays takes as long as
 * the robot did; FIRST and COUNT are of scans. X Y YAW: someone says at the second
 * scan that the robot is there: /initialpose, or TOPIC
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/loop.h"
#include "laser/readings.h"
#include "ros/io/sink.h"

/* No clock is at 0, s */
#define EPOCH	1700000000LL

static struct sink_topic *scan, *odom, *fixed, *initial;

static struct message_header header(int64_t stamp, const char *frame)
{
	return (struct message_header){ stamp, 0, message_string(frame) };
}

static void turn(double yaw, double q[4])
{
	q[0] = q[1] = 0;
	q[2] = sin(yaw / 2);
	q[3] = cos(yaw / 2);
}

static void put_odometry(const struct reading *r, int64_t stamp)
{
	static union message m;

	m.odometry = (struct message_odometry){
		.header = header(stamp, "odom"),
		.child_frame_id = message_string("base_link"),
		.pose = { { r->odometry.x, r->odometry.y, 0 }, { 0 } },
	};
	turn(r->odometry.yaw, m.odometry.pose.orientation);
	sink_publish(odom, stamp, &m);
}

static void put_scan(const struct reading *r, int64_t stamp)
{
	static union message m;

	m.scan = (struct message_laser_scan){
		.header = header(stamp, "laser"),
		.angle_min = r->angle_min,
		.angle_max = r->angle_min +
			     (float)(r->beams - 1) * r->angle_increment,
		.angle_increment = r->angle_increment,
		.range_max = r->range_max,
		.ranges = { (const uint8_t *)r->range, r->beams, false },
	};
	sink_publish(scan, stamp, &m);
}

static void put_laser(const struct reading *r, int64_t stamp)
{
	static union message m;
	struct message_transform t = {
		.header = header(stamp, "base_link"),
		.child_frame_id = message_string("laser"),
		.translation = { r->laser.x, r->laser.y, 0 },
	};

	turn(r->laser.yaw, t.rotation);
	m.tf = (struct message_transforms){ message_list(&t, 1) };
	sink_publish(fixed, stamp, &m);
}

/* As RViz does it: pose is X Y YAW FRAME */
static void put_initial(char **pose, int64_t stamp)
{
	static union message m;

	m.estimate = (struct message_pose_covariance){
		.header = header(stamp, pose[3]),
		.pose = { { atof(pose[0]), atof(pose[1]), 0 }, { 0 } },
	};
	turn(atof(pose[2]), m.estimate.pose.orientation);
	m.estimate.covariance[0] = m.estimate.covariance[7] = 0.25;
	m.estimate.covariance[35] = 0.0685;
	sink_publish(initial, stamp, &m);
}

static int fail(const char *why)
{
	fprintf(stderr, "log-bag: %s\n", why);
	return 1;
}

int main(int argc, char **argv)
{
	struct sink_config config = { .name = "log_bag" };
	long first = 0, count = 1L << 40, scans = 0;
	struct readings *log;
	struct loop *loop = loop_create();
	struct reading r;
	struct error error;
	struct sink *s;

	if (argc != 3 && argc != 5 && argc != 9 &&
	    argc != 10)
		return fail("usage: log-bag LOG NAME.mcap [FIRST COUNT [X Y YAW FRAME]]");
	if (argc >= 5) {
		first = atol(argv[3]);
		count = atol(argv[4]);
	}
	config.spec = argv[2];
	if (readings_open(&log, argv[1], NULL, &error) ||
	    sink_open(&s, loop, &config, &error))
		return fail(error.text);
	if (sink_add(s, "/scan", MESSAGE_LASER_SCAN, false, &scan) ||
	    sink_add(s, "/odom", MESSAGE_ODOMETRY, false, &odom) ||
	    sink_add(s, "/tf_static", MESSAGE_TRANSFORMS, true, &fixed) ||
	    (argc >= 9 && sink_add(s, argc > 9 ? argv[9] : "/initialpose",
				   MESSAGE_POSE_COVARIANCE, false, &initial)))
		return fail("topics");
	while (scans < first + count && readings_next(log, &r, &error) > 0) {
		const int64_t stamp = r.stamp + EPOCH * 1000000000;

		scans += r.beams > 0;
		if (scans <= first)
			continue;
		if (r.beams && scans == first + 1)
			put_laser(&r, stamp);
		if (initial && r.beams && scans == first + 2)
			put_initial(argv + 5, stamp);
		put_odometry(&r, stamp);
		if (r.beams)
			put_scan(&r, stamp);
	}
	sink_close(s);
	readings_close(log);
	loop_destroy(loop);
	return 0;
}
