/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * /run/optsample: state of interfaces. For each a file DEV.state (what to
 * undo), and of the daemon DEV.pid, DEV.topics, DEV.neigh and DEV.log.
 */
#ifndef NETDEV_STATE_H
#define NETDEV_STATE_H

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/error.h"
#include "netdev/stack.h"

#define STATE_RUN	"/run/optsample"
#define STATE_LOCK	"/run/optsample.lock"

enum { STATE_PATH = 256 };

/**
 * struct state - contents of DEV.state
 * @stack:	devices, qdiscs, filters
 * @ready:	it is complete; false after an `up` that was killed
 * @settles:	the user set for how long DEV's link settles
 * @netns:	inode of the network namespace of @stack
 * @outage_s:	outage to survive, s; options of the daemon follow:
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
void state_path(const char *dev, const char *what, char path[STATE_PATH]);

/**
 * state_name() - the interface that is up for a name
 * @dev:	as the user calls it
 * @own:	buffer for a name
 *
 * Return: own-DEV if that is up and @dev is not, else @dev
 */
const char *state_name(const char *dev, char own[IFNAMSIZ]);

/**
 * state_lock() - one `up` or `down` at a time
 * @wait:	for another one to end; else -EWOULDBLOCK
 *
 * Return: file descriptor, which holds it until closed, or a negative errno.
 */
int state_lock(bool wait, struct error *error);

/* -ENOENT if @dev is not up */
int state_load(const char *dev, struct state *st);
/* Sets @st->netns. Return: 0 or a negative errno: the old file is unchanged */
int state_save(struct state *st, struct error *error);
void state_free(struct state *st);
void state_remove(const char *dev);
/* Whether @st is of our network namespace */
bool state_is_here(const struct state *st);

/* Call @fn with each interface that is up. Return: their number */
int state_each(int (*fn)(const char *dev, void *arg), void *arg, int *err);

/*
 * The daemon holds a lock on DEV.pid while it lives, so that a stale number is
 * detected.
 */

/* By the daemon. Return: file descriptor; -EBUSY: one runs already; -errno */
int state_pid_claim(const char *dev, struct error *error);
/* Return: 0 if it does not run */
int state_pid_of(const char *dev);
/* Waits until it is gone. Return: 0, or -EBUSY */
int state_daemon_stop(const char *dev, struct error *error);

#endif
