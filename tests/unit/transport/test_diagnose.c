// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_diagnose - what a receiver says on /diagnostics, and how it is read
 */
#include "robot_stream.h"
#include "tap.h"
#include "transport/diagnose.h"

#define SECOND	1000000000LL

static const int64_t base = 1700000000 * SECOND;

/* The last message of /diagnostics, copied */
static struct {
	unsigned int	messages, statuses, values;
	int64_t		stamp;
	struct {
		unsigned int	level;
		char		name[64], id[16], text[16], value[12][32];
	}		status[4];
} got;

static void copy(char *to, size_t room, const struct message_string *s)
{
	snprintf(to, room, "%.*s", (int)s->len, s->text);
}

static void on_heard(void *arg, const char *name, enum message_kind kind,
		     int64_t received, const union message *msg)
{
	const struct message_diagnostics *m = &msg->diagnostics;

	(void)arg;
	(void)received;
	if (strcmp(name, "/diagnostics") || kind != MESSAGE_DIAGNOSTICS)
		return;
	got.messages++;
	got.statuses = m->statuses;
	got.stamp = m->header.stamp;
	for (unsigned int i = 0; i < m->statuses && i < 4; i++) {
		const struct message_status *s = &m->status[i];

		got.status[i].level = s->level;
		copy(got.status[i].name, 64, &s->name);
		copy(got.status[i].id, 16, &s->hardware_id);
		copy(got.status[i].text, 16, &s->message);
		got.values = s->values;
		for (unsigned int k = 0; k < s->values && k < 12; k++)
			copy(got.status[i].value[k], 32, &s->value[k].value);
	}
}

/*
 * Reading
 */

static struct {
	unsigned int	topics, robots;
	char		name[64], label[16];
	uint64_t	run;
	struct contact	c;
} heard;

static void on_topic(void *arg, const char *name, const char *label)
{
	(void)arg;
	heard.topics++;
	snprintf(heard.name, sizeof(heard.name), "%s", name);
	snprintf(heard.label, sizeof(heard.label), "%s", label);
}

static void on_robot(void *arg, const char *label, uint64_t run,
		     const struct contact *c, int64_t now)
{
	(void)arg;
	(void)now;
	heard.robots++;
	heard.run = run;
	heard.c = *c;
	snprintf(heard.label, sizeof(heard.label), "%s", label);
}

static const struct diagnose_reader reader = { on_topic, on_robot, NULL };

static void hear(void *arg, const char *name, enum message_kind kind,
		 int64_t received, const union message *msg)
{
	(void)arg;
	(void)name;
	on_heard(NULL, name, kind, received, msg);
	diagnose_read(&reader, &msg->diagnostics, base + 100 * SECOND);
}

/* What is written is read again, in the reader's clock */
static void test_robots(void)
{
	const struct contact up = { base - SECOND, base - 9 * SECOND,
				    3 * SECOND };
	const struct contact down = { base - 2 * SECOND, base - 5 * SECOND, 0 };
	struct publish *p = publish_create();
	static struct diagnose d;

	publish_listen(p, hear, NULL);
	diagnose_begin(&d, p, base);
	diagnose_end(&d);
	ok_eq(got.messages, 0, "nothing to say");
	diagnose_begin(&d, p, base);
	diagnose_robot(&d, "rover", 0x123456789abcdef0, &up, base);
	ok_eq(got.messages, 0, "one status waits for others");
	diagnose_end(&d);
	ok_eq(got.messages, 1, "a message");
	ok_eq(got.stamp, base, "of that time");
	ok_eq(got.statuses, 1, "of a robot");
	ok_str(got.status[0].name, "optsample: robot rover", "its name");
	ok_str(got.status[0].id, "rover", "its label");
	ok_str(got.status[0].text, "link up", "its link");
	ok_eq(got.status[0].level, 0, "is good");
	ok_str(got.status[0].value[0], "1.000", "s since it was heard");
	ok_str(got.status[0].value[1], "9.000", "s without an outage");
	ok_str(got.status[0].value[2], "3.000", "s of the outage before");
	ok_eq(heard.robots, 1, "which can be read");
	ok_str(heard.label, "rover", "its label");
	ok_eq(heard.run, 0x123456789abcdef0, "its run");
	ok_eq(heard.c.heard, base + 99 * SECOND, "when it was heard");
	ok_eq(heard.c.since, base + 91 * SECOND, "since when");
	ok_eq(heard.c.silence, 3 * SECOND, "after how long");
	diagnose_begin(&d, p, base);
	diagnose_robot(&d, "lost", 1, &down, base);
	diagnose_end(&d);
	ok_str(got.status[0].text, "link down", "two seconds of silence");
	ok_eq(got.status[0].level, 2, "are an error");
	/* a message has room for so many, then there is another one */
	got.messages = 0;
	diagnose_begin(&d, p, base);
	for (unsigned int i = 0; i < MESSAGE_STATUSES + 2; i++)
		diagnose_robot(&d, "rover", 1, &up, base);
	ok_eq(got.messages, 1, "one that is full");
	ok_eq(got.statuses, MESSAGE_STATUSES, "with all that it can have");
	diagnose_end(&d);
	ok_eq(got.messages, 2, "and the rest");
	ok_eq(got.statuses, 2, "in another one");
	publish_destroy(p);
}

static struct message_value value(const char *key, const char *text)
{
	return (struct message_value){ message_string(key),
				       message_string(text) };
}

/* Return: how many robots are read of one that was heard so many s ago */
static unsigned int robots_read_of(const char *since_heard, const char *since,
				   const char *silence)
{
	static union message m;

	m.diagnostics = (struct message_diagnostics){
		.statuses = 1,
		.status = { {
			.name = message_string("optsample: robot r"),
			.hardware_id = message_string("r"),
			.values = 4,
			.value = { value("seconds since it was heard",
					 since_heard),
				   value("seconds without an outage", since),
				   value("seconds of the outage before",
					 silence),
				   value("run", "ff") },
		} },
	};
	heard.robots = 0;
	diagnose_read(&reader, &m.diagnostics, base);
	return heard.robots;
}

static void test_values(void)
{
	ok_eq(robots_read_of("1", "2", "0"), 1, "a robot");
	ok_eq(heard.run, 255, "its run");
	ok_eq(robots_read_of("2", "2", "0"), 1, "heard once");
	ok_eq(robots_read_of("3", "2", "0"), 0, "silent for longer than heard");
	ok_eq(robots_read_of("", "2", "0"), 0, "nothing");
	ok_eq(robots_read_of("1", "", "0"), 0, "nothing of the second");
	ok_eq(robots_read_of("1", "2", ""), 0, "nothing of the third");
	ok_eq(robots_read_of("1x", "2", "0"), 0, "no number");
	ok_eq(robots_read_of("-1", "2", "0"), 0, "less than 0");
	ok_eq(robots_read_of("1", "1000000000", "0"), 0, "30 years");
	ok_eq(robots_read_of("nan", "2", "0"), 0, "not a number");
	ok_eq(robots_read_of("1", "2", "00000000000000000000000000000001"), 0,
	      "a text of 32 bytes");
}

static bool is_ours(const char *name, const char *id)
{
	static union message m;

	m.diagnostics = (struct message_diagnostics){
		.statuses = 1,
		.status = { { .name = message_string(name),
			      .hardware_id = message_string(id) } },
	};
	heard.topics = 0;
	return diagnose_read(&reader, &m.diagnostics, base);
}

static void test_names(void)
{
	char longest[CONTROL_WORD + 8];

	ok(is_ours("optsample: /cam", "rover"), "a topic of ours");
	ok_eq(heard.topics, 1, "is read");
	ok_str(heard.name, "/cam", "by its name");
	ok_str(heard.label, "rover", "of its robot");
	ok(!is_ours("optsample: ", "rover"), "no name");
	ok(!is_ours("optsample: wlan0", "rover"), "a device");
	ok(!is_ours("battery: /cam", "rover"), "of another program");
	memset(longest, 'a', sizeof(longest));
	longest[sizeof(longest) - 1] = 0;
	ok(is_ours("optsample: /cam", longest), "a long label");
	ok(!diagnose_read(NULL, &(struct message_diagnostics){ 0 }, 0),
	   "an empty message");
}

/* Of a topic: how well it arrives */
static void test_topic(void)
{
	struct publish *p = publish_create();
	static struct diagnose d;
	unsigned int before;
	struct test t;

	begin(&t);
	publish_listen(p, on_heard, NULL);
	for (unsigned int i = 0; i < 10; i++)
		come(&t, i, 0, t.image.count, 0, 0);
	stream_tick(t.stream, t.now);
	diagnose_begin(&d, p, base);
	diagnose_topic(&d, "/robot/image", "rover", .25,
		       stream_topic(t.stream, 0));
	diagnose_end(&d);
	ok_str(got.status[0].name, "optsample: /robot/image", "a topic");
	ok_str(got.status[0].id, "rover", "of a robot");
	ok_str(got.status[0].value[1], "0.000", "loses nothing");
	ok_near(atof(got.status[0].value[2]), .25, .25, "its delay");
	ok_near(atof(got.status[0].value[3]), t.image.count, .05,
		"datagrams of a frame");
	ok_str(got.status[0].value[7], "10", "frames");
	ok_str(got.status[0].value[8], "0", "of an outage none");
	ok_eq(got.values, 9, "that is all");
	t.now += 10000 * MS;
	stream_tick(t.stream, t.now + 200000 * MS);
	diagnose_begin(&d, p, base);
	diagnose_topic(&d, "/robot/image", "rover", 0,
		       stream_topic(t.stream, 0));
	diagnose_end(&d);
	ok_str(got.status[0].text, "silent", "later it is silent");
	before = got.messages;
	diagnose_begin(&d, p, base);
	for (unsigned int i = 0; i < MESSAGE_STATUSES + 3; i++)
		diagnose_topic(&d, "/robot/image", "rover", 0,
			       stream_topic(t.stream, 0));
	ok_eq(got.messages - before, 1, "as many topics as fit are a message");
	ok_eq(got.statuses, MESSAGE_STATUSES, "all of them");
	diagnose_end(&d);
	ok_eq(got.messages - before, 2, "the others are the next one");
	ok_eq(got.statuses, 3, "of these alone");
	ok_eq(got.status[0].level, 2, "which is an error");
	end(&t);
	publish_destroy(p);
}

int main(void)
{
	test_robots();
	test_values();
	test_names();
	test_topic();
	return tap_done();
}
