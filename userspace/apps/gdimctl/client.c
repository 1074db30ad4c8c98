// SPDX-License-Identifier: GPL-2.0-only
/*
 * client - send commands to a running gdimd, through its socket
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>
#include "base/cli.h"
#include "gdimctl.h"

enum { PATIENCE = 120 };	/* s: an import may be slow */

static int client_dial(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	const struct timeval wait = { PATIENCE, 0 };
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int err;

	if (strlen(path) >= sizeof(a.sun_path)) {
		close(fd);
		return cli_error(-EINVAL, "%s: socket path too long", path);
	}
	strcpy(a.sun_path, path);
	if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof(a))) {
		err = -errno;
		if (fd >= 0)
			close(fd);
		return cli_error(err, "no gdimd answers on %s: %s%s", path,
				 strerror(-err), ctl.store ?
				 "; this command needs one" :
				 "; --store FILE.db works without gdimd");
	}
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	return fd;
}

/* Send a line and receive one. Return: free() it; NULL: failed */
static char *client_talk(int fd, const char *request)
{
	FILE *f = fdopen(fd, "r+");
	char *answer = NULL;
	size_t room = 0;

	if (!f) {
		close(fd);
		return NULL;
	}
	fprintf(f, "%s\n", request);
	if (fflush(f) || getline(&answer, &room, f) <= 0) {
		free(answer);
		answer = NULL;
	}
	fclose(f);
	return answer;
}

static int client_check(cJSON *answer)
{
	const char *error = cJSON_GetStringValue(
		cJSON_GetObjectItem(answer, "error"));

	if (cJSON_IsTrue(cJSON_GetObjectItem(answer, "ok"))) {
		cJSON_DeleteItemFromObject(answer, "ok");
		return 0;
	}
	return cli_error(-EINVAL, "%s", error ? error :
			 "invalid answer from gdimd");
}

void ctl_add_path(cJSON *parameters, const char *key, const char *path)
{
	char *full = realpath(path, NULL);

	cJSON_AddStringToObject(parameters, key, full ? full : path);
	free(full);
}

int ctl_ask(const char *command, cJSON *parameters, cJSON **answer)
{
	char *request, *line;
	int fd, err;

	*answer = NULL;
	cJSON_AddStringToObject(parameters, "do", command);
	request = cJSON_PrintUnformatted(parameters);
	cJSON_Delete(parameters);
	fd = client_dial(ctl.socket);
	if (fd < 0 || !request) {
		cJSON_free(request);
		return fd < 0 ? fd : cli_error(-ENOMEM, "out of memory");
	}
	line = client_talk(fd, request);
	cJSON_free(request);
	*answer = line ? cJSON_Parse(line) : NULL;
	free(line);
	err = *answer ? client_check(*answer) :
	      cli_error(-EIO, "no answer from gdimd");
	if (err) {
		cJSON_Delete(*answer);
		*answer = NULL;
	}
	return err;
}
