// SPDX-License-Identifier: GPL-2.0-only
/*
 * worker.c - receive messages, update particles, send results
 *
 * A worker that waits for the others to match writes the scan to its maps
 * early. For particles without children this is wasted, which is rare and
 * changes nothing: no other particle shares the written tiles.
 */
#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include "base/array.h"
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
	w->track.len = 0;
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
	bytes_free(&w->track);
	bytes_free(&w->reading);
	free(w->numbers);
	free(w->out);
	free(w->late);
	free(w->ghost);
	free(w->early);
	free(w);
}

int worker_send(struct worker *w, uint32_t to, enum wire_type type,
		const void *head, size_t head_len, const void *data,
		size_t len)
{
	const struct iovec iov[] = {
		{ (void *)head, head_len }, { (void *)data, len },
	};
	const int err = bus_send_wait(w->engine, to, type, iov, 2, -1);

	/* the coordinator handles lost peers */
	return err == -EHOSTUNREACH || err == -ENOTCONN ? 0 : err;
}

/* Add this particle, once. Return: 0; -ENOMEM */
static int worker_add_number(struct worker *w, uint32_t number)
{
	for (uint32_t i = 0; i < w->count; i++) {
		if (w->numbers[i] == number)
			return 0;
	}
	return worker_add_new(w, number);
}

int worker_add_new(struct worker *w, uint32_t number)
{
	if (array_grow(&w->numbers, &w->room, w->count, sizeof(*w->numbers)))
		return -ENOMEM;
	assert(w->count < w->room);
	w->numbers[w->count++] = number;
	return 0;
}

/*
 * Matching
 */

/* Processor time of all threads */
static uint64_t cpu_of(const struct worker *w)
{
	struct particles_use use;

	particles_use(w->particles, &use);
	return use.cpu + w->cpu + thread_pool_own_cpu() - w->began;
}

static int worker_match(struct worker *w, const uint32_t *numbers,
			uint32_t count)
{
	struct wire_result head = {
		.update = w->update, .count = count, .round = w->round,
	};
	struct bus_counters counters;
	struct particles_use use;
	struct wire_outcome *list;
	int err;

	if (!count)
		return 0;
	while (w->out_room < count) {
		err = array_grow(&w->out, &w->out_room, w->out_room,
				 sizeof(*w->out));
		if (err)
			return err;
	}
	err = particles_match(w->particles, w->update, &w->scan, &w->motion,
			      numbers, count, w->out);
	w->bytes.len = 0;
	if (!err)
		err = bytes_reserve(&w->bytes, count * sizeof(*list));
	if (err)
		return err;
	list = (struct wire_outcome *)w->bytes.data;
	for (uint32_t i = 0; i < count; i++)
		list[i] = (struct wire_outcome){
			w->out[i].pose, w->out[i].fit, numbers[i],
			w->out[i].evaluations,
		};
	particles_use(w->particles, &use);
	head.bytes = use.bytes;
	head.peak = use.peak;
	head.cpu = cpu_of(w);
	head.early = w->early_cpu;
	bus_counters(w->engine, &counters);
	head.sent = (struct bus_traffic){
		counters.to_workers.messages - w->before.messages,
		counters.to_workers.bytes - w->before.bytes,
	};
	return worker_send(w, 0, WIRE_RESULT, &head, sizeof(head), list,
		       count * sizeof(*list));
}

static int make_scan(struct worker *w, const struct wire_reading *r)
{
	struct reading reading;

	if (!r)
		return -EBADMSG;
	reading = scans_reading(r);
	return scan_make(&w->scan, &reading, &w->params);
}

/* A reading of the last MATCH */
static int make_own(struct worker *w)
{
	return make_scan(w, (const struct wire_reading *)w->reading.data);
}

int worker_write_rest(struct worker *w)
{
	const uint32_t first = w->written;

	w->written = w->count;
	if (w->count == first)
		return 0;
	return particles_write(w->particles, w->update, &w->scan,
			       w->numbers + first, w->count - first);
}

/* Whether this update will not be matched again: some particle of this worker
 * fits well enough. The last results must be complete
 */
static bool is_final(const struct worker *w)
{
	for (uint32_t i = 0; i < w->count; i++)
		if (w->out[i].fit >= w->again)
			return true;
	return false;
}

/* Not during moves between workers: ghosts still share their maps */
static void write_early(struct worker *w)
{
	const uint64_t start = cpu_of(w);

	if (!w->eager || w->lates || w->ghosts || w->failed || !is_final(w))
		return;
	bus_wait(w->engine, 0);
	w->failed = worker_write_rest(w);
	w->early_cpu += cpu_of(w) - start;
}

int worker_settle_all(struct worker *w)
{
	int err = w->failed;

	w->matching = false;
	w->settled = w->update + 1;
	map_reassembly_drop(&w->reassembly, w->settled);
	worker_drop_lates(w);
	worker_drop_ghosts(w);
	if (!err)
		err = worker_write_rest(w);
	w->written = 0;
	return err;
}

static int worker_on_match(struct worker *w, const void *data, size_t len)
{
	const struct wire_match *m = data;
	const bool again = w->matching && len >= sizeof(*m) &&
			   m->update == w->update && m->round > w->round;
	int err = 0;

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
		err = make_own(w);
	if (!err)
		err = worker_match(w, w->numbers, w->count);
	if (!err)
		write_early(w);
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

static int on_track(struct worker *w, const void *data, size_t len);

int worker_arrived(struct worker *w, uint32_t number)
{
	int err = worker_add_number(w, number);

	if (!err && w->matching)
		err = worker_match(w, &number, 1);
	if (err)
		return err;
	if (!w->track.len ||
	    ((struct wire_track *)w->track.data)->number != number)
		return 0;
	return on_track(w, w->track.data, w->track.len);
}

/*
 * Rebuilding particles of lost workers
 */

static bool has(const struct worker *w, uint32_t number)
{
	for (uint32_t i = 0; i < w->count; i++) {
		if (w->numbers[i] == number)
			return true;
	}
	return false;
}

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
		err = make_scan(w, scans_at(&w->scans, step[i].update));
		if (!err)
			err = particles_redo(w->particles, b->number,
					     step[i].update, step[i].number,
					     &w->scan, &step[i].pose);
	}
	if (!err && w->matching)
		err = make_own(w);
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
	if (has(w, b->number))
		return 0;
	worker_not_late(w, b->number);
	err = redo(w, b);
	if (err || b->at + b->steps < b->total)
		return err;
	return worker_arrived(w, b->number);
}

static int on_track(struct worker *w, const void *data, size_t len)
{
	const struct wire_track *t = data;
	const struct wire_reading *r = (const struct wire_reading *)(t + 1);
	struct wire_tracked answer;
	struct reading reading;
	struct sighting s;
	int err;

	if (len < sizeof(*t) || !scans_valid(r, len - sizeof(*t)) ||
	    !wire_seek_valid(&t->seek, &w->params) || w->written)
		return -EBADMSG;
	if (!has(w, t->number)) {
		w->track.len = 0;
		return bytes_append(&w->track, data, len);
	}
	reading = scans_reading(r);
	err = scan_make(&w->scan, &reading, &w->params);
	if (err)
		return err;
	s = particles_track(w->particles, t->number, &w->scan, &t->seek);
	answer = (struct wire_tracked){
		.outcome = { s.outcome.pose, s.outcome.fit, t->number,
			     s.outcome.evaluations },
		.against = s.against, .ahead = s.ahead, .ticket = t->ticket,
	};
	w->track.len = 0;
	if (w->matching)
		err = make_own(w);
	if (err)
		return err;
	return worker_send(w, 0, WIRE_TRACKED, &answer, sizeof(answer), NULL, 0);
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
	char error[ERROR_TEXT];

	clear(w);
	count_anew(w);
	if (len != sizeof(w->params))
		return -EBADMSG;
	memcpy(&w->params, data, len);
	if (slam_params_check(&w->params, error))
		return -EBADMSG;
	w->particles = particles_create(&w->params, w->threads);
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
	case WIRE_MATCH:
		return worker_on_match(w, m->data, m->len);
	case WIRE_SETTLE:
		return worker_on_settle(w, m->data, m->len);
	case WIRE_TRACK:
		return on_track(w, m->data, m->len);
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
