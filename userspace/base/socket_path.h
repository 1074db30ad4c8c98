/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * socket_path.h - where daemons listen for requests if nothing else was said,
 * and where their clients look
 *
 * $XDG_RUNTIME_DIR/NAME of a user who has that, else /run/NAME, as of the system
 * service. A client looks in both, the user's own first.
 */
#ifndef BASE_SOCKET_PATH_H
#define BASE_SOCKET_PATH_H

#include <sys/un.h>

enum { SOCKET_PATH = sizeof(((struct sockaddr_un *)0)->sun_path) };

/* The names, below either folder */
#define SOCKET_SEND	"optsample-send/socket"
#define SOCKET_RECV	"optsample-recv/socket"
#define SOCKET_VIEW	"optsample-view/socket"
#define SOCKET_GDIMD	"gdim/gdimd.sock"

/* Where a daemon listens. @name: one of the above */
void socket_path_listen(const char *name, char path[SOCKET_PATH]);

/* Where a client connects: the user's own if there is a file, else /run/@name */
void socket_path_find(const char *name, char path[SOCKET_PATH]);

#endif
