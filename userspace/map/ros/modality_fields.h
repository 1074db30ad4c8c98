/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * modality_fields.h - values of modalities as fields of messages
 *
 * One value of each modality for which modality_is_single(); NAN: unknown.
 */
#ifndef MAP_ROS_MODALITY_FIELDS_H
#define MAP_ROS_MODALITY_FIELDS_H

#include "map/layer/modality.h"
#include "ros/msg/service_types.h"

void modality_fields_room(struct message_room *m,
			  const double value[MODALITIES]);
void modality_fields_spot(struct service_spot_response *r,
			  const double value[MODALITIES]);

/* Return: whether all of @value is valid, see modality_value_valid() */
bool modality_fields_read(const struct message_room *m,
			  double value[MODALITIES]);

#endif
