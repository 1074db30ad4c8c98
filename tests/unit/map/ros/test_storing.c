// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_storing - the queue of the thread that stores: its order, its limit, its
 * end
 */
#include <cjson/cJSON.h>
#include <pthread.h>
#include <sys/resource.h>
#include "map/ros/storing.h"
#include "gate.h"
#include "site_fixture.h"

/* The thread stops in its first message until it may go on */
static char done[256];		/* of the thread, until storing_close() */
static unsigned int dropped;
static char dropped_topic[32];
static int begin_error;
static pthread_t loop_thread;

static int on_begin(void *arg, struct loop *loop)
{
	(void)arg;
	strcpy(done, loop && !pthread_equal(pthread_self(), loop_thread) ?
	       "begin " : "wrong ");
	return begin_error;
}

static void note(const char *text, const char *data, size_t len)
{
	const size_t used = strlen(done);

	snprintf(done + used, sizeof(done) - used, "%s=%.*s ", text, (int)len,
		 data);
}

static void on_message(void *arg, const struct source_message *m)
{
	(void)arg;
	pass_gate();
	note(m->topic, m->data, m->len);
}

static void on_do(void *arg, const char *text, double value)
{
	char number[16];

	(void)arg;
	note(text, number, snprintf(number, sizeof(number), "%g", value));
}

static void on_end(void *arg)
{
	(void)arg;
	strcat(done, "end");
}

static void on_dropped(void *arg, const char *topic)
{
	(void)arg;
	dropped++;
	snprintf(dropped_topic, sizeof(dropped_topic), "%s", topic);
}

static int open_storing(struct storing **s, struct site *site, size_t bytes)
{
	const struct storing_config config = {
		.site = site, .bytes = bytes, .begin = on_begin,
		.message = on_message, .end = on_end, .dropped = on_dropped,
	};

	*done = 0;
	dropped = 0;
	loop_thread = pthread_self();
	return storing_open(s, &config);
}

static void send_text(struct storing *s, const char *topic, const char *text)
{
	char copy[32], name[32];
	const struct source_message m = {
		.topic = name, .data = copy, .len = strlen(text),
	};

	strcpy(copy, text);
	strcpy(name, topic);
	storing_message(s, &m);
	/* the queue has a copy */
	memset(copy, '?', sizeof(copy));
	memset(name, '?', sizeof(name));
}

static double status(struct storing *s, const char *key)
{
	cJSON *all = cJSON_CreateObject();
	double value;

	storing_status(s, all);
	value = cJSON_GetNumberValue(cJSON_GetObjectItem(all, key));
	cJSON_Delete(all);
	return value;
}

static void test_order(struct site *site)
{
	struct storing *s;
	char want[256] = "begin ";

	ok_eq(open_storing(&s, site, 1 << 20), 0, "a thread");
	send_text(s, "/a", "1");
	send_text(s, "/b", "2");
	ok_eq(storing_do(s, on_do, "rate", 0.5), 0, "something to do");
	/* more than are taken between two looks at timers */
	for (int i = 0; i < 40; i++)
		send_text(s, "/c", "x");
	storing_close(s);
	strcat(want, "/a=1 /b=2 rate=0.5 ");
	for (int i = 0; i < 40; i++)
		strcat(want, "/c=x ");
	strcat(want, "end");
	want[sizeof(done) - 1] = 0;
	ok_str(done, want, "all is done in order, before the end");
	ok_eq(dropped, 0, "nothing is dropped");
}

static void test_limit(struct site *site)
{
	struct storing *s;
	double one;

	/* as much as a message of one byte needs, besides what a copy has */
	set_gate(true);
	open_storing(&s, site, 1000);
	send_text(s, "/first", "1");
	wait_for_gate();
	ok_near(status(s, "waiting"), 0, 0, "the first message is being stored");
	send_text(s, "/a", "1");
	one = status(s, "waiting_bytes");
	ok_range(one, 1, 200, "one that waits has %g bytes", one);
	ok_near(status(s, "waiting"), 1, 0, "it counts");
	while (status(s, "waiting_bytes") + one <= 1000)
		send_text(s, "/b", "1");
	ok_eq(dropped, 0, "up to the limit none is dropped");
	send_text(s, "/c", "1");
	ok_eq(dropped, 1, "one more is");
	ok_str(dropped_topic, "/c", "with its topic");
	send_text(s, "/d", "1");
	ok_eq(dropped, 1, "the next one is not reported again");
	ok_near(status(s, "dropped"), 2, 0, "but counted");
	ok_eq(storing_do(s, on_do, "always", 1), 0, "functions have no limit");
	set_gate(false);
	storing_close(s);
	ok(strstr(done, "/b=1 always=1 end") != NULL, "the rest is stored");
	ok(!strstr(done, "/c"), "not what was dropped");
	set_gate(true);
	open_storing(&s, site, 3 * one);
	send_text(s, "/first", "1");
	wait_for_gate();
	for (int i = 0; i < 3; i++)
		send_text(s, "/a", "1");
	ok_eq(dropped, 0, "exactly as much as may wait");
	send_text(s, "/b", "1");
	ok_eq(dropped, 1, "and one more");
	set_gate(false);
	storing_close(s);
}

/* A series of drops is over when a message fits again */
static void test_series(struct site *site)
{
	struct storing *s;

	open_storing(&s, site, 200);
	set_gate(true);
	send_text(s, "/first", "1");
	wait_for_gate();
	for (int i = 0; i < 9; i++)
		send_text(s, "/a", "1");
	ok_eq(dropped, 1, "a series of drops");
	set_gate(false);
	while (status(s, "waiting") > 0)
		sched_yield();
	set_gate(true);
	send_text(s, "/b", "1");
	wait_for_gate();
	for (int i = 0; i < 9; i++)
		send_text(s, "/c", "1");
	ok_eq(dropped, 2, "another one is reported again");
	set_gate(false);
	storing_close(s);
}

static void test_begin(struct site *site)
{
	struct storing *s = NULL;
	struct rlimit before, none;
	int next, err;

	begin_error = -ENOMEM;
	ok_eq(open_storing(&s, site, 1), -ENOMEM, "a thread that cannot begin");
	ok_eq(s == NULL, true, "is none");
	ok_str(done, "begin ", "and has no end");
	begin_error = 0;
	storing_close(NULL);
	next = dup(0);
	close(next);
	getrlimit(RLIMIT_NOFILE, &before);
	none = before;
	for (int i = 0; i < 2; i++) {
		none.rlim_cur = next + i;
		setrlimit(RLIMIT_NOFILE, &none);
		err = open_storing(&s, site, 1);
		setrlimit(RLIMIT_NOFILE, &before);
		ok(err < 0, "none with %d descriptors", i);
		ok_str(done, "", "it does not begin");
	}
}

int main(void)
{
	struct site *site;

	make_folder();
	site = open_site(in_folder("a.db"), STORE_CREATE);
	test_order(site);
	test_limit(site);
	test_series(site);
	test_begin(site);
	site_close(site);
	remove_folder();
	return tap_done();
}
