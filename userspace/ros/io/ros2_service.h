/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ros2_service.h - services of ROS 2: offer and call them
 *
 * Both run in the loop and never block. The wire format: see ros2_pair.h.
 * Clients of rmw_cyclonedds_cpp are answered by Cyclone DDS, and those of
 * rmw_fastrtps_cpp, whose services have another format, by Fast DDS: see
 * fastdds.h. Our own clients call services of rmw_cyclonedds_cpp.
 */
#ifndef ROS_IO_ROS2_SERVICE_H
#define ROS_IO_ROS2_SERVICE_H

#include "base/error.h"
#include "base/loop.h"
#include "ros/io/ros2.h"
#include "ros/msg/service_types.h"

struct ros2_service;
struct ros2_client;

/**
 * struct ros2_service_config - a service
 * @name:	/gdim/output/rooms; copied
 * @handle:	answers a request: @response is zero at first. Data that it
 *		points to must stay valid until the next call of @handle; data
 *		of @request is valid during the call. It must not close the
 *		service.
 * @node:	name of the participant of Fast DDS
 * @log:	one line: why clients of Fast DDS cannot be answered; or NULL.
 *		@log_arg: for it
 * @malformed:	called for invalid requests, which are not answered, or NULL
 */
struct ros2_service_config {
	const char		*name;
	enum service_kind	kind;
	void			(*handle)(void *arg,
					  const union service_request *request,
					  union service_response *response);
	const char		*node;
	void			(*log)(void *arg, const char *line);
	void			*log_arg;
	void			(*malformed)(void *arg, enum service_kind kind);
	void			*arg;
};

/**
 * struct ros2_service_stats - since the service was opened
 * @malformed:	invalid requests: not answered
 * @fastdds:	of those answered, to clients of Fast DDS
 * @unserved:	requests of clients of Fast DDS that got no answer, as there is
 *		no fastdds.so
 * @dropped:	answers that could not be sent: the client had left, or did not
 *		keep up for a second, or a list in them was too long
 */
struct ros2_service_stats {
	uint64_t	answered, fastdds, unserved, malformed, dropped;
};

/**
 * ros2_service_open() - offer a service
 * @ros: must stay joined as long as the service is open
 *
 * Return: 0; -EINVAL: an invalid name; other negative errno. With one
 * line in @error.
 */
int ros2_service_open(struct ros2_service **service, struct ros2 *ros,
		      struct loop *loop,
		      const struct ros2_service_config *config,
		      struct error *error);
void ros2_service_close(struct ros2_service *s);

const struct ros2_service_stats *
ros2_service_stats(const struct ros2_service *s);

struct ros2_service_call;

/**
 * ros2_service_later() - answer the current request later
 *
 * Called within @handle, whose response is not sent then.
 *
 * Return: for ros2_service_answer(), before the service is closed; NULL: no
 * memory.
 */
struct ros2_service_call *ros2_service_later(struct ros2_service *s);

/* In the loop. Data of @response is not needed after the return */
void ros2_service_answer(struct ros2_service_call *call,
			 const union service_response *response);

/**
 * typedef ros2_client_fn - the result of a call
 * @err: 0; -EHOSTUNREACH: no such service was found in time; -ETIMEDOUT: it
 *	did not answer in time; -EBADMSG: an invalid answer; -ECANCELED: the
 *	client was closed; otherwise the request could not be sent
 * @response: NULL unless @err is 0; valid during the call
 *
 * It may call again, but must not close the client.
 */
typedef void ros2_client_fn(void *arg, int err,
			    const union service_response *response);

/* As ros2_service_open(), for calls */
int ros2_client_open(struct ros2_client **client, struct ros2 *ros,
		     struct loop *loop, const char *name,
		     enum service_kind kind, struct error *error);
/* Waiting calls end with -ECANCELED */
void ros2_client_close(struct ros2_client *c);

/**
 * ros2_client_call() - call the service, once it was found
 * @request: copied
 * @timeout: ns, for finding the service and for its answer together
 * @done: called once, later
 *
 * Return: 0; -ENOBUFS: too many waiting calls; -E2BIG, -ENOMEM. @done is called
 * only after 0.
 */
int ros2_client_call(struct ros2_client *c,
		     const union service_request *request, uint64_t timeout,
		     ros2_client_fn *done, void *arg);

#endif
