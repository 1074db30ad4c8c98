/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ros2.h - a participant in a DDS domain, shared within this process
 *
 * Cyclone DDS has threads of its own; our code in them only writes to an
 * eventfd. Configured as rmw_cyclonedds is: ROS_DOMAIN_ID, ROS_LOCALHOST_ONLY,
 * CYCLONEDDS_URI.
 */
#ifndef ROS_IO_ROS2_H
#define ROS_IO_ROS2_H

#include <stdbool.h>
#include "base/error.h"
#include "ros/io/io.h"
#include "ros/io/ros2_type.h"
#include "ros/msg/message.h"

struct ros2;

/**
 * ros2_join() - join a domain
 * @domain: a number in text, or NULL: ROS_DOMAIN_ID, else 0
 * @name: of the node, used by the first caller; may be NULL
 *
 * Return: 0 and one reference; -EINVAL: no such domain; -ENETUNREACH: DDS
 * cannot be used.
 */
int ros2_join(struct ros2 **r, const char *domain, const char *name,
	      struct error *error);
void ros2_leave(struct ros2 *r);

/*
 * Before joining a domain: RELIABLE readers request missing samples every
 * 100 ms. For lossless recording: a link that is down has to carry some packets
 */
void ros2_repair_quickly(void);

dds_entity_t ros2_participant(const struct ros2 *r);
uint32_t ros2_domain(const struct ros2 *r);

/* Whether an endpoint is of Fast DDS: by the vendor number in its GUID */
bool ros2_is_fastdds(const dds_guid_t *guid);

/* Whether an endpoint is one of this process in this domain */
bool ros2_is_own(const struct ros2 *r, const dds_guid_t *guid);

/* As ros2_type_topic(), by ROS's name of a topic. */
dds_entity_t ros2_topic(const struct ros2 *r, const char *name,
			enum message_kind kind,
			const struct ddsi_sertype **type);

/* Convert a DDS return code. Return: a negative errno */
int ros2_errno(dds_return_t ret);

#endif
