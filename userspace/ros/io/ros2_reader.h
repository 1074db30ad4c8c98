/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ros2_reader.h - a RELIABLE reader has all that is written after its match
 */
#ifndef ROS_IO_ROS2_READER_H
#define ROS_IO_ROS2_READER_H

#include <dds/dds.h>
#include <dds/ddsi/ddsi_sertype.h>

/**
 * ros2_reader_keep_first() - lose nothing before a writer's first heartbeat
 * @reader: RELIABLE and VOLATILE, just made
 * @type: its topic's
 *
 * Cyclone DDS 0.10 begins with the number behind the first heartbeat that it
 * hears of a writer of another vendor, and acknowledges all before. Fast DDS
 * sends one when it matches a reader, often before this side knows of the
 * writer, and does not repeat it: the next one comes with the data. Behind this
 * call, @reader asks for whatever a writer still has; a writer that has more than
 * it owes to a VOLATILE reader answers with a gap.
 */
void ros2_reader_keep_first(dds_entity_t reader,
			    const struct ddsi_sertype *type);

#endif
