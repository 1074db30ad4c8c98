/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cyclone.h - the internal headers of Cyclone DDS
 *
 * Three things have no public interface: samples that stay bytes
 * (ros2_type.c), samples before a writer's first heartbeat (ros2_reader.c), and
 * the addresses of participants (topics/locators.c). These headers are
 * those of 0.10, which Debian 12 and 13 have; 11 renames many of them.
 */
#ifndef ROS_IO_CYCLONE_H
#define ROS_IO_CYCLONE_H

#include <dds/dds.h>
#include <dds/version.h>

#if DDS_VERSION_MAJOR != 0 || DDS_VERSION_MINOR != 10
#error "the internal headers of Cyclone DDS 0.10 are needed, see ros/io/cyclone.h"
#endif

/* not by the alphabet: some need those before them */
#include <dds/ddsi/ddsi_domaingv.h>
#include <dds/ddsi/ddsi_entity.h>
#include <dds/ddsi/ddsi_endpoint.h>
#include <dds/ddsi/ddsi_entity_index.h>
#include <dds/ddsi/ddsi_entity_match.h>
#include <dds/ddsi/ddsi_plist.h>
#include <dds/ddsi/ddsi_proxy_endpoint.h>
#include <dds/ddsi/ddsi_proxy_participant.h>
#include <dds/ddsi/ddsi_serdata.h>
#include <dds/ddsi/ddsi_sertype.h>
#include <dds/ddsi/ddsi_vendor.h>
#include <dds/ddsi/q_bswap.h>
#include <dds/ddsi/q_protocol.h>
#include <dds/ddsi/q_radmin.h>
#include <dds/ddsi/q_thread.h>

#endif
