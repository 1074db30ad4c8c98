/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * node.h - shared by the parts of a node
 *
 *	master.c	registers topics with the master, detects its restart
 *	call.c		one XML-RPC call
 *	server.c	the node's own XML-RPC server: connections
 *	slave.c		... and its requests (the slave API)
 *	subscribe.c	subscribed topics, and their publishers
 *	source.c	one of these publishers: negotiation and bytes
 *	receive.c	... and its bytes
 *	publish.c	advertised topics
 *	pub_header.c	headers of a topic and its subscribers
 *	message.c	queued messages
 *	sink.c		one subscriber of these: handshake and bytes
 *	node_text.c	log, names, texts of others
 *
 * struct ros1 owns everything. Calls go one way: node.c, then subscribe.c and
 * publish.c, then source.c and sink.c, then master.c and call.c.
 */
#ifndef ROS_ROS1_NODE_H
#define ROS_ROS1_NODE_H

#include <syslog.h>
#include "address.h"
#include "base/bytes.h"
#include "header.h"
#include "poller.h"
#include "ros1.h"
#include "udpros.h"
#include "xml.h"

enum {
	PATIENCE_MS	= 5000,		/* for an answer or a handshake */
	IDLE_MS		= 30000,	/* of a connection to the XML-RPC server */
	BACKOFF_FIRST_MS = 250,
	BACKOFF_MAX_MS	= 8000,
	MASTER_CHECK_MS	= 5000,
	UDP_SILENCE_MS	= 10000,	/* then ask a publisher if it lives */
	STRANGERS_MAX	= 64,		/* connections without a topic yet */
	/* Of all topics; each has a socket or two of a limit of 1024. */
	SINKS_MAX	= 384,
	SOURCES_MAX	= 256,
	TEXT_MAX	= 256,
};

/*
 * call.c
 */

struct call;

/**
 * typedef call_done - result of a call
 * @err:	0: the answer was [1, words, @value]; -EREMOTEIO: an error from
 *		the other side; -EPROTO: an invalid answer; else of the network
 * @words:	of the answer, or for @err
 * @value:	valid during this call; NULL unless @err is 0
 */
typedef void (*call_done)(void *arg, int err, const char *words,
			  xmlrpc_value *value);

/**
 * call_start - start to call @method of @to
 * @params: consumed
 * @done: called once, not before this returns; not called after an error
 * Return: 0 or negative errno
 */
int call_start(struct ros1 *r, const struct uri *to, const char *method,
	       xmlrpc_value *params, call_done done, void *arg,
	       struct call **call);
/* Ignore its result and free it; NULL is allowed. */
void call_cancel(struct call *call);

/*
 * master.c
 */

/**
 * struct registration - one of our topics, and its state at the master
 * @publishers: of a subscription: takes the list of the master, URIs
 * @refused: logged already
 */
struct registration {
	struct registration	*next;
	struct ros1		*node;
	char			*topic;
	char			*type;
	char			*md5;
	void			(*publishers)(struct registration *g,
					      xmlrpc_value *uris);
	bool			publishes;
	bool			known;
	bool			refused;
};

/* To be unregistered */
struct leaving {
	struct leaving	*next;
	bool		publishes;
	char		topic[];
};

/**
 * struct master - state of the master
 * @asked:	the registration of @call, if it still exists
 * @answers:	the last call was answered
 * @error_logged: that it does not answer
 * @pid:	identifies a run of the master; 0: unknown
 * @check:	ms, when to check whether it was restarted
 * @wake:	time of the next step
 */
struct master {
	struct uri		uri;
	struct call		*call;
	struct registration	*asked;
	struct leaving		*leaving;
	bool			answers;
	bool			error_logged;
	int			pid;
	uint64_t		check;
	unsigned int		backoff;
	struct watch		wake;
};

int master_open(struct ros1 *r, const char *uri);
void master_close(struct ros1 *r);
/* Register; the strings are copied. Return: 0, -EINVAL, -ENOMEM */
int master_enter(struct registration *g, struct ros1 *r, const char *topic,
		 const char *type, const char *md5, bool publishes);
/* Unregister, free the strings */
void master_leave(struct registration *g);
bool master_has_left(const struct ros1 *r);
struct registration *master_find(struct ros1 *r, const char *topic,
				 bool publishes);

/*
 * server.c, slave.c
 */

struct client;

struct listener {
	struct watch	watch;
	uint16_t	port;
	struct ros1	*node;
	void		(*came)(struct ros1 *r, int fd);
};

/* Listen; @came takes the descriptors. Return: 0 or negative errno */
int listener_open(struct ros1 *r, struct listener *l,
		  void (*came)(struct ros1 *r, int fd));
/* New connection to the XML-RPC server */
void server_came(struct ros1 *r, int fd);
void server_close(struct ros1 *r);

/**
 * slave_answer - handle one XML-RPC request
 * @out: the XML of the answer or fault is appended
 * Return: 0, -EPROTO: not a request; -ENOMEM
 */
int slave_answer(struct ros1 *r, const void *body, size_t len,
		 struct bytes *out);

/*
 * subscribe.c, source.c
 */

struct source;

struct ros1_sub {
	struct registration	known;
	enum ros1_transport	transport;
	ros1_message		message;
	void			*arg;
	struct source		*sources;
	struct ros1_sub_stats	stats;
};

enum source_state {
	SOURCE_WAITS,		/* to ask, or to ask again */
	SOURCE_ASKED,		/* requestTopic */
	SOURCE_CONNECTING,
	SOURCE_GREETED,		/* waits for its header */
	SOURCE_FLOWS,
	SOURCE_REFUSED,		/* other type; until it is unlisted */
};

/**
 * struct source - one publisher of a subscribed topic
 * @listed:	it is in the master's list
 * @error_logged: that it cannot be reached
 * @udp:	by UDPROS, see @in
 * @id:		for getBusInfo
 * @pid:	of a UDPROS publisher; 0: unknown yet
 * @seen:	ms, time of its last bytes
 * @stream:	TCPROS: received bytes not handled yet
 * @skip:	TCPROS: bytes left of a message that is too large
 */
struct source {
	struct source		*next;
	struct ros1_sub		*sub;
	struct watch		watch;
	struct call		*call;
	char			*text;	/* its URI */
	struct uri		uri;
	struct uri		data;	/* source of its messages */
	enum source_state	state;
	bool			listed;
	bool			error_logged;
	bool			udp;
	int			id;
	int			pid;
	unsigned int		backoff;
	uint64_t		seen;
	uint64_t		messages;
	uint64_t		bytes;
	struct bytes		stream;
	uint64_t		skip;
	struct udpros_in	in;
	struct ros1_publisher	who;
};

/**
 * sub_publishers - update the publishers from the master
 * @uris: array of strings
 * @all: remove others
 */
void sub_publishers(struct ros1_sub *sub, xmlrpc_value *uris, bool all);
/* A publisher by its XML-RPC URI; NULL: no memory, or too many */
struct source *source_new(struct ros1_sub *sub, const char *uri);
void source_free(struct source *s);
/* It is not listed any more: remove it, unless it still sends */
void source_unlisted(struct source *s);
/* For getBusInfo */
void source_describe(const struct source *s, char *words);

/*
 * publish.c, pub_header.c, message.c, sink.c
 */

struct sink;

/**
 * struct message - queued for @refs subscribers, or the latched one
 */
struct message {
	struct message	*next;
	unsigned int	refs;
	size_t		len;
	size_t		cap;
	uint8_t		bytes[];
};

struct ros1_pub {
	struct registration	known;
	char			*definition;
	bool			latching;
	unsigned int		queue;
	struct message		*latched;
	struct message		*unused;
	struct sink		*sinks;
	char			*rejected;	/* logged last */
	struct ros1_pub_stats	stats;
};

/**
 * struct sink - one subscriber of an advertised topic
 * @pub:	NULL until its header is received
 * @stream:	TCPROS: received part of its header
 * @blocked:	until the socket is writable, or there are @tokens
 * @waiting:	ring of @slots, @count from @first on
 * @slots:	@pub->queue plus one that is partly sent
 * @sent:	bytes of the first one that were sent, including its length
 * @message_id, @block: UDPROS, see udpros.h
 * @tokens:	UDPROS: datagrams that may be sent now
 * @filled:	UDPROS: ms, when @tokens were added
 */
struct sink {
	struct sink		*next;
	struct ros1		*node;
	struct ros1_pub		*pub;
	struct watch		watch;
	struct bytes		stream;
	char			*callerid;
	bool			udp;
	bool			blocked;
	int			id;
	struct message		**waiting;
	unsigned int		slots;
	unsigned int		first;
	unsigned int		count;
	size_t			sent;
	uint8_t			message_id;
	size_t			block;
	unsigned int		tokens;
	uint64_t		filled;
	uint64_t		messages;
	uint64_t		bytes;
};

/* The header that we send to a subscriber. Return: 0 or -ENOMEM */
int pub_header(const struct ros1_pub *pub, struct bytes *out);
/* Does a subscriber's header fit? Return: 0, or -EPROTO and why */
int pub_accepts(struct ros1_pub *pub, const struct header *h, char *why);
/* A copy for queues, with one reference; NULL: no memory */
struct message *message_new(struct ros1_pub *pub, const void *bytes,
			    size_t len);
void message_put(struct ros1_pub *pub, struct message *m);
/* Free unused copies, if the topic's last subscriber is gone */
void message_tidy(struct ros1_pub *pub);

/* New connection of TCPROS */
void sink_came(struct ros1 *r, int fd);
/**
 * sink_udp - add a subscriber that called requestTopic
 * @datagram: largest datagram that it accepts; result: largest that is sent
 * Return: 0 or negative errno
 */
int sink_udp(struct ros1_pub *pub, const struct header *h, const char *host,
	     int port, int *datagram, struct sink **result);
/**
 * sink_give - send a message, or queue it
 * @copy: of the message, made if it is NULL and needed
 * Return: 0, or -ENOMEM: dropped. The sink may be freed afterwards.
 */
int sink_give(struct sink *s, const void *bytes, size_t len,
	      struct message **copy);
/* Send the last message of a latched topic */
void sink_latched(struct sink *s);
void sink_free(struct sink *s);
void sink_describe(const struct sink *s, char *words);

/*
 * write.c: write messages to sockets without blocking
 */

/**
 * sink_write - continue to send a message
 * @bytes: without its length; @s->sent bytes, including it, were sent already
 *
 * Return: 0: complete; 1: @s->blocked, until its watch calls; -EIO: the message
 * is lost, the connection is not; other errno: the connection is lost
 */
int sink_write(struct sink *s, const uint8_t *bytes, size_t len);

/*
 * node.c
 */

struct ros1 {
	struct poller		poller;
	struct hosts		hosts;
	struct master		master;
	struct listener		xmlrpc;
	struct listener		tcpros;
	struct registration	*topics;
	struct client		*clients;
	struct sink		*strangers;
	unsigned int		sinks;		/* including strangers */
	unsigned int		sources;
	int			last_id;
	char			*name;
	char			host[HOST_MAX];
	char			uri[HOST_MAX + 32];
	size_t			message_max;
	void			(*log)(void *arg, int priority,
				       const char *line);
	void			(*shutdown)(void *arg, const char *why);
	void			*arg;
};

__attribute__((format(printf, 3, 4)))
void node_log(const struct ros1 *r, int priority, const char *format, ...);
/* Return: whether @name is valid for a topic or node */
bool node_valid_name(const char *name);
/* Replace unprintable characters of foreign text by '?'. Return: @text */
char *node_clean(char *text);

static inline struct ros1_sub *sub_of(struct registration *g)
{
	return container_of(g, struct ros1_sub, known);
}

static inline struct ros1_pub *pub_of(struct registration *g)
{
	return container_of(g, struct ros1_pub, known);
}

/* Twice as long, up to the limit */
static inline unsigned int backoff_next(unsigned int ms)
{
	if (!ms)
		return BACKOFF_FIRST_MS;
	return ms * 2 > BACKOFF_MAX_MS ? BACKOFF_MAX_MS : ms * 2;
}

#endif
