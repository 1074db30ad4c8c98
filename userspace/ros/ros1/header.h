/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * header.h - the connection header of TCPROS and UDPROS
 *
 * Fields `u32 length, name=value`, in any order. TCPROS sends the total length
 * first, UDPROS sends the fields as base64 within requestTopic.
 * Source: wiki.ros.org/ROS/Connection Header.
 */
#ifndef ROS_ROS1_HEADER_H
#define ROS_ROS1_HEADER_H

#include <stdbool.h>
#include "base/bytes.h"

enum {
	HEADER_MAX	= 1 << 20,	/* bytes; definitions can be long */
};

enum header_field {
	HEADER_CALLERID,
	HEADER_TOPIC,
	HEADER_TYPE,
	HEADER_MD5SUM,
	HEADER_DEFINITION,
	HEADER_LATCHING,
	HEADER_ERROR,
	HEADER_FIELDS
};

/* Positions of the values in the parsed bytes; without a final 0 */
struct header {
	struct {
		const char	*p;
		size_t		n;
	} field[HEADER_FIELDS];
};

/**
 * header_parse - find the known fields; unknown ones are skipped
 * @data: without the total length
 * Return: 0, or -EPROTO: a field exceeds the data or has no name
 */
int header_parse(const void *data, size_t len, struct header *h);
/* Return: the value, "" if missing; free() it, NULL: no memory */
char *header_value(const struct header *h, enum header_field field);
bool header_is(const struct header *h, enum header_field field,
	       const char *value);

/* Return: 0 or -ENOMEM */
int header_append(struct bytes *b, const char *name, const char *value);

#endif
