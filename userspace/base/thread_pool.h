/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * thread_pool.h - threads that share a list of jobs
 */
#ifndef BASE_THREAD_POOL_H
#define BASE_THREAD_POOL_H

#include <stdbool.h>
#include <stdint.h>

struct thread_pool;
struct thread_pool_group;

enum { THREAD_POOL_MAX = 256 };

/**
 * thread_pool_create() - start threads that wait for work
 * @threads: including the caller's, 1..THREAD_POOL_MAX; 0: one per processor
 *
 * Return: freed with thread_pool_destroy(); NULL: no memory or no threads.
 */
struct thread_pool *thread_pool_create(unsigned int threads);
void thread_pool_destroy(struct thread_pool *c);
/* Jobs get numbers of threads below this one */
unsigned int thread_pool_threads(const struct thread_pool *c);

/**
 * thread_pool_run() - run jobs 0 to @count - 1, in any order, and wait for all
 * @job: gets @arg, the job's number and that of the thread, from 0
 */
void thread_pool_run(struct thread_pool *c, uint32_t count,
		     void (*job)(void *arg, uint32_t number,
				 unsigned int thread),
		     void *arg);

/**
 * thread_pool_group_create() - pools whose owners help each other
 * @pools: how many, 1..THREAD_POOL_MAX
 *
 * Work that is shared out once is done when the slowest has done its share. An
 * owner that has nothing to do takes jobs of the others.
 *
 * Return: freed with thread_pool_group_destroy(), after the pools; NULL: no
 * memory.
 */
struct thread_pool_group *thread_pool_group_create(unsigned int pools);
void thread_pool_group_destroy(struct thread_pool_group *g);

/* @c becomes pool @member of the group, before its first run */
void thread_pool_join(struct thread_pool *c, struct thread_pool_group *g,
		      unsigned int member);

/**
 * thread_pool_help() - run jobs of the other pools, as long as there are any
 * @member: of the calling thread
 *
 * Return: whether there were some.
 */
bool thread_pool_help(struct thread_pool_group *g, unsigned int member);

/* Processor time of jobs in all threads except the caller's, ns */
uint64_t thread_pool_cpu(const struct thread_pool *c);

/* Processor time of the calling thread, ns */
uint64_t thread_pool_own_cpu(void);

#endif
