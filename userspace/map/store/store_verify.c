// SPDX-License-Identifier: GPL-2.0-only
/*
 * store_verify - read everything once and report errors
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/error.h"
#include "map/store/store_db.h"
#include "map/store/store_edge.h"

/* Receiver of the errors, and their number */
struct finder {
	struct store	*store;
	void		(*found)(void *arg, const char *line);
	void		*arg;
	int		count;
};

__attribute__((format(printf, 2, 3)))
static void store_verify_report(struct finder *f, const char *format, ...)
{
	char line[ERROR_TEXT];
	va_list ap;

	va_start(ap, format);
	vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	store_error_clean(line);
	f->found(f->arg, line);
	f->count++;
}

/* Without the path, which the caller knows */
static void report_error(struct finder *f)
{
	const char *line = store_error(f->store);
	const size_t n = strlen(f->store->path);

	if (!strncmp(line, f->store->path, n) && line[n] == ':')
		line += n + 2;
	store_verify_report(f, "%s", line);
}

/* Damage is counted; other errors end the check. Return: 0 or the latter */
static int store_verify_weigh(struct finder *f, int err)
{
	if (err != -EBADMSG)
		return err;
	report_error(f);
	return 0;
}

static int check_database(struct finder *f)
{
	struct store *s = f->store;
	const char *text;
	sqlite3_stmt *q;
	int more, err = 0;

	s->doing = "checking the database";
	q = store_sql_get(s, SQL_INTEGRITY, &err);
	if (!q)
		return store_verify_weigh(f, err);
	while ((more = store_sql_step(s, q)) > 0) {
		text = (const char *)sqlite3_column_text(q, 0);
		if (text && strcmp(text, "ok"))
			store_verify_report(f, "database: %s", text);
	}
	store_sql_put(s, SQL_INTEGRITY, q);
	return store_verify_weigh(f, more);
}

static int check_references(struct finder *f)
{
	struct store *s = f->store;
	sqlite3_stmt *q;
	int more, err = 0;

	s->doing = "checking references";
	q = store_sql_get(s, SQL_REFERENCES, &err);
	if (!q)
		return store_verify_weigh(f, err);
	while ((more = store_sql_step(s, q)) > 0)
		store_verify_report(f, "%s %s refers to a missing %s",
				    (const char *)sqlite3_column_text(q, 0),
				    (const char *)sqlite3_column_text(q, 1) ?:
									      "",
				    (const char *)sqlite3_column_text(q, 2));
	store_sql_put(s, SQL_REFERENCES, q);
	return store_verify_weigh(f, more);
}

static bool within_reach(struct finder *f, const struct store_submap *m)
{
	struct store *s = f->store;
	sqlite3_stmt *q;
	bool in = false;
	int err = 0;

	q = store_sql_get(s, SQL_NODE_REACH, &err);
	if (!q)
		return false;
	store_sql_bind(q, "i", m->node);
	if (store_sql_step(s, q) > 0)
		in = sqlite3_column_double(q, 0) >= store_extent_radius(m);
	store_sql_put(s, SQL_NODE_REACH, q);
	return in;
}

static int store_verify_check_submap(struct finder *f, int64_t id)
{
	struct store_submap m;
	const void *cells;
	int err = store_cells_read(f->store, id, &m, &cells);

	if (err)
		return store_verify_weigh(f, err);
	if (!within_reach(f, &m))
		store_verify_report(
			f,
			"extent: submap %lld exceeds the radius of its node",
			(long long)id);
	return 0;
}

static int check_submaps(struct finder *f)
{
	struct store *s = f->store;
	sqlite3_stmt *q;
	int more = 0, err = 0;

	s->doing = "checking submaps";
	q = store_sql_get(s, SQL_SUBMAPS, &err);
	if (!q)
		return store_verify_weigh(f, err);
	while (!err && (more = store_sql_step(s, q)) > 0)
		err = store_verify_check_submap(f, sqlite3_column_int64(q, 0));
	store_sql_put(s, SQL_SUBMAPS, q);
	return err ? err : store_verify_weigh(f, more);
}

/* Check that chains of predecessors end */
static int check_links(struct finder *f)
{
	struct store *s = f->store;
	sqlite3_stmt *q;
	int more, err = 0;

	s->doing = "checking links";
	q = store_sql_get(s, SQL_LINK_CIRCLES, &err);
	if (!q)
		return store_verify_weigh(f, err);
	more = store_sql_step(s, q);
	if (more > 0 && sqlite3_column_int64(q, 0))
		store_verify_report(
			f,
			"link: %lld nodes form a loop, the first is node %lld",
			(long long)sqlite3_column_int64(q, 0),
			(long long)sqlite3_column_int64(q, 1));
	store_sql_put(s, SQL_LINK_CIRCLES, q);
	return more < 0 ? store_verify_weigh(f, more) : 0;
}

static int check_extents(struct finder *f)
{
	int n;

	f->store->doing = "checking extents";
	n = store_extent_verify(f->store, f->found, f->arg);
	if (n < 0)
		return store_verify_weigh(f, n);
	f->count += n;
	return 0;
}

static int any_layer(void *arg, int64_t id, const struct layer *layer)
{
	(void)arg;
	(void)id;
	(void)layer;
	return 0;
}

static int any_node(void *arg, const struct store_node *node)
{
	(void)arg;
	(void)node;
	return 0;
}

static int any_room(void *arg, const struct room *room)
{
	(void)arg;
	(void)room;
	return 0;
}

static int any_edge(void *arg, const struct store_edge *edge)
{
	(void)arg;
	(void)edge;
	return 0;
}

static int any_repeater(void *arg, double x, double y)
{
	(void)arg;
	(void)x;
	(void)y;
	return 0;
}

/* Report the first damaged row of each table */
static int check_rows(struct finder *f)
{
	struct store *s = f->store;
	int err = store_verify_weigh(f, store_layers(s, any_layer, NULL));

	if (!err)
		err = store_verify_weigh(f, store_nodes(s, any_node, NULL));
	if (!err)
		err = store_verify_weigh(f, store_rooms(s, any_room, NULL));
	if (!err)
		err = store_verify_weigh(f, store_each_repeater(s, any_repeater,
								NULL));
	if (!err)
		err = store_verify_weigh(f, store_each_edge(s, any_edge, NULL));
	return err;
}

int store_verify(struct store *s, void (*found)(void *arg, const char *line),
		 void *arg)
{
	struct finder f = { .store = s, .found = found, .arg = arg };
	int err = check_database(&f);

	if (!err)
		err = check_references(&f);
	if (!err)
		err = check_rows(&f);
	if (!err)
		err = check_submaps(&f);
	if (!err)
		err = check_links(&f);
	if (!err)
		err = check_extents(&f);
	return err ? err : f.count;
}
