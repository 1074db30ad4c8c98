/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fastdds_domain.h - a participant for clients of Fast DDS, next to that of
 * ros2.h: shared by all services of this process in a domain
 */
#ifndef ROS_IO_FASTDDS_DOMAIN_H
#define ROS_IO_FASTDDS_DOMAIN_H

#include "base/error.h"
#include "ros/io/fastdds.h"
#include "ros/io/io.h"

struct fastdds_domain;

/**
 * fastdds_join() - enter a domain
 * @node: name of the node, of the first caller
 *
 * fastdds.so is searched in $OPTSAMPLE_FASTDDS or, if that is not set, as
 * base/installed.h says.
 *
 * Return: 0; -EOPNOTSUPP: there is no fastdds.so, or of another version;
 * -ENETUNREACH. With one line in @error.
 */
int fastdds_join(struct fastdds_domain **d, uint32_t id, const char *node,
		 struct error *error);
void fastdds_leave(struct fastdds_domain *d);

const struct fastdds_ops *fastdds_ops_of(const struct fastdds_domain *d);
void *fastdds_participant(const struct fastdds_domain *d);

#endif
