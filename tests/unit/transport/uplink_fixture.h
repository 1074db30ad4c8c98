/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * uplink_fixture.h - the socket of a sender, and what came out of it
 */
#ifndef TESTS_TRANSPORT_UPLINK_FIXTURE_H
#define TESTS_TRANSPORT_UPLINK_FIXTURE_H

#include <arpa/inet.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/error.h"
#include "tap.h"
#include "transport/segment.h"
#include "transport/uplink.h"

enum { PAYLOAD = 100 };

#define MS	1000000ULL

static struct loop *loop;
static struct uplink *uplink;
static unsigned int sent_datagrams;
static int fd;

/* @payload: its first bytes */
struct datagram {
	struct optsample_segment segment;
	int64_t			left;
	uint8_t			payload[PAYLOAD];
	size_t			len;
};

static void on_sent(void *arg, uint64_t now, unsigned int datagrams,
		    uint64_t bytes)
{
	(void)arg;
	(void)now;
	(void)bytes;
	sent_datagrams += datagrams;
}

static void on_met(void *arg)
{
	(void)arg;
}

static void on_received(void *arg, uint64_t came, const void *payload,
			size_t len, const struct sockaddr_storage *from)
{
	(void)arg;
	(void)came;
	(void)payload;
	(void)len;
	(void)from;
}

static void uplink_begin(void)
{
	const struct uplink_events events = { on_sent, on_met, on_received,
					      NULL };
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct address to = { .len = sizeof(a) };
	socklen_t len = sizeof(a);

	fd = socket(AF_INET, SOCK_DGRAM, 0);
	if (bind(fd, (void *)&a, len) || getsockname(fd, (void *)&a, &len))
		abort();
	memcpy(&to.storage, &a, sizeof(a));
	loop = loop_create();
	sent_datagrams = 0;
	if (uplink_open(&uplink, loop, &to, 4711, NULL, &events))
		abort();
}

static void uplink_end(void)
{
	uplink_close(uplink);
	loop_destroy(loop);
	close(fd);
}

/* The next one, which must be on its way */
static bool take(struct datagram *d)
{
	struct pollfd p = { fd, POLLIN, 0 };
	uint8_t bytes[OPTSAMPLE_SEGMENT_MAX];
	ssize_t n;

	memset(d, 0, sizeof(*d));
	if (poll(&p, 1, 10000) != 1)
		return false;
	n = recv(fd, bytes, sizeof(bytes), 0);
	if (n < 0 || segment_read(&d->segment, bytes, n))
		return false;
	d->left = segment_left(&d->segment, bytes);
	d->len = n - d->segment.header;
	memcpy(d->payload, bytes + d->segment.header,
	       d->len < PAYLOAD ? d->len : PAYLOAD);
	return true;
}

static unsigned int wanted;
static struct loop_timer idle;

static void check_sent(void *arg, uint64_t now)
{
	(void)arg;
	idle.due = now + MS;
	if (sent_datagrams >= wanted)
		loop_stop(loop, 0);
}

/* Run until so many were sent */
__attribute__((unused))
static void run_until(unsigned int datagrams)
{
	wanted = datagrams;
	idle = (struct loop_timer){ loop_now(), check_sent, NULL, NULL };
	loop_add_timer(loop, &idle);
	loop_run(loop);
	loop_remove_timer(loop, &idle);
}

#endif
