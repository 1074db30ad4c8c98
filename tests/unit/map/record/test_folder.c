// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_folder - folders of recordings that must not grow, recordings without an
 * end
 */
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "map/record/folder.h"
#include "map_fixture.h"
#include "ros/bag/bag.h"
#include "tap.h"

static bool has(const char *folder, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return !access(path, F_OK);
}

static void test_folder(void)
{
	char top[] = "/tmp/test_folder.XXXXXX", folder[64], keep[128];

	if (!mkdtemp(top))
		return;
	snprintf(folder, sizeof(folder), "%s/a/b", top);
	ok(!folder_make(folder) && !folder_make(folder), "a folder is made");
	put(folder, "log_1.mcap", 400);
	put(folder, "log_1.txt", 100);
	put(folder, "log_2.mcap", 400);
	put(folder, "log_3.mcap", 400);
	put(folder, "snapshot_0.mcap", 400);
	put(folder, "mine.txt", 100);
	ok(folder_trim(folder, 2000, NULL) == 1800 && has(folder, "log_1.mcap"),
	   "within the quota nothing goes");
	ok(folder_trim(folder, 1500, NULL) == 1300 &&
	   !has(folder, "log_1.mcap") && !has(folder, "log_1.txt") &&
	   has(folder, "log_2.mcap"), "the oldest log goes, with its text");
	snprintf(keep, sizeof(keep), "%s/log_3.mcap", folder);
	ok(folder_trim(folder, 10, keep) == 900 && has(folder, "log_3.mcap") &&
	   has(folder, "snapshot_0.mcap") && has(folder, "mine.txt"),
	   "never the one that is written, snapshots, and what others put there");
	remove_all(top);
}

/*
 * Recordings without an end
 */

enum { CHUNKS = 40, FOOT = 29 + 8, FILE_MAX = 1 << 20 };

struct file {
	uint8_t	data[FILE_MAX];
	size_t	len;
	size_t	chunk[CHUNKS + 1];	/* where they begin, and the last ends */
};

static void write_recording(const char *path)
{
	const struct bag_topic topic = {
		.name = "/a", .type = "std_msgs/msg/String",
		.format = MESSAGE_CDR,
	};
	struct bag_writer *w;
	uint64_t seed = 1;
	uint8_t data[300];
	int bad = bag_create(&w, path, BAG_MCAP, true);

	for (int i = 0; i < CHUNKS && !bad; i++) {
		for (size_t j = 0; j < sizeof(data); j++)
			data[j] = rnd(&seed, j < 150 ? 256 : 2);
		bad = bag_add_topic(w, &topic) ||
		      bag_write(w, 0, 1 + i, data, sizeof(data)) ||
		      bag_flush(w);
	}
	ok(!bad && !bag_finish(w), "a recording of %d chunks", CHUNKS);
}

static void load(const char *path, struct file *to)
{
	FILE *f = fopen(path, "r");

	to->len = f ? fread(to->data, 1, FILE_MAX, f) : 0;
	if (f)
		fclose(f);
}

static void save(const char *path, const struct file *from, size_t len)
{
	FILE *f = fopen(path, "w");

	if (f) {
		fwrite(from->data, 1, len, f);
		fclose(f);
	}
}

static size_t record_end(const struct file *f, size_t at)
{
	uint64_t n;

	memcpy(&n, f->data + at + 1, 8);
	return at + 9 + le64toh(n);
}

static void find_chunks(struct file *f)
{
	int n = 0;

	for (size_t at = 8; at < f->len - 8 && n < CHUNKS;
	     at = record_end(f, at))
		if (f->data[at] == 6) {
			f->chunk[n++] = at;
			f->chunk[n] = record_end(f, at);
		}
}

/* Messages that can be read, or -1; @lost: and bytes that cannot */
static int messages(const char *path, uint64_t *lost)
{
	struct bag_reader *r;
	struct bag_message m;
	int n = 0;

	if (bag_open(&r, path))
		return -1;
	while (bag_next(r, &m) > 0)
		n++;
	if (lost)
		*lost = bag_lost(r);
	bag_close(r);
	return n;
}

static bool same_as(const char *path, const struct file *f, size_t len)
{
	static struct file other;

	load(path, &other);
	return other.len == len && !memcmp(other.data, f->data, len);
}

static bool never(void *arg)
{
	(void)arg;
	return false;
}

/* After some messages */
static bool soon(void *arg)
{
	unsigned int *left = arg;

	return !*left || !--*left;
}

static void on_finished(void *arg, const char *path, int err)
{
	(void)arg;
	snprintf(said + strlen(said), sizeof(said) - strlen(said), "%s:%d ",
		 strrchr(path, '/') + 1, err);
}

/* Of what is in the file now */
static bool finishes(const char *folder, int err)
{
	char text[64];

	folder_finish(folder, never, on_finished, NULL);
	snprintf(text, sizeof(text), "log_1.mcap:%d ", err);
	return says(text);
}

static bool ends_well(const char *path)
{
	static struct file f;

	load(path, &f);
	return f.len > 8 && !memcmp(f.data + f.len - 8, "\x89MCAP0\r\n", 8);
}

/* No flipped bit makes messages disappear without an error */
static void test_flips(const char *path, struct file *f)
{
	const size_t some = f->chunk[3], more = f->chunk[5];
	unsigned int silent = 0, seen = 0;

	for (size_t at = 0; at < f->len - FOOT; at++) {
		for (int bit = 0; bit < 8; bit++) {
			uint64_t lost = 0;
			int n;

			if ((at < some || at >= more) && at % 8 != (size_t)bit)
				continue;
			/* compressed bytes have a sum */
			if ((at < some || at >= more) && at > 64 && at % 5)
				continue;
			f->data[at] ^= 1 << bit;
			save(path, f, f->len - FOOT);
			n = messages(path, &lost);
			f->data[at] ^= 1 << bit;
			silent += n >= 0 && n < CHUNKS && !lost;
			seen += n >= 0 && n < CHUNKS && lost;
		}
	}
	ok(seen > 100 && !silent, "no bit that flips takes messages with it "
	   "silently: %u seen, %u not", seen, silent);
}

static void test_torn(const char *folder, const char *path, struct file *f)
{
	char damaged[128];
	size_t good = 0, cuts = 0;
	unsigned int left = 5;

	snprintf(damaged, sizeof(damaged), "%s.damaged", path);
	save(path, f, f->len - FOOT);
	ok(finishes(folder, 0) && ends_well(path) &&
	   messages(path, NULL) == CHUNKS, "what lacks its end gets one");
	save(path, f, f->len - FOOT);
	folder_finish(folder, soon, on_finished, &left);
	ok(says(""), "if it has to end meanwhile it says nothing");
	ok(same_as(path, f, f->len - FOOT), "and leaves the file as it is");
	ok(!has(folder, "log_1.part"), "and no other");
	save(path, f, f->chunk[CHUNKS] - 30);
	ok(finishes(folder, 0) && ends_well(path) &&
	   messages(path, NULL) == CHUNKS - 1,
	   "so does what ends within a chunk");
	save(path, f, f->chunk[0]);
	ok(finishes(folder, 0) && ends_well(path) && !messages(path, NULL),
	   "and what has a beginning only");
	ok(access(damaged, F_OK), "and nothing of them is kept");
	/* wherever the power fails */
	for (size_t len = f->chunk[1]; len <= f->chunk[3]; len++, cuts++) {
		uint64_t lost = 1;

		save(path, f, len);
		good += messages(path, &lost) >= 1 && !lost;
	}
	ok(cuts && good == cuts, "a torn end is no loss: %zu of %zu", good,
	   cuts);
}

static void test_damaged(const char *folder, const char *path, struct file *f)
{
	const size_t len = f->len - FOOT;
	char damaged[128];

	snprintf(damaged, sizeof(damaged), "%s.damaged", path);
	f->data[f->chunk[3] + 1 + 3] ^= 1;
	save(path, f, len);
	ok(finishes(folder, -EBADMSG) && messages(path, NULL) == 3 &&
	   ends_well(path) && same_as(damaged, f, len),
	   "a length that is wrong: the original stays");
	folder_finish(folder, never, on_finished, NULL);
	ok(says("") && same_as(damaged, f, len), "and is reported once");
	save(path, f, len - 1);
	ok(finishes(folder, -EEXIST) && same_as(damaged, f, len) &&
	   same_as(path, f, len - 1), "none takes the place of another");
	unlink(path);
	ok(!link(damaged, path) && finishes(folder, -EBADMSG) &&
	   ends_well(path) && same_as(damaged, f, len),
	   "if the power failed between, it goes on");
	f->data[f->chunk[3] + 1 + 3] ^= 1;
	unlink(damaged);
	f->data[f->chunk[20] + 100] ^= 1;
	save(path, f, len);
	ok(finishes(folder, -EBADMSG) && messages(path, NULL) == CHUNKS - 1 &&
	   same_as(damaged, f, len), "so does that of a damaged chunk");
	unlink(damaged);
	f->data[0] ^= 1;
	save(path, f, len);
	ok(finishes(folder, -EPROTO) && access(path, F_OK) &&
	   same_as(damaged, f, len), "and what cannot be read at all");
	put(folder, "log_2.mcap", 100);
	ok(folder_trim(folder, 200, NULL) == 100 && access(damaged, F_OK) &&
	   has(folder, "log_2.mcap"), "but only as long as there is room");
	put(folder, "log_1.mcap", 3);
	put(folder, "log_1.txt", 0);
	snprintf(damaged, sizeof(damaged), "%s/log_2.mcap", folder);
	unlink(damaged);
	ok(finishes(folder, -ENODATA) && !has(folder, "log_1.mcap") &&
	   !has(folder, "log_1.txt"), "what is empty goes");
}

static void test_no_end(void)
{
	char folder[] = "/tmp/test_folder.XXXXXX", path[64];
	static struct file f;
	int fd, other;

	if (!mkdtemp(folder))
		return;
	snprintf(path, sizeof(path), "%s/log_1.mcap", folder);
	write_recording(path);
	load(path, &f);
	find_chunks(&f);
	test_torn(folder, path, &f);
	test_flips(path, &f);
	test_damaged(folder, path, &f);
	fd = folder_lock(folder, true);
	ok(fd >= 0 && folder_lock(folder, false) == -EWOULDBLOCK &&
	   folder_lock_share(fd) == fd &&
	   folder_lock(folder, true) == -EWOULDBLOCK,
	   "who finished goes on writing, and stays in the folder meanwhile");
	other = folder_lock(folder, false);
	ok(other >= 0, "with others");
	close(other);
	close(fd);
	remove_all(folder);
}

int main(void)
{
	test_folder();
	test_no_end();
	return tap_done();
}
