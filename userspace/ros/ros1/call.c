// SPDX-License-Identifier: GPL-2.0-only
/*
 * call.c - one XML-RPC call: connect, write, read, report
 *
 * HTTP/1.0, a connection for each: a node makes few calls.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include "http.h"
#include "node.h"

enum { CALL_READ = 4096 };

struct call {
	struct watch	watch;
	struct ros1	*node;
	struct bytes	out;
	struct bytes	in;
	call_done	done;
	void		*arg;
};

static void call_free(struct call *c)
{
	poller_remove(&c->node->poller, &c->watch);
	bytes_free(&c->out);
	bytes_free(&c->in);
	free(c);
}

void call_cancel(struct call *c)
{
	if (c)
		call_free(c);
}

static void call_end(struct call *c, int err, const char *words,
		     xmlrpc_value *value)
{
	poller_remove(&c->node->poller, &c->watch);
	c->done(c->arg, err, words, value);
	call_free(c);
}

static void call_failed(struct call *c, int err)
{
	call_end(c, err, strerror(-err), NULL);
}

/* [code, message, value] */
static void call_answer(struct call *c, const struct http *h)
{
	xmlrpc_value *answer, *value;
	char *words;

	if (h->status != 200 ||
	    xml_parse_answer(c->in.data + h->head, h->body, &answer)) {
		call_end(c, -EPROTO, "invalid XML-RPC answer", NULL);
		return;
	}
	words = xml_string(answer, 1);
	value = xml_item(answer, 2);
	if (xml_int(answer, 0, -1) != 1)
		call_end(c, -EREMOTEIO, words ? node_clean(words) :
			 "rejected without a reason", NULL);
	else if (!value)
		call_end(c, -EPROTO, "XML-RPC answer without a value", NULL);
	else
		call_end(c, 0, words ? words : "", value);
	free(words);
	xml_put(value);
	xml_put(answer);
}

static void call_read(struct call *c)
{
	struct http h;
	ssize_t n;
	int all;

	if (bytes_reserve(&c->in, c->in.len + CALL_READ)) {
		call_failed(c, -ENOMEM);
		return;
	}
	n = recv(c->watch.fd, c->in.data + c->in.len, CALL_READ, 0);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0) {
		call_failed(c, -errno);
		return;
	}
	c->in.len += (size_t)n;
	all = http_parse(&c->in, !n, &h);
	if (all < 0)
		call_failed(c, all);
	else if (all)
		call_answer(c, &h);
}

static void call_write(struct call *c)
{
	ssize_t n = send(c->watch.fd, c->out.data, c->out.len, MSG_NOSIGNAL);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0) {
		call_failed(c, -errno);
		return;
	}
	bytes_consume(&c->out, (size_t)n);
	if (!c->out.len)
		poller_want(&c->node->poller, &c->watch, EPOLLIN);
}

static void call_ready(struct watch *w, uint32_t events)
{
	struct call *c = container_of(w, struct call, watch);
	int err = 0;
	socklen_t n = sizeof(err);

	if (!events) {
		call_failed(c, -ETIMEDOUT);
		return;
	}
	if (c->out.len && events & (EPOLLERR | EPOLLHUP) &&
	    !getsockopt(w->fd, SOL_SOCKET, SO_ERROR, &err, &n) && err) {
		call_failed(c, -err);
		return;
	}
	if (c->out.len)
		call_write(c);
	else
		call_read(c);
}

/* Return: 0 or negative errno; consumes @params */
static int call_prepare(struct call *c, const struct uri *to,
			const char *method, xmlrpc_value *params)
{
	struct bytes body = { 0 };
	int err;

	err = xml_write_call(&body, method, params);
	if (!err)
		err = http_request(&c->out, to->host, to->port, body.data,
				   body.len);
	bytes_free(&body);
	return err;
}

int call_start(struct ros1 *r, const struct uri *to, const char *method,
	       xmlrpc_value *params, call_done done, void *arg,
	       struct call **call)
{
	struct call *c = calloc(1, sizeof(*c));
	struct sockaddr_in address;
	int err, fd;

	if (!c) {
		xml_put(params);
		return -ENOMEM;
	}
	c->node = r;
	c->done = done;
	c->arg = arg;
	err = call_prepare(c, to, method, params);
	if (!err)
		err = hosts_find(&r->hosts, to->host, to->port, &address);
	if (err)
		goto err_call;
	fd = connect_start(&address);
	err = fd < 0 ? fd : poller_add(&r->poller, &c->watch, fd, EPOLLOUT,
				     call_ready);
	if (err)
		goto err_call;
	c->watch.deadline = poller_now() + PATIENCE_MS;
	*call = c;
	return 0;
err_call:
	call_free(c);
	return err;
}
