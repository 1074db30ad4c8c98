/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * peer.h - a WebSocket client, without its socket
 *
 * A protocol (foxglove.c, browser.c) reads what the client sends and composes
 * what it gets. The server moves bytes between peers and sockets, so protocols
 * can be tested and fuzzed without one.
 */
#ifndef VIEW_PEER_H
#define VIEW_PEER_H

#include <cjson/cJSON.h>
#include <sys/queue.h>
#include "base/http_auth.h"
#include "view/action.h"
#include "view/board.h"
#include "view/feed.h"
#include "view/gdim.h"
#include "view/window.h"

enum {
	PEER_HEAD	= 32,		/* bytes of a header */
	PEER_QUEUE	= 4 << 20,	/* bytes of answers that wait */
	PEER_NAME	= 64,
};

/**
 * struct outgoing - a message to a client
 * @head:	first bytes of it, @head_len of them; the rest is @body, @len
 *		bytes
 * @owned:	memory of @body, or NULL
 * @message:	owner of @body, or NULL
 */
struct outgoing {
	STAILQ_ENTRY(outgoing)	next;
	bool			binary;
	uint8_t			head[PEER_HEAD];
	size_t			head_len, len;
	const uint8_t		*body;
	void			*owned;
	struct view_message	*message;
};

struct peer;

/**
 * struct view - what all peers share
 * @name:	of this server; @host: of its machine
 * @control:	robots take priorities and focus
 * @publish:	topics that clients may publish; NULL: none
 * @publish_age: ms; what may be older is refused
 * @assets:	folder of assets; NULL: none
 * @replay:	state of a replayed recording
 * @asked:	number of the newest ACTION_REPLAY, in the server's thread
 * @acted:	that of the last one that was executed, with the board's lock
 * @session:	differs from one run to the next
 * @refused:	messages of clients that were not published; atomic
 */
struct view {
	struct board		*board;
	struct actions		*actions;
	const char		*name, *host, *session, *assets;
	const char *const	*publish;
	uint32_t		publish_age;
	bool			control, replaying;
	struct view_replay	replay;		/* with the board's lock */
	uint64_t		replayed;	/* changes of it, atomic */
	uint64_t		cuts;		/* of the board, with @replay */
	uint64_t		asked, acted;
	struct gdim		*gdim;
	struct pictures		*pictures;
	unsigned int		peers;		/* in the server's thread */
	uint64_t		refused;
};

/**
 * struct peer_ops - a protocol
 * @name:	WebSocket sub-protocol
 * @size:	of the protocol's struct, which begins with struct peer
 * @opened:	queue the first messages. Return: 0 or a negative errno
 * @received:	a whole message. Return: 0; a negative errno closes the
 *		connection, after peer_fail() has said why
 * @compose:	queue something to send, as the client has room. Return: whether
 *		it did
 * @tick:	ten times a second; may be NULL
 * @answered:	an answer to gdim_request()
 * @converted:	a result of pictures_convert(), whose reference it takes over
 */
struct peer_ops {
	const char	*name;
	size_t		size;
	int		(*opened)(struct peer *p);
	int		(*received)(struct peer *p, const uint8_t *data,
				    size_t len, bool binary);
	bool		(*compose)(struct peer *p);
	void		(*tick)(struct peer *p, int64_t now);
	void		(*converted)(struct peer *p,
				     struct view_message *frame);
	void		(*answered)(struct peer *p,
				    const struct gdim_result *r);
	void		(*closed)(struct peer *p);
};

/**
 * struct peer - a client
 * @id:		of this connection, never used again
 * @name:	its address
 * @answered:	when the ping was sent whose pong came last, ns: data that
 *		arrives now is not older. This and all intervals of clients are
 *		of loop_now(): the wall clock may jump
 * @opened:	when it connected, ns
 * @failure:	why it is closed, if @failed
 * @wants_ping:	send one, even if no data went out
 * @authorised:	it has shown a token of @auth, or there are none
 */
struct peer {
	const struct peer_ops		*ops;
	struct view			*view;
	uint64_t			id;
	char				name[PEER_NAME];
	struct window			window;
	struct feed			feed;
	STAILQ_HEAD(, outgoing)		queue;
	size_t				queued;
	int64_t				answered, opened;
	char				failure[128];
	bool				failed, wants_ping, authorised;
	const struct http_auth		*auth;
};

/* Changes of the replay's state so far */
static inline uint64_t view_replayed(const struct view *v)
{
	return __atomic_load_n(&v->replayed, __ATOMIC_RELAXED);
}

/* Return: to be freed with peer_destroy(); NULL: no memory */
struct peer *peer_create(const struct peer_ops *ops, struct view *view,
			 uint64_t id, const char *name);
void peer_destroy(struct peer *p);

/* A text for peer_json(): {"op": @op}; NULL: no memory */
cJSON *peer_begin(const char *op);

/* Queue a text; takes over @json, which may be NULL after a lack of memory */
void peer_json(struct peer *p, cJSON *json);

/**
 * peer_binary() - queue a binary message
 * @body:	@len bytes that are copied; NULL: of @message
 * @message:	owner of @body, whose reference is taken over, or NULL
 */
void peer_binary(struct peer *p, const void *head, size_t head_len,
		 const void *body, size_t len, struct view_message *message);

/* As peer_binary(), takes over memory of malloc() */
void peer_owned(struct peer *p, const void *head, size_t head_len, void *body,
		size_t len);

void outgoing_free(struct outgoing *o);

/* The connection is to be closed: one line. Return: -EPROTO */
__attribute__((format(printf, 2, 3)))
int peer_fail(struct peer *p, const char *format, ...);

/* Sample what the client misses, if it is stalled; ten times a second */
void peer_note(struct peer *p, int64_t now);

/* The next message of the feed, with a reference */
bool peer_next(struct peer *p, struct feed_item *item);

#endif
