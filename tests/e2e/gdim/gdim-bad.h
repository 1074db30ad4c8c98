/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gdim-bad.h - messages and requests that are wrong in one way each
 */
#ifndef GDIM_BAD_H
#define GDIM_BAD_H

#include <stdbool.h>
#include "ros/msg/message.h"
#include "ros/msg/service_types.h"

enum { BAD_SIDE = 20, BAD_LAYERS = 3, BAD_POINTS = 5000, BAD_TEXT = 512 };

/* A message and what it points to */
struct bad_message {
	enum message_kind		kind;
	union message			m;
	uint8_t				*cells;
	float				floats[BAD_SIDE * BAD_SIDE];
	struct message_transform	transform[3];
	struct message_point32		point[BAD_POINTS];
	char				text[BAD_TEXT];
};

/* That of a topic, wrong as @what says. Return: whether there is such a one */
bool bad_make(struct bad_message *b, const char *topic, const char *what);
void bad_free(struct bad_message *b);

/* Bytes that are wrong, in place. Return: how many */
long bad_spoil(const char *what, uint8_t *data, long len);

/* Do not wait for a reader */
bool bad_is_unread(const char *topic, enum message_kind kind);

/* Return: enum service_kind, or -1 */
int bad_request(union service_request *q, const char *service,
		const char *what);

#endif
