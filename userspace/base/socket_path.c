// SPDX-License-Identifier: GPL-2.0-only
/*
 * Default paths of sockets, see socket_path.h.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/socket_path.h"

static void socket_path_system(const char *name, char path[SOCKET_PATH])
{
	snprintf(path, SOCKET_PATH, "/run/%s", name);
}

/* Return: false if the user has no such folder, or its name is too long */
static bool socket_path_user(const char *name, char path[SOCKET_PATH])
{
	const char *folder = getenv("XDG_RUNTIME_DIR");

	return folder && *folder == '/' &&
	       snprintf(path, SOCKET_PATH, "%s/%s", folder, name) <
		       (int)SOCKET_PATH;
}

void socket_path_listen(const char *name, char path[SOCKET_PATH])
{
	if (!socket_path_user(name, path))
		socket_path_system(name, path);
}

void socket_path_find(const char *name, char path[SOCKET_PATH])
{
	if (!socket_path_user(name, path) || access(path, F_OK))
		socket_path_system(name, path);
}
