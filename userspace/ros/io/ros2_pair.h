/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ros2_pair.h - the reader and the writer of one end of a service
 *
 * As rmw_cyclonedds_cpp has them; read in its rmw_node.cpp and serdata.cpp:
 * - requests go to rq/NAMERequest, answers to rr/NAMEReply, of types
 *   PACKAGE::srv::dds_::TYPE_Request_ and TYPE_Response_;
 * - the CDR begins with a uint64 and an int64: the instance handle of the
 *   client's writer, and a number of the request from 1 on. Both come back in
 *   the answer, which all clients get: each takes those with its own handle;
 * - all endpoints are RELIABLE, VOLATILE, KEEP_LAST 10, without autodispose;
 * - USER_DATA of both endpoints of an end is the same text, clientid=ID; or
 *   serviceid=ID;, with an ID of 16 bytes as hexadecimal numbers between dots,
 *   without leading zeros, the first one padded with a space to two places: the
 *   GUID's prefix of the participant, then a big-endian count of such ends;
 * - a service answers once it has matched the reader with the clientid of the
 *   request's writer, or if that has none;
 * - for a client a service is present once it has matched a reader and a writer
 *   of the same serviceid, or any of both if none has one.
 * Our queues are longer than 10, which does not affect matching: requests of
 * many clients at once are not lost while the loop is busy, nor are answers.
 */
#ifndef ROS_IO_ROS2_PAIR_H
#define ROS_IO_ROS2_PAIR_H

#include "base/error.h"
#include "base/loop.h"
#include "ros/io/ros2.h"
#include "ros/msg/service_types.h"

enum { ROS2_PAIR_BATCH = 8 };

/**
 * struct ros2_pair - the endpoints; memory of the client or service
 * @handle:	of the writer, which identifies a client in headers
 * @type:	of the written topic
 */
struct ros2_pair {
	dds_entity_t			topic[2], writer, reader;
	dds_instance_handle_t		handle;
	const struct ddsi_sertype	*type;
	/* private */
	dds_listener_t			*listener;
	struct loop			*loop;
	struct loop_fd			watch;
	int				event;
};

/**
 * ros2_pair_open() - make the endpoints
 * @name: of the service, as in ROS: /gdim/output/rooms
 * @part: what is written: SERVICE_REQUEST by a client
 * @ready: called in the loop when there may be a message to take, and after a
 *	change of matches
 *
 * Return: 0 or a negative errno, with one line in @error.
 */
int ros2_pair_open(struct ros2_pair *p, struct ros2 *ros, struct loop *loop,
		   const char *name, enum service_kind kind,
		   enum service_part part,
		   void (*ready)(void *arg, uint32_t events), void *arg,
		   struct error *error);
void ros2_pair_close(struct ros2_pair *p);

/* In @ready: clear the event */
void ros2_pair_clear(struct ros2_pair *p);

/* Call @ready once more: there is more to take */
void ros2_pair_again(struct ros2_pair *p);

enum ros2_peer { ROS2_PEER_GONE, ROS2_PEER_COMES, ROS2_PEER_IS_HERE };

/* Whether the client with this writer could read an answer */
enum ros2_peer ros2_pair_client(const struct ros2_pair *p,
				dds_instance_handle_t writer);

/* Whether there is a service that receives requests and answers */
bool ros2_pair_has_service(const struct ros2_pair *p);

/**
 * ros2_pair_write() - send
 * @d: one reference of it; the caller keeps its own
 *
 * Return: 0; -EAGAIN: a reader does not keep up; other negative errno.
 */
int ros2_pair_write(struct ros2_pair *p, struct ddsi_serdata *d);

#endif
