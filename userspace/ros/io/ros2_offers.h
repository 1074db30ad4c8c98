/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ros2_offers.h - all services of a program, as one node of ROS 2
 */
#ifndef ROS_IO_ROS2_OFFERS_H
#define ROS_IO_ROS2_OFFERS_H

#include "base/error.h"
#include "base/loop.h"
#include "ros/io/ros2_service.h"

struct ros2_offers;

/**
 * struct ros2_offer - one service; see struct ros2_service_config
 * @name:	/slam_toolbox/reset, or what @rename makes the name of
 */
struct ros2_offer {
	const char		*name;
	enum service_kind	kind;
	void			(*handle)(void *arg,
					  const union service_request *request,
					  union service_response *response);
};

/**
 * struct ros2_offers_config
 * @to:		sink of the program: ros2 or ros2:DOMAIN
 * @node:	name of the node
 * @offer:	@count of them; not copied: valid until ros2_offers_close()
 * @rename:	name of a service from that of an offer, valid until the next call;
 *		NULL: it stays
 * @log:	one line: why clients get no answer, or do not see the node; called
 *		once, though each service has the same reason
 * @malformed:	as in struct ros2_service_config
 * @arg:	of all of these, and of handlers
 */
struct ros2_offers_config {
	const char		*to, *node;
	const struct ros2_offer	*offer;
	unsigned int		count;
	const char		*(*rename)(void *arg, const char *name);
	void			(*log)(void *arg, const char *line);
	void			(*malformed)(void *arg, enum service_kind kind);
	void			*arg;
};

/**
 * ros2_offers_open() - join the domain and offer all services
 *
 * Return: 0 and @o, to be freed with ros2_offers_close(); a negative errno and
 * one line in @error, as of ros2_join() and ros2_service_open().
 */
int ros2_offers_open(struct ros2_offers **o, struct loop *loop,
		     const struct ros2_offers_config *config,
		     struct error *error);
/* NULL is allowed */
void ros2_offers_close(struct ros2_offers *o);

/* The first service of a kind; NULL: there is none */
struct ros2_service *ros2_offers_service(const struct ros2_offers *o,
					 enum service_kind kind);

/* Sum of all services; NULL is allowed */
struct ros2_service_stats ros2_offers_stats(const struct ros2_offers *o);

#endif
