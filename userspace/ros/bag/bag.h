/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bag.h - recordings: read and write MCAP, rosbag2's .db3 and rosbag's .bag
 *
 * In and out: serialized messages with topic and time of recording. Reading is
 * in the order of that time, whatever the order in the file. An incomplete
 * recording, as after a power loss, is read as far as it is valid; damage is
 * skipped and reported by bag_warning().
 *
 * Sources: mcap.dev/spec (MCAP 0), wiki.ros.org/Bags/Format/2.0, rosbag2's
 * sqlite storage (schema 4) and its metadata.yaml (version 5).
 *
 * Limits: BAG_TOPICS topics, chunks of BAG_CHUNK_MAX bytes. Attachments,
 * metadata and services are skipped, as are encrypted bags; rosbag2's own
 * compression of whole files or messages is not supported.
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
 * struct bag_topic - a topic of a recording
 * @type:	as in the file; message_kind_of() knows both forms
 * @md5:	ROS 1 only. When writing: NULL if message.h knows the type
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
 * struct bag_message - valid until the next call with its reader
 * @topic:	index into bag_topics()
 * @stamp:	time of recording, ns since the epoch
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
 * @path: a file, or a folder of rosbag2, whose files are read one after the
 *	other; the format is detected by content
 * @bag: gets the reader; bag_close() frees it
 *
 * Return: 0; -EPROTONOSUPPORT: unknown format; -EBADMSG: nothing is readable;
 * other errors of open(), read() and malloc().
 */
int bag_open(struct bag_reader **bag, const char *path);

void bag_close(struct bag_reader *bag);

/* The topics, @count of them; unchanged until bag_close() */
const struct bag_topic *bag_topics(const struct bag_reader *bag,
				   unsigned int *count);

/* Time of the first and of the last message; false if there is none */
bool bag_span(const struct bag_reader *bag, int64_t *begin, int64_t *end);

/**
 * bag_next() - the next message in the order of stamps
 *
 * Return: 1; 0 after the last; a negative errno if the file can no longer be
 * read. Damaged chunks are skipped.
 */
int bag_next(struct bag_reader *bag, struct bag_message *msg);

/* Start again with the first message. Return: 0 or a negative errno */
int bag_rewind(struct bag_reader *bag);

/**
 * bag_seek() - go on with the first message of @stamp or a later one
 * @stamp: ns since the epoch; beyond the last message: bag_next() returns 0
 *
 * Nothing is read before the next bag_next(), which reads the chunks that are
 * of the time of @stamp. MCAP and .bag without an index have a list of their
 * chunks, too: bag_open() has read all of the file. .db3 uses the index of
 * stamps that rosbag2 creates; without it SQLite sorts all messages again.
 *
 * Return: 0 or a negative errno.
 */
int bag_seek(struct bag_reader *bag, int64_t stamp);

/**
 * struct bag_place - where a message is
 * @stamp:	its stamp, ns since the epoch
 * @part, @at:	order of messages with the same stamp; 0: before all of them
 */
struct bag_place {
	int64_t		stamp;
	unsigned int	part;
	uint64_t	at;
};

/**
 * bag_before() - the last message of a topic before a place
 * @topic: index into bag_topics()
 * @place: { stamp }: before that stamp; gets the place of the message, for
 *	the one before that
 * @msg: valid until the next call with its reader
 *
 * Reads as few chunks as the index allows. If it does not say which topics a
 * chunk has, chunks are read backwards until there is a message, once. Ends the reading:
 * bag_next() returns 0 or other messages until bag_seek() or bag_rewind().
 *
 * Return: 1; 0: there is none; a negative errno. Damaged chunks are skipped.
 */
int bag_before(struct bag_reader *bag, unsigned int topic,
	       struct bag_place *place, struct bag_message *msg);

/* A description of damage to the file, or NULL; may appear at any bag_next() */
const char *bag_warning(const struct bag_reader *bag);

/**
 * bag_lost() - bytes of the file that were skipped so far
 *
 * Exact for MCAP without an index, which is read completely: damaged chunks,
 * data after an invalid length, records that are neither messages nor an index
 * of them. An incomplete last record does not count: its writer was
 * interrupted. Other formats: only damaged chunks.
 */
uint64_t bag_lost(const struct bag_reader *bag);

/**
 * bag_format_of() - the format for a file name
 *
 * .mcap, .bag, .db3; a name without one of these is a folder of rosbag2 (db3).
 */
enum bag_format bag_format_of(const char *path);

/**
 * bag_create() - begin a recording
 * @path: must not exist yet. BAG_DB3: a folder, made here with NAME_0.db3 and
 *	metadata.yaml, as for `ros2 bag`; or a name in .db3, then metadata.yaml
 *	is written (or replaced) next to it
 * @compress: chunks, with zstd (MCAP) or lz4 (rosbag)
 *
 * Return: 0; -EEXIST; other errors of open() and malloc().
 */
int bag_create(struct bag_writer **bag, const char *path,
	       enum bag_format format, bool compress);

/**
 * bag_add_topic() - before the first message of it
 *
 * Return: index of the topic, or of an existing one of the same name and type;
 * -EINVAL if the format of the recording cannot hold it (.bag: ROS 1, .db3:
 * CDR), -E2BIG, -ENOMEM; as bag_write().
 */
int bag_add_topic(struct bag_writer *bag, const struct bag_topic *topic);

/**
 * bag_write() - append a message
 *
 * At most a second or a megabyte of messages is buffered: the file on disk is
 * readable at any moment.
 *
 * Return: 0; -EINVAL for an invalid topic or stamp, -EMSGSIZE beyond
 * BAG_MESSAGE_MAX; an error of the disk, e.g. -ENOSPC, once, and after that
 * -ECANCELED: nothing more is written and the file stays readable.
 */
int bag_write(struct bag_writer *bag, unsigned int topic, int64_t stamp,
	      const void *data, size_t len);

/* Write the buffer, e.g. after a pause. Return: as bag_write */
int bag_flush(struct bag_writer *bag);

/**
 * bag_finish() - write the buffer and the index, and free @bag
 *
 * Return: 0, or an error that was not returned before; the file is readable
 * without an index too.
 */
int bag_finish(struct bag_writer *bag);

#endif
