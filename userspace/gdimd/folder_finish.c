// SPDX-License-Identifier: GPL-2.0-only
/*
 * folder_finish - recordings without an end get one
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "bag/bag.h"
#include "gdimd/folder.h"

enum { FOLDER_PATH = 4096 };

/* What an MCAP file begins and ends with */
static const char magic[8] = "\x89MCAP0\r\n";

int folder_lock(const char *path, bool alone)
{
	const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int err;

	if (fd < 0)
		return -errno;
	if (!flock(fd, (alone ? LOCK_EX : LOCK_SH) | LOCK_NB))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

/* Whether it is a recording of ours without an end */
static bool is_unfinished(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char end[sizeof(magic)];
	struct stat st;
	bool yes;

	if (fd < 0)
		return false;
	yes = !fstat(fd, &st) && S_ISREG(st.st_mode) &&
	      (st.st_size < 2 * (off_t)sizeof(magic) ||
	       pread(fd, end, sizeof(end), st.st_size - sizeof(end)) !=
	       sizeof(end) || memcmp(end, magic, sizeof(end)));
	close(fd);
	return yes;
}

/* Return: messages, or a negative errno */
static long copy(struct bag_reader *from, struct bag_writer *to,
		 bool (*ending)(void *arg), void *arg)
{
	unsigned int topics;
	const struct bag_topic *topic = bag_topics(from, &topics);
	struct bag_message m;
	long n = 0;
	int err, at;

	while ((err = bag_next(from, &m)) > 0) {
		/* more of them may be found on the way */
		topic = bag_topics(from, &topics);
		at = bag_add_topic(to, &topic[m.topic]);
		err = at < 0 ? at : bag_write(to, at, m.stamp, m.data, m.len);
		if (!err && ending(arg))
			err = -ECANCELED;
		if (err)
			break;
		n++;
	}
	return err ? err : n;
}

/* Return: 0; -ENODATA: there is nothing in it; other negative errnos */
static int rewrite(const char *path, const char *part,
		   bool (*ending)(void *arg), void *arg)
{
	struct bag_reader *from;
	struct bag_writer *to;
	int err = bag_open(&from, path), end;
	long n;

	if (err)
		return err == -EBADMSG || err == -EPROTONOSUPPORT ? -ENODATA :
								    err;
	unlink(part);
	err = bag_create(&to, part, BAG_MCAP, true);
	if (err) {
		bag_close(from);
		unlink(part);
		return err;
	}
	n = copy(from, to, ending, arg);
	end = bag_finish(to);
	bag_close(from);
	err = n < 0 ? n : end ? end : n ? 0 : -ENODATA;
	if (!err && rename(part, path))
		err = -errno;
	if (err)
		unlink(part);
	return err;
}

/* Return: as folder_finish() tells it */
static int finish(const char *path, bool (*ending)(void *arg), void *arg)
{
	char other[FOLDER_PATH];
	struct stat st;
	int err;

	snprintf(other, sizeof(other), "%.*s.part", (int)strlen(path) - 5,
		 path);
	err = rewrite(path, other, ending, arg);
	/* what is not empty may be of use to somebody */
	if (err != -ENODATA || stat(path, &st) ||
	    st.st_size > (off_t)sizeof(magic))
		return err;
	unlink(path);
	snprintf(other, sizeof(other), "%.*s.txt", (int)strlen(path) - 5, path);
	if (!stat(other, &st) && !st.st_size)
		unlink(other);
	return err;
}

static int is_recording(const struct dirent *d)
{
	const size_t len = strlen(d->d_name);

	return (!strncmp(d->d_name, "log_", 4) ||
		!strncmp(d->d_name, "snapshot_", 9)) && len > 9 &&
	       !strcmp(d->d_name + len - 5, ".mcap");
}

void folder_finish(const char *folder, bool (*ending)(void *arg),
		   void (*told)(void *arg, const char *path, int err),
		   void *arg)
{
	struct dirent **found;
	const int n = scandir(folder, &found, is_recording, alphasort);
	char path[FOLDER_PATH];

	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%.3500s/%s", folder,
			 found[i]->d_name);
		free(found[i]);
		if (!ending(arg) && is_unfinished(path)) {
			const int err = finish(path, ending, arg);

			if (err != -ECANCELED)
				told(arg, path, err);
		}
	}
	if (n >= 0)
		free(found);
}
