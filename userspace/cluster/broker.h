/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * broker.h - one connection to a RabbitMQ broker: send and receive frames
 *
 * Each job has a direct exchange, which is deleted with the last queue that is
 * bound to it, and each member an exclusive queue, which is deleted with its
 * connection. Queues are bound by addressee: "coordinator", "join.ADDRESS",
 * "EPOCH.ID", "EPOCH.all". Messages are not stored, not acknowledged, and
 * returned if there is no such queue.
 */
#ifndef CLUSTER_BROKER_H
#define CLUSTER_BROKER_H

#include "base/bytes.h"
#include "base/error.h"
#include "cluster/rabbitmq.h"
#include "cluster/transport.h"

enum { BROKER_HOST = 256 };

/**
 * struct broker_address - broker and user, from the user's text
 * @url:	@len bytes, with the password
 * @text:	without the password, for display
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
 * @address:	address of a worker before it has an id
 * @broken:	to be closed; @why has the reason
 * @part:	the part of a message that comes next
 * @returned:	it is one of ours, returned as undeliverable
 * @skip:	it is not a frame of this protocol, or there is no memory for it
 * @buffer:	its payload, @left bytes of it still to come
 * @gather:	buffer to join pieces of a payload, kept
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
		 struct error *error);
void broker_free_address(struct broker_address *a);

/**
 * broker_connect() - connect and make a queue; takes seconds at most
 * Return: 0, or a negative errno with a line in @error: -EACCES: the user is
 * refused; -EBUSY: the job has a coordinator.
 */
int broker_connect(struct broker *b, const struct broker_address *a,
		   const struct bus *e, struct error *error);
/* @politely: wait until the broker has all that was sent */
void broker_close(struct broker *b, bool politely);

/* Return: 0; -ENOTCONN: it is broken; -ENOMEM */
int broker_send(struct broker *b, const struct frame *f, uint64_t joining,
		const struct iovec *iov, int count, size_t len);
/**
 * broker_receive() - pass all received frames to the upcalls of the bus; does
 * not block
 * Return: whether there may be more.
 */
bool broker_receive(struct broker *b, struct bus *e);

#endif
