// SPDX-License-Identifier: GPL-2.0-only
/*
 * live.c - SLAM with live readings
 *
 * Three threads. The loop handles all input and output. The filter takes
 * queued readings, preferring new ones. The mapper draws the filter's results
 * as often as it can. The last two publish through the loop.
 */
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include "apps/slamd/draw.h"
#include "apps/slamd/live.h"
#include "base/cli.h"
#include "base/error.h"
#include "base/service.h"
#include "slam/workers/scans.h"

static const uint64_t second = 1000000000ULL;

/* For waiting for workers, and for signals */
static struct live *running;

bool live_interrupted(void *arg)
{
	(void)arg;
	return running && running->stopping;
}

/* The first signal ends a run: all that came is used */
static bool live_hurried(void *arg)
{
	(void)arg;
	return running->hurried;
}

/*
 * Output
 */

struct sending {
	struct live		*live;
	enum slam_publisher_topic	topic;
	int64_t			stamp;
	const union message	*m;
};

static void live_send_one(void *arg)
{
	const struct sending *s = arg;

	slam_publisher_publish(s->live->publisher, s->topic, s->stamp, s->m);
	if (s->topic == SLAM_PUBLISHER_TF)
		tf_ahead_set(&s->live->tf, s->m);
	if (s->topic == SLAM_PUBLISHER_MAP)
		slam_services_map(s->live->services, &s->m->map);
}

static void send_tf(void *arg, int64_t stamp, const union message *m)
{
	slam_publisher_publish(((struct live *)arg)->publisher,
			       SLAM_PUBLISHER_TF, stamp, m);
}

/* From any thread; directly once the other threads have ended */
static int live_publish(void *arg, enum slam_publisher_topic topic,
			int64_t stamp, const union message *m)
{
	struct live *l = arg;
	struct sending s = { l, topic, stamp, m };

	if (!l->filters && !l->draws) {
		live_send_one(&s);
		return 0;
	}
	return loop_call_run(l->call, live_send_one, &s, LIVE_CALL_PATIENCE);
}

/*
 * The mapper
 */

/* Return: 0 or a negative errno, logged once */
static int take_handed(struct live *l, const struct mapper_update *handed)
{
	struct error error;
	int err = 0;

	for (uint32_t i = 0; i < handed->scans && !err; i++) {
		const struct reading r = scans_reading(handed->scan[i]);

		err = mapper_scan(l->mapper, &r, &error);
	}
	if (!err && handed->history)
		err = mapper_history(l->mapper, handed->history,
				     handed->count, &error);
	if (!err && handed->history)
		err = mapper_graph(l->mapper, handed->history, handed->count,
				   handed->edge, handed->edges, &error);
	if (err && !l->told_draw)
		service_logf(LOG_ERR, "maps: %s", error.text);
	l->told_draw = err;
	return err;
}

static int draw_handed(struct live *l, const struct mapper_update *handed,
		       bool last)
{
	const uint64_t now = loop_now();
	const int err = take_handed(l, handed);

	if (err || !handed->history)
		return err;
	l->behind = !last && now - l->mapped < (uint64_t)
		    (l->o->map_every * 1e9);
	if (l->behind)
		return 0;
	l->mapped = now;
	return session_map(l->run, l->mapper);
}

static void *live_draw(void *arg)
{
	struct live *l = arg;
	struct mapper_update handed;
	bool more = true;

	while (more) {
		more = mapper_queue_take(l->mapper_queue, &handed);
		draw_handed(l, &handed, false);
		mapper_update_free(&handed);
	}
	return NULL;
}

/* Return: 0 or a negative errno */
static int live_hand_over(struct live *l)
{
	struct graph_edge *edge;
	struct pose *history;
	uint32_t count, edges;
	int err = session_history(l->run, &history, &count);

	if (err)
		return err;
	err = session_edges(l->run, history, count, &edge, &edges);
	if (err) {
		free(history);
		return err;
	}
	mapper_queue_graph(l->mapper_queue, edge, edges);
	mapper_queue_history(l->mapper_queue, history, count);
	return 0;
}

/*
 * The filter
 */

static int take_result(struct live *l, const struct reading *r,
		       const struct filter_result *result)
{
	const uint64_t now = loop_now();
	int err = 0;

	pthread_mutex_lock(&l->lock);
	session_state(l->run, l->text);
	l->readings++;
	pthread_mutex_unlock(&l->lock);
	if (session_maps(l->run, result))
		err = mapper_queue_scan(l->mapper_queue, r);
	l->dirty |= session_maps(l->run, result);
	if (!err && (l->dirty || l->behind) && now - l->passed >= second &&
	    mapper_queue_idle(l->mapper_queue)) {
		l->passed = now;
		l->dirty = false;
		err = live_hand_over(l);
	}
	return err ? cli_error(err, "no memory") : 0;
}

struct ending {
	struct live	*live;
	int		status;
};

static void end_loop(void *arg)
{
	const struct ending *e = arg;

	assert(e->status <= 0);
	loop_stop(e->live->loop, e->status);
}

static void take_hint(struct live *l)
{
	struct place_hint hint;
	bool hinted;

	pthread_mutex_lock(&l->lock);
	hint = l->hint;
	hinted = l->hinted;
	l->hinted = false;
	pthread_mutex_unlock(&l->lock);
	if (hinted)
		session_hint(l->run, &hint);
}

static void *live_filter(void *arg)
{
	struct live *l = arg;
	struct filter_result result;
	struct ending e = { l, 0 };
	struct reading r;

	l->failed = live_recall(l);
	while (!l->failed && !l->hurried) {
		const enum scan_queue_event event =
			scan_queue_wait(l->scan_queue);

		if (event == SCAN_QUEUE_ENDED)
			break;
		if (event == SCAN_QUEUE_WOKEN) {
			live_take_command(l);
			continue;
		}
		scan_queue_take(l->scan_queue, &r);
		l->stamp = r.stamp;
		take_hint(l);
		if (l->paused && r.beams) {
			l->run->stats.paused++;
			r.beams = 0;
		}
		ahead_taken(l->ahead, &r);
		l->failed = session_read(l->run, &r, &result);
		if (l->failed) {
			l->unused += r.beams > 0;
			break;
		}
		known_search_show(&l->run->search, l->mapper, r.stamp);
		if (l->run->search.placed)
			ahead_done(l->ahead, &r, &result);
		l->failed = take_result(l, &r, &result);
	}
	assert(l->failed <= 0);
	if (l->failed == -EINTR)
		l->failed = 0;
	e.status = l->failed;
	while (loop_call_run(l->call, end_loop, &e, LIVE_CALL_PATIENCE) ==
	       -ETIMEDOUT)
		;
	return NULL;
}

/*
 * The loop
 */

static void on_reading(void *arg, const struct reading *r)
{
	struct live *l = arg;

	tf_ahead_clock(&l->tf, r->stamp);
	if (scan_queue_put(l->scan_queue, r))
		service_logf(LOG_ERR, "out of memory: scan dropped");
}

/* The robot still moves while its scans are not used */
static void on_pause(void *arg, bool on)
{
	((struct live *)arg)->paused = on;
}

static void on_place(void *arg, const struct place_hint *hint)
{
	struct live *l = arg;

	pthread_mutex_lock(&l->lock);
	l->hint = *hint;
	l->hinted = true;
	pthread_mutex_unlock(&l->lock);
}

static void live_on_ended(void *arg)
{
	scan_queue_end(((struct live *)arg)->scan_queue);
}

static void live_show(struct live *l, bool end)
{
	const struct scan_queue_count w = scan_queue_count(l->scan_queue);
	const struct reading_input_count in = reading_input_count(l->input);
	char text[sizeof(l->text)];
	uint64_t readings;
	double rate;

	pthread_mutex_lock(&l->lock);
	memcpy(text, l->text, sizeof(text));
	readings = l->readings;
	rate = session_rate(l->run, readings);
	pthread_mutex_unlock(&l->lock);
	service_status("%llu readings, %llu scans replaced, %s",
		       (unsigned long long)readings,
		       (unsigned long long)w.replaced, text);
	session_progress(l->o, end,
			 "%llu readings  %.1f/s  %llu replaced  "
			 "%llu without odometry  %s",
			 (unsigned long long)readings,
			 rate,
			 (unsigned long long)w.replaced,
			 (unsigned long long)in.laser.dropped, text);
}

static void live_on_progress(void *arg, uint64_t now)
{
	struct live *l = arg;

	l->progress.due = now + second;
	live_show(l, false);
}

/*
 * Open
 */

static int open_inlet(struct live *l, struct error *error)
{
	const struct slamd_options *o = l->o;
	const char *odometry = o->readings.odometry;
	const bool without = odometry &&
			     !strcmp(odometry, READINGS_NO_ODOMETRY);
	const struct reading_input_config config = {
		.spec = o->from,
		.node = o->node,
		.scan = o->readings.scan ? o->readings.scan : "/scan",
		.odometry = !odometry ? "/odom" :
			    without || !strcmp(odometry, "tf") ? NULL :
								 odometry,
		.without = without,
		.laser = o->readings.laser,
		.patience = (int64_t)(o->patience * 1e9),
		.range_max = o->readings.range_max,
		.speed = o->speed,
		.reading = on_reading,
		.place = o->localise || o->elsewhere || o->ros2 ? on_place : NULL,
		.frame = o->map_frame, .robot = o->robot,
		.ended = live_on_ended,
		.log = service_log,
		.arg = l,
	};

	return reading_input_open(&l->input, l->loop, &config, error);
}

static int live_open_ends(struct live *l)
{
	const struct slamd_options *o = l->o;
	const struct slam_services_config services = {
		.o = o, .pause = on_pause, .command = live_command, .arg = l,
	};
	struct error error;
	int err = 0;

	l->mapper_config = mapper_config(o);
	l->mapper_config.publish = o->to ? live_publish : NULL;
	l->mapper_config.arg = l;
	if (o->to)
		err = slam_publisher_open(&l->publisher, l->loop, o->to, o->node,
					  o->robot, &error);
	if (!err && o->ros && o->tf_rate > 0 &&
	    tf_ahead_open(&l->tf, l->loop, o->tf_rate, o->tf_ahead, send_tf, l))
		err = error_set(&error, -ENOMEM, "no memory");
	if (!err && o->ros2 && jobs_open(&l->jobs, l->loop))
		err = error_set(&error, -ENOMEM, "no memory");
	if (!err && o->ros2)
		err = slam_services_open(&l->services, l->loop, &services,
					 &error);
	if (!err)
		err = mapper_create(&l->mapper, &l->mapper_config, &error);
	if (!err)
		err = open_inlet(l, &error);
	return err ? cli_error(err, "%s", error.text) : 0;
}

static int live_start_threads(struct live *l)
{
	int err = loop_call_open(&l->call, l->loop);

	/* before the threads start, as they read these */
	l->draws = l->filters = !err;
	if (!err) {
		err = -pthread_create(&l->draw, NULL, live_draw, l);
		if (err)
			l->draws = l->filters = false;
	}
	if (!err) {
		err = -pthread_create(&l->filter, NULL, live_filter, l);
		if (err)
			l->filters = false;
	}
	return err ? cli_error(err, "threads: %s", strerror(-err)) : 0;
}

/* Second signal: drop the queue; a third one kills the process */
static void hurry(int number)
{
	(void)number;
	running->hurried = true;
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
}

/* Handle signals in this thread, after the loop has ended */
static void live_catch_signals(void)
{
	const struct sigaction a = { .sa_handler = hurry };
	const struct timespec now = { 0, 0 };
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	/* the loop has not consumed the first signal: drop it */
	while (sigtimedwait(&signals, NULL, &now) > 0)
		;
	sigaction(SIGINT, &a, NULL);
	sigaction(SIGTERM, &a, NULL);
	pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
}

/* Messages that they still publish are dropped */
static void end_threads(struct live *l)
{
	struct reading r;

	l->stopping = true;
	scan_queue_end(l->scan_queue);
	if (l->call)
		loop_call_cancel(l->call);
	if (l->filters)
		pthread_join(l->filter, NULL);
	mapper_queue_end(l->mapper_queue);
	if (l->draws)
		pthread_join(l->draw, NULL);
	l->filters = l->draws = false;
	while (scan_queue_take(l->scan_queue, &r))
		l->unused += r.beams > 0;
}

/*
 * Finish
 */

/* Return: 0 or a negative errno, already logged, as all of these */
static int live_write_map(struct live *l, const struct trajectory *t)
{
	struct raster raster = { .cells = NULL };
	const int err = draw_write(l->run->o, mapper_raster(l->mapper, &raster),
				   &raster, t);

	free(raster.cells);
	return err;
}

/* The final maps. If publishing fails, the file is still written */
static int finish_maps(struct live *l, const struct trajectory *t)
{
	struct mapper_update last = { .scans = 0 };
	int err = session_history(l->run, &last.history, &last.count), next;

	if (!err)
		err = session_edges(l->run, last.history, last.count,
				    &last.edge, &last.edges);
	if (err) {
		mapper_update_free(&last);
		return cli_error(err, "no memory");
	}
	mapper_exact(l->mapper);
	err = draw_handed(l, &last, true);
	mapper_update_free(&last);
	if (!l->run->o->map || l->told_draw)
		return err;
	next = live_write_map(l, t);
	return err ? err : next;
}

/* An error does not stop the next steps */
static int live_write_all(struct live *l)
{
	const struct reading_input_count in = reading_input_count(l->input);
	const struct readings_count c = {
		.bad = in.damaged + in.laser.bad,
		.unpaired = in.laser.dropped, .unswept = in.laser.unswept,
		.standing = in.laser.standing,
	};
	struct trajectory t = { 0 };
	int err = session_finish(l->run, live_hurried), next;

	if (!err)
		err = session_trajectory(l->run, &t);
	if (err)
		goto out;
	err = session_write(l->run, &t, &c);
	next = l->run->o->localise ? 0 : finish_maps(l, &t);
	err = err ? err : next;
	next = slam_publisher_check(l->publisher, l->o->to);
	err = err ? err : next;
out:
	trajectory_free(&t);
	return err;
}

/* Write files and report losses. Without readings nothing is written */
static int live_finish(struct live *l)
{
	const struct scan_queue_count w = scan_queue_count(l->scan_queue);
	const unsigned long long unused = l->unused;
	int err;

	if (!l->recalled)
		return cli_error(-EINTR,
				 "stopped by a signal while reading the "
				 "checkpoint: no files written");
	if (!l->run->updates || !l->run->search.placed)
		return unused ? cli_error(-EINTR,
					  "%s: none of %llu waiting scans was "
					  "used: no files written",
					  l->o->from, unused) :
		       session_nothing(l->run);
	l->run->stats.replaced = w.replaced;
	l->run->stats.lost = w.lost;
	l->run->stats.unused = l->unused;
	l->run->stats.ahead = ahead_poses(l->ahead);
	l->run->stats.refused = slam_services_refused(l->services);
	err = live_write_all(l);
	return unused ? cli_error(-EINTR,
				  "%s: %llu waiting scans were not used",
				  l->o->from, unused) : err;
}

static int live_turn(struct live *l)
{
	int err;

	l->run->start = loop_now();
	l->progress = (struct loop_timer){ l->run->start + second,
					   live_on_progress, l, NULL };
	loop_add_timer(l->loop, &l->progress);
	service_ready(l->loop);
	err = loop_run(l->loop);
	service_stopping(l->loop);
	live_catch_signals();
	return err;
}

static int session_loop(struct live *l)
{
	int err = live_start_threads(l), ended;

	if (err) {
		end_threads(l);
		return err;
	}
	err = live_turn(l);
	end_threads(l);
	live_show(l, true);
	/* errors of the filter are already logged */
	if (err && !l->failed)
		cli_error(err, "%s", strerror(-err));
	else
		err = l->failed;
	/* write the results so far */
	if (err && (!l->recalled || !l->run->updates))
		return err;
	ended = live_finish(l);
	return err ? err : ended;
}

static int live_open_all(struct live *l)
{
	struct error error;
	int err;

	/* before any thread, so that they inherit blocked signals */
	l->loop = loop_create();
	l->scan_queue = scan_queue_create();
	l->mapper_queue = mapper_queue_create();
	l->ahead = ahead_create(l->scan_queue);
	l->switching = switching_create(l->o, l->o->from);
	if (!l->loop || !l->scan_queue || !l->mapper_queue || !l->ahead ||
	    !l->switching)
		return cli_error(-ENOMEM, "no memory");
	if (l->o->ros2 && services_folder(l->o->maps, &error))
		return cli_error(-EINVAL, "%s", error.text);
	l->run = switching_session(l->switching);
	if (l->o->to)
		l->run->waiting = ahead_waiting;
	l->run->waiting_arg = l->ahead;
	err = switching_begin(l->switching, live_interrupted);
	if (!err)
		err = live_open_ends(l);
	ahead_open(l->ahead, l->run, l->mapper);
	return err;
}

/* Return: 0 or a negative errno, already logged */
static int live_close_all(struct live *l)
{
	int err;

	reading_input_close(l->input);
	mapper_destroy(l->mapper);
	tf_ahead_close(&l->tf);
	/* it answers what is being done */
	if (l->jobs)
		jobs_close(l->jobs);
	slam_services_close(l->services);
	err = slam_publisher_close(l->publisher);
	loop_call_close(l->call);
	switching_destroy(l->switching);
	ahead_destroy(l->ahead);
	scan_queue_destroy(l->scan_queue);
	mapper_queue_destroy(l->mapper_queue);
	if (l->loop)
		loop_destroy(l->loop);
	pthread_mutex_destroy(&l->lock);
	return err;
}

int slamd_live(const struct slamd_options *o)
{
	static struct live l;
	int err, closed;

	l.o = o;
	l.answer.mark.fd = -1;
	pthread_mutex_init(&l.lock, NULL);
	running = &l;
	err = live_open_all(&l);
	if (!err)
		err = session_loop(&l);
	closed = live_close_all(&l);
	return err < 0 ? err : closed;
}
