// SPDX-License-Identifier: GPL-2.0-only
/*
 * view-bag - a recording for tests of optsample-view
 *
 * /state is nav_msgs/Odometry, 10 Hz; position.x counts its messages from 0.
 * /image0, /image1 ... are sensor_msgs/CompressedImage, 10 Hz, with the same
 * stamps; the first four bytes of their data count them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/wire.h"
#include "ros/bag/bag.h"
#include "ros/msg/message.h"

enum { IMAGES = 16 };

static const int64_t begin = 1700000000000000000, step = 100000000;

static int put(struct bag_writer *bag, unsigned int topic,
	       enum message_kind kind, int64_t t, const union message *m)
{
	const long len = message_size(kind, MESSAGE_CDR, m);
	uint8_t *data = malloc(len);
	int err;

	message_write(kind, MESSAGE_CDR, m, data, len);
	err = bag_write(bag, topic, t, data, len);
	free(data);
	return err;
}

static int add(struct bag_writer *bag, const char *name, enum message_kind kind)
{
	static char text[MESSAGE_DEFINITION_MAX];
	struct bag_topic t = { 0 };

	message_definition(kind, MESSAGE_CDR, text);
	t.name = name;
	t.type = message_type(kind, MESSAGE_CDR);
	t.format = MESSAGE_CDR;
	t.md5 = "";
	t.definition = text;
	return bag_add_topic(bag, &t);
}

static int write_state(struct bag_writer *bag, int topic, unsigned int n,
		       int64_t t)
{
	union message m = { .odometry = {
		.header = { .stamp = t, .frame_id = message_string("odom") },
		.child_frame_id = message_string("base_link"),
		.pose = { { n, 0, 0 }, { 0, 0, 0, 1 } },
	} };

	return put(bag, topic, MESSAGE_ODOMETRY, t, &m);
}

static int write_image(struct bag_writer *bag, int topic, unsigned int n,
		       int64_t t, uint8_t *data, size_t len)
{
	union message m = { .compressed = {
		.header = { .stamp = t, .frame_id = message_string("camera") },
		.format = message_string("jpeg"),
		.data = { data, len },
	} };

	put_le32(data, n);
	return put(bag, topic, MESSAGE_COMPRESSED_IMAGE, t, &m);
}

int main(int argc, char **argv)
{
	struct bag_writer *bag;
	int state, image[IMAGES], err = 0;
	char name[IMAGES][16];
	unsigned int seconds, images;
	size_t bytes;
	uint8_t *data;

	if (argc != 5 || (seconds = atoi(argv[2])) < 1 ||
	    (images = atoi(argv[3])) > IMAGES || (bytes = atoi(argv[4])) < 4) {
		fprintf(stderr, "usage: view-bag FILE SECONDS IMAGES BYTES\n");
		return 2;
	}
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
	for (unsigned int n = 0; !err && n < 10 * seconds; n++) {
		const int64_t t = begin + n * step;

		err = write_state(bag, state, n, t);
		for (unsigned int i = 0; !err && i < images; i++)
			err = write_image(bag, image[i], n, t, data, bytes);
	}
	if (!err)
		err = bag_finish(bag);
	if (err)
		fprintf(stderr, "%s: %s\n", argv[1], strerror(-err));
	free(data);
	return err ? 1 : 0;
}
