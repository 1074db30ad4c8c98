/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sampler.h - which messages of a bounded queue survive a stall.
 *
 * A sampler is the bookkeeping of one queue of messages. It is asked about
 * every arrival (optsample_arrive), told about every departure
 * (optsample_depart), and says: keep, discard, or give that one up. It knows
 * positions, never packets. A position is any monotone measure of
 * information: a sequence number, a stamp in nanoseconds, a travelled
 * distance. Only differences of positions are used, so they may wrap and
 * their unit does not matter.
 *
 * Principles: a value type; the caller embeds struct optsample_node in its
 * message, nothing is allocated here; no libc, no floating point, no
 * recursion, no 64 bit division on any path of a message; O(1) per message,
 * for `gap` O(log limit) amortised. The kernel module, the shim for roscpp and
 * the simulator compile this very file.
 *
 * Limits: no locking (the caller serialises), at most 65535 messages.
 * A position that steps back (a publisher that restarted) counts as no step.
 */
#ifndef OPTSAMPLE_SAMPLER_H
#define OPTSAMPLE_SAMPLER_H

#ifdef __KERNEL__
#include <linux/math64.h>
#endif
#include <optsample/sampler_heap.h>

#define OPTSAMPLE_LIMIT_MAX	65535U
#define OPTSAMPLE_REFILL_DEFAULT 50U	/* percent */
#define OPTSAMPLE_DISTANCE_MAX	(1U << 31)

/*
 * A full gap queue takes a message that is this many times the mean gap away
 * from the last one kept: 1.194, as measured in Documentation/sampler.md.
 */
#define OPTSAMPLE_GAP_NUM	43U
#define OPTSAMPLE_GAP_DEN	36U
#define OPTSAMPLE_GAP_FULL	128U	/* fixed point 1 of the relaxation */
#define OPTSAMPLE_GAP_WINDOW	4U	/* limits: half of it, in departures */

/**
 * enum optsample_policy - what to do when the queue is full
 * @OPTSAMPLE_POLICY_OPTSAMPLE: the published algorithm (Wang et al., 2019,
 *	Fig. 5), Enqueue and Dequeue as printed
 * @OPTSAMPLE_POLICY_GAP: ours: take what is far enough from the last one
 *	kept, give up what leaves the smallest hole
 * @OPTSAMPLE_POLICY_2SAMPLE: give up every second message at once
 * @OPTSAMPLE_POLICY_DROP_OLDEST: what ROS does
 * @OPTSAMPLE_POLICY_DROP_NEWEST: what a FIFO does
 * @OPTSAMPLE_POLICY_MAX: number of policies
 */
enum optsample_policy {
	OPTSAMPLE_POLICY_OPTSAMPLE,
	OPTSAMPLE_POLICY_GAP,
	OPTSAMPLE_POLICY_2SAMPLE,
	OPTSAMPLE_POLICY_DROP_OLDEST,
	OPTSAMPLE_POLICY_DROP_NEWEST,
	OPTSAMPLE_POLICY_MAX
};

/**
 * struct optsample_sampler - one queue
 * @head: oldest message, the next to depart
 * @tail: newest message
 * @len: messages queued
 * @limit: messages allowed
 * @cap: messages allowed now (memory pressure makes it smaller than @limit)
 * @policy: enum optsample_policy
 * @refill: fill level R (percent of @cap) at which sampling relaxes
 * @seeded: @left and @last mean something
 * @guessed: @left waits for the second message, see __optsample_place()
 * @sampled: something was discarded or given up since the queue was low
 * @seq: arrivals kept so far
 * @shift: added to the caller's positions after a step back
 * @last: position of the newest arrival, kept or not
 * @before: gap: of the one before that
 * @left: left end of the first hole: the last departed message
 * @dis: optsample, 2sample: sampling distance in messages, a power of two
 * @cur: optsample, 2sample: arrivals since the last one kept
 * @idx: optsample, 2sample: index of the next message to give up, 0..@len
 * @cursor: the message at @idx, NULL when @idx == @len
 * @root: gap: heap of all messages but the tail, smallest hole on top
 * @span: gap: from @left to the tail when last full, 0 when not sampling
 * @gaps: gap: messages queued then
 * @done: gap: recent departures, since the queue was last empty
 * @mark: gap: @last when they began
 * @half: gap: @last half a window ago
 * @went: gap: from @mark to @last at the latest of them
 */
struct optsample_sampler {
	struct optsample_node *head;
	struct optsample_node *tail;
	u32 len;
	u32 limit;
	u32 cap;
	u8 policy;
	u8 refill;
	bool seeded;
	bool guessed;
	bool sampled;
	u32 done;
	u64 seq;
	u64 shift;
	u64 last;
	u64 before;
	u64 left;
	u32 dis;
	u32 cur;
	u32 idx;
	u32 gaps;
	struct optsample_node *cursor;
	struct optsample_node *root;
	u64 span;
	u64 mark;
	u64 half;
	u64 went;
};

/**
 * optsample_policy_name - name of a policy as users write it
 * @policy: the policy
 *
 * Return: a constant string, "unknown" when out of range.
 */
static inline const char *optsample_policy_name(enum optsample_policy policy)
{
	static const char *const names[] = {
		"optsample", "gap", "2sample", "drop-oldest", "drop-newest",
	};

	return (u32)policy < OPTSAMPLE_POLICY_MAX ? names[policy] : "unknown";
}

/* --- gap: the heap of holes --- */

/* The hole between the neighbours of @n, once @n is gone. */
static inline u64 __optsample_hole(const struct optsample_sampler *s,
				   const struct optsample_node *n, u64 right)
{
	return right - (n->prev ? n->prev->pos : s->left);
}

static inline void __optsample_hole_add(struct optsample_sampler *s,
					struct optsample_node *n)
{
	n->key = __optsample_hole(s, n, n->next->pos);
	optsample_heap_add(&s->root, n);
}

/* A neighbour of @n went: its hole is another one. */
static inline void __optsample_hole_changed(struct optsample_sampler *s,
					    struct optsample_node *n)
{
	if (n->key == __optsample_hole(s, n, n->next->pos))
		return;
	optsample_heap_del(&s->root, n);
	__optsample_hole_add(s, n);
}

/* --- the queue --- */

/*
 * Take @n out of the queue. @idx follows the message it points at; that is
 * RemoveAt(), and for the head also the publication's "one back by dequeue".
 */
static inline void __optsample_unlink(struct optsample_sampler *s,
				      struct optsample_node *n)
{
	struct optsample_node *prev = n->prev, *next = n->next;
	bool gap = s->policy == OPTSAMPLE_POLICY_GAP;

	if (gap && next)
		optsample_heap_del(&s->root, n);
	if (n == s->cursor)
		s->cursor = next;
	else if (s->idx && (!s->cursor || n->seq < s->cursor->seq))
		s->idx--;
	if (prev)
		prev->next = next;
	else
		s->head = next;
	if (next)
		next->prev = prev;
	else
		s->tail = prev;
	s->len--;
	if (!s->len) {
		s->cap = s->limit;
		s->sampled = false;
		s->done = 0;
	}
	if (gap && prev && next)
		__optsample_hole_changed(s, prev);
	else if (gap && prev)
		optsample_heap_del(&s->root, prev);
	if (gap && next && next->next)
		__optsample_hole_changed(s, next);
	n->prev = NULL;
	n->next = NULL;
}

/* The same for the head, and without a heap: the fast path. */
static inline void __optsample_shift(struct optsample_sampler *s,
				     struct optsample_node *n)
{
	struct optsample_node *next = n->next;

	if (n == s->cursor)
		s->cursor = next;
	else if (s->idx)
		s->idx--;
	s->head = next;
	s->len--;
	if (next) {
		next->prev = NULL;
	} else {
		s->tail = NULL;
		s->cap = s->limit;
		s->sampled = false;
	}
	n->next = NULL;
}

/* The sweep is through. */
static inline void __optsample_double(struct optsample_sampler *s)
{
	if (s->dis < OPTSAMPLE_DISTANCE_MAX)
		s->dis *= 2;
	s->idx = 0;
	s->cursor = s->head;
}

/* RemoveAt(idx), and on by one: publication, Enqueue, lines 15 and 16. */
static inline struct optsample_node *
__optsample_remove_at(struct optsample_sampler *s)
{
	struct optsample_node *n = s->cursor;

	__optsample_unlink(s, n);
	s->idx++;
	if (s->cursor)
		s->cursor = s->cursor->next;
	return n;
}

/* One step of the sweep: lines 14..21. */
static inline struct optsample_node *
__optsample_sweep(struct optsample_sampler *s)
{
	u32 span = s->len;
	struct optsample_node *n;

	if (s->idx >= span)	/* only when @cap shrank to what is queued */
		__optsample_double(s);
	n = __optsample_remove_at(s);
	if (s->idx >= span)
		__optsample_double(s);
	return n;
}

/*
 * Fill level at or below what relaxes: R; for 2sample R/2, since thinned is
 * half full already; for gap R/3, since it relaxes on its way there.
 */
static inline bool __optsample_low(const struct optsample_sampler *s)
{
	u32 scale = s->policy == OPTSAMPLE_POLICY_GAP ? 300 :
		    s->policy == OPTSAMPLE_POLICY_2SAMPLE ? 200 : 100;

	return s->len * scale <= s->refill * s->cap;
}

/* Publication, Enqueue, lines 2..7. */
static inline void __optsample_halve(struct optsample_sampler *s)
{
	s->dis /= 2;
	if (s->cur >= s->dis)
		s->cur -= s->dis;
}

/*
 * 2sample: finish the sweep at once. When the tail goes, the distance to the
 * last one kept grows by what the tail was away from its neighbour.
 */
static inline struct optsample_node *
__optsample_thin(struct optsample_sampler *s)
{
	struct optsample_node *first = NULL, *last = NULL, *n;
	u32 dis;

	if (s->idx >= s->len)
		__optsample_double(s);
	dis = s->dis;
	while (s->idx < s->len) {
		if (s->cursor == s->tail)
			s->cur += dis;
		n = __optsample_remove_at(s);
		if (last)
			last->next = n;
		else
			first = n;
		last = n;
	}
	__optsample_double(s);
	return first;
}

/* gap: remember the mean gap of a full queue. */
static inline void __optsample_measure(struct optsample_sampler *s)
{
	s->span = s->tail->pos - s->left;
	s->gaps = s->len;
}

/*
 * gap: a departure. What the link leaves between two is @went / @done, over
 * the last half window or more: no division, so no unit of positions.
 */
static inline void __optsample_count(struct optsample_sampler *s)
{
	if (!s->done++)
		s->mark = s->last;
	if (s->done == 2 * OPTSAMPLE_GAP_WINDOW * s->limit) {
		s->mark = s->half;
		s->done /= 2;
	}
	if (s->done == OPTSAMPLE_GAP_WINDOW * s->limit)
		s->half = s->last;
	s->went = s->last - s->mark;
}

/* a * x >= b * y, to 34 bits; x and y must be below 2^30. */
static inline bool __optsample_ge(u64 a, u32 x, u64 b, u32 y)
{
	while ((a | b) >> 34) {
		a >>= 1;
		b >>= 1;
	}
	return a * x >= b * y;
}

/*
 * How much of its distance a queue keeps that is no longer full: nothing at
 * R/3, more than half of it half way. Under overload the fill level so
 * settles just below full, where arrivals kept and departures balance, with
 * even gaps; after a stall room is won back before the next one.
 */
static inline u32 __optsample_tension(const struct optsample_sampler *s)
{
	u32 low = s->refill * s->cap;
	u32 fill = (s->len * 300 - low) * OPTSAMPLE_GAP_FULL /
		   (s->cap * 300 - low);

	return fill * (2 * OPTSAMPLE_GAP_FULL - fill) / OPTSAMPLE_GAP_FULL;
}

/*
 * gap: is @pos too near to the last one kept? A third of how far it is from
 * the arrival before counts as well: the next to choose from may be too far
 * by more than this one is too near. So distances are in thirds.
 * The mean is over 5/4 gaps less than there are, as measured, so in quarters.
 */
static inline bool __optsample_near(struct optsample_sampler *s, u64 pos)
{
	bool full = s->len >= s->cap;
	u64 dist, hole, thirds;
	u32 quarters, tension;

	if (full)
		__optsample_measure(s);
	else if (__optsample_low(s))
		s->span = 0;
	if (!s->span)
		return false;
	dist = pos - s->tail->pos;
	hole = s->root ? s->root->key : ~0ULL;
	/* One outlier (a clock that was set) must not make the mean absurd. */
	if (__optsample_ge(dist, 2, hole, 3))
		return false;
	thirds = 3 * dist + pos - s->before;
	quarters = s->gaps > 2 ? 4 * s->gaps - 5 : 4;
	if (full) {
		/* Overload: a hole the link makes anyway costs nothing. */
		if (s->done && __optsample_ge(dist, 2, hole, 1) &&
		    __optsample_ge(s->went, 17, hole, 16 * s->done))
			return false;
		return !__optsample_ge(thirds, quarters * OPTSAMPLE_GAP_DEN,
				       s->span, 12 * OPTSAMPLE_GAP_NUM);
	}
	/* Room: 2/3 of the mean, or what the link leaves when that is less. */
	tension = __optsample_tension(s);
	if (s->done && __optsample_ge(thirds, s->done * OPTSAMPLE_GAP_FULL,
				      s->went, 3 * tension))
		return false;
	return !__optsample_ge(thirds, quarters * OPTSAMPLE_GAP_FULL, s->span,
			       8 * tension);
}

/* gap: the smallest hole; @pos is what the tail has to its right. */
static inline struct optsample_node *
__optsample_least(const struct optsample_sampler *s, u64 pos)
{
	struct optsample_node *tail = s->tail;

	if (!s->root || __optsample_hole(s, tail, pos) < s->root->key)
		return tail;
	return s->root;
}

/*
 * The caller's position on the sampler's own scale, where nothing steps back.
 * What finds the queue empty begins anew: however long the silence before was,
 * the left end of the first hole is as far to its left as the next arrival is
 * to its right.
 */
static inline u64 __optsample_place(struct optsample_sampler *s, u64 pos)
{
	pos += s->shift;
	if (s->seeded && (s64)(pos - s->last) < 0) {
		s->shift += s->last - pos;
		pos = s->last;
	}
	if (!s->len)
		s->left = pos;
	else if (s->guessed)
		s->left = s->last - (pos - s->last);
	s->guessed = !s->len;
	s->seeded = true;
	s->before = s->last;
	s->last = pos;
	return pos;
}

/* The policy's verdict on the arrival at @pos; evicts one if it has to. */
static inline bool __optsample_verdict(struct optsample_sampler *s, u64 pos,
				       struct optsample_node **evicted)
{
	switch (s->policy) {
	case OPTSAMPLE_POLICY_OPTSAMPLE:
		if (s->dis > 1 && __optsample_low(s))
			__optsample_halve(s);
		s->cur++;
		if (s->cur != s->dis)
			return false;
		if (s->len >= s->cap)
			*evicted = __optsample_sweep(s);
		s->cur = 0;
		return true;
	case OPTSAMPLE_POLICY_2SAMPLE:
		if (s->dis > 1 && __optsample_low(s))
			__optsample_halve(s);
		s->cur++;
		if (s->len >= s->cap)
			*evicted = __optsample_thin(s);
		if (s->cur < s->dis)
			return false;
		s->cur = 0;
		return true;
	case OPTSAMPLE_POLICY_GAP:
		if (__optsample_near(s, pos))
			return false;
		if (s->len >= s->cap)
			*evicted = __optsample_least(s, pos);
		break;
	case OPTSAMPLE_POLICY_DROP_OLDEST:
		if (s->len >= s->cap)
			*evicted = s->head;
		break;
	default:
		return s->len < s->cap;
	}
	if (*evicted)
		__optsample_unlink(s, *evicted);
	return true;
}

static inline u32 __optsample_clamp(u32 value, u32 min, u32 max)
{
	return value < min ? min : value > max ? max : value;
}

/**
 * optsample_init - an empty sampler
 * @s: the sampler
 * @policy: see enum optsample_policy
 * @limit: messages allowed, 1..65535 (clamped)
 * @refill_pct: R in percent, 0..100 (clamped), OPTSAMPLE_REFILL_DEFAULT
 */
static inline void optsample_init(struct optsample_sampler *s,
				  enum optsample_policy policy, u32 limit,
				  u32 refill_pct)
{
	struct optsample_sampler zero = { 0 };

	*s = zero;
	s->policy = (u8)policy;
	s->refill = (u8)__optsample_clamp(refill_pct, 0, 100);
	s->limit = __optsample_clamp(limit, 1, OPTSAMPLE_LIMIT_MAX);
	s->cap = s->limit;
	s->dis = 1;
}

/**
 * optsample_arrive - a message arrives
 * @s: the sampler
 * @pos: its position, not before that of the arrival before
 * @evicted: the messages that had to go for it, oldest first, chained through
 *	@next and NULL terminated; they are unlinked and the caller's to free.
 *	NULL when there is none. Only 2sample gives more than one, and that
 *	possibly along with a discard.
 *
 * Return: true when the message is to be kept: optsample_append() it, or do
 * not if there is no memory for it; false when it is to be discarded.
 */
static inline bool optsample_arrive(struct optsample_sampler *s, u64 pos,
				    struct optsample_node **evicted)
{
	bool keep;

	*evicted = NULL;
	pos = __optsample_place(s, pos);
	keep = __optsample_verdict(s, pos, evicted);
	if (!keep || *evicted)
		s->sampled = true;
	return keep;
}

/**
 * optsample_append - queue a message that optsample_arrive() wants kept
 * @s: the sampler
 * @n: the message's node; the sampler holds it until it hands it back
 * @pos: the position given to optsample_arrive()
 */
static inline void optsample_append(struct optsample_sampler *s,
				    struct optsample_node *n, u64 pos)
{
	struct optsample_node *tail = s->tail;

	n->pos = pos + s->shift;
	n->seq = s->seq++;
	n->next = NULL;
	n->prev = tail;
	if (tail)
		tail->next = n;
	else
		s->head = n;
	s->tail = n;
	if (s->idx == s->len)
		s->cursor = n;
	s->len++;
	if (tail && s->policy == OPTSAMPLE_POLICY_GAP)
		__optsample_hole_add(s, tail);
}

/**
 * optsample_depart - the head is delivered (publication: Dequeue)
 * @s: the sampler
 *
 * Return: the message, now the caller's, or NULL when the queue is empty.
 */
static inline struct optsample_node *
optsample_depart(struct optsample_sampler *s)
{
	struct optsample_node *n = s->head;

	if (!n)
		return NULL;
	s->left = n->pos;
	s->guessed = false;
	if (s->policy == OPTSAMPLE_POLICY_GAP) {
		__optsample_count(s);
		__optsample_unlink(s, n);
	} else {
		__optsample_shift(s, n);
	}
	if (s->cap < s->limit)
		s->cap++;
	if (s->sampled && __optsample_low(s))
		s->sampled = false;
	return n;
}

/**
 * optsample_return - what optsample_depart() handed out waits again
 * @s: the sampler
 * @n: the message, with its @pos and @seq as they were; goes before all others
 * @before: position (@pos) of the message that departed before it
 *
 * Of several the newest comes first. There may be more than @limit then: call
 * optsample_evict() until they fit. What was learnt of the pace of the link is
 * forgotten: it did not take what it seemed to take.
 */
static inline void optsample_return(struct optsample_sampler *s,
				    struct optsample_node *n, u64 before)
{
	struct optsample_node *next = s->head;

	n->prev = NULL;
	n->next = next;
	if (next)
		next->prev = n;
	else
		s->tail = n;
	s->head = n;
	s->len++;
	if (next)	/* a sweep goes on where it was */
		s->idx++;
	else
		s->cursor = n;
	s->left = before;
	s->guessed = false;
	s->done = 0;
	if (s->policy != OPTSAMPLE_POLICY_GAP || !next)
		return;
	__optsample_hole_add(s, n);
	if (next->next)
		__optsample_hole_changed(s, next);
}

/**
 * optsample_remove - take one message out for a reason of the caller's own
 * @s: the sampler
 * @n: a queued message; it is the caller's again
 */
static inline void optsample_remove(struct optsample_sampler *s,
				    struct optsample_node *n)
{
	__optsample_unlink(s, n);
}

/**
 * optsample_evict - memory is short: give up one message now
 * @s: the sampler
 *
 * The same step as that of a full queue. The capacity shrinks to what was
 * queued, each departure gives one place back, an empty queue all of them.
 *
 * Return: the message, now the caller's, or NULL when the queue is empty.
 */
static inline struct optsample_node *
optsample_evict(struct optsample_sampler *s)
{
	struct optsample_node *n;

	if (!s->len)
		return NULL;
	if (s->cap > s->len)
		s->cap = s->len;
	s->sampled = true;
	switch (s->policy) {
	case OPTSAMPLE_POLICY_OPTSAMPLE:
	case OPTSAMPLE_POLICY_2SAMPLE:
		return __optsample_sweep(s);
	case OPTSAMPLE_POLICY_GAP:
		__optsample_measure(s);
		n = s->root ? s->root : s->tail;
		break;
	case OPTSAMPLE_POLICY_DROP_OLDEST:
		n = s->head;
		break;
	default:
		n = s->tail;
		break;
	}
	__optsample_unlink(s, n);
	return n;
}

/**
 * optsample_set_limit - change the limit, keep what is queued
 * @s: the sampler
 * @limit: messages allowed, 1..65535 (clamped)
 *
 * When @len is above the new limit, call optsample_evict() until it fits,
 * before the next arrival. What was learnt of the pace of the link is forgotten
 * if the limit is another one.
 */
static inline void optsample_set_limit(struct optsample_sampler *s, u32 limit)
{
	bool pressed = s->cap < s->limit;

	limit = __optsample_clamp(limit, 1, OPTSAMPLE_LIMIT_MAX);
	if (s->limit == limit)
		return;
	s->limit = limit;
	s->done = 0;
	if (!pressed || s->cap > s->limit)
		s->cap = s->limit;
}

/**
 * optsample_set_policy - change the policy, keep what is queued
 * @s: the sampler
 * @policy: see enum optsample_policy
 * @refill_pct: R in percent, 0..100 (clamped)
 *
 * O(length). The sampling distance starts anew, unless @policy is the same.
 */
static inline void optsample_set_policy(struct optsample_sampler *s,
					enum optsample_policy policy,
					u32 refill_pct)
{
	struct optsample_node *n;

	s->refill = (u8)__optsample_clamp(refill_pct, 0, 100);
	if (s->policy == policy)
		return;
	s->policy = (u8)policy;
	s->dis = 1;
	s->cur = 0;
	s->idx = 0;
	s->cursor = s->head;
	s->root = NULL;
	s->span = 0;
	s->done = 0;
	for (n = s->head; policy == OPTSAMPLE_POLICY_GAP && n != s->tail;
	     n = n->next)
		__optsample_hole_add(s, n);
}

/**
 * optsample_distance - how coarsely the queue samples now
 * @s: the sampler
 *
 * Return: optsample, 2sample: every how many messages one is kept; gap: the
 * mean distance of what is queued, in positions, saturated; 1 when nothing
 * is sampled.
 */
static inline u32 optsample_distance(const struct optsample_sampler *s)
{
	u64 span, gaps;

	if (s->policy == OPTSAMPLE_POLICY_OPTSAMPLE ||
	    s->policy == OPTSAMPLE_POLICY_2SAMPLE)
		return s->dis;
	if (s->policy != OPTSAMPLE_POLICY_GAP || !s->sampled || s->len < 2)
		return 1;
	gaps = s->len - 1;
	span = s->tail->pos - s->head->pos;
	span += gaps / 2;
	if (span >= gaps << 32)
		return ~0U;
#ifdef __KERNEL__
	span = div64_u64(span, gaps);
#else
	span /= gaps;
#endif
	return span ? (u32)span : 1;
}

#endif /* OPTSAMPLE_SAMPLER_H */
