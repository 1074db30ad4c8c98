// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_sampler.c - unit tests of include/optsample/sampler.h.
 *
 * Two kinds: the header against the slow reference of sampler_ref.h, with its
 * structure checked after every operation; and what a user may rely on
 * (nothing is lost without need, units and wrapping do not matter). How good
 * the policies are is in test_sampler_bounds.c.
 */
#include "sampler_queue.h"
#include "sampler_ref.h"
#include "tap.h"

/* --- structure --- */

static bool heap_sound(const struct optsample_sampler *s,
		       const struct optsample_node *n)
{
	const struct optsample_node *c;

	if (n->next == NULL || n->key != __optsample_gap_hole(s, n, n->next->pos))
		return false;
	for (c = n->child; c; c = c->sibling) {
		if (__optsample_less(c, n))
			return false;
		if (c->back != (c == n->child ? n : c->back))
			return false;
		if (c->sibling && c->sibling->back != c)
			return false;
	}
	return true;
}

/* Every queued message but the tail must lead to the root. */
static uint32_t heap_members(const struct optsample_sampler *s)
{
	const struct optsample_node *n, *up;
	uint32_t count = 0;

	for (n = s->head; n && n->next; n = n->next) {
		for (up = n; up && up != __optsample_gap(s)->root;
		     up = up->back)
			;
		if (up && heap_sound(s, n))
			count++;
	}
	return count;
}

static bool gap_sound(const struct optsample_sampler *s)
{
	return heap_members(s) == (s->len ? s->len - 1 : 0);
}

/* Where the sweep is must be in the queue. */
static bool sweep_sound(const struct optsample_sampler *s)
{
	const struct optsample_sweep *w = __optsample_sweep(s);
	const struct optsample_node *n = s->head;

	while (n && n != w->prev)
		n = n->next;
	return n == w->prev && w->dis && !(w->dis & (w->dis - 1));
}

static bool sound(const struct optsample_sampler *s)
{
	const struct optsample_node *n, *prev = NULL;
	uint32_t i = 0;

	if (!s->len != !s->head || !s->head != !s->tail)
		return false;
	if (!s->cap || s->cap > s->limit || (!s->len && s->cap != s->limit))
		return false;
	for (n = s->head; n; prev = n, n = n->next, i++) {
		if (n->prev != prev || (prev && prev->seq >= n->seq))
			return false;
	}
	if (i != s->len || prev != s->tail)
		return false;
	switch (s->policy) {
	case OPTSAMPLE_POLICY_OPTSAMPLE:
	case OPTSAMPLE_POLICY_2SAMPLE:
		return sweep_sound(s);
	case OPTSAMPLE_POLICY_GAP:
		return gap_sound(s);
	default:
		return true;
	}
}

/* --- header against reference --- */

struct pair {
	struct optsample_sampler s;
	struct ref r;
	struct message pool[REF_MAX];
	struct message *spare[REF_MAX];
	int spares;
	uint64_t pos, id, state;
};

static void pair_init(struct pair *p, int policy, uint32_t limit,
		      uint32_t refill, uint64_t seed)
{
	int i;

	memset(p, 0, sizeof(*p));
	optsample_init(&p->s, policy, limit, refill);
	ref_init(&p->r, policy, (int)limit, (int)refill);
	p->state = seed;
	p->spares = REF_MAX;
	for (i = 0; i < REF_MAX; i++)
		p->spare[i] = &p->pool[i];
}

static void give_back(struct pair *p, struct optsample_node *n)
{
	p->spare[p->spares++] = (struct message *)(void *)n;
}

/* A chain of evicted messages against what the reference gave up. */
static bool same_out(struct pair *p, struct optsample_node *n)
{
	struct optsample_node *next;
	int i = 0;

	for (; n; n = next, i++) {
		next = n->next;
		if (i >= p->r.outs || id_of(n) != p->r.out[i])
			return false;
		give_back(p, n);
	}
	return i == p->r.outs;
}

static bool pair_arrive(struct pair *p, uint64_t step)
{
	struct optsample_node *out;
	struct message *m;
	bool keep;

	p->pos += step;
	p->id++;
	keep = optsample_arrive(&p->s, p->pos, &out);
	if (keep != ref_arrive(&p->r, p->pos, p->id) || !same_out(p, out))
		return false;
	if (keep) {
		m = p->spare[--p->spares];
		m->id = p->id;
		optsample_append(&p->s, &m->node, p->pos);
	}
	return true;
}

static bool pair_depart(struct pair *p)
{
	struct optsample_node *n = optsample_depart(&p->s);
	uint64_t id = 0;
	bool some = ref_depart(&p->r, &id);

	if (some != !!n || (n && id_of(n) != id))
		return false;
	if (n)
		give_back(p, n);
	return true;
}

static bool pair_evict(struct pair *p)
{
	struct optsample_node *n = optsample_evict(&p->s);

	if (n && n->next)
		return false;
	ref_evict(&p->r);
	return same_out(p, n);
}

static bool pair_remove(struct pair *p)
{
	struct optsample_node *n = p->s.head;
	uint32_t i, at;

	if (!p->s.len)
		return true;
	at = rnd(&p->state, p->s.len);
	for (i = 0; i < at; i++)
		n = n->next;
	optsample_remove(&p->s, n);
	give_back(p, n);
	ref_remove(&p->r, (int)at);
	return true;
}

static bool pair_limit(struct pair *p)
{
	uint32_t limit = 1 + rnd(&p->state, 60);

	optsample_set_limit(&p->s, limit);
	ref_set_limit(&p->r, (int)limit);
	while (p->s.len > limit)
		if (!pair_evict(p))
			return false;
	return true;
}

static void pair_policy(struct pair *p)
{
	int policy = (int)rnd(&p->state, OPTSAMPLE_POLICY_MAX);
	uint32_t refill = rnd(&p->state, 101);

	optsample_set_policy(&p->s, policy, refill);
	ref_set_policy(&p->r, policy, (int)refill);
}

/* Some depart, one arrives, then they come back. */
static bool pair_return(struct pair *p)
{
	struct optsample_node *gone[4];
	uint64_t left[4], id;
	uint32_t i, n;

	for (n = 0; n < ARRAY_SIZE(gone) && p->s.len; n++) {
		left[n] = p->s.left;
		gone[n] = optsample_depart(&p->s);
		if (!ref_depart(&p->r, &id) || id_of(gone[n]) != id)
			return false;
	}
	if (!pair_arrive(p, 1))
		return false;
	for (i = n; i--;) {
		optsample_return(&p->s, gone[i], left[i]);
		ref_return(&p->r, gone[i]->pos, id_of(gone[i]), left[i]);
	}
	while (p->s.len > p->s.limit)
		if (!pair_evict(p))
			return false;
	return true;
}

static bool pair_rare(struct pair *p, bool change)
{
	switch (rnd(&p->state, change ? 7 : 5)) {
	case 0:
	case 1:
		return pair_evict(p);
	case 2:
		return pair_remove(p);
	case 3:
		return pair_limit(p);
	case 4:
		return pair_return(p);
	case 5:
		pair_policy(p);
		return true;
	default:
		return pair_depart(p);
	}
}

static bool pair_same(const struct pair *p)
{
	const struct optsample_node *n = p->s.head;
	int i;

	for (i = 0; i < p->r.size; i++, n = n->next)
		if (!n || id_of(n) != p->r.id[i])
			return false;
	return !n && p->s.cap == (uint32_t)p->r.capacity && sound(&p->s);
}

/*
 * @rare: 0 arrivals and departures only, 1 also evict, remove, return and
 * limits, 2 also policies. Return: operations until the two disagreed, or
 * @count.
 */
static uint32_t pair_play(struct pair *p, uint32_t count, int rare)
{
	static const uint8_t phases[] = { 100, 97, 75, 50, 30, 5 };
	uint32_t i, left = 0, arrivals = 0;
	bool good = true;

	for (i = 0; i < count && good; i++, left--) {
		if (!left) {
			arrivals = phases[rnd(&p->state, sizeof(phases))];
			left = 1 + rnd(&p->state, p->s.limit * 6);
		}
		if (rare && !rnd(&p->state, 30))
			good = pair_rare(p, rare > 1);
		else if (rnd(&p->state, 100) < arrivals)
			good = pair_arrive(p, rnd(&p->state, 9) ? 1 :
					   rnd(&p->state, 5));
		else
			good = pair_depart(p);
		good = good && pair_same(p);
	}
	return good ? count : i;
}

static void test_published(void)
{
	static const uint32_t limits[] = { 1, 2, 3, 4, 5, 8, 10, 20, 33, 100 };
	static const uint32_t refills[] = { 0, 25, 50, 75, 100 };
	static struct pair p;
	uint32_t bad = 0, n = 0;
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		for (j = 0; j < ARRAY_SIZE(refills); j++) {
			pair_init(&p, OPTSAMPLE_POLICY_OPTSAMPLE, limits[i],
				  refills[j], i * 31 + j);
			n = pair_play(&p, 4000, 0);
			if (n != 4000 && !bad++)
				printf("# L %u R %u: operation %u\n",
				       limits[i], refills[j], n);
		}
	}
	ok(!bad, "optsample is the published pseudo code, 50 settings");
}

static void test_policies(void)
{
	static struct pair p;
	uint32_t i, bad, n;
	int policy, rare;

	for (policy = 0; policy < OPTSAMPLE_POLICY_MAX; policy++) {
		for (rare = 0; rare < 3; rare++) {
			for (i = 0, bad = 0; i < 40; i++) {
				pair_init(&p, policy, 1 + i * i % 61,
					  i % 3 ? 50 : i * 2, i);
				n = pair_play(&p, 2000, rare);
				if (n != 2000 && !bad++)
					printf("# L %u: operation %u\n",
					       1 + i * i % 61, n);
			}
			ok(!bad, "%s equals its reference, 80000 operations%s",
			   optsample_policy_name(policy),
			   rare == 2 ? ", policies change" :
			   rare ? ", evict, remove, return, limits" : "");
		}
	}
}

/* --- what a user may rely on --- */

/* Arrivals of bursts below the limit, drained in between. */
static void test_no_need(void)
{
	uint32_t i, lost, burst, policy;
	uint64_t state = 5, id;
	struct queue q;

	for (policy = 0; policy < OPTSAMPLE_POLICY_MAX; policy++) {
		queue_init(&q, (int)policy, 20, 40000);
		for (id = 1, lost = 0; id < 38000;) {
			burst = 1 + rnd(&state, 20);
			for (i = 0; i < burst; i++, id++)
				lost += !queue_arrive(&q, id, id * 7);
			while (q.s.len)
				queue_depart(&q);
		}
		ok(!lost, "%s: nothing is lost while nothing is full",
		   optsample_policy_name((int)policy));
		ok(!q.s.sampled, "%s: nothing is lost while nothing is full",
		   optsample_policy_name((int)policy));
		ok_eq(optsample_distance(&q.s), 1,
		      "%s: nothing is lost while nothing is full",
		      optsample_policy_name((int)policy));
		free(q.pool);
	}
}

/* The same schedule, positions first + id * unit: same messages? */
static uint64_t play_unit(int policy, uint64_t first, uint64_t unit)
{
	uint64_t state = 77, hash = 0, pos = first;
	uint32_t id, step;
	struct queue q;

	queue_init(&q, policy, 17, 5000);
	for (id = 1; id <= 5000; id++) {
		step = rnd(&state, 6) ? 1 : rnd(&state, 4);
		pos += step * unit;
		queue_arrive(&q, id, pos);
		if (id / 700 % 2 && rnd(&state, 3))
			queue_depart(&q);
		hash = hash * 31 + queue_hash(&q);
	}
	free(q.pool);
	return hash;
}

static void test_units(void)
{
	int policy;

	for (policy = 0; policy < OPTSAMPLE_POLICY_MAX; policy++) {
		const char *name = optsample_policy_name(policy);
		uint64_t base = play_unit(policy, 0, 1);

		ok(play_unit(policy, (uint64_t)-2000, 1) == base,
		   "%s: positions may wrap", name);
		ok_eq(play_unit(policy, 12345, 1000), base,
		      "%s: the unit of positions does not matter", name);
		ok_eq(play_unit(policy, 0, 33333), base,
		      "%s: the unit of positions does not matter", name);
		ok_eq(play_unit(policy, 1, 1ULL << 45), base,
		      "%s: the unit of positions does not matter", name);
	}
}

/* An outage whose positions step as @jump says at message 200. */
static uint32_t kept_after(uint64_t before, uint64_t jump, uint32_t limit)
{
	const struct optsample_node *n;
	uint32_t id, kept = 0;
	uint64_t pos = before;
	struct queue q;

	queue_init(&q, OPTSAMPLE_POLICY_GAP, limit, 2000);
	for (id = 1; id <= 2000; id++) {
		pos += id == 200 ? jump : 10;
		queue_arrive(&q, id, pos);
	}
	for (n = q.s.head; n; n = n->next)
		kept += id_of(n) > 200;
	free(q.pool);
	return kept;
}

/* Three arrivals per departure; the position steps by @jump at message 200. */
static uint32_t left_after(uint64_t jump)
{
	uint32_t id, gone = 0;
	uint64_t pos = 0, last = 0;
	struct queue q;

	queue_init(&q, OPTSAMPLE_POLICY_GAP, 20, 2000);
	for (id = 1; id <= 2000; id++) {
		pos += id == 200 ? jump : 10;
		queue_arrive(&q, id, pos);
		if (id % 3)
			continue;
		queue_depart(&q);
		gone += id > 300 && q.last > last;
		last = q.last;
	}
	free(q.pool);
	return gone;
}

static void test_odd_positions(void)
{
	struct queue q;
	uint32_t id;

	ok(kept_after(0, 10, 20) >= 17, "gap: 9 of 10 messages, so many kept");
	ok(kept_after(0, 1ULL << 60, 20) >= 15, "gap: a clock set forward");
	ok(kept_after(1ULL << 40, 0 - (1ULL << 39), 20) >= 17,
	   "gap: a publisher that restarts");
	ok_eq(left_after(10), 566, "gap: a clock set forward under overload");
	ok_eq(left_after(1ULL << 60), 566,
	      "gap: a clock set forward under overload");
	queue_init(&q, OPTSAMPLE_POLICY_GAP, 8, 1000);
	for (id = 1; id <= 1000; id++)
		queue_arrive(&q, id, 42);
	ok_eq(q.s.len, 8, "gap: equal positions");
	ok(sound(&q.s), "gap: equal positions");
	free(q.pool);

	/* an hour of silence, in nanoseconds, then an outage */
	queue_init(&q, OPTSAMPLE_POLICY_GAP, 1, 1000);
	queue_arrive(&q, 1, 1000);
	queue_depart(&q);
	for (id = 2; id <= 1000; id++)
		queue_arrive(&q, id, 3600000000000ULL + id * 33333333ULL);
	ok(id_of(q.s.head) > 300,
	   "gap: silence before an outage does not count");
	ok(id_of(q.s.head) < 1000,
	   "gap: silence before an outage does not count");
	free(q.pool);
}

static void test_pressure(void)
{
	struct queue q;
	uint32_t id;

	queue_init(&q, OPTSAMPLE_POLICY_GAP, 20, 100);
	for (id = 1; id <= 10; id++)
		queue_arrive(&q, id, id);
	optsample_evict(&q.s);
	optsample_evict(&q.s);
	ok_eq(q.s.cap, 9, "evict: the capacity shrinks");
	ok_eq(q.s.len, 8, "evict: the capacity shrinks");
	for (; id <= 50; id++)
		queue_arrive(&q, id, id);
	ok(q.s.len == 9, "evict: the smaller capacity is the full queue");
	queue_depart(&q);
	ok(q.s.cap == 10, "evict: a departure gives one place back");
	optsample_set_limit(&q.s, 9);
	ok(q.s.cap == 9, "limit: a smaller one cuts the capacity");
	optsample_set_limit(&q.s, 30);
	ok(q.s.cap == 30, "limit: a larger one counts at once");
	optsample_evict(&q.s);
	while (q.s.len)
		optsample_remove(&q.s, q.s.tail);
	ok_eq(q.s.cap, 30, "evict: an empty queue starts again");
	ok(!q.s.sampled, "evict: an empty queue starts again");
	ok(!optsample_evict(&q.s),
	   "empty: nothing to evict, nothing to depart");
	ok(!optsample_depart(&q.s),
	   "empty: nothing to evict, nothing to depart");
	free(q.pool);
}

/* A message that could not be stored after all. */
static void test_not_appended(void)
{
	struct optsample_node *out;
	uint32_t id, bad = 0;
	struct queue q;
	int policy;

	for (policy = 0; policy < OPTSAMPLE_POLICY_MAX; policy++) {
		queue_init(&q, policy, 6, 600);
		for (id = 1; id <= 600; id++) {
			if (id % 3)
				queue_arrive(&q, id, id);
			else
				optsample_arrive(&q.s, id, &out);
			if (id % 7 == 0)
				queue_depart(&q);
			bad += !sound(&q.s);
		}
		free(q.pool);
	}
	ok(!bad, "a kept message need not be appended");
}

/* Messages that departed and did not arrive, next to others that came. */
static void test_returned(void)
{
	struct optsample_node *gone[4];
	uint32_t id, n, bad = 0, lost = 0, most;
	uint64_t before[4], left, last;
	struct queue q;
	int policy;

	for (policy = 0; policy < OPTSAMPLE_POLICY_MAX; policy++) {
		queue_init(&q, policy, 12, 4000);
		left = 0;
		for (id = 1; id <= 4000; id++) {
			queue_arrive(&q, id, id);
			if (id % 9)
				continue;
			for (n = 0; n < 4 && q.s.len; n++) {
				before[n] = left;
				gone[n] = optsample_depart(&q.s);
				left = gone[n]->pos;
			}
			/* an odd time they have arrived */
			if (id % 2)
				continue;
			id++;
			queue_arrive(&q, id, id);
			while (n--) {
				optsample_return(&q.s, gone[n], before[n]);
				left = before[n];
				bad += !sound(&q.s);
				bad += q.s.head != gone[n];
			}
			while (q.s.len > 12) {
				bad += !optsample_evict(&q.s);
				bad += !sound(&q.s);
				lost++;
			}
		}
		free(q.pool);
	}
	ok(!bad, "what departed may return: %u given up", lost);
	ok(lost, "what departed may return: %u given up", lost);

	/* a link that takes 4 at a time and loses them all, for a while */
	for (policy = 0; policy <= OPTSAMPLE_POLICY_GAP; policy++) {
		queue_init(&q, policy, 20, 1000);
		for (id = 1; id <= 400; id++) {
			queue_arrive(&q, id, id);
			for (n = 0; n < 4 && q.s.len; n++)
				gone[n] = optsample_depart(&q.s);
			while (n--)
				optsample_return(&q.s, gone[n],
						 n ? gone[n - 1]->pos : 0);
			while (q.s.len > 20)
				optsample_evict(&q.s);
		}
		for (n = 0, most = 0, last = 0; q.s.len; n++) {
			uint64_t pos = optsample_depart(&q.s)->pos;

			if (pos - last > most)
				most = (uint32_t)(pos - last);
			last = pos;
		}
		/* 400 / 20 is ideal; the published algorithm has twice that */
		ok(n >= 18, "%s: lost again and again, %u are left, gap %u",
		   optsample_policy_name(policy), n, most);
		ok(most <= (policy ? 30 : 40),
		   "%s: lost again and again, %u are left, gap %u",
		   optsample_policy_name(policy), n, most);
		free(q.pool);
	}
}

static void test_values(void)
{
	struct optsample_sampler s;
	struct queue q;
	uint32_t id;

	optsample_init(&s, OPTSAMPLE_POLICY_GAP, 0, 200);
	ok_eq(s.limit, 1, "init: too small is 1, R is 100");
	ok_eq(s.refill, 100, "init: too small is 1, R is 100");
	optsample_init(&s, OPTSAMPLE_POLICY_GAP, 70000, 0);
	ok(s.limit == 65535, "init: too large is 65535");
	ok(!strcmp(optsample_policy_name(OPTSAMPLE_POLICY_MAX), "unknown"),
	   "a policy that is none has a name");
	ok(sizeof(struct optsample_node) <= 64, "a node is one cache line");
	queue_init(&q, OPTSAMPLE_POLICY_GAP, 10, 400);
	for (id = 1; id <= 109; id++)
		queue_arrive(&q, id, id);
	ok(optsample_distance(&q.s) >= 8, "gap: distance is the mean gap, %u",
	   optsample_distance(&q.s));
	ok(optsample_distance(&q.s) <= 11, "gap: distance is the mean gap, %u",
	   optsample_distance(&q.s));
	free(q.pool);
}

int main(void)
{
	test_values();
	test_published();
	test_policies();
	test_no_need();
	test_units();
	test_odd_positions();
	test_pressure();
	test_not_appended();
	test_returned();
	return tap_done();
}
