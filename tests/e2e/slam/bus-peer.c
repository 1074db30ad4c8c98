// SPDX-License-Identifier: GPL-2.0-only
/*
 * bus-peer: a member of a job as a process, for tests that kill, stop and
 * cut off members.
 *
 *	bus-peer SPEC coordinator|worker|rank [JOB [HEARTBEAT_MS
 *		    [CONNECT_MS [PROTOCOL]]]]
 *
 * The coordinator broadcasts a number every 20 ms; each worker sends it, and a
 * large message now and then, to its neighbour (the coordinator says who that
 * is), which sends it back to the coordinator. Printed are all events, and how
 * far the numbers of each worker came: they may not go backwards.
 * SIGTERM ends it in order. "rank", under mpirun: ROUNDS rounds, then all end;
 * the exit status of each says whether all came that had to.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/error.h"
#include "cluster/bus.h"

enum { ROUND = 1, PASSED, LARGE, END };

enum {
	WORKERS		= 64,
	ROUND_MS	= 20,
	LARGE_BYTES	= 5 << 20,
	HUGE_BYTES	= 20 << 20,
	ROUNDS		= 200,
};

/* What the coordinator says, with the ids of all workers */
struct round {
	uint32_t	number;
	uint32_t	count;
	uint32_t	ids[WORKERS];
};

/* What came through @id last, and from which member, at the coordinator */
struct seen {
	uint32_t	id;
	uint32_t	origin;
	uint32_t	last;
};

static volatile sig_atomic_t ended;
static struct round round_now;
static struct seen seen[WORKERS];
static uint8_t *large;
static uint32_t total, large_total;
static bool wrong;

static void on_term(int number)
{
	(void)number;
	ended = 1;
}

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ull + t.tv_nsec / 1000000;
}

static void notice(void *arg, const char *line)
{
	(void)arg;
	printf("notice %s\n", line);
}

static void complain(const char *what, uint32_t id, uint32_t a, uint32_t b)
{
	printf("WRONG %s: worker %u: %u, %u\n", what, id, a, b);
	wrong = true;
}

static void joined(uint32_t id)
{
	const uint32_t n = round_now.count;
	uint32_t i;

	printf("joined %u\n", id);
	for (i = 0; i < n; i++)
		if (seen[i].id == id)
			complain("joined twice", id, i, n);
	if (n == WORKERS)
		return;
	seen[n] = (struct seen){ .id = id };
	round_now.ids[n] = id;
	round_now.count++;
}

static void left(uint32_t id, const char *why)
{
	uint32_t i, n = round_now.count;

	printf("left %u %s\n", id, why);
	for (i = 0; i < n && seen[i].id != id; i++)
		;
	if (i == n) {
		complain("left, but was not here", id, 0, 0);
		return;
	}
	seen[i] = seen[n - 1];
	round_now.ids[i] = round_now.ids[n - 1];
	round_now.count--;
}

/* PASSED: who began, which number; through another worker, hence in order */
static void passed(const struct bus_message *m)
{
	uint32_t v[2], i;

	memcpy(v, m->data, sizeof(v));
	for (i = 0; i < round_now.count; i++)
		if (seen[i].id == m->from)
			break;
	if (i == round_now.count) {
		complain("is not here", m->from, v[0], v[1]);
		return;
	}
	if (v[0] == seen[i].origin && v[1] <= seen[i].last)
		complain("went backwards", m->from, seen[i].last, v[1]);
	seen[i].origin = v[0];
	seen[i].last = v[1];
	total++;
}

static void coordinator_takes(const struct bus_message *m)
{
	switch (m->type) {
	case BUS_JOINED:
		joined(m->from);
		break;
	case BUS_LEFT:
		left(m->from, m->data);
		break;
	case BUS_REFUSED:
		printf("refused %s\n", (const char *)m->data);
		break;
	case PASSED:
		passed(m);
		break;
	case LARGE:
		large_total++;
		if (memcmp(m->data, large, m->len))
			complain("large", m->from, 0, 0);
		break;
	}
}

static int coordinate(struct bus *e, uint32_t rounds, uint32_t workers)
{
	const struct iovec iov = { &round_now, sizeof(round_now) };
	uint64_t due = now_ms(), said = 0;
	struct bus_message m;
	int ret;

	while (!ended) {
		ret = bus_receive(e, &m, due > now_ms() ?
				  (int)(due - now_ms()) : 0);
		if (ret < 0)
			return 1;
		if (ret)
			coordinator_takes(&m);
		if (now_ms() < due)
			continue;
		due = now_ms() + ROUND_MS;
		if (rounds && total >= rounds * workers &&
		    round_now.number >= rounds)
			break;
		/* the last ones are still on their way */
		if (round_now.count < workers ||
		    (rounds && round_now.number >= rounds))
			continue;
		if (!bus_broadcast(e, ROUND, &iov, 1))
			round_now.number++;
		if (due - said < 200)
			continue;
		said = due;
		printf("round %u workers %u passed %u large %u\n",
		       round_now.number, round_now.count, total, large_total);
	}
	if (rounds)
		bus_broadcast(e, END, NULL, 0);
	return 0;
}

/* Each to the next one, the last to the first */
static uint32_t neighbour(const struct round *r, uint32_t id)
{
	uint32_t i;

	for (i = 0; i < r->count && i < WORKERS; i++)
		if (r->ids[i] == id)
			return r->ids[(i + 1) % r->count];
	return 0;
}

/* For as long as it takes, unless we are thrown out meanwhile */
static void insist(struct bus *e, uint32_t to, uint16_t type,
		   const void *data, size_t len)
{
	const struct iovec iov = { (void *)data, len };

	while (!ended &&
	       bus_send_wait(e, to, type, &iov, 1, 500) == -EAGAIN)
		;
}

static void worker_round(struct bus *e, const struct bus_message *m)
{
	struct round r;
	uint32_t v[2], to;

	memcpy(&r, m->data, sizeof(r));
	v[0] = bus_id(e);
	v[1] = r.number;
	to = neighbour(&r, v[0]);
	if (!to || to == v[0])
		to = 0;
	insist(e, to, PASSED, v, sizeof(v));
	if (r.number % 20 == 10)
		insist(e, to, LARGE, large, LARGE_BYTES);
	if (r.number == 50)
		insist(e, to, LARGE, large, HUGE_BYTES);
}

static int work(struct bus *e)
{
	struct error error;
	struct bus_message m;
	int ret = 0;

	while (!ended) {
		ret = bus_receive(e, &m, 500);
		if (ret < 0) {
			bus_error(e, &error);
			fprintf(stderr, "%s\n", error.text);
			return 3;
		}
		if (!ret)
			continue;
		if (m.type == BUS_JOINED)
			printf("in %u\n", m.from);
		else if (m.type == BUS_LEFT)
			printf("out %u %s\n", m.from, (const char *)m.data);
		else if (m.type == BUS_COORDINATOR_GONE)
			printf("gone %s\n", (const char *)m.data);
		else if (m.type == ROUND)
			worker_round(e, &m);
		else if (m.type == END)
			return 0;
		else if (m.type == PASSED || m.type == LARGE)
			insist(e, 0, m.type, m.data, m.len);
	}
	return 0;
}

static int number(char **argv, int argc, int i, int otherwise)
{
	return i < argc ? atoi(argv[i]) : otherwise;
}

static enum bus_role role_of(const char *s)
{
	return !strcmp(s, "coordinator") ? BUS_COORDINATOR :
	       !strcmp(s, "worker") ? BUS_WORKER : BUS_BY_RANK;
}

int main(int argc, char **argv)
{
	struct bus_config c = {
		.job = argc > 3 ? argv[3] : "test",
		.heartbeat_ms = number(argv, argc, 4, 0),
		.connect_ms = number(argv, argc, 5, 0),
		.protocol = number(argv, argc, 6, 1),
		.build = "peer", .notice = notice,
	};
	const char *ranks = getenv("OMPI_COMM_WORLD_SIZE");
	struct error error;
	struct bus *e;
	uint32_t i;
	int status;

	if (argc < 3)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGTERM, on_term);
	large = malloc(HUGE_BYTES);
	for (i = 0; i < HUGE_BYTES; i++)
		large[i] = i * 2654435761u >> 24;
	if (bus_open(&e, argv[1], role_of(argv[2]), &c, &error)) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	if (bus_role(e) == BUS_WORKER)
		status = work(e);
	else if (ranks)
		status = coordinate(e, ROUNDS, atoi(ranks) - 1);
	else
		status = coordinate(e, 0, 1);
	bus_close(e);
	printf("end passed %u large %u%s\n", total, large_total,
	       wrong ? " WRONG" : "");
	free(large);
	return wrong ? 4 : status;
}
