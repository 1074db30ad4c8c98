/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * free_port.h - an address of this machine that nobody listens on
 */
#ifndef UNIT_FREE_PORT_H
#define UNIT_FREE_PORT_H

#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static inline struct sockaddr_in free_port(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const int fd = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t len = sizeof(at);

	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) ||
	    getsockname(fd, (struct sockaddr *)&at, &len))
		abort();
	close(fd);
	return at;
}

#endif
