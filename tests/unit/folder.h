/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * folder.h - a folder for the files of a test
 */
#ifndef UNIT_FOLDER_H
#define UNIT_FOLDER_H

#include <stdio.h>
#include <stdlib.h>
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
