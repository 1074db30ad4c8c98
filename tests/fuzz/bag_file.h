/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bag_file.h - a fuzzer's bytes as a recording: opened, listed, played twice,
 * and from places in between
 *
 * Input: a byte; the lowest bits 0: the file is what follows. Else one of some
 * small good recordings, with changes: each a place (u16, from the begin or,
 * its highest bit set, the end) and the byte that is there instead. The file is
 * in memory (/dev/shm): SQLite wants a name.
 */
#ifndef FUZZ_BAG_FILE_H
#define FUZZ_BAG_FILE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/wire.h"
#include "ros/bag/bag.h"

enum { MESSAGES_MAX = 100000, GOOD = 4, ROOM = 1 << 17 };

static uint8_t good[GOOD][ROOM];
static size_t good_len[GOOD];

/* Return: a checksum of all messages, reading all of their bytes */
static uint32_t play(struct bag_reader *bag)
{
	unsigned int n = 0, topics;
	struct bag_message m;
	uint32_t sum = 0;

	bag_topics(bag, &topics);
	while (n++ < MESSAGES_MAX && bag_next(bag, &m) == 1) {
		if (m.topic >= topics)
			abort();
		for (size_t i = 0; i < m.len; i += 1 + m.len / 64)
			sum = sum * 31 + m.data[i];
		if (m.len)
			sum = sum * 31 + m.data[m.len - 1];
		sum += m.topic + m.stamp;
	}
	return sum;
}

/* Nothing is earlier than asked; what is before is earlier and of the topic */
static void seek_and_play(struct bag_reader *bag, int64_t stamp)
{
	struct bag_place place = { .stamp = stamp };
	unsigned int topics, n = 0;
	struct bag_message m;

	bag_topics(bag, &topics);
	for (unsigned int i = 0; i < topics && i < 4; i++) {
		struct bag_place last = place;

		while (n++ < 100 && bag_before(bag, i, &last, &m) == 1)
			if (m.topic != i || m.stamp >= stamp ||
			    m.stamp != last.stamp)
				abort();
	}
	if (bag_seek(bag, stamp))
		return;
	while (n++ < MESSAGES_MAX && bag_next(bag, &m) == 1)
		if (m.topic >= topics || m.stamp < stamp)
			abort();
}

static void open_and_play(const char *path)
{
	int64_t begin, end;
	const struct bag_topic *t;
	struct bag_reader *bag;
	unsigned int topics;
	uint32_t sum;

	if (bag_open(&bag, path))
		return;
	t = bag_topics(bag, &topics);
	for (unsigned int i = 0; i < topics; i++)
		if (!t[i].name || !t[i].type)
			abort();
	sum = play(bag);
	/* damage is reported in the same way the second time */
	if (bag_rewind(bag) || play(bag) != sum)
		abort();
	if (bag_span(bag, &begin, &end)) {
		seek_and_play(bag, begin / 2 + end / 2);
		seek_and_play(bag, begin);
		seek_and_play(bag, end);
		if (bag_rewind(bag) || play(bag) != sum)
			abort();
	}
	bag_close(bag);
}

static const char *path_of(const char *end)
{
	static char path[64];

	snprintf(path, sizeof(path), "/dev/shm/fuzz_%d%s", getpid(), end);
	return path;
}

/* A recording of a few messages, of which some are large */
static void make_good(int i, enum bag_format format, bool compress, bool finish)
{
	static const char *const ends[] = { ".mcap", ".db3", ".bag" };
	struct bag_topic t = {
		.name = "/scan", .type = "sensor_msgs/LaserScan",
		.format = format == BAG_ROSBAG ? MESSAGE_ROS1 : MESSAGE_CDR,
	};
	const char *path = path_of(ends[format]);
	uint8_t data[5000] = { 0, 1 };
	struct bag_writer *w;
	FILE *f;

	if (bag_create(&w, path, format, compress) || bag_add_topic(w, &t))
		abort();
	for (int k = 0; k < 20; k++) {
		bag_write(w, 0, k, data, k % 5 == 4 ? sizeof(data) : 100);
		if (k == 12)
			bag_flush(w);
	}
	bag_flush(w);
	if (finish && bag_finish(w))
		abort();
	f = fopen(path, "r");
	good_len[i] = fread(good[i], 1, ROOM, f);
	fclose(f);
	if (!finish)
		bag_finish(w);
	unlink(path);
}

static void play_bytes(const uint8_t *data, size_t size)
{
	static uint8_t bad[ROOM];
	const char *path = path_of("");
	int which;
	FILE *f;

	if (!size)
		return;
	which = *data % (GOOD + 1) - 1;
	data++;
	size--;
	if (which >= 0) {
		size_t len = good_len[which];

		memcpy(bad, good[which], len);
		for (; size >= 3; data += 3, size -= 3) {
			size_t at = get_le16(data);

			at = at & 32768 ? len - 1 - (at & 32767) % len :
					  at % len;
			bad[at] = data[2];
		}
		data = bad;
		size = len;
	}
	f = fopen(path, "w");
	if (!f || fwrite(data, 1, size, f) != size || fclose(f))
		abort();
	open_and_play(path);
	unlink(path_of(""));
}

#endif
