// SPDX-License-Identifier: GPL-2.0-only
/*
 * folder - a folder of recordings with a quota
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
#include "base/text.h"
#include "map/record/folder.h"

int folder_make(const char *path)
{
	char part[4096];

	for (size_t i = 1; path[i - 1]; i++) {
		if (path[i] != '/' && path[i])
			continue;
		if (i >= sizeof(part))
			return -ENAMETOOLONG;
		memcpy(part, path, i);
		part[i] = 0;
		if (mkdir(part, 0755) && errno != EEXIST)
			return -errno;
	}
	return 0;
}

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

int folder_lock_share(int fd)
{
	int err;

	if (!flock(fd, LOCK_SH | LOCK_NB))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

static uint64_t folder_size_of(const char *folder, const char *name)
{
	char path[4096];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return !stat(path, &st) && S_ISREG(st.st_mode) ? st.st_size : 0;
}

static int is_log(const struct dirent *d)
{
	return !strncmp(d->d_name, "log_", 4) &&
	       (text_ends(d->d_name + 4, ".mcap") ||
		text_ends(d->d_name + 4, ".mcap" FOLDER_DAMAGED));
}

static uint64_t total(const char *folder)
{
	DIR *dir = opendir(folder);
	const struct dirent *d;
	uint64_t bytes = 0;

	while (dir && (d = readdir(dir)))
		bytes += folder_size_of(folder, d->d_name);
	if (dir)
		closedir(dir);
	return bytes;
}

/* With its text, which damaged logs lack. Return: bytes freed */
static uint64_t folder_drop(const char *folder, const char *name)
{
	char text[256], path[4096];
	uint64_t bytes = folder_size_of(folder, name);

	if (text_ends(name, ".mcap")) {
		snprintf(text, sizeof(text), "%.*s.txt", (int)strlen(name) - 5,
			 name);
		bytes += folder_size_of(folder, text);
		snprintf(path, sizeof(path), "%s/%s", folder, text);
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return unlink(path) ? 0 : bytes;
}

uint64_t folder_trim(const char *folder, uint64_t quota, const char *keep)
{
	const char *name = keep ? strrchr(keep, '/') : NULL;
	uint64_t bytes = total(folder);
	struct dirent **log;
	/* names are times: this is the order of time */
	const int n = scandir(folder, &log, is_log, alphasort);

	for (int i = 0; i < n; i++) {
		if (bytes > quota &&
		    (!name || strcmp(name + 1, log[i]->d_name)))
			bytes -= folder_drop(folder, log[i]->d_name);
		free(log[i]);
	}
	if (n >= 0)
		free(log);
	return bytes;
}
