// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_receiver_limits - a receiver and what it need not take: more robots than
 * it has places, noise, silence, datagrams of others and of yesterday
 */
#include <errno.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include "fake_robot.h"
#include "folder.h"
#include "hex.h"
#include "log_lines.h"
#include "message_golden.h"

static struct receiver_options defaults = {
	.topics = RECV_DEFAULTS, .threads = 1,
};

static unsigned int streams(void)
{
	unsigned int n = 0;
	bool old;

	while (receiver_stream(receiver, n, &old))
		n++;
	return n;
}

/* A message of the kind that the robot's topic has */
static void message(struct robot *r)
{
	uint8_t bytes[4096];

	robot_message(r, bytes,
		      from_hex(golden[r->topic.kind][MESSAGE_CDR], bytes));
}

static unsigned int wanted;

static bool all_known(void)
{
	for (unsigned int i = 0; i < wanted; i++)
		if (!is_known(i))
			return false;
	return true;
}

static bool all_shown(void)
{
	return messages >= wanted;
}

/* ---- where it listens ---- */

static void test_listen(void)
{
	struct receiver *second = NULL;
	struct receiver_options with_key = defaults;
	struct rlimit usual, none = { .rlim_cur = 0 };
	struct error error = { "" };
	const struct address nowhere = { .len = sizeof(nowhere.storage) };
	char text[128];

	receiver_begin(&defaults);
	ok_eq(receiver_open(&second, loop, &there, &defaults, publish, &error),
	      -EADDRINUSE, "an address that is in use");
	snprintf(text, sizeof(text),
		 "cannot listen at 127.0.0.1:%u: Address already in use",
		 ntohs(((struct sockaddr_in *)&there.storage)->sin_port));
	ok_str(error.text, text, "is named");
	ok_eq(receiver_open(&second, loop, &nowhere, &defaults, publish, &error),
	      -EAFNOSUPPORT, "an address that is none");
	strcpy(with_key.key, "/nowhere/key");
	ok_eq(receiver_open(&second, loop, &there, &with_key, publish, &error),
	      -ENOENT, "a key that is not there");
	ok(strstr(error.text, "/nowhere/key"), "is named");
	getrlimit(RLIMIT_NOFILE, &usual);
	none.rlim_max = usual.rlim_max;
	setrlimit(RLIMIT_NOFILE, &none);
	ok_eq(receiver_open(&second, loop, &there, &defaults, publish, &error),
	      -EMFILE, "no descriptor left");
	setrlimit(RLIMIT_NOFILE, &usual);
	ok(strstr(error.text, "Too many open files"), "is said");
	receiver_end();
}

static bool no_route(void)
{
	const int fd = socket(AF_INET6, SOCK_DGRAM, 0);
	const struct sockaddr_in6 a = { .sin6_family = AF_INET6,
					.sin6_addr = IN6ADDR_LOOPBACK_INIT };
	const bool none = fd < 0 || bind(fd, (const void *)&a, sizeof(a));

	close(fd);
	return none;
}

/* All addresses of this machine: those of IPv4, too */
static void test_ipv6(void)
{
	struct sockaddr_in v4;
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };
	char label[CONTROL_WORD + 8];
	bool old;

	if (no_route()) {
		ok(true, "no IPv6 here # SKIP");
		return;
	}
	there = free_address();
	v4 = *(struct sockaddr_in *)&there.storage;
	v6.sin6_port = v4.sin_port;
	*(struct sockaddr_in6 *)&there.storage = v6;
	there.len = sizeof(v6);
	receiver_begin(&defaults);
	v6.sin6_addr = in6addr_loopback;
	*(struct sockaddr_in6 *)&there.storage = v6;
	robot_begin(0, "robot", 0);
	wanted = 1;
	ok(wait_for(all_known), "a robot by IPv6");
	robot_begin(1, "robot", 0);
	wanted = 2;
	ok(wait_for(all_known), "another run of it");
	robots[0].silent = true;
	ok(stream_of(0, &old), "takes its place: it is the same machine");
	ok(old, "so that the stream is an old one");
	robots[1].silent = true;
	there = (struct address){ .len = sizeof(v4) };
	memcpy(&there.storage, &v4, sizeof(v4));
	robot_begin(2, "robot", 3);
	wanted = 3;
	ok(wait_for(all_known), "a robot by IPv4 at the same port");
	receiver_label(receiver, stream_of(2, &old), label);
	ok_str(label, "robot_2", "is another machine");
	receiver_end();
}

/* ---- what is no stream ---- */

static void test_noise(void)
{
	struct robot *r;
	struct optsample_segment s;
	uint8_t bytes[OPTSAMPLE_SEGMENT_MAX + 1] = { 0 };

	receiver_begin(&defaults);
	r = robot_begin(0, "robot", 1);
	r->silent = true;
	segment_init(&s);
	s.stream = 1;
	for (unsigned int i = 0; i < 5; i++) {
		size_t n = sizeof(s);

		s.magic = htole32(OPTSAMPLE_SEGMENT_MAGIC + (i == 0));
		s.version = OPTSAMPLE_SEGMENT_VERSION + (i == 1);
		s.index = htole16(i == 2);
		s.header = sizeof(s) + (i == 3);
		if (i == 4)
			n = sizeof(bytes);
		memcpy(bytes, &s, sizeof(s));
		sendto(r->fd, bytes, n, 0, (void *)&there.storage, there.len);
		sendto(r->fd, bytes, 3, 0, (void *)&there.storage, there.len);
	}
	message(r);
	pass(600);
	ok_eq(receiver_strange(receiver), 10, "noise is counted");
	ok_eq(streams(), 0, "it is no stream, nor is data of no sender");
	ok_eq(receiver_counts(receiver)->streams, 0, "and none is counted");
	ok_eq(receiver_unsealed(receiver), 0, "no sender needs a key");
	ok_eq(receiver_refused(receiver), 0, "nothing was refused");
	r->silent = false;
	wanted = 1;
	ok(wait_for(all_known), "an announcement begins one");
	ok_eq(receiver_counts(receiver)->streams, 1, "which is counted");
	message(r);
	ok(wait_for(all_shown), "then its data is shown");
	ok(was_heard("/imu"), "on its topic");
	ok_eq(receiver_counts(receiver)->published, 1, "and counted");
	receiver_end();
}

/* A receiver that may not use memory for what robots send */
static void test_memory(void)
{
	struct receiver_options o = defaults;
	struct robot *r;

	o.topics.memory = 8192;
	log_lines_begin(LOG_WARNING);
	receiver_begin(&o);
	r = robot_begin(0, "robot", 1);
	wanted = 1;
	wait_for(all_known);
	pass(2000);
	for (unsigned int i = 0; i < 40; i++)
		message(r);
	pass(3000);
	receiver_end();
	log_lines_end();
	ok_eq(log_lines_with("robot: decoding exceeds the limit of memory=; frames dropped"),
	      1, "a limit of memory is logged once");
}

/* ---- names ---- */

static void name_of(unsigned int i, const char *topic, char name[512])
{
	bool old;

	receiver_name(receiver, stream_of(i, &old), topic, "/kept", name);
}

static void test_names(void)
{
	static const char *const names[][2] = {
		{ "7eleven", "/r7eleven/imu/kept" },
		{ "a-b c.Z_9", "/a_b_c_Z_9/imu/kept" },
		{ "", "/imu/kept" },
	};
	struct receiver_options o = defaults;
	char name[512];

	o.prefix = PREFIX_ALWAYS;
	receiver_begin(&o);
	for (wanted = 0; wanted < 3; wanted++)
		robot_begin(wanted, names[wanted][0], wanted + 1);
	ok(wait_for(all_known), "robots that have strange names");
	for (unsigned int i = 0; i < 3; i++) {
		name_of(i, "/imu", name);
		ok_str(name, names[i][1], "\"%s\" in front of a topic",
		       names[i][0]);
	}
	name_of(0, "imu", name);
	ok_str(name, "/r7eleven/imu/kept", "of a topic without a slash, too");
	receiver_options(receiver)->prefix = PREFIX_NEVER;
	pass(400);
	name_of(0, "imu", name);
	ok_str(name, "/imu/kept", "until the user does not want it");
	receiver_end();
}

/* ---- silence ---- */

static bool is_forgotten(void)
{
	return !streams();
}

static void test_silence(void)
{
	const struct control_command c = {
		.entries = 1,
		.entry[0] = { CONTROL_PRIORITY, 1, "/imu" },
	};
	struct error error = { "" };
	struct robot *r, *noise;
	unsigned int reports;
	uint64_t since;
	bool old;

	receiver_begin(&defaults);
	r = robot_begin(0, "robot", 1);
	wanted = 1;
	ok(wait_for(all_known), "a robot");
	reports = r->reports;
	diagnoses = 0;
	pass(5000);
	ok_range(r->reports - reports, 8, 11, "gets two reports a second");
	ok_range(diagnoses, 4, 6, "and is diagnosed once");
	ok_eq(statuses, 2, "with its topic");
	ok_str(diagnosed[0], "optsample: robot robot: link up", "it is there");
	ok_str(diagnosed[1], "optsample: /imu: silent", "the topic is not");
	r->silent = true;
	since = loop_now();
	ok_eq(receiver_command(receiver, stream_of(0, &old), &c, &error), 0,
	      "and commands");
	pass(6000);
	ok_eq(receiver_command(receiver, stream_of(0, &old), &c, &error),
	      -EHOSTUNREACH, "but not if it is silent");
	ok_str(error.text, "robot is silent", "which is said");
	ok_str(diagnosed[0], "optsample: robot robot: link down",
	       "and in the diagnosis");
	reports = r->reports;
	/* one announcement, as noise could be */
	noise = robot_begin(1, "noise", 2);
	noise->silent = true;
	robot_announce(noise);
	pass(8000);
	ok_eq(r->reports, reports, "then no reports are sent, either");
	ok_eq(streams(), 2, "who announced itself once is remembered");
	pass(4000);
	ok_eq(streams(), 1, "for ten seconds");
	pass(90000);
	ok_eq(streams(), 1, "who announced itself twice");
	log_lines_begin(LOG_INFO);
	ok(wait_for(is_forgotten), "is forgotten, too");
	ok_near((loop_now() - since) / 1e9, 121, 1.5, "after two minutes");
	log_lines_end();
	ok_eq(log_lines_with("robot is silent"), 1, "which is said");
	robot_announce(r);
	pass(200);
	ok_eq(streams(), 1, "then it is a new one");
	ok(!is_known(0), "which has no name yet");
	r->silent = false;
	ok(wait_for(all_known), "that is known after two announcements");
	receiver_end();
}

/* ---- a crowd ---- */

static bool came(void)
{
	return is_known(wanted);
}

static bool known_but(unsigned int without, unsigned int count)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < count; i++)
		n += is_known(i);
	return n == count - 1 && !is_known(without);
}

static void test_crowd(void)
{
	char name[32];

	log_lines_begin(LOG_WARNING);
	receiver_begin(&defaults);
	for (wanted = 0; wanted < RECEIVER_STREAMS; wanted++) {
		snprintf(name, sizeof(name), "robot%u", wanted);
		robot_begin(wanted, name, wanted + 1)->topic.topic = wanted + 1;
	}
	ok(wait_for(all_known), "as many robots as there are places");
	ok_eq(receiver_counts(receiver)->crowded, 0, "are no crowd");
	/* the one that is silent longest, of those that show nothing */
	messages = 0;
	for (unsigned int i = 0; i < RECEIVER_STREAMS; i++)
		if (i != 5 && i != 9)
			message(&robots[i]);
	wanted = RECEIVER_STREAMS - 2;
	ok(wait_for(all_shown), "all but two show something");
	robots[0].silent = robots[5].silent = true;
	pass(400);
	robots[9].silent = true;
	pass(400);
	wanted = RECEIVER_STREAMS;
	robot_begin(wanted, "another", wanted + 1);
	ok(wait_for(came), "one more");
	ok(known_but(5, wanted + 1),
	   "has the place of the one that shows nothing, and is silent longest");
	ok_eq(receiver_counts(receiver)->crowded, 1, "which is counted");
	robots[wanted].silent = true;
	wanted++;
	robot_begin(wanted, "last", wanted + 1);
	ok(wait_for(came), "and another one");
	ok(!is_known(9), "that of the other one of these");
	messages = 0;
	message(&robots[wanted]);
	message(&robots[wanted - 1]);
	wanted = 2;
	ok(wait_for(all_shown), "both show something, too");
	wanted = RECEIVER_STREAMS + 2;
	robot_begin(wanted, "none", wanted + 1);
	pass(2000);
	ok(!is_known(wanted), "then there is no place for yet another one");
	ok(is_known(0), "not even that of a robot that is silent");
	robot_end(&robots[wanted]);
	/* a stream whose place another run of the robot took */
	robot_begin(wanted, "robot1", 2);
	pass(1000);
	ok(!is_known(wanted), "nor for a later run of one of them");
	ok(receiver_counts(receiver)->crowded > 3, "all of which is counted");
	receiver_end();
	log_lines_end();
	ok_eq(log_lines_with("more than 32 senders"), 1, "and logged once");
}

/* ---- data of an earlier run ---- */

static bool replaced(void)
{
	bool old;

	return is_known(1) && stream_of(0, &old) && old;
}

static bool some_outdated(void)
{
	return receiver_counts(receiver)->outdated > 0;
}

/* What came of an earlier run, if the user wants that with such data */
static void test_earlier(enum receiver_kept kept, enum message_kind kind,
			 const char *name)
{
	static const char *const words[] = { "apart", "together", "dropped" };
	struct receiver_options o = defaults;
	struct robot *r;
	uint64_t outdated;

	o.kept = kept;
	receiver_begin(&o);
	r = robot_begin(0, "robot", 1);
	r->topic.kind = kind;
	wanted = 1;
	wait_for(all_known);
	r->silent = true;
	r = robot_begin(1, "robot", 1);
	r->topic.kind = kind;
	ok(wait_for(replaced), "%s: an earlier run", words[kept]);
	outdated = receiver_counts(receiver)->outdated;
	ok_eq(outdated, 0, "%s: nothing of it yet", words[kept]);
	message(&robots[0]);
	wanted = 1;
	if (name) {
		ok(wait_for(all_shown), "%s: of it a message", words[kept]);
		ok(was_heard(name), "%s: on %s", words[kept], name);
	} else {
		pass(1000);
		if (kept == KEPT_TOGETHER)
			wait_for(some_outdated);
		ok_eq(messages, 0, "%s: of it no message", words[kept]);
	}
	outdated = kept == KEPT_TOGETHER && !name;
	ok_eq(receiver_counts(receiver)->outdated, outdated,
	      "%s: %d that a newer one replaced", words[kept], (int)outdated);
	messages = 0;
	message(&robots[1]);
	ok(wait_for(all_shown), "%s: of the later run, too", words[kept]);
	ok(was_heard("/imu"), "%s: as it is live", words[kept]);
	receiver_end();
}

/* ---- a key ---- */

static bool was_asked(void)
{
	return robots[0].asked > 0;
}

static bool all_unsealed(void)
{
	return receiver_unsealed(receiver) >= wanted;
}

static bool all_replayed(void)
{
	return receiver_counts(receiver)->replayed >= wanted;
}

static void test_key(const struct seal *seal, const struct seal *other)
{
	struct receiver_options o = defaults;
	struct robot *r;
	uint64_t run;

	snprintf(o.key, sizeof(o.key), "%s", in_folder("key"));
	log_lines_begin(LOG_WARNING);
	receiver_begin(&o);
	robot_begin(1, "without", 2);
	robot_begin(2, "wrong", 3)->seal = other;
	wanted = 6;
	ok(wait_for(all_unsealed), "robots without the key are counted");
	ok_eq(streams(), 0, "and are no streams");
	robot_end(&robots[1]);
	robot_end(&robots[2]);
	log_lines_end();
	ok_eq(log_lines_with("datagrams rejected"), 1, "and logged once");
	log_lines_begin(LOG_WARNING);
	r = robot_begin(0, "robot", 1);
	r->seal = seal;
	r->silent = true;
	robot_announce(r);
	ok(wait_for(was_asked), "one with the key is asked for the run");
	ok_eq(streams(), 0, "and is no stream yet");
	message(r);
	pass(400);
	ok_eq(r->asked, 1, "data is no reason to ask");
	r->silent = false;
	wanted = 1;
	ok(wait_for(all_known), "it is one if it knows that");
	ok_eq(receiver_counts(receiver)->replayed, 0, "nothing is repeated");
	r->copies = 2;
	messages = 0;
	message(r);
	r->copies = 1;
	ok(wait_for(all_replayed), "a datagram that is repeated is counted");
	ok(wait_for(all_shown), "the message");
	ok_eq(messages, 1, "is shown once");
	/* a recording of all it sent must not begin a stream again */
	run = r->run;
	r->silent = true;
	ok(wait_for(is_forgotten), "it is forgotten");
	r->asked = 0;
	r->run = run;
	robot_announce(r);
	ok(wait_for(was_asked), "then it is asked again");
	ok(r->run != run, "for another run");
	/* at most so many answers to strangers */
	pass(3000);
	r->asked = 0;
	for (unsigned int i = 0; i < 200; i++) {
		r->run = 1;
		r->stream = 100 + i;
		robot_announce(r);
	}
	pass(600);
	ok_range(r->asked, 64, 128, "but not more than 64 times a second");
	receiver_end();
	log_lines_end();
	ok_eq(log_lines_with("rejected"), 0, "those with the key are not logged");
}

int main(void)
{
	struct seal *seal, *other;
	struct error error;

	make_folder();
	put_secret("key", "0123456789abcdef0123456789abcdef");
	put_secret("other", "0123456789abcdef0123456789abcdeX");
	if (seal_open(&seal, in_folder("key"), &error) ||
	    seal_open(&other, in_folder("other"), &error))
		abort();
	test_listen();
	test_ipv6();
	test_noise();
	test_memory();
	test_names();
	test_silence();
	test_crowd();
	test_earlier(KEPT_APART, MESSAGE_IMU, "/imu/kept");
	test_earlier(KEPT_TOGETHER, MESSAGE_IMU, "/imu");
	test_earlier(KEPT_DROP, MESSAGE_IMU, NULL);
	test_earlier(KEPT_TOGETHER, MESSAGE_CAMERA_INFO, NULL);
	test_earlier(KEPT_APART, MESSAGE_CAMERA_INFO, "/imu/kept");
	test_key(seal, other);
	seal_close(seal);
	seal_close(other);
	remove_folder();
	return tap_done();
}
