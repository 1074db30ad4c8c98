// SPDX-License-Identifier: GPL-2.0-only
/*
 * write.c - write messages to sockets without blocking
 *
 * TCPROS writes what fits. UDPROS datagrams are paced to the speed of
 * subscribers: roscpp's have sockets of 208 KB, and one lost datagram ends its
 * connection.
 */
#include <assert.h>
#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include "base/wire.h"
#include "node.h"

enum {
	BURST		= 48,	/* datagrams at once */
	PER_MS		= 16,	/* after that, 188 Mbit/s */
};

/* Wait for the socket, or for tokens. Return: 1 */
static int write_blocked(struct sink *s, uint32_t events)
{
	s->blocked = true;
	if (events)
		poller_want(&s->node->poller, &s->watch, events);
	else
		s->watch.deadline = poller_now() + 1;
	return 1;
}

/* Up to @n bytes of length and message from @at on. Return: parts in @v */
static size_t write_parts(struct iovec *v, uint8_t *length,
			  const uint8_t *bytes, size_t len, size_t at,
			  size_t n)
{
	size_t parts = 0, front = 0;

	assert(at <= len + 4);
	if (n > len + 4 - at)
		n = len + 4 - at;
	if (at < 4) {
		front = 4 - at < n ? 4 - at : n;
		v[parts].iov_base = length + at;
		v[parts++].iov_len = front;
		at = 4;
	}
	if (n > front) {
		v[parts].iov_base = (void *)(uintptr_t)(bytes + at - 4);
		v[parts++].iov_len = n - front;
	}
	return parts;
}

static int write_tcp(struct sink *s, const uint8_t *bytes, size_t len)
{
	struct iovec v[2];
	struct msghdr m = { .msg_iov = v };
	uint8_t length[4];
	ssize_t n;

	put_le32(length, (uint32_t)len);
	while (s->sent < len + 4) {
		m.msg_iovlen = write_parts(v, length, bytes, len, s->sent,
					   SIZE_MAX);
		n = sendmsg(s->watch.fd, &m, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return write_blocked(s, EPOLLIN | EPOLLOUT);
		if (n < 0)
			return -errno;
		s->sent += (size_t)n;
	}
	return 0;
}

/* Add tokens for the time since the last refill */
static void write_refill(struct sink *s)
{
	uint64_t now = poller_now(), tokens;

	if (now == s->filled)
		return;
	tokens = s->tokens + (now - s->filled) * PER_MS;
	s->tokens = tokens > BURST ? BURST : (unsigned int)tokens;
	s->filled = now;
}

/*
 * Send block @i of @total. Not by sendmmsg(): that may hide the only error that
 * shows that the subscriber is gone.
 * Return: 0 or negative errno
 */
static int write_datagram(struct sink *s, const uint8_t *bytes, size_t len,
			  unsigned int i, unsigned int total)
{
	uint8_t header[UDPROS_HEADER], length[4];
	struct iovec v[3] = { { header, sizeof(header) } };
	struct msghdr m = { .msg_iov = v };

	put_le32(length, (uint32_t)len);
	udpros_put(header, (uint32_t)s->id, s->message_id, i, total);
	m.msg_iovlen = 1 + write_parts(v + 1, length, bytes, len,
				       i * s->block, s->block);
	return sendmsg(s->watch.fd, &m, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

static int write_udp(struct sink *s, const uint8_t *bytes, size_t len)
{
	size_t total = (len + 4 + s->block - 1) / s->block;
	int err;

	if (total > UDPROS_BLOCKS)
		return -EIO;
	if (!s->sent)
		s->message_id = udpros_next(s->message_id);
	while (s->sent < len + 4) {
		write_refill(s);
		if (!s->tokens)
			return write_blocked(s, 0);
		assert(s->tokens && s->sent % s->block == 0);
		err = write_datagram(s, bytes, len,
				     (unsigned int)(s->sent / s->block),
				     (unsigned int)total);
		if (err == -EAGAIN || err == -EINTR)
			return write_blocked(s, EPOLLOUT);
		/* All others are of the network, and end with the outage. */
		if (err)
			return err == -ECONNREFUSED ? err : -EIO;
		s->sent += s->block;
		s->tokens--;
	}
	return 0;
}

int sink_write(struct sink *s, const uint8_t *bytes, size_t len)
{
	return s->udp ? write_udp(s, bytes, len) : write_tcp(s, bytes, len);
}
