// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_recorder - logs and snapshots in a thread: their files, their rate, and
 * a disk that is slow, full or not there
 */
#include <cjson/cJSON.h>
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include "base/loop.h"
#include "map/record/folder.h"
#include "map/record/recorder.h"
#include "map/ros/map_config.h"
#include "ros/bag/bag.h"
#include "gate.h"
#include "site_fixture.h"

/*
 * A disk that is slow: the thread stops before it writes an entry
 */

int __real_record_write(struct record *r, struct site *site, bool submaps,
			const struct bytes *image, int64_t stamp);
int __wrap_record_write(struct record *r, struct site *site, bool submaps,
			const struct bytes *image, int64_t stamp);

int __wrap_record_write(struct record *r, struct site *site, bool submaps,
			const struct bytes *image, int64_t stamp)
{
	pass_gate();
	return __real_record_write(r, site, submaps, image, stamp);
}

/* Waits of this thread time out at once */
static bool hurry;
static pthread_t test_thread;

int __real_pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m,
				  clockid_t clock, const struct timespec *t);
int __wrap_pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m,
				  clockid_t clock, const struct timespec *t);

int __wrap_pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m,
				  clockid_t clock, const struct timespec *t)
{
	if (hurry && pthread_equal(pthread_self(), test_thread))
		return ETIMEDOUT;
	return __real_pthread_cond_clockwait(c, m, clock, t);
}

/* A clock that stands still, unless it is 0 */
static int64_t frozen;

int64_t __real_io_now(void);
int64_t __wrap_io_now(void);

int64_t __wrap_io_now(void)
{
	return frozen ? frozen : __real_io_now();
}

/*
 * The recorder
 */

static struct map_config map_config;
static struct recorder_config config;
static struct site *site;
static struct loop *loop;
static struct recorder *rec;
static char notes[1024];
static unsigned int note_count;

static void on_noted(void *arg, const char *kind, const char *path,
		     const char *text)
{
	const size_t used = strlen(notes);

	(void)arg;
	ok_eq(*path, '/', "a note has a whole path");
	snprintf(notes + used, sizeof(notes) - used, "%s:%s ", kind,
		 text ? text : "good");
	note_count++;
	loop_stop(loop, 0);
}

/* Wait until @n files were noted */
static const char *wait_for_notes(unsigned int n)
{
	static char copy[sizeof(notes)];

	while (note_count < n)
		loop_run(loop);
	strcpy(copy, notes);
	*notes = 0;
	note_count = 0;
	return copy;
}

static void open_recorder(const char *store, const char *records)
{
	map_config_init(&map_config);
	site = open_site(in_folder(store), STORE_CREATE);
	add_layer(site, "slam_map", "role=obstacle");
	put(site, "a", 5, &(struct pose){ 0, 0, 0 }, 0,
	    patch(10, 8, 0.1, 1, 50, 50));
	site_fuse(site, -1, UINT64_MAX, NULL, NULL);
	loop = loop_create();
	config = (struct recorder_config){
		.folder = records, .config = &map_config, .quota = 1 << 30,
		.file = 1 << 30,
	};
	*notes = 0;
	note_count = 0;
}

static int start(void)
{
	return recorder_open(&rec, site, loop, &config, on_noted, NULL);
}

static void close_all(void)
{
	recorder_close(rec);
	site_close(site);
	loop_destroy(loop);
}

static double status(const char *key)
{
	cJSON *all = cJSON_CreateObject();
	const cJSON *item;
	double value;

	recorder_status(rec, all);
	item = cJSON_GetObjectItem(all, key);
	value = cJSON_IsBool(item) ? cJSON_IsTrue(item) :
				     cJSON_GetNumberValue(item);
	cJSON_Delete(all);
	return value;
}

static bool has_error(const char *text)
{
	cJSON *all = cJSON_CreateObject();
	const char *line;
	bool has;

	recorder_status(rec, all);
	line = cJSON_GetStringValue(cJSON_GetObjectItem(all, "last_error"));
	has = line && strstr(line, text);
	cJSON_Delete(all);
	return has;
}

/* Files whose names begin so and end so */
static unsigned int count_files(const char *records, const char *begin,
				const char *end)
{
	DIR *dir = opendir(records);
	const struct dirent *d;
	unsigned int n = 0;

	while (dir && (d = readdir(dir))) {
		const size_t len = strlen(d->d_name);

		n += !strncmp(d->d_name, begin, strlen(begin)) &&
		     len >= strlen(end) &&
		     !strcmp(d->d_name + len - strlen(end), end);
	}
	if (dir)
		closedir(dir);
	return n;
}

/*
 * Snapshots
 */

static void test_snapshot(void)
{
	char path[RECORDER_PATH], left[RECORD_LEFT], again[RECORDER_PATH];
	const char *records = in_folder("snapshots/deep");

	open_recorder("snapshot.db", records);
	ok_eq(start(), 0, "a recorder");
	ok_eq(access(records, F_OK), -1, "makes no folder before the first file");
	ok_eq(recorder_snapshot(rec, "before", path, left, &error), 0,
	      "a snapshot");
	ok_eq(access(path, F_OK), 0, "is there: %s", path);
	ok(strstr(path, "/snapshot_2") != NULL, "named by its time");
	ok(strstr(path, "_before.mcap") != NULL, "and by what was given");
	ok_str(left, "", "nothing is left out");
	ok_eq(count_files(records, "snapshot_", ".txt"), 1, "with a text");
	ok_str(wait_for_notes(1), "snapshot:good ", "it is noted");
	ok_eq(recorder_snapshot(rec, "", again, NULL, &error), 0,
	      "one without a name");
	ok(strcmp(path, again) != 0, "is another one");
	ok(!strstr(strrchr(again, '.') - 1, "_"), "without a _ at its end");
	ok_near(status("written"), 2, 0, "both count");
	ok_near(status("failed"), 0, 0, "none failed");
	ok_near(status("logging"), 0, 0, "no log");
	ok_eq(recorder_snapshot(rec, "a/b", path, left, &error), -EINVAL,
	      "a name that leads elsewhere");
	ok(strstr(error.text, "letters") != NULL, "%s", error.text);
	ok_eq(recorder_snapshot(rec, "123456789012345678901234567890123456789"
				"012345678901234567890123", path, left, &error),
	      0, "63 characters");
	ok_eq(recorder_snapshot(rec, "123456789012345678901234567890123456789"
				"0123456789012345678901234", path, left, &error),
	      -EINVAL, "64 are too many");
	close_all();
}

static void *take_snapshot(void *arg)
{
	char path[RECORDER_PATH];
	struct error why;

	(void)arg;
	return (void *)(intptr_t)recorder_snapshot(rec, "many", path, NULL,
						   &why);
}

static void test_many_snapshots(void)
{
	const char *records = in_folder("many");
	pthread_t thread[17];
	unsigned int bad = 0;
	char path[RECORDER_PATH];
	int err;

	open_recorder("many.db", records);
	set_gate(true);
	start();
	pthread_create(&thread[0], NULL, take_snapshot, NULL);
	wait_for_gate();
	for (int i = 1; i < 17; i++)
		pthread_create(&thread[i], NULL, take_snapshot, NULL);
	/* one that can wait gives up at once, one that cannot is refused */
	hurry = true;
	do
		err = recorder_snapshot(rec, "mine", path, NULL, &error);
	while (err == -ETIMEDOUT && !strstr(error.text, "already"));
	hurry = false;
	ok_eq(err, -EBUSY, "while 16 wait there is no room for more");
	ok(strstr(error.text, "16 snapshots are already waiting") != NULL, "%s",
	   error.text);
	set_gate(false);
	for (int i = 0; i < 17; i++) {
		void *result;

		pthread_join(thread[i], &result);
		bad += (intptr_t)result && (intptr_t)result != -EBUSY;
	}
	ok_eq(bad, 0, "the others are written, or were refused, too");
	close_all();
	ok_eq(count_files(records, "snapshot_", "_mine.mcap"), 0,
	      "those that gave up are not");
}

static void test_slow_snapshot(void)
{
	const char *records = in_folder("slow");
	char path[RECORDER_PATH];

	open_recorder("slow.db", records);
	set_gate(true);
	start();
	hurry = true;
	ok_eq(recorder_snapshot(rec, "a", path, NULL, &error), -ETIMEDOUT,
	      "a slow disk");
	ok_str(error.text, "timeout writing to disk", "says so");
	hurry = false;
	set_gate(false);
	ok_eq(recorder_snapshot(rec, "b", path, NULL, &error), 0,
	      "a later one works");
	close_all();
	ok_eq(count_files(records, "snapshot_", "_b.mcap"), 1, "and is there");
}

/*
 * Logs
 */

static void test_log(void)
{
	const char *records = in_folder("logs");

	open_recorder("log.db", records);
	start();
	ok_eq(recorder_log(rec, 10, &error), 0, "a log");
	ok_near(status("logging"), 1, 0, "is on");
	ok_near(status("rate"), 10, 0, "at its rate");
	ok_eq(count_files(records, "log_", ".mcap"), 1, "and there");
	ok_eq(recorder_log(rec, 0, &error), 0, "it is stopped");
	ok_near(status("logging"), 0, 0, "and off");
	ok_str(wait_for_notes(1), "log:good ", "its end is noted");
	ok_range(status("written"), 1, 100, "its entries count");
	ok_eq(recorder_log(rec, 10.1, &error), -EINVAL, "too fast");
	ok(strstr(error.text, "0.001..10 Hz") != NULL, "%s", error.text);
	ok_eq(recorder_log(rec, 0.0009, &error), -EINVAL, "too slow");
	ok_eq(recorder_log(rec, -1, &error), -EINVAL, "backwards");
	ok_eq(recorder_log(rec, NAN, &error), -EINVAL, "no number");
	ok_eq(recorder_log(rec, 0.001, &error), 0, "the slowest");
	recorder_close(rec);
	start();
	ok_near(status("rate"), 0.001, 0, "a restart goes on logging");
	recorder_close(rec);
	store_set(site_store(site), "log rate", "11");
	config.hz = 2;
	start();
	ok_near(status("rate"), 2, 0, "not at a rate that cannot be");
	recorder_close(rec);
	store_set(site_store(site), "log rate", "0");
	start();
	ok_near(status("logging"), 0, 0, "0 is no log, whatever is configured");
	unlink(in_folder("log.db"));
	ok_eq(recorder_log(rec, 0, &error), -EIO,
	      "a rate that the store cannot keep");
	ok(strstr(error.text, "deleted") != NULL, "%s", error.text);
	close_all();
}

/* Each entry ends its file */
static void test_log_files(void)
{
	const char *records = in_folder("files");

	open_recorder("files.db", records);
	config.file = 1;
	config.hz = 10;
	start();
	ok_str(wait_for_notes(3), "log:good log:good log:good ",
	       "a full file is followed by another one");
	recorder_close(rec);
	ok_range(count_files(records, "log_", ".mcap"), 3, 100, "all are there");
	config.quota = 1;
	*notes = 0;
	note_count = 0;
	start();
	wait_for_notes(2);
	recorder_close(rec);
	ok_range(count_files(records, "log_", ".mcap"), 1, 2,
		 "with a quota only the last ones");
	rec = NULL;
	close_all();
}

/* Files are named by their millisecond */
static void test_same_time(void)
{
	const char *records = in_folder("same");
	char path[RECORDER_PATH];

	frozen = 1700000000123000000;
	open_recorder("same.db", records);
	start();
	ok_eq(recorder_log(rec, 1, &error), 0, "a log");
	ok_eq(recorder_log(rec, 0, &error), 0, "its end");
	ok_str(wait_for_notes(1), "log:good ", "is noted");
	ok_eq(recorder_log(rec, 1, &error), 0,
	      "another one in the same millisecond");
	ok_eq(recorder_snapshot(rec, "a", path, NULL, &error), 0, "a snapshot");
	ok_eq(recorder_snapshot(rec, "a", path, NULL, &error), 0,
	      "and another one");
	close_all();
	ok_eq(count_files(records, "log_20231114T221320.123", ".mcap"), 1,
	      "the first log is named by its time");
	ok_eq(count_files(records, "log_20231114T221320.124", ".mcap"), 1,
	      "the next one by a later one");
	ok_eq(count_files(records, "snapshot_20231114T221320.124_a", ".mcap"),
	      1, "as are snapshots");
	frozen = 0;
}

static void test_slow_log(void)
{
	open_recorder("slowlog.db", in_folder("slowlog"));
	set_gate(true);
	start();
	hurry = true;
	ok_eq(recorder_log(rec, 5, &error), -ETIMEDOUT, "a slow disk");
	ok_str(error.text, "timeout writing to disk", "says so");
	hurry = false;
	ok_near(status("logging"), 0, 0, "it logs not yet");
	wait_for_gate();
	set_gate(false);
	while (status("logging") == 0)
		sched_yield();
	ok_near(status("rate"), 5, 0, "but when the disk is there");
	ok_eq(recorder_log(rec, 0, &error), 0, "until it is stopped");
	close_all();
}

/*
 * Errors
 */

static void test_no_folder(void)
{
	char path[RECORDER_PATH], long_path[2000];
	FILE *f = fopen(in_folder("file"), "w");

	fclose(f);
	open_recorder("none.db", in_folder("file/x"));
	start();
	ok_eq(recorder_snapshot(rec, "a", path, NULL, &error), -ENOTDIR,
	      "a folder within a file");
	ok(strstr(error.text, "file/x: Not a directory") != NULL, "%s", error.text);
	ok(strstr(wait_for_notes(1), "Not a directory") != NULL, "is noted");
	ok_near(status("failed"), 1, 0, "and counted");
	ok_eq(has_error("Not a directory"), true, "status has it");
	ok_eq(recorder_log(rec, 1, &error), -ENOTDIR, "nor is there a log");
	ok_near(status("logging"), 0, 0, "which stays off");
	recorder_close(rec);
	memset(long_path, 'x', sizeof(long_path) - 1);
	long_path[0] = '/';
	long_path[RECORDER_PATH - 160] = 0;
	config.folder = long_path;
	ok_eq(start(), -ENAMETOOLONG, "too long a path");
	long_path[RECORDER_PATH - 161] = 0;
	ok_eq(start(), 0, "one byte less fits");
	close_all();
}

static void limit_files(rlim_t bytes)
{
	const struct rlimit limit = { bytes, RLIM_INFINITY };

	fflush(stdout);
	setrlimit(RLIMIT_FSIZE, &limit);
}

static void test_full_disk(void)
{
	const char *records = in_folder("full");
	char path[RECORDER_PATH];
	int snapshot, log;

	open_recorder("fulldisk.db", records);
	start();
	limit_files(100);
	snapshot = recorder_snapshot(rec, "a", path, NULL, &error);
	log = recorder_log(rec, 1, &error);
	limit_files(RLIM_INFINITY);
	ok_eq(snapshot, -EFBIG, "a full disk has no snapshot");
	ok_eq(log, -EFBIG, "and no log");
	ok(strstr(error.text, "File too large") != NULL, "%s", error.text);
	ok_eq(count_files(records, "", ".mcap"), 0, "no files remain");
	ok_eq(count_files(records, "", ".txt"), 0, "nor texts");
	ok_near(status("logging"), 0, 0, "the log stays off");
	ok_near(status("failed"), 2, 0, "both are counted");
	ok_eq(recorder_snapshot(rec, "a", path, NULL, &error), 0,
	      "later there is room");
	close_all();
}

static void test_no_files(void)
{
	struct rlimit before, none;
	int next, err;

	open_recorder("nofiles.db", in_folder("nofiles"));
	next = dup(0);
	close(next);
	getrlimit(RLIMIT_NOFILE, &before);
	none = before;
	none.rlim_cur = next;
	setrlimit(RLIMIT_NOFILE, &none);
	rec = NULL;
	err = start();
	setrlimit(RLIMIT_NOFILE, &before);
	ok_eq(err, -EMFILE, "without descriptors there is no recorder");
	ok_eq(rec == NULL, true, "at all");
	close_all();
}

/* What a killed daemon left, and another daemon that is busy with it */
static void test_others(void)
{
	const char *records = in_folder("others");
	char path[RECORDER_PATH];
	FILE *f;
	int lock;

	open_recorder("others.db", records);
	mkdir(records, 0755);
	lock = folder_lock(records, true);
	start();
	ok_eq(recorder_snapshot(rec, "a", path, NULL, &error), -EBUSY,
	      "while another daemon completes recordings");
	ok(strstr(error.text, "another daemon is completing") != NULL, "%s", error.text);
	close(lock);
	ok_eq(recorder_snapshot(rec, "a", path, NULL, &error), 0, "then");
	ok_eq(folder_lock(records, true), -EWOULDBLOCK,
	      "meanwhile none completes this one's");
	recorder_close(rec);
	snprintf(path, sizeof(path), "%s/log_1.mcap", records);
	f = fopen(path, "w");
	fputs("xyz", f);
	fclose(f);
	note_count = 0;
	*notes = 0;
	start();
	ok(strstr(wait_for_notes(1), "log_1.mcap: was not closed and is empty")
	   != NULL, "an unfinished one is reported");
	ok_eq(access(path, F_OK), -1, "an empty one removed");
	close_all();
}

static void test_image(void)
{
	static uint8_t pixels[6] = { 1, 2, 3, 4, 5, 6 };
	const union message m = { .image = {
		.header = { 5, 0, message_string("c") }, .height = 2,
		.width = 3, .encoding = message_string("mono8"), .step = 3,
		.data = { pixels, 6 } } };
	char path[RECORDER_PATH];
	struct bag_reader *bag;
	struct bag_message b;
	unsigned int images = 0, topics;

	open_recorder("image.db", in_folder("image"));
	start();
	recorder_image(rec, &m);
	recorder_snapshot(rec, "a", path, NULL, &error);
	close_all();
	bag_open(&bag, path);
	while (bag_next(bag, &b) > 0)
		images += !strcmp(bag_topics(bag, &topics)[b.topic].name,
				  "/gdim/output/thermal_image") &&
			  b.len == (size_t)message_size(MESSAGE_IMAGE,
							MESSAGE_CDR, &m);
	bag_close(bag);
	ok_eq(images, 1, "the latest image is in a snapshot");
}

int main(void)
{
	signal(SIGXFSZ, SIG_IGN);
	test_thread = pthread_self();
	make_folder();
	test_snapshot();
	test_many_snapshots();
	test_slow_snapshot();
	test_log();
	test_log_files();
	test_same_time();
	test_slow_log();
	test_no_folder();
	test_full_disk();
	test_no_files();
	test_others();
	test_image();
	remove_folder();
	return tap_done();
}
