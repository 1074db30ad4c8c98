// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_group - a group of topics, message by message: rounds, what is dropped,
 * dissolved or committed; and names of what a queue does
 */
#include <optsample/stall.h>
#include <optsample/sync.h>
#include "tap.h"

static struct optsample_sync group;
static struct optsample_set sets[200];
static struct optsample_set *set, *evicted;

/* Set @number is the spare one. Return: whether the message is kept */
static bool arrive(unsigned int number, int member, u64 stamp)
{
	struct optsample_set *spare = &sets[number];

	return optsample_sync_arrive(&group, member, stamp, &spare, &set,
				     &evicted);
}

static void begin(enum optsample_policy policy, u32 limit, u64 slop)
{
	optsample_sync_init(&group, policy, limit, 0, slop);
	for (unsigned int i = 0; i < 3; i++)
		optsample_sync_enter(&group);
}

static int number_of(const struct optsample_set *s)
{
	return s ? (int)(s - sets) : -1;
}

/* The nearest stamp counts, not the first one that is near enough */
static void test_nearest(void)
{
	begin(OPTSAMPLE_POLICY_DROP_NEWEST, 10, 10);
	arrive(0, 0, 1000);
	arrive(1, 0, 1008);
	ok(arrive(2, 1, 1005), "a partner");
	ok_eq(number_of(set), 1, "joins the nearest set");
	ok(arrive(2, 1, 1005), "another one");
	ok_eq(number_of(set), 0, "the next one");
	ok(arrive(2, 1, 1005), "a third one");
	ok_eq(number_of(set), 2, "a set of its own");
	ok(arrive(3, 2, 1011), "a member that has none yet");
	ok_eq(number_of(set), 1, "joins the nearest of three");
	ok(arrive(3, 1, 1022), "one that is too far away");
	ok_eq(number_of(set), 3, "opens a set");
	ok_eq(group.sampler.len, 4, "four in all");
}

/* A set can be searched for so far back */
static void test_far_back(void)
{
	begin(OPTSAMPLE_POLICY_DROP_NEWEST, 100, 0);
	for (unsigned int i = 0; i <= OPTSAMPLE_SYNC_LOOK; i++)
		arrive(i, 0, 1000 + i);
	arrive(100, 1, 1001);
	ok_eq(number_of(set), 1, "64 sets back it is found");
	arrive(100, 1, 1000);
	ok_eq(number_of(set), 100, "65 sets back it is not");
}

/* A set whose messages begin to leave: later ones are kept, but in no set */
static void test_commit(void)
{
	struct optsample_part a, b, late;

	begin(OPTSAMPLE_POLICY_DROP_NEWEST, 10, 0);
	ok(!optsample_sync_commit(&group), "nothing to commit");
	arrive(0, 0, 1000);
	optsample_sync_join(set, &a);
	arrive(1, 1, 2000);
	optsample_sync_join(set, &b);
	ok(optsample_sync_turn(&group, &a), "the oldest has its turn");
	ok(!optsample_sync_turn(&group, &b), "the next has not");
	ok_eq(number_of(optsample_sync_commit(&group)), 0, "it leaves");
	ok(optsample_sync_take(&sets[0]) == &a, "with its message");
	ok(!optsample_sync_take(&sets[0]), "which is all");
	ok(optsample_sync_turn(&group, &b), "then it is the next one's");
	ok(arrive(2, 1, 1000), "a late partner is kept");
	ok_eq(number_of(set), -1, "in no set");
	optsample_sync_join(set, &late);
	ok(optsample_sync_turn(&group, &late), "and may leave at once");
	ok(arrive(2, 1, 1000), "a second one of that member");
	ok_eq(number_of(set), 2, "opens another set");
}

/* What is evicted takes its late partners with it; what is dissolved not */
static void test_evict(void)
{
	begin(OPTSAMPLE_POLICY_DROP_OLDEST, 10, 0);
	ok(!optsample_sync_evict(&group), "nothing to evict");
	arrive(0, 0, 1000);
	arrive(1, 0, 2000);
	arrive(2, 0, 3000);
	ok_eq(number_of(optsample_sync_evict(&group)), 0, "the oldest");
	ok_eq(group.sampler.len, 2, "is gone");
	ok(!arrive(3, 1, 1000), "and so is its partner");
	optsample_sync_release(&group, &sets[1]);
	ok_eq(group.sampler.len, 1, "one that is dissolved");
	ok(arrive(3, 1, 2000), "keeps its partner");
	ok_eq(number_of(set), -1, "in no set");
	/* more rounds than sets */
	arrive(4, 0, 0);
	arrive(5, 0, 0);
	ok_eq(group.unstamped.len, 2, "two rounds");
	ok_eq(number_of(optsample_sync_evict(&group)), 4,
	      "the oldest round, of which there are more");
	ok(arrive(6, 1, 0), "the current round still gets messages");
	ok_eq(number_of(set), 5, "in its set");
	ok_eq(number_of(optsample_sync_evict(&group)), 2,
	      "of as many, the set");
	ok_eq(number_of(optsample_sync_evict(&group)), 5, "then the round");
	ok(!arrive(6, 2, 0), "whose next message is dropped, too");
}

/* Topics without stamps: one message of each is a round */
static void test_rounds(void)
{
	begin(OPTSAMPLE_POLICY_DROP_NEWEST, 2, 0);
	arrive(0, 0, 5000);
	ok(arrive(1, 0, 0), "a round");
	ok_eq(number_of(set), 1, "of its own");
	ok(arrive(2, 1, 0), "the second member");
	ok_eq(number_of(set), 1, "is in it");
	ok(arrive(2, 1, 0), "its next message");
	ok_eq(number_of(set), 2, "begins another one");
	ok(!arrive(3, 1, 0), "a third has no room");
	ok_eq(number_of(evicted), -1, "nothing goes for it");
	ok(!arrive(3, 0, 0), "nor have its partners");
	ok_eq(number_of(set), -1, "no set");
	ok_eq(group.sampler.len, 1, "sets with stamps do not count");
	ok_eq(number_of(optsample_sync_commit(&group)), 0,
	      "the oldest of both kinds");
	ok_eq(number_of(optsample_sync_commit(&group)), 1, "then the round");
	ok(!arrive(3, 2, 0), "the current round is not kept");
	ok_eq(number_of(optsample_sync_commit(&group)), 2, "the last one");
	arrive(4, 0, 0);
	arrive(5, 0, 7000);
	ok_eq(number_of(optsample_sync_commit(&group)), 4, "by age again");
}

static void test_configure(void)
{
	begin(OPTSAMPLE_POLICY_DROP_NEWEST, 4, 0);
	for (unsigned int i = 0; i < 4; i++) {
		arrive(i, 0, 1000 + 100 * i);
		arrive(10 + i, 0, 0);
	}
	ok(!optsample_sync_over(&group), "within the limit");
	optsample_sync_configure(&group, OPTSAMPLE_POLICY_DROP_OLDEST, 3, 0, 9);
	ok(optsample_sync_over(&group), "a smaller one");
	ok_eq(number_of(optsample_sync_evict(&group)), 0, "the oldest set");
	ok(optsample_sync_over(&group), "of one kind");
	ok_eq(number_of(optsample_sync_evict(&group)), 10, "and round");
	ok(!optsample_sync_over(&group), "then it fits");
	ok(arrive(20, 1, 1109), "another slop");
	ok_eq(number_of(set), 1, "counts from now on");
	ok(arrive(20, 0, 9000), "and so does another policy");
	ok_eq(number_of(evicted), 1, "drop-oldest");
	ok(arrive(21, 0, 0), "also");
	ok_eq(number_of(evicted), 11, "for rounds");
}

/* A clock that is set back by more than 10 s starts again */
static void test_clock(void)
{
	const u64 second = 1000000000;

	begin(OPTSAMPLE_POLICY_DROP_NEWEST, 1, 0);
	arrive(0, 0, 100 * second);
	optsample_sync_commit(&group);
	arrive(1, 0, 110 * second);
	optsample_sync_commit(&group);
	ok(arrive(2, 1, 100 * second), "a partner of 10 s ago");
	ok_eq(number_of(set), -1, "is in no set, as that has left");
	ok(arrive(2, 2, 100 * second - 1), "a clock set back further");
	ok_eq(number_of(set), 2, "starts again");
	begin(OPTSAMPLE_POLICY_DROP_NEWEST, 1, 0);
	arrive(0, 0, 100 * second);
	arrive(1, 0, 99 * second);
	ok_eq(group.newest, 100 * second, "a late message moves no clock");
	optsample_sync_exit(&group, 1);
	ok_eq(optsample_sync_enter(&group), 1, "a place is free again");
	ok_eq(optsample_sync_enter(&group), 3, "then the next");
}

/* Positions that step back are those of before, and go on from there */
static void test_positions(void)
{
	static struct optsample_node n[4];
	struct optsample_node *out;
	struct optsample_sampler s;

	optsample_init(&s, OPTSAMPLE_POLICY_GAP, 10, 0);
	for (unsigned int i = 0; i < 4; i++) {
		static const u64 pos[] = { 1000, 1100, 300, 450 };

		optsample_arrive(&s, pos[i], &out);
		optsample_append(&s, &n[i], pos[i]);
	}
	ok_eq(n[1].pos, 1100, "positions as they come");
	ok_eq(n[2].pos, 1100, "one that steps back does not");
	ok_eq(n[3].pos, 1250, "the next is as far from it as it was");
	ok_eq(s.head == &n[0], true, "in order");
	ok_eq(optsample_depart(&s) == &n[0], true, "the first leaves first");
	ok_eq(s.left, 1000, "which is the left end");
	optsample_return(&s, &n[0], 900);
	ok_eq(s.left, 900, "until it is back");
	ok_eq(s.len, 4, "among the others");
	optsample_remove(&s, &n[1]);
	ok_eq(n[0].next == &n[2], true, "one is taken out");
	ok_eq(s.len, 3, "of four");
}

static void test_names(void)
{
	ok_str(optsample_stall_name(TC_OPTSAMPLE_STALL_DRIVER), "driver",
	       "a driver");
	ok_str(optsample_stall_name(TC_OPTSAMPLE_STALL_UNACKED), "unacked",
	       "acknowledgments");
	ok_str(optsample_stall_name(TC_OPTSAMPLE_STALLS), NULL, "a newer one");
	ok_str(optsample_stalled(TC_OPTSAMPLE_STALL_GATE), "gate",
	       "a queue whose gate is closed");
	ok_str(optsample_stalled(TC_OPTSAMPLE_NOT_STALLED), NULL,
	       "one that is not stalled");
	ok_str(optsample_stalled(TC_OPTSAMPLE_STALLS), "unknown",
	       "by something newer");
	ok_str(optsample_recall_name(TC_OPTSAMPLE_RECALL_IDLE), "idle",
	       "recall is idle");
	ok_str(optsample_recall_name(TC_OPTSAMPLE_RECALL_DEAF), "deaf",
	       "or deaf");
	ok_str(optsample_recall_name(TC_OPTSAMPLE_RECALL_DEAF + 1), "unknown",
	       "or newer");
}

int main(void)
{
	test_nearest();
	test_far_back();
	test_commit();
	test_evict();
	test_rounds();
	test_configure();
	test_clock();
	test_positions();
	test_names();
	return tap_done();
}
