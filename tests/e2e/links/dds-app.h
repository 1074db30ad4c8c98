/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dds-app.h - the endpoints of dds-pub and dds-sub, as rclcpp makes them
 */
#ifndef OPTSAMPLE_E2E_DDS_APP_H
#define OPTSAMPLE_E2E_DDS_APP_H

#include "app.h"
#include "dds.h"
#include "nav_msgs.h"
#include "sensor_msgs.h"

enum { DDS_APP_READER_DEPTH = 100 };

/**
 * dds_app_join - join the domain, with an endpoint for each topic
 * @who: starts the error lines
 * @a: topics and QoS
 * @create: dds_create_writer or dds_create_reader
 * @ends: out
 *
 * Return: the participant, negative after an error line.
 */
static inline dds_entity_t dds_app_join(const char *who, const struct app *a,
					dds_create_end_t *create,
					dds_entity_t *ends)
{
	dds_qos_t *qos = dds_ros_qos(a->depth, create == dds_create_reader ?
				     DDS_APP_READER_DEPTH : a->depth ?: 5,
				     DDS_MSECS(100));
	dds_entity_t p = dds_create_participant(DDS_DOMAIN_DEFAULT, NULL, NULL);
	const dds_topic_descriptor_t *types[] = {
		&sensor_msgs_msg_dds__CompressedImage__desc,
		&sensor_msgs_msg_dds__LaserScan__desc,
		&nav_msgs_msg_dds__Odometry__desc,
		&geometry_msgs_msg_dds__Twist__desc,
	};
	dds_entity_t topic;

	for (unsigned int i = 0; p >= 0 && i < a->ntopics; i++) {
		topic = dds_create_topic(p, types[a->topics[i].kind],
					 a->topics[i].dds, NULL, NULL);
		ends[i] = topic < 0 ? topic : create(p, topic, qos, NULL);
		if (ends[i] < 0) {
			dds_delete(p);
			p = ends[i];
		}
	}
	dds_delete_qos(qos);
	dds_ok(who, "DDS", p);
	return p;
}

#endif
