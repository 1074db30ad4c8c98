/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * /run/optsample: what is up. For each interface a file DEV.state (what to
 * undo), and by the daemon DEV.pid, DEV.topics, DEV.neigh and DEV.log.
 */
#ifndef OPTSAMPLE_CTL_STATE_H
#define OPTSAMPLE_CTL_STATE_H

#include <stdio.h>
#include "stack.h"

/**
 * struct state - what DEV.state holds
 * @stack:	devices, qdiscs, filters
 * @outage_s:	outage to be survived
 */
struct state {
	struct stack	stack;
	uint32_t	outage_s;
};

/* Path of a file of @dev; @what is "state", "pid" ... */
void state_path(const char *dev, const char *what, char path[CTL_PATH]);

/* Hold /run/optsample until exit: one `up` or `down` at a time. */
int state_lock(void);

/* -ENOENT if @dev is not up */
int state_load(const char *dev, struct state *st);
int state_save(const struct state *st);
void state_remove(const char *dev);

/* Call @fn with each interface that is up. Return: how many */
int state_each(int (*fn)(const char *dev, void *arg), void *arg, int *err);

/*
 * The daemon holds a lock on DEV.pid while it lives, so a stale number is
 * never taken for it.
 */
int state_pid_claim(const char *dev);		/* by the daemon: fd */
int state_pid_of(const char *dev);		/* 0 if it does not run */
int state_daemon_stop(const char *dev);		/* waits until it is gone */

#endif
