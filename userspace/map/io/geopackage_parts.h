/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * geopackage_parts.h - shared by the parts of the GeoPackage writer
 *
 * Functions return 0 or a negative errno; SQLite's message is in the database.
 */
#ifndef MAP_IO_GEOPACKAGE_PARTS_H
#define MAP_IO_GEOPACKAGE_PARTS_H

#include <sqlite3.h>
#include "map/io/geopackage.h"

/* One or more statements, formatted as by sqlite3_mprintf() */
int geopackage_exec(sqlite3 *db, const char *format, ...);

/* Prepare a statement, formatted likewise; always finalize it */
int geopackage_prepare(sqlite3 *db, sqlite3_stmt **s, const char *format, ...);

/* Run a statement and reset it */
int geopackage_step(sqlite3_stmt *s);

/* Write both tables of a layer */
int geopackage_write_layer(sqlite3 *db, const struct geopackage_layer *l);

/* Write the tables of rooms and points */
int geopackage_write_features(sqlite3 *db, const struct geopackage *g);

#endif
