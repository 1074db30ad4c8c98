/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rx_latency.h - time that a datagram waited in the socket before it was read
 *
 * The receiver does not read while it publishes a picture, and coding threads
 * may use all processors. The kernel knows when a datagram arrived, so this
 * wait is not mistaken for a queue of the link.
 */
#ifndef TRANSPORT_RX_LATENCY_H
#define TRANSPORT_RX_LATENCY_H

#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum {
	RX_LATENCY_ROOM	= CMSG_SPACE(sizeof(struct timespec)),
	RX_LATENCY_MOST	= 1000000000,	/* ns; more: the clock was set */
};

/* Without support of the kernel the latency is 0 */
static inline void rx_latency_enable(int fd)
{
	int on = 1;

	setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on));
}

/**
 * rx_latency_ns() - time that a datagram being read has waited
 * @m: of recvmsg(2), with RX_LATENCY_ROOM bytes for control messages
 *
 * Return: ns, 0: unknown.
 */
static inline uint64_t rx_latency_ns(struct msghdr *m)
{
	struct timespec came, now;
	int64_t ns;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		if (c->cmsg_level != SOL_SOCKET ||
		    c->cmsg_type != SO_TIMESTAMPNS ||
		    c->cmsg_len < CMSG_LEN(sizeof(came)))
			continue;
		memcpy(&came, CMSG_DATA(c), sizeof(came));
		clock_gettime(CLOCK_REALTIME, &now);
		ns = (now.tv_sec - came.tv_sec) * 1000000000LL +
		     now.tv_nsec - came.tv_nsec;
		return ns > 0 && ns < RX_LATENCY_MOST ? ns : 0;
	}
	return 0;
}

#endif
