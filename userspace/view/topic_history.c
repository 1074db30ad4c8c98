// SPDX-License-Identifier: GPL-2.0-only
/*
 * topic_history - messages of a topic that can still be shown
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "view/topic_history.h"

enum { KEPT_WEIGHT = 4, CANDIDATES = 512 };

static const int64_t recent = 60000000000;	/* ns */

static size_t topic_history_remove(struct topic_history *h, uint32_t i)
{
	const size_t len = h->m[i]->len;

	assert(i < h->count && len <= h->bytes);
	if (h->m[i] == h->newest)
		h->newest = NULL;
	view_message_put(h->m[i]);
	memmove(&h->m[i], &h->m[i + 1], (--h->count - i) * sizeof(*h->m));
	h->bytes -= len;
	return len;
}

/* Time that would have no message without this one, ns */
static int64_t topic_history_gap(const struct topic_history *h, uint32_t i)
{
	int64_t gap;

	if (!i || i + 1 == h->count)
		return INT64_MAX;
	gap = llabs(h->m[i + 1]->t - h->m[i - 1]->t);
	return h->m[i]->kept ? gap * KEPT_WEIGHT : gap;
}

size_t topic_history_thin(struct topic_history *h, int64_t before)
{
	/* a longer history is looked at in steps: any of many is as good */
	const uint32_t step = h->count / CANDIDATES + 1;
	int64_t least = INT64_MAX;
	uint32_t which = 0;
	bool found = false;

	if (h->latched)
		return 0;
	for (uint32_t i = 0; i < h->count; i += step) {
		int64_t gap = topic_history_gap(h, i);

		if (h->m[i] == h->newest || h->m[i]->arrival >= before ||
		    (found && gap >= least))
			continue;
		found = true;
		least = gap;
		which = i;
	}
	return found ? topic_history_remove(h, which) : 0;
}

int topic_history_add(struct topic_history *h, struct view_message *m)
{
	if (h->latched && h->count == TOPIC_HISTORY_LATCHED)
		topic_history_remove(h, 0);
	/* what clients may not have got yet stays */
	if (h->count == TOPIC_HISTORY_MAX &&
	    !topic_history_thin(h, m->arrival - recent))
		topic_history_thin(h, INT64_MAX);
	if (array_grow(&h->m, &h->room, h->count, sizeof(*h->m))) {
		view_message_put(m);
		return -ENOMEM;
	}
	assert(h->count < h->room && h->count < TOPIC_HISTORY_MAX);
	h->m[h->count++] = m;
	h->bytes += m->len;
	if (!m->kept && (!h->newest || m->t >= h->newest->t))
		h->newest = m;
	return 0;
}

void topic_history_expire(struct topic_history *h, int64_t t)
{
	uint32_t to = 0;

	if (h->latched)
		return;
	for (uint32_t i = 0; i < h->count; i++) {
		if (h->m[i]->t >= t || h->m[i] == h->newest) {
			h->m[to++] = h->m[i];
			continue;
		}
		assert(h->m[i]->len <= h->bytes);
		h->bytes -= h->m[i]->len;
		view_message_put(h->m[i]);
	}
	assert(to || !h->bytes);
	h->count = to;
}

void topic_history_cut(struct topic_history *h, int64_t t)
{
	uint32_t to = 0;

	h->newest = NULL;
	for (uint32_t i = 0; i < h->count; i++) {
		struct view_message *m = h->m[i];

		if (m->t >= t) {
			assert(m->len <= h->bytes);
			h->bytes -= m->len;
			view_message_put(m);
			continue;
		}
		h->m[to++] = m;
		if (!m->kept && (!h->newest || m->t >= h->newest->t))
			h->newest = m;
	}
	assert(to || (!h->bytes && !h->newest));
	h->count = to;
}

struct view_message *topic_history_from(const struct topic_history *h,
					uint64_t seq)
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

struct view_message *topic_history_at(const struct topic_history *h, int64_t t)
{
	struct view_message *best = NULL;

	/* kept messages arrive out of order */
	for (uint32_t i = 0; i < h->count; i++)
		if (h->m[i]->t <= t && (!best || h->m[i]->t >= best->t))
			best = h->m[i];
	return best;
}

void topic_history_clear(struct topic_history *h)
{
	for (uint32_t i = 0; i < h->count; i++)
		view_message_put(h->m[i]);
	free(h->m);
	*h = (struct topic_history){ 0 };
}
