// SPDX-License-Identifier: GPL-2.0-only
/*
 * installed - where the files are that a program opens while it runs
 */
#include <errno.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/installed.h"

const char installed_folder[] = OPTSAMPLE_LIBDIR;

/* Return: whether it is there */
static bool installed_is(char path[PATH_MAX], const char *folder,
			 const char *more, const char *name)
{
	const int n = snprintf(path, PATH_MAX, "%s%s/%s", folder, more, name);

	return n < PATH_MAX && !access(path, R_OK);
}

int installed_find(const char *variable, const char *folder, const char *name,
		   char path[PATH_MAX])
{
	const char *own = variable ? getenv(variable) : NULL, *dir;
	char exe[PATH_MAX], build[64];
	const ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	if (own)
		return installed_is(path, own, "", name) ? 0 : -ENOENT;
	if (n > 0) {
		exe[n] = '\0';
		dir = dirname(exe);
		snprintf(build, sizeof(build), "/../%s", folder);
		if (installed_is(path, dir, build, name) ||
		    installed_is(path, dir, "/../lib/optsample", name))
			return 0;
	}
	return installed_is(path, installed_folder, "", name) ? 0 : -ENOENT;
}
