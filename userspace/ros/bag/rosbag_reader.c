// SPDX-License-Identifier: GPL-2.0-only
/*
 * rosbag_reader - read .bag, with the index at its end or without
 *
 * A bag that was closed has its connections and a list of its chunks at the
 * end. Any other (.bag.active) is read through once when it is opened; its
 * last chunk, whose size was never filled in, is the rest of the file.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/wire.h"
#include "ros/bag/chunks.h"
#include "ros/bag/rosbag_format.h"

enum { INDEX_MAX = 256 << 20 };

/* Several publishers of a topic are as many connections */
struct connection {
	uint32_t	id, topic;
};

struct rosbag {
	struct chunked		c;
	struct connection	*connection;
	unsigned int		connections, room, last;
};

/* A record in memory */
struct record {
	const uint8_t	*header, *data;
	uint32_t	header_len, data_len;
	int		op;
};

/* A field's value; its length is 0 if there is none of that name */
static struct bag_text rosbag_reader_find(const uint8_t *header, uint32_t len,
					  const char *name)
{
	size_t n = strlen(name);

	while (len >= 4) {
		uint32_t size = get_le32(header);
		const char *field = (const char *)header + 4;

		if (size > len - 4)
			break;
		if (size > n && !memcmp(field, name, n) && field[n] == '=')
			return (struct bag_text){ field + n + 1, size - n - 1 };
		header += 4 + size;
		len -= 4 + size;
	}
	return (struct bag_text){ "", 0 };
}

/* A number of @size bytes. Return: whether there is one */
static bool rosbag_reader_find_number(const struct record *r, const char *name,
				      size_t size, void *value)
{
	struct bag_text t = rosbag_reader_find(r->header, r->header_len, name);

	if (t.len != size)
		return false;
	if (size == 8)
		*(uint64_t *)value = get_le64(t.text);
	else
		*(uint32_t *)value = get_le32(t.text);
	return true;
}

static bool find_time(const struct record *r, const char *name, int64_t *stamp)
{
	struct bag_text t = rosbag_reader_find(r->header, r->header_len, name);

	if (t.len != 8)
		return false;
	*stamp = get_le32(t.text) * INT64_C(1000000000) + get_le32(t.text + 4);
	return true;
}

static int op_of(const uint8_t *header, uint32_t len)
{
	struct bag_text op = rosbag_reader_find(header, len, "op");

	return op.len == 1 ? (uint8_t)*op.text : -1;
}

/* The next of some records; false after the last whole one */
static bool rosbag_reader_next_record(const uint8_t **p, const uint8_t *end,
				      struct record *r)
{
	size_t left = end - *p;

	if (left < 8)
		return false;
	r->header_len = get_le32(*p);
	if (r->header_len > left - 8)
		return false;
	r->header = *p + 4;
	r->data_len = get_le32(r->header + r->header_len);
	if (r->data_len > left - 8 - r->header_len)
		return false;
	r->data = r->header + r->header_len + 4;
	r->op = op_of(r->header, r->header_len);
	*p = r->data + r->data_len;
	return true;
}

/* Return: topic, or -ENOENT */
static int rosbag_reader_topic_of(struct rosbag *b, uint32_t id)
{
	if (b->last < b->connections && b->connection[b->last].id == id)
		return b->connection[b->last].topic;
	for (unsigned int i = 0; i < b->connections; i++)
		if (b->connection[i].id == id) {
			b->last = i;
			return b->connection[i].topic;
		}
	return -ENOENT;
}

static int add_connection(struct rosbag *b, uint32_t id, uint32_t topic)
{
	if (b->connections == b->room) {
		unsigned int room = b->room ? 2 * b->room : 64;
		void *p = realloc(b->connection, room * sizeof(*b->connection));

		if (!p)
			return -ENOMEM;
		b->connection = p;
		b->room = room;
	}
	assert(b->connections < b->room);
	b->connection[b->connections++] = (struct connection){ id, topic };
	return 0;
}

static int read_connection(struct rosbag *b, const struct record *r)
{
	struct bag_text topic =
		rosbag_reader_find(r->header, r->header_len, "topic");
	struct bag_text latching;
	uint32_t id;
	int i;

	if (!rosbag_reader_find_number(r, "conn", 4, &id) || !topic.len)
		return -EBADMSG;
	if (!b->c.scanning || rosbag_reader_topic_of(b, id) >= 0)
		return 0;
	i = b->connections == BAG_TOPICS ?
		    -ENOSPC :
		    bag_reader_topic(
			    &b->c.bag, topic,
			    rosbag_reader_find(r->data, r->data_len, "type"),
			    MESSAGE_ROS1,
			    rosbag_reader_find(r->data, r->data_len, "md5sum"),
			    rosbag_reader_find(r->data, r->data_len,
					       "message_definition"));
	if (i == -ENOSPC) {
		bag_reader_warn(&b->c.bag, "not all topics can be listed");
		return 0;
	}
	if (i < 0)
		return i;
	latching = rosbag_reader_find(r->data, r->data_len, "latching");
	if (latching.len == 1 && *latching.text == '1')
		b->c.bag.topic[i].latched = true;
	return add_connection(b, id, i);
}

static int rosbag_reader_parse(struct chunked *c, const uint8_t *raw,
			       size_t len)
{
	struct rosbag *b = (struct rosbag *)c;
	const uint8_t *p = raw, *end = raw + len;
	struct record r;
	int err = 0;

	while (!err && rosbag_reader_next_record(&p, end, &r)) {
		int64_t stamp;
		uint32_t id;
		int topic;

		if (r.op == ROSBAG_CONNECTION) {
			err = read_connection(b, &r);
			if (err == -EBADMSG)
				err = 0;
		}
		if (r.op != ROSBAG_MESSAGE ||
		    !rosbag_reader_find_number(&r, "conn", 4, &id) ||
		    !find_time(&r, "time", &stamp))
			continue;
		topic = rosbag_reader_topic_of(b, id);
		if (topic >= 0)
			err = chunked_record(c, topic, stamp, r.data - raw,
					     r.data_len);
	}
	return err;
}

/*
 * The header of the record at @at, into @header, and where its data is.
 * Return: 0, -EBADMSG if it is not whole, ...
 */
static int rosbag_reader_read_head(struct rosbag *b, uint64_t at,
				   uint8_t **header, struct record *r,
				   uint64_t *data)
{
	uint8_t len[4];
	void *p;
	int err = chunked_pread(&b->c, at, len, 4);

	if (err)
		return err;
	r->header_len = get_le32(len);
	if (r->header_len > ROSBAG_FIELDS_MAX)
		return -EBADMSG;
	p = realloc(*header, r->header_len + 4);
	if (!p)
		return -ENOMEM;
	*header = p;
	err = chunked_pread(&b->c, at + 4, *header, r->header_len + 4);
	if (err)
		return err;
	r->header = *header;
	r->data_len = get_le32(*header + r->header_len);
	r->op = op_of(r->header, r->header_len);
	*data = at + 8 + r->header_len;
	return 0;
}

/* Return: 0, -EBADMSG if it is not whole or says what cannot be */
static int chunk_of(struct rosbag *b, const struct record *r, uint64_t data,
		    struct chunk *k)
{
	struct bag_text name =
		rosbag_reader_find(r->header, r->header_len, "compression");

	*k = (struct chunk){ .offset = data, .stored = r->data_len };
	if (!rosbag_reader_find_number(r, "size", 4, &k->raw) ||
	    k->raw > BAG_CHUNK_MAX || k->stored > b->c.size - data)
		return -EBADMSG;
	if (name.len == 4 && !memcmp(name.text, "none", 4))
		k->compression = CHUNK_PLAIN;
	else if (name.len == 3 && !memcmp(name.text, "bz2", 3))
		k->compression = CHUNK_BZ2;
	else if (name.len == 3 && !memcmp(name.text, "lz4", 3))
		k->compression = CHUNK_LZ4;
	else
		return -EBADMSG;
	return 0;
}

/* What there is of a chunk that the file ends in, if it is readable */
static int scan_rest(struct rosbag *b, const struct record *r, uint64_t data)
{
	uint64_t left = b->c.size - data;
	struct bag_text name =
		rosbag_reader_find(r->header, r->header_len, "compression");
	struct chunk k = { .offset = data, .stored = left, .raw = left };

	if (!left || left > BAG_CHUNK_MAX || name.len != 4 ||
	    memcmp(name.text, "none", 4))
		return 0;
	return chunked_scan(&b->c, &k);
}

/* Return: as chunked_scan() */
static int scan_chunk(struct rosbag *b, const struct record *r, uint64_t data)
{
	struct chunk k;

	if (!chunk_of(b, r, data, &k))
		return chunked_scan(&b->c, &k);
	bag_reader_warn(&b->c.bag, "the chunk at byte %llu is damaged",
			(unsigned long long)data);
	return 0;
}

/* Read through. Return: 0 at the end of what is whole */
static int rosbag_reader_scan(struct rosbag *b, uint64_t at)
{
	uint8_t *header = NULL;
	int err = 0;

	while (!err && at < b->c.size) {
		struct record r;
		uint64_t data;
		bool cut;

		err = rosbag_reader_read_head(b, at, &header, &r, &data);
		if (err)
			break;
		/* the size of a chunk is written when it is full */
		cut = r.data_len > b->c.size - data ||
		      (r.op == ROSBAG_CHUNK && !r.data_len);
		if (r.op == ROSBAG_CHUNK)
			err = cut ? scan_rest(b, &r, data) :
				    scan_chunk(b, &r, data);
		if (cut)
			break;
		at = data + r.data_len;
	}
	free(header);
	bag_reader_warn(&b->c.bag, "no index: whole up to byte %llu of %llu",
			(unsigned long long)at, (unsigned long long)b->c.size);
	return err == -EBADMSG ? 0 : err;
}

/* Data of a chunk info: how many messages of each connection */
static int rosbag_reader_count_messages(struct rosbag *b,
					const struct record *r,
					struct chunk *k)
{
	if (r->data_len % 8)
		return -EBADMSG;
	for (uint32_t i = 0; i < r->data_len; i += 8) {
		int topic = rosbag_reader_topic_of(b, get_le32(r->data + i));

		if (topic < 0)
			return -EBADMSG;
		b->c.bag.topic[topic].count += get_le32(r->data + i + 4);
		chunk_has(k, topic);
	}
	return 0;
}

static int read_chunk_info(struct rosbag *b, const struct record *r,
			   uint8_t **header)
{
	struct record chunk;
	int64_t begin, end;
	uint64_t at, data;
	struct chunk k;
	int err;

	if (!rosbag_reader_find_number(r, "chunk_pos", 8, &at) ||
	    !find_time(r, "start_time", &begin) ||
	    !find_time(r, "end_time", &end))
		return -EBADMSG;
	err = rosbag_reader_read_head(b, at, header, &chunk, &data);
	if (!err)
		err = chunk.op == ROSBAG_CHUNK ?
		      chunk_of(b, &chunk, data, &k) : -EBADMSG;
	if (!err)
		err = rosbag_reader_count_messages(b, r, &k);
	if (err || !r->data_len)
		return err;
	k.begin = begin;
	k.end = end;
	if (begin < b->c.bag.begin)
		b->c.bag.begin = begin;
	if (end > b->c.bag.end)
		b->c.bag.end = end;
	return chunked_add(&b->c, &k);
}

static int parse_index(struct rosbag *b, const uint8_t *data, size_t len,
		       uint32_t connections, uint32_t chunks)
{
	const uint8_t *p = data, *end = data + len;
	uint8_t *header = NULL;
	struct record r;
	int err = 0;

	while (!err && rosbag_reader_next_record(&p, end, &r)) {
		if (r.op == ROSBAG_CONNECTION && connections--)
			err = read_connection(b, &r);
		else if (r.op == ROSBAG_CHUNK_INFO && chunks--)
			err = read_chunk_info(b, &r, &header);
		else
			err = -EBADMSG;
	}
	free(header);
	if (!err && (p != end || connections || chunks ||
		     !chunked_distinct(&b->c)))
		return -EBADMSG;
	return err;
}

/* Return: 0; -EBADMSG if there is no index to rely on */
static int read_index(struct rosbag *b, const struct record *head)
{
	uint32_t connections, chunks;
	uint64_t at, len;
	uint8_t *data;
	int err;

	if (!rosbag_reader_find_number(head, "index_pos", 8, &at) ||
	    !rosbag_reader_find_number(head, "conn_count", 4, &connections) ||
	    !rosbag_reader_find_number(head, "chunk_count", 4, &chunks) ||
	    !at || at > b->c.size || b->c.size - at > INDEX_MAX)
		return -EBADMSG;
	len = b->c.size - at;
	data = malloc(len + !len);
	if (!data)
		return -ENOMEM;
	err = chunked_pread(&b->c, at, data, len);
	if (!err)
		err = parse_index(b, data, len, connections, chunks);
	free(data);
	return err;
}

static void rosbag_close(struct bag_reader *bag)
{
	struct rosbag *b = (struct rosbag *)bag;

	free(b->connection);
	chunked_release(&b->c);
	free(b);
}

static int open_index(struct rosbag *b)
{
	uint8_t *header = NULL;
	struct record head;
	uint64_t data;
	int err = rosbag_reader_read_head(b, ROSBAG_MAGIC_LEN, &header, &head,
					  &data);

	if (!err && (head.op != ROSBAG_BAG || head.data_len > b->c.size - data))
		err = -EBADMSG;
	if (!err &&
	    rosbag_reader_find(head.header, head.header_len, "encryptor").len)
		err = -EPROTONOSUPPORT;
	if (err)
		goto out;
	err = read_index(b, &head);
	if (err != -EBADMSG)
		goto out;
	/* what was read of it is found again */
	b->c.chunks = 0;
	for (unsigned int i = 0; i < b->c.bag.topics; i++)
		b->c.bag.topic[i].count = 0;
	b->c.bag.begin = INT64_MAX;
	b->c.bag.end = INT64_MIN;
	err = rosbag_reader_scan(b, data + head.data_len);
out:
	free(header);
	return err;
}

int rosbag_open(struct bag_reader **bag, int fd, uint64_t size)
{
	static const struct bag_reader_ops ops = {
		.next = chunked_next, .rewind = chunked_rewind,
		.seek = chunked_seek, .before = chunked_before,
		.close = rosbag_close,
	};
	struct rosbag *b = calloc(1, sizeof(*b));
	int err;

	if (!b) {
		close(fd);
		return -ENOMEM;
	}
	chunked_init(&b->c, fd, size, &ops, rosbag_reader_parse);
	err = open_index(b);
	if (err) {
		rosbag_close(&b->c.bag);
		return err;
	}
	*bag = &b->c.bag;
	return chunked_rewind(*bag);
}
