/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * message_fields.h - fields of messages, in the order of the wire
 */
#ifndef ROS_MSG_MESSAGE_FIELDS_H
#define ROS_MSG_MESSAGE_FIELDS_H

#include "ros/msg/message.h"

enum op {
	END,
	U8, U16, U32, U64, F32, F64,	/* also for signed ones */
	TIME,			/* int64_t, ns */
	SEQ,			/* uint32_t, in ROS 1 only */
	STRING,			/* struct message_string */
	BYTES,			/* struct message_bytes */
	FLOATS,			/* struct message_floats */
	DOUBLES,		/* struct message_doubles */
	STRUCT,
	LIST,			/* of structs, counted by another member */
	SEQUENCE,		/* struct message_list, of any length */
};

/**
 * struct field - a member of a message
 * @offset:	in its struct
 * @count:	number of numbers, or limit of a list
 * @sub:	fields of a struct
 * @size:	bytes of a struct in a list
 * @counter:	offset of a list's length, uint32_t
 */
struct field {
	uint8_t			op;
	uint16_t		count;
	uint32_t		offset, size, counter;
	const struct field	*sub;
};

#define FIELD(op, type, member)	{ op, 1, offsetof(type, member), 0, 0, NULL }
#define ARRAY(op, type, member, n) \
	{ op, n, offsetof(type, member), 0, 0, NULL }
#define NESTED(type, member, fields) \
	{ STRUCT, 1, offsetof(type, member), 0, 0, fields }
#define LISTED(type, counter, member, fields, n) \
	{ LIST, n, offsetof(type, member), sizeof(((type *)0)->member[0]), \
	  offsetof(type, counter), fields }
#define SEQUENCED(type, member, element, fields) \
	{ SEQUENCE, 0, offsetof(type, member), sizeof(element), 0, fields }

/* of each kind; a STRUCT at the beginning is the header */
extern const struct field *const message_fields[MESSAGE_TYPES];

/* parts of other types */
extern const struct field message_transform_fields[];
extern const struct field message_pose_fields[];		/* stamped */
extern const struct field message_point_fields[];		/* Point32 */
extern const struct field message_edge_fields[];
extern const struct field message_room_fields[];
extern const struct field message_occupancy_fields[];	/* a map */
extern const struct field message_name_fields[];		/* a string */

/**
 * struct part - one of several consecutive structs
 * @fields:	its fields; NULL: the part is absent
 */
struct part {
	const struct field	*fields;
	void			*base;
};

/* As message_read(), for two parts, into the memory at their @base */
int message_walk_in(const struct part parts[2], enum message_format format,
		    const void *data, size_t len);

/* As message_write(), or as message_size() if @data is NULL */
long message_walk_out(const struct part parts[2], enum message_format format,
		      void *data, size_t size);

#endif
