// SPDX-License-Identifier: GPL-2.0-only
/*
 * view-bag - a recording for tests of optsample-view
 *
 * /state is nav_msgs/Odometry, 10 Hz; position.x counts its messages from 0.
 * /image0, /image1 ... are sensor_msgs/CompressedImage, 10 Hz, with the same
 * stamps; the first four bytes of their data count them. In a .bag they are
 * those of ROS 1.
 *
 * The first stamp is BEGIN, in s.
 *
 * With "wrong" the first two are logged at the time 0, as before the first
 * /clock. With "more" there are also /image0/kept, once a second, of one second before,
 * and /map, nav_msgs/OccupancyGrid, latched, every two seconds: the value of
 * its only cell counts it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/wire.h"
#include "ros/bag/bag.h"
#include "ros/msg/message.h"

enum { IMAGES = 16 };

static const int64_t step = 100000000;
static int64_t begin = 1700000000000000000;

static enum message_format format = MESSAGE_CDR;

static int put(struct bag_writer *bag, unsigned int topic,
	       enum message_kind kind, int64_t t, const union message *m)
{
	const long len = message_size(kind, format, m);
	uint8_t *data = malloc(len);
	int err;

	message_write(kind, format, m, data, len);
	err = bag_write(bag, topic, t, data, len);
	free(data);
	return err;
}

static int add(struct bag_writer *bag, const char *name, enum message_kind kind)
{
	const struct bag_topic t = {
		.name = name, .type = message_type(kind, format),
		.format = format, .latched = kind == MESSAGE_OCCUPANCY_GRID,
	};

	return bag_add_topic(bag, &t);
}

static int write_state(struct bag_writer *bag, int topic, unsigned int n,
		       int64_t t, int64_t logged)
{
	union message m = { .odometry = {
		.header = { .stamp = t, .frame_id = message_string("odom") },
		.child_frame_id = message_string("base_link"),
		.pose = { { n, 0, 0 }, { 0, 0, 0, 1 } },
	} };

	return put(bag, topic, MESSAGE_ODOMETRY, logged, &m);
}

/* At @t, that of @stamp */
static int write_image(struct bag_writer *bag, int topic, unsigned int n,
		       int64_t t, int64_t stamp, uint8_t *data, size_t len)
{
	union message m = { .compressed = {
		.header = { .stamp = stamp, .frame_id = message_string("camera") },
		.format = message_string("jpeg"),
		.data = { data, len },
	} };

	put_le32(data, n);
	return put(bag, topic, MESSAGE_COMPRESSED_IMAGE, t, &m);
}

static int write_map(struct bag_writer *bag, int topic, uint8_t n, int64_t t)
{
	union message m = { .map = {
		.header = { .stamp = t, .frame_id = message_string("map") },
		.resolution = 0.25, .width = 1, .height = 1,
		.origin = { { 1, 2, 0 }, { 0, 0, 0, 1 } },
		.data = { &n, 1 },
	} };

	return put(bag, topic, MESSAGE_OCCUPANCY_GRID, t, &m);
}

/* What there is more, of message @n of the others */
static int write_more(struct bag_writer *bag, int kept, int map, unsigned int n,
		      uint8_t *data, size_t len)
{
	const int64_t t = begin + n * step;
	int err = 0;

	if (n % 20 == 0)
		err = write_map(bag, map, n / 20, t);
	if (!err && n % 10 == 5 && n > 10)
		err = write_image(bag, kept, n - 10, t, t - 10 * step, data,
				  len);
	return err;
}

int main(int argc, char **argv)
{
	struct bag_writer *bag;
	int state, image[IMAGES], kept = 0, map = 0, err = 0;
	char name[IMAGES][16];
	unsigned int seconds, images;
	size_t bytes;
	uint8_t *data;
	bool more, wrong;

	if (argc < 5 || (seconds = atoi(argv[2])) < 1 ||
	    (images = atoi(argv[3])) > IMAGES || (bytes = atoi(argv[4])) < 4) {
		fprintf(stderr, "usage: view-bag FILE SECONDS IMAGES BYTES "
			"[more|less|wrong [BEGIN]]\n");
		return 2;
	}
	more = argc > 5 && !strcmp(argv[5], "more");
	wrong = argc > 5 && !strcmp(argv[5], "wrong");
	if (argc > 6)
		begin = atoll(argv[6]) * 1000000000;
	if (bag_format_of(argv[1]) == BAG_ROSBAG)
		format = MESSAGE_ROS1;
	data = calloc(1, bytes);
	if (!data || bag_create(&bag, argv[1], bag_format_of(argv[1]), false)) {
		perror(argv[1]);
		return 1;
	}
	state = add(bag, "/state", MESSAGE_ODOMETRY);
	for (unsigned int i = 0; i < images; i++) {
		snprintf(name[i], sizeof(name[i]), "/image%u", i);
		image[i] = add(bag, name[i], MESSAGE_COMPRESSED_IMAGE);
	}
	if (more) {
		kept = add(bag, "/image0/kept", MESSAGE_COMPRESSED_IMAGE);
		map = add(bag, "/map", MESSAGE_OCCUPANCY_GRID);
	}
	for (unsigned int n = 0; !err && n < 10 * seconds; n++) {
		const int64_t t = begin + n * step;

		err = write_state(bag, state, n, t, wrong && n < 2 ? 0 : t);
		for (unsigned int i = 0; !err && i < images; i++)
			err = write_image(bag, image[i], n, t, t, data, bytes);
		if (!err && more)
			err = write_more(bag, kept, map, n, data, bytes);
	}
	if (!err)
		err = bag_finish(bag);
	if (err)
		fprintf(stderr, "%s: %s\n", argv[1], strerror(-err));
	free(data);
	return err ? 1 : 0;
}
