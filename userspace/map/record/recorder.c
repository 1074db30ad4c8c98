// SPDX-License-Identifier: GPL-2.0-only
/*
 * recorder - logs and snapshots, in a thread of its own
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/queue.h>
#include <time.h>
#include <unistd.h>
#include "base/cli.h"
#include "base/error.h"
#include "map/record/folder.h"
#include "map/record/recorder.h"
#include "ros/io/io.h"

enum {
	NOTES		= 64,	/* not yet read by the loop */
	SNAPSHOTS	= 16,	/* that wait for the thread */
	TIMEOUT		= 10,	/* s, to wait for a snapshot or a log */
	RETRY		= 30,	/* s, after an error of the disk */
	NAME		= 64,
};

/* Key of the log rate in the store */
#define LOG_SETTING	"log rate"

static const double rate_min = 0.001, rate_max = 10;	/* Hz */
static const uint64_t second = 1000000000ULL;

struct note {
	char	kind[16], path[RECORDER_PATH];
	struct error error;
};

/* The caller waits for it, or gave up: then the thread frees it */
struct snapshot {
	STAILQ_ENTRY(snapshot) next;
	char	name[NAME], path[RECORDER_PATH];
	struct error error;
	char	left_out[RECORD_LEFT];
	int	err;
	bool	done, left;
};

struct recorder {
	struct site		*site;
	struct loop		*loop;
	struct recorder_config	config;
	struct loop_fd		watch;
	void			(*noted)(void *arg, const char *kind,
					 const char *path, const char *error);
	void			*arg;
	pthread_t		thread;
	pthread_mutex_t		lock;
	pthread_cond_t		work, served;
	bool			ending;
	double			hz;
	uint64_t		due;
	/* a requested rate, and the result; @asked_left: no command waits */
	bool			asking, asked_left;
	double			asked;
	int			asked_err;
	struct error		asked_error;
	STAILQ_HEAD(, snapshot)	snapshots;
	unsigned int		waiting;
	struct bytes		image;
	struct note		note[NOTES];
	unsigned int		notes;
	uint64_t		written, failed;
	struct error		error;
	char			folder[RECORDER_PATH];
	int			folder_fd;		/* its lock */
	/* only used by the thread */
	struct record		*log;
	char			log_path[RECORDER_PATH];
	char			log_left[RECORD_LEFT];
	struct bytes		image_now;
};

/* Called with the lock held */
static void log_line(struct recorder *r, const char *kind, const char *path,
		     const char *error)
{
	const uint64_t one = 1;
	struct note *n;

	assert(r->notes <= NOTES);
	if (r->notes == NOTES)
		return;
	assert(r->notes < NOTES);
	n = &r->note[r->notes++];
	snprintf(n->kind, sizeof(n->kind), "%s", kind);
	snprintf(n->path, sizeof(n->path), "%s", path);
	snprintf(n->error.text, sizeof(n->error.text), "%s", error ? error : "");
	if (write(r->watch.fd, &one, sizeof(one)) < 0)
		return;
}

/* Called with the lock held; @error: the reason */
static void recorder_log_line(struct recorder *r, const char *kind,
			      const char *path, const char *error)
{
	if (error) {
		r->failed++;
		snprintf(r->error.text, sizeof(r->error.text), "%s", error);
	}
	log_line(r, kind, path, error);
}

/* Called with the lock held: the file is incomplete */
static void log_left_out(struct recorder *r, const char *kind,
			 const char *path, const char *names)
{
	char line[ERROR_TEXT];

	snprintf(line, sizeof(line), "too large for a recording, omitted: "
		 "%.200s", names);
	log_line(r, kind, path, line);
}

static void recorder_on_event(void *arg, uint32_t events)
{
	struct recorder *r = arg;
	struct note note[NOTES];
	unsigned int notes;
	uint64_t n;

	(void)events;
	if (read(r->watch.fd, &n, sizeof(n)) != sizeof(n))
		return;
	pthread_mutex_lock(&r->lock);
	assert(r->notes <= NOTES);
	notes = r->notes;
	memcpy(note, r->note, notes * sizeof(*note));
	r->notes = 0;
	pthread_mutex_unlock(&r->lock);
	for (unsigned int i = 0; i < notes; i++)
		r->noted(r->arg, note[i].kind, note[i].path,
			 *note[i].error.text ? note[i].error.text : NULL);
}

/* KIND_TIME or KIND_TIME_NAME; sorted by name is sorted by time */
static void make_path(const struct recorder *r, const char *kind,
		      const char *name, int64_t stamp,
		      char path[RECORDER_PATH])
{
	const time_t seconds = stamp / 1000000000;
	char when[64];
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(when, sizeof(when), "%Y%m%dT%H%M%S", &tm);
	snprintf(path, RECORDER_PATH, "%.860s/%s_%s.%03d%s%.63s.mcap",
		 r->folder, kind, when,
		 (int)(stamp / 1000000 % 1000), *name ? "_" : "", name);
}

static int open_file(struct recorder *r, struct record **record,
		     const char *path, struct error *error)
{
	int err = folder_make(r->folder);

	if (err)
		error_set(error, 0, "%.160s: %s", r->folder,
			 strerror(-err));
	else if (r->folder_fd < 0)
		r->folder_fd = folder_lock(r->folder, false);
	/* that daemon would take this file for an unfinished one */
	if (!err && r->folder_fd == -EWOULDBLOCK) {
		err = -EBUSY;
		error_set(error, 0, "%.160s: another daemon is "
			 "completing recordings in this folder", r->folder);
	}
	return err ? err : record_open(record, path, r->config.config,
				       error);
}

/* As open_file(), with a name that is new: others may be of that millisecond */
static int open_new(struct recorder *r, struct record **record,
		    const char *kind, const char *name, int64_t stamp,
		    char path[RECORDER_PATH], struct error *error)
{
	int err = -EEXIST;

	for (int ms = 0; ms < SNAPSHOTS && err == -EEXIST; ms++) {
		make_path(r, kind, name, stamp + ms * 1000000, path);
		err = open_file(r, record, path, error);
	}
	return err;
}

/* Called without the lock. Return: 0, or an error that is in s->error */
static int write_snapshot(struct recorder *r, struct snapshot *s)
{
	const int64_t stamp = io_now();
	struct record *record;
	int err = open_new(r, &record, "snapshot", s->name, stamp, s->path,
			   &s->error);

	if (err)
		return err;
	*s->error.text = '\0';
	err = record_write(record, r->site, false, &r->image_now, stamp);
	if (!err)
		err = record_flush(record);
	strcpy(s->left_out, record_left_out(record));
	if (err)
		record_abandon(record);
	else
		err = record_close(record);
	if (err)
		snprintf(s->error.text, sizeof(s->error.text), "%.160s: %s", s->path,
			 strerror(-err));
	folder_trim(r->folder, r->config.quota, NULL);
	return err;
}

/* A copy for snapshots and logs, so that they need not hold the lock */
static void copy_image(struct recorder *r)
{
	r->image_now.len = 0;
	if (bytes_append(&r->image_now, r->image.data, r->image.len))
		r->image_now.len = 0;
}

/* Called with the lock held; unlocks it while writing */
static void serve_snapshot(struct recorder *r)
{
	struct snapshot *s = STAILQ_FIRST(&r->snapshots);

	assert(s && r->waiting && r->waiting <= SNAPSHOTS);

	STAILQ_REMOVE_HEAD(&r->snapshots, next);
	r->waiting--;
	if (s->left) {
		free(s);
		return;
	}
	copy_image(r);
	pthread_mutex_unlock(&r->lock);
	s->err = write_snapshot(r, s);
	pthread_mutex_lock(&r->lock);
	r->written += !s->err;
	recorder_log_line(r, "snapshot", s->path, s->err ? s->error.text : NULL);
	if (*s->left_out && !s->err)
		log_left_out(r, "snapshot", s->path, s->left_out);
	s->done = true;
	if (s->left)
		free(s);
	pthread_cond_broadcast(&r->served);
}

static int end_log(struct recorder *r)
{
	const int err = record_close(r->log);

	r->log = NULL;
	return err;
}

/* Report layers that the log lacks, once. Called without the lock */
static void check_left_out(struct recorder *r)
{
	const char *now = record_left_out(r->log);

	if (!strcmp(now, r->log_left))
		return;
	strcpy(r->log_left, now);
	if (!*now)
		return;
	pthread_mutex_lock(&r->lock);
	log_left_out(r, "log", r->log_path, now);
	pthread_mutex_unlock(&r->lock);
}

/* Write an entry. If the first one fails, the log is removed */
static int write_entry(struct recorder *r, bool first, int64_t stamp)
{
	int err = record_write(r->log, r->site, true, &r->image_now, stamp);

	if (!err && first)
		err = record_flush(r->log);
	check_left_out(r);
	if (err && first) {
		record_abandon(r->log);
		r->log = NULL;
	} else if (err || record_size(r->log) > r->config.file) {
		const int end = end_log(r);

		err = err ? err : end;
	}
	return err;
}

/* @sure: flush it. Return: 0, or an error that is in @error */
static int write_log(struct recorder *r, bool sure, struct error *error)
{
	const int64_t stamp = io_now();
	const bool first = !r->log;
	int err = 0;

	if (first) {
		err = open_new(r, &r->log, "log", "", stamp, r->log_path,
			       error);
		if (err)
			r->log = NULL;
		if (err)
			return err;
	}
	err = write_entry(r, first, stamp);
	if (!err && sure && r->log)
		err = record_flush(r->log);
	if (err)
		error_set(error, 0, "%.160s: %s", r->log_path,
			 strerror(-err));
	folder_trim(r->folder, r->config.quota, r->log_path);
	return err;
}

/* Lock held, but not while writing. Return: as write_log() */
static int serve_entry(struct recorder *r, bool sure,
		       struct error *error)
{
	bool ended;
	int err;

	copy_image(r);
	pthread_mutex_unlock(&r->lock);
	err = write_log(r, sure, error);
	ended = !r->log;
	pthread_mutex_lock(&r->lock);
	r->written += !err;
	if (err || ended)
		recorder_log_line(r, "log", r->log_path, err ? error->text : NULL);
	return err;
}

static void serve_log(struct recorder *r)
{
	struct error error;
	const int err = serve_entry(r, false, &error);
	const uint64_t now = loop_now();

	/* skip entries that are overdue */
	if (r->hz > 0)
		r->due += second / r->hz;
	if (err)
		r->due = now + RETRY * second;
	else if (r->due < now)
		r->due = now;
}

/*
 * Write the first entry of a requested log and report it. After a timeout the
 * caller no longer waits, and an error is retried. While the lock was open the
 * request may have been withdrawn or changed
 */
static void serve_asked(struct recorder *r)
{
	const double hz = r->asked;
	struct error error;
	const int err = serve_entry(r, true, &error);

	if (!r->asking || r->asked != hz)
		return;
	if (!err || r->asked_left) {
		r->hz = hz;
		r->due = loop_now() + (err ? RETRY * second : second / hz);
	}
	r->asked_err = err;
	r->asked_error = err ? error : (struct error){ "" };
	r->asking = false;
	pthread_cond_broadcast(&r->served);
}

static void wait_until(struct recorder *r, uint64_t due)
{
	const struct timespec t = { due / second, due % second };

	if (due == LOOP_NEVER)
		pthread_cond_wait(&r->work, &r->lock);
	else
		pthread_cond_clockwait(&r->work, &r->lock, CLOCK_MONOTONIC,
				       &t);
}

/*
 * Files that a killed daemon left
 */

static bool is_ending(void *arg)
{
	struct recorder *r = arg;
	bool ending;

	pthread_mutex_lock(&r->lock);
	ending = r->ending;
	pthread_mutex_unlock(&r->lock);
	return ending;
}

static const char *finishing(int err)
{
	switch (err) {
	case 0:
		return "was not closed; completed";
	case -ENODATA:
		return "was not closed and is empty";
	case -EBADMSG:
		return "was damaged; the readable part was completed, the "
		       "original kept as .mcap.damaged";
	case -EPROTO:
		return "was damaged and has no readable part; renamed to "
		       ".mcap.damaged";
	}
	return strerror(-err);
}

static void finished(void *arg, const char *path, int err)
{
	struct recorder *r = arg;
	char line[ERROR_TEXT];

	snprintf(line, sizeof(line), "%.150s: %s", path, finishing(err));
	pthread_mutex_lock(&r->lock);
	log_line(r, "recording", path, line);
	pthread_mutex_unlock(&r->lock);
}

/* Unless another daemon writes there */
static void finish_others(struct recorder *r)
{
	int fd = folder_lock(r->folder, true);

	if (fd >= 0) {
		folder_finish(r->folder, is_ending, finished, r);
		fd = folder_lock_share(fd);
	} else {
		fd = folder_lock(r->folder, false);
	}
	r->folder_fd = fd;
}

static void *recorder_run(void *arg)
{
	struct recorder *r = arg;

	finish_others(r);
	pthread_mutex_lock(&r->lock);
	while (!r->ending) {
		if (r->waiting) {
			serve_snapshot(r);
		} else if (r->asking) {
			serve_asked(r);
		} else if (r->hz > 0 && loop_now() >= r->due) {
			serve_log(r);
		} else if (r->hz <= 0 && r->log) {
			int err;

			pthread_mutex_unlock(&r->lock);
			err = end_log(r);
			pthread_mutex_lock(&r->lock);
			recorder_log_line(r, "log", r->log_path,
					  err ? strerror(-err) : NULL);
		} else {
			wait_until(r, r->hz > 0 ? r->due : LOOP_NEVER);
		}
	}
	pthread_mutex_unlock(&r->lock);
	end_log(r);
	return NULL;
}

/*
 * Requests of other threads
 */

/* Called with the lock held. Return: whether @done became @as in time */
static bool recorder_wait_for(struct recorder *r, const bool *done, bool as)
{
	const uint64_t due = loop_now() + TIMEOUT * second;
	const struct timespec t = { due / second, due % second };

	while (*done != as)
		if (pthread_cond_clockwait(&r->served, &r->lock,
					   CLOCK_MONOTONIC, &t))
			break;
	return *done == as;
}

/* Return: 0, -ETIMEDOUT, or an error of the disk */
static int ask_log(struct recorder *r, double hz, struct error *error)
{
	int err;

	pthread_mutex_lock(&r->lock);
	r->asked = hz;
	r->asking = true;
	r->asked_left = false;
	pthread_cond_signal(&r->work);
	if (recorder_wait_for(r, &r->asking, false)) {
		err = r->asked_err;
		*error = r->asked_error;
	} else {
		r->asked_left = true;
		err = -ETIMEDOUT;
		error_set(error, 0, "timeout writing to disk");
	}
	pthread_mutex_unlock(&r->lock);
	return err;
}

static int keep_setting(struct recorder *r, double hz,
			struct error *error)
{
	struct store *s = site_store(r->site);
	char text[32];
	int err;

	snprintf(text, sizeof(text), "%.15g", hz);
	site_turn(r->site);
	err = store_set(s, LOG_SETTING, text);
	if (err)
		error_set(error, 0, "%.200s", store_error(s));
	site_turn_end(r->site);
	return err;
}

int recorder_log(struct recorder *r, double hz, struct error *error)
{
	int err = 0, kept;

	if (!(hz == 0 || (hz >= rate_min && hz <= rate_max)))
		return error_set(error, -EINVAL,
				 "log rate must be %g..%g Hz",
				 rate_min, rate_max);
	if (hz > 0)
		err = ask_log(r, hz, error);
	/* after a timeout it starts later: keep the setting */
	if (err && err != -ETIMEDOUT)
		return err;
	if (hz == 0) {
		pthread_mutex_lock(&r->lock);
		r->asking = false;
		r->hz = 0;
		pthread_cond_signal(&r->work);
		pthread_mutex_unlock(&r->lock);
	}
	kept = keep_setting(r, hz, error);
	return kept ? kept : err;
}

static bool proper_name(const char *name)
{
	return strlen(name) < NAME &&
	       strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvw"
		      "xyz0123456789-_") == strlen(name);
}

int recorder_snapshot(struct recorder *r, const char *name,
		      char path[RECORDER_PATH], char left_out[RECORD_LEFT],
		      struct error *error)
{
	struct snapshot *s;
	int err;

	if (!proper_name(name))
		return error_set(error, -EINVAL,
				 "a snapshot name has at most %d letters, "
				 "digits, - and _",
				 NAME - 1);
	s = calloc(1, sizeof(*s));
	if (!s)
		return error_set(error, -ENOMEM, "out of memory");
	strcpy(s->name, name);
	pthread_mutex_lock(&r->lock);
	if (r->waiting == SNAPSHOTS) {
		pthread_mutex_unlock(&r->lock);
		free(s);
		return error_set(error, -EBUSY,
				 "%d snapshots are already waiting for the "
				 "disk",
				 SNAPSHOTS);
	}
	STAILQ_INSERT_TAIL(&r->snapshots, s, next);
	r->waiting++;
	pthread_cond_signal(&r->work);
	if (recorder_wait_for(r, &s->done, true)) {
		strcpy(path, s->path);
		if (left_out)
			strcpy(left_out, s->left_out);
		*error = s->error;
		err = s->err;
		free(s);
	} else {
		s->left = true;
		error_set(error, 0, "timeout writing to disk");
		err = -ETIMEDOUT;
	}
	pthread_mutex_unlock(&r->lock);
	return err;
}

void recorder_image(struct recorder *r, const union message *m)
{
	const long len = message_size(MESSAGE_IMAGE, MESSAGE_CDR, m);

	if (len < 0 || len > RECORD_IMAGE_MAX)
		return;
	pthread_mutex_lock(&r->lock);
	r->image.len = 0;
	if (!bytes_reserve(&r->image, len) &&
	    message_write(MESSAGE_IMAGE, MESSAGE_CDR, m, r->image.data, len) ==
	    len)
		r->image.len = len;
	pthread_mutex_unlock(&r->lock);
}

void recorder_status(struct recorder *r, cJSON *out)
{
	pthread_mutex_lock(&r->lock);
	cJSON_AddBoolToObject(out, "logging", r->hz > 0);
	cJSON_AddNumberToObject(out, "rate", r->hz);
	cJSON_AddStringToObject(out, "folder", r->folder);
	cJSON_AddNumberToObject(out, "written", r->written);
	cJSON_AddNumberToObject(out, "failed", r->failed);
	if (*r->error.text)
		cJSON_AddStringToObject(out, "last_error", r->error.text);
	pthread_mutex_unlock(&r->lock);
}

/*
 * Open and close
 */

/* Absolute, as clients may run in another folder */
static int set_folder(struct recorder *r)
{
	char here[RECORDER_PATH] = "";
	const char *folder = r->config.folder;

	if (*folder != '/' && !getcwd(here, sizeof(here)))
		return -errno;
	/* leave space for the names of files */
	if (snprintf(r->folder, sizeof(r->folder), "%s%s%s", here,
		     *here ? "/" : "", folder) >= RECORDER_PATH - 160)
		return -ENAMETOOLONG;
	return 0;
}

/* The last setting, whoever made it */
static void take_setting(struct recorder *r)
{
	char text[32];
	double hz;

	r->hz = r->config.hz;
	if (site_setting(r->site, LOG_SETTING, text, sizeof(text)) > 0 &&
	    !parse_double(text, 0, rate_max, &hz) &&
	    (hz == 0 || hz >= rate_min))
		r->hz = hz;
	r->due = loop_now();
}

int recorder_open(struct recorder **recorder, struct site *site,
		  struct loop *loop,
		  const struct recorder_config *config,
		  void (*noted)(void *arg, const char *kind, const char *path,
				const char *error), void *arg)
{
	struct recorder *r = calloc(1, sizeof(*r));
	int fd, err;

	if (!r)
		return -ENOMEM;
	*r = (struct recorder){ .site = site, .loop = loop,
				.config = *config, .noted = noted,
				.arg = arg, .folder_fd = -1 };
	err = set_folder(r);
	if (err) {
		free(r);
		return err;
	}
	STAILQ_INIT(&r->snapshots);
	take_setting(r);
	fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (fd < 0) {
		err = -errno;
		free(r);
		return err;
	}
	r->watch.ready = recorder_on_event;
	r->watch.arg = r;
	err = loop_watch(loop, &r->watch, fd, EPOLLIN);
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->work, NULL);
	pthread_cond_init(&r->served, NULL);
	if (!err)
		err = -pthread_create(&r->thread, NULL, recorder_run, r);
	if (err) {
		close(fd);
		free(r);
		return err;
	}
	*recorder = r;
	return 0;
}

void recorder_close(struct recorder *r)
{
	struct snapshot *s;

	if (!r)
		return;
	pthread_mutex_lock(&r->lock);
	r->ending = true;
	pthread_cond_signal(&r->work);
	pthread_mutex_unlock(&r->lock);
	pthread_join(r->thread, NULL);
	loop_unwatch(r->loop, &r->watch);
	close(r->watch.fd);
	if (r->folder_fd >= 0)
		close(r->folder_fd);
	while ((s = STAILQ_FIRST(&r->snapshots))) {
		STAILQ_REMOVE_HEAD(&r->snapshots, next);
		free(s);
	}
	bytes_free(&r->image);
	bytes_free(&r->image_now);
	pthread_cond_destroy(&r->work);
	pthread_cond_destroy(&r->served);
	pthread_mutex_destroy(&r->lock);
	free(r);
}
