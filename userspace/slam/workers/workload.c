// SPDX-License-Identifier: GPL-2.0-only
/*
 * workload.c - sums over updates, for all workers and for each rank
 */
#include <assert.h>
#include <stdlib.h>
#include "base/array.h"
#include "slam/workers/workload.h"

struct particle_pool_work
workload_since(const struct particle_pool_work *now,
	       const struct particle_pool_work *before)
{
	return (struct particle_pool_work){
		now->cpu - before->cpu, now->early - before->early,
		now->evaluations - before->evaluations,
		now->messages - before->messages,
		now->bytes - before->bytes,
	};
}

static void sum(struct particle_pool_work *to,
		const struct particle_pool_work *w)
{
	to->cpu += w->cpu;
	to->early += w->early;
	to->evaluations += w->evaluations;
	to->messages += w->messages;
	to->bytes += w->bytes;
}

static uint64_t workload_larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

int workload_begin(struct workload *l, uint32_t workers)
{
	struct particle_pool_traffic *t = &l->traffic;
	int err = array_grow(&l->slowest, &l->slowest_room, t->updates,
			     sizeof(*l->slowest));

	while (t->ranks < workers && !err) {
		err = array_grow(&l->ranked, &l->ranked_room, t->ranks,
				 sizeof(*l->ranked));
		if (!err)
			err = array_grow(&l->rank, &l->rank_room, t->ranks,
					 sizeof(*l->rank));
		if (!err)
			l->ranked[t->ranks++] = 0;
	}
	l->now = (struct particle_pool_work){ 0 };
	l->wait = 0;
	l->workers = 0;
	return err;
}

void workload_add(struct workload *l, const struct particle_pool_work *w)
{
	uint32_t i = l->workers++;

	sum(&l->traffic.all, w);
	l->now.cpu = workload_larger(l->now.cpu, w->cpu);
	l->now.early = workload_larger(l->now.early, w->early);
	l->now.evaluations =
		workload_larger(l->now.evaluations, w->evaluations);
	l->now.messages = workload_larger(l->now.messages, w->messages);
	l->now.bytes = workload_larger(l->now.bytes, w->bytes);
	l->wait = workload_larger(l->wait, w->cpu - w->early);
	for (; i && l->rank[i - 1] < w->evaluations; i--)
		l->rank[i] = l->rank[i - 1];
	l->rank[i] = w->evaluations;
}

void workload_end(struct workload *l)
{
	for (uint32_t i = 0; i < l->workers; i++)
		l->ranked[i] += l->rank[i];
	sum(&l->traffic.most, &l->now);
	assert(l->workers <= l->traffic.ranks);
	l->slowest[l->traffic.updates++] = (float)((double)l->wait * 1e-6);
}

void workload_add_lost(struct workload *l, const struct particle_pool_work *w)
{
	sum(&l->traffic.all, w);
}

void workload_free(struct workload *l)
{
	free(l->slowest);
	free(l->ranked);
	free(l->rank);
	*l = (struct workload){ .workers = 0 };
}
