/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * image.h - what image-pub and image-sub share: the topic as a ROS 2 node
 * would make it, the clock, and the checksum that says a picture arrived as
 * it was sent.
 */
#ifndef OPTSAMPLE_E2E_IMAGE_H
#define OPTSAMPLE_E2E_IMAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <zlib.h>

#include "dds.h"
#include "sensor_msgs.h"

#define IMAGE_TOPIC	"rt/camera/image"
#define NSEC		1000000000LL

typedef sensor_msgs_msg_dds__Image_ image_t;	/* idlc's name is too long */

static inline int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec * NSEC + ts.tv_nsec;
}

static inline uint32_t image_crc(const image_t *msg)
{
	return crc32(0, msg->data._buffer, msg->data._length);
}

/**
 * image_endpoint - join the domain with one endpoint on IMAGE_TOPIC
 * @who: starts the error lines
 * @create: dds_create_writer or dds_create_reader
 * @reliable: else best effort, as SensorDataQoS
 * @depth: KEEP_LAST this many
 * @participant: out; deleting it deletes the endpoint
 *
 * Return: the endpoint, negative after an error line.
 */
static inline dds_entity_t image_endpoint(const char *who,
					  dds_create_end_t *create,
					  bool reliable, int32_t depth,
					  dds_entity_t *participant)
{
	dds_entity_t end;
	dds_qos_t *qos;

	*participant = dds_create_participant(DDS_DOMAIN_DEFAULT, NULL, NULL);
	if (!dds_ok(who, "participant", *participant))
		return *participant;
	end = dds_create_topic(*participant, &sensor_msgs_msg_dds__Image__desc,
			       IMAGE_TOPIC, NULL, NULL);
	if (end >= 0) {
		/* A ROS 2 writer blocks without end. */
		qos = dds_ros_qos(reliable, depth, DDS_INFINITY);
		end = create(*participant, end, qos, NULL);
		dds_delete_qos(qos);
	}
	if (!dds_ok(who, IMAGE_TOPIC, end))
		dds_delete(*participant);
	return end;
}

#endif /* OPTSAMPLE_E2E_IMAGE_H */
