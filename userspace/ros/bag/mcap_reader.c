// SPDX-License-Identifier: GPL-2.0-only
/*
 * mcap_reader - read MCAP, with the index at its end or without
 *
 * A file that was finished says at its end what is in it. Any other, or one
 * whose index is damaged, is read through once when it is opened. Records
 * outside of chunks are taken as chunks that are not compressed: runs of them,
 * cut at a size.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include "base/wire.h"
#include "ros/bag/chunks.h"
#include "ros/bag/mcap_format.h"

enum {
	RUN_MAX		= 4 << 20,	/* bytes of records outside of chunks */
	SUMMARY_MAX	= 256 << 20,
	IDS		= 65536,
};

/**
 * struct mcap - a reader
 * @schema:	of each id below @schemas: texts that are kept; NULL if there is
 *		none
 * @channel:	of each id: topic + 1, 0 if there is none, or NO_TOPIC
 */
struct mcap {
	struct chunked	c;
	struct schema {
		char	*name, *definition;
	} *schema[IDS];
	unsigned int	schemas;
	uint32_t	channel[IDS];
};

#define NO_TOPIC	UINT32_MAX

/* Bytes that are left of a record */
struct cursor {
	const uint8_t	*p, *end;
	bool		bad;
};

static const uint8_t *mcap_reader_skip(struct cursor *c, size_t n)
{
	static const uint8_t none[8];
	const uint8_t *p = c->p;

	if ((size_t)(c->end - c->p) < n) {
		c->bad = true;
		c->p = c->end;
		return none;
	}
	c->p += n;
	return p;
}

static uint16_t next16(struct cursor *c)
{
	return get_le16(mcap_reader_skip(c, 2));
}
static uint32_t next32(struct cursor *c)
{
	return get_le32(mcap_reader_skip(c, 4));
}
static uint64_t next64(struct cursor *c)
{
	return get_le64(mcap_reader_skip(c, 8));
}

static struct bag_text next_text(struct cursor *c)
{
	uint32_t n = next32(c);
	const char *text = (const char *)mcap_reader_skip(c, n);

	return (struct bag_text){ text, c->bad ? 0 : n };
}

static bool text_is(struct bag_text t, const char *s)
{
	return t.len == strlen(s) && !memcmp(t.text, s, t.len);
}

/* The next record of some; false after the last whole one */
static bool mcap_reader_next_record(struct cursor *c, uint8_t *op,
				    struct cursor *record)
{
	uint64_t n;

	if (c->end - c->p < MCAP_RECORD)
		return false;
	*op = c->p[0];
	n = get_le64(c->p + 1);
	if (n > (size_t)(c->end - c->p) - MCAP_RECORD)
		return false;
	record->p = c->p + MCAP_RECORD;
	record->end = c->p = record->p + n;
	record->bad = false;
	return true;
}

static int read_schema(struct mcap *m, struct cursor *c)
{
	uint16_t id = next16(c);
	struct bag_text name = next_text(c);
	struct bag_text encoding = next_text(c);
	struct bag_text data = next_text(c);
	struct schema *s;

	if (c->bad || !id || m->schema[id])
		return 0;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	m->schema[id] = s;
	if (id >= m->schemas)
		m->schemas = id + 1;
	s->name = strndup(name.text, name.len);
	/* others than these two are not the text that bags want */
	if (text_is(encoding, "ros2msg") || text_is(encoding, "ros1msg"))
		s->definition = strndup(data.text, data.len);
	return s->name ? 0 : -ENOMEM;
}

static bool mcap_reader_find_text(struct bag_text in, const char *what)
{
	return memmem(in.text, in.len, what, strlen(what));
}

/* rosbag2 keeps the QoS of publishers, converters of .bag what stood there */
static void read_metadata(struct cursor *c, bool *latched,
			  struct bag_text *md5)
{
	struct cursor map;
	uint32_t n = next32(c);

	map.p = mcap_reader_skip(c, n);
	map.end = c->bad ? map.p : map.p + n;
	map.bad = false;
	while (map.p < map.end) {
		struct bag_text key = next_text(&map);
		struct bag_text value = next_text(&map);

		if (text_is(key, "md5sum"))
			*md5 = value;
		else if (text_is(key, "latching"))
			*latched |= text_is(value, "1");
		else if (text_is(key, "offered_qos_profiles"))
			*latched |=
				mcap_reader_find_text(value, "durability: 1") ||
				mcap_reader_find_text(
					value, "durability: transient_local");
	}
}

static int read_channel(struct mcap *m, struct cursor *c)
{
	static const struct schema unknown = { "", NULL };
	uint16_t id = next16(c), schema = next16(c);
	struct bag_text topic = next_text(c);
	struct bag_text encoding = next_text(c);
	struct bag_text md5 = { "", 0 };
	bool latched = false;
	const struct schema *s = m->schema[schema] ? m->schema[schema] :
						     &unknown;
	const char *definition = s->definition ? s->definition : "";
	enum message_format format = text_is(encoding, "cdr") ? MESSAGE_CDR :
				     text_is(encoding, "ros1") ? MESSAGE_ROS1 :
				     MESSAGE_OTHER;
	int i;

	read_metadata(c, &latched, &md5);
	if (c->bad || m->channel[id] || !m->c.scanning)
		return 0;
	i = bag_reader_topic(&m->c.bag, topic,
			     (struct bag_text){ s->name, strlen(s->name) },
			     format, md5,
			     (struct bag_text){ definition,
						strlen(definition) });
	if (i == -ENOSPC) {
		bag_reader_warn(&m->c.bag, "not all topics can be listed");
		m->channel[id] = NO_TOPIC;
		return 0;
	}
	if (i < 0)
		return i;
	m->channel[id] = i + 1;
	m->c.bag.topic[i].latched |= latched;
	return 0;
}

/* In the chunk @raw; bad if it is of no topic, too */
static int mcap_reader_read_message(struct mcap *m, const uint8_t *raw,
				    struct cursor *c)
{
	const uint8_t *head = mcap_reader_skip(c, MCAP_MESSAGE_LEN),
		      *data = c->p;
	uint32_t topic = c->bad ? 0 : m->channel[get_le16(head)];

	c->p = c->end;
	if (!topic || topic == NO_TOPIC) {
		c->bad = true;
		return 0;
	}
	return chunked_record(&m->c, topic - 1, get_le64(head + 6), data - raw,
			      c->end - data);
}

static int mcap_reader_parse(struct chunked *chunked, const uint8_t *raw,
			     size_t len)
{
	struct mcap *m = (struct mcap *)chunked;
	struct cursor all = { raw, raw + len, false }, c;
	uint64_t lost = 0;
	uint8_t op;
	int err = 0;

	while (!err && mcap_reader_next_record(&all, &op, &c)) {
		const size_t n = MCAP_RECORD + (c.end - c.p);

		if (op == MCAP_SCHEMA)
			err = read_schema(m, &c);
		else if (op == MCAP_CHANNEL)
			err = read_channel(m, &c);
		else if (op == MCAP_MESSAGE)
			err = mcap_reader_read_message(m, raw, &c);
		if (c.bad || c.p != c.end)
			lost += n;
	}
	if (chunked->scanning)
		chunked->bag.lost += lost + (all.end - all.p);
	return err;
}

static int compression_of(struct bag_text name)
{
	return !name.len ? CHUNK_PLAIN : text_is(name, "zstd") ? CHUNK_ZSTD :
	       text_is(name, "lz4") ? CHUNK_LZ4 : -EPROTONOSUPPORT;
}

/* A chunk record at @at, as far as its data; @inside bytes are there */
static int mcap_reader_read_head(struct mcap *m, uint64_t at, uint64_t inside,
				 struct chunk *k)
{
	uint8_t head[MCAP_CHUNK_LEN + 16];
	struct cursor c = { head, head + sizeof(head), false };
	uint64_t raw;
	int err;

	*k = (struct chunk){ 0 };
	if (inside < sizeof(head))
		c.end = head + inside;
	err = chunked_pread(&m->c, at, head, c.end - head);
	if (err)
		return err;
	k->begin = next64(&c);
	k->end = next64(&c);
	raw = next64(&c);
	k->crc = next32(&c);
	err = compression_of(next_text(&c));
	k->stored = next64(&c);
	if (err < 0 || c.bad || raw > BAG_CHUNK_MAX)
		return -EBADMSG;
	k->compression = err;
	k->raw = raw;
	k->offset = at + (c.p - head);
	return 0;
}

/* Likewise, and its data is inside, too */
static int read_chunk_head(struct mcap *m, uint64_t at, uint64_t inside,
			   struct chunk *k)
{
	int err = mcap_reader_read_head(m, at, inside, k);

	return !err && k->stored > inside - (k->offset - at) ? -EBADMSG : err;
}

/* The length that the texts of a header at @at, or an index there, ask for */
static uint64_t own_length(struct mcap *m, uint8_t op, uint64_t at)
{
	const unsigned int before = op == MCAP_HEADER ? 0 : 2;
	uint8_t word[4];
	uint64_t n;

	if (chunked_pread(&m->c, at + before, word, 4))
		return 0;
	n = before + 4 + get_le32(word);
	if (op == MCAP_MESSAGE_INDEX)
		return n;
	return chunked_pread(&m->c, at + n, word, 4) ? 0 :
	       n + 4 + get_le32(word);
}

/* Whether a record of @n bytes without messages is what it says it is */
static bool is_sound(struct mcap *m, uint8_t op, uint64_t at, uint64_t n)
{
	switch (op) {
	case MCAP_HEADER:
	case MCAP_MESSAGE_INDEX:
		return n == own_length(m, op, at + MCAP_RECORD);
	case MCAP_DATA_END:
		return n == 4;
	case MCAP_FOOTER:
		return n == MCAP_FOOTER_LEN;
	}
	return false;
}

/*
 * Whether what is left at @at is the beginning of one record, and not many of
 * them behind a length that is wrong: that of a chunk stands there twice
 */
static bool is_torn(struct mcap *m, uint64_t at)
{
	const uint64_t left = m->c.size - at;
	uint8_t head[MCAP_RECORD];
	struct chunk k;
	uint64_t n;

	if (left < MCAP_RECORD)
		return true;
	if (chunked_pread(&m->c, at, head, sizeof(head)))
		return false;
	n = get_le64(head + 1);
	if (head[0] == MCAP_MESSAGE_INDEX)
		return left < MCAP_RECORD + 6 || is_sound(m, head[0], at, n);
	if (head[0] == MCAP_DATA_END)
		return n == 4;
	if (head[0] != MCAP_CHUNK)
		return false;
	at += MCAP_RECORD;
	return left < MCAP_RECORD + MCAP_CHUNK_LEN + 4 ||
	       (!mcap_reader_read_head(m, at, left - MCAP_RECORD, &k) &&
		k.offset + k.stored == at + n);
}

/* A run of records outside of chunks */
static int scan_run(struct mcap *m, uint64_t begin, uint64_t end)
{
	struct chunk k = {
		.offset = begin, .stored = end - begin, .raw = end - begin,
	};

	return begin == end ? 0 : chunked_scan(&m->c, &k);
}

/*
 * What is in the record of @n bytes at @at, with @run where the records outside
 * of chunks that were not looked at yet begin; 0: there are none
 */
static int scan_record(struct mcap *m, uint8_t op, uint64_t at, uint64_t n,
		       uint64_t *run)
{
	uint64_t end = at + MCAP_RECORD + n;
	struct chunk k;
	int err = 0;

	if (op == MCAP_SCHEMA || op == MCAP_CHANNEL || op == MCAP_MESSAGE) {
		if (!*run)
			*run = at;
		if (end - *run < RUN_MAX)
			return 0;
		/* one too large for any chunk is passed over with its run */
		if (end - *run <= BAG_CHUNK_MAX)
			err = scan_run(m, *run, end);
		else
			m->c.bag.lost += end - *run;
		*run = 0;
		return err;
	}
	if (*run)
		err = scan_run(m, *run, at);
	*run = 0;
	if (err)
		return err;
	if (op != MCAP_CHUNK) {
		if (!is_sound(m, op, at, n))
			m->c.bag.lost += end - at;
		return 0;
	}
	err = read_chunk_head(m, at + MCAP_RECORD, n, &k);
	if (err == -EBADMSG) {
		m->c.bag.lost += end - at;
		bag_reader_warn(&m->c.bag, "the chunk at byte %llu is damaged",
				(unsigned long long)at);
		return 0;
	}
	if (err)
		return err;
	m->c.bag.lost += end - (k.offset + k.stored);
	return chunked_scan(&m->c, &k);
}

static int mcap_reader_scan(struct mcap *m)
{
	uint64_t at = MCAP_MAGIC_LEN, run = 0, n;
	uint8_t head[MCAP_RECORD];
	int err;

	for (;;) {
		err = chunked_pread(&m->c, at, head, sizeof(head));
		if (err)
			break;
		n = get_le64(head + 1);
		if (n > m->c.size - at - MCAP_RECORD) {
			err = -EBADMSG;
			break;
		}
		err = scan_record(m, head[0], at, n, &run);
		if (err || head[0] == MCAP_DATA_END || head[0] == MCAP_FOOTER)
			return err;
		at += MCAP_RECORD + n;
	}
	if (err != -EBADMSG)
		return err;
	bag_reader_warn(&m->c.bag, "cut short: whole up to byte %llu of %llu",
			(unsigned long long)at, (unsigned long long)m->c.size);
	if (!is_torn(m, at))
		m->c.bag.lost += m->c.size - at;
	return run ? scan_run(m, run, at) : 0;
}

/* The topics that the index of a chunk says it has, if they are all known */
static void read_chunk_topics(const struct mcap *m, struct cursor *c,
			      struct chunk *k)
{
	uint32_t n = next32(c);
	struct cursor map = { mcap_reader_skip(c, n), NULL, false };
	struct chunk has = { 0 };

	map.end = c->bad ? map.p : map.p + n;
	while (map.p < map.end) {
		uint32_t topic = m->channel[next16(&map)];

		next64(&map);
		if (map.bad || !topic)
			return;
		if (topic != NO_TOPIC)
			chunk_has(&has, topic - 1);
	}
	memcpy(k->topics, has.topics, sizeof(k->topics));
}

static int read_chunk_index(struct mcap *m, struct cursor *c)
{
	struct chunk k;
	uint64_t at, len;
	int err;

	mcap_reader_skip(c, 16);
	at = next64(c);
	len = next64(c);
	if (c->bad || len < MCAP_RECORD || at > m->c.size ||
	    len > m->c.size - at)
		return -EBADMSG;
	/* the rest stands in the chunk too, and its crc only there */
	err = read_chunk_head(m, at + MCAP_RECORD, len - MCAP_RECORD, &k);
	if (err)
		return err;
	read_chunk_topics(m, c, &k);
	return chunked_add(&m->c, &k);
}

static int read_statistics(struct mcap *m, struct cursor *c, uint64_t *messages,
			   uint32_t *chunks)
{
	struct cursor map;
	uint32_t n;

	*messages = next64(c);
	mcap_reader_skip(c, 2 + 3 * 4);
	*chunks = next32(c);
	m->c.bag.begin = next64(c);
	m->c.bag.end = next64(c);
	n = next32(c);
	map = (struct cursor){ mcap_reader_skip(c, n), NULL, false };
	if (c->bad)
		return -EBADMSG;
	map.end = map.p + n;
	while (map.p < map.end) {
		uint32_t topic = m->channel[next16(&map)];
		uint64_t count = next64(&map);

		if (map.bad || !topic)
			return -EBADMSG;
		if (topic != NO_TOPIC)
			m->c.bag.topic[topic - 1].count += count;
	}
	return 0;
}

static int parse_summary(struct mcap *m, const uint8_t *data, size_t len)
{
	struct cursor all = { data, data + len, false }, c;
	uint64_t messages = 0;
	uint32_t chunks = 0;
	int statistics = 0;
	uint8_t op;
	int err = 0;

	while (!err && mcap_reader_next_record(&all, &op, &c)) {
		if (op == MCAP_SCHEMA)
			err = read_schema(m, &c);
		else if (op == MCAP_CHANNEL)
			err = read_channel(m, &c);
		else if (op == MCAP_CHUNK_INDEX)
			err = read_chunk_index(m, &c);
		else if (op == MCAP_STATISTICS)
			err = statistics++ ? -EBADMSG :
			      read_statistics(m, &c, &messages, &chunks);
	}
	if (err)
		return err;
	/* messages outside of chunks are in no index */
	if (!statistics || chunks != m->c.chunks || (messages && !chunks) ||
	    !chunked_distinct(&m->c))
		return -EBADMSG;
	if (!messages) {
		m->c.bag.begin = INT64_MAX;
		m->c.bag.end = INT64_MIN;
	}
	return 0;
}

/* Return: 0; -EBADMSG if there is no index to rely on */
static int read_summary(struct mcap *m)
{
	const unsigned int tail = MCAP_RECORD + MCAP_FOOTER_LEN +
				  MCAP_MAGIC_LEN;
	uint8_t foot[MCAP_RECORD + MCAP_FOOTER_LEN + MCAP_MAGIC_LEN];
	const uint8_t *footer = foot + MCAP_RECORD;
	uint64_t at, len;
	uint8_t *data;
	int err;

	if (m->c.size < MCAP_MAGIC_LEN + tail)
		return -EBADMSG;
	err = chunked_pread(&m->c, m->c.size - tail, foot, tail);
	if (err)
		return err;
	at = get_le64(footer);
	if (foot[0] != MCAP_FOOTER || get_le64(foot + 1) != MCAP_FOOTER_LEN ||
	    memcmp(foot + tail - MCAP_MAGIC_LEN, MCAP_MAGIC, MCAP_MAGIC_LEN) ||
	    !at || at > m->c.size - tail || m->c.size - at > SUMMARY_MAX)
		return -EBADMSG;
	/* the crc is of all from there to itself */
	len = m->c.size - MCAP_MAGIC_LEN - 4 - at;
	data = malloc(len);
	if (!data)
		return -ENOMEM;
	err = chunked_pread(&m->c, at, data, len);
	if (!err && get_le32(footer + 16) &&
	    get_le32(footer + 16) != crc32(0, data, len))
		err = -EBADMSG;
	if (!err)
		err = parse_summary(m, data, len);
	free(data);
	return err;
}

static void mcap_reader_forget(struct mcap *m)
{
	for (unsigned int i = 0; i < m->schemas; i++)
		if (m->schema[i]) {
			free(m->schema[i]->name);
			free(m->schema[i]->definition);
			free(m->schema[i]);
		}
}

static void mcap_close(struct bag_reader *bag)
{
	struct mcap *m = (struct mcap *)bag;

	mcap_reader_forget(m);
	chunked_release(&m->c);
	free(m);
}

/* What was read of a bad index is not to be added to what is found without */
static void start_over(struct mcap *m)
{
	m->c.chunks = 0;
	for (unsigned int i = 0; i < m->c.bag.topics; i++)
		m->c.bag.topic[i].count = 0;
	m->c.bag.begin = INT64_MAX;
	m->c.bag.end = INT64_MIN;
}

int mcap_open(struct bag_reader **bag, int fd, uint64_t size)
{
	static const struct bag_reader_ops ops = {
		.next = chunked_next, .rewind = chunked_rewind,
		.seek = chunked_seek, .before = chunked_before,
		.close = mcap_close,
	};
	struct mcap *m = calloc(1, sizeof(*m));
	int err;

	if (!m) {
		close(fd);
		return -ENOMEM;
	}
	chunked_init(&m->c, fd, size, &ops, mcap_reader_parse);
	err = read_summary(m);
	if (err == -EBADMSG) {
		start_over(m);
		err = mcap_reader_scan(m);
	}
	if (err) {
		mcap_close(&m->c.bag);
		return err;
	}
	*bag = &m->c.bag;
	return chunked_rewind(*bag);
}
