// SPDX-License-Identifier: GPL-2.0-only
/*
 * bus-pingpong: round trips, rate and processor time of a bus.
 *
 *	bus-pingpong SPEC WORKERS		threads; processes over a broker
 *	mpirun -n N+1 bus-pingpong mpi N
 *
 * Prints medians in us: there and back for 64 B, 16 KB, 1 MB, and the cycle of
 * a scan: 2.6 KB to all, 100 results of 64 B back, 800 B to all. Then, of the
 * coordinator's processor time: "send", the scan to all, and "take", of
 * results, one of each worker, that were all there already, for each of them.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/error.h"
#include "cluster/bus.h"

enum { ECHO = 1, SCAN, RESULT, ASSIGN, END };

enum {
	LARGEST		= 1 << 20,
	SCAN_BYTES	= 2600,
	RESULTS		= 100,
	RESULT_BYTES	= 64,
	ASSIGN_BYTES	= 800,
	MOST		= 2000,
	PAUSE_US	= 20000,	/* until all results are there */
	MOST_WORKERS	= 64,
	PATIENCE_MS	= 60000,
};

static const char *spec;
static uint32_t workers;
static struct bus_hub *hub;
static char job[BUS_JOB];
static uint8_t bytes[LARGEST];
static double times[MOST];

static struct bus *join(enum bus_role role)
{
	const struct bus_config c = { .job = job, .hub = hub };
	struct error error;
	struct bus *e;

	if (bus_open(&e, spec, role, &c, &error)) {
		fprintf(stderr, "%s\n", error.text);
		exit(1);
	}
	return e;
}

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

static void send_to(struct bus *e, uint32_t to, uint16_t type,
		    const void *data, size_t len)
{
	const struct iovec iov = { (void *)data, len };

	bus_send_wait(e, to, type, &iov, 1, PATIENCE_MS);
}

/* The share of the results is in the scan's first byte */
static void serve(struct bus *e)
{
	struct bus_message m;
	unsigned int i, share;

	while (bus_receive(e, &m, PATIENCE_MS) == 1 && m.type != END &&
	       m.type != BUS_COORDINATOR_GONE) {
		if (m.type == ECHO)
			send_to(e, 0, ECHO, m.data, m.len);
		if (m.type != SCAN)
			continue;
		share = *(const uint8_t *)m.data;
		for (i = 0; i < share; i++)
			send_to(e, 0, RESULT, bytes, RESULT_BYTES);
	}
	bus_close(e);
}

static void *thread(void *arg)
{
	(void)arg;
	serve(join(BUS_WORKER));
	return NULL;
}

static void await(struct bus *e, uint16_t type, unsigned int n)
{
	struct bus_message m;

	while (n) {
		if (bus_receive(e, &m, PATIENCE_MS) != 1) {
			fprintf(stderr, "nothing comes\n");
			exit(1);
		}
		n -= m.type == type;
	}
}

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print(const char *what, unsigned int n)
{
	qsort(times, n, sizeof(*times), by_size);
	printf("%-10s %9.1f  least %9.1f  p95 %9.1f\n", what, times[n / 2],
	       times[0], times[n * 95 / 100]);
}

static void pingpong(struct bus *e, const char *what, size_t len,
		     unsigned int n)
{
	unsigned int i;
	double t;

	for (i = 0; i < n; i++) {
		t = now_us();
		send_to(e, 1, ECHO, bytes, len);
		await(e, ECHO, 1);
		times[i] = now_us() - t;
	}
	print(what, n);
}

static void cycle(struct bus *e, unsigned int n)
{
	const unsigned int share = RESULTS / workers;
	const struct iovec scan = { bytes, SCAN_BYTES };
	const struct iovec assign = { bytes, ASSIGN_BYTES };
	unsigned int i;
	double t;

	bytes[0] = share;
	for (i = 0; i < n; i++) {
		t = now_us();
		bus_broadcast(e, SCAN, &scan, 1);
		await(e, RESULT, share * workers);
		bus_broadcast(e, ASSIGN, &assign, 1);
		times[i] = now_us() - t;
	}
	print("cycle", n);
}

static double cpu_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

static void processor(struct bus *e, unsigned int n)
{
	const struct iovec scan = { bytes, SCAN_BYTES };
	double taken[MOST];
	unsigned int i;
	double t;

	bytes[0] = 1;
	for (i = 0; i < n; i++) {
		t = cpu_us();
		bus_broadcast(e, SCAN, &scan, 1);
		times[i] = cpu_us() - t;
		usleep(PAUSE_US);
		t = cpu_us();
		await(e, RESULT, workers);
		taken[i] = (cpu_us() - t) / workers;
	}
	print("send", n);
	memcpy(times, taken, n * sizeof(*times));
	print("take", n);
}

static void measure(struct bus *e)
{
	await(e, BUS_JOINED, workers);
	printf("%.*s, %u workers: us, median\n", (int)strcspn(spec, ":"), spec,
	       workers);
	pingpong(e, "64 B", 64, MOST);
	pingpong(e, "16 KB", 16 << 10, MOST / 2);
	pingpong(e, "1 MB", 1 << 20, MOST / 20);
	cycle(e, MOST / 4);
	processor(e, MOST / 10);
	bus_broadcast(e, END, NULL, 0);
	bus_close(e);
}

static void with_threads(void)
{
	pthread_t t[MOST_WORKERS];
	uint32_t i;

	hub = bus_hub_create();
	for (i = 0; i < workers; i++)
		pthread_create(&t[i], NULL, thread, NULL);
	measure(join(BUS_COORDINATOR));
	for (i = 0; i < workers; i++)
		pthread_join(t[i], NULL);
	bus_hub_destroy(hub);
}

static void with_processes(void)
{
	uint32_t i;

	for (i = 0; i < workers; i++)
		if (!fork()) {
			serve(join(BUS_WORKER));
			_exit(0);
		}
	measure(join(BUS_COORDINATOR));
	while (wait(NULL) > 0)
		;
}

int main(int argc, char **argv)
{
	struct bus *e;

	workers = argc > 2 ? atoi(argv[2]) : 0;
	if (!workers || workers > MOST_WORKERS) {
		fprintf(stderr, "bus-pingpong SPEC WORKERS\n");
		return 2;
	}
	spec = argv[1];
	snprintf(job, sizeof(job), "pingpong-%d", getpid());
	if (!strcmp(spec, "threads")) {
		with_threads();
	} else if (strcmp(spec, "mpi")) {
		with_processes();
	} else {
		e = join(BUS_BY_RANK);
		if (bus_role(e) == BUS_COORDINATOR)
			measure(e);
		else
			serve(e);
	}
	return 0;
}
