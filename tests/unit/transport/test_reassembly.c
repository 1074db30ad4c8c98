// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_reassembly - frames from datagrams that are lost, doubled, reordered
 */
#include <endian.h>
#include <errno.h>
#include <string.h>
#include "tap.h"
#include "transport/reassembly.h"

enum { COUNT = 10, MS = 1000000, GRACE = 20 * MS, PATIENCE = 200 * MS };

static uint64_t rng = 1;

/*
 * Datagram @index of frame @number: its payload says which it is. @left: us
 * until the last one of the frame leaves, or -1
 */
static int add_timed(struct reassembly *a, uint32_t number, unsigned int index,
		     unsigned int count, int64_t left, uint64_t now)
{
	struct optsample_segment s = {
		.frame = htole32(number), .index = htole16(index),
		.count = htole16(count), .stamp = htole64(number * 7ULL),
	};
	uint32_t payload[2] = { number, index };

	return reassembly_add(a, &s, left, payload, sizeof(payload), now);
}

/* Of a sender that does not tell */
static int add(struct reassembly *a, uint32_t number, unsigned int index,
	       unsigned int count, uint64_t now)
{
	return add_timed(a, number, index, count, -1, now);
}

static void add_all(struct reassembly *a, uint32_t number, uint64_t now)
{
	for (unsigned int i = 0; i < COUNT; i++)
		add(a, number, i, COUNT, now);
}

static bool is(const struct reassembly_frame *f, uint32_t number,
	       unsigned int received)
{
	return f && f->number == number && f->received.count == received &&
	       f->stamp == number * 7ULL;
}

static void test_order(void)
{
	struct reassembly *a = reassembly_create(NULL, COUNT, GRACE, PATIENCE);
	bool good = true;

	ok(!reassembly_next(a, 0), "nothing came, nothing is given");
	ok_eq(reassembly_due(a), UINT64_MAX, "nothing came, nothing is given");
	for (uint32_t n = UINT32_MAX - 3; n != 4; n++) {
		add_all(a, n, n * MS);
		good &= is(reassembly_next(a, n * MS), n, COUNT);
		good &= !reassembly_next(a, n * MS);
	}
	ok(good, "whole frames at once, also where numbers wrap");
	ok_eq(add(a, 3, 0, COUNT, 0), -ESTALE,
	      "what comes for them now is late");
	ok_eq(add(a, UINT32_MAX, 0, COUNT, 0), -ESTALE,
	      "what comes for them now is late");
	ok_eq(reassembly_counts(a)->frames, 8, "counted");
	ok(!reassembly_counts(a)->missing, "counted");
	ok_eq(reassembly_counts(a)->datagrams, 80, "counted");
	ok_eq(reassembly_counts(a)->expected, 80, "counted");
	ok_eq(reassembly_counts(a)->bytes, 640, "counted");
	ok_eq(reassembly_counts(a)->late, 2, "counted");
	reassembly_destroy(a);
}

static void test_lost(void)
{
	struct reassembly *a = reassembly_create(NULL, COUNT, GRACE, PATIENCE);

	add(a, 5, 1, COUNT, 0);
	ok(reassembly_due(a) == PATIENCE, "a single datagram says no pace");
	add(a, 5, 3, COUNT, 2 * MS);
	add(a, 5, 7, COUNT, 6 * MS);
	ok(reassembly_due(a) == 6 * MS + GRACE + 5 * MS / 2,
	   "a frame with gaps waits as long as its pace says");
	add(a, 6, 0, COUNT, 7 * MS);
	ok_eq(reassembly_due(a), 7 * MS + GRACE,
	      "when something newer comes, only for what was reordered");
	ok(!reassembly_next(a, 26 * MS),
	   "when something newer comes, only for what was reordered");
	ok(!add(a, 5, 2, COUNT, 7 * MS), "which still counts");
	ok_eq(add(a, 5, 2, COUNT, 7 * MS), -EEXIST, "which still counts");
	ok(is(reassembly_next(a, 27 * MS), 5, 4), "then it is given as it is");
	ok(reassembly_due(a) == 7 * MS + PATIENCE,
	   "the pace of one frame is none of the next");
	ok(is(reassembly_next(a, 7 * MS + PATIENCE), 6, 1), "and then is over");
	add(a, 7, 9, COUNT, 300 * MS);
	ok(reassembly_due(a) == 300 * MS + GRACE, "nothing is behind the last");
	ok(is(reassembly_next(a, 400 * MS), 7, 1), "so it ends the frame");
	add_all(a, 9, 500 * MS);
	ok(is(reassembly_next(a, 500 * MS), 9, COUNT), "a whole one does not");
	ok_eq(reassembly_counts(a)->missing, 1, "a frame is missing");
	ok_eq(reassembly_counts(a)->expected, 50, "a frame is missing");
	ok_eq(reassembly_counts(a)->datagrams, 16, "a frame is missing");
	reassembly_destroy(a);
}

static void test_whole_waits_for_older(void)
{
	struct reassembly *a = reassembly_create(NULL, COUNT, GRACE, PATIENCE);

	add(a, 1, 0, COUNT, 0);
	add_all(a, 2, MS);
	ok(!reassembly_next(a, 2 * MS),
	   "a whole frame waits for one before it");
	ok(is(reassembly_next(a, MS + GRACE), 1, 1), "and comes behind it");
	ok(is(reassembly_next(a, MS + GRACE), 2, COUNT), "and comes behind it");
	for (uint32_t n = 3; n < 3 + REASSEMBLY_OPEN; n++)
		add(a, n, 0, COUNT, 30 * MS);
	ok(is(reassembly_next(a, 30 * MS), 3, 1),
	   "if too many are open, the oldest goes");
	ok(!reassembly_next(a, 30 * MS),
	   "if too many are open, the oldest goes");
	reassembly_destroy(a);
}

/*
 * Frames of @count datagrams that come evenly over nine tenths of their
 * interval, as long as they are asked for in time. Return: late ones
 */
static uint64_t run(struct reassembly *a, uint32_t first, uint32_t frames,
		    unsigned int count, double hz, bool given, uint64_t *now)
{
	uint64_t interval = 1e9 / hz, span = interval * 9 / 10;
	uint64_t late = reassembly_counts(a)->late;

	for (uint32_t n = 0; n < frames; n++, *now += interval)
		for (unsigned int i = 0; i < count; i++) {
			uint64_t at = *now + i * span / count;

			while (reassembly_due(a) <= at &&
			       reassembly_next(a, at))
				;
			add_timed(a, first + n, i, count, !given ? -1 :
				  (int64_t)((count - 1 - i) * span / count /
					    1000), at);
			while (reassembly_next(a, at))
				;
		}
	return reassembly_counts(a)->late - late;
}

/* Nothing is lost: nothing may be late, however the topic's pace changes */
static void test_slower(void)
{
	static const struct {
		unsigned int count;
		double before, hz;
	} cases[] = {
		{ 3, 5, 5 }, { 2, 4, 4 }, { 4, 10, 4 }, { 4, 30, 4 },
		{ 10, 30, 4 }, { 5, 10, 1 }, { 1, 10, 1 }, { 3, 30, 2.5 },
	};

	for (unsigned int i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (unsigned int given = 0; given < 2; given++) {
			struct reassembly *a =
				reassembly_create(NULL, COUNT, GRACE, 500 * MS);
			uint64_t now = 0, late;

			/* the pace that was known before was that of ten */
			late = run(a, 0, 20, COUNT, cases[i].before, given,
				   &now);
			late += run(a, 20, 60, cases[i].count, cases[i].hz,
				    given, &now);
			ok(!late,
			   "%u datagrams at %g Hz after %g Hz%s: %llu late of %u",
			   cases[i].count, cases[i].hz, cases[i].before,
			   given ? ", given" : "", (unsigned long long)late,
			   cases[i].count * 60);
			ok_eq(reassembly_counts(a)->frames, 80,
			      "%u datagrams at %g Hz after %g Hz%s: %llu late of %u",
			      cases[i].count, cases[i].hz, cases[i].before,
			      given ? ", given" : "", (unsigned long long)late,
			      cases[i].count * 60);
			reassembly_destroy(a);
		}
}

/* A frame that lost its last datagrams is complete once its end is reported */
static void test_reported(void)
{
	struct reassembly *a = reassembly_create(NULL, COUNT, GRACE, PATIENCE);

	add_timed(a, 1, 0, 3, 60000, 0);
	ok(reassembly_due(a) == 75 * MS + GRACE, "a single one tells the end");
	add_timed(a, 1, 1, 3, 30000, 40 * MS);
	ok(reassembly_due(a) == 77 * MS + MS / 2 + GRACE,
	   "one that is late on its way moves it");
	ok(is(reassembly_next(a, 98 * MS), 1, 2), "then the frame is over");
	add_timed(a, 2, 0, 3, UINT32_MAX, 100 * MS);
	ok(reassembly_due(a) == 100 * MS + PATIENCE,
	   "one that tells too much is not believed");
	reassembly_destroy(a);
}

static void test_bad(void)
{
	struct reassembly *a = reassembly_create(NULL, COUNT, GRACE, PATIENCE);
	static uint8_t big[PAYLOAD_MAX + 1];
	struct optsample_segment s = { .count = htole16(1) };

	ok_eq(add(a, 1, 0, 0, 0), -EINVAL,
	      "no count, an index beyond it, a count too large");
	ok_eq(add(a, 1, 10, 10, 0), -EINVAL,
	      "no count, an index beyond it, a count too large");
	ok_eq(add(a, 1, 0, COUNT + 1, 0), -EINVAL,
	      "no count, an index beyond it, a count too large");
	ok(reassembly_add(a, &s, -1, big, sizeof(big), 0) == -EINVAL,
	   "a payload too long");
	ok(!add(a, 1, 0, COUNT, 0), "another count of the same frame");
	ok_eq(add(a, 1, 1, 9, 0), -EINVAL, "another count of the same frame");
	ok(add(a, 1, 0, COUNT, 0) == -EEXIST, "a datagram twice");
	reassembly_next(a, PATIENCE);
	ok_eq(add(a, 1000, 0, COUNT, PATIENCE), -EINVAL,
	      "a number far ahead does no harm");
	ok(!add(a, 2, 0, COUNT, PATIENCE), "a number far ahead does no harm");
	ok_eq(add(a, 500, 0, COUNT, PATIENCE), -EINVAL,
	      "two that follow each other do");
	ok(!add(a, 501, 0, COUNT, PATIENCE), "two that follow each other do");
	reassembly_next(a, 3ULL * PATIENCE);
	reassembly_next(a, 3ULL * PATIENCE);
	ok(!add(a, 3000, 0, COUNT, 5ULL * PATIENCE),
	   "and one after a silence");
	ok_eq(reassembly_counts(a)->bad, 7, "counted");
	ok_eq(reassembly_counts(a)->duplicates, 1, "counted");
	ok(!reassembly_create(NULL, 0, 0, 0),
	   "frames of no or too many datagrams");
	ok(!reassembly_create(NULL, REASSEMBLY_COUNT + 1, 0, 0),
	   "frames of no or too many datagrams");
	reassembly_destroy(a);
}

/* Numbers that jump count no more than can be, and spoil nothing for ever */
static void test_jump(void)
{
	struct reassembly *a = reassembly_create(NULL, COUNT, GRACE, PATIENCE);
	const uint64_t second = 1000 * MS;
	unsigned int given = 0;

	for (uint32_t n = 0; n < 10; n++) {
		add_all(a, n, n * 100ULL * MS);
		reassembly_next(a, n * 100ULL * MS);
	}
	add_all(a, 1970000000, second);
	add(a, 1970000000, 0, COUNT, second);
	reassembly_next(a, second);
	ok(reassembly_counts(a)->missing <= 100 + REASSEMBLY_AHEAD,
	   "a jump of 1.97e9: %llu are missing",
	   (unsigned long long)reassembly_counts(a)->missing);
	ok(reassembly_counts(a)->expected <= 10 * (111 + REASSEMBLY_AHEAD),
	   "a jump of 1.97e9: %llu are missing",
	   (unsigned long long)reassembly_counts(a)->missing);
	for (uint32_t n = 10; n < 30; n++) {
		uint64_t now = second + (n - 9) * 100ULL * MS;

		const struct reassembly_frame *f;

		add_all(a, n, now);
		while ((f = reassembly_next(a, now)))
			given += is(f, n, COUNT);
	}
	ok(given >= 15, "the frames behind it are shown again: %u of 20", given);
	reassembly_destroy(a);
}

/*
 * All numbers are behind one that was false: three that rise are believed, when
 * nothing else came for long enough
 */
static void test_behind(void)
{
	struct reassembly *a = reassembly_create(NULL, COUNT, GRACE, PATIENCE);
	const uint64_t later = 2 * PATIENCE;
	unsigned int late = 0;

	add_all(a, 100000, 0);
	reassembly_next(a, 0);
	for (unsigned int n = 0; n < 10; n++)
		late += add(a, 5, n, COUNT, later) == -ESTALE;
	ok_eq(late, 10, "one frame proves nothing");
	for (unsigned int n = 0; n < 10; n++)
		late += add(a, 5 + n % 2 * 5000, 0, COUNT, later) == -ESTALE;
	ok_eq(late, 20, "nor do numbers back and forth");
	for (unsigned int n = 0; n < 10; n++)
		late += add(a, 10000 + n, 0, COUNT, n) == -ESTALE;
	ok_eq(late, 30, "nor any that come soon");
	ok_eq(add(a, 20, 0, COUNT, later), -ESTALE, "but of others");
	ok_eq(add(a, 21, 0, COUNT, later), -ESTALE, "that rise");
	ok_eq(add(a, 22, 0, COUNT, later), -ESTALE, "three times");
	ok_eq(add(a, 23, 0, COUNT, later), 0, "the fourth is right");
	reassembly_destroy(a);
}

/* A network that loses, doubles and reorders: each frame once, in order */
static void test_storm(void)
{
	enum { FRAMES = 2000, AHEAD = 30 };
	struct reassembly *a = reassembly_create(NULL, COUNT, GRACE, PATIENCE);
	uint32_t wire[AHEAD] = { 0 }, last = UINT32_MAX;
	unsigned int in_wire = 0, disorder = 0, mixed = 0, sent = 0;
	const struct reassembly_frame *f;

	for (unsigned int i = 0; i < FRAMES * COUNT; i++) {
		uint64_t now = i * (2ULL * MS);
		unsigned int pick;

		if (rnd(&rng, 10) && in_wire < AHEAD)
			wire[in_wire++] = i;
		if (in_wire && !rnd(&rng, 10) && in_wire < AHEAD)
			wire[in_wire++] = i;
		if (in_wire < 5)
			continue;
		/* one in ten leaves out of turn */
		pick = rnd(&rng, 10) ? 0 : rnd(&rng, in_wire);
		add(a, wire[pick] / COUNT, wire[pick] % COUNT, COUNT, now);
		sent++;
		memmove(wire + pick, wire + pick + 1,
			(--in_wire - pick) * sizeof(*wire));
		while ((f = reassembly_next(a, now))) {
			disorder += last != UINT32_MAX && f->number <= last;
			last = f->number;
			for (unsigned int k = 0; k < f->received.count; k++) {
				uint32_t got;

				memcpy(&got, payload_at(&f->received, k), 4);
				mixed += got != f->number;
			}
		}
	}
	ok(!disorder, "frames of a storm: in order, not mixed up");
	ok(!mixed, "frames of a storm: in order, not mixed up");
	ok(reassembly_counts(a)->frames > FRAMES * 9 / 10,
	   "most of it arrives: %llu frames, %llu of %u datagrams",
	   (unsigned long long)reassembly_counts(a)->frames,
	   (unsigned long long)reassembly_counts(a)->datagrams, sent);
	ok(reassembly_counts(a)->datagrams + reassembly_counts(a)->duplicates +
	   reassembly_counts(a)->late <= sent,
	   "most of it arrives: %llu frames, %llu of %u datagrams",
	   (unsigned long long)reassembly_counts(a)->frames,
	   (unsigned long long)reassembly_counts(a)->datagrams, sent);
	ok(reassembly_counts(a)->datagrams > sent * 7ULL / 10,
	   "most of it arrives: %llu frames, %llu of %u datagrams",
	   (unsigned long long)reassembly_counts(a)->frames,
	   (unsigned long long)reassembly_counts(a)->datagrams, sent);
	reassembly_destroy(a);
}

int main(void)
{
	test_order();
	test_lost();
	test_whole_waits_for_older();
	test_slower();
	test_reported();
	test_bad();
	test_jump();
	test_behind();
	test_storm();
	return tap_done();
}
