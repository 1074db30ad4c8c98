// SPDX-License-Identifier: GPL-2.0-only
/*
 * geopackage_tiles - a layer as tiles of a GeoPackage: colours and values
 *
 * All zoom levels are squares of 2^level tiles with a common upper left corner.
 * It is at a multiple of the largest cells, so that the cells of each level are
 * aligned with the map's.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "base/utf8.h"
#include "map/fusion/cells.h"
#include "map/io/geopackage_parts.h"
#include "map/io/map_png.h"
#include "map/site/reduce.h"

enum {
	TILE		= 256,		/* pixels */
	ZOOM_MAX	= 22,
	FAR		= 1 << 30,	/* cells */
};

/**
 * struct pyramid - tiles of a layer
 * @zoom:	zoom level of the map's own cells
 * @left, @top:	of the square, in cells
 * @tiles, @values, @statistics: statements that insert
 */
struct pyramid {
	sqlite3				*db;
	const struct geopackage_layer	*l;
	int				zoom;
	long				left, top;
	double				scale, offset;
	sqlite3_stmt			*tiles, *values, *statistics;
	struct bytes			png;
};

static long align_down(long v, long to)
{
	return v >= 0 ? v / to * to : -((to - 1 - v) / to * to);
}

/*
 * The smallest square that contains the map. Return: 0, -EINVAL: too far away
 */
static int gpkg_tiles_arrange(struct pyramid *p)
{
	const struct rect *r = &p->l->raster->rect;
	const long right = r->x + (long)r->width, high = r->y + (long)r->height;

	if (labs(r->x) > FAR || labs(r->y) > FAR || right > FAR || high > FAR)
		return -EINVAL;
	for (p->zoom = 0; p->zoom <= ZOOM_MAX; p->zoom++) {
		const long cell = 1L << p->zoom, side = cell * TILE;

		p->left = align_down(r->x, cell);
		p->top = -align_down(-high, cell);
		if (right - p->left <= side && p->top - r->y <= side)
			return 0;
	}
	return -EINVAL;
}

static void physical(struct pyramid *p)
{
	const struct layer *l = p->l->layer;
	const double range = l->high - l->low;
	const bool good = isfinite(range) && range != 0;

	p->scale = (good ? range : 1) / cells_full(p->l->raster->bits);
	p->offset = good ? l->low : 0;
}

/* Common to both tables of a layer */
static int gpkg_tiles_create_table(const struct pyramid *p, const char *prefix,
				   const char *type, const char *description)
{
	const struct raster *r = p->l->raster;
	const struct rect *e = &r->rect;
	const char *name = p->l->layer->name;
	const double m = r->resolution, side = ((long)TILE << p->zoom) * m;
	int err;

	err = geopackage_exec(p->db,
		"CREATE TABLE \"%w_%w\" ("
		" id INTEGER PRIMARY KEY AUTOINCREMENT,"
		" zoom_level INTEGER NOT NULL, tile_column INTEGER NOT NULL,"
		" tile_row INTEGER NOT NULL, tile_data BLOB NOT NULL,"
		" UNIQUE (zoom_level, tile_column, tile_row));"
		"INSERT INTO gpkg_contents (table_name, data_type, identifier,"
		" description, min_x, min_y, max_x, max_y, srs_id) VALUES"
		" ('%q_%q', %Q, '%q_%q', %Q, %!.17g, %!.17g, %!.17g, %!.17g,"
		" -1);"
		"INSERT INTO gpkg_tile_matrix_set VALUES"
		" ('%q_%q', -1, %!.17g, %!.17g, %!.17g, %!.17g);",
		prefix, name, prefix, name, type, prefix, name, description,
		e->x * m, e->y * m, (e->x + (double)e->width) * m,
		(e->y + (double)e->height) * m, prefix, name, p->left * m,
		p->top * m - side, p->left * m + side, p->top * m);
	for (int z = 0; z <= p->zoom && !err; z++)
		err = geopackage_exec(p->db,
			"INSERT INTO gpkg_tile_matrix VALUES"
			" ('%q_%q', %d, %d, %d, %d, %d, %!.17g, %!.17g);",
			prefix, name, z, 1 << z, 1 << z, TILE, TILE,
			ldexp(m, p->zoom - z), ldexp(m, p->zoom - z));
	return err;
}

static int create_coverage(const struct pyramid *p)
{
	const struct layer *l = p->l->layer;
	char unit[LAYER_UNIT];

	utf8_clean(l->unit, LAYER_UNIT, unit, sizeof(unit));
	return geopackage_exec(p->db,
		"INSERT INTO gpkg_extensions VALUES ('values_%q', 'tile_data',"
		" 'gpkg_2d_gridded_coverage', 'http://docs.opengeospatial.org/"
		"is/17-066r1/17-066r1.html', 'read-write');"
		"INSERT INTO gpkg_2d_gridded_coverage_ancillary"
		" (tile_matrix_set_name, datatype, scale, offset, precision,"
		" data_null, grid_cell_encoding, uom, field_name,"
		" quantity_definition) VALUES ('values_%q', 'integer', %!.17g,"
		" %!.17g, %!.17g, %d, 'grid-value-is-area', %Q, %Q, %Q);",
		l->name, l->name, p->scale, p->offset, fabs(p->scale),
		MAP_PNG_NULL, *unit ? unit : NULL, l->name, l->name);
}

static int gpkg_tiles_prepare(struct pyramid *p)
{
	const char *name = p->l->layer->name;
	int err = geopackage_prepare(p->db, &p->tiles,
		"INSERT INTO \"map_%w\" (zoom_level, tile_column, tile_row,"
		" tile_data) VALUES (?, ?, ?, ?)", name);

	/*
	 * unique over all coverages, as GDAL finds statistics by the id alone
	 */
	if (!err)
		err = geopackage_prepare(p->db, &p->values,
			"INSERT INTO \"values_%w\" (id, zoom_level,"
			" tile_column, tile_row, tile_data) VALUES ((SELECT"
			" coalesce(max(id), 0) + 1 FROM"
			" gpkg_2d_gridded_tile_ancillary), ?, ?, ?, ?)", name);
	if (!err)
		err = geopackage_prepare(p->db, &p->statistics,
			"INSERT INTO gpkg_2d_gridded_tile_ancillary"
			" (tpudt_name, tpudt_id, min, max, mean, std_dev)"
			" VALUES ('values_%q', last_insert_rowid(),"
			" ?, ?, ?, ?)", name);
	return err;
}

/* Statistics of the known cells of a tile, in values of the layer */
struct statistics {
	unsigned long	n;
	double		min, max, mean, deviation;
};

static struct statistics statistics(const struct raster *r,
				    const struct rect *window)
{
	const struct rect c = rect_common(window, &r->rect);
	struct statistics s = { .min = INFINITY, .max = -INFINITY };
	double sum = 0, squares = 0;

	for (unsigned int y = 0; y < c.height; y++) {
		const int16_t *v = r->cells + (c.x - r->rect.x) +
				   (size_t)(c.y - r->rect.y + y) *
				   r->rect.width;

		for (unsigned int x = 0; x < c.width; x++) {
			if (v[x] < 0)
				continue;
			s.n++;
			s.min = fmin(s.min, v[x]);
			s.max = fmax(s.max, v[x]);
			sum += v[x];
			squares += (double)v[x] * v[x];
		}
	}
	if (s.n) {
		s.mean = sum / s.n;
		s.deviation = sqrt(fmax(0, squares / s.n - s.mean * s.mean));
	}
	return s;
}

static int insert_tile(struct pyramid *p, sqlite3_stmt *s, const int at[3])
{
	for (int i = 0; i < 3; i++)
		sqlite3_bind_int(s, i + 1, at[i]);
	sqlite3_bind_blob(s, 4, p->png.data, p->png.len, SQLITE_STATIC);
	return geopackage_step(s);
}

/* @at: zoom level, column, row */
static int write_tile(struct pyramid *p, const struct raster *r,
		      const struct rect *window, const int at[3])
{
	const struct statistics s = statistics(r, window);
	const double a = s.min * p->scale + p->offset;
	const double b = s.max * p->scale + p->offset;
	int err;

	if (!s.n)
		return 0;
	p->png.len = 0;
	err = map_png_encode(r, window, p->l->colours, 1, &p->png);
	if (!err)
		err = insert_tile(p, p->tiles, at);
	p->png.len = 0;
	if (!err)
		err = map_png_values(r, window, &p->png);
	if (!err)
		err = insert_tile(p, p->values, at);
	if (err)
		return err;
	sqlite3_bind_double(p->statistics, 1, fmin(a, b));
	sqlite3_bind_double(p->statistics, 2, fmax(a, b));
	sqlite3_bind_double(p->statistics, 3, s.mean * p->scale + p->offset);
	sqlite3_bind_double(p->statistics, 4, s.deviation * fabs(p->scale));
	return geopackage_step(p->statistics);
}

/* Write all tiles that overlap @r */
static int write_zoom(struct pyramid *p, const struct raster *r, int zoom)
{
	const long left = p->left / (1L << (p->zoom - zoom));
	const long top = p->top / (1L << (p->zoom - zoom));
	const struct rect *e = &r->rect;
	const long columns = (e->x + (long)e->width - left + TILE - 1) / TILE;
	const long rows = (top - e->y + TILE - 1) / TILE;

	for (long row = 0; row < rows; row++)
		for (long column = 0; column < columns; column++) {
			const struct rect window = {
				left + column * TILE, top - (row + 1) * TILE,
				TILE, TILE,
			};
			const int at[3] = { zoom, column, row };
			int err = write_tile(p, r, &window, at);

			if (err)
				return err;
		}
	return 0;
}

/* From the finest level up: each is made from the one before */
static int write_zooms(struct pyramid *p)
{
	const enum reduce_how how = reduce_how(p->l->layer);
	const struct raster *from = p->l->raster;
	struct raster level[2] = { 0 };
	size_t room[2] = { 0 };
	int err = write_zoom(p, from, p->zoom);

	for (int z = p->zoom - 1; z >= 0 && !err; z--) {
		const int k = z & 1;

		err = reduce_raster(from, 2, how, &level[k], &room[k]);
		from = &level[k];
		if (!err)
			err = write_zoom(p, from, z);
	}
	free(level[0].cells);
	free(level[1].cells);
	return err;
}

int geopackage_write_layer(sqlite3 *db, const struct geopackage_layer *l)
{
	struct pyramid p = { .db = db, .l = l };
	const struct layer *m = l->layer;
	char unit[LAYER_UNIT], text[128];
	int err = gpkg_tiles_arrange(&p);

	if (err)
		return err;
	physical(&p);
	utf8_clean(m->unit, LAYER_UNIT, unit, sizeof(unit));
	sqlite3_snprintf(sizeof(text), text, "%g to %g%s%s", m->low, m->high,
			 *unit ? " " : "", unit);
	err = gpkg_tiles_create_table(&p, "map", "tiles", text);
	if (!err)
		err = gpkg_tiles_create_table(&p, "values",
					      "2d-gridded-coverage", text);
	if (!err)
		err = create_coverage(&p);
	if (!err)
		err = gpkg_tiles_prepare(&p);
	if (!err)
		err = write_zooms(&p);
	sqlite3_finalize(p.tiles);
	sqlite3_finalize(p.values);
	sqlite3_finalize(p.statistics);
	bytes_free(&p.png);
	return err;
}
