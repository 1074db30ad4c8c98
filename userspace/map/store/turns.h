/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * turns.h - a fair lock for threads that change a store
 *
 * Threads get the turn in order of arrival. A mutex could give it to one thread
 * again and again, and others would starve during an import. It is recursive.
 */
#ifndef MAP_STORE_TURNS_H
#define MAP_STORE_TURNS_H

#include <pthread.h>
#include <stdint.h>

/**
 * struct turns
 * @lock:	of all that follows
 * @next:	number of the next thread to arrive
 * @serving:	number of the thread that has the turn, or may take it
 * @owner:	thread that has it, if @depth is not 0
 */
struct turns {
	pthread_mutex_t	lock;
	pthread_cond_t	changed;
	uint64_t	next, serving;
	pthread_t	owner;
	unsigned int	depth;
};

void turns_init(struct turns *t);
void turns_destroy(struct turns *t);

/* Waits as long as necessary */
void turns_take(struct turns *t);
/* Call as often as it was taken */
void turns_end(struct turns *t);

#endif
