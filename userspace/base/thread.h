/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * thread.h - threads that receive no signals
 */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>
#include <signal.h>

/**
 * thread_start() - start a thread with all signals blocked
 *
 * Return: 0, to be joined, or a negative errno.
 */
static inline int thread_start(pthread_t *thread, void *(*run)(void *arg),
			       void *arg)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(thread, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -err;
}

#endif
