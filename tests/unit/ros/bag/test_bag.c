// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_bag - recordings: written and read back, cut short, damaged, with the
 * disk full; a real one
 */
#include <fcntl.h>
#include <lz4frame.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include "bag_fixture.h"

#define REAL	"../shared/data/slam/ccny_scan_tools_demo.bag"

enum { N = 400, MOST = 6000 };

static uint8_t seen[2 * N];

static const struct {
	const char	*name;
	bool		compress;
} files[] = {
	{ "plain.mcap", false }, { "zstd.mcap", true },
	{ "plain.bag", false }, { "lz4.bag", true },
	{ "run", false }, { "run.db3", false },
};

enum { FILES = sizeof(files) / sizeof(files[0]) };

static bool once(unsigned int from, unsigned int to)
{
	for (unsigned int i = from; i < to; i++)
		if (seen[i] != 1)
			return false;
	return true;
}

static void check_topics(struct bag_reader *r, const char *name)
{
	enum message_format format = strstr(name, ".bag") ? MESSAGE_ROS1 :
							    MESSAGE_CDR;
	char text[MESSAGE_DEFINITION_MAX];
	unsigned int n, good = 0;
	const struct bag_topic *t = bag_topics(r, &n);
	int64_t begin, end;

	for (unsigned int i = 0; i < n && n == 3; i++) {
		struct bag_topic as = make_topic(i, format);

		message_definition(message_kind_of(as.type), format, text);
		good += !strcmp(t[i].name, as.name) &&
			!strcmp(t[i].type, as.type) && t[i].format == format &&
			t[i].latched == as.latched && t[i].definition &&
			!strcmp(t[i].definition, text) &&
			t[i].count == (N + 2 - i) / 3;
	}
	ok_eq(n, 3, "%s: topics", name);
	ok_eq(good, 3, "... good");
	ok(bag_span(r, &begin, &end), "%s: span", name);
	ok_eq(begin, make_stamp(0), "... begin");
	ok_eq(end, make_stamp(N - 1), "... end");
}

static void test_formats(void)
{
	for (unsigned int i = 0; i < FILES; i++) {
		const char *path = in_folder(files[i].name);
		struct bag_writer *w = begin_bag(path, files[i].compress);
		struct bag_reader *r = NULL;
		int err;

		err = w ? write_messages(w, 0, N, MOST) : -1;
		ok_eq(err, 0, "%s: write", files[i].name);
		ok_eq(bag_finish(w), 0, "... bag finish");
		err = bag_open(&r, path);
		if (!ok(!err, "%s: open", files[i].name))
			continue;
		check_topics(r, files[i].name);
		ok_eq(read_messages(r, seen, N, MOST), N,
		      "%s: all there, in order", files[i].name);
		ok(once(0, N), "... once");
		ok_eq(bag_rewind(r), 0, "%s: and again", files[i].name);
		ok_eq(read_messages(r, seen, N, MOST), N, "... read messages");
		ok(!bag_warning(r), "%s: no warning", files[i].name);
		bag_close(r);
		ok(bag_create(&w, path, bag_format_of(path), false) == -EEXIST,
		   "%s: not written over", files[i].name);
	}
}

/* Stamps to seek: back and forth, between messages, beyond both ends */
static int64_t seek_to(unsigned int i)
{
	static const unsigned int to[] = { N / 2, 3, 6, N - 1, 0, N / 3 };

	switch (i) {
	case 6:
		return INT64_MIN;
	case 7:
		return INT64_MAX;
	case 8:
		return make_stamp(N - 1) + 1;
	default:
		return make_stamp(to[i / 2 % 6]) + i % 2;
	}
}

enum { SEEKS = 12 };

/* Return: whether of what is @there exactly what is due from @stamp on came */
static bool seek_is_exact(struct bag_reader *r, const uint8_t *there,
			  int64_t stamp)
{
	int want = 0, got;

	if (bag_seek(r, stamp))
		return false;
	got = read_messages(r, seen, N, MOST);
	for (unsigned int i = 0; i < N; i++) {
		bool due = there[i] && make_stamp(i) >= stamp;

		want += due;
		if (seen[i] != due)
			return false;
	}
	return got == want;
}

/* Return: whether all of a topic that is @there came, the last one first */
static bool before_is_exact(struct bag_reader *r, const uint8_t *there,
			    unsigned int topic, int64_t stamp)
{
	struct bag_place place = { .stamp = stamp };
	int64_t last = stamp;
	struct bag_message m;
	unsigned int n = 0;
	int got;

	while ((got = bag_before(r, topic, &place, &m)) == 1) {
		unsigned int i = m.len < 4 ? N : get_le32(m.data);

		if (i >= N || !there[i] || i % 3 != topic ||
		    m.topic != topic || m.stamp != make_stamp(i) ||
		    m.stamp != place.stamp || m.stamp >= last)
			return false;
		last = m.stamp;
		n++;
	}
	for (unsigned int i = topic; i < N; i += 3)
		n -= there[i] && make_stamp(i) < stamp;
	return !got && !n;
}

/* A recording with the messages that are @there */
static void check_seek(struct bag_reader *r, const char *name,
		       const uint8_t *there)
{
	unsigned int bad = 0, before = 0;
	struct bag_message m;

	for (unsigned int i = 0; i < SEEKS; i++) {
		bad += !seek_is_exact(r, there, seek_to(i));
		/* from the middle of a chunk, too */
		bad += bag_seek(r, seek_to(i + 1)) ||
		       bag_next(r, &m) < 0 || bag_next(r, &m) < 0;
		for (unsigned int t = 0; t < 3; t++)
			before += !before_is_exact(r, there, t, seek_to(i));
	}
	ok(!bad, "%s: seek: %u of %u are wrong", name, bad, SEEKS);
	ok(!before, "%s: the messages before: %u are wrong", name, before);
	memset(seen, 0, N);
	ok_eq(bag_rewind(r), 0, "%s: all of it after that", name);
	ok_range(read_messages(r, seen, N, MOST), 1, INFINITY,
		 "... read messages");
	ok_mem(seen, there, N, "... seen");
}

static void test_seek(void)
{
	uint8_t there[N];

	memset(there, 1, N);
	for (unsigned int i = 0; i < FILES; i++) {
		struct bag_reader *r;

		if (!ok(!bag_open(&r, in_folder(files[i].name)),
			"%s: open to seek", files[i].name))
			continue;
		check_seek(r, files[i].name, there);
		ok(!bag_warning(r), "%s: no warning", files[i].name);
		bag_close(r);
	}
}

static off_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? -1 : st.st_size;
}

/* The first @len bytes, with one changed at @flip unless that is 0 */
static const char *copy_part(const char *name, off_t len, off_t flip)
{
	const char *to = in_folder("part");
	FILE *in = fopen(in_folder(name), "r"), *out = fopen(to, "w");
	uint8_t *data = malloc(len + 1);

	if (fread(data, 1, len, in) != (size_t)len)
		abort();
	if (flip)
		data[flip] ^= 0x55;
	fwrite(data, 1, len, out);
	free(data);
	fclose(in);
	fclose(out);
	return to;
}

/* Cut anywhere: what is whole is read; more with more of the file */
static void test_cut(void)
{
	for (unsigned int i = 0; i < 4; i++) {
		const char *name = files[i].name;
		off_t size = size_of(in_folder(name));
		int least = 0, bad = 0, quiet = 0, last = 0;

		for (int k = 1; k <= 40; k++) {
			struct bag_reader *r;
			int got;

			if (bag_open(&r, copy_part(name, size * k / 41, 0)))
				continue;
			got = read_messages(r, seen, N, MOST);
			bad += got < last;
			quiet += !bag_warning(r);
			last = got;
			least += got > 0;
			bag_close(r);
		}
		ok_eq(bad, 0, "%s: cut short: %d, %d messages at last", name,
		      least, last);
		ok_eq(quiet, 0, "... quiet");
		ok_range(least, 31, INFINITY, "... least");
		ok_range(last, N * 8 / 10, INFINITY, "... last");
	}
}

/* Without its index, and without a part of its messages */
static void test_seek_cut(void)
{
	for (unsigned int i = 0; i < 4; i++) {
		const char *name = files[i].name;
		uint8_t there[N];
		struct bag_reader *r;
		int got;

		if (!ok(!bag_open(&r, copy_part(name, size_of(in_folder(name)) *
						2 / 3, 0)),
			"%s: open two thirds of it", name))
			continue;
		got = read_messages(r, there, N, MOST);
		ok_range(got, N / 2, N, "%s: cut: %d", name, got);
		check_seek(r, name, there);
		bag_close(r);
	}
}

/* A byte changed: no chunk but its own is lost; no false message with a crc */
static void test_damage(void)
{
	for (unsigned int i = 0; i < 4; i++) {
		const char *name = files[i].name;
		off_t size = size_of(in_folder(name));
		int few = 0, bad = 0;

		for (int k = 1; k < 60; k++) {
			struct bag_reader *r;
			int got;

			if (bag_open(&r, copy_part(name, size,
						   size * k / 61))) {
				few++;
				continue;
			}
			got = read_messages(r, seen, N, MOST);
			bad += got < 0;
			few += got >= 0 && got < N / 2;
			bag_close(r);
		}
		ok_eq(few, 0, "%s: damaged: %d, %d", name, few, bad);
		ok((!bad || i == 2), "... bad");
	}
}

/* The disk is full after @limit bytes: the error once, the rest readable */
static void test_full(unsigned int i)
{
	char name[32];
	const char *path;
	struct bag_writer *w;
	struct bag_reader *r;
	int err = 0, n, wrote = 0, again, got, finish;
	uint8_t data[MOST];
	struct rlimit old, limit;

	snprintf(name, sizeof(name), "full%s", files[i].name);
	path = in_folder(name);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	limit = old;
	limit.rlim_cur = 400000;
	w = begin_bag(path, files[i].compress);
	setrlimit(RLIMIT_FSIZE, &limit);
	for (n = 0; n < N && !err; n++) {
		size_t len = make_message(n, data, MOST);

		err = bag_write(w, n % 3, make_stamp(n), data, len);
		wrote += !err;
	}
	again = bag_write(w, 0, make_stamp(n), data, 10);
	finish = bag_finish(w);
	setrlimit(RLIMIT_FSIZE, &old);
	ok_range(err, -INFINITY, -1, "%s: full: %s, then %s", name,
		 strerror(-err), strerror(-again));
	ok_eq(again, -ECANCELED, "... again");
	ok_eq(finish, 0, "... finish");
	err = bag_open(&r, path);
	got = err ? err : read_messages(r, seen, N, MOST);
	ok_range(got, 51, wrote, "%s: full: %d of %d are there", name, got,
		 wrote);
	ok(once(0, got), "... once");
	if (!err)
		bag_close(r);
}

/* The writer is killed: no more than what waited is lost */
static void test_killed(unsigned int i)
{
	char name[32];
	const char *path;
	struct bag_reader *r;
	int status, got, err;
	pid_t pid;

	snprintf(name, sizeof(name), "killed%s", files[i].name);
	path = in_folder(name);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		struct bag_writer *w = begin_bag(path, files[i].compress);

		if (write_messages(w, 0, N, MOST))
			_exit(1);
		kill(getpid(), SIGKILL);
	}
	waitpid(pid, &status, 0);
	err = bag_open(&r, path);
	got = err ? err : read_messages(r, seen, N, MOST);
	/* a second is 10 messages, and some are not in order */
	ok(WIFSIGNALED(status), "%s: writer killed: %d of %d", name, got, N);
	ok_range(got, N - 14, N, "... got");
	if (!err)
		bag_close(r);
}

static void test_flush(void)
{
	struct bag_writer *w = begin_bag(in_folder("flush.mcap"), true);
	struct bag_reader *r = NULL;

	write_messages(w, 0, 3, 100);
	ok_eq(bag_flush(w), 0, "flush: there is a file");
	ok_eq(bag_open(&r, in_folder("flush.mcap")), 0, "... bag open");
	ok_eq(read_messages(r, seen, N, 100), 3,
	      "flush: with what was written: %s", bag_warning(r));
	ok(bag_warning(r), "... bag warning");
	bag_close(r);
	ok(!bag_finish(w), "flush: finish");
}

static void test_refused(void)
{
	struct bag_topic cdr = make_topic(0, MESSAGE_CDR);
	struct bag_topic ros1 = make_topic(0, MESSAGE_ROS1);
	struct bag_writer *w;
	struct bag_reader *r;
	FILE *f;

	bag_create(&w, in_folder("refused.bag"), BAG_ROSBAG, false);
	ok(bag_add_topic(w, &cdr) == -EINVAL, "no CDR in .bag");
	ok_eq(bag_add_topic(w, &ros1), 0, "a topic is added once");
	ok_eq(bag_add_topic(w, &ros1), 0, "... bag add topic");
	ok(bag_write(w, 1, START, "x", 1) == -EINVAL, "no such topic");
	ok(bag_write(w, 0, -1, "x", 1) == -EINVAL, "no such time");
	ok(bag_write(w, 0, START, "x", (size_t)BAG_MESSAGE_MAX + 1) ==
	   -EMSGSIZE, "too large");
	ok_eq(bag_write(w, 0, START, "", 0), 0, "an empty one");
	ok_eq(bag_finish(w), 0, "... bag finish");
	ok(!bag_open(&r, in_folder("refused.bag")), "open it");
	bag_close(r);
	bag_create(&w, in_folder("refused.db3"), BAG_DB3, false);
	ok(bag_add_topic(w, &ros1) == -EINVAL, "no ROS 1 in .db3");
	ok(!bag_finish(w), "a recording of nothing");
	ok(!bag_open(&r, in_folder("refused.db3")), "open it");
	bag_close(r);
	bag_create(&w, in_folder("nothing.mcap"), BAG_MCAP, false);
	ok_eq(bag_finish(w), 0, "a recording of nothing");
	ok_eq(bag_open(&r, in_folder("nothing.mcap")), 0, "... bag open");
	ok(!bag_warning(r), "... bag warning");
	bag_close(r);
	f = fopen(in_folder("text"), "w");
	fputs("no recording", f);
	fclose(f);
	ok(bag_open(&r, in_folder("text")) == -EPROTONOSUPPORT, "a text");
	ok(bag_open(&r, in_folder("none")) == -ENOENT, "no file");
	mkdir(in_folder("empty"), 0777);
	ok(bag_open(&r, in_folder("empty")) == -EPROTONOSUPPORT,
	   "an empty folder");
}

/* A type that message.h does not know keeps its definition */
static void test_unknown_type(void)
{
	static const char *const names[] = { "imu.mcap", "imu.bag" };

	for (int i = 0; i < 2; i++) {
		struct bag_topic t = {
			.name = "/imu", .type = "sensor_msgs/Joy",
			.format = MESSAGE_ROS1, .definition = "Header header\n",
			.md5 = "6a62c6daae103f4ff57a132d6f95cec2",
		};
		const char *path = in_folder(names[i]);
		const struct bag_topic *got;
		struct bag_writer *w;
		struct bag_reader *r;
		unsigned int n;

		bag_create(&w, path, bag_format_of(path), false);
		bag_add_topic(w, &t);
		bag_write(w, 0, START, "imu", 3);
		bag_finish(w);
		if (!ok(!bag_open(&r, path), "%s: open", names[i]))
			continue;
		got = bag_topics(r, &n);
		ok_eq(n, 1, "%s: an unknown type", names[i]);
		ok_str(got->type, t.type, "... type");
		ok_str(got->definition, t.definition, "... definition");
		ok_str(got->md5, t.md5, "... md5");
		ok_eq(got->count, 1, "... count");
		bag_close(r);
	}
}

/* Files of a folder, as rosbag2 splits them */
static void test_split(void)
{
	const char *dir = in_folder("split");
	uint8_t there[N];
	struct bag_reader *r;

	mkdir(dir, 0777);
	for (int i = 0; i < 3; i++) {
		char name[32];
		struct bag_writer *w;

		/* names that do not sort as their numbers do */
		snprintf(name, sizeof(name), "split/s_%d.mcap", 9 + i);
		w = begin_bag(in_folder(name), true);
		/* multiples of 7: none is earlier than the end of the last */
		write_messages(w, i * 70, i * 70 + 70, MOST);
		bag_finish(w);
	}
	if (!ok(!bag_open(&r, dir), "folder: open"))
		return;
	ok_eq(read_messages(r, seen, N, MOST), 210,
	      "folder: all files in order");
	ok(once(0, 210), "... once");
	ok_eq(bag_rewind(r), 0, "folder: again");
	ok_eq(read_messages(r, seen, N, MOST), 210, "... read messages");
	memset(there, 1, 210);
	memset(there + 210, 0, N - 210);
	check_seek(r, "folder", there);
	bag_close(r);
}

static const char channel[] = "\4\x19\0\0\0\0\0\0\0\1\0\0\0\6\0\0\0/topic"
	"\3\0\0\0cdr\0\0\0\0";

enum { CHANNEL = sizeof(channel) - 1, RECORD = 9 + 22 + 4 };

/* A channel and 5 messages, the last one first */
static void make_records(uint8_t records[CHANNEL + 5 * RECORD])
{
	memcpy(records, channel, CHANNEL);
	for (int i = 0; i < 5; i++) {
		uint8_t record[RECORD] = { 5, 26, [9] = 1, [15] = 50 - i,
					   [31] = i };

		memcpy(records + CHANNEL + i * RECORD, record, RECORD);
	}
}

static void check_records(const char *path, const char *name)
{
	struct bag_message m;
	struct bag_reader *r;
	int n = 0;

	if (!ok(!bag_open(&r, path), "%s: open", name))
		return;
	while (bag_next(r, &m) == 1 && m.len == 4 && m.data[0] == 4 - n &&
	       m.stamp == 46 + n)
		n++;
	ok(n == 5, "%s: sorted: %d", name, n);
	bag_close(r);
}

/*
 * What other writers of MCAP make, without a summary: records outside of
 * chunks, a chunk of lz4; and one that says it is empty
 */
static void test_other_mcap(void)
{
	static const char head[] = "\x89MCAP0\r\n\1\x8\0\0\0\0\0\0\0"
				   "\0\0\0\0\0\0\0\0";
	uint8_t records[CHANNEL + 5 * RECORD], chunk[1024] = { 6 };
	const char *path = in_folder("other.mcap");
	FILE *f = fopen(path, "w");
	size_t n;

	make_records(records);
	fwrite(head, 1, sizeof(head) - 1, f);
	fwrite(records, 1, sizeof(records), f);
	fclose(f);
	check_records(path, "without chunks");
	n = LZ4F_compressFrame(chunk + 60, sizeof(chunk) - 60, records,
			       sizeof(records), NULL);
	put_le64(chunk + 25, sizeof(records));
	memcpy(chunk + 37, "\3\0\0\0lz4", 7);
	put_le64(chunk + 44, n);
	memmove(chunk + 52, chunk + 60, n);
	put_le64(chunk + 1, 43 + n);
	f = fopen(path, "w");
	fwrite(head, 1, sizeof(head) - 1, f);
	fwrite(chunk, 1, 52 + n, f);
	/* uncompressed, of no bytes */
	memset(chunk, 0, sizeof(chunk));
	chunk[0] = 6;
	chunk[1] = 40;
	fwrite(chunk, 1, 49, f);
	fclose(f);
	check_records(path, "lz4");
}

/* What rosbag itself makes of ours, where it is installed */
static void test_rosbag(void)
{
	static const char *const names[] = { "plain.bag", "lz4.bag" };
	char command[512];

	if (system("/usr/bin/python3 -c 'import rosbag' 2>/dev/null")) {
		ok(true, "# SKIP no python3-rosbag");
		return;
	}
	for (int i = 0; i < 2; i++) {
		snprintf(command, sizeof(command), "/usr/bin/python3 -c '"
			 "import rosbag, sys; "
			 "b = rosbag.Bag(\"%s\"); "
			 "m = list(b.read_messages(raw=True)); "
			 "t = [x[2].to_nsec() for x in m]; "
			 "sys.exit(len(m) != %d or t != sorted(t))'",
			 in_folder(names[i]), N);
		ok(!system(command), "rosbag: reads %s", names[i]);
	}
}

static void test_real(void)
{
	struct bag_reader *r;
	struct bag_message m;
	unsigned int n, count = 0, good = 0;
	const struct bag_topic *t;
	int64_t last = 0;

	if (access(REAL, R_OK)) {
		ok(true, "# SKIP no " REAL);
		return;
	}
	if (!ok(!bag_open(&r, REAL), "real: open"))
		return;
	t = bag_topics(r, &n);
	ok_eq(n, 1, "real: topic");
	ok_str(t->name, "/scan", "... name");
	ok_eq(t->count, 360, "... count");
	ok_eq(message_kind_of(t->type), MESSAGE_LASER_SCAN,
	      "... message kind of");
	ok_str(t->md5, message_md5(MESSAGE_LASER_SCAN), "... md5");
	while (bag_next(r, &m) == 1) {
		static union message msg;
		const struct message_laser_scan *s = &msg.scan;

		count++;
		if (message_read(MESSAGE_LASER_SCAN, t->format, m.data, m.len,
				 &msg))
			continue;
		good += s->ranges.count > 100 && m.stamp >= last &&
			s->range_max > 3 && message_string_is(
				&s->header.frame_id, "/laser") &&
			llabs(s->header.stamp - m.stamp) < SECOND;
		last = m.stamp;
	}
	ok_eq(count, 360, "real: %u messages, %u scans", count, good);
	ok_eq(good, 360, "... good");
	ok(!bag_warning(r), "real: no warning");
	bag_close(r);
}

int main(void)
{
	make_folder();
	test_formats();
	test_seek();
	test_cut();
	test_seek_cut();
	test_damage();
	for (unsigned int i = 0; i < FILES; i++) {
		test_full(i);
		test_killed(i);
	}
	test_flush();
	test_refused();
	test_unknown_type();
	test_split();
	test_other_mcap();
	test_rosbag();
	test_real();
	remove_folder();
	return tap_done();
}
