// SPDX-License-Identifier: GPL-2.0-only
/*
 * What userspace/engine promises, for threads and, if OPTSAMPLE_AMQP has the
 * address of a broker, over that. "mpirun -n N test_engine mpi": only the order
 * of what the coordinator sends, with as many ranks.
 *
 * Members are driven from one thread, so that each step is known; one test has
 * a thread for each.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "cluster/member.h"
#include "tap.h"

enum {
	PATIENCE_MS	= 60000,
	MEMBERS		= 8,
	KB		= 1024,
	MB		= 1024 * KB,
};

static const char *spec;
static struct engine_hub *hub;
static struct engine *members[MEMBERS];
static unsigned int jobs;
static char job[ENGINE_JOB];
static uint32_t window, heartbeat_ms = 10000;

static struct engine_config config_of(uint32_t protocol, const char *build)
{
	return (struct engine_config){
		.job = job, .protocol = protocol, .build = build, .hub = hub,
		.window = window, .heartbeat_ms = heartbeat_ms,
	};
}

static struct engine *open_as(enum engine_role role, uint32_t protocol,
			      const char *build)
{
	struct engine_config c = config_of(protocol, build);
	char error[ENGINE_ERROR] = "";
	struct engine *e = NULL;
	unsigned int i;

	if (engine_open(&e, spec, role, &c, error)) {
		printf("# %s\n", error);
		return NULL;
	}
	for (i = 0; i < MEMBERS; i++)
		if (!members[i]) {
			members[i] = e;
			break;
		}
	return e;
}

static struct engine *open_member(enum engine_role role)
{
	return open_as(role, 7, "b1");
}

static void close_member(struct engine *e)
{
	unsigned int i;

	for (i = 0; i < MEMBERS; i++)
		if (members[i] == e)
			members[i] = NULL;
	engine_close(e);
}

static void new_job(void)
{
	hub = engine_hub_create();
	snprintf(job, sizeof(job), "test-%d.%u", getpid(), ++jobs);
}

static void end_job(void)
{
	unsigned int i;

	for (i = 0; i < MEMBERS; i++)
		if (members[i])
			close_member(members[i]);
	engine_hub_destroy(hub);
	hub = NULL;
	window = 0;
}

/* All others go on meanwhile */
static int next(struct engine *e, struct engine_message *m)
{
	int ms, ret;
	unsigned int i;

	for (ms = 0; ms < PATIENCE_MS; ms += 5) {
		ret = engine_receive(e, m, 5);
		if (ret)
			return ret;
		for (i = 0; i < MEMBERS; i++)
			if (members[i] && members[i] != e)
				engine_wait(members[i], 0);
	}
	return 0;
}

static bool comes(struct engine *e, uint16_t type, uint32_t from,
		  struct engine_message *m)
{
	struct engine_message own;
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
static struct engine *join(struct engine *c)
{
	struct engine *w = open_member(ENGINE_WORKER);
	struct engine_message m;

	if (!w || next(c, &m) != 1 || m.type != ENGINE_JOINED ||
	    !comes(w, ENGINE_JOINED, m.from, NULL)) {
		ok(false, "a worker joins");
		exit(tap_done());
	}
	return w;
}

static bool send_u32(struct engine *e, uint32_t to, uint16_t type, uint32_t v)
{
	return !engine_send_data(e, to, type, &v, sizeof(v));
}

static bool is_u32(const struct engine_message *m, uint32_t v)
{
	uint32_t u;

	if (m->len != sizeof(u))
		return false;
	memcpy(&u, m->data, sizeof(u));
	return u == v;
}

static void test_join(void)
{
	struct engine *c, *a, *b, *early;
	struct engine_message m;

	new_job();
	early = open_member(ENGINE_WORKER);
	ok(early && !engine_receive(early, &m, 10) && !engine_id(early),
	   "a worker waits for a coordinator");
	ok(send_u32(early, 0, 1, 1) == false, "and cannot send meanwhile");
	c = open_member(ENGINE_COORDINATOR);
	ok(comes(c, ENGINE_JOINED, 1, NULL), "the coordinator sees it");
	ok(comes(early, ENGINE_JOINED, 1, NULL) && engine_id(early) == 1,
	   "it knows its id");
	a = join(c);
	b = join(c);
	ok(engine_id(a) == 2 && engine_id(b) == 3 && !engine_id(c), "ids");
	ok(engine_role(c) == ENGINE_COORDINATOR &&
	   engine_role(a) == ENGINE_WORKER, "roles");
	ok(!open_member(ENGINE_COORDINATOR), "one coordinator");
	close_member(a);
	ok(comes(c, ENGINE_LEFT, 2, &m) && !strcmp(m.data, "left"),
	   "one leaves");
	ok(engine_send_data(c, 2, 1, "x", 1) == -EHOSTUNREACH,
	   "nothing can be sent to it");
	ok(engine_id(join(c)) == 4, "an id is not given again");
	end_job();
}

static void test_order(void)
{
	enum { N = 3000 };
	struct engine *c, *w;
	struct engine_message m;
	struct iovec iov[3];
	uint32_t i, bad = 0;

	new_job();
	c = open_member(ENGINE_COORDINATOR);
	w = join(c);
	join(c);
	for (i = 0; i < N; i++) {
		iov[0] = (struct iovec){ &i, 1 };
		iov[1] = (struct iovec){ (char *)&i + 1, 3 };
		iov[2] = (struct iovec){ NULL, 0 };
		if (i % 3)
			bad += !send_u32(c, 1, i, i);
		else
			bad += !!engine_broadcast(c, i, iov, 3);
		bad += !send_u32(w, 0, i, i);
	}
	for (i = 0; i < N; i++)
		bad += !comes(w, i, 0, &m) || !is_u32(&m, i) ||
		       !comes(c, i, 1, &m) || !is_u32(&m, i);
	ok(!bad, "all in order, broadcasts among the others");
	ok(!engine_send_data(w, 0, 9, NULL, 0) && comes(c, 9, 1, &m) && !m.len,
	   "nothing is a payload, too");
	end_job();
}

static void test_workers(void)
{
	struct engine *c, *a, *b;
	struct engine_message m;
	uint32_t i, bad = 0;

	new_job();
	c = open_member(ENGINE_COORDINATOR);
	a = join(c);
	b = join(c);
	for (i = 0; i < 100; i++)
		bad += !send_u32(a, 2, 5, i) || !send_u32(b, 1, 6, i);
	for (i = 0; i < 100; i++)
		bad += !comes(b, 5, 1, &m) || !is_u32(&m, i) ||
		       !comes(a, 6, 2, &m) || !is_u32(&m, i);
	ok(!bad, "workers talk with each other");
	ok(engine_broadcast(a, 1, NULL, 0) == -EPERM,
	   "a worker does not broadcast");
	ok(engine_send_data(a, 1, 1, "", 0) == -EINVAL &&
	   engine_send_data(c, 0, 1, "", 0) == -EINVAL,
	   "nobody sends to itself");
	ok(engine_send_data(c, 1, ENGINE_JOINED, "", 0) == -EINVAL,
	   "the engine's types are its own");
	ok(!engine_send_data(a, 77, 1, "x", 1),
	   "to a worker that is not there");
	close_member(b);
	ok(comes(c, ENGINE_LEFT, 2, NULL) && !send_u32(c, 2, 1, 1) &&
	   send_u32(c, 1, 1, 1) && comes(a, 1, 0, NULL) &&
	   engine_send_data(a, 2, 1, "x", 1) == -EHOSTUNREACH,
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
	struct engine *c, *a, *b;
	struct engine_message m;
	uint64_t seed = 5;
	size_t i;

	new_job();
	for (i = 0; i < 20 * MB; i += 8)
		memcpy(data + i, &(uint64_t){ rnd64(&seed) }, 8);
	c = open_member(ENGINE_COORDINATOR);
	a = join(c);
	b = join(c);
	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		const struct iovec iov[2] = {
			{ data, sizes[i] / 3 },
			{ data + sizes[i] / 3, sizes[i] - sizes[i] / 3 },
		};
		bool good;

		good = !engine_send(a, 2, 4, iov, 2) && comes(b, 4, 1, &m) &&
		       m.len == sizes[i] && !memcmp(m.data, data, m.len);
		good = good && !engine_broadcast(c, 4, iov, 2) &&
		       comes(a, 4, 0, &m) && m.len == sizes[i] &&
		       !memcmp(m.data, data, m.len) && comes(b, 4, 0, NULL);
		ok(good, "%zu bytes", sizes[i]);
	}
	ok(engine_send_data(a, 0, 1, data, ENGINE_MESSAGE + 1ul) == -EMSGSIZE,
	   "a limit");
	end_job();
	free(data);
}

static void test_refused(void)
{
	struct engine_message m;
	struct engine *c, *w;
	char error[ENGINE_ERROR];

	new_job();
	c = open_member(ENGINE_COORDINATOR);
	w = open_as(ENGINE_WORKER, 8, "b1");
	ok(comes(c, ENGINE_REFUSED, 0, &m) && strstr(m.data, "protocol 8"),
	   "another protocol is refused");
	ok(next(w, &m) == -EPROTO, "and told so");
	engine_error(w, error);
	ok(strstr(error, "protocol 8") && strstr(error, "7"), "%s", error);
	ok(!send_u32(w, 0, 1, 1), "it cannot send");
	w = open_as(ENGINE_WORKER, 7, "b2");
	ok(comes(c, ENGINE_REFUSED, 0, &m) && strstr(m.data, "b2"),
	   "another build, too");
	ok(next(w, &m) == -EPROTO, "and told so");
	ok(engine_id(join(c)) > 0, "the next one is welcome");
	end_job();
}

/* Return: how many went out */
static uint32_t fill(struct engine *e, uint32_t to, uint32_t first,
		     const uint8_t *data)
{
	uint32_t n = 0;

	for (;;) {
		const uint32_t v = first + n;
		const struct iovec iov[2] = {
			{ (void *)&v, sizeof(v) }, { (void *)data, 64 * KB },
		};

		if (engine_send(e, to, 1, iov, 2))
			return n;
		n++;
	}
}

static void test_window(void)
{
	uint8_t *data = calloc(1, 64 * KB);
	struct engine *c, *w;
	struct engine_message m;
	struct pollfd p;
	uint32_t i, n, v, bad = 0;

	new_job();
	window = MB;
	c = open_member(ENGINE_COORDINATOR);
	w = join(c);
	n = fill(w, 0, 0, data);
	ok(n == 16, "a window takes %u messages", n);
	ok(!engine_wait(w, 100), "there is no room");
	p = (struct pollfd){ engine_fd(w), POLLIN, 0 };
	engine_receive(w, &m, 0);
	for (i = 0; i < n; i++) {
		bad += !comes(c, 1, 1, &m) || m.len != 64 * KB + 4;
		memcpy(&v, m.data, 4);
		bad += v != i;
	}
	ok(!bad, "nothing of it is lost");
	ok(poll(&p, 1, PATIENCE_MS) == 1, "the descriptor says: try again");
	ok(!engine_receive(w, &m, 0), "there is no message");
	n = fill(w, 0, 100, data);
	ok(n >= 8 && n <= 16, "%u more", n);
	n = fill(c, 1, 0, data);
	ok(n == 16 && engine_broadcast(c, 1, NULL, 0) == -EAGAIN,
	   "a full one stops broadcasts");
	close_member(w);
	while (next(c, &m) == 1 && m.type == 1)
		;
	ok(m.type == ENGINE_LEFT && !engine_broadcast(c, 1, NULL, 0),
	   "not once it is gone");
	end_job();
	free(data);
}

static void test_large_window(void)
{
	uint8_t *data = calloc(1, 900 * KB);
	struct engine *c, *w;
	struct engine_message m;
	uint32_t i, came = 0, bad = 0;
	int err, tries = 0;

	new_job();
	window = MB;
	c = open_member(ENGINE_COORDINATOR);
	w = join(c);
	for (i = 0; i < 50; i++) {
		while ((err = engine_send_data(w, 0, 2, data,
					       i % 2 ? 900 * KB : 100)) ==
		       -EAGAIN && tries++ < PATIENCE_MS) {
			came += engine_receive(c, &m, 1) == 1;
			engine_wait(w, 1);
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
	struct engine	*e;
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
	struct engine_message m;
	unsigned int i;

	for (i = 0; i < N; i++)
		b->bad += !!engine_send_wait(b->e, b->to, i, &iov, 1,
					     PATIENCE_MS);
	for (i = 0; i < N; i++)
		b->bad += engine_receive(b->e, &m, PATIENCE_MS) != 1 ||
			  m.type != i;
	free(data);
	return NULL;
}

static void test_both(void)
{
	struct both a = { .to = 2 }, b = { .to = 1 };
	struct engine *c;
	pthread_t t;

	new_job();
	window = 256 * KB;
	c = open_member(ENGINE_COORDINATOR);
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
	struct engine *c[2], *w[2];
	struct engine_hub *first;
	struct engine_message m;
	char one[ENGINE_JOB];

	new_job();
	c[0] = open_member(ENGINE_COORDINATOR);
	w[0] = join(c[0]);
	first = hub;
	strcpy(one, job);
	new_job();
	c[1] = open_member(ENGINE_COORDINATOR);
	w[1] = join(c[1]);
	ok(engine_id(w[0]) == 1 && engine_id(w[1]) == 1, "two jobs");
	ok(!engine_broadcast(c[0], 1, NULL, 0) && send_u32(c[1], 1, 2, 2) &&
	   send_u32(w[0], 0, 3, 3) && send_u32(w[1], 0, 4, 4), "both talk");
	ok(comes(w[0], 1, 0, NULL) && comes(w[1], 2, 0, NULL) &&
	   comes(c[0], 3, 1, NULL) && comes(c[1], 4, 1, NULL) &&
	   !engine_receive(w[0], &m, 20) && !engine_receive(c[1], &m, 20),
	   "and do not hear each other");
	end_job();
	engine_hub_destroy(first);
}

static void test_gone(void)
{
	struct engine *c, *a, *b;
	struct engine_message m;

	new_job();
	c = open_member(ENGINE_COORDINATOR);
	a = join(c);
	b = join(c);
	ok(send_u32(c, 1, 5, 5), "a last word");
	close_member(c);
	ok(comes(a, 5, 0, NULL) && comes(a, ENGINE_COORDINATOR_GONE, 0, &m),
	   "then the coordinator is gone");
	ok(comes(b, ENGINE_COORDINATOR_GONE, 0, NULL), "for all");
	ok(engine_send_data(a, 0, 1, "", 0) == -ENOTCONN && !engine_id(a),
	   "nobody is in");
	c = open_member(ENGINE_COORDINATOR);
	ok(next(c, &m) == 1 && m.type == ENGINE_JOINED && next(c, &m) == 1 &&
	   m.type == ENGINE_JOINED && next(a, &m) == 1 &&
	   m.type == ENGINE_JOINED && m.from == engine_id(a) &&
	   next(b, &m) == 1 && m.type == ENGINE_JOINED,
	   "both join the next one");
	ok(send_u32(a, engine_id(b), 8, 1) &&
	   comes(b, 8, engine_id(a), &m), "and talk");
	end_job();
}

static void test_counters(void)
{
	struct engine_counters n;
	struct engine *c, *a;

	new_job();
	c = open_member(ENGINE_COORDINATOR);
	a = join(c);
	join(c);
	engine_send_data(c, 1, 1, "abc", 3);
	engine_broadcast(c, 2, &(struct iovec){ "12345", 5 }, 1);
	engine_send_data(a, 0, 1, "ab", 2);
	engine_send_data(a, 2, 1, "abcd", 4);
	comes(a, 1, 0, NULL);
	comes(a, 2, 0, NULL);
	comes(c, 1, 1, NULL);
	engine_counters(c, &n);
	ok(n.to_workers.messages == 3 && n.to_workers.bytes == 13 &&
	   n.broadcasts == 1 && n.from_workers.messages == 1 &&
	   n.from_workers.bytes == 2 && n.control > 0, "the coordinator's");
	engine_counters(a, &n);
	ok(n.to_coordinator.bytes == 2 && n.to_workers.bytes == 4 &&
	   n.from_coordinator.messages == 2 && n.from_coordinator.bytes == 8,
	   "a worker's");
	end_job();
}

static void test_fd(void)
{
	struct engine_message m;
	struct engine *c, *w;
	struct pollfd p;

	new_job();
	c = open_member(ENGINE_COORDINATOR);
	p = (struct pollfd){ engine_fd(c), POLLIN, 0 };
	while (engine_receive(c, &m, 0) == 1)
		;
	ok(p.fd >= 0 && !poll(&p, 1, 0), "nothing to read");
	w = open_member(ENGINE_WORKER);
	while (poll(&p, 1, PATIENCE_MS) == 1 && !engine_receive(c, &m, 0))
		engine_wait(w, 10);
	ok(m.type == ENGINE_JOINED, "readable when somebody joins");
	comes(w, ENGINE_JOINED, 1, NULL);
	send_u32(w, 0, 1, 1);
	send_u32(w, 0, 2, 2);
	ok(poll(&p, 1, PATIENCE_MS) == 1 && comes(c, 1, 1, NULL) &&
	   poll(&p, 1, PATIENCE_MS) == 1 && comes(c, 2, 1, NULL),
	   "for each message");
	while (engine_receive(c, &m, 0) == 1)
		;
	ok(!poll(&p, 1, 0), "and no longer");
	end_job();
}

/* Two and a half heartbeats without a call of the engine */
static void test_busy(void)
{
	struct engine_message m;
	struct engine *c, *w;

	new_job();
	heartbeat_ms = 2000;
	c = open_member(ENGINE_COORDINATOR);
	w = join(c);
	sleep(5);
	ok(!engine_receive(c, &m, 0) && !engine_receive(w, &m, 0) &&
	   send_u32(c, 1, 1, 1) && comes(w, 1, 0, NULL),
	   "who computes is not taken for dead");
	heartbeat_ms = 10000;
	end_job();
}

static void *worker(void *arg)
{
	struct engine_config c = config_of(7, "b1");
	char error[ENGINE_ERROR];
	struct engine_message m;
	struct engine *e;
	uint32_t sum = 0;

	(void)arg;
	if (engine_open(&e, spec, ENGINE_WORKER, &c, error))
		return NULL;
	while (engine_receive(e, &m, PATIENCE_MS) == 1 &&
	       m.type != ENGINE_COORDINATOR_GONE) {
		if (m.type >= ENGINE_EVENT)
			continue;
		sum++;
		while (engine_send_data(e, 0, m.type, &sum, 4) == -EAGAIN)
			engine_wait(e, PATIENCE_MS);
	}
	engine_close(e);
	return NULL;
}

static void test_threads(void)
{
	enum { W = 4, ROUNDS = 300 };
	struct engine_message m;
	struct engine *c;
	pthread_t t[W];
	uint32_t i, k, bad = 0;

	new_job();
	c = open_member(ENGINE_COORDINATOR);
	for (i = 0; i < W; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (i = 0; i < W; i++)
		bad += engine_receive(c, &m, PATIENCE_MS) != 1 ||
		       m.type != ENGINE_JOINED;
	for (k = 1; k <= ROUNDS; k++) {
		bad += !!engine_broadcast(c, k, NULL, 0);
		for (i = 0; i < W; i++)
			bad += engine_receive(c, &m, PATIENCE_MS) != 1 ||
			       m.type != k || !is_u32(&m, k);
	}
	ok(!bad, "%u rounds with %u threads", ROUNDS, W);
	close_member(c);
	for (i = 0; i < W; i++)
		pthread_join(t[i], NULL);
	end_job();
}

static void test_suite(const char *with)
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
	test_busy();
	test_threads();
	free(address);
}

static void refuses(const char *what, enum engine_role role,
		    struct engine_config c, int err, const char *line)
{
	char error[ENGINE_ERROR] = "";
	struct engine *e;
	const int got = engine_open(&e, what, role, &c, error);

	ok(got == err && strstr(error, line) && !strchr(error, '\n') &&
	   !strstr(error, "secret"), "%s", error);
}

static void test_bad(void)
{
	struct engine_config good = { .job = "j" }, c;

	setenv("OPTSAMPLE_ENGINES", "/nonexistent", 1);
	refuses("storm", ENGINE_WORKER, good, -EINVAL, "engine 'storm'");
	refuses("", ENGINE_WORKER, good, -EINVAL, "engine ''");
	refuses("threads", ENGINE_WORKER, good, -EINVAL, "hub");
	refuses("threads", ENGINE_BY_RANK, good, -EINVAL, "rank");
	c = (struct engine_config){ .job = "a b" };
	refuses("threads", ENGINE_WORKER, c, -EINVAL, "job 'a b'");
	c = (struct engine_config){ .job = "" };
	refuses("threads", ENGINE_WORKER, c, -EINVAL, "job ''");
	c = (struct engine_config){ .job = "j", .heartbeat_ms = 10 };
	refuses("threads", ENGINE_WORKER, c, -EINVAL, "heartbeat");
	c = (struct engine_config){ .job = "j", .build =
		"0123456789012345678901234567890123456789012345678901234567890"
		"123456789" };
	refuses("threads", ENGINE_WORKER, c, -EINVAL, "build");
	refuses("amqp://u:secret@127.0.0.1:1/", ENGINE_WORKER, good,
		-ECONNREFUSED, "broker 127.0.0.1:1:");
	refuses("amqps://u:secret@127.0.0.1:1/", ENGINE_WORKER, good, -EINVAL,
		"amqps");
	refuses("amqp://u:secret@127.0.0.1:x/", ENGINE_WORKER, good, -EINVAL,
		"amqp://USER");
	unsetenv("OPTSAMPLE_ENGINES");
}

static uint32_t one_of(uint64_t *seed, uint32_t a, uint32_t b)
{
	switch (rnd(seed, 4)) {
	case 0:
		return a;
	case 1:
		return b;
	case 2:
		return rnd(seed, 4);
	}
	return rnd64(seed);
}

/* Frames of any kind, from anybody, with anything in them */
static void storm(struct engine *e, uint64_t *seed)
{
	uint8_t bytes[256];
	struct engine_buffer *b;
	struct frame f;
	size_t i, len;

	len = rnd(seed, 3) ? rnd(seed, sizeof(bytes)) : FRAME_HELLO_SIZE;
	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = rnd64(seed);
	f = (struct frame){
		.kind = rnd(seed, FRAME_KINDS), .type = rnd64(seed),
		.from = one_of(seed, 0, 1),
		.to = one_of(seed, e->id, UINT32_MAX),
		.epoch = rnd(seed, 4) ? e->epoch : rnd(seed, 3),
		.value = rnd(seed, 2) ? rnd(seed, 5) : rnd64(seed),
	};
	if (rnd(seed, 2) && len >= FRAME_HELLO_SIZE) {
		/* so that some hellos are good enough */
		memcpy(bytes, &(uint32_t){ htole32(7) }, 4);
		strcpy((char *)bytes + 20, "b1");
	}
	b = inbox_buffer(&e->inbox, len);
	memcpy(b->data, bytes, len);
	if (rnd(seed, 8))
		member_frame(e, &f, b);
	else {
		inbox_release(&e->inbox, b);
		member_returned(e, &f);
	}
	frame_read(bytes, len, &f);
}

static void test_hostile(void)
{
	struct engine_message m;
	struct engine *c, *w;
	uint64_t seed = 99;
	unsigned int i;

	spec = "threads";
	new_job();
	c = open_member(ENGINE_COORDINATOR);
	w = open_member(ENGINE_WORKER);
	for (i = 0; i < 20000; i++) {
		storm(c, &seed);
		storm(w, &seed);
		if (i % 16)
			continue;
		while (engine_receive(c, &m, 0) == 1)
			;
		while (engine_receive(w, &m, 0) == 1)
			;
	}
	ok(c->peers.count <= ENGINE_WORKERS, "a storm of odd frames");
	end_job();
}

/*
 * Order over MPI, where broadcasts go through other ranks
 */

enum { RANKS = 32, STREAM = 4000, LONG = 100 * KB };

enum { IN_TURN = 1, IN_THE_END };

/* @before: of each rank, the number of the message to it before this one */
struct in_turn {
	uint32_t	number;
	uint32_t	before[RANKS];
};

static uint32_t await_workers(struct engine *c, uint32_t workers)
{
	struct engine_message m;
	uint32_t joined = 0;

	while (joined < workers && engine_receive(c, &m, PATIENCE_MS) == 1)
		joined += m.type == ENGINE_JOINED;
	return joined;
}

/* To one or to all, small ones and large ones. Return: failures */
static unsigned int send_stream(struct engine *c, uint32_t workers)
{
	uint8_t *more = calloc(1, LONG);
	struct in_turn t = { 0 };
	unsigned int bad = 0;
	uint64_t seed = 3;

	while (t.number++ < STREAM) {
		const bool one = rnd(&seed, 4) == 0;
		const uint32_t to = 1 + rnd(&seed, workers);
		const struct iovec iov[] = {
			{ &t, sizeof(t) },
			{ more, rnd(&seed, 200) ? rnd(&seed, 4000) : LONG },
		};
		int err;

		if (one)
			err = engine_send_wait(c, to, IN_TURN, iov, 2,
					       PATIENCE_MS);
		else
			while ((err = engine_broadcast(c, IN_TURN, iov, 2)) ==
			       -EAGAIN)
				engine_wait(c, PATIENCE_MS);
		bad += !!err;
		for (uint32_t i = 1; i <= workers; i++)
			if (!one || i == to)
				t.before[i] = t.number;
	}
	engine_broadcast(c, IN_THE_END, NULL, 0);
	free(more);
	return bad;
}

/* Now and then it does something else, also those who pass on. Return: what
 * came out of turn
 */
static uint32_t take_stream(struct engine *w, uint64_t seed)
{
	struct engine_message m;
	uint32_t last = 0, wrong = 0;

	while (engine_receive(w, &m, PATIENCE_MS) == 1 &&
	       m.type != IN_THE_END) {
		const struct in_turn *t = m.data;

		if (m.type != IN_TURN)
			continue;
		wrong += t->before[engine_id(w)] != last;
		last = t->number;
		if (!rnd(&seed, 100))
			usleep(rnd(&seed, 2000));
	}
	return wrong + (m.type != IN_THE_END);
}

static int test_mpi(uint32_t workers)
{
	struct engine_message m;
	unsigned int bad = 1;
	uint32_t wrong = 0, told = 0, n;
	struct engine *e;

	spec = "mpi";
	snprintf(job, sizeof(job), "order");
	e = open_member(ENGINE_BY_RANK);
	if (!e)
		return 1;
	if (engine_role(e) == ENGINE_WORKER) {
		wrong = take_stream(e, getpid());
		engine_send_data(e, 0, IN_THE_END, &wrong, sizeof(wrong));
		close_member(e);
		return wrong != 0;
	}
	if (await_workers(e, workers) == workers)
		bad = send_stream(e, workers);
	ok(!bad, "messages to one and to all of %u", workers);
	for (; told < workers && engine_receive(e, &m, PATIENCE_MS) == 1;) {
		if (m.type != IN_THE_END)
			continue;
		memcpy(&n, m.data, sizeof(n));
		wrong += n;
		told++;
	}
	ok(told == workers && !wrong, "came in order: %u did not", wrong);
	close_member(e);
	return tap_done();
}

int main(int argc, char **argv)
{
	const char *broker = getenv("OPTSAMPLE_AMQP");
	const char *ranks = getenv("OMPI_COMM_WORLD_SIZE");

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 1 && !strcmp(argv[1], "mpi"))
		return test_mpi(ranks ? (uint32_t)atoi(ranks) - 1 : 0);
	test_bad();
	test_hostile();
	test_suite("threads");
	if (broker)
		test_suite(broker);
	return tap_done();
}
