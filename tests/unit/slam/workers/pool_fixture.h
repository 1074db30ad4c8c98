/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pool_fixture.h - workers and their coordinator in threads of this process,
 * and a trip that is driven by them
 */
#ifndef UNIT_POOL_FIXTURE_H
#define UNIT_POOL_FIXTURE_H

#include <pthread.h>
#include <stdatomic.h>
#include "base/error.h"
#include "slam/filter/filter.h"
#include "slam/workers/wire.h"
#include "slam/workers/worker.h"
#include "slam_fixture.h"

enum { PATIENCE = 60000 };	/* ms */

__attribute__((unused)) static struct world world;
static struct trip *part;	/* that is driven */
static struct bus_hub *hub;

static inline struct bus *member(enum bus_role role)
{
	const struct bus_config config = {
		.job = "remote", .protocol = WIRE_VERSION, .build = "",
		.heartbeat_ms = PATIENCE, .hub = hub,
	};
	struct error error;
	struct bus *e;

	if (bus_open(&e, "threads", role, &config, &error))
		abort();
	return e;
}

static inline void tell(struct bus *e, uint32_t to, enum wire_type type,
			const void *head, size_t head_len, const void *data,
			size_t len)
{
	const struct iovec iov[] = {
		{ (void *)head, head_len }, { (void *)data, len },
	};

	if (bus_send(e, to, type, iov, 2))
		abort();
}

static _Atomic bool over;

static inline void *go_on(void *arg)
{
	struct bus *e = member(BUS_WORKER);
	struct worker *w = worker_create(e, 1, NULL, NULL);

	(void)arg;
	while (!over && worker_turn(w, 20) >= 0)
		;
	worker_destroy(w);
	bus_close(e);
	return NULL;
}

/* A worker that leaves after so many messages */
static inline void *go_on_until(void *arg)
{
	const unsigned int *messages = arg;
	struct bus *e = member(BUS_WORKER);
	struct worker *w = worker_create(e, 1, NULL, NULL);

	for (unsigned int n = 0; !over && n < *messages;) {
		const int ret = worker_turn(w, 20);

		if (ret < 0)
			break;
		n += ret > 0;
	}
	worker_destroy(w);
	bus_close(e);
	return NULL;
}

/* A coordinator and threads that work for it */
struct crew {
	struct bus	*engine;
	pthread_t	thread[3];
	unsigned int	threads;
};

static inline struct crew crew_open(void)
{
	over = false;
	hub = bus_hub_create();
	return (struct crew){ .engine = member(BUS_COORDINATOR) };
}

static inline void crew_add(struct crew *c, void *(*work)(void *arg), void *arg)
{
	if (pthread_create(&c->thread[c->threads++], NULL, work, arg))
		abort();
}

/* After the filter, which is the coordinator's */
static inline void crew_close(struct crew *c)
{
	over = true;
	bus_close(c->engine);
	while (c->threads)
		pthread_join(c->thread[--c->threads], NULL);
	bus_hub_destroy(hub);
}

static unsigned int lost;	/* readings at which the robot was */

/* @poses: of the readings. Return: of filter_read() */
static inline int drive(struct filter *f, struct pose *poses)
{
	struct filter_result r;
	int err = 0;

	lost = 0;
	for (unsigned int i = 0; i < part->count && !err; i++) {
		err = filter_read(f, part->reading + i, &r);
		poses[i] = r.pose;
		lost += r.lost;
	}
	return err;
}

static inline struct slam_params few(void)
{
	struct slam_params p = slam_defaults;

	p.particles = 10;
	p.distance = 0;
	return p;
}

#endif
