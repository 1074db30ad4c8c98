// SPDX-License-Identifier: GPL-2.0-only
/*
 * band - what of a topic was received, over time
 */
#include <string.h>
#include "view/band.h"

enum { SLOT_LIVE = 1, SLOT_KEPT = 2, SLOT_SKIPPED = 4 };

/* A message stands for at most this time after it, ns */
static const int64_t cover_max = 4500000000;
/* Without an outage a message is missing only after this time, ns */
static const int64_t due_after = 1000000000;

static uint8_t *band_at(struct band *b, int64_t slot)
{
	return &b->slot[(slot % BAND_SLOTS + BAND_SLOTS) % BAND_SLOTS];
}

static uint8_t band_get(const struct band *b, int64_t slot)
{
	if (!b->begun || slot > b->last || slot <= b->last - BAND_SLOTS)
		return 0;
	return *band_at((struct band *)b, slot);
}

/* Make @slot the newest one */
static void band_advance(struct band *b, int64_t slot)
{
	if (slot - b->last >= BAND_SLOTS) {
		memset(b->slot, 0, sizeof(b->slot));
		b->last = slot;
	}
	while (b->last < slot)
		*band_at(b, ++b->last) = 0;
}

static void band_mark(struct band *b, int64_t slot, uint8_t what)
{
	if (slot > b->last)
		band_advance(b, slot);
	if (slot > b->last - BAND_SLOTS)
		*band_at(b, slot) |= what;
}

void band_add(struct band *b, int64_t t, int64_t period, bool kept)
{
	const int64_t slot = band_slot(t);
	int64_t end = slot;

	if (!b->begun) {
		memset(b->slot, 0, sizeof(b->slot));
		b->begun = true;
		b->first = b->last = slot;
	}
	if (slot < b->first)
		b->first = slot;
	if (!kept && period > 0) {
		/* slow topics with half a period of jitter */
		if (period > BAND_SLOT / 2)
			period += period / 2;
		end = band_slot(t + (period < cover_max ? period : cover_max) -
				1);
	}
	for (int64_t s = slot; s <= end; s++)
		band_mark(b, s, kept ? SLOT_KEPT : SLOT_LIVE);
}

void band_cut(struct band *b, int64_t t)
{
	const int64_t slot = band_slot(t);

	if (!b->begun || slot > b->last)
		return;
	if (slot <= b->first) {
		b->begun = false;
		return;
	}
	for (int64_t s = slot; s <= b->last; s++)
		*band_at(b, s) = 0;
}

void band_skip(struct band *b, int64_t from, int64_t to)
{
	const int64_t end = band_slot(to);
	int64_t s = band_slot(from) + 1;

	if (!b->begun)
		return;
	if (s <= end - BAND_SLOTS)
		s = end - BAND_SLOTS + 1;
	for (; s < end; s++)
		band_mark(b, s, SLOT_SKIPPED);
}

static const struct outage *band_outage(const struct band_view *v, int64_t slot)
{
	const int64_t begin = slot * BAND_SLOT, end = begin + BAND_SLOT;

	for (unsigned int i = 0; i < v->outages; i++)
		if (v->outage[i].begin < end && v->outage[i].end > begin)
			return &v->outage[i];
	return NULL;
}

static char band_missing(const struct band *b, const struct band_view *v,
			 int64_t slot)
{
	const struct outage *o;
	int64_t late = v->period * 5 / 2;

	if (!b->begun || slot < b->first || !v->period)
		return BAND_NOTHING;
	o = band_outage(v, slot);
	if (o)
		return o->settled ? BAND_LOST : BAND_EXPECTED;
	if (late < due_after)
		late = due_after;
	return slot * BAND_SLOT > v->now - late ? BAND_NOTHING : BAND_LOST;
}

static char band_char(const struct band *b, const struct band_view *v,
		      int64_t slot)
{
	const uint8_t what = band_get(b, slot);

	if (slot * BAND_SLOT > v->now)
		return BAND_NOTHING;
	if (what & SLOT_LIVE)
		return BAND_LIVE;
	if (what & SLOT_KEPT)
		return BAND_KEPT;
	return what & SLOT_SKIPPED ? BAND_NOTHING : band_missing(b, v, slot);
}

/* A hole without an outage, with nothing after it or very long: a pause */
static void band_pauses(const struct band *b, const struct band_view *v,
			int64_t from, int64_t to, char *text)
{
	for (int64_t s = from, begin; s < to; s++) {
		bool received;

		if (text[s - from] != BAND_LOST || band_outage(v, s))
			continue;
		/* a hole may begin before the text and end after it */
		for (begin = s; begin > b->first && s - begin <= BAND_HOLE &&
		     !band_get(b, begin - 1) && !band_outage(v, begin - 1);
		     begin--)
			;
		for (; s <= b->last && !band_get(b, s) && !band_outage(v, s);
		     s++)
			;
		received = s <= b->last;
		if (received && s - begin <= BAND_HOLE)
			continue;
		if (begin < from)
			begin = from;
		for (; begin < to && (begin < s || !received); begin++)
			if (!band_outage(v, begin) && !band_get(b, begin))
				text[begin - from] = BAND_NOTHING;
	}
}

void band_text(const struct band *b, const struct band_view *v, int64_t from,
	       int64_t to, char *text)
{
	for (int64_t s = from; s < to; s++)
		text[s - from] = band_char(b, v, s);
	band_pauses(b, v, from, to, text);
}

unsigned int band_lost(const char *text, size_t n)
{
	unsigned int lost = 0;

	while (n)
		lost += text[--n] == BAND_LOST;
	return lost;
}
