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

#include "sensor_msgs_image.h"

#define IMAGE_TOPIC	"rt/camera/image"
#define NSEC		1000000000LL

typedef sensor_msgs_msg_dds__Image_ image_t;	/* idlc's name is too long */

static inline int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec * NSEC + ts.tv_nsec;
}

/**
 * crc32 - of IEEE 802.3
 * @data: bytes
 * @len: how many
 */
static inline uint32_t crc32(const uint8_t *data, size_t len)
{
	static uint32_t table[256];
	uint32_t crc = ~0U;
	unsigned int i, bit;

	for (i = 0; !table[255] && i < 256; i++) {
		table[i] = i;
		for (bit = 0; bit < 8; bit++)
			table[i] = (table[i] >> 1) ^
				(table[i] & 1 ? 0xedb88320U : 0);
	}
	while (len--)
		crc = (crc >> 8) ^ table[(crc ^ *data++) & 0xff];
	return ~crc;
}

/**
 * image_qos - what rclcpp asks for
 * @reliable: else best effort, as SensorDataQoS
 * @depth: KEEP_LAST this many
 *
 * Return: to be freed with dds_delete_qos().
 */
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

#endif /* OPTSAMPLE_E2E_IMAGE_H */
