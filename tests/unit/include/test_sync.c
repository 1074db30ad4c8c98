// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_sync - do topics of one group keep the same stamps?
 *
 * Queues as the kernel has them, one for each member, driven by random
 * arrivals (partners late, out of step, missing, without stamps) and
 * departures. Whatever happens: of a stamp whose messages all arrived, all or
 * none leave; no message waits forever; no set is lost or freed twice.
 */
#include <stdlib.h>
#include <string.h>
#include <optsample/sync.h>
#include "tap.h"

enum { MEMBERS = 3, MESSAGES = 400, LATE = 12 };

struct message {
	struct optsample_part part;
	u64 stamp;
	int member;
	struct message *next;
};

struct queue {
	struct message *first;
	struct message **end;
};

/* What became of the message of a member with a stamp */
enum fate { ABSENT, LEFT, GONE, WAITS };

struct world {
	struct optsample_sync sync;
	struct queue queue[MEMBERS];
	unsigned char fate[MESSAGES + 1][MEMBERS];
	int sets;
	int stuck;
	uint64_t rng;
};

static unsigned int draw(struct world *w, unsigned int n)
{
	return rnd(&w->rng, n);
}

static void start(struct world *w, enum optsample_policy policy, u32 limit,
		  u64 slop, unsigned int seed)
{
	memset(w, 0, sizeof(*w));
	w->rng = seed;
	optsample_sync_init(&w->sync, policy, limit, 50, slop);
	for (int i = 0; i < MEMBERS; i++) {
		w->queue[i].end = &w->queue[i].first;
		optsample_sync_enter(&w->sync);
	}
}

static void unqueue(struct queue *q, struct message *m)
{
	struct message **at = &q->first;

	while (*at != m)
		at = &(*at)->next;
	*at = m->next;
	if (q->end == &m->next)
		q->end = at;
}

static void drop_sets(struct world *w, struct optsample_set *set)
{
	struct optsample_part *part;
	struct optsample_set *next;

	for (; set; set = next) {
		next = (struct optsample_set *)set->node.next;
		while ((part = optsample_sync_take(set))) {
			struct message *m = (struct message *)part;

			unqueue(&w->queue[m->member], m);
			w->fate[m->stamp / 100][m->member] = GONE;
			free(m);
		}
		free(set);
		w->sets--;
	}
}

/* Stamps are 100 apart. */
static void arrive(struct world *w, int member, int number, u64 stamp)
{
	struct optsample_set *spare = malloc(sizeof(*spare)), *set, *evicted;
	struct message *m;
	bool keep;

	keep = optsample_sync_arrive(&w->sync, member, stamp, &spare, &set,
				     &evicted);
	w->sets += !spare;
	free(spare);
	w->fate[number][member] = keep ? WAITS : GONE;
	if (keep) {
		m = calloc(1, sizeof(*m));
		m->stamp = number * 100;
		m->member = member;
		optsample_sync_join(set, &m->part);
		*w->queue[member].end = m;
		w->queue[member].end = &m->next;
	}
	drop_sets(w, evicted);
}

static void leave(struct world *w, int member)
{
	struct queue *q = &w->queue[member];
	struct optsample_set *mine = q->first->part.set, *set;
	struct message *m = q->first;

	while (mine) {
		set = optsample_sync_commit(&w->sync);
		while (optsample_sync_take(set))
			;
		w->sets--;
		if (set == mine)
			mine = NULL;
		free(set);
	}
	unqueue(q, m);
	w->fate[m->stamp / 100][member] = LEFT;
	free(m);
}

/* One message of a member that has its turn */
static bool depart(struct world *w)
{
	int first = draw(w, MEMBERS), held = 0;

	for (int i = 0; i < MEMBERS; i++) {
		int member = (first + i) % MEMBERS;
		struct message *m = w->queue[member].first;

		held += !!m;
		if (m && optsample_sync_turn(&w->sync, &m->part)) {
			leave(w, member);
			return true;
		}
	}
	w->stuck += !!held;
	return false;
}

/* Members are behind by as much as @late messages, in random order. */
static void play(struct world *w, unsigned int late, unsigned int miss,
		 unsigned int jitter)
{
	int next[MEMBERS] = { 1, 1, 1 }, newest = 1;

	while (next[0] <= MESSAGES || next[1] <= MESSAGES ||
	       next[2] <= MESSAGES) {
		int m = draw(w, MEMBERS), n = next[m];

		if (n > MESSAGES || n > newest + (int)late)
			continue;
		next[m]++;
		newest = next[0] < next[1] ? next[0] : next[1];
		newest = newest < next[2] ? newest : next[2];
		if (miss && !draw(w, miss))
			continue;
		arrive(w, m, n, n * 100 + (jitter ? draw(w, jitter) : 0));
		/* the link: overload, stalls, idle */
		if (n / 50 % 3 == 0 ? draw(w, 3) : !draw(w, 9) && n % 100 > 50)
			depart(w);
	}
	while (depart(w))
		;
}

/* Return: sets of which a part left although all of it had arrived */
static int torn(const struct world *w)
{
	int n = 0, left, absent;

	for (int i = 1; i <= MESSAGES; i++) {
		left = absent = 0;
		for (int m = 0; m < MEMBERS; m++) {
			left += w->fate[i][m] == LEFT;
			absent += w->fate[i][m] == ABSENT;
		}
		n += left && left + absent < MEMBERS;
	}
	return n;
}

static int left(const struct world *w)
{
	int n = 0;

	for (int i = 1; i <= MESSAGES; i++)
		n += w->fate[i][0] == LEFT;
	return n;
}

static void test_random(enum optsample_policy policy)
{
	int tears = 0, stuck = 0, sets = 0, some = 0;
	static struct world w;

	for (unsigned int seed = 1; seed <= 60; seed++) {
		start(&w, policy, 1 + seed % 24, seed % 2 ? 0 : 20, seed);
		play(&w, seed % LATE, seed % 5 ? 0 : 10, seed % 2 ? 0 : 10);
		tears += torn(&w);
		stuck += w.stuck;
		sets += w.sets || w.sync.sampler.len;
		some += left(&w) > 20;
	}
	ok(!tears, "%s: all or none of a set leaves",
	    optsample_policy_name(policy));
	ok(!stuck, "%s: one of them always has its turn",
	    optsample_policy_name(policy));
	ok(!sets, "%s: no set is left over", optsample_policy_name(policy));
	ok(some == 60, "%s: something leaves", optsample_policy_name(policy));
}

/* A stall: members in step, nothing departs; then all */
static void test_stall(void)
{
	static struct world w;
	int kept[64], n = 0;
	bool even = true;

	start(&w, OPTSAMPLE_POLICY_OPTSAMPLE, 20, 0, 1);
	for (int i = 1; i <= 80; i++)
		for (int m = 0; m < MEMBERS; m++)
			arrive(&w, m, i, i * 100);
	while (depart(&w))
		;
	for (int i = 1; i <= 80 && n < 64; i++)
		if (w.fate[i][0] == LEFT)
			kept[n++] = i;
	for (int i = 2; i < n; i++)
		even &= kept[i] - kept[i - 1] == kept[1] - kept[0];
	ok_eq(n, 20, "a stall leaves 20 whole sets of 80, evenly spread");
	ok(even, "a stall leaves 20 whole sets of 80, evenly spread");
	ok(!torn(&w), "a stall leaves 20 whole sets of 80, evenly spread");
}

/*
 * A camera at 10 Hz. @late: its two topics are behind each other by as much.
 * @third: so many messages of a topic without stamps come with each of them
 */
static void play_unstamped(struct world *w, unsigned int late,
			   unsigned int third, bool departs)
{
	const u64 start = 1700000000000000000ULL;
	int next[MEMBERS] = { 1, 1, 1 };

	while (next[0] <= MESSAGES || next[1] <= MESSAGES) {
		int m = draw(w, 2), n = next[m];

		if (n > MESSAGES || n > next[!m] + (int)late)
			continue;
		next[m]++;
		arrive(w, m, n, start + n * 100000000ULL);
		for (unsigned int i = 0; !m && i < third; i++)
			if (next[2] <= MESSAGES)
				arrive(w, 2, next[2]++, 0);
		if (departs && n / 50 % 3 == 0 && !draw(w, 3))
			depart(w);
	}
	while (depart(w))
		;
}

/* Return: stamps of which both messages left; @any: of which one did */
static int complete(const struct world *w, int *any)
{
	int n = 0;

	*any = 0;
	for (int i = 1; i <= MESSAGES; i++) {
		n += w->fate[i][0] == LEFT && w->fate[i][1] == LEFT;
		*any += w->fate[i][0] == LEFT || w->fate[i][1] == LEFT;
	}
	return n;
}

/* Return: the largest number of messages of @member in a row that are gone */
static int longest_gap(const struct world *w, int member)
{
	int n = 0, longest = 0;

	for (int i = 1; i <= MESSAGES; i++) {
		n = w->fate[i][member] == LEFT ? 0 : n + 1;
		longest = n > longest ? n : longest;
	}
	return longest;
}

static void test_unstamped(enum optsample_policy policy)
{
	int least = 20, broken = 0, stuck = 0, worst = 0, all, any;
	const char *name = optsample_policy_name(policy);
	static struct world w;

	for (unsigned int late = 1; late <= 7; late++) {
		start(&w, policy, 20, 0, late);
		play_unstamped(&w, late, 1, false);
		all = complete(&w, &any);
		broken += any - all;
		least = all < least ? all : least;
		worst = longest_gap(&w, 2) > worst ? longest_gap(&w, 2) : worst;
		start(&w, policy, 20, 0, late);
		play_unstamped(&w, late, late % 3, true);
		stuck += w.stuck + w.sets + w.sync.sampler.len;
	}
	ok(!broken,
	   "%s: a topic without stamps costs no set of the others (%d of 20, %d torn)",
	   name, least, broken);
	ok(least >= (policy == OPTSAMPLE_POLICY_2SAMPLE ? 10 : 18),
	   "%s: a topic without stamps costs no set of the others (%d of 20, %d torn)",
	   name, least, broken);
	ok(worst <= (policy >= OPTSAMPLE_POLICY_DROP_OLDEST ? MESSAGES : 64),
	    "%s: and is sampled evenly itself (%d in a row are missing)",
	    name, worst);
	ok(!stuck, "%s: no client waits for ever with it", name);
}

static void test_alone(void)
{
	struct optsample_set *spare, *set, *evicted, a, b;
	static struct optsample_sync s;
	bool keep;

	optsample_sync_init(&s, OPTSAMPLE_POLICY_DROP_NEWEST, 1, 50, 5);
	optsample_sync_enter(&s);
	optsample_sync_enter(&s);
	spare = &a;
	keep = optsample_sync_arrive(&s, 0, 1000, &spare, &set, &evicted);
	ok(keep, "the first opens a set");
	ok(set == &a, "the first opens a set");
	spare = &b;
	keep = optsample_sync_arrive(&s, 1, 1004, &spare, &set, &evicted);
	ok(keep, "within the slop it is the same set");
	ok(set == &a, "within the slop it is the same set");
	ok(spare, "within the slop it is the same set");
	keep = optsample_sync_arrive(&s, 1, 1005, &spare, &set, &evicted);
	ok(!keep, "a second one of the same member is another set");
	ok(spare, "a second one of the same member is another set");
	ok(optsample_sync_commit(&s) == &a, "a set leaves");
	ok(!s.sampler.len, "a set leaves");
	keep = optsample_sync_arrive(&s, 0, 1006, &spare, &set, &evicted);
	ok(!keep, "the partner of a discarded one is discarded");
	ok(!set, "the partner of a discarded one is discarded");
	spare = NULL;
	keep = optsample_sync_arrive(&s, 0, 2000, &spare, &set, &evicted);
	ok(!keep, "no memory for a set: discarded");
	ok(!evicted, "no memory for a set: discarded");
	spare = &b;
	keep = optsample_sync_arrive(&s, 1, 2000, &spare, &set, &evicted);
	ok(!keep, "and so are its partners");
	ok(spare, "and so are its partners");
	keep = optsample_sync_arrive(&s, 0, 50000000000ULL, &spare, &set,
				     &evicted);
	ok(keep, "later it is as before");
	ok(set == &b, "later it is as before");
	spare = &a;
	optsample_sync_commit(&s);
	keep = optsample_sync_arrive(&s, 0, 2000, &spare, &set, &evicted);
	ok(keep, "a clock that is set back starts again");
	ok(set == &a, "a clock that is set back starts again");
}

static void test_full(void)
{
	static struct optsample_sync s;
	int last = 0;

	optsample_sync_init(&s, OPTSAMPLE_POLICY_GAP, 5, 50, 0);
	for (u32 i = 0; i < OPTSAMPLE_SYNC_MEMBERS; i++)
		last = optsample_sync_enter(&s);
	ok_eq(last, 31, "a group has room for 32");
	ok(optsample_sync_enter(&s) < 0, "a group has room for 32");
	optsample_sync_exit(&s, 7);
	ok(optsample_sync_enter(&s) == 7, "who leaves makes room");
}

int main(void)
{
	for (int p = 0; p < OPTSAMPLE_POLICY_MAX; p++)
		test_random(p);
	for (int p = 0; p < OPTSAMPLE_POLICY_MAX; p++)
		test_unstamped(p);
	test_stall();
	test_alone();
	test_full();
	return tap_done();
}
