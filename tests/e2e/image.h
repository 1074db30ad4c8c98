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

#include <dds/dds.h>
#include <zlib.h>

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

/* What rclcpp asks for; to be freed with dds_delete_qos() */
static inline dds_qos_t *image_qos(bool reliable, int32_t depth)
{
	dds_qos_t *qos = dds_create_qos();

	/* A ROS 2 writer blocks without end; only a reliable one can. */
	dds_qset_reliability(qos, reliable ? DDS_RELIABILITY_RELIABLE :
			     DDS_RELIABILITY_BEST_EFFORT, DDS_INFINITY);
	dds_qset_durability(qos, DDS_DURABILITY_VOLATILE);
	dds_qset_history(qos, DDS_HISTORY_KEEP_LAST, depth);
	return qos;
}

/* Return: false after an error line. */
static inline bool dds_ok(const char *who, const char *what, dds_return_t ret)
{
	if (ret < 0)
		fprintf(stderr, "%s: %s: %s\n", who, what, dds_strretcode(ret));
	return ret >= 0;
}

typedef dds_entity_t image_create_t(dds_entity_t, dds_entity_t,
				    const dds_qos_t *, const dds_listener_t *);

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
					  image_create_t *create,
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
		qos = image_qos(reliable, depth);
		end = create(*participant, end, qos, NULL);
		dds_delete_qos(qos);
	}
	if (!dds_ok(who, IMAGE_TOPIC, end))
		dds_delete(*participant);
	return end;
}

#endif /* OPTSAMPLE_E2E_IMAGE_H */
