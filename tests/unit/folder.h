/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * folder.h - a folder for the files of a test
 */
#ifndef UNIT_FOLDER_H
#define UNIT_FOLDER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

/* The path of a file in it, good until seven more were asked for */
static inline const char *in_folder(const char *name)
{
	static char path[8][160];
	static unsigned int next;
	char *p = path[next++ % 8];

	snprintf(p, sizeof(path[0]), "%s/%s", folder, name);
	return p;
}

static inline void write_file(const char *path, const void *data, size_t len)
{
	FILE *f = fopen(path, "w");

	if (!f || fwrite(data, 1, len, f) != len || fclose(f))
		abort();
}

/* A file in it. Return: its path, as of in_folder() */
static inline const char *put_file(const char *name, const void *data,
				   size_t len)
{
	const char *path = in_folder(name);

	write_file(path, data, len);
	return path;
}

/* The same, of a key or a token, which only its user may read */
static inline const char *put_secret(const char *name, const char *text)
{
	const char *path = put_file(name, text, strlen(text));

	if (chmod(path, 0600))
		abort();
	return path;
}

static inline void make_folder(void)
{
	snprintf(folder, sizeof(folder), "/tmp/test_unit.XXXXXX");
	if (!mkdtemp(folder))
		abort();
}

static inline void remove_folder(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	if (system(command))
		abort();
}

#endif
