// SPDX-License-Identifier: GPL-2.0-only
/*
 * store_schema - tables of a store, and migration of older ones
 *
 * A released step is never changed: changes are new steps.
 */
#include <stdio.h>
#include "map/store/store_schema.h"

static const char tables[] =
"CREATE TABLE layer(\n"
"  id         INTEGER PRIMARY KEY,\n"
"  name       TEXT    NOT NULL UNIQUE,\n"
"  input      TEXT    NOT NULL,  -- topic; empty: as name\n"
"  role       TEXT    NOT NULL,  -- obstacle, gas, temperature, ...\n"
"  bits       INTEGER NOT NULL CHECK (bits IN (8, 16)),\n"
"  low        REAL    NOT NULL,  -- what 0 is, in unit\n"
"  high       REAL    NOT NULL,  -- what 100 (8 bits) or 10000 (16) is\n"
"  unit       TEXT    NOT NULL,\n"
"  rule       TEXT    NOT NULL,  -- how submaps are fused: max, mean, ...\n"
"  drawing    TEXT    NOT NULL,  -- rule, splat or sample\n"
"  resolution REAL    NOT NULL,  -- of the fused map, m; 0: of the submaps\n"
"  weights    TEXT    NOT NULL   -- layer that is the confidence, or empty\n"
") STRICT;\n"
/* reach and box: see store_extent.c */
"CREATE TABLE node(\n"
"  id     INTEGER PRIMARY KEY,\n"
"  frame  TEXT    NOT NULL UNIQUE,\n"
"  stamp  INTEGER NOT NULL,  -- ns since the epoch\n"
"  radius REAL,              -- m, of a circle around all of its submaps\n"
"  box_x  REAL,              -- m, middle of its box in extent\n"
"  box_y  REAL\n"
") STRICT;\n"
"CREATE TABLE pose_rev(\n"
"  rev    INTEGER PRIMARY KEY,\n"
"  stamp  INTEGER NOT NULL,  -- ns since the epoch\n"
"  source TEXT    NOT NULL\n"
") STRICT;\n"
/* separate and narrow, as a loop closure writes all of them */
"CREATE TABLE pose(\n"
"  node INTEGER PRIMARY KEY REFERENCES node,\n"
"  x    REAL NOT NULL,  -- m, in the map's frame\n"
"  y    REAL NOT NULL,\n"
"  yaw  REAL NOT NULL,  -- rad\n"
"  rev  INTEGER REFERENCES pose_rev  -- NULL: came with its keyframe\n"
") STRICT;\n"
"CREATE TABLE link(\n"
"  node        INTEGER PRIMARY KEY REFERENCES node,\n"
"  predecessor INTEGER NOT NULL REFERENCES node,\n"
"  x           REAL NOT NULL,  -- m, in the predecessor's frame\n"
"  y           REAL NOT NULL,\n"
"  yaw         REAL NOT NULL   -- rad\n"
") STRICT;\n"
/* cells last, so that other columns can be read without them */
"CREATE TABLE submap(\n"
"  id         INTEGER PRIMARY KEY,\n"
"  node       INTEGER NOT NULL REFERENCES node,\n"
"  layer      INTEGER NOT NULL REFERENCES layer,\n"
"  stamp      INTEGER NOT NULL,  -- ns since the epoch\n"
"  width      INTEGER NOT NULL,  -- cells\n"
"  height     INTEGER NOT NULL,\n"
"  bits       INTEGER NOT NULL CHECK (bits IN (8, 16)),\n"
"  resolution REAL    NOT NULL,  -- m\n"
"  x          REAL    NOT NULL,  -- m, corner of the first cell, in the\n"
"  y          REAL    NOT NULL,  -- node's frame\n"
"  yaw        REAL    NOT NULL,  -- rad\n"
"  weight     INTEGER NOT NULL CHECK (weight BETWEEN 0 AND 100),\n"
"  cells      BLOB    NOT NULL,  -- zstd of rows of int8 or int16\n"
"  UNIQUE (node, layer)\n"
") STRICT;\n"
STORE_EXTENT ";\n"
"CREATE TABLE room(\n"
"  id          INTEGER PRIMARY KEY,\n"
"  name        TEXT    NOT NULL,\n"
"  stamp       INTEGER NOT NULL,  -- ns since the epoch\n"
"  x           REAL    NOT NULL,  -- m, its middle, in the map's frame\n"
"  y           REAL    NOT NULL,\n"
"  size        REAL    NOT NULL,  -- m^2\n"
"  reported    INTEGER NOT NULL,  -- 1: what follows was reported\n"
"  temperature REAL,\n"
"  smoke       INTEGER,           -- 0..100\n"
"  signal      INTEGER,\n"
"  hazard      INTEGER\n"
") STRICT;\n"
"CREATE TABLE corner(\n"
"  room   INTEGER NOT NULL REFERENCES room,\n"
"  number INTEGER NOT NULL,  -- 0.., around the room\n"
"  x      REAL    NOT NULL,  -- m, in the map's frame\n"
"  y      REAL    NOT NULL,\n"
"  PRIMARY KEY (room, number)\n"
") STRICT, WITHOUT ROWID;\n"
"CREATE TABLE gas(\n"
"  room   INTEGER NOT NULL REFERENCES room,\n"
"  number INTEGER NOT NULL,  -- 0.., which gas\n"
"  value  REAL,\n"
"  PRIMARY KEY (room, number)\n"
") STRICT, WITHOUT ROWID;\n"
"CREATE TABLE repeater(\n"
"  id    INTEGER PRIMARY KEY,\n"
"  stamp INTEGER NOT NULL,  -- ns since the epoch\n"
"  x     REAL    NOT NULL,  -- m, in the map's frame\n"
"  y     REAL    NOT NULL\n"
") STRICT;\n"
"CREATE TABLE setting(\n"
"  name  TEXT PRIMARY KEY,\n"
"  value TEXT NOT NULL\n"
") STRICT, WITHOUT ROWID;\n"
"CREATE TABLE journal(\n"
"  id    INTEGER PRIMARY KEY,\n"
"  stamp INTEGER NOT NULL,  -- ns since the epoch\n"
"  kind  TEXT    NOT NULL,\n"
"  text  TEXT    NOT NULL,\n"
"  path  TEXT\n"
") STRICT;\n"
"CREATE INDEX journal_kind ON journal(kind);\n";

static const char views[] =
"CREATE VIEW submaps AS SELECT s.id, n.frame, l.name AS layer,\n"
"  datetime(s.stamp / 1000000000, 'unixepoch') AS time,\n"
"  s.width, s.height, s.resolution, s.bits, s.weight,\n"
"  length(s.cells) AS bytes\n"
"  FROM submap s JOIN node n ON n.id = s.node JOIN layer l ON l.id = s.layer;\n"
"CREATE VIEW nodes AS SELECT n.id, n.frame,\n"
"  datetime(n.stamp / 1000000000, 'unixepoch') AS time,\n"
"  p.x, p.y, p.yaw, p.rev, q.frame AS predecessor,\n"
"  (SELECT count(*) FROM submap s WHERE s.node = n.id) AS submaps\n"
"  FROM node n LEFT JOIN pose p ON p.node = n.id\n"
"  LEFT JOIN link k ON k.node = n.id\n"
"  LEFT JOIN node q ON q.id = k.predecessor;\n"
/* outlines as WKT, whose last corner equals the first */
"CREATE VIEW rooms AS SELECT r.id, r.name,\n"
"  datetime(r.stamp / 1000000000, 'unixepoch') AS time,\n"
"  r.x, r.y, r.size, r.temperature, r.smoke, r.signal, r.hazard,\n"
"  (SELECT 'POLYGON ((' || group_concat(at, ', ') || '))' FROM\n"
"    (SELECT x || ' ' || y AS at FROM corner WHERE room = r.id\n"
"     UNION ALL SELECT x || ' ' || y FROM corner\n"
"     WHERE room = r.id AND number = 0)) AS outline\n"
"  FROM room r;\n"
"CREATE VIEW notes AS SELECT id,\n"
"  datetime(stamp / 1000000000, 'unixepoch') AS time, kind, text, path\n"
"  FROM journal;\n";

static int store_schema_make_tables(sqlite3 *db)
{
	int code = sqlite3_exec(db, tables, NULL, NULL, NULL);

	return code ? code : sqlite3_exec(db, views, NULL, NULL, NULL);
}

const struct store_step store_steps[] = {
	{ .run = store_schema_make_tables },
};

static int store_schema_number(sqlite3 *db, const char *sql, int *value)
{
	sqlite3_stmt *q;
	int code = sqlite3_prepare_v2(db, sql, -1, &q, NULL);

	if (code != SQLITE_OK)
		return code;
	code = sqlite3_step(q);
	*value = code == SQLITE_ROW ? sqlite3_column_int(q, 0) : 0;
	code = sqlite3_finalize(q);
	return code;
}

int store_schema_kind(sqlite3 *db, int *version)
{
	int application, tables_there = 0, code;

	code = store_schema_number(db, "PRAGMA application_id", &application);
	if (!code)
		code = store_schema_number(db, "PRAGMA user_version", version);
	if (!code && application == STORE_APPLICATION && *version > 0)
		return STORE_KIND_OURS;
	if (!code)
		code = store_schema_number(db,
					   "SELECT count(*) FROM sqlite_schema",
					   &tables_there);
	if (code)
		return -code;
	return application || *version || tables_there ? STORE_KIND_FOREIGN :
							 STORE_KIND_EMPTY;
}

static int set_version(sqlite3 *db, int version)
{
	char sql[96];

	snprintf(sql, sizeof(sql), "PRAGMA application_id = %d; "
		 "PRAGMA user_version = %d", STORE_APPLICATION, version);
	return sqlite3_exec(db, sql, NULL, NULL, NULL);
}

static int run_step(sqlite3 *db, const struct store_step *step)
{
	int code = SQLITE_OK;

	if (step->sql)
		code = sqlite3_exec(db, step->sql, NULL, NULL, NULL);
	if (!code && step->run)
		code = step->run(db);
	return code;
}

int store_schema_migrate(sqlite3 *db, const struct store_step *steps,
			 int versions)
{
	int version, code;

	code = sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
	if (code)
		return code;
	code = store_schema_number(db, "PRAGMA user_version", &version);
	for (; !code && version < versions; version++)
		code = run_step(db, &steps[version]);
	if (!code)
		code = set_version(db, version);
	if (!code)
		code = sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
	if (code && !sqlite3_get_autocommit(db))
		sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
	return code;
}
