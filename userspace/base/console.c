// SPDX-License-Identifier: GPL-2.0-only
/*
 * console - a local socket for requests to a running daemon
 */
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "base/console.h"
#include "base/socket_path.h"
#include "base/error.h"

enum {
	CLIENTS	= 16,
	LINE	= 65536,	/* bytes of a request, at most */
	PATIENCE = 100,		/* ms, for a client that does not read */
};

struct client {
	struct console	*console;
	struct loop_fd	watch;		/* fd -1: free */
	bool		waits;		/* for an answer; not polled */
	size_t		len;
	char		line[LINE];
};

struct console {
	struct loop	*loop;
	struct loop_fd	listen;
	char		path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	int		(*request)(void *arg, const char *command,
				   const cJSON *parameters, cJSON *answer,
				   struct error *error);
	void		*arg;
	uint64_t	refused;
	struct client	*client[CLIENTS], *asking;
};

struct console_call {
	struct client	*client;
};

static void hang_up(struct client *k)
{
	struct console *c = k->console;

	for (unsigned int i = 0; i < CLIENTS; i++)
		if (c->client[i] == k)
			c->client[i] = NULL;
	if (!k->waits)
		loop_unwatch(c->loop, &k->watch);
	close(k->watch.fd);
	free(k);
}

/* A client that does not read the answer is disconnected */
static bool send_all(int fd, const char *text, size_t len)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	while (len) {
		ssize_t n = send(fd, text, len, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EAGAIN && poll(&p, 1, PATIENCE) == 1)
			continue;
		if (n < 0)
			return false;
		text += n;
		len -= n;
	}
	return true;
}

static bool console_send(int fd, const cJSON *answer)
{
	char *text = cJSON_PrintUnformatted(answer);
	size_t len = text ? strlen(text) : 0;
	bool said;

	if (!text)
		return false;
	text[len] = '\n';	/* replaces the final 0 */
	said = send_all(fd, text, len + 1);
	cJSON_free(text);
	return said;
}

/* @line: @len bytes and a 0, with nothing after the object */
static int console_obey(struct console *c, const char *line, size_t len,
			cJSON *answer, struct error *error)
{
	cJSON *request = strlen(line) == len ?
			 cJSON_ParseWithOpts(line, NULL, true) : NULL;
	const char *command = cJSON_GetStringValue(
		cJSON_GetObjectItemCaseSensitive(request, "do"));
	int ret = -EINVAL;

	if (command)
		ret = c->request(c->arg, command, request, answer, error);
	else
		error_set(error, 0, "not a JSON object with \"do\"");
	cJSON_Delete(request);
	return ret;
}

/* Frees @answer. Return: whether it was sent */
static bool answer_with(struct console *c, int fd, cJSON *answer, int err,
			const char *error)
{
	bool said;

	cJSON_AddBoolToObject(answer, "ok", !err);
	if (err) {
		cJSON_AddStringToObject(answer, "error",
					*error ? error : strerror(-err));
		c->refused++;
	}
	said = console_send(fd, answer);
	cJSON_Delete(answer);
	return said;
}

/* Return: whether the connection stays open */
static bool answer_line(struct client *k, const char *line, size_t len)
{
	cJSON *answer = cJSON_CreateObject();
	struct error error = { "" };
	int err;

	k->console->asking = k;
	err = console_obey(k->console, line, len, answer, &error);
	k->console->asking = NULL;
	if (!k->waits)
		return answer_with(k->console, k->watch.fd, answer, err, error.text);
	cJSON_Delete(answer);
	return true;
}

/* Handle the received lines, up to one that is answered later */
static void answer_lines(struct client *k)
{
	char *start = k->line, *end;

	while (!k->waits &&
	       (end = memchr(start, '\n', k->line + k->len - start))) {
		*end = '\0';
		if (!answer_line(k, start, end - start)) {
			hang_up(k);
			return;
		}
		start = end + 1;
	}
	assert(start <= k->line + k->len);
	k->len -= start - k->line;
	memmove(k->line, start, k->len);
	if (k->len == LINE - 1 && !k->waits) {
		answer_with(k->console, k->watch.fd, cJSON_CreateObject(),
			    -E2BIG, "line too long");
		hang_up(k);
	}
}

static void on_client(void *arg, uint32_t events)
{
	struct client *k = arg;
	ssize_t n = read(k->watch.fd, k->line + k->len, LINE - 1 - k->len);

	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		hang_up(k);
		return;
	}
	k->len += n;
	assert(k->len < LINE);
	k->line[k->len] = '\0';
	answer_lines(k);
}

struct console_call *console_later(struct console *c)
{
	struct console_call *call = malloc(sizeof(*call));

	if (!call)
		return NULL;
	assert(c->asking && !c->asking->waits);
	call->client = c->asking;
	c->asking->waits = true;
	loop_unwatch(c->loop, &c->asking->watch);
	return call;
}

void console_answer(struct console_call *call, int err, cJSON *answer,
		    const char *error)
{
	struct client *k = call->client;

	assert(k->waits);
	free(call);
	if (!answer_with(k->console, k->watch.fd, answer, err, error) ||
	    loop_watch(k->console->loop, &k->watch, k->watch.fd, EPOLLIN)) {
		hang_up(k);
		return;
	}
	k->waits = false;
	answer_lines(k);
}

static void on_listen(void *arg, uint32_t events)
{
	struct console *c = arg;
	int fd = accept4(c->listen.fd, NULL, NULL,
			 SOCK_CLOEXEC | SOCK_NONBLOCK);
	unsigned int i = 0;
	struct client *k;

	(void)events;
	if (fd < 0)
		return;
	while (i < CLIENTS && c->client[i])
		i++;
	k = i < CLIENTS ? malloc(sizeof(*k)) : NULL;
	if (!k) {
		answer_with(c, fd, cJSON_CreateObject(), -EBUSY,
			    "too many connections");
		close(fd);
		return;
	}
	k->console = c;
	k->waits = false;
	k->len = 0;
	k->watch.ready = on_client;
	k->watch.arg = k;
	c->client[i] = k;
	if (loop_watch(c->loop, &k->watch, fd, EPOLLIN)) {
		c->client[i] = NULL;
		close(fd);
		free(k);
	}
}

static void make_folder(const char *path)
{
	char folder[sizeof(((struct sockaddr_un *)0)->sun_path)];
	char *slash;

	snprintf(folder, sizeof(folder), "%s", path);
	slash = strrchr(folder, '/');
	if (!slash || slash == folder)
		return;
	*slash = '\0';
	mkdir(folder, 0755);
}

/* Whether a process accepts connections there */
static bool answered(const struct sockaddr_un *a)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool lives = fd >= 0 &&
		     !connect(fd, (const struct sockaddr *)a, sizeof(*a));

	if (fd >= 0)
		close(fd);
	return lives;
}

static int console_listen_at(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	struct stat st;
	mode_t mask;
	int fd, err;

	memcpy(a.sun_path, path, strlen(path) + 1);
	if (answered(&a))
		return -EADDRINUSE;
	make_folder(path);
	if (!lstat(path, &st)) {
		if (!S_ISSOCK(st.st_mode))
			return -ENOTSOCK;
		unlink(path);
	}
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	mask = umask(0117);
	err = bind(fd, (struct sockaddr *)&a, sizeof(a)) || listen(fd, 8) ?
	      -errno : 0;
	umask(mask);
	if (!err)
		return fd;
	close(fd);
	return err;
}

int console_open(struct console **out, struct loop *l, const char *path,
		 int (*request)(void *arg, const char *command,
				const cJSON *parameters, cJSON *answer,
				struct error *error),
		 void *arg, struct error *error)
{
	struct console *c;
	int fd;

	if (strlen(path) >= sizeof(c->path))
		return error_set(error, -ENAMETOOLONG,
				 "%s: too long for a socket", path);
	c = calloc(1, sizeof(*c));
	fd = c ? console_listen_at(path) : -ENOMEM;
	if (fd >= 0) {
		strcpy(c->path, path);
		c->loop = l;
		c->request = request;
		c->arg = arg;
		c->listen.ready = on_listen;
		c->listen.arg = c;
		if (!loop_watch(l, &c->listen, fd, EPOLLIN)) {
			*out = c;
			return 0;
		}
		close(fd);
		fd = -ENOMEM;
	}
	free(c);
	return error_set(error, fd, "%s: %s", path, fd == -EADDRINUSE ?
			 "another process uses this socket" : strerror(-fd));
}

int console_open_usual(struct console **out, struct loop *l, const char *given,
		       const char *name,
		       int (*request)(void *arg, const char *command,
				      const cJSON *parameters, cJSON *answer,
				      struct error *error),
		       void *arg, struct error *error)
{
	char path[SOCKET_PATH];

	if (*given)
		return console_open(out, l, given, request, arg, error);
	socket_path_listen(name, path);
	return console_open(out, l, path, request, arg, error) ? 1 : 0;
}

void console_close(struct console *c)
{
	if (!c)
		return;
	for (unsigned int i = 0; i < CLIENTS; i++)
		if (c->client[i])
			hang_up(c->client[i]);
	loop_unwatch(c->loop, &c->listen);
	close(c->listen.fd);
	unlink(c->path);
	free(c);
}

uint64_t console_refused(const struct console *c)
{
	return c ? c->refused : 0;
}
