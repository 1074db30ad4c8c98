// SPDX-License-Identifier: GPL-2.0-only
/*
 * What userspace/cluster promises, for threads and, if OPTSAMPLE_AMQP has the
 * address of a broker, over that. "mpirun -n N test_bus mpi": only the order
 * of what the coordinator sends, with as many ranks.
 */
#include "bus_suite.h"

static void refuses(const char *what, enum bus_role role,
		    struct bus_config c, int err, const char *line)
{
	struct error error = { "" };
	struct bus *e;
	const int got = bus_open(&e, what, role, &c, &error);

	ok_eq(got, err, "%s", error.text);
	ok(strstr(error.text, line), "... error says it");
	ok(!strchr(error.text, '\n'), "... error is one line");
	ok(!strstr(error.text, "secret"), "... error does not say it");
}

static void test_bad(void)
{
	struct bus_config good = { .job = "j" }, c;

	setenv("OPTSAMPLE_ENGINES", "/nonexistent", 1);
	refuses("storm", BUS_WORKER, good, -EINVAL, "engine 'storm'");
	refuses("", BUS_WORKER, good, -EINVAL, "engine ''");
	refuses("threads", BUS_WORKER, good, -EINVAL, "hub");
	refuses("threads", BUS_BY_RANK, good, -EINVAL, "rank");
	c = (struct bus_config){ .job = "a b" };
	refuses("threads", BUS_WORKER, c, -EINVAL, "job 'a b'");
	c = (struct bus_config){ .job = "" };
	refuses("threads", BUS_WORKER, c, -EINVAL, "job ''");
	c = (struct bus_config){ .job = "j", .heartbeat_ms = 10 };
	refuses("threads", BUS_WORKER, c, -EINVAL, "heartbeat");
	c = (struct bus_config){ .job = "j", .build =
		"0123456789012345678901234567890123456789012345678901234567890"
		"123456789" };
	refuses("threads", BUS_WORKER, c, -EINVAL, "build");
	refuses("amqp://u:secret@127.0.0.1:1/", BUS_WORKER, good,
		-ECONNREFUSED, "broker 127.0.0.1:1:");
	refuses("amqps://u:secret@127.0.0.1:1/", BUS_WORKER, good, -EINVAL,
		"amqps");
	refuses("amqp://u:secret@127.0.0.1:x/", BUS_WORKER, good, -EINVAL,
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
static void storm(struct bus *e, uint64_t *seed)
{
	uint8_t bytes[256];
	struct bus_buffer *b;
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
	b = message_queue_buffer(&e->inbox, len);
	memcpy(b->data, bytes, len);
	if (rnd(seed, 8))
		member_frame(e, &f, b);
	else {
		message_queue_release(&e->inbox, b);
		member_returned(e, &f);
	}
	frame_read(bytes, len, &f);
}

static void test_hostile(void)
{
	struct bus_message m;
	struct bus *c, *w;
	uint64_t seed = 99;
	unsigned int i;

	spec = "threads";
	new_job();
	c = open_member(BUS_COORDINATOR);
	w = open_member(BUS_WORKER);
	for (i = 0; i < 20000; i++) {
		storm(c, &seed);
		storm(w, &seed);
		if (i % 16)
			continue;
		while (bus_receive(c, &m, 0) == 1)
			;
		while (bus_receive(w, &m, 0) == 1)
			;
	}
	ok(c->peers.count <= BUS_WORKERS, "a storm of odd frames");
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

static uint32_t await_workers(struct bus *c, uint32_t workers)
{
	struct bus_message m;
	uint32_t joined = 0;

	while (joined < workers && bus_receive(c, &m, PATIENCE_MS) == 1)
		joined += m.type == BUS_JOINED;
	return joined;
}

/* To one or to all, small ones and large ones. Return: failures */
static unsigned int send_stream(struct bus *c, uint32_t workers)
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
			err = bus_send_wait(c, to, IN_TURN, iov, 2,
					    PATIENCE_MS);
		else
			while ((err = bus_broadcast(c, IN_TURN, iov, 2)) ==
			       -EAGAIN)
				bus_wait(c, PATIENCE_MS);
		bad += !!err;
		for (uint32_t i = 1; i <= workers; i++)
			if (!one || i == to)
				t.before[i] = t.number;
	}
	bus_broadcast(c, IN_THE_END, NULL, 0);
	free(more);
	return bad;
}

/* Now and then it does something else, also those who pass on. Return: what
 * came out of turn
 */
static uint32_t take_stream(struct bus *w, uint64_t seed)
{
	struct bus_message m;
	uint32_t last = 0, wrong = 0;

	while (bus_receive(w, &m, PATIENCE_MS) == 1 &&
	       m.type != IN_THE_END) {
		const struct in_turn *t = m.data;

		if (m.type != IN_TURN)
			continue;
		wrong += t->before[bus_id(w)] != last;
		last = t->number;
		if (!rnd(&seed, 100))
			usleep(rnd(&seed, 2000));
	}
	return wrong + (m.type != IN_THE_END);
}

static int test_mpi(uint32_t workers)
{
	struct bus_message m;
	unsigned int bad = 1;
	uint32_t wrong = 0, taken = 0, n;
	struct bus *e;

	spec = "mpi";
	snprintf(job, sizeof(job), "order");
	e = open_member(BUS_BY_RANK);
	if (!e)
		return 1;
	if (bus_role(e) == BUS_WORKER) {
		wrong = take_stream(e, getpid());
		bus_send_data(e, 0, IN_THE_END, &wrong, sizeof(wrong));
		close_member(e);
		return wrong != 0;
	}
	if (await_workers(e, workers) == workers)
		bad = send_stream(e, workers);
	ok(!bad, "messages to one and to all of %u", workers);
	for (; taken < workers && bus_receive(e, &m, PATIENCE_MS) == 1;) {
		if (m.type != IN_THE_END)
			continue;
		memcpy(&n, m.data, sizeof(n));
		wrong += n;
		taken++;
	}
	ok_eq(taken, workers, "came in order: %u did not", wrong);
	ok_eq(wrong, 0, "... wrong");
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
	test_suite("threads", true);
	if (broker)
		test_suite(broker, true);
	return tap_done();
}
