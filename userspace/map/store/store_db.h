/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * store_db.h - common to the files of the store: prepared statements,
 * transactions, errors
 */
#ifndef MAP_STORE_STORE_DB_H
#define MAP_STORE_STORE_DB_H

#include <sqlite3.h>
#include <sys/types.h>
#include "base/error.h"
#include "map/store/cells_blob.h"
#include "map/store/store.h"

/* Statements; their texts are in store_sql.c */
enum store_sql {
	SQL_BEGIN, SQL_COMMIT, SQL_ROLLBACK,
	SQL_SAVEPOINT, SQL_RELEASE, SQL_UNDO,
	SQL_LAYER_FIND, SQL_LAYER_BITS, SQL_LAYER_USED, SQL_LAYER_ADD,
	SQL_LAYER_CHANGE, SQL_LAYERS, SQL_LAYER_EMPTY, SQL_LAYER_DROP,
	SQL_NODE_FIND, SQL_NODE_ADD, SQL_NODE_REACH, SQL_NODE_REACHES,
	SQL_NODE_COUNT, SQL_NODES, SQL_NODE_GET,
	SQL_POSE_GET, SQL_POSE_PUT, SQL_POSE_DROP, SQL_POSE_REV,
	SQL_REVS_INDEX, SQL_REVS_DROP, SQL_REVS_UNINDEX,
	SQL_LINK_PUT, SQL_LINK_DROP, SQL_LINK_CIRCLES,
	SQL_EDGE_TABLE, SQL_EDGE_MAKE, SQL_EDGE_FORGET, SQL_EDGE_ADD,
	SQL_EDGES,
	SQL_SUBMAP_FIND, SQL_SUBMAP_ADD, SQL_SUBMAP_CHANGE, SQL_SUBMAPS,
	SQL_SUBMAPS_OF, SQL_SUBMAP_FIRST, SQL_CELLS,
	SQL_EXTENT_PUT, SQL_EXTENT_PUT_ALL, SQL_EXTENT_DROP, SQL_EXTENT_MAKE,
	SQL_EXTENT_NEAR, SQL_EXTENT_WRONG, SQL_EXTENT_CHECK,
	SQL_ROOM_PUT, SQL_ROOM_FORGET_CORNERS, SQL_ROOM_FORGET_GASES,
	SQL_ROOM_CORNER_ADD, SQL_ROOM_GAS_ADD, SQL_ROOMS, SQL_ROOM_CORNERS,
	SQL_ROOM_GASES, SQL_ROOM_DROP,
	SQL_REPEATER_FORGET, SQL_REPEATER_ADD, SQL_REPEATERS,
	SQL_SETTING_PUT, SQL_SETTING_FORGET, SQL_SETTING_GET,
	SQL_NOTE_ADD, SQL_NOTES,
	SQL_INTEGRITY, SQL_REFERENCES,
	SQLS,
};

/**
 * struct store
 * @lock:	descriptor of the lock file, if this process writes, or -1
 * @begun:	by store_begin()
 * @lost:	negative errno that ended the transaction
 * @device, @inode: of the file, if @filed: it has one
 * @doing:	for errors: "storing a room"
 */
struct store {
	sqlite3			*db;
	sqlite3_stmt		*sql[SQLS];
	struct cells_blob	*blob;
	int			lock;
	bool			writable, begun, filed;
	int			lost;
	dev_t			device;
	ino_t			inode;
	const char		*doing;
	const char		*path;
	struct error		error;
	void			(*io_error)(void *arg, const char *line);
	void			*io_arg;
};

/* store_sql.c */

/* Negative errno of a result of SQLite; 0 for OK, ROW and DONE */
int store_sql_errno(sqlite3 *db, int code);

/* Set one line in @s->error from SQLite's message. Return: @err */
int store_sql_error(struct store *s);

/* Set one line in @s->error. Return: @err */
int store_error_set(struct store *s, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Remove what cannot be in a line; for SQLite's texts, paths and frames */
void store_error_clean(char *line);

/**
 * store_sql_get() - get a statement, ready to be bound
 *
 * To be given back. Return: NULL: an error, see store_error().
 */
sqlite3_stmt *store_sql_get(struct store *s, enum store_sql id, int *err);
void store_sql_put(struct store *s, enum store_sql id, sqlite3_stmt *q);

/**
 * store_sql_bind() - bind values to question marks
 * @kinds: a letter for each: i (int64_t), d (double; NAN is NULL), t (text that
 *	must stay valid until the statement was run; NULL is NULL), b (const
 *	void * and size_t; likewise)
 */
void store_sql_bind(sqlite3_stmt *q, const char *kinds, ...);

/* Return: 1: a row, 0: no more, or a negative errno; then see store_error() */
int store_sql_step(struct store *s, sqlite3_stmt *q);

/* Run a statement with values that returns no rows */
int store_sql_run(struct store *s, enum store_sql id, const char *kinds, ...);

/* Read columns. Return: 0, -EBADMSG: another type, or does not fit */
int store_sql_text(sqlite3_stmt *q, int column, char *to, size_t size);
int store_sql_real(sqlite3_stmt *q, int column, double *to);
/* NULL is NAN */
int store_sql_real_or_none(sqlite3_stmt *q, int column, double *to);
int store_sql_whole(sqlite3_stmt *q, int column, int64_t min, int64_t max,
		    int64_t *to);
int store_sql_pose(sqlite3_stmt *q, int column, struct pose *to);

void store_sql_close(struct store *s);

/* store_change.c */

/**
 * store_change() - begin a change that is stored completely or not at all
 * @doing: for errors
 *
 * Return: 0 or a negative errno; if 0, store_changed() must follow.
 */
int store_change(struct store *s, const char *doing);

/* @err: of the change. Return: it; if it is 0, the result of storing */
int store_changed(struct store *s, int err);

/* store_keyframe.c */

/* Cells of a submap, valid until the next call. Return: as store_cells() */
int store_cells_read(struct store *s, int64_t submap, struct store_submap *m,
		     const void **cells);

/* store_node.c */

int store_node_make(struct store *s, const char *frame, int64_t stamp,
		    int64_t *id, bool *made);
int store_pose_put(struct store *s, int64_t node, const struct pose *pose,
		   int64_t rev);

/* store_site.c */

/* Size of the name of a room's gas setting. Return: @name */
enum { STORE_GAS_SETTING = 32 };
const char *store_gas_setting(unsigned int room, char name[STORE_GAS_SETTING]);

/* store_extent.c */

/**
 * store_extent_update() - update the box of a node, if it is no longer valid
 * @pose: NULL: the stored one, if any
 * @radius: m, around the node, contains all of its new cells; 0: none new
 *
 * Return: 0, -ENOENT: no such node (no line), others with one.
 */
int store_extent_update(struct store *s, int64_t node, const struct pose *pose,
			double radius);

/* Nodes whose boxes must still be put into the tree */
struct store_boxes {
	int64_t		*node;
	uint32_t	count, room;
};

/* As store_extent_update(), for many: store_extent_put() must follow */
int store_extent_move(struct store *s, int64_t node, const struct pose *pose,
		      struct store_boxes *boxes);

/* If most boxes move, the tree is rebuilt. Frees the content of @boxes */
int store_extent_put(struct store *s, struct store_boxes *boxes);

/* Distance that a submap reaches from its node's frame, m */
double store_extent_radius(const struct store_submap *m);

/* As store_verify(). Return: number of errors, or a negative errno */
int store_extent_verify(struct store *s,
			void (*found)(void *arg, const char *line), void *arg);

#endif
