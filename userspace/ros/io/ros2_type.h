/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ros2_type.h - DDS types whose samples are bytes: CDR is passed unchanged
 *
 * Cyclone DDS decodes nothing; message.h does, on request. Received bytes are
 * copied once, into the result of dds_takecdr(); sent ones are encoded in
 * place.
 */
#ifndef ROS_IO_ROS2_TYPE_H
#define ROS_IO_ROS2_TYPE_H

#include <stddef.h>
#include <stdint.h>
#include "ros/io/cyclone.h"

/**
 * ros2_type_topic() - a topic of such a type
 * @name: DDS's name, e.g. rt/map
 * @type: e.g. nav_msgs::msg::dds_::OccupancyGrid_
 * @used: gets the type, for ros2_type_data(); valid as long as the topic is
 *
 * Return: a topic, or a negative dds_return_t.
 */
dds_entity_t ros2_type_topic(dds_entity_t participant, const char *name,
			     const char *type,
			     const struct ddsi_sertype **used);

/**
 * ros2_type_data() - a sample of @len bytes, to be filled
 *
 * Return: one reference, for dds_writecdr() or ddsi_serdata_unref(), or NULL.
 */
struct ddsi_serdata *ros2_type_data(const struct ddsi_sertype *type,
				    size_t len);

/* The bytes of a sample, with the 4 of encapsulation */
uint8_t *ros2_type_bytes(struct ddsi_serdata *d, size_t *len);

/* The number that its writer gave a sample, from 1 on; 0: not from the network */
uint64_t ros2_type_sequence(const struct ddsi_serdata *d);

#endif
