/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * worker.h - one who has some of the particles, and does what he is told
 *
 * All a worker knows it was told by the coordinator, or by another worker. If
 * the coordinator is lost, all is forgotten, and it begins anew.
 */
#ifndef SLAM_WORKERS_WORKER_H
#define SLAM_WORKERS_WORKER_H

#include <stdbool.h>
#include "cluster/bus.h"

struct worker;

/**
 * worker_create() - a worker
 * @engine:	open, of a worker; stays the caller's
 * @threads:	as thread_pool_create()
 * @log:	a line about what happens; may be NULL
 *
 * Return: NULL: no memory.
 */
struct worker *worker_create(struct bus *engine, unsigned int threads,
			     void (*log)(void *arg, int priority,
					 const char *line), void *arg);
void worker_destroy(struct worker *w);

/**
 * worker_turn() - receive a message, if there is one, and do what it says
 * @timeout_ms: to wait for it
 *
 * Return: 1: a message; 0: none; -EPROTO: refused; -ENOMEM; -EBADMSG: it was
 * told what cannot be. It is of no use any more then, and is to be destroyed;
 * when its engine is closed, too, others do what it did.
 */
int worker_turn(struct worker *w, int timeout_ms);

#endif
