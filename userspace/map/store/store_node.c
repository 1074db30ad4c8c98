// SPDX-License-Identifier: GPL-2.0-only
/*
 * store_node - nodes of the pose graph: their frames, poses and links
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "map/store/store_db.h"

/* @id: out: 0 if there is none */
static int store_node_find(struct store *s, const char *frame, int64_t *id)
{
	sqlite3_stmt *q;
	int err = 0;

	*id = 0;
	q = store_sql_get(s, SQL_NODE_FIND, &err);
	if (!q)
		return err;
	store_sql_bind(q, "t", frame);
	err = store_sql_step(s, q);
	if (err > 0)
		*id = sqlite3_column_int64(q, 0);
	store_sql_put(s, SQL_NODE_FIND, q);
	return err < 0 ? err : 0;
}

static int store_node_check_frame(struct store *s, const char *frame)
{
	const size_t n = strlen(frame);

	if (n && n < STORE_FRAME)
		return 0;
	return store_error_set(s, -EINVAL, "%s: frame name of %zu bytes, must "
			       "be 1..%d", s->doing, n,
			       STORE_FRAME - 1);
}

int store_node_make(struct store *s, const char *frame, int64_t stamp,
		    int64_t *id, bool *made)
{
	int err = store_node_check_frame(s, frame);

	*made = false;
	if (!err)
		err = store_node_find(s, frame, id);
	if (err || *id)
		return err;
	err = store_sql_run(s, SQL_NODE_ADD, "ti", frame, stamp);
	*id = sqlite3_last_insert_rowid(s->db);
	*made = !err;
	return err;
}

int store_node(struct store *s, const char *frame, int64_t stamp, int64_t *id)
{
	bool made;
	int err;

	/* an existing node costs no transaction */
	s->doing = "storing a node";
	err = store_node_find(s, frame, id);
	if (err || *id)
		return err;
	err = store_change(s, s->doing);
	if (err)
		return err;
	return store_changed(s, store_node_make(s, frame, stamp, id, &made));
}

int store_pose_put(struct store *s, int64_t node, const struct pose *pose,
		   int64_t rev)
{
	return store_sql_run(s, SQL_POSE_PUT, "idddi", node, pose->x, pose->y,
			     pose->yaw, rev);
}

static int put_link(struct store *s, const struct store_pose *p)
{
	if (p->link == STORE_LINK_KEEP)
		return 0;
	if (p->link == STORE_LINK_NONE)
		return store_sql_run(s, SQL_LINK_DROP, "i", p->node);
	return store_sql_run(s, SQL_LINK_PUT, "iiddd", p->node, p->predecessor,
			     p->transform.x, p->transform.y, p->transform.yaw);
}

static int check_pose(struct store *s, const struct store_pose *p)
{
	if (p->placed && !pose_valid(&p->pose))
		return store_error_set(s, -EINVAL, "%s: node %lld: invalid "
				       "pose: %g, %g m, %g rad",
				       s->doing, (long long)p->node,
				       p->pose.x, p->pose.y, p->pose.yaw);
	if (p->link == STORE_LINK_SET &&
	    (!pose_valid(&p->transform) || p->predecessor == p->node))
		return store_error_set(s, -EINVAL, "%s: node %lld: invalid "
				       "transform: %g, %g m, %g rad from node "
				       "%lld", s->doing,
				       (long long)p->node, p->transform.x,
				       p->transform.y, p->transform.yaw,
				       (long long)p->predecessor);
	return 0;
}

static int put_pose(struct store *s, const struct store_pose *p, int64_t rev,
		    struct store_boxes *boxes)
{
	int err = check_pose(s, p);

	if (!err && p->placed)
		err = store_extent_move(s, p->node, &p->pose, boxes);
	if (err == -ENOENT)
		return store_error_set(s, -EINVAL, "%s: no node %lld", s->doing,
				       (long long)p->node);
	if (!err)
		err = p->placed ? store_pose_put(s, p->node, &p->pose, rev) :
				  store_sql_run(s, SQL_POSE_DROP, "i", p->node);
	return err ? err : put_link(s, p);
}

/*
 * Done rarely, as it needs an index, which each change of poses would have to
 * maintain. A store with many revisions is not locked for long, and deletes
 * them in portions.
 */
static int drop_revisions(struct store *s, int64_t newest)
{
	int err;

	if (newest % STORE_REVISIONS)
		return 0;
	err = store_sql_run(s, SQL_REVS_INDEX, "");
	if (!err)
		err = store_sql_run(s, SQL_REVS_DROP, "ii",
				    newest - STORE_REVISIONS,
				    (int64_t)10 * STORE_REVISIONS);
	return err ? err : store_sql_run(s, SQL_REVS_UNINDEX, "");
}

int store_poses(struct store *s, const struct store_pose *pose,
		unsigned int count, int64_t stamp, const char *source)
{
	struct store_boxes boxes = { 0 };
	int64_t rev;
	int err = store_change(s, "storing poses");

	if (err)
		return err;
	err = store_sql_run(s, SQL_POSE_REV, "it", stamp, source);
	rev = sqlite3_last_insert_rowid(s->db);
	for (unsigned int i = 0; !err && i < count; i++)
		err = put_pose(s, &pose[i], rev, &boxes);
	if (!err)
		err = store_extent_put(s, &boxes);
	if (!err)
		err = drop_revisions(s, rev);
	free(boxes.node);
	return store_changed(s, err);
}

static bool is_null(sqlite3_stmt *q, int column)
{
	return sqlite3_column_type(q, column) == SQLITE_NULL;
}

static int store_node_read_row(struct store *s, sqlite3_stmt *q,
			       struct store_node *n)
{
	*n = (struct store_node){
		.placed = !is_null(q, 3), .linked = !is_null(q, 6),
	};
	if (store_sql_whole(q, 0, 1, INT64_MAX, &n->id) ||
	    store_sql_text(q, 1, n->frame, sizeof(n->frame)) || !*n->frame ||
	    store_sql_whole(q, 2, INT64_MIN, INT64_MAX, &n->stamp) ||
	    (n->placed && store_sql_pose(q, 3, &n->pose)) ||
	    (n->linked && (store_sql_whole(q, 6, 1, INT64_MAX,
					   &n->predecessor) ||
			   store_sql_pose(q, 7, &n->link))))
		return store_error_set(s, -EBADMSG, "%s: node %lld is damaged",
				       s->doing, (long long)
				       sqlite3_column_int64(q, 0));
	return 0;
}

int store_node_get(struct store *s, int64_t id, struct store_node *node)
{
	sqlite3_stmt *q;
	int err = 0;

	s->doing = "reading a node";
	q = store_sql_get(s, SQL_NODE_GET, &err);
	if (!q)
		return err;
	store_sql_bind(q, "i", id);
	err = store_sql_step(s, q);
	if (err > 0)
		err = store_node_read_row(s, q, node);
	else if (!err)
		err = store_error_set(s, -ENOENT, "%s: no node %lld", s->doing,
				      (long long)id);
	store_sql_put(s, SQL_NODE_GET, q);
	return err;
}

int store_find_node(struct store *s, const char *frame, struct store_node *node)
{
	int64_t id;
	int err;

	s->doing = "reading a node";
	err = store_node_find(s, frame, &id);
	if (!err && !id)
		err = store_error_set(s, -ENOENT, "%s: no %s", s->doing, frame);
	return err ? err : store_node_get(s, id, node);
}

int store_nodes(struct store *s,
		int (*each)(void *arg, const struct store_node *node),
		void *arg)
{
	struct store_node n;
	sqlite3_stmt *q;
	int err = 0, more = 0;

	s->doing = "reading nodes";
	q = store_sql_get(s, SQL_NODES, &err);
	if (!q)
		return err;
	while (!err && (more = store_sql_step(s, q)) > 0) {
		err = store_node_read_row(s, q, &n);
		if (!err)
			err = each(arg, &n);
	}
	store_sql_put(s, SQL_NODES, q);
	return err ? err : more;
}
