// SPDX-License-Identifier: GPL-2.0-only
/*
 * A ring of cumulative sums with binary search.
 */
#include <assert.h>
#include "history.h"

static struct history_entry *history_slot(struct history *h, uint64_t n)
{
	return &h->entry[n % HISTORY_LENGTH];
}

/*
 * The newest entry is updated in place until it is a step later than the one
 * before it. All other entries are final.
 */
void history_add(struct history *h, const struct history_entry *sum)
{
	if (h->end - h->begin > 1 &&
	    sum->time - history_slot(h, h->end - 2)->time < HISTORY_STEP)
		h->end--;
	assert(h->begin <= h->end && h->end - h->begin <= HISTORY_LENGTH);
	*history_slot(h, h->end++) = *sum;
	if (h->end - h->begin > HISTORY_LENGTH)
		h->begin = h->end - HISTORY_LENGTH;
	assert(h->begin < h->end);
}

bool history_at(const struct history *h, uint64_t time,
		struct history_entry *sum)
{
	uint64_t low = h->begin, high = h->end;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (h->entry[middle % HISTORY_LENGTH].time <= time)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == h->begin)
		return false;
	*sum = h->entry[(low - 1) % HISTORY_LENGTH];
	return true;
}

bool history_time(uint64_t now, uint32_t low, uint64_t *time)
{
	uint32_t ago = (uint32_t)now - low;

	/* the sender's clock may not have reached it */
	if (ago > UINT32_MAX / 2 || ago > now)
		return false;
	*time = now - ago;
	return true;
}
