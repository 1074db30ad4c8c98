// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_assembly - frames from datagrams that are lost, doubled, reordered
 */
#include <endian.h>
#include <errno.h>
#include <string.h>
#include "bridge/assembly.h"
#include "tap.h"

enum { COUNT = 10, MS = 1000000, GRACE = 20 * MS, PATIENCE = 200 * MS };

static uint64_t rng = 1;

/* Datagram @index of frame @number: its payload says which it is */
static int add(struct assembly *a, uint32_t number, unsigned int index,
	       unsigned int count, uint64_t now)
{
	struct optsample_segment s = {
		.frame = htole32(number), .index = htole16(index),
		.count = htole16(count), .stamp = htole64(number * 7ULL),
	};
	uint32_t payload[2] = { number, index };

	return assembly_add(a, &s, payload, sizeof(payload), now);
}

static void add_all(struct assembly *a, uint32_t number, uint64_t now)
{
	for (unsigned int i = 0; i < COUNT; i++)
		add(a, number, i, COUNT, now);
}

static bool is(const struct assembly_frame *f, uint32_t number,
	       unsigned int received)
{
	return f && f->number == number && f->received.count == received &&
	       f->stamp == number * 7ULL;
}

static void test_order(void)
{
	struct assembly *a = assembly_create(COUNT, GRACE, PATIENCE);
	bool good = true;

	ok(!assembly_next(a, 0) && assembly_due(a) == UINT64_MAX,
	   "nothing came, nothing is given");
	for (uint32_t n = UINT32_MAX - 3; n != 4; n++) {
		add_all(a, n, n * MS);
		good &= is(assembly_next(a, n * MS), n, COUNT);
		good &= !assembly_next(a, n * MS);
	}
	ok(good, "whole frames at once, also where numbers wrap");
	ok(add(a, 3, 0, COUNT, 0) == -ESTALE &&
	   add(a, UINT32_MAX, 0, COUNT, 0) == -ESTALE,
	   "what comes for them now is late");
	ok(assembly_counts(a)->frames == 8 && !assembly_counts(a)->missing &&
	   assembly_counts(a)->datagrams == 80 &&
	   assembly_counts(a)->expected == 80 &&
	   assembly_counts(a)->bytes == 640 && assembly_counts(a)->late == 2,
	   "counted");
	assembly_destroy(a);
}

static void test_lost(void)
{
	struct assembly *a = assembly_create(COUNT, GRACE, PATIENCE);

	add(a, 5, 1, COUNT, 0);
	ok(assembly_due(a) == PATIENCE, "a single datagram says no pace");
	add(a, 5, 3, COUNT, 2 * MS);
	add(a, 5, 7, COUNT, 6 * MS);
	ok(assembly_due(a) == 6 * MS + GRACE + 5 * MS / 2,
	   "a frame with gaps waits as long as its pace says");
	add(a, 6, 0, COUNT, 7 * MS);
	ok(assembly_due(a) == 7 * MS + GRACE && !assembly_next(a, 26 * MS),
	   "when something newer comes, only for what was reordered");
	ok(!add(a, 5, 2, COUNT, 7 * MS) && add(a, 5, 2, COUNT, 7 * MS) == -EEXIST,
	   "which still counts");
	ok(is(assembly_next(a, 27 * MS), 5, 4), "then it is given as it is");
	ok(assembly_due(a) > 16 * MS + GRACE &&
	   assembly_due(a) < 22 * MS + GRACE,
	   "the newer one has the pace of the one before");
	ok(is(assembly_next(a, 100 * MS), 6, 1), "and then is over");
	add(a, 7, 9, COUNT, 200 * MS);
	ok(assembly_due(a) == 200 * MS + GRACE, "nothing is behind the last");
	ok(is(assembly_next(a, 300 * MS), 7, 1), "so it ends the frame");
	add_all(a, 9, 400 * MS);
	ok(is(assembly_next(a, 400 * MS), 9, COUNT), "a whole one does not");
	ok(assembly_counts(a)->missing == 1 &&
	   assembly_counts(a)->expected == 50 &&
	   assembly_counts(a)->datagrams == 16, "a frame is missing");
	assembly_destroy(a);
}

static void test_whole_waits_for_older(void)
{
	struct assembly *a = assembly_create(COUNT, GRACE, PATIENCE);

	add(a, 1, 0, COUNT, 0);
	add_all(a, 2, MS);
	ok(!assembly_next(a, 2 * MS), "a whole frame waits for one before it");
	ok(is(assembly_next(a, MS + GRACE), 1, 1) &&
	   is(assembly_next(a, MS + GRACE), 2, COUNT), "and comes behind it");
	for (uint32_t n = 3; n < 3 + ASSEMBLY_OPEN; n++)
		add(a, n, 0, COUNT, 30 * MS);
	ok(is(assembly_next(a, 30 * MS), 3, 1) && !assembly_next(a, 30 * MS),
	   "if too many are open, the oldest goes");
	assembly_destroy(a);
}

/* Fewer datagrams in the same time: the next one is farther away */
static void test_fewer(void)
{
	struct assembly *a = assembly_create(COUNT, GRACE, PATIENCE);

	for (unsigned int i = 0; i < COUNT; i++)
		add(a, 1, i, COUNT, i * 10 * MS);
	ok(is(assembly_next(a, 90 * MS), 1, COUNT), "ten in 100 ms");
	add(a, 2, 0, 2, 100 * MS);
	ok(!assembly_next(a, 149 * MS) && !add(a, 2, 1, 2, 150 * MS) &&
	   is(assembly_next(a, 150 * MS), 2, 2), "two in 100 ms: both come");
	add(a, 3, 0, COUNT, 200 * MS);
	ok(assembly_due(a) > 290 * MS && assembly_due(a) < 340 * MS,
	   "ten again");
	assembly_destroy(a);
}

static void test_bad(void)
{
	struct assembly *a = assembly_create(COUNT, GRACE, PATIENCE);
	static uint8_t big[PAYLOAD_MAX + 1];
	struct optsample_segment s = { .count = htole16(1) };

	ok(add(a, 1, 0, 0, 0) == -EINVAL && add(a, 1, 10, 10, 0) == -EINVAL &&
	   add(a, 1, 0, COUNT + 1, 0) == -EINVAL,
	   "no count, an index beyond it, a count too large");
	ok(assembly_add(a, &s, big, sizeof(big), 0) == -EINVAL,
	   "a payload too long");
	ok(!add(a, 1, 0, COUNT, 0) && add(a, 1, 1, 9, 0) == -EINVAL,
	   "another count of the same frame");
	ok(add(a, 1, 0, COUNT, 0) == -EEXIST, "a datagram twice");
	assembly_next(a, PATIENCE);
	ok(add(a, 1000, 0, COUNT, PATIENCE) == -EINVAL &&
	   !add(a, 2, 0, COUNT, PATIENCE), "a number far ahead does no harm");
	ok(add(a, 500, 0, COUNT, PATIENCE) == -EINVAL &&
	   !add(a, 501, 0, COUNT, PATIENCE), "two that follow each other do");
	assembly_next(a, 3ULL * PATIENCE);
	assembly_next(a, 3ULL * PATIENCE);
	ok(!add(a, 3000, 0, COUNT, 5ULL * PATIENCE),
	   "and one after a silence");
	ok(assembly_counts(a)->bad == 7 && assembly_counts(a)->duplicates == 1,
	   "counted");
	ok(!assembly_create(0, 0, 0) && !assembly_create(ASSEMBLY_COUNT + 1, 0, 0),
	   "frames of no or too many datagrams");
	assembly_destroy(a);
}

/* A network that loses, doubles and reorders: each frame once, in order */
static void test_storm(void)
{
	enum { FRAMES = 2000, AHEAD = 30 };
	struct assembly *a = assembly_create(COUNT, GRACE, PATIENCE);
	uint32_t wire[AHEAD] = { 0 }, last = UINT32_MAX;
	unsigned int in_wire = 0, disorder = 0, mixed = 0, sent = 0;
	const struct assembly_frame *f;

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
		while ((f = assembly_next(a, now))) {
			disorder += last != UINT32_MAX && f->number <= last;
			last = f->number;
			for (unsigned int k = 0; k < f->received.count; k++) {
				uint32_t got;

				memcpy(&got, payload_at(&f->received, k), 4);
				mixed += got != f->number;
			}
		}
	}
	ok(!disorder && !mixed, "frames of a storm: in order, not mixed up");
	ok(assembly_counts(a)->frames > FRAMES * 9 / 10 &&
	   assembly_counts(a)->datagrams + assembly_counts(a)->duplicates +
	   assembly_counts(a)->late <= sent &&
	   assembly_counts(a)->datagrams > sent * 7ULL / 10,
	   "most of it arrives: %llu frames, %llu of %u datagrams",
	   (unsigned long long)assembly_counts(a)->frames,
	   (unsigned long long)assembly_counts(a)->datagrams, sent);
	assembly_destroy(a);
}

int main(void)
{
	test_order();
	test_lost();
	test_whole_waits_for_older();
	test_fewer();
	test_bad();
	test_storm();
	return tap_done();
}
