// SPDX-License-Identifier: GPL-2.0-only
/*
 * particle_pool_remote.c - the coordinator's side of particles on workers
 *
 * The coordinator knows the ancestry of each particle, which is enough to
 * rebuild it: a particle without a worker, or whose worker is lost, goes with
 * its steps to the worker that has the fewest. The scans of all updates are
 * kept for that.
 */
#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>
#include "base/array.h"
#include "base/clock.h"
#include "base/thread_pool.h"
#include "slam/workers/particle_pool_remote_parts.h"

enum {
	PATIENCE	= 200,	/* interval to check for signals, ms */
	WAITING		= 20,	/* likewise, to call the caller */
	SILENCE		= 50,	/* intervals until a silent worker is dropped */
	REPEAT		= 150,	/* intervals until the log repeats what is
				 * waited for
				 */
	STEPS		= 256,	/* in one message */
};

void remote_log(struct remote *r, int priority, const char *format, ...)
{
	char line[256];
	va_list args;

	if (!r->config.log)
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	r->config.log(r->config.arg, priority, line);
}

struct member *remote_member(const struct remote *r, uint32_t id)
{
	for (uint32_t i = 0; i < r->members; i++) {
		if (r->member[i].id == id)
			return r->member + i;
	}
	return NULL;
}

/* A later message reports a lost peer, or a lost broker */
static int sent(int err)
{
	return err == -EHOSTUNREACH || err == -ENOTCONN ? 0 : err;
}

static int send_to(struct remote *r, uint32_t to, enum wire_type type,
		   const void *head, size_t head_len, const void *data,
		   size_t len)
{
	const struct iovec iov[] = {
		{ (void *)head, head_len }, { (void *)data, len },
	};
	return sent(bus_send_wait(r->config.engine, to, type, iov, 2, -1));
}

int remote_send_all(struct remote *r, enum wire_type type, const void *head,
		    size_t head_len, const void *data, size_t len)
{
	const struct iovec iov[] = {
		{ (void *)head, head_len }, { (void *)data, len },
	};
	int err;

	while ((err = bus_broadcast(r->config.engine, type, iov, 2)) ==
	       -EAGAIN) {
		/* messages to receive are not the reason that sending blocks */
		if (bus_wait(r->config.engine, PATIENCE) > 0)
			usleep(1000);
	}
	return sent(err);
}

/*
 * Assigning particles to workers
 */

int remote_make_room(struct remote *r, uint32_t count)
{
	uint32_t *owner, *from, *next;
	uint8_t *done;

	if (count <= r->room)
		return 0;
	owner = realloc(r->owner, count * sizeof(*owner));
	if (owner)
		r->owner = owner;
	from = realloc(r->from, count * sizeof(*from));
	if (from)
		r->from = from;
	next = realloc(r->next_owner, count * sizeof(*next));
	if (next)
		r->next_owner = next;
	done = realloc(r->done, count);
	if (done)
		r->done = done;
	if (!owner || !from || !next || !done)
		return -ENOMEM;
	for (uint32_t i = r->room; i < count; i++)
		r->owner[i] = r->from[i] = r->done[i] = 0;
	r->room = count;
	return 0;
}

/* After a resampling the next one is likely */
static struct wire_match match_head(const struct remote *r)
{
	return (struct wire_match){
		.update = r->order.update, .motion = r->order.motion,
		.round = r->order.round, .again = r->order.again,
		.early = !r->resampled,
	};
}

/* Before a message that cannot wait for MATCH, which implies SETTLE */
static int settle_first(struct remote *r)
{
	const struct wire_settle head = { .update = r->settled };

	if (!r->unsettled)
		return 0;
	r->unsettled = false;
	return remote_send_all(r, WIRE_SETTLE, &head, sizeof(head), NULL, 0);
}

static int send_match(struct remote *r, struct member *m)
{
	const struct wire_match head = match_head(r);
	const struct wire_reading *reading = scans_at(&r->scans, r->order.update);

	if (m->matched > r->order.update)
		return 0;
	m->matched = r->order.update + 1;
	m->scans = 0;
	return send_to(r, m->id, WIRE_MATCH, &head, sizeof(head), reading,
		       scans_size(reading));
}

/* The scans of all updates before this one */
static int send_scans(struct remote *r, struct member *m, uint64_t end)
{
	int err = 0;

	for (; m->scans < end && !err; m->scans++) {
		const struct wire_match head = { .update = m->scans };
		const struct wire_reading *reading =
			scans_at(&r->scans, m->scans);

		err = send_to(r, m->id, WIRE_SCAN, &head, sizeof(head),
			      reading, scans_size(reading));
	}
	return err;
}

static int collect_steps(struct remote *r, trajectory_tree_id id)
{
	const uint32_t count = trajectory_tree_depth(r->state->tree, id);
	struct wire_step *step;
	const int err = bytes_reserve(&r->bytes, (count + 1) * sizeof(*step));

	if (err)
		return err;
	step = (struct wire_step *)r->bytes.data;
	for (uint32_t i = count; i--;
	     id = trajectory_tree_parent(r->state->tree, id)) {
		const struct trajectory_step *s =
			trajectory_tree_at(r->state->tree, id);

		step[i] = (struct wire_step){ s->pose, s->update, s->number,
					      0 };
	}
	r->bytes.len = count * sizeof(*step);
	return 0;
}

/* r->bytes, in as many messages as needed */
static int send_steps(struct remote *r, const struct member *m,
		      uint32_t number)
{
	const struct wire_step *step = (const struct wire_step *)r->bytes.data;
	struct wire_rebuild head = {
		.number = number,
		.total = (uint32_t)(r->bytes.len / sizeof(*step)),
	};
	int err;

	do {
		const uint32_t left = head.total - head.at;

		head.steps = left < STEPS ? left : STEPS;
		err = send_to(r, m->id, WIRE_REBUILD, &head, sizeof(head),
			      step + head.at, head.steps * sizeof(*step));
		head.at += head.steps;
	} while (!err && head.at < head.total);
	return err;
}

static int rebuild(struct remote *r, struct member *m, uint32_t number)
{
	const trajectory_tree_id id = r->state->step[number];
	const uint32_t steps = trajectory_tree_depth(r->state->tree, id);
	int err = collect_steps(r, id);

	if (!err)
		err = settle_first(r);
	/* before the scans, which it would drop */
	if (!err && (r->matching || r->open))
		err = send_match(r, m);
	if (!err)
		err = send_scans(r, m, steps);
	if (err)
		return err;
	r->owner[number] = m->id;
	r->from[number] = m->id;
	m->load++;
	r->rebuilds = true;
	r->load.traffic.rebuilt += steps > 0;
	return send_steps(r, m, number);
}

/* By its share; without one it is the last choice */
static bool is_less_loaded(const struct member *a, const struct member *b)
{
	if (!(a->share > 0) || !(b->share > 0))
		return a->share > b->share;
	return (a->load + 1) / a->share < (b->load + 1) / b->share;
}

static struct member *least_loaded(struct remote *r)
{
	struct member *least = r->member;

	for (uint32_t i = 1; i < r->members; i++) {
		if (is_less_loaded(r->member + i, least))
			least = r->member + i;
	}
	return least;
}

/* Assign particles without a worker to those with the fewest for their share */
static int place_lost(struct remote *r)
{
	int err = 0;

	for (uint32_t i = 0; i < r->count && r->members && !err; i++) {
		struct member *m;

		if (r->owner[i])
			continue;
		m = remote_member(r, r->from[i]);
		err = rebuild(r, m ? m : least_loaded(r), i);
	}
	return err;
}

/* To a worker that has particle @of */
static int send_copy(struct remote *r, struct member *m, uint32_t number,
		     uint32_t of)
{
	const struct wire_copy head = { number, of };

	r->owner[number] = r->from[number] = m->id;
	m->load++;
	return send_to(r, m->id, WIRE_COPY, &head, sizeof(head), NULL, 0);
}

/* Each worker draws the map once */
static int remote_adopt(struct particle_pool *t,
			const struct particle_pool_state *state)
{
	struct remote *r = (struct remote *)t;
	uint32_t first = 0;
	int err = own_map_adopt(r->own, state->tree, *state->step);

	r->state = state;
	r->resampled = true;
	r->unsettled = false;
	if (err || !r->begun)
		return err;
	err = remote_send_all(r, WIRE_FORGET, NULL, 0, NULL, 0);
	memset(r->owner, 0, r->room * sizeof(*r->owner));
	memset(r->from, 0, r->room * sizeof(*r->from));
	for (uint32_t i = 0; i < r->members; i++)
		r->member[i].load = 0;
	/* without workers the particles wait for one */
	for (uint32_t i = 0; i < r->count && r->members && !err; i++) {
		struct member *m = r->member +
				   (uint64_t)i * r->members / r->count;

		if (m->load) {
			err = send_copy(r, m, i, first);
			continue;
		}
		first = i;
		err = rebuild(r, m, i);
	}
	r->state = NULL;
	return err;
}

/* For an update that was matched */
static int add_update(struct remote *r)
{
	const int err = workload_begin(&r->load, r->members);

	if (err)
		return err;
	for (uint32_t i = 0; i < r->members; i++) {
		struct member *m = r->member + i;
		const struct particle_pool_work w = workload_since(&m->work,
								   &m->before);

		workload_add(&r->load, &w);
		m->before = m->work;
	}
	workload_end(&r->load);
	return 0;
}

/*
 * Joining and leaving workers
 */

static int on_joined(struct remote *r, uint32_t id)
{
	int err = array_grow(&r->member, &r->member_room, r->members,
			     sizeof(*r->member));

	if (err)
		return err;
	r->member[r->members++] = (struct member){ .id = id };
	r->changed = true;
	r->load.traffic.joined++;
	err = remote_share(r, true);
	if (err < 0)
		return err;
	remote_log(r, LOG_INFO, "worker %u joined: %u workers", id,
			r->members);
	return send_to(r, id, WIRE_SETUP, &r->params, sizeof(r->params), NULL,
		       0);
}

static int on_left(struct remote *r, uint32_t id, const char *why)
{
	struct member *m = remote_member(r, id);
	struct particle_pool_work work;
	uint32_t lost = 0;

	if (!m)
		return 0;
	r->lost.cpu += m->use.cpu;
	work = workload_since(&m->work, &m->before);
	workload_add_lost(&r->load, &work);
	*m = r->member[--r->members];
	r->changed = true;
	r->load.traffic.left++;
	for (uint32_t i = 0; i < r->count; i++) {
		/* its map may not have arrived at its new worker */
		const bool waits = r->from[i] == id && !r->done[i];

		if (r->owner[i] != id && !waits)
			continue;
		/* the new worker rebuilds it */
		m = remote_member(r, r->owner[i]);
		if (m)
			m->load--;
		r->from[i] = m ? m->id : 0;
		r->owner[i] = 0;
		lost++;
	}
	remote_log(r, LOG_WARNING,
			"worker %u left (%.100s): %u particles are rebuilt by "
			"%u other workers",
			id, why, lost, r->members);
	return remote_share(r, true) < 0 ? -ENOMEM : 0;
}

static void pool_remote_on_result(struct remote *r, uint32_t from,
				  const void *data, size_t len)
{
	const struct wire_result *w = data;
	const struct wire_outcome *o = (const struct wire_outcome *)(w + 1);
	struct member *m = remote_member(r, from);

	if (len < sizeof(*w) || !m ||
	    (len - sizeof(*w)) / sizeof(*o) < w->count)
		return;
	m->use = (struct particles_use){ w->bytes, w->peak, w->cpu };
	m->work.cpu = w->cpu;
	m->work.early = w->early;
	m->work.messages = w->sent.messages;
	m->work.bytes = w->sent.bytes;
	remote_answered(r, m, w);
	if (!r->matching || w->update != r->order.update ||
	    w->round != r->order.round)
		return;
	for (uint32_t i = 0; i < w->count; i++) {
		const uint32_t number = o[i].number;

		if (number >= r->count || r->done[number] ||
		    r->owner[number] != from)
			continue;
		r->done[number] = 1;
		assert(r->missing && r->missing <= r->count);
		r->missing--;
		m->work.evaluations += o[i].evaluations;
		r->out[number] = (struct outcome){
			o[i].pose, o[i].fit, o[i].evaluations,
		};
	}
}

/* A worker without memory leaves, and others take over its work; an error of
 * the map would occur there, too. Return: 0 or a negative errno
 */
static int on_failed(struct remote *r, const struct bus_message *m)
{
	int32_t err;

	if (m->len != sizeof(err))
		return 0;
	memcpy(&err, m->data, sizeof(err));
	if (err >= 0)
		err = -EPROTO;
	r->failed = err;
	remote_log(r, LOG_WARNING, "worker %u: %s", m->from,
			err == -ENOMEM ? "no memory for its maps" :
					 strerror(-err));
	return err == -ENOMEM || err == -EBADMSG ? 0 : err;
}

/* An event or a result. Return: 0 or a negative errno */
static int pool_remote_handle(struct remote *r, const struct bus_message *m)
{
	switch (m->type) {
	case BUS_JOINED:
		return on_joined(r, m->from);
	case BUS_LEFT:
		return on_left(r, m->from, m->data);
	case BUS_REFUSED:
		remote_log(r, LOG_WARNING, "%.200s",
				(const char *)m->data);
		return 0;
	case WIRE_RESULT:
		pool_remote_on_result(r, m->from, m->data, m->len);
		return 0;
	case WIRE_FAILED:
		return on_failed(r, m);
	}
	return 0;
}

/* Every 30 s without a message */
static void pool_remote_log_waiting(struct remote *r)
{
	const unsigned int s = r->silent * PATIENCE / 1000;

	if (!r->members)
		remote_log(
			r, LOG_WARNING,
			"no worker after %u s: start slam-worker with the same "
			"broker and job, or stop with a signal",
			s);
	else if (r->matching)
		remote_log(
			r, LOG_WARNING,
			"no message for %u s: waiting for %u of %u particles of %u workers",
			s, r->missing, r->count, r->members);
	else
		remote_log(r, LOG_WARNING,
				"no message for %u s: waiting for %u workers",
				s, r->members);
}

/* How long to wait for a message, ms */
static int pool_remote_patience(struct remote *r)
{
	const int longest = r->config.waiting && r->begun ? WAITING : PATIENCE;

	return r->matching ? remote_patience(r, longest) : longest;
}

/* Also while messages come: not all of them may come for a long time */
static void pool_remote_call_waiting(struct remote *r)
{
	const uint64_t now = monotonic_ns();

	if (!r->config.waiting || !r->begun ||
	    now - r->called < WAITING * UINT64_C(1000000))
		return;
	r->config.waiting(r->config.waiting_arg);
	r->called = monotonic_ns();
}

/* No message came. Return: 0; -EINTR: @silence: see below */
static int pool_remote_is_silent(struct remote *r, unsigned int silence)
{
	const unsigned int silent = (unsigned int)
		((monotonic_ns() - r->heard) / (PATIENCE * UINT64_C(1000000)));
	const bool longer = silent > r->silent;

	r->silent = silent;
	if (longer && silent % REPEAT == 0)
		pool_remote_log_waiting(r);
	return silent >= silence && r->config.interrupted &&
	       r->config.interrupted(r->config.arg) ? -EINTR : 0;
}

/*
 * @silence: after a signal, end after this many silent intervals; a dead worker
 * is noticed by then. Return: 1: an unhandled message; 0: timeout
 */
static int pool_remote_receive(struct remote *r, struct bus_message *m,
			       unsigned int silence)
{
	const uint64_t start = thread_pool_own_cpu();
	const int ret = bus_receive(r->config.engine, m,
				    pool_remote_patience(r));

	r->load.traffic.receiving += thread_pool_own_cpu() - start;
	pool_remote_call_waiting(r);
	if (!ret)
		return pool_remote_is_silent(r, silence);
	r->heard = monotonic_ns();
	r->silent = 0;
	return ret;
}

/* Lost workers of a fixed set are not replaced */
static uint32_t still_possible(const struct remote *r, uint32_t workers)
{
	const uint64_t left = r->load.traffic.left;

	if (!r->config.fixed || workers + left <= r->config.fixed)
		return workers;
	return left < r->config.fixed ? r->config.fixed - (uint32_t)left : 0;
}

/* Until there are this many workers, or all that are possible */
static int pool_remote_wait_for(struct remote *r, uint32_t workers)
{
	struct bus_message m;
	int ret = 0;

	if (!r->members && r->failed == -ENOMEM && !r->config.fixed)
		remote_log(
			r, LOG_WARNING,
			"the maps of %u particles exceeded the memory of the "
			"workers: start more workers, or workers with more "
			"memory",
			r->count);
	if (r->members < workers)
		remote_log(r, LOG_INFO, "waiting for %u workers", workers);
	while (r->members < still_possible(r, workers)) {
		ret = pool_remote_receive(r, &m, 1);
		if (ret > 0)
			ret = pool_remote_handle(r, &m);
		if (ret < 0)
			return ret;
	}
	if (r->members)
		return 0;
	return r->failed ? r->failed : -ENOTCONN;
}

static int pool_remote_begin(struct remote *r)
{
	int err = pool_remote_wait_for(r, r->begun ? 1 : r->config.workers);

	if (!err)
		err = remote_make_room(r, r->state->count);
	if (err)
		return err;
	r->begun = true;
	r->count = r->state->count;
	return 0;
}

static int pool_remote_match_all(struct remote *r)
{
	const struct wire_match head = match_head(r);
	const struct wire_reading *reading = scans_at(&r->scans, r->order.update);
	int err;

	r->unsettled = false;
	remote_asked(r);
	/* a worker that needs older scans for a particle gets them then */
	err = remote_send_all(r, WIRE_MATCH, &head, sizeof(head), reading,
			      scans_size(reading));
	for (uint32_t i = 0; i < r->members; i++) {
		r->member[i].matched = r->order.update + 1;
		r->member[i].scans = 0;
	}
	return err;
}

/* Until all particles are matched, or replaced. Return: 0 or a negative errno */
static int pool_remote_collect(struct remote *r)
{
	struct bus_message m;
	int ret = 0;

	while (r->missing && ret >= 0) {
		ret = r->members ? pool_remote_receive(r, &m, SILENCE) :
				   pool_remote_wait_for(r, 1);
		if (ret > 0)
			ret = pool_remote_handle(r, &m);
		else if (!ret && remote_is_due(r))
			ret = remote_replace(r);
		if (ret >= 0 && r->changed && r->missing)
			ret = place_lost(r);
	}
	return ret < 0 ? ret : 0;
}

static int remote_match(struct particle_pool *t,
			const struct particle_pool_state *state,
			const struct particle_pool_order *order,
			const struct reading *reading, struct outcome *out)
{
	struct remote *r = (struct remote *)t;
	int err;

	r->state = state;
	r->order = *order;
	r->out = out;
	for (uint32_t i = 0; i < r->members && order->round; i++)
		r->member[i].matched = order->update;
	r->heard = r->called = monotonic_ns();
	err = scans_add(&r->scans, order->update, reading);
	/* it may have to wait for workers */
	if (!err && r->begun && !r->members)
		err = remote_own_ahead(r);
	if (!err)
		err = pool_remote_begin(r);
	if (err)
		return err;
	memset(r->done, 0, r->room);
	r->missing = r->count;
	err = place_lost(r);
	if (!err)
		err = pool_remote_match_all(r);
	r->matching = true;
	/* while the workers match */
	if (!err)
		err = remote_own_ahead(r);
	if (!err)
		err = pool_remote_collect(r);
	r->matching = r->rebuilds = false;
	r->open = true;
	if (err)
		return err;
	remote_matched(r);
	return add_update(r);
}

/*
 * Other operations
 */

static int remote_recall(struct particle_pool *t,
			 const struct particle_pool_state *state,
			 uint64_t update, const struct reading *reading,
			 const struct outcome *out)
{
	struct remote *r = (struct remote *)t;

	(void)state;
	(void)out;
	/* any particles on workers are from an earlier run */
	return r->begun ? -EINVAL : scans_add(&r->scans, update, reading);
}

static void remote_use(struct particle_pool *t, struct particles_use *use)
{
	const struct remote *r = (const struct remote *)t;

	*use = r->lost;
	if (r->own) {
		struct particles_use own;

		own_map_use(r->own, &own);
		use->bytes += own.bytes;
		use->peak += own.peak;
		use->cpu += own.cpu;
	}
	for (uint32_t i = 0; i < r->members; i++) {
		use->bytes += r->member[i].use.bytes;
		use->peak += r->member[i].use.peak;
		use->cpu += r->member[i].use.cpu;
	}
}

static void remote_destroy(struct particle_pool *t)
{
	struct remote *r = (struct remote *)t;

	own_map_destroy(r->own);
	scans_free(&r->scans);
	bytes_free(&r->bytes);
	free(r->member);
	free(r->owner);
	free(r->from);
	free(r->next_owner);
	free(r->done);
	workload_free(&r->load);
	free(r);
}

void particle_pool_remote_traffic(struct particle_pool *t,
				  struct particle_pool_traffic *traffic)
{
	const struct remote *r = (const struct remote *)t;

	*traffic = r->load.traffic;
	traffic->slowest = r->load.slowest;
	traffic->ranked = r->load.ranked;
}

static const struct particle_pool_ops remote_ops = {
	.match = remote_match,
	.settle = remote_settle,
	.track = remote_track,
	.recall = remote_recall,
	.draft = remote_draft,
	.adopt = remote_adopt,
	.use = remote_use,
	.destroy = remote_destroy,
};

struct particle_pool *
particle_pool_remote(const struct slam_params *params,
		     const struct particle_pool_remote_config *config)
{
	struct remote *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->pool.ops = &remote_ops;
	r->params = *params;
	r->config = *config;
	if (!r->config.workers)
		r->config.workers = 1;
	return &r->pool;
}
