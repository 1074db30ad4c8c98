/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bag_fixture.h - messages to record and to find again
 */
#ifndef BAG_FIXTURE_H
#define BAG_FIXTURE_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/wire.h"
#include "folder.h"
#include "ros/bag/bag.h"
#include "tap.h"

#define SECOND	INT64_C(1000000000)
#define START	(INT64_C(1700000000) * SECOND)

/*
 * Message @i of a recording: its size, its bytes and its stamp; 100 ms apart,
 * every seventh 250 ms earlier than its place: publishers are not in step
 */
static inline size_t make_message(unsigned int i, uint8_t *data, size_t most)
{
	uint64_t rng = i;
	size_t len = 8 + rnd(&rng, most - 8);

	put_le32(data, i);
	for (size_t at = 4; at < len; at++)
		/* some compresses, some does not */
		data[at] = at & 64 ? rnd(&rng, 256) : i;
	return len;
}

static inline int64_t make_stamp(unsigned int i)
{
	return START + i * SECOND / 10 + i % 1000 -
	       (i % 7 == 6 ? SECOND / 4 : 0);
}

static inline struct bag_topic make_topic(unsigned int i,
					  enum message_format format)
{
	static const char *const names[] = { "/camera/image", "/scan", "/map" };
	static const int kinds[] = { MESSAGE_IMAGE, MESSAGE_LASER_SCAN,
				     MESSAGE_OCCUPANCY_GRID };

	return (struct bag_topic){
		.name = names[i], .type = message_type(kinds[i], format),
		.format = format, .latched = i == 2,
	};
}

/* Messages @from ... @to - 1, of topic i % 3. Return: of the first failure */
static inline int write_messages(struct bag_writer *w, unsigned int from,
				 unsigned int to, size_t most)
{
	uint8_t *data = malloc(most);
	int err = 0;

	for (unsigned int i = from; i < to && !err; i++) {
		size_t len = make_message(i, data, most);

		err = bag_write(w, i % 3, make_stamp(i), data, len);
	}
	free(data);
	return err;
}

static inline struct bag_writer *begin_bag(const char *path, bool compress)
{
	enum bag_format format = bag_format_of(path);
	enum message_format f = format == BAG_ROSBAG ? MESSAGE_ROS1 :
						       MESSAGE_CDR;
	struct bag_writer *w;

	if (bag_create(&w, path, format, compress))
		return NULL;
	for (unsigned int i = 0; i < 3; i++) {
		struct bag_topic t = make_topic(i, f);

		if (bag_add_topic(w, &t) != (int)i)
			abort();
	}
	return w;
}

/**
 * read_messages() - all there are
 * @seen: gets how often each of @n messages was found
 * Return: how many; -1 if one is not as it was written or not in order
 */
static inline int read_messages(struct bag_reader *r, uint8_t *seen,
				unsigned int n, size_t most)
{
	uint8_t *data = malloc(most);
	int64_t last = INT64_MIN;
	struct bag_message m;
	int count = 0, got;

	memset(seen, 0, n);
	while ((got = bag_next(r, &m)) > 0) {
		unsigned int i = m.len >= 4 ? get_le32(m.data) : n, topics;
		const struct bag_topic *t = bag_topics(r, &topics);

		if (i >= n || m.topic >= topics || m.stamp < last ||
		    m.stamp != make_stamp(i) ||
		    make_message(i, data, most) != m.len ||
		    memcmp(data, m.data, m.len) ||
		    strcmp(t[m.topic].name, make_topic(i % 3, 0).name)) {
			count = -1;
			break;
		}
		last = m.stamp;
		seen[i]++;
		count++;
	}
	free(data);
	return got < 0 ? got : count;
}

#endif
