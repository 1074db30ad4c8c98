/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * thread_pool.h - threads that share a list of jobs
 */
#ifndef BASE_THREAD_POOL_H
#define BASE_THREAD_POOL_H

#include <stdint.h>

struct thread_pool;

enum { THREAD_POOL_MAX = 256 };

/**
 * thread_pool_create() - start threads that wait for work
 * @threads: including the caller's, 1..THREAD_POOL_MAX; 0: one per processor
 *
 * Return: freed with thread_pool_destroy(); NULL: no memory or no threads.
 */
struct thread_pool *thread_pool_create(unsigned int threads);
void thread_pool_destroy(struct thread_pool *c);
unsigned int thread_pool_threads(const struct thread_pool *c);

/**
 * thread_pool_run() - run jobs 0 to @count - 1, in any order, and wait for all
 * @job: gets @arg, the job's number and that of the thread, from 0
 */
void thread_pool_run(struct thread_pool *c, uint32_t count,
		     void (*job)(void *arg, uint32_t number,
				 unsigned int thread),
		     void *arg);

/* Processor time of jobs in all threads except the caller's, ns */
uint64_t thread_pool_cpu(const struct thread_pool *c);

/* Processor time of the calling thread, ns */
uint64_t thread_pool_own_cpu(void);

#endif
