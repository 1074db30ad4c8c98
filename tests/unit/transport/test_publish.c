// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_publish - names that robots give: as many as there is room for, and
 * those of robots that left make room
 */
#include <errno.h>
#include <stdio.h>
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

int main(void)
{
	char spec[80], error[ERROR_TEXT];
	struct loop *l = loop_create();

	make_folder();
	snprintf(spec, sizeof(spec), "%s/", folder);
	p = publish_create();
	ok(p, "a folder");
	ok(l, "a folder");
	ok(!publish_add(p, l, spec, "test", error), "a folder");
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
	publish_destroy(p);
	ok(!access(in_folder("n0"), F_OK), "each has its files");
	ok(!access(in_folder("n1023"), F_OK), "each has its files");
	loop_destroy(l);
	remove_folder();
	return tap_done();
}
