// SPDX-License-Identifier: GPL-2.0-only
/*
 * replay.c - SLAM of a log
 */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "apps/slamd/draw.h"
#include "apps/slamd/mapper.h"
#include "apps/slamd/session.h"
#include "base/cli.h"
#include "base/error.h"
#include "base/loop.h"

/* Interval of progress lines, ns */
#define PROGRESS	500000000ULL

/* Interval of maps in a recording, in time of the log, ns */
#define MAPS	10000000000LL

/**
 * struct replay
 * @publisher:	for --to; NULL: publish nothing
 * @mapper:	for --to, and for a map of scans that are not in the log
 * @mapped:	stamp of the last map
 */
struct replay {
	struct session		run;
	struct readings		*log;
	uint64_t		shown;
	struct loop		*loop;
	struct slam_publisher	*publisher;
	struct mapper		*mapper;
	int64_t			mapped;
};

/* Other threads ask, too */
static _Atomic int stopped;

/* A second signal kills the process */
static void replay_stop(int number)
{
	stopped = number;
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
}

static bool replay_interrupted(void *arg)
{
	(void)arg;
	return stopped;
}

/* Unblock: loop_create() blocks signals, but the loop does not run here */
static void let_signals(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
}

static void replay_catch_signals(void)
{
	struct sigaction a = { .sa_handler = replay_stop };

	sigaction(SIGINT, &a, NULL);
	sigaction(SIGTERM, &a, NULL);
	let_signals();
}

enum { TIME_LEFT = 32 };

/* How long the rest takes if it goes on like this */
static void time_left(const struct replay *r, double share,
		      char text[TIME_LEFT])
{
	const double gone = (double)(loop_now() - r->run.start) * 1e-9;

	*text = '\0';
	if (share > 0.01 && share < 1)
		snprintf(text, TIME_LEFT, "  %.0f s left",
			 fmin(gone * (1 - share) / share, 1e9));
}

static void replay_show(struct replay *r, bool end)
{
	const uint64_t now = loop_now(), n = r->run.stats.readings;
	struct readings_count c;
	char text[SESSION_STATE], left[TIME_LEFT];
	double share;

	if (!end && now - r->shown < PROGRESS)
		return;
	r->shown = now;
	readings_count(r->log, &c);
	session_state(&r->run, text);
	share = c.size ? (double)c.bytes / (double)c.size : 1;
	time_left(r, share, left);
	session_progress(r->run.o, end, "%3.0f %%  %llu readings  %.0f/s%s  %s",
			 100 * share, (unsigned long long)n,
			 session_rate(&r->run, n), left, text);
}

/*
 * Output
 */

static int replay_publish(void *arg, enum slam_publisher_topic topic,
			  int64_t stamp, const union message *m)
{
	return slam_publisher_publish(((struct replay *)arg)->publisher, topic,
				      stamp, m);
}

/* Return: 0 or a negative errno, logged already; @fit: of session_map() */
static int publish_maps(struct replay *r, int *fit)
{
	struct graph_edge *edge;
	struct error error;
	struct pose *history;
	uint32_t updates, edges;
	int err = session_history(&r->run, &history, &updates);

	if (err)
		return cli_error(err, "no memory");
	err = session_edges(&r->run, history, updates, &edge, &edges);
	if (err) {
		free(history);
		return cli_error(err, "no memory");
	}
	err = mapper_history(r->mapper, history, updates, &error);
	if (!err)
		err = mapper_graph(r->mapper, history, updates, edge, edges,
				   &error);
	free(edge);
	free(history);
	if (err)
		return cli_error(err, "%s", error.text);
	*fit = session_map(&r->run, r->mapper);
	return 0;
}

/* Return: 0 or a negative errno, already logged */
static int publish_reading(struct replay *r, const struct reading *reading,
			   const struct filter_result *result)
{
	struct error error;
	int err = 0, fit;

	if (!r->mapper)
		return 0;
	known_search_show(&r->run.search, r->mapper, reading->stamp);
	if (r->run.search.placed)
		mapper_pose(r->mapper, reading, result);
	if (!session_maps(&r->run, result))
		return 0;
	err = mapper_scan(r->mapper, reading, &error);
	if (err)
		return cli_error(err, "%s", error.text);
	/* stamps may go backwards */
	if (llabs(reading->stamp - r->mapped) < MAPS)
		return 0;
	r->mapped = reading->stamp;
	return publish_maps(r, &fit);
}

static int open_publisher(struct replay *r)
{
	const struct slamd_options *o = r->run.o;
	struct mapper_config config = mapper_config(o);
	struct error error;
	int err = 0;

	if (!o->to && !(o->elsewhere && o->map))
		return 0;
	r->loop = loop_create();
	if (!r->loop)
		return cli_error(-ENOMEM, "no memory");
	let_signals();
	if (o->to)
		err = slam_publisher_open(&r->publisher, r->loop, o->to,
					  o->node, o->robot, &error);
	config.publish = o->to ? replay_publish : NULL;
	config.arg = r;
	if (!err)
		err = mapper_create(&r->mapper, &config, &error);
	return err ? cli_error(err, "%s", error.text) : 0;
}

/*
 * Readings
 */

static bool replay_is_same(const struct reading *a, const struct reading *b)
{
	return a->stamp == b->stamp && a->beams == b->beams &&
	       !memcmp(&a->odometry, &b->odometry, sizeof(a->odometry));
}

/* The same reading follows in the log */
static int skip_reading(struct replay *r, const struct reading *kept)
{
	struct reading reading;
	struct error error;
	const int ret = readings_next(r->log, &reading, &error);

	if (ret < 0)
		return cli_error(ret, "%s", error.text);
	if (!ret || !replay_is_same(kept, &reading))
		return cli_error(-EINVAL, "%s belongs to another log",
				 r->run.o->checkpoint);
	return 0;
}

/* Skip the checkpoint's readings in the log, unless it is of another day */
static int replay_recall_all(struct replay *r)
{
	struct filter_result result;
	struct reading kept;
	int ret = 1, err = 0;

	if (!r->run.checkpoint)
		return 0;
	while (!err && !stopped &&
	       (ret = session_recall(&r->run, &kept, &result)) > 0) {
		err = r->run.o->elsewhere ? 0 : skip_reading(r, &kept);
		if (!err)
			err = publish_reading(r, &kept, &result);
	}
	if (!err && !ret)
		err = session_recalled(&r->run);
	if (err || (ret <= 0 && ret != -EINTR))
		return err ? err : ret;
	/* a partial result would replace that of an earlier run */
	return cli_error(-EINTR,
			 "stopped by a signal while reading the checkpoint: no "
			 "files written");
}

/* Return: 0: write the results; or a negative errno, already logged */
static int log_end(struct replay *r, int ret, const char *error)
{
	replay_show(r, true);
	if (!stopped)
		return ret < 0 ? cli_error(ret, "%s", error) : 0;
	if (!r->run.updates && r->run.search.placed)
		return cli_error(-EINTR,
				 "stopped by a signal before the first scan: "
				 "no files written");
	if (r->run.search.placed)
		cli_warn("stopped by a signal: partial results are written");
	return 0;
}

static int replay_read_all(struct replay *r)
{
	struct filter_result result = { 0 };
	struct error error;
	struct reading reading;
	int ret = replay_recall_all(r), err = 0;

	if (ret < 0)
		return ret;
	while (!stopped && (ret = readings_next(r->log, &reading, &error)) > 0) {
		err = session_read(&r->run, &reading, &result);
		if (!err)
			err = publish_reading(r, &reading, &result);
		if (err == -EINTR)
			break;
		if (err)
			return err;
		replay_show(r, false);
	}
	return log_end(r, ret, error.text);
}

static void replay_warn(const struct replay *r)
{
	const char *log = r->run.o->log;
	struct readings_count c;

	readings_count(r->log, &c);
	if (c.bad)
		cli_warn("%s: skipped %llu invalid lines or messages",
			 log, (unsigned long long)c.bad);
	if (c.standing)
		cli_warn("%s: %llu scans without odometry: the motion is "
			 "estimated from scans alone",
			 log, (unsigned long long)c.standing);
	if (r->run.stats.jumps)
		cli_warn("%s: odometry jumped %llu times; jumps are treated as "
			 "no motion", log,
			 (unsigned long long)r->run.stats.jumps);
}

static int finish_maps(struct replay *r, int *fit)
{
	if (r->run.o->elsewhere)
		mapper_exact(r->mapper);
	return publish_maps(r, fit);
}

/* From the log again, or, if not all scans are in it, from the mapper */
static int write_map(struct replay *r, const struct trajectory *t)
{
	struct raster raster = { .cells = NULL };
	int err;

	if (!r->run.o->elsewhere)
		return draw_map(r->run.o, t);
	err = draw_write(r->run.o, mapper_raster(r->mapper, &raster), &raster,
			 t);
	free(raster.cells);
	return err;
}

/* An error does not stop the next steps */
static int replay_write_all(struct replay *r)
{
	struct trajectory t = { 0 };
	struct readings_count c;
	int err = session_finish(&r->run, replay_interrupted), next, fit = 0;

	if (!err)
		err = session_trajectory(&r->run, &t);
	readings_count(r->log, &c);
	if (err)
		goto out;
	err = session_write(&r->run, &t, &c);
	next = r->mapper && !r->run.o->localise ? finish_maps(r, &fit) : 0;
	err = err ? err : next ? next : fit;
	next = r->run.o->map ? write_map(r, &t) : 0;
	err = err ? err : next;
	next = slam_publisher_check(r->publisher, r->run.o->to);
	err = err ? err : next;
	if (!err)
		session_summary(&r->run, &t);
out:
	trajectory_free(&t);
	return err;
}

static int replay_run(struct replay *r)
{
	struct readings_count c;
	int err = open_publisher(r);

	r->run.start = loop_now();
	if (!err)
		err = replay_read_all(r);
	if (err)
		return err;
	replay_warn(r);
	if (!r->run.search.placed) {
		readings_count(r->log, &c);
		session_write(&r->run, NULL, &c);
		return stopped ? cli_error(-EINTR, "stopped by a signal before "
					   "the robot was found") :
				 session_nothing(&r->run);
	}
	return replay_write_all(r);
}

int slamd_replay(const struct slamd_options *o)
{
	struct replay r = { .run = { .o = o, .log = o->log } };
	struct error error;
	int err = readings_open(&r.log, o->log, &o->readings, &error), closed;

	if (err)
		return cli_error(err, "%s", error.text);
	replay_catch_signals();
	err = session_open(&r.run, replay_interrupted);
	if (!err)
		err = replay_run(&r);
	mapper_destroy(r.mapper);
	closed = slam_publisher_close(r.publisher);
	if (r.loop)
		loop_destroy(r.loop);
	session_close(&r.run);
	readings_close(r.log);
	return err < 0 ? err : closed;
}
