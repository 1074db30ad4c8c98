/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sampler.h - select which messages of a bounded queue survive a stall.
 *
 * A sampler does the bookkeeping of one queue of messages. The caller reports
 * each arrival (optsample_arrive) and each departure (optsample_depart); the
 * sampler answers which messages to keep, discard or evict. The policy decides
 * (policies.h). The sampler knows positions, never packets. A position is any
 * monotone measure of information: a sequence number, a stamp in nanoseconds, a
 * travelled distance. Only differences of positions are used, so they may wrap
 * and their unit does not matter.
 *
 * Principles: the sampler is a value type; the caller embeds struct
 * optsample_node in its message, nothing is allocated here; no libc, no
 * floating point, no recursion, no 64 bit division per message; O(1) per
 * message, for `gap` O(log limit) amortised. The kernel module, the shim for
 * roscpp and the simulator compile this same file.
 *
 * Limits: no locking (the caller serialises), at most 65535 messages.
 * A position that steps back (a publisher that restarted) counts as no step.
 */
#ifndef OPTSAMPLE_SAMPLER_H
#define OPTSAMPLE_SAMPLER_H

#include <optsample/policies.h>

#define OPTSAMPLE_LIMIT_MAX	65535U
#define OPTSAMPLE_REFILL_DEFAULT 50U	/* percent */

/*
 * --- the hooks of the policy ---
 *
 * Each row becomes a case. The first one is also the default: this saves a
 * branch, as @policy is always valid.
 */

#define __OPTSAMPLE_RETURN(ID, ident, name, hook, args...) \
	case OPTSAMPLE_POLICY_##ID: \
		if (optsample_policy_##ident.hook) \
			return optsample_policy_##ident.hook(args); \
		break;

#define __OPTSAMPLE_CALL(ID, ident, name, hook, args...) \
	case OPTSAMPLE_POLICY_##ID: \
		if (optsample_policy_##ident.hook) \
			optsample_policy_##ident.hook(args); \
		break;

static inline bool __optsample_policy_arrive(struct optsample_sampler *s,
					     struct optsample_node **evicted)
{
	switch (s->policy) {
	default:
	OPTSAMPLE_POLICIES(__OPTSAMPLE_RETURN, arrive, s, evicted)
	}
	return false;
}

static inline struct optsample_node *
__optsample_policy_evict(struct optsample_sampler *s)
{
	switch (s->policy) {
	default:
	OPTSAMPLE_POLICIES(__OPTSAMPLE_RETURN, evict, s)
	}
	return NULL;
}

static inline bool __optsample_policy_low(const struct optsample_sampler *s)
{
	switch (s->policy) {
	default:
	OPTSAMPLE_POLICIES(__OPTSAMPLE_RETURN, low, s)
	}
	return false;
}

static inline u32 __optsample_policy_distance(const struct optsample_sampler *s)
{
	switch (s->policy) {
	default:
	OPTSAMPLE_POLICIES(__OPTSAMPLE_RETURN, distance, s)
	}
	return 1;
}

static inline void __optsample_policy_remove(struct optsample_sampler *s,
					     struct optsample_node *n)
{
	switch (s->policy) {
	default:
	OPTSAMPLE_POLICIES(__OPTSAMPLE_CALL, remove, s, n)
	}
}

static inline void __optsample_policy_depart(struct optsample_sampler *s,
					     struct optsample_node *n)
{
	switch (s->policy) {
	default:
	OPTSAMPLE_POLICIES(__OPTSAMPLE_CALL, depart, s, n)
	}
}

static inline void __optsample_policy_add(struct optsample_sampler *s,
					  struct optsample_node *n)
{
	switch (s->policy) {
	default:
	OPTSAMPLE_POLICIES(__OPTSAMPLE_CALL, add, s, n)
	}
}

static inline void __optsample_policy_reset(struct optsample_sampler *s)
{
	switch (s->policy) {
	default:
	OPTSAMPLE_POLICIES(__OPTSAMPLE_CALL, reset, s)
	}
}

/* --- for all policies --- */

/*
 * Convert the caller's position to the sampler's scale, where positions never
 * step back. An arrival at an empty queue starts over: the left end of the
 * first hole is assumed as far to its left as the next arrival is to its right.
 */
static inline void __optsample_place(struct optsample_sampler *s, u64 pos)
{
	pos += s->shift;
	if (s->seeded && (s64)(pos - s->last) < 0) {
		s->shift += s->last - pos;
		pos = s->last;
	}
	if (!s->len) {
		s->left = pos;
		s->guessed = true;
	} else if (s->guessed) {
		s->left = s->last - (pos - s->last);
		s->guessed = false;
	}
	s->seeded = true;
	s->before = s->last;
	s->last = pos;
}

static inline u32 __optsample_clamp(u32 value, u32 min, u32 max)
{
	return value < min ? min : value > max ? max : value;
}

/**
 * optsample_init - initialise an empty sampler
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
	__optsample_policy_reset(s);
}

/**
 * optsample_arrive - a message arrives
 * @s: the sampler
 * @pos: its position; should not be less than that of the previous arrival
 * @evicted: out: the messages dropped for it, oldest first, chained through
 *	@next and NULL terminated, or NULL; they are unlinked, and the caller
 *	frees them. Only 2sample returns more than one, possibly along with a
 *	discard.
 *
 * Return: true to keep the message: call optsample_append(), unless there is no
 * memory for it; false to discard it.
 */
static inline bool optsample_arrive(struct optsample_sampler *s, u64 pos,
				    struct optsample_node **evicted)
{
	bool keep;

	*evicted = NULL;
	__optsample_place(s, pos);
	keep = __optsample_policy_arrive(s, evicted);
	if (!keep || *evicted)
		s->sampled = true;
	return keep;
}

/**
 * optsample_append - queue a message that optsample_arrive() keeps
 * @s: the sampler
 * @n: the message's node; the sampler uses it until it returns it
 * @pos: the position given to optsample_arrive()
 */
static inline void optsample_append(struct optsample_sampler *s,
				    struct optsample_node *n, u64 pos)
{
	struct optsample_node *tail = s->tail;

	n->pos = pos + s->shift;
	n->seq = s->seq++;
	n->prev = tail;
	if (tail)
		tail->next = n;
	else
		s->head = n;
	s->tail = n;
	s->len++;
	n->next = NULL;
	__optsample_policy_add(s, n);
}

/**
 * optsample_depart - take out the head for delivery (publication: Dequeue)
 * @s: the sampler
 *
 * Return: the message, owned by the caller, or NULL when the queue is empty.
 */
static inline struct optsample_node *
optsample_depart(struct optsample_sampler *s)
{
	struct optsample_node *n = s->head;

	if (!n)
		return NULL;
	s->left = n->pos;
	s->guessed = false;
	__optsample_policy_depart(s, n);
	if (s->cap < s->limit)
		s->cap++;
	if (s->sampled && __optsample_policy_low(s))
		s->sampled = false;
	return n;
}

/**
 * optsample_return - put back a message that had departed
 * @s: the sampler
 * @n: the message, with unchanged @pos and @seq; becomes the head
 * @before: position (@pos) of the message that departed before it
 *
 * Put back several messages newest first. If there are more than @limit
 * afterwards, call optsample_evict() until they fit. The measured pace of the
 * link is reset, as the link did not deliver these messages.
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
	s->left = before;
	s->guessed = false;
	s->done = 0;
	__optsample_policy_add(s, n);
}

/**
 * optsample_remove - take out a given message
 * @s: the sampler
 * @n: a queued message; afterwards owned by the caller
 */
static inline void optsample_remove(struct optsample_sampler *s,
				    struct optsample_node *n)
{
	__optsample_policy_remove(s, n);
}

/**
 * optsample_evict - drop one message because memory is short
 * @s: the sampler
 *
 * The same step as with a full queue. The capacity shrinks to the messages that
 * were queued; each departure gives one place back, an empty queue all of them.
 *
 * Return: the message, owned by the caller, or NULL when the queue is empty.
 */
static inline struct optsample_node *
optsample_evict(struct optsample_sampler *s)
{
	if (!s->len)
		return NULL;
	if (s->cap > s->len)
		s->cap = s->len;
	s->sampled = true;
	return __optsample_policy_evict(s);
}

/**
 * optsample_set_limit - change the limit, keep all queued messages
 * @s: the sampler
 * @limit: messages allowed, 1..65535 (clamped)
 *
 * When @len is above the new limit, call optsample_evict() until it fits,
 * before the next arrival. The measured pace of the link is reset if the limit
 * changes.
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
 * optsample_set_policy - change the policy, keep all queued messages
 * @s: the sampler
 * @policy: see enum optsample_policy
 * @refill_pct: R in percent, 0..100 (clamped)
 *
 * O(length). The sampling distance is reset, unless @policy is the same.
 */
static inline void optsample_set_policy(struct optsample_sampler *s,
					enum optsample_policy policy,
					u32 refill_pct)
{
	u32 i;

	s->refill = (u8)__optsample_clamp(refill_pct, 0, 100);
	if (s->policy == policy)
		return;
	s->policy = (u8)policy;
	s->done = 0;
	for (i = 0; i < OPTSAMPLE_PRIV_WORDS; i++)
		s->priv[i] = 0;
	__optsample_policy_reset(s);
}

/**
 * optsample_distance - current sampling distance
 * @s: the sampler
 *
 * Return: optsample, 2sample: n if one of n arrivals is kept; gap: the mean
 * distance of queued messages, in positions, saturated; 1 when not sampling.
 */
static inline u32 optsample_distance(const struct optsample_sampler *s)
{
	return __optsample_policy_distance(s);
}

#endif /* OPTSAMPLE_SAMPLER_H */
