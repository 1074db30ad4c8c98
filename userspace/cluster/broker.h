/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * broker.h - one connection to a RabbitMQ broker: frames in and out
 *
 * Each job has a direct exchange, which goes away with the last queue that is
 * bound to it, and each member an exclusive queue, which goes away with its
 * connection. Queues are bound by who is meant: "coordinator", "join.ADDRESS",
 * "EPOCH.ID", "EPOCH.all". Messages are not stored, not acknowledged, and
 * returned if nobody is there.
 */
#ifndef CLUSTER_BROKER_H
#define CLUSTER_BROKER_H

#include <amqp.h>
#include "base/bytes.h"
#include "base/error.h"
#include "cluster/transport.h"

enum { BROKER_HOST = 256 };

/**
 * struct broker_address - who and where, from the user's text
 * @url:	@len bytes, the password is in it
 * @text:	without the password, for people
 */
struct broker_address {
	char				*url;
	size_t				len;
	struct amqp_connection_info	info;
	char				text[BROKER_HOST];
};

enum broker_part { BROKER_METHOD, BROKER_HEADER, BROKER_BODY };

/**
 * struct broker - a connection; all zero is none
 * @address:	where a worker is reached before it has an id
 * @broken:	to be closed; @why says why
 * @part:	of a message comes next
 * @returned:	it is one of ours that found nobody
 * @skip:	it is no frame of this protocol, or there is no memory for it
 * @buffer:	its payload, @left bytes of it still to come
 * @gather:	payloads in pieces, kept
 */
struct broker {
	amqp_connection_state_t	c;
	int			fd;
	char			exchange[96];
	char			queue[128];
	uint64_t		address;
	bool			broken;
	char			why[ERROR_TEXT];

	enum broker_part	part;
	bool			returned;
	bool			skip;
	struct frame		frame;
	struct bus_buffer	*buffer;
	uint64_t		left;
	struct bytes		gather;
};

/* Return: 0, -ENOMEM, or -EINVAL with a line in @error */
int broker_parse(struct broker_address *a, const char *spec,
		 char error[ERROR_TEXT]);
void broker_free_address(struct broker_address *a);

/**
 * broker_connect() - up to an own queue; takes seconds at most
 * Return: 0, or a negative errno with a line in @error: -EACCES: it does not
 * want this user; -EBUSY: the job has a coordinator.
 */
int broker_connect(struct broker *b, const struct broker_address *a,
		   const struct bus *e, char error[ERROR_TEXT]);
/* @politely: what was sent is taken by the broker first */
void broker_close(struct broker *b, bool politely);

/* Return: 0; -ENOTCONN: it is broken; -ENOMEM */
int broker_send(struct broker *b, const struct frame *f, uint64_t joining,
		const struct iovec *iov, int count, size_t len);
/**
 * broker_receive() - what has come, to the engine's upcalls; never waits
 * Return: whether there may be more.
 */
bool broker_receive(struct broker *b, struct bus *e);

#endif
