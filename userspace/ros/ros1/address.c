// SPDX-License-Identifier: GPL-2.0-only
/*
 * address.c - URIs, IPv4 addresses of hosts, our own name
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "address.h"
#include "poller.h"

enum {
	RETRY_MS	= 60000,
	BACKLOG		= 128,
	KEEP_IDLE_S	= 60,
	KEEP_EVERY_S	= 10,
	KEEP_PROBES	= 9,
};

int uri_parse(const char *text, struct uri *uri)
{
	const char *colon;
	unsigned long port;
	char *end;
	size_t n;

	if (strncmp(text, "http://", 7))
		return -EINVAL;
	text += 7;
	colon = strchr(text, ':');
	n = strcspn(text, ":/");
	if (!colon || colon != text + n || !n || n >= sizeof(uri->host) ||
	    !isdigit((unsigned char)colon[1]))
		return -EINVAL;
	port = strtoul(colon + 1, &end, 10);
	if (!port || port > 65535 || (*end && *end != '/'))
		return -EINVAL;
	memcpy(uri->host, text, n);
	uri->host[n] = '\0';
	uri->port = (uint16_t)port;
	return 0;
}

/* Return: 0 or -ENOENT */
static int resolve(const char *host, struct in_addr *address)
{
	const struct addrinfo hints = {
		.ai_family = AF_INET,
		.ai_socktype = SOCK_STREAM,
	};
	struct addrinfo *found;

	if (getaddrinfo(host, NULL, &hints, &found))
		return -ENOENT;
	*address = ((struct sockaddr_in *)(void *)found->ai_addr)->sin_addr;
	freeaddrinfo(found);
	return 0;
}

int hosts_find(struct hosts *h, const char *host, uint16_t port,
	       struct sockaddr_in *address)
{
	unsigned int i;

	memset(address, 0, sizeof(*address));
	address->sin_family = AF_INET;
	address->sin_port = htons(port);
	if (strlen(host) >= HOST_MAX || !*host)
		return -ENOENT;
	if (inet_pton(AF_INET, host, &address->sin_addr) == 1)
		return 0;
	for (i = 0; i < HOSTS_KNOWN; i++)
		if (!strcmp(h->known[i].name, host))
			break;
	if (i == HOSTS_KNOWN) {
		i = h->next;
		h->next = (h->next + 1) % HOSTS_KNOWN;
		strcpy(h->known[i].name, host);
		h->known[i].failed_until = 1;
	}
	if (h->known[i].failed_until > poller_now())
		return -ENOENT;
	if (h->known[i].failed_until) {
		h->known[i].failed_until = poller_now() + RETRY_MS;
		if (resolve(host, &h->known[i].address))
			return -ENOENT;
		h->known[i].failed_until = 0;
	}
	address->sin_addr = h->known[i].address;
	return 0;
}

/* Our address on the route to @to; no packet is sent. */
static int address_towards(const struct sockaddr_in *to, char *name)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in self;
	socklen_t n = sizeof(self);
	int err = -EIO;

	if (fd < 0)
		return -errno;
	if (!connect(fd, (const void *)to, sizeof(*to)) &&
	    !getsockname(fd, (void *)&self, &n) &&
	    inet_ntop(AF_INET, &self.sin_addr, name, HOST_MAX))
		err = 0;
	close(fd);
	return err;
}

void host_self(struct hosts *h, const struct uri *master, char *name)
{
	const char *env = getenv("ROS_HOSTNAME");
	struct sockaddr_in to;

	if (!env || !*env)
		env = getenv("ROS_IP");
	if (env && *env && strlen(env) < HOST_MAX) {
		strcpy(name, env);
		return;
	}
	if (!gethostname(name, HOST_MAX - 1)) {
		name[HOST_MAX - 1] = '\0';
		if (*name && strcmp(name, "localhost") &&
		    !hosts_find(h, name, 0, &to))
			return;
	}
	if (hosts_find(h, master->host, master->port, &to) ||
	    address_towards(&to, name))
		strcpy(name, "127.0.0.1");
}

uint16_t local_port(int fd)
{
	struct sockaddr_in self;
	socklen_t n = sizeof(self);

	if (getsockname(fd, (void *)&self, &n))
		return 0;
	return ntohs(self.sin_port);
}

int listen_any(struct in_addr on, uint16_t *port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr = on };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int err;

	if (fd < 0)
		return -errno;
	if (bind(fd, (void *)&a, sizeof(a)) || listen(fd, BACKLOG)) {
		err = -errno;
		close(fd);
		return err;
	}
	*port = local_port(fd);
	return fd;
}

int connect_start(const struct sockaddr_in *to)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int err;

	if (fd < 0)
		return -errno;
	if (connect(fd, (const void *)to, sizeof(*to)) &&
	    errno != EINPROGRESS) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}

void keep_alive(int fd)
{
	int on = 1, idle = KEEP_IDLE_S, every = KEEP_EVERY_S, n = KEEP_PROBES;

	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &every, sizeof(every));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &n, sizeof(n));
}
