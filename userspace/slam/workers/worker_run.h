/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * worker_run.h - the main loop of a worker, and its log
 */
#ifndef SLAM_WORKERS_WORKER_RUN_H
#define SLAM_WORKERS_WORKER_RUN_H

#include "cluster/bus.h"

enum { WORKER_TURN_MS = 200 };	/* how long a worker waits for a message */

/**
 * struct worker_voice - how a worker logs on stderr
 * @job:	prefix of each line; NULL: no prefix
 * @quiet:	warnings only
 */
struct worker_voice {
	const char	*job;
	bool		quiet;
};

/**
 * worker_run() - work until the coordinator closes or a signal arrives
 * @engine:	of a worker; the caller keeps ownership
 * @once:	return 0 whatever ends the work: the coordinator reports errors
 * @interrupted: true after a signal
 *
 * Return: 0 or a negative errno after one line on stderr.
 */
int worker_run(struct bus *engine, unsigned int threads,
		 const struct worker_voice *voice, bool once,
		 bool (*interrupted)(void *arg));

/**
 * worker_log() - print one log line on stderr
 * @arg: struct worker_voice
 * @priority: of syslog(3)
 */
void worker_log(void *arg, int priority, const char *line);

/* worker_config() - what coordinator and workers must agree on */
struct bus_config worker_config(const char *job);

#endif
