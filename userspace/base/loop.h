/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * loop.h - one epoll loop: file descriptors, times, and signals that end it
 */
#ifndef BASE_LOOP_H
#define BASE_LOOP_H

#include <stdint.h>
#include <sys/epoll.h>

struct loop;

/**
 * struct loop_fd - a file descriptor that is watched; the caller's memory
 * @fd:		set by loop_watch()
 * @ready:	called with what epoll says of it
 */
struct loop_fd {
	int	fd;
	void	(*ready)(void *arg, uint32_t events);
	void	*arg;
};

/**
 * struct loop_timer - something that is due; the caller's memory
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

/* Return: to be freed with loop_destroy(), NULL: errno says why */
struct loop *loop_create(void);

/* As loop_create(), for a thread beside the one of a program: signals do not end it */
struct loop *loop_create_quiet(void);
void loop_destroy(struct loop *l);

/* Return: 0 or a negative errno */
int loop_watch(struct loop *l, struct loop_fd *w, int fd, uint32_t events);
int loop_rewatch(struct loop *l, struct loop_fd *w, uint32_t events);
/* Before the fd is closed and the memory freed; also from within ready() */
void loop_unwatch(struct loop *l, struct loop_fd *w);

/* Timers are few: each turn of the loop looks at all of them */
void loop_add_timer(struct loop *l, struct loop_timer *t);
void loop_remove_timer(struct loop *l, struct loop_timer *t);

/**
 * loop_run() - until loop_stop(), SIGINT or SIGTERM
 *
 * The two signals are blocked and read from a descriptor, from loop_create()
 * on: threads made after that inherit it. A loop that was stopped may be run
 * again.
 *
 * Return: what loop_stop() was given, 0 after a signal, a negative errno.
 */
int loop_run(struct loop *l);
void loop_stop(struct loop *l, int status);

/* CLOCK_MONOTONIC, ns */
uint64_t loop_now(void);

/* What this thread has worked, ns of processor time */
uint64_t loop_cpu(void);

#endif
