/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * workers.h - threads that encode and decode, so that the loop is never blocked
 *
 * A job runs on one of the threads and completes in the loop. An owner has one
 * job at a time: from workers_begin() until done(), the data that run() uses
 * belongs to the thread and needs no lock.
 *
 * Jobs begin in order, but short jobs do not wait for long ones: one thread
 * more than there may be long jobs takes only short ones. The number of owners
 * bounds the list of jobs.
 */
#ifndef TRANSPORT_WORKERS_H
#define TRANSPORT_WORKERS_H

#include <stdbool.h>
#include <sys/queue.h>
#include "base/loop.h"

enum {
	WORKERS_MOST	= 64,
	WORKERS_USUAL	= 8,		/* at most, by default */
	WORKERS_SHORT	= 2000000,	/* ns: a job expected to take at most
					 * this is short */
};

/**
 * struct job - embedded in the owner
 * @run:	called on a thread
 * @done:	called in the loop, after run(); @cpu: processor time used, ns
 * @arg:	for both
 * @expected:	expected processor time, ns; 0: unknown, treated as long
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
 * workers_create() - create the threads
 * @threads: for long jobs, 1..WORKERS_MOST; 0: one per processor of
 *	this process, up to WORKERS_USUAL
 *
 * Return: 0, to be freed with workers_destroy(), or a negative errno.
 */
int workers_create(struct workers **w, struct loop *l, unsigned int threads);

/**
 * workers_destroy() - wait for running jobs and complete them
 *
 * Jobs that did not begin must have been cancelled before.
 */
void workers_destroy(struct workers *w);

/**
 * workers_begin() - queue a job
 * @w: NULL: run it now, in the caller; done() is called before this returns
 * @j: must not be queued or running
 */
void workers_begin(struct workers *w, struct job *j);

/**
 * workers_cancel() - cancel a job
 *
 * Return: true: neither run() nor done() will be called; false: it runs, and
 * done() will be called.
 */
bool workers_cancel(struct workers *w, struct job *j);

/* Processors that jobs can keep busy; 1 if @w is NULL */
unsigned int workers_cores(const struct workers *w);

/* Processor time of all jobs so far, ns */
uint64_t workers_cpu(struct workers *w);

/**
 * workers_expect() - expected time of an owner's next job
 * @expected: expected time of this job, @cpu: time it took, ns
 *
 * Return: about the longest of the last few, at least 1.
 */
uint64_t workers_expect(uint64_t expected, uint64_t cpu);

#endif
