/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reader.h - what the readers of the formats have in common
 */
#ifndef ROS_BAG_READER_H
#define ROS_BAG_READER_H

#include "ros/bag/bag.h"

struct bag_reader_ops {
	int	(*next)(struct bag_reader *bag, struct bag_message *msg);
	int	(*rewind)(struct bag_reader *bag);
	int	(*seek)(struct bag_reader *bag, int64_t stamp);
	int	(*before)(struct bag_reader *bag, unsigned int topic,
			  struct bag_place *place, struct bag_message *msg);
	void	(*close)(struct bag_reader *bag);
};

/**
 * struct bag_reader - the first member of every reader
 * @begin, @end:	stamps; @begin > @end: no message
 * @lost:	bytes that were passed over; see bag_lost()
 */
struct bag_reader {
	const struct bag_reader_ops	*ops;
	struct bag_topic		*topic;
	unsigned int			topics, room;
	int64_t				begin, end;
	uint64_t			lost;
	char				warning[128];
};

static inline bool bag_place_is_before(const struct bag_place *a,
				       const struct bag_place *b)
{
	if (a->stamp != b->stamp)
		return a->stamp < b->stamp;
	return a->part != b->part ? a->part < b->part : a->at < b->at;
}

/* A text of a file: not terminated there */
struct bag_text {
	const char	*text;
	size_t		len;
};

void bag_reader_init(struct bag_reader *bag, const struct bag_reader_ops *ops);

/* Free what bag_reader_topic() made */
void bag_reader_release(struct bag_reader *bag);

/**
 * bag_reader_topic() - find or add a topic
 * @md5: and @definition may be empty: none
 *
 * Return: its index; -ENOSPC if there are BAG_TOPICS already or a name is too
 * long, -ENOMEM.
 */
int bag_reader_topic(struct bag_reader *bag, struct bag_text name,
		     struct bag_text type, enum message_format format,
		     struct bag_text md5, struct bag_text definition);

/* Only the first warning is kept: what follows is often its consequence */
__attribute__((format(printf, 2, 3)))
void bag_reader_warn(struct bag_reader *bag, const char *format, ...);

/* Opened at its begin, of @size bytes. All take over @fd, also if they fail */
int mcap_open(struct bag_reader **bag, int fd, uint64_t size);
int rosbag_open(struct bag_reader **bag, int fd, uint64_t size);
int db3_open(struct bag_reader **bag, const char *path);
int folder_open(struct bag_reader **bag, const char *path);

#endif
