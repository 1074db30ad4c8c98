// SPDX-License-Identifier: GPL-2.0-only
/*
 * rosbag_writer - write .bag as rosbag does
 *
 * Each chunk is written as a whole, with its index; the positions of the chunks
 * are written at the end, and the position of that index in the first record. A
 * bag without it can be read by `rosbag reindex`, and by our reader.
 */
#include <assert.h>
#include <errno.h>
#include <lz4frame.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/wire.h"
#include "ros/bag/rosbag_format.h"
#include "ros/bag/writer.h"

struct entry {
	unsigned int	topic;
	int64_t		stamp;
	uint32_t	offset;
};

/**
 * struct rosbag_writer - a writer
 * @chunk:	buffered messages
 * @out:	data of the next write
 * @infos:	about each chunk, for the end
 * @known:	connections that the file has
 */
struct rosbag_writer {
	struct bag_writer	bag;
	struct bag_file		file;
	struct bag_buffer	chunk, out, infos, entries;
	bool			known[BAG_TOPICS];
	uint32_t		chunks;
	bool			compress;
};

static void rosbag_writer_put_field(struct bag_buffer *b, const char *name,
				    const void *value, size_t len)
{
	bag_buffer_put32(b, strlen(name) + 1 + len);
	bag_buffer_put(b, name, strlen(name));
	bag_buffer_put8(b, '=');
	bag_buffer_put(b, value, len);
}

static void rosbag_writer_put_text(struct bag_buffer *b, const char *name,
				   const char *text)
{
	rosbag_writer_put_field(b, name, text, strlen(text));
}

static void rosbag_writer_put_u32(struct bag_buffer *b, const char *name,
				  uint32_t v)
{
	v = htole32(v);
	rosbag_writer_put_field(b, name, &v, sizeof(v));
}

static void put_u64(struct bag_buffer *b, const char *name, uint64_t v)
{
	v = htole64(v);
	rosbag_writer_put_field(b, name, &v, sizeof(v));
}

/* Seconds in the lower half, nanoseconds in the upper */
static uint64_t time_of(int64_t stamp)
{
	const int64_t second = 1000000000;

	return (uint64_t)(stamp % second) << 32 | stamp / second;
}

static void put_op(struct bag_buffer *b, uint8_t op)
{
	rosbag_writer_put_field(b, "op", &op, 1);
}

/* The length of what comes is filled in by rosbag_writer_end(): of a header, or of data */
static size_t rosbag_writer_begin(struct bag_buffer *b)
{
	bag_buffer_put32(b, 0);
	return b->len;
}

static void rosbag_writer_end(struct bag_buffer *b, size_t from)
{
	if (!b->bad)
		put_le32(b->data + from - 4, b->len - from);
}

/* The first record; without the place of the index, until there is one */
static int rosbag_writer_write_head(struct rosbag_writer *r, uint64_t index)
{
	struct bag_buffer *b = &r->out;
	struct bag_file first = { .fd = r->file.fd };
	size_t from, pad;

	b->len = 0;
	bag_buffer_put(b, ROSBAG_MAGIC, ROSBAG_MAGIC_LEN);
	from = rosbag_writer_begin(b);
	rosbag_writer_put_u32(b, "chunk_count", index ? r->chunks : 0);
	rosbag_writer_put_u32(b, "conn_count", index ? r->bag.topics : 0);
	put_u64(b, "index_pos", index);
	put_op(b, ROSBAG_BAG);
	rosbag_writer_end(b, from);
	pad = ROSBAG_HEAD - 8 - (b->len - from);
	bag_buffer_put32(b, pad);
	while (pad--)
		bag_buffer_put8(b, ' ');
	if (b->bad)
		return -ENOMEM;
	if (index)
		return pwrite(first.fd, b->data, b->len, 0) == (ssize_t)b->len ?
		       0 : -EIO;
	return bag_file_append(&r->file, b->data, b->len);
}

static void put_connection(struct rosbag_writer *r, struct bag_buffer *b,
			   unsigned int topic)
{
	const struct bag_topic *t = &r->bag.topic[topic];
	size_t from = rosbag_writer_begin(b);

	rosbag_writer_put_u32(b, "conn", topic);
	put_op(b, ROSBAG_CONNECTION);
	rosbag_writer_put_text(b, "topic", t->name);
	rosbag_writer_end(b, from);
	from = rosbag_writer_begin(b);
	rosbag_writer_put_text(b, "topic", t->name);
	rosbag_writer_put_text(b, "type", t->type);
	rosbag_writer_put_text(b, "md5sum", *t->md5 ? t->md5 : "*");
	rosbag_writer_put_text(b, "message_definition", t->definition);
	if (t->latched)
		rosbag_writer_put_text(b, "latching", "1");
	rosbag_writer_end(b, from);
}

static int rosbag_add(struct bag_writer *bag, unsigned int topic)
{
	return bag->topic[topic].format == MESSAGE_ROS1 ? 0 : -EINVAL;
}

static int rosbag_write(struct bag_writer *bag, unsigned int topic,
			int64_t stamp, const void *data, size_t len)
{
	struct rosbag_writer *r = (struct rosbag_writer *)bag;
	struct entry e = { .topic = topic, .stamp = stamp };
	struct bag_buffer *b = &r->chunk;
	size_t from;

	if (!r->known[topic])
		put_connection(r, b, topic);
	r->known[topic] = true;
	e.offset = b->len;
	from = rosbag_writer_begin(b);
	rosbag_writer_put_u32(b, "conn", topic);
	put_op(b, ROSBAG_MESSAGE);
	put_u64(b, "time", time_of(stamp));
	rosbag_writer_end(b, from);
	from = rosbag_writer_begin(b);
	bag_buffer_put(b, data, len);
	rosbag_writer_end(b, from);
	bag_buffer_put(&r->entries, &e, sizeof(e));
	return b->bad || r->entries.bad ? -ENOMEM : 0;
}

static void put_chunk_head(struct rosbag_writer *r, const char *compression)
{
	struct bag_buffer *b = &r->out;
	size_t from;

	b->len = 0;
	from = rosbag_writer_begin(b);
	rosbag_writer_put_text(b, "compression", compression);
	put_op(b, ROSBAG_CHUNK);
	rosbag_writer_put_u32(b, "size", r->chunk.len);
	rosbag_writer_end(b, from);
}

/* Write the buffer as a chunk, compressed if that is smaller */
static void rosbag_writer_put_chunk(struct rosbag_writer *r)
{
	/* roslz4, which rosbag uses, only accepts such frames */
	static const LZ4F_preferences_t prefs = {
		.frameInfo = {
			.blockSizeID = LZ4F_max256KB,
			.blockMode = LZ4F_blockIndependent,
			.contentChecksumFlag = LZ4F_contentChecksumEnabled,
		},
	};
	struct bag_buffer *b = &r->out, *raw = &r->chunk;
	size_t from, bound, n;
	uint8_t *p;

	if (r->compress) {
		put_chunk_head(r, "lz4");
		from = rosbag_writer_begin(b);
		bound = LZ4F_compressFrameBound(raw->len, &prefs);
		p = bag_buffer_room(b, bound);
		n = p ? LZ4F_compressFrame(p, bound, raw->data, raw->len,
					   &prefs) : 0;
		if (p && !LZ4F_isError(n) && n < raw->len) {
			assert(n <= bound && bound - n <= b->len);
			b->len -= bound - n;
			rosbag_writer_end(b, from);
			return;
		}
	}
	put_chunk_head(r, "none");
	from = rosbag_writer_begin(b);
	bag_buffer_put(b, raw->data, raw->len);
	rosbag_writer_end(b, from);
}

/* The index of @topic in the chunk. Return: its number of messages */
static uint32_t put_index(struct rosbag_writer *r, unsigned int topic)
{
	const struct entry *e = (const struct entry *)r->entries.data;
	size_t n = r->entries.len / sizeof(*e), from;
	struct bag_buffer *b = &r->out;
	uint32_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += e[i].topic == topic;
	if (!count)
		return 0;
	from = rosbag_writer_begin(b);
	rosbag_writer_put_u32(b, "conn", topic);
	rosbag_writer_put_u32(b, "count", count);
	put_op(b, ROSBAG_INDEX);
	rosbag_writer_put_u32(b, "ver", 1);
	rosbag_writer_end(b, from);
	from = rosbag_writer_begin(b);
	for (size_t i = 0; i < n; i++)
		if (e[i].topic == topic) {
			bag_buffer_put64(b, time_of(e[i].stamp));
			bag_buffer_put32(b, e[i].offset);
		}
	rosbag_writer_end(b, from);
	return count;
}

/* The indices after the chunk, and its entry for the end */
static void rosbag_writer_put_indices(struct rosbag_writer *r)
{
	const struct entry *e = (const struct entry *)r->entries.data;
	size_t n = r->entries.len / sizeof(*e), from;
	int64_t first = INT64_MAX, last = INT64_MIN;
	struct bag_buffer *b = &r->infos, counts = { 0 };

	for (size_t i = 0; i < n; i++) {
		if (e[i].stamp < first)
			first = e[i].stamp;
		if (e[i].stamp > last)
			last = e[i].stamp;
	}
	for (unsigned int t = 0; t < r->bag.topics; t++) {
		uint32_t count = put_index(r, t);

		if (!count)
			continue;
		bag_buffer_put32(&counts, t);
		bag_buffer_put32(&counts, count);
	}
	from = rosbag_writer_begin(b);
	put_u64(b, "chunk_pos", r->file.at);
	rosbag_writer_put_u32(b, "count", counts.len / 8);
	put_u64(b, "end_time", time_of(last));
	put_op(b, ROSBAG_CHUNK_INFO);
	put_u64(b, "start_time", time_of(first));
	rosbag_writer_put_u32(b, "ver", 1);
	rosbag_writer_end(b, from);
	from = rosbag_writer_begin(b);
	bag_buffer_put(b, counts.data, counts.len);
	rosbag_writer_end(b, from);
	b->bad |= counts.bad;
	free(counts.data);
}

static int rosbag_flush(struct bag_writer *bag)
{
	struct rosbag_writer *r = (struct rosbag_writer *)bag;
	size_t infos = r->infos.len;
	int err;

	rosbag_writer_put_chunk(r);
	rosbag_writer_put_indices(r);
	err = r->out.bad || r->infos.bad ? -ENOMEM :
	      bag_file_append(&r->file, r->out.data, r->out.len);
	r->chunk.len = r->entries.len = 0;
	if (err)
		r->infos.len = infos;
	else
		r->chunks++;
	return err;
}

static int rosbag_finish(struct bag_writer *bag)
{
	struct rosbag_writer *r = (struct rosbag_writer *)bag;
	uint64_t index = r->file.at;
	struct bag_buffer *b = &r->out;
	int err;

	b->len = 0;
	for (unsigned int t = 0; t < bag->topics; t++)
		put_connection(r, b, t);
	bag_buffer_put(b, r->infos.data, r->infos.len);
	if (b->bad || r->infos.bad)
		return -ENOMEM;
	err = bag_file_append(&r->file, b->data, b->len);
	return err ? err : rosbag_writer_write_head(r, index);
}

static void rosbag_release(struct bag_writer *bag)
{
	struct rosbag_writer *r = (struct rosbag_writer *)bag;

	free(r->chunk.data);
	free(r->out.data);
	free(r->infos.data);
	free(r->entries.data);
	close(r->file.fd);
	free(r);
}

int rosbag_create(struct bag_writer **bag, const char *path, bool compress)
{
	static const struct bag_writer_ops ops = {
		.add = rosbag_add, .write = rosbag_write,
		.flush = rosbag_flush, .finish = rosbag_finish,
		.release = rosbag_release,
	};
	struct rosbag_writer *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return -ENOMEM;
	r->bag.ops = &ops;
	r->compress = compress;
	err = bag_file_create(&r->file, path);
	if (err) {
		free(r);
		return err;
	}
	err = rosbag_writer_write_head(r, 0);
	if (err) {
		rosbag_release(&r->bag);
		return err;
	}
	*bag = &r->bag;
	return 0;
}
