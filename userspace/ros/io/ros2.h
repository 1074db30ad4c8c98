/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ros2.h - a place in a DDS domain, shared by all of this process who are in it
 *
 * Cyclone DDS has threads of its own; nothing of ours runs in them but a write
 * to an eventfd. Configured as rmw_cyclonedds is: ROS_DOMAIN_ID,
 * ROS_LOCALHOST_ONLY, CYCLONEDDS_URI.
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
 * ros2_join() - enter a domain
 * @domain: a number in text, or NULL: ROS_DOMAIN_ID, else 0
 * @name: of the node, given to DDS if we are the first; may be NULL
 *
 * Return: 0 and one reference; -EINVAL: no such domain; -ENETUNREACH: DDS
 * cannot be entered.
 */
int ros2_join(struct ros2 **r, const char *domain, const char *name,
	      char error[ERROR_TEXT]);
void ros2_leave(struct ros2 *r);

/*
 * Before a domain is entered: what RELIABLE readers miss there is asked for every
 * 100 ms. For who has to have all: it costs a link that is down some packets
 */
void ros2_repair_quickly(void);

dds_entity_t ros2_participant(const struct ros2 *r);
uint32_t ros2_domain(const struct ros2 *r);

/* Whether an endpoint is one of Fast DDS: its GUID begins with a number of that */
bool ros2_is_fastdds(const dds_guid_t *guid);

/* Whether an endpoint is one of this process in this domain */
bool ros2_is_own(const struct ros2 *r, const dds_guid_t *guid);

/* As ros2_type_topic(), by ROS's name of a topic. */
dds_entity_t ros2_topic(const struct ros2 *r, const char *name,
			enum message_kind kind,
			const struct ddsi_sertype **type);

/* What DDS calls -EINVAL and so on. Return: a negative errno */
int ros2_errno(dds_return_t ret);

#endif
