// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_message - ROS messages against what others make of the same contents,
 * and to and from clouds, maps and grids
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/wire.h"
#include "ros/msg/convert.h"
#include "ros/msg/message.h"
#include "md5.h"
#include "hex.h"
#include "message_golden.h"
#include "tap.h"

enum { MAX = 8192 };

static union message msg, back;

static struct message_string str(const char *s)
{
	return message_string(s);
}

static struct message_floats floats(const float *f, uint32_t n)
{
	return (struct message_floats){ (const uint8_t *)f, n, false };
}

static struct message_header header(void)
{
	return (struct message_header){
		.stamp = 1700000000123456789, .seq = 7, .frame_id = str("base"),
	};
}

static const uint8_t bytes[28] = {
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
	20, 21, 22, 23, 24, 25, 26, 27,
};

static void fill_grid(struct message_grid_map *g)
{
	static const float a[] = { 1, 2, 3, 4, 5, 6 };
	static const float b[] = { 7, 8, 9, 10, 11, 12 };
	struct message_array array = {
		.dims = 2, .dim = { { str("column_index"), 3, 6 },
				    { str("row_index"), 2, 2 } },
	};

	*g = (struct message_grid_map){
		.header = header(), .resolution = 0.5, .length_x = 1.5,
		.length_y = 1, .pose = { { 1, 2, 0 }, { 0, 0, 0, 1 } },
		.layers = 2, .layer = { str("elevation"), str("var") },
		.basic_layers = 1, .basic_layer = { str("elevation") },
		.arrays = 2, .data = { array, array },
		.outer_start_index = 1, .inner_start_index = 2,
	};
	g->data[0].data = floats(a, 6);
	g->data[1].data = floats(b, 6);
}

static void fill_cloud(struct message_point_cloud *c)
{
	*c = (struct message_point_cloud){
		.header = header(), .height = 1, .width = 2, .fields = 4,
		.field = { { str("x"), 0, 7, 1 }, { str("y"), 4, 7, 1 },
			   { str("z"), 8, 7, 1 }, { str("ring"), 12, 4, 1 } },
		.point_step = 14, .row_step = 28, .data = { bytes, 28 },
		.is_dense = 1,
	};
}

static void fill_odometry(struct message_odometry *o)
{
	*o = (struct message_odometry){
		.header = header(), .child_frame_id = str("robot"),
		.pose = { { 1, 0, 0 }, { 0, 0, 0, 1 } },
		.twist = { { 0.5, 0, 0 }, { 0, 0, -0.25 } },
	};
	for (int i = 0; i < 36; i++) {
		o->pose_covariance[i] = i;
		o->twist_covariance[i] = -(double)i;
	}
}

static void fill_estimate(struct message_pose_covariance *p)
{
	*p = (struct message_pose_covariance){
		.header = header(), .pose = { { 1, 0, 0 }, { 0, 0, 0, 1 } },
	};
	for (int i = 0; i < 36; i++)
		p->covariance[i] = i;
}

static void fill_scan(struct message_laser_scan *s)
{
	static const float r[] = { 1, 2, 3, 4, 5 }, in[] = { 9 };

	*s = (struct message_laser_scan){
		.header = header(), .angle_min = -1, .angle_max = 1,
		.angle_increment = 0.5, .time_increment = 0.25,
		.scan_time = 0.125, .range_min = 0.5, .range_max = 30,
		.ranges = floats(r, 5), .intensities = floats(in, 1),
	};
}

static void fill_diagnostics(struct message_diagnostics *d)
{
	*d = (struct message_diagnostics){
		.header = header(), .statuses = 2,
		.status = {
			{ 1, str("camera"), str("lossy"), str("hw"), 2,
			  { { str("loss"), str("0.5") },
			    { str("rate"), str("10") } } },
			{ .name = str("map"), .message = str(""),
			  .hardware_id = str("") },
		},
	};
}

static const struct message_point32 corners[3] = {
	{ 0, 0, 0 }, { 4, 0, 0.5f }, { 4, 3, -1 },
};

static void fill_lists(enum message_kind kind)
{
	static struct message_transform transforms[2];
	static struct message_pose_stamped poses[2];

	transforms[0] = (struct message_transform){
		header(), str("robot"), { 1, 2, 3 }, { 0, 0, 0, 1 },
	};
	transforms[1] = (struct message_transform){
		{ 1700000001000000005, 0, str("map") }, str("odom2"),
		{ -1, 0.5, 0 }, { 0, 0, 0.6, 0.8 },
	};
	for (int i = 0; i < 2; i++) {
		const struct message_transform *t = &transforms[i];

		poses[i].header = t->header;
		memcpy(poses[i].pose.position, t->translation,
		       sizeof(t->translation));
		memcpy(poses[i].pose.orientation, t->rotation,
		       sizeof(t->rotation));
	}
	if (kind == MESSAGE_TRANSFORMS)
		msg.tf.transforms = message_list(transforms, 2);
	else if (kind == MESSAGE_PATH)
		msg.path = (struct message_path){ header(),
						  message_list(poses, 2) };
	else
		msg.polygon = (struct message_polygon){
			header(), message_list(corners, 3),
		};
}

static void fill_room(struct message_room *r)
{
	static const float gases[] = { 0.25, 1 };

	*r = (struct message_room){
		.header = header(), .id = 3, .name = str("Saal"),
		.location = { 1, 2, 0 }, .size = 12,
		.outline = message_list(corners, 3),
		.averages_valid = 1, .avg_temperature = 21.5,
		.avg_gases = floats(gases, 2), .avg_smoke = 10,
		.avg_signal = -1, .max_hazard = 99, .names = 2,
		.gas_name = { str("CO"), str("H2S") },
	};
}

static struct message_doubles doubles(const double *f, uint32_t n)
{
	return (struct message_doubles){ (const uint8_t *)f, n, false };
}

static void fill_camera_info(struct message_camera_info *c)
{
	static const double d[] = { 0.1, -0.2, 0, 0, 0.05 };

	*c = (struct message_camera_info){
		.header = header(), .height = 480, .width = 640,
		.distortion_model = str("plumb_bob"), .d = doubles(d, 5),
		.k = { 500, 0, 320, 0, 500, 240, 0, 0, 1 },
		.r = { 1, 0, 0, 0, 1, 0, 0, 0, 1 },
		.p = { 500, 0, 320, -25, 0, 500, 240, 0, 0, 0, 1, 0 },
		.binning_x = 2, .binning_y = 1, .roi = { 8, 16, 32, 64 },
		.roi_rectify = 1,
	};
}

static void fill_imu(struct message_imu *m)
{
	*m = (struct message_imu){
		.header = header(), .orientation = { 0, 0, 0.6, 0.8 },
		.angular_velocity = { 0.25, 0, -0.5 },
		.linear_acceleration = { 0, 0.5, 9.75 },
	};
	for (int i = 0; i < 9; i++) {
		m->orientation_covariance[i] = i;
		m->angular_velocity_covariance[i] = i + 10;
		m->linear_acceleration_covariance[i] = i + 20;
	}
}

static void fill_joints(struct message_joint_state *j)
{
	static const double position[] = { 0.5, -1.25 }, velocity[] = { 3, 4 };

	*j = (struct message_joint_state){
		.header = header(), .names = 2,
		.name = { str("left"), str("r") },
		.position = doubles(position, 2),
		.velocity = doubles(velocity, 2),
	};
}

static void fill(enum message_kind kind)
{
	static const uint8_t part[] = { 255, 0, 100, 50, 7 };
	static const uint8_t jpeg[] = { 0xff, 0xd8, 0xff };
	static const uint8_t cells[] = { 255, 0, 100, 50 };
	static struct message_graph_edge edges[2];

	edges[0] = (struct message_graph_edge){
		str("submap_0"), str("submap_1"), MESSAGE_EDGE_ODOMETRY, 0,
		{ 5, 0.5, -1 }, { 1, 2, 3, 4, 5, 6, 7, 8, 9 },
	};
	edges[1] = (struct message_graph_edge){
		str("submap_7"), str("submap_0"), MESSAGE_EDGE_LOOP, 1,
		{ -1, 2, 3 }, { 9, 8, 7, 6, 5, 4, 3, 2, 1 },
	};
	memset(&msg, 0, sizeof(msg));
	if (kind == MESSAGE_IMAGE)
		msg.image = (struct message_image){
			header(), 2, 3, str("mono8"), 0, 4, { bytes, 8 },
		};
	else if (kind == MESSAGE_COMPRESSED_IMAGE)
		msg.compressed = (struct message_compressed_image){
			header(), str("jpeg"), { jpeg, 3 },
		};
	else if (kind == MESSAGE_POINT_CLOUD)
		fill_cloud(&msg.cloud);
	else if (kind == MESSAGE_LASER_SCAN)
		fill_scan(&msg.scan);
	else if (kind == MESSAGE_OCCUPANCY_GRID)
		msg.map = (struct message_occupancy_grid){
			header(), 5000000006, 0.5f, 2, 2,
			{ { -1, 2, 0 }, { 0, 0, 0, 1 } }, { cells, 4 },
		};
	else if (kind == MESSAGE_ODOMETRY)
		fill_odometry(&msg.odometry);
	else if (kind == MESSAGE_GRID_MAP)
		fill_grid(&msg.grid);
	else if (kind == MESSAGE_DIAGNOSTICS)
		fill_diagnostics(&msg.diagnostics);
	else if (kind == MESSAGE_TRANSFORMS || kind == MESSAGE_PATH ||
		 kind == MESSAGE_POLYGON)
		fill_lists(kind);
	else if (kind == MESSAGE_GRID_UPDATE)
		msg.update = (struct message_grid_update){
			header(), -3, 4, 5, 1, { part, 5 },
		};
	else if (kind == MESSAGE_UINT8)
		msg.uint8.data = 200;
	else if (kind == MESSAGE_ROOM)
		fill_room(&msg.room);
	else if (kind == MESSAGE_POSE_COVARIANCE)
		fill_estimate(&msg.estimate);
	else if (kind == MESSAGE_MAP_METADATA)
		msg.metadata = (struct message_map_metadata){
			5000000006, 0.5f, 2, 2,
			{ { -1, 2, 0 }, { 0, 0, 0, 1 } },
		};
	else if (kind == MESSAGE_POSE_GRAPH)
		msg.graph = (struct message_pose_graph){
			header(), str("submap_"), message_list(edges, 2),
		};
	else if (kind == MESSAGE_CAMERA_INFO)
		fill_camera_info(&msg.camera_info);
	else if (kind == MESSAGE_IMU)
		fill_imu(&msg.imu);
	else if (kind == MESSAGE_JOINT_STATE)
		fill_joints(&msg.joints);
	else if (kind == MESSAGE_TWIST_STAMPED)
		msg.twist_stamped = (struct message_twist_stamped){
			header(), { { 0.5, 0, 0 }, { 0, 0, -0.25 } },
		};
	else
		msg.twist = (struct message_twist){ { 0.5, 0, 0 },
						    { 0, 0, -0.25 } };
}

/* Cyclone pads to 4 bytes and says how many these are */
static bool same(enum message_format format, const uint8_t *a, size_t n,
		 const uint8_t *b, size_t m)
{
	if (format == MESSAGE_ROS1)
		return n == m && !memcmp(a, b, n);
	return m == (n + 3) / 4 * 4 && !memcmp(a, b, 2) &&
	       !memcmp(a + 4, b + 4, n - 4);
}

static void test_golden(void)
{
	uint8_t want[MAX], got[MAX];

	for (int k = 0; k < MESSAGE_TYPES; k++)
		for (int f = 0; f < 2; f++) {
			const char *type = message_type(k, f);
			long n, m, again;
			int err;

			fill(k);
			n = message_write(k, f, &msg, got, MAX);
			ok_range(n, 1, INFINITY, "%s: %ld bytes", type, n);
			ok_eq(n, message_size(k, f, &msg), "... number");
			ok_eq(message_write(k, f, &msg, got, n), n,
			      "... message write");
			ok_eq(message_write(k, f, &msg, got, n - 1), -ENOSPC,
			      "... message write");
			if (!golden[k][f])
				memcpy(want, got, m = n);
			else
				m = from_hex(golden[k][f], want);
			ok(!golden[k][f] || same(f, got, n, want, m),
			   "%s: as others write it", type);
			err = message_read(k, f, want, m, &back);
			again = err ? err : message_write(k, f, &back, got,
							  MAX);
			ok_eq(again, n, "%s: as others read it", type);
			ok((!golden[k][f] || same(f, got, n, want, m)),
			   "... golden");
		}
}

/* Copies in memory of their exact size, so that a sanitizer sees more */
static int read_copy(int kind, int format, const uint8_t *data, size_t n)
{
	uint8_t *copy = malloc(n ? n : 1);
	int err;

	memcpy(copy, data, n);
	err = message_read(kind, format, copy, n, &back);
	free(copy);
	return err;
}

static void test_broken(void)
{
	uint8_t good[MAX], bad[MAX];
	uint64_t rng = 1;

	for (int k = 0; k < MESSAGE_TYPES; k++)
		for (int f = 0; f < 2; f++) {
			int accepted = 0, other = 0;
			long n;

			fill(k);
			n = message_write(k, f, &msg, good, MAX);
			for (long i = 0; i < n; i++)
				accepted += read_copy(k, f, good, i) !=
					    -EBADMSG;
			memset(good + n, 0, 4);
			accepted += read_copy(k, f, good, n + 4) != -EBADMSG;
			for (int i = 0; i < 2000; i++) {
				int err;

				memcpy(bad, good, n);
				bad[rnd(&rng, n)] = rnd(&rng, 256);
				bad[rnd(&rng, n)] = rnd(&rng, 4) ? 0 : 255;
				err = read_copy(k, f, bad, n);
				other += err && err != -EBADMSG &&
					 err != -E2BIG;
			}
			ok_eq(accepted, 0, "%s: broken", message_type(k, f));
			ok_eq(other, 0, "... other");
		}
}

static void test_lists(void)
{
	uint8_t data[MAX];
	long n;

	fill(MESSAGE_POINT_CLOUD);
	msg.cloud.fields = MESSAGE_FIELDS + 1;
	ok(message_write(MESSAGE_POINT_CLOUD, MESSAGE_CDR, &msg, data, MAX) ==
	   -E2BIG, "more fields than there may be");
	fill(MESSAGE_POINT_CLOUD);
	n = message_write(MESSAGE_POINT_CLOUD, MESSAGE_ROS1, &msg, data, MAX);
	/* the count of fields is behind the header and two numbers */
	data[28] = MESSAGE_FIELDS + 1;
	ok(message_read(MESSAGE_POINT_CLOUD, MESSAGE_ROS1, data, n, &back) ==
	   -E2BIG, "likewise when reading");
	ok(message_read(MESSAGE_TWIST, MESSAGE_OTHER, data, 48, &back) ==
	   -EBADMSG, "no such format");
	memcpy(data, "\0\3\0\0", 4);
	ok(message_read(MESSAGE_TWIST, MESSAGE_CDR, data, 52, &back) ==
	   -EBADMSG, "a parameter list is not plain CDR");
}

/* A list is what it was, whichever way it is read */
static bool same_transforms(const struct message_list *list,
			    const struct message_transform *want)
{
	struct message_list rest = *list;
	struct message_transform t;
	uint32_t n = 0;

	while (message_next_transform(&rest, &t)) {
		if (t.header.stamp != want[n].header.stamp ||
		    t.header.frame_id.len != want[n].header.frame_id.len ||
		    memcmp(t.child_frame_id.text, want[n].child_frame_id.text,
			   want[n].child_frame_id.len) ||
		    memcmp(t.translation, want[n].translation,
			   sizeof(t.translation)))
			return false;
		n++;
	}
	return n == list->count && !rest.count;
}

static void test_long_list(void)
{
	enum { N = 5000 };
	static const char names[] = "submap_0123456789";
	struct message_transform *all = calloc(N, sizeof(*all));
	static union message other, third;
	uint8_t *cdr, *ros1, *again;
	long n, m;

	for (uint32_t i = 0; i < N; i++)
		all[i] = (struct message_transform){
			.header = { i * INT64_C(1000000007), 0,
				    { names, i % 9 } },
			.child_frame_id = { names, 7 + i % 11 },
			.translation = { i, -(double)i, 0.5 },
			.rotation = { 0, 0, 0, 1 },
		};
	msg.tf.transforms = message_list(all, N);
	n = message_size(MESSAGE_TRANSFORMS, MESSAGE_CDR, &msg);
	cdr = malloc(n);
	ok_eq(message_write(MESSAGE_TRANSFORMS, MESSAGE_CDR, &msg, cdr, n), n,
	      "%d transforms in %ld bytes", N, n);
	ok_eq(message_read(MESSAGE_TRANSFORMS, MESSAGE_CDR, cdr, n, &back), 0,
	      "... message read");
	ok_eq(back.tf.transforms.count, N, "... count");
	ok(same_transforms(&back.tf.transforms, all), "... same transforms");
	ok(same_transforms(&msg.tf.transforms, all), "... same transforms");
	/* what was read can be written the other way, and back */
	m = message_size(MESSAGE_TRANSFORMS, MESSAGE_ROS1, &back);
	ros1 = malloc(m);
	again = malloc(n);
	ok_eq(message_write(MESSAGE_TRANSFORMS, MESSAGE_ROS1, &back, ros1, m),
	      m, "as ROS 1, and as ROS 2 again");
	ok_eq(message_read(MESSAGE_TRANSFORMS, MESSAGE_ROS1, ros1, m, &other),
	      0, "... message read");
	ok(same_transforms(&other.tf.transforms, all), "... same transforms");
	ok_eq(message_write(MESSAGE_TRANSFORMS, MESSAGE_CDR, &other, again, n),
	      n, "... message write");
	ok_mem(cdr, again, n, "... cdr");
	ok_eq(message_read(MESSAGE_TRANSFORMS, MESSAGE_CDR, again, n, &third),
	      0, "... message read");
	ok(same_transforms(&third.tf.transforms, all), "... same transforms");
	/* more than there are */
	memset(cdr + 4, 255, 4);
	ok(message_read(MESSAGE_TRANSFORMS, MESSAGE_CDR, cdr, n, &back) ==
	   -EBADMSG, "a count of 4294967295");
	msg.tf.transforms = message_list(NULL, N);
	ok(message_size(MESSAGE_TRANSFORMS, MESSAGE_CDR, &msg) == -E2BIG,
	   "a list of nothing");
	free(all);
	free(cdr);
	free(ros1);
	free(again);
}

static void test_short_lists(void)
{
	struct message_point32 point;
	struct message_pose_stamped pose;
	struct message_list rest;
	uint8_t data[MAX];
	long n;

	fill(MESSAGE_ROOM);
	n = message_write(MESSAGE_ROOM, MESSAGE_CDR, &msg, data, MAX);
	message_read(MESSAGE_ROOM, MESSAGE_CDR, data, n, &back);
	rest = back.room.outline;
	ok(message_next_point(&rest, &point), "a room");
	ok_eq(rest.count, 2, "... count");
	ok(message_next_point(&rest, &point), "... message next point");
	ok_near(point.z, 0.5f, 0, "... z");
	ok(message_next_point(&rest, &point), "... message next point");
	ok_near(point.y, 3, 0, "... y");
	ok_eq(message_next_point(&rest, &point), 0, "... message next point");
	ok_eq(back.room.outline.count, 3, "... count");
	ok_eq(back.room.max_hazard, 99, "... max hazard");
	ok_eq(back.room.avg_signal, -1, "... avg signal");
	ok_eq(back.room.avg_gases.count, 2, "... count");
	msg.room.outline.count = msg.room.avg_gases.count = 0;
	n = message_write(MESSAGE_ROOM, MESSAGE_CDR, &msg, data, MAX);
	ok_eq(message_read(MESSAGE_ROOM, MESSAGE_CDR, data, n, &back), 0,
	      "one without an outline");
	ok_eq(back.room.outline.count, 0, "... count");
	ok_eq(back.room.avg_gases.count, 0, "... count");
	ok_near(back.room.avg_temperature, 21.5f, 0, "... avg temperature");
	fill(MESSAGE_PATH);
	n = message_write(MESSAGE_PATH, MESSAGE_CDR, &msg, data, MAX);
	message_read(MESSAGE_PATH, MESSAGE_CDR, data, n, &back);
	rest = back.path.poses;
	ok(message_next_pose(&rest, &pose), "a path");
	ok(message_next_pose(&rest, &pose), "... message next pose");
	ok_near(pose.pose.orientation[3], 0.8, 0, "... orientation");
	ok(message_string_is(&pose.header.frame_id, "map"),
	   "... message string is");
	ok_eq(message_next_pose(&rest, &pose), 0, "... message next pose");
}

/* A scan with its numbers the other way round */
static void test_big_endian(void)
{
	uint8_t data[MAX], swapped[MAX], again[MAX];
	/* the name of the frame */
	static const uint8_t keep[] = { 16, 17, 18, 19, 20, 21, 22, 23 };
	const struct message_laser_scan *s = &back.scan;
	long n;

	fill(MESSAGE_LASER_SCAN);
	msg.scan.header.frame_id = str("sevenxx");
	n = message_write(MESSAGE_LASER_SCAN, MESSAGE_CDR, &msg, data, MAX);
	memcpy(swapped, data, n);
	swapped[1] = 0;
	for (long i = 4; i < n; i++)
		swapped[i] = data[i / 4 * 4 + 3 - i % 4];
	for (int i = 0; i < 8; i++)
		swapped[keep[i]] = data[keep[i]];
	ok_eq(message_read(MESSAGE_LASER_SCAN, MESSAGE_CDR, swapped, n, &back),
	      0, "big endian: read");
	ok_eq(s->header.stamp, msg.scan.header.stamp, "... stamp");
	ok(message_string_is(&s->header.frame_id, "sevenxx"),
	   "... message string is");
	ok_near(s->range_max, 30, 0, "... range max");
	ok_eq(s->ranges.count, 5, "... count");
	ok_near(message_float(&s->ranges, 3), 4, 0, "... message float");
	ok_eq(message_write(MESSAGE_LASER_SCAN, MESSAGE_CDR, &back, again, MAX),
	      n, "big endian: written as little endian");
	ok_mem(data, again, n, "... data");
}

static void test_stamps(void)
{
	static const int64_t stamps[] = {
		0, 1, -1, -1500000000, 1999999999, INT64_C(2147483647999999999),
		INT64_C(-2147483648000000000),
	};
	uint8_t data[MAX];
	int good = 0;
	long n;

	for (int i = 0; i < 7; i++) {
		fill(MESSAGE_TWIST_STAMPED);
		msg.twist_stamped.header.stamp = stamps[i];
		n = message_write(MESSAGE_TWIST_STAMPED, MESSAGE_CDR, &msg,
				  data, MAX);
		good += !message_read(MESSAGE_TWIST_STAMPED, MESSAGE_CDR, data,
				      n, &back) &&
			back.twist_stamped.header.stamp == stamps[i];
	}
	ok(good == 7, "stamps, also before 1970");
	fill(MESSAGE_TWIST_STAMPED);
	/* ROS 1 counts seconds until 2106 */
	msg.twist_stamped.header.stamp = INT64_C(4294967295000000001);
	n = message_write(MESSAGE_TWIST_STAMPED, MESSAGE_ROS1, &msg, data, MAX);
	ok_eq(message_read(MESSAGE_TWIST_STAMPED, MESSAGE_ROS1, data, n, &back),
	      0, "ROS 1 until 2106");
	ok_eq(back.twist_stamped.header.stamp, INT64_C(4294967295000000001),
	      "... stamp");
	ok_eq(back.twist_stamped.header.seq, 7, "... seq");
}

static void test_names(void)
{
	char text[MESSAGE_DEFINITION_MAX];
	int good = 0;

	for (int k = 0; k < MESSAGE_TYPES; k++) {
		union message *m = &msg;
		bool headed = k != MESSAGE_TWIST && k != MESSAGE_UINT8 &&
			      k != MESSAGE_TRANSFORMS &&
			      k != MESSAGE_MAP_METADATA;
		const char *cdr = message_type(k, MESSAGE_CDR);
		const char *ros1 = message_type(k, MESSAGE_ROS1);

		good += k == message_any_kind_of(cdr) &&
			k == message_any_kind_of(ros1) &&
			k == message_any_kind_of(message_dds_type(k)) &&
			message_kind_of(message_dds_type(k)) ==
			(k < MESSAGE_KINDS ? k : -ENOENT) &&
			strlen(message_md5(k)) == 32 &&
			!message_header_of(k, m) == !headed &&
			message_definition(k, MESSAGE_CDR, text) + 1 <
			MESSAGE_DEFINITION_MAX && strlen(text) > 10 &&
			message_definition(k, MESSAGE_ROS1, text) + 1 <
			MESSAGE_DEFINITION_MAX;
	}
	ok(good == MESSAGE_TYPES, "names and definitions");
	ok(message_kind_of("tf/tfMessage") == MESSAGE_TRANSFORMS,
	   "the old name of transforms");
	ok_eq(message_any_kind_of("sensor_msgs/Joy"), -ENOENT, "unknown types");
	ok_eq(message_kind_of("sensor_msgs/Joy"), -ENOENT,
	      "... message kind of");
	ok_eq(message_kind_of("Image"), -ENOENT, "... message kind of");
	message_definition(MESSAGE_COMPRESSED_IMAGE, MESSAGE_ROS1, text);
	ok(!strcmp(text, "std_msgs/Header header\nstring format\nuint8[] data\n"
		   "==========================================================="
		   "=====================\nMSG: std_msgs/Header\nuint32 seq\n"
		   "time stamp\nstring frame_id\n"), "a definition");
}

static void test_versions(void)
{
	char text[MESSAGE_DEFINITION_MAX], hex[33];

	md5_of("abc", hex);
	ok(!strcmp(hex, "900150983cd24fb0d6963f7d28e17f72"), "MD5");
	for (int k = 0; k < MESSAGE_TYPES; k++) {
		message_definition(k, MESSAGE_ROS1, text);
		md5_of_type(text, text, hex);
		ok(!strcmp(hex, message_md5(k)), "%s: %s",
		   message_type(k, MESSAGE_ROS1), hex);
	}
}

static void test_clouds(void)
{
	struct cloud *c = cloud_create(100);
	uint8_t points[100 * 32], out[MAX];
	struct message_point_cloud *m = &msg.cloud;

	memset(points, 0, sizeof(points));
	*m = (struct message_point_cloud){
		.height = 2, .width = 3, .fields = 5,
		/* z first, something with a count, and a gap */
		.field = { { str("z"), 0, 7, 1 },
			   { str("covariance"), 4, 7, 4 },
			   { str("x"), 20, 7, 1 }, { str("y"), 24, 7, 1 },
			   { str("ring"), 30, 4, 1 } },
		.point_step = 32, .row_step = 100, .data = { points, 196 },
	};
	for (int i = 0; i < 6; i++) {
		uint8_t *p = points + i / 3 * 100 + i % 3 * 32;

		put_lef32(p + 20, i);
		put_lef32(p + 24, i == 4 ? NAN : 10 + i);
		put_lef32(p, 20 + i);
		put_le16(p + 30, i);
	}
	ok_eq(message_cloud_read(m, c), 0, "a cloud in rows");
	ok_eq(c->count, 5, "... count");
	ok_eq(c->dropped, 1, "... dropped");
	ok_near(c->x[3], 3, 0, "... x");
	ok_near(c->y[4], 15, 0, "... y");
	ok_near(c->z[0], 20, 0, "... z");
	ok_eq(c->fields, 1, "... fields");
	ok_near(cloud_get(&c->field[0], 4), 5, 0, "... cloud get");
	message_cloud_write(c, out, m);
	ok_eq(message_cloud_bytes(c), 5 * 14, "written");
	ok_eq(m->point_step, 14, "... point step");
	ok_eq(m->width, 5, "... width");
	ok_eq(m->fields, 4, "... fields");
	ok(message_string_is(&m->field[3].name, "ring"),
	   "... message string is");
	ok_eq(message_cloud_read(m, c), 0, "and read again");
	ok_eq(c->count, 5, "... count");
	ok_near(c->y[4], 15, 0, "... y");
	ok_near(cloud_get(&c->field[0], 4), 5, 0, "... cloud get");
	m->data.count--;
	ok(message_cloud_read(m, c) == -EBADMSG, "a byte is missing");
	m->data.count++;
	m->width = UINT32_MAX;
	ok(message_cloud_read(m, c) == -EBADMSG, "too wide");
	m->width = 5;
	m->height = UINT32_MAX;
	m->row_step = 0;
	ok(message_cloud_read(m, c) == -EBADMSG, "rows over each other");
	m->height = 1;
	m->field[2].offset = 12;
	ok(message_cloud_read(m, c) == -EBADMSG, "a field beyond its point");
	m->fields = 2;
	ok(message_cloud_read(m, c) == -EBADMSG, "no z");
	cloud_destroy(c);
}

static void test_maps(void)
{
	int8_t in[6] = { -1, 0, 100, -128, 101, 50 }, out[6];
	struct map a = { 3, 2, 0.05f, -1, 2, 0.5, in }, b = { .cells = out };
	struct message_occupancy_grid *m = &msg.map;

	fill(MESSAGE_OCCUPANCY_GRID);
	message_map_write(&a, m);
	ok_eq(message_map_read(m, &b, 6), 0, "a map");
	ok_eq(b.width, 3, "... width");
	ok_eq(b.height, 2, "... height");
	ok_near(b.resolution, a.resolution, 0, "... resolution");
	ok_near(b.x, -1, 0, "... x");
	ok_near(b.y, 2, 0, "... y");
	ok_range(fabs(b.yaw - 0.5), -INFINITY, 1e-12, "... how far off");
	ok(!memcmp(out, "\xff\0\x64\xff\x64\x32", 6), "and its cells");
	ok(message_map_read(m, &b, 5) == -ENOSPC, "no room");
	m->width = 4;
	ok(message_map_read(m, &b, 6) == -EBADMSG, "cells are missing");
	m->width = 0;
	m->data.count = 0;
	ok(message_map_read(m, &b, 6) == -EBADMSG, "no cells");
}

static void test_grids(void)
{
	struct message_grid_map *g = &msg.grid;
	unsigned int rows, columns;
	static const float raster[6] = { 3, 4, 1, 2, 5, 6 };
	float cells[6], again[6];
	struct pose corner;
	uint8_t data[24];

	fill(MESSAGE_GRID_MAP);
	ok_eq(message_grid_shape(g, &rows, &columns), 0, "a grid's shape");
	ok_eq(rows, 2, "... rows");
	ok_eq(columns, 3, "... columns");
	/* columns 1 2 | 3 4 | 5 6; begins at row 1, column 2 */
	message_grid_read(g, 0, cells);
	ok_near(cells[0], 6, 0, "unrolled");
	ok_near(cells[1], 2, 0, "... cells");
	ok_near(cells[2], 4, 0, "... cells");
	ok_near(cells[3], 5, 0, "... cells");
	ok_near(cells[4], 1, 0, "... cells");
	ok_near(cells[5], 3, 0, "... cells");
	message_grid_raster(g, 0, again);
	ok(!memcmp(again, raster, sizeof(raster)), "as a map has it");
	g->resolution = .5;
	g->pose = (struct message_pose){ { 10, 20, 0 },
					 { 0, 0, sqrt(.5), sqrt(.5) } };
	message_grid_corner(g, &corner);
	ok_range(fabs(corner.x - 10.75), -INFINITY, 1e-9, "with its corner");
	ok_range(fabs(corner.y - 19.5), -INFINITY, 1e-9, "... how far off");
	ok_range(fabs(corner.yaw - M_PI / 2), -INFINITY, 1e-9, "... how far off");
	message_grid_write(g, 0, rows, columns, cells, data);
	message_grid_read(g, 0, again);
	ok_eq(message_grid_shape(g, &rows, &columns), 0,
	      "written and read again");
	ok_mem(cells, again, sizeof(cells), "... cells");
	ok_eq(g->outer_start_index, 0, "... outer start index");
	g->inner_start_index = 3;
	ok(message_grid_shape(g, &rows, &columns) == -EBADMSG,
	   "begins nowhere");
	g->inner_start_index = 0;
	g->data[1].dim[0].label = str("row_index");
	ok(message_grid_shape(g, &rows, &columns) == -EBADMSG, "row by row");
	fill(MESSAGE_GRID_MAP);
	g->data[1].data.count = 5;
	ok(message_grid_shape(g, &rows, &columns) == -EBADMSG,
	   "a cell is missing");
	g->arrays = 1;
	ok(message_grid_shape(g, &rows, &columns) == -EBADMSG,
	   "a layer is missing");
}

/* Numbers of a message that is written again are read no farther than they go */
static void test_big_numbers(void)
{
	static const uint8_t big[8] = { 0x3f, 0xc0, 0, 0, 0xc0, 0x20, 0, 0 };
	uint8_t *ranges = malloc(sizeof(big)), out[256] = { 0 };
	long len;

	memcpy(ranges, big, sizeof(big));
	memset(&msg, 0, sizeof(msg));
	msg.scan.ranges = (struct message_floats){ ranges, 2, true };
	len = message_write(MESSAGE_LASER_SCAN, MESSAGE_CDR, &msg, out,
			    sizeof(out));
	free(ranges);
	ok_range(len, 40, 100, "a scan of big-endian numbers");
	ok_eq(message_read(MESSAGE_LASER_SCAN, MESSAGE_CDR, out, (size_t)len,
			   &back),
	      0, "... is read again");
	ok_eq(back.scan.ranges.count, 2, "... both");
	ok_near(message_float(&back.scan.ranges, 0), 1.5, 0, "... the first");
	ok_near(message_float(&back.scan.ranges, 1), -2.5, 0, "... the second");
	ok_eq(message_read(MESSAGE_UINT8, MESSAGE_CDR, "\0\1\0\0\7", 5, &back),
	      0, "the shortest message");
	ok_eq(message_read(MESSAGE_UINT8, MESSAGE_CDR, "\0\1\0\0", 4, &back),
	      -EBADMSG, "... not without its byte");
	ok_eq(message_read(MESSAGE_UINT8, MESSAGE_CDR, "\0\2\0\0\7", 5, &back),
	      -EBADMSG, "... of another encapsulation");
	ok_eq(message_read(MESSAGE_UINT8, MESSAGE_CDR, "\1\1\0\0\7", 5, &back),
	      -EBADMSG, "... or none");
}

int main(void)
{
	test_big_numbers();
	test_golden();
	test_broken();
	test_lists();
	test_long_list();
	test_short_lists();
	test_big_endian();
	test_stamps();
	test_names();
	test_versions();
	test_clouds();
	test_maps();
	test_grids();
	return tap_done();
}
