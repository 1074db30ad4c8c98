// SPDX-License-Identifier: GPL-2.0-only
/*
 * A connection of TCPROS that lasts for one message: the header, the
 * publisher's, then the length of the message and its first bytes.
 */
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/wire.h"
#include "topics/topic_format.h"
#include "topics/udpros_format.h"

enum { FETCH_MS = 1500, FETCH_HEADER = 4096, FETCH_BYTES = 600 };

/* Return: a socket that is connecting, or negative */
static int fetch_connect(const char *host, unsigned int port)
{
	const struct addrinfo hints = { .ai_family = AF_INET,
					.ai_socktype = SOCK_STREAM };
	struct addrinfo *a = NULL;
	char service[16];
	int fd;

	snprintf(service, sizeof(service), "%u", port);
	if (getaddrinfo(host, service, &hints, &a))
		return -1;
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0)
		connect(fd, a->ai_addr, a->ai_addrlen);
	freeaddrinfo(a);
	return fd;
}

/* Wait until @fd is ready, up to the time @end, ms */
static bool fetch_wait(int fd, short events, uint64_t end)
{
	struct pollfd p = { .fd = fd, .events = events };
	const uint64_t now = monotonic_ms();

	return now < end && poll(&p, 1, end - now) == 1 &&
	       p.revents & events;
}

static bool fetch_read(int fd, void *to, size_t len, uint64_t end)
{
	uint8_t *p = to;

	while (len) {
		ssize_t n;

		if (!fetch_wait(fd, POLLIN, end))
			return false;
		n = recv(fd, p, len, 0);
		if (n <= 0)
			return false;
		p += n;
		len -= n;
	}
	return true;
}

static size_t fetch_field(uint8_t *at, const char *name, const char *value)
{
	int n = sprintf((char *)at + 4, "%s=%s", name, value);

	put_le32(at, n);
	return 4 + n;
}

static bool fetch_ask(int fd, const char *topic, uint64_t end)
{
	uint8_t header[1024], *at = header + 4;

	at += fetch_field(at, "callerid", "/optsample");
	at += fetch_field(at, "md5sum", "*");
	at += fetch_field(at, "type", "*");
	at += fetch_field(at, "topic", topic);
	put_le32(header, at - header - 4);
	return fetch_wait(fd, POLLOUT, end) &&
	       send(fd, header, at - header, MSG_NOSIGNAL) == at - header;
}

/* The publisher's header: passed over, whatever it says */
static bool fetch_answer(int fd, uint64_t end)
{
	uint8_t len[4], header[FETCH_HEADER];

	return fetch_read(fd, len, 4, end) && get_le32(len) <= FETCH_HEADER &&
	       fetch_read(fd, header, get_le32(len), end);
}

bool udpros_format_fetch(const char *host, unsigned int port,
			 const char *topic, char format[TOPIC_FORMAT])
{
	const uint64_t end = monotonic_ms() + FETCH_MS;
	uint8_t size[4], m[FETCH_BYTES];
	int fd = strlen(topic) < 512 ? fetch_connect(host, port) : -1;
	size_t len = 0;
	bool good;

	if (fd < 0)
		return false;
	good = fetch_ask(fd, topic, end) && fetch_answer(fd, end) &&
	       fetch_read(fd, size, 4, end);
	if (good) {
		len = get_le32(size);
		len = len < sizeof(m) ? len : sizeof(m);
		good = fetch_read(fd, m, len, end);
	}
	close(fd);
	return good && topic_format_of_ros1(m, len, format);
}
