// SPDX-License-Identifier: GPL-2.0-only
/*
 * store_keyframe - write and read submaps and their nodes
 */
#include <assert.h>
#include <errno.h>
#include "base/error.h"
#include "map/store/store_db.h"

static int store_keyframe_check_submap(struct store *s,
				       const struct store_keyframe *k,
				       unsigned int i)
{
	const struct cells *c = k->cells[i];
	struct error why;

	if (cells_check(c->width, c->height, c->bits, c->resolution,
			&c->origin, &why))
		return store_error_set(s, -EINVAL, "%s: %s", s->doing, why.text);
	if (k->submap[i].weight > RULE_WEIGHT_FULL)
		return store_error_set(s, -EINVAL, "%s: weight %u exceeds %d",
				       s->doing,
				       k->submap[i].weight, RULE_WEIGHT_FULL);
	for (unsigned int j = 0; j < i; j++)
		if (k->submap[j].layer == k->submap[i].layer)
			return store_error_set(s, -EINVAL,
					       "%s: layer %lld occurs twice",
					       s->doing, (long long)
					       k->submap[i].layer);
	return 0;
}

static int store_keyframe_check_keyframe(struct store *s,
					 const struct store_keyframe *k)
{
	int err = 0;

	if (k->pose && !pose_valid(k->pose))
		return store_error_set(s, -EINVAL,
				       "%s: invalid pose: %g, %g m, %g rad",
				       s->doing, k->pose->x, k->pose->y,
				       k->pose->yaw);
	for (unsigned int i = 0; !err && i < k->submaps; i++)
		err = store_keyframe_check_submap(s, k, i);
	return err;
}

/* Check that the layer of a submap exists and has its bits */
static int check_layer(struct store *s, int64_t layer, unsigned int bits)
{
	sqlite3_stmt *q;
	int have = 0, err = 0;

	q = store_sql_get(s, SQL_LAYER_BITS, &err);
	if (!q)
		return err;
	store_sql_bind(q, "i", layer);
	err = store_sql_step(s, q);
	if (err > 0)
		have = sqlite3_column_int(q, 0);
	store_sql_put(s, SQL_LAYER_BITS, q);
	if (err < 0)
		return err;
	if (!err)
		return store_error_set(s, -EINVAL, "%s: no layer %lld",
				       s->doing, (long long)layer);
	if (have != (int)bits)
		return store_error_set(s, -EINVAL, "%s: cells have %u bits, "
				       "layer %lld has %d", s->doing, bits,
				       (long long)layer, have);
	return 0;
}

/* @id: out: 0 if there is none */
static int store_keyframe_find_submap(struct store *s, int64_t node,
				      int64_t layer, int64_t *id)
{
	sqlite3_stmt *q;
	int err = 0;

	*id = 0;
	q = store_sql_get(s, SQL_SUBMAP_FIND, &err);
	if (!q)
		return err;
	store_sql_bind(q, "ii", node, layer);
	err = store_sql_step(s, q);
	if (err > 0)
		*id = sqlite3_column_int64(q, 0);
	store_sql_put(s, SQL_SUBMAP_FIND, q);
	return err < 0 ? err : 0;
}

#define SUBMAP_KINDS "iiiiiiddddib"
#define SUBMAP_VALUES(m)						\
	(m)->node, (m)->layer, (m)->stamp, (int64_t)(m)->width,		\
	(int64_t)(m)->height, (int64_t)(m)->bits, (m)->resolution,	\
	(m)->origin.x, (m)->origin.y, (m)->origin.yaw,			\
	(int64_t)(m)->weight

static int store_keyframe_put_row(struct store *s, struct store_submap *m,
				  const void *data, size_t len)
{
	int err;

	assert(len && m->node > 0 && m->layer > 0);
	if (m->id)
		return store_sql_run(s, SQL_SUBMAP_CHANGE, SUBMAP_KINDS "i",
				     SUBMAP_VALUES(m), data, len, m->id);
	err = store_sql_run(s, SQL_SUBMAP_ADD, SUBMAP_KINDS, SUBMAP_VALUES(m),
			    data, len);
	m->id = sqlite3_last_insert_rowid(s->db);
	return err;
}

/* @made: the node has no others */
static int put_submap(struct store *s, struct store_submap *m,
		      const struct cells *c, bool made)
{
	const void *data;
	size_t len;
	int err = check_layer(s, m->layer, c->bits);

	m->width = c->width;
	m->height = c->height;
	m->bits = c->bits;
	m->resolution = c->resolution;
	m->origin = c->origin;
	m->id = 0;
	if (!err && !made)
		err = store_keyframe_find_submap(s, m->node, m->layer, &m->id);
	if (err)
		return err;
	if (cells_blob_pack(s->blob, c, &data, &len))
		return store_error_set(s, -ENOMEM, "%s: no memory", s->doing);
	return store_keyframe_put_row(s, m, data, len);
}

static int put_keyframe(struct store *s, const struct store_keyframe *k)
{
	double radius = 0, one;
	int64_t node = 0;
	bool made;
	int err = store_node_make(s, k->frame, k->stamp, &node, &made);

	for (unsigned int i = 0; !err && i < k->submaps; i++) {
		k->submap[i].node = node;
		err = put_submap(s, &k->submap[i], k->cells[i], made);
		one = store_extent_radius(&k->submap[i]);
		radius = one > radius ? one : radius;
	}
	if (!err && k->pose)
		err = store_pose_put(s, node, k->pose, 0);
	return err ? err : store_extent_update(s, node, k->pose, radius);
}

int store_keyframe(struct store *s, const struct store_keyframe *k)
{
	int err = store_change(s, "storing a keyframe");

	if (err)
		return err;
	err = store_keyframe_check_keyframe(s, k);
	if (!err)
		err = put_keyframe(s, k);
	return store_changed(s, err);
}

/* A row of SQL_SUBMAPS. Return: 0, -EBADMSG with one line */
static int store_submap_read(struct store *s, sqlite3_stmt *q,
			     struct store_submap *m)
{
	int64_t width, height, bits, weight;
	struct error why;

	*m = (struct store_submap){ 0 };
	if (store_sql_whole(q, 0, 1, INT64_MAX, &m->id) ||
	    store_sql_whole(q, 1, 1, INT64_MAX, &m->node) ||
	    store_sql_whole(q, 2, 1, INT64_MAX, &m->layer) ||
	    store_sql_whole(q, 3, INT64_MIN, INT64_MAX, &m->stamp) ||
	    store_sql_whole(q, 4, 1, CELLS_SIDE_MAX, &width) ||
	    store_sql_whole(q, 5, 1, CELLS_SIDE_MAX, &height) ||
	    store_sql_whole(q, 6, 8, 16, &bits) ||
	    store_sql_real(q, 7, &m->resolution) ||
	    store_sql_pose(q, 8, &m->origin) ||
	    store_sql_whole(q, 11, 0, RULE_WEIGHT_FULL, &weight) ||
	    cells_check(width, height, bits, m->resolution, &m->origin, &why))
		return store_error_set(s, -EBADMSG, "%s: submap %lld is "
				       "damaged", s->doing, (long long)
				       sqlite3_column_int64(q, 0));
	m->width = width;
	m->height = height;
	m->bits = bits;
	m->weight = weight;
	return 0;
}

/* @id is bound; 0: nothing */
static int each_submap(struct store *s, enum store_sql sql, int64_t id,
		       int (*each)(void *arg, const struct store_submap *submap),
		       void *arg)
{
	struct store_submap m;
	sqlite3_stmt *q;
	int err = 0, more = 0;

	s->doing = "reading submaps";
	q = store_sql_get(s, sql, &err);
	if (!q)
		return err;
	if (id)
		store_sql_bind(q, "i", id);
	while (!err && (more = store_sql_step(s, q)) > 0) {
		err = store_submap_read(s, q, &m);
		if (!err)
			err = each(arg, &m);
	}
	store_sql_put(s, sql, q);
	return err ? err : more;
}

int store_submaps(struct store *s,
		  int (*each)(void *arg, const struct store_submap *submap),
		  void *arg)
{
	return each_submap(s, SQL_SUBMAPS, 0, each, arg);
}

int store_node_submaps(struct store *s, int64_t node,
		       int (*each)(void *arg, const struct store_submap *submap),
		       void *arg)
{
	return each_submap(s, SQL_SUBMAPS_OF, node, each, arg);
}

static int take_one(void *arg, const struct store_submap *m)
{
	*(struct store_submap *)arg = *m;
	return 1;
}

int store_first_submap(struct store *s, int64_t layer,
		       struct store_submap *submap)
{
	const int err = each_submap(s, SQL_SUBMAP_FIRST, layer, take_one,
				    submap);

	return err > 0 ? 0 : err ? err : -ENOENT;
}

static int read_cells(struct store *s, sqlite3_stmt *q, struct store_submap *m,
		      const void **cells)
{
	const void *data;
	int err = store_submap_read(s, q, m);

	if (err)
		return err;
	data = sqlite3_column_blob(q, 12);
	err = cells_blob_unpack(s->blob, m->width, m->height, m->bits, data,
				data ? sqlite3_column_bytes(q, 12) : 0, cells);
	if (err)
		store_error_set(s, err, "%s: %s submap %lld", s->doing,
				err == -ENOMEM ? "no memory for" :
						 "damaged cells of",
				(long long)m->id);
	return err;
}

int store_cells_read(struct store *s, int64_t submap, struct store_submap *m,
		     const void **cells)
{
	sqlite3_stmt *q;
	int err = 0;

	q = store_sql_get(s, SQL_CELLS, &err);
	if (!q)
		return err;
	store_sql_bind(q, "i", submap);
	err = store_sql_step(s, q);
	if (err > 0)
		err = read_cells(s, q, m, cells);
	else if (!err)
		err = store_error_set(s, -ENOENT, "%s: no submap %lld",
				      s->doing, (long long)submap);
	store_sql_put(s, SQL_CELLS, q);
	return err;
}

int store_cells(struct store *s, int64_t submap, struct cells **c)
{
	struct store_submap m;
	const void *cells;
	int err;

	s->doing = "reading cells";
	err = store_cells_read(s, submap, &m, &cells);
	if (err)
		return err;
	*c = cells_create(m.width, m.height, m.bits, m.resolution, &m.origin,
			  cells);
	return *c ? 0 : store_error_set(s, -ENOMEM, "%s: no memory", s->doing);
}
