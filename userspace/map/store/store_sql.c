// SPDX-License-Identifier: GPL-2.0-only
/*
 * store_sql - SQL statements of the store, and error messages
 *
 * They are prepared when first needed and kept. If one is in use, because the
 * receiver of its rows needs it too, it is prepared once more.
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "map/store/store_db.h"
#include "map/store/store_schema.h"

#define SUBMAP_COLUMNS "id, node, layer, stamp, width, height, bits, " \
		       "resolution, x, y, yaw, weight"

/* ?1: the margin of a box, m; see store_extent.c */
#define BOXES "SELECT id, box_x - radius - ?1, box_x + radius + ?1, " \
	      "box_y - radius - ?1, box_y + radius + ?1 FROM node " \
	      "WHERE box_x IS NOT NULL"

#define NODES "SELECT n.id, n.frame, n.stamp, p.x, p.y, p.yaw, " \
	      "k.predecessor, k.x, k.y, k.yaw FROM node n " \
	      "LEFT JOIN pose p ON p.node = n.id " \
	      "LEFT JOIN link k ON k.node = n.id "

static const char *const texts[SQLS] = {
	/* so that no transaction has to wait at its end */
	[SQL_BEGIN] = "BEGIN IMMEDIATE",
	[SQL_COMMIT] = "COMMIT",
	[SQL_ROLLBACK] = "ROLLBACK",
	[SQL_SAVEPOINT] = "SAVEPOINT change",
	[SQL_RELEASE] = "RELEASE change",
	[SQL_UNDO] = "ROLLBACK TO change",

	[SQL_LAYER_FIND] = "SELECT id, bits FROM layer WHERE name = ?",
	[SQL_LAYER_BITS] = "SELECT bits FROM layer WHERE id = ?",
	[SQL_LAYER_USED] = "SELECT 1 FROM submap WHERE layer = ? LIMIT 1",
	[SQL_LAYER_ADD] = "INSERT INTO layer(name, input, role, bits, low, "
		"high, unit, rule, drawing, resolution, weights) "
		"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[SQL_LAYER_CHANGE] = "UPDATE layer SET name = ?, input = ?, role = ?, "
		"bits = ?, low = ?, high = ?, unit = ?, rule = ?, "
		"drawing = ?, resolution = ?, weights = ? WHERE id = ?",
	[SQL_LAYERS] = "SELECT id, name, input, role, bits, low, high, unit, "
		"rule, drawing, resolution, weights FROM layer ORDER BY id",

	[SQL_NODE_FIND] = "SELECT id FROM node WHERE frame = ?",
	[SQL_NODE_ADD] = "INSERT INTO node(frame, stamp) VALUES (?, ?)",
	[SQL_NODE_REACH] = "SELECT radius, box_x, box_y FROM node "
		"WHERE id = ?",
	[SQL_NODE_REACHES] = "UPDATE node SET radius = ?, box_x = ?, "
		"box_y = ? WHERE id = ?",
	[SQL_NODE_COUNT] = "SELECT count(*) FROM node",
	[SQL_NODES] = NODES "ORDER BY n.id",
	[SQL_NODE_GET] = NODES "WHERE n.id = ?",

	[SQL_POSE_GET] = "SELECT x, y, yaw FROM pose WHERE node = ?",
	[SQL_POSE_PUT] = "INSERT INTO pose(node, x, y, yaw, rev) "
		"VALUES (?1, ?2, ?3, ?4, nullif(?5, 0)) ON CONFLICT DO UPDATE "
		"SET x = ?2, y = ?3, yaw = ?4, rev = nullif(?5, 0)",
	[SQL_POSE_DROP] = "DELETE FROM pose WHERE node = ?",
	[SQL_POSE_REV] = "INSERT INTO pose_rev(stamp, source) VALUES (?, ?)",
	/* else each deleted row is searched in all poses, more than once */
	[SQL_REVS_INDEX] = "CREATE INDEX pose_by_rev ON pose(rev)",
	[SQL_REVS_DROP] = "DELETE FROM pose_rev WHERE rev IN "
		"(SELECT r.rev FROM pose_rev r WHERE r.rev <= ?1 AND NOT EXISTS "
		"(SELECT 1 FROM pose p WHERE p.rev = r.rev) "
		"ORDER BY r.rev LIMIT ?2)",
	[SQL_REVS_UNINDEX] = "DROP INDEX pose_by_rev",
	[SQL_LINK_PUT] = "INSERT INTO link(node, predecessor, x, y, yaw) "
		"VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE "
		"SET predecessor = ?2, x = ?3, y = ?4, yaw = ?5",
	[SQL_LINK_DROP] = "DELETE FROM link WHERE node = ?",

	[SQL_EDGE_TABLE] = "SELECT 1 FROM sqlite_schema WHERE name = 'edge'",
	[SQL_EDGE_MAKE] = STORE_EDGE,
	[SQL_EDGE_FORGET] = "DELETE FROM edge WHERE source = ?",
	[SQL_EDGE_ADD] = "INSERT INTO edge(source, stamp, from_frame, "
		"to_frame, kind, waiting, x, y, yaw, xx, xy, xt, yy, yt, tt) "
		"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[SQL_EDGES] = "SELECT id, from_frame, to_frame, kind, waiting, "
		"x, y, yaw, xx, xy, xt, yy, yt, tt FROM edge ORDER BY id",

	[SQL_SUBMAP_FIND] = "SELECT id FROM submap "
		"WHERE node = ? AND layer = ?",
	[SQL_SUBMAP_ADD] = "INSERT INTO submap(node, layer, stamp, width, "
		"height, bits, resolution, x, y, yaw, weight, cells) "
		"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[SQL_SUBMAP_CHANGE] = "UPDATE submap SET node = ?, layer = ?, "
		"stamp = ?, width = ?, height = ?, bits = ?, resolution = ?, "
		"x = ?, y = ?, yaw = ?, weight = ?, cells = ? WHERE id = ?",
	[SQL_SUBMAPS] = "SELECT " SUBMAP_COLUMNS " FROM submap ORDER BY id",
	[SQL_SUBMAPS_OF] = "SELECT " SUBMAP_COLUMNS " FROM submap "
		"WHERE node = ?",
	/* + : not by the index of nodes, in which layers are mixed */
	[SQL_SUBMAP_FIRST] = "SELECT " SUBMAP_COLUMNS " FROM submap "
		"WHERE +layer = ? ORDER BY id LIMIT 1",
	[SQL_CELLS] = "SELECT " SUBMAP_COLUMNS ", cells FROM submap "
		"WHERE id = ?",

	[SQL_EXTENT_PUT] = "INSERT OR REPLACE INTO extent(node, x0, x1, y0, "
		"y1) " BOXES " AND id = ?2",
	[SQL_EXTENT_PUT_ALL] = "INSERT INTO extent(node, x0, x1, y0, y1) "
		BOXES,
	[SQL_EXTENT_DROP] = "DROP TABLE extent",
	[SQL_EXTENT_MAKE] = STORE_EXTENT,
	[SQL_EXTENT_NEAR] = "SELECT node FROM extent WHERE x1 >= ? AND "
		"x0 <= ? AND y1 >= ? AND y0 <= ?",
	[SQL_EXTENT_WRONG] = "SELECT n.id FROM node n "
		"JOIN pose p ON p.node = n.id "
		"LEFT JOIN extent e ON e.node = n.id "
		"WHERE n.radius IS NOT NULL AND (e.node IS NULL OR "
		"e.x0 > p.x - n.radius OR e.x1 < p.x + n.radius OR "
		"e.y0 > p.y - n.radius OR e.y1 < p.y + n.radius) UNION ALL "
		"SELECT node FROM extent e "
		"WHERE NOT EXISTS (SELECT 1 FROM node n WHERE n.id = e.node)",
	[SQL_EXTENT_CHECK] = "SELECT rtreecheck('main', 'extent')",

	[SQL_LAYER_EMPTY] = "DELETE FROM submap WHERE layer = ?",
	[SQL_LAYER_DROP] = "DELETE FROM layer WHERE id = ?",
	[SQL_ROOM_DROP] = "DELETE FROM room WHERE id = ?",
	[SQL_ROOM_FORGET_CORNERS] = "DELETE FROM corner WHERE room = ?",
	[SQL_ROOM_FORGET_GASES] = "DELETE FROM gas WHERE room = ?",
	[SQL_ROOM_CORNER_ADD] = "INSERT INTO corner(room, number, x, y) "
		"VALUES (?, ?, ?, ?)",
	[SQL_ROOM_GAS_ADD] = "INSERT INTO gas(room, number, value) "
		"VALUES (?, ?, ?)",
	[SQL_ROOM_CORNERS] = "SELECT x, y FROM corner WHERE room = ? "
		"ORDER BY number",
	[SQL_ROOM_GASES] = "SELECT value FROM gas WHERE room = ? "
		"ORDER BY number",

	[SQL_REPEATER_FORGET] = "DELETE FROM repeater",
	[SQL_REPEATER_ADD] = "INSERT INTO repeater(stamp, x, y) "
		"VALUES (?, ?, ?)",
	[SQL_REPEATERS] = "SELECT x, y FROM repeater ORDER BY id",

	[SQL_SETTING_PUT] = "INSERT INTO setting(name, value) VALUES (?1, ?2) "
		"ON CONFLICT DO UPDATE SET value = ?2",
	[SQL_SETTING_FORGET] = "DELETE FROM setting WHERE name = ?",
	[SQL_SETTING_GET] = "SELECT value FROM setting WHERE name = ?",

	[SQL_NOTE_ADD] = "INSERT INTO journal(stamp, kind, text, path) "
		"VALUES (?, ?, ?, ?)",
	[SQL_NOTES] = "SELECT stamp, text, path FROM journal "
		"WHERE kind = ? ORDER BY id",

	[SQL_INTEGRITY] = "PRAGMA integrity_check",
	[SQL_LINK_CIRCLES] = "WITH RECURSIVE ends(node) AS (SELECT id FROM node "
		"WHERE id NOT IN (SELECT node FROM link) UNION "
		"SELECT k.node FROM ends CROSS JOIN link k "
		"ON k.predecessor = ends.node) SELECT count(*), min(node) "
		"FROM link WHERE node NOT IN (SELECT node FROM ends)",
	[SQL_REFERENCES] = "PRAGMA foreign_key_check",
};

/* @format for each modality with one value per room; %s: its name */
static void add_modalities(sqlite3_str *text, const char *format)
{
	for (int i = 0; i < MODALITIES; i++)
		if (modality_is_single(i))
			sqlite3_str_appendf(text, format, modality_get(i)->name,
					    modality_get(i)->name);
}

/* SQL_ROOM_PUT or SQL_ROOMS. Return: to be freed; NULL: out of memory */
static char *room_text(enum store_sql id)
{
	sqlite3_str *text = sqlite3_str_new(NULL);

	assert(id == SQL_ROOMS || id == SQL_ROOM_PUT);
	if (id == SQL_ROOMS) {
		sqlite3_str_appendall(text, "SELECT id, name, stamp, x, y, "
				      "size, reported");
		add_modalities(text, ", %s");
		sqlite3_str_appendall(text, " FROM room ORDER BY id");
		return sqlite3_str_finish(text);
	}
	sqlite3_str_appendall(text, "INSERT INTO room(id, name, stamp, x, y, "
			      "size, reported");
	add_modalities(text, ", %s");
	sqlite3_str_appendall(text, ") VALUES (?, ?, ?, ?, ?, ?, ?");
	add_modalities(text, ", ?");
	sqlite3_str_appendall(text, ") ON CONFLICT DO UPDATE SET "
			      "name = excluded.name, stamp = excluded.stamp, "
			      "x = excluded.x, y = excluded.y, "
			      "size = excluded.size, "
			      "reported = excluded.reported");
	add_modalities(text, ", %s = excluded.%s");
	return sqlite3_str_finish(text);
}

/* The system's errno for a file, if it is more specific than SQLite's */
static int system_errno(sqlite3 *db)
{
	switch (sqlite3_system_errno(db)) {
	case ENOSPC:
	case EDQUOT:
		return -ENOSPC;
	case EROFS:
		return -EROFS;
	case EACCES:
	case EPERM:
		return -EACCES;
	case ENOENT:
		return -ENOENT;
	default:
		return -EIO;
	}
}

int store_sql_errno(sqlite3 *db, int code)
{
	switch (code & 0xff) {
	case SQLITE_OK:
	case SQLITE_ROW:
	case SQLITE_DONE:
		return 0;
	case SQLITE_FULL:
		return -ENOSPC;
	case SQLITE_IOERR:
	case SQLITE_CANTOPEN:
		return system_errno(db);
	case SQLITE_NOMEM:
		return -ENOMEM;
	case SQLITE_READONLY:
		return -EROFS;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return -EBUSY;
	case SQLITE_PERM:
	case SQLITE_AUTH:
		return -EACCES;
	case SQLITE_CONSTRAINT:
		return -EINVAL;
	case SQLITE_NOTADB:
		return -EPROTONOSUPPORT;
	/* the statements are right, so the tables must differ */
	case SQLITE_ERROR:
	case SQLITE_SCHEMA:
	case SQLITE_CORRUPT:
	case SQLITE_MISMATCH:
	case SQLITE_TOOBIG:
	case SQLITE_FORMAT:
		return -EBADMSG;
	default:
		return -EIO;
	}
}

void store_error_clean(char *line)
{
	for (; *line; line++)
		if ((unsigned char)*line < ' ' || *line == 0x7f)
			*line = '?';
}

int store_error_set(struct store *s, int err, const char *format, ...)
{
	const size_t size = sizeof(s->error.text);
	va_list ap;
	int n;

	n = snprintf(s->error.text, size, "%.120s: ", s->path);
	assert(err <= 0 && n > 0 && (size_t)n < size);
	va_start(ap, format);
	vsnprintf(s->error.text + n, size - n, format, ap);
	va_end(ap);
	store_error_clean(s->error.text);
	return err;
}

int store_sql_error(struct store *s)
{
	const int code = sqlite3_extended_errcode(s->db);
	const int system = (code & 0xff) == SQLITE_IOERR ||
			   (code & 0xff) == SQLITE_CANTOPEN ?
			   sqlite3_system_errno(s->db) : 0;
	int err = store_sql_errno(s->db, code);

	if (!err)
		err = -EIO;
	store_error_set(s, err, "%s: %s%s%s", s->doing,
			sqlite3_errmsg(s->db), system ? ": " : "",
			system ? strerror(system) : "");
	if (err == -EIO && s->io_error)
		s->io_error(s->io_arg, s->error.text);
	return err;
}

void store_set_io_error(struct store *s,
			void (*found)(void *arg, const char *line), void *arg)
{
	s->io_error = found;
	s->io_arg = arg;
}

static int prepare(struct store *s, enum store_sql id, unsigned int flags,
		   sqlite3_stmt **q)
{
	char *made = texts[id] ? NULL : room_text(id);
	const char *text = texts[id] ? texts[id] : made;
	int code;

	if (!text)
		return store_error_set(s, -ENOMEM, "%s: out of memory",
				       s->doing);
	code = sqlite3_prepare_v3(s->db, text, -1, flags, q, NULL);
	sqlite3_free(made);
	return code ? store_sql_error(s) : 0;
}

sqlite3_stmt *store_sql_get(struct store *s, enum store_sql id, int *err)
{
	sqlite3_stmt *q = s->sql[id];

	assert(id < SQLS && !*err);
	if (q && !sqlite3_stmt_busy(q))
		return q;
	*err = prepare(s, id, q ? 0 : SQLITE_PREPARE_PERSISTENT, &q);
	if (*err)
		return NULL;
	if (!s->sql[id])
		s->sql[id] = q;
	return q;
}

void store_sql_put(struct store *s, enum store_sql id, sqlite3_stmt *q)
{
	if (q != s->sql[id]) {
		sqlite3_finalize(q);
		return;
	}
	sqlite3_reset(q);
	sqlite3_clear_bindings(q);
}

static void bind_all(sqlite3_stmt *q, const char *kinds, va_list ap)
{
	const void *data;

	assert(strlen(kinds) <= (size_t)sqlite3_bind_parameter_count(q));
	for (int i = 1; *kinds; kinds++, i++)
		switch (*kinds) {
		case 'i':
			sqlite3_bind_int64(q, i, va_arg(ap, int64_t));
			break;
		case 'd':
			sqlite3_bind_double(q, i, va_arg(ap, double));
			break;
		case 't':
			sqlite3_bind_text(q, i, va_arg(ap, const char *), -1,
					  SQLITE_STATIC);
			break;
		case 'b':
			data = va_arg(ap, const void *);
			sqlite3_bind_blob64(q, i, data, va_arg(ap, size_t),
					    SQLITE_STATIC);
			break;
		}
}

void store_sql_bind(sqlite3_stmt *q, const char *kinds, ...)
{
	va_list ap;

	va_start(ap, kinds);
	bind_all(q, kinds, ap);
	va_end(ap);
}

int store_sql_step(struct store *s, sqlite3_stmt *q)
{
	switch (sqlite3_step(q)) {
	case SQLITE_ROW:
		return 1;
	case SQLITE_DONE:
		return 0;
	default:
		return store_sql_error(s);
	}
}

int store_sql_run(struct store *s, enum store_sql id, const char *kinds, ...)
{
	sqlite3_stmt *q;
	va_list ap;
	int err = 0;

	q = store_sql_get(s, id, &err);
	if (!q)
		return err;
	va_start(ap, kinds);
	bind_all(q, kinds, ap);
	va_end(ap);
	err = store_sql_step(s, q);
	store_sql_put(s, id, q);
	return err < 0 ? err : 0;
}

int store_sql_text(sqlite3_stmt *q, int column, char *to, size_t size)
{
	const char *text = (const char *)sqlite3_column_text(q, column);
	const size_t n = sqlite3_column_bytes(q, column);

	assert(column < sqlite3_column_count(q));
	if (!text || n >= size || memchr(text, 0, n))
		return -EBADMSG;
	memcpy(to, text, n);
	to[n] = '\0';
	return 0;
}

int store_sql_real(sqlite3_stmt *q, int column, double *to)
{
	*to = sqlite3_column_double(q, column);
	return sqlite3_column_type(q, column) == SQLITE_FLOAT &&
	       isfinite(*to) ? 0 : -EBADMSG;
}

int store_sql_real_or_none(sqlite3_stmt *q, int column, double *to)
{
	if (sqlite3_column_type(q, column) != SQLITE_NULL)
		return store_sql_real(q, column, to);
	*to = NAN;
	return 0;
}

int store_sql_whole(sqlite3_stmt *q, int column, int64_t min, int64_t max,
		    int64_t *to)
{
	*to = sqlite3_column_int64(q, column);
	return sqlite3_column_type(q, column) == SQLITE_INTEGER &&
	       *to >= min && *to <= max ? 0 : -EBADMSG;
}

int store_sql_pose(sqlite3_stmt *q, int column, struct pose *to)
{
	if (store_sql_real(q, column, &to->x) ||
	    store_sql_real(q, column + 1, &to->y) ||
	    store_sql_real(q, column + 2, &to->yaw) || !pose_valid(to))
		return -EBADMSG;
	return 0;
}

void store_sql_close(struct store *s)
{
	for (unsigned int i = 0; i < SQLS; i++) {
		sqlite3_finalize(s->sql[i]);
		s->sql[i] = NULL;
	}
}
