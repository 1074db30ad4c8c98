/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ros1.h - a ROS 1 node in plain C: topics in and out as serialised bytes
 *
 * In: messages of TCPROS and UDPROS publishers, the caller's messages.
 * Out: the same to callbacks, to TCPROS and UDPROS subscribers.
 *
 * No threads: a node runs in the caller's event loop.
 *
 *	ros1_create(&r, &config);
 *	ros1_subscribe(r, "/scan", "*", "*", ROS1_TCP, on_scan, arg, &sub);
 *	epoll_ctl(epoll, EPOLL_CTL_ADD, ros1_fd(r), ...);
 *	for (;;) {
 *		epoll_wait(epoll, events, n, ros1_timeout(r));
 *		ros1_run(r);
 *	}
 *
 * All sockets are non-blocking. The master, publishers and subscribers may
 * start late, stop and come back: the node retries with back-off, and logs one
 * line each time the state changes.
 *
 * Callbacks may publish, but must not call ros1_run(), ros1_destroy(),
 * ros1_unsubscribe() or ros1_unadvertise().
 *
 * Limits: IPv4. Host names are resolved by getaddrinfo(), which may block as
 * long as the resolver does; the result is cached. Use ROS_IP on all machines
 * to avoid it. A topic of this node is not delivered to itself. No services,
 * parameters or remapping: names are absolute. A UDPROS subscriber that dies
 * together with its host is served until ros1_unadvertise(), as it cannot be
 * detected. Host, port and name are not authenticated in ROS 1: use it only in
 * trusted networks.
 */
#ifndef ROS_ROS1_ROS1_H
#define ROS_ROS1_ROS1_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ros1;
struct ros1_sub;
struct ros1_pub;

/* Transport of a subscription; UDP falls back to TCP if not supported. */
enum ros1_transport { ROS1_TCP, ROS1_UDP };

/**
 * struct ros1_config - options of a node; NULL and 0: the default
 * @master:	URI; ROS_MASTER_URI, else http://localhost:11311
 * @node:	absolute name, "/optsample_send"
 * @host:	name of this machine for others; ROS_HOSTNAME, ROS_IP, the
 *		host's name if it can be resolved, else the address that leads
 *		to the master
 * @message_max: limit of a message, both directions, bytes; 64 MiB
 * @log:	one line without newline, @priority of syslog(3); may be NULL
 * @shutdown:	called if the master shuts the node down (another one took its
 *		name); may be NULL
 * @arg:	argument of both
 */
struct ros1_config {
	const char	*master;
	const char	*node;
	const char	*host;
	size_t		message_max;
	void		(*log)(void *arg, int priority, const char *line);
	void		(*shutdown)(void *arg, const char *why);
	void		*arg;
};

/* Sender of a message; valid during the callback */
struct ros1_publisher {
	const char	*callerid;
	const char	*type;
	const char	*md5;
	const char	*definition;	/* "" if not sent */
	const char	*uri;
	bool		latching;
	bool		udp;
};

typedef void (*ros1_message)(void *arg, const void *bytes, size_t len,
			     const struct ros1_publisher *from);

/**
 * struct ros1_sub_stats - counters since ros1_subscribe()
 * @publishers:	connected now
 * @messages:	delivered
 * @bytes:	of them
 * @refused:	larger than message_max, or of invalid size
 * @incomplete:	UDPROS messages with a missing fragment
 * @missing:	UDPROS messages that were completely lost (a lower bound: the
 *		numbers wrap after 255)
 */
struct ros1_sub_stats {
	unsigned int	publishers;
	uint64_t	messages;
	uint64_t	bytes;
	uint64_t	refused;
	uint64_t	incomplete;
	uint64_t	missing;
};

/**
 * struct ros1_pub_stats - counters since ros1_advertise()
 * @subscribers: connected now, TCPROS and UDPROS
 * @messages:	of ros1_publish()
 * @bytes:	of them
 * @refused:	larger than message_max
 * @dropped:	messages that a subscriber did not get, oldest first, because
 *		its queue was full or (UDPROS) the network refused them; sum
 *		over all subscribers
 */
struct ros1_pub_stats {
	unsigned int	subscribers;
	uint64_t	messages;
	uint64_t	bytes;
	uint64_t	refused;
	uint64_t	dropped;
};

/**
 * ros1_create - a node, not yet registered with the master
 * Return: 0; -EINVAL: invalid name or URI; -ENOMEM; errors of sockets
 */
int ros1_create(struct ros1 **r, const struct ros1_config *config);
/**
 * ros1_destroy - unregister everything and free the node, its subscriptions
 *	and publishers
 *
 * Waits for the master: a second for each answer, at most 10 s. NULL is
 * allowed.
 */
void ros1_destroy(struct ros1 *r);

/* Return: an epoll, readable when ros1_run() has work */
int ros1_fd(const struct ros1 *r);
/* Return: ms until ros1_run() is due even without that, -1: never */
int ros1_timeout(const struct ros1 *r);
/* Do all pending work, without waiting; calls the callbacks. */
void ros1_run(struct ros1 *r);

/**
 * ros1_subscribe - receive a topic
 * @topic: absolute name
 * @type: "sensor_msgs/Image", or "*": any
 * @md5: of the type, or "*": any
 * @message: called for each message
 * @sub: gets it; owned by the node, freed by ros1_unsubscribe()
 * Return: 0; -EINVAL: invalid name; -EEXIST: already subscribed; -ENOMEM
 */
int ros1_subscribe(struct ros1 *r, const char *topic, const char *type,
		   const char *md5, enum ros1_transport transport,
		   ros1_message message, void *arg, struct ros1_sub **sub);
void ros1_unsubscribe(struct ros1_sub *sub);
void ros1_sub_stats(const struct ros1_sub *sub, struct ros1_sub_stats *stats);

/**
 * ros1_advertise - offer a topic
 * @type, @md5: of the type; both required
 * @definition: full text of the type, may be ""
 * @latching: late subscribers get the last message at once
 * @queue: limit of messages queued for a slow subscriber, 1 or more
 * @pub: gets it; owned by the node, freed by ros1_unadvertise()
 * Return: 0; -EINVAL: invalid name or number; -EEXIST: already advertised;
 * -ENOMEM
 */
int ros1_advertise(struct ros1 *r, const char *topic, const char *type,
		   const char *md5, const char *definition, bool latching,
		   unsigned int queue, struct ros1_pub **pub);
void ros1_unadvertise(struct ros1_pub *pub);
void ros1_pub_stats(const struct ros1_pub *pub, struct ros1_pub_stats *stats);

/**
 * ros1_publish - send to all subscribers, without waiting
 *
 * If a subscriber's socket is full the message is copied to a queue, once for
 * all subscribers. A full queue drops its oldest message, but not one that is
 * partly sent.
 * Return: 0; -EMSGSIZE: larger than message_max; -ENOMEM: some did not get it
 */
int ros1_publish(struct ros1_pub *pub, const void *bytes, size_t len);

#endif
