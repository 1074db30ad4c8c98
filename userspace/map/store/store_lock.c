// SPDX-License-Identifier: GPL-2.0-only
/*
 * store_lock - lock that allows one process to write a store
 *
 * It is a file of its own: closing any descriptor of SQLite's files would drop
 * SQLite's locks on them. The lock belongs to the open file (OFD), so that a
 * second store_open() in the same process fails, too.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "map/store/store_lock.h"

static int read_owner(int fd)
{
	char text[16];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return 0;
	text[n] = '\0';
	return atoi(text);
}

/* For information only, so an error such as a full disk is ignored */
static void write_owner(int fd)
{
	char text[16];
	int n = snprintf(text, sizeof(text), "%d\n", getpid());

	if (!ftruncate(fd, 0) && pwrite(fd, text, n, 0) != n)
		errno = 0;
}

int store_lock(const char *path, int *owner)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	char *name;
	int fd, err;

	*owner = 0;
	if (asprintf(&name, "%s-lock", path) < 0)
		return -ENOMEM;
	fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	err = -errno;
	free(name);
	if (fd < 0)
		return err;
	if (!fcntl(fd, F_OFD_SETLK, &lock)) {
		write_owner(fd);
		return fd;
	}
	err = errno == EAGAIN || errno == EACCES ? -EBUSY : -errno;
	if (err == -EBUSY)
		*owner = read_owner(fd);
	close(fd);
	return err;
}
