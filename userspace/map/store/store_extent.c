// SPDX-License-Identifier: GPL-2.0-only
/*
 * store_extent - bounding boxes of nodes in the map, in an R-tree
 *
 * The cells of a node are within a circle around its frame, whatever its
 * rotation. Its box is that of the circle plus MARGIN on each side, so that
 * most loop closures do not change the tree: a box is only replaced when the
 * circle has left it. The radius and the box's middle are stored with the node,
 * because finding a box in the tree by its node is slow.
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/error.h"
#include "map/store/store_db.h"

enum { FEW = 64 };			/* boxes, not worth counting */

static const double MARGIN = 1;		/* m */
/* larger than rounding errors */
static const double SLACK = 1e-6;

/**
 * struct reach - extent of a node
 * @radius:	m; 0: no cells
 * @x, @y:	middle of its box, NAN: none
 */
struct reach {
	double	radius, x, y;
};

static double store_extent_larger(double a, double b)
{
	return a > b ? a : b;
}

double store_extent_radius(const struct store_submap *m)
{
	double far = 0;

	for (int i = 0; i < 4; i++) {
		const struct pose corner = {
			.x = i & 1 ? m->width * m->resolution : 0,
			.y = i & 2 ? m->height * m->resolution : 0,
		};
		const struct pose at = pose_compose(&m->origin, &corner);

		far = store_extent_larger(far, hypot(at.x, at.y));
	}
	return far + SLACK;
}

static int read_reach(struct store *s, int64_t node, struct reach *r)
{
	sqlite3_stmt *q;
	int err = 0;

	q = store_sql_get(s, SQL_NODE_REACH, &err);
	if (!q)
		return err;
	store_sql_bind(q, "i", node);
	err = store_sql_step(s, q);
	if (err > 0 && (store_sql_real_or_none(q, 0, &r->radius) ||
			store_sql_real_or_none(q, 1, &r->x) ||
			store_sql_real_or_none(q, 2, &r->y)))
		err = store_error_set(s, -EBADMSG, "%s: node %lld is damaged",
				      s->doing, (long long)node);
	store_sql_put(s, SQL_NODE_REACH, q);
	if (!(r->radius > 0))
		r->radius = 0;
	return err < 0 ? err : err ? 0 : -ENOENT;
}

/* Return: 1: found, 0: there is none, or a negative errno */
static int store_extent_read_pose(struct store *s, int64_t node,
				  struct pose *pose)
{
	sqlite3_stmt *q;
	int err = 0;

	q = store_sql_get(s, SQL_POSE_GET, &err);
	if (!q)
		return err;
	store_sql_bind(q, "i", node);
	err = store_sql_step(s, q);
	if (err > 0 && store_sql_pose(q, 0, pose))
		err = store_error_set(s, -EBADMSG, "%s: the pose of node %lld "
				      "is damaged", s->doing, (long long)node);
	store_sql_put(s, SQL_POSE_GET, q);
	return err;
}

static bool has_left(const struct reach *r, const struct pose *p)
{
	/* also true if there is no box */
	return !(fabs(p->x - r->x) <= MARGIN - SLACK &&
		 fabs(p->y - r->y) <= MARGIN - SLACK);
}

static int put_box(struct store *s, int64_t node)
{
	return store_sql_run(s, SQL_EXTENT_PUT, "di", MARGIN, node);
}

/* @pose, @radius: of store_extent_update(). Return: 1: its box has changed */
static int update_reach(struct store *s, int64_t node, const struct pose *pose,
			double radius)
{
	struct pose stored;
	struct reach r;
	bool grown, moved;
	int err = read_reach(s, node, &r);

	if (err)
		return err;
	grown = radius > r.radius;
	if (grown)
		r.radius = radius;
	if (grown && !pose) {
		err = store_extent_read_pose(s, node, &stored);
		if (err < 0)
			return err;
		if (err)
			pose = &stored;
	}
	moved = pose && r.radius > 0 && (grown || has_left(&r, pose));
	if (!moved && !grown)
		return 0;
	if (moved) {
		r.x = pose->x;
		r.y = pose->y;
	}
	assert(r.radius >= radius);
	err = store_sql_run(s, SQL_NODE_REACHES, "dddi", r.radius, r.x, r.y,
			    node);
	return err ? err : moved;
}

int store_extent_update(struct store *s, int64_t node, const struct pose *pose,
			double radius)
{
	int ret = update_reach(s, node, pose, radius);

	return ret > 0 ? put_box(s, node) : ret;
}

int store_extent_move(struct store *s, int64_t node, const struct pose *pose,
		      struct store_boxes *boxes)
{
	int ret = update_reach(s, node, pose, 0);

	if (ret <= 0)
		return ret;
	if (array_grow(&boxes->node, &boxes->room, boxes->count,
		       sizeof(*boxes->node)))
		return store_error_set(s, -ENOMEM, "%s: no memory", s->doing);
	boxes->node[boxes->count++] = node;
	return 0;
}

/* Return: number of nodes, or a negative errno */
static int64_t count_nodes(struct store *s)
{
	sqlite3_stmt *q;
	int64_t n = 0;
	int err = 0;

	q = store_sql_get(s, SQL_NODE_COUNT, &err);
	if (!q)
		return err;
	err = store_sql_step(s, q);
	if (err > 0)
		n = sqlite3_column_int64(q, 0);
	store_sql_put(s, SQL_NODE_COUNT, q);
	return err < 0 ? err : n;
}

/* Takes half the time of replacing each of them in the tree */
static int store_extent_put_all(struct store *s)
{
	int err = store_sql_run(s, SQL_EXTENT_DROP, "");

	if (!err)
		err = store_sql_run(s, SQL_EXTENT_MAKE, "");
	if (!err)
		err = store_sql_run(s, SQL_EXTENT_PUT_ALL, "d", MARGIN);
	return err;
}

int store_extent_put(struct store *s, struct store_boxes *boxes)
{
	const int64_t nodes = boxes->count > FEW ? count_nodes(s) : INT64_MAX;
	int err = nodes < 0 ? nodes : 0;

	if (!err && boxes->count > nodes / 2)
		err = store_extent_put_all(s);
	else
		for (uint32_t i = 0; i < boxes->count && !err; i++)
			err = put_box(s, boxes->node[i]);
	free(boxes->node);
	*boxes = (struct store_boxes){ 0 };
	return err;
}

int store_near(struct store *s, double x0, double y0, double x1, double y1,
	       int (*each)(void *arg, int64_t node), void *arg)
{
	sqlite3_stmt *q;
	int err = 0, more = 0;

	s->doing = "searching nodes";
	q = store_sql_get(s, SQL_EXTENT_NEAR, &err);
	if (!q)
		return err;
	store_sql_bind(q, "dddd", x0, x1, y0, y1);
	while (!err && (more = store_sql_step(s, q)) > 0)
		err = each(arg, sqlite3_column_int64(q, 0));
	store_sql_put(s, SQL_EXTENT_NEAR, q);
	return err ? err : more;
}

/* Check the tree itself. Return: as store_extent_verify() */
static int check_tree(struct store *s,
		      void (*found)(void *arg, const char *line), void *arg)
{
	char line[ERROR_TEXT];
	const char *text;
	sqlite3_stmt *q;
	int err = 0;

	q = store_sql_get(s, SQL_EXTENT_CHECK, &err);
	if (!q)
		return err;
	err = store_sql_step(s, q);
	if (err > 0) {
		text = (const char *)sqlite3_column_text(q, 0);
		err = !text || strcmp(text, "ok");
	}
	if (err > 0) {
		snprintf(line, sizeof(line), "extent: %s", text ?: "?");
		store_error_clean(line);
		found(arg, line);
	}
	store_sql_put(s, SQL_EXTENT_CHECK, q);
	return err;
}

int store_extent_verify(struct store *s,
			void (*found)(void *arg, const char *line), void *arg)
{
	char line[ERROR_TEXT];
	sqlite3_stmt *q;
	int more, wrong = check_tree(s, found, arg), err = 0;

	if (wrong < 0)
		return wrong;
	q = store_sql_get(s, SQL_EXTENT_WRONG, &err);
	if (!q)
		return err;
	while ((more = store_sql_step(s, q)) > 0) {
		snprintf(line, sizeof(line), "extent: node %lld is outside its "
			 "box",
			 (long long)sqlite3_column_int64(q, 0));
		found(arg, line);
		wrong++;
	}
	store_sql_put(s, SQL_EXTENT_WRONG, q);
	return more < 0 ? more : wrong;
}
