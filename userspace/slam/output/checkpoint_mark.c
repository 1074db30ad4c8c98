// SPDX-License-Identifier: GPL-2.0-only
/*
 * checkpoint_mark.c - copies of a checkpoint that may grow meanwhile
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/atomic_file.h"
#include "slam/output/checkpoint.h"

int checkpoint_mark_file(struct checkpoint_mark *m, const char *path,
			 struct error *error)
{
	struct stat st;
	int err = 0;

	m->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (m->fd < 0 || fstat(m->fd, &st))
		err = -errno;
	else if (!S_ISREG(st.st_mode))
		err = -EINVAL;
	if (!err) {
		m->size = (uint64_t)st.st_size;
		return 0;
	}
	checkpoint_mark_close(m);
	return atomic_file_error(error, path, err, err == -EINVAL ?
				 "is not a regular file" : NULL);
}

void checkpoint_mark_close(struct checkpoint_mark *m)
{
	if (m->fd >= 0)
		close(m->fd);
	m->fd = -1;
}

/* Return: 0; -errno; -EIO: the file is shorter than the mark */
static int copy_records(const struct checkpoint_mark *m, struct atomic_file *to)
{
	uint8_t part[65536];
	uint64_t at = 0;

	while (at < m->size) {
		const size_t most = m->size - at < sizeof(part) ?
				    (size_t)(m->size - at) : sizeof(part);
		const ssize_t n = pread(m->fd, part, most, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		atomic_file_write(to, part, (size_t)n);
		at += (uint64_t)n;
	}
	return 0;
}

/* Whether a file may be replaced. Return: 0; 1: it is that of the mark; -EBUSY:
 * another process still writes to it
 */
static int check_target(const struct checkpoint_mark *m, const char *path)
{
	struct stat own, st;
	int fd, ret = 0;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return 0;
	if (!fstat(m->fd, &own) && own.st_dev == st.st_dev &&
	    own.st_ino == st.st_ino)
		return 1;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return 0;
	if (flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK)
		ret = -EBUSY;
	close(fd);
	return ret;
}

int checkpoint_mark_copy(const struct checkpoint_mark *m, const char *path,
			 struct error *error)
{
	struct atomic_file to;
	int err = check_target(m, path);

	if (err < 0)
		return atomic_file_error(error, path, err,
					 "in use by another slamd");
	if (err)
		return fdatasync(m->fd) ?
		       atomic_file_error(error, path, -errno, NULL) : 0;
	err = atomic_file_open(&to, path, error);
	if (err)
		return err;
	err = copy_records(m, &to);
	if (!err)
		return atomic_file_finish(&to, error);
	atomic_file_abandon(&to);
	return atomic_file_error(error, path, err, NULL);
}
