// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_metrics - counters over HTTP, which the loop of the program collects
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/metrics.h"
#include "tap.h"

static struct loop *loop;
static struct loop_fd asked;	/* a client has its answer */
static struct sockaddr_in at;
static unsigned int collected;
static char answer[2048];
static struct error error;

static void collect(void *arg, FILE *out)
{
	collected++;
	metrics_family(out, "packets", "counter", "Packets so far.");
	fputs("packets{name=\"", out);
	metrics_label(out, arg);
	fputs("\"} 5\n", out);
}

static const char *free_port(void)
{
	const int fd = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t len = sizeof(at);
	static char text[16];

	at = (struct sockaddr_in){ .sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) ||
	    getsockname(fd, (struct sockaddr *)&at, &len))
		abort();
	close(fd);
	snprintf(text, sizeof(text), "%d", ntohs(at.sin_port));
	return text;
}

static void *ask(void *arg)
{
	const int fd = socket(AF_INET, SOCK_STREAM, 0);
	const uint64_t one = 1;
	size_t used = 0;
	ssize_t n;

	if (connect(fd, (struct sockaddr *)&at, sizeof(at)) ||
	    send(fd, arg, strlen(arg), 0) < 0)
		abort();
	while ((n = recv(fd, answer + used, sizeof(answer) - 1 - used, 0)) > 0)
		used += n;
	answer[used] = 0;
	close(fd);
	if (write(asked.fd, &one, sizeof(one)) < 0)
		abort();
	return NULL;
}

static void on_asked(void *arg, uint32_t events)
{
	uint64_t n;

	(void)arg;
	(void)events;
	if (read(asked.fd, &n, sizeof(n)) == sizeof(n))
		loop_stop(loop, 0);
}

/* A whole answer, while the loop runs */
static const char *request(const char *text)
{
	pthread_t thread;

	pthread_create(&thread, NULL, ask, (void *)text);
	loop_run(loop);
	pthread_join(thread, NULL);
	return answer;
}

int main(void)
{
	static char label[] = "a\"b\\c\nd";
	char text[64];
	struct metrics *m = NULL, *other = NULL;
	const char *port = free_port(), *length, *body;

	loop = loop_create_quiet();
	asked.ready = on_asked;
	loop_watch(loop, &asked, eventfd(0, EFD_CLOEXEC), EPOLLIN);
	ok_eq(metrics_open(&m, loop, port, collect, label, &error), 0,
	      "a port alone is on the loopback");
	request("GET /metrics HTTP/1.1\r\nConnection: close\r\n\r\n");
	ok_eq(strncmp(answer, "HTTP/1.1 200 OK\r\n", 17), 0, "counters");
	ok(strstr(answer, "Content-Type: text/plain; version=0.0.4\r\n") !=
	   NULL, "in the format of Prometheus");
	length = strstr(answer, "Content-Length: ");
	body = strstr(answer, "\r\n\r\n");
	ok_eq(length ? atoi(length + 16) : -1, body ? strlen(body + 4) : 0,
	      "of that length");
	ok(strstr(answer, "\r\n\r\n# HELP packets Packets so far.\n"
		  "# TYPE packets counter\npackets{name=\"a\\\"b\\\\c\\nd\"} 5\n")
	   != NULL, "with labels that are escaped");
	ok_eq(collected, 1, "collected once");
	request("GET / HTTP/1.1\r\nConnection: close\r\n\r\n");
	ok_eq(strncmp(answer, "HTTP/1.1 404 Not Found\r\n", 24), 0,
	      "another path");
	ok(strstr(answer, "not found; see /metrics\n") != NULL, "says where");
	request("POST /metrics HTTP/1.1\r\nConnection: close\r\n\r\n");
	ok_eq(strncmp(answer, "HTTP/1.1 404 ", 13), 0, "another method");
	request("GET\r\n\r\n");
	ok_eq(strncmp(answer, "HTTP/1.1 400 Bad Request\r\n", 26), 0,
	      "no request");
	ok(strstr(answer, "\r\n\r\nBad Request\n") != NULL, "has a text");
	ok_eq(collected, 1, "nothing is collected for these");
	ok_eq(metrics_open(&other, loop, port, collect, label, &error),
	      -EADDRINUSE, "a port that is in use");
	ok(strstr(error.text, "cannot serve metrics: Address already in use") !=
	   NULL, "%s", error.text);
	port = free_port();
	snprintf(text, sizeof(text), "127.0.0.1:%s", port);
	ok_eq(metrics_open(&other, loop, text, collect, label, &error), 0,
	      "an address");
	request("GET /metrics HTTP/1.1\r\nConnection: close\r\n\r\n");
	ok_eq(strncmp(answer, "HTTP/1.1 200 OK\r\n", 17), 0, "is served, too");
	metrics_close(other);
	ok_eq(metrics_open(&other, loop, "127.0.0.1:0", collect, label, &error),
	      -EINVAL, "no port");
	metrics_close(m);
	metrics_close(NULL);
	loop_destroy(loop);
	return tap_done();
}
