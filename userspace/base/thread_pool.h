/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * thread_pool.h - threads that share a list of jobs: who is done takes the next one
 */
#ifndef BASE_THREAD_POOL_H
#define BASE_THREAD_POOL_H

#include <stdint.h>

struct crew;

enum { CREW_MAX = 256 };

/**
 * crew_create() - threads that wait for work
 * @threads: with the caller's, 1..CREW_MAX; 0: as many as there are processors
 *
 * Return: to be freed with crew_destroy(); NULL: no memory or no threads.
 */
struct crew *crew_create(unsigned int threads);
void crew_destroy(struct crew *c);
unsigned int crew_threads(const struct crew *c);

/**
 * crew_run() - do jobs 0 to @count - 1, in any order, and wait for all
 * @job: gets @arg, the job's number and that of the thread, from 0
 */
void crew_run(struct crew *c, uint32_t count,
	      void (*job)(void *arg, uint32_t number, unsigned int thread),
	      void *arg);

/* What threads but the caller's have worked in jobs, ns of processor time */
uint64_t crew_cpu(const struct crew *c);

/* Processor time of the thread that calls, ns */
uint64_t crew_own_cpu(void);

#endif
