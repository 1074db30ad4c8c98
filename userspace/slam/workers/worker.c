// SPDX-License-Identifier: GPL-2.0-only
/*
 * worker.c - a worker: its messages and its end
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include "base/clock.h"
#include "base/error.h"
#include "base/thread_pool.h"
#include "slam/filter/memory.h"
#include "slam/workers/wire_check.h"
#include "slam/workers/worker_parts.h"

enum { TELL_MS = 30000 };

__attribute__((format(printf, 3, 4)))
static void worker_logf(struct worker *w, int priority, const char *format, ...)
{
	char line[256];
	va_list args;

	if (!w->log)
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	w->log(w->arg, priority, line);
}

struct worker *worker_create(struct bus *engine, unsigned int threads,
			     void (*log)(void *arg, int priority,
					 const char *line), void *arg)
{
	struct worker *w = calloc(1, sizeof(*w));

	if (w) {
		w->engine = engine;
		w->threads = threads;
		w->log = log;
		w->arg = arg;
	}
	return w;
}

void worker_join(struct worker *w, struct thread_pool_group *group,
		 unsigned int member)
{
	w->group = group;
	w->member = member;
}

/* Reset all but maps that arrived before SETUP, on a shorter path */
static void clear(struct worker *w)
{
	particles_destroy(w->particles);
	w->particles = NULL;
	scans_free(&w->scans);
	worker_drop_lates(w);
	w->count = w->written = w->ghosts = 0;
	w->failed = 0;
	w->ready = w->matching = false;
	w->settled = w->update = 0;
}

static void worker_forget(struct worker *w)
{
	clear(w);
	for (uint32_t i = 0; i < w->earlies; i++)
		free(w->early[i].map);
	w->earlies = 0;
	map_reassembly_free(&w->reassembly);
}

void worker_destroy(struct worker *w)
{
	if (!w)
		return;
	worker_forget(w);
	scan_free(&w->scan);
	bytes_free(&w->bytes);
	bytes_free(&w->reading);
	free(w->numbers);
	free(w->out);
	free(w->late);
	free(w->ghost);
	free(w->early);
	free(w);
}

static int worker_on_match(struct worker *w, const void *data, size_t len)
{
	const struct wire_match *m = data;
	const bool again = w->matching && len >= sizeof(*m) &&
			   m->update == w->update && m->round > w->round;
	int err = 0;

	w->asked = monotonic_ns();
	if (len < sizeof(*m) ||
	    (w->matching && !again && m->update <= w->update) ||
	    (again && w->written))
		return -EBADMSG;
	if (w->matching && !again)
		err = worker_settle_all(w);
	if (err)
		return err;
	if (!wire_motion_valid(&m->motion, &w->params) ||
	    !scans_valid((const struct wire_reading *)(m + 1),
			 len - sizeof(*m)))
		return -EBADMSG;
	scans_free(&w->scans);
	w->reading.len = 0;
	err = bytes_append(&w->reading, m + 1, len - sizeof(*m));
	w->update = m->update;
	w->round = m->round;
	w->again = m->again;
	w->motion = m->motion;
	w->matching = true;
	w->eager = m->early;
	if (!err)
		err = worker_make_own(w);
	if (!err)
		err = worker_match(w, w->numbers, w->count);
	if (!err)
		worker_write_early(w);
	return err;
}

static int on_scan(struct worker *w, const void *data, size_t len)
{
	const struct wire_match *m = data;

	if (len < sizeof(*m))
		return -EBADMSG;
	return scans_put(&w->scans, m->update,
			 (const struct wire_reading *)(m + 1),
			 len - sizeof(*m));
}

/*
 * Rebuilding particles of lost workers
 */

static int redo(struct worker *w, const struct wire_rebuild *b)
{
	const struct wire_step *step = (const struct wire_step *)(b + 1);
	const struct pose start = { 0, 0, 0 };
	int err = 0;

	if (!b->at)
		err = particles_add(w->particles, b->number, &start);
	else if (!particles_has(w->particles, b->number))
		err = -EBADMSG;

	for (uint32_t i = 0; i < b->steps && !err; i++) {
		/* MPI makes no progress without calls */
		bus_wait(w->engine, 0);
		err = worker_make_scan(w, scans_at(&w->scans, step[i].update));
		if (!err)
			err = particles_redo(w->particles, b->number,
					     step[i].update, step[i].number,
					     &w->scan, &step[i].pose);
	}
	if (!err && w->matching)
		err = worker_make_own(w);
	return err;
}

static int on_rebuild(struct worker *w, const void *data, size_t len)
{
	const struct wire_rebuild *b = data;
	int err;

	if (len < sizeof(*b) || b->at > b->total ||
	    b->steps > b->total - b->at ||
	    (len - sizeof(*b)) / sizeof(struct wire_step) < b->steps ||
	    !wire_steps_valid(b, &w->params))
		return -EBADMSG;
	if (worker_has(w, b->number))
		return 0;
	worker_not_late(w, b->number);
	err = redo(w, b);
	if (err || b->at + b->steps < b->total)
		return err;
	return worker_arrived(w, b->number);
}

/* The history was corrected: the particles have other maps from now on */
static int on_forget(struct worker *w)
{
	int err;

	for (uint32_t i = 0; i < w->count; i++)
		particles_drop(w->particles, w->numbers[i]);
	worker_drop_lates(w);
	worker_drop_ghosts(w);
	w->count = w->written = 0;
	w->matching = false;
	w->settled = w->update + 1;
	map_reassembly_drop(&w->reassembly, w->settled);
	err = w->failed;
	w->failed = 0;
	return err;
}

static int on_copy(struct worker *w, const void *data, size_t len)
{
	const struct wire_copy *c = data;
	int err;

	if (len != sizeof(*c) || c->number >= SLAM_PARTICLES_MAX ||
	    !worker_has(w, c->of) || worker_has(w, c->number))
		return -EBADMSG;
	err = particles_copy(w->particles, c->number, c->of);
	return err ? err : worker_arrived(w, c->number);
}

/* Work for an earlier coordinator does not count */
static void count_anew(struct worker *w)
{
	struct bus_counters counters;

	bus_counters(w->engine, &counters);
	w->before = counters.to_workers;
	w->cpu = w->early_cpu = 0;
	w->began = thread_pool_own_cpu();
}

static int on_setup(struct worker *w, const void *data, size_t len)
{
	struct error error;

	clear(w);
	count_anew(w);
	if (len != sizeof(w->params))
		return -EBADMSG;
	memcpy(&w->params, data, len);
	if (slam_params_check(&w->params, &error))
		return -EBADMSG;
	w->particles = w->group ?
		particles_create_member(&w->params, w->group, w->member) :
		particles_create(&w->params, w->threads);
	if (!w->particles)
		return -ENOMEM;
	w->ready = true;
	return 0;
}

static int worker_handle(struct worker *w, const struct bus_message *m)
{
	if (m->type == WIRE_SETUP)
		return on_setup(w, m->data, m->len);
	if (!w->ready && m->type != WIRE_MAP)
		return 0;
	switch (m->type) {
	case WIRE_SCAN:
		return on_scan(w, m->data, m->len);
	case WIRE_REBUILD:
		return on_rebuild(w, m->data, m->len);
	case WIRE_FORGET:
		return on_forget(w);
	case WIRE_COPY:
		return on_copy(w, m->data, m->len);
	case WIRE_MATCH:
		return worker_on_match(w, m->data, m->len);
	case WIRE_SETTLE:
		return worker_on_settle(w, m->data, m->len);
	case WIRE_MAP:
		return worker_on_map(w, m->from, m->data, m->len);
	case WIRE_NEED:
		return worker_on_need(w, m->from, m->data, m->len);
	case WIRE_TILES:
		return worker_on_tiles(w, m->from, m->data, m->len);
	}
	return -EBADMSG;
}

static void worker_on_event(struct worker *w, const struct bus_message *m)
{
	switch (m->type) {
	case BUS_JOINED:
		worker_logf(w, LOG_INFO, "joined as worker %u", m->from);
		return;
	case BUS_LEFT:
		worker_logf(w, LOG_WARNING, "left the job: %.200s",
			    (char *)m->data);
		break;
	case BUS_COORDINATOR_GONE:
		worker_logf(w, LOG_INFO, "lost the coordinator: %.200s",
			    (char *)m->data);
		break;
	}
	worker_forget(w);
}

/*
 * Without memory, or after an invalid message, the state is undefined: other
 * workers take over. Return: 1: go on; @err
 */
static int worker_fail(struct worker *w, const struct bus_message *m,
		       int err)
{
	char reason[MEMORY_REASON];
	const int32_t code = err;

	if (err == -ENOMEM && memory_reason(reason))
		worker_logf(w, LOG_ERR,
			    "the maps of %u particles take more than %s",
			    w->count, reason);
	else
		worker_logf(w, LOG_ERR, "message %u of %u: %s", m->type,
			    m->from, strerror(-err));
	worker_send(w, 0, WIRE_FAILED, &code, sizeof(code), NULL, 0);
	return err == -ENOMEM || err == -EBADMSG ? err : 1;
}

/* Every 30 s without a message */
static void worker_log_waiting(struct worker *w, int timeout_ms)
{
	w->idle += (uint32_t)timeout_ms;
	if (w->idle / TELL_MS == (w->idle - (uint32_t)timeout_ms) / TELL_MS)
		return;
	worker_logf(
		w, LOG_INFO,
		w->ready ?
			"no message for %u s: waiting for the next scan" :
			"no message for %u s: waiting for a slamd with this engine and job",
		w->idle / 1000);
}

int worker_turn(struct worker *w, int timeout_ms)
{
	struct bus_message m;
	int ret = bus_receive(w->engine, &m, timeout_ms), err;

	if (!ret)
		worker_log_waiting(w, timeout_ms);
	if (ret <= 0)
		return ret;
	w->idle = 0;
	if (m.type >= BUS_EVENT) {
		worker_on_event(w, &m);
		return 1;
	}
	w->began = thread_pool_own_cpu();
	err = worker_handle(w, &m);
	w->cpu += thread_pool_own_cpu() - w->began;
	return err ? worker_fail(w, &m, err) : 1;
}
