/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * status_values.h - the values of a diagnostic_msgs/DiagnosticStatus
 */
#ifndef TRANSPORT_STATUS_VALUES_H
#define TRANSPORT_STATUS_VALUES_H

#include "ros/msg/message.h"

enum { STATUS_TEXT = 2048 };

/**
 * struct status_values - texts of a status, which only points to them
 * @used: bytes
 */
struct status_values {
	char	text[STATUS_TEXT];
	size_t	used;
};

/* Add a value; one without room is left out */
__attribute__((format(printf, 4, 5)))
void status_values_put(struct status_values *v, struct message_status *s,
		       const char *key, const char *format, ...);

#endif
