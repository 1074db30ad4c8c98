// SPDX-License-Identifier: GPL-2.0-only
/* Where daemons listen, and where clients look */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/socket_path.h"
#include "tap.h"

int main(void)
{
	char dir[] = "/tmp/test_socket_path.XXXXXX", path[SOCKET_PATH];
	char own[SOCKET_PATH + 64], longer[2 * SOCKET_PATH];

	if (!mkdtemp(dir))
		return 1;
	unsetenv("XDG_RUNTIME_DIR");
	socket_path_listen(SOCKET_SEND, path);
	ok(!strcmp(path, "/run/optsample-send/socket"),
	   "a service listens in /run");
	setenv("XDG_RUNTIME_DIR", dir, 1);
	snprintf(own, sizeof(own), "%s/%s", dir, SOCKET_SEND);
	socket_path_listen(SOCKET_SEND, path);
	ok(!strcmp(path, own), "a user's daemon in the user's folder");
	socket_path_find(SOCKET_SEND, path);
	ok(!strcmp(path, "/run/optsample-send/socket"),
	   "a client takes that of the service if the user has none");
	*strrchr(own, '/') = '\0';
	mkdir(own, 0700);
	strcat(own, "/socket");
	close(open(own, O_CREAT | O_WRONLY, 0600));
	socket_path_find(SOCKET_SEND, path);
	ok(!strcmp(path, own), "else the user's own");
	memset(longer, 'x', sizeof(longer) - 1);
	longer[0] = '/';
	longer[sizeof(longer) - 1] = '\0';
	setenv("XDG_RUNTIME_DIR", longer, 1);
	socket_path_listen(SOCKET_GDIMD, path);
	ok(!strcmp(path, "/run/gdim/gdimd.sock"),
	   "a folder whose name is too long is not used");
	unlink(own);
	*strrchr(own, '/') = '\0';
	rmdir(own);
	rmdir(dir);
	return tap_done();
}
