// SPDX-License-Identifier: GPL-2.0-only
/*
 * Minimum of a delay over half a minute.
 */
#include "min_delay.h"

void min_delay_reset(struct min_delay *l)
{
	for (int i = 0; i < MIN_DELAY_SLOTS; i++)
		l->value[i] = INT64_MAX;
}

int64_t min_delay_add(struct min_delay *l, uint64_t now, int64_t value)
{
	uint64_t second = now / 1000000000;
	uint64_t gone = second > l->second ? second - l->second : 0;
	int64_t *slot, least = value;

	if (gone > MIN_DELAY_SLOTS)
		gone = MIN_DELAY_SLOTS;
	while (gone)
		l->value[(second - --gone) % MIN_DELAY_SLOTS] = INT64_MAX;
	if (second > l->second)
		l->second = second;
	slot = &l->value[l->second % MIN_DELAY_SLOTS];
	if (value < *slot)
		*slot = value;
	for (int i = 0; i < MIN_DELAY_SLOTS; i++)
		if (l->value[i] < least)
			least = l->value[i];
	return value - least;
}
