// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_view_mission - a recorded mission has the same outages as it had live,
 * at any speed
 *
 * One to three robots with outages of their own send to a receiver. What it
 * publishes is recorded and played.
 */
#include <stdlib.h>
#include <string.h>
#include "tap.h"
#include "transport/diagnose.h"
#include "view/robots.h"

#define MS	1000000LL
#define SECOND	1000000000LL

enum {
	MISSIONS = 20, ROBOTS = 3, TOPICS = 3, OUTAGES = 4, LENGTH = 150,
	RECORDS = 60000,
};

/**
 * struct robot - @down: begins and ends of its outages
 * @next:	when each topic has a message, the announcement last
 * @behind:	its clock
 */
struct robot {
	char		name[16], topic[TOPICS][32];
	int64_t		period[TOPICS + 1], next[TOPICS + 1], behind;
	int64_t		down[OUTAGES][2];
	unsigned int	downs;
	struct contact	contact;
};

/* A message as it was recorded */
struct record {
	int64_t		stamp;
	char		topic[40];
	enum message_kind kind;
	uint8_t		*data;
	size_t		len;
};

static struct robot robot[ROBOTS];
static unsigned int robots, records;
static struct record record[RECORDS];
static const int64_t base = 1700000000 * SECOND;

static int64_t draw(int64_t from, int64_t to)
{
	return from + (int64_t)(drand48() * (to - from));
}

static struct board *make(void)
{
	const struct board_config config = {
		.memory = 64 << 20, .replay = true,
	};

	return board_create(&config);
}

static void draw_robot(struct robot *r, unsigned int number)
{
	int64_t at = draw(5, 15) * SECOND;

	*r = (struct robot){ .behind = draw(0, 3) * 86400 * SECOND };
	snprintf(r->name, sizeof(r->name), "robot%u", number);
	for (unsigned int i = 0; i < TOPICS; i++) {
		/* the later robots have a prefix */
		snprintf(r->topic[i], sizeof(r->topic[i]), "%s%s/topic%u",
			 number ? "/" : "", number ? r->name : "", i);
		r->period[i] = draw(30, 900) * MS;
		r->next[i] = draw(20, 500) * MS;
	}
	r->period[TOPICS] = 500 * MS;
	for (; at < (LENGTH - 5) * SECOND && r->downs < OUTAGES; r->downs++) {
		r->down[r->downs][0] = at;
		at += draw(1, 30000) * MS;
		r->down[r->downs][1] = at;
		at += draw(300, 20000) * MS;
	}
}

static bool is_up(const struct robot *r, int64_t t)
{
	for (unsigned int i = 0; i < r->downs; i++)
		if (t >= r->down[i][0] && t < r->down[i][1])
			return false;
	return true;
}

static void keep(void *arg, const char *name, enum message_kind kind,
		 int64_t received, const union message *msg)
{
	struct record *r = &record[records++];

	(void)arg;
	if (records > RECORDS)
		abort();
	*r = (struct record){ .stamp = received, .kind = kind };
	snprintf(r->topic, sizeof(r->topic), "%s", name);
	r->len = message_size(kind, MESSAGE_CDR, msg);
	r->data = malloc(r->len);
	message_write(kind, MESSAGE_CDR, msg, r->data, r->len);
}

static void put(struct board *b, const char *source, const struct record *r,
		int64_t stamp)
{
	board_message(b, source, r->topic, r->kind, MESSAGE_CDR, r->data,
		      r->len, stamp, r->stamp);
}

/* Robot @r measures topic @i at @t: at @arrival, when the link is up */
static void receive(struct board *b, struct publish *p, struct robot *r,
		    unsigned int i, int64_t t, int64_t arrival)
{
	char name[40];
	union message m = { .imu.header.stamp = base + t - r->behind };

	contact_hear(&r->contact, base + arrival);
	if (i == TOPICS)
		return;
	snprintf(name, sizeof(name), "%s%s", r->topic[i],
		 arrival > t + SECOND / 2 ? "/kept" : "");
	publish_message(p, name, MESSAGE_IMU, base + arrival, &m);
	put(b, r->name, &record[records - 1], m.imu.header.stamp);
}

/* When the link is back it brings some of what was held */
static void drain(struct board *b, struct publish *p, struct robot *r,
		  int64_t t)
{
	for (unsigned int k = 0; k < r->downs; k++)
		for (int64_t old = r->down[k][0]; t == r->down[k][1] && old < t;
		     old += 2 * SECOND)
			receive(b, p, r, 0, old, t);
}

static void run_robot(struct board *b, struct publish *p, struct robot *r,
		      int64_t t)
{
	drain(b, p, r, t);
	for (unsigned int i = 0; i <= TOPICS; i++) {
		if (t < r->next[i])
			continue;
		r->next[i] = t + r->period[i] * draw(80, 120) / 100 / MS * MS;
		if (is_up(r, t))
			receive(b, p, r, i, t - draw(2, 40) * MS, t);
	}
}

/* What the receiver says once a second; @old: as before it said who is heard */
static void say(struct publish *p, int64_t t, bool old)
{
	union message m = { .diagnostics.header.stamp = base + t };
	struct diagnose d;
	char name[ROBOTS * TOPICS][48];

	diagnose_begin(&d, p, base + t);
	for (unsigned int i = 0; i < robots; i++)
		if (!old)
			diagnose_robot(&d, robot[i].name, 1, &robot[i].contact,
				       base + t);
	diagnose_end(&d);
	for (unsigned int i = 0; i < robots * TOPICS; i++) {
		const struct robot *r = &robot[i / TOPICS];

		snprintf(name[i], sizeof(name[i]), "optsample: %s",
			 r->topic[i % TOPICS]);
		m.diagnostics.status[m.diagnostics.statuses++] =
			(struct message_status){
				.name = message_string(name[i]),
				.hardware_id = message_string(r->name),
			};
	}
	publish_message(p, "/diagnostics", MESSAGE_DIAGNOSTICS, base + t, &m);
}

static void watch(struct board *b, int64_t t)
{
	board_set_now(b, base + t);
	for (unsigned int i = 0; i < robots; i++)
		if (robot[i].contact.heard)
			board_alive(b, robot[i].name, 1, &robot[i].contact,
				    base + t);
	board_tick(b);
}

/* Return: the board that was seen live */
static struct board *fly(bool old)
{
	struct publish *p = publish_create();
	struct board *b = make();

	while (records)
		free(record[--records].data);
	publish_listen(p, keep, NULL);
	for (int64_t t = 0; t < LENGTH * SECOND; t += MS) {
		if (t == 10 * MS || t % SECOND == 700 * MS)
			say(p, t, old);
		for (unsigned int i = 0; i < robots; i++)
			run_robot(b, p, &robot[i], t);
		if (t % (100 * MS) == 0)
			watch(b, t);
	}
	publish_destroy(p);
	return b;
}

static int by_stamp(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	return x->stamp < y->stamp ? -1 : x->stamp > y->stamp;
}

/* The recording at a speed: a tick in 100 ms of the operator's time */
static struct board *replay(unsigned int speed)
{
	struct robots *labels = calloc(1, sizeof(*labels));
	struct board *b = make();
	int64_t tick = record[0].stamp;
	union message m;

	for (unsigned int i = 0; i < records; i++) {
		const struct record *r = &record[i];
		const char *source;

		for (; tick < r->stamp; tick += speed * 100 * MS) {
			board_set_now(b, tick);
			board_tick(b);
		}
		if (message_read(r->kind, MESSAGE_CDR, r->data, r->len, &m))
			abort();
		if (r->kind == MESSAGE_DIAGNOSTICS &&
		    robots_read(labels, b, &m.diagnostics, r->stamp))
			continue;
		source = robots_find(labels, r->topic);
		put(b, source ? source : "mission.mcap", r,
		    m.imu.header.stamp);
	}
	board_set_now(b, base + LENGTH * SECOND - 100 * MS);
	board_tick(b);
	free(labels);
	return b;
}

static const struct board_source *source_of(struct board *b, const char *name)
{
	for (unsigned int i = 0; i < board_sources(b); i++)
		if (!strcmp(board_source(b, i)->name, name))
			return board_source(b, i);
	return NULL;
}

static bool is_near(int64_t a, int64_t b)
{
	return a == b || (a < b + 50 * MS && b < a + 50 * MS);
}

static bool same_outages(const struct board_source *a,
			 const struct board_source *b)
{
	bool same = a && b && a->outages == b->outages;

	for (unsigned int i = 0; same && i < a->outages; i++)
		same = is_near(a->outage[i].begin, b->outage[i].begin) &&
		       is_near(a->outage[i].end, b->outage[i].end);
	return same;
}

static void show(const char *what, const struct board_source *s)
{
	printf("# %s:", what);
	for (unsigned int i = 0; s && i < s->outages; i++)
		printf(" %.3f..%.3f", (s->outage[i].begin - base) * 1e-9,
		       s->outage[i].end == INT64_MAX ? INFINITY :
		       (s->outage[i].end - base) * 1e-9);
	printf("\n");
}

static bool same_mission(struct board *live, struct board *again)
{
	bool same = true;

	for (unsigned int i = 0; i < robots; i++) {
		const struct board_source *a = source_of(live, robot[i].name);
		const struct board_source *b = source_of(again, robot[i].name);

		if (same_outages(a, b))
			continue;
		show("live", a);
		show("replayed", b);
		same = false;
	}
	for (unsigned int i = 0; i < board_sources(again); i++)
		same &= source_of(live, board_source(again, i)->name) != NULL;
	return same;
}

static void test_missions(void)
{
	static const unsigned int speeds[] = { 1, 4, 40 };
	unsigned int same[3] = { 0 }, outages = 0;

	for (unsigned int n = 0; n < MISSIONS; n++) {
		struct board *live, *again;

		srand48(n);
		robots = 1 + n % ROBOTS;
		for (unsigned int i = 0; i < robots; i++)
			draw_robot(&robot[i], i);
		live = fly(false);
		qsort(record, records, sizeof(*record), by_stamp);
		for (unsigned int i = 0; i < board_sources(live); i++)
			outages += board_source(live, i)->outages;
		for (unsigned int k = 0; k < 3; k++) {
			again = replay(speeds[k]);
			same[k] += same_mission(live, again);
			board_destroy(again);
		}
		board_destroy(live);
	}
	for (unsigned int k = 0; k < 3; k++)
		ok(same[k] == MISSIONS,
		   "speed %u: the same outages in %u of %u missions with %u",
		   speeds[k], same[k], MISSIONS, outages);
}

/* A recording of before robots were reported: the receiver speaks on */
static void test_old(void)
{
	struct board *live, *again;
	const struct board_source *s;

	srand48(1);
	robots = 2;
	for (unsigned int i = 0; i < robots; i++) {
		draw_robot(&robot[i], i);
		robot[i].downs = i;
	}
	robot[1].down[0][0] = 30 * SECOND;
	robot[1].down[0][1] = 50 * SECOND;
	live = fly(true);
	qsort(record, records, sizeof(*record), by_stamp);
	again = replay(40);
	s = source_of(again, "robot1");
	ok(s, "an old recording: an outage of 20 s is one, of its robot");
	ok_eq(s->outages, 1,
	      "an old recording: an outage of 20 s is one, of its robot");
	ok(llabs(s->outage[0].end - s->outage[0].begin - 20 * SECOND) < SECOND,
	   "an old recording: an outage of 20 s is one, of its robot");
	ok(!source_of(again, "robot0")->outages,
	   "an old recording: an outage of 20 s is one, of its robot");
	if (s)
		show("it has", s);
	board_destroy(live);
	board_destroy(again);
}

int main(void)
{
	test_missions();
	test_old();
	return tap_done();
}
