// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_view_board - bands and outages, robots' clocks, histories that thin
 * themselves, and what a slow client gets
 */
#include <stdlib.h>
#include <string.h>
#include "base/cli.h"
#include "log_lines.h"
#include "tap.h"
#include "view/feed.h"
#include "view/window.h"

#define MS	1000000LL
#define SECOND	1000000000LL

static int64_t base = 1700000000 * SECOND;
static int64_t behind;	/* the robot's clock, ns */

static struct board *make(size_t memory)
{
	const struct board_config config = {
		.memory = memory, .replay = true,
	};

	return board_create(&config);
}

/* A message that is @t old, and arrives at @arrival */
static void put(struct board *b, const char *topic, enum message_kind kind,
		size_t len, int64_t t, int64_t arrival)
{
	uint8_t *data = calloc(1, len);

	board_set_now(b, base + arrival);
	board_message(b, "robot", topic, kind, MESSAGE_CDR, data, len,
		      base + t - behind, base + arrival);
	free(data);
}

static void alive(struct board *b, const char *source, uint64_t run,
		  int64_t when)
{
	const struct contact c = { when, when, 0 };

	board_alive(b, source, run, &c, board_now(b));
}

static void wait_until(struct board *b, int64_t t)
{
	board_set_now(b, base + t);
	board_tick(b);
}

static const char *text(struct board *b, unsigned int topic, int64_t from,
			int64_t to)
{
	static char line[256];
	const struct board_topic *t = board_topic(b, topic);
	const struct band_view v = board_band(b, t);
	const int64_t first = band_slot(base + from);
	const int64_t last = band_slot(base + to);

	band_text(&t->band, &v, first, last, line);
	line[last - first] = 0;
	return line;
}

static void shows(struct board *b, int64_t from, int64_t to, const char *want,
		  const char *what)
{
	const char *got = text(b, 0, from, to);

	if (!ok(!strcmp(got, want), "%s", what))
		printf("# wanted %s\n#    got %s\n", want, got);
}

static void count_change(void *arg)
{
	++*(unsigned int *)arg;
}

/* Clients wait for what it tells */
static void test_reported(void)
{
	unsigned int changes = 0;
	const struct board_config config = {
		.memory = 1 << 20, .replay = true, .changed = count_change,
		.arg = &changes,
	};
	struct board *b = board_create(&config);

	put(b, "/scan", MESSAGE_LASER_SCAN, 100, SECOND, SECOND);
	ok_eq(changes, 1, "a message is reported");
	put(b, "/scan", MESSAGE_LASER_SCAN, 100, 2 * SECOND, 2 * SECOND);
	ok_eq(changes, 2, "and the next one");
	board_destroy(b);
}

/* What a replay that goes back leaves is no more than it was */
static void test_cut_memory(void)
{
	struct board *b = make(1 << 20);
	const struct topic_history *h;
	size_t left;

	for (int i = 1; i <= 10; i++)
		put(b, "/scan", MESSAGE_LASER_SCAN, 10000, i * SECOND, i * SECOND);
	h = &board_topic(b, 0)->history;
	board_cut(b, base + 5 * SECOND, base + 5 * SECOND);
	left = h->bytes;
	put(b, "/scan", MESSAGE_LASER_SCAN, 10000, 6 * SECOND, 6 * SECOND);
	ok(h->bytes > left, "after a cut there is room for a message");
	ok_eq(board_counts(b)->thinned, 0, "and none is left out for it");
	board_destroy(b);
}

/* 10 Hz for 5 s, an outage of 10 s, kept messages every 2 s, then live again */
static void test_outage(int64_t offset)
{
	struct board *b = make(1 << 20);
	/* of another clock the shortest delay is not seen */
	const int64_t delay = offset ? 0 : 30 * MS;
	int64_t t;

	behind = offset;
	for (t = 0; t < 5 * SECOND; t += 100 * MS)
		put(b, "/scan", MESSAGE_LASER_SCAN, 100, t, t + delay);
	wait_until(b, 10 * SECOND);
	ok(board_state(b, board_topic(b, 0)) == BOARD_DISCONNECTED,
	   "a silent robot is disconnected");
	shows(b, 4 * SECOND, 11 * SECOND, "LLEEEEEEEEEEE.",
	      "its messages are expected until the link is back");
	put(b, "/scan", MESSAGE_LASER_SCAN, 100, 15 * SECOND,
	    15 * SECOND + 30 * MS);
	for (int i = 0; i < 5; i++)
		put(b, "/scan/kept", MESSAGE_LASER_SCAN, 100,
		    (5 + 2 * i) * SECOND, 15 * SECOND + (100 + i) * MS);
	/* also without a name of its own: it is late */
	put(b, "/scan", MESSAGE_LASER_SCAN, 100, 14 * SECOND,
	    15 * SECOND + 200 * MS);
	shows(b, 4 * SECOND, 15 * SECOND, "LLKEEEKEEEKEEEKEEEKEKE",
	      "kept messages appear at their time, others may follow");
	for (t = 15 * SECOND + 100 * MS; t < 20 * SECOND; t += 100 * MS)
		put(b, "/scan", MESSAGE_LASER_SCAN, 100, t, t + 30 * MS);
	wait_until(b, 20 * SECOND);
	shows(b, 4 * SECOND, 17 * SECOND, "LLKXXXKXXXKXXXKXXXKXKXLLLL",
	      "what did not come is lost");
	ok_eq(board_topics(b), 1,
	      "/kept is no topic of its own; 6 were kept, got %llu",
	      (unsigned long long)board_topic(b, 0)->kept);
	ok_eq(board_topic(b, 0)->kept, 6,
	      "/kept is no topic of its own; 6 were kept, got %llu",
	      (unsigned long long)board_topic(b, 0)->kept);
	ok(board_state(b, board_topic(b, 0)) == BOARD_LIVE, "it is live again");
	board_destroy(b);
	behind = 0;
}

/* One of two topics stops; a hole of live ones; a long pause */
static void test_stale(void)
{
	struct board *b = make(1 << 20);
	int64_t t;

	for (t = 0; t < 60 * SECOND; t += 100 * MS) {
		if (t < 3 * SECOND || (t >= 5 * SECOND && t < 10 * SECOND) ||
		    t >= 55 * SECOND)
			put(b, "/scan", MESSAGE_LASER_SCAN, 100, t, t);
		put(b, "/odom", MESSAGE_IMU, 100, t, t);
		if (t == 12 * SECOND)
			ok(board_state(b, board_topic(b, 0)) == BOARD_STALE &&
			   board_state(b, board_topic(b, 1)) == BOARD_LIVE,
			   "a topic that stops alone is stale");
		if (t == 20 * SECOND)
			shows(b, 9 * SECOND, 13 * SECOND, "LL......",
			      "and not lost");
	}
	shows(b, 2 * SECOND, 6 * SECOND, "LLXXXXLL", "a hole is lost");
	shows(b, 9 * SECOND, 12 * SECOND, "LL....",
	      "a pause of 45 s is no loss");
	ok(!board_source(b, 0)->outages, "there was no outage");
	board_destroy(b);
}

/* The last sign of life is reported again and again */
static void test_one_outage(void)
{
	struct board *b = make(1 << 20);
	int64_t t, heard = 5 * SECOND;

	log_lines_begin(LOG_DEBUG);
	for (t = 0; t < heard; t += 100 * MS) {
		put(b, "/scan", MESSAGE_LASER_SCAN, 100, t, t + 30 * MS);
		alive(b, "robot", 1, base + t + 80 * MS);
	}
	for (t = heard; t < 15 * SECOND; t += 100 * MS) {
		wait_until(b, t);
		alive(b, "robot", 1, base + heard + t % 7 * MS);
	}
	ok_eq(board_source(b, 0)->outages, 1, "it is one outage, got %u",
	      board_source(b, 0)->outages);
	ok(board_is_out(board_source(b, 0)), "it is one outage, got %u",
	   board_source(b, 0)->outages);
	alive(b, "robot", 1, base + t);
	ok(!board_is_out(board_source(b, 0)), "which the next one ends");
	log_lines_end();
	ok_eq(log_lines_with("robot: link down: "), 1, "it is one line");
	ok_eq(log_lines_with("robot: link up: it was silent for 10.1 s"), 1,
	      "and one at its end");
	board_destroy(b);
}

/* A robot that plays a recording: its status has the clock of today */
static void test_two_clocks(void)
{
	static const char *const topic[] = { "/scan", "/optsample/link", "/imu" };
	static const int64_t clock[] = { 365LL * 86400 * SECOND, 0,
					 54LL * 365 * 86400 * SECOND };
	struct board *b = make(1 << 20);
	int64_t t;

	for (t = 0; t < 5 * SECOND; t += 100 * MS)
		for (unsigned int i = 0; i < 3; i++) {
			behind = clock[i];
			put(b, topic[i], i == 1 ? MESSAGE_DIAGNOSTICS :
			    MESSAGE_LASER_SCAN, 100, t, t + 20 * MS);
		}
	for (unsigned int i = 0; i < 3; i++)
		ok(board_topic(b, i)->seen > base + 4 * SECOND &&
		   !strcmp(text(b, i, SECOND, 4 * SECOND), "LLLLLL"),
		   "%s is of today", topic[i]);
	board_destroy(b);
	behind = 0;
}

/* The clock of a robot that starts again is an hour behind that of before */
static void test_restart(void)
{
	struct board *b = make(1 << 20);
	int64_t t;

	for (t = 0; t < 10 * SECOND; t += 100 * MS) {
		behind = t < 5 * SECOND ? 0 : 3600 * SECOND;
		alive(b, "robot", t < 5 * SECOND ? 1 : 2, base + t);
		put(b, "/scan", MESSAGE_LASER_SCAN, 100, t, t + 30 * MS);
	}
	ok_eq(board_topic(b, 0)->kept, 0,
	      "a robot starts with another clock: all is live, got %llu kept",
	      (unsigned long long)board_topic(b, 0)->kept);
	ok_eq(board_topic(b, 0)->live, 100,
	      "a robot starts with another clock: all is live, got %llu kept",
	      (unsigned long long)board_topic(b, 0)->kept);
	board_destroy(b);
	behind = 0;
}

/* A first message of years ago: the hole after it is long */
static void test_long_band(void)
{
	static struct band b;
	const struct band_view v = { .now = base, .period = 100 * MS };
	const int64_t to = band_slot(base) + 1;
	static char line[BAND_SLOTS];

	band_add(&b, MS, 0, false);
	band_add(&b, base - SECOND, 100 * MS, false);
	for (unsigned int i = 0; i < 100; i++)
		band_text(&b, &v, to - BAND_SLOTS, to, line);
	ok_eq(line[0], BAND_NOTHING, "a band of 50 years is read at once");
	ok_eq(line[BAND_SLOTS - 3], BAND_LIVE,
	      "a band of 50 years is read at once");
}

/* SLAM corrects odometry by 1 m and a right angle while the link is away */
/* The last slots of the text that all clients share */
static bool shared_is(struct board *b, const char *want)
{
	const unsigned int n = strlen(want);
	int64_t from;
	const char *got = board_band_text(b, board_topic(b, 0), &from);

	if (got && !memcmp(got + BAND_SLOTS - n, want, n))
		return true;
	printf("# wanted %s\n#    got %.*s\n", want, (int)n,
	       got ? got + BAND_SLOTS - n : "");
	return false;
}

static void test_shared_text(void)
{
	struct board *b = make(1 << 20);
	int64_t t, from = 0;

	for (t = 0; t < 10 * SECOND; t += 100 * MS)
		put(b, "/scan", MESSAGE_LASER_SCAN, 100, t, t);
	ok(shared_is(b, ".LLLLLLLLLLLLLLLLLLLL"), "a text for all clients");
	board_band_text(b, board_topic(b, 0), &from);
	ok(from == band_slot(board_now(b)) + 1 - BAND_SLOTS,
	   "from the slot that it says");
	/* a mark, to see whether it is the same text */
	board_topic(b, 0)->text[BAND_SLOTS - 1] = '?';
	wait_until(b, t + 90 * MS);
	ok(shared_is(b, "L?"), "for 200 ms it is the same");
	wait_until(b, t + 110 * MS);
	ok(shared_is(b, "LLL."), "then it is a new one");
	for (t = 20 * SECOND; t < 30 * SECOND; t += 100 * MS)
		put(b, "/scan", MESSAGE_LASER_SCAN, 100, t, t);
	wait_until(b, 40 * SECOND);
	ok(shared_is(b, "EEE"), "an outage");
	ok(board_topic(b, 0)->lost > 10, "with what was lost: %u slots",
	   board_topic(b, 0)->lost);
	board_cut(b, base + 5 * SECOND, base + 5 * SECOND);
	ok(shared_is(b, "LLLL."), "a replay that goes back has a new one at once");
	board_destroy(b);
}

/* So many outages of a robot are known: the latest */
static void test_many_outages(void)
{
	struct board *b = make(1 << 20);
	const struct board_source *s;

	for (int i = 0; i < BAND_OUTAGES + 3; i++) {
		board_set_now(b, base + i * 10 * SECOND);
		alive(b, "robot", 1, base + i * 10 * SECOND);
	}
	s = board_source(b, 0);
	ok_eq(s->outages, BAND_OUTAGES, "as many as there is room for");
	ok_eq(s->outage[0].begin, base + 20 * SECOND, "without the first two");
	ok_eq(s->outage[0].end, base + 30 * SECOND, "each with its end");
	ok_eq(s->outage[BAND_OUTAGES - 1].end,
	      base + (BAND_OUTAGES + 2) * 10 * SECOND, "up to the last");
	/* a replay goes back to where the third of them began */
	board_cut(b, s->outage[2].begin, s->outage[2].begin);
	ok_eq(s->outages, 2, "those that are yet to come are forgotten");
	ok_eq(s->outage[1].end, base + 40 * SECOND, "one that ended has an end");
	board_cut(b, base + 35 * SECOND, base + 35 * SECOND);
	ok_eq(s->outage[1].end, INT64_MAX, "within one it has none");
	board_destroy(b);
}

static void test_map_fix(void)
{
	static struct map_fixes f;
	struct pose fix;

	ok(!map_fixes_at(&f, base, &fix), "nothing is known of the map");
	for (int i = 0; i < 100; i++)
		map_fixes_add(&f, base + i * 100 * MS, &(struct pose){ 1, 2, 3 });
	map_fixes_add(&f, base + 20 * SECOND, &(struct pose){ 2, 2, 3 + M_PI_2 });
	ok(f.count == 21, "two a second are enough, got %u", f.count);
	ok(map_fixes_at(&f, base + 5 * SECOND, &fix),
	   "before the outage odometry began there");
	ok(fix.x == 1, "before the outage odometry began there");
	ok(map_fixes_at(&f, base + 14750 * MS, &fix),
	   "in the middle of it between both");
	ok(fabs(fix.x - 1.5) < 1e-9, "in the middle of it between both");
	ok(fabs(fix.yaw - 3 - M_PI_4) < 1e-9,
	   "in the middle of it between both");
	ok(map_fixes_at(&f, base + 60 * SECOND, &fix), "later the last one");
	ok(fix.x == 2, "later the last one");
	ok(!map_fixes_at(&f, base - SECOND, &fix), "later the last one");
	for (int i = 0; i < 3 * MAP_FIXES; i++)
		map_fixes_add(&f, base + (30 + i) * SECOND,
			      &(struct pose){ i, 0, 0 });
	ok(map_fixes_at(&f, base + (30 + 1000) * SECOND, &fix),
	   "of long ago fewer are left");
	ok(fabs(fix.x - 1000) < 8, "of long ago fewer are left");
	map_fixes_cut(&f, base);
	ok(!f.count, "a replay begins again");
}

static void test_slow_topic(void)
{
	struct board *b = make(1 << 20);

	for (int64_t t = 0; t < 20 * SECOND; t += 2 * SECOND)
		put(b, "/scan", MESSAGE_LASER_SCAN, 100, t, t);
	shows(b, 8 * SECOND, 14 * SECOND, "LLLLLLLLLLLL",
	      "a topic of 0.5 Hz has no holes");
	shows(b, 0, 4 * SECOND, "LLLLLLLL", "not even at its begin");
	board_destroy(b);

	b = make(1 << 20);
	for (int64_t t = 0; t < 20 * SECOND; t += 200 * MS) {
		const bool out = t > 5 * SECOND && t < 15 * SECOND;

		wait_until(b, t);
		if (!(t % (4 * SECOND)) && !out)
			put(b, "/slow", MESSAGE_LASER_SCAN, 100, t, t);
		if (!out)
			put(b, "/odom", MESSAGE_IMU, 100, t, t);
	}
	for (int64_t t = 20 * SECOND; t < 32 * SECOND; t += 4 * SECOND)
		put(b, "/slow", MESSAGE_LASER_SCAN, 100, t, t);
	ok(!strchr(text(b, 0, 9 * SECOND, 14 * SECOND), 'L'),
	   "but in an outage nothing was live: %s",
	   text(b, 0, 4 * SECOND, 20 * SECOND));
	board_destroy(b);
}

static void test_memory(void)
{
	struct board *b = make(100000);
	const struct topic_history *h;
	int64_t worst = 0;

	for (int64_t t = 0; t < 100 * SECOND; t += 100 * MS)
		put(b, "/cam", MESSAGE_COMPRESSED_IMAGE, 1000, t, t);
	h = &board_topic(b, 0)->history;
	for (uint32_t i = 1; i < h->count; i++)
		if (h->m[i]->t - h->m[i - 1]->t > worst)
			worst = h->m[i]->t - h->m[i - 1]->t;
	ok(h->bytes <= 100000, "a history of 100 kB has %u messages of 1000",
	   h->count);
	ok(h->count > 90, "a history of 100 kB has %u messages of 1000",
	   h->count);
	ok(worst <= 3 * SECOND, "evenly spread over 100 s, largest gap %.1f s",
	   worst * 1e-9);
	ok(h->newest->t == base + 100 * SECOND - 100 * MS,
	   "with the newest one");
	ok(topic_history_at(h, base + 50 * SECOND)->t > base + 46 * SECOND,
	   "something is known of any time");
	ok(board_counts(b)->thinned == 1000 - h->count,
	   "what was left out is counted");
	board_destroy(b);
}

static void test_refused(void)
{
	struct board *b = make(100000);
	char name[32];

	put(b, "/a", MESSAGE_IMU, 10, 0, 0);
	put(b, "/a", MESSAGE_TWIST, 10, 0, 0);
	ok_eq(board_counts(b)->refused, 1,
	      "another type under the same name is refused");
	ok_eq(board_topic(b, 0)->live, 1,
	      "another type under the same name is refused");
	put(b, "/\xff", MESSAGE_IMU, 10, 0, 0);
	ok_eq(board_counts(b)->refused, 2,
	      "a name that is none of ROS is refused");
	ok_eq(board_topics(b), 1, "a name that is none of ROS is refused");
	for (int i = 0; i < BOARD_TOPICS + 9; i++) {
		snprintf(name, sizeof(name), "/t%d", i);
		put(b, name, MESSAGE_IMU, 10, 0, 0);
	}
	ok_eq(board_topics(b), BOARD_TOPICS,
	      "there are %u topics, the others are counted: %llu",
	      board_topics(b), (unsigned long long)board_counts(b)->refused);
	ok_eq(board_counts(b)->refused, 12,
	      "there are %u topics, the others are counted: %llu",
	      board_topics(b), (unsigned long long)board_counts(b)->refused);
	board_destroy(b);
}

/*
 * Feeds
 */

static unsigned int drain(struct feed *f, struct board *b, unsigned int most,
			  unsigned int topic, bool kept, uint64_t *last)
{
	struct feed_item item;
	unsigned int n = 0;

	while (most-- && feed_next(f, b, &item)) {
		if (item.topic == topic && item.kept == kept) {
			n++;
			if (last)
				*last = item.message->seq;
		}
		view_message_put(item.message);
	}
	return n;
}

static void test_feed(void)
{
	struct board *b = make(8 << 20);
	struct feed *f = calloc(1, sizeof(*f));
	struct feed_item item;
	uint64_t last = 0;
	int64_t t;

	put(b, "/cam", MESSAGE_COMPRESSED_IMAGE, 20000, 0, 0);
	put(b, "/imu", MESSAGE_IMU, 100, 0, 0);
	put(b, "/cam2", MESSAGE_COMPRESSED_IMAGE, 60000, 0, 0);
	for (unsigned int i = 0; i < 3; i++) {
		feed_subscribe(f, b, i, false);
		feed_subscribe(f, b, i, true);
	}
	ok(drain(f, b, 9, 0, false, NULL) == 1, "a new client gets a picture");
	for (t = 100 * MS; t < 5 * SECOND; t += 100 * MS) {
		put(b, "/cam", MESSAGE_COMPRESSED_IMAGE, 20000, t, t);
		put(b, "/cam2", MESSAGE_COMPRESSED_IMAGE, 60000, t, t);
		put(b, "/imu", MESSAGE_IMU, 100, t, t);
		feed_note(f, b, true);
	}
	for (unsigned int i = 0; i < 49; i++) {
		if (!feed_next(f, b, &item) || item.topic != 1 ||
		    item.message->t != base + (i + 1) * 100 * MS)
			break;
		last = i + 1;
		view_message_put(item.message);
	}
	ok(last == 49, "after a stall first all of the small topic, in order");
	ok(feed_next(f, b, &item), "then the newest picture");
	ok(!item.kept, "then the newest picture");
	ok_eq(item.message->seq, 50, "then the newest picture");
	view_message_put(item.message);
	ok(feed_next(f, b, &item), "of both");
	ok(!item.kept, "of both");
	ok_eq(item.message->seq, 50, "of both");
	view_message_put(item.message);
	ok(f->counts.replaced == 96, "96 were replaced, got %llu",
	   (unsigned long long)f->counts.replaced);
	ok(drain(f, b, 99, 0, true, &last) >= FEED_KEPT / 2,
	   "then a sample of the stall, up to its end");
	ok(last >= 40, "then a sample of the stall, up to its end");
	for (t = 5 * SECOND; t < 6 * SECOND; t += 100 * MS) {
		put(b, "/cam", MESSAGE_COMPRESSED_IMAGE, 20000, t, t);
		feed_note(f, b, false);
	}
	ok_eq(drain(f, b, 9, 0, false, &last), 1,
	      "a slow client gets the newest one");
	ok_eq(last, 60, "a slow client gets the newest one");
	ok(!drain(f, b, 9, 0, true, NULL), "and no sample");
	put(b, "/cam/kept", MESSAGE_COMPRESSED_IMAGE, 20000, SECOND,
	    6 * SECOND);
	ok(drain(f, b, 9, 0, true, NULL) == 1,
	   "what the robot's queue kept is sent, too");
	board_destroy(b);
	free(f);
}

static void test_fair(void)
{
	struct board *b = make(8 << 20);
	struct feed *f = calloc(1, sizeof(*f));
	double bytes[2] = { 0 };

	put(b, "/big", MESSAGE_COMPRESSED_IMAGE, 90000, 0, 0);
	put(b, "/small", MESSAGE_COMPRESSED_IMAGE, 9000, 0, 0);
	feed_subscribe(f, b, 0, false);
	feed_subscribe(f, b, 1, false);
	for (int64_t t = 0; t < 60 * SECOND; t += 10 * MS) {
		struct feed_item item;

		put(b, "/big", MESSAGE_COMPRESSED_IMAGE, 90000, t, t);
		put(b, "/small", MESSAGE_COMPRESSED_IMAGE, 9000, t, t);
		if (!feed_next(f, b, &item))
			continue;
		bytes[item.topic] += item.message->len;
		view_message_put(item.message);
	}
	ok(bytes[0] / bytes[1] > 0.8,
	   "pictures of 90 and of 9 kB share the bytes: %.2f",
	   bytes[0] / bytes[1]);
	ok(bytes[0] / bytes[1] < 1.25,
	   "pictures of 90 and of 9 kB share the bytes: %.2f",
	   bytes[0] / bytes[1]);
	board_destroy(b);
	free(f);
}

/* Small topics that are too much for the connection do not stop pictures */
static void test_share(void)
{
	struct board *b = make(64 << 20);
	struct feed *f = calloc(1, sizeof(*f));
	struct feed_item item;
	double bytes[2] = { 0 };
	uint64_t last = 0;
	bool ordered = true;

	put(b, "/cam", MESSAGE_COMPRESSED_IMAGE, 20000, 0, 0);
	put(b, "/imu", MESSAGE_IMU, 1000, 0, 0);
	feed_subscribe(f, b, 0, false);
	feed_subscribe(f, b, 1, false);
	for (int64_t t = 0; t < tap_rounds(20, 60) * SECOND; t += 10 * MS) {
		put(b, "/cam", MESSAGE_COMPRESSED_IMAGE, 20000, t, t);
		for (int i = 0; i < 2; i++)
			put(b, "/imu", MESSAGE_IMU, 1000, t, t);
		if (!feed_next(f, b, &item))
			continue;
		bytes[item.topic] += item.message->len;
		if (item.topic == 1) {
			ordered &= item.message->seq > last;
			last = item.message->seq;
		}
		view_message_put(item.message);
	}
	ok(bytes[0] > bytes[1] / 4,
	   "too much of a small topic: %.0f kB of it, %.0f kB of pictures",
	   bytes[1] / 1e3, bytes[0] / 1e3);
	ok(bytes[1] > bytes[0],
	   "too much of a small topic: %.0f kB of it, %.0f kB of pictures",
	   bytes[1] / 1e3, bytes[0] / 1e3);
	ok(ordered, "in order");
	board_destroy(b);
	free(f);
}

/* More messages than a history has: a stall afterwards loses none */
static void test_long_run(void)
{
	struct board *b = make(64 << 20);
	struct feed *f = calloc(1, sizeof(*f));
	unsigned int n;
	int64_t t;

	put(b, "/imu", MESSAGE_IMU, 100, 0, 0);
	feed_subscribe(f, b, 0, false);
	for (t = 10 * MS; t < 100 * SECOND; t += 10 * MS) {
		put(b, "/imu", MESSAGE_IMU, 100, t, t);
		drain(f, b, 9, 0, false, NULL);
	}
	for (; t < 105 * SECOND; t += 10 * MS)
		put(b, "/imu", MESSAGE_IMU, 100, t, t);
	n = drain(f, b, 2000, 0, false, NULL);
	ok_eq(n, 500, "a stall of 5 s after 10000 messages: %u of 500", n);
	ok(!f->counts.left_out,
	   "a stall of 5 s after 10000 messages: %u of 500", n);
	board_destroy(b);
	free(f);
}

/* Each publisher has its own transforms: a late client gets all of them */
static void test_static(void)
{
	struct board *b = make(1 << 20);
	struct feed *f = calloc(1, sizeof(*f));
	unsigned int n;

	for (int i = 0; i < 4; i++)
		put(b, "/tf_static", MESSAGE_TRANSFORMS, 100, i, i);
	put(b, "/imu", MESSAGE_IMU, 100, 0, 30 * 60 * SECOND);
	put(b, "/tf_static", MESSAGE_TRANSFORMS, 100, 0, 30 * 60 * SECOND);
	feed_subscribe(f, b, 0, false);
	n = drain(f, b, 99, 0, false, NULL);
	ok(n == 5, "a late client gets %u of 5 static transforms", n);
	board_destroy(b);
	free(f);
}

/* A second robot's clock is ahead, and one is set back by a year */
static void test_clocks(void)
{
	struct board *b = make(8 << 20);
	int64_t t;

	for (t = 0; t < 10 * SECOND; t += 100 * MS) {
		put(b, "/a", MESSAGE_COMPRESSED_IMAGE, 100, t, t);
		behind = -5 * SECOND;
		put(b, "/b", MESSAGE_COMPRESSED_IMAGE, 100, t, t);
		behind = 0;
	}
	ok(!board_topic(b, 0)->kept,
	   "two clocks in one source: nothing is taken for kept");
	ok(!board_topic(b, 1)->kept,
	   "two clocks in one source: nothing is taken for kept");
	behind = 365LL * 86400 * SECOND;
	for (; t < 15 * SECOND; t += 100 * MS)
		put(b, "/a", MESSAGE_COMPRESSED_IMAGE, 100, t, t);
	ok(board_topic(b, 0)->kept <= 11,
	   "a clock that is set back: live again after %llu messages",
	   (unsigned long long)board_topic(b, 0)->kept);
	ok(board_topic(b, 0)->seen > base + 14 * SECOND,
	   "a clock that is set back: live again after %llu messages",
	   (unsigned long long)board_topic(b, 0)->kept);
	behind = 0;
	board_destroy(b);
}

/* A replay that jumps forward leaves nothing lost */
static void test_jump(void)
{
	struct board *b = make(8 << 20);
	int64_t t;

	for (t = 0; t < 10 * SECOND; t += 100 * MS)
		put(b, "/scan", MESSAGE_LASER_SCAN, 100, t, t);
	board_cut(b, base + 20 * SECOND, base + 20 * SECOND);
	for (t = 20 * SECOND; t < 25 * SECOND; t += 100 * MS)
		put(b, "/scan", MESSAGE_LASER_SCAN, 100, t, t);
	shows(b, 8 * SECOND, 22 * SECOND, "LLLL....................LLLL",
	      "what a replay leaves out is not lost");
	board_destroy(b);
}

static void test_backlog(void)
{
	struct board *b = make(8 << 20);
	struct feed *f = calloc(1, sizeof(*f));
	unsigned int n;

	put(b, "/imu", MESSAGE_IMU, 1000, 0, 0);
	feed_subscribe(f, b, 0, false);
	for (int64_t t = 10 * MS; t < 10 * SECOND; t += 10 * MS)
		put(b, "/imu", MESSAGE_IMU, 1000, t, t);
	n = drain(f, b, 2000, 0, false, NULL);
	ok_eq(n, FEED_BACKLOG / 1000,
	      "256 kB of a small topic wait; the rest is counted");
	ok_eq(f->counts.left_out, 999 - n,
	      "256 kB of a small topic wait; the rest is counted");
	board_destroy(b);
	free(f);
}

/*
 * The window: a link of @rate bytes/s and a delay, 1 ms steps
 */
static double fly(double rate, int64_t delay, int64_t *worst)
{
	static struct { uint64_t bytes; double at; } pong[4096];
	struct window w = { 0 };
	unsigned int head = 0, tail = 0;
	double queue = 0, sent = 0;
	int64_t pinged;

	*worst = 0;
	for (int64_t t = SECOND; t < 11 * SECOND; t += MS) {
		size_t room;

		queue -= queue > rate / 1e3 ? rate / 1e3 : queue;
		for (; head != tail && pong[head % 4096].at <= t; head++)
			window_pong(&w, pong[head % 4096].bytes, t,
				    &pinged);
		while ((room = window_room(&w))) {
			const size_t n = room;

			window_sent(&w, n, t);
			queue += n;
			if (t > 2 * SECOND)
				sent += n;
			if (window_ping(&w, t, false)) {
				pong[tail % 4096].bytes = w.sent;
				pong[tail++ % 4096].at = t + 2 * delay +
							 queue / rate * 1e9;
			}
			if (tail - head > 4000)
				break;
		}
		if (t > 2 * SECOND && queue / rate * 1e9 > *worst)
			*worst = queue / rate * 1e9;
	}
	return sent / 9 / rate;
}

static void test_window(void)
{
	const double rates[] = { 32e3, 625e3, 12.5e6 };
	int64_t worst;

	for (unsigned int i = 0; i < 3; i++) {
		double used = fly(rates[i], 10 * MS, &worst);

		ok(used > 0.9,
		   "a link of %.0f kB/s with 10 ms is used by %.0f %%",
		   rates[i] / 1e3, used * 100);
		ok(used < 1.1,
		   "a link of %.0f kB/s with 10 ms is used by %.0f %%",
		   rates[i] / 1e3, used * 100);
		ok(worst < 400 * MS, "with at most %.0f ms in its queue",
		   worst * 1e-6);
	}
	ok(fly(625e3, 100 * MS, &worst) > 0.8,
	   "and with a delay of 100 ms each way");
}

/* What is on its way to a client, ping by ping */
static void test_pings(void)
{
	struct window w = { 0 };
	int64_t pinged = 0, now = SECOND;

	ok_range(window_room(&w), WINDOW_MIN / 8, WINDOW_MIN, "a first piece");
	ok(!window_ping(&w, now, true), "nothing was sent: no ping");
	window_sent(&w, 100, now);
	ok(window_ping(&w, now, true), "a ping after it");
	ok(!window_ping(&w, now, true), "but one");
	ok_eq(window_silence(&w, now + 300 * MS), 300 * MS, "it is waited for");
	ok(!window_stalled(&w, now + 600 * MS), "which takes a while");
	ok(window_stalled(&w, now + 800 * MS), "but not so long");
	ok(!window_pong(&w, 50, now + 5 * MS, &pinged), "a pong of another");
	ok(window_pong(&w, 100, now + 5 * MS, &pinged), "its pong");
	ok_eq(pinged, now, "tells when it was sent");
	ok_eq(w.round_trip, 5 * MS, "and the round trip");
	ok_eq(window_silence(&w, now + SECOND), 0, "nothing is waited for");
	ok(!window_pong(&w, 100, now + 9 * MS, &pinged), "a second pong");
	window_sent(&w, 10, now + 10 * MS);
	ok(!window_ping(&w, now + 10 * MS, false), "more is to come");
	ok(window_ping(&w, now + 10 * SECOND, false), "but not for ever");
	for (unsigned int i = 1; i < WINDOW_PINGS; i++)
		ok(window_probe(&w, now), "ping %u", i);
	ok(!window_probe(&w, now), "more are not answered: no ping");
	ok_range(window_room(&w), 1, WINDOW_MIN, "some is left");
	window_sent(&w, 1 << 20, now);
	ok_eq(window_room(&w), 0, "until it is full");
}

int main(void)
{
	test_reported();
	test_cut_memory();
	cli_program = "test";
	test_outage(0);
	test_outage(365LL * 86400 * SECOND);
	test_stale();
	test_one_outage();
	test_two_clocks();
	test_restart();
	test_long_band();
	test_shared_text();
	test_many_outages();
	test_map_fix();
	test_slow_topic();
	test_memory();
	test_refused();
	test_feed();
	test_fair();
	test_share();
	test_long_run();
	test_static();
	test_clocks();
	test_jump();
	test_backlog();
	test_pings();
	test_window();
	return tap_done();
}
