/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether the messages of a topic are pictures that need no others. The type
 * sensor_msgs/CompressedImage does not tell: some cameras send H.264 in it, of
 * which a sample shows nothing. Its field `format` tells, or the first bytes.
 */
#ifndef TOPICS_TOPIC_FORMAT_H
#define TOPICS_TOPIC_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
	TOPIC_FORMAT	= 48,
	TOPIC_FORMAT_BEGIN = 16,	/* bytes of a picture that tell its format */
};

/* Does the type have formats? @type: of ROS or DDS */
bool topic_format_has(const char *type);

/**
 * topic_format_of_ros1() - what a serialized message of ROS 1 says
 * @m:		its first @len bytes, from the header's sequence number on
 *
 * Return: false: they end before the format does
 */
bool topic_format_of_ros1(const void *m, size_t len, char to[TOPIC_FORMAT]);

/**
 * topic_format_read() - what a message says
 * @format:	its field, @len bytes
 * @data:	first bytes of the picture, @size of them
 * @to:		the field as text, or the name of the format that @data begin
 *		with; "unnamed": neither
 */
void topic_format_read(const char *format, size_t len, const void *data,
		       size_t size, char to[TOPIC_FORMAT]);

/**
 * topic_format_why() - why topics of that format are not sampled
 * @format:	of topic_format_read(), empty: no message was seen yet
 * @named:	the user has named the topic: only what is known to be no
 *		pictures alone is left out
 *
 * Return: NULL: each message is a picture alone.
 */
const char *topic_format_why(const char *format, bool named);

#ifdef __cplusplus
}
#endif

#endif
