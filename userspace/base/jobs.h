/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * jobs.h - slow work in threads of its own, so that the loop never waits
 */
#ifndef BASE_JOBS_H
#define BASE_JOBS_H

#include "base/loop.h"

struct jobs;

enum { JOBS_MAX = 32 };	/* at the same time */

/* In the loop. Return: 0 or a negative errno */
int jobs_open(struct jobs **j, struct loop *loop);
/* Waits for all jobs and calls their @done */
void jobs_close(struct jobs *j);

/**
 * jobs_run() - run a job
 * @run:	in a thread of its own
 * @done:	in the loop, after it
 *
 * Return: 0; -EBUSY: JOBS_MAX are running; -EAGAIN, -ENOMEM: no thread. After
 * an error neither is called.
 */
int jobs_run(struct jobs *j, void (*run)(void *arg), void (*done)(void *arg),
	     void *arg);

#endif
