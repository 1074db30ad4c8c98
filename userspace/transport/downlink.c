// SPDX-License-Identifier: GPL-2.0-only
/*
 * downlink - the receiver's socket: segments in, reports out
 */
#include <stdlib.h>
#include <netinet/in.h>
#include <syslog.h>
#include <unistd.h>
#include "base/error.h"
#include "base/service.h"
#include "transport/downlink.h"
#include "transport/rx_latency.h"
#include "transport/segment.h"

enum {
	BATCH	= 8,
	TURN	= 2000000,	/* ns, before other sockets have their turn */
	ROOM	= 8 << 20,	/* bytes of the socket, for a burst */
};

#define LOG_AGAIN	60000000000ULL	/* ns */

struct downlink {
	struct loop	*loop;
	struct loop_fd	watch;
	void		(*received)(void *arg, uint64_t now,
				    const struct downlink_datagram *g);
	void		*arg;
	const struct seal *seal;
	uint64_t	serial;		/* of the last datagram sent */
	uint64_t	strange, unsealed;
	uint64_t	logged;		/* last log of one without key, ns */
	uint8_t		bytes[BATCH][OPTSAMPLE_SEGMENT_MAX + 1];
	struct sockaddr_storage from[BATCH];
	struct {
		_Alignas(struct cmsghdr) uint8_t bytes[RX_LATENCY_ROOM];
	}		control[BATCH];
	struct iovec	vec[BATCH];
	struct mmsghdr	msg[BATCH];
};

static void downlink_log_unsealed(struct downlink *d, unsigned int i,
				  uint64_t now, int why)
{
	char text[ADDRESS_TEXT];

	d->unsealed++;
	if (d->logged && now - d->logged < LOG_AGAIN)
		return;
	d->logged = now;
	service_logf(LOG_WARNING, "%s sends %s: datagrams rejected",
		     address_text(&d->from[i], text),
		     why == -ENOKEY ? "without a key" : "with another key");
}

static void downlink_take(struct downlink *d, unsigned int i, uint64_t now)
{
	size_t len = d->msg[i].msg_len;
	int ret = 0;
	struct downlink_datagram g = { .from = &d->from[i] };

	if (segment_read(&g.segment, d->bytes[i], len)) {
		d->strange++;
		return;
	}
	if (d->seal)
		ret = seal_check(d->seal, SEAL_UP, d->bytes[i], len, &g.serial);
	if (ret) {
		downlink_log_unsealed(d, i, now, ret);
		return;
	}
	g.came = loop_now() - rx_latency_ns(&d->msg[i].msg_hdr);
	g.left = segment_left(&g.segment, d->bytes[i]);
	g.payload = d->bytes[i] + g.segment.header;
	g.len = len - g.segment.header;
	d->received(d->arg, now, &g);
}

static void downlink_on_datagrams(void *arg, uint32_t events)
{
	struct downlink *d = arg;

	(void)events;
	for (uint64_t end = loop_now() + TURN, now = 0; now < end; ) {
		int n;

		for (unsigned int i = 0; i < BATCH; i++) {
			d->msg[i].msg_hdr.msg_namelen = sizeof(d->from[i]);
			d->msg[i].msg_hdr.msg_controllen = RX_LATENCY_ROOM;
		}
		n = recvmmsg(d->watch.fd, d->msg, BATCH, MSG_DONTWAIT, NULL);
		now = loop_now();
		for (int i = 0; i < n; i++)
			downlink_take(d, i, now);
		if (n < BATCH)
			return;
	}
}

/* Listen on any address if there is no IPv6 */
static int listen_v4(const struct address *at);

static int downlink_listen_at(const struct address *at)
{
	int room = ROOM, off = 0, err;
	int fd = socket(at->storage.ss_family,
			SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return errno == EAFNOSUPPORT ? listen_v4(at) : -errno;
	/* an IPv6 wildcard address also means IPv4 */
	if (at->storage.ss_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	rx_latency_enable(fd);
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
	return downlink_listen_at(&v4);
}

int downlink_open(struct downlink **out, struct loop *l,
		  const struct address *at, const struct seal *seal,
		  void (*received)(void *arg, uint64_t now,
				   const struct downlink_datagram *g),
		  void *arg, struct error *error)
{
	struct downlink *d = calloc(1, sizeof(*d));
	int fd = d ? downlink_listen_at(at) : -ENOMEM;
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
		d->seal = seal;
		d->received = received;
		d->arg = arg;
		d->watch.ready = downlink_on_datagrams;
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
	return error_set(error, err, "cannot listen at %s: %s",
			 address_text(&at->storage, text), strerror(-err));
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
		   uint64_t stream, uint64_t run, const void *payload,
		   size_t len)
{
	uint8_t bytes[OPTSAMPLE_SEGMENT_MAX] = { 0 };
	struct optsample_segment s;

	segment_init(&s);
	s.stream = stream;
	s.stamp = htole64(run);
	s.sent = htole32(loop_now() / 1000);
	if (d->seal)
		s.header = sizeof(struct optsample_segment_sealed);
	memcpy(bytes, &s, sizeof(s));
	if (len)
		memcpy(bytes + s.header, payload, len);
	if (d->seal)
		seal_put(d->seal, SEAL_DOWN, bytes, s.header + len,
			 ++d->serial);
	/* a datagram dropped here is like one lost on the way */
	if (sendto(d->watch.fd, bytes, s.header + len, MSG_DONTWAIT,
		   (const void *)to, sizeof(struct sockaddr_in6)) < 0)
		return;
}

uint64_t downlink_unsealed(const struct downlink *d)
{
	return d->unsealed;
}

uint64_t downlink_strange(const struct downlink *d)
{
	return d->strange;
}
