/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fastdds_domain.h - a place in a DDS domain for clients of Fast DDS, beside
 * that of ros2.h: shared by all of this process who offer services there
 */
#ifndef ROS_IO_FASTDDS_DOMAIN_H
#define ROS_IO_FASTDDS_DOMAIN_H

#include "base/error.h"
#include "ros/io/fastdds.h"
#include "ros/io/io.h"

struct fastdds_domain;

/**
 * fastdds_join() - enter a domain
 * @node: name of the first one who enters
 *
 * fastdds.so is looked for in $OPTSAMPLE_FASTDDS, next to the program, and
 * where it is installed.
 *
 * Return: 0; -EOPNOTSUPP: there is no fastdds.so, or of another version;
 * -ENETUNREACH. With one line in @error.
 */
int fastdds_join(struct fastdds_domain **d, uint32_t id, const char *node,
		 char error[ERROR_TEXT]);
void fastdds_leave(struct fastdds_domain *d);

const struct fastdds_ops *fastdds_ops_of(const struct fastdds_domain *d);
void *fastdds_participant(const struct fastdds_domain *d);

#endif
