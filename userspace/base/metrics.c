// SPDX-License-Identifier: GPL-2.0-only
/*
 * metrics - counters in the text format of Prometheus, over HTTP
 *
 * Connections have a thread of their own; counters are read in the loop.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/address.h"
#include "base/error.h"
#include "base/http_server.h"
#include "base/loop_call.h"
#include "base/metrics.h"

enum {
	PATIENCE	= 10000,	/* ms, for a request */
	BUSY		= 5000,		/* ms, for the loop to answer */
};

struct metrics {
	struct loop_call	*call;
	struct http_server	*server;
	void			(*collect)(void *arg, FILE *out);
	void			*arg;
};

/* A text, while it is collected */
struct metrics_text {
	struct metrics	*metrics;
	char		*text;
	size_t		len;
};

static void metrics_reply(struct http_conn *c, int status, const char *type,
			  const char *text, size_t len, bool keep)
{
	struct bytes b = { 0 };
	char head[192];
	const int n = snprintf(head, sizeof(head),
			       "HTTP/1.1 %d %s\r\nContent-Type: %s\r\n"
			       "Content-Length: %zu\r\nConnection: %s\r\n\r\n",
			       status, http_status(status), type, len,
			       keep ? "keep-alive" : "close");

	/* without memory it is closed */
	if (bytes_append(&b, head, n) || bytes_append(&b, text, len)) {
		b.len = 0;
		keep = false;
	}
	http_reply(c, &b, 0, b.len, keep);
	bytes_free(&b);
}

static void metrics_on_error(void *arg, unsigned int worker,
			     struct http_conn *c, int status)
{
	char line[64];

	(void)arg;
	(void)worker;
	metrics_reply(c, status, "text/plain", line,
		      snprintf(line, sizeof(line), "%s\n",
			       http_status(status)), false);
}

static int metrics_on_head(void *arg, unsigned int worker, struct http_conn *c)
{
	static const char missing[] = "not found; see /metrics\n";
	const struct http_request *r = http_conn_request(c);

	(void)arg;
	(void)worker;
	if (!strcmp(r->method, "GET") && !strcmp(r->path, "/metrics"))
		return 0;
	metrics_reply(c, 404, "text/plain", missing, sizeof(missing) - 1,
		      r->keep);
	return 404;
}

static void metrics_collect(void *arg)
{
	struct metrics_text *t = arg;
	FILE *out = open_memstream(&t->text, &t->len);

	if (!out)
		return;
	t->metrics->collect(t->metrics->arg, out);
	fclose(out);
}

static void metrics_on_request(void *arg, unsigned int worker,
			       struct http_conn *c)
{
	struct metrics *m = arg;
	struct metrics_text t = { .metrics = m };

	if (loop_call_run(m->call, metrics_collect, &t, BUSY) || !t.text)
		metrics_on_error(m, worker, c, 503);
	else
		metrics_reply(c, 200, "text/plain; version=0.0.4", t.text,
			      t.len, http_conn_request(c)->keep);
	free(t.text);
}

int metrics_open(struct metrics **out, struct loop *l, const char *where,
		 void (*collect)(void *arg, FILE *out), void *arg,
		 struct error *error)
{
	bool port = strspn(where, "0123456789") == strlen(where);
	struct address a;
	struct http_config config = {
		.address = &a, .workers = 1, .patience = PATIENCE,
		.admit = metrics_on_head, .answer = metrics_on_request,
		.error = metrics_on_error,
	};
	char local[64];
	struct metrics *m;
	int ret;

	snprintf(local, sizeof(local), "127.0.0.1:%.40s", where);
	ret = address_parse(port ? local : where, 1, "9750", &a, error);
	if (ret)
		return ret;
	m = calloc(1, sizeof(*m));
	if (!m)
		return error_set(error, -ENOMEM, "no memory");
	m->collect = collect;
	m->arg = arg;
	config.arg = m;
	ret = loop_call_open(&m->call, l);
	if (!ret)
		ret = http_server_open(&m->server, &config);
	if (ret) {
		loop_call_close(m->call);
		free(m);
		return error_set(error, ret, "%s: cannot serve metrics: %s",
				 where, strerror(-ret));
	}
	*out = m;
	return 0;
}

void metrics_close(struct metrics *m)
{
	if (!m)
		return;
	loop_call_cancel(m->call);
	http_server_close(m->server);
	loop_call_close(m->call);
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
