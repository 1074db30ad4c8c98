// SPDX-License-Identifier: GPL-2.0-only
/*
 * The least of a delay over half a minute.
 */
#include "min_delay.h"

void lowest_reset(struct lowest *l)
{
	for (int i = 0; i < LOWEST_SLOTS; i++)
		l->value[i] = INT64_MAX;
}

int64_t lowest_add(struct lowest *l, uint64_t now, int64_t value)
{
	uint64_t second = now / 1000000000;
	uint64_t gone = second > l->second ? second - l->second : 0;
	int64_t *slot, least = value;

	if (gone > LOWEST_SLOTS)
		gone = LOWEST_SLOTS;
	while (gone)
		l->value[(second - --gone) % LOWEST_SLOTS] = INT64_MAX;
	if (second > l->second)
		l->second = second;
	slot = &l->value[l->second % LOWEST_SLOTS];
	if (value < *slot)
		*slot = value;
	for (int i = 0; i < LOWEST_SLOTS; i++)
		if (l->value[i] < least)
			least = l->value[i];
	return value - least;
}
