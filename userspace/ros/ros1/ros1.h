/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ros1.h - a ROS 1 node in plain C: topics in and out as serialised bytes
 *
 * In: messages of TCPROS and UDPROS publishers, the caller's messages.
 * Out: the same to callbacks, to TCPROS and UDPROS subscribers.
 *
 * No threads: one node lives in the caller's event loop.
 *
 *	ros1_create(&r, &config);
 *	ros1_subscribe(r, "/scan", "*", "*", ROS1_TCP, on_scan, arg, &sub);
 *	epoll_ctl(epoll, EPOLL_CTL_ADD, ros1_fd(r), ...);
 *	for (;;) {
 *		epoll_wait(epoll, events, n, ros1_timeout(r));
 *		ros1_run(r);
 *	}
 *
 * All sockets are non-blocking. The master may come late, go and come back;
 * publishers and subscribers too: the node tries again, with back-off, and
 * says so in one line each time the state changes.
 *
 * Callbacks may publish, but must not call ros1_run(), ros1_destroy(),
 * ros1_unsubscribe() or ros1_unadvertise().
 *
 * Limits: IPv4. A host that is a name is looked up with getaddrinfo(), which
 * may block for as long as the resolver does, once: the answer is kept. Use
 * ROS_IP on all machines to avoid it. A topic of this node is not delivered
 * to itself. No services, parameters or remapping: names are absolute. A
 * UDPROS subscriber that dies together with its host is served until
 * ros1_unadvertise(): nothing tells. Host, port and name are claims of the
 * network; ROS 1 has no authentication, use it in networks you trust.
 */
#ifndef ROS_ROS1_ROS1_H
#define ROS_ROS1_ROS1_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ros1;
struct ros1_sub;
struct ros1_pub;

/* What a subscriber asks for; UDP falls back to TCP where it is not spoken. */
enum ros1_transport { ROS1_TCP, ROS1_UDP };

/**
 * struct ros1_config - what a node is; NULL and 0 choose the default
 * @master:	URI; ROS_MASTER_URI, else http://localhost:11311
 * @node:	absolute name, "/optsample_send"
 * @host:	under which others reach this machine; ROS_HOSTNAME, ROS_IP,
 *		the host's name if it can be resolved, else the address that
 *		leads to the master
 * @message_max: bytes of the largest message taken or sent; 64 MiB
 * @log:	one line without newline, @priority of syslog(3); may be NULL
 * @shutdown:	the master wants the node gone (another one took its name);
 *		may be NULL
 * @arg:	for the two
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

/* Who sent a message; valid during the callback */
struct ros1_publisher {
	const char	*callerid;
	const char	*type;
	const char	*md5;
	const char	*definition;	/* "" if UDPROS or TCPROS told none */
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
 * @refused:	larger than message_max, or of impossible size
 * @incomplete:	UDPROS messages with a fragment missing
 * @missing:	UDPROS messages of which nothing came (a lower bound: the
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
 *		its queue was full or (UDPROS) the network refused them; the
 *		sum over all subscribers
 */
struct ros1_pub_stats {
	unsigned int	subscribers;
	uint64_t	messages;
	uint64_t	bytes;
	uint64_t	refused;
	uint64_t	dropped;
};

/**
 * ros1_create - a node, not yet known to the master
 * Return: 0; -EINVAL: a name or URI is wrong; -ENOMEM; what sockets say
 */
int ros1_create(struct ros1 **r, const struct ros1_config *config);
/**
 * ros1_destroy - unregister everything and free the node, its subscriptions
 *	and publishers
 *
 * Waits for the master, up to a second. NULL is no node.
 */
void ros1_destroy(struct ros1 *r);

/* Return: readable when there is something to do; an epoll */
int ros1_fd(const struct ros1 *r);
/* Return: ms until ros1_run() is due without that, -1: never */
int ros1_timeout(const struct ros1 *r);
/* Do what is to be done now, without waiting; calls the callbacks. */
void ros1_run(struct ros1 *r);
/* Return: whether the master answered lately */
bool ros1_has_master(const struct ros1 *r);

/**
 * ros1_subscribe - receive a topic
 * @topic: absolute name
 * @type: "sensor_msgs/Image", or "*": any
 * @md5: of the type, or "*": any
 * @message: called for each message
 * @sub: result; owned by the node, ended by ros1_unsubscribe()
 * Return: 0; -EINVAL: a name is wrong; -EEXIST: subscribed; -ENOMEM
 */
int ros1_subscribe(struct ros1 *r, const char *topic, const char *type,
		   const char *md5, enum ros1_transport transport,
		   ros1_message message, void *arg, struct ros1_sub **sub);
void ros1_unsubscribe(struct ros1_sub *sub);
void ros1_sub_stats(const struct ros1_sub *sub, struct ros1_sub_stats *stats);

/**
 * ros1_advertise - offer a topic
 * @type, @md5: of the type; both known
 * @definition: full text of the type, may be ""
 * @latching: late subscribers get the last message at once
 * @queue: messages that wait for a slow subscriber at most, 1 or more
 * @pub: result; owned by the node, ended by ros1_unadvertise()
 * Return: 0; -EINVAL: a name or number is wrong; -EEXIST: advertised; -ENOMEM
 */
int ros1_advertise(struct ros1 *r, const char *topic, const char *type,
		   const char *md5, const char *definition, bool latching,
		   unsigned int queue, struct ros1_pub **pub);
void ros1_unadvertise(struct ros1_pub *pub);
void ros1_pub_stats(const struct ros1_pub *pub, struct ros1_pub_stats *stats);

/**
 * ros1_publish - to all subscribers, without waiting
 *
 * What a subscriber's socket does not take at once is copied; each message
 * once, for however many subscribers. A full queue loses its oldest message,
 * never the one that has begun to leave.
 * Return: 0; -EMSGSIZE: larger than message_max; -ENOMEM: some did not get it
 */
int ros1_publish(struct ros1_pub *pub, const void *bytes, size_t len);

#endif
