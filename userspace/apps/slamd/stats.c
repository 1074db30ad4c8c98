// SPDX-License-Identifier: GPL-2.0-only
/*
 * stats.c - collects statistics and writes them
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cjson/cJSON.h>
#include "apps/slamd/stats.h"
#include "base/array.h"
#include "base/atomic_file.h"
#include "base/error.h"

static uint64_t ns_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void stats_begin(struct stats *s)
{
	s->wall_start = ns_of(CLOCK_MONOTONIC);
	s->own_start = ns_of(CLOCK_THREAD_CPUTIME_ID);
	s->start = ns_of(CLOCK_PROCESS_CPUTIME_ID);
}

int stats_end(struct stats *s, const struct reading *reading,
	      const struct filter_result *r)
{
	const uint64_t now = ns_of(CLOCK_PROCESS_CPUTIME_ID);

	s->readings++;
	s->jumps += r->jumped;
	s->lost_updates += r->lost;
	s->stretches += r->lost && !s->lost_now;
	if (r->updated || r->held)
		s->lost_now = r->lost;
	s->found += r->found;
	s->carried += r->carried;
	s->distrusted += r->updated &&
			 (r->outrun || r->predictor != PREDICT_ODOMETRY);
	s->beams += reading->beams;
	s->moving += r->moving;
	s->updates += r->updated;
	s->resamplings += r->resampled;
	s->evaluations += r->evaluations;
	if (r->updated)
		s->effective += r->effective;
	if (!reading->beams)
		return 0;
	if (array_grow(&s->ms, &s->room, s->count, sizeof(*s->ms)))
		return -ENOMEM;
	assert(s->count < s->room && s->updates <= s->readings);
	s->ms[s->count++] = (float)((double)(now - s->start) * 1e-6);
	s->own += ns_of(CLOCK_THREAD_CPUTIME_ID) - s->own_start;
	/* the first one includes waiting for workers */
	if (s->count > 1)
		s->wall += ns_of(CLOCK_MONOTONIC) - s->wall_start;
	return 0;
}

void stats_free(struct stats *s)
{
	free(s->ms);
	*s = (struct stats){ .count = 0 };
}

static int compare_floats(const void *a, const void *b)
{
	const float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

/* Common statistics; ms */
struct stats_times {
	double	mean, p50, p95, max;
};

static struct stats_times stats_times(const struct stats *s)
{
	struct stats_times t = { 0 };
	float *sorted;

	if (!s->count)
		return t;
	for (uint32_t i = 0; i < s->count; i++)
		t.mean += (double)s->ms[i] / s->count;
	sorted = malloc(s->count * sizeof(*sorted));
	if (!sorted)
		return t;
	memcpy(sorted, s->ms, s->count * sizeof(*sorted));
	qsort(sorted, s->count, sizeof(*sorted), compare_floats);
	t.p50 = (double)sorted[(s->count - 1) / 2];
	t.p95 = (double)sorted[(uint64_t)(s->count - 1) * 95 / 100];
	t.max = (double)sorted[s->count - 1];
	free(sorted);
	return t;
}

/* Many numbers on one line, with their significant digits */
static void add_list(cJSON *o, const char *name, const float *v, uint32_t count)
{
	enum { DIGITS = 16 };
	char *text = malloc(((size_t)count + 1) * DIGITS), *at = text;

	if (!text)
		return;
	*at++ = '[';
	for (uint32_t i = 0; i < count; i++)
		at += snprintf(at, DIGITS, "%s%.4g", i ? "," : "",
			       (double)v[i]);
	strcpy(at, "]");
	cJSON_AddRawToObject(o, name, text);
	free(text);
}

static void add_placed(cJSON *o, const struct localiser_counts *c)
{
	o = cJSON_AddObjectToObject(o, "known_map");
	cJSON_AddNumberToObject(o, "searched", (double)c->searched);
	cJSON_AddNumberToObject(o, "found", (double)c->found);
	cJSON_AddNumberToObject(o, "missed_hints", (double)c->missed);
	cJSON_AddNumberToObject(o, "unplaced_readings", (double)c->unplaced);
	cJSON_AddNumberToObject(o, "fit", c->fit);
	cJSON_AddNumberToObject(o, "fit_elsewhere", c->next);
}

static double ms_each(uint64_t ns, uint32_t count)
{
	return count ? (double)ns * 1e-6 / count : 0;
}

static void add_loops(cJSON *o, const struct loop_counts *c)
{
	o = cJSON_AddObjectToObject(o, "loops");
	cJSON_AddNumberToObject(o, "nodes", c->nodes);
	cJSON_AddNumberToObject(o, "compared", (double)c->tried);
	cJSON_AddNumberToObject(o, "searched", (double)c->searched);
	cJSON_AddNumberToObject(o, "fit", (double)c->found);
	cJSON_AddNumberToObject(o, "unconfirmed", (double)c->alone);
	cJSON_AddNumberToObject(o, "contradicted", (double)c->contradicted);
	cJSON_AddNumberToObject(o, "rejected", (double)c->rejected);
	cJSON_AddNumberToObject(o, "closures", c->closures);
	cJSON_AddNumberToObject(o, "waiting", c->waiting);
	cJSON_AddNumberToObject(o, "agreeing", c->kept);
	cJSON_AddNumberToObject(o, "residual", c->residual);
	cJSON_AddNumberToObject(o, "solved", (double)c->solved);
	cJSON_AddNumberToObject(o, "corrected", (double)c->corrected);
	cJSON_AddNumberToObject(o, "moved_m", c->moved);
	cJSON_AddNumberToObject(o, "parts_joined", c->joined);
	cJSON_AddNumberToObject(o, "cpu_ms", (double)c->cpu * 1e-6);
}

static void add_adjust(cJSON *o, const struct adjust_counts *c)
{
	o = cJSON_AddObjectToObject(o, "adjust");
	cJSON_AddNumberToObject(o, "poses", c->poses);
	cJSON_AddNumberToObject(o, "pairs", c->pairs);
	cJSON_AddNumberToObject(o, "agreeing", c->agreeing);
	cJSON_AddNumberToObject(o, "doubted", c->doubted);
	cJSON_AddNumberToObject(o, "refused", c->refused);
	cJSON_AddNumberToObject(o, "on_walls_before", c->before);
	cJSON_AddNumberToObject(o, "on_walls", c->after);
	cJSON_AddNumberToObject(o, "off_walls_m", c->off);
	cJSON_AddNumberToObject(o, "moved_m", c->moved);
	cJSON_AddNumberToObject(o, "cpu_ms", (double)c->cpu * 1e-6);
}

static cJSON *to_json(const struct stats *s, const struct slam_params *p,
		      unsigned int threads, const struct particles_use *use,
		      const struct readings_count *log)
{
	const struct stats_times t = stats_times(s);
	cJSON *o = cJSON_CreateObject(), *ms;

	cJSON_AddNumberToObject(o, "readings", (double)s->readings);
	cJSON_AddNumberToObject(o, "scans", s->count);
	cJSON_AddNumberToObject(o, "resumed", (double)s->resumed);
	cJSON_AddNumberToObject(o, "replaced", (double)s->replaced);
	cJSON_AddNumberToObject(o, "lost", (double)s->lost);
	cJSON_AddNumberToObject(o, "unused", (double)s->unused);
	cJSON_AddNumberToObject(o, "paused", (double)s->paused);
	cJSON_AddNumberToObject(o, "refused_requests", (double)s->refused);
	cJSON_AddNumberToObject(o, "ignored_poses", (double)s->ignored);
	cJSON_AddNumberToObject(o, "poses_ahead", (double)s->ahead);
	cJSON_AddNumberToObject(o, "updates", (double)s->updates);
	cJSON_AddNumberToObject(o, "resamplings", (double)s->resamplings);
	cJSON_AddNumberToObject(o, "odometry_jumps", (double)s->jumps);
	cJSON_AddNumberToObject(o, "odometry_replaced",
				(double)s->distrusted);
	cJSON_AddNumberToObject(o, "beams", (double)s->beams);
	cJSON_AddNumberToObject(o, "moving_beams", (double)s->moving);
	cJSON_AddNumberToObject(o, "lost_updates", (double)s->lost_updates);
	cJSON_AddNumberToObject(o, "lost_stretches", (double)s->stretches);
	cJSON_AddNumberToObject(o, "found_elsewhere", (double)s->found);
	cJSON_AddNumberToObject(o, "carried", (double)s->carried);
	cJSON_AddNumberToObject(o, "bad_lines", (double)log->bad);
	cJSON_AddNumberToObject(o, "time_backwards", (double)log->backwards);
	cJSON_AddNumberToObject(o, "unpaired", (double)log->unpaired);
	cJSON_AddNumberToObject(o, "unswept", (double)log->unswept);
	cJSON_AddNumberToObject(o, "without_odometry", (double)log->standing);
	cJSON_AddNumberToObject(o, "map_scans_missing", s->missing);
	if (p->loops) {
		add_loops(o, &s->loops);
		add_adjust(o, &s->loops.adjust);
	}
	if (p->fixed || s->placed.searched)
		add_placed(o, &s->placed);
	cJSON_AddNumberToObject(o, "particles", p->particles);
	cJSON_AddNumberToObject(o, "seed", (double)p->seed);
	cJSON_AddStringToObject(o, "matcher",
				p->compat == SLAM_GMAPPING ? "gmapping" :
				p->matcher == SLAM_HILL ? "hill" : "gn");
	cJSON_AddNumberToObject(o, "cutoff", p->cutoff);
	cJSON_AddNumberToObject(o, "threads", threads);
	ms = cJSON_AddObjectToObject(o, "cpu_ms_per_reading");
	cJSON_AddNumberToObject(ms, "mean", t.mean);
	cJSON_AddNumberToObject(ms, "p50", t.p50);
	cJSON_AddNumberToObject(ms, "p95", t.p95);
	cJSON_AddNumberToObject(ms, "max", t.max);
	add_list(ms, "each", s->ms, s->count);
	cJSON_AddNumberToObject(o, "wall_ms_per_reading",
				ms_each(s->wall, s->count ? s->count - 1 : 0));
	cJSON_AddNumberToObject(o, "evaluations", (double)s->evaluations);
	cJSON_AddNumberToObject(o, "evaluations_per_particle_update",
		s->updates ? (double)s->evaluations / (double)s->updates /
		p->particles : 0);
	cJSON_AddNumberToObject(o, "effective_particles_mean",
		s->updates ? s->effective / (double)s->updates : 0);
	cJSON_AddNumberToObject(o, "map_bytes", (double)use->bytes);
	cJSON_AddNumberToObject(o, "map_bytes_peak", (double)use->peak);
	cJSON_AddNumberToObject(o, "map_bytes_per_particle",
				(double)use->peak / p->particles);
	return o;
}

/* Means of all updates */
static void add_work(cJSON *o, const char *name,
		     const struct particle_pool_work *w, uint32_t updates)
{
	const double n = updates ? updates : 1;

	o = cJSON_AddObjectToObject(o, name);
	cJSON_AddNumberToObject(o, "cpu_ms", (double)w->cpu * 1e-6 / n);
	cJSON_AddNumberToObject(o, "early_ms", (double)w->early * 1e-6 / n);
	cJSON_AddNumberToObject(o, "evaluations", (double)w->evaluations / n);
	cJSON_AddNumberToObject(o, "messages", (double)w->messages / n);
	cJSON_AddNumberToObject(o, "bytes", (double)w->bytes / n);
}

/* Evaluations of the busiest worker, of the next one... */
static void add_ranked(cJSON *o, const struct particle_pool_traffic *t)
{
	float *mean = calloc(t->ranks + 1, sizeof(*mean));

	for (uint32_t i = 0; mean && i < t->ranks; i++)
		mean[i] = (float)((double)t->ranked[i] / t->updates);
	if (mean)
		add_list(o, "ranked_evaluations", mean, t->ranks);
	free(mean);
}

static void add_workers(cJSON *o, const struct stats *s,
			const struct stats_workers *w)
{
	cJSON *to = cJSON_AddObjectToObject(o, "workers");
	const struct bus_counters *c = &w->counters;
	const struct particle_pool_traffic *t = &w->traffic;
	const uint64_t aside = t->receiving + t->drawing;

	cJSON_AddNumberToObject(to, "joined", (double)w->traffic.joined);
	cJSON_AddNumberToObject(to, "left", (double)w->traffic.left);
	cJSON_AddNumberToObject(to, "moved", (double)w->traffic.moved);
	cJSON_AddNumberToObject(to, "rebuilt", (double)w->traffic.rebuilt);
	cJSON_AddNumberToObject(to, "shared_by_speed",
				(double)w->traffic.shared);
	cJSON_AddNumberToObject(to, "replaced_at_deadline",
				(double)w->traffic.replaced);
	cJSON_AddNumberToObject(to, "updates_late", (double)w->traffic.late);
	cJSON_AddNumberToObject(to, "updates_overdue",
				(double)w->traffic.overdue);
	cJSON_AddNumberToObject(to, "messages_to", (double)
				c->to_workers.messages);
	cJSON_AddNumberToObject(to, "bytes_to", (double)c->to_workers.bytes);
	cJSON_AddNumberToObject(to, "messages_from", (double)
				c->from_workers.messages);
	cJSON_AddNumberToObject(to, "bytes_from", (double)
				c->from_workers.bytes);
	cJSON_AddNumberToObject(to, "coordinator_cpu_ms_per_reading",
		ms_each(s->own > aside ? s->own - aside : 0, s->count));
	cJSON_AddNumberToObject(to, "own_map_cpu_ms_per_reading",
				ms_each(t->drawing, s->count));
	cJSON_AddNumberToObject(to, "matched_wall_ms_per_update",
				ms_each(t->matched, t->updates));
	cJSON_AddNumberToObject(to, "busiest_wall_ms_per_update",
				ms_each(t->busiest, t->updates));
	add_work(to, "all_per_update", &t->all, t->updates);
	add_work(to, "most_per_update", &t->most, t->updates);
	add_list(to, "slowest_cpu_ms", t->slowest, t->updates);
	add_ranked(to, t);
}

static int write_text(const char *text, const char *path,
		      struct error *error)
{
	struct atomic_file file;
	int err;

	if (!strcmp(path, "-")) {
		if (puts(text) >= 0 && !fflush(stdout))
			return 0;
		return error_set(error, -errno, "stdout: %s", strerror(errno));
	}
	err = atomic_file_open(&file, path, error);
	if (err)
		return err;
	atomic_file_write(&file, text, strlen(text));
	atomic_file_write(&file, "\n", 1);
	return atomic_file_finish(&file, error);
}

int stats_write(const struct stats *s, const char *path,
		const struct slam_params *params, unsigned int threads,
		const struct particles_use *use,
		const struct readings_count *log,
		const struct stats_workers *workers, struct error *error)
{
	cJSON *o = to_json(s, params, threads, use, log);
	int err = -ENOMEM;
	char *text;

	if (workers)
		add_workers(o, s, workers);
	text = cJSON_Print(o);
	cJSON_Delete(o);
	if (text)
		err = write_text(text, path, error);
	else
		error_set(error, 0, "no memory");
	free(text);
	return err;
}
