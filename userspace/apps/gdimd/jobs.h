/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * jobs.h - what takes its time is done in threads of its own, so that the loop
 * goes on meanwhile
 */
#ifndef APPS_GDIMD_JOBS_H
#define APPS_GDIMD_JOBS_H

#include "base/loop.h"

struct jobs;

enum { JOBS_MAX = 32 };	/* at once */

/* In the loop. Return: 0 or a negative errno */
int jobs_open(struct jobs **j, struct loop *loop);
/* All of them are waited for, and their ends called */
void jobs_close(struct jobs *j);

/**
 * jobs_run() - have something done
 * @run:	in a thread of its own
 * @done:	in the loop, behind it
 *
 * Return: 0; -EBUSY: JOBS_MAX run already; -EAGAIN, -ENOMEM: no thread. Neither
 * is called then.
 */
int jobs_run(struct jobs *j, void (*run)(void *arg), void (*done)(void *arg),
	     void *arg);

#endif
