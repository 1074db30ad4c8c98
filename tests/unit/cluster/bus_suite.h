/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bus_suite.h - what userspace/cluster promises, over any engine
 *
 * Members are driven from one thread, so that each step is known; one test has
 * a thread for each.
 */
#ifndef UNIT_BUS_SUITE_H
#define UNIT_BUS_SUITE_H

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/error.h"
#include "cluster/member.h"
#include "tap.h"

enum {
	PATIENCE_MS	= 60000,
	MEMBERS		= 8,
	KB		= 1024,
	MB		= 1024 * KB,
};

static const char *spec;
static struct bus_hub *hub;
static struct bus *members[MEMBERS];
static unsigned int jobs;
static char job[BUS_JOB];
static uint32_t window, heartbeat_ms = 10000;

static struct bus_config config_of(uint32_t protocol, const char *build)
{
	return (struct bus_config){
		.job = job, .protocol = protocol, .build = build, .hub = hub,
		.window = window, .heartbeat_ms = heartbeat_ms,
	};
}

static struct bus *open_as(enum bus_role role, uint32_t protocol,
			   const char *build)
{
	struct bus_config c = config_of(protocol, build);
	struct error error = { "" };
	struct bus *e = NULL;
	unsigned int i;

	if (bus_open(&e, spec, role, &c, &error)) {
		printf("# %s\n", error.text);
		return NULL;
	}
	for (i = 0; i < MEMBERS; i++)
		if (!members[i]) {
			members[i] = e;
			break;
		}
	return e;
}

static struct bus *open_member(enum bus_role role)
{
	return open_as(role, 7, "b1");
}

static void close_member(struct bus *e)
{
	unsigned int i;

	for (i = 0; i < MEMBERS; i++)
		if (members[i] == e)
			members[i] = NULL;
	bus_close(e);
}

static void new_job(void)
{
	hub = bus_hub_create();
	snprintf(job, sizeof(job), "test-%d.%u", getpid(), ++jobs);
}

static void end_job(void)
{
	unsigned int i;

	for (i = 0; i < MEMBERS; i++)
		if (members[i])
			close_member(members[i]);
	bus_hub_destroy(hub);
	hub = NULL;
	window = 0;
}

/* All others go on meanwhile */
static int next(struct bus *e, struct bus_message *m)
{
	int ms, ret;
	unsigned int i;

	for (ms = 0; ms < PATIENCE_MS; ms += 5) {
		ret = bus_receive(e, m, 5);
		if (ret)
			return ret;
		for (i = 0; i < MEMBERS; i++)
			if (members[i] && members[i] != e)
				bus_wait(members[i], 0);
	}
	return 0;
}

static bool comes(struct bus *e, uint16_t type, uint32_t from,
		  struct bus_message *m)
{
	struct bus_message own;
	int ret;

	if (!m)
		m = &own;
	ret = next(e, m);
	if (ret == 1 && m->type == type && m->from == from)
		return true;
	printf("# %d: type %#x from %u, awaited %#x from %u\n", ret, m->type,
	       m->from, type, from);
	return false;
}

/* A worker that is in, and the coordinator knows */
static struct bus *join(struct bus *c)
{
	struct bus *w = open_member(BUS_WORKER);
	struct bus_message m;

	if (!w || next(c, &m) != 1 || m.type != BUS_JOINED ||
	    !comes(w, BUS_JOINED, m.from, NULL)) {
		ok(false, "a worker joins");
		exit(tap_done());
	}
	return w;
}

static bool send_u32(struct bus *e, uint32_t to, uint16_t type, uint32_t v)
{
	return !bus_send_data(e, to, type, &v, sizeof(v));
}

static bool is_u32(const struct bus_message *m, uint32_t v)
{
	uint32_t u;

	if (m->len != sizeof(u))
		return false;
	memcpy(&u, m->data, sizeof(u));
	return u == v;
}

static void test_join(void)
{
	struct bus *c, *a, *b, *early;
	struct bus_message m;

	new_job();
	early = open_member(BUS_WORKER);
	ok(early && !bus_receive(early, &m, 10) && !bus_id(early),
	   "a worker waits for a coordinator");
	ok(send_u32(early, 0, 1, 1) == false, "and cannot send meanwhile");
	c = open_member(BUS_COORDINATOR);
	ok(comes(c, BUS_JOINED, 1, NULL), "the coordinator sees it");
	ok(comes(early, BUS_JOINED, 1, NULL) && bus_id(early) == 1,
	   "it knows its id");
	a = join(c);
	b = join(c);
	ok(bus_id(a) == 2 && bus_id(b) == 3 && !bus_id(c), "ids");
	ok(bus_role(c) == BUS_COORDINATOR &&
	   bus_role(a) == BUS_WORKER, "roles");
	ok(!open_member(BUS_COORDINATOR), "one coordinator");
	close_member(a);
	ok(comes(c, BUS_LEFT, 2, &m) && !strcmp(m.data, "left"),
	   "one leaves");
	ok(bus_send_data(c, 2, 1, "x", 1) == -EHOSTUNREACH,
	   "nothing can be sent to it");
	ok(bus_id(join(c)) == 4, "an id is not given again");
	end_job();
}

static void test_order(void)
{
	enum { N = 3000 };
	struct bus *c, *w;
	struct bus_message m;
	struct iovec iov[3];
	uint32_t i, bad = 0;

	new_job();
	c = open_member(BUS_COORDINATOR);
	w = join(c);
	join(c);
	for (i = 0; i < N; i++) {
		iov[0] = (struct iovec){ &i, 1 };
		iov[1] = (struct iovec){ (char *)&i + 1, 3 };
		iov[2] = (struct iovec){ NULL, 0 };
		if (i % 3)
			bad += !send_u32(c, 1, i, i);
		else
			bad += !!bus_broadcast(c, i, iov, 3);
		bad += !send_u32(w, 0, i, i);
	}
	for (i = 0; i < N; i++)
		bad += !comes(w, i, 0, &m) || !is_u32(&m, i) ||
		       !comes(c, i, 1, &m) || !is_u32(&m, i);
	ok(!bad, "all in order, broadcasts among the others");
	ok(!bus_send_data(w, 0, 9, NULL, 0) && comes(c, 9, 1, &m) && !m.len,
	   "nothing is a payload, too");
	end_job();
}

static void test_workers(void)
{
	struct bus *c, *a, *b;
	struct bus_message m;
	uint32_t i, bad = 0;

	new_job();
	c = open_member(BUS_COORDINATOR);
	a = join(c);
	b = join(c);
	for (i = 0; i < 100; i++)
		bad += !send_u32(a, 2, 5, i) || !send_u32(b, 1, 6, i);
	for (i = 0; i < 100; i++)
		bad += !comes(b, 5, 1, &m) || !is_u32(&m, i) ||
		       !comes(a, 6, 2, &m) || !is_u32(&m, i);
	ok(!bad, "workers talk with each other");
	ok(bus_broadcast(a, 1, NULL, 0) == -EPERM,
	   "a worker does not broadcast");
	ok(bus_send_data(a, 1, 1, "", 0) == -EINVAL &&
	   bus_send_data(c, 0, 1, "", 0) == -EINVAL,
	   "no member sends to itself");
	ok(bus_send_data(c, 1, BUS_JOINED, "", 0) == -EINVAL,
	   "the types of the bus are reserved");
	ok(!bus_send_data(a, 77, 1, "x", 1),
	   "to a worker that is not there");
	close_member(b);
	ok(comes(c, BUS_LEFT, 2, NULL) && !send_u32(c, 2, 1, 1) &&
	   send_u32(c, 1, 1, 1) && comes(a, 1, 0, NULL) &&
	   bus_send_data(a, 2, 1, "x", 1) == -EHOSTUNREACH,
	   "one that is gone is known to be");
	ok(send_u32(a, 0, 1, 3) &&
	   comes(c, 1, 1, &m) && is_u32(&m, 3), "the others go on");
	end_job();
}

static void test_large(void)
{
	static const size_t sizes[] = {
		1, 131063, 131064, 131065, MB, 20 * MB
	};
	uint8_t *data = malloc(20 * MB);
	struct bus *c, *a, *b;
	struct bus_message m;
	uint64_t seed = 5;
	size_t i;

	new_job();
	for (i = 0; i < 20 * MB; i += 8)
		memcpy(data + i, &(uint64_t){ rnd64(&seed) }, 8);
	c = open_member(BUS_COORDINATOR);
	a = join(c);
	b = join(c);
	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		const struct iovec iov[2] = {
			{ data, sizes[i] / 3 },
			{ data + sizes[i] / 3, sizes[i] - sizes[i] / 3 },
		};
		bool good;

		good = !bus_send(a, 2, 4, iov, 2) && comes(b, 4, 1, &m) &&
		       m.len == sizes[i] && !memcmp(m.data, data, m.len);
		good = good && !bus_broadcast(c, 4, iov, 2) &&
		       comes(a, 4, 0, &m) && m.len == sizes[i] &&
		       !memcmp(m.data, data, m.len) && comes(b, 4, 0, NULL);
		ok(good, "%zu bytes", sizes[i]);
	}
	ok(bus_send_data(a, 0, 1, data, BUS_MESSAGE + 1ul) == -EMSGSIZE,
	   "a limit");
	end_job();
	free(data);
}

static void test_refused(void)
{
	struct bus_message m;
	struct bus *c, *w;
	struct error error;

	new_job();
	c = open_member(BUS_COORDINATOR);
	w = open_as(BUS_WORKER, 8, "b1");
	ok(comes(c, BUS_REFUSED, 0, &m) && strstr(m.data, "protocol 8"),
	   "another protocol is refused");
	ok(next(w, &m) == -EPROTO, "and gets that answer");
	bus_error(w, &error);
	ok(strstr(error.text, "protocol 8") && strstr(error.text, "7"), "%s", error.text);
	ok(!send_u32(w, 0, 1, 1), "it cannot send");
	w = open_as(BUS_WORKER, 7, "b2");
	ok(comes(c, BUS_REFUSED, 0, &m) && strstr(m.data, "b2"),
	   "another build, too");
	ok(next(w, &m) == -EPROTO, "and gets that answer");
	ok(bus_id(join(c)) > 0, "the next one is welcome");
	end_job();
}

/* Return: how many went out */
static uint32_t fill(struct bus *e, uint32_t to, uint32_t first,
		     const uint8_t *data)
{
	uint32_t n = 0;

	for (;;) {
		const uint32_t v = first + n;
		const struct iovec iov[2] = {
			{ (void *)&v, sizeof(v) }, { (void *)data, 64 * KB },
		};

		if (bus_send(e, to, 1, iov, 2))
			return n;
		n++;
	}
}

static void test_window(void)
{
	uint8_t *data = calloc(1, 64 * KB);
	struct bus *c, *w;
	struct bus_message m;
	struct pollfd p;
	uint32_t i, n, v, bad = 0;

	new_job();
	window = MB;
	c = open_member(BUS_COORDINATOR);
	w = join(c);
	n = fill(w, 0, 0, data);
	ok(n == 16, "a window takes %u messages", n);
	ok(!bus_wait(w, 100), "there is no room");
	p = (struct pollfd){ bus_fd(w), POLLIN, 0 };
	bus_receive(w, &m, 0);
	for (i = 0; i < n; i++) {
		bad += !comes(c, 1, 1, &m) || m.len != 64 * KB + 4;
		memcpy(&v, m.data, 4);
		bad += v != i;
	}
	ok(!bad, "nothing of it is lost");
	ok(poll(&p, 1, PATIENCE_MS) == 1, "the descriptor says: try again");
	ok(!bus_receive(w, &m, 0), "there is no message");
	n = fill(w, 0, 100, data);
	ok(n >= 8 && n <= 16, "%u more", n);
	n = fill(c, 1, 0, data);
	ok(n == 16 && bus_broadcast(c, 1, NULL, 0) == -EAGAIN,
	   "a full one stops broadcasts");
	close_member(w);
	while (next(c, &m) == 1 && m.type == 1)
		;
	ok(m.type == BUS_LEFT && !bus_broadcast(c, 1, NULL, 0),
	   "not once it is gone");
	end_job();
	free(data);
}

static void test_large_window(void)
{
	uint8_t *data = calloc(1, 900 * KB);
	struct bus *c, *w;
	struct bus_message m;
	uint32_t i, came = 0, bad = 0;
	int err, tries = 0;

	new_job();
	window = MB;
	c = open_member(BUS_COORDINATOR);
	w = join(c);
	for (i = 0; i < 50; i++) {
		while ((err = bus_send_data(w, 0, 2, data,
					    i % 2 ? 900 * KB : 100)) ==
		       -EAGAIN && tries++ < PATIENCE_MS) {
			came += bus_receive(c, &m, 1) == 1;
			bus_wait(w, 1);
		}
		bad += !!err;
	}
	while (came < 50 && comes(c, 2, 1, &m))
		came++;
	ok(!bad && came == 50,
	   "messages about as large as a window never get stuck");
	end_job();
	free(data);
}

struct both {
	struct bus	*e;
	uint32_t	to;
	unsigned int	bad;
};

/* Only sends, and receives when all is out */
static void *only_send(void *arg)
{
	enum { N = 40 };
	struct both *b = arg;
	uint8_t *data = calloc(1, 64 * KB);
	const struct iovec iov = { data, 64 * KB };
	struct bus_message m;
	unsigned int i;

	for (i = 0; i < N; i++)
		b->bad += !!bus_send_wait(b->e, b->to, i, &iov, 1,
					  PATIENCE_MS);
	for (i = 0; i < N; i++)
		b->bad += bus_receive(b->e, &m, PATIENCE_MS) != 1 ||
			  m.type != i;
	free(data);
	return NULL;
}

static void test_both(void)
{
	struct both a = { .to = 2 }, b = { .to = 1 };
	struct bus *c;
	pthread_t t;

	new_job();
	window = 256 * KB;
	c = open_member(BUS_COORDINATOR);
	a.e = join(c);
	b.e = join(c);
	pthread_create(&t, NULL, only_send, &a);
	only_send(&b);
	pthread_join(t, NULL);
	ok(!a.bad && !b.bad, "two that send more than a window to each other");
	end_job();
}

static void test_jobs(void)
{
	struct bus *c[2], *w[2];
	struct bus_hub *first;
	struct bus_message m;
	char one[BUS_JOB];

	new_job();
	c[0] = open_member(BUS_COORDINATOR);
	w[0] = join(c[0]);
	first = hub;
	strcpy(one, job);
	new_job();
	c[1] = open_member(BUS_COORDINATOR);
	w[1] = join(c[1]);
	ok(bus_id(w[0]) == 1 && bus_id(w[1]) == 1, "two jobs");
	ok(!bus_broadcast(c[0], 1, NULL, 0) && send_u32(c[1], 1, 2, 2) &&
	   send_u32(w[0], 0, 3, 3) && send_u32(w[1], 0, 4, 4), "both talk");
	ok(comes(w[0], 1, 0, NULL) && comes(w[1], 2, 0, NULL) &&
	   comes(c[0], 3, 1, NULL) && comes(c[1], 4, 1, NULL) &&
	   !bus_receive(w[0], &m, 20) && !bus_receive(c[1], &m, 20),
	   "and do not hear each other");
	end_job();
	bus_hub_destroy(first);
}

static void test_gone(void)
{
	struct bus *c, *a, *b;
	struct bus_message m;

	new_job();
	c = open_member(BUS_COORDINATOR);
	a = join(c);
	b = join(c);
	ok(send_u32(c, 1, 5, 5), "a last word");
	close_member(c);
	ok(comes(a, 5, 0, NULL) && comes(a, BUS_COORDINATOR_GONE, 0, &m),
	   "then the coordinator is gone");
	ok(comes(b, BUS_COORDINATOR_GONE, 0, NULL), "for all");
	ok_eq(bus_send_data(a, 0, 1, "", 0), -ENOTCONN, "no member is in");
	ok_eq(bus_id(a), 0, "... without an id");
	c = open_member(BUS_COORDINATOR);
	for (int i = 0; i < 2; i++) {
		ok_eq(next(c, &m), 1, "the next one hears");
		ok_eq(m.type, BUS_JOINED, "... that one joins");
	}
	ok_eq(next(a, &m), 1, "which hears so, too");
	ok_eq(m.type, BUS_JOINED, "... that it joined");
	ok_eq(m.from, bus_id(a), "... under its id");
	ok_eq(next(b, &m), 1, "and so does the other");
	ok_eq(m.type, BUS_JOINED, "... that it joined");
	ok(send_u32(a, bus_id(b), 8, 1), "they talk");
	ok(comes(b, 8, bus_id(a), &m), "... and hear it");
	end_job();
}

static void test_counters(void)
{
	struct bus_counters n;
	struct bus *c, *a;

	new_job();
	c = open_member(BUS_COORDINATOR);
	a = join(c);
	join(c);
	bus_send_data(c, 1, 1, "abc", 3);
	bus_broadcast(c, 2, &(struct iovec){ "12345", 5 }, 1);
	bus_send_data(a, 0, 1, "ab", 2);
	bus_send_data(a, 2, 1, "abcd", 4);
	comes(a, 1, 0, NULL);
	comes(a, 2, 0, NULL);
	comes(c, 1, 1, NULL);
	bus_counters(c, &n);
	ok(n.to_workers.messages == 3 && n.to_workers.bytes == 13 &&
	   n.broadcasts == 1 && n.from_workers.messages == 1 &&
	   n.from_workers.bytes == 2 && n.control > 0, "the coordinator's");
	bus_counters(a, &n);
	ok(n.to_coordinator.bytes == 2 && n.to_workers.bytes == 4 &&
	   n.from_coordinator.messages == 2 && n.from_coordinator.bytes == 8,
	   "a worker's");
	end_job();
}

static void test_fd(void)
{
	struct bus_message m;
	struct bus *c, *w;
	struct pollfd p;

	new_job();
	c = open_member(BUS_COORDINATOR);
	p = (struct pollfd){ bus_fd(c), POLLIN, 0 };
	while (bus_receive(c, &m, 0) == 1)
		;
	ok(p.fd >= 0 && !poll(&p, 1, 0), "nothing to read");
	w = open_member(BUS_WORKER);
	while (poll(&p, 1, PATIENCE_MS) == 1 && !bus_receive(c, &m, 0))
		bus_wait(w, 10);
	ok(m.type == BUS_JOINED, "readable when a worker joins");
	comes(w, BUS_JOINED, 1, NULL);
	send_u32(w, 0, 1, 1);
	send_u32(w, 0, 2, 2);
	ok(poll(&p, 1, PATIENCE_MS) == 1 && comes(c, 1, 1, NULL) &&
	   poll(&p, 1, PATIENCE_MS) == 1 && comes(c, 2, 1, NULL),
	   "for each message");
	while (bus_receive(c, &m, 0) == 1)
		;
	ok(!poll(&p, 1, 0), "and no longer");
	end_job();
}

/* Two and a half heartbeats without a call of the bus */
static void test_busy(void)
{
	struct bus_message m;
	struct bus *c, *w;

	new_job();
	heartbeat_ms = 2000;
	c = open_member(BUS_COORDINATOR);
	w = join(c);
	sleep(5);
	ok(!bus_receive(c, &m, 0) && !bus_receive(w, &m, 0) &&
	   send_u32(c, 1, 1, 1) && comes(w, 1, 0, NULL),
	   "who computes is not taken for dead");
	heartbeat_ms = 10000;
	end_job();
}

static void *worker(void *arg)
{
	struct bus_config c = config_of(7, "b1");
	struct error error;
	struct bus_message m;
	struct bus *e;
	uint32_t sum = 0;

	(void)arg;
	if (bus_open(&e, spec, BUS_WORKER, &c, &error))
		return NULL;
	while (bus_receive(e, &m, PATIENCE_MS) == 1 &&
	       m.type != BUS_COORDINATOR_GONE) {
		if (m.type >= BUS_EVENT)
			continue;
		sum++;
		while (bus_send_data(e, 0, m.type, &sum, 4) == -EAGAIN)
			bus_wait(e, PATIENCE_MS);
	}
	bus_close(e);
	return NULL;
}

static void test_threads(void)
{
	enum { W = 4, ROUNDS = 300 };
	struct bus_message m;
	struct bus *c;
	pthread_t t[W];
	uint32_t i, k, bad = 0;

	new_job();
	c = open_member(BUS_COORDINATOR);
	for (i = 0; i < W; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (i = 0; i < W; i++)
		bad += bus_receive(c, &m, PATIENCE_MS) != 1 ||
		       m.type != BUS_JOINED;
	for (k = 1; k <= ROUNDS; k++) {
		bad += !!bus_broadcast(c, k, NULL, 0);
		for (i = 0; i < W; i++)
			bad += bus_receive(c, &m, PATIENCE_MS) != 1 ||
			       m.type != k || !is_u32(&m, k);
	}
	ok(!bad, "%u rounds with %u threads", ROUNDS, W);
	close_member(c);
	for (i = 0; i < W; i++)
		pthread_join(t[i], NULL);
	end_job();
}

/* @busy: with the test that takes 5 s */
static void test_suite(const char *with, bool busy)
{
	char *address = strdup(with);

	spec = address;
	printf("# %.*s\n", (int)strcspn(with, ":"), with);
	test_join();
	test_order();
	test_workers();
	test_large();
	test_refused();
	test_window();
	test_large_window();
	test_both();
	test_jobs();
	test_gone();
	test_counters();
	test_fd();
	if (busy)
		test_busy();
	test_threads();
	free(address);
}

#endif
