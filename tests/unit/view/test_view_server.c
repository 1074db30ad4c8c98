// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_view_server - the server on a socket: who may ask what, what is handed
 * on to gdimd, and messages of clients in parts
 */
#include <arpa/inet.h>
#include <poll.h>
#include <sched.h>
#include <zlib.h>
#include "gdim_fixture.h"
#include "view/view_server.h"

enum { WAIT = 60000 /* ms */, PICTURE = 300000 /* bytes */ };

#define TOKEN "0123456789abcdef"
#define HELLO "GET / HTTP/1.1\r\nUpgrade: websocket\r\n" \
	"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n" \
	"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"

static struct server *server;
/* of @server, which gdim's threads wake */
static pthread_mutex_t waking = PTHREAD_MUTEX_INITIALIZER;
static struct sockaddr_in at;
static const char *for_foxglove = "";

/* Time that has stopped, ns: each call is a little later; 0: it goes on */
static _Atomic uint64_t stopped_at;

uint64_t __real_loop_now(void);
uint64_t __wrap_loop_now(void);

uint64_t __wrap_loop_now(void)
{
	return stopped_at ? stopped_at++ : __real_loop_now();
}

/* A limit of time that begins while the clock is behind, s, is over at once */
static _Atomic time_t behind;

int __real_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t);

int __wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
	const int ret = __real_clock_gettime(clock, t);

	if (!ret && clock == CLOCK_MONOTONIC)
		t->tv_sec -= behind;
	return ret;
}

static void on_change(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&waking);
	view_server_wake(server);
	pthread_mutex_unlock(&waking);
}

static void set_server(struct server *s)
{
	pthread_mutex_lock(&waking);
	server = s;
	pthread_mutex_unlock(&waking);
}

static void write_metrics(void *arg, const struct server *s, FILE *out)
{
	(void)s;
	fprintf(out, "answer %d\n", *(int *)arg);
}

/* @tokens: a file, or "" */
static void start(const char *tokens, const char *const *origins)
{
	static int answer = 42;
	char where[32];
	struct error error;
	const struct server_config config = {
		.http = where, .foxglove = for_foxglove, .tokens = tokens,
		.origins = origins, .view = &view, .metrics = write_metrics,
		.arg = &answer,
	};
	struct server *s;

	at = free_port();
	snprintf(where, sizeof(where), "127.0.0.1:%u", ntohs(at.sin_port));
	if (view_server_open(&s, &config, &error)) {
		printf("# %s\n", error.text);
		exit(1);
	}
	set_server(s);
}

static void stop(void)
{
	struct server *s = server;

	set_server(NULL);
	view_server_close(s);
}

/*
 * A client
 */

/**
 * struct answer - of HTTP
 * @head:	as text, with the status line
 * @body:	@len bytes
 */
struct answer {
	int	status;
	char	head[4096];
	char	*body;
	size_t	len;
};

/* of 127.0.0.N, from which clients come */
static unsigned int from = 1;

static int dial(void)
{
	return dial_from(from, &at);
}

/* Exactly @len bytes. Return: whether they came */
static bool take(int fd, void *to, size_t len)
{
	struct pollfd p = { fd, POLLIN, 0 };
	ssize_t n;

	for (size_t i = 0; i < len; i += n) {
		if (poll(&p, 1, WAIT) != 1)
			return false;
		n = recv(fd, (char *)to + i, len - i, 0);
		if (n <= 0)
			return false;
	}
	return true;
}

static bool take_head(int fd, struct answer *a)
{
	size_t n = 0;

	while (n < sizeof(a->head) - 1 && take(fd, a->head + n, 1)) {
		a->head[++n] = 0;
		if (n >= 4 && !strcmp(a->head + n - 4, "\r\n\r\n"))
			break;
	}
	return sscanf(a->head, "HTTP/1.%*d %d", &a->status) == 1;
}

/* If the server is gone there is no answer, which is noticed then */
static void say(int fd, const void *data, size_t len)
{
	if (send(fd, data, len, MSG_NOSIGNAL) < 0)
		return;
}

/* @line: "GET /path"; @headers: each with its line end */
static struct answer *ask(const char *line, const char *headers)
{
	static struct answer a;
	const int fd = dial();
	const char *length;
	char text[2048];

	free(a.body);
	memset(&a, 0, sizeof(a));
	snprintf(text, sizeof(text), "%s HTTP/1.1\r\n%s%sConnection: close\r\n"
		 "\r\n", line, strstr(headers, "Host:") ? "" :
		 "Host: localhost\r\n", headers);
	say(fd, text, strlen(text));
	if (take_head(fd, &a)) {
		length = strstr(a.head, "Content-Length: ");
		a.len = length && strncmp(line, "HEAD", 4) ?
			strtoul(length + 16, NULL, 10) : 0;
		a.body = calloc(1, a.len + 1);
		if (!take(fd, a.body, a.len))
			a.status = -1;
	}
	close(fd);
	return &a;
}

/* Return: a socket; @status gets that of the answer */
static int upgrade(const char *protocol, const char *headers, int *status)
{
	struct answer a = { 0 };
	const int fd = dial();
	char text[2048];

	snprintf(text, sizeof(text), HELLO "%sSec-WebSocket-Protocol: %s\r\n%s"
		 "\r\n", strstr(headers, "Host:") ? "" : "Host: localhost\r\n",
		 protocol, headers);
	say(fd, text, strlen(text));
	take_head(fd, &a);
	*status = a.status;
	return fd;
}

static int upgrade_status(const char *protocol, const char *headers)
{
	int status;

	close(upgrade(protocol, headers, &status));
	return status;
}

/* A frame of a client is masked, here with zeros */
static void say_frame(int fd, unsigned int opcode, const void *data, size_t len)
{
	uint8_t head[8] = { opcode, 0x80 | len };

	if (len < 126) {
		say(fd, head, 6);
	} else {
		head[1] = 0x80 | 126;
		head[2] = len >> 8;
		head[3] = len;
		say(fd, head, 8);
	}
	say(fd, data, len);
}

static void say_text(int fd, const char *text)
{
	say_frame(fd, 0x81, text, strlen(text));
}

/*
 * The next message, to be freed, from the parts that it comes in; pings are
 * answered. Return: its opcode, or -1
 */
static int take_message(int fd, uint8_t **data, size_t *len, unsigned int *parts)
{
	uint8_t head[2], more[8];
	int opcode = -1;

	*data = NULL;
	*len = *parts = 0;
	while (take(fd, head, 2)) {
		size_t n = head[1] & 127;

		if (n == 126 && take(fd, more, 2))
			n = more[0] << 8 | more[1];
		else if (n == 127 && take(fd, more, 8))
			n = (size_t)more[4] << 24 | more[5] << 16 |
			    more[6] << 8 | more[7];
		*data = realloc(*data, *len + n + 1);
		if (!take(fd, *data + *len, n))
			return -1;
		if ((head[0] & 15) == 9) {
			say_frame(fd, 0x8a, *data + *len, n);
			continue;
		}
		if (head[0] & 15)
			opcode = head[0] & 15;
		*len += n;
		(*data)[*len] = 0;
		++*parts;
		if (head[0] & 0x80)
			return opcode;
	}
	return -1;
}

/* The next text with this op, or NULL */
static cJSON *expect(int fd, const char *op)
{
	unsigned int parts;
	uint8_t *data;
	size_t len;
	int opcode;

	while ((opcode = take_message(fd, &data, &len, &parts)) > 0) {
		cJSON *o = opcode == 1 ? cJSON_Parse((char *)data) : NULL;
		const char *is = cJSON_GetStringValue(
					cJSON_GetObjectItem(o, "op"));

		free(data);
		if (is && !strcmp(is, op))
			return o;
		cJSON_Delete(o);
	}
	free(data);
	return NULL;
}

static bool has(const struct answer *a, const char *line)
{
	return strstr(a->head, line);
}

/*
 * HTTP
 */

static void test_page(void)
{
	static uint8_t page[8 << 20];
	z_stream z = { .next_out = page, .avail_out = sizeof(page) };
	struct answer *a;
	uint64_t refused;
	char *plain;
	size_t len;
	int fd;

	start("", NULL);
	a = ask("GET /", "");
	ok_eq(a->status, 200, "the page");
	ok(has(a, "Content-Type: text/html"), "as HTML");
	ok(!has(a, "Content-Encoding"), "that is not compressed");
	ok_str(a->len > 8 ? a->body + a->len - 8 : "", "</html>\n",
	       "up to its end");
	plain = a->body;
	len = a->len;
	a->body = NULL;
	a = ask("GET /index.html", "Accept-Encoding: br, gzip\r\n");
	ok(has(a, "Content-Encoding: gzip\r\n"), "or compressed");
	z.next_in = (Bytef *)a->body;
	z.avail_in = a->len;
	inflateInit2(&z, 16 + MAX_WBITS);
	ok_eq(inflate(&z, Z_FINISH), Z_STREAM_END, "as a whole");
	ok_eq(z.total_out, len, "of the same length");
	ok_mem(page, plain, len, "and the same");
	inflateEnd(&z);
	free(plain);
	a = ask("HEAD /", "");
	ok_eq(a->status, 200, "its head");
	ok(has(a, "Content-Length: "), "with a length");
	ok_eq(ask("POST /", "Content-Length: 0\r\n")->status, 405,
	      "nothing can be posted");
	ok_eq(ask("GET /else", "")->status, 404, "no other path");
	ok_eq(ask("GET /gdim/layers", "")->status, 404, "no gdimd");
	a = ask("GET /metrics", "");
	ok_eq(a->status, 200, "metrics");
	ok_str(a->body, "answer 42\n", "as the program writes them");
	ok_eq(ask("GET /", "Host: other.example\r\n")->status, 403,
	      "a name of others is refused");
	refused = view_server_counts(server).refused;
	ok_eq(upgrade_status("mqtt", ""), 400, "an unknown sub-protocol");
	ok_eq(view_server_counts(server).refused, refused + 1, "is counted");
	ok_str(view_server_address(server, 1), "", "there is one address");
	fd = dial();
	for (unsigned int i = 0; i < 2; i++) {
		static const char again[] =
			"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
		struct answer one = { 0 };
		char body[10];

		say(fd, again, strlen(again));
		ok(take_head(fd, &one), "question %u of one connection", i);
		ok(take(fd, body, sizeof(body)), "is answered");
	}
	close(fd);
	stop();
}

/* With tokens each request but that for the page needs one */
static void test_tokens(void)
{
	const char *file = put_secret("tokens", "# mine\n" TOKEN "\n");
	const char bearer[] = "Authorization: Bearer " TOKEN "\r\n";
	cJSON *o;
	int fd, status;

	start(file, NULL);
	ok_eq(ask("GET /", "")->status, 200, "the page is no secret");
	ok_eq(ask("GET /metrics", "")->status, 401, "without a token");
	ok_eq(ask("GET /metrics", "Authorization: Bearer 0123456789abcdeF\r\n")
	      ->status, 401, "with a wrong one");
	ok_eq(ask("GET /metrics", bearer)->status, 200, "with the right one");
	ok_eq(ask("GET /metrics?a=b&token=" TOKEN "&c=d", "")->status, 200,
	      "in the query");
	ok_eq(ask("GET /metrics?token=%30123456789abcde%66", "")->status, 200,
	      "encoded");
	ok_eq(upgrade_status("foxglove.sdk.v1", ""), 401,
	      "Foxglove without a token");
	ok_eq(upgrade_status("foxglove.sdk.v1", bearer), 101, "and with one");
	ok_eq(upgrade_status("foxglove.sdk.v1", "Origin: https://other.example"
			     "\r\nAuthorization: Bearer " TOKEN "\r\n"), 101,
	      "whose origin does not matter then");
	fd = upgrade("optsample.view.v1", "", &status);
	ok_eq(status, 101, "the page connects without one");
	say_text(fd, "{\"op\":\"hello\"}");
	o = expect(fd, "error");
	ok(o, "but has to show one");
	cJSON_Delete(o);
	say_text(fd, "{\"op\":\"hello\",\"token\":\"" TOKEN "\"}");
	o = expect(fd, "hello");
	ok(o, "then it is greeted");
	cJSON_Delete(o);
	close(fd);
	stop();
}

/* In a query each character of a token may be written as three */
static void test_long_token(void)
{
	char token[HTTP_TOKEN] = "", line[1024] = "GET /metrics?token=";

	memset(token, '+', HTTP_TOKEN - 1);
	for (unsigned int i = 0; i < HTTP_TOKEN - 1; i++)
		strcat(line, "%2B");
	start(put_secret("tokens", token), NULL);
	ok_eq(ask(line, "")->status, 200, "the longest token, encoded");
	strcat(line, "++++++++++++++++++++");
	ok_eq(ask(line, "")->status, 401, "and one that is too long");
	stop();
}

/* Without tokens, pages of other sites may not connect */
static void test_origins(void)
{
	static const char *const allowed[] = { "https://ours.example", NULL };
	char same[128];
	static const struct {
		const char *origin;
		int foxglove, page;
	} rows[] = {
		{ "https://app.foxglove.dev", 101, 403 },
		{ "https://OURS.example", 101, 403 },
		{ "https://other.example", 403, 403 },
		{ "http://other.example", 403, 403 },
		{ "HTTP://other.example", 403, 403 },
		{ "file:///tmp/saved.html", 403, 403 },
		{ "app://lichtblick", 101, 403 },
		{ "http://localhost:8080", 101, 403 },
		{ "null", 403, 403 },
	};

	start("", allowed);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(same, sizeof(same), "Origin: %s\r\n", rows[i].origin);
		ok_eq(upgrade_status("foxglove.websocket.v1", same),
		      rows[i].foxglove, "Foxglove of %s", rows[i].origin);
		ok_eq(upgrade_status("optsample.view.v1", same), rows[i].page,
		      "a page of %s", rows[i].origin);
	}
	snprintf(same, sizeof(same), "Host: localhost:%u\r\n"
		 "Origin: http://localhost:%u\r\n", ntohs(at.sin_port),
		 ntohs(at.sin_port));
	ok_eq(upgrade_status("optsample.view.v1", same), 101, "our own page");
	ok_eq(upgrade_status("foxglove.sdk.v1", "Host: other.example\r\n"), 403,
	      "a name of others");
	stop();
}

/*
 * WebSockets
 */

/* A picture of several chunks, and a request in several parts */
static void test_parts(void)
{
	static const char first[] = "{\"op\":\"subscribe\",\"subscr";
	static const char second[] = "iptions\":[{\"id\":77,\"channelId\":1}]}";
	union message m = { .compressed = {
		.header = { .stamp = io_now() },
		.format = message_string("jpeg"),
	} };
	uint8_t *picture = malloc(PICTURE), *data;
	unsigned int parts;
	struct server_counts n;
	int fd, status, opcode;
	uint64_t end;
	size_t len;
	cJSON *o;

	for (unsigned int i = 0; i < PICTURE; i++)
		picture[i] = i * 2654435761U >> 24;
	m.compressed.data = (struct message_bytes){ picture, PICTURE };
	fixture_put("/cam", MESSAGE_COMPRESSED_IMAGE, &m,
		    m.compressed.header.stamp);
	start("", NULL);
	fd = upgrade("foxglove.sdk.v1", "", &status);
	ok_eq(status, 101, "Foxglove connects");
	o = expect(fd, "advertise");
	ok(o, "and gets the topics");
	cJSON_Delete(o);
	say_frame(fd, 0x01, first, strlen(first));
	say_frame(fd, 0x80, second, strlen(second));
	while ((opcode = take_message(fd, &data, &len, &parts)) == 1)
		free(data);
	ok_eq(opcode, 2, "the picture");
	ok(parts > 1, "in %u parts", parts);
	ok(len > PICTURE, "as a whole");
	ok_eq(get_le32(data + 1), 77, "of that subscription");
	ok_mem(data + len - PICTURE, picture, PICTURE, "and complete");
	n = view_server_counts(server);
	ok_eq(n.clients, 1, "a client is connected");
	end = loop_now() + 10000000000ULL;
	/* after they have left, so they may arrive before */
	while (n.sent <= PICTURE && loop_now() < end) {
		sched_yield();
		n = view_server_counts(server);
	}
	ok(n.sent > PICTURE, "bytes are counted: %llu",
	   (unsigned long long)n.sent);
	free(data);
	/* what is no message of the protocol ends the connection */
	say_text(fd, "[");
	while ((opcode = take_message(fd, &data, &len, &parts)) > 0 &&
	       opcode != 8)
		free(data);
	ok_eq(opcode, 8, "rubbish ends the connection");
	ok_eq(data[0] << 8 | data[1], 1008, "with the status of a violation");
	ok_eq(view_server_counts(server).failed, 1, "and is counted");
	free(data);
	close(fd);
	free(picture);
	stop();
}

/* Return: whether so many clients are connected, soon */
static bool clients_become(unsigned int n)
{
	for (unsigned int i = 0; i < WAIT; i++) {
		if (view_server_counts(server).clients == n)
			return true;
		usleep(1000);
	}
	return false;
}

static void test_counts(void)
{
	static uint8_t large[60000];
	char where[32];
	struct server_counts n;
	struct sockaddr_in page, second = free_port();
	int fd[2], status, opcode;
	unsigned int parts;
	uint8_t *data;
	size_t len;

	snprintf(where, sizeof(where), "127.0.0.1:%u", ntohs(second.sin_port));
	for_foxglove = where;
	start("", NULL);
	page = at;
	ok_str(view_server_address(server, 1), where, "an address for Foxglove");
	fd[0] = upgrade("optsample.view.v1", "", &status);
	ok_eq(status, 101, "a page connects");
	at = second;
	fd[1] = upgrade("foxglove.sdk.v1", "", &status);
	ok_eq(status, 101, "Foxglove at its own address");
	ok(clients_become(2), "two clients");
	ok_eq(upgrade_status("mqtt", ""), 400, "an unknown sub-protocol");
	ok_eq(view_server_counts(server).refused, 1,
	      "is counted at that address, too");
	close(fd[0]);
	ok(clients_become(1), "one is left");
	n = view_server_counts(server);
	ok_eq(n.connected, 2, "two were there");
	ok_eq(n.failed, 0, "none failed");
	/* 1.2 MB */
	for (unsigned int i = 0; i < 20; i++)
		say_frame(fd[1], i ? 0 : 2, large, sizeof(large));
	while ((opcode = take_message(fd[1], &data, &len, &parts)) > 0 &&
	       opcode != 8)
		free(data);
	ok_eq(opcode, 8, "too long a message ends the connection");
	ok_str(opcode == 8 ? (char *)data + 2 : "",
	       "it sent a message of more than 1 MB", "which it is sent");
	free(data);
	ok(clients_become(0), "then none is left");
	ok_eq(view_server_counts(server).failed, 1, "one failed");
	close(fd[1]);
	for_foxglove = "";
	at = page;
	stop();
}

/* libwebsockets ends a handshake that takes 5 s, as it may on a busy machine */
static int upgrade_patiently(int *status)
{
	int fd = upgrade("optsample.view.v1", "", status);

	for (unsigned int i = 0; i < 20 && *status != 101; i++) {
		close(fd);
		fd = upgrade("optsample.view.v1", "", status);
	}
	return fd;
}

/* One address cannot keep others out: its own clients are closed */
static void test_crowd(void)
{
	const char *file = put_secret("tokens", TOKEN "\n");
	struct pollfd closed;
	int fd[SERVER_CLIENTS + 1], status;
	unsigned int bad = 0;
	cJSON *o;

	/* none waits too long for its token, however slow this machine is */
	stopped_at = loop_now();
	start(file, NULL);
	for (unsigned int i = 0; i < SERVER_CLIENTS; i++) {
		from = i ? 1 : 2;
		fd[i] = upgrade_patiently(&status);
		bad += status != 101;
	}
	ok_eq(bad, 0, "as many as there is room for");
	ok(clients_become(SERVER_CLIENTS), "are connected");
	from = 3;
	fd[SERVER_CLIENTS] = upgrade_patiently(&status);
	ok_eq(status, 101, "one more, of another address");
	closed = (struct pollfd){ fd[1], POLLRDHUP, 0 };
	ok_eq(poll(&closed, 1, WAIT), 1, "for the oldest of most");
	closed = (struct pollfd){ fd[2], POLLRDHUP, 0 };
	ok_eq(poll(&closed, 1, 0), 0, "but not for the next one");
	say_text(fd[0], "{\"op\":\"hello\",\"token\":\"" TOKEN "\"}");
	o = expect(fd[0], "hello");
	ok(o, "and an older one, of an address with fewer, stays");
	cJSON_Delete(o);
	for (unsigned int i = 0; i <= SERVER_CLIENTS; i++)
		close(fd[i]);
	from = 1;
	stop();
	stopped_at = 0;
}

/* Clients that were admitted stay: there is no room for one more */
static void test_full(void)
{
	int fd[SERVER_CLIENTS], status;

	start("", NULL);
	for (unsigned int i = 0; i < SERVER_CLIENTS; i++)
		fd[i] = upgrade_patiently(&status);
	ok(clients_become(SERVER_CLIENTS), "as many clients as may be");
	ok_eq(upgrade_status("optsample.view.v1", ""), 503, "one more");
	ok_eq(view_server_counts(server).clients, SERVER_CLIENTS, "is not let in");
	for (unsigned int i = 0; i < SERVER_CLIENTS; i++)
		close(fd[i]);
	stop();
}

/*
 * gdimd
 */

static void test_gdim(void)
{
	struct answer *a;

	open_gdim(on_change);
	start("", NULL);
	a = ask("GET /gdim/spot?x=1&token=ours&y=2", "");
	ok_eq(a->status, 200, "gdimd answers");
	ok_str(a->body, "{\"height\":4}", "with its body");
	ok(has(a, "ETag: \"v7\"\r\n"), "and its version");
	ok(has(a, "Content-Type: application/json\r\n"), "and its type");
	ok_str(gdimd_heard(gdimd.path), "/api/v1/spot?x=1&y=2",
	       "without our own token");
	ok_str(gdimd_heard(gdimd.token), "Bearer SESAME", "but with gdimd's");
	ok_str(gdimd_heard(gdimd.etag), "", "no version is known");
	a = ask("GET /gdim/rooms?token=ours", "If-None-Match: \"v7\"\r\n");
	ok_eq(a->status, 304, "nothing new");
	ok_str(gdimd_heard(gdimd.etag), "\"v7\"", "if the client has it");
	ok_str(gdimd_heard(gdimd.path), "/api/v1/rooms", "no query");
	ok_eq(ask("GET /gdim/none", "")->status, 404, "errors of gdimd");
	ok_eq(ask("GET /gdim/%2e%2e/x", "")->status, 404,
	      "a path that would leave the API");
	ok(!strstr(gdimd_heard(gdimd.path), "%2"), "does not reach it");
	ok_eq(ask("GET /gdim/a/../x", "")->status, 404, "nor a plain one");
	stop();
	close_gdim();
}

/* What is asked while gdimd does not answer */
static void test_gdim_waits(void)
{
	struct answer *a;

	open_gdim(on_change);
	start("", NULL);
	pthread_mutex_lock(&gdimd.gate);
	behind = 40;
	a = ask("GET /gdim/spot", "");
	behind = 0;
	ok_eq(a->status, 502, "half a minute without an answer of gdimd");
	ok_str(a->body, "{\"error\":\"gdimd does not answer\"}\n",
	       "is said");
	while (!gdim_request(view.gdim, "spot", "", 1, 0))
		;
	ok_eq(ask("GET /gdim/spot", "")->status, 503, "too many questions");
	pthread_mutex_unlock(&gdimd.gate);
	stop();
	close_gdim();
}

int main(void)
{
	make_folder();
	gdimd_start();
	fixture_open(false);
	test_page();
	test_tokens();
	test_long_token();
	test_origins();
	test_parts();
	test_counts();
	test_crowd();
	test_full();
	test_gdim();
	test_gdim_waits();
	http_server_close(gdimd.server);
	fixture_close();
	remove_folder();
	return tap_done();
}
