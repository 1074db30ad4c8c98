// SPDX-License-Identifier: GPL-2.0-only
/*
 * reassembly - collect the datagrams of a topic into frames
 */
#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "transport/reassembly.h"

enum {
	PACED	= 4,			/* datagrams that define a pace */
	BEHIND	= 3,			/* frames that prove a false jump */
	FIRST	= 16,			/* initial slots of a frame */
	KEPT	= 64,			/* slots kept by a closed frame */
};

#define FASTEST	1000000ULL		/* ns between frames */

struct reassembly {
	struct budget	*budget;
	size_t		reserved;
	unsigned int	most;
	uint64_t	grace, patience;
	bool		unordered, skip;
	bool		begun;		/* a frame was delivered */
	uint32_t	given;		/* the newest one delivered */
	uint32_t	doubtful;	/* last doubtful number */
	uint64_t	heard;		/* last accepted datagram */
	uint64_t	given_at;
	uint32_t	behind;		/* last late number */
	unsigned int	rose;		/* times it rose in a row */
	struct reassembly_counts counts;
	struct reassembly_frame frame[REASSEMBLY_OPEN];
};

/* Serial number arithmetic: numbers wrap */
static int32_t reassembly_newer(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b);
}

struct reassembly *reassembly_create(struct budget *budget, unsigned int most,
				     uint64_t grace, uint64_t patience)
{
	struct reassembly *a;

	if (!most || most > REASSEMBLY_COUNT)
		return NULL;
	a = calloc(1, sizeof(*a));
	if (!a)
		return NULL;
	a->budget = budget;
	a->most = most;
	a->grace = grace;
	a->patience = patience;
	return a;
}

void reassembly_destroy(struct reassembly *a)
{
	if (!a)
		return;
	for (unsigned int i = 0; i < REASSEMBLY_OPEN; i++)
		payloads_destroy(&a->frame[i].received);
	if (a->budget)
		budget_reserve(a->budget, &a->reserved, 0);
	free(a);
}

void reassembly_set_unordered(struct reassembly *a)
{
	a->unordered = true;
}

void reassembly_skip(struct reassembly *a)
{
	a->skip = true;
}

static size_t slots_bytes(unsigned int slots)
{
	return (size_t)slots * (PAYLOAD_MAX + sizeof(uint16_t));
}

/* Return: 0 or -ENOMEM */
static int reassembly_reserve(struct reassembly *a, size_t bytes)
{
	return a->budget && budget_reserve(a->budget, &a->reserved, bytes) ?
	       -ENOMEM : 0;
}

/* Double the slots, up to the limit. Return: 0, -ENOMEM */
static int reassembly_grow(struct reassembly *a, struct reassembly_frame *f)
{
	struct payloads *p = &f->received;
	unsigned int slots = p->max ? 2 * p->max : FIRST;
	size_t before = a->reserved;
	uint16_t *len;
	uint8_t *data;

	if (slots > a->most)
		slots = a->most;
	assert(slots > p->max);
	if (reassembly_reserve(a, before + slots_bytes(slots) -
					  slots_bytes(p->max)))
		return -ENOMEM;
	data = realloc(p->data, (size_t)slots * PAYLOAD_MAX);
	if (data)
		p->data = data;
	len = realloc(p->len, slots * sizeof(*len));
	if (len)
		p->len = len;
	if (!data || !len) {
		reassembly_reserve(a, before);
		return -ENOMEM;
	}
	p->stride = p->size = PAYLOAD_MAX;
	p->max = slots;
	return 0;
}

/* Free the memory of a large frame that was delivered */
static void reassembly_shrink(struct reassembly *a, struct reassembly_frame *f)
{
	struct payloads *p = &f->received;

	if (p->max <= KEPT)
		return;
	reassembly_reserve(a, a->reserved - slots_bytes(p->max));
	payloads_destroy(p);
}

static struct reassembly_frame *oldest(const struct reassembly *a)
{
	const struct reassembly_frame *best = NULL;

	for (unsigned int i = 0; i < REASSEMBLY_OPEN; i++) {
		const struct reassembly_frame *f = &a->frame[i];

		if (f->open &&
		    (!best || reassembly_newer(best->number, f->number) > 0))
			best = f;
	}
	return (struct reassembly_frame *)best;
}

/* Arrival of the first datagram of any open frame newer than @number */
static uint64_t overtaken_at(const struct reassembly *a, uint32_t number)
{
	uint64_t first = UINT64_MAX;

	for (unsigned int i = 0; i < REASSEMBLY_OPEN; i++) {
		const struct reassembly_frame *g = &a->frame[i];

		if (g->open && reassembly_newer(g->number, number) > 0 &&
		    g->first < first)
			first = g->first;
	}
	return first;
}

/*
 * Interval between its datagrams, which are evenly paced; 0: not known. Other
 * frames do not help: the pace of a topic may change.
 */
static uint64_t gap_of(const struct reassembly_frame *f)
{
	return f->top - f->bottom < PACED ? 0 :
	       (f->last - f->first) / (f->top - f->bottom);
}

/* Expected arrival of the last datagram; UINT64_MAX: not known */
static uint64_t reassembly_end_of(const struct reassembly_frame *f)
{
	uint64_t gap = gap_of(f);

	if (f->ends)
		return f->ends;
	if (!gap && f->top + 1 != f->count)
		return UINT64_MAX;
	return f->last + (f->count - 1 - f->top) * gap * 5 / 4;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Time from which an incomplete frame may be delivered */
static uint64_t ripe(const struct reassembly *a,
		     const struct reassembly_frame *f)
{
	uint64_t behind = overtaken_at(a, f->number),
		 end = reassembly_end_of(f);
	uint64_t when = f->last + a->patience;

	if (f->received.count == f->count)
		return 0;
	/* newer frames and the pace tell nothing: a queue sent them */
	if (a->unordered)
		return when;
	if (behind != UINT64_MAX)
		when = earlier(when, behind + a->grace);
	if (end != UINT64_MAX)
		when = earlier(when, end + a->grace);
	return when;
}

/* The frame to deliver first */
static struct reassembly_frame *next_one(const struct reassembly *a)
{
	const struct reassembly_frame *best = NULL;

	if (!a->unordered)
		return oldest(a);
	for (unsigned int i = 0; i < REASSEMBLY_OPEN; i++) {
		const struct reassembly_frame *f = &a->frame[i];

		if (f->open && (!best || ripe(a, f) < ripe(a, best)))
			best = f;
	}
	return (struct reassembly_frame *)best;
}

static struct reassembly_frame *reassembly_find(struct reassembly *a,
						uint32_t number)
{
	for (unsigned int i = 0; i < REASSEMBLY_OPEN; i++)
		if (a->frame[i].open && a->frame[i].number == number)
			return &a->frame[i];
	return NULL;
}

/* Open a new frame. Return: NULL if all are open */
static struct reassembly_frame *
reassembly_begin(struct reassembly *a, const struct optsample_segment *segment,
		 uint64_t now)
{
	struct reassembly_frame *f = NULL;

	for (unsigned int i = 0; i < REASSEMBLY_OPEN; i++) {
		if (a->frame[i].open)
			continue;
		reassembly_shrink(a, &a->frame[i]);
		f = &a->frame[i];
	}
	if (!f)
		return NULL;
	f->open = true;
	f->skip = a->skip;
	a->skip = false;
	f->number = le32toh(segment->frame);
	f->flags = segment->flags;
	f->count = le16toh(segment->count);
	f->stamp = le64toh(segment->stamp);
	f->first = f->last = now;
	f->ends = 0;
	f->top = 0;
	f->bottom = f->count;
	f->received.count = 0;
	memset(f->there, 0, sizeof(f->there));
	return f;
}

/* With a margin, as a growing queue delays the rest of the frame */
static void learn_end(struct reassembly_frame *f, int64_t left, uint64_t now)
{
	uint64_t ends = now + (uint64_t)left * 1000 * 5 / 4;

	if (left >= 0 && ends > f->ends)
		f->ends = ends;
}

static int reassembly_take(struct reassembly *a, struct reassembly_frame *f,
			   unsigned int index, const void *payload, size_t len,
			   uint64_t now)
{
	unsigned int n = f->received.count;

	if (f->there[index / 8] >> index % 8 & 1) {
		a->counts.duplicates++;
		return -EEXIST;
	}
	if (n == f->received.max && reassembly_grow(a, f)) {
		/* close a frame without any datagram */
		f->open = n > 0;
		return -ENOMEM;
	}
	f->there[index / 8] |= 1 << index % 8;
	if (index > f->top)
		f->top = index;
	if (index < f->bottom)
		f->bottom = index;
	assert(n < f->received.max && index < f->count);
	memcpy(payload_at(&f->received, n), payload, len);
	f->received.len[n] = len;
	f->received.count++;
	assert(f->received.count <= f->count);
	f->last = a->heard = now;
	a->rose = 0;
	a->counts.bytes += len;
	return 0;
}

/* Newest frame, delivered or open */
static uint32_t newest(const struct reassembly *a)
{
	uint32_t number = a->given;

	for (unsigned int i = 0; i < REASSEMBLY_OPEN; i++)
		if (a->frame[i].open &&
		    reassembly_newer(a->frame[i].number, number) > 0)
			number = a->frame[i].number;
	return number;
}

/* Is the number plausible? If not, the next datagram must confirm it */
static bool reassembly_is_near(struct reassembly *a, uint32_t number,
			       uint64_t now)
{
	uint32_t doubtful = a->doubtful;

	a->doubtful = number;
	return !a->begun || a->skip ||
	       reassembly_newer(number, newest(a)) <= REASSEMBLY_AHEAD ||
	       now - a->heard > a->patience ||
	       number - doubtful <= REASSEMBLY_AHEAD;
}

/*
 * A late datagram. But if all frames are late and no others arrive, a false
 * number was accepted before: start again.
 */
static bool is_behind(struct reassembly *a, uint32_t number, uint64_t now)
{
	int32_t rise = reassembly_newer(number, a->behind);

	a->behind = number;
	if (rise < 0 || rise > REASSEMBLY_AHEAD)
		a->rose = 0;
	else if (rise)
		a->rose++;
	if (a->rose < BEHIND || now - a->heard < a->patience)
		return true;
	a->begun = false;
	a->rose = 0;
	for (unsigned int i = 0; i < REASSEMBLY_OPEN; i++)
		a->frame[i].open = false;
	return false;
}

int reassembly_add(struct reassembly *a,
		   const struct optsample_segment *segment, int64_t left,
		   const void *payload, size_t len, uint64_t now)
{
	uint32_t number = le32toh(segment->frame);
	unsigned int index = le16toh(segment->index);
	unsigned int count = le16toh(segment->count);
	uint64_t stamp = le64toh(segment->stamp);
	struct reassembly_frame *f;

	if (!count || count > a->most || index >= count || len > PAYLOAD_MAX) {
		a->counts.bad++;
		return -EINVAL;
	}
	if (a->begun && !a->unordered &&
	    reassembly_newer(number, a->given) <= 0 &&
	    is_behind(a, number, now)) {
		a->counts.late++;
		return -ESTALE;
	}
	if (!a->unordered && !reassembly_is_near(a, number, now)) {
		a->counts.bad++;
		return -EINVAL;
	}
	f = reassembly_find(a, number);
	if (!f)
		f = reassembly_begin(a, segment, now);
	if (!f) {
		/* the caller did not take deliverable frames */
		a->counts.late++;
		return -ESTALE;
	}
	if (f->count != count || f->stamp != stamp ||
	    f->flags != segment->flags) {
		a->counts.bad++;
		return -EINVAL;
	}
	learn_end(f, left, now);
	return reassembly_take(a, f, index, payload, len, now);
}

/* All are open: the oldest must be delivered first */
static bool crowded(const struct reassembly *a)
{
	for (unsigned int i = 0; i < REASSEMBLY_OPEN; i++)
		if (!a->frame[i].open)
			return false;
	return true;
}

/* Number of runs of consecutive lost datagrams */
static unsigned int runs_of(const struct reassembly_frame *f)
{
	unsigned int runs = 0;
	bool before = true;

	if (f->received.count == f->count)
		return 0;
	for (unsigned int i = 0; i < f->count; i++) {
		bool there = f->there[i / 8] >> i % 8 & 1;

		runs += before && !there;
		before = there;
	}
	return runs;
}

/* Count missing frames, at most as many as can have been sent since */
static void count_gap(struct reassembly *a, const struct reassembly_frame *f,
		      uint64_t now)
{
	uint64_t most = (now - a->given_at) / FASTEST + REASSEMBLY_AHEAD;
	int32_t ahead = reassembly_newer(f->number, a->given);
	uint64_t gap;

	if (a->begun && !f->skip && !a->unordered && ahead > 1) {
		gap = earlier(ahead - 1, most);
		a->counts.missing += gap;
		a->counts.expected += gap * f->count;
	}
}

const struct reassembly_frame *reassembly_next(struct reassembly *a,
					       uint64_t now)
{
	struct reassembly_frame *f = next_one(a);

	if (!f || (ripe(a, f) > now && !crowded(a)))
		return NULL;
	count_gap(a, f, now);
	a->counts.frames++;
	a->counts.expected += f->count;
	a->counts.datagrams += f->received.count;
	a->counts.runs += runs_of(f);
	if (!a->begun || reassembly_newer(f->number, a->given) > 0)
		a->given = f->number;
	a->begun = true;
	a->given_at = now;
	f->open = false;
	return f;
}

bool reassembly_overtaken(const struct reassembly *a, uint32_t number)
{
	return (a->begun && reassembly_newer(a->given, number) > 0) ||
	       overtaken_at(a, number) != UINT64_MAX;
}

uint64_t reassembly_due(const struct reassembly *a)
{
	const struct reassembly_frame *f = next_one(a);

	return f ? ripe(a, f) : UINT64_MAX;
}

const struct reassembly_counts *reassembly_counts(const struct reassembly *a)
{
	return &a->counts;
}
