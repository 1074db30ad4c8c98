/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * free_port.h - an address of this machine that no one listens on, and clients
 * of it
 */
#ifndef UNIT_FREE_PORT_H
#define UNIT_FREE_PORT_H

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* A socket at a port that the kernel chose, which @at gets */
static inline int free_port_bind(int type, struct sockaddr_in *at)
{
	/* two sockets of UDP that reuse a port would share its datagrams */
	const int fd = socket(AF_INET, type, 0), reuse = type == SOCK_STREAM;
	socklen_t len = sizeof(*at);

	*at = (struct sockaddr_in){ .sin_family = AF_INET,
				    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof(reuse)) ||
	    bind(fd, (struct sockaddr *)at, sizeof(*at)) ||
	    getsockname(fd, (struct sockaddr *)at, &len))
		abort();
	return fd;
}

/*
 * The socket stays open, so the kernel gives its port to no other process. The
 * test can still listen there with SO_REUSEADDR.
 */
static inline struct sockaddr_in free_port(void)
{
	struct sockaddr_in at;

	(void)free_port_bind(SOCK_STREAM, &at);
	return at;
}

static inline struct sockaddr_in free_udp_port(void)
{
	struct sockaddr_in at;

	close(free_port_bind(SOCK_DGRAM, &at));
	return at;
}

/*
 * Connect from 127.0.0.@from to @at. The port is chosen then, not at bind():
 * thousands in TIME_WAIT do not use up the ports.
 */
static inline int dial_from(unsigned int from, const struct sockaddr_in *at)
{
	const struct sockaddr_in own = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK - 1 + from),
	};
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

	if (fd < 0 ||
	    setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on,
		       sizeof(on)) ||
	    bind(fd, (const struct sockaddr *)&own, sizeof(own)) ||
	    connect(fd, (const struct sockaddr *)at, sizeof(*at))) {
		perror("dial_from");
		abort();
	}
	return fd;
}

#endif
