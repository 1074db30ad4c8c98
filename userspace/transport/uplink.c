// SPDX-License-Identifier: GPL-2.0-only
/*
 * uplink - the sender's socket: segments out, reports in
 */
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>
#include <linux/errqueue.h>
#include "base/service.h"
#include "base/wire.h"
#include "transport/rx_latency.h"
#include "transport/segment.h"
#include "transport/uplink.h"

enum {
	BATCH	= 64,		/* datagrams per system call */
	ROOM	= 4 << 20,	/* bytes of the socket: a reserve */
	TURNS	= 16,		/* datagrams read at a time */
	ETHERNET = 1500,
	LEAST	= 1024,		/* bytes of a payload for any codec */
	RUNS	= 8,		/* remembered runs of receivers */
};

#define TELL_AGAIN	60000000000ULL	/* ns */

struct uplink {
	struct loop		*loop;
	struct loop_fd		watch;
	struct address		to;
	uint64_t		stream;
	const struct seal	*seal;
	uint64_t		serial;		/* of the newest datagram */
	struct {
		uint64_t	run, serial;
	}			runs[RUNS];	/* of receivers; newest first */
	bool			logged;		/* one without key was logged */
	int			error;		/* why it is unreachable */
	bool			told_error;
	uint64_t		told_at;	/* when that was logged, ns */
	struct uplink_events	events;
	struct uplink_counts	counts;
	uint64_t		sent;	/* us, time of the newest datagram */
	unsigned int		payload;
};

/* Log it once, and when it is over: ICMP can come from any host */
static void set_unreachable(struct uplink *u, int error)
{
	uint64_t now = loop_now();
	char text[ADDRESS_TEXT];

	u->counts.unreachable++;
	u->error = error;
	if (u->told_error || (u->told_at && now - u->told_at < TELL_AGAIN))
		return;
	u->told_error = true;
	u->told_at = now;
	service_logf(LOG_WARNING, "%s unreachable: %s",
		     address_text(&u->to.storage, text),
		     error == ECONNREFUSED ? "no program listens on this port" :
		     strerror(error));
}

static void set_reachable(struct uplink *u)
{
	char text[ADDRESS_TEXT];

	u->error = 0;
	if (!u->told_error)
		return;
	u->told_error = false;
	service_logf(LOG_INFO, "%s reachable again",
		     address_text(&u->to.storage, text));
}

static bool is_unreachable(int error)
{
	return error == ECONNREFUSED || error == EHOSTUNREACH ||
	       error == ENETUNREACH || error == ENETDOWN;
}

/* Read the errors that hosts on the path reported */
static void read_errors(struct uplink *u)
{
	_Alignas(struct cmsghdr) uint8_t control[512];

	for (unsigned int i = 0; i < BATCH; i++) {
		struct msghdr m = {
			.msg_control = control,
			.msg_controllen = sizeof(control),
		};

		if (recvmsg(u->watch.fd, &m, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
			return;
		for (struct cmsghdr *c = CMSG_FIRSTHDR(&m); c;
		     c = CMSG_NXTHDR(&m, c)) {
			struct sock_extended_err e;

			if (!(c->cmsg_level == IPPROTO_IP &&
			      c->cmsg_type == IP_RECVERR) &&
			    !(c->cmsg_level == IPPROTO_IPV6 &&
			      c->cmsg_type == IPV6_RECVERR))
				continue;
			memcpy(&e, CMSG_DATA(c), sizeof(e));
			if (is_unreachable(e.ee_errno))
				set_unreachable(u, e.ee_errno);
		}
	}
}

static void uplink_log_unsealed(struct uplink *u, int why)
{
	char text[ADDRESS_TEXT];

	u->counts.unsealed++;
	if (u->logged)
		return;
	u->logged = true;
	service_logf(LOG_WARNING,
		     "the receiver at %s answers %s: reports rejected",
		     address_text(&u->to.storage, text),
		     why == -ENOKEY ? "without a key" : "with another key");
}

/* Is a serial of a receiver's run new? */
static bool uplink_is_new(struct uplink *u, uint64_t run, uint64_t serial)
{
	unsigned int i = 0;

	while (i < RUNS - 1 && u->runs[i].run != run)
		i++;
	if (u->runs[i].run == run && run) {
		if (serial <= u->runs[i].serial)
			return false;
		u->runs[i].serial = serial;
		return true;
	}
	if (!run)
		return false;
	memmove(&u->runs[1], &u->runs[0], (RUNS - 1) * sizeof(u->runs[0]));
	u->runs[0].run = run;
	u->runs[0].serial = serial;
	u->events.met(u->events.arg);
	return true;
}

/* Does an answer have the key, if required, and is it new? */
static bool is_trusted(struct uplink *u, const struct optsample_segment *s,
		       const uint8_t *datagram, size_t len)
{
	uint64_t serial;
	int ret;

	if (!u->seal)
		return true;
	ret = seal_check(u->seal, SEAL_DOWN, datagram, len, &serial);
	if (ret) {
		uplink_log_unsealed(u, ret);
		return false;
	}
	if (uplink_is_new(u, get_le64(&s->stamp), serial))
		return true;
	u->counts.replayed++;
	return false;
}

/*
 * The source address does not matter: the receiver may have several. Whoever
 * knows the number of the stream has seen its datagrams.
 */
static void uplink_on_datagrams(void *arg, uint32_t events)
{
	struct uplink *u = arg;
	uint8_t bytes[OPTSAMPLE_SEGMENT_MAX + 1];
	_Alignas(struct cmsghdr) uint8_t control[RX_LATENCY_ROOM];
	struct iovec v = { bytes, sizeof(bytes) };
	struct sockaddr_storage from;
	struct optsample_segment s;

	if (events & EPOLLERR)
		read_errors(u);
	for (unsigned int i = 0; i < TURNS; i++) {
		struct msghdr m = {
			.msg_name = &from, .msg_namelen = sizeof(from),
			.msg_iov = &v, .msg_iovlen = 1,
			.msg_control = control,
			.msg_controllen = sizeof(control),
		};
		ssize_t n = recvmsg(u->watch.fd, &m, MSG_DONTWAIT);

		/* the same error is in the error queue, too */
		if (n < 0 && is_unreachable(errno))
			continue;
		if (n < 0)
			return;
		if (segment_read(&s, bytes, n) ||
		    get_le64(&s.stream) != u->stream || s.topic ||
		    !is_trusted(u, &s, bytes, n))
			continue;
		set_reachable(u);
		u->events.received(u->events.arg,
				   loop_now() - rx_latency_ns(&m),
				   bytes + s.header, n - s.header, &from);
	}
}

/* Largest payload without IP fragments: losing one fragment loses all */
static unsigned int payload_of(const struct address *to, int header)
{
	bool v6 = to->storage.ss_family == AF_INET6;
	int fd = socket(to->storage.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	const int room = OPTSAMPLE_SEGMENT_MAX - header;
	int mtu = ETHERNET, most;
	socklen_t len = sizeof(mtu);

	if (fd >= 0 && (connect(fd, (const void *)&to->storage, to->len) ||
			getsockopt(fd, v6 ? IPPROTO_IPV6 : IPPROTO_IP,
				   v6 ? IPV6_MTU : IP_MTU, &mtu, &len)))
		mtu = ETHERNET;
	if (fd >= 0)
		close(fd);
	most = mtu - (v6 ? 48 : 28) - header;
	if (most > room)
		most = room;
	return most < LEAST ? LEAST : most;
}

int uplink_open(struct uplink **out, struct loop *l, const struct address *to,
		uint64_t stream, const struct seal *seal,
		const struct uplink_events *events)
{
	struct uplink *u = calloc(1, sizeof(*u));
	int room = ROOM, on = 1, fd, err;

	if (!u)
		return -ENOMEM;
	u->loop = l;
	u->to = *to;
	u->stream = stream;
	u->events = *events;
	u->seal = seal;
	u->payload = payload_of(to, uplink_header(u));
	u->watch.ready = uplink_on_datagrams;
	u->watch.arg = u;
	fd = socket(to->storage.ss_family,
		    SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	err = fd < 0 ? -errno : loop_watch(l, &u->watch, fd, EPOLLIN);
	if (err) {
		if (fd >= 0)
			close(fd);
		free(u);
		return err;
	}
	rx_latency_enable(fd);
	/* ICMP errors without connect(), which would fix the answers' source */
	setsockopt(fd, IPPROTO_IP, IP_RECVERR, &on, sizeof(on));
	if (to->storage.ss_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_RECVERR, &on, sizeof(on));
	/* beyond the limit of ordinary sockets, if permitted */
	if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)))
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	*out = u;
	return 0;
}

unsigned int uplink_header(const struct uplink *u)
{
	return u->seal ? sizeof(struct optsample_segment_sealed) :
			 sizeof(struct optsample_segment_timed);
}

uint64_t uplink_peer(const struct uplink *u)
{
	return u->runs[0].run;
}

unsigned int uplink_payload(const struct uplink *u)
{
	return u->payload;
}

void uplink_close(struct uplink *u)
{
	if (!u)
		return;
	loop_unwatch(u->loop, &u->watch);
	close(u->watch.fd);
	free(u);
}

/* Return: number of datagrams that the kernel accepted */
static unsigned int send_batch(struct uplink *u, uint8_t *data, size_t stride,
			       const uint16_t *len, unsigned int count)
{
	struct mmsghdr m[BATCH];
	struct iovec v[BATCH];
	uint64_t bytes = 0, first = loop_now() / 1000;
	int n;

	/* unique, so that copies made by the network can be detected */
	if (first <= u->sent)
		first = u->sent + 1;

	assert(count && count <= BATCH);
	memset(m, 0, count * sizeof(*m));
	for (unsigned int i = 0; i < count; i++) {
		uint8_t *p = data + i * stride;

		put_le64(p + offsetof(struct optsample_segment, stream),
			 u->stream);
		put_le32(p + offsetof(struct optsample_segment, sent),
			 first + i);
		if (u->seal)
			seal_put(u->seal, SEAL_UP, p, len[i], ++u->serial);
		v[i] = (struct iovec){ p, len[i] };
		m[i].msg_hdr.msg_iov = &v[i];
		m[i].msg_hdr.msg_iovlen = 1;
		m[i].msg_hdr.msg_name = &u->to.storage;
		m[i].msg_hdr.msg_namelen = u->to.len;
	}
	n = sendmmsg(u->watch.fd, m, count, MSG_DONTWAIT);
	/* the error may belong to an earlier datagram */
	if (n < 0 && is_unreachable(errno))
		n = sendmmsg(u->watch.fd, m, count, MSG_DONTWAIT);
	if (n < 0 && is_unreachable(errno))
		set_unreachable(u, errno);
	if (n <= 0)
		return 0;
	for (int i = 0; i < n; i++)
		bytes += len[i];
	u->sent = first + n - 1;
	u->counts.datagrams += n;
	u->counts.bytes += bytes;
	u->events.sent(u->events.arg, u->sent * 1000, n, bytes);
	return n;
}

void uplink_send(struct uplink *u, uint8_t *data, size_t stride,
		 const uint16_t *len, unsigned int count)
{
	while (count) {
		unsigned int n = count < BATCH ? count : BATCH;
		unsigned int sent = send_batch(u, data, stride, len, n);

		/* a rejected datagram is treated as lost */
		if (!sent) {
			u->counts.refused++;
			sent = 1;
		}
		data += sent * stride;
		len += sent;
		count -= sent;
	}
}

int uplink_error(const struct uplink *u)
{
	return u->error;
}

const struct uplink_counts *uplink_counts(const struct uplink *u)
{
	return &u->counts;
}
