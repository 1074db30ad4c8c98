/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * daemon_fixture.h - the whole daemon in this process, its loop in a thread of
 * its own, and a client of its socket and of its HTTP API
 */
#ifndef UNIT_DAEMON_FIXTURE_H
#define UNIT_DAEMON_FIXTURE_H

#include <pthread.h>
#include <signal.h>
#include <sys/un.h>
#include "apps/gdimd/gdimd.h"
#include "base/cli.h"
#include "free_port.h"
#include "site_fixture.h"

static struct gdimd g;
static struct sockaddr_in http_at;
static pthread_t loop_thread;

static void *run_loop(void *arg)
{
	(void)arg;
	loop_run(g.loop);
	return NULL;
}

/* Of "--store", the socket "sock" and HTTP at http_at, and @options, to NULL */
static inline int daemon_open(const char *store, const char *const *options)
{
	char path[160], sock[160], http[32];
	const char *argv[32] = {
		"gdimd", "--store", path, "--socket", sock, "--http", http,
		"--from", "none", "--default-layers", "no",
	};
	int argc = 11;
	int err;

	http_at = free_port();
	cli_program = "gdimd";
	snprintf(path, sizeof(path), "%s", in_folder(store));
	snprintf(sock, sizeof(sock), "%s", in_folder("sock"));
	snprintf(http, sizeof(http), "127.0.0.1:%u", ntohs(http_at.sin_port));
	while (*options)
		argv[argc++] = *options++;
	memset(&g, 0, sizeof(g));
	if (config_parse(&g.config, argc, (char **)argv))
		return -EINVAL;
	err = gdimd_open(&g, &error);
	if (err)
		gdimd_close(&g);
	else
		pthread_create(&loop_thread, NULL, run_loop, NULL);
	return err;
}

/* As a user ends it. The loop leaves the signal, and it would end the next */
static inline void daemon_close(void)
{
	const struct timespec none = { 0, 0 };
	sigset_t set;

	kill(getpid(), SIGTERM);
	pthread_join(loop_thread, NULL);
	gdimd_close(&g);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	if (sigtimedwait(&set, NULL, &none) != SIGTERM)
		abort();
}

/* Until all that is stored is fused */
static inline void wait_fused(void)
{
	fuser_kick(g.fuser);
	while (site_counts(g.site).to_fuse)
		usleep(1000);
}

/*
 * The socket
 */

/* The answer to a line; delete it */
static inline cJSON *ask(const char *line)
{
	static char text[1 << 16];
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	size_t n = 0;
	ssize_t got;

	snprintf(a.sun_path, sizeof(a.sun_path), "%s", in_folder("sock"));
	if (connect(fd, (struct sockaddr *)&a, sizeof(a)) ||
	    dprintf(fd, "%s\n", line) < 0)
		abort();
	while (n < sizeof(text) - 1 && !memchr(text, '\n', n)) {
		got = recv(fd, text + n, sizeof(text) - 1 - n, 0);
		if (got <= 0)
			break;
		n += got;
	}
	text[n] = 0;
	close(fd);
	return cJSON_Parse(text);
}

/* The error of a line, "": there is none; good until the next one */
static inline const char *asked(const char *line)
{
	static char text[ERROR_TEXT];
	cJSON *answer = ask(line);
	const char *why = cJSON_GetStringValue(cJSON_GetObjectItem(answer,
								   "error"));

	snprintf(text, sizeof(text), "%s", !answer ? "no answer" :
		 cJSON_IsTrue(cJSON_GetObjectItem(answer, "ok")) ? "" :
		 why ? why : "no error");
	cJSON_Delete(answer);
	return text;
}

/* The number at the end of a path of keys like "in.refused"; NAN: none */
static inline double number_at(const cJSON *o, const char *path)
{
	char key[64];

	while (*path) {
		const size_t n = strcspn(path, ".");

		snprintf(key, sizeof(key), "%.*s", (int)n, path);
		o = cJSON_GetObjectItem(o, key);
		path += n + (path[n] == '.');
	}
	return cJSON_IsNumber(o) ? o->valuedouble : NAN;
}

static inline const char *text_at(const cJSON *o, const char *key)
{
	return cJSON_GetStringValue(cJSON_GetObjectItem(o, key));
}

/*
 * HTTP
 */

/* The last answer: header, and body with a 0 behind it */
static struct {
	int	status;
	char	head[2048];
	uint8_t	body[4 << 20];
	size_t	len;
} got;

/* @lines: of the header, with "\r\n" after each */
static inline int http_raw(const char *request, const char *lines,
			   const char *body)
{
	static char text[sizeof(got.head) + sizeof(got.body)];
	const int fd = socket(AF_INET, SOCK_STREAM, 0);
	const char *end;
	size_t n = 0;
	ssize_t more = 1;

	if (connect(fd, (struct sockaddr *)&http_at, sizeof(http_at)) ||
	    dprintf(fd, "%s HTTP/1.1\r\n%s\r\n%s", request, lines, body) < 0)
		abort();
	while (more > 0 && n < sizeof(text) - 1) {
		more = recv(fd, text + n, sizeof(text) - 1 - n, 0);
		n += more > 0 ? more : 0;
	}
	close(fd);
	text[n] = 0;
	memset(&got, 0, sizeof(got));
	end = strstr(text, "\r\n\r\n");
	if (!end)
		return 0;
	got.status = atoi(text + strlen("HTTP/1.1 "));
	snprintf(got.head, sizeof(got.head), "%.*s", (int)(end + 2 - text),
		 text);
	got.len = n - (end + 4 - text);
	memcpy(got.body, end + 4, got.len);
	return got.status;
}

/* Of /api/v1/@path. Return: the status */
static inline int http_get(const char *path)
{
	char request[512];

	snprintf(request, sizeof(request), "GET /api/v1/%s", path);
	return http_raw(request, "Host: localhost\r\nConnection: close\r\n",
			"");
}

static inline int http_post(const char *path, const char *body)
{
	char request[512], lines[256];

	snprintf(request, sizeof(request), "POST /api/v1/%s", path);
	snprintf(lines, sizeof(lines), "Host: localhost\r\n"
		 "Connection: close\r\nContent-Type: application/json\r\n"
		 "Content-Length: %zu\r\n", strlen(body));
	return http_raw(request, lines, body);
}

/* The value of a line of its header, "": none; good until the next one */
static inline const char *header(const char *name)
{
	static char text[256];
	char start[64];
	const char *at;

	snprintf(start, sizeof(start), "\r\n%s: ", name);
	at = strstr(got.head, start);
	snprintf(text, sizeof(text), "%.*s", at ?
		 (int)strcspn(at + strlen(start), "\r") : 0,
		 at ? at + strlen(start) : "");
	return text;
}

/* Delete it */
static inline cJSON *body_json(void)
{
	return cJSON_Parse((char *)got.body);
}

/* "error" of the body, "": none; good until the next one */
static inline const char *body_error(void)
{
	static char text[ERROR_TEXT];
	cJSON *answer = body_json();
	const char *why = text_at(answer, "error");

	snprintf(text, sizeof(text), "%s", why ? why : "");
	cJSON_Delete(answer);
	return text;
}

#endif
