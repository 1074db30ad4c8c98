/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * poller.h - file descriptors and deadlines of one node, in an epoll of its own
 *
 * The epoll's descriptor is readable when something is ready, so it can be part
 * of another epoll. A watch may be removed at any time, also by the function of
 * another watch, and its memory freed at once.
 */
#ifndef ROS_ROS1_POLLER_H
#define ROS_ROS1_POLLER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>

#define container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))

enum { POLLER_BATCH = 64 };

/**
 * struct watch - waits for a descriptor, a time, or both
 * @fd:		-1: only a time
 * @deadline:	ms of poller_now(), set by the owner; 0: none; reset to 0 before
 *		@ready is called for it
 * @ready:	called with epoll's events, or with 0 after the deadline
 */
struct watch {
	struct watch	*next;
	struct watch	**link;
	int		fd;
	uint64_t	deadline;
	void		(*ready)(struct watch *w, uint32_t events);
};

struct poller {
	int			epoll;
	struct watch		*first;
	struct epoll_event	batch[POLLER_BATCH];
	int			n;
};

/* Return: 0 or negative errno */
int poller_open(struct poller *l);
/* All watches must have been removed. */
void poller_close(struct poller *l);
/**
 * poller_add - start to watch
 * @fd:	the poller takes it: it is closed by poller_remove(), and here if this
 *	fails
 * Return: 0 or negative errno
 */
int poller_add(struct poller *l, struct watch *w, int fd, uint32_t events,
	     void (*ready)(struct watch *w, uint32_t events));
/* Change the events */
void poller_want(struct poller *l, struct watch *w, uint32_t events);
/* Closes the descriptor; nothing if it is not watched */
void poller_remove(struct poller *l, struct watch *w);
/* Call watches that are ready or due; does not wait */
void poller_run(struct poller *l);
/* Return: ms to the next deadline, -1 if there is none */
int poller_timeout(const struct poller *l);
/* Return: ms, CLOCK_MONOTONIC */
uint64_t poller_now(void);

#endif
