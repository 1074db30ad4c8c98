// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_control - announcements, reports and commands: there and back, and
 * broken ones
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "tap.h"
#include "transport/control.h"

enum { TOPICS = 60 };

static struct control_sender me = { 20000, "robot" }, who;
static struct control_topic topics[TOPICS], got[TOPICS];
static uint64_t rng = 1;

/* So that what is wrong is not only its checksum */
static void seal(uint8_t *p, size_t len)
{
	uint32_t crc;

	if (len < 6)
		return;
	crc = crc32(crc32(0, p, 2), p + 6, len - 6);
	memcpy(p + 2, &crc, 4);
}

static void make(void)
{
	for (unsigned int i = 0; i < TOPICS; i++) {
		struct control_topic *t = &topics[i];

		t->topic = i + 1;
		t->kind = i % 5;
		t->codec = i % 3;
		t->interval = 100000 * i;
		snprintf(t->name, sizeof(t->name), "/robot/camera%u/image", i);
		snprintf(t->frame_id, sizeof(t->frame_id), "camera%u", i);
		if (i % 2)
			strcpy(t->encoding, "mono16");
	}
	/* as long as they may be */
	memset(topics[7].name, 'n', CONTROL_NAME - 1);
	memset(topics[7].frame_id, 'f', CONTROL_WORD - 1);
	memset(topics[7].encoding, 'e', CONTROL_WORD - 1);
}

static bool same(const struct control_topic *a, const struct control_topic *b)
{
	return a->topic == b->topic && a->kind == b->kind &&
	       a->codec == b->codec && a->interval == b->interval &&
	       !strcmp(a->name, b->name) && !strcmp(a->frame_id, b->frame_id) &&
	       !strcmp(a->encoding, b->encoding);
}

static void test_announce(void)
{
	struct payloads p;
	unsigned int n = 0, wrong = 0, taken = 0;

	payloads_create(&p, 5);
	wrong = control_announce(&me, topics, TOPICS, &p) != 0;
	ok(!wrong, "60 topics in %u datagrams", p.count);
	ok(p.count > 1, "60 topics in %u datagrams", p.count);
	for (unsigned int i = 0; i < p.count; i++) {
		int count = control_announced(payload_at(&p, i), p.len[i],
					      &who, got, TOPICS);

		wrong += count <= 0;
		for (int k = 0; k < count; k++)
			wrong += !same(&got[k], &topics[n++]);
	}
	ok(!wrong, "each of them read alone, all are there");
	ok_eq(n, TOPICS, "each of them read alone, all are there");
	ok_str(who.name, me.name, "and who sends them");
	ok_eq(who.round_trip, me.round_trip, "and who sends them");
	for (size_t len = 0; len < p.len[0]; len++)
		taken += control_announced(payload_at(&p, 0), len, &who,
					   got, TOPICS) != -EBADMSG;
	ok(!taken, "one that was cut is refused");
	ok(control_announced(payload_at(&p, 0), p.len[0], &who, got, 1) == -E2BIG,
	   "and one with too many");
	payload_at(&p, 0)[7]++;
	ok(control_announced(payload_at(&p, 0), p.len[0], &who, got, TOPICS) ==
	   -EBADMSG, "one with a byte changed is refused");
	payload_at(&p, 0)[7]--;
	payload_at(&p, 0)[6 + 4 + 1 + strlen(me.name)] = 0;
	seal(payload_at(&p, 0), p.len[0]);
	ok(control_announced(payload_at(&p, 0), p.len[0], &who, got, TOPICS) ==
	   -EBADMSG, "topic 0 is none");
	p.max = 1;
	ok(control_announce(&me, topics, TOPICS, &p) == -ENOSPC, "too few slots");
	payloads_destroy(&p);
}

static void test_report(void)
{
	struct control_report r = { .number = 5, .echo = 77, .held = 1234,
		.transit = -3, .epoch = 2, .datagrams = 9, .bytes = 10000,
		.kept = 4, .paced = 6, .growth = 700, .runs = 8,
		.topics = CONTROL_TOPICS, .version = CONTROL_REPORTS }, back;
	uint8_t payload[PAYLOAD_MAX];
	unsigned int taken = 0;
	size_t len;

	for (unsigned int i = 0; i < CONTROL_TOPICS; i++)
		r.topic[i] = (struct control_report_topic){
			i + 1, rnd64(&rng), rnd64(&rng), rnd64(&rng),
			rnd64(&rng), rnd64(&rng), rnd64(&rng),
		};
	len = control_report(&r, payload);
	ok(len <= PAYLOAD_MAX, "a report there and back");
	ok(!control_reported(payload, len, &back), "a report there and back");
	ok_mem(&r, &back, sizeof(r), "a report there and back");
	for (size_t l = 0; l < len; l++)
		taken += control_reported(payload, l, &back) != -EBADMSG;
	payload[1]++;
	taken += control_reported(payload, len, &back) != -EBADMSG;
	ok(!taken, "one that was cut is refused");
	r.topics = 0;
	len = control_report(&r, payload);
	ok(!control_reported(payload, len, &back), "one about nothing");
	ok(!back.topics, "one about nothing");
	r.version = 1;
	len = control_report(&r, payload);
	ok_eq(len, 6 + 8 * 4, "one for older senders");
	ok(!control_reported(payload, len, &back), "one for older senders");
	ok_eq(back.version, 1, "one for older senders");
	ok_eq(back.kept, 4, "one for older senders");
	ok(!back.paced, "one for older senders");
	ok(!back.runs, "one for older senders");
}

static bool same_command(const struct control_command *a,
			 const struct control_command *b)
{
	if (a->number != b->number || a->entries != b->entries)
		return false;
	for (unsigned int i = 0; i < a->entries; i++)
		if (a->entry[i].what != b->entry[i].what ||
		    a->entry[i].value != b->entry[i].value ||
		    strcmp(a->entry[i].name, b->entry[i].name))
			return false;
	return true;
}

static void test_command(void)
{
	struct control_command c = { .number = 0xfedcba98, .entries = 3 }, back;
	uint8_t payload[PAYLOAD_MAX];
	unsigned int taken = 0, over = 0;
	size_t len;

	c.entry[0] = (struct control_command_entry){ CONTROL_FOCUS, 1, "/a" };
	c.entry[1] = (struct control_command_entry){ CONTROL_PRIORITY, 7, "" };
	c.entry[2] = (struct control_command_entry){ 200, 255, "/c" };
	memset(c.entry[1].name, 'n', CONTROL_NAME - 1);
	len = control_command(&c, payload);
	ok_eq(len, 6 + 4 + 3 * 3 + 2 + 255 + 2, "a command there and back");
	ok(!control_commanded(payload, len, &back), "a command there and back");
	ok(same_command(&c, &back), "a command there and back");
	ok_eq(control_reported(payload, len, &(struct control_report){ 0 }),
	      -EBADMSG, "it is neither a report nor an announcement");
	ok_eq(control_announced(payload, len, &who, got, TOPICS), -EBADMSG,
	      "it is neither a report nor an announcement");
	if (!len)
		return;
	for (size_t l = 0; l < len; l++) {
		taken += control_commanded(payload, l, &back) != -EBADMSG;
		/* likewise if its checksum is right */
		memcpy(payload + 6 + 4 + 600, payload, l);
		seal(payload + 6 + 4 + 600, l);
		taken += control_commanded(payload + 6 + 4 + 600, l, &back) !=
			 -EBADMSG;
	}
	payload[len - 1]++;
	taken += control_commanded(payload, len, &back) != -EBADMSG;
	payload[len - 1] = '\n';
	seal(payload, len);
	taken += control_commanded(payload, len, &back) != -EBADMSG;
	payload[len - 1] = 'c';
	payload[1] = CONTROL_COMMANDS + 1;
	seal(payload, len);
	taken += control_commanded(payload, len, &back) != -EBADMSG;
	payload[1] = 2;
	seal(payload, len);
	taken += control_commanded(payload, len, &back) != -EBADMSG;
	ok(!taken, "one that was cut or changed is refused: %u", taken);
	c.entries = CONTROL_COMMANDS;
	for (unsigned int i = 0; i < CONTROL_COMMANDS; i++)
		c.entry[i] = c.entry[1];
	over = control_command(&c, payload);
	ok(!over, "names that no datagram has room for");
	for (unsigned int i = 0; i < CONTROL_COMMANDS; i++)
		memset(c.entry[i].name + 60, 0, 1);
	len = control_command(&c, payload);
	ok(len, "as many as there may be");
	ok(!control_commanded(payload, len, &back), "as many as there may be");
	ok(same_command(&c, &back), "as many as there may be");
	c.entries = 0;
	len = control_command(&c, payload);
	ok(control_commanded(payload, len, &back) == -EBADMSG,
	   "one of nothing");
}

/* Whatever comes, nothing is read beyond it */
static void test_noise(void)
{
	struct control_command c;
	struct control_report r;
	unsigned int good = 0;

	for (unsigned int i = 0; i < 100000; i++) {
		size_t len = rnd(&rng, 60);
		uint8_t *p = malloc(len + 1);

		for (size_t b = 0; b < len; b++)
			p[b] = rnd(&rng, 8) ? rnd(&rng, 4) : rnd(&rng, 256);
		if (len)
			p[0] = CONTROL_VERSION << 4 | (1 + i % 3);
		if (len >= 6)
			seal(p, len);
		good += control_announced(p, len, &who, got, TOPICS) >= 0;
		good += !control_reported(p, len, &r);
		good += !control_commanded(p, len, &c);
		free(p);
	}
	ok(good > 0, "noise is read or refused");
}

static void test_copies(void)
{
	bool good = true;

	for (double loss = 0; loss < .905; loss += .01)
		good &= pow(loss, 3 * control_report_copies(loss)) < 1.3e-4 &&
			control_report_copies(loss) <= 32;
	ok(good, "of three reports one comes, 9999 times of 10000");
	ok_eq(control_report_copies(0), 1,
	      "one where nothing is lost, 48 at most");
	ok_eq(control_report_copies(.02), 2,
	      "one where nothing is lost, 48 at most");
	ok_eq(control_report_copies(1), 48,
	      "one where nothing is lost, 48 at most");
	ok(control_report_copies(NAN) == 1,
	   "one where nothing is lost, 48 at most");
	ok_eq(control_copies(.5), 5, "announcements are large: fewer");
	ok_eq(control_copies(.95), 8, "announcements are large: fewer");
}

int main(void)
{
	make();
	test_announce();
	test_report();
	test_command();
	test_noise();
	test_copies();
	return tap_done();
}
