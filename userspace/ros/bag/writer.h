/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * writer.h - shared by the writers of all formats
 */
#ifndef ROS_BAG_WRITER_H
#define ROS_BAG_WRITER_H

#include "ros/bag/bag.h"

/* Limits of the buffer: what a power loss can cost */
enum {
	BAG_WAIT_BYTES	= 1 << 20,
	BAG_WAIT_NS	= 1000000000,
};

struct bag_writer_ops {
	int	(*add)(struct bag_writer *bag, unsigned int topic);
	int	(*write)(struct bag_writer *bag, unsigned int topic,
			 int64_t stamp, const void *data, size_t len);
	int	(*flush)(struct bag_writer *bag);
	int	(*finish)(struct bag_writer *bag);	/* writes the index */
	void	(*release)(struct bag_writer *bag);	/* frees it */
};

/**
 * struct bag_writer - the first member of every writer
 * @topic:	all texts are set, maybe empty, and freed with it; count is the
 *		number of messages written
 * @begin, @end: stamps
 * @waiting:	buffered bytes; @since: the stamp of the first of them
 * @failed:	an error was returned
 */
struct bag_writer {
	const struct bag_writer_ops	*ops;
	struct bag_topic		*topic;
	unsigned int			topics;
	uint64_t			messages;
	int64_t				begin, end, since;
	size_t				waiting;
	bool				failed;
};

/* A growing buffer; @bad: an allocation failed */
struct bag_buffer {
	uint8_t	*data;
	size_t	len, room;
	bool	bad;
};

/* Append @n bytes; returns them, or NULL */
uint8_t *bag_buffer_room(struct bag_buffer *b, size_t n);
void bag_buffer_put(struct bag_buffer *b, const void *data, size_t n);
void bag_buffer_put8(struct bag_buffer *b, uint8_t v);
void bag_buffer_put16(struct bag_buffer *b, uint16_t v);
void bag_buffer_put32(struct bag_buffer *b, uint32_t v);
void bag_buffer_put64(struct bag_buffer *b, uint64_t v);

/* Its length, u32, and the text */
void bag_buffer_text(struct bag_buffer *b, const char *text);

/* A file that is written at its end, @at */
struct bag_file {
	int		fd;
	uint64_t	at;
};

/* Return: 0; -EEXIST, ... */
int bag_file_create(struct bag_file *f, const char *path);

/* Append all or, after an error, nothing. Return: 0, -ENOSPC, ... */
int bag_file_append(struct bag_file *f, const void *data, size_t len);

/* The QoS that rosbag2 shall replay a topic with, in its own words */
const char *bag_qos(const struct bag_topic *topic);

int mcap_create(struct bag_writer **bag, const char *path, bool compress);
int rosbag_create(struct bag_writer **bag, const char *path, bool compress);
int db3_create(struct bag_writer **bag, const char *path);

#endif
