// SPDX-License-Identifier: GPL-2.0-only
/*
 * history - messages of a topic that can still be shown
 */
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "view/history.h"

enum { KEPT_WEIGHT = 4, CANDIDATES = 512 };

int history_add(struct history *h, struct view_message *m)
{
	if (h->count == HISTORY_MAX)
		history_thin(h, INT64_MAX);
	if (array_grow(&h->m, &h->room, h->count, sizeof(struct view_message *))) {
		view_message_put(m);
		return -ENOMEM;
	}
	h->m[h->count++] = m;
	h->bytes += m->len;
	if (!m->kept && (!h->newest || m->t >= h->newest->t))
		h->newest = m;
	return 0;
}

static size_t history_remove(struct history *h, uint32_t i)
{
	const size_t len = h->m[i]->len;

	if (h->m[i] == h->newest)
		h->newest = NULL;
	view_message_put(h->m[i]);
	memmove(&h->m[i], &h->m[i + 1], (--h->count - i) * sizeof(*h->m));
	h->bytes -= len;
	return len;
}

/* Time that would have no message without this one, ns */
static int64_t history_gap(const struct history *h, uint32_t i)
{
	int64_t gap;

	if (!i || i + 1 == h->count)
		return INT64_MAX;
	gap = llabs(h->m[i + 1]->t - h->m[i - 1]->t);
	return h->m[i]->kept ? gap * KEPT_WEIGHT : gap;
}

size_t history_thin(struct history *h, int64_t before)
{
	/* a longer history is looked at in steps: any of many is as good */
	const uint32_t step = h->count / CANDIDATES + 1;
	int64_t least = INT64_MAX;
	uint32_t which = 0;
	bool found = false;

	for (uint32_t i = 0; i < h->count; i += step) {
		int64_t gap = history_gap(h, i);

		if (h->m[i] == h->newest || h->m[i]->arrival >= before ||
		    (found && gap >= least))
			continue;
		found = true;
		least = gap;
		which = i;
	}
	return found ? history_remove(h, which) : 0;
}

void history_expire(struct history *h, int64_t t)
{
	uint32_t to = 0;

	for (uint32_t i = 0; i < h->count; i++) {
		if (h->m[i]->t >= t || h->m[i] == h->newest) {
			h->m[to++] = h->m[i];
			continue;
		}
		h->bytes -= h->m[i]->len;
		view_message_put(h->m[i]);
	}
	h->count = to;
}

struct view_message *history_from(const struct history *h, uint64_t seq)
{
	uint32_t low = 0, high = h->count;

	while (low < high) {
		uint32_t mid = (low + high) / 2;

		if (h->m[mid]->seq < seq)
			low = mid + 1;
		else
			high = mid;
	}
	return low < h->count ? h->m[low] : NULL;
}

struct view_message *history_at(const struct history *h, int64_t t)
{
	struct view_message *best = NULL;

	/* kept messages arrive out of order */
	for (uint32_t i = 0; i < h->count; i++)
		if (h->m[i]->t <= t && (!best || h->m[i]->t >= best->t))
			best = h->m[i];
	return best;
}

void history_clear(struct history *h)
{
	for (uint32_t i = 0; i < h->count; i++)
		view_message_put(h->m[i]);
	free(h->m);
	*h = (struct history){ 0 };
}
