/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * geopackage_parts.h - what the parts of the GeoPackage writer share
 *
 * Functions return 0 or a negative errno; what SQLite said is in the database.
 */
#ifndef MAP_IO_GEOPACKAGE_PARTS_H
#define MAP_IO_GEOPACKAGE_PARTS_H

#include <sqlite3.h>
#include "map/io/geopackage.h"

/* The negative errno of a result of SQLite; 0 if that was good */
int geopackage_errno(int code);

/* One or more statements, formatted as by sqlite3_mprintf() */
int geopackage_exec(sqlite3 *db, const char *format, ...);

/* Prepare one, formatted alike; to be finalized in any case */
int geopackage_prepare(sqlite3 *db, sqlite3_stmt **s, const char *format, ...);

/* Run one, and make it ready to be bound and run again */
int geopackage_step(sqlite3_stmt *s);

/* Tables of a layer, both */
int geopackage_write_layer(sqlite3 *db, const struct geopackage_layer *l);

/* The table of rooms, that of points */
int geopackage_write_features(sqlite3 *db, const struct geopackage *g);

#endif
