// SPDX-License-Identifier: GPL-2.0-only
/*
 * atomic_file - atomic file replacement: write, fsync, rename
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/atomic_file.h"
#include "base/error.h"

int atomic_file_error(struct error *error, const char *path, int err,
		      const char *text)
{
	const size_t most = 150, n = strlen(path);

	return error_set(error, err, "%s%s: %.90s", n > most ? "..." : "",
			 n > most ? path + n - most : path,
			 text ? text : strerror(-err));
}

/* A stale file is from a dead process with our process id */
static int atomic_file_create(const char *path)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int fd = open(path, flags, 0666);

	if (fd < 0 && errno == EEXIST && !unlink(path))
		fd = open(path, flags, 0666);
	return fd;
}

/* Not a file, such as a device: root must not replace it */
static bool is_special(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISREG(st.st_mode) &&
	       !S_ISDIR(st.st_mode);
}

int atomic_file_open(struct atomic_file *n, const char *path,
		     struct error *error)
{
	int fd, err;

	if (strlen(path) + 32 > PATH_MAX)
		return atomic_file_error(error, path, -ENAMETOOLONG, NULL);
	snprintf(n->path, sizeof(n->path), "%s", path);
	snprintf(n->temporary, sizeof(n->temporary), "%.*s.%d.tmp",
		 PATH_MAX - 32, path, (int)getpid());
	if (is_special(path)) {
		*n->temporary = '\0';
		/* a pipe without a reader is an error: do not block */
		fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
		if (fd >= 0)
			fcntl(fd, F_SETFL, 0);
	} else {
		fd = atomic_file_create(n->temporary);
	}
	if (fd < 0)
		return atomic_file_error(error, path, -errno, NULL);
	n->err = 0;
	n->file = fdopen(fd, "wb");
	if (n->file)
		return 0;
	err = -errno;
	close(fd);
	atomic_file_abandon(n);
	return atomic_file_error(error, path, err, NULL);
}

void atomic_file_write(struct atomic_file *n, const void *data, size_t len)
{
	if (!n->err && fwrite(data, 1, len, n->file) != len)
		n->err = -errno;
}

static int atomic_file_fail(struct atomic_file *n, int err,
			    struct error *error)
{
	atomic_file_abandon(n);
	return atomic_file_error(error, n->path, err, NULL);
}

int atomic_file_sync(struct atomic_file *n, struct error *error)
{
	FILE *f = n->file;
	int err = n->err;

	if (!err && (fflush(f) || (*n->temporary && fsync(fileno(f)))))
		err = -errno;
	n->file = NULL;
	if (fclose(f) && !err)
		err = -errno;
	return err ? atomic_file_fail(n, err, error) : 0;
}

/* Write the folder to disk, for the new name; some file systems cannot */
static void atomic_file_sync_folder(const char *path)
{
	char folder[PATH_MAX];
	char *slash;
	int fd;

	snprintf(folder, sizeof(folder), "%s", path);
	slash = strrchr(folder, '/');
	if (slash)
		slash[slash == folder] = '\0';
	fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

int atomic_file_finish(struct atomic_file *n, struct error *error)
{
	int err = n->file ? atomic_file_sync(n, error) : 0;

	if (err)
		return err;
	if (!*n->temporary)
		return 0;
	if (rename(n->temporary, n->path))
		return atomic_file_fail(n, -errno, error);
	atomic_file_sync_folder(n->path);
	return 0;
}

void atomic_file_abandon(struct atomic_file *n)
{
	if (n->file)
		fclose(n->file);
	n->file = NULL;
	if (*n->temporary)
		unlink(n->temporary);
}
