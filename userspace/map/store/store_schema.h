/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * store_schema.h - tables of a store, and how older ones become today's
 */
#ifndef MAP_STORE_STORE_SCHEMA_H
#define MAP_STORE_STORE_SCHEMA_H

#include <sqlite3.h>

/* An R-tree; see store_extent.c */
#define STORE_EXTENT \
	"CREATE VIRTUAL TABLE extent USING rtree(node, x0, x1, y0, y1)"

enum { STORE_APPLICATION = 0x4744494d };	/* "GDIM", application_id */

/**
 * struct store_step - from a version to the next one
 * @sql:	or NULL
 * @run:	or NULL; what SQL cannot do. Return: of SQLite
 */
struct store_step {
	const char	*sql;
	int		(*run)(sqlite3 *db);
};

/* [version - 1] makes it; STORE_VERSION of them */
extern const struct store_step store_steps[];

enum store_kind {
	STORE_KIND_OURS,
	STORE_KIND_EMPTY,		/* nothing in it: can become a store */
	STORE_KIND_FOREIGN,
};

/**
 * store_schema_kind() - what a file is
 * @version: gets that of the schema
 *
 * Return: enum store_kind, or minus a result of SQLite.
 */
int store_schema_kind(sqlite3 *db, int *version);

/**
 * store_schema_migrate() - to version @versions, in one transaction
 * @steps: @versions of them
 *
 * Return: of SQLite; the file is as it was if that is not SQLITE_OK.
 */
int store_schema_migrate(sqlite3 *db, const struct store_step *steps,
			 int versions);

#endif
