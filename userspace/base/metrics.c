// SPDX-License-Identifier: GPL-2.0-only
/*
 * metrics - counters in the text format of Prometheus, over HTTP
 */
#include <errno.h>
#include <microhttpd.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/metrics.h"
#include "base/address.h"

struct metrics {
	struct loop		*loop;
	struct MHD_Daemon	*daemon;
	struct loop_fd		watch;
	struct loop_timer	timer;
	void			(*collect)(void *arg, FILE *out);
	void			*arg;
};

static enum MHD_Result reply(struct MHD_Connection *k, unsigned int status,
			     const char *type, char *text, size_t len,
			     enum MHD_ResponseMemoryMode mode)
{
	struct MHD_Response *r =
		MHD_create_response_from_buffer(len, text, mode);
	enum MHD_Result ret;

	if (!r)
		return MHD_NO;
	MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	ret = MHD_queue_response(k, status, r);
	MHD_destroy_response(r);
	return ret;
}

static enum MHD_Result metrics_on_request(void *arg, struct MHD_Connection *k,
					  const char *url, const char *method,
					  const char *version,
					  const char *upload,
					  size_t *upload_size, void **state)
{
	static char missing[] = "not found; see /metrics\n";
	struct metrics *m = arg;
	char *text = NULL;
	size_t len = 0;
	FILE *out;

	(void)version;
	(void)upload;
	(void)upload_size;
	(void)state;
	if (strcmp(method, "GET") || strcmp(url, "/metrics"))
		return reply(k, MHD_HTTP_NOT_FOUND, "text/plain", missing,
			     sizeof(missing) - 1, MHD_RESPMEM_PERSISTENT);
	out = open_memstream(&text, &len);
	if (!out)
		return MHD_NO;
	m->collect(m->arg, out);
	fclose(out);
	return reply(k, MHD_HTTP_OK, "text/plain; version=0.0.4", text, len,
		     MHD_RESPMEM_MUST_FREE);
}

static void metrics_run(struct metrics *m)
{
	MHD_UNSIGNED_LONG_LONG ms;

	MHD_run(m->daemon);
	m->timer.due = MHD_get_timeout(m->daemon, &ms) == MHD_YES ?
		       loop_now() + ms * 1000000 : LOOP_NEVER;
}

static void metrics_on_ready(void *arg, uint32_t events)
{
	(void)events;
	metrics_run(arg);
}

static void metrics_on_timer(void *arg, uint64_t now)
{
	(void)now;
	metrics_run(arg);
}

int metrics_open(struct metrics **out, struct loop *l, const char *where,
		 void (*collect)(void *arg, FILE *out), void *arg,
		 char error[ERROR_TEXT])
{
	const union MHD_DaemonInfo *info;
	bool port = strspn(where, "0123456789") == strlen(where);
	char local[64];
	struct address a;
	struct metrics *m;
	int ret;

	snprintf(local, sizeof(local), "127.0.0.1:%.40s", where);
	ret = address_parse(port ? local : where, 1, "9750", &a, error);
	if (ret)
		return ret;
	m = calloc(1, sizeof(*m));
	if (!m)
		return error_set(error, -ENOMEM, "no memory");
	m->loop = l;
	m->collect = collect;
	m->arg = arg;
	m->daemon = MHD_start_daemon(MHD_USE_EPOLL |
		(a.storage.ss_family == AF_INET6 ? MHD_USE_DUAL_STACK : 0), 0, NULL,
		NULL, metrics_on_request, m, MHD_OPTION_SOCK_ADDR, &a.storage,
		MHD_OPTION_CONNECTION_LIMIT, 8u, MHD_OPTION_CONNECTION_TIMEOUT,
		10u, MHD_OPTION_END);
	info = m->daemon ? MHD_get_daemon_info(m->daemon,
					MHD_DAEMON_INFO_EPOLL_FD) : NULL;
	m->watch.ready = metrics_on_ready;
	m->timer.expired = metrics_on_timer;
	m->watch.arg = m->timer.arg = m;
	m->timer.due = LOOP_NEVER;
	if (!info || loop_watch(l, &m->watch, info->epoll_fd, EPOLLIN)) {
		if (m->daemon)
			MHD_stop_daemon(m->daemon);
		free(m);
		return error_set(error, -EADDRNOTAVAIL,
				 "%s: cannot serve metrics: %s", where,
				 strerror(errno));
	}
	loop_add_timer(l, &m->timer);
	*out = m;
	return 0;
}

void metrics_close(struct metrics *m)
{
	if (!m)
		return;
	loop_remove_timer(m->loop, &m->timer);
	loop_unwatch(m->loop, &m->watch);
	MHD_stop_daemon(m->daemon);
	free(m);
}

void metrics_family(FILE *out, const char *name, const char *type,
		    const char *help)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void metrics_label(FILE *out, const char *text)
{
	for (; *text; text++)
		if (*text == '\n')
			fputs("\\n", out);
		else if (*text == '"' || *text == '\\')
			fprintf(out, "\\%c", *text);
		else
			fputc(*text, out);
}
