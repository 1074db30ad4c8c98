// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_http_conn - one HTTP connection: requests, bodies and answers whole, in
 * parts, too large, too slow, and those of clients that go away; places
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>
#include "base/http_places.h"
#include "base/http_server.h"
#include "base/loop.h"
#include "free_port.h"
#include "tap.h"

enum { BODY_MAX = 100, HEAD_MAX = 16384, LARGE = 32 << 20,
       WAIT = 60000 /* ms */ };

static struct http_server *server;
static struct sockaddr_in at;
static struct address where;
static pthread_mutex_t busy = PTHREAD_MUTEX_INITIALIZER;
static unsigned int answers, admitted, last_worker;
static char peer[ADDRESS_TEXT];

/*
 * The server answers with method, path, query and body; to /slow when it may,
 * and to /large much
 */

static void reply(struct http_conn *c, int status, const char *text, bool keep)
{
	struct bytes b = { 0 };

	/* what is before the answer is not sent */
	bytes_printf(&b, "???HTTP/1.1 %d %s\r\nContent-Length: %zu\r\n\r\n%s",
		     status, http_status(status), strlen(text), text);
	http_reply(c, &b, 3, b.len - 3, keep);
	bytes_free(&b);
}

static int on_admit(void *arg, unsigned int worker, struct http_conn *c)
{
	const struct http_request *r = http_conn_request(c);

	(void)arg;
	admitted++;
	last_worker = worker;
	if (strcmp(r->path, "/refused"))
		return 0;
	reply(c, 403, "", r->keep);
	return 403;
}

static void on_answer(void *arg, unsigned int worker, struct http_conn *c)
{
	const struct http_request *r = http_conn_request(c);
	const struct bytes *body = http_conn_body(c);
	char text[400];

	(void)arg;
	(void)worker;
	if (!strcmp(r->path, "/b"))
		strcpy(peer, http_conn_peer(c));
	__atomic_add_fetch(&answers, 1, __ATOMIC_RELAXED);
	if (!strcmp(r->path, "/slow")) {
		pthread_mutex_lock(&busy);
		pthread_mutex_unlock(&busy);
	}
	if (!strcmp(r->path, "/large")) {
		char *much = malloc(LARGE + 1);

		memset(much, 'x', LARGE);
		much[LARGE] = 0;
		reply(c, 200, much, false);
		free(much);
		return;
	}
	snprintf(text, sizeof(text), "%s %s?%s %s|%zu", r->method, r->path,
		 r->query ? r->query : "", body->data ? (char *)body->data : "",
		 body->len);
	reply(c, 200, text, r->keep);
}

static void on_error(void *arg, unsigned int worker, struct http_conn *c,
		     int status)
{
	(void)arg;
	(void)worker;
	reply(c, status, http_status(status), false);
}

static struct http_config config = {
	.address = &where, .workers = 2, .patience = 60000, .body = BODY_MAX,
	.admit = on_admit, .answer = on_answer, .error = on_error,
};

static void find_port(void)
{
	at = free_port();
	memcpy(&where.storage, &at, sizeof(at));
	where.len = sizeof(at);
}

static void start(void)
{
	find_port();
	if (http_server_open(&server, &config))
		abort();
}

static int join(void)
{
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (connect(fd, (struct sockaddr *)&at, sizeof(at)))
		abort();
	return fd;
}

static void say(int fd, const char *text)
{
	if (send(fd, text, strlen(text), MSG_NOSIGNAL) < 0)
		printf("# send: %s\n", strerror(errno));
}

/*
 * What arrives until it contains @until, or the connection ends; NULL: until it
 * ends. An end is "(end)", a reset "(reset)"
 */
static const char *hear(int fd, const char *until)
{
	static char text[8192];
	size_t n = 0;

	*text = 0;
	while (n < sizeof(text) - 9 && !(until && strstr(text, until))) {
		struct pollfd p = { fd, POLLIN, 0 };
		ssize_t got;

		if (poll(&p, 1, WAIT) != 1)
			break;
		got = recv(fd, text + n, sizeof(text) - 9 - n, 0);
		if (got <= 0) {
			strcpy(text + n, got ? "(reset)" : "(end)");
			break;
		}
		n += got;
		text[n] = 0;
	}
	return text;
}

/* Return: the answer's body, if its status is 200; else its first line */
static const char *ask(int fd, const char *request, const char *until)
{
	const char *text, *body;

	say(fd, request);
	text = hear(fd, until);
	body = strstr(text, "\r\n\r\n");
	if (strncmp(text, "HTTP/1.1 200 ", 13) || !body)
		return text;
	return body + 4;
}

static int status_of(const char *text)
{
	return !strncmp(text, "HTTP/1.1 ", 9) ? atoi(text + 9) : -1;
}

/*
 * Requests
 */

static void test_keep(void)
{
	int fd = join();

	ok_str(ask(fd, "GET /first/of/a/long/path?query=1 HTTP/1.1\r\n"
		   "Host: x\r\nX-Long: 0123456789012345678901234567890\r\n\r\n",
		   "|0"), "GET /first/of/a/long/path?query=1 |0", "a request");
	ok_str(ask(fd, "GET /b HTTP/1.1\r\nHost: x\r\n\r\n", "|0"), "GET /b? |0",
	       "a shorter one on the same connection");
	ok_eq(strncmp(peer, "127.0.0.1:", 10), 0, "its peer is known");
	ok_str(ask(fd, "\r\n\n\r\nGET /c HTTP/1.1\r\n\r\n", "|0"), "GET /c? |0",
	       "empty lines before one");
	ok_str(ask(fd, "GET /d HTTP/1.1\n\n", "|0"), "GET /d? |0",
	       "lines that end with LF");
	say(fd, "GET /e HTTP/1.1\r\n\r\nGET /f HTTP/1.1\r\n\r\n");
	ok(strstr(hear(fd, "/f? |0"), "GET /e? |0") != NULL,
	   "two at once are answered in order");
	for (const char *c = "GET /g HTTP/1.1\r\nHost: x\r\n\r"; *c; c++)
		send(fd, c, 1, 0);
	ok_str(ask(fd, "\n", "|0"), "GET /g? |0", "byte by byte");
	ok_str(ask(fd, "GET /h HTTP/1.1\r\nConnection: close\r\n\r\n", NULL),
	       "GET /h? |0(end)", "until it is to be closed");
	close(fd);
	fd = join();
	ok_str(ask(fd, "GET /i HTTP/1.0\r\n\r\n", NULL), "GET /i? |0(end)",
	       "as that of an old client is");
	close(fd);
	ok_eq(last_worker, 2, "the thread of connections admits");
}

static void test_bodies(void)
{
	char text[400], body[BODY_MAX + 2];
	int fd = join();

	ok_str(ask(fd, "POST /a HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", "|3"),
	       "POST /a? abc|3", "a body");
	say(fd, "POST /b HTTP/1.1\r\nContent-Length: 5\r\n\r\nab");
	ok_str(ask(fd, "cde", "|5"), "POST /b? abcde|5", "in two parts");
	ok_str(ask(fd, "POST /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
		   "2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n", "|5"),
	       "POST /c? abcde|5", "in pieces");
	ok_str(ask(fd, "POST /d HTTP/1.1\r\nContent-Length: 0\r\n\r\n", "|0"),
	       "POST /d? |0", "none: nothing of the last one");
	say(fd, "POST /e HTTP/1.1\r\nExpect: 100-continue\r\n"
	    "Content-Length: 2\r\n\r\n");
	ok_str(hear(fd, "\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n",
	       "a client that asks whether to go on");
	ok_str(ask(fd, "xy", "|2"), "POST /e? xy|2", "does");
	memset(body, 'y', sizeof(body));
	body[BODY_MAX] = 0;
	snprintf(text, sizeof(text), "POST /f HTTP/1.1\r\nContent-Length: %d"
		 "\r\n\r\n%s", BODY_MAX, body);
	ok(strstr(ask(fd, text, "|100"), "y|100") != NULL, "the largest");
	close(fd);
	fd = join();
	ok_eq(status_of(ask(fd, "POST /g HTTP/1.1\r\nContent-Length: 101\r\n"
			    "\r\n", NULL)), 413, "one byte more");
	close(fd);
	fd = join();
	ok_eq(status_of(ask(fd, "POST /h HTTP/1.1\r\nTransfer-Encoding: chunked"
			    "\r\n\r\n65\r\n01234567890123456789012345678901234"
			    "56789012345678901234567890123456789012345678901234"
			    "5678901234567890\r\n0\r\n\r\n", NULL)), 413,
	      "in pieces, too");
	close(fd);
	fd = join();
	ok_eq(status_of(ask(fd, "POST /i HTTP/1.1\r\nTransfer-Encoding: chunked"
			    "\r\n\r\nx\r\n", NULL)), 400,
	      "pieces that are none");
	close(fd);
}

static void test_errors(void)
{
	static char head[HEAD_MAX + 100];
	const unsigned int before = answers;
	int fd = join();

	ok_eq(status_of(ask(fd, "GET\r\n\r\n", NULL)), 400, "no request");
	close(fd);
	fd = join();
	ok_eq(status_of(ask(fd, "GET / HTTP/2.0\r\n\r\n", NULL)), 505,
	      "another version");
	close(fd);
	memset(head, 'x', sizeof(head));
	memcpy(head, "GET /a HTTP/1.1\r\nX: ", 20);
	strcpy(head + HEAD_MAX - 4, "\r\n\r\n");
	fd = join();
	ok_str(ask(fd, head, "|0"), "GET /a? |0", "the largest head");
	close(fd);
	head[HEAD_MAX - 4] = 'x';
	strcpy(head + HEAD_MAX - 3, "\r\n\r\n");
	fd = join();
	ok_eq(status_of(ask(fd, head, NULL)), 431, "one byte more");
	close(fd);
	strcpy(head + HEAD_MAX + 1, "");
	head[HEAD_MAX - 3] = head[HEAD_MAX - 2] = 'x';
	head[HEAD_MAX - 1] = head[HEAD_MAX] = 'x';
	fd = join();
	ok_eq(status_of(ask(fd, head, NULL)), 431, "or without an end");
	close(fd);
	ok_eq(answers, before + 1, "none of them is answered by a worker");
	fd = join();
	ok_eq(status_of(ask(fd, "GET /refused HTTP/1.1\r\n\r\n", "\r\n\r\n")),
	      403, "one that is not admitted");
	ok_str(ask(fd, "GET /a HTTP/1.1\r\n\r\n", "|0"), "GET /a? |0",
	       "may go on");
	ok(strstr(ask(fd, "POST /refused HTTP/1.1\r\nContent-Length: 3\r\n\r\n"
		      "abc", NULL), "(end)") != NULL,
	   "but not with a body that was not read");
	close(fd);
}

/*
 * Clients that are slow or gone
 */

static void test_gone(void)
{
	const unsigned int before = answers;
	int fd = join(), other;

	say(fd, "GET / HT");
	close(fd);
	fd = join();
	say(fd, "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nab");
	close(fd);
	/* gone while it is answered */
	pthread_mutex_lock(&busy);
	fd = join();
	say(fd, "GET /slow HTTP/1.1\r\n\r\n");
	while (__atomic_load_n(&answers, __ATOMIC_RELAXED) == before)
		sched_yield();
	close(fd);
	other = join();
	ok_str(ask(other, "GET /a HTTP/1.1\r\n\r\n", "|0"), "GET /a? |0",
	       "another one is answered meanwhile");
	pthread_mutex_unlock(&busy);
	/* gone while it is sent much */
	fd = join();
	say(fd, "GET /large HTTP/1.1\r\n\r\n");
	hear(fd, "xxxx");
	close(fd);
	while (http_server_connections(server) > 1)
		sched_yield();
	ok_str(ask(other, "GET /b HTTP/1.1\r\n\r\n", "|0"), "GET /b? |0",
	       "clients that are gone leave no connection");
	close(other);
}

static void test_large(void)
{
	const int fd = join();
	static char piece[1 << 16];
	size_t all = 0, wrong = 0;
	ssize_t n;

	say(fd, "GET /large HTTP/1.1\r\n\r\n");
	ok(strstr(hear(fd, "\r\n\r\n"), "Content-Length: 33554432") != NULL,
	   "an answer of 32 MB");
	while ((n = recv(fd, piece, sizeof(piece), 0)) > 0) {
		all += n;
		for (ssize_t i = 0; i < n; i++)
			wrong += piece[i] != 'x';
	}
	ok_range(all, LARGE - 8192, LARGE, "is read in parts");
	ok_eq(wrong, 0, "all of it is right");
	ok_eq(n, 0, "up to its end");
	close(fd);
}

/* Times are short; the event is what another connection sees */
static void test_slow(void)
{
	int body, head, answered, idle;

	http_server_close(server);
	config.patience = 100;
	start();
	pthread_mutex_lock(&busy);
	answered = join();
	say(answered, "GET /slow HTTP/1.1\r\n\r\n");
	idle = join();
	ok_str(ask(idle, "GET /a HTTP/1.1\r\n\r\n", "|0"), "GET /a? |0",
	       "one that asks no more");
	body = join();
	say(body, "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nab");
	head = join();
	say(head, "GET / HT");
	ok_eq(status_of(hear(body, NULL)), 408, "half a body has its time");
	ok_str(hear(head, NULL), "(end)", "half a head, too");
	ok_str(hear(idle, NULL), "(end)", "and none at all");
	pthread_mutex_unlock(&busy);
	ok(strstr(hear(answered, "|0"), "GET /slow? |0") != NULL,
	   "a worker may take as long as it likes");
	close(body);
	close(head);
	close(idle);
	close(answered);
	http_server_close(server);
	config.patience = 60000;
	start();
}

/* Those that a worker answers are not given up for new ones */
static void test_many(void)
{
	int busy_fd[2], half[2], fd;

	http_server_close(server);
	config.connections = 4;
	start();
	pthread_mutex_lock(&busy);
	for (int i = 0; i < 2; i++) {
		busy_fd[i] = join();
		say(busy_fd[i], "GET /slow HTTP/1.1\r\n\r\n");
	}
	for (int i = 0; i < 2; i++) {
		half[i] = join();
		say(half[i], "GET / HT");
	}
	while (http_server_connections(server) < 4)
		sched_yield();
	fd = join();
	ok_eq(status_of(hear(half[0], NULL)), 503,
	      "the oldest half of a request is given up");
	say(fd, "GET / HT");
	close(fd);
	fd = join();
	say(fd, "GET / HT");
	while (http_server_dropped(server) < 1)
		sched_yield();
	pthread_mutex_unlock(&busy);
	for (int i = 0; i < 2; i++) {
		ok(strstr(hear(busy_fd[i], "|0"), "GET /slow? |0") != NULL,
		   "one that is being answered is not");
		close(busy_fd[i]);
		close(half[i]);
	}
	close(fd);
	http_server_close(server);
	config.connections = 0;
	start();
}

/*
 * Descriptors
 */

static void limit_files(rlim_t files)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = files;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* Without a file the one that waits longest is closed */
static void test_no_files(void)
{
	struct rlimit before;
	int idle = join(), fd, next;

	ok_str(ask(idle, "GET /a HTTP/1.1\r\n\r\n", "|0"), "GET /a? |0",
	       "a connection");
	getrlimit(RLIMIT_NOFILE, &before);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	next = dup(0);
	close(next);
	limit_files(next);
	if (connect(fd, (struct sockaddr *)&at, sizeof(at)))
		abort();
	ok_str(hear(idle, NULL), "(end)", "goes when there are no files");
	ok_str(ask(fd, "GET /b HTTP/1.1\r\n\r\n", "|0"), "GET /b? |0",
	       "for one that asks now");
	limit_files(before.rlim_cur);
	close(idle);
	close(fd);
}

static void test_open(void)
{
	struct http_server *other = NULL;
	struct rlimit before;
	int err, next;

	ok_eq(http_server_open(&other, &config), -EADDRINUSE,
	      "an address that is in use");
	ok_eq(other == NULL, true, "has no server");
	getrlimit(RLIMIT_NOFILE, &before);
	next = dup(0);
	close(next);
	for (int i = 0; i < 3; i++) {
		limit_files(next + i);
		/* the server asks for more files than it may have now */
		err = http_server_open(&other, &config);
		limit_files(before.rlim_cur);
		ok(err < 0, "no server with %d descriptors: %s", i,
		   strerror(-err));
	}
	ok_eq(dup(0), next, "nothing is left open");
	close(next);
	http_server_close(NULL);
}

/*
 * Places
 */

static struct sockaddr_storage from(const char *text)
{
	struct sockaddr_storage s = { .ss_family = AF_INET };

	if (inet_pton(AF_INET, text, &((struct sockaddr_in *)&s)->sin_addr))
		return s;
	s.ss_family = AF_INET6;
	inet_pton(AF_INET6, text, &((struct sockaddr_in6 *)&s)->sin6_addr);
	return s;
}

static unsigned int row_of(const struct http_places *p, const char *text)
{
	const struct sockaddr_storage s = from(text);

	return http_places_row(p, &s);
}

static void test_places(void)
{
	struct http_place a = { .row = 1 }, b = { .row = 1 }, c = { .row = 2 };
	struct http_places p;
	unsigned int rows = 0;
	char text[16];

	http_places_init(&p);
	ok_eq(http_places_worst(&p) == NULL, true, "no place is the worst");
	http_places_take(&p, &c);
	http_places_take(&p, &a);
	http_places_take(&p, &b);
	ok_eq(http_places_worst(&p) == &a, true,
	      "the oldest of who has the most");
	http_places_leave(&p, &a);
	http_places_leave(&p, &a);
	http_places_leave(&p, &b);
	ok_eq(http_places_worst(&p) == &c, true, "then another one's");
	http_places_leave(&p, &c);
	ok_eq(http_places_worst(&p) == NULL, true, "then none");
	ok_eq(row_of(&p, "::ffff:1.2.3.4"), row_of(&p, "1.2.3.4"),
	      "IPv4 within IPv6 is the same host");
	ok_eq(row_of(&p, "2001:db8:1:2::5"), row_of(&p, "2001:db8:1:2:3:4:5:6"),
	      "a host has 64 bits of IPv6");
	for (int i = 0; i < 64; i++) {
		snprintf(text, sizeof(text), "1.2.3.%d", i);
		rows += row_of(&p, text) != row_of(&p, "1.2.3.4");
	}
	ok_range(rows, 50, 63, "others are elsewhere, nearly all of them");
	rows = 0;
	for (int i = 0; i < 64; i++) {
		snprintf(text, sizeof(text), "2001:db8:1:%x::", i);
		rows += row_of(&p, text) != row_of(&p, "2001:db8:1:4::");
	}
	ok_range(rows, 50, 63, "also with IPv6");
}

int main(void)
{
	start();
	test_keep();
	test_bodies();
	test_errors();
	test_gone();
	test_large();
	test_slow();
	test_many();
	test_no_files();
	test_open();
	http_server_close(server);
	test_places();
	return tap_done();
}
