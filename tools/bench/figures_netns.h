/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * figures_netns.h - sockets of one process in two network namespaces
 *
 * Both ends of a link under test in one process have one clock, and nothing to
 * agree on over the link itself.
 */
#ifndef D63_NETNS_H
#define D63_NETNS_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static inline int64_t figures_now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/**
 * figures_socket() - a socket in a namespace of ip-netns(8)
 * @ns: its name
 * @type: SOCK_STREAM or SOCK_DGRAM
 *
 * Return: the socket, which does not block; -1 after an error line.
 */
static inline int figures_socket(const char *ns, int type)
{
	char path[256];
	int fd, sock = -1;

	snprintf(path, sizeof(path), "/run/netns/%s", ns);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && !setns(fd, CLONE_NEWNET))
		sock = socket(AF_INET, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (sock < 0)
		fprintf(stderr, "figures: namespace %s: %s\n", ns,
			strerror(errno));
	if (fd >= 0)
		close(fd);
	return sock;
}

/* Return: false after an error line. @text: ADDRESS, of IPv4 */
static inline int figures_address(struct sockaddr_in *a, const char *text,
			      uint16_t port)
{
	memset(a, 0, sizeof(*a));
	a->sin_family = AF_INET;
	a->sin_port = htons(port);
	if (inet_pton(AF_INET, text, &a->sin_addr) == 1)
		return 1;
	fprintf(stderr, "figures: %s: not an address\n", text);
	return 0;
}

#endif
