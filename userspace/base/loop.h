/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * loop.h - one epoll loop: file descriptors, timers, and signals that end it
 */
#ifndef BASE_LOOP_H
#define BASE_LOOP_H

#include <stdint.h>
#include <sys/epoll.h>

struct loop;

/**
 * struct loop_fd - a file descriptor that is watched; the caller's memory
 * @fd:		set by loop_watch()
 * @ready:	called with the events of epoll
 */
struct loop_fd {
	int	fd;
	void	(*ready)(void *arg, uint32_t events);
	void	*arg;
};

/**
 * struct loop_timer - a timer; the caller's memory
 * @due:	CLOCK_MONOTONIC, ns; LOOP_NEVER; the caller may change it at any
 *		time
 * @expired:	called once it is due, with @due at LOOP_NEVER
 */
struct loop_timer {
	uint64_t		due;
	void			(*expired)(void *arg, uint64_t now);
	void			*arg;
	/* private */
	struct loop_timer	*next;
};

#define LOOP_NEVER	UINT64_MAX

/* Return: freed with loop_destroy(), NULL: see errno */
struct loop *loop_create(void);

/* As loop_create(), for a second thread: signals do not end it */
struct loop *loop_create_quiet(void);
void loop_destroy(struct loop *l);

/* Return: 0 or a negative errno */
int loop_watch(struct loop *l, struct loop_fd *w, int fd, uint32_t events);
int loop_rewatch(struct loop *l, struct loop_fd *w, uint32_t events);
/* Before the fd is closed and the memory freed; also from within ready() */
void loop_unwatch(struct loop *l, struct loop_fd *w);

/* Timers are few: each iteration of the loop checks all of them */
void loop_add_timer(struct loop *l, struct loop_timer *t);
void loop_remove_timer(struct loop *l, struct loop_timer *t);

/**
 * loop_run() - run until loop_stop(), SIGINT or SIGTERM
 *
 * From loop_create() on both signals are blocked and read from a descriptor:
 * threads that start after it inherit this. A stopped loop may run again.
 *
 * Return: the argument of loop_stop(), 0 after a signal, a negative errno.
 */
int loop_run(struct loop *l);
void loop_stop(struct loop *l, int status);

/* CLOCK_MONOTONIC, ns */
uint64_t loop_now(void);

/* Processor time of this thread, ns */
uint64_t loop_cpu(void);

#endif
