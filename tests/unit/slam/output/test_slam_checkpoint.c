// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_slam_checkpoint - a filter that becomes again what it was: the same
 * outcomes out of the file, the same poses from there on, whatever the file's
 * end looks like; and files that are not as they should be
 */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include "base/error.h"
#include "folder.h"
#include "slam/output/checkpoint.h"
#include "slam_fixture.h"

enum { READINGS = 60, BEAMS = 45, PARTICLES = 5 };

static struct trip *trip;
static struct slam_params params;
static struct error error;

/* A file as it is in memory */
struct bytes_of {
	uint8_t	*data;
	size_t	len;
};

static struct bytes_of read_all(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct bytes_of b;
	struct stat st;

	if (!f || fstat(fileno(f), &st))
		abort();
	b.len = (size_t)st.st_size;
	b.data = malloc(b.len + 1);
	if (!b.data || fread(b.data, 1, b.len, f) != b.len)
		abort();
	fclose(f);
	return b;
}

/* A new file: some file systems flush a file that is written over */
static void write_all(const char *path, const struct bytes_of *b)
{
	FILE *f;

	unlink(path);
	f = fopen(path, "wb");
	if (!f || fwrite(b->data, 1, b->len, f) != b->len || fclose(f))
		abort();
}

static bool is_same_file(const char *path, const struct bytes_of *b)
{
	const struct bytes_of now = read_all(path);
	const bool same = now.len == b->len &&
			  !memcmp(now.data, b->data, b->len);

	free(now.data);
	return same;
}

/* A filter, and the poses it said: of all readings */
struct run {
	struct filter	*filter;
	struct pose	pose[READINGS];
	unsigned int	updates;
};

static void begin(struct run *t)
{
	*t = (struct run){
		.filter =
			filter_create(&params, particle_pool_local(&params, 1)),
	};
	if (!t->filter)
		abort();
}

/* Readings @from to @to - 1, which @c gets, if it is not NULL */
static int go(struct run *t, int from, int to, struct checkpoint *c)
{
	struct filter_result r;
	const struct outcome *out;
	uint32_t count;
	int err = 0;

	for (int i = from; i < to && !err; i++) {
		err = filter_read(t->filter, trip->reading + i, &r);
		t->pose[i] = r.pose;
		t->updates += r.updated;
		out = filter_outcomes(t->filter, &count);
		if (!err && c)
			err = checkpoint_add(c, trip->reading + i, r.updated,
					     out, count, &error);
	}
	return err;
}

/* Return: how many readings the file has, or a negative errno */
static int recall(struct run *t, struct checkpoint *c)
{
	struct checkpoint_entry e;
	struct filter_result r;
	int n = 0, ret;

	while ((ret = checkpoint_next(c, &e, &error)) > 0) {
		ret = n < READINGS ? filter_recall(t->filter, &e.reading,
						   e.outcome, e.count, &r) :
				     -E2BIG;
		if (ret)
			return ret;
		t->pose[n++] = r.pose;
		t->updates += r.updated;
	}
	return ret ? ret : n;
}

static bool is_same(const struct run *a, const struct run *b, int from)
{
	struct pose *x, *y;
	uint32_t n, m;
	bool same;

	if (filter_history(a->filter, &x, &n) ||
	    filter_history(b->filter, &y, &m))
		abort();
	same = n == m && !memcmp(x, y, n * sizeof(*x)) &&
	       !memcmp(a->pose + from, b->pose + from,
		       (size_t)(READINGS - from) * sizeof(*a->pose));
	free(x);
	free(y);
	return same;
}

static int reopen(struct checkpoint **c, const char *path)
{
	return checkpoint_open(c, path, &params, true, &error);
}

/* @n of its own readings, and the sizes it had after each; from a new file */
static void make(const char *path, int n, uint64_t *size)
{
	struct checkpoint *c;
	struct run t;
	struct stat st;

	unlink(path);
	if (reopen(&c, path))
		abort();
	begin(&t);
	for (int i = 0; i <= n; i++) {
		if (stat(path, &st))
			abort();
		if (size)
			size[i] = (uint64_t)st.st_size;
		if (i < n && go(&t, i, i + 1, c))
			abort();
	}
	filter_destroy(t.filter);
	checkpoint_close(c);
}

/* All of a file, by a filter of its own. Return: of reopen() or recall() */
static int go_over(const char *path)
{
	struct checkpoint *c;
	struct run t;
	int ret;

	begin(&t);
	ret = reopen(&c, path);
	if (!ret) {
		ret = recall(&t, c);
		checkpoint_close(c);
	}
	filter_destroy(t.filter);
	return ret;
}

static void test_resume(void)
{
	const char *path = in_folder("resume");
	struct run whole, t;
	struct checkpoint *c;
	int at;

	begin(&whole);
	go(&whole, 0, READINGS, NULL);
	ok_range(whole.updates, 11, READINGS - 1,
		 "updates, and scans that are tracked: %u", whole.updates);
	for (int n = 0; n <= READINGS; n += 15) {
		make(path, n, NULL);
		begin(&t);
		ok(!reopen(&c, path), "opened again");
		at = recall(&t, c);
		ok_eq(at, n, "%d readings are in it", n);
		ok_eq(checkpoint_torn(c), 0, "... checkpoint torn");
		ok_eq(go(&t, at, READINGS, c), 0,
		      "and all later ones are the same");
		ok(is_same(&whole, &t, 0), "... is same");
		ok_eq(t.updates, whole.updates, "... updates");
		ok(!checkpoint_sync(c, &error), "to the disk");
		checkpoint_close(c);
		filter_destroy(t.filter);

		begin(&t);
		reopen(&c, path);
		ok_eq(recall(&t, c), READINGS, "what was added is in it, too");
		ok(is_same(&whole, &t, 0), "... is same");
		checkpoint_close(c);
		filter_destroy(t.filter);
	}
	filter_destroy(whole.filter);
}

static void test_outcomes(void)
{
	const char *path = in_folder("outcomes");
	struct checkpoint_entry e;
	const struct outcome *out;
	struct checkpoint *c;
	struct filter_result r;
	struct run t;
	bool good = true, ranges = true;
	uint32_t count;

	make(path, READINGS, NULL);
	begin(&t);
	reopen(&c, path);
	for (int i = 0; i < READINGS; i++) {
		const struct reading *in = trip->reading + i;

		filter_read(t.filter, in, &r);
		out = filter_outcomes(t.filter, &count);
		good = good && checkpoint_next(c, &e, &error) == 1 &&
		       e.count == count && e.reading.stamp == in->stamp &&
		       e.reading.beams == in->beams &&
		       !memcmp(&e.reading.odometry, &in->odometry,
			       sizeof(in->odometry));
		for (uint32_t k = 0; good && k < count; k++)
			good = !memcmp(&out[k].pose, &e.outcome[k].pose,
				       sizeof(out->pose)) &&
			       out[k].fit == e.outcome[k].fit &&
			       out[k].evaluations == e.outcome[k].evaluations;
		ranges = ranges && (r.updated ?
			!memcmp(e.reading.range, in->range,
				in->beams * sizeof(float)) :
			!e.reading.range);
	}
	ok(good, "outcomes and readings are those that were added");
	ok(ranges, "ranges only of updates");
	ok(!checkpoint_next(c, &e, &error), "and no more");
	checkpoint_close(c);
	filter_destroy(t.filter);
}

/* Outcomes of particles that were replaced, and of two hypotheses */
static void test_relatives(void)
{
	const char *path = in_folder("relatives");
	const struct outcome out[] = {
		{ { 1, 2, 3 }, 0.5, 7, HYPOTHESIS_OTHER, 3, 0 },
		{ { 1, 2, 3 }, 0.5, 7, HYPOTHESIS_SAID, 0, 0 },
		{ { 4, 5, 6 }, 0.6, 8, HYPOTHESIS_NONE, 0, 0 },
	};
	struct checkpoint_entry e;
	struct checkpoint *c;
	bool same = true;

	if (checkpoint_open(&c, path, &params, false, &error) ||
	    checkpoint_add(c, trip->reading, true, out, 3, &error))
		abort();
	checkpoint_close(c);
	reopen(&c, path);
	ok_eq(checkpoint_next(c, &e, &error), 1, "outcomes of relatives");
	ok_eq(e.count, 3, "... all");
	for (uint32_t i = 0; i < 3; i++)
		same = same && e.outcome[i].relative == out[i].relative &&
		       e.outcome[i].hypothesis == out[i].hypothesis;
	ok(same, "... with their relatives and hypotheses");
	checkpoint_close(c);
}

/* As recall() of what is in the file, and it can be gone on with */
static bool goes_on(const char *path, int n, const struct run *whole,
		    bool torn)
{
	struct checkpoint *c;
	struct run t;
	bool good;

	begin(&t);
	if (reopen(&c, path))
		return false;
	good = recall(&t, c) == n && !checkpoint_torn(c) == !torn &&
	       !go(&t, n, READINGS, c) && is_same(whole, &t, 0);
	checkpoint_close(c);
	filter_destroy(t.filter);
	begin(&t);
	if (reopen(&c, path))
		return false;
	good = good && recall(&t, c) == READINGS;
	checkpoint_close(c);
	filter_destroy(t.filter);
	return good;
}

static void test_torn(void)
{
	enum { N = 12 };
	const char *path = in_folder("torn");
	struct bytes_of all, part;
	struct run whole;
	uint64_t size[N + 1];
	int bad = 0, zeros = 0, longer = 0;

	begin(&whole);
	go(&whole, 0, READINGS, NULL);
	make(path, N, size);
	all = read_all(path);
	part.data = calloc(1, all.len + 100000);
	for (uint64_t at = size[N - 1]; at < size[N];
	     at += thorough() ? 1 : 7) {
		memcpy(part.data, all.data, at);
		part.len = at;
		write_all(path, &part);
		bad += !goes_on(path, N - 1, &whole, at > size[N - 1]);
	}
	ok(!bad, "cut anywhere in the last record: %d of %d", bad,
	   (int)(size[N] - size[N - 1]));
	/* the length was on the disk, the data not; but for zeros at its end */
	while (!all.data[all.len - 1])
		all.len--;
	for (uint64_t at = size[N - 1]; at < all.len; at += 7) {
		memset(part.data, 0, size[N] + 100000);
		memcpy(part.data, all.data, at);
		part.len = size[N];
		write_all(path, &part);
		zeros += !goes_on(path, N - 1, &whole, true);
		part.len = size[N] + 1 + at * 3 % 20000;
		write_all(path, &part);
		longer += !goes_on(path, N - 1, &whole, true);
	}
	ok(!zeros, "zeros instead of the rest of it");
	ok(!longer, "and beyond");
	memcpy(part.data, all.data, all.len);
	part.len = size[N] + 100000;
	write_all(path, &part);
	ok(goes_on(path, N, &whole, true), "zeros behind it");
	filter_destroy(whole.filter);
	free(part.data);
	free(all.data);
}

/* Any byte before the last record: one line, and nothing is thrown away */
static void test_flipped(void)
{
	enum { N = 6 };
	const char *path = in_folder("flipped");
	uint64_t size[N + 1], seed = 3;
	unsigned int taken = 0, changed = 0, mute = 0, count = 0;
	struct bytes_of b;

	make(path, N, size);
	b = read_all(path);
	for (uint64_t at = 0; at < size[N - 1]; at += 1 + rnd(&seed, 3)) {
		const uint8_t bit = (uint8_t)(1 << rnd(&seed, 8));
		int ret;

		b.data[at] ^= bit;
		write_all(path, &b);
		*error.text = '\0';
		count++;
		ret = go_over(path);
		taken += ret >= 0;
		mute += ret < 0 && (!*error.text || strchr(error.text, '\n') ||
				    !strstr(error.text, path));
		changed += !is_same_file(path, &b);
		b.data[at] ^= bit;
	}
	ok_range(count, 301, INFINITY, "%u flipped bits: %u were taken", count,
		 taken);
	ok_eq(taken, 0, "... taken");
	ok(!mute, "each is logged in one line");
	ok(!changed, "and the file stays as it was");
	free(b.data);
}

static int refused(const char *path, const struct slam_params *p, bool resume,
		   const char *text)
{
	struct checkpoint *c;
	int err;

	*error.text = '\0';
	err = checkpoint_open(&c, path, p, resume, &error);
	if (!err) {
		checkpoint_close(c);
		return 0;
	}
	printf("# %s\n", error.text);
	return strstr(error.text, text) && !strchr(error.text, '\n') ? err : 1;
}

static void test_refused(void)
{
	const char *path = in_folder("refused"), *other = in_folder("other");
	struct slam_params p = params;
	struct checkpoint *c;
	struct bytes_of b;

	make(path, 3, NULL);
	b = read_all(path);
	ok(refused(path, &params, false, "--resume") == -EEXIST,
	   "there is one, and --resume was not given");
	p.seed++;
	ok(refused(path, &p, true, "other settings") == -EINVAL,
	   "another seed");
	p = params;
	p.particles++;
	ok(refused(path, &p, true, "other settings") == -EINVAL,
	   "another number of particles");
	reopen(&c, path);
	ok(refused(path, &params, true, "another slamd") == -EBUSY,
	   "two at a time");
	checkpoint_close(c);
	ok(is_same_file(path, &b), "and the file is as it was");
	b.data[8]++;
	write_all(path, &b);
	ok(refused(path, &params, true, "another version") == -EINVAL,
	   "another version");
	b.len = 20;
	write_all(other, &b);
	ok_eq(refused(other, &params, true, "not a checkpoint"), -EBADMSG,
	      "a piece of one");
	ok(is_same_file(other, &b), "... is same file");
	memcpy(b.data, "hello, world\n", b.len = 13);
	write_all(other, &b);
	ok_eq(refused(other, &params, true, "not a checkpoint"), -EBADMSG,
	      "something else");
	ok(is_same_file(other, &b), "... is same file");
	ok(refused("/", &params, true, "irectory") == -EISDIR, "a folder");
	ok(refused("/dev/null", &params, true, "not a regular file") == -EINVAL,
	   "a device");
	ok(refused("/nowhere/x", &params, true, "No such file") == -ENOENT,
	   "a folder there is not");
	b.len = 0;
	write_all(other, &b);
	ok(!refused(other, &params, false, ""), "an empty file is begun");
	free(b.data);
}

/*
 * A record whose sums are right, but not what it says
 */

static const size_t head_size = 24;

static void put_word(uint8_t *at, uint32_t v)
{
	memcpy(at, &v, sizeof(v));
}

static void sign(uint8_t *record, uint32_t len)
{
	put_word(record + 4, (uint32_t)crc32(0, record + head_size, len));
	put_word(record + 20, (uint32_t)crc32(0, record, 20));
}

/* Word @word of the head of the first record becomes @v, or a double of it */
static int forged(const char *path, const struct bytes_of *b, uint64_t record,
		  int word, uint32_t v, size_t at, double d)
{
	struct bytes_of f = { malloc(b->len), b->len };
	uint32_t len;
	int ret;

	memcpy(f.data, b->data, b->len);
	memcpy(&len, f.data + record, sizeof(len));
	if (word >= 0)
		put_word(f.data + record + 4 * word, v);
	else
		memcpy(f.data + record + head_size + at, &d, sizeof(d));
	sign(f.data + record, len);
	write_all(path, &f);
	ret = go_over(path);
	if (ret < 0 && !is_same_file(path, &f))
		ret = 1;
	free(f.data);
	return ret;
}

static void test_forged(void)
{
	enum { N = 6, OUTCOMES = 2, RANGES = 3, WORD_LEN = 0 };
	const char *path = in_folder("forged");
	uint64_t size[N + 1];
	struct bytes_of b;
	uint32_t len;

	make(path, N, size);
	b = read_all(path);
	memcpy(&len, b.data + size[0], sizeof(len));
	ok(forged(path, &b, size[0], OUTCOMES, PARTICLES, 0, 0) == N,
	   "signed as it was");
	ok(forged(path, &b, size[0], OUTCOMES, PARTICLES - 1, 0, 0) == -EBADMSG,
	   "less outcomes than there are");
	ok(forged(path, &b, size[0], OUTCOMES, UINT32_MAX, 0, 0) == -EBADMSG,
	   "very many");
	ok(forged(path, &b, size[0], RANGES, 0, 0, 0) == -EBADMSG,
	   "without ranges");
	ok(forged(path, &b, size[0], WORD_LEN, len - 8, 0, 0) == -EBADMSG,
	   "a shorter one");
	ok(forged(path, &b, size[0], -1, 0, 8, (double)NAN) == -EBADMSG,
	   "odometry that is no number");
	ok(forged(path, &b, size[0], -1, 0, len - 40, (double)INFINITY) ==
	   -EBADMSG, "an outcome at no place");
	ok(forged(path, &b, size[0], -1, 0, len - 16, (double)NAN) == -EBADMSG,
	   "one that fits in no way");
	free(b.data);
}

/* A file that cannot grow any more: what was in it before is good */
/* Places between readings: they come back where they were */
static void test_places(void)
{
	const char *path = in_folder("places.ckpt");
	const struct pose here = { 1, 2, 3 }, there = { -4, 5, -0.5 };
	struct reading r = trip->reading[3];
	struct checkpoint_entry e;
	struct checkpoint *c;

	if (checkpoint_open(&c, path, &params, false, &error))
		abort();
	ok_eq(checkpoint_place(c, 7, &here, &error), 0, "a place");
	ok_eq(checkpoint_add(c, &r, true, NULL, 0, &error), 0, "... a reading");
	ok_eq(checkpoint_place(c, 9, &there, &error), 0, "... a place");
	checkpoint_close(c);
	if (reopen(&c, path))
		abort();
	ok_eq(checkpoint_next(c, &e, &error), 1, "read: the first");
	ok(e.place, "... is a place");
	ok_mem(&e.reading.odometry, &here, sizeof(here), "... its pose");
	ok_eq(e.reading.stamp, 7, "... its stamp");
	ok_eq(checkpoint_next(c, &e, &error), 1, "... the second");
	ok(!e.place, "... is none");
	ok_eq(e.reading.beams, r.beams, "... beams");
	ok_eq(checkpoint_next(c, &e, &error), 1, "... the third");
	ok_mem(&e.reading.odometry, &there, sizeof(there), "... its pose");
	ok_eq(checkpoint_next(c, &e, &error), 0, "... and no more");
	checkpoint_close(c);
}

static void test_full(void)
{
	const char *path = in_folder("full");
	const struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY };
	struct rlimit limit = none;
	uint64_t size[READINGS + 1];
	struct checkpoint *c;
	struct run t, whole;
	int n;

	make(path, READINGS, size);
	unlink(path);
	limit.rlim_cur = size[8] + 30;
	signal(SIGXFSZ, SIG_IGN);
	reopen(&c, path);
	begin(&t);
	setrlimit(RLIMIT_FSIZE, &limit);
	ok_eq(go(&t, 0, READINGS, c), -EFBIG, "no room for a record: %s",
	      error.text);
	ok(strstr(error.text, path), "... error says it");
	setrlimit(RLIMIT_FSIZE, &none);
	checkpoint_close(c);
	filter_destroy(t.filter);
	begin(&whole);
	go(&whole, 0, READINGS, NULL);
	n = goes_on(path, 8, &whole, true);
	ok(n, "all before it are good");
	filter_destroy(whole.filter);

	path = in_folder("full_head");
	limit.rlim_cur = 10;
	setrlimit(RLIMIT_FSIZE, &limit);
	ok(refused(path, &params, true, "File too large") == -EFBIG,
	   "no room for its beginning");
	setrlimit(RLIMIT_FSIZE, &none);
	ok(!refused(path, &params, true, ""), "it is begun when there is");
}

/* A copy of the records so far, while more come and the file goes */
/* The checkpoint of another process is not replaced */
static void test_mark_busy(const struct checkpoint_mark *mark)
{
	struct checkpoint *other = NULL;

	ok_eq(checkpoint_open(&other, in_folder("busy"), &params, false,
			      &error), 0, "another checkpoint");
	ok_eq(checkpoint_mark_copy(mark, in_folder("busy"), &error), -EBUSY,
	      "is not replaced while it is used");
	ok(strstr(error.text, "in use by another slamd"), "... is said");
	checkpoint_close(other);
	ok_eq(checkpoint_mark_copy(mark, in_folder("busy"), &error), 0,
	      "but afterwards");
}

static void test_mark(void)
{
	struct checkpoint_mark mark, whole;
	struct checkpoint *c = NULL;
	struct bytes_of before;
	struct run t;

	begin(&t);
	ok_eq(checkpoint_open(&c, in_folder("marked"), &params, false, &error),
	      0, "a checkpoint");
	go(&t, 0, 20, c);
	before = read_all(in_folder("marked"));
	ok_eq(checkpoint_mark(c, &mark), 0, "is marked");
	ok_eq(checkpoint_mark_copy(&mark, in_folder("marked"), &error), 0,
	      "copied to itself");
	go(&t, 20, READINGS, c);
	test_mark_busy(&mark);
	checkpoint_close(c);
	ok_eq(checkpoint_mark_file(&whole, in_folder("marked"), &error), 0,
	      "a whole file");
	ok_range(whole.size, (double)before.len + 1, INFINITY,
		 "... which grew since");
	unlink(in_folder("marked"));
	ok_eq(checkpoint_mark_copy(&mark, in_folder("copy"), &error), 0,
	      "copied when it is closed and removed");
	ok(is_same_file(in_folder("copy"), &before), "... up to the mark");
	ok_range(checkpoint_mark_copy(&mark, in_folder("no/copy"), &error),
		 -INFINITY, -1, "to no folder: an error");
	mark.size = whole.size + 1;
	ok_eq(checkpoint_mark_copy(&mark, in_folder("copy"), &error), -EIO,
	      "a file that became shorter: likewise");
	ok(is_same_file(in_folder("copy"), &before), "... the old copy stays");
	checkpoint_mark_close(&mark);
	checkpoint_mark_close(&whole);
	ok_eq(checkpoint_mark_file(&mark, in_folder("marked"), &error), -ENOENT,
	      "no file");
	ok_eq(checkpoint_mark_file(&mark, folder, &error), -EINVAL,
	      "a folder");
	free(before.data);
	filter_destroy(t.filter);
}

int main(void)
{
	static struct world world;

	make_folder();
	world_corridors(&world);
	trip = trip_make(&world, BEAMS, READINGS);
	params = slam_defaults;
	params.particles = PARTICLES;
	/* so that there are readings that are no update */
	params.distance = 0.15;
	params.resample = 0.9;
	test_resume();
	test_outcomes();
	test_relatives();
	test_torn();
	test_flipped();
	test_refused();
	test_forged();
	test_places();
	test_full();
	test_mark();
	trip_free(trip);
	remove_folder();
	return tap_done();
}
