// SPDX-License-Identifier: GPL-2.0-only
/*
 * geopackage - write a whole site into one file for GIS programs
 *
 * The file is written in one transaction without a journal: if it fails, the
 * file is deleted.
 */
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include "base/atomic_file.h"
#include "base/error.h"
#include "map/io/geopackage_parts.h"

/* "GPKG" and version 1.3.0 (12-128r17, requirement 2) */
#define APPLICATION_ID	0x47504b47
#define USER_VERSION	10300

/* Annex C of 12-128r17 defines these, 17-066r1 requires 4979 */
static const char schema[] =
"CREATE TABLE gpkg_spatial_ref_sys ("
"	srs_name TEXT NOT NULL, srs_id INTEGER NOT NULL PRIMARY KEY,"
"	organization TEXT NOT NULL,"
"	organization_coordsys_id INTEGER NOT NULL,"
"	definition TEXT NOT NULL, description TEXT);"
"INSERT INTO gpkg_spatial_ref_sys VALUES"
" ('Undefined Cartesian SRS', -1, 'NONE', -1, 'undefined',"
"  'undefined Cartesian coordinate reference system'),"
" ('Undefined geographic SRS', 0, 'NONE', 0, 'undefined',"
"  'undefined geographic coordinate reference system'),"
" ('WGS 84 geodetic', 4326, 'EPSG', 4326, 'GEOGCS[\"WGS 84\","
"DATUM[\"WGS_1984\",SPHEROID[\"WGS 84\",6378137,298.257223563,"
"AUTHORITY[\"EPSG\",\"7030\"]],AUTHORITY[\"EPSG\",\"6326\"]],"
"PRIMEM[\"Greenwich\",0,AUTHORITY[\"EPSG\",\"8901\"]],"
"UNIT[\"degree\",0.0174532925199433,AUTHORITY[\"EPSG\",\"9122\"]],"
"AUTHORITY[\"EPSG\",\"4326\"]]',"
"  'longitude/latitude in decimal degrees on the WGS 84 spheroid'),"
" ('WGS 84 3D', 4979, 'EPSG', 4979, 'undefined', NULL);"
"CREATE TABLE gpkg_contents ("
"	table_name TEXT NOT NULL PRIMARY KEY, data_type TEXT NOT NULL,"
"	identifier TEXT UNIQUE, description TEXT DEFAULT '',"
"	last_change DATETIME NOT NULL"
"		DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ','now')),"
"	min_x DOUBLE, min_y DOUBLE, max_x DOUBLE, max_y DOUBLE,"
"	srs_id INTEGER, CONSTRAINT fk_gc_r_srs_id FOREIGN KEY (srs_id)"
"		REFERENCES gpkg_spatial_ref_sys(srs_id));"
"CREATE TABLE gpkg_extensions ("
"	table_name TEXT, column_name TEXT, extension_name TEXT NOT NULL,"
"	definition TEXT NOT NULL, scope TEXT NOT NULL, CONSTRAINT ge_tce"
"		UNIQUE (table_name, column_name, extension_name));"
"CREATE TABLE gpkg_geometry_columns ("
"	table_name TEXT NOT NULL, column_name TEXT NOT NULL,"
"	geometry_type_name TEXT NOT NULL, srs_id INTEGER NOT NULL,"
"	z TINYINT NOT NULL, m TINYINT NOT NULL,"
"	CONSTRAINT pk_geom_cols PRIMARY KEY (table_name, column_name),"
"	CONSTRAINT uk_gc_table_name UNIQUE (table_name),"
"	CONSTRAINT fk_gc_tn FOREIGN KEY (table_name)"
"		REFERENCES gpkg_contents(table_name),"
"	CONSTRAINT fk_gc_srs FOREIGN KEY (srs_id)"
"		REFERENCES gpkg_spatial_ref_sys (srs_id));"
"CREATE TABLE gpkg_tile_matrix_set ("
"	table_name TEXT NOT NULL PRIMARY KEY, srs_id INTEGER NOT NULL,"
"	min_x DOUBLE NOT NULL, min_y DOUBLE NOT NULL,"
"	max_x DOUBLE NOT NULL, max_y DOUBLE NOT NULL,"
"	CONSTRAINT fk_gtms_table_name FOREIGN KEY (table_name)"
"		REFERENCES gpkg_contents(table_name),"
"	CONSTRAINT fk_gtms_srs FOREIGN KEY (srs_id)"
"		REFERENCES gpkg_spatial_ref_sys (srs_id));"
"CREATE TABLE gpkg_tile_matrix ("
"	table_name TEXT NOT NULL, zoom_level INTEGER NOT NULL,"
"	matrix_width INTEGER NOT NULL, matrix_height INTEGER NOT NULL,"
"	tile_width INTEGER NOT NULL, tile_height INTEGER NOT NULL,"
"	pixel_x_size DOUBLE NOT NULL, pixel_y_size DOUBLE NOT NULL,"
"	CONSTRAINT pk_ttm PRIMARY KEY (table_name, zoom_level),"
"	CONSTRAINT fk_tmm_table_name FOREIGN KEY (table_name)"
"		REFERENCES gpkg_contents(table_name));";

static const char coverage_schema[] =
"CREATE TABLE gpkg_2d_gridded_coverage_ancillary ("
"	id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,"
"	tile_matrix_set_name TEXT NOT NULL UNIQUE,"
"	datatype TEXT NOT NULL DEFAULT 'integer',"
"	scale REAL NOT NULL DEFAULT 1.0, offset REAL NOT NULL DEFAULT 0.0,"
"	precision REAL DEFAULT 1.0, data_null REAL,"
"	grid_cell_encoding TEXT DEFAULT 'grid-value-is-center',"
"	uom TEXT, field_name TEXT DEFAULT 'Height',"
"	quantity_definition TEXT DEFAULT 'Height',"
"	CONSTRAINT fk_g2dgtct_name FOREIGN KEY(tile_matrix_set_name)"
"		REFERENCES gpkg_tile_matrix_set ( table_name )"
"	CHECK (datatype in ('integer','float')));"
"CREATE TABLE gpkg_2d_gridded_tile_ancillary ("
"	id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,"
"	tpudt_name TEXT NOT NULL, tpudt_id INTEGER NOT NULL,"
"	scale REAL NOT NULL DEFAULT 1.0, offset REAL NOT NULL DEFAULT 0.0,"
"	min REAL DEFAULT NULL, max REAL DEFAULT NULL,"
"	mean REAL DEFAULT NULL, std_dev REAL DEFAULT NULL,"
"	CONSTRAINT fk_g2dgtat_name FOREIGN KEY (tpudt_name)"
"		REFERENCES gpkg_contents(table_name),"
"	UNIQUE (tpudt_name, tpudt_id));"
"INSERT INTO gpkg_extensions VALUES"
" ('gpkg_2d_gridded_coverage_ancillary', NULL, 'gpkg_2d_gridded_coverage',"
"  'http://docs.opengeospatial.org/is/17-066r1/17-066r1.html',"
"  'read-write'),"
" ('gpkg_2d_gridded_tile_ancillary', NULL, 'gpkg_2d_gridded_coverage',"
"  'http://docs.opengeospatial.org/is/17-066r1/17-066r1.html',"
"  'read-write');";

/* Negative errno of a result of SQLite; 0 on success */
static int geopackage_errno(int code)
{
	switch (code & 0xff) {
	case SQLITE_OK:
	case SQLITE_DONE:
	case SQLITE_ROW:
		return 0;
	case SQLITE_NOMEM:
		return -ENOMEM;
	case SQLITE_FULL:
		return -ENOSPC;
	case SQLITE_TOOBIG:
		return -EFBIG;
	default:
		return -EIO;
	}
}

int geopackage_exec(sqlite3 *db, const char *format, ...)
{
	va_list ap;
	char *sql;
	int code;

	va_start(ap, format);
	sql = sqlite3_vmprintf(format, ap);
	va_end(ap);
	if (!sql)
		return -ENOMEM;
	code = sqlite3_exec(db, sql, NULL, NULL, NULL);
	sqlite3_free(sql);
	return geopackage_errno(code);
}

int geopackage_prepare(sqlite3 *db, sqlite3_stmt **s, const char *format, ...)
{
	va_list ap;
	char *sql;
	int code;

	*s = NULL;
	va_start(ap, format);
	sql = sqlite3_vmprintf(format, ap);
	va_end(ap);
	if (!sql)
		return -ENOMEM;
	code = sqlite3_prepare_v2(db, sql, -1, s, NULL);
	sqlite3_free(sql);
	return geopackage_errno(code);
}

int geopackage_step(sqlite3_stmt *s)
{
	const int code = sqlite3_step(s);

	sqlite3_reset(s);
	return geopackage_errno(code);
}

static int geopackage_fill(sqlite3 *db, const struct geopackage *g)
{
	int err = geopackage_exec(db, "PRAGMA journal_mode = OFF;"
				  "PRAGMA synchronous = OFF;"
				  "PRAGMA application_id = %d;"
				  "PRAGMA user_version = %d; BEGIN;",
				  APPLICATION_ID, USER_VERSION);

	/* its % signs are not a format */
	if (!err)
		err = geopackage_exec(db, "%s", schema);
	if (!err && g->layers)
		err = geopackage_exec(db, "%s", coverage_schema);
	for (unsigned int i = 0; i < g->layers && !err; i++)
		if (!rect_is_empty(&g->layer[i].raster->rect))
			err = geopackage_write_layer(db, &g->layer[i]);
	if (!err)
		err = geopackage_write_features(db, g);
	return err ? err : geopackage_exec(db, "COMMIT");
}

/* Two layers with one name for SQLite, which ignores case */
static const char *twice(const struct geopackage *g)
{
	for (unsigned int i = 0; i < g->layers; i++)
		for (unsigned int k = 0; k < i; k++)
			if (!strcasecmp(g->layer[i].layer->name,
					g->layer[k].layer->name))
				return g->layer[i].layer->name;
	return NULL;
}

/*
 * A log of the existing file would be taken for one of the new file. QGIS, for
 * example, leaves one while it has the file open
 */
static int check_unused(const char *path, struct error *error)
{
	static const char *const suffixes[] = { "-wal", "-journal" };
	char name[PATH_MAX];
	struct stat st;

	for (int i = 0; i < 2; i++) {
		if (snprintf(name, sizeof(name), "%s%s", path, suffixes[i]) >=
		    (int)sizeof(name))
			return atomic_file_error(error, path, -ENAMETOOLONG,
						 NULL);
		if (!stat(name, &st) && st.st_size)
			return atomic_file_error(error, path, -EBUSY,
					"open in another program: its SQLite "
					"log exists");
	}
	return 0;
}

static int write_database(const char *path, const char *temporary,
			  const struct geopackage *g, struct error *error)
{
	sqlite3 *db = NULL;
	int err = geopackage_errno(sqlite3_open_v2(temporary, &db,
						   SQLITE_OPEN_READWRITE,
						   NULL));

	if (!err)
		err = geopackage_fill(db, g);
	if (err) {
		/* SQLite does not report errors of cleanup */
		const bool said = db && sqlite3_errcode(db) != SQLITE_OK &&
				  sqlite3_errcode(db) < SQLITE_ROW;

		atomic_file_error(error, path, err, err == -EINVAL ?
				  "layer too far from the map origin" :
				  said ? sqlite3_errmsg(db) : NULL);
	}
	sqlite3_close(db);
	return err;
}

int geopackage_write(const char *path, const struct geopackage *g,
		     struct error *error)
{
	const char *name = twice(g);
	struct atomic_file n;
	int err;

	if (name)
		return error_set(error, -EEXIST, "%s: duplicate layer name",
				 name);
	err = check_unused(path, error);
	if (!err)
		err = atomic_file_open(&n, path, error);
	if (err)
		return err;
	err = write_database(path, n.temporary, g, error);
	if (!err)
		return atomic_file_finish(&n, error);
	atomic_file_abandon(&n);
	return err;
}
