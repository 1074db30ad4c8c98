// SPDX-License-Identifier: GPL-2.0-only
/*
 * http-load - asks a server on the loopback as fast as it answers
 *
 * usage: http-load [-n CONNECTIONS] [-t SECONDS] [-q QUERIES] PORT PATH...
 *
 * Each connection is kept and has one question open; paths are asked for in
 * turn. In a path, %X and %Y become coordinates in -10..10 that differ from
 * question to question. Ends after SECONDS (5), or after QUERIES if that is
 * given. Prints queries, those not answered with 200, bytes, seconds and
 * queries a second; exit status 1 if a connection ended or one was not 200.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>
#include "base/cli.h"

enum {
	CONNECTIONS	= 256,
	ANSWER		= 1 << 22,	/* bytes, at most */
	SILENCE		= 30000,	/* ms */
};

/**
 * struct client
 * @len:	bytes of the answer that are here
 * @need:	bytes of all of it, 0: not known yet
 */
struct client {
	int	fd;
	size_t	len, need, room;
	char	*answer;
};

struct load {
	unsigned int	connections, port, paths;
	char		**path;
	double		seconds;
	uint64_t	most, asked, answered, bad, bytes;
	struct client	client[CONNECTIONS];
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void fill(const char *path, uint64_t number, char *to, size_t room)
{
	size_t n = 0;

	for (; *path && n + 24 < room; path++) {
		const unsigned int mix = number * 2654435761u;

		if (strncmp(path, "%X", 2) && strncmp(path, "%Y", 2)) {
			to[n++] = *path;
			continue;
		}
		path++;
		n += sprintf(to + n, "%.2f", (*path == 'X' ? mix % 2000 :
					      mix / 2048 % 2000) / 100.0 - 10);
	}
	to[n] = 0;
}

static int ask(struct load *l, struct client *c)
{
	char path[1024], text[1200];
	int n;

	fill(l->path[l->asked % l->paths], l->asked, path, sizeof(path));
	l->asked++;
	n = snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\n"
		     "Host: localhost\r\n\r\n", path);
	c->len = c->need = 0;
	return send(c->fd, text, n, MSG_NOSIGNAL) == n ? 0 : -EIO;
}

/* How long the answer is, once its header is here. Return: false: not yet */
static bool measure(struct client *c)
{
	const char *end, *length;

	c->answer[c->len] = 0;
	end = strstr(c->answer, "\r\n\r\n");
	if (!end)
		return false;
	length = strcasestr(c->answer, "\r\nContent-Length:");
	c->need = end + 4 - c->answer;
	if (length && length < end)
		c->need += strtoul(length + 17, NULL, 10);
	return c->need < c->room;
}

/* Return: 0, or a negative errno: there will be no answer */
static int hear(struct load *l, struct client *c)
{
	const ssize_t n = recv(c->fd, c->answer + c->len,
			       c->room - 1 - c->len, 0);

	if (n <= 0)
		return n ? -errno : -EPIPE;
	c->len += n;
	if (!c->need && !measure(c))
		return c->len + 1 < c->room && !c->need ? 0 : -E2BIG;
	if (c->len < c->need)
		return 0;
	l->answered++;
	l->bytes += c->len;
	l->bad += strncmp(c->answer, "HTTP/1.1 200 ", 13) != 0;
	return ask(l, c);
}

static int meet(struct load *l, struct client *c, int epoll)
{
	const struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_port = htons(l->port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = c };
	const int on = 1;

	c->room = ANSWER;
	c->answer = malloc(c->room);
	c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (!c->answer || c->fd < 0 ||
	    connect(c->fd, (const void *)&to, sizeof(to)) ||
	    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) ||
	    epoll_ctl(epoll, EPOLL_CTL_ADD, c->fd, &e))
		return -errno;
	return ask(l, c);
}

static int run(struct load *l, int epoll)
{
	const double begin = now();
	struct epoll_event event[32];
	double last = begin;
	int err = 0;

	for (unsigned int i = 0; i < l->connections && !err; i++)
		err = meet(l, &l->client[i], epoll);
	while (!err && (l->most ? l->answered < l->most :
			last < begin + l->seconds)) {
		const int n = epoll_wait(epoll, event, 32, SILENCE);

		if (!n)
			err = -ETIMEDOUT;
		for (int i = 0; i < n && !err; i++)
			err = hear(l, event[i].data.ptr);
		last = now();
	}
	printf("%llu queries, %llu not 200, %llu bytes, %.3f s, %.0f/s\n",
	       (unsigned long long)l->answered, (unsigned long long)l->bad,
	       (unsigned long long)l->bytes, last - begin,
	       l->answered / (last - begin));
	return err;
}

static int parse(struct load *l, int argc, char **argv)
{
	uint32_t n;
	int opt;

	while ((opt = getopt(argc, argv, "n:t:q:")) != -1) {
		if (opt == 'n' && !parse_u32(optarg, 1, CONNECTIONS, &n))
			l->connections = n;
		else if (opt == 'q' && !parse_u32(optarg, 1, UINT32_MAX, &n))
			l->most = n;
		else if (opt != 't' || parse_double(optarg, 0.1, 3600,
						    &l->seconds))
			return -EINVAL;
	}
	if (argc - optind < 2 || parse_u32(argv[optind], 1, 65535, &l->port))
		return -EINVAL;
	l->path = argv + optind + 1;
	l->paths = argc - optind - 1;
	return 0;
}

int main(int argc, char **argv)
{
	static struct load l = { .connections = 8, .seconds = 5 };
	const int epoll = epoll_create1(EPOLL_CLOEXEC);
	int err;

	cli_program = "http-load";
	if (parse(&l, argc, argv))
		return cli_error(2, "[-n CONNECTIONS] [-t SECONDS] "
				 "[-q QUERIES] PORT PATH...");
	err = epoll < 0 ? -errno : run(&l, epoll);
	if (err)
		cli_error(err, "%s", strerror(-err));
	for (unsigned int i = 0; i < l.connections; i++) {
		if (l.client[i].fd > 0)
			close(l.client[i].fd);
		free(l.client[i].answer);
	}
	close(epoll);
	return err || l.bad;
}
