// SPDX-License-Identifier: GPL-2.0-only
/*
 * modality_fields - values of modalities as fields of messages
 */
#include <math.h>
#include "map/ros/modality_fields.h"

/* @field: a float, or an int8_t of 0..100 with -1 for unknown */
static void put(void *field, enum modality m, double value)
{
	if (modality_get(m)->report == MODALITY_PHYSICAL)
		*(float *)field = value;
	else
		*(int8_t *)field = isnan(value) ? -1 : lrint(fmin(value, 100));
}

static double get(const void *field, enum modality m)
{
	int8_t percent;

	if (modality_get(m)->report == MODALITY_PHYSICAL)
		return *(const float *)field;
	percent = *(const int8_t *)field;
	return percent == -1 ? NAN : percent;
}

void modality_fields_room(struct message_room *m,
			  const double value[MODALITIES])
{
	for (int i = 0; i < MODALITIES; i++)
		if (modality_is_single(i))
			put((char *)m + modality_get(i)->in_room, i, value[i]);
}

void modality_fields_spot(struct service_spot_response *r,
			  const double value[MODALITIES])
{
	for (int i = 0; i < MODALITIES; i++)
		if (modality_is_single(i))
			put((char *)r + modality_get(i)->in_spot, i, value[i]);
}

bool modality_fields_read(const struct message_room *m,
			  double value[MODALITIES])
{
	bool valid = true;

	for (int i = 0; i < MODALITIES; i++) {
		if (!modality_is_single(i))
			continue;
		value[i] = get((const char *)m + modality_get(i)->in_room, i);
		valid &= modality_value_valid(i, value[i]);
	}
	return valid;
}
