// SPDX-License-Identifier: GPL-2.0-only
/*
 * worker_match.c - a worker's particles: matched, and written
 *
 * A worker that waits for the others to match writes the scan to its maps
 * early. For particles without children this is wasted, which is rare and
 * changes nothing: no other particle shares the written tiles.
 */
#include <assert.h>
#include <errno.h>
#include "base/array.h"
#include "base/clock.h"
#include "base/thread_pool.h"
#include "slam/workers/wire_check.h"
#include "slam/workers/worker_parts.h"

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
static uint64_t worker_cpu(const struct worker *w)
{
	struct particles_use use;

	particles_use(w->particles, &use);
	return use.cpu + w->cpu + thread_pool_own_cpu() - w->began;
}

int worker_match(struct worker *w, const uint32_t *numbers, uint32_t count)
{
	struct wire_result head = {
		.update = w->update, .count = count, .round = w->round,
	};
	const uint64_t asked = w->asked;
	struct bus_counters counters;
	struct particles_use use;
	struct wire_outcome *list;
	int err;

	while (w->out_room < count) {
		err = array_grow(&w->out, &w->out_room, w->out_room,
				 sizeof(*w->out));
		if (err)
			return err;
	}
	w->asked = 0;
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
	head.cpu = worker_cpu(w);
	head.early = w->early_cpu;
	head.busy = asked ? monotonic_ns() - asked + 1 : 0;
	bus_counters(w->engine, &counters);
	head.sent = (struct bus_traffic){
		counters.to_workers.messages - w->before.messages,
		counters.to_workers.bytes - w->before.bytes,
	};
	return worker_send(w, 0, WIRE_RESULT, &head, sizeof(head), list,
		       count * sizeof(*list));
}

int worker_make_scan(struct worker *w, const struct wire_reading *r)
{
	struct reading reading;

	if (!r)
		return -EBADMSG;
	reading = scans_reading(r);
	return scan_make(&w->scan, &reading, &w->params);
}

int worker_make_own(struct worker *w)
{
	return worker_make_scan(w,
				(const struct wire_reading *)w->reading.data);
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
static bool worker_is_final(const struct worker *w)
{
	for (uint32_t i = 0; i < w->count; i++)
		if (w->out[i].fit >= w->again)
			return true;
	return false;
}

void worker_write_early(struct worker *w)
{
	const uint64_t start = worker_cpu(w);

	/* not during moves between workers: ghosts still share their maps */
	if (!w->eager || w->lates || w->ghosts || w->failed ||
	    !worker_is_final(w))
		return;
	bus_wait(w->engine, 0);
	w->failed = worker_write_rest(w);
	w->early_cpu += worker_cpu(w) - start;
}

bool worker_has(const struct worker *w, uint32_t number)
{
	for (uint32_t i = 0; i < w->count; i++) {
		if (w->numbers[i] == number)
			return true;
	}
	return false;
}

int worker_arrived(struct worker *w, uint32_t number)
{
	const int err = worker_add_number(w, number);

	return !err && w->matching ? worker_match(w, &number, 1) : err;
}
