// SPDX-License-Identifier: GPL-2.0-only
/*
 * folder_finish - finish unfinished recordings
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/text.h"
#include "map/record/folder.h"
#include "ros/bag/bag.h"
#include "ros/bag/mcap_format.h"

enum { FOLDER_PATH = 4096 };

/* An MCAP file begins and ends with it */
enum { MAGIC = sizeof(MCAP_MAGIC) - 1 };

/* Whether it is an MCAP recording without its end */
static bool is_unfinished(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char end[MAGIC];
	struct stat st;
	bool yes;

	if (fd < 0)
		return false;
	yes = !fstat(fd, &st) && S_ISREG(st.st_mode) &&
	      (st.st_size < 2 * MAGIC ||
	       pread(fd, end, MAGIC, st.st_size - MAGIC) != MAGIC ||
	       memcmp(end, MCAP_MAGIC, MAGIC));
	close(fd);
	return yes;
}

/* Return: messages, or a negative errno */
static long folder_finish_copy(struct bag_reader *from, struct bag_writer *to,
			       bool (*ending)(void *arg), void *arg)
{
	unsigned int topics;
	const struct bag_topic *topic;
	struct bag_message m;
	long n = 0;
	int err, at;

	while ((err = bag_next(from, &m)) > 0) {
		/* reading may find more topics */
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

/* Return: 0, or an error of the disk */
static int sync_path(const char *path, int flags)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | flags);
	int err = 0;

	if (fd < 0)
		return -errno;
	if (fsync(fd) && errno != EINVAL)
		err = -errno;
	close(fd);
	return err;
}

/* Make a rename durable; not all file systems can */
static void sync_folder_of(const char *path)
{
	char folder[FOLDER_PATH];

	snprintf(folder, sizeof(folder), "%.*s",
		 (int)(strrchr(path, '/') - path), path);
	sync_path(*folder ? folder : "/", O_DIRECTORY);
}

static bool folder_finish_is_empty(const char *path)
{
	struct stat st;

	return !stat(path, &st) && st.st_size <= MAGIC;
}

/*
 * Write the readable part to @part; @lost: more than an incomplete last record
 * is missing. Return: 0; -ENODATA: nothing is readable. After an error there is
 * no @part
 */
static int rewrite(const char *path, const char *part, bool *lost,
		   bool (*ending)(void *arg), void *arg)
{
	struct bag_reader *from;
	struct bag_writer *to;
	int err = bag_open(&from, path), end;
	long n;

	if (err)
		return err;
	unlink(part);
	err = bag_create(&to, part, BAG_MCAP, true);
	if (err) {
		bag_close(from);
		unlink(part);
		return err;
	}
	n = folder_finish_copy(from, to, ending, arg);
	*lost = bag_lost(from);
	end = bag_finish(to);
	bag_close(from);
	err = n < 0 ? n :
	      end   ? end :
	      !n && (*lost || folder_finish_is_empty(path)) ?
		    -ENODATA :
		    sync_path(part, 0);
	if (err)
		unlink(part);
	return err;
}

/* Link first and sync, so that a power loss cannot lose the file */
static int set_aside(const char *path)
{
	char damaged[FOLDER_PATH + sizeof(FOLDER_DAMAGED)];
	struct stat a, b;
	int err = 0;

	snprintf(damaged, sizeof(damaged), "%s" FOLDER_DAMAGED, path);
	if (link(path, damaged))
		err = -errno;
	/* the link may be from before a power loss */
	if (err == -EEXIST && !lstat(path, &a) && !lstat(damaged, &b) &&
	    a.st_dev == b.st_dev && a.st_ino == b.st_ino)
		err = 0;
	/* FAT has no links; protected_hardlinks refuses files of other users */
	if (err == -EPERM || err == -EOPNOTSUPP || err == -ENOSYS)
		err = renameat2(AT_FDCWD, path, AT_FDCWD, damaged,
				RENAME_NOREPLACE) ? -errno : 0;
	if (!err)
		sync_folder_of(path);
	return err;
}

/* Whether the file is the cause and not the disk: a retry is useless */
static bool is_of_file(int err)
{
	return err == -ENODATA || err == -EBADMSG || err == -EPROTONOSUPPORT ||
	       err == -EINVAL || err == -EMSGSIZE || err == -E2BIG;
}

static void remove_empty(const char *path)
{
	char text[FOLDER_PATH];
	struct stat st;

	unlink(path);
	snprintf(text, sizeof(text), "%.*s.txt", (int)strlen(path) - 5, path);
	if (!stat(text, &st) && !st.st_size)
		unlink(text);
}

/* Nothing was readable. Return: as @finished of folder_finish() */
static int folder_finish_leave(const char *path)
{
	int err;

	if (folder_finish_is_empty(path)) {
		remove_empty(path);
		return -ENODATA;
	}
	/* it is not empty: keep it */
	err = set_aside(path);
	if (err)
		return err;
	unlink(path);
	return -EPROTO;
}

/* Return: as @finished of folder_finish() */
static int folder_finish_finish(const char *path, bool (*ending)(void *arg),
				void *arg)
{
	char part[FOLDER_PATH];
	bool lost = false;
	int err;

	snprintf(part, sizeof(part), "%.*s.part", (int)strlen(path) - 5, path);
	err = rewrite(path, part, &lost, ending, arg);
	if (is_of_file(err))
		err = folder_finish_leave(path);
	else if (!err && lost)
		err = set_aside(path);
	if (err)
		goto out;
	if (rename(part, path))
		err = -errno;
	else if (lost)
		err = -EBADMSG;
out:
	if (err && err != -EBADMSG)
		unlink(part);
	sync_folder_of(path);
	return err;
}

static int folder_finish_is_recording(const struct dirent *d)
{
	return (!strncmp(d->d_name, "log_", 4) &&
		text_ends(d->d_name + 4, ".mcap")) ||
	       (!strncmp(d->d_name, "snapshot_", 9) &&
		text_ends(d->d_name + 9, ".mcap"));
}

void folder_finish(const char *folder, bool (*ending)(void *arg),
		   void (*finished)(void *arg, const char *path, int err),
		   void *arg)
{
	struct dirent **found;
	const int n =
		scandir(folder, &found, folder_finish_is_recording, alphasort);
	char path[FOLDER_PATH];

	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%.3500s/%s", folder,
			 found[i]->d_name);
		free(found[i]);
		if (!ending(arg) && is_unfinished(path)) {
			const int err = folder_finish_finish(path, ending, arg);

			if (err != -ECANCELED)
				finished(arg, path, err);
		}
	}
	if (n >= 0)
		free(found);
}
