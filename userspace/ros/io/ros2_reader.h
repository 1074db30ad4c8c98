/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ros2_reader.h - a RELIABLE reader gets all that is written after its match
 */
#ifndef ROS_IO_ROS2_READER_H
#define ROS_IO_ROS2_READER_H

#include "ros/io/cyclone.h"

/**
 * ros2_reader_keep_first() - lose nothing before a writer's first heartbeat
 * @reader: RELIABLE and VOLATILE, just made
 * @type: its topic's
 *
 * Cyclone DDS 0.10 begins after the number in the first heartbeat of a writer
 * of another vendor, and acknowledges all samples before. Fast DDS sends one
 * when it matches a reader, often before this side knows the writer, and does
 * not repeat it: the next one comes with data. After this call, @reader
 * requests all samples that a writer still has; a writer that need not give
 * older ones to a VOLATILE reader answers with a gap.
 */
void ros2_reader_keep_first(dds_entity_t reader,
			    const struct ddsi_sertype *type);

#endif
