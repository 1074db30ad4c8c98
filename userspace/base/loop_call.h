/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * loop_call.h - calls from other threads into the loop, which wait for it
 */
#ifndef BASE_LOOP_CALL_H
#define BASE_LOOP_CALL_H

#include "base/loop.h"

struct loop_call;

/* In the loop. Return: 0 or a negative errno */
int loop_call_open(struct loop_call **c, struct loop *l);

/**
 * loop_call_run() - run @run in the loop
 * @arg:	not used any more after the return
 * @timeout:	ms, until it starts; after that the call waits for its end
 *
 * For any thread except that of the loop.
 *
 * Return: 0: @run was called; -ETIMEDOUT, -ECANCELED: it was not, and will not
 * be.
 */
int loop_call_run(struct loop_call *c, void (*run)(void *arg), void *arg,
		  unsigned int timeout);

/* In the loop: waiting and later callers get -ECANCELED */
void loop_call_cancel(struct loop_call *c);

/* After the last possible call */
void loop_call_close(struct loop_call *c);

#endif
