// SPDX-License-Identifier: GPL-2.0-only
/*
 * store_site - other data of a site: rooms, repeaters, settings, notes
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "map/store/store_db.h"

enum {
	PERCENT		= 100,
	ROOM_COLUMNS	= 7,	/* columns before those of the modalities */
};

static bool room_valid(const struct room *r)
{
	if (r->id > ROOM_ID_MAX || r->corners > ROOM_CORNERS ||
	    r->gases > ROOM_GASES || !memchr(r->name, 0, ROOM_NAME) ||
	    !isfinite(r->x) || !isfinite(r->y) || !isfinite(r->size))
		return false;
	for (int i = 0; i < MODALITIES; i++)
		if (modality_is_single(i) &&
		    !modality_value_valid(i, r->value[i]))
			return false;
	for (unsigned int i = 0; i < r->corners; i++)
		if (!isfinite(r->corner[i][0]) || !isfinite(r->corner[i][1]))
			return false;
	for (unsigned int i = 0; i < r->gases; i++)
		if (isinf(r->gas[i]) ||
		    !memchr(r->gas_name[i], 0, ROOM_NAME) ||
		    !*r->gas_name[i] != !*r->gas_name[0] ||
		    (*r->gas_name[i] && !layer_name_valid(r->gas_name[i])))
			return false;
	return true;
}

/*
 * Names of gases, each followed by a blank, are a setting, so that the tables
 * of older stores need no change
 */
enum { GAS_NAMES = ROOM_GASES * ROOM_NAME + 1 };

const char *store_gas_setting(unsigned int room,
			      char name[STORE_GAS_SETTING])
{
	snprintf(name, STORE_GAS_SETTING, "gases of room %u", room);
	return name;
}

static int put_gas_names(struct store *s, const struct room *r)
{
	char text[GAS_NAMES] = "", *end = text;
	char name[STORE_GAS_SETTING];

	store_gas_setting(r->id, name);
	if (!r->gases || !*r->gas_name[0])
		return store_sql_run(s, SQL_SETTING_FORGET, "t", name);
	for (unsigned int i = 0; i < r->gases; i++)
		end += sprintf(end, "%s ", r->gas_name[i]);
	return store_sql_run(s, SQL_SETTING_PUT, "tt", name, text);
}

/* Invalid content yields no names */
static void split_gas_names(const char *text, struct room *r)
{
	unsigned int n = 0;

	for (; *text && n < r->gases; n++) {
		const size_t len = strcspn(text, " ");

		if (len >= ROOM_NAME || !text[len])
			break;
		memcpy(r->gas_name[n], text, len);
		r->gas_name[n][len] = 0;
		text += len + 1;
		if (!layer_name_valid(r->gas_name[n]))
			break;
	}
	if (*text || n < r->gases)
		memset(r->gas_name, 0, sizeof(r->gas_name));
}

static int read_gas_names(struct store *s, struct room *r)
{
	char text[GAS_NAMES], name[STORE_GAS_SETTING];
	int n;

	if (!r->gases)
		return 0;
	n = store_get(s, store_gas_setting(r->id, name), text, sizeof(text));
	if (n > 0)
		split_gas_names(text, r);
	s->doing = "reading rooms";
	return n >= 0 || n == -ENOENT || n == -ENOSPC || n == -EBADMSG ? 0 : n;
}

static int put_row(struct store *s, const struct room *r)
{
	sqlite3_stmt *q;
	int column, err = 0;

	q = store_sql_get(s, SQL_ROOM_PUT, &err);
	if (!q)
		return err;
	store_sql_bind(q, "itidddi", (int64_t)r->id, r->name, r->stamp, r->x,
		       r->y, r->size, (int64_t)r->reported);
	column = ROOM_COLUMNS + 1;
	for (int i = 0; i < MODALITIES; i++)
		if (modality_is_single(i))
			sqlite3_bind_double(q, column++, r->value[i]);
	err = store_sql_step(s, q);
	store_sql_put(s, SQL_ROOM_PUT, q);
	return err < 0 ? err : 0;
}

static int store_site_put_room(struct store *s, const struct room *r)
{
	const int64_t id = r->id;
	int err = put_row(s, r);

	if (!err)
		err = store_sql_run(s, SQL_ROOM_FORGET_CORNERS, "i", id);
	if (!err)
		err = store_sql_run(s, SQL_ROOM_FORGET_GASES, "i", id);
	for (unsigned int i = 0; !err && i < r->corners; i++)
		err = store_sql_run(s, SQL_ROOM_CORNER_ADD, "iidd", id,
				    (int64_t)i, r->corner[i][0],
				    r->corner[i][1]);
	for (unsigned int i = 0; !err && i < r->gases; i++)
		err = store_sql_run(s, SQL_ROOM_GAS_ADD, "iid", id, (int64_t)i,
				    r->gas[i]);
	return err ? err : put_gas_names(s, r);
}

int store_room(struct store *s, const struct room *room)
{
	int err = store_change(s, "storing a room");

	if (err)
		return err;
	if (room_valid(room))
		err = store_site_put_room(s, room);
	else
		err = store_error_set(s, -EINVAL, "%s: invalid room",
				      s->doing);
	return store_changed(s, err);
}

/**
 * store_site_read_rows() - read rows of a room from another table
 * @width: real columns, which may be NULL if it is one
 * @to: out: their values, at most @max rows
 *
 * Return: number of rows, or a negative errno; -EBADMSG without a line.
 */
static int store_site_read_rows(struct store *s, enum store_sql id,
				unsigned int room, int width, double *to,
				int max)
{
	sqlite3_stmt *q;
	int n = 0, bad = 0, more = 0, err = 0;

	q = store_sql_get(s, id, &err);
	if (!q)
		return err;
	store_sql_bind(q, "i", (int64_t)room);
	while (!bad && (more = store_sql_step(s, q)) > 0) {
		bad = n == max || (width == 1 ?
			store_sql_real_or_none(q, 0, &to[n]) :
			store_sql_real(q, 0, &to[2 * n]) ||
			store_sql_real(q, 1, &to[2 * n + 1]));
		n += !bad;
	}
	store_sql_put(s, id, q);
	if (more < 0)
		return more;
	return bad ? -EBADMSG : n;
}

static int read_value(sqlite3_stmt *q, int column, enum modality m, double *to)
{
	int64_t percent;

	if (modality_get(m)->report == MODALITY_PHYSICAL ||
	    sqlite3_column_type(q, column) == SQLITE_NULL)
		return store_sql_real_or_none(q, column, to);
	if (store_sql_whole(q, column, -1, PERCENT, &percent))
		return -EBADMSG;
	*to = percent < 0 ? NAN : percent;
	return 0;
}

static int read_columns(sqlite3_stmt *q, struct room *r)
{
	int column = ROOM_COLUMNS;
	int64_t id, reported;

	if (store_sql_whole(q, 0, 0, ROOM_ID_MAX, &id) ||
	    store_sql_text(q, 1, r->name, sizeof(r->name)) ||
	    store_sql_whole(q, 2, INT64_MIN, INT64_MAX, &r->stamp) ||
	    store_sql_real(q, 3, &r->x) || store_sql_real(q, 4, &r->y) ||
	    store_sql_real(q, 5, &r->size) ||
	    store_sql_whole(q, 6, 0, 1, &reported))
		return -EBADMSG;
	for (int i = 0; i < MODALITIES; i++)
		if (modality_is_single(i) &&
		    read_value(q, column++, i, &r->value[i]))
			return -EBADMSG;
	r->id = id;
	r->reported = reported;
	return 0;
}

static int read_room(struct store *s, sqlite3_stmt *q, struct room *r)
{
	int corners, gases, err;

	*r = (struct room){ 0 };
	err = read_columns(q, r);
	if (err)
		goto out;
	corners = store_site_read_rows(s, SQL_ROOM_CORNERS, r->id, 2,
				       r->corner[0], ROOM_CORNERS);
	gases = store_site_read_rows(s, SQL_ROOM_GASES, r->id, 1, r->gas,
				     ROOM_GASES);
	r->corners = corners;
	r->gases = gases;
	err = corners < 0 ? corners : gases < 0 ? gases : 0;
	if (!err)
		err = read_gas_names(s, r);
out:
	if (err == -EBADMSG)
		store_error_set(s, err, "%s: room %lld is damaged", s->doing,
				(long long)sqlite3_column_int64(q, 0));
	return err;
}

int store_rooms(struct store *s,
		int (*each)(void *arg, const struct room *room), void *arg)
{
	struct room r;
	sqlite3_stmt *q;
	int err = 0, more = 0;

	s->doing = "reading rooms";
	q = store_sql_get(s, SQL_ROOMS, &err);
	if (!q)
		return err;
	while (!err && (more = store_sql_step(s, q)) > 0) {
		err = read_room(s, q, &r);
		if (!err)
			err = each(arg, &r);
	}
	store_sql_put(s, SQL_ROOMS, q);
	return err ? err : more;
}

int store_repeaters(struct store *s, int64_t stamp, const double (*xy)[2],
		    unsigned int count)
{
	int err = store_change(s, "storing repeaters");

	if (err)
		return err;
	err = store_sql_run(s, SQL_REPEATER_FORGET, "");
	for (unsigned int i = 0; !err && i < count; i++)
		if (isfinite(xy[i][0]) && isfinite(xy[i][1]))
			err = store_sql_run(s, SQL_REPEATER_ADD, "idd", stamp,
					    xy[i][0], xy[i][1]);
		else
			err = store_error_set(s, -EINVAL,
					      "%s: invalid position: %g, %g m",
					      s->doing, xy[i][0], xy[i][1]);
	return store_changed(s, err);
}

int store_each_repeater(struct store *s,
			int (*each)(void *arg, double x, double y), void *arg)
{
	sqlite3_stmt *q;
	double x, y;
	int err = 0, more = 0;

	s->doing = "reading repeaters";
	q = store_sql_get(s, SQL_REPEATERS, &err);
	if (!q)
		return err;
	while (!err && (more = store_sql_step(s, q)) > 0)
		if (store_sql_real(q, 0, &x) || store_sql_real(q, 1, &y))
			err = store_error_set(s, -EBADMSG, "%s: damaged row",
					      s->doing);
		else
			err = each(arg, x, y);
	store_sql_put(s, SQL_REPEATERS, q);
	return err ? err : more;
}

int store_set(struct store *s, const char *name, const char *value)
{
	int err = store_change(s, "storing a setting");

	if (err)
		return err;
	if (value)
		err = store_sql_run(s, SQL_SETTING_PUT, "tt", name, value);
	else
		err = store_sql_run(s, SQL_SETTING_FORGET, "t", name);
	return store_changed(s, err);
}

/* Return: as store_get() */
static int read_setting(struct store *s, sqlite3_stmt *q, char *value,
			unsigned int room)
{
	if (sqlite3_column_type(q, 0) == SQLITE_TEXT &&
	    (unsigned int)sqlite3_column_bytes(q, 0) >= room)
		return store_error_set(s, -ENOSPC, "%s: value of %d bytes "
				       "exceeds the limit of %u", s->doing,
				       sqlite3_column_bytes(q, 0), room);
	if (store_sql_text(q, 0, value, room))
		return store_error_set(s, -EBADMSG, "%s: damaged value",
				       s->doing);
	return strlen(value);
}

int store_get(struct store *s, const char *name, char *value, unsigned int room)
{
	sqlite3_stmt *q;
	int err = 0;

	s->doing = "reading a setting";
	q = store_sql_get(s, SQL_SETTING_GET, &err);
	if (!q)
		return err;
	store_sql_bind(q, "t", name);
	err = store_sql_step(s, q);
	if (err > 0)
		err = read_setting(s, q, value, room);
	else if (!err)
		err = store_error_set(s, -ENOENT, "%s: no %.80s", s->doing,
				      name);
	store_sql_put(s, SQL_SETTING_GET, q);
	return err;
}

int store_note(struct store *s, int64_t stamp, const char *kind,
	       const char *text, const char *path)
{
	int err = store_change(s, "storing a note");

	if (err)
		return err;
	return store_changed(s, store_sql_run(s, SQL_NOTE_ADD, "ittt", stamp,
					      kind, text, path));
}

/* A text valid until the next row; NULL: none, or one that contains a 0 */
static const char *store_site_text_of(sqlite3_stmt *q, int column)
{
	const char *text = (const char *)sqlite3_column_text(q, column);

	return text && strlen(text) == (size_t)sqlite3_column_bytes(q, column) ?
	       text : NULL;
}

int store_notes(struct store *s, const char *kind,
		int (*each)(void *arg, int64_t stamp, const char *text,
			    const char *path), void *arg)
{
	sqlite3_stmt *q;
	const char *text;
	int err = 0, more = 0;

	s->doing = "reading notes";
	q = store_sql_get(s, SQL_NOTES, &err);
	if (!q)
		return err;
	store_sql_bind(q, "t", kind);
	while (!err && (more = store_sql_step(s, q)) > 0) {
		text = store_site_text_of(q, 1);
		if (text)
			err = each(arg, sqlite3_column_int64(q, 0), text,
				   store_site_text_of(q, 2));
		else
			err = store_error_set(s, -EBADMSG, "%s: damaged row",
					      s->doing);
	}
	store_sql_put(s, SQL_NOTES, q);
	return err ? err : more;
}
