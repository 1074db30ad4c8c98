// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_console - the local socket of a daemon: requests, answers that come
 * later, clients that are too many, too long, or gone
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "base/console.h"
#include "base/loop.h"
#include "folder.h"
#include "tap.h"

enum { CLIENTS = 16, LINE = 65536 };

static struct loop *loop;
static struct console *console;
static struct console_call *later;
static struct error error;

/*
 * The daemon: it runs in the loop's thread, one turn for each stop
 */

static int on_request(void *arg, const char *command, const cJSON *p,
		      cJSON *answer, struct error *why)
{
	(void)arg;
	if (!strcmp(command, "later")) {
		later = console_later(console);
		loop_stop(loop, 0);
		return 0;
	}
	if (!strcmp(command, "bad"))
		return error_set(why, -EINVAL, "no good");
	if (!strcmp(command, "worse"))
		return -EIO;
	if (!strcmp(command, "end"))
		loop_stop(loop, 0);
	if (!strcmp(command, "large")) {
		char *text = calloc(1, 8 << 20);

		memset(text, 'x', (8 << 20) - 1);
		cJSON_AddStringToObject(answer, "text", text);
		free(text);
	}
	cJSON_AddStringToObject(answer, "did", command);
	cJSON_AddNumberToObject(answer, "keys", cJSON_GetArraySize(p));
	return 0;
}

/*
 * Clients
 */

static int join(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	const int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	if (connect(fd, (struct sockaddr *)&a, sizeof(a))) {
		close(fd);
		return -errno;
	}
	return fd;
}

static void say(int fd, const char *text)
{
	if (send(fd, text, strlen(text), MSG_NOSIGNAL) < 0)
		printf("# send: %s\n", strerror(errno));
}

/* Let the daemon answer all that was sent until now */
static void turn(void)
{
	const int fd = join(in_folder("run/a.sock"));
	char byte;

	say(fd, "{\"do\":\"end\"}\n");
	loop_run(loop);
	if (recv(fd, &byte, 1, 0) < 0)
		printf("# the daemon did not answer\n");
	close(fd);
}

/* All that arrived; "closed" at its end if it was */
static const char *heard(int fd)
{
	static char text[4096];
	size_t n = 0;
	ssize_t got;

	while (n < sizeof(text) - 8 &&
	       (got = recv(fd, text + n, sizeof(text) - 8 - n,
			   MSG_DONTWAIT)) > 0)
		n += got;
	text[n] = 0;
	if (!got || (got < 0 && errno == ECONNRESET))
		strcat(text, "closed");
	return text;
}

static void open_console(void)
{
	if (console_open(&console, loop, in_folder("run/a.sock"), on_request,
			 NULL, &error))
		abort();
}

static void test_requests(void)
{
	const char *path = in_folder("run/a.sock");
	struct stat st;
	int fd;

	ok_eq(console_open(&console, loop, path, on_request, NULL, &error), 0,
	      "a socket");
	stat(path, &st);
	ok_eq(st.st_mode & 0777, 0660, "is for owner and group");
	fd = join(path);
	say(fd, "{\"do\":\"a\",\"x\":1}\n");
	turn();
	ok_str(heard(fd), "{\"did\":\"a\",\"keys\":2,\"ok\":true}\n",
	       "a request is answered");
	say(fd, "{\"do\":\"b\"}\n{\"do\":\"c\"}\n{\"do\"");
	turn();
	ok_str(heard(fd), "{\"did\":\"b\",\"keys\":1,\"ok\":true}\n"
	       "{\"did\":\"c\",\"keys\":1,\"ok\":true}\n", "two are, in order");
	say(fd, ":\"d\"}\n");
	turn();
	ok_str(heard(fd), "{\"did\":\"d\",\"keys\":1,\"ok\":true}\n",
	       "and the rest of half a one");
	ok_eq(console_refused(console), 0, "none is refused");
	say(fd, "{\"do\":\"bad\"}\n");
	turn();
	ok_str(heard(fd), "{\"ok\":false,\"error\":\"no good\"}\n", "an error");
	say(fd, "{\"do\":\"worse\"}\n");
	turn();
	ok_str(heard(fd), "{\"ok\":false,\"error\":\"Input/output error\"}\n",
	       "one without a text");
	say(fd, "do it\n");
	turn();
	ok_str(heard(fd), "{\"ok\":false,\"error\":\"not a JSON object with "
	       "\\\"do\\\"\"}\n", "what is no request");
	say(fd, "{\"do\":7}\n");
	turn();
	ok(strstr(heard(fd), "not a JSON object") != NULL, "nor is a number");
	say(fd, "{\"do\":\"a\"} more\n");
	turn();
	ok(strstr(heard(fd), "not a JSON object") != NULL, "nor more text");
	send(fd, "{\"do\":\"a\"}\0\n", 12, 0);
	turn();
	ok(strstr(heard(fd), "not a JSON object") != NULL, "nor a 0");
	ok_eq(console_refused(console), 6, "all are counted");
	ok_eq(console_refused(NULL), 0, "no console refuses none");
	close(fd);
	turn();
	console_close(console);
	console_close(NULL);
	ok_eq(access(path, F_OK), -1, "the end removes the socket");
}

static void test_later(void)
{
	cJSON *answer = cJSON_CreateObject();
	int fd, other;

	open_console();
	fd = join(in_folder("run/a.sock"));
	other = join(in_folder("run/a.sock"));
	say(fd, "{\"do\":\"later\"}\n{\"do\":\"next\"}\n");
	loop_run(loop);
	say(other, "{\"do\":\"other\"}\n");
	turn();
	ok_str(heard(fd), "", "what is answered later is not yet");
	ok_str(heard(other), "{\"did\":\"other\",\"keys\":1,\"ok\":true}\n",
	       "others are");
	cJSON_AddNumberToObject(answer, "n", 5);
	console_answer(later, 0, answer, "");
	ok_str(heard(fd), "{\"n\":5,\"ok\":true}\n"
	       "{\"did\":\"next\",\"keys\":1,\"ok\":true}\n",
	       "then it is, and the one after it");
	say(fd, "{\"do\":\"more\"}\n");
	turn();
	ok_str(heard(fd), "{\"did\":\"more\",\"keys\":1,\"ok\":true}\n",
	       "and so on");
	say(fd, "{\"do\":\"later\"}\n");
	loop_run(loop);
	console_answer(later, -EBUSY, cJSON_CreateObject(), "busy");
	ok_str(heard(fd), "{\"ok\":false,\"error\":\"busy\"}\n",
	       "an error, too");
	say(fd, "{\"do\":\"later\"}\n");
	loop_run(loop);
	close(fd);
	console_answer(later, 0, cJSON_CreateObject(), "");
	turn();
	say(other, "{\"do\":\"other\"}\n");
	turn();
	ok_str(heard(other), "{\"did\":\"other\",\"keys\":1,\"ok\":true}\n",
	       "one that is gone is no loss");
	console_close(console);
	close(other);
}

static void test_many(void)
{
	const char *path = in_folder("run/a.sock");
	int fd[CLIENTS + 1];

	open_console();
	for (int i = 0; i < CLIENTS - 1; i++) {
		fd[i] = join(path);
		turn();
	}
	fd[CLIENTS - 1] = join(path);
	fd[CLIENTS] = join(path);
	say(fd[CLIENTS - 1], "{\"do\":\"end\"}\n");
	loop_run(loop);
	ok(strstr(heard(fd[CLIENTS - 1]), "\"did\":\"end\"") != NULL,
	   "as many clients as there may be");
	say(fd[0], "{\"do\":\"end\"}\n");
	loop_run(loop);
	ok_str(heard(fd[CLIENTS]), "{\"ok\":false,\"error\":\"too many "
	       "connections\"}\nclosed", "one more is refused");
	ok_eq(console_refused(console), 1, "and counted");
	close(fd[1]);
	say(fd[0], "{\"do\":\"end\"}\n");
	loop_run(loop);
	turn();
	ok_str(heard(fd[2]), "", "one that is gone leaves its place");
	console_close(console);
	ok_str(heard(fd[2]), "closed", "the end closes the rest");
	for (int i = 0; i <= CLIENTS; i++)
		close(fd[i]);
}

/* Sends as it is read; the daemon runs in this thread */
static void *send_long(void *arg)
{
	static char text[LINE];
	const int fd = *(int *)arg;
	size_t n = 0;

	memset(text, 'x', sizeof(text));
	while (n < sizeof(text)) {
		const ssize_t sent = send(fd, text + n, sizeof(text) - n,
					  MSG_NOSIGNAL);

		if (sent <= 0)
			break;
		n += sent;
	}
	say(join(in_folder("run/a.sock")), "{\"do\":\"end\"}\n");
	return NULL;
}

static void test_long(void)
{
	pthread_t thread;
	char byte;
	int fd;

	open_console();
	fd = join(in_folder("run/a.sock"));
	pthread_create(&thread, NULL, send_long, &fd);
	loop_run(loop);
	pthread_join(thread, NULL);
	turn();
	ok_str(heard(fd), "{\"ok\":false,\"error\":\"line too long\"}\nclosed",
	       "a line that is too long ends the connection");
	close(fd);
	fd = join(in_folder("run/a.sock"));
	say(fd, "{\"do\":\"large\"}\n");
	turn();
	ok(strstr(heard(fd), "xxxx") != NULL,
	   "a large answer that is not read");
	while (!strstr(heard(fd), "closed"))
		;
	ok_eq(recv(fd, &byte, 1, MSG_DONTWAIT), 0, "ends it, too");
	close(fd);
	console_close(console);
}

static void test_open(void)
{
	const char *path = in_folder("run/a.sock");
	struct console *other;
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	char longer[200];
	FILE *f;
	int fd;

	open_console();
	ok_eq(console_open(&other, loop, path, on_request, NULL, &error),
	      -EADDRINUSE, "two daemons have not the same socket");
	ok(strstr(error.text, "another process uses this socket") != NULL, "%s",
	   error.text);
	console_close(console);
	/* of a daemon that was killed */
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	strcpy(at.sun_path, path);
	ok_eq(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0, "a socket");
	close(fd);
	ok_eq(console_open(&console, loop, path, on_request, NULL, &error), 0,
	      "that nothing listens on is replaced");
	console_close(console);
	f = fopen(path, "w");
	fclose(f);
	ok_eq(console_open(&other, loop, path, on_request, NULL, &error),
	      -ENOTSOCK, "a file of the name stays");
	ok_eq(access(path, F_OK), 0, "as it is");
	unlink(path);
	memset(longer, 'x', sizeof(longer));
	longer[150] = 0;
	ok_eq(console_open(&other, loop, longer, on_request, NULL, &error),
	      -ENAMETOOLONG, "too long a path");
	ok_eq(console_open(&other, loop, "/proc/none/a", on_request, NULL,
			   &error), -ENOENT, "no folder");
	setenv("XDG_RUNTIME_DIR", folder, 1);
	ok_eq(console_open_usual(&other, loop, "", "usual/b.sock", on_request,
				 NULL, &error), 0, "the usual socket");
	ok_eq(console_open_usual(&console, loop, "", "usual/b.sock",
				 on_request, NULL, &error), 1,
	      "another daemon may have it");
	ok(strstr(error.text, "another process uses") != NULL, "%s", error.text);
	ok_eq(console_open_usual(&console, loop, path, "usual/b.sock",
				 on_request, NULL, &error), 0,
	      "one that was asked for");
	console_close(console);
	ok_eq(console_open_usual(&console, loop, "/proc/none/a",
				 "usual/b.sock", on_request, NULL, &error),
	      -ENOENT, "has to be there");
	console_close(other);
}

int main(void)
{
	make_folder();
	loop = loop_create();
	test_requests();
	test_later();
	test_many();
	test_long();
	test_open();
	loop_destroy(loop);
	remove_folder();
	return tap_done();
}
