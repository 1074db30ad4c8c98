// SPDX-License-Identifier: GPL-2.0-only
/*
 * receive.c - split the bytes of a publisher into messages
 *
 * A message is delivered from the receive buffer. The buffer grows with the
 * received bytes, not by an announced length, and stays large.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include "base/wire.h"
#include "node.h"
#include "receive.h"

enum {
	RECEIVE_FIRST	= 64 << 10,
	RECEIVE_DATAGRAMS = 256,	/* then it is others' turn */
};

ssize_t receive_header(const struct source *s)
{
	size_t n = s->stream.len >= 4 ? get_le32(s->stream.data) : 0;

	if (n > HEADER_MAX)
		return -EPROTO;
	if (s->stream.len < 4 || s->stream.len - 4 < n)
		return 0;
	return (ssize_t)n + 4;
}

static void receive_deliver(struct source *s, const uint8_t *bytes, size_t len)
{
	s->messages++;
	s->bytes += len;
	s->sub->stats.messages++;
	s->sub->stats.bytes += len;
	s->sub->message(s->sub->arg, bytes, len, &s->who);
}

void receive_messages(struct source *s)
{
	struct bytes *b = &s->stream;
	size_t at = 0, n;

	while (b->len - at >= 4) {
		n = get_le32(b->data + at);
		if (n > s->sub->known.node->message_max) {
			s->sub->stats.refused++;
			s->skip = n;
			at += 4;
			n = b->len - at < s->skip ? b->len - at : s->skip;
			s->skip -= n;
			at += n;
			continue;
		}
		if (b->len - at - 4 < n)
			break;
		receive_deliver(s, b->data + at + 4, n);
		at += 4 + n;
	}
	bytes_consume(b, at);
}

/* Make room for more bytes. Return: 0 or -ENOMEM */
static int receive_room(struct bytes *b)
{
	if (b->cap < RECEIVE_FIRST)
		return bytes_reserve(b, RECEIVE_FIRST);
	return b->len < b->cap ? 0 : bytes_reserve(b, b->cap + 1);
}

const char *receive_tcp(struct source *s)
{
	struct bytes *b = &s->stream;
	size_t room;
	ssize_t n;

	if (receive_room(b))
		return strerror(ENOMEM);
	room = b->cap - b->len;
	if (s->skip && s->skip < room)
		room = s->skip;
	n = recv(s->watch.fd, b->data + b->len, room, 0);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return NULL;
	if (n <= 0)
		return n ? strerror(errno) : "connection closed";
	if (s->skip)
		s->skip -= (size_t)n;
	else
		b->len += (size_t)n;
	return NULL;
}

void receive_udp(struct source *s)
{
	uint8_t p[UDPROS_DATAGRAM + 1];
	ssize_t n;
	int i;

	s->seen = poller_now();
	for (i = 0; i < RECEIVE_DATAGRAMS; i++) {
		n = recv(s->watch.fd, p, sizeof(p), 0);
		if (n < 0)
			return;
		if (udpros_add(&s->in, p, (size_t)n, s->seen) > 0)
			receive_deliver(s, s->in.message.data + 4,
					s->in.message.len - 4);
	}
}
