// SPDX-License-Identifier: GPL-2.0-only
/*
 * geopackage_features - rooms and points as features of a GeoPackage
 *
 * Geometries are GeoPackage binary (12-128r17, 2.1.3): a header, and WKB.
 * Positions come from other machines: if one is not finite, the geometry is
 * NULL, and the rest of the feature is kept.
 */
#include <assert.h>
#include <endian.h>
#include <math.h>
#include <string.h>
#include <time.h>
#include "base/pose.h"
#include "base/utf8.h"
#include "map/io/geopackage_parts.h"

enum {
	LITTLE_ENDIAN_FLAG	= 0x01,
	ENVELOPE_XY		= 1 << 1,
	WKB_POINT		= 1,
	WKB_POLYGON		= 3,
	GEOMETRY_MAX		= 8 + 32 + 13 + 16 * (ROOM_CORNERS + 1),
	TEXT_MAX		= 512,
};

/* A geometry under construction */
struct geometry {
	uint8_t	data[GEOMETRY_MAX];
	int	len;
};

static void put_u8(struct geometry *g, uint8_t v)
{
	assert(g->len >= 0 && g->len < GEOMETRY_MAX);
	g->data[g->len++] = v;
}

static void features_put_u32(struct geometry *g, uint32_t v)
{
	v = htole32(v);
	assert(g->len + (int)sizeof(v) <= GEOMETRY_MAX);
	memcpy(g->data + g->len, &v, sizeof(v));
	g->len += sizeof(v);
}

static void put_double(struct geometry *g, double v)
{
	uint64_t u;

	assert(g->len + (int)sizeof(u) <= GEOMETRY_MAX);
	memcpy(&u, &v, sizeof(u));
	u = htole64(u);
	memcpy(g->data + g->len, &u, sizeof(u));
	g->len += sizeof(u);
}

static void features_put_header(struct geometry *g, uint8_t flags)
{
	g->len = 0;
	put_u8(g, 'G');
	put_u8(g, 'P');
	put_u8(g, 0);
	put_u8(g, flags);
	features_put_u32(g, (uint32_t)-1);
}

static void put_wkb(struct geometry *g, uint32_t type)
{
	put_u8(g, LITTLE_ENDIAN_FLAG);
	features_put_u32(g, type);
}

/* Bounding box of all geometries of a table */
struct bounds {
	double	x0, y0, x1, y1;
};

static const struct bounds nowhere = { INFINITY, INFINITY, -INFINITY,
				       -INFINITY };

static void include(struct bounds *b, double x, double y)
{
	b->x0 = fmin(b->x0, x);
	b->y0 = fmin(b->y0, y);
	b->x1 = fmax(b->x1, x);
	b->y1 = fmax(b->y1, y);
}

static bool valid(double x, double y)
{
	return fabs(x) <= POSE_MAX && fabs(y) <= POSE_MAX;
}

static void features_put_point(struct geometry *g, double x, double y)
{
	g->len = 0;
	if (!valid(x, y))
		return;
	features_put_header(g, LITTLE_ENDIAN_FLAG);
	put_wkb(g, WKB_POINT);
	put_double(g, x);
	put_double(g, y);
}

/* A closed ring, counterclockwise, of @n corners */
static void put_ring(struct geometry *g, const double (*c)[2], unsigned int n)
{
	double area = 0;

	for (unsigned int i = 0; i < n; i++) {
		const double *a = c[i], *b = c[(i + 1) % n];

		area += a[0] * b[1] - b[0] * a[1];
	}
	features_put_u32(g, n + 1);
	for (unsigned int i = 0; i <= n; i++) {
		const double *at = c[(area < 0 ? n - i : i) % n];

		put_double(g, at[0]);
		put_double(g, at[1]);
	}
}

static void put_polygon(struct geometry *g, const double (*c)[2],
			unsigned int n)
{
	struct bounds b = nowhere;

	g->len = 0;
	for (unsigned int i = 0; i < n; i++) {
		if (!valid(c[i][0], c[i][1]))
			return;
		include(&b, c[i][0], c[i][1]);
	}
	features_put_header(g, LITTLE_ENDIAN_FLAG | ENVELOPE_XY);
	put_double(g, b.x0);
	put_double(g, b.x1);
	put_double(g, b.y0);
	put_double(g, b.y1);
	put_wkb(g, WKB_POLYGON);
	features_put_u32(g, 1);
	assert(n >= 3 && n <= ROOM_CORNERS);
	put_ring(g, c, n);
}

/* Its outline, else a square of its size, else nothing */
static void features_put_room(struct geometry *g, const struct room *m,
			      struct bounds *bounds)
{
	const double half = m->size > 0 ? sqrt(m->size) / 2 : 0;
	const double square[4][2] = {
		{ m->x - half, m->y - half }, { m->x + half, m->y - half },
		{ m->x + half, m->y + half }, { m->x - half, m->y + half },
	};
	const bool outline = m->corners >= 3 && m->corners <= ROOM_CORNERS;
	const double (*c)[2] = outline ? (const double (*)[2])m->corner :
			       square;
	const unsigned int n = outline ? m->corners : 4;

	g->len = 0;
	if (outline || half > 0)
		put_polygon(g, c, n);
	for (unsigned int i = 0; i < n && g->len; i++)
		include(bounds, c[i][0], c[i][1]);
}

static void bind_geometry(sqlite3_stmt *s, int i, const struct geometry *g)
{
	if (g->len)
		sqlite3_bind_blob(s, i, g->data, g->len, SQLITE_STATIC);
	else
		sqlite3_bind_null(s, i);
}

static void bind_text(sqlite3_stmt *s, int i, const char *text, size_t len)
{
	char clean[TEXT_MAX];

	utf8_clean(text ? text : "", len, clean, sizeof(clean));
	sqlite3_bind_text(s, i, clean, -1, SQLITE_TRANSIENT);
}

/* ISO 8601, UTC, milliseconds, as the format requires; unknown: NULL */
static void bind_stamp(sqlite3_stmt *s, int i, int64_t stamp)
{
	time_t t = stamp / 1000000000;
	char text[64], day[48];
	struct tm tm;

	sqlite3_bind_null(s, i);
	if (stamp <= 0 || !gmtime_r(&t, &tm))
		return;
	strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm);
	sqlite3_snprintf(sizeof(text), text, "%s.%03dZ", day,
			 (int)(stamp / 1000000 % 1000));
	sqlite3_bind_text(s, i, text, -1, SQLITE_TRANSIENT);
}

static int features_create_table(sqlite3 *db, const char *name,
				 const char *type, const char *columns)
{
	return geopackage_exec(db,
		"CREATE TABLE \"%w\" (fid INTEGER PRIMARY KEY AUTOINCREMENT"
		" NOT NULL, geom %s, %s);"
		"INSERT INTO gpkg_contents (table_name, data_type, identifier,"
		" srs_id) VALUES (%Q, 'features', %Q, -1);"
		"INSERT INTO gpkg_geometry_columns VALUES"
		" (%Q, 'geom', %Q, -1, 0, 0);",
		name, type, columns, name, name, name, type);
}

static int set_bounds(sqlite3 *db, const char *name, const struct bounds *b)
{
	if (b->x0 > b->x1)
		return 0;
	return geopackage_exec(db, "UPDATE gpkg_contents SET min_x = %!.17g,"
			       " min_y = %!.17g, max_x = %!.17g,"
			       " max_y = %!.17g WHERE table_name = %Q",
			       b->x0, b->y0, b->x1, b->y1, name);
}

static unsigned int gases_of(const struct room *m)
{
	return m->gases < ROOM_GASES ? m->gases : ROOM_GASES;
}

enum { ROOM_COLUMNS = 5 };	/* columns before the modalities */

static int insert_room(sqlite3_stmt *s, const struct room *m,
		       struct bounds *bounds)
{
	int column = ROOM_COLUMNS + 1;
	struct geometry g;

	features_put_room(&g, m, bounds);
	sqlite3_clear_bindings(s);
	bind_geometry(s, 1, &g);
	sqlite3_bind_int64(s, 2, m->id);
	bind_text(s, 3, m->name, sizeof(m->name));
	bind_stamp(s, 4, m->stamp);
	sqlite3_bind_double(s, 5, m->size);
	/* SQLite stores NAN as NULL */
	for (int i = 0; i < MODALITIES; i++)
		if (modality_is_single(i))
			sqlite3_bind_double(s, column++, m->value[i]);
	for (unsigned int i = 0; i < gases_of(m); i++)
		sqlite3_bind_double(s, column++, m->gas[i]);
	return geopackage_step(s);
}

/* @marks: out: a question mark for each column */
static void add_modality_columns(char *columns, size_t size, char *marks)
{
	for (int i = 0; i < MODALITIES; i++) {
		const struct modality_info *info = modality_get(i);
		const size_t n = strlen(columns);

		if (!modality_is_single(i))
			continue;
		sqlite3_snprintf(size - n, columns + n, ", %s %s", info->name,
				 info->report == MODALITY_PERCENT ? "INTEGER" :
								    "DOUBLE");
		strcat(marks, ", ?");
	}
}

static int features_write_rooms(sqlite3 *db, const struct geopackage *g)
{
	struct bounds bounds = nowhere;
	char columns[1024], marks[3 * (MODALITIES + ROOM_GASES) + 1] = "";
	sqlite3_stmt *s = NULL;
	unsigned int gases = 0;
	int err;

	for (unsigned int i = 0; i < g->rooms; i++)
		if (gases_of(&g->room[i]) > gases)
			gases = gases_of(&g->room[i]);
	sqlite3_snprintf(sizeof(columns), columns,
			 "id INTEGER, name TEXT, stamp DATETIME, size DOUBLE");
	add_modality_columns(columns, sizeof(columns), marks);
	for (unsigned int i = 0; i < gases; i++) {
		const size_t n = strlen(columns);

		sqlite3_snprintf(sizeof(columns) - n, columns + n,
				 ", gas_%u DOUBLE", i + 1);
		strcat(marks, ", ?");
	}
	err = features_create_table(db, "rooms", "POLYGON", columns);
	if (!err)
		err = geopackage_prepare(db, &s, "INSERT INTO rooms VALUES"
			" (NULL, ?, ?, ?, ?, ?%s)", marks);
	for (unsigned int i = 0; i < g->rooms && !err; i++)
		err = insert_room(s, &g->room[i], &bounds);
	sqlite3_finalize(s);
	return err ? err : set_bounds(db, "rooms", &bounds);
}

static int insert_point(sqlite3_stmt *s, const struct geopackage_point *p,
			struct bounds *bounds)
{
	struct geometry g;

	features_put_point(&g, p->x, p->y);
	if (g.len)
		include(bounds, p->x, p->y);
	bind_geometry(s, 1, &g);
	sqlite3_bind_int64(s, 2, p->id);
	bind_text(s, 3, p->kind, TEXT_MAX);
	bind_text(s, 4, p->name, TEXT_MAX);
	bind_stamp(s, 5, p->stamp);
	return geopackage_step(s);
}

static int write_points(sqlite3 *db, const struct geopackage *g)
{
	struct bounds bounds = nowhere;
	sqlite3_stmt *s = NULL;
	int err = features_create_table(db, "points", "POINT",
					"id INTEGER, kind TEXT,"
					" name TEXT, stamp DATETIME");

	if (!err)
		err = geopackage_prepare(db, &s, "INSERT INTO points VALUES"
					 " (NULL, ?, ?, ?, ?, ?)");
	for (unsigned int i = 0; i < g->points && !err; i++)
		err = insert_point(s, &g->point[i], &bounds);
	sqlite3_finalize(s);
	return err ? err : set_bounds(db, "points", &bounds);
}

int geopackage_write_features(sqlite3 *db, const struct geopackage *g)
{
	int err = features_write_rooms(db, g);

	return err ? err : write_points(db, g);
}
