// SPDX-License-Identifier: GPL-2.0-only
/*
 * known_search.c - --localise, --pose, /initialpose and --continue
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include "apps/slamd/known_search.h"
#include "base/cli.h"
#include "base/log.h"
#include "base/service.h"
#include "slam/output/occupancy.h"

/* Cells from the origin that are drawn exactly: walls are floats */
#define WALLS_CELLS	32768

/* How far --pose may be off */
#define POSE_REACH	2.0
#define POSE_TURN	0.6

/* In @k->map. @name: of the map, for errors */
static int begin(struct known_search *k, const char *name)
{
	const struct place_hint hint = { k->o->pose, POSE_REACH, POSE_TURN };
	const double most = WALLS_CELLS * k->o->params.resolution;
	const struct map_file *m = &k->map.cells;
	int err = localiser_create(&k->localiser, &k->o->params,
				   &k->map.walls, m);

	if (!err && (fabs(m->origin.x) > most || fabs(m->origin.y) > most))
		return cli_error(-ERANGE,
				 "%s: its origin is more than %.0f m from 0, 0",
				 name, most);
	if (err == -E2BIG)
		return cli_error(err, "%s: the map is wider than %.0f m",
				 name, FIT_SIDE_MAX * FIT_CELL);
	if (err)
		return cli_error(err, "%s: %s", name, strerror(-err));
	localiser_interrupt(k->localiser, k->interrupted);
	if (k->o->posed)
		localiser_hint(k->localiser, &hint);
	k->placed = false;
	return 0;
}

int known_search_open(struct known_search *k, const struct slamd_options *o,
		      bool (*interrupted)(void *arg))
{
	struct error error;
	int err;

	k->o = o;
	k->interrupted = interrupted;
	k->placed = true;
	if (!o->localise)
		return 0;
	err = k->map.cells.cells ? 0 :
	      known_map_read(&k->map, o->localise, &error);
	return err ? cli_error(err, "%s", error.text) : begin(k, o->localise);
}

void known_search_close(struct known_search *k)
{
	known_search_end(k);
	scans_free(&k->scans);
}

int known_search_keep(struct known_search *k, uint64_t update,
		      const struct reading *reading)
{
	return k->o->elsewhere ? scans_add(&k->scans, update, reading) : 0;
}

/* The map of the kept scans. Return: 0 or a negative errno */
static int draw(struct known_search *k, const struct pose *history,
		uint32_t count)
{
	const struct occupancy_config config = {
		.resolution = k->o->params.resolution,
		.range_max = scan_reach(&k->o->params),
	};
	struct raster raster = { .cells = NULL };
	struct occupancy *o = NULL;
	struct error error;
	int err = occupancy_create(&o, &config, &error);

	for (uint32_t i = 0; i < count && err != -ENOMEM; i++) {
		const struct reading reading =
			scans_reading(scans_at(&k->scans, i));

		/* invalid scans are skipped, as in submaps */
		err = occupancy_add(o, &reading, history + i, &error);
	}
	if (err != -ENOMEM)
		err = occupancy_raster(o, &raster);
	if (!err)
		err = known_map_raster(&k->map, &raster);
	free(raster.cells);
	occupancy_destroy(o);
	return err;
}

int known_search_begin(struct known_search *k, const struct pose *history,
		       uint32_t count)
{
	const int err = draw(k, history, count);

	scans_free(&k->scans);
	return err ? cli_error(err, "%s: %s", slamd_checkpoint(k->o),
			       strerror(-err)) :
		     begin(k, slamd_checkpoint(k->o));
}

/* Logged once each: where the robot is, or why it is not known yet */
static void log_place(struct known_search *k, const struct reading *reading,
		      const struct filter_result *result, bool first)
{
	const struct localiser_counts c = localiser_counts(k->localiser);
	const double at = (double)reading->stamp * 1e-9;

	if (first || result->found)
		service_logf(LOG_INFO,
			     "%.3f: robot found in the map at %.2f,%.2f,%.2f: "
			     "fit %.2f, elsewhere at most %.2f",
			     at, result->pose.x, result->pose.y,
			     result->pose.yaw, c.fit, c.next);
	if (c.searched > k->searched)
		log_debug("%.3f: %u scans together fit the map best at %.2f,%.2f,%.2f: "
			  "%.2f, elsewhere at most %.2f, %.0f %% of the beams "
			  "contradict it", at, c.scans, c.best.x, c.best.y,
			  c.best.yaw, c.fit, c.next, 100 * c.against);
	k->searched = c.searched;
	if (k->placed || k->told_alike || c.scans < PLACE_SCANS)
		return;
	k->told_alike = true;
	if (c.fit > 0)
		service_logf(LOG_WARNING, "%.3f: the robot was not found yet: "
			     "several places of the map look alike. Drive on, "
			     "or give its pose", at);
	else
		service_logf(LOG_WARNING, "%.3f: the robot was not found yet: "
			     "the scans fit no place of the map", at);
}

int known_search_read(struct known_search *k, struct filter *f,
		      const struct reading *reading,
		      struct filter_result *result)
{
	const bool before = k->placed;
	int ret;

	*result = (struct filter_result){ .particles = 0 };
	ret = localiser_read(k->localiser, f, reading, result);
	if (ret < 0)
		return ret;
	k->placed = ret;
	log_place(k, reading, result, ret && !before);
	return 0;
}

void known_search_end(struct known_search *k)
{
	localiser_destroy(k->localiser);
	k->localiser = NULL;
	known_map_free(&k->map);
}

void known_search_hint(struct known_search *k, const struct place_hint *hint)
{
	service_logf(LOG_INFO, "the robot is said to be at %.2f,%.2f,%.2f",
		     hint->pose.x, hint->pose.y, hint->pose.yaw);
	localiser_hint(k->localiser, hint);
}

void known_search_show(struct known_search *k, struct mapper *m, int64_t stamp)
{
	if (k->o->localise && !k->shown)
		mapper_known(m, &k->map, stamp);
	k->shown = true;
}

int known_search_failed(const struct known_search *k, const char *log)
{
	const struct localiser_counts c = localiser_counts(k->localiser);

	return cli_error(-ENODATA, "%s: the robot was not found in %s: %s",
			 log, k->o->localise ? k->o->localise :
			 slamd_checkpoint(k->o), !c.searched ? "no scans" :
			 c.fit > 0 ? "several places look alike" :
			 "the scans fit no place of it");
}
