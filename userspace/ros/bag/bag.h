/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bag.h - recordings: MCAP, rosbag2's .db3 and rosbag's .bag, read and written
 *
 * In and out: serialized messages, each of a topic and with the time it was
 * recorded at. Reading goes in the order of that time, whatever the order in
 * the file. What a robot that lost power left behind is read as far as it is
 * whole; damage is passed over and reported by bag_warning().
 *
 * Sources: mcap.dev/spec (MCAP 0), wiki.ros.org/Bags/Format/2.0, rosbag2's
 * sqlite storage (schema 4) and its metadata.yaml (version 5).
 *
 * Limits: BAG_TOPICS topics, chunks of BAG_CHUNK_MAX bytes. Attachments,
 * metadata and services are passed over, as are encrypted bags; rosbag2's own
 * compression of whole files or messages is not undone.
 */
#ifndef BAG_H
#define BAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "ros/msg/message.h"

enum {
	BAG_TOPICS	= 4096,
	BAG_CHUNK_MAX	= 256 << 20,	/* bytes, uncompressed */
	BAG_MESSAGE_MAX	= 128 << 20,
};

enum bag_format { BAG_MCAP, BAG_DB3, BAG_ROSBAG };

/**
 * struct bag_topic - what is recorded
 * @type:	as the file has it; message_kind_of() knows both ways of it
 * @md5:	ROS 1 only. When writing: NULL where message.h knows the type
 * @definition:	text of the type, likewise; NULL if the file has none
 * @count:	messages in the recording; not used when writing
 * @latched:	late subscribers get the last message too: maps
 */
struct bag_topic {
	const char		*name, *type;
	enum message_format	format;
	const char		*md5, *definition;
	uint64_t		count;
	bool			latched;
};

/**
 * struct bag_message - good until the next call with its reader
 * @topic:	index into bag_topics()
 * @stamp:	when it was recorded, ns since the epoch
 */
struct bag_message {
	unsigned int	topic;
	int64_t		stamp;
	const uint8_t	*data;
	size_t		len;
};

struct bag_reader;
struct bag_writer;

/**
 * bag_open() - read a recording
 * @path: a file, or a folder of rosbag2 with its files, which are read one
 *	after the other; the format is found by content
 * @bag: gets the reader; bag_close() frees it
 *
 * Return: 0; -EPROTONOSUPPORT if it is none of the formats, -EBADMSG if
 * nothing can be made of it; other errors of open(), read() and malloc().
 */
int bag_open(struct bag_reader **bag, const char *path);

void bag_close(struct bag_reader *bag);

/* The topics, @count of them; they stay as they are until bag_close() */
const struct bag_topic *bag_topics(const struct bag_reader *bag,
				   unsigned int *count);

/* Time of the first and of the last message; false if there is none */
bool bag_span(const struct bag_reader *bag, int64_t *begin, int64_t *end);

/**
 * bag_next() - the next message in the order of stamps
 *
 * Return: 1; 0 after the last; a negative errno if the file can no longer be
 * read. Chunks that turn out to be damaged are passed over.
 */
int bag_next(struct bag_reader *bag, struct bag_message *msg);

/* Start again with the first message. Return: 0 or a negative errno */
int bag_rewind(struct bag_reader *bag);

/* What is wrong with the file, or NULL; may appear with any bag_next() */
const char *bag_warning(const struct bag_reader *bag);

/**
 * bag_lost() - bytes of the file that were passed over until now
 *
 * Exact for MCAP without an index, of which all is looked at: damaged chunks,
 * what is behind a length that cannot be, records that are neither messages
 * nor an index of them. Not a last record that the end of the file cuts short:
 * who wrote it was interrupted. Elsewhere only damaged chunks.
 */
uint64_t bag_lost(const struct bag_reader *bag);

/**
 * bag_format_of() - the format that a name asks for
 *
 * .mcap, .bag, .db3; a name without one of these is a folder of rosbag2 (db3).
 */
enum bag_format bag_format_of(const char *path);

/**
 * bag_create() - begin a recording
 * @path: must not exist yet. BAG_DB3: a folder, made here with NAME_0.db3 and
 *	metadata.yaml in it, as `ros2 bag` wants them; or a name in .db3, and
 *	then metadata.yaml is put (or replaced) beside it
 * @compress: chunks, with zstd (MCAP) or lz4 (rosbag)
 *
 * Return: 0; -EEXIST; other errors of open() and malloc().
 */
int bag_create(struct bag_writer **bag, const char *path,
	       enum bag_format format, bool compress);

/**
 * bag_add_topic() - before the first message of it
 *
 * Return: index of the topic, that of the one there is if there is one of
 * this name and type; -EINVAL if the format of the recording cannot hold it
 * (.bag: ROS 1, .db3: CDR), -E2BIG, -ENOMEM; as bag_write().
 */
int bag_add_topic(struct bag_writer *bag, const struct bag_topic *topic);

/**
 * bag_write() - append a message
 *
 * At most a second or a megabyte of messages waits in memory: what is on disk
 * is readable at any moment.
 *
 * Return: 0; -EINVAL for a topic or stamp that is none, -EMSGSIZE beyond
 * BAG_MESSAGE_MAX; an error of the disk, e.g. -ENOSPC, once, and from then on
 * -ECANCELED: nothing more is written and the file stays as it is, readable.
 */
int bag_write(struct bag_writer *bag, unsigned int topic, int64_t stamp,
	      const void *data, size_t len);

/* Write what waits, e.g. when nothing came for a while. Return: as bag_write */
int bag_flush(struct bag_writer *bag);

/**
 * bag_finish() - write what waits and the index, and free @bag
 *
 * Return: 0, or an error that was not returned before; the file is readable
 * without an index too.
 */
int bag_finish(struct bag_writer *bag);

#endif
