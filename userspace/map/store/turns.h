/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * turns.h - threads that change a store take turns, in the order they came
 *
 * A mutex would let one thread in again and again, and those who wait would
 * starve behind an import. Who has the turn may take it once more.
 */
#ifndef MAP_STORE_TURNS_H
#define MAP_STORE_TURNS_H

#include <pthread.h>
#include <stdint.h>

/**
 * struct turns
 * @lock:	of all that follows
 * @next:	number of who comes next
 * @serving:	number of who has the turn, or may take it
 * @owner:	who has it, if @depth is not 0
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

/* Waits for as long as it takes */
void turns_take(struct turns *t);
/* As often as it was taken */
void turns_end(struct turns *t);

#endif
