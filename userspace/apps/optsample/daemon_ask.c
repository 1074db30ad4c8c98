// SPDX-License-Identifier: GPL-2.0-only
/*
 * daemon_ask - a question to a running daemon, through its socket
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>
#include "apps/optsample/daemon_ask.h"
#include "base/cli.h"

enum { SECONDS = 5 };

static int daemon_dial(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	struct timeval wait = { .tv_sec = SECONDS };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (strlen(path) >= sizeof(a.sun_path))
		return -ENAMETOOLONG;
	strcpy(a.sun_path, path);
	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	if (connect(fd, (struct sockaddr *)&a, sizeof(a))) {
		int err = -errno;

		close(fd);
		return err;
	}
	return fd;
}

static cJSON *daemon_talk(int fd, const char *line)
{
	FILE *f = fdopen(fd, "r+");
	char *answer = NULL;
	size_t room = 0;
	cJSON *o = NULL;

	if (!f) {
		close(fd);
		return NULL;
	}
	fprintf(f, "%s\n", line);
	if (!fflush(f) && getline(&answer, &room, f) > 0)
		o = cJSON_Parse(answer);
	free(answer);
	fclose(f);
	return o;
}

int daemon_ask(const char *path, const char *line, cJSON **answer)
{
	int fd;

	/* the daemon may hang up: then there is no answer */
	signal(SIGPIPE, SIG_IGN);
	fd = daemon_dial(path);
	if (fd < 0)
		return cli_error(fd, "%s: %s", path,
				 fd == -ENOENT || fd == -ECONNREFUSED ?
				 "no daemon listens on this socket; is it running, as this user?" :
				 strerror(-fd));
	*answer = daemon_talk(fd, line);
	return 0;
}

double daemon_number(const cJSON *o, const char *name)
{
	const cJSON *n = cJSON_GetObjectItemCaseSensitive(o, name);

	return cJSON_IsNumber(n) ? n->valuedouble : 0;
}

const char *daemon_text(const cJSON *o, const char *name)
{
	const char *s = cJSON_GetStringValue(
		cJSON_GetObjectItemCaseSensitive(o, name));

	return s ? s : "";
}
