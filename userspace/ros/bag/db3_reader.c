// SPDX-License-Identifier: GPL-2.0-only
/*
 * db3_reader - read the SQLite files of rosbag2
 *
 * The file is not trusted: a schema with code (views, virtual tables, triggers)
 * is refused.
 */
#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include "ros/bag/reader.h"

/* A topic: its number in the file; begin > end: stamps are not known */
struct db3_topic {
	sqlite3_int64	id;
	int64_t		begin, end;
};

/**
 * struct db3 - a reader
 * @all:	query of topic and stamp of all messages, in order, without
 *		their
 *		data, as SQLite may have to sort them
 * @from:	of those from stamp @begin on
 * @order:	the one of the two that is read
 * @before:	query of the last message of a topic before a place
 * @data:	query of the data of one message
 * @done:	@order is at its end; another step would restart it
 */
struct db3 {
	struct bag_reader	bag;
	sqlite3			*db;
	sqlite3_stmt		*all, *from, *order, *before, *data;
	struct db3_topic	*topic;
	unsigned int		last;
	int64_t			begin;
	bool			done;
};

static int db3_reader_error_of(int code)
{
	switch (code & 0xff) {
	case SQLITE_NOMEM:
		return -ENOMEM;
	case SQLITE_CANTOPEN:
	case SQLITE_PERM:
		return -EACCES;
	case SQLITE_IOERR:
		return -EIO;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return -EBUSY;
	default:
		return -EBADMSG;
	}
}

static int db3_reader_prepare(struct db3 *d, const char *sql, sqlite3_stmt **s)
{
	int code = sqlite3_prepare_v2(d->db, sql, -1, s, NULL);

	return code == SQLITE_OK ? 0 : db3_reader_error_of(code);
}

/* Whether @table has @column */
static bool has_column(struct db3 *d, const char *table, const char *column)
{
	return sqlite3_table_column_metadata(d->db, NULL, table, column, NULL,
					     NULL, NULL, NULL, NULL) ==
	       SQLITE_OK;
}

static struct bag_text db3_reader_text_of(sqlite3_stmt *s, int column)
{
	const char *text = (const char *)sqlite3_column_text(s, column);

	if (!text)
		return (struct bag_text){ "", 0 };
	return (struct bag_text){ text, sqlite3_column_bytes(s, column) };
}

/* Two ordinary tables, which can only hold rows */
static int check_schema(struct db3 *d)
{
	sqlite3_stmt *s;
	int err = db3_reader_prepare(
		d,
		"SELECT count(*) FROM sqlite_master WHERE "
		"type = 'table' AND name IN ('topics', 'messages') "
		"AND sql LIKE 'CREATE TABLE %' "
		"AND sql NOT LIKE '%GENERATED%' "
		"AND sql NOT LIKE '% AS %'",
		&s);

	if (err)
		return err;
	if (sqlite3_step(s) != SQLITE_ROW || sqlite3_column_int(s, 0) != 2)
		err = -EBADMSG;
	sqlite3_finalize(s);
	return err;
}

static int db3_reader_add_topic(struct db3 *d, sqlite3_stmt *s)
{
	struct bag_text format = db3_reader_text_of(s, 3);
	struct bag_text qos = db3_reader_text_of(s, 4);
	bool cdr = format.len == 3 && !memcmp(format.text, "cdr", 3);
	struct bag_text none = { "", 0 };
	unsigned int before = d->bag.topics;
	void *p;
	int i = bag_reader_topic(&d->bag, db3_reader_text_of(s, 1),
				 db3_reader_text_of(s, 2),
				 cdr ? MESSAGE_CDR : MESSAGE_OTHER, none,
				 db3_reader_text_of(s, 5));

	if (i == -ENOSPC)
		bag_reader_warn(&d->bag, "not all topics can be listed");
	if (i < 0)
		return i == -ENOSPC ? 0 : i;
	/* if two topics have the same name, messages of the first are found */
	if ((unsigned int)i < before)
		return 0;
	p = realloc(d->topic, d->bag.topics * sizeof(*d->topic));
	if (!p)
		return -ENOMEM;
	d->topic = p;
	d->topic[i] = (struct db3_topic){ sqlite3_column_int64(s, 0),
					  INT64_MAX, INT64_MIN };
	if (memmem(qos.text, qos.len, "durability: 1", 13) ||
	    memmem(qos.text, qos.len, "durability: transient_local", 27))
		d->bag.topic[i].latched = true;
	return 0;
}

static int db3_reader_read_topics(struct db3 *d)
{
	char sql[512];
	sqlite3_stmt *s;
	int code, err;

	/* later versions of the schema added both */
	sqlite3_snprintf(sizeof(sql), sql,
			 "SELECT id, name, type, serialization_format, %s, %s "
			 "FROM topics ORDER BY id",
			 has_column(d, "topics", "offered_qos_profiles") ?
			 "offered_qos_profiles" : "''",
			 has_column(d, "message_definitions",
				    "encoded_message_definition") ?
			 "(SELECT encoded_message_definition "
			 "FROM message_definitions "
			 "WHERE topic_type = type LIMIT 1)" : "''");
	err = db3_reader_prepare(d, sql, &s);
	if (err)
		return err;
	while (!err && (code = sqlite3_step(s)) == SQLITE_ROW)
		err = db3_reader_add_topic(d, s);
	sqlite3_finalize(s);
	return err ? err : code == SQLITE_DONE ? 0 : db3_reader_error_of(code);
}

/* Return: topic, or -ENOENT */
static int db3_reader_topic_of(struct db3 *d, sqlite3_int64 id)
{
	if (d->last < d->bag.topics && d->topic[d->last].id == id)
		return d->last;
	for (unsigned int i = 0; i < d->bag.topics; i++)
		if (d->topic[i].id == id)
			return d->last = i;
	return -ENOENT;
}

static int db3_reader_count_messages(struct db3 *d)
{
	sqlite3_stmt *s;
	int code, err;

	err = db3_reader_prepare(
		d,
		"SELECT topic_id, count(*), min(timestamp), "
		"max(timestamp) FROM messages GROUP BY topic_id",
		&s);
	if (err)
		return err;
	while ((code = sqlite3_step(s)) == SQLITE_ROW) {
		int i = db3_reader_topic_of(d, sqlite3_column_int64(s, 0));
		int64_t begin = sqlite3_column_int64(s, 2);
		int64_t end = sqlite3_column_int64(s, 3);

		if (i < 0)
			continue;
		d->bag.topic[i].count = sqlite3_column_int64(s, 1);
		d->topic[i].begin = begin;
		d->topic[i].end = end;
		if (begin < d->bag.begin)
			d->bag.begin = begin;
		if (end > d->bag.end)
			d->bag.end = end;
	}
	sqlite3_finalize(s);
	/* as far as possible: a damaged file may have more */
	if (code != SQLITE_DONE)
		bag_reader_warn(&d->bag, "damaged: %s", sqlite3_errmsg(d->db));
	return 0;
}

static void db3_close(struct bag_reader *bag)
{
	struct db3 *d = (struct db3 *)bag;

	sqlite3_finalize(d->all);
	sqlite3_finalize(d->from);
	sqlite3_finalize(d->before);
	sqlite3_finalize(d->data);
	sqlite3_close(d->db);
	free(d->topic);
	bag_reader_release(bag);
	free(d);
}

static int db3_rewind(struct bag_reader *bag)
{
	struct db3 *d = (struct db3 *)bag;

	sqlite3_reset(d->order);
	sqlite3_reset(d->data);
	d->order = d->all;
	d->done = false;
	return 0;
}

static int db3_seek(struct bag_reader *bag, int64_t stamp)
{
	struct db3 *d = (struct db3 *)bag;
	int code;

	db3_rewind(bag);
	/* an unfinished query of the same statement would keep its stamp */
	sqlite3_reset(d->from);
	code = sqlite3_bind_int64(d->from, 1, stamp);
	d->order = d->from;
	d->begin = stamp;
	return code == SQLITE_OK ? 0 : db3_reader_error_of(code);
}

/* The data of a message. Return: 1, or 0 if it cannot be read */
static int read_data(struct db3 *d, sqlite3_int64 id, struct bag_message *msg)
{
	sqlite3_reset(d->data);
	sqlite3_bind_int64(d->data, 1, id);
	if (sqlite3_step(d->data) != SQLITE_ROW) {
		bag_reader_warn(&d->bag, "damaged: %s", sqlite3_errmsg(d->db));
		return 0;
	}
	msg->data = sqlite3_column_blob(d->data, 0);
	msg->len = sqlite3_column_bytes(d->data, 0);
	if (!msg->data)
		msg->data = (const uint8_t *)"";
	return 1;
}

static int db3_next(struct bag_reader *bag, struct bag_message *msg)
{
	struct db3 *d = (struct db3 *)bag;
	int code;

	if (d->done)
		return 0;
	while ((code = sqlite3_step(d->order)) == SQLITE_ROW) {
		int topic = db3_reader_topic_of(
			d, sqlite3_column_int64(d->order, 0));

		if (topic < 0)
			continue;
		msg->topic = topic;
		msg->stamp = sqlite3_column_int64(d->order, 1);
		/* a stamp that is a text, or a damaged index */
		if (d->order == d->from && msg->stamp < d->begin)
			continue;
		if (read_data(d, sqlite3_column_int64(d->order, 2), msg))
			return 1;
	}
	d->done = true;
	if (code == SQLITE_DONE)
		return 0;
	if (db3_reader_error_of(code) != -EBADMSG)
		return db3_reader_error_of(code);
	bag_reader_warn(bag, "damaged: %s", sqlite3_errmsg(d->db));
	return 0;
}

/* Ids are signed, places are not: the same order */
static uint64_t db3_reader_at(sqlite3_int64 id)
{
	return (uint64_t)id ^ UINT64_C(1) << 63;
}

/*
 * Where to search: after the last message of a topic there is no need to pass
 * over those of others. Return: false: there is nothing before @place
 */
static bool db3_reader_limit(const struct db3_topic *t,
			     const struct bag_place *place, int64_t *stamp,
			     sqlite3_int64 *id)
{
	*stamp = place->stamp;
	*id = (sqlite3_int64)(place->at ^ UINT64_C(1) << 63);
	if (t->begin > t->end)
		return true;
	if (*stamp > t->end) {
		*stamp = t->end;
		*id = INT64_MAX;
	}
	return *stamp >= t->begin;
}

static int db3_before(struct bag_reader *bag, unsigned int topic,
		      struct bag_place *place, struct bag_message *msg)
{
	struct db3 *d = (struct db3 *)bag;
	const struct db3_topic *t = &d->topic[topic];
	sqlite3_int64 id;
	int64_t stamp;
	int code, ret = 0;

	if (!db3_reader_limit(t, place, &stamp, &id))
		return 0;
	sqlite3_bind_int64(d->before, 1, t->id);
	sqlite3_bind_int64(d->before, 2, stamp);
	sqlite3_bind_int64(d->before, 3, id);
	while (!ret && (code = sqlite3_step(d->before)) == SQLITE_ROW) {
		struct bag_place at = {
			.stamp = sqlite3_column_int64(d->before, 0),
		};

		id = sqlite3_column_int64(d->before, 1);
		at.at = db3_reader_at(id);
		/* a stamp that is a text, or a damaged index */
		if (!bag_place_is_before(&at, place))
			continue;
		msg->topic = topic;
		msg->stamp = at.stamp;
		ret = read_data(d, id, msg);
		if (ret)
			*place = at;
	}
	sqlite3_reset(d->before);
	if (ret || code == SQLITE_DONE)
		return ret;
	if (db3_reader_error_of(code) != -EBADMSG)
		return db3_reader_error_of(code);
	bag_reader_warn(bag, "damaged: %s", sqlite3_errmsg(d->db));
	return 0;
}

static int open_db(struct db3 *d, const char *path)
{
	int code = sqlite3_open_v2(path, &d->db, SQLITE_OPEN_READONLY, NULL);
	int err;

	if (code != SQLITE_OK)
		return db3_reader_error_of(code);
	sqlite3_limit(d->db, SQLITE_LIMIT_LENGTH, BAG_CHUNK_MAX);
	sqlite3_busy_timeout(d->db, 1000);
	sqlite3_db_config(d->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(d->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	err = check_schema(d);
	if (!err)
		err = db3_reader_read_topics(d);
	if (!err)
		err = db3_reader_count_messages(d);
	if (!err)
		err = db3_reader_prepare(
			d,
			"SELECT topic_id, timestamp, id FROM messages "
			"ORDER BY timestamp, id",
			&d->all);
	if (!err)
		err = db3_reader_prepare(
			d,
			"SELECT topic_id, timestamp, id FROM messages "
			"WHERE timestamp >= ? ORDER BY timestamp, id",
			&d->from);
	if (!err)
		err = db3_reader_prepare(
			d,
			"SELECT timestamp, id FROM messages "
			"WHERE topic_id = ? AND (timestamp, id) < (?, ?) "
			"ORDER BY timestamp DESC, id DESC",
			&d->before);
	d->order = d->all;
	if (!err)
		err = db3_reader_prepare(
			d, "SELECT data FROM messages WHERE id = ?", &d->data);
	return err;
}

int db3_open(struct bag_reader **bag, const char *path)
{
	static const struct bag_reader_ops ops = {
		.next = db3_next, .rewind = db3_rewind, .seek = db3_seek,
		.before = db3_before, .close = db3_close,
	};
	struct db3 *d = calloc(1, sizeof(*d));
	int err;

	if (!d)
		return -ENOMEM;
	bag_reader_init(&d->bag, &ops);
	err = open_db(d, path);
	if (err) {
		db3_close(&d->bag);
		return err;
	}
	*bag = &d->bag;
	return 0;
}
