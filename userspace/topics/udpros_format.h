/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The format of a picture topic of ROS 1, from one message over TCPROS.
 */
#ifndef TOPICS_UDPROS_FORMAT_H
#define TOPICS_UDPROS_FORMAT_H

#include <stdbool.h>
#include "topics/topic_format.h"

/**
 * udpros_format_fetch() - subscribe, and wait for a message
 * @host:	an address or a name of this host
 * @port:	of the publisher's TCPROS, as its requestTopic answered
 * @topic:	of sensor_msgs/CompressedImage
 *
 * Waits for at most one and a half seconds. Return: false: no message arrived.
 */
bool udpros_format_fetch(const char *host, unsigned int port,
			 const char *topic, char format[TOPIC_FORMAT]);

#endif
