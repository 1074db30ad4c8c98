/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gate.h - stop a thread of what is tested at a place, until the test says so
 */
#ifndef UNIT_GATE_H
#define UNIT_GATE_H

#include <pthread.h>
#include <stdbool.h>

static struct gate {
	pthread_mutex_t	lock;
	pthread_cond_t	changed;
	bool		closed, reached;
} gate = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, false };

/* In the thread: wait until the gate is open */
static inline void pass_gate(void)
{
	pthread_mutex_lock(&gate.lock);
	gate.reached = true;
	pthread_cond_broadcast(&gate.changed);
	while (gate.closed)
		pthread_cond_wait(&gate.changed, &gate.lock);
	pthread_mutex_unlock(&gate.lock);
}

static inline void set_gate(bool closed)
{
	pthread_mutex_lock(&gate.lock);
	gate.closed = closed;
	gate.reached = false;
	pthread_cond_broadcast(&gate.changed);
	pthread_mutex_unlock(&gate.lock);
}

/* Until the thread is there */
static inline void wait_for_gate(void)
{
	pthread_mutex_lock(&gate.lock);
	while (!gate.reached)
		pthread_cond_wait(&gate.changed, &gate.lock);
	pthread_mutex_unlock(&gate.lock);
}

#endif
