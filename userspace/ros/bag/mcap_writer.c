// SPDX-License-Identifier: GPL-2.0-only
/*
 * mcap_writer - write MCAP as rosbag2 does: chunks, indices, a summary
 *
 * Chunks are written whole and with what is needed to read them (schemas and
 * channels are in the chunk of the first message), so that a file without its
 * end loses no more than what waited.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include "base/wire.h"
#include "ros/bag/mcap_format.h"
#include "ros/bag/writer.h"

/* A message of the chunk: its place in it */
struct entry {
	unsigned int	topic;
	int64_t		stamp;
	uint64_t	offset;
};

/**
 * struct mcap_writer - a writer
 * @chunk:	what waits
 * @out:	what is written at once
 * @index:	the chunk indices of the summary
 * @known:	topics whose channels the file has
 * @counted:	messages of each topic that are in the file
 */
struct mcap_writer {
	struct bag_writer	bag;
	struct bag_file		file;
	struct bag_buffer	chunk, out, index;
	struct bag_buffer	entries;
	bool			known[BAG_TOPICS];
	uint64_t		counted[BAG_TOPICS];
	uint64_t		messages;
	int64_t			begin, end;
	uint32_t		chunks;
	ZSTD_CCtx		*zstd;
};

/* Begin a record; end_record() fills in how long it became */
static size_t begin_record(struct bag_buffer *b, enum mcap_op op)
{
	bag_buffer_put8(b, op);
	bag_buffer_put64(b, 0);
	return b->len;
}

static void end_record(struct bag_buffer *b, size_t begin)
{
	if (!b->bad)
		put_le64(b->data + begin - 8, b->len - begin);
}

/* A map or array; its length goes before it */
static size_t begin_array(struct bag_buffer *b)
{
	bag_buffer_put32(b, 0);
	return b->len;
}

static void end_array(struct bag_buffer *b, size_t begin)
{
	assert(b->bad || (begin >= 4 && b->len >= begin));
	if (!b->bad)
		put_le32(b->data + begin - 4, b->len - begin);
}

/* Topics of one type share the schema of the first */
static unsigned int schema_of(const struct mcap_writer *m, unsigned int topic)
{
	const struct bag_topic *t = m->bag.topic;

	for (unsigned int i = 0; i < topic; i++)
		if (!strcmp(t[i].type, t[topic].type) &&
		    t[i].format == t[topic].format)
			return i;
	return topic;
}

static void put_schema(struct mcap_writer *m, struct bag_buffer *b,
		       unsigned int topic)
{
	const struct bag_topic *t = &m->bag.topic[topic];
	size_t begin = begin_record(b, MCAP_SCHEMA);

	bag_buffer_put16(b, topic + 1);
	bag_buffer_text(b, t->type);
	bag_buffer_text(b, !*t->definition ? "" :
			t->format == MESSAGE_CDR ? "ros2msg" : "ros1msg");
	bag_buffer_text(b, t->definition);
	end_record(b, begin);
}

static void put_channel(struct mcap_writer *m, struct bag_buffer *b,
			unsigned int topic)
{
	const struct bag_topic *t = &m->bag.topic[topic];
	size_t begin = begin_record(b, MCAP_CHANNEL), map;

	bag_buffer_put16(b, topic + 1);
	bag_buffer_put16(b, schema_of(m, topic) + 1);
	bag_buffer_text(b, t->name);
	bag_buffer_text(b, t->format == MESSAGE_CDR ? "cdr" : "ros1");
	map = begin_array(b);
	if (t->format == MESSAGE_CDR) {
		bag_buffer_text(b, "offered_qos_profiles");
		bag_buffer_text(b, bag_qos(t));
	} else {
		bag_buffer_text(b, "md5sum");
		bag_buffer_text(b, t->md5);
		bag_buffer_text(b, "latching");
		bag_buffer_text(b, t->latched ? "1" : "0");
	}
	end_array(b, map);
	end_record(b, begin);
}

/* The profile is that of the first topic, so it waits for one */
static int mcap_writer_write_header(struct mcap_writer *m)
{
	struct bag_buffer *b = &m->out;
	size_t begin;

	if (m->file.at)
		return 0;
	b->len = 0;
	bag_buffer_put(b, MCAP_MAGIC, MCAP_MAGIC_LEN);
	begin = begin_record(b, MCAP_HEADER);
	bag_buffer_text(b, m->bag.topics &&
			m->bag.topic[0].format == MESSAGE_ROS1 ? "ros1" :
								 "ros2");
	bag_buffer_text(b, "optsample");
	end_record(b, begin);
	return b->bad ? -ENOMEM : bag_file_append(&m->file, b->data, b->len);
}

static int mcap_add(struct bag_writer *bag, unsigned int topic)
{
	if (bag->topic[topic].format == MESSAGE_OTHER)
		return -EINVAL;
	return mcap_writer_write_header((struct mcap_writer *)bag);
}

static int mcap_write(struct bag_writer *bag, unsigned int topic, int64_t stamp,
		      const void *data, size_t len)
{
	struct mcap_writer *m = (struct mcap_writer *)bag;
	struct entry e = { .topic = topic, .stamp = stamp };
	struct bag_buffer *b = &m->chunk;
	size_t begin;

	assert(topic < bag->topics && topic < BAG_TOPICS);
	if (!m->known[topic]) {
		put_schema(m, b, schema_of(m, topic));
		put_channel(m, b, topic);
		m->known[topic] = true;
	}
	e.offset = b->len;
	begin = begin_record(b, MCAP_MESSAGE);
	bag_buffer_put16(b, topic + 1);
	bag_buffer_put32(b, bag->topic[topic].count);
	bag_buffer_put64(b, stamp);
	bag_buffer_put64(b, stamp);
	bag_buffer_put(b, data, len);
	end_record(b, begin);
	bag_buffer_put(&m->entries, &e, sizeof(e));
	return b->bad || m->entries.bad ? -ENOMEM : 0;
}

/* What waits as a chunk; what does not get smaller stays as it is */
static void mcap_writer_put_chunk(struct mcap_writer *m, int64_t begin,
				  int64_t end)
{
	struct bag_buffer *b = &m->out, *raw = &m->chunk;
	size_t record = begin_record(b, MCAP_CHUNK), bound, n, name;
	uint8_t *p;

	bag_buffer_put64(b, begin);
	bag_buffer_put64(b, end);
	bag_buffer_put64(b, raw->len);
	bag_buffer_put32(b, crc32(0, raw->data, raw->len));
	name = b->len;
	if (m->zstd) {
		bag_buffer_text(b, "zstd");
		bag_buffer_put64(b, 0);
		bound = ZSTD_compressBound(raw->len);
		p = bag_buffer_room(b, bound);
		n = p ? ZSTD_compressCCtx(m->zstd, p, bound, raw->data,
					  raw->len, 1) : 0;
		if (p && !ZSTD_isError(n) && n < raw->len) {
			put_le64(p - 8, n);
			assert(n <= bound && bound - n <= b->len);
			b->len -= bound - n;
			end_record(b, record);
			return;
		}
		b->len = name;
	}
	bag_buffer_text(b, "");
	bag_buffer_put64(b, raw->len);
	bag_buffer_put(b, raw->data, raw->len);
	end_record(b, record);
}

/* Where the messages of @topic are in the chunk */
static void put_message_index(struct mcap_writer *m, unsigned int topic)
{
	const struct entry *e = (const struct entry *)m->entries.data;
	size_t n = m->entries.len / sizeof(*e), begin, array;
	struct bag_buffer *b = &m->out;

	begin = begin_record(b, MCAP_MESSAGE_INDEX);
	bag_buffer_put16(b, topic + 1);
	array = begin_array(b);
	for (; n--; e++) {
		if (e->topic != topic)
			continue;
		bag_buffer_put64(b, e->stamp);
		bag_buffer_put64(b, e->offset);
	}
	end_array(b, array);
	end_record(b, begin);
}

/* Behind the chunk, and in the summary's entry of it */
static void mcap_writer_put_indices(struct mcap_writer *m, int64_t begin,
				    int64_t end)
{
	const struct entry *e = (const struct entry *)m->entries.data;
	size_t n = m->entries.len / sizeof(*e), len = m->out.len;
	struct bag_buffer *b = &m->index;
	bool has[BAG_TOPICS] = { 0 };
	size_t record = begin_record(b, MCAP_CHUNK_INDEX), map, raw;
	const uint8_t *chunk;

	bag_buffer_put64(b, begin);
	bag_buffer_put64(b, end);
	bag_buffer_put64(b, m->file.at);
	bag_buffer_put64(b, len);
	map = begin_array(b);
	for (size_t i = 0; i < n; i++)
		has[e[i].topic] = true;
	for (unsigned int t = 0; t < m->bag.topics; t++) {
		if (!has[t])
			continue;
		bag_buffer_put16(b, t + 1);
		bag_buffer_put64(b, m->file.at + m->out.len);
		put_message_index(m, t);
	}
	end_array(b, map);
	bag_buffer_put64(b, m->out.len - len);
	/* compression and sizes, as they stand in the chunk */
	chunk = m->out.data + MCAP_RECORD;
	raw = get_le32(chunk + 28);
	bag_buffer_put(b, chunk + 28, 4 + raw);
	bag_buffer_put(b, chunk + 32 + raw, 8);
	bag_buffer_put(b, chunk + 16, 8);
	end_record(b, record);
}

static int mcap_flush(struct bag_writer *bag)
{
	struct mcap_writer *m = (struct mcap_writer *)bag;
	const struct entry *e = (const struct entry *)m->entries.data;
	size_t n = m->entries.len / sizeof(*e), index = m->index.len;
	int64_t begin = INT64_MAX, end = INT64_MIN;
	int err;

	for (size_t i = 0; i < n; i++) {
		if (e[i].stamp < begin)
			begin = e[i].stamp;
		if (e[i].stamp > end)
			end = e[i].stamp;
	}
	assert(m->entries.len % sizeof(*e) == 0);
	m->out.len = 0;
	mcap_writer_put_chunk(m, begin, end);
	if (m->out.bad)
		return -ENOMEM;
	mcap_writer_put_indices(m, begin, end);
	err = m->out.bad || m->index.bad ? -ENOMEM :
	      bag_file_append(&m->file, m->out.data, m->out.len);
	m->chunk.len = m->entries.len = 0;
	if (err) {
		m->index.len = index;
		return err;
	}
	if (!m->chunks || begin < m->begin)
		m->begin = begin;
	if (!m->chunks || end > m->end)
		m->end = end;
	m->chunks++;
	m->messages += n;
	for (size_t i = 0; i < n; i++)
		m->counted[e[i].topic]++;
	return 0;
}

/* Topics without a message, and the end of the data */
static int finish_data(struct mcap_writer *m)
{
	struct bag_buffer *b = &m->out;
	size_t begin;

	b->len = 0;
	for (unsigned int t = 0; t < m->bag.topics; t++)
		if (!m->known[t]) {
			put_schema(m, b, schema_of(m, t));
			put_channel(m, b, t);
		}
	begin = begin_record(b, MCAP_DATA_END);
	bag_buffer_put32(b, 0);
	end_record(b, begin);
	return b->bad ? -ENOMEM : bag_file_append(&m->file, b->data, b->len);
}

static void put_statistics(struct mcap_writer *m, struct bag_buffer *b)
{
	size_t begin = begin_record(b, MCAP_STATISTICS), map;
	unsigned int schemas = 0;

	for (unsigned int t = 0; t < m->bag.topics; t++)
		schemas += schema_of(m, t) == t;
	bag_buffer_put64(b, m->messages);
	bag_buffer_put16(b, schemas);
	bag_buffer_put32(b, m->bag.topics);
	bag_buffer_put32(b, 0);
	bag_buffer_put32(b, 0);
	bag_buffer_put32(b, m->chunks);
	bag_buffer_put64(b, m->begin);
	bag_buffer_put64(b, m->end);
	map = begin_array(b);
	for (unsigned int t = 0; t < m->bag.topics; t++) {
		bag_buffer_put16(b, t + 1);
		bag_buffer_put64(b, m->counted[t]);
	}
	end_array(b, map);
	end_record(b, begin);
}

/* A group of the summary from @begin on: what the offsets at its end say */
static void put_offset(struct mcap_writer *m, struct bag_buffer *offsets,
		       enum mcap_op op, size_t begin)
{
	size_t record;

	if (begin == m->out.len)
		return;
	record = begin_record(offsets, MCAP_SUMMARY_OFFSET);
	bag_buffer_put8(offsets, op);
	bag_buffer_put64(offsets, m->file.at + begin);
	bag_buffer_put64(offsets, m->out.len - begin);
	end_record(offsets, record);
}

static void put_summary(struct mcap_writer *m, struct bag_buffer *offsets)
{
	struct bag_buffer *b = &m->out;
	size_t begin = 0;

	for (unsigned int t = 0; t < m->bag.topics; t++)
		if (schema_of(m, t) == t)
			put_schema(m, b, t);
	put_offset(m, offsets, MCAP_SCHEMA, begin);
	begin = b->len;
	for (unsigned int t = 0; t < m->bag.topics; t++)
		put_channel(m, b, t);
	put_offset(m, offsets, MCAP_CHANNEL, begin);
	begin = b->len;
	put_statistics(m, b);
	put_offset(m, offsets, MCAP_STATISTICS, begin);
	begin = b->len;
	bag_buffer_put(b, m->index.data, m->index.len);
	put_offset(m, offsets, MCAP_CHUNK_INDEX, begin);
}

static int mcap_finish(struct bag_writer *bag)
{
	struct mcap_writer *m = (struct mcap_writer *)bag;
	struct bag_buffer *b = &m->out, offsets = { 0 };
	size_t summary;
	int err = mcap_writer_write_header(m);

	if (!err)
		err = finish_data(m);
	if (err)
		return err;
	b->len = 0;
	put_summary(m, &offsets);
	summary = b->len;
	bag_buffer_put(b, offsets.data, offsets.len);
	bag_buffer_put8(b, MCAP_FOOTER);
	bag_buffer_put64(b, MCAP_FOOTER_LEN);
	bag_buffer_put64(b, m->file.at);
	bag_buffer_put64(b, m->file.at + summary);
	if (!b->bad)
		bag_buffer_put32(b, crc32(0, b->data, b->len));
	bag_buffer_put(b, MCAP_MAGIC, MCAP_MAGIC_LEN);
	err = b->bad || offsets.bad ? -ENOMEM :
	      bag_file_append(&m->file, b->data, b->len);
	free(offsets.data);
	return err;
}

static void mcap_release(struct bag_writer *bag)
{
	struct mcap_writer *m = (struct mcap_writer *)bag;

	free(m->chunk.data);
	free(m->out.data);
	free(m->index.data);
	free(m->entries.data);
	ZSTD_freeCCtx(m->zstd);
	close(m->file.fd);
	free(m);
}

int mcap_create(struct bag_writer **bag, const char *path, bool compress)
{
	static const struct bag_writer_ops ops = {
		.add = mcap_add, .write = mcap_write, .flush = mcap_flush,
		.finish = mcap_finish, .release = mcap_release,
	};
	struct mcap_writer *m = calloc(1, sizeof(*m));
	int err = -ENOMEM;

	if (!m)
		return err;
	m->bag.ops = &ops;
	if (compress)
		m->zstd = ZSTD_createCCtx();
	if (!compress || m->zstd)
		err = bag_file_create(&m->file, path);
	if (err) {
		ZSTD_freeCCtx(m->zstd);
		free(m);
		return err;
	}
	*bag = &m->bag;
	return 0;
}
