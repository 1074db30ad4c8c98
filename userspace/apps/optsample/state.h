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
 * @ready:	all of it was done; else some of it, by an `up` that was killed
 * @settles:	it was said for how long DEV's link settles: it does
 * @netns:	inode of the network namespace of @stack
 * @outage_s:	outage to be survived, and other options of the daemon:
 * @domain:	of DDS
 * @topics:	as given, owned, or NULL
 * @types:	as given, owned, or NULL
 * @odometry:	topic, owned, or NULL
 * @master:	URI of the ROS 1 master, owned, or NULL
 */
struct state {
	struct stack	stack;
	bool		ready;
	bool		settles;
	uint64_t	netns;
	uint32_t	outage_s;
	uint32_t	domain;
	char		*topics;
	char		*types;
	char		*odometry;
	char		*master;
};

/* Path of a file of @dev; @what is "state", "pid" ... */
void state_path(const char *dev, const char *what, char path[CTL_PATH]);

/**
 * state_name - what is up for an interface
 * @dev:	as the user calls it
 * @own:	room for a name
 *
 * Return: own-DEV if that is up and @dev is not, else @dev
 */
const char *state_name(const char *dev, char own[IFNAMSIZ]);

/**
 * state_lock - one `up` or `down` at a time
 * @wait:	for another one to end, else -EWOULDBLOCK, and nothing is told
 *
 * Return: file descriptor, which holds it until closed, or negative errno
 */
int state_lock(bool wait);

/* -ENOENT if @dev is not up */
int state_load(const char *dev, struct state *st);
/* @st->netns is filled in */
int state_save(struct state *st);
void state_free(struct state *st);
void state_remove(const char *dev);
/* The devices of @st are those of our network namespace. */
bool state_is_here(const struct state *st);

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
