/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * worker.h - a worker with some of the particles, directed by the coordinator
 *
 * All its state comes from the coordinator, or from other workers. If the
 * coordinator is lost, the worker drops its state and begins again.
 */
#ifndef SLAM_WORKERS_WORKER_H
#define SLAM_WORKERS_WORKER_H

#include <stdbool.h>
#include "cluster/bus.h"

struct worker;
struct thread_pool_group;

/**
 * worker_create() - a worker
 * @engine:	open, of a worker; the caller keeps ownership
 * @threads:	as thread_pool_create()
 * @log:	a line about events; may be NULL
 *
 * Return: NULL: no memory.
 */
struct worker *worker_create(struct bus *engine, unsigned int threads,
			     void (*log)(void *arg, int priority,
					 const char *line), void *arg);
void worker_destroy(struct worker *w);

/**
 * worker_join() - be one of several workers of this process
 * @group: they help each other to match and write: see thread_pool_help()
 * @member: number in it
 *
 * Before the first turn. The worker then has one thread of its own.
 */
void worker_join(struct worker *w, struct thread_pool_group *group,
		 unsigned int member);

/**
 * worker_turn() - receive and handle a message, if there is one
 * @timeout_ms: to wait for it
 *
 * Return: 1: a message; 0: none; -EPROTO: refused; -ENOMEM; -EBADMSG: an
 * invalid message. After an error the worker is unusable and has to be
 * destroyed; when its engine is closed, too, others take over its work.
 */
int worker_turn(struct worker *w, int timeout_ms);

#endif
