/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * store_schema.h - tables of a store, and migration of older ones
 */
#ifndef MAP_STORE_STORE_SCHEMA_H
#define MAP_STORE_STORE_SCHEMA_H

#include <sqlite3.h>

/* An R-tree; see store_extent.c */
#define STORE_EXTENT \
	"CREATE VIRTUAL TABLE extent USING rtree(node, x0, x1, y0, y1)"

/* Made when it is first needed, so the version stays: see store_edge.h */
#define STORE_EDGE \
	"CREATE TABLE IF NOT EXISTS edge(\n" \
	"  id         INTEGER PRIMARY KEY,\n" \
	"  source     TEXT    NOT NULL,  -- who sent it\n" \
	"  stamp      INTEGER NOT NULL,  -- ns since the epoch\n" \
	"  from_frame TEXT    NOT NULL,  -- of a node, which may be missing\n" \
	"  to_frame   TEXT    NOT NULL,\n" \
	"  kind       TEXT    NOT NULL CHECK (kind IN ('odometry', 'loop')),\n" \
	"  waiting    INTEGER NOT NULL CHECK (waiting IN (0, 1)),\n" \
	"  x          REAL    NOT NULL,  -- m, in the frame it comes from\n" \
	"  y          REAL    NOT NULL,\n" \
	"  yaw        REAL    NOT NULL,  -- rad\n" \
	"  xx REAL NOT NULL, xy REAL NOT NULL, xt REAL NOT NULL,\n" \
	"  yy REAL NOT NULL, yt REAL NOT NULL, tt REAL NOT NULL\n" \
	") STRICT"

enum { STORE_APPLICATION = 0x4744494d };	/* "GDIM", application_id */

/**
 * struct store_step - migration from a version to the next one
 * @sql:	or NULL
 * @run:	or NULL; for what SQL cannot do. Return: a result of SQLite
 */
struct store_step {
	const char	*sql;
	int		(*run)(sqlite3 *db);
};

/* [version - 1] leads to it; STORE_VERSION of them */
extern const struct store_step store_steps[];

enum store_kind {
	STORE_KIND_OURS,
	STORE_KIND_EMPTY,		/* empty: can become a store */
	STORE_KIND_FOREIGN,
};

/**
 * store_schema_kind() - detect the type of a file
 * @version: out: version of the schema
 *
 * Return: enum store_kind, or minus a result of SQLite.
 */
int store_schema_kind(sqlite3 *db, int *version);

/**
 * store_schema_migrate() - migrate to version @versions, in one transaction
 * @steps: @versions of them
 *
 * Return: a result of SQLite; the file is unchanged if it is not SQLITE_OK.
 */
int store_schema_migrate(sqlite3 *db, const struct store_step *steps,
			 int versions);

#endif
