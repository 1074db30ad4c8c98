/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * address.h - URIs, IPv4 addresses of hosts, our own name
 */
#ifndef ROS_ROS1_ADDRESS_H
#define ROS_ROS1_ADDRESS_H

#include <netinet/in.h>
#include <stdint.h>

enum { HOST_MAX = 256, HOSTS_KNOWN = 64 };

/* http://HOST:PORT/ */
struct uri {
	char	host[HOST_MAX];
	uint16_t port;
};

/**
 * struct hosts - cache of getaddrinfo()
 * @next: entry to be replaced next
 */
struct hosts {
	struct {
		char		name[HOST_MAX];
		struct in_addr	address;
		uint64_t	failed_until;	/* ms; 0: address is good */
	} known[HOSTS_KNOWN];
	unsigned int next;
};

/* Return: 0 or -EINVAL */
int uri_parse(const char *text, struct uri *uri);

/**
 * hosts_find - the address of @host:@port
 *
 * Blocks in getaddrinfo() for a name that is not cached. Entries do not expire:
 * in an outage the resolver cannot be reached. A name that failed is not tried
 * for a minute.
 * Return: 0 or -ENOENT
 */
int hosts_find(struct hosts *h, const char *host, uint16_t port,
	       struct sockaddr_in *address);

/**
 * host_self - the name under which others reach us, determined as in roscpp
 * @name: HOST_MAX bytes, result
 *
 * ROS_HOSTNAME, ROS_IP, gethostname() if it can be resolved, else the address
 * of the interface towards the master.
 */
void host_self(struct hosts *h, const struct uri *master, char *name);

/* Return: a non-blocking listening TCP socket, or negative errno */
int listen_any(struct in_addr on, uint16_t *port);
/* Return: a socket that is connecting, or negative errno */
int connect_start(const struct sockaddr_in *to);
/* Detect a TCP peer that vanished; timeouts of roscpp */
void keep_alive(int fd);
/* Return: port of the local end; 0: unknown */
uint16_t local_port(int fd);

#endif
