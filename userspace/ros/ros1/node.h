/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * node.h - what the parts of a node know of each other
 *
 *	master.c	registers topics with the master, notices that it went
 *	call.c		one XML-RPC call to somebody
 *	server.c	the node's own XML-RPC server: connections
 *	slave.c		... and what is asked there (the slave API)
 *	subscribe.c	topics that are received, and who publishes them
 *	source.c	one of these publishers: negotiation and bytes
 *	publish.c	topics that are offered, and messages that wait
 *	sink.c		one subscriber of these: handshake and bytes
 *
 * Everything belongs to struct ros1 and ends with it.
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
	UDP_SILENCE_MS	= 10000,	/* then a publisher is asked if it lives */
	STRANGERS_MAX	= 64,		/* connections that have not said a topic */
	/* Of all topics; each has a socket or two, and there are 1024. */
	SINKS_MAX	= 384,
	SOURCES_MAX	= 256,
	TEXT_MAX	= 256,
};

/*
 * call.c
 */

struct call;

/**
 * typedef call_done - the end of a call
 * @err:	0: the answer was [1, words, @value]; -EREMOTEIO: it said no;
 *		-EPROTO: no answer of the ROS kind; else what the network says
 * @words:	of the answer, or for @err
 * @value:	valid until this returns; NULL unless @err is 0
 */
typedef void (*call_done)(void *arg, int err, const char *words,
			  xmlrpc_value *value);

/**
 * call_start - begin to call @method of @to
 * @params: given up
 * @done: called once, and not before this returned, unless it fails
 * Return: 0 or negative errno
 */
int call_start(struct ros1 *r, const struct uri *to, const char *method,
	       xmlrpc_value *params, call_done done, void *arg,
	       struct call **call);
/* It is not of interest any more; NULL is no call. */
void call_cancel(struct call *call);

/*
 * master.c
 */

/**
 * struct registration - a topic of ours, and what the master knows of it
 * @refused: said so already
 */
struct registration {
	struct registration	*next;
	struct ros1		*node;
	char			*topic;
	char			*type;
	char			*md5;
	bool			publishes;
	bool			known;
	bool			refused;
};

/* What the master is to forget */
struct leaving {
	struct leaving	*next;
	bool		publishes;
	char		topic[];
};

/**
 * struct master - what we know of it
 * @asked:	the registration that @call is about, if it still exists
 * @answers:	the last call had an answer
 * @told:	that it does not
 * @pid:	tells one master from the next; 0: not known
 * @check:	ms, when to look if it is still the same
 * @wake:	to go on
 */
struct master {
	struct uri		uri;
	struct call		*call;
	struct registration	*asked;
	struct leaving		*leaving;
	bool			answers;
	bool			told;
	int			pid;
	uint64_t		check;
	unsigned int		backoff;
	struct watch		wake;
};

int master_open(struct ros1 *r, const char *uri);
void master_close(struct ros1 *r);
/* Something changed: do what is due */
void master_go_on(struct ros1 *r);
/* Register from now on; the strings are copied. Return: 0, -EINVAL, -ENOMEM */
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

/* Listen; @came takes over the descriptors. Return: 0 or negative errno */
int listener_open(struct ros1 *r, struct listener *l,
		  void (*came)(struct ros1 *r, int fd));
/* The listener of the XML-RPC server */
void server_came(struct ros1 *r, int fd);
void server_close(struct ros1 *r);

/**
 * slave_answer - handle one XML-RPC request
 * @out: the XML of the answer or fault is appended
 * Return: 0, -EPROTO: no request; -ENOMEM
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
	SOURCE_GREETED,		/* its header is due */
	SOURCE_FLOWS,
	SOURCE_REFUSED,		/* other type; until it goes from the list */
};

/**
 * struct source - one publisher of a topic we receive
 * @listed:	the master has it in its list
 * @told:	that it cannot be reached
 * @udp:	by UDPROS, see @in
 * @id:		for getBusInfo
 * @pid:	of a UDPROS publisher; 0: not known yet
 * @seen:	ms, when its last bytes came
 * @stream:	TCPROS: what came and is not handled yet
 * @skip:	TCPROS: bytes of a message that is too large
 */
struct source {
	struct source		*next;
	struct ros1_sub		*sub;
	struct watch		watch;
	struct call		*call;
	char			*text;	/* its URI */
	struct uri		uri;
	struct uri		data;	/* where its messages come from */
	enum source_state	state;
	bool			listed;
	bool			told;
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
 * sub_publishers - the master says who publishes
 * @uris: array of strings
 * @all: who is not among them is gone
 */
void sub_publishers(struct ros1_sub *sub, xmlrpc_value *uris, bool all);
/* The XML-RPC of a publisher; NULL: no memory, or too many of them */
struct source *source_new(struct ros1_sub *sub, const char *uri);
void source_free(struct source *s);
/* It is not in the list any more: gone, unless its messages still come */
void source_unlisted(struct source *s);
/* What a message goes through; @len was checked */
void source_deliver(struct source *s, const uint8_t *bytes, size_t len);
/* Take the header of its connection. Return: 0 or negative errno */
int source_meet(struct source *s, const void *data, size_t len);
/* For getBusInfo */
void source_describe(const struct source *s, char *words);

/*
 * publish.c, sink.c
 */

struct sink;

/**
 * struct message - one that waits, for @refs subscribers or as the latched one
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
	char			*rejected;	/* who was logged last */
	struct ros1_pub_stats	stats;
};

/**
 * struct sink - one subscriber of a topic we offer
 * @pub:	NULL until its header has come
 * @stream:	TCPROS: what came of its header
 * @blocked:	until the socket takes more, or @tokens are there
 * @waiting:	ring of @slots, @count from @first on
 * @slots:	@pub->queue and one that has begun to leave
 * @sent:	bytes of the first one, with its length, that have left
 * @message_id, @block: UDPROS, see udpros.h
 * @tokens:	UDPROS: datagrams that may leave now
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
/* The topic's last subscriber may have gone */
void pub_tidy(struct ros1_pub *pub);
/* A copy that waits, one reference; NULL: no memory */
struct message *message_new(struct ros1_pub *pub, const void *bytes,
			    size_t len);
void message_put(struct ros1_pub *pub, struct message *m);

/* The listener of TCPROS */
void sink_came(struct ros1 *r, int fd);
/**
 * sink_udp - a subscriber that asked by requestTopic
 * @datagram: what it takes at most; result: what it gets at most
 * Return: 0 or negative errno
 */
int sink_udp(struct ros1_pub *pub, const struct header *h, const char *host,
	     int port, int *datagram, struct sink **result);
/**
 * sink_give - one message; waits in the queue if it must
 * @copy: of the message, made if it has to wait and is not there yet
 * Return: 0, or -ENOMEM: dropped. The sink may be gone afterwards.
 */
int sink_give(struct sink *s, const void *bytes, size_t len,
	      struct message **copy);
/* What a latched topic said last */
void sink_latched(struct sink *s);
void sink_free(struct sink *s);
void sink_describe(const struct sink *s, char *words);

/*
 * write.c: a message into a socket, as far as it goes
 */

/**
 * sink_write - go on with a message
 * @bytes: without its length; @s->sent with it has left already
 *
 * Return: 0: all of it is on its way; 1: @s->blocked, until its watch calls;
 * -EIO: the message is lost, the connection is not; other errno: it is
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
	unsigned int		sinks;		/* with the strangers */
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
/* Return: whether @name can be a topic or a node */
bool node_valid_name(const char *name);
/* Strangers' words: what is not printable becomes '?'; returns @text */
char *node_clean(char *text);

static inline struct ros1_sub *sub_of(struct registration *g)
{
	return container_of(g, struct ros1_sub, known);
}

static inline struct ros1_pub *pub_of(struct registration *g)
{
	return container_of(g, struct ros1_pub, known);
}

/* As long again, up to the longest */
static inline unsigned int backoff_next(unsigned int ms)
{
	if (!ms)
		return BACKOFF_FIRST_MS;
	return ms * 2 > BACKOFF_MAX_MS ? BACKOFF_MAX_MS : ms * 2;
}

#endif
