/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dds.h - shared by the tests' DDS peers: QoS as in rclcpp, errors
 */
#ifndef OPTSAMPLE_E2E_DDS_H
#define OPTSAMPLE_E2E_DDS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <dds/dds.h>

/* dds_create_writer() or dds_create_reader() */
typedef dds_entity_t dds_create_end_t(dds_entity_t, dds_entity_t,
				      const dds_qos_t *,
				      const dds_listener_t *);

/* Return: false after an error line. */
static inline bool dds_ok(const char *who, const char *what, dds_return_t ret)
{
	if (ret < 0)
		fprintf(stderr, "%s: %s: %s\n", who, what, dds_strretcode(ret));
	return ret >= 0;
}

/**
 * dds_ros_qos - what rclcpp asks for
 * @reliable: else best effort, as SensorDataQoS
 * @depth: KEEP_LAST this many, negative: KEEP_ALL
 * @block: how long a reliable writer may
 *
 * Return: to be freed with dds_delete_qos()
 */
static inline dds_qos_t *dds_ros_qos(bool reliable, int32_t depth,
				     dds_duration_t block)
{
	dds_qos_t *qos = dds_create_qos();

	dds_qset_reliability(qos, reliable ? DDS_RELIABILITY_RELIABLE :
			     DDS_RELIABILITY_BEST_EFFORT, block);
	dds_qset_durability(qos, DDS_DURABILITY_VOLATILE);
	dds_qset_history(qos, depth < 0 ? DDS_HISTORY_KEEP_ALL :
			 DDS_HISTORY_KEEP_LAST, depth);
	return qos;
}

#endif
