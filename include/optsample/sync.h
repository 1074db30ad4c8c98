/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sync.h - groups of topics that keep messages with the same stamps.
 *
 * A colour image is worth little without its depth image. Topics in one group
 * share one sampler (sampler.h). Its elements are sets: the messages of the
 * group with one stamp. The sampler decides at the first message of a set; the
 * others are kept, discarded and evicted with it. When the first message of a
 * set begins to leave, this set and all older ones are committed: they are
 * taken out of the sampler, and their later messages are kept.
 *
 * The topics of a group are its members, numbered from 0. Each has one message
 * in a set; a second one with the same stamp opens another set.
 *
 * A stamp of 0 means no stamp: a topic without a header, or a clock that was
 * never set. Such a message joins no set of stamped messages, takes no place
 * from them, and does not move the clock of the group. Messages without stamps
 * are grouped in rounds instead: each member has one in a round, and a second
 * one begins the next round. A round is a set of a second sampler, which has
 * the policy and the limit of the first and uses round numbers as positions.
 *
 * Sets of both kinds are ordered by when they were opened. The messages of a
 * member may be out of this order, but all messages before one that opened a
 * set belong to older sets. So the oldest set can always leave: the member that
 * opened it has only messages of older sets before it. To keep this true, a set
 * is dissolved if a message is taken out of it.
 *
 * As sampler.h: pure C, no allocation, no locking. O(1) for each message,
 * except the search for its set, which ends after OPTSAMPLE_SYNC_LOOK sets.
 */
#ifndef OPTSAMPLE_SYNC_H
#define OPTSAMPLE_SYNC_H

#include <optsample/sampler.h>

#define OPTSAMPLE_SYNC_MEMBERS	32U
#define OPTSAMPLE_SYNC_LOOK	64U	/* sets searched for a partner */
#define OPTSAMPLE_SYNC_RESTART	10000000000ULL	/* ns back: stamps restarted */

/**
 * struct optsample_part - entry of a message in a set, embedded in the message
 * @set: the set, NULL once that is committed
 * @next: another member's message of the same set
 */
struct optsample_part {
	struct optsample_set *set;
	struct optsample_part *next;
};

/**
 * struct optsample_set - messages with one stamp, allocated by the caller
 * @node: entry in the sampler; also chains sets that are returned
 * @parts: its waiting messages
 * @stamp: stamp of the first message, ns; of a round: its number
 * @opened: number of the set, in the order in which they were opened
 * @members: members that had a message in it, a bit each
 * @unstamped: a round of messages without stamps
 */
struct optsample_set {
	struct optsample_node node;
	struct optsample_part *parts;
	u64 stamp;
	u64 opened;
	u32 members;
	bool unstamped;
};

/* A set that has left the sampler, and whether it was kept */
struct optsample_past {
	u64 stamp;
	u32 members;
	bool kept;
};

/**
 * struct optsample_sync - a group
 * @sampler: sampler of sets
 * @unstamped: sampler of rounds of messages without stamps
 * @slop: stamps that differ by at most so much are the same, ns
 * @newest: largest stamp seen, ns
 * @opened: number of sets opened so far
 * @round: the current round, and whether it is kept
 * @started: @newest is valid
 * @members: numbers in use, a bit each
 * @past: the last sets that left the sampler
 * @npast: number of sets that left the sampler so far
 */
struct optsample_sync {
	struct optsample_sampler sampler;
	struct optsample_sampler unstamped;
	u64 slop;
	u64 newest;
	u64 opened;
	struct optsample_past round;
	bool started;
	u32 members;
	struct optsample_past past[OPTSAMPLE_SYNC_LOOK];
	u32 npast;
};

static inline struct optsample_set *
__optsample_set_of(struct optsample_node *node)
{
	return (struct optsample_set *)node;	/* its first member */
}

/**
 * optsample_sync_init - initialise an empty group
 * @s: the group
 * @policy: see enum optsample_policy
 * @limit: sets allowed, 1..65535 (clamped)
 * @refill_pct: R in percent, 0..100 (clamped)
 * @slop: stamps that differ by at most so much are the same, ns
 */
static inline void optsample_sync_init(struct optsample_sync *s,
				       enum optsample_policy policy,
				       u32 limit, u32 refill_pct, u64 slop)
{
	optsample_init(&s->sampler, policy, limit, refill_pct);
	optsample_init(&s->unstamped, policy, limit, refill_pct);
	s->slop = slop;
	s->opened = 0;
	s->round.stamp = 0;
	s->round.members = 0;
	s->started = false;
	s->members = 0;
	s->npast = 0;
}

/**
 * optsample_sync_configure - change the options, keep all waiting sets
 * @s: the group
 * @policy: see enum optsample_policy
 * @limit: sets allowed of each kind, 1..65535 (clamped)
 * @refill_pct: R in percent, 0..100 (clamped)
 * @slop: stamps that differ by at most so much are the same, ns
 *
 * Then call optsample_sync_evict() while optsample_sync_over() is true, before
 * the next arrival.
 */
static inline void optsample_sync_configure(struct optsample_sync *s,
					    enum optsample_policy policy,
					    u32 limit, u32 refill_pct, u64 slop)
{
	optsample_set_policy(&s->sampler, policy, refill_pct);
	optsample_set_limit(&s->sampler, limit);
	optsample_set_policy(&s->unstamped, policy, refill_pct);
	optsample_set_limit(&s->unstamped, limit);
	s->slop = slop;
}

/**
 * optsample_sync_over - are there more sets than allowed?
 * @s: the group, whose limit may have shrunk
 */
static inline bool optsample_sync_over(const struct optsample_sync *s)
{
	return s->sampler.len > s->sampler.limit ||
	       s->unstamped.len > s->unstamped.limit;
}

/**
 * optsample_sync_enter - a topic joins the group
 * @s: the group
 *
 * Return: its number, or negative when the group is full.
 */
static inline int optsample_sync_enter(struct optsample_sync *s)
{
	int i;

	for (i = 0; i < (int)OPTSAMPLE_SYNC_MEMBERS; i++) {
		if (s->members & 1U << i)
			continue;
		s->members |= 1U << i;
		return i;
	}
	return -1;
}

/**
 * optsample_sync_exit - a topic leaves the group; none of its messages wait
 * @s: the group
 * @member: its number
 */
static inline void optsample_sync_exit(struct optsample_sync *s, int member)
{
	s->members &= ~(1U << member);
}

static inline void __optsample_past(struct optsample_sync *s, u64 stamp,
				    u32 members, bool kept)
{
	struct optsample_past *p;

	p = &s->past[s->npast++ % OPTSAMPLE_SYNC_LOOK];
	p->stamp = stamp;
	p->members = members;
	p->kept = kept;
}

/* @set has left its sampler. Only the latest round can still get messages. */
static inline void __optsample_set_past(struct optsample_sync *s,
					struct optsample_set *set, bool kept)
{
	if (!set->unstamped)
		__optsample_past(s, set->stamp, set->members, kept);
	else if (set->stamp == s->round.stamp)
		s->round.kept = kept;
}

static inline struct optsample_sampler *
__optsample_sampler_of(struct optsample_sync *s,
		       const struct optsample_set *set)
{
	return set->unstamped ? &s->unstamped : &s->sampler;
}

/* Is the oldest set a round of messages without stamps? */
static inline bool __optsample_unstamped_first(const struct optsample_sync *s)
{
	struct optsample_node *a = s->sampler.head, *b = s->unstamped.head;

	if (!a || !b)
		return b;
	return __optsample_set_of(b)->opened < __optsample_set_of(a)->opened;
}

static inline u64 __optsample_apart(u64 a, u64 b)
{
	return a < b ? b - a : a - b;
}

static inline struct optsample_set *
__optsample_find_set(const struct optsample_sync *s, int member, u64 stamp,
		     u64 *best)
{
	struct optsample_node *n = s->sampler.tail;
	struct optsample_set *found = NULL, *set;
	u32 i;

	for (i = 0; n && i < OPTSAMPLE_SYNC_LOOK; i++, n = n->prev) {
		set = __optsample_set_of(n);
		if (set->members & 1U << member ||
		    __optsample_apart(stamp, set->stamp) >= *best)
			continue;
		*best = __optsample_apart(stamp, set->stamp);
		found = set;
		if (!*best)
			break;
	}
	return found;
}

static inline struct optsample_past *
__optsample_find_past(struct optsample_sync *s, int member, u64 stamp,
		      u64 *best)
{
	u32 n = s->npast < OPTSAMPLE_SYNC_LOOK ? s->npast : OPTSAMPLE_SYNC_LOOK;
	struct optsample_past *found = NULL, *p;
	u32 i;

	for (i = 0; i < n && *best; i++) {
		p = &s->past[i];
		if (p->members & 1U << member ||
		    __optsample_apart(stamp, p->stamp) >= *best)
			continue;
		*best = __optsample_apart(stamp, p->stamp);
		found = p;
	}
	return found;
}

/* If the clock went back or a recording restarted, forget past sets. */
static inline void __optsample_sync_clock(struct optsample_sync *s, u64 stamp)
{
	if (s->started && stamp + OPTSAMPLE_SYNC_RESTART < s->newest)
		s->npast = 0;
	else if (s->started && stamp <= s->newest)
		return;
	s->newest = stamp;
	s->started = true;
}

/* May one more set be opened? @evicted: out: sets dropped for it */
static inline bool __optsample_sync_ask(struct optsample_sync *s,
					struct optsample_sampler *sampler,
					u64 pos, struct optsample_set **evicted)
{
	struct optsample_node *out, *n;
	bool keep = optsample_arrive(sampler, pos, &out);

	for (n = out; n; n = n->next)
		__optsample_set_past(s, __optsample_set_of(n), false);
	*evicted = __optsample_set_of(out);
	return keep;
}

static inline struct optsample_set *
__optsample_sync_open(struct optsample_sync *s, int member, u64 stamp,
		      bool unstamped, struct optsample_set **spare)
{
	struct optsample_set *set = *spare;

	*spare = NULL;
	set->parts = NULL;
	set->stamp = stamp;
	set->opened = s->opened++;
	set->members = 1U << member;
	set->unstamped = unstamped;
	optsample_append(__optsample_sampler_of(s, set), &set->node,
			 unstamped ? stamp : s->newest);
	return set;
}

/* The same as optsample_sync_arrive(), for a message without a stamp */
static inline bool __optsample_sync_unstamped(struct optsample_sync *s,
					      int member,
					      struct optsample_set **spare,
					      struct optsample_set **set,
					      struct optsample_set **evicted)
{
	struct optsample_past *round = &s->round;
	struct optsample_node *tail = s->unstamped.tail;

	*set = NULL;
	*evicted = NULL;
	if (round->members && !(round->members & 1U << member)) {
		round->members |= 1U << member;
		if (tail && __optsample_set_of(tail)->stamp == round->stamp)
			*set = __optsample_set_of(tail);
		return *set || round->kept;
	}
	round->stamp++;
	round->members = 1U << member;
	round->kept = __optsample_sync_ask(s, &s->unstamped, round->stamp,
					   evicted) && *spare;
	if (round->kept)
		*set = __optsample_sync_open(s, member, round->stamp, true,
					     spare);
	return round->kept;
}

/**
 * optsample_sync_arrive - a message of a group arrives
 * @s: the group
 * @member: number of its topic
 * @stamp: its stamp, ns; 0: it has none
 * @spare: in: a set, or NULL if there is no memory for one; out: NULL if it
 *	was used
 * @set: out: its set, for optsample_sync_join(); NULL if the set is committed
 *	or was discarded
 * @evicted: out: sets dropped for it, chained through @node.next; take their
 *	messages with optsample_sync_take(), then free them
 *
 * Return: true when the message is to be kept, false when it is to be
 * discarded.
 */
static inline bool optsample_sync_arrive(struct optsample_sync *s, int member,
					 u64 stamp,
					 struct optsample_set **spare,
					 struct optsample_set **set,
					 struct optsample_set **evicted)
{
	struct optsample_past *past;
	u64 best = s->slop + 1;

	if (!stamp)
		return __optsample_sync_unstamped(s, member, spare, set,
						  evicted);
	*evicted = NULL;
	__optsample_sync_clock(s, stamp);
	*set = __optsample_find_set(s, member, stamp, &best);
	past = __optsample_find_past(s, member, stamp, &best);
	if (past) {
		*set = NULL;
		past->members |= 1U << member;
		return past->kept;
	}
	if (*set) {
		(*set)->members |= 1U << member;
		return true;
	}
	/* @newest, as the position of a late message must not step back */
	if (!__optsample_sync_ask(s, &s->sampler, s->newest, evicted) ||
	    !*spare) {
		__optsample_past(s, stamp, 1U << member, false);
		return false;
	}
	*set = __optsample_sync_open(s, member, stamp, false, spare);
	return true;
}

/**
 * optsample_sync_join - add a queued message to its set
 * @set: from optsample_sync_arrive(), may be NULL
 * @part: entry of the message
 */
static inline void optsample_sync_join(struct optsample_set *set,
				       struct optsample_part *part)
{
	part->set = set;
	part->next = NULL;
	if (!set)
		return;
	part->next = set->parts;
	set->parts = part;
}

/**
 * optsample_sync_take - take the next message out of a set
 * @set: the set, no longer in the sampler
 *
 * Return: the part of a message, or NULL when there is none left.
 */
static inline struct optsample_part *
optsample_sync_take(struct optsample_set *set)
{
	struct optsample_part *part = set->parts;

	if (!part)
		return NULL;
	set->parts = part->next;
	part->set = NULL;
	part->next = NULL;
	return part;
}

/**
 * optsample_sync_release - dissolve a set
 * @s: the group
 * @set: in the sampler; afterwards owned by the caller, who keeps its messages
 */
static inline void optsample_sync_release(struct optsample_sync *s,
					  struct optsample_set *set)
{
	optsample_remove(__optsample_sampler_of(s, set), &set->node);
	__optsample_set_past(s, set, true);
}

/**
 * optsample_sync_evict - remove a set: memory is short, or the limit shrank
 * @s: the group
 *
 * Return: the set to drop, from the sampler with more sets, owned by the
 * caller; NULL if there is none.
 */
static inline struct optsample_set *
optsample_sync_evict(struct optsample_sync *s)
{
	struct optsample_sampler *from = s->unstamped.len > s->sampler.len ?
					 &s->unstamped : &s->sampler;
	struct optsample_node *n = optsample_evict(from);

	if (n)
		__optsample_set_past(s, __optsample_set_of(n), false);
	return __optsample_set_of(n);
}

/**
 * optsample_sync_commit - commit the oldest set: it begins to leave
 * @s: the group
 *
 * Return: the set, owned by the caller, who takes its messages out and keeps
 * them; NULL if there is none.
 */
static inline struct optsample_set *
optsample_sync_commit(struct optsample_sync *s)
{
	struct optsample_sampler *from = __optsample_unstamped_first(s) ?
					 &s->unstamped : &s->sampler;
	struct optsample_node *n = optsample_depart(from);

	if (n)
		__optsample_set_past(s, __optsample_set_of(n), true);
	return __optsample_set_of(n);
}

/**
 * optsample_sync_turn - may a message leave before all other sets?
 * @s: the group
 * @part: entry of the message
 *
 * Return: true if its set is committed, or is the oldest of both kinds. At
 * least one of the members with waiting messages gets true.
 */
static inline bool optsample_sync_turn(const struct optsample_sync *s,
				       const struct optsample_part *part)
{
	return !part->set ||
	       &part->set->node == (__optsample_unstamped_first(s) ?
				    s->unstamped.head : s->sampler.head);
}

#endif /* OPTSAMPLE_SYNC_H */
