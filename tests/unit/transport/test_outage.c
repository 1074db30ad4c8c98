// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_outage - what an outage held is not shown as live
 */
#include <inttypes.h>
#include <stdio.h>
#include "base/cli.h"
#include "log_lines.h"
#include "robot_stream.h"
#include "tap.h"

/* Nothing but announcements comes for @ms */
static void idle(struct test *t, unsigned int ms)
{
	for (unsigned int i = 0; i < ms; i += 500) {
		wait_for(t, 500);
		announce(t);
	}
}

/* Frames of 10 Hz, @from to @to, as they are sent */
static void come_live(struct test *t, uint32_t from, uint32_t to,
		      uint16_t epoch)
{
	for (uint32_t f = from; f < to; f++, t->now += INTERVAL * MS)
		come(t, f, 0, t->image.count, epoch, 0);
}

/* How long ago something was sent @before ms before the link came back */
static unsigned int age(const struct test *t, unsigned int before)
{
	return (t->now - t->up) / MS + before;
}

/* Frames @from to @to that an outage held for more than a second, at once */
static void come_held(struct test *t, uint32_t from, uint32_t to,
		      uint16_t epoch)
{
	for (uint32_t f = from; f < to; f++)
		come(t, f, 0, t->image.count, epoch, age(t, 1500));
}

/*
 * Frames from @from to @to are to be shown once each, as what was held or as
 * what was not; a frame that was cut is shown at most once
 */
static void judge(struct test *t, uint32_t from, uint32_t to, bool held,
		  const char *what)
{
	unsigned int right = 0, wrong = 0, twice = 0;

	for (uint32_t f = 0; f < FRAMES; f++)
		twice += t->live[f] + t->kept[f] > 1;
	for (uint32_t f = from; f < to; f++) {
		right += held ? t->kept[f] == 1 : t->live[f] == 1;
		wrong += held ? t->live[f] > 0 : t->kept[f] > 0;
	}
	ok_eq(right, to - from,
	      "%s: of frames %u to %u %u %s, %u wrong, %u twice", what, from,
	      to - 1, right, held ? "kept" : "live", wrong, twice);
	ok(!wrong, "%s: of frames %u to %u %u %s, %u wrong, %u twice", what,
	   from, to - 1, right, held ? "kept" : "live", wrong, twice);
	ok(!twice, "%s: of frames %u to %u %u %s, %u wrong, %u twice", what,
	   from, to - 1, right, held ? "kept" : "live", wrong, twice);
}

/*
 * An outage of three seconds that begins when @cut datagrams of frame 20 had
 * come, frames up to 49 that it held, and 10 more before the sender knows that
 * it is over
 */
static void test_cut(unsigned int cut)
{
	struct test t;
	char what[64];

	snprintf(what, sizeof(what), "cut after %u datagrams", cut);
	begin(&t);
	come_live(&t, 0, 20, 0);
	come(&t, 20, 0, cut, 0, 0);
	wait_for(&t, 3000);
	come(&t, 20, cut, t.image.count, 0, age(&t, 1500));
	come_held(&t, 21, 50, 0);
	come_live(&t, 50, 60, 0);
	come_live(&t, 60, 70, 1);
	judge(&t, 0, 20, false, what);
	judge(&t, 21, 50, true, what);
	judge(&t, 50, 70, false, what);
	end(&t);
}

/* The sender knows that it is over when one datagram of what was held came */
static void test_overtaken(void)
{
	struct test t;

	begin(&t);
	come_live(&t, 0, 20, 0);
	come(&t, 20, 0, 1, 0, 0);
	wait_for(&t, 3000);
	come(&t, 20, 1, 2, 0, age(&t, 1500));
	come_live(&t, 50, 52, 1);
	come(&t, 20, 2, t.image.count, 0, age(&t, 1500));
	come_held(&t, 21, 50, 0);
	come_live(&t, 52, 70, 1);
	wait_for(&t, 3000);
	come_live(&t, 70, 71, 1);
	judge(&t, 0, 20, false, "overtaken at once");
	judge(&t, 21, 50, true, "overtaken at once");
	judge(&t, 50, 70, false, "overtaken at once");
	end(&t);
}

/* Two live frames between two that were held, some before the sender knows */
static void test_turns(void)
{
	struct test t;

	begin(&t);
	come_live(&t, 0, 20, 0);
	wait_for(&t, 3000);
	for (uint32_t f = 0; f < 10; f++) {
		come_held(&t, 20 + 3 * f, 23 + 3 * f, 0);
		come_live(&t, 50 + 2 * f, 52 + 2 * f, f > 4);
	}
	wait_for(&t, 3000);
	come_live(&t, 70, 71, 1);
	judge(&t, 20, 50, true, "in turns");
	judge(&t, 50, 70, false, "in turns");
	end(&t);
}

/* A frame that is on its way when the sender learns that it is over */
static void test_between(void)
{
	struct test t;

	begin(&t);
	come_live(&t, 0, 20, 0);
	wait_for(&t, 3000);
	come_held(&t, 20, 50, 0);
	come(&t, 50, 0, 1, 0, 0);
	come(&t, 51, 0, 1, 1, 0);
	come(&t, 50, 1, t.image.count, 0, 0);
	come(&t, 51, 1, t.image.count, 1, 0);
	come_live(&t, 52, 60, 1);
	judge(&t, 20, 50, true, "a frame before the end is known");
	judge(&t, 50, 59, false, "a frame before the end is known");
	end(&t);
}

/* What the first outage held comes while the second one begins, and behind it */
static void test_again(void)
{
	struct test t;

	begin(&t);
	come_live(&t, 0, 20, 0);
	wait_for(&t, 3000);
	come_held(&t, 20, 30, 0);
	come_live(&t, 40, 42, 0);
	come_live(&t, 42, 45, 1);
	come_held(&t, 30, 35, 0);
	wait_for(&t, 3000);
	come_held(&t, 35, 40, 0);
	come_held(&t, 45, 60, 1);
	come_live(&t, 60, 62, 1);
	come_live(&t, 62, 70, 2);
	wait_for(&t, 3000);
	come_live(&t, 70, 71, 2);
	judge(&t, 20, 40, true, "two outages");
	judge(&t, 40, 45, false, "two outages");
	judge(&t, 45, 60, true, "two outages");
	judge(&t, 60, 70, false, "two outages");
	end(&t);
}

/* Soon another one, of which the sender knows before anything that it held comes */
static void test_soon(void)
{
	struct test t;

	begin(&t);
	come_live(&t, 0, 20, 0);
	wait_for(&t, 3000);
	come_live(&t, 30, 32, 1);
	come_held(&t, 20, 30, 0);
	wait_for(&t, 2000);
	come_live(&t, 50, 52, 2);
	come_held(&t, 32, 50, 1);
	come_live(&t, 52, 60, 2);
	judge(&t, 20, 30, true, "two, known at once");
	judge(&t, 30, 32, false, "two, known at once");
	judge(&t, 32, 50, true, "two, known at once");
	judge(&t, 50, 60, false, "two, known at once");
	end(&t);
}

/* What is live queues behind what was held, and is late as well */
static void test_behind(void)
{
	struct test t;

	begin(&t);
	come_live(&t, 0, 20, 0);
	wait_for(&t, 3000);
	for (uint32_t f = 20; f < 50; f++, t.now += 60 * MS)
		come_held(&t, f, f + 1, 0);
	for (uint32_t f = 50; f < 60; f++, t.now += 60 * MS)
		come(&t, f, 0, t.image.count, 1, 1200);
	come_live(&t, 60, 65, 1);
	judge(&t, 20, 50, true, "live behind it");
	judge(&t, 50, 65, false, "live behind it");
	end(&t);
}

/* The first frame that is live again has a number that was damaged on its way */
static void test_damaged(void)
{
	struct test t;

	begin(&t);
	come_live(&t, 0, 20, 0);
	wait_for(&t, 3000);
	come(&t, 1000000, 0, 1, 1, 0);
	come_live(&t, 30, 60, 1);
	come_held(&t, 20, 30, 0);
	come_live(&t, 60, 61, 1);
	judge(&t, 20, 30, true, "a damaged number");
	/* half a second of what is late by that number is lost */
	judge(&t, 40, 60, false, "a damaged number");
	end(&t);
}

/* Within a frame what was held becomes less late than a second */
static void test_crossing(void)
{
	struct test t;

	begin(&t);
	come_live(&t, 0, 20, 0);
	wait_for(&t, 3000);
	come_held(&t, 20, 40, 0);
	come(&t, 40, 0, t.image.count / 2, 0, age(&t, 1500));
	come(&t, 40, t.image.count / 2, t.image.count, 0, age(&t, 500));
	come_live(&t, 41, 50, 0);
	come_live(&t, 50, 60, 1);
	wait_for(&t, 3000);
	come_live(&t, 60, 61, 1);
	ok(t.kept[40] + t.live[40] == 1, "less late from a datagram on: frame 40: %u live %u kept",
	   t.live[40], t.kept[40]);
	judge(&t, 20, 40, true, "less late from a datagram on");
	judge(&t, 41, 60, false, "less late from a datagram on");
	end(&t);
}

/* An outage of little more than a second */
static void test_short(void)
{
	struct test t;

	begin(&t);
	come_live(&t, 0, 20, 0);
	wait_for(&t, 1050);
	come(&t, 20, 0, 2, 0, age(&t, 1040));
	come(&t, 20, 2, t.image.count, 0, age(&t, 900));
	come_live(&t, 21, 40, 0);
	judge(&t, 21, 40, false, "just over a second");
	ok(t.kept[20] + t.live[20] == 1, "just over a second: frame 20: %u live %u kept",
	   t.live[20], t.kept[20]);
	end(&t);
}

/* Epoch 1 began, and nothing of it came before the link was out again */
static void test_flap(void)
{
	struct test t;

	begin(&t);
	come_live(&t, 0, 20, 0);
	wait_for(&t, 3000);
	come_held(&t, 20, 30, 0);
	wait_for(&t, 3000);
	come_held(&t, 50, 60, 1);
	come_live(&t, 60, 62, 1);
	come_live(&t, 62, 70, 2);
	wait_for(&t, 3000);
	come_live(&t, 70, 71, 2);
	judge(&t, 20, 30, true, "an epoch of which nothing was live");
	judge(&t, 50, 60, true, "an epoch of which nothing was live");
	judge(&t, 60, 70, false, "an epoch of which nothing was live");
	end(&t);
}

/* A slow topic: all that it sent in epoch 1 was held */
static void test_flap_slow(void)
{
	struct test t;

	begin(&t);
	for (uint32_t f = 0; f < 5; f++, idle(&t, 3000))
		come_live(&t, f, f + 1, 0);
	wait_for(&t, 6000);
	come_held(&t, 5, 8, 1);
	come_live(&t, 8, 9, 2);
	judge(&t, 5, 8, true, "a slow topic's epoch");
	judge(&t, 8, 9, false, "a slow topic's epoch");
	end(&t);
}

/* A topic that is first heard of when an outage is over */
static void test_first(void)
{
	struct test t;

	begin(&t);
	come_held(&t, 20, 30, 3);
	come_live(&t, 40, 50, 4);
	judge(&t, 20, 30, true, "first heard of among what was held");
	judge(&t, 40, 50, false, "first heard of among what was held");
	end(&t);
}

/* What two outages held comes in turns */
static void test_flows(void)
{
	struct test t;

	begin(&t);
	come_live(&t, 0, 20, 0);
	wait_for(&t, 3000);
	come_held(&t, 20, 25, 0);
	come_live(&t, 40, 42, 0);
	come_live(&t, 42, 45, 1);
	wait_for(&t, 3000);
	for (uint32_t f = 0; f < 15; f++) {
		come_held(&t, 45 + f, 46 + f, 1);
		come_held(&t, 25 + f, 26 + f, 0);
	}
	come_live(&t, 60, 62, 1);
	come_live(&t, 62, 70, 2);
	judge(&t, 20, 40, true, "two outages' flows in turns");
	judge(&t, 40, 45, false, "two outages' flows in turns");
	judge(&t, 45, 60, true, "two outages' flows in turns");
	judge(&t, 60, 70, false, "two outages' flows in turns");
	end(&t);
}

/* An outage that only the receiver saw; one that both saw soon after */
static void test_unseen(unsigned int live)
{
	struct test t;

	begin(&t);
	come_live(&t, 0, 10, 0);
	wait_for(&t, 1200);
	come_held(&t, 10, 12, 0);
	come_live(&t, 12, 12 + live, 0);
	wait_for(&t, 3000);
	come_live(&t, 50, 52, 1);
	come_held(&t, 12 + live, 50, 0);
	come_live(&t, 52, 60, 1);
	judge(&t, 10, 12, true, "one that the sender did not see");
	judge(&t, 12, 12 + live, false, "one that the sender did not see");
	judge(&t, 12 + live, 50, true, "one that the sender did not see");
	judge(&t, 50, 60, false, "one that the sender did not see");
	end(&t);
}

/* Between what was held a live frame has a small number that was damaged */
static void test_damaged_low(void)
{
	struct test t;

	begin(&t);
	come_live(&t, 0, 20, 0);
	wait_for(&t, 3000);
	come_held(&t, 20, 25, 0);
	come_live(&t, 50, 52, 1);
	come(&t, 3, 0, 1, 1, 0);
	for (uint32_t f = 0; f < 5; f++) {
		come_held(&t, 25 + 5 * f, 30 + 5 * f, 0);
		come_live(&t, 52 + f, 53 + f, 1);
	}
	judge(&t, 25, 50, true, "a damaged number that is small");
	judge(&t, 50, 57, false, "a damaged number that is small");
	end(&t);
}

/* Only the way back failed; a frame lacks a datagram when the epoch begins */
static void test_deaf(void)
{
	struct test t;

	begin(&t);
	come_live(&t, 0, 20, 0);
	come(&t, 20, 0, t.image.count - 1, 0, 0);
	come_live(&t, 21, 30, 1);
	judge(&t, 0, 30, false, "only the way back");
	end(&t);
}

/* The sender learns late that it is over, while what was held still comes */
static void test_long(void)
{
	struct test t;

	begin(&t);
	come_live(&t, 0, 20, 0);
	wait_for(&t, 3000);
	come_held(&t, 20, 25, 0);
	for (uint32_t f = 50; f < 65; f++) {
		come_live(&t, f, f + 1, 0);
		wait_for(&t, 900);
	}
	come_live(&t, 65, 67, 1);
	come_held(&t, 25, 50, 0);
	come_live(&t, 67, 70, 1);
	judge(&t, 20, 50, true, "known late");
	judge(&t, 50, 70, false, "known late");
	end(&t);
}

/* What is not late of the old epoch is overtaken by the new one */
static void test_tail(void)
{
	struct test t;
	unsigned int lost = 0;

	begin(&t);
	come_live(&t, 0, 20, 0);
	wait_for(&t, 3000);
	come_held(&t, 20, 45, 0);
	come_live(&t, 45, 48, 0);
	come_live(&t, 55, 56, 1);
	for (uint32_t f = 48; f < 55; f++) {
		come_live(&t, f, f + 1, 0);
		come_live(&t, f + 8, f + 9, 1);
	}
	for (uint32_t f = 0; f < 62; f++)
		lost += !t.live[f] && !t.kept[f];
	ok(!lost, "the last second of an outage: %u lost", lost);
	judge(&t, 55, 62, false, "the last second of an outage");
	end(&t);
}

/* Datagrams that come behind the next frame; then an outage cuts a frame */
static void test_stragglers(void)
{
	struct test t;

	begin(&t);
	for (uint32_t f = 0; f < 20; f++) {
		/* a datagram that is behind those of the next frame */
		come(&t, f, 0, t.image.count - 1, 0, 0);
		t.now += 80 * MS;
		if (f)
			come(&t, f - 1, t.image.count - 1, t.image.count, 0, 80);
		t.now += 20 * MS;
	}
	come(&t, 20, 0, 2, 0, 0);
	wait_for(&t, 3000);
	come(&t, 20, 2, t.image.count, 0, age(&t, 1500));
	come_held(&t, 21, 50, 0);
	come_live(&t, 50, 60, 1);
	ok(t.live[20] + t.kept[20] == 1, "after stragglers: frame 20: %u live %u kept",
	   t.live[20], t.kept[20]);
	judge(&t, 21, 50, true, "after stragglers");
	judge(&t, 50, 60, false, "after stragglers");
	end(&t);
}

/* A slow topic in a queue of more than a second, on a link that works */
static void test_slow_behind(void)
{
	struct test t;

	begin(&t);
	for (uint32_t f = 0; f < 5; f++, idle(&t, 3000))
		come_live(&t, f, f + 1, 0);
	for (uint32_t f = 5; f < 10; f++, idle(&t, 3000))
		come(&t, f, 0, t.image.count, 0, 1500);
	judge(&t, 0, 10, false, "a slow topic in a long queue");
	end(&t);
}

/* @more live frames from @first on come before the rest of the frame that was cut */
static void test_many_since(unsigned int first, unsigned int more)
{
	struct test t;

	begin(&t);
	come_live(&t, 0, 20, 0);
	come(&t, 20, 0, 2, 0, 0);
	wait_for(&t, 20000);
	come_live(&t, first, first + more, 1);
	come(&t, 20, 2, t.image.count, 0, age(&t, 19900));
	wait_for(&t, 600);
	come_live(&t, first + more, first + more + 1, 1);
	ok(t.live[20] + t.kept[20] == 1, "a frame that was cut, and %u live ones from %u on before its rest: %u live %u kept",
	   more, first, t.live[20], t.kept[20]);
	end(&t);
}

/* The epoch changes twice without silence, and one frame is overtaken each time */
static void test_missing(void)
{
	struct test t;
	struct reassembly_counts c;

	begin(&t);
	come_live(&t, 0, 20, 0);
	come(&t, 21, 0, t.image.count, 1, 0);
	come(&t, 20, 0, t.image.count, 0, 10);
	come_live(&t, 22, 300, 1);
	come(&t, 301, 0, t.image.count, 2, 0);
	come(&t, 300, 0, t.image.count, 1, 10);
	come_live(&t, 302, 310, 2);
	c = recv_topic_datagrams(stream_topic(t.stream, 0));
	ok(!c.missing,
	   "no frame is missing: %" PRIu64 "; of %" PRIu64 " datagrams came %" PRIu64,
	   c.missing, c.expected, c.datagrams);
	ok_eq(c.expected, c.datagrams,
	      "no frame is missing: %" PRIu64 "; of %" PRIu64 " datagrams came %" PRIu64,
	      c.missing, c.expected, c.datagrams);
	end(&t);
}

/* Two datagrams that are 48 s apart have the same damaged epoch */
static void test_damaged_epoch(void)
{
	struct test t;
	const struct stream_counts *c;
	uint64_t kept;

	begin(&t);
	come_live(&t, 0, 20, 0);
	come(&t, 20, 0, 1, 0x4000, 0);
	come(&t, 20, 1, t.image.count, 0, 0);
	come_live(&t, 21, 500, 0);
	come(&t, 500, 0, 1, 0x4000, 0);
	come(&t, 500, 1, t.image.count, 0, 0);
	c = stream_counts(t.stream);
	kept = c->kept;
	come_live(&t, 501, 600, 0);
	ok(c->kept == kept, "two damaged epochs: %" PRIu64 " bytes of live frames count as kept",
	   c->kept - kept);
	end(&t);
}

/* Among what was held one number is far ahead */
static void test_far_ahead(void)
{
	struct test t;
	const struct recv_counts *c;
	uint64_t exact;

	begin(&t);
	come_live(&t, 0, 20, 0);
	wait_for(&t, 3000);
	come_held(&t, 20, 22, 0);
	c = recv_topic_counts(stream_topic(t.stream, 0));
	exact = c->exact;
	come(&t, 1000000, 0, 1, 0, age(&t, 1500));
	t.now += 25 * MS;
	come_held(&t, 22, 50, 0);
	ok(c->exact - exact == 28, "a number far ahead among what was held: %" PRIu64 " of 28 frames whole",
	   c->exact - exact);
	judge(&t, 22, 50, true, "a number far ahead");
	end(&t);
}

/* Among what was held one number is that of a live frame to come */
static void test_ahead(void)
{
	struct test t;

	begin(&t);
	come_live(&t, 0, 20, 0);
	wait_for(&t, 3000);
	come_held(&t, 20, 22, 0);
	come(&t, 22 + 256, 0, 1, 0, age(&t, 1500));
	come_held(&t, 23, 50, 0);
	wait_for(&t, 600);
	come_live(&t, 50, 400, 1);
	ok(t.live[278] == 1, "a damaged number, and the frame that has it: %u live %u kept",
	   t.live[278], t.kept[278]);
	end(&t);
}

/* One queue that takes @drain s to drain: the last 1.5 s may be shown as live */
static void test_long_drain(unsigned int outage, unsigned int drain)
{
	struct test t;
	unsigned int n, right = 0;
	uint64_t next = 0, up;

	begin(&t);
	for (uint32_t f = 0; f < 200; f++) {
		come_live(&t, f, f + 1, 0);
		if (!(f % 5))
			send_report(&t);
	}
	wait_for(&t, outage * 1000);
	up = t.now;
	n = outage * 10;
	for (uint32_t f = 0; f < n; f++) {
		/* sent at an even pace in the outage */
		uint64_t at = up + (uint64_t)f * drain * 1000 * MS / n;

		if (t.now < at)
			t.now = at;
		come(&t, 200 + f, 0, t.image.count, 0,
		     (t.now - up) / MS + (n - f) * 100);
		if (t.now >= next) {
			send_report(&t);
			next = t.now + 500 * MS;
		}
	}
	for (uint32_t f = 0; f + 15 < n; f++)
		right += t.kept[200 + f];
	ok(right == n - 15, "an outage of %u s that drains in %u s: %u of %u frames kept",
	   outage, drain, right, n - 15);
	end(&t);
}

/* A change is one line, whatever the number of frames */
static void test_lines(void)
{
	struct test t;

	begin(&t);
	log_lines_begin(LOG_DEBUG);
	come_live(&t, 0, 40, 0);
	for (uint32_t f = 40; f < 60; f++, t.now += INTERVAL * MS)
		come(&t, f, 0, t.image.count - 1, 0, 0);
	come_live(&t, 60, 100, 0);
	log_lines_end();
	ok_eq(log_lines_with(": frames are complete"), 2,
	      "frames are complete, and are so again");
	ok_eq(log_lines_with(" is shown with "), 1,
	      "20 incomplete frames are one line");
	ok_eq(log_lines_with("frame 40 is shown with "), 1,
	      "it names the first one");
	end(&t);
}

int main(void)
{
	cli_program = "test";
	test_lines();
	test_cut(0);
	test_cut(1);
	test_cut(2);
	test_overtaken();
	test_turns();
	test_between();
	test_again();
	test_soon();
	test_behind();
	test_damaged();
	test_damaged_low();
	test_crossing();
	test_short();
	test_flap();
	test_flap_slow();
	test_first();
	test_flows();
	test_unseen(8);
	test_unseen(1);
	test_deaf();
	test_long();
	test_slow_behind();
	test_tail();
	test_stragglers();
	test_many_since(200, 600);
	test_many_since(528, 8);
	test_missing();
	test_damaged_epoch();
	test_far_ahead();
	test_ahead();
	test_long_drain(9, 40);
	test_long_drain(30, 60);
	return tap_done();
}
