/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * workers.h - threads that encode and decode, so that the loop does not
 *
 * A job runs on one of the threads and ends in the loop. Its owner has one job
 * at a time: from workers_begin() until done() what run() works on belongs to
 * the thread, and needs no lock.
 *
 * Jobs begin in their order, but short ones do not wait for long ones: one
 * thread more than there are long jobs at a time takes only these. The list of
 * jobs is bounded by the number of owners.
 */
#ifndef TRANSPORT_WORKERS_H
#define TRANSPORT_WORKERS_H

#include <stdbool.h>
#include <sys/queue.h>
#include "base/loop.h"

enum {
	WORKERS_MOST	= 64,
	WORKERS_USUAL	= 8,		/* at most, unless the user says more */
	WORKERS_SHORT	= 2000000,	/* ns: a job that is expected to be as
					 * short is a short one */
};

/**
 * struct job - the owner's memory
 * @run:	on a thread
 * @done:	in the loop, behind run(); @cpu: processor time that it took, ns
 * @arg:	of both
 * @expected:	processor time that it may take, ns; 0: not known, which is long
 */
struct job {
	void		(*run)(void *arg);
	void		(*done)(void *arg, uint64_t cpu);
	void		*arg;
	uint64_t	expected;
	/* private */
	enum { JOB_IDLE, JOB_WAITING, JOB_RUNNING, JOB_FINISHED } state;
	bool		is_long;
	uint64_t	cpu;
	STAILQ_ENTRY(job) next;
};

struct workers;

/**
 * workers_usual() - threads for long jobs if the user says nothing
 *
 * Return: as many as there are processors for this process, 1..WORKERS_USUAL.
 */
unsigned int workers_usual(void);

/**
 * workers_create() - threads that wait for jobs
 * @threads: for long jobs, 1..WORKERS_MOST; 0: workers_usual()
 *
 * Return: 0, to be freed with workers_destroy(), or a negative errno.
 */
int workers_create(struct workers **w, struct loop *l, unsigned int threads);

/**
 * workers_destroy() - wait for the jobs that run, and end them
 *
 * Jobs that did not begin must have been cancelled before.
 */
void workers_destroy(struct workers *w);

/**
 * workers_begin() - have a job done
 * @w: NULL: at once, by the caller; done() is called before this returns
 * @j: none of its owner's is begun or runs
 */
void workers_begin(struct workers *w, struct job *j);

/**
 * workers_cancel() - have it not done
 *
 * Return: true: neither run() nor done() will be called; false: it runs, and
 * done() will be called.
 */
bool workers_cancel(struct workers *w, struct job *j);

/* Processors that jobs can keep busy; of NULL 1 */
unsigned int workers_cores(const struct workers *w);

/* Processor time of all jobs so far, ns */
uint64_t workers_cpu(struct workers *w);

/**
 * workers_expect() - what the next job of an owner may take
 * @expected: what this one was expected to take, @cpu: what it took, ns
 *
 * Return: as much as the longest of the last few, 1 at least.
 */
uint64_t workers_expect(uint64_t expected, uint64_t cpu);

#endif
