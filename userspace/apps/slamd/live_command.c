// SPDX-License-Identifier: GPL-2.0-only
/*
 * live_command.c - what peers ask of a live run, in the thread of the filter
 */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <syslog.h>
#include "apps/slamd/live.h"
#include "base/cli.h"
#include "base/service.h"

/* A scan of a checkpoint, for the mapper */
static int keep_scan(void *arg, const struct reading *r)
{
	return mapper_queue_scan(arg, r);
}

static struct switching_calls calls_to(struct mapper_queue *queue)
{
	return (struct switching_calls){
		.interrupted = live_interrupted, .scan = keep_scan,
		.arg = queue,
	};
}

int live_recall(struct live *l)
{
	const struct switching_calls calls = calls_to(l->mapper_queue);
	const int ret = switching_recall(l->run, &calls);

	if (ret < 0)
		return ret;
	assert(ret == 0 || l->stopping);
	/* filtering must continue at its end: add nothing before */
	if (ret)
		return -EINTR;
	l->dirty = l->run->updates;
	l->recalled = true;
	if (l->run->stats.resumed)
		service_logf(LOG_INFO, "%s: continuing after %llu readings",
			     l->run->o->checkpoint, (unsigned long long)
			     l->run->stats.resumed);
	return 0;
}

/* The next session is open: it gets @mapper, and the scans of @queue */
static void take_session(struct live *l, struct mapper *mapper,
			 struct mapper_queue *queue)
{
	/* from now on the mapper's thread waits for a history */
	mapper_queue_replace(l->mapper_queue, queue);
	pthread_mutex_lock(&l->lock);
	l->run = switching_next(l->switching);
	pthread_mutex_unlock(&l->lock);
	switching_take(l->switching);
	mapper_destroy(l->mapper);
	l->mapper = mapper;
	ahead_open(l->ahead, l->run, l->mapper);
	l->behind = l->told_draw = false;
	l->dirty = l->run->updates;
	l->passed = l->mapped = 0;
	known_search_show(&l->run->search, l->mapper, l->stamp);
}

/* Return: 0 or a negative errno, already logged: then nothing has changed */
static int switch_session(struct live *l, const struct slam_command *c)
{
	struct mapper_queue *queue = mapper_queue_create();
	const struct switching_calls calls = calls_to(queue);
	struct mapper *mapper = NULL;
	struct error error;
	int err;

	if (!queue)
		return cli_error(-ENOMEM, "no memory");
	err = mapper_create(&mapper, &l->mapper_config, &error);
	if (err)
		cli_error(err, "%s", error.text);
	else
		err = switching_open(l->switching, c, &calls);
	if (err)
		mapper_destroy(mapper);
	else
		take_session(l, mapper, queue);
	mapper_queue_destroy(queue);
	return err;
}

/* Return: likewise */
static int mark_checkpoint(struct live *l)
{
	struct checkpoint *c = l->run->checkpoint;
	const int err = c ? checkpoint_mark(c, &l->answer.mark) : -ENODATA;

	if (err)
		service_logf(LOG_WARNING, "checkpoint not saved: %s",
			     err == -ENODATA ? "there is none" :
					       strerror(-err));
	return err;
}

/*
 * Answers, in the loop
 */

static void run_save(void *arg)
{
	struct answer *a = &((struct live *)arg)->answer;

	a->err = checkpoint_mark_copy(&a->mark, a->command.path, &a->error);
}

static void end_save(void *arg)
{
	struct live *l = arg;
	struct answer *a = &l->answer;

	checkpoint_mark_close(&a->mark);
	if (a->err)
		service_logf(LOG_WARNING, "checkpoint not saved: %s",
			     a->error.text);
	else
		service_logf(LOG_INFO, "checkpoint saved: %s", a->command.path);
	slam_services_done(l->services, a->err);
}

/* A disk may be slow: writing has a thread of its own */
static void give_answer(void *arg)
{
	struct live *l = arg;
	struct answer *a = &l->answer;
	const bool save = a->command.kind == COMMAND_SAVE && !a->err;
	int err;

	/* that of the map before would lie until the robot is found */
	if (!a->err && !save)
		tf_ahead_forget(&l->tf);
	if (!save) {
		slam_services_done(l->services, a->err);
		return;
	}
	/* from its start on @a is the job's */
	err = jobs_run(l->jobs, run_save, end_save, l);
	if (!err)
		return;
	a->err = error_set(&a->error, err, "%s", strerror(-err));
	end_save(l);
}

void live_take_command(struct live *l)
{
	struct answer *a = &l->answer;
	bool commanded;
	int err;

	pthread_mutex_lock(&l->lock);
	commanded = l->commanded;
	if (commanded)
		a->command = l->command;
	l->commanded = false;
	pthread_mutex_unlock(&l->lock);
	if (!commanded)
		return;
	a->err = a->command.kind == COMMAND_SAVE ?
		 mark_checkpoint(l) : switch_session(l, &a->command);
	do
		err = loop_call_run(l->call, give_answer, l,
				    LIVE_CALL_PATIENCE);
	while (err == -ETIMEDOUT);
	if (err)
		checkpoint_mark_close(&a->mark);
}

void live_command(void *arg, const struct slam_command *c)
{
	struct live *l = arg;

	pthread_mutex_lock(&l->lock);
	l->command = *c;
	l->commanded = true;
	pthread_mutex_unlock(&l->lock);
	scan_queue_wake(l->scan_queue);
}
