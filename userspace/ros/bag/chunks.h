/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * chunks.h - messages of a file of chunks, in the order of their stamps
 *
 * MCAP and rosbag are both sequences of chunks, compressed or not, each with
 * the stamps of its first and last message. A format's reader finds the chunks
 * (chunked_add) and parses one on request (parse, which calls chunked_record).
 * A chunk is loaded when its first message is due, and merged with others, so
 * that memory only holds chunks that overlap in time.
 */
#ifndef ROS_BAG_CHUNKS_H
#define ROS_BAG_CHUNKS_H

#include <lz4frame.h>
#include <zstd.h>
#include "ros/bag/reader.h"

enum {
	CHUNK_SLOTS	= 64,		/* chunks held at a time, and ... */
	CHUNK_HELD_MAX	= 1 << 30,	/* ... their bytes */
	CHUNK_TOPICS	= 8,		/* words of 64 bits */
};

enum chunk_compression { CHUNK_PLAIN, CHUNK_ZSTD, CHUNK_LZ4, CHUNK_BZ2 };

/**
 * struct chunk - a run of records in the file
 * @offset:	of its (compressed) bytes
 * @stored:	their number
 * @raw:	their number when uncompressed
 * @crc:	zlib's crc32() of the uncompressed bytes; 0: not known
 * @begin, @end: stamps
 * @topics:	bit t modulo their number: may have messages of topic t; none
 *		is set: not known
 */
struct chunk {
	uint64_t		offset, stored;
	uint32_t		raw, crc;
	int64_t			begin, end;
	enum chunk_compression	compression;
	uint64_t		topics[CHUNK_TOPICS];
};

/* A message in a loaded chunk */
struct chunk_record {
	int64_t		stamp;
	uint32_t	topic, offset, len;
};

/**
 * struct chunk_slot - a loaded chunk
 * @next:	the next record to deliver; @next == @records: free
 */
struct chunk_slot {
	uint8_t			*raw;
	size_t			raw_room, raw_len;
	struct chunk_record	*record;
	size_t			records, record_room, next;
	uint64_t		offset;
};

/**
 * struct chunked - the first member of a reader of chunks
 * @parse:	call chunked_record() for every message in @raw
 * @scanning:	the topics are not all known yet
 * @from:	earlier messages are left out
 * @looked:	chunk + 1 in the first slot for chunked_before(); 0: none
 */
struct chunked {
	struct bag_reader	bag;
	int			fd;
	uint64_t		size;
	int			(*parse)(struct chunked *c, const uint8_t *raw,
					 size_t len);
	bool			scanning;
	struct chunk		*chunk;
	size_t			chunks, room, next, looked;
	int64_t			from;
	struct chunk_slot	slot[CHUNK_SLOTS];
	struct chunk_slot	*loading, *current;
	size_t			held;
	uint8_t			*stored;
	size_t			stored_room;
	ZSTD_DCtx		*zstd;
	LZ4F_dctx		*lz4;
};

void chunked_init(struct chunked *c, int fd, uint64_t size,
		  const struct bag_reader_ops *ops,
		  int (*parse)(struct chunked *c, const uint8_t *raw,
			       size_t len));
void chunked_release(struct chunked *c);

/* All @n bytes at @offset. Return: 0, -EBADMSG if it is too short, -errno */
int chunked_pread(struct chunked *c, uint64_t offset, void *data, size_t n);

/* Note that a chunk has messages of a topic */
void chunk_has(struct chunk *chunk, unsigned int topic);

/* A chunk of the index. Return: 0, -ENOMEM */
int chunked_add(struct chunked *c, const struct chunk *chunk);

/*
 * Whether no two chunks overlap in the file: otherwise a small file could
 * expand to a large recording.
 */
bool chunked_distinct(struct chunked *c);

/*
 * Load a chunk to read its contents, add it and count its messages.
 * Return: 0, also if it is damaged and skipped; a negative errno
 */
int chunked_scan(struct chunked *c, const struct chunk *chunk);

/* From parse(): a message. Return: 0, -ENOMEM */
int chunked_record(struct chunked *c, unsigned int topic, int64_t stamp,
		   size_t offset, size_t len);

/* When all chunks are known: start from the beginning */
int chunked_rewind(struct bag_reader *bag);
int chunked_seek(struct bag_reader *bag, int64_t stamp);
int chunked_next(struct bag_reader *bag, struct bag_message *msg);
int chunked_before(struct bag_reader *bag, unsigned int topic,
		   struct bag_place *place, struct bag_message *msg);

#endif
