// SPDX-License-Identifier: GPL-2.0-only
/*
 * session.c - a filter, its checkpoint, and output files
 */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>
#include "apps/slamd/session.h"
#include "apps/slamd/summary.h"
#include "base/atomic_file.h"
#include "base/cli.h"
#include "base/error.h"
#include "base/log.h"
#include "base/loop.h"
#include "base/service.h"
#include "slam/filter/memory.h"

/* Interval of syncing the checkpoint to disk, ns */
#define SYNC	5000000000ULL

/*
 * Output files
 */

enum { FILES = 9 };

/**
 * struct file - an input or output file
 * @made:	it is an output file
 */
struct file {
	const char	*path;
	bool		made;
};

/* FILE.pgm with another extension */
static void beside(const char *path, const char *ending, char to[PATH_MAX])
{
	const int len = (int)strlen(path) - (int)strlen(".pgm");

	snprintf(to, PATH_MAX, "%.*s%s", len < PATH_MAX - 8 ? len :
		 PATH_MAX - 8, path, ending);
}

/* Whether it can be created atomically; creates nothing */
static int try_file(const char *path, struct error *error)
{
	struct atomic_file file;
	struct stat st;
	int err;

	if (!*path)
		return atomic_file_error(error, path, -ENOENT, NULL);
	if (!stat(path, &st) && S_ISDIR(st.st_mode))
		return atomic_file_error(error, path, -EISDIR, NULL);
	/* do not open a pipe: closing it would end its reader */
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return access(path, W_OK) ?
		       atomic_file_error(error, path, -errno, NULL) : 0;
	err = atomic_file_open(&file, path, error);
	if (!err)
		atomic_file_abandon(&file);
	return err;
}

static bool session_is_same(const char *a, const char *b)
{
	struct stat s, t;
	const bool there = !stat(a, &s);

	if (there && !S_ISREG(s.st_mode))
		return false;
	if (!there || stat(b, &t))
		return !strcmp(a, b);
	return s.st_dev == t.st_dev && s.st_ino == t.st_ino;
}

static int try_files(const struct file *file, uint32_t count)
{
	struct error error;

	for (uint32_t i = 0; i < count; i++) {
		const int err = file[i].made ?
				try_file(file[i].path, &error) : 0;

		if (err)
			return cli_error(err, "%s", error.text);
		for (uint32_t k = 0; k < i; k++)
			if ((file[i].made || file[k].made) &&
			    session_is_same(file[k].path, file[i].path))
				return cli_error(-EINVAL,
						 "%s: the same file is given "
						 "twice",
						 file[i].path);
	}
	return 0;
}

/* The session may be long: check output files before it starts */
static int check_files(const struct session *r)
{
	const struct slamd_options *o = r->o;
	const bool stats = o->stats && strcmp(o->stats, "-");
	char yaml[PATH_MAX], png[PATH_MAX];
	const struct file all[FILES] = {
		{ r->log, false }, { o->checkpoint, false }, { o->to, false },
		{ o->localise, false },
		{ o->trajectory, true }, { stats ? o->stats : NULL, true },
		{ o->map, true }, { o->map ? yaml : NULL, true },
		{ o->map ? png : NULL, true },
	};
	struct file given[FILES];
	uint32_t count = 0;

	if (o->map) {
		beside(o->map, ".yaml", yaml);
		beside(o->map, ".png", png);
	}
	for (uint32_t i = 0; i < FILES; i++)
		if (all[i].path)
			given[count++] = all[i];
	assert(count <= FILES);
	return try_files(given, count);
}

/*
 * Open and close
 */

static int open_checkpoint(struct session *r)
{
	const char *path = r->o->checkpoint;
	struct error error;
	int err;

	if (!path)
		return 0;
	r->fresh = access(path, F_OK);
	err = checkpoint_open(&r->checkpoint, path, &r->o->params,
			      r->o->resume, &error);
	/* one that nobody asked for: a full disk is no reason to end */
	if (err && r->o->working && !r->o->resume) {
		cli_warn("%s: no checkpoints", error.text);
		return 0;
	}
	return err ? cli_error(err, "%s", error.text) : 0;
}

int session_open(struct session *r, bool (*interrupted)(void *arg))
{
	struct particle_pool *team;
	int err = cluster_open(&r->cluster, r->o, interrupted);

	/* now this process is known to be the coordinator, which writes them */
	if (!err)
		err = check_files(r);
	if (!err)
		err = open_checkpoint(r);
	if (err)
		return err;
	err = known_search_open(&r->search, r->o, interrupted);
	if (err)
		return err;
	if (r->o->params.loops)
		err = loop_closer_create(&r->loops, &r->o->params);
	if (err)
		return cli_error(err, "cannot close loops: %s", strerror(-err));
	team = cluster_pool(r->cluster, r->waiting, r->waiting_arg);
	if (team)
		r->filter = filter_create(&r->o->params, team);
	return r->filter ? 0 : cli_error(-ENOMEM, "no memory");
}

void session_close(struct session *r)
{
	if (r->checkpoint && r->fresh && !r->scan_trajectory.count)
		unlink(r->o->checkpoint);
	filter_destroy(r->filter);
	loop_closer_destroy(r->loops);
	known_search_close(&r->search);
	free(r->final);
	cluster_close(r->cluster);
	checkpoint_close(r->checkpoint);
	scan_trajectory_free(&r->scan_trajectory);
	stats_free(&r->stats);
}

/*
 * Readings
 */

static int add_to_trajectory(struct session *r, const struct reading *reading,
			     const struct filter_result *result)
{
	const int err = scan_trajectory_add(&r->scan_trajectory, reading, result);

	if (!err && result->updated) {
		r->updates++;
		r->last = *result;
	}
	return err;
}

static int close_loops(struct session *r, const struct filter_result *result)
{
	return r->loops ? loop_closer_add(r->loops, r->filter, result) : 0;
}

int session_recall(struct session *r, struct reading *reading,
		   struct filter_result *result)
{
	struct checkpoint_entry e;
	struct error error;
	int ret;

	if (!r->checkpoint)
		return 0;
	do {
		ret = checkpoint_next(r->checkpoint, &e, &error);
		if (ret == 1 && e.place &&
		    filter_place(r->filter, &e.reading.odometry, NULL))
			return cli_error(-EINVAL, "%s: goes on elsewhere in its "
					 "map: not with --engine",
					 slamd_checkpoint(r->o));
	} while (ret == 1 && e.place);
	if (ret < 0)
		return cli_error(ret, "%s", error.text);
	if (!ret) {
		if (checkpoint_torn(r->checkpoint))
			cli_warn("%s: last reading incomplete, ignored",
				 slamd_checkpoint(r->o));
		return 0;
	}
	ret = filter_recall(r->filter, &e.reading, e.outcome, e.count, result);
	if (!ret)
		ret = close_loops(r, result);
	if (!ret)
		ret = add_to_trajectory(r, &e.reading, result);
	if (!ret && result->updated)
		ret = known_search_keep(&r->search, r->updates - 1, &e.reading);
	if (ret == -EINTR)
		return ret;
	if (ret)
		return cli_error(ret, "%s: %s", slamd_checkpoint(r->o),
				 ret == -EBADMSG ? "is damaged" :
				 strerror(-ret));
	r->stats.resumed++;
	*reading = e.reading;
	return 1;
}

int session_recalled(struct session *r)
{
	struct pose *history;
	uint32_t count;
	int err;

	if (!r->o->elsewhere || !r->updates)
		return 0;
	err = session_history(r, &history, &count);
	if (err)
		return cli_error(err, "%s: %s", slamd_checkpoint(r->o),
				 strerror(-err));
	err = known_search_begin(&r->search, history, count);
	free(history);
	return err;
}

/* An error ends the checkpoint, not the session */
static void session_keep(struct session *r, const struct reading *reading,
			 const struct filter_result *result,
			 const struct pose *place)
{
	const uint64_t now = loop_now();
	const struct outcome *outcome;
	struct error error;
	uint32_t count;
	int err;

	if (!r->checkpoint)
		return;
	outcome = filter_outcomes(r->filter, &count);
	err = place ? checkpoint_place(r->checkpoint, reading->stamp, place,
				       &error) : 0;
	if (!err)
		err = checkpoint_add(r->checkpoint, reading,
				     result->updated || result->held,
				     outcome, count, &error);
	if (!err && !r->o->working && now - r->synced >= SYNC) {
		r->synced = now;
		err = checkpoint_sync(r->checkpoint, &error);
	}
	if (!err)
		return;
	cli_warn("%s: no further checkpoints", error.text);
	checkpoint_close(r->checkpoint);
	r->checkpoint = NULL;
}

/* Logged once each time the robot is lost */
static void log_lost(struct session *r, const struct reading *reading,
		     const struct filter_result *result)
{
	const double at = (double)reading->stamp * 1e-9;

	if (result->found && !r->o->localise)
		service_logf(LOG_WARNING,
			     "%.3f: odometry error: robot relocalized in the "
			     "map", at);
	else if (result->lost && !r->told_lost)
		service_logf(LOG_WARNING,
			     "%.3f: robot lost: scans contradict the map. "
			     "Relocalizing; scans are not added to the map",
			     at);
	if (result->updated || result->held)
		r->told_lost = result->lost;
}

/* Logged each time */
static void log_carried(const struct session *r, const struct reading *reading,
			const struct filter_result *result)
{
	if (result->carried)
		service_logf(LOG_WARNING,
			     "%.3f: robot carried: its scans show a place that "
			     "is not where the map says. It is mapped apart, at "
			     "x = %.0f m%s", (double)reading->stamp * 1e-9,
			     result->pose.x, r->loops ?
			     ", until its place in the map is found" :
			     "; with --loops off its place is not searched");
}

/* Logged once each time */
static void log_predictor(struct session *r, const struct reading *reading,
			  const struct filter_result *result)
{
	static const char *const what[] = {
		[PREDICT_ODOMETRY] = "odometry agrees with the scans again",
		[PREDICT_BACKWARDS] = ("odometry counts the wrong direction: "
				       "it is turned around until it agrees "
				       "with the scans"),
		[PREDICT_SPEED] = ("odometry disagrees with the scans: it is "
				   "not used until it agrees with them"),
	};

	if (result->predictor == r->told_predictor)
		return;
	r->told_predictor = result->predictor;
	service_logf(LOG_WARNING, "%.3f: %s", (double)reading->stamp * 1e-9,
		     what[result->predictor]);
}

static void log_loops(struct session *r, double at)
{
	const struct loop_counts c = loop_closer_counts(r->loops);
	const bool joined = c.joined != r->told_joined;

	r->told_joined = c.joined;
	if (joined)
		service_logf(LOG_WARNING,
			     "%.3f: robot found again: what it mapped since it "
			     "was carried is in its place", at);
	else
		service_logf(LOG_INFO,
			     "%.3f: loop closed: the map was corrected by up "
			     "to %.2f m, %u of %u closures agree", at, c.moved,
			     c.kept, c.closures);
}

/* Logged once; the statistics have their number */
static void log_rejected(struct session *r, double at)
{
	if (!r->loops || r->told_rejected ||
	    !loop_closer_counts(r->loops).rejected)
		return;
	r->told_rejected = true;
	service_logf(LOG_WARNING,
		     "%.3f: two places look alike: the closures between them "
		     "are not used, as scans would contradict each other", at);
}

/* Likewise */
static void log_too_wide(struct session *r, double at)
{
	if (!r->loops || r->told_wide || !loop_closer_counts(r->loops).too_wide)
		return;
	r->told_wide = true;
	service_logf(LOG_WARNING,
		     "%.3f: the map is too wide to find the robot in it: only "
		     "up to %.0f m are searched", at, FIT_SIDE_MAX * FIT_CELL);
}

/* What became of the scan, if it is not what became of the last one */
static void log_scan(struct session *r, const struct reading *reading,
		     const struct filter_result *result)
{
	const double at = (double)reading->stamp * 1e-9;

	if (result->jumped)
		log_debug("%.3f: odometry rejected: it moved further than a robot can",
			  at);
	if (result->resampled)
		log_debug("%.3f: particles resampled: %.1f of %u are effective",
			  at, result->effective, result->particles);
	if (!reading->beams || result->held == r->held_logged)
		return;
	r->held_logged = result->held;
	log_debug("%.3f: scans are %s, fit %.2f", at, result->held ?
		  "kept out of the map, as they contradict it" :
		  "added to the map again", result->fit);
}

/* Out of memory: print the limit of the particles' maps, and a remedy */
static int full(const struct session *r, unsigned long long number)
{
	char reason[MEMORY_REASON];

	if (memory_reason(reason))
		return cli_error(-ENOMEM,
				 "%s: reading %llu: the maps of %u particles "
				 "take more than %s: reduce --particles, or "
				 "distribute them with --engine and --workers",
				 r->log, number, r->o->params.particles,
				 reason);
	if (r->o->engine)
		return cli_error(-ENOMEM,
				 "%s: reading %llu: the maps of %u particles "
				 "take more memory than the workers have: "
				 "reduce --particles, or start more workers",
				 r->log, number, r->o->params.particles);
	return cli_error(-ENOMEM, "%s: reading %llu: no memory", r->log,
			 number);
}

static int read_or_search(struct session *r, const struct reading *reading,
			  struct filter_result *result)
{
	int err;

	if (!r->search.localiser)
		return filter_read(r->filter, reading, result);
	err = known_search_read(&r->search, r->filter, reading, result);
	if (!err)
		r->stats.placed = localiser_counts(r->search.localiser);
	return err;
}

int session_read(struct session *r, const struct reading *reading,
		 struct filter_result *result)
{
	const bool before = r->search.placed;
	unsigned long long number;
	int err;

	stats_begin(&r->stats);
	err = read_or_search(r, reading, result);
	if (!err)
		err = close_loops(r, result);
	if (!err)
		err = stats_end(&r->stats, reading, result);
	if (!err && r->search.placed)
		err = add_to_trajectory(r, reading, result);
	number = r->stats.readings + r->stats.resumed;
	if (err == -EINTR)
		return err;
	if (err == -ENOMEM)
		return full(r, number);
	if (err)
		return cli_error(err, "%s: reading %llu: %s", r->log, number,
				 strerror(-err));
	log_lost(r, reading, result);
	log_carried(r, reading, result);
	log_predictor(r, reading, result);
	if (result->corrected)
		log_loops(r, (double)reading->stamp * 1e-9);
	log_rejected(r, (double)reading->stamp * 1e-9);
	log_too_wide(r, (double)reading->stamp * 1e-9);
	log_scan(r, reading, result);
	if (r->search.placed)
		session_keep(r, reading, result,
			     before ? NULL : &r->stats.placed.place);
	if (r->search.placed && !r->o->localise)
		known_search_end(&r->search);
	return 0;
}

void session_hint(struct session *r, const struct place_hint *hint)
{
	if (r->search.localiser)
		known_search_hint(&r->search, hint);
	else if (!r->stats.ignored++)
		service_logf(LOG_WARNING,
			     "the pose of /initialpose is ignored: the robot is "
			     "not searched in a map");
}

bool session_maps(const struct session *r, const struct filter_result *result)
{
	return result->updated && !r->o->localise;
}

int session_nothing(const struct session *r)
{
	if (!r->search.localiser || !r->stats.readings)
		return cli_error(-ENODATA, "%s: no %s", r->log,
				 r->stats.readings ? "scan was used" :
						     "readings received");
	return known_search_failed(&r->search, r->log);
}

void session_state(const struct session *r, char text[SESSION_STATE])
{
	snprintf(text, SESSION_STATE,
		 "%u particles  %.1f effective  %llu jumps", r->last.particles,
		 r->last.effective, (unsigned long long)r->stats.jumps);
}

void session_progress(const struct slamd_options *o, bool end,
		      const char *format, ...)
{
	const bool terminal = isatty(STDERR_FILENO);
	char text[256];
	va_list args;

	if (o->quiet || (!terminal && !o->verbose))
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fprintf(stderr, "%s%s%s", terminal ? "\r" : "", text,
		terminal && !end ? "\033[K" : "\n");
}

double session_rate(const struct session *r, uint64_t readings)
{
	const double seconds = (double)(loop_now() - r->start) * 1e-9;

	return seconds > 0 ? (double)readings / seconds : 0;
}

int session_history(const struct session *r, struct pose **poses,
		    uint32_t *count)
{
	int err = 0;

	if (!r->final) {
		err = filter_history(r->filter, poses, count);
	} else {
		*count = r->updates;
		*poses = malloc((*count + 1) * sizeof(**poses));
		if (!*poses)
			return -ENOMEM;
		memcpy(*poses, r->final, *count * sizeof(**poses));
	}
	if (!err && *count > r->updates)
		*count = r->updates;
	return err;
}

int session_edges(const struct session *r, const struct pose *history,
		  uint32_t count, struct graph_edge **edge, uint32_t *edges)
{
	*edge = NULL;
	*edges = 0;
	return r->loops ? loop_closer_edges(r->loops, history, count, edge,
					    edges) : 0;
}

/* The scans of the last history agree */
static void adjust(struct session *r, struct pose *history, uint32_t count,
		   bool (*interrupted)(void *arg))
{
	const int err = loop_closer_adjust(r->loops, history, count,
					   interrupted);
	const struct adjust_counts c = loop_closer_counts(r->loops).adjust;

	if (err)
		cli_warn("%s: the poses are not adjusted", err == -EINTR ?
			 "stopped by a signal" : "no memory");
	else if (c.refused)
		service_logf(LOG_WARNING,
			     "the poses are not adjusted: the scans would not "
			     "agree better");
	else if (c.poses)
		log_debug("%u poses adjusted by up to %.2f m: %.1f instead of "
			  "%.1f %% of the endpoints are on walls of other "
			  "scans", c.poses, c.moved, 100 * c.after,
			  100 * c.before);
}

/* Return: 0; -EINTR; -ENOMEM, after a warning */
static int close_last_loops(struct session *r, struct pose *history,
			    uint32_t count, bool (*interrupted)(void *arg))
{
	const uint64_t corrected = loop_closer_counts(r->loops).corrected;
	const int err = loop_closer_finish(r->loops, history, count,
					   interrupted);
	const uint32_t last = r->scan_trajectory.count;

	if (err && err != -EINTR) {
		cli_warn("no memory: the last loops are not closed");
		return err;
	}
	if (loop_closer_counts(r->loops).corrected > corrected)
		log_loops(r, (double)r->scan_trajectory.point[last - 1].stamp *
			  1e-9);
	return err;
}

int session_finish(struct session *r, bool (*interrupted)(void *arg))
{
	const bool before = interrupted(NULL);
	struct pose *history;
	uint32_t count;
	int err;

	if (!r->loops)
		return 0;
	err = session_history(r, &history, &count);
	if (err)
		return cli_error(err, "no memory");
	err = close_last_loops(r, history, count, interrupted);
	if (err && err != -EINTR) {
		free(history);
		return 0;
	}
	if (r->o->adjust && !err)
		adjust(r, history, count, interrupted);
	if (err && !before)
		cli_warn("stopped by a signal: the last loops are not searched");
	r->final = history;
	return 0;
}

int session_map(struct session *r, struct mapper *m)
{
	struct error error;
	const int err = mapper_map(m, &error);

	if (err && !r->told_map)
		service_logf(LOG_WARNING, "the map is not published: %s",
			     error.text);
	r->told_map = err;
	if (mapper_missing(m) && !r->stats.missing)
		service_logf(LOG_WARNING,
			     "the map lacks its oldest %u scans: only %u MB of "
			     "scans are kept (--map-memory)",
			     mapper_missing(m), r->o->map_memory);
	r->stats.missing = mapper_missing(m);
	return err;
}

/*
 * Results
 */

int session_trajectory(const struct session *r, struct trajectory *t)
{
	struct pose *history;
	uint32_t updates;
	int err = session_history(r, &history, &updates);

	if (err)
		return cli_error(err, "no memory");
	err = scan_trajectory_get(&r->scan_trajectory, history, updates, t);
	free(history);
	if (err)
		cli_error(err, "%s: %s", r->log, err == -ENODATA ?
			  "no scans" : "no memory");
	return err;
}

/* Of the parts that count themselves */
static void take_counts(struct session *r)
{
	if (r->loops)
		r->stats.loops = loop_closer_counts(r->loops);
}

void session_summary(struct session *r, const struct trajectory *t)
{
	char text[SUMMARY];

	if (r->o->quiet || (!isatty(STDERR_FILENO) && !r->o->verbose))
		return;
	take_counts(r);
	summary_text(r->o, &r->stats, t, text);
	fprintf(stderr, "%s: %s\n", r->log, text);
}

static int write_stats(struct session *r, const struct readings_count *log)
{
	struct particle_pool *team = filter_pool(r->filter);
	struct stats_workers workers;
	const bool remote = cluster_counters(r->cluster, team, &workers);
	struct particles_use use;
	struct error error;
	int err;

	take_counts(r);
	team->ops->use(team, &use);
	err = stats_write(&r->stats, r->o->stats, &r->o->params, r->o->threads,
			  &use, log, remote ? &workers : NULL, &error);
	return err ? cli_error(err, "%s", error.text) : 0;
}

int session_write(struct session *r, const struct trajectory *t,
		  const struct readings_count *log)
{
	struct error error;
	int err = 0, failed = 0;

	if (r->o->trajectory && t) {
		err = trajectory_write(t, r->o->trajectory, &error);
		if (err)
			cli_error(err, "%s", error.text);
	}
	/* an error does not stop the next file */
	if (r->o->stats)
		failed = write_stats(r, log);
	return err ? err : failed;
}
