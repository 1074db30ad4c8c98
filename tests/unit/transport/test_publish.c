// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_publish - names that robots give: as many as there is room for, and
 * those of robots that left make room
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/error.h"
#include "folder.h"
#include "tap.h"
#include "transport/publish.h"

#define SECOND	1000000000LL

static struct publish *p;

static int say(unsigned int name, enum message_kind kind, int64_t at)
{
	static union message msg;
	char topic[32];

	snprintf(topic, sizeof(topic), "/n%u", name);
	return publish_message(p, topic, kind, at * SECOND, &msg);
}

static unsigned int say_all(int64_t at, unsigned int but)
{
	unsigned int good = 0;

	for (unsigned int i = 0; i < PUBLISH_TOPICS; i++)
		good += i != but && !say(i, MESSAGE_TWIST, at);
	return good;
}

static unsigned int heard;

static void on_heard(void *arg, const char *name, enum message_kind kind,
		     int64_t received, const union message *msg)
{
	(void)arg;
	(void)name;
	(void)kind;
	(void)received;
	(void)msg;
	heard++;
}

/* Destinations that are refused, and one that refuses a name */
static void test_sinks(void)
{
	char spec[600];
	struct error error = { "" };
	struct loop *l = loop_create();
	static union message msg;

	make_folder();
	p = publish_create();
	publish_listen(p, on_heard, NULL);
	ok_eq(publish_message(p, "/none", MESSAGE_TWIST, SECOND, &msg), 0,
	      "without a destination");
	ok_eq(heard, 1, "a message is heard");
	memset(spec, 'a', sizeof(spec));
	spec[sizeof(spec) - 1] = 0;
	ok_eq(publish_add(p, l, spec, "test", &error), -ENAMETOOLONG,
	      "a name that is too long");
	for (unsigned int i = 0; i < 8; i++) {
		snprintf(spec, sizeof(spec), "%s/%u/", folder, i);
		ok_eq(publish_add(p, l, spec, "test", &error), 0,
		      "destination %u", i);
	}
	ok_eq(publish_add(p, l, spec, "test", &error), -E2BIG, "one too many");
	ok_eq(publish_message(p, "no name", MESSAGE_TWIST, SECOND, &msg),
	      -ENODEV, "a name that no destination takes");
	ok_eq(heard, 2, "is heard");
	ok_eq(publish_refused(p), 8, "and refused by each");
	ok_eq(publish_message(p, "/twist", MESSAGE_TWIST, SECOND, &msg), 0,
	      "a good one is not");
	ok_eq(publish_message(p, "/twist", MESSAGE_IMU, SECOND, &msg),
	      -EPROTOTYPE, "another type");
	ok_eq(heard, 3, "is not heard");
	publish_destroy(p);
	loop_destroy(l);
	remove_folder();
}

int main(void)
{
	char spec[80];
	struct error error;
	struct loop *l = loop_create();

	test_sinks();
	make_folder();
	snprintf(spec, sizeof(spec), "%s/", folder);
	p = publish_create();
	ok(p, "a folder");
	ok(l, "a folder");
	ok(!publish_add(p, l, spec, "test", &error), "a folder");
	ok(say_all(100, PUBLISH_TOPICS) == PUBLISH_TOPICS,
	   "%d topics", PUBLISH_TOPICS);
	ok(say(0, MESSAGE_ODOMETRY, 100) == -EPROTOTYPE,
	   "a name keeps its type");
	ok(say(5000, MESSAGE_TWIST, 100) == -ENOSPC, "no more, all are used");
	ok(say_all(100 + PUBLISH_IDLE, 5) == PUBLISH_TOPICS - 1,
	   "a minute later all but one go on");
	ok(!say(5000, MESSAGE_TWIST, 100 + PUBLISH_IDLE),
	   "a new one has its place");
	ok(say(5, MESSAGE_TWIST, 100 + PUBLISH_IDLE) == -ENOSPC,
	   "which that one lost");
	ok_eq(say(5000, MESSAGE_ODOMETRY, 101 + PUBLISH_IDLE), -EPROTOTYPE,
	      "and no other");
	ok(!say(1023, MESSAGE_TWIST, 101 + PUBLISH_IDLE), "and no other");
	ok(publish_refused(p) == 4, "what was refused is counted: %u",
	   (unsigned int)publish_refused(p));
	ok_eq(say(5, MESSAGE_TWIST, 100 + 2 * PUBLISH_IDLE), 0,
	      "another minute later it has one again");
	publish_destroy(p);
	ok(!access(in_folder("n0"), F_OK), "each has its files");
	ok(!access(in_folder("n1023"), F_OK), "each has its files");
	loop_destroy(l);
	remove_folder();
	return tap_done();
}
