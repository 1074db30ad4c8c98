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
 * recursion, no division on any path of a message; O(1) per message, for
 * `gap` O(log limit) amortised. The kernel module, the shim for roscpp and
 * the simulator compile this very file.
 *
 * Limits: no locking (the caller serialises), at most 65535 messages.
 * A position that steps back (a publisher that restarted) counts as no step.
 */
#ifndef OPTSAMPLE_SAMPLER_H
#define OPTSAMPLE_SAMPLER_H

#ifdef __KERNEL__
#include <linux/math64.h>
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifndef OPTSAMPLE_HAVE_KERNEL_TYPES
#define OPTSAMPLE_HAVE_KERNEL_TYPES
typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t s64;
#endif
#endif

#define OPTSAMPLE_LIMIT_MAX	65535U
#define OPTSAMPLE_REFILL_DEFAULT 50U	/* percent */
#define OPTSAMPLE_DISTANCE_MAX	(1U << 31)

/*
 * gap takes a message that is this many times the mean kept gap away from
 * the last one kept: 11/10, as measured in Documentation/sampler.md.
 */
#define OPTSAMPLE_GAP_NUM	11U
#define OPTSAMPLE_GAP_DEN	10U

/**
 * enum optsample_policy - what to do when the queue is full
 * @OPTSAMPLE_POLICY_OPTSAMPLE: the published algorithm (Wang et al., 2019,
 *	Fig. 5), Enqueue and Dequeue as printed
 * @OPTSAMPLE_POLICY_GAP: take what is far enough from the last one kept, give
 *	up what leaves the smallest hole
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
 * struct optsample_node - the sampler's part of a queued message
 * @pos: position of the message
 * @seq: order of arrival within this sampler
 * @prev: neighbour towards the head
 * @next: neighbour towards the tail; also chains evicted messages
 * @key: gap: hole that giving up this message would leave
 * @child: gap: first child in the pairing heap
 * @sibling: gap: next child of the same parent
 * @back: gap: previous child of the same parent, or the parent
 */
struct optsample_node {
	u64 pos;
	u64 seq;
	struct optsample_node *prev;
	struct optsample_node *next;
	u64 key;
	struct optsample_node *child;
	struct optsample_node *sibling;
	struct optsample_node *back;
}; /* one cache line on 64 bit: please keep it so */

/**
 * struct optsample_sampler - one queue
 * @head: oldest message, the next to depart
 * @tail: newest message
 * @len: messages queued
 * @limit: messages allowed
 * @cap: messages allowed now (memory pressure makes it smaller than @limit)
 * @policy: enum optsample_policy
 * @refill: fill level (percent of @cap) at which sampling relaxes
 * @seeded: @left and @last mean something
 * @guessed: @left is the first message itself until the second one arrives
 * @sampled: something was discarded or given up since the queue was low
 * @seq: arrivals kept so far
 * @shift: added to the caller's positions after a step back
 * @last: position of the newest arrival, kept or not
 * @left: position of the last departed message
 * @dis: optsample, 2sample: sampling distance in messages, a power of two
 * @cur: optsample, 2sample: arrivals since the last one kept
 * @idx: optsample, 2sample: index of the next message to give up, 0..@len
 * @cursor: the message at @idx, NULL when @idx == @len
 * @root: gap: heap of all messages but the tail, smallest hole on top
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
	u64 seq;
	u64 shift;
	u64 last;
	u64 left;
	u32 dis;
	u32 cur;
	u32 idx;
	struct optsample_node *cursor;
	struct optsample_node *root;
};

/**
 * optsample_policy_name - name of a policy as users write it
 * @policy: the policy
 *
 * Return: a constant string, "unknown" when out of range.
 */
static inline const char *optsample_policy_name(enum optsample_policy policy)
{
	switch (policy) {
	case OPTSAMPLE_POLICY_OPTSAMPLE:
		return "optsample";
	case OPTSAMPLE_POLICY_GAP:
		return "gap";
	case OPTSAMPLE_POLICY_2SAMPLE:
		return "2sample";
	case OPTSAMPLE_POLICY_DROP_OLDEST:
		return "drop-oldest";
	case OPTSAMPLE_POLICY_DROP_NEWEST:
		return "drop-newest";
	default:
		return "unknown";
	}
}

/* --- pairing heap of gap (Fredman, Sedgewick, Sleator, Tarjan, 1986) --- */

static inline bool __optsample_less(const struct optsample_node *a,
				    const struct optsample_node *b)
{
	return a->key < b->key || (a->key == b->key && a->seq < b->seq);
}

static inline struct optsample_node *
__optsample_meld(struct optsample_node *a, struct optsample_node *b)
{
	struct optsample_node *t;

	if (!a)
		return b;
	if (!b)
		return a;
	if (__optsample_less(b, a)) {
		t = a;
		a = b;
		b = t;
	}
	b->back = a;
	b->sibling = a->child;
	if (a->child)
		a->child->back = b;
	a->child = b;
	return a;
}

/* Two passes: pairs from the left, then all of them from the right. */
static inline struct optsample_node *
__optsample_meld_children(struct optsample_node *n)
{
	struct optsample_node *stack = NULL, *root = NULL, *a, *b;

	while (n) {
		a = n;
		b = a->sibling;
		n = b ? b->sibling : NULL;
		a->sibling = NULL;
		if (b)
			b->sibling = NULL;
		a = __optsample_meld(a, b);
		a->sibling = stack;
		stack = a;
	}
	while (stack) {
		a = stack;
		stack = a->sibling;
		a->sibling = NULL;
		root = __optsample_meld(root, a);
	}
	if (root)
		root->back = NULL;
	return root;
}

static inline void __optsample_heap_del(struct optsample_sampler *s,
					struct optsample_node *n)
{
	struct optsample_node *sub = __optsample_meld_children(n->child);

	if (s->root == n) {
		s->root = sub;
		return;
	}
	if (n->back->child == n)
		n->back->child = n->sibling;
	else
		n->back->sibling = n->sibling;
	if (n->sibling)
		n->sibling->back = n->back;
	s->root = __optsample_meld(s->root, sub);
}

/* The hole between the neighbours of @n, once @n is gone. */
static inline u64 __optsample_hole(const struct optsample_sampler *s,
				   const struct optsample_node *n, u64 right)
{
	return right - (n->prev ? n->prev->pos : s->left);
}

static inline void __optsample_heap_add(struct optsample_sampler *s,
					struct optsample_node *n)
{
	n->key = __optsample_hole(s, n, n->next->pos);
	n->child = NULL;
	n->sibling = NULL;
	n->back = NULL;
	s->root = __optsample_meld(s->root, n);
}

/* A neighbour of @n went: its hole is another one. */
static inline void __optsample_heap_rekey(struct optsample_sampler *s,
					  struct optsample_node *n)
{
	if (n->key == __optsample_hole(s, n, n->next->pos))
		return;
	__optsample_heap_del(s, n);
	__optsample_heap_add(s, n);
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
		__optsample_heap_del(s, n);
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
	if (!s->len)
		s->cap = s->limit;
	if (gap && prev && next)
		__optsample_heap_rekey(s, prev);
	else if (gap && prev)
		__optsample_heap_del(s, prev);
	if (gap && next && next->next)
		__optsample_heap_rekey(s, next);
	n->prev = NULL;
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

/* One step of the sweep: publication, Enqueue, lines 14..21. */
static inline struct optsample_node *
__optsample_sweep(struct optsample_sampler *s)
{
	u32 span = s->len;
	struct optsample_node *n;

	if (s->idx >= span)	/* only when @cap shrank to what is queued */
		__optsample_double(s);
	n = s->cursor;
	__optsample_unlink(s, n);
	s->idx++;
	if (s->cursor)
		s->cursor = s->cursor->next;
	if (s->idx >= span)
		__optsample_double(s);
	return n;
}

/* Fill level at or below R. */
static inline bool __optsample_low(const struct optsample_sampler *s)
{
	return s->len * 100 <= s->refill * s->cap;
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
	struct optsample_node *first = NULL, **at = &first, *n;
	u32 dis = s->dis;

	if (s->idx >= s->len)
		__optsample_double(s);
	while (s->idx < s->len) {
		n = s->cursor;
		if (n == s->tail)
			s->cur += dis;
		__optsample_unlink(s, n);
		s->idx++;
		if (s->cursor)
			s->cursor = s->cursor->next;
		*at = n;
		at = &n->next;
	}
	__optsample_double(s);
	return first;
}

/* gap: is @pos far enough from the last one kept, or too near? */
static inline bool __optsample_near(const struct optsample_sampler *s, u64 pos)
{
	u64 step = pos - s->tail->pos;
	u64 span = s->tail->pos - (s->len > 1 ? s->head->pos : s->left);
	u32 gaps = s->len > 1 ? s->len - 1 : 1;

	while ((span | step) >> 40) {	/* the products must fit */
		span >>= 1;
		step >>= 1;
	}
	return step * gaps * OPTSAMPLE_GAP_DEN < span * OPTSAMPLE_GAP_NUM;
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
 * Before anything departed, the left end of the first hole is as far from the
 * first arrival as the second one is.
 */
static inline u64 __optsample_place(struct optsample_sampler *s, u64 pos)
{
	pos += s->shift;
	if (!s->seeded) {
		s->seeded = true;
		s->guessed = true;
		s->left = pos;
	} else {
		if ((s64)(pos - s->last) < 0) {
			s->shift += s->last - pos;
			pos = s->last;
		}
		if (s->guessed)
			s->left = s->last - (pos - s->last);
		s->guessed = false;
	}
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
		/* Thinned is half full: only what departs brings it lower. */
		if (s->dis > 1 && s->len * 200 <= s->refill * s->cap)
			__optsample_halve(s);
		s->cur++;
		if (s->len >= s->cap)
			*evicted = __optsample_thin(s);
		if (s->cur < s->dis)
			return false;
		s->cur = 0;
		return true;
	case OPTSAMPLE_POLICY_GAP:
		if (s->len < s->cap)
			return true;
		if (__optsample_near(s, pos))
			return false;
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

	if (!limit)
		limit = 1;
	if (limit > OPTSAMPLE_LIMIT_MAX)
		limit = OPTSAMPLE_LIMIT_MAX;
	*s = zero;
	s->policy = (u8)policy;
	s->refill = (u8)(refill_pct > 100 ? 100 : refill_pct);
	s->limit = limit;
	s->cap = limit;
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
	n->key = 0;
	n->next = NULL;
	n->prev = tail;
	n->child = NULL;
	n->sibling = NULL;
	n->back = NULL;
	if (tail)
		tail->next = n;
	else
		s->head = n;
	s->tail = n;
	if (s->idx == s->len)
		s->cursor = n;
	s->len++;
	if (tail && s->policy == OPTSAMPLE_POLICY_GAP)
		__optsample_heap_add(s, tail);
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
	__optsample_unlink(s, n);
	if (s->cap < s->limit)
		s->cap++;
	if (__optsample_low(s))
		s->sampled = false;
	return n;
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
 * before the next arrival.
 */
static inline void optsample_set_limit(struct optsample_sampler *s, u32 limit)
{
	bool pressed = s->cap < s->limit;

	if (!limit)
		limit = 1;
	if (limit > OPTSAMPLE_LIMIT_MAX)
		limit = OPTSAMPLE_LIMIT_MAX;
	s->limit = limit;
	if (!pressed || s->cap > limit)
		s->cap = limit;
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

	s->refill = (u8)(refill_pct > 100 ? 100 : refill_pct);
	if (s->policy == policy)
		return;
	s->policy = (u8)policy;
	s->dis = 1;
	s->cur = 0;
	s->idx = 0;
	s->cursor = s->head;
	s->root = NULL;
	if (policy != OPTSAMPLE_POLICY_GAP)
		return;
	for (n = s->head; n && n->next; n = n->next)
		__optsample_heap_add(s, n);
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
