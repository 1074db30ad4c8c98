// SPDX-License-Identifier: GPL-2.0-only
/*
 * slam-worker - works on the particles of slamd. See slam-worker(8).
 */
#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/cli.h"
#include "common/version.h"
#include "slam/crew.h"
#include "slamd/cluster.h"

enum { OPT_ENGINE = 256, OPT_JOB, OPT_THREADS, OPT_WAIT, OPT_VERSION };

struct options {
	const char	*engine, *job;
	uint32_t	threads, wait_ms;
	bool		quiet, version;
};

static const struct argp_option options[] = {
	{ "engine", OPT_ENGINE, "SPEC", 0,
	  "amqp://USER:PASSWORD@HOST:PORT/VHOST", 0 },
	{ "job", OPT_JOB, "NAME", 0, "of slamd (slam)", 0 },
	{ "threads", OPT_THREADS, "T", 0,
	  "that work (one for each processor)", 0 },
	{ "wait", OPT_WAIT, "TIME", 0, "for the broker, at most (for ever)",
	  0 },
	{ "quiet", 'q', NULL, 0, "nothing but warnings", 0 },
	{ "version", OPT_VERSION, NULL, 0, "print the version", 0 },
	{ 0 }
};

static volatile sig_atomic_t stopped;

static void stop(int signal)
{
	stopped = signal;
}

static bool interrupted(void *arg)
{
	(void)arg;
	return stopped;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case OPT_ENGINE:
		o->engine = arg;
		return 0;
	case OPT_JOB:
		o->job = arg;
		return 0;
	case OPT_THREADS:
		if (parse_u32(arg, 1, CREW_MAX, &o->threads))
			return cli_error(-EINVAL, "threads must be 1..%d",
					 CREW_MAX);
		return 0;
	case OPT_WAIT:
		if (parse_time_ms(arg, 0, 86400000, &o->wait_ms))
			return cli_error(-EINVAL,
					 "wait must be 0s..24h, with a unit");
		return 0;
	case 'q':
		o->quiet = true;
		return 0;
	case OPT_VERSION:
		o->version = true;
		return 0;
	case ARGP_KEY_ARG:
		return cli_usage(state->argv[0], "what is %.100s?", arg);
	case ARGP_KEY_END:
		if (o->version || o->engine)
			return 0;
		return cli_usage(state->argv[0], "which engine?");
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = options, .parser = parse,
	.doc = "Works on the particles of a slamd with the same engine and "
	       "job. May come and go at any time.",
};

static void notice(void *arg, const char *line)
{
	(void)arg;
	cli_warn("%s", line);
}

int main(int argc, char **argv)
{
	struct options o = { .job = "slam", .wait_ms = UINT32_MAX };
	struct sigaction a = { .sa_handler = stop, .sa_flags = SA_RESETHAND };
	struct engine_config config;
	char error[ENGINE_ERROR];
	struct engine *engine;
	int err;

	cli_program = "slam-worker";
	if (cli_parse(&argp, argc, argv, &o))
		return EXIT_FAILURE;
	if (o.version)
		return printf("slam-worker %s\n", OPTSAMPLE_VERSION) < 0;
	sigaction(SIGINT, &a, NULL);
	sigaction(SIGTERM, &a, NULL);
	config = cluster_config(o.job);
	config.connect_ms = o.wait_ms;
	config.notice = notice;
	err = engine_open(&engine, o.engine, ENGINE_WORKER, &config, error);
	if (err)
		return cli_error(EXIT_FAILURE, "%s", error);
	err = cluster_work(engine, o.threads, o.quiet, false, interrupted);
	engine_close(engine);
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}
