// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_status - the sender's status arrives as messages
 */
#include <errno.h>
#include <stdio.h>
#include "link/link.h"
#include "log_lines.h"
#include "loopback.h"
#include "transport/sender_status.h"

enum { TOPICS = 12, BYTES = 2300 };

/**
 * struct seen - what was published on SENDER_STATUS_TOPIC
 * @topic:	how often the status of each topic came, "/x" and "/y" first
 * @empty:	messages that say nothing
 * @now:	messages whose stamp is the time at which they came
 * @late:	messages that did not come in this minute, by the receiver
 * @most:	bytes of the largest message
 */
static struct seen {
	unsigned int	messages, links, topic[TOPICS], other, priority, most;
	unsigned int	now, late, empty;
	unsigned int	robot, second, below;
	char		state[16], commands[16], topics[16], focus[16];
} seen;

static bool is(const struct message_string *s, const char *text)
{
	return message_string_is(s, text);
}

static void copy(char to[16], const struct message_status *s, const char *key)
{
	for (unsigned int i = 0; i < s->values; i++)
		if (is(&s->value[i].key, key))
			snprintf(to, 16, "%.*s", (int)s->value[i].value.len,
				 s->value[i].value.text);
}

static void see_topic(const struct message_status *s)
{
	char name[32], text[16] = "";

	for (unsigned int i = 0; i < TOPICS; i++) {
		if (i < 2)
			snprintf(name, sizeof(name), "topic /%c", "xy"[i]);
		else
			snprintf(name, sizeof(name), "topic /topic%u", i - 2);
		if (!is(&s->name, name))
			continue;
		seen.topic[i]++;
		if (i)
			return;
		copy(text, s, "priority");
		seen.priority = atoi(text);
		copy(seen.focus, s, "focus");
		return;
	}
	seen.other++;
}

static int64_t wall_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void on_heard(void *arg, const char *name, enum message_kind kind,
		     int64_t received, const union message *msg)
{
	const struct message_diagnostics *d = &msg->diagnostics;
	long size;

	(void)arg;
	seen.late += llabs(wall_clock() - received) > 60000 * (int64_t)MS;
	if (strstr(name, "/optsample/link") != name)
		seen.below += strstr(name, "/optsample/link") != NULL;
	if (kind != MESSAGE_DIAGNOSTICS || strcmp(name, SENDER_STATUS_TOPIC))
		return;
	seen.messages++;
	seen.empty += !d->statuses;
	seen.now += llabs(wall_clock() - d->header.stamp) < 300 * (int64_t)MS;
	size = message_size(kind, MESSAGE_CDR, msg);
	if (size > seen.most)
		seen.most = size;
	for (unsigned int i = 0; i < d->statuses; i++) {
		const struct message_status *s = &d->status[i];

		seen.robot += is(&s->hardware_id, "robot");
		seen.second += is(&s->hardware_id, "second");
		if (!is(&s->name, "link")) {
			see_topic(s);
			continue;
		}
		seen.links++;
		copy(seen.state, s, "state");
		copy(seen.commands, s, "commands");
		copy(seen.topics, s, "topics");
	}
}

static void begin(uint64_t status, double rate)
{
	struct sender_options to = ROBOT;

	to.status = status;
	to.rate = rate;
	seen = (struct seen){ 0 };
	loopback_begin(&to);
	publish_listen(publish, on_heard, NULL);
}

/* Segments of the status, and those of them that may be sampled */
static unsigned int segments, sampled;

static void on_segment(const uint8_t *bytes, size_t n)
{
	const struct send_topic *t = sender_find(sender, SENDER_STATUS_TOPIC);
	struct optsample_segment s;

	if (!t || segment_read(&s, bytes, n) ||
	    segment_topic(&s) != send_topic_announcement(t)->topic)
		return;
	segments++;
	sampled += s.flags & OPTSAMPLE_SEGMENT_SAMPLE;
}

static bool all_twice(void)
{
	for (unsigned int i = 0; i < TOPICS; i++)
		if (seen.topic[i] < 2)
			return false;
	return seen.links > 1;
}

static bool has_priority(void)
{
	return seen.priority == 6 && !strcmp(seen.commands, "1") &&
	       !strcmp(seen.focus, "true");
}

static void test_arrives(void)
{
	struct control_command c = { .entries = 2 };
	struct source_message m = { .topic = SENDER_STATUS_TOPIC,
				    .kind = MESSAGE_DIAGNOSTICS,
				    .data = "", .len = 0 };
	const struct send_topic *own;
	bool all, listed = false;
	unsigned int n = 0;
	uint64_t before;
	struct error error;

	more_topics = TOPICS - 2;
	begin(100 * MS, 0);
	l.heard = on_segment;
	all = wait_for(all_twice);
	ok(all, "the link and all topics: %u messages, %s, %s topics",
	   seen.messages, seen.state, seen.topics);
	ok(!seen.other, "the link and all topics: %u messages, %s, %s topics",
	   seen.messages, seen.state, seen.topics);
	ok(seen.robot, "the link and all topics: %u messages, %s, %s topics",
	   seen.messages, seen.state, seen.topics);
	ok_str(seen.state, "live",
	       "the link and all topics: %u messages, %s, %s topics",
	       seen.messages, seen.state, seen.topics);
	ok_str(seen.topics, "12",
	       "the link and all topics: %u messages, %s, %s topics",
	       seen.messages, seen.state, seen.topics);
	ok_eq(seen.empty, 0, "none of them empty");
	ok(seen.now * 2 > seen.messages, "with their time: %u", seen.now);
	ok_eq(seen.late, 0, "and that of the receiver");
	ok(seen.most > 300, "of at most %u bytes", seen.most);
	ok(seen.most <= BYTES, "of at most %u bytes", seen.most);
	ok(segments, "in segments that are never sampled: %u of %u", sampled,
	   segments);
	ok(!sampled, "in segments that are never sampled: %u of %u", sampled,
	   segments);
	own = sender_find(sender, SENDER_STATUS_TOPIC);
	while (sender_topic(sender, n))
		listed |= sender_topic(sender, n++) == own;
	ok_eq(n, TOPICS, "it is not among the topics");
	ok(own, "it is not among the topics");
	ok(!listed, "it is not among the topics");
	ok_eq(send_topic_options(own)->priority, ALLOCATION_PRIORITY,
	      "it is not among the topics");
	before = send_topic_counts(own)->messages;
	sender_message(sender, &m);
	ok_eq(send_topic_counts(own)->messages, before,
	      "a source cannot send it");
	ok(!sender_wants(sender, SENDER_STATUS_TOPIC),
	   "a source cannot send it");
	c.entry[0] = (struct control_command_entry){ CONTROL_PRIORITY, 6,
						     "/x" };
	c.entry[1] = (struct control_command_entry){ CONTROL_FOCUS, 1, "/x" };
	ok(!receiver_command(receiver, stream(), &c, &error),
	   "it shows what a command changed");
	ok(wait_for(has_priority), "it shows what a command changed");
	loopback_end();
	more_topics = 0;
}

static uint64_t started;

static bool for_3_s(void)
{
	return loop_now() - started > 3000 * MS;
}

static void test_little(void)
{
	const struct send_topic *own;
	uint64_t most;

	more_topics = TOPICS - 2;
	begin(100 * MS, 20000);
	started = loop_now();
	wait_for(for_3_s);
	own = sender_find(sender, SENDER_STATUS_TOPIC);
	/* 5 % of 20000 bytes/s, and the first two */
	most = 1000 * (loop_now() - started) / (1000 * MS) + 4000;
	ok(own, "a small part of the rate: %llu bytes in 3 s",
	   own ? (unsigned long long)send_topic_counts(own)->bytes : 0);
	ok(send_topic_counts(own)->messages >= 1,
	   "a small part of the rate: %llu bytes in 3 s",
	   own ? (unsigned long long)send_topic_counts(own)->bytes : 0);
	ok(send_topic_counts(own)->bytes <= most,
	   "a small part of the rate: %llu bytes in 3 s",
	   own ? (unsigned long long)send_topic_counts(own)->bytes : 0);
	/* the first ones come before that is known */
	ok(seen.links, "then each message has the link: %u of %u", seen.links,
	   seen.messages);
	ok(seen.links + 1 >= seen.messages,
	   "then each message has the link: %u of %u", seen.links,
	   seen.messages);
	more_topics = 0;
	loopback_end();
}

static void test_off(void)
{
	struct source_message m = { .topic = SENDER_STATUS_TOPIC,
				    .kind = MESSAGE_DIAGNOSTICS,
				    .data = "", .len = 0 };

	begin(0, 0);
	started = loop_now() - 1500 * MS;
	wait_for(for_3_s);
	ok(!seen.messages, "no status");
	ok(!sender_find(sender, SENDER_STATUS_TOPIC), "no status");
	sender_message(sender, &m);
	ok(sender_find(sender, SENDER_STATUS_TOPIC) != NULL,
	   "then a source may send it");
	loopback_end();
}

static struct sender *second;

static bool of_both(void)
{
	return seen.robot > 2 && seen.second > 2;
}

/* Every robot has a status: that is no reason for a prefix */
static void test_two(void)
{
	struct sender_options to = ROBOT;
	char text[32], name[512];
	struct error error;
	const struct stream *s;
	unsigned int bare = 0;
	struct address at;
	bool old, both;

	begin(100 * MS, 0);
	strcpy(to.name, "second");
	to.status = 100 * MS;
	snprintf(text, sizeof(text), "127.0.0.1:%u", port(0));
	address_parse(text, 0, "0", &at, &error);
	if (sender_open(&second, loop, &at, &to, &error))
		abort();
	both = wait_for(of_both);
	ok(both, "two robots: %u and %u statuses on one topic",
	   seen.robot, seen.second);
	for (unsigned int i = 0; (s = receiver_stream(receiver, i, &old));) {
		i++;
		receiver_name(receiver, s, "/x", "", name);
		bare += !strcmp(name, "/x");
	}
	ok_eq(bare, 2, "without a prefix");
	ok(!seen.below, "without a prefix");
	sender_close(second);
	loopback_end();
}

/* The user may want the robot's name before each topic */
static void test_prefix(void)
{
	const struct sender_options options = ROBOT;
	char name[512];

	prefix = PREFIX_ALWAYS;
	loopback_begin(&options);
	receiver_name(receiver, stream(), "/x", "", name);
	ok_str(name, "/robot/x", "always a prefix");
	loopback_end();
	prefix = PREFIX_NEVER;
	loopback_begin(&options);
	receiver_name(receiver, stream(), "/x", "", name);
	ok_str(name, "/x", "or never");
	loopback_end();
	prefix = PREFIX_AUTO;
}

static uint64_t lines_until;

static bool for_2_s(void)
{
	return loop_now() >= lines_until;
}

/* Return: the last rate of /x that was logged */
static double logged_rate(const char *lines)
{
	double hz = 0, was;

	for (const char *at = lines; (at = strstr(at, "/x: ")); at++)
		(void)sscanf(at, "/x: %lf Hz, was %lf", &hz, &was);
	return hz;
}

/* Why the rate is as it is, and why a topic is sent as often as it is */
static void test_lines(void)
{
	const struct sender_options options = ROBOT;
	double rate;

	log_lines_begin(LOG_DEBUG);
	loopback_begin(&options);
	lines_until = loop_now() + 2000 * MS;
	wait_for(for_2_s);
	loopback_end();
	rate = logged_rate(log_lines_end());
	ok(log_lines_with(" kB/s, was ") >= 1, "a line for the first rate");
	ok_range(rate, 48, 53, "a line for a topic's rate");
	ok_range(log_lines_with("/x: "), 1, 12,
		 "but not for each of its messages");
}

static const struct message_status *status_of(const union message *m,
					      const char *name)
{
	for (unsigned int i = 0; i < m->diagnostics.statuses; i++)
		if (is(&m->diagnostics.status[i].name, name))
			return &m->diagnostics.status[i];
	return NULL;
}

static const char *value_of(const struct message_status *s, const char *key)
{
	static char text[16];

	*text = 0;
	copy(text, s, key);
	return text;
}

static struct link_stats device;

/* Part @part of the status of @sender, whose @n topics are given, at @now */
static const union message *state_message(unsigned int n, unsigned int part,
					  bool link, int64_t now)
{
	static const struct uplink_counts counts = {
		.datagrams = 11, .bytes = 12, .refused = 13,
	};
	static const struct command_counts commands = { .refused = 14 };
	struct send_topic *topic[TOPICS];
	const struct sender_state state = {
		.name = "robot", .link = sender_link(sender), .counts = &counts,
		.commands = &commands, .device = &device, .limit = 125000,
		.pace = 1000, .cpu = .25, .obeys = true, .topic = topic,
		.topics = n,
	};

	for (unsigned int k = 0; k < n; k++)
		topic[k] = sender_topic(sender, k);
	return sender_status(&state, part, link, now);
}

/* What is known of the queue of its device */
static void test_device(void)
{
	const struct message_status *s;

	device = (struct link_stats){ .known = true, .sampling = true,
				      .backlog = 1500, .held = 3 };
	s = status_of(state_message(1, 0, true, 80), "link");
	ok_str(value_of(s, "backlog"), "1500", "a device with a queue");
	ok_str(value_of(s, "carrier"), "false", "without a carrier");
	ok_str(value_of(s, "sampling"), "true", "that samples");
	ok_str(value_of(s, "held"), "", "and counts nothing");
	device = (struct link_stats){ .known = true, .carrier = true,
				      .counted = true, .held = 3, .oldest = 1.5,
				      .sent = 4, .discarded = 5, .evicted = 6 };
	s = status_of(state_message(1, 0, true, 80), "link");
	ok_str(value_of(s, "carrier"), "true", "one with a carrier");
	ok_str(value_of(s, "sampling"), "false", "that does not sample");
	ok_str(value_of(s, "held"), "3", "but counts what it holds");
	ok_str(value_of(s, "oldest"), "1.50", "for how long");
	ok_str(value_of(s, "sent"), "4", "what it sent");
	ok_str(value_of(s, "discarded"), "5", "did not take");
	ok_str(value_of(s, "evicted"), "6", "and gave up");
	device.known = false;
	s = status_of(state_message(1, 0, true, 80), "link");
	ok_str(value_of(s, "held"), "", "unless it is not known at all");
	device = (struct link_stats){ .known = false };
}

/* Of a sender without an answer: what its status says */
static void test_values(void)
{
	struct sender_options to = ROBOT;
	const struct message_status *s;
	const union message *m;
	struct error error;
	struct address at;

	to.rate = 125000;
	address_parse("127.0.0.1:9", 0, "0", &at, &error);
	loop = loop_create();
	if (sender_open(&sender, loop, &at, &to, &error))
		abort();
	ok_eq(sender_status_parts(0), 1, "without topics one message");
	m = state_message(0, 0, true, 77);
	ok_eq(m->diagnostics.statuses, 1, "of the link");
	ok_eq(m->diagnostics.header.stamp, 77, "of that time");
	more_topics = 3;
	feed(loop_now());
	/* another one of /x, which comes too soon */
	sender_message(sender, &(struct source_message){
		.topic = "/x", .kind = MESSAGE_TWIST_STAMPED,
		.format = MESSAGE_CDR, .data = "x", .len = 1 });
	ok_eq(sender_status_parts(5), 2, "of five topics two");
	m = state_message(5, 0, true, 78);
	ok_eq(m->diagnostics.statuses, 5, "four in the first, with the link");
	s = status_of(m, "link");
	ok_eq(s->level, 1, "which is not live");
	ok(is(&s->message, "start"), "as it starts");
	ok_str(value_of(s, "state"), "start", "its state");
	ok_str(value_of(s, "limit"), "1000000", "its limit, bit/s");
	ok_near(atof(value_of(s, "rate")), sender_link(sender)->rate * 8, 1,
		"its rate, bit/s");
	ok_str(value_of(s, "outages"), "0", "no outage");
	ok_near(atof(value_of(s, "loss")), sender_link(sender)->loss, 1e-4,
		"its loss");
	ok(*value_of(s, "loss"), "even if there is none");
	ok_near(atof(value_of(s, "loss_high")), sender_link(sender)->loss_high,
		1e-4, "at most");
	ok(*value_of(s, "loss_high"), "even if that is none");
	ok_str(value_of(s, "round_trip"), "0.0000", "no round trip is known");
	ok_str(value_of(s, "queue"), "0.0000", "nor a queue");
	ok_str(value_of(s, "topics"), "5", "its topics");
	ok_str(value_of(s, "obeys"), "true", "it obeys");
	ok_str(value_of(s, "commands"), "0", "nothing yet");
	ok_str(value_of(s, "commands_refused"), "14", "but refused some");
	ok_str(value_of(s, "datagrams"), "11", "its datagrams");
	ok_str(value_of(s, "bytes"), "12", "their bytes");
	ok_str(value_of(s, "refused"), "13", "those that were refused");
	ok_str(value_of(s, "pace"), "8000", "its pace, bit/s");
	ok_str(value_of(s, "cpu"), "0.250", "its use of the processor");
	ok_str(value_of(s, "cpu_limits"), "false", "which is no limit");
	ok_str(value_of(s, "capacity"), "0", "the capacity is not known");
	ok_str(value_of(s, "backlog"), "", "nor is the device's queue");
	s = status_of(m, "topic /x");
	ok_eq(s->level, send_topic_plan(sender_topic(sender, 0))->on ? 0 : 1,
	      "a topic");
	ok(is(&s->hardware_id, "robot"), "of the robot");
	ok_str(value_of(s, "codec"), "blob", "its codec");
	ok_str(value_of(s, "priority"), "3", "its priority");
	ok_str(value_of(s, "focus"), "false", "its focus");
	ok_str(value_of(s, "on"), send_topic_plan(sender_topic(sender, 0))->on ?
	       "true" : "false", "whether it is sent");
	ok_near(atof(value_of(s, "hz")),
		send_topic_plan(sender_topic(sender, 0))->hz, .01, "how often");
	ok_near(atof(value_of(s, "hz_in")),
		send_topic_hz(sender_topic(sender, 0)), .01, "of how many");
	ok_eq(atoi(value_of(s, "frame_bytes")),
	      send_topic_plan(sender_topic(sender, 0))->bytes, "how large");
	ok_eq(atoi(value_of(s, "thinned")),
	      send_topic_counts(sender_topic(sender, 0))->thinned,
	      "how many were left out");
	ok(*value_of(s, "thinned"), "even if none was");
	ok_str(value_of(s, "behind"), "0", "none was dropped");
	ok_str(value_of(s, "broken"), "0", "nor broken");
	ok_near(atof(value_of(s, "share")),
		send_topic_rate(sender_topic(sender, 0)) * 8, 1,
		"its part of the rate, bit/s");
	ok(!status_of(m, "topic /topic2"), "not the last one");
	m = state_message(5, 1, false, 79);
	ok_eq(m->diagnostics.statuses, 1, "which is in the second message");
	ok(status_of(m, "topic /topic2"), "alone");
	test_device();
	ok_str(sender_status_state(ESTIMATE_BLIND), "outage", "an outage");
	ok_str(sender_status_state(ESTIMATE_DRAIN), "drain", "and its end");
	/* what it has not cannot be changed */
	ok_eq(sender_change(sender, &(struct send_options){ .name = "/no" }),
	      -ENOENT, "another topic");
	ok_eq(sender_focus(sender, "/no"), -ENOENT, "has no focus");
	ok_eq(sender_priority(sender, "/no", 1), -ENOENT, "no priority");
	ok_eq(sender_remove(sender, "/no"), -ENOENT, "and cannot be removed");
	ok_eq(sender_priority(sender, "/x", 8), -ERANGE, "there is no such");
	ok_eq(sender_priority(sender, "/x", 5), 1, "but others");
	ok_eq(sender_priority(sender, "/x", 5), 0, "once");
	ok_eq(sender_focus(sender, "/x"), 1, "a focus");
	ok_eq(sender_focus(sender, "/x"), 0, "once, too");
	ok_eq(sender_focus(sender, NULL), 1, "and none");
	ok(!send_topic_options(sender_topic(sender, 0))->focus, "it is gone");
	more_topics = 0;
	sender_close(sender);
	loop_destroy(loop);
}

int main(void)
{
	test_values();
	test_arrives();
	test_little();
	test_off();
	test_two();
	test_prefix();
	test_lines();
	return tap_done();
}
