/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * loop_call.h - other threads have something done in the loop, and wait for it
 */
#ifndef BASE_LOOP_CALL_H
#define BASE_LOOP_CALL_H

#include "base/loop.h"

struct loop_call;

/* In the loop. Return: 0 or a negative errno */
int loop_call_open(struct loop_call **c, struct loop *l);

/**
 * loop_call_run() - have @run called in the loop
 * @arg:	not touched any more once this returns
 * @timeout:	ms, until it begins; what has begun is waited for
 *
 * For any thread but that of the loop.
 *
 * Return: 0: @run was called; -ETIMEDOUT, -ECANCELED: it was not, and will not
 * be.
 */
int loop_call_run(struct loop_call *c, void (*run)(void *arg), void *arg,
		  unsigned int timeout);

/* In the loop: those who wait, and who comes later, get -ECANCELED */
void loop_call_cancel(struct loop_call *c);

/* When nobody can come any more */
void loop_call_close(struct loop_call *c);

#endif
