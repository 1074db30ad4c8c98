/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * loopback.h - a sender and a receiver in one loop, and what is between them
 *
 * The sender has messages on /x and /y, and on further topics if asked.
 */
#ifndef UNIT_LOOPBACK_H
#define UNIT_LOOPBACK_H

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/cli.h"
#include "base/error.h"
#include "base/wire.h"
#include "fast_clock.h"
#include "free_port.h"
#include "tap.h"
#include "transport/receiver.h"
#include "transport/segment.h"
#include "transport/sender.h"
#include "waits.h"

#define MS	1000000ULL

enum { ROOM = OPTSAMPLE_SEGMENT_MAX + 1, COMMAND = 1 << 4 | CONTROL_COMMAND };

/**
 * struct between - both: @up to the sender, @down to the receiver
 * @lose:	so many datagrams with commands
 * @repeat:	forward them twice
 * @damage:	change a byte of them
 * @commands:	how many came
 * @last:	the last one, of @len bytes
 * @heard:	called for each datagram of the sender; may be NULL
 */
static struct between {
	struct loop_fd		up, down;
	struct sockaddr_in	sender;
	unsigned int		lose, commands;
	bool			repeat, damage;
	uint8_t			last[ROOM];
	size_t			len;
	void			(*heard)(const uint8_t *bytes, size_t n);
} l;

static struct loop *loop;
static struct sender *sender;
static struct receiver *receiver;
static struct publish *publish;

/* Free when it was asked for first */
static unsigned int port(unsigned int which)
{
	static unsigned int ports[2];

	if (!ports[which])
		ports[which] = ntohs(free_udp_port().sin_port);
	return ports[which];
}

static int socket_at(unsigned int which, bool connected)
{
	struct sockaddr_in a = {
		.sin_family = AF_INET, .sin_port = htons(port(which)),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);

	if (fd < 0 || (connected ? connect(fd, (void *)&a, sizeof(a)) :
				   bind(fd, (void *)&a, sizeof(a))))
		abort();
	return fd;
}

static void on_up(void *arg, uint32_t events)
{
	socklen_t room = sizeof(l.sender);
	uint8_t bytes[ROOM];
	ssize_t n;

	(void)arg;
	(void)events;
	while ((n = recvfrom(l.up.fd, bytes, sizeof(bytes), 0,
			     (void *)&l.sender, &room)) > 0) {
		if (l.heard)
			l.heard(bytes, n);
		if (send(l.down.fd, bytes, n, 0) < 0)
			return;
	}
}

static void to_sender(const uint8_t *bytes, size_t n)
{
	if (sendto(l.up.fd, bytes, n, 0, (void *)&l.sender,
		   sizeof(l.sender)) < 0)
		abort();
}

static void on_down(void *arg, uint32_t events)
{
	uint8_t bytes[ROOM];
	ssize_t n;

	(void)arg;
	(void)events;
	while ((n = recv(l.down.fd, bytes, sizeof(bytes), 0)) > 0) {
		struct optsample_segment s;

		if (segment_read(&s, bytes, n))
			abort();
		if (n == s.header || bytes[s.header] != COMMAND) {
			to_sender(bytes, n);
			continue;
		}
		memcpy(l.last, bytes, n);
		l.len = n;
		l.commands++;
		if (l.lose) {
			l.lose--;
			continue;
		}
		if (l.damage)
			bytes[n - 1] ^= 1;
		to_sender(bytes, n);
		if (l.repeat)
			to_sender(bytes, n);
	}
}

static unsigned int more_topics;	/* /topic0, ... */

/* A message of each topic, whatever it is */
static void feed(uint64_t now)
{
	union message msg = { 0 };
	uint8_t data[512];
	struct source_message m = {
		.kind = MESSAGE_TWIST_STAMPED, .format = MESSAGE_CDR,
		.data = data, .stamp = now,
	};

	msg.twist_stamped.header.stamp = m.stamp;
	m.len = message_write(m.kind, m.format, &msg, data, sizeof(data));
	m.topic = "/x";
	sender_message(sender, &m);
	m.topic = "/y";
	sender_message(sender, &m);
	for (unsigned int i = 0; i < more_topics; i++) {
		char name[24];

		snprintf(name, sizeof(name), "/topic%u", i);
		m.topic = name;
		sender_message(sender, &m);
	}
}

static const struct stream *stream(void)
{
	bool old;

	return receiver_stream(receiver, 0, &old);
}

static bool met(void)
{
	return stream() && stream_topic(stream(), 1) &&
	       sender_link(sender)->state == ESTIMATE_LIVE;
}

#define ROBOT { .name = "robot", .cpu = 1, .threads = 1, .commands = true }

/* When the receiver puts a robot's name before its topics */
static enum receiver_prefix prefix;

/* The receiver has the same key */
static void loopback_begin(const struct sender_options *to)
{
	struct receiver_options from = { .topics = RECV_DEFAULTS,
					 .threads = 1, .prefix = prefix };
	struct address at, away;
	char text[32];
	struct error error = { "" };

	cli_program = "test";
	memset(&l, 0, sizeof(l));
	loop = loop_create();
	publish = publish_create();
	snprintf(from.key, sizeof(from.key), "%s", to->key);
	snprintf(text, sizeof(text), "127.0.0.1:%u", port(0));
	address_parse(text, 1, "0", &at, &error);
	snprintf(text, sizeof(text), "127.0.0.1:%u", port(1));
	address_parse(text, 0, "0", &away, &error);
	if (receiver_open(&receiver, loop, &at, &from, publish, &error) ||
	    sender_open(&sender, loop, &away, to, &error)) {
		printf("# %s\n", error.text);
		abort();
	}
	l.up.ready = on_up;
	l.down.ready = on_down;
	loop_watch(loop, &l.up, socket_at(1, false), EPOLLIN);
	loop_watch(loop, &l.down, socket_at(0, true), EPOLLIN);
	waits_begin(loop, 20, feed);
	if (!wait_for(met))
		printf("# they did not meet\n");
}

static void loopback_end(void)
{
	sender_close(sender);
	receiver_close(receiver);
	publish_destroy(publish);
	loop_unwatch(loop, &l.up);
	loop_unwatch(loop, &l.down);
	close(l.up.fd);
	close(l.down.fd);
	loop_destroy(loop);
}

#endif
