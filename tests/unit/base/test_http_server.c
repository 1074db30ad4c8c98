// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_http_server - clients that never finish their request take no place of
 * others, and a client without a place gets an answer that says so
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "base/http_server.h"
#include "base/loop.h"
#include "free_port.h"
#include "tap.h"

enum { PLACES = 100, HALVES = 2000, ASKS = 20, WAIT = 60000 /* ms */ };

static struct http_server *server;
static struct sockaddr_in at;
static int half[HALVES];
static unsigned int halves, renewed;
static pthread_mutex_t busy = PTHREAD_MUTEX_INITIALIZER;

static void reply(struct http_conn *c, int status)
{
	struct bytes b = { 0 };

	bytes_printf(&b, "HTTP/1.1 %d %s\r\nContent-Length: 0\r\n"
		     "Connection: close\r\n\r\n", status, http_status(status));
	http_reply(c, &b, 0, b.len, false);
	bytes_free(&b);
}

static int on_admit(void *arg, unsigned int worker, struct http_conn *c)
{
	struct bytes input;
	int fd;

	(void)arg;
	(void)worker;
	if (strcmp(http_conn_request(c)->path, "/take"))
		return 0;
	fd = http_conn_take(c, &input);
	if (write(fd, input.data, input.len) < 0)
		abort();
	bytes_free(&input);
	close(fd);
	return 1;
}

static void on_answer(void *arg, unsigned int worker, struct http_conn *c)
{
	(void)arg;
	(void)worker;
	pthread_mutex_lock(&busy);
	pthread_mutex_unlock(&busy);
	reply(c, 200);
}

static void on_error(void *arg, unsigned int worker, struct http_conn *c,
		     int status)
{
	(void)arg;
	(void)worker;
	reply(c, status);
}

static void start(void)
{
	struct address a = { .len = sizeof(at) };
	const struct http_config config = {
		.address = &a, .workers = 2, .patience = 5000, .body = 100,
		.connections = PLACES, .admit = on_admit, .answer = on_answer,
		.error = on_error,
	};

	at = free_port();
	memcpy(&a.storage, &at, sizeof(at));
	if (http_server_open(&server, &config))
		abort();
}

static void say(int fd, const char *text)
{
	if (send(fd, text, strlen(text), MSG_NOSIGNAL) < 0)
		return;
}

/* Return: status of the answer; 0: none, a negative errno: it was cut off */
static int status_of(int fd)
{
	char text[4096];
	size_t n = 0;
	ssize_t got = 1;

	while (got > 0 && n < sizeof(text) - 1) {
		struct pollfd p = { fd, POLLIN, 0 };

		if (poll(&p, 1, WAIT) != 1)
			return -ETIMEDOUT;
		got = recv(fd, text + n, sizeof(text) - 1 - n, 0);
		n += got > 0 ? got : 0;
	}
	text[n] = 0;
	return got < 0 ? -errno : n > 12 ? atoi(text + 9) : 0;
}

/* Half a request on each connection; those that were closed begin again */
static void renew(unsigned int count, unsigned int addresses)
{
	for (unsigned int i = 0; i < count; i++) {
		char byte;

		if (i < halves && recv(half[i], &byte, 1, MSG_DONTWAIT) < 0 &&
		    errno == EAGAIN)
			continue;
		if (i < halves)
			close(half[i]);
		renewed += i < halves;
		half[i] = dial_from(2 + i % addresses, &at);
		say(half[i], "GET / HTTP/1.1\r\nHost: x\r\nX: ");
	}
	halves = count;
}

static void test_halves(unsigned int count, unsigned int addresses,
			unsigned int from)
{
	unsigned int good = 0;
	uint64_t longest = 0;

	halves = renewed = 0;
	for (unsigned int i = 0; i < ASKS; i++) {
		uint64_t began;
		int fd;

		renew(count, addresses);
		began = loop_now();
		fd = dial_from(from, &at);
		say(fd, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
		good += status_of(fd) == 200;
		close(fd);
		if (loop_now() - began > longest)
			longest = loop_now() - began;
	}
	ok(good == ASKS, "%u half-open from %u addresses: %u of %u answered",
	   count, addresses, good, ASKS);
	ok(renewed > 0, "and %u halves had to go", renewed);
	ok(http_server_dropped(server) > 0, "and %u halves had to go", renewed);
	printf("# the longest took %.1f ms\n", longest * 1e-6);
	for (unsigned int i = 0; i < halves; i++)
		close(half[i]);
}

/* Nothing is answered before all have asked */
static void test_many(unsigned int count)
{
	unsigned int good = 0, refused = 0;

	pthread_mutex_lock(&busy);
	for (unsigned int i = 0; i < count; i++) {
		half[i] = dial_from(2, &at);
		say(half[i], "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
	}
	/* those that are refused do not wait */
	for (unsigned int i = 0; i < count; i++) {
		char byte;
		struct pollfd p = { half[i], POLLIN, 0 };

		if (poll(&p, 1, 0) == 1 &&
		    recv(half[i], &byte, 1, MSG_PEEK) == 1)
			refused++;
	}
	printf("# %u were refused at once\n", refused);
	pthread_mutex_unlock(&busy);
	refused = 0;
	for (unsigned int i = 0; i < count; i++) {
		const int status = status_of(half[i]);

		good += status == 200;
		refused += status == 503;
		close(half[i]);
	}
	ok(good >= PLACES,
	   "%u at once for %u places: %u answered, %u refused as too many",
	   count, PLACES, good, refused);
	ok_eq(good + refused, count,
	      "%u at once for %u places: %u answered, %u refused as too many",
	      count, PLACES, good, refused);
}

static void test_kept(void)
{
	static const char ask[] = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
	static const char take[] = "GET /take HTTP/1.1\r\nHost: x\r\n\r\nmore";
	char text[128] = "";
	int fd = dial_from(1, &at);
	ssize_t n, all = 0;

	say(fd, ask);
	ok(status_of(fd) == 200, "one alone");
	close(fd);
	fd = dial_from(1, &at);
	say(fd, take);
	while ((n = recv(fd, text + all, sizeof(text) - all, 0)) > 0)
		all += n;
	close(fd);
	ok(!strcmp(text, take), "a connection is taken, with all that came");
}

int main(void)
{
	struct rlimit files;

	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max < 8192 ? files.rlim_max : 8192;
	setrlimit(RLIMIT_NOFILE, &files);
	start();
	test_kept();
	test_halves(tap_rounds(200, 600), 1, 2);
	test_halves(tap_rounds(200, 600), 1, 1);
	test_halves(tap_rounds(300, HALVES), 50, 1);
	test_many(2 * PLACES);
	test_many(10 * PLACES);
	http_server_close(server);
	return tap_done();
}
