// SPDX-License-Identifier: GPL-2.0-only
/*
 * downlink - the receiver's socket: segments in, reports out
 */
#include <stdio.h>
#include <stdlib.h>
#include <netinet/in.h>
#include <unistd.h>
#include "bridge/downlink.h"
#include "bridge/segment.h"
#include "bridge/waited.h"

enum {
	BATCH	= 8,
	TURN	= 20000000,	/* ns, until others have their turn */
	ROOM	= 8 << 20,	/* bytes of the socket: a link that comes back */
};

struct downlink {
	struct loop	*loop;
	struct loop_fd	watch;
	void		(*received)(void *arg, uint64_t now,
				    const struct downlink_datagram *g);
	void		*arg;
	uint64_t	strange;
	uint8_t		bytes[BATCH][OPTSAMPLE_SEGMENT_MAX + 1];
	struct sockaddr_storage from[BATCH];
	struct {
		_Alignas(struct cmsghdr) uint8_t bytes[WAITED_ROOM];
	}		control[BATCH];
	struct iovec	vec[BATCH];
	struct mmsghdr	msg[BATCH];
};

static void take(struct downlink *d, unsigned int i, uint64_t now)
{
	struct downlink_datagram g = { .from = &d->from[i] };

	if (segment_read(&g.segment, d->bytes[i], d->msg[i].msg_len)) {
		d->strange++;
		return;
	}
	g.came = loop_now() - waited_ns(&d->msg[i].msg_hdr);
	g.left = segment_left(&g.segment, d->bytes[i]);
	g.payload = d->bytes[i] + g.segment.header;
	g.len = d->msg[i].msg_len - g.segment.header;
	d->received(d->arg, now, &g);
}

static void on_datagrams(void *arg, uint32_t events)
{
	struct downlink *d = arg;

	(void)events;
	for (uint64_t end = loop_now() + TURN, now = 0; now < end; ) {
		int n;

		for (unsigned int i = 0; i < BATCH; i++) {
			d->msg[i].msg_hdr.msg_namelen = sizeof(d->from[i]);
			d->msg[i].msg_hdr.msg_controllen = WAITED_ROOM;
		}
		n = recvmmsg(d->watch.fd, d->msg, BATCH, MSG_DONTWAIT, NULL);
		now = loop_now();
		for (int i = 0; i < n; i++)
			take(d, i, now);
		if (n < BATCH)
			return;
	}
}

/* Any address, where there is no IPv6 */
static int listen_v4(const struct address *at);

static int listen_at(const struct address *at)
{
	int room = ROOM, off = 0, err;
	int fd = socket(at->storage.ss_family,
			SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return errno == EAFNOSUPPORT ? listen_v4(at) : -errno;
	/* any address means IPv4's, too */
	if (at->storage.ss_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	waited_ask(fd);
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	if (!bind(fd, (const struct sockaddr *)&at->storage, at->len))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

static int listen_v4(const struct address *at)
{
	const struct sockaddr_in6 *v6 = (const void *)&at->storage;
	struct address v4 = { .len = sizeof(struct sockaddr_in) };
	struct sockaddr_in *a = (void *)&v4.storage;

	if (at->storage.ss_family != AF_INET6 ||
	    !IN6_IS_ADDR_UNSPECIFIED(&v6->sin6_addr))
		return -EAFNOSUPPORT;
	a->sin_family = AF_INET;
	a->sin_port = v6->sin6_port;
	return listen_at(&v4);
}

int downlink_open(struct downlink **out, struct loop *l,
		  const struct address *at,
		  void (*received)(void *arg, uint64_t now,
				   const struct downlink_datagram *g),
		  void *arg, char error[256])
{
	struct downlink *d = calloc(1, sizeof(*d));
	int fd = d ? listen_at(at) : -ENOMEM;
	char text[ADDRESS_TEXT];
	int err = fd < 0 ? fd : 0;

	if (!err) {
		for (unsigned int i = 0; i < BATCH; i++) {
			d->vec[i] = (struct iovec){ d->bytes[i],
						    sizeof(d->bytes[i]) };
			d->msg[i].msg_hdr.msg_iov = &d->vec[i];
			d->msg[i].msg_hdr.msg_iovlen = 1;
			d->msg[i].msg_hdr.msg_name = &d->from[i];
			d->msg[i].msg_hdr.msg_control = &d->control[i];
		}
		d->loop = l;
		d->received = received;
		d->arg = arg;
		d->watch.ready = on_datagrams;
		d->watch.arg = d;
		err = loop_watch(l, &d->watch, fd, EPOLLIN);
	}
	if (!err) {
		*out = d;
		return 0;
	}
	if (fd >= 0)
		close(fd);
	free(d);
	snprintf(error, 256, "cannot listen at %s: %s",
		 address_text(&at->storage, text), strerror(-err));
	return err;
}

void downlink_close(struct downlink *d)
{
	if (!d)
		return;
	loop_unwatch(d->loop, &d->watch);
	close(d->watch.fd);
	free(d);
}

void downlink_send(struct downlink *d, const struct sockaddr_storage *to,
		   uint64_t stream, const void *payload, size_t len)
{
	uint8_t bytes[OPTSAMPLE_SEGMENT_MAX];
	struct optsample_segment s;

	segment_init(&s);
	s.stream = stream;
	s.sent = htole32(loop_now() / 1000);
	memcpy(bytes, &s, sizeof(s));
	memcpy(bytes + sizeof(s), payload, len);
	/* one that is lost is as good as lost on the way */
	if (sendto(d->watch.fd, bytes, sizeof(s) + len, MSG_DONTWAIT,
		   (const void *)to, sizeof(struct sockaddr_in6)) < 0)
		return;
}

uint64_t downlink_strange(const struct downlink *d)
{
	return d->strange;
}
