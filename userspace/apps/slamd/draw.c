// SPDX-License-Identifier: GPL-2.0-only
/*
 * draw.c - draw all scans at the poses of the best particle
 */
#include <errno.h>
#include <stdlib.h>
#include "apps/slamd/draw.h"
#include "base/cli.h"
#include "base/error.h"
#include "slam/filter/scan.h"
#include "slam/output/map_out.h"
#include "slam/output/occupancy.h"

/* Add the scans with known poses; invalid scans are skipped */
static int add_scans(struct occupancy *grid, struct readings *log,
		     const struct trajectory *t)
{
	struct error error;
	struct reading r;
	int ret = 1;

	for (uint32_t i = 0; i < t->count && ret > 0; i++) {
		ret = readings_next(log, &r, &error);
		if (ret < 0)
			return cli_error(ret, "%s", error.text);
		if (!ret || !r.beams)
			continue;
		ret = occupancy_add(grid, &r, &t->point[i].pose, &error);
		if (ret == -ENOMEM || ret == -ERANGE)
			return cli_error(ret, "%s", error.text);
		ret = 1;
	}
	return 0;
}

int draw_write(const struct slamd_options *o, int err,
	       const struct raster *raster, const struct trajectory *t)
{
	struct pose *way = err ? NULL : malloc((t->count + 1) * sizeof(*way));
	struct map_out out = {
		.path = o->map, .mode = MAP_TRINARY, .raster = raster,
		.way = way, .poses = t->count,
	};
	struct error error;

	if (!err && !way)
		err = -ENOMEM;
	if (err)
		return cli_error(err, "%s: %s", o->map, err == -ENODATA ?
				 "no map: no beam hit an obstacle" :
				 err == -E2BIG ? "the map is too large" :
				 "no memory");
	for (uint32_t i = 0; i < t->count; i++)
		way[i] = t->point[i].pose;
	err = map_out_write(&out, &error);
	if (err)
		cli_error(err, "%s", error.text);
	free(way);
	return err;
}

int draw_map(const struct slamd_options *o, const struct trajectory *t)
{
	const struct occupancy_config config = {
		.resolution = o->params.resolution,
		.range_max = scan_reach(&o->params),
	};
	struct raster raster = { .cells = NULL };
	struct error error;
	struct occupancy *grid;
	struct readings *log;
	int err = occupancy_create(&grid, &config, &error);

	if (err)
		return cli_error(err, "%s", error.text);
	err = readings_open(&log, o->log, &o->readings, &error);
	if (err) {
		cli_error(err, "%s", error.text);
	} else {
		err = add_scans(grid, log, t);
		readings_close(log);
	}
	if (!err)
		err = draw_write(o, occupancy_raster(grid, &raster), &raster,
				 t);
	free(raster.cells);
	occupancy_destroy(grid);
	return err;
}
