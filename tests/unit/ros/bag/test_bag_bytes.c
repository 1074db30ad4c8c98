// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_bag_bytes - recordings as other programs read them: each number of an
 * index, by the specifications of MCAP and of rosbag 2.0, and the tables of
 * rosbag2
 */
#include <sqlite3.h>
#include <zlib.h>
#include "bag_fixture.h"

enum { N = 60, MOST = 3000, TOPICS = 3, MESSAGES_MAX = 256, CHUNKS_MAX = 32 };

static uint8_t *file;
static size_t len;

static uint64_t u64(size_t at)
{
	return at + 8 <= len ? get_le64(file + at) : UINT64_MAX;
}

static uint32_t u32(size_t at)
{
	return at + 4 <= len ? get_le32(file + at) : UINT32_MAX;
}

static uint16_t u16(size_t at)
{
	return at + 2 <= len ? file[at] | file[at + 1] << 8 : UINT16_MAX;
}

static void load(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct stat st;

	if (!f || fstat(fileno(f), &st))
		abort();
	len = (size_t)st.st_size;
	file = malloc(len + 1);
	if (fread(file, 1, len, f) != len)
		abort();
	fclose(f);
}

static void make(const char *path, bool compress)
{
	struct bag_writer *w = begin_bag(path, compress);

	if (!w || write_messages(w, 0, N, MOST) || bag_finish(w))
		abort();
}

/* A message of a chunk: where it is in it */
struct place {
	unsigned int	topic;
	uint64_t	stamp;
	size_t		offset;
	bool		indexed;
};

/* A chunk: where it is in the file; the stamps of its messages */
struct chunk {
	size_t		at, size, indices, end;
	uint64_t	first, last;
	struct place	place[MESSAGES_MAX];
	unsigned int	n, count[TOPICS], described;
	size_t		index_at[TOPICS];
};

static struct chunk chunks[CHUNKS_MAX];
static unsigned int chunk_count;

static void chunk_note(struct chunk *c, unsigned int topic, uint64_t stamp,
		       size_t offset)
{
	if (topic >= TOPICS || c->n == MESSAGES_MAX)
		abort();
	c->place[c->n++] = (struct place){ topic, stamp, offset, false };
	c->count[topic]++;
	if (c->n == 1 || stamp < c->first)
		c->first = stamp;
	if (c->n == 1 || stamp > c->last)
		c->last = stamp;
}

/* Return: whether a message is there that no index named before */
static bool chunk_has(struct chunk *c, unsigned int topic, uint64_t stamp,
		      size_t offset)
{
	for (unsigned int i = 0; i < c->n; i++) {
		struct place *p = c->place + i;

		if (p->offset != offset || p->indexed)
			continue;
		p->indexed = true;
		return p->topic == topic && p->stamp == stamp;
	}
	return false;
}

static unsigned int not_indexed(void)
{
	unsigned int n = 0;

	for (unsigned int c = 0; c < chunk_count; c++)
		for (unsigned int i = 0; i < chunks[c].n; i++)
			n += !chunks[c].place[i].indexed;
	return n;
}

static unsigned int messages_of(unsigned int topic)
{
	unsigned int n = 0;

	for (unsigned int c = 0; c < chunk_count; c++)
		n += chunks[c].count[topic];
	return n;
}

static struct chunk *chunk_at(size_t at)
{
	for (unsigned int c = 0; c < chunk_count; c++)
		if (chunks[c].at == at)
			return chunks + c;
	return NULL;
}

static int64_t first_stamp(void)
{
	int64_t first = INT64_MAX;

	for (unsigned int i = 0; i < N; i++)
		if (make_stamp(i) < first)
			first = make_stamp(i);
	return first;
}

static int64_t last_stamp(void)
{
	int64_t last = INT64_MIN;

	for (unsigned int i = 0; i < N; i++)
		if (make_stamp(i) > last)
			last = make_stamp(i);
	return last;
}

/*
 * MCAP: records are an opcode, 8 bytes of length, and that many; numbers of
 * channels are those of topics plus 1
 */

enum { FOOTER = 2, SCHEMA = 3, CHANNEL = 4, MESSAGE = 5, CHUNK = 6, INDEX = 7,
       CHUNK_INDEX = 8, STATISTICS = 11, OFFSET = 14, DATA_END = 15, HEAD = 9 };

/* Wrong numbers, by what they are of */
static unsigned int bad_chunk, bad_index, bad_chunk_index, bad_offset;
static unsigned int ops[256], groups;

static void mcap_chunk(size_t at, size_t size)
{
	struct chunk *c = &chunks[chunk_count++];
	const size_t body = at + HEAD, name = u32(body + 28);
	const size_t records = body + 40 + name;
	size_t i = 0;

	*c = (struct chunk){ .at = at, .size = HEAD + size,
			     .end = at + HEAD + size };
	bad_chunk += name != 0 || u64(body + 32) != u64(body + 16);
	bad_chunk += u32(body + 24) != crc32(0, file + records, u64(body + 16));
	while (i < u64(body + 16)) {
		const size_t in = records + i + HEAD;

		if (file[records + i] == MESSAGE) {
			chunk_note(c, u16(in) - 1u, u64(in + 6), i);
			bad_chunk += u64(in + 14) != u64(in + 6);
		}
		ops[file[records + i]]++;
		i += HEAD + u64(records + i + 1);
	}
	bad_chunk += i != u64(body + 16) || u64(body) != c->first ||
		     u64(body + 8) != c->last;
}

static void mcap_index(size_t at)
{
	struct chunk *c = &chunks[chunk_count - 1];
	const unsigned int topic = u16(at + HEAD) - 1u;
	const size_t n = u32(at + HEAD + 2) / 16;

	c->index_at[topic] = at;
	c->indices += HEAD + u64(at + 1);
	bad_index += n != c->count[topic];
	for (size_t i = 0; i < n; i++)
		bad_index += !chunk_has(c, topic, u64(at + HEAD + 6 + 16 * i),
					u64(at + HEAD + 14 + 16 * i));
}

static void mcap_chunk_index(size_t at)
{
	const size_t in = at + HEAD, map = u32(in + 32), rest = in + 36 + map;
	const struct chunk *c = chunk_at(u64(in + 16));

	if (!c) {
		bad_chunk_index++;
		return;
	}
	bad_chunk_index += u64(in) != c->first || u64(in + 8) != c->last;
	bad_chunk_index += u64(in + 24) != c->size;
	bad_chunk_index += map != 10 * TOPICS;
	for (size_t i = 0; i < map; i += 10)
		bad_chunk_index += u64(in + 38 + i) !=
				   c->index_at[u16(in + 36 + i) - 1];
	bad_chunk_index += u64(rest) != c->indices;
	/* compression, compressed and other size */
	bad_chunk_index += u32(rest + 8) != 0;
	bad_chunk_index += u64(rest + 12) != u64(c->at + HEAD + 32);
	bad_chunk_index += u64(rest + 20) != u64(c->at + HEAD + 16);
	bad_chunk_index += at + HEAD + u64(at + 1) != rest + 28;
}

/* A group: all records of the op it names, and no other one beside them */
static void mcap_offset(size_t at)
{
	const uint8_t op = file[at + HEAD];
	const size_t begin = u64(at + HEAD + 1), n = u64(at + HEAD + 9);
	size_t i = begin;

	groups++;
	while (i < begin + n && i < at && file[i] == op)
		i += HEAD + u64(i + 1);
	bad_offset += !n || i != begin + n || file[i] == op;
}

static void mcap_statistics(size_t at)
{
	const size_t in = at + HEAD;

	ok_eq(u64(in), N, "MCAP, statistics: messages");
	ok_eq(u16(in + 8), TOPICS, "... schemas");
	ok_eq(u32(in + 10), TOPICS, "... channels");
	ok_eq(u32(in + 14), 0, "... attachments");
	ok_eq(u32(in + 18), 0, "... metadata");
	ok_eq(u32(in + 22), chunk_count, "... chunks");
	ok_eq(u64(in + 26), first_stamp(), "... the first stamp");
	ok_eq(u64(in + 34), last_stamp(), "... the last stamp");
	ok_eq(u32(in + 42), 10 * TOPICS, "... channels that are counted");
	for (unsigned int t = 0; t < TOPICS; t++) {
		ok_eq(u16(in + 46 + 10 * t), t + 1, "... channel %u", t + 1);
		ok_eq(u64(in + 48 + 10 * t), messages_of(t),
		      "... its messages");
	}
}

static void mcap_record(size_t at)
{
	ops[file[at]]++;
	switch (file[at]) {
	case CHUNK:
		mcap_chunk(at, u64(at + 1));
		break;
	case INDEX:
		mcap_index(at);
		break;
	case CHUNK_INDEX:
		mcap_chunk_index(at);
		break;
	case STATISTICS:
		mcap_statistics(at);
		break;
	case OFFSET:
		mcap_offset(at);
		break;
	}
}

static void test_mcap(void)
{
	static const char magic[] = "\x89MCAP0\r\n";
	size_t at = 8, data_end = 0, offsets = 0, foot;

	chunk_count = 0;
	make(in_folder("b.mcap"), false);
	load(in_folder("b.mcap"));
	ok_mem(file, magic, 8, "MCAP: begins with its magic");
	ok_mem(file + len - 8, magic, 8, "... and ends with it");
	while (at + HEAD < len && file[at] != FOOTER) {
		if (file[at] == DATA_END)
			data_end = at + HEAD + u64(at + 1);
		if (file[at] == OFFSET && !offsets)
			offsets = at;
		mcap_record(at);
		at += HEAD + u64(at + 1);
	}
	foot = at + HEAD;
	ok_eq(at, len - 8 - HEAD - 20, "the footer is before it");
	ok_eq(u64(foot), data_end, "footer: the summary is behind the data");
	ok_eq(u64(foot + 8), offsets, "... its offsets");
	ok_eq(u32(foot + 16), crc32(0, file + data_end, foot + 16 - data_end),
	      "... its checksum");
	ok_range(chunk_count, 3, N / 3, "several chunks");
	ok_eq(bad_chunk, 0, "chunks: sizes, checksums, stamps");
	ok_eq(bad_index, 0, "indices of messages: stamps and places");
	ok_eq(not_indexed(), 0, "... all of them");
	ok_eq(bad_chunk_index, 0, "indices of chunks");
	ok_eq(ops[CHUNK_INDEX], chunk_count, "... all of them");
	ok_eq(groups, 4, "schemas, channels, statistics, indices are found");
	ok_eq(bad_offset, 0, "... each where it is");
	/* in the data, and again in the summary */
	ok_eq(ops[SCHEMA], 2 * TOPICS, "each schema twice");
	ok_eq(ops[CHANNEL], 2 * TOPICS, "each channel twice");
	ok_eq(ops[MESSAGE], N, "each message once");
	free(file);
}

/*
 * rosbag 2.0: records are a header and data, each with 4 bytes of length
 * before; a header is of fields, each with such a length, name=value
 */

struct record {
	size_t	at, head, head_len, data, data_len, end;
};

static struct record record_at(size_t at)
{
	struct record r = { .at = at, .head = at + 4, .head_len = u32(at) };

	r.data = r.head + r.head_len + 4;
	r.data_len = u32(r.data - 4);
	r.end = r.data + r.data_len;
	return r;
}

/* Where the value of a field begins; @n: its bytes */
static size_t field(const struct record *r, const char *name, size_t *n)
{
	const size_t l = strlen(name);

	for (size_t at = r->head; at < r->head + r->head_len;
	     at += 4 + u32(at))
		if (u32(at) > l && !memcmp(file + at + 4, name, l) &&
		    file[at + 4 + l] == '=') {
			*n = u32(at) - l - 1;
			return at + 5 + l;
		}
	*n = 0;
	return len;
}

static uint64_t number(const struct record *r, const char *name)
{
	size_t n, at = field(r, name, &n);

	return n == 8 ? u64(at) : n == 4 ? u32(at) : n == 1 ? file[at] :
						     UINT64_MAX;
}

/* ns */
static uint64_t stamp_of(uint64_t time)
{
	return (uint32_t)time * UINT64_C(1000000000) + (time >> 32);
}

static unsigned int bad_info, infos, connections, described;

static void rosbag_chunk(const struct record *r)
{
	struct chunk *c = &chunks[chunk_count++];
	size_t n, at = field(r, "compression", &n);
	struct record m;

	*c = (struct chunk){ .at = r->at };
	bad_chunk += n != 4 || memcmp(file + at, "none", 4);
	bad_chunk += number(r, "size") != r->data_len;
	for (at = r->data; at < r->end; at = m.end) {
		m = record_at(at);
		if (number(&m, "op") == 2)
			chunk_note(c, number(&m, "conn"),
				   stamp_of(number(&m, "time")), at - r->data);
		else
			described += number(&m, "op") == 7;
	}
	bad_chunk += at != r->end;
}

static void rosbag_index(const struct record *r)
{
	struct chunk *c = &chunks[chunk_count - 1];
	const unsigned int topic = number(r, "conn");
	const size_t n = number(r, "count");

	bad_index += number(r, "ver") != 1 || n != c->count[topic] ||
		     r->data_len != 12 * n;
	for (size_t i = 0; i < n; i++)
		bad_index += !chunk_has(c, topic,
					stamp_of(u64(r->data + 12 * i)),
					u32(r->data + 12 * i + 8));
}

static void rosbag_info(const struct record *r)
{
	const struct chunk *c = chunk_at(number(r, "chunk_pos"));

	infos++;
	if (!c) {
		bad_info++;
		return;
	}
	bad_info += number(r, "ver") != 1;
	bad_info += stamp_of(number(r, "start_time")) != c->first;
	bad_info += stamp_of(number(r, "end_time")) != c->last;
	bad_info += number(r, "count") != TOPICS || r->data_len != 8 * TOPICS;
	for (size_t i = 0; i < TOPICS; i++)
		bad_info += u32(r->data + 8 * i + 4) !=
			    c->count[u32(r->data + 8 * i)];
}

static void test_rosbag(void)
{
	struct record head, r;
	size_t index = 0;

	chunk_count = bad_chunk = bad_index = 0;
	make(in_folder("b.bag"), false);
	load(in_folder("b.bag"));
	ok_mem(file, "#ROSBAG V2.0\n", 13, "rosbag: begins with its version");
	head = record_at(13);
	ok_eq(number(&head, "op"), 3, "the first record is that of the bag");
	ok_eq(head.end, 13 + 4096, "... of 4096 bytes");
	for (size_t at = head.end; at < len; at = r.end) {
		r = record_at(at);
		if (number(&r, "op") == 5)
			rosbag_chunk(&r);
		else if (number(&r, "op") == 4)
			rosbag_index(&r);
		else if (number(&r, "op") == 6)
			rosbag_info(&r);
		else if (number(&r, "op") == 7 && !connections++)
			index = at;
	}
	ok_eq(number(&head, "index_pos"), index, "... the place of the index");
	ok_eq(number(&head, "conn_count"), TOPICS, "... connections");
	ok_eq(number(&head, "chunk_count"), chunk_count, "... chunks");
	ok_range(chunk_count, 3, N / 3, "several chunks");
	ok_eq(bad_chunk, 0, "chunks: compression and sizes");
	ok_eq(bad_index, 0, "indices of messages: stamps and places");
	ok_eq(not_indexed(), 0, "... all of them");
	ok_eq(bad_info, 0, "what is said of chunks");
	ok_eq(infos, chunk_count, "... of all of them");
	ok_eq(connections, TOPICS, "connections are in the index");
	ok_eq(described, TOPICS, "... and in the chunk with their first");
	ok_eq(messages_of(0) + messages_of(1) + messages_of(2), N,
	      "each message once");
	free(file);
}

/*
 * rosbag2: a database
 */

static char *answer(sqlite3 *db, const char *sql)
{
	static char text[8192];
	sqlite3_stmt *s;

	*text = '\0';
	if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK)
		return text;
	if (sqlite3_step(s) == SQLITE_ROW)
		snprintf(text, sizeof(text), "%s",
			 (const char *)sqlite3_column_text(s, 0));
	sqlite3_finalize(s);
	return text;
}

static void test_db3(void)
{
	char want[256], yaml[16384];
	size_t n;
	sqlite3 *db;
	FILE *f;

	make(in_folder("b"), false);
	if (sqlite3_open(in_folder("b/b_0.db3"), &db) != SQLITE_OK)
		abort();
	ok_str(answer(db, "SELECT schema_version FROM schema"), "4",
	       "db3: its schema");
	ok_str(answer(db, "SELECT group_concat(id || name || "
			  "serialization_format) FROM topics"),
	       "1/camera/imagecdr,2/scancdr,3/mapcdr", "topics");
	ok_str(answer(db, "SELECT group_concat(n) FROM (SELECT count(*) n "
			  "FROM messages GROUP BY topic_id)"), "20,20,20",
	       "messages of each");
	ok_str(answer(db, "SELECT count(*) FROM message_definitions WHERE "
			  "encoding = 'ros2msg'"), "3", "definitions");
	ok_str(answer(db, "SELECT group_concat(id) FROM topics WHERE "
			  "offered_qos_profiles LIKE '%durability: 1%'"), "3",
	       "the latched one");
	snprintf(want, sizeof(want), "%lld %lld", (long long)first_stamp(),
		 (long long)last_stamp());
	ok_str(answer(db, "SELECT min(timestamp) || ' ' || max(timestamp) "
			  "FROM messages"), want, "stamps");
	ok_str(answer(db, "SELECT max(metadata_version) FROM metadata"), "5",
	       "its metadata are of version 5");
	sqlite3_close(db);
	f = fopen(in_folder("b/metadata.yaml"), "r");
	n = f ? fread(yaml, 1, sizeof(yaml) - 1, f) : 0;
	if (f)
		fclose(f);
	yaml[n] = '\0';
	ok(strstr(yaml, "\n  message_count: 60\n"), "metadata: messages");
	ok(strstr(yaml, "\n      message_count: 20\n"), "... of a topic");
	snprintf(want, sizeof(want), "\n  duration:\n    nanoseconds: %lld\n"
		 "  starting_time:\n    nanoseconds_since_epoch: %lld\n",
		 (long long)(last_stamp() - first_stamp()),
		 (long long)first_stamp());
	ok(strstr(yaml, want), "... duration and begin");
	ok(strstr(yaml, "\n    - path: \"b_0.db3\"\n"), "... the file");
}

int main(void)
{
	make_folder();
	test_mcap();
	test_rosbag();
	test_db3();
	remove_folder();
	return tap_done();
}
