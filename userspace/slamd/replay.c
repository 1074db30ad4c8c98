// SPDX-License-Identifier: GPL-2.0-only
/*
 * replay.c - a log through the filter, and what is asked for onto disk
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common/cli.h"
#include "common/loop.h"
#include "slam/crew.h"
#include "slam/journey.h"
#include "slamd/cluster.h"
#include "slamd/draw.h"
#include "slamd/slamd.h"
#include "slamd/stats.h"

/* Lines of progress are this far apart, ns */
#define PROGRESS	500000000ULL

struct replay {
	const struct slamd_options	*o;
	struct readings			*log;
	struct cluster			*cluster;
	struct filter			*filter;
	struct journey			journey;
	struct stats			stats;
	uint64_t			start, shown;
	bool				progress;
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

static void catch_signals(void)
{
	struct sigaction a = { .sa_handler = stop };

	/* a second one ends it */
	a.sa_flags = SA_RESETHAND;
	sigaction(SIGINT, &a, NULL);
	sigaction(SIGTERM, &a, NULL);
}

static void show(struct replay *r, const struct filter_result *last, bool end)
{
	const uint64_t now = loop_now();
	const double seconds = (double)(now - r->start) * 1e-9;
	struct readings_count c;

	if (!r->progress || (!end && now - r->shown < PROGRESS))
		return;
	r->shown = now;
	readings_count(r->log, &c);
	fprintf(stderr, "%s%3.0f %%  %llu readings  %.0f/s  %u particles  "
		"%.1f effective  %llu jumps%s",
		isatty(STDERR_FILENO) ? "\r" : "",
		c.size ? 100.0 * (double)c.bytes / (double)c.size : 100,
		(unsigned long long)r->stats.readings,
		seconds > 0 ? (double)r->stats.readings / seconds : 0,
		last->particles, last->effective,
		(unsigned long long)r->stats.jumps,
		isatty(STDERR_FILENO) && !end ? "\033[K" : "\n");
}

static int read_all(struct replay *r)
{
	struct filter_result result = { 0 }, last = { 0 };
	char error[READINGS_ERROR];
	struct reading reading;
	int ret = 0, err;

	while (!stopped && (ret = readings_next(r->log, &reading, error)) > 0) {
		stats_begin(&r->stats);
		err = filter_read(r->filter, &reading, &result);
		if (!err)
			err = stats_end(&r->stats, &reading, &result);
		if (!err)
			err = journey_add(&r->journey, &reading, &result);
		if (err == -EINTR)
			break;
		if (err)
			return cli_error(err, "%s: reading %llu: %s", r->o->log,
				(unsigned long long)r->stats.readings,
				strerror(-err));
		if (result.updated)
			last = result;
		show(r, &last, false);
	}
	show(r, &last, true);
	if (stopped)
		cli_warn("stopped by a signal: what was done is written");
	else if (ret < 0)
		return cli_error(ret, "%s", error);
	return 0;
}

static void warn(const struct replay *r)
{
	struct readings_count c;

	readings_count(r->log, &c);
	if (c.bad)
		cli_warn("%s: passed over %llu lines or messages that are no "
			 "reading", r->o->log, (unsigned long long)c.bad);
	if (r->stats.jumps)
		cli_warn("%s: the odometry jumped %llu times: taken to be no "
			 "movement", r->o->log,
			 (unsigned long long)r->stats.jumps);
}

static int write_stats(struct replay *r)
{
	struct team *team = filter_team(r->filter);
	struct stats_workers workers;
	const bool remote = cluster_counters(r->cluster, team, &workers);
	struct particles_use use;
	struct readings_count c;
	char error[SLAM_ERROR];
	int err;

	team->ops->use(team, &use);
	readings_count(r->log, &c);
	err = stats_write(&r->stats, r->o->stats, &r->o->params, r->o->threads,
			  &use, &c, remote ? &workers : NULL, error);
	return err ? cli_error(err, "%s", error) : 0;
}

static int write_all(struct replay *r)
{
	struct trajectory t = { 0 };
	char error[TRAJECTORY_ERROR];
	struct pose *history;
	uint32_t updates;
	int err;

	err = filter_history(r->filter, &history, &updates);
	if (err)
		return cli_error(err, "no memory");
	err = journey_trajectory(&r->journey, history, updates, &t);
	free(history);
	if (err)
		cli_error(err, "%s: %s", r->o->log, err == -ENODATA ?
			  "there is no scan in it" : "no memory");
	if (!err && r->o->trajectory) {
		err = trajectory_write(&t, r->o->trajectory, error);
		if (err)
			cli_error(err, "%s", error);
	}
	if (!err && r->o->map)
		err = draw_map(r->o, &t);
	if (!err && r->o->stats)
		err = write_stats(r);
	trajectory_free(&t);
	return err;
}

static int run(struct replay *r)
{
	struct team *team = cluster_team(r->cluster);
	int err;

	if (team)
		r->filter = filter_create(&r->o->params, team);
	if (!r->filter)
		return cli_error(-ENOMEM, "no memory");
	r->start = loop_now();
	err = read_all(r);
	if (err)
		return err;
	warn(r);
	return write_all(r);
}

int slamd_replay(const struct slamd_options *o)
{
	struct replay r = {
		.o = o,
		.progress = !o->quiet &&
			(o->verbose || isatty(STDERR_FILENO)),
	};
	char error[READINGS_ERROR];
	int err = readings_open(&r.log, o->log, &o->readings, error);

	if (err)
		return cli_error(err, "%s", error);
	catch_signals();
	err = cluster_open(&r.cluster, o, interrupted);
	if (err) {
		readings_close(r.log);
		return err < 0 ? err : 0;
	}
	err = run(&r);
	filter_destroy(r.filter);
	cluster_close(r.cluster);
	journey_free(&r.journey);
	stats_free(&r.stats);
	readings_close(r.log);
	return err;
}
