// SPDX-License-Identifier: GPL-2.0-only
/*
 * secret_file - open a file of keys or tokens, which no other user may read
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/secret_file.h"

int secret_file_open(FILE **f, const char *path, struct error *error)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	int err = 0;

	*f = fd < 0 ? NULL : fdopen(fd, "r");
	if (!*f || fstat(fd, &st))
		err = error_set(error, -errno, "%.150s: %s", path,
				strerror(errno));
	else if (!S_ISREG(st.st_mode))
		err = error_set(error, -EINVAL,
				"%.150s: not a regular file", path);
	else if (st.st_mode & (S_IRWXO | S_IWGRP))
		err = error_set(error, -EACCES,
				"%.150s: other users can read it or its group "
				"can write it; run chmod 640", path);
	if (!err)
		return 0;
	if (*f)
		fclose(*f);
	else if (fd >= 0)
		close(fd);
	*f = NULL;
	return err;
}
