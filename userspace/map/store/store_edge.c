// SPDX-License-Identifier: GPL-2.0-only
/*
 * store_edge - motions between nodes: odometry, and closed loops
 */
#include <errno.h>
#include <math.h>
#include <string.h>
#include "map/store/store_db.h"
#include "map/store/store_edge.h"

/* Of a covariance, as a share of it */
#define ROUNDING	1e-9

static bool is_frame(const char *frame)
{
	const size_t n = strnlen(frame, STORE_FRAME);

	return n && n < STORE_FRAME;
}

/* Symmetric by its form, and not negative, but for rounding */
static bool is_covariance(const double c[6])
{
	const double det = c[0] * (c[3] * c[5] - c[4] * c[4]) -
			   c[1] * (c[1] * c[5] - c[4] * c[2]) +
			   c[2] * (c[1] * c[4] - c[3] * c[2]);

	return isfinite(det) && c[0] > 0 && c[3] > 0 && c[5] > 0 &&
	       c[0] * c[3] >= c[1] * c[1] * (1 - ROUNDING) &&
	       det >= -ROUNDING * c[0] * c[3] * c[5];
}

static int check_edge(struct store *s, const struct store_edge *e)
{
	if (!is_frame(e->from) || !is_frame(e->to) || !strcmp(e->from, e->to))
		return store_error_set(s, -EINVAL, "%s: from %.40s to %.40s: "
				       "not two frames", s->doing, e->from,
				       e->to);
	if (!pose_valid(&e->transform))
		return store_error_set(s, -EINVAL, "%s: from %.40s to %.40s: "
				       "invalid transform", s->doing, e->from,
				       e->to);
	if (!is_covariance(e->covariance))
		return store_error_set(s, -EINVAL, "%s: from %.40s to %.40s: "
				       "invalid covariance", s->doing, e->from,
				       e->to);
	return 0;
}

static int put_edge(struct store *s, const char *source, int64_t stamp,
		    const struct store_edge *e)
{
	const double *c = e->covariance;
	const int err = check_edge(s, e);

	return err ? err :
	       store_sql_run(s, SQL_EDGE_ADD, "titttiddddddddd", source, stamp,
			     e->from, e->to, e->loop ? "loop" : "odometry",
			     (int64_t)e->waiting, e->transform.x,
			     e->transform.y, e->transform.yaw, c[0], c[1], c[2],
			     c[3], c[4], c[5]);
}

int store_edges(struct store *s, const char *source, int64_t stamp,
		const struct store_edge *edge, unsigned int count)
{
	int err = store_change(s, "storing edges");

	if (err)
		return err;
	if (strnlen(source, STORE_FRAME) >= STORE_FRAME)
		err = store_error_set(s, -EINVAL, "%s: name of the source too "
				      "long", s->doing);
	if (!err)
		err = store_sql_run(s, SQL_EDGE_MAKE, "");
	if (!err)
		err = store_sql_run(s, SQL_EDGE_FORGET, "t", source);
	for (unsigned int i = 0; !err && i < count; i++)
		err = put_edge(s, source, stamp, edge + i);
	return store_changed(s, err);
}

static int read_edge(struct store *s, sqlite3_stmt *q, struct store_edge *e)
{
	char kind[16];
	int64_t waiting = 0;
	int err = store_sql_text(q, 1, e->from, sizeof(e->from));

	if (!err)
		err = store_sql_text(q, 2, e->to, sizeof(e->to));
	if (!err)
		err = store_sql_text(q, 3, kind, sizeof(kind));
	if (!err)
		err = store_sql_whole(q, 4, 0, 1, &waiting);
	if (!err)
		err = store_sql_pose(q, 5, &e->transform);
	for (int i = 0; i < 6 && !err; i++)
		err = store_sql_real(q, 8 + i, e->covariance + i);
	if (err)
		return store_error_set(s, -EBADMSG, "%s: edge %lld is damaged",
				       s->doing, (long long)
				       sqlite3_column_int64(q, 0));
	e->loop = !strcmp(kind, "loop");
	e->waiting = waiting;
	return 0;
}

/* Return: 1: there is a table; 0; a negative errno */
static int is_made(struct store *s)
{
	int err = 0;
	sqlite3_stmt *q = store_sql_get(s, SQL_EDGE_TABLE, &err);

	if (!q)
		return err;
	err = store_sql_step(s, q);
	store_sql_put(s, SQL_EDGE_TABLE, q);
	return err;
}

int store_each_edge(struct store *s,
		    int (*each)(void *arg, const struct store_edge *edge),
		    void *arg)
{
	struct store_edge e;
	sqlite3_stmt *q;
	int err, more = 0;

	s->doing = "reading edges";
	err = is_made(s);
	if (err <= 0)
		return err;
	err = 0;
	q = store_sql_get(s, SQL_EDGES, &err);
	if (!q)
		return err;
	while (!err && (more = store_sql_step(s, q)) > 0) {
		err = read_edge(s, q, &e);
		if (!err)
			err = each(arg, &e);
	}
	store_sql_put(s, SQL_EDGES, q);
	return err ? err : more;
}
