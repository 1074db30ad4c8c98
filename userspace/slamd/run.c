// SPDX-License-Identifier: GPL-2.0-only
/*
 * run.c - a filter, its checkpoint, and what is written in the end
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/cli.h"
#include "common/loop.h"
#include "slamd/run.h"

/* The checkpoint goes to the disk this often, ns */
#define SYNC	5000000000ULL

static int open_checkpoint(struct run *r)
{
	char error[CHECKPOINT_ERROR];
	const int err = r->o->checkpoint ?
		checkpoint_open(&r->checkpoint, r->o->checkpoint,
				&r->o->params, r->o->resume, error) : 0;

	return err ? cli_error(err, "%s", error) : 0;
}

int run_open(struct run *r, bool (*interrupted)(void *arg))
{
	struct team *team;
	int err = cluster_open(&r->cluster, r->o, interrupted);

	if (!err)
		err = open_checkpoint(r);
	if (err)
		return err;
	team = cluster_team(r->cluster);
	if (team)
		r->filter = filter_create(&r->o->params, team);
	return r->filter ? 0 : cli_error(-ENOMEM, "no memory");
}

void run_close(struct run *r)
{
	filter_destroy(r->filter);
	cluster_close(r->cluster);
	checkpoint_close(r->checkpoint);
	journey_free(&r->journey);
	stats_free(&r->stats);
}

int run_recall(struct run *r, struct reading *reading,
	       struct filter_result *result)
{
	struct checkpoint_entry e;
	char error[CHECKPOINT_ERROR];
	int ret;

	if (!r->checkpoint)
		return 0;
	ret = checkpoint_next(r->checkpoint, &e, error);
	if (ret < 0)
		return cli_error(ret, "%s", error);
	if (!ret) {
		if (checkpoint_torn(r->checkpoint))
			cli_warn("%s: its last reading was not whole",
				 r->o->checkpoint);
		return 0;
	}
	ret = filter_recall(r->filter, &e.reading, e.outcome, e.count, result);
	if (!ret)
		ret = journey_add(&r->journey, &e.reading, result);
	if (ret)
		return cli_error(ret, "%s: %s", r->o->checkpoint,
				 ret == -EBADMSG ? "is damaged" :
				 strerror(-ret));
	r->stats.resumed++;
	*reading = e.reading;
	if (result->updated)
		r->last = *result;
	return 1;
}

/* A checkpoint that cannot be written does not end what it is for */
static void keep(struct run *r, const struct reading *reading,
		 const struct filter_result *result)
{
	const uint64_t now = loop_now();
	const struct outcome *outcome;
	char error[CHECKPOINT_ERROR];
	uint32_t count;
	int err;

	if (!r->checkpoint)
		return;
	outcome = filter_outcomes(r->filter, &count);
	err = checkpoint_add(r->checkpoint, reading, result->updated, outcome,
			     count, error);
	if (!err && now - r->synced >= SYNC) {
		r->synced = now;
		err = checkpoint_sync(r->checkpoint, error);
	}
	if (!err)
		return;
	cli_warn("%s: the checkpoint ends here", error);
	checkpoint_close(r->checkpoint);
	r->checkpoint = NULL;
}

int run_read(struct run *r, const struct reading *reading,
	     struct filter_result *result)
{
	int err;

	stats_begin(&r->stats);
	err = filter_read(r->filter, reading, result);
	if (!err)
		err = stats_end(&r->stats, reading, result);
	if (!err)
		err = journey_add(&r->journey, reading, result);
	if (err == -EINTR)
		return err;
	if (err)
		return cli_error(err, "%s: reading %llu: %s", r->log,
				 (unsigned long long)(r->stats.readings +
						      r->stats.resumed),
				 strerror(-err));
	if (result->updated)
		r->last = *result;
	keep(r, reading, result);
	return 0;
}

void run_progress(const struct run *r, char *text, size_t size)
{
	snprintf(text, size, "%u particles  %.1f effective  %llu jumps",
		 r->last.particles, r->last.effective,
		 (unsigned long long)r->stats.jumps);
}

int run_trajectory(const struct run *r, struct trajectory *t)
{
	struct pose *history;
	uint32_t updates;
	int err = filter_history(r->filter, &history, &updates);

	if (err)
		return cli_error(err, "no memory");
	err = journey_trajectory(&r->journey, history, updates, t);
	free(history);
	if (err)
		cli_error(err, "%s: %s", r->log, err == -ENODATA ?
			  "there is no scan in it" : "no memory");
	return err;
}

static int write_stats(struct run *r, const struct readings_count *log)
{
	struct team *team = filter_team(r->filter);
	struct stats_workers workers;
	const bool remote = cluster_counters(r->cluster, team, &workers);
	struct particles_use use;
	char error[SLAM_ERROR];
	int err;

	team->ops->use(team, &use);
	err = stats_write(&r->stats, r->o->stats, &r->o->params, r->o->threads,
			  &use, log, remote ? &workers : NULL, error);
	return err ? cli_error(err, "%s", error) : 0;
}

int run_write(struct run *r, const struct trajectory *t,
	      const struct readings_count *log)
{
	char error[TRAJECTORY_ERROR];
	int err = 0;

	if (r->o->trajectory) {
		err = trajectory_write(t, r->o->trajectory, error);
		if (err)
			cli_error(err, "%s", error);
	}
	if (!err && r->o->stats)
		err = write_stats(r, log);
	return err;
}
