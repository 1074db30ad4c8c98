// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_bag_others - recordings that are not in order, whose index is wrong, or
 * that other programs made: what is there is read, once
 */
#include <bzlib.h>
#include <sqlite3.h>
#include "bag_fixture.h"

enum { N = 40, MOST = 800 };

static struct bag_reader *r;
static uint8_t *file;
static size_t len;

static void load(const char *name)
{
	FILE *f = fopen(in_folder(name), "rb");
	struct stat st;

	if (!f || fstat(fileno(f), &st))
		abort();
	len = (size_t)st.st_size;
	file = malloc(len);
	if (fread(file, 1, len, f) != len)
		abort();
	fclose(f);
}

static const char *save(const char *name, size_t n)
{
	const char *path = in_folder(name);
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(file, 1, n, f) != n || fclose(f))
		abort();
	return path;
}

/*
 * Order
 */

/* Messages of topic 0 with the stamps @s, in seconds; their data: i */
static void write_stamps(const char *name, const int *s, unsigned int n,
			 unsigned int first)
{
	struct bag_writer *w = begin_bag(in_folder(name), false);

	for (unsigned int i = 0; i < n; i++) {
		const uint8_t data = (uint8_t)(first + i);

		bag_write(w, 0, START + s[i] * SECOND, &data, 1);
	}
	if (bag_finish(w))
		abort();
}

/* Data of all messages, as a text of letters */
static const char *letters(void)
{
	static char text[64];
	struct bag_message m;
	unsigned int n = 0;

	while (bag_next(r, &m) == 1 && n < sizeof(text) - 1)
		text[n++] = m.len == 1 ? (char)('a' + m.data[0]) : '?';
	text[n] = '\0';
	return text;
}

/* The same backwards, of topic 0 */
static const char *letters_before(int64_t stamp)
{
	static char text[64];
	struct bag_place place = { .stamp = stamp };
	struct bag_message m;
	unsigned int n = 0;

	while (bag_before(r, 0, &place, &m) == 1 && n < sizeof(text) - 1)
		text[n++] = m.len == 1 ? (char)('a' + m.data[0]) : '?';
	text[n] = '\0';
	return text;
}

static void test_order(void)
{
	static const char *const names[] = { "order.mcap", "order.bag",
					     "order.db3" };
	/* each in a chunk of its own; two of the same stamp */
	static const int stamps[] = { 20, 50, 20, 10, 40, 30 };

	for (int i = 0; i < 3; i++) {
		write_stamps(names[i], stamps, 6, 0);
		if (!ok_eq(bag_open(&r, in_folder(names[i])), 0, "%s: open",
			   names[i]))
			continue;
		ok_str(letters(), "dacfeb", "%s: by stamp, then by place",
		       names[i]);
		bag_seek(r, START + 20 * SECOND);
		ok_str(letters(), "acfeb", "... from a stamp on");
		bag_seek(r, START + 20 * SECOND + 1);
		ok_str(letters(), "feb", "... behind it");
		ok_str(letters_before(INT64_MAX), "befcad", "... backwards");
		ok_str(letters_before(START + 20 * SECOND), "d",
		       "... before a stamp");
		ok_str(letters_before(START + 20 * SECOND + 1), "cad",
		       "... with it");
		ok_eq(bag_before(r, 1, &(struct bag_place){
				 .stamp = INT64_MAX },
				 &(struct bag_message){ 0 }), 0,
		      "... of a topic without messages");
		bag_close(r);
	}
}

/* The parts of a folder by their first stamp; both have one of 20 s */
static void test_folder_order(void)
{
	static const int later[] = { 20, 30 }, earlier[] = { 10, 20 };

	mkdir(in_folder("parts"), 0777);
	write_stamps("parts/a_0.mcap", later, 2, 2);
	write_stamps("parts/a_1.mcap", earlier, 2, 0);
	if (!ok_eq(bag_open(&r, in_folder("parts")), 0, "folder: open"))
		return;
	ok_str(letters(), "abcd", "folder: parts by their first stamp");
	bag_rewind(r);
	ok_str(letters(), "abcd", "... again");
	bag_seek(r, START + 20 * SECOND);
	ok_str(letters(), "bcd", "... from a stamp on");
	ok_str(letters_before(INT64_MAX), "dcba", "... backwards");
	ok_str(letters_before(START + 20 * SECOND), "a", "... before a stamp");
	bag_close(r);
}

/* More chunks that overlap than are held at a time */
static void test_overlap(void)
{
	struct bag_writer *w = begin_bag(in_folder("overlap.mcap"), false);
	struct bag_message m;
	unsigned int n = 0;

	for (int i = 0; i < 70; i++) {
		const uint8_t data = (uint8_t)i;

		bag_write(w, 0, START + i, &data, 1);
		bag_write(w, 0, START + 900000000 - i, &data, 1);
		bag_flush(w);
	}
	bag_finish(w);
	if (!ok_eq(bag_open(&r, in_folder("overlap.mcap")), 0, "overlap: open"))
		return;
	while (bag_next(r, &m) == 1)
		n++;
	ok_eq(n, 140, "70 chunks that overlap: all messages");
	ok_str(bag_warning(r), "too many chunks overlap: not all in order",
	       "... with a warning");
	bag_close(r);
}

/*
 * A wrong index: all that is there is found without
 */

static void make(const char *name)
{
	struct bag_writer *w = begin_bag(in_folder(name), false);

	if (write_messages(w, 0, N, MOST) || bag_finish(w))
		abort();
	load(name);
}

/* All of make() is there once, and counted once */
static void check_all(const char *path, const char *what)
{
	uint8_t seen[N];
	const struct bag_topic *t;
	int64_t begin, end;
	unsigned int n;

	if (!ok_eq(bag_open(&r, path), 0, "%s: open", what))
		return;
	ok_eq(read_messages(r, seen, N, MOST), N, "%s: all is there", what);
	t = bag_topics(r, &n);
	ok_eq(n, 3, "%s: topics", what);
	ok_eq(t[0].count + t[1].count + t[2].count, N, "%s: their counts",
	      what);
	ok_eq(bag_span(r, &begin, &end), true, "%s: its span", what);
	ok_eq(begin, make_stamp(0), "%s: its begin", what);
	ok_eq(end, make_stamp(N - 1), "%s: its end", what);
	ok_eq(bag_lost(r), 0, "%s: nothing is lost", what);
	bag_close(r);
}

/* Where the @n-th record of an op is in the summary of an .mcap */
static size_t summary_record(uint8_t op, unsigned int n)
{
	size_t at = get_le64(file + len - 8 - 20);

	while (at < len && (file[at] != op || n--))
		at += 9 + get_le64(file + at + 1);
	return at;
}

static void test_mcap_index(void)
{
	static const struct {
		const char	*what;
		uint8_t		op;
		unsigned int	at;	/* in the record */
	} wrong[] = {
		{ "statistics: channel", 11, 9 + 46 },
		{ "statistics: chunks", 11, 9 + 22 },
		{ "statistics: an op of its own", 11, 0 },
		{ "chunk index: place", 8, 9 + 16 },
		{ "chunk index: length", 8, 9 + 24 },
		{ "channel: its number", 4, 9 },
	};
	const unsigned int n = sizeof(wrong) / sizeof(*wrong);

	make("index.mcap");
	for (unsigned int i = 0; i < n; i++) {
		uint8_t *p = file + summary_record(wrong[i].op, 0) +
			     wrong[i].at;

		*p ^= 0x10;
		put_le32(file + len - 12, 0);	/* no checksum */
		check_all(save("wrong.mcap", len), wrong[i].what);
		*p ^= 0x10;
	}
	put_le32(file + len - 12, 1);
	check_all(save("wrong.mcap", len), "a wrong checksum");
	put_le32(file + len - 12, 0);
	check_all(save("wrong.mcap", len), "no checksum");
	put_le64(file + len - 28, len);
	check_all(save("wrong.mcap", len), "a summary behind the end");
	put_le64(file + len - 28, 0);
	check_all(save("wrong.mcap", len), "no summary");
	file[len - 1] ^= 1;
	check_all(save("wrong.mcap", len), "no magic at the end");
	free(file);
}

/* Of a bag header: where the value of a field is */
static uint8_t *head_field(const char *name)
{
	uint8_t *p = memmem(file, 200, name, strlen(name));

	if (!p)
		abort();
	return p + strlen(name);
}

static void test_rosbag_index(void)
{
	static const char *const fields[] = { "conn_count=", "chunk_count=" };
	uint8_t *p;
	uint64_t index;

	make("index.bag");
	for (int i = 0; i < 2; i++) {
		p = head_field(fields[i]);
		for (int more = -1; more <= 1; more += 2) {
			*p = (uint8_t)(*p + more);
			check_all(save("wrong.bag", len), fields[i]);
			*p = (uint8_t)(*p - more);
		}
	}
	p = head_field("index_pos=");
	index = get_le64(p);
	put_le64(p, index + 4);
	check_all(save("wrong.bag", len), "an index elsewhere");
	put_le64(p, len + 1);
	check_all(save("wrong.bag", len), "an index behind the end");
	put_le64(p, 0);
	check_all(save("wrong.bag", len), "no index");
	put_le64(p, index);
	check_all(save("wrong.bag", len - 1), "an index that is cut short");
	/* the counts of the last chunk info: the last eight bytes, its length */
	p = file + len - 8;
	*p ^= 0x40;
	check_all(save("wrong.bag", len), "chunk info: connection");
	*p ^= 0x40;
	p = memmem(file + index, len - index, "chunk_pos=", 10);
	p[10] ^= 1;
	check_all(save("wrong.bag", len), "chunk info: place");
	p[10] ^= 1;
	p = memmem(file + index, len - index, "start_time=", 11);
	p[4] = 'x';
	check_all(save("wrong.bag", len), "chunk info: no start");
	free(file);
}

static void test_encrypted(void)
{
	make("encrypted.bag");
	/* of the same length */
	memcpy(head_field("chunk_count=") - 12, "encryptor=xx", 12);
	ok_eq(bag_open(&r, save("encrypted.bag", len)), -EPROTONOSUPPORT,
	      "an encrypted bag is not supported");
	free(file);
}

/* A damaged chunk of an intact index: its messages alone are lost */
static void test_damaged_chunk(const char *name, const char *mark)
{
	uint8_t seen[N];
	uint8_t *p;
	int got;

	make(name);
	p = memmem(file, len, mark, strlen(mark));
	ok_eq(bag_open(&r, in_folder(name)), 0, "%s: open", name);
	ok_eq(read_messages(r, seen, N, MOST), N, "%s: all is there", name);
	ok_eq(bag_lost(r), 0, "%s: nothing is lost", name);
	bag_close(r);
	*p ^= 1;
	ok_eq(bag_open(&r, save("damaged", len)), 0, "%s: open, damaged", name);
	got = read_messages(r, seen, N, MOST);
	ok_range(got, N - 15, N - 5, "%s: all but those of a chunk", name);
	ok_range(bag_lost(r), 2000, 12000, "%s: its bytes are lost", name);
	ok(strstr(bag_warning(r) ?: "", "is damaged"), "%s: a warning", name);
	bag_close(r);
	free(file);
}

/*
 * MCAP with one chunk of records that are put together here
 */

static size_t put_record(uint8_t *to, uint8_t op, const void *data, size_t n)
{
	*to = op;
	put_le64(to + 1, n);
	memcpy(to + 9, data, n);
	return 9 + n;
}

static const char *one_chunk(const uint8_t *records, size_t n)
{
	static const char head[] = "\x89MCAP0\r\n\1\x8\0\0\0\0\0\0\0"
				   "\0\0\0\0\0\0\0\0";
	uint8_t *body = malloc(n + 64);
	size_t at = sizeof(head) - 1;

	len = at + n + 100;
	file = calloc(1, len);
	memcpy(file, head, at);
	memset(body, 0, 40);
	put_le64(body + 16, n);
	put_le64(body + 32, n);
	memcpy(body + 40, records, n);
	at += put_record(file + at, 6, body, 40 + n);
	at += put_record(file + at, 15, "\0\0\0\0", 4);
	save("one.mcap", at);
	free(body);
	free(file);
	return in_folder("one.mcap");
}

static void test_mcap_records(void)
{
	/* channel 1, no schema, "/t", "cdr", of which the metadata say latched */
	static const char channel[] = "\1\0\0\0\2\0\0\0/t\3\0\0\0cdr"
		"\x11\0\0\0\10\0\0\0latching\1\0\0\0001";
	static const char sent[22] = "\1\0", nowhere[22] = "\7\0";
	uint8_t records[400];
	const struct bag_topic *t;
	struct bag_message m;
	size_t n = 0, all;
	unsigned int topics;

	n += put_record(records + n, 4, channel, sizeof(channel) - 1);
	n += put_record(records + n, 5, sent, 22);
	all = n + put_record(records + n, 0x80, "", 0);
	if (!ok_eq(bag_open(&r, one_chunk(records, all)), 0, "one chunk: open"))
		return;
	t = bag_topics(r, &topics);
	ok_eq(topics, 1, "a topic without a schema");
	ok_str(t->name, "/t", "... its name");
	ok_eq(t->latched, true, "... which is latched");
	ok_eq(bag_lost(r), 0, "an empty record of an unknown op is no damage");
	ok_eq(bag_next(r, &m), 1, "a message of no bytes");
	ok_eq(m.len, 0, "... is as long");
	bag_close(r);
	all = n + put_record(records + n, 5, nowhere, 22);
	bag_open(&r, one_chunk(records, all));
	ok_eq(bag_lost(r), 31, "a message of no channel is lost");
	bag_close(r);
	all = n + put_record(records + n, 5, sent, 21);
	bag_open(&r, one_chunk(records, all));
	ok_eq(bag_lost(r), 30, "one that is cut short, too");
	bag_close(r);
}

/* rosbag's own default is none; bz2 is its other compression */
static void test_bz2(void)
{
	static const char at[] = "compression=none";
	uint8_t seen[N], *p, *packed;
	struct bag_writer *w = begin_bag(in_folder("bz2.bag"), false);
	unsigned int raw, n, head;
	size_t chunk, rest;

	/* less than a second: one chunk */
	write_messages(w, 0, 6, 300);
	bag_finish(w);
	load("bz2.bag");
	p = memmem(file, len, at, sizeof(at) - 1);
	/* fields compression, op, size; then the length of the data */
	chunk = (size_t)(p - 4 - file);
	head = get_le32(file + chunk - 4);
	raw = get_le32(file + chunk + head);
	packed = malloc(raw + 1000);
	n = raw + 1000;
	if (BZ2_bzBuffToBuffCompress((char *)packed, &n,
				     (char *)file + chunk + head + 4, raw, 9, 0,
				     0) != BZ_OK || n > raw)
		abort();
	memcpy(p, "compression=bz2", 15);
	put_le32(file + chunk, 15);
	memmove(p + 15, p + 16, head - 4 - 16);
	put_le32(file + chunk - 4, head - 1);
	rest = chunk + head - 1;
	put_le32(file + rest, n);
	memcpy(file + rest + 4, packed, n);
	/* no index any more */
	put_le64(head_field("index_pos="), 0);
	ok_eq(bag_open(&r, save("bz2.bag", rest + 4 + n)), 0, "bz2: open");
	ok_eq(read_messages(r, seen, N, 300), 6, "bz2: all is there");
	bag_close(r);
	file[rest + 4 + n / 2] ^= 1;
	ok_eq(bag_open(&r, save("bz2.bag", rest + 4 + n)), 0,
	      "bz2: open, damaged");
	ok_eq(read_messages(r, seen, N, 300), 0, "bz2: nothing is there");
	bag_close(r);
	free(packed);
	free(file);
}

/*
 * rosbag2 of other versions
 */

static int open_db(const char *sql)
{
	const char *path = in_folder("made.db3");
	sqlite3 *db;

	unlink(path);
	if (sqlite3_open(path, &db) != SQLITE_OK ||
	    sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
		abort();
	sqlite3_close(db);
	return bag_open(&r, path);
}

#define MESSAGES "CREATE TABLE messages(id INTEGER PRIMARY KEY, "	\
	"topic_id INTEGER, timestamp INTEGER, data BLOB);"

static void test_db3(void)
{
	const struct bag_topic *t;
	unsigned int n;

	ok_eq(open_db("CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT, "
		      "type TEXT, serialization_format TEXT);" MESSAGES
		      "INSERT INTO topics VALUES (5, '/t', 'a/msg/B', 'cdr'),"
		      "(6, '/t', 'a/msg/B', 'cdr'), (9, '/u', 'a/msg/B', 'x');"
		      "INSERT INTO messages VALUES (1, 9, 40, x'02'), "
		      "(2, 5, 20, x'00'), (3, 7, 30, x'09'),"
		      "(4, 5, 30, x'01');"), 0, "the first schema: open");
	t = bag_topics(r, &n);
	ok_eq(n, 2, "topics of the same name are one");
	ok_eq(t[0].count, 2, "messages of the first");
	ok_eq(t[0].format, MESSAGE_CDR, "... its format");
	ok_eq(t[0].latched, false, "... is not latched");
	ok_eq(t[1].format, MESSAGE_OTHER, "another format");
	ok_str(letters(), "abc", "messages of known topics, by stamp");
	bag_seek(r, 30);
	ok_str(letters(), "bc", "... from a stamp on");
	ok_str(letters_before(30), "a", "... before it");
	bag_close(r);

	ok_eq(open_db("CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT, "
		      "type TEXT, serialization_format TEXT, "
		      "offered_qos_profiles TEXT);" MESSAGES
		      "INSERT INTO topics VALUES"
		      "(1, '/a', 'a/msg/B', 'cdr', '- durability: 1'),"
		      "(2, '/b', 'a/msg/B', 'cdr', "
		      "'- durability: transient_local'),"
		      "(3, '/c', 'a/msg/B', 'cdr', '- durability: volatile');"),
	      0, "with QoS: open");
	t = bag_topics(r, &n);
	ok_eq(n, 3, "its topics");
	ok_eq(t[0].latched, true, "durability as a number");
	ok_eq(t[1].latched, true, "durability as a word");
	ok_eq(t[2].latched, false, "the other word");
	bag_close(r);

	ok_eq(open_db("CREATE TABLE a(id); CREATE VIEW topics AS "
		      "SELECT 1 id, '/t' name, 'x' type, "
		      "'cdr' serialization_format;" MESSAGES), -EBADMSG,
	      "a view as a table");
	ok_eq(open_db("CREATE TABLE topics(id, name, type, "
		      "serialization_format);"), -EBADMSG, "no messages");
	ok_eq(open_db("CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT, "
		      "type TEXT, serialization_format TEXT);"
		      "CREATE TABLE messages(id, topic_id, timestamp, data "
		      "GENERATED ALWAYS AS (zeroblob(9)));"), -EBADMSG,
	      "a column that is computed");
}

int main(void)
{
	make_folder();
	test_order();
	test_folder_order();
	test_overlap();
	test_mcap_index();
	test_rosbag_index();
	test_encrypted();
	test_damaged_chunk("crc.mcap", "/scan\3\0\0\0cdr");
	test_mcap_records();
	test_bz2();
	test_db3();
	remove_folder();
	return tap_done();
}
