/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * map_fixture.h - folders of a test, and what its callbacks said
 */
#ifndef UNIT_MAP_FIXTURE_H
#define UNIT_MAP_FIXTURE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char said[4096];

/* Whether that was said since the last time */
static inline bool says(const char *text)
{
	const bool same = !strcmp(said, text);

	if (!same)
		printf("# '%s', not '%s'\n", said, text);
	*said = 0;
	return same;
}

/* A file of @len bytes */
static inline void put(const char *folder, const char *name, size_t len)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	while (f && len--)
		fputc('x', f);
	if (f)
		fclose(f);
}

static inline void remove_all(const char *folder)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	if (system(command))
		puts("# left behind");
}

#endif
