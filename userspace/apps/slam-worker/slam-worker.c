// SPDX-License-Identifier: GPL-2.0-only
/*
 * slam-worker - computes particles for slamd. See slam-worker(8).
 *
 * One thread for each job, with its own bus and worker: jobs only share
 * processors.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/cli.h"
#include "base/error.h"
#include "base/log.h"
#include "base/settings.h"
#include "base/loop.h"
#include "base/thread_pool.h"
#include "slam/filter/memory.h"
#include "slam/workers/worker_run.h"

enum { JOBS = 64 };

/* Pause between attempts to reach the broker: first and longest, ms */
enum { STEP = 100, PAUSE = 25 * STEP };

struct options {
	const char	*engine, *job[JOBS];
	uint32_t	jobs, threads, wait_ms, memory;
	bool		quiet;
};

/**
 * struct work - a thread of one job
 * @voice:	for worker_run()
 * @err:	its result
 */
struct work {
	const struct options	*o;
	const char		*job;
	struct worker_voice	voice;
	pthread_t		thread;
	int			err;
};

static volatile sig_atomic_t stopped;

static void worker_stop(int signal)
{
	stopped = signal;
}

static bool worker_interrupted(void *arg)
{
	(void)arg;
	return stopped;
}

static int set_job(void *config, const char *value)
{
	struct options *o = config;

	for (uint32_t i = 0; i < o->jobs; i++)
		if (!strcmp(o->job[i], value))
			return -EINVAL;
	if (o->jobs == JOBS || !bus_valid_job(value))
		return -EINVAL;
	o->job[o->jobs++] = value;
	return 0;
}

#define SETTING_CONFIG struct options

static const struct setting settings[] = {
	{ "engine", "SPEC", "amqp://USER:PASSWORD@HOST:PORT/VHOST",
	  SETTING_FIELD_TEXT(engine) },
	{ "job", "NAME", "job of slamd (slam); may be repeated",
	  .must = "1 to 63 letters, digits, '.', '_' or '-'; at most 64 different ones", .set = set_job },
	{ "threads", "T", "threads for each job (default: one per CPU)",
	  SETTING_FIELD_U32(threads, 1, THREAD_POOL_MAX) },
	{ "memory", "MB",
	  "memory for the maps of all jobs (default: what the machine has)",
	  SETTING_FIELD_U32(memory, 1, MEMORY_MB_MAX) },
	{ "wait", "TIME", "maximum wait for the broker (default: no limit)",
	  .must = "0s..24h, with a unit", SETTING_FIELD(MS, wait_ms),
	  .max = 86400000 },
	{ "quiet", NULL, "print warnings only",
	  SETTING_FIELD_FLAG(quiet), .letter = 'q' },
	LOG_LEVEL_SETTING,
	{ 0 }
};

static int options_check(void *config, const bool *given, const char *program)
{
	const struct options *o = config;

	(void)given;
	if (o->engine)
		return 0;
	return cli_usage(program, "missing --engine SPEC");
}

static const struct settings_program program = {
	.table = settings, .check = options_check,
	.doc = "Process particles of a slamd with the same engine and job. May "
	       "join and leave at any time.",
};

static void print_line(const struct work *w, const char *kind, const char *line)
{
	const char *job = w->voice.job;

	flockfile(stderr);
	fprintf(stderr, "%s: %s%s%s%s\n", cli_program, kind, job ? job : "",
		job ? ": " : "", line);
	funlockfile(stderr);
}

/* Whether a retry may succeed */
static bool is_passing(int err)
{
	return err != -EINVAL && err != -EACCES && err != -ENOMEM &&
	       err != -EOPNOTSUPP;
}

/* In steps, as a signal interrupts the sleep of only one thread */
static void worker_pause_ms(uint32_t ms)
{
	static const struct timespec step = { 0, STEP * 1000000L };

	for (; ms && !stopped; ms -= STEP)
		nanosleep(&step, NULL);
}

/* Interval of repeated warnings, ns */
#define LOG_AGAIN	UINT64_C(30000000000)

/* The broker may start later. Return: 0, 1: stopped, -errno */
static int join(const struct work *w, struct bus **engine)
{
	const uint64_t end = loop_now() + w->o->wait_ms * UINT64_C(1000000);
	const struct bus_config config = worker_config(w->job);
	char last[ERROR_TEXT] = "";
	struct error error;
	uint64_t next_log = 0;
	uint32_t ms = STEP;
	int err;

	while (!stopped) {
		err = bus_open(engine, w->o->engine, BUS_WORKER, &config,
			       &error);
		if (!err)
			return 0;
		/* the signal may be the reason */
		if (stopped)
			break;
		if (!is_passing(err) || (w->o->wait_ms != UINT32_MAX &&
					 loop_now() >= end)) {
			print_line(w, "", error.text);
			return err;
		}
		/* repeat it, for users who look later */
		if (log_shows(LOG_WARNING) &&
		    (strcmp(error.text, last) || loop_now() >= next_log)) {
			print_line(w, "warning: ", error.text);
			next_log = loop_now() + LOG_AGAIN;
		}
		memcpy(last, error.text, sizeof(last));
		worker_pause_ms(ms);
		ms = 2 * ms < PAUSE ? 2 * ms : PAUSE;
	}
	return 1;
}

static int worker_work(struct work *w)
{
	struct bus *engine;
	int err = join(w, &engine);

	if (err)
		return err < 0 ? err : 0;
	err = worker_run(engine, w->o->threads, &w->voice, false,
			 worker_interrupted);
	bus_close(engine);
	return err;
}

static void *run(void *arg)
{
	struct work *w = arg;

	w->err = worker_work(w);
	return NULL;
}

/* Return: number of threads */
static uint32_t worker_start(const struct options *o, struct work *works)
{
	for (uint32_t i = 0; i < o->jobs; i++) {
		struct work *w = works + i;
		int err;

		w->o = o;
		w->job = o->job[i];
		w->voice.job = o->jobs > 1 ? w->job : NULL;
		w->voice.quiet = o->quiet;
		err = pthread_create(&w->thread, NULL, run, w);
		if (err) {
			cli_warn("threads: %s", strerror(err));
			stopped = SIGTERM;
			return i;
		}
	}
	return o->jobs;
}

/* If one job fails the others continue. Return: exit status */
static int work_all(const struct options *o)
{
	static struct work works[JOBS];
	const uint32_t count = worker_start(o, works);
	bool bad = count < o->jobs;

	for (uint32_t i = 0; i < count; i++) {
		pthread_join(works[i].thread, NULL);
		bad = bad || works[i].err;
	}
	return bad ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	struct sigaction a = { .sa_handler = worker_stop,
			       .sa_flags = SA_RESETHAND };
	static struct options o = { .wait_ms = UINT32_MAX };

	cli_program = "slam-worker";
	if (argc > 0)
		argv[0] = (char *)cli_program;
	if (settings_parse(&program, &o, argc, argv))
		return CLI_USAGE;
	if (!o.jobs)
		o.job[o.jobs++] = "slam";
	memory_limit((uint64_t)o.memory << 20);
	sigaction(SIGINT, &a, NULL);
	sigaction(SIGTERM, &a, NULL);
	return work_all(&o);
}
