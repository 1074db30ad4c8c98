// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_bus_broker - the bus over a broker in this process: what it promises,
 * refusals, and the end of a connection
 */
#include "bus_suite.h"
#include "fake_broker.h"

#define SPEC "amqp://user:secret@robot:5672/site"

static void open_refused(uint16_t code, const char *at, const char *why,
			 unsigned int times, int want, const char *line)
{
	const struct bus_config c = { .job = "j" };
	struct error error = { "" };
	struct bus *e = NULL;

	fake_broker.refuse = code;
	fake_broker.at = at;
	fake_broker.why = why;
	fake_broker.times = times;
	fake_broker.connects = 0;
	ok_eq(bus_open(&e, SPEC, BUS_WORKER, &c, &error), want, "%s: %u", at,
	      code);
	if (want)
		ok_str(error.text, line, "%s: %u: its line", at, code);
	else
		bus_close(e);
	ok_eq(fake_connections(), 0, "%s: %u: no connection is left", at, code);
	fake_broker.times = 0;
}

static void test_refusals(void)
{
	open_refused(AMQP_ACCESS_REFUSED, "login", "no", 1, -EACCES,
		     "broker robot:5672: wrong user or password (user 'user')");
	open_refused(AMQP_NOT_ALLOWED, "channel", "no\nway", 1, -EACCES,
		     "broker robot:5672: user 'user' lacks permission: 530 no?way");
	open_refused(AMQP_ACCESS_REFUSED, "exchange", "no", 1, -EACCES,
		     "broker robot:5672: user 'user' lacks permission: 403 no");
	open_refused(AMQP_RESOURCE_LOCKED, "queue", "it is", 1, -EBUSY,
		     "broker robot:5672: job 'j' already has a coordinator");
	open_refused(AMQP_INTERNAL_ERROR, "consume", "oh", 1, -ECONNREFUSED,
		     "broker robot:5672: 541 oh");
	open_refused(AMQP_NOT_FOUND, "bind", "no exchange", 9, 0, "");
	ok_eq(fake_broker.connects, 10, "an exchange that vanishes: again");
	open_refused(AMQP_NOT_FOUND, "bind", "no exchange", 99, -ENOENT,
		     "broker robot:5672: 404 no exchange");
	ok_eq(fake_broker.connects, 10, "... ten times at most");
}

/* If not 0: so many ms pass from one look at the clock to the next */
static unsigned int clock_step;

int __real_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t);

int __wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
	static unsigned int ms;

	if (!clock_step || clock != CLOCK_MONOTONIC)
		return __real_clock_gettime(clock, t);
	ms += clock_step;
	*t = (struct timespec){ 1000 + ms / 1000, ms % 1000 * 1000000 };
	return 0;
}

static unsigned int notices;
static char noticed[ERROR_TEXT];

static void on_notice(void *arg, const char *line)
{
	(void)arg;
	notices++;
	snprintf(noticed, sizeof(noticed), "%s", line);
	if (fake_broker.connects >= 1)
		fake_broker.no_answer = false;
}

static void test_no_answer(void)
{
	struct bus_config c = { .job = "j", .notice = on_notice };
	struct error error = { "" };
	struct bus *e = NULL;

	fake_broker.no_answer = true;
	fake_broker.connects = 0;
	ok_eq(bus_open(&e, SPEC, BUS_WORKER, &c, &error), -ECONNREFUSED,
	      "no broker");
	ok_str(error.text, "broker robot:5672: no answer from robot, port 5672 "
	       "(the connection was refused or has no route): is a RabbitMQ "
	       "broker running there?", "... its line");
	ok_eq(notices, 0, "... at once");
	c.connect_ms = 150;
	c.notice = NULL;
	fake_broker.connects = 0;
	clock_step = 60;
	ok_eq(bus_open(&e, SPEC, BUS_WORKER, &c, &error), -ECONNREFUSED,
	      "none within 150 ms");
	clock_step = 0;
	ok_eq(fake_broker.connects, 3, "... that was tried again");
	c.connect_ms = UINT32_MAX;
	c.notice = on_notice;
	fake_broker.connects = 0;
	ok_eq(bus_open(&e, SPEC, BUS_WORKER, &c, &error), 0,
	      "one that comes later");
	ok_eq(notices, 1, "... that it was not there is reported");
	ok_str(noticed, error.text, "... as such");
	ok_eq(fake_broker.connects, 2, "... and it is tried again");
	bus_close(e);
}

/* What all members hear, and that they come again */
static void test_lost(amqp_method_number_t how, const char *why)
{
	struct bus_message m;
	struct bus *c, *w;

	new_job();
	c = open_member(BUS_COORDINATOR);
	w = join(c);
	fake_close_all(how, "bye");
	ok(comes(c, BUS_LEFT, 1, &m), "%s: the worker left", why);
	ok_str(m.data, why, "... why");
	ok(comes(w, BUS_COORDINATOR_GONE, 0, &m), "%s: and the coordinator",
	   why);
	ok_str(m.data, why, "... why");
	ok_eq(next(c, &m), 1, "a worker comes again");
	ok_eq(m.type, BUS_JOINED, "... and joins");
	ok(comes(w, BUS_JOINED, m.from, NULL), "... and hears of it");
	ok(send_u32(w, 0, 5, 55), "it sends");
	ok(comes(c, 5, bus_id(w), &m), "... and is heard");
	end_job();
	ok_eq(fake_connections(), 0, "no connection is left");
}

static void test_strange(void)
{
	uint8_t header[FRAME_SIZE] = "no frame";
	amqp_basic_properties_t none = { 0 }, odd = {
		._flags = AMQP_BASIC_CORRELATION_ID_FLAG,
		.correlation_id = { FRAME_SIZE, header },
	};
	struct bus_message m;
	struct bus *c, *w;

	new_job();
	c = open_member(BUS_COORDINATOR);
	w = join(c);
	fake_publish(&none, "a message of another program");
	fake_publish(&odd, "and one with another header");
	fake_publish(&none, "");
	fake_inject(AMQP_FRAME_HEARTBEAT, 0);
	ok(send_u32(w, 0, 5, 55), "a message after those of others");
	ok(comes(c, 5, 1, &m), "... is heard");
	ok(is_u32(&m, 55), "... as it was");
	ok(send_u32(c, 1, 6, 66), "one to the worker");
	ok(comes(w, 6, 0, &m), "... is heard");
	fake_inject(AMQP_FRAME_BODY, 5);
	ok(comes(c, BUS_LEFT, 1, &m), "a body without a header");
	ok_str(m.data, "broker robot:5672: unexpected order of frames",
	       "... ends the connection");
	end_job();
}

/* Its queue is gone: the coordinator knows by what comes back */
static void test_vanished(void)
{
	struct bus_message m;
	struct bus *c, *w;

	new_job();
	c = open_member(BUS_COORDINATOR);
	w = join(c);
	pthread_mutex_lock(&fake_broker.lock);
	for (int i = 0; i < FAKE_CONNS; i++)
		if (fake_broker.conn[i].used &&
		    !strstr(fake_broker.conn[i].queue, "coordinator"))
			fake_broker.conn[i].keys = 0;
	pthread_mutex_unlock(&fake_broker.lock);
	fake_broker.returned = 0;
	ok_eq(bus_send_data(c, 1, 5, "x", 1), 0, "to a queue that is gone");
	ok(comes(c, BUS_LEFT, 1, &m), "its worker left");
	ok_str(m.data, "connection closed", "... why");
	ok_range(fake_broker.returned, 1, 100, "... as it came back");
	close_member(w);
	end_job();
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	test_suite(SPEC, false);
	spec = SPEC;
	ok_eq(fake_connections(), 0, "no connection is left");
	test_refusals();
	test_no_answer();
	test_lost(AMQP_CONNECTION_CLOSE_METHOD,
		  "broker robot:5672: closed by the broker: 320 bye");
	test_lost(AMQP_CHANNEL_CLOSE_METHOD,
		  "broker robot:5672: closed by the broker: 320 bye");
	test_lost(AMQP_BASIC_CANCEL_METHOD,
		  "broker robot:5672: the queue was deleted");
	test_strange();
	test_vanished();
	return tap_done();
}
