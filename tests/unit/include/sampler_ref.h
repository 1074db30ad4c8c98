/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sampler_ref.h - the sampling policies once more, slow and obvious.
 *
 * Arrays instead of lists, a search instead of a heap, an index instead of a
 * cursor, division instead of cross multiplication where it is exact. The
 * part between "8<" is the publication's Fig. 5 line by line. Shares nothing
 * with sampler.h but the names of the policies.
 */
#ifndef OPTSAMPLE_SAMPLER_REF_H
#define OPTSAMPLE_SAMPLER_REF_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define REF_MAX		256
#define REF_PAST	(8 * REF_MAX)

__extension__ typedef unsigned __int128 ref_u128;

struct ref {
	int policy;
	int limit, capacity, refill;
	int size;
	uint64_t buf[REF_MAX];
	uint64_t id[REF_MAX];
	/* what the last operation gave up, in order */
	uint64_t out[REF_MAX];
	int outs;
	/* optsample, 2sample */
	int64_t dis, cur;
	int pos;
	/* gap */
	uint64_t left, last;
	bool guess;
	uint64_t full_span;
	int full_size;
	/* gap: recent departures of this busy period; where arrivals were */
	int gone, start, departs;
	uint64_t way, at[REF_PAST];
};

static void ref_init(struct ref *r, int policy, int limit, int refill)
{
	memset(r, 0, sizeof(*r));
	r->policy = policy;
	r->limit = limit;
	r->capacity = limit;
	r->refill = refill;
	r->dis = 1;
}

static void ref_remove_at(struct ref *r, int i)
{
	r->size--;
	memmove(&r->buf[i], &r->buf[i + 1],
		(size_t)(r->size - i) * sizeof(r->buf[0]));
	memmove(&r->id[i], &r->id[i + 1],
		(size_t)(r->size - i) * sizeof(r->id[0]));
	if (!r->size) {
		r->capacity = r->limit;
		r->gone = 0;
	}
}

static void ref_give_up(struct ref *r, int i)
{
	r->out[r->outs++] = r->id[i];
	ref_remove_at(r, i);
}

static void ref_double(struct ref *r)
{
	if (r->dis < (int64_t)1 << 31)
		r->dis *= 2;
	r->pos = 0;
}

/* Fig. 5, with "capacity" what was queued before, so evict can use it. */
static void ref_sample_buffer(struct ref *r)
{
	int capacity = r->size;

	if (r->pos >= capacity)		/* not in Fig. 5: memory pressure */
		ref_double(r);
	/* 8< lines 15..21 */
	ref_give_up(r, r->pos);
	r->pos = r->pos + 1;
	if (r->pos >= capacity)
		ref_double(r);
	/* >8 */
}

static bool ref_enqueue_optsample(struct ref *r)
{
	/* 8< lines 2..25 */
	if (r->dis > 1 && r->size / (double)r->capacity <= r->refill / 100.0) {
		r->dis = r->dis / 2;
		if (r->cur >= r->dis)
			r->cur = r->cur - r->dis;
	}
	r->cur = r->cur + 1;
	if (r->cur != r->dis)
		return false;
	if (r->size >= r->capacity)
		ref_sample_buffer(r);
	r->cur = 0;
	return true;
	/* >8 */
}

static bool ref_enqueue_2sample(struct ref *r)
{
	int i, kept = 0, n = r->size;

	if (r->dis > 1 && 200 * r->size <= r->refill * r->capacity) {
		r->dis /= 2;
		if (r->cur >= r->dis)
			r->cur -= r->dis;
	}
	r->cur++;
	if (r->size >= r->capacity) {
		if (r->pos >= n)
			ref_double(r);
		/* from pos on the first of every two goes */
		for (i = r->pos; i < n; i++) {
			if ((i - r->pos) % 2 == 0)
				r->out[r->outs++] = r->id[i];
		}
		if ((n - r->pos) % 2)	/* the tail went */
			r->cur += r->dis;
		kept = r->pos;
		for (i = r->pos; i < n; i++) {
			if ((i - r->pos) % 2) {
				r->buf[kept] = r->buf[i];
				r->id[kept++] = r->id[i];
			}
		}
		r->size = kept;
		if (!kept)
			r->capacity = r->limit;
		ref_double(r);
	}
	if (r->cur < r->dis)
		return false;
	r->cur = 0;
	return true;
}

static uint64_t ref_hole(const struct ref *r, int i, uint64_t right)
{
	uint64_t a = i ? r->buf[i - 1] : r->left;

	return (i + 1 < r->size ? r->buf[i + 1] : right) - a;
}

/* The first of the smallest holes among messages 0 .. n-1. */
static int ref_least(const struct ref *r, int n, uint64_t right)
{
	int i, best = 0;

	for (i = 1; i < n; i++)
		if (ref_hole(r, i, right) < ref_hole(r, best, right))
			best = i;
	return best;
}

static void ref_measure(struct ref *r)
{
	r->full_span = r->buf[r->size - 1] - r->left;
	r->full_size = r->size;
}

/* More than 3/2 of the smallest hole away: always far enough. */
static bool ref_far(const struct ref *r, ref_u128 dist, ref_u128 hole)
{
	return r->size > 1 && 2 * dist >= 3 * hole;
}

/*
 * How far away the arrival counts as, and the mean gap of the full queue, as
 * fractions: a third of a step more, and over 5/4 gaps less but at least one.
 */
static bool ref_reaches(const struct ref *r, ref_u128 dist, uint64_t step,
			int num, int den)
{
	int n = r->full_size > 2 ? 4 * r->full_size - 5 : 4;

	return (3 * dist + step) * (ref_u128)n * (ref_u128)den >=
	       3 * 4 * (ref_u128)r->full_span * (ref_u128)num;
}

static bool ref_take_full(const struct ref *r, ref_u128 dist, ref_u128 hole,
			  uint64_t step)
{
	if (r->gone && r->size > 1 && 2 * dist >= hole &&
	    16 * hole * (ref_u128)r->gone <= 17 * (ref_u128)r->way)
		return true;
	return ref_reaches(r, dist, step, 43, 36);
}

static bool ref_take(const struct ref *r, ref_u128 dist, uint64_t step)
{
	int low = r->refill * r->capacity;
	int fill = (r->size * 300 - low) * 128 / (r->capacity * 300 - low);
	int tension = fill * (256 - fill) / 128;

	if (r->gone && (3 * dist + step) * 128 * (ref_u128)r->gone >=
	    3 * (ref_u128)r->way * (ref_u128)tension)
		return true;
	return ref_reaches(r, dist, step, 2 * tension, 3 * 128);
}

static bool ref_enqueue_gap(struct ref *r, uint64_t pos, uint64_t step)
{
	ref_u128 dist, hole;
	bool full = r->size >= r->capacity;

	if (full)
		ref_measure(r);
	else if (r->size * 300 <= r->refill * r->capacity)
		r->full_span = 0;
	if (r->full_span) {
		dist = pos - r->buf[r->size - 1];
		hole = r->size > 1 ?
			ref_hole(r, ref_least(r, r->size - 1, pos), pos) : 0;
		if (!ref_far(r, dist, hole) &&
		    !(full ? ref_take_full(r, dist, hole, step) :
			     ref_take(r, dist, step)))
			return false;
	}
	if (full)
		ref_give_up(r, ref_least(r, r->size, pos));
	return true;
}

/* True: kept. r->out, r->outs: given up. */
static bool ref_arrive(struct ref *r, uint64_t pos, uint64_t id)
{
	bool keep, empty = !r->size;
	uint64_t step = pos - r->last;

	r->outs = 0;
	if (empty)
		r->left = pos;
	else if (r->guess)
		r->left = 2 * r->last - pos;
	r->guess = empty;
	r->last = pos;
	switch (r->policy) {
	case OPTSAMPLE_POLICY_OPTSAMPLE:
		keep = ref_enqueue_optsample(r);
		break;
	case OPTSAMPLE_POLICY_2SAMPLE:
		keep = ref_enqueue_2sample(r);
		break;
	case OPTSAMPLE_POLICY_GAP:
		keep = ref_enqueue_gap(r, pos, step);
		break;
	case OPTSAMPLE_POLICY_DROP_OLDEST:
		keep = true;
		if (r->size >= r->capacity)
			ref_give_up(r, 0);
		break;
	default:
		keep = r->size < r->capacity;
		break;
	}
	if (keep) {
		r->buf[r->size] = pos;
		r->id[r->size++] = id;
	}
	return keep;
}

/* False: nothing to depart. */
static bool ref_depart(struct ref *r, uint64_t *id)
{
	if (!r->size)
		return false;
	*id = r->id[0];
	r->left = r->buf[0];
	r->guess = false;
	if (r->policy == OPTSAMPLE_POLICY_GAP) {
		r->at[r->departs % REF_PAST] = r->last;
		if (!r->gone++)
			r->start = r->departs;
		if (r->gone == 8 * r->limit) {
			r->gone = 4 * r->limit;
			r->start = r->departs - r->gone;
		}
		r->way = r->last - r->at[r->start % REF_PAST];
		r->departs++;
	}
	/* 8< lines 29..33 */
	ref_remove_at(r, 0);
	r->pos = r->pos - 1;
	if (r->pos < 0)
		r->pos = 0;
	/* >8 */
	if (r->capacity < r->limit)
		r->capacity++;
	return true;
}

static void ref_remove(struct ref *r, int i)
{
	ref_remove_at(r, i);
	if (i < r->pos)
		r->pos--;
}

/* What departed last comes back; @left: position of what departed before it. */
static void ref_return(struct ref *r, uint64_t pos, uint64_t id, uint64_t left)
{
	memmove(&r->buf[1], &r->buf[0], (size_t)r->size * sizeof(r->buf[0]));
	memmove(&r->id[1], &r->id[0], (size_t)r->size * sizeof(r->id[0]));
	r->buf[0] = pos;
	r->id[0] = id;
	if (r->size++)	/* a sweep goes on where it was */
		r->pos++;
	r->left = left;
	r->guess = false;
	r->gone = 0;
}

static void ref_evict(struct ref *r)
{
	r->outs = 0;
	if (!r->size)
		return;
	if (r->capacity > r->size)
		r->capacity = r->size;
	switch (r->policy) {
	case OPTSAMPLE_POLICY_OPTSAMPLE:
	case OPTSAMPLE_POLICY_2SAMPLE:
		ref_sample_buffer(r);
		break;
	case OPTSAMPLE_POLICY_GAP:
		ref_measure(r);
		ref_give_up(r, r->size > 1 ? ref_least(r, r->size - 1, 0) : 0);
		break;
	case OPTSAMPLE_POLICY_DROP_OLDEST:
		ref_give_up(r, 0);
		break;
	default:
		ref_give_up(r, r->size - 1);
		break;
	}
}

static void ref_set_limit(struct ref *r, int limit)
{
	bool pressed = r->capacity < r->limit;

	if (limit == r->limit)
		return;
	r->limit = limit;
	r->gone = 0;
	if (!pressed || r->capacity > limit)
		r->capacity = limit;
}

static void ref_set_policy(struct ref *r, int policy, int refill)
{
	r->refill = refill;
	if (r->policy == policy)
		return;
	r->policy = policy;
	r->dis = 1;
	r->cur = 0;
	r->pos = 0;
	r->full_span = 0;
	r->gone = 0;
}

#endif /* OPTSAMPLE_SAMPLER_REF_H */
