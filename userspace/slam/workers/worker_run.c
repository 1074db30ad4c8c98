// SPDX-License-Identifier: GPL-2.0-only
/*
 * worker_run.c - the main loop of a worker, and its log
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include "base/cli.h"
#include "base/error.h"
#include "base/log.h"
#include "base/version.h"
#include "slam/workers/wire.h"
#include "slam/workers/worker.h"
#include "slam/workers/worker_run.h"

struct bus_config worker_config(const char *job)
{
	return (struct bus_config){
		.job = job, .protocol = WIRE_VERSION,
		.build = OPTSAMPLE_VERSION,
	};
}

void worker_log(void *arg, int priority, const char *line)
{
	const struct worker_voice *v = arg;
	const char *job = v->job ? v->job : "", *colon = v->job ? ": " : "";

	if (!log_shows(priority) || (priority > LOG_WARNING && v->quiet))
		return;
	/* keeps the lines of different threads apart */
	flockfile(stderr);
	fprintf(stderr, "%s: %s%s%s%s\n", cli_program,
		priority > LOG_WARNING ? "" : "warning: ", job, colon, line);
	funlockfile(stderr);
}

int worker_run(struct bus *engine, unsigned int threads,
	       const struct worker_voice *voice, bool once,
	       bool (*interrupted)(void *arg))
{
	struct worker *w = worker_create(engine, threads, worker_log,
					 (void *)voice);
	struct error error;
	int ret = 0;

	if (!w)
		return cli_error(-ENOMEM, "no memory");
	while (ret >= 0 && !interrupted(NULL))
		ret = worker_turn(w, WORKER_TURN_MS);
	worker_destroy(w);
	/* the ranks of one mpirun end together, on command of the first */
	if (ret >= 0 || once)
		return 0;
	bus_error(engine, &error);
	if (ret != -EPROTO)
		snprintf(error.text, sizeof(error.text), "leaves: %s", strerror(-ret));
	return cli_error(ret, "%s%s%s", voice->job ? voice->job : "",
			 voice->job ? ": " : "", error.text);
}
