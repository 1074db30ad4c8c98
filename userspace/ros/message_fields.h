/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * message_fields.h - what messages consist of, in the order of the wire
 */
#ifndef ROS_MESSAGE_FIELDS_H
#define ROS_MESSAGE_FIELDS_H

#include "ros/message.h"

enum op {
	END,
	U8, U16, U32, F32, F64,
	TIME,			/* int64_t, ns */
	SEQ,			/* uint32_t, in ROS 1 only */
	STRING,			/* struct message_string */
	BYTES,			/* struct message_bytes */
	FLOATS,			/* struct message_floats */
	STRUCT,
	LIST,			/* of structs, counted by another member */
};

/**
 * struct field - a member of a message
 * @offset:	in its struct
 * @count:	of numbers: how many; of lists: how many at most
 * @sub:	what a struct consists of
 * @size:	bytes of a struct
 * @counter:	offset of a list's length, uint32_t
 */
struct field {
	uint8_t			op;
	uint16_t		count;
	uint32_t		offset, size, counter;
	const struct field	*sub;
};

/* of each kind; where a STRUCT is first, it is the header */
extern const struct field *const message_fields[MESSAGE_KINDS];

#endif
