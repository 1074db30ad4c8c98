// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_store - what goes into the store comes out again, and only that: layers,
 * keyframes, poses, rooms, settings, notes; transactions, readers, copies
 */
#include <signal.h>
#include <sys/resource.h>
#include "map/store/store_edge.h"
#include "store_fixture.h"

static void keeps_layers(const char *path)
{
	struct store *s = open_it(path, STORE_CREATE);
	struct layer a, b;
	int64_t id, again;

	if (!ok(s, "a new store"))
		exit(1);
	ok_eq(layer_parse(&a, "temp_map_fused",
			  "input=temp_submap_fused unit=°C "
			  "role=temperature range=-20:180 rule=weighted bits=16 "
			  "drawing=sample resolution=0.1 weights=conf",
			  &error),
	      0, "a layer");
	ok_eq(store_layer(s, &a, &id), 0, "... store layer");
	ok_range(id, 1, INFINITY, "... id");
	b = layer_of("slam_map", 8);
	ok_eq(store_layer(s, &b, &again), 0, "another layer");
	ok(again != id, "... again");
	b.rule = RULE_LOG_ODDS;
	b.modality = MODALITY_OBSTACLE;
	ok(!store_layer(s, &b, &again), "a layer is changed");
	store_close(s);
	s = open_it(path, STORE_READ);
	ok(s, "layers come back");
	ok(read_all(s), "... read all");
	ok_eq(all->layers, 2, "... layers");
	ok_eq(all->layer_id[0], id, "... layer id");
	ok_eq(all->layer_id[1], again, "... layer id");
	ok_mem(&all->layer[0], &a, sizeof(a), "... layer");
	ok_mem(&all->layer[1], &b, sizeof(b), "... layer");
	ok(fails(s, store_layer(s, &b, &id), -EROFS, "read-only"),
	   "not written when opened for reading");
	store_close(s);
	s = open_it(path, STORE_WRITE);
	b.low = NAN;
	ok(s, "no layer of NAN");
	ok(fails(s, store_layer(s, &b, &id), -EINVAL, "layer"), "... fails");
	store_close(s);
}

static void keeps_keyframes(void)
{
	const char *path = in_folder("keyframes");
	const struct pose pose = { 10, -20, 3 };
	struct store *s = open_it(path, STORE_CREATE);
	struct store_submap m[2] = {
		{ .layer = add_layer(s, "a", 8), .stamp = 5, .weight = 70 },
		{ .layer = add_layer(s, "b", 16), .stamp = -6, .weight = 100 },
	};
	struct cells *c[2] = {
		make_cells(200, 100, 8), make_cells(33, 44, 16),
	};
	struct cells *d = make_cells(1, 1, 8), *wrong = make_cells(3, 3, 16);
	int64_t node, id, id_b;

	ok_eq(put(s, "sub 0", &pose, m, c, 2), 0,
	      "a keyframe of 8 and 16 bits");
	ok_range(m[0].id, 1, INFINITY, "... id");
	ok_range(m[1].id, 1, INFINITY, "... id");
	ok(m[0].id != m[1].id, "... id");
	ok_range(m[0].node, 1, INFINITY, "... node");
	ok_eq(m[1].node, m[0].node, "... node");
	id = m[0].id;
	id_b = m[1].id;
	ok_eq(store_node(s, "sub 0", 7, &node), 0, "its node has its name");
	ok_eq(node, m[0].node, "... node");
	ok_eq(store_node(s, "sub 1", 7, &node), 0, "a node alone");
	ok(node != m[0].node, "... node");
	store_close(s);
	s = open_it(path, STORE_WRITE);
	ok(has_cells(s, id, c[0]), "cells come back");
	ok(has_cells(s, id_b, c[1]), "... has cells");
	ok(read_all(s), "nodes too");
	ok_eq(all->nodes, 2, "... nodes");
	ok(all->node[0].placed, "... placed");
	ok_near(all->node[0].pose.x, 10, 0, "... x");
	ok_near(all->node[0].pose.yaw, 3, 0, "... yaw");
	ok_eq(all->node[0].stamp, 1234567890123456789, "... stamp");
	ok_str(all->node[0].frame, "sub 0", "... frame");
	ok_eq(all->node[0].linked, 0, "... linked");
	ok_eq(all->node[1].placed, 0, "... placed");
	ok_eq(all->node[1].stamp, 7, "... stamp");
	ok_eq(all->submaps, 2, "submaps too");
	ok_eq(all->submap[1].width, 33, "... width");
	ok_eq(all->submap[1].height, 44, "... height");
	ok_eq(all->submap[1].bits, 16, "... bits");
	ok_eq(all->submap[1].stamp, -6, "... stamp");
	ok_eq(all->submap[0].weight, 70, "... weight");
	ok_near(all->submap[1].origin.y, -2.25, 0, "... y");
	ok_eq(all->submap[1].id, id_b, "... id");

	m[0].stamp = 9;
	ok_eq(put(s, "sub 0", NULL, m, &d, 1), 0,
	      "one of them is replaced and keeps its id");
	ok_eq(m[0].id, id, "... id");
	ok(has_cells(s, id, d), "... has cells");
	ok(has_cells(s, id_b, c[1]), "... has cells");
	ok(read_all(s), "... read all");
	ok_eq(all->submaps, 2, "... submaps");
	ok_eq(all->submap[0].stamp, 9, "... stamp");
	ok_eq(all->submap[0].width, 1, "... width");
	ok_near(all->node[0].pose.x, 10, 0, "... x");
	m[1].layer = m[0].layer;
	ok(fails(s, put(s, "sub 2", NULL, m, c, 2), -EINVAL, "twice"),
	   "not a layer twice");
	m[1].layer = 99;
	ok(fails(s, put(s, "sub 2", &pose, m, c, 2), -EINVAL, "no layer 99"),
	   "unknown layer: an error");
	m[1].layer = m[0].layer + 1;
	c[1] = (cells_put(c[1]), d);
	ok(fails(s, put(s, "sub 2", &pose, m, c, 2), -EINVAL, "bits"),
	   "wrong bits: an error");
	m[0].weight = 101;
	ok(fails(s, put(s, "sub 2", &pose, m, c, 1), -EINVAL, "weight"),
	   "wrong weight: an error");
	m[0].weight = 0;
	ok(fails(s, put(s, "", &pose, m, c, 1), -EINVAL, "frame"),
	   "no frame without a name");
	ok(fails(s, put(s, "sub 2", &(struct pose){ NAN, 0, 0 }, m, c, 1),
		 -EINVAL, "nan"), "no pose of NAN");
	ok(read_all(s), "and nothing of these is there");
	ok_eq(all->nodes, 2, "... nodes");
	ok_eq(all->submaps, 2, "... submaps");
	ok(fails(s, store_layer(s, &(struct layer){ .name = "a", .bits = 16,
		 .high = 1 }, &id), -EINVAL, "bits"),
	   "a layer with submaps keeps its bits");
	ok(fails(s, store_cells(s, 1234, &wrong), -ENOENT, "1234"),
	   "no such submap");
	is_sound(s, "keyframes");
	store_close(s);
	cells_put(c[0]);
	cells_put(d);
	cells_put(wrong);
}

static void places(struct store *s, const int64_t *id, struct store_pose *p,
		   double far)
{
	for (int i = 0; i < FRAMES; i++) {
		p[i] = (struct store_pose){
			.node = id[i], .placed = true,
			.link = i ? STORE_LINK_SET : STORE_LINK_NONE,
			.predecessor = id[i ? i - 1 : 0],
			.pose = { rnd(&seed, 1000) * far,
				  rnd(&seed, 1000) * far, i * 0.1 },
			.transform = { 3, i, -1 },
		};
	}
	ok(!store_poses(s, p, FRAMES, 77, "slam"), "%d poses, %g m apart",
	   FRAMES, far);
}

/* By comparing all: no node whose circle reaches into the area is missed */
static void finds(struct store *s, const struct store_pose *p, double radius,
		  const char *what)
{
	unsigned int missed = 0, found = 0, needed = 0;

	for (int i = 0; i < 200; i++) {
		const double x = rnd(&seed, 1000), y = rnd(&seed, 1000);
		const double w = rnd(&seed, 50);

		memset(is_near, 0, sizeof(is_near));
		if (store_near(s, x, y, x + w, y + w, on_near, &found))
			missed++;
		for (int j = 0; j < FRAMES; j++) {
			const struct pose *q = &p[j].pose;

			if (q->x + radius < x || q->x - radius > x + w ||
			    q->y + radius < y || q->y - radius > y + w)
				continue;
			needed++;
			missed += !is_near[p[j].node];
		}
	}
	ok_eq(missed, 0, "%s: none missed of %u, %u found", what, needed,
	      found);
	ok(needed, "... needed");
	ok_range(found, -INFINITY, 4 * needed + FRAMES, "... found");
}

static void keeps_poses(void)
{
	const char *path = in_folder("poses");
	struct store *s = open_it(path, STORE_CREATE);
	struct store_submap m = { .layer = add_layer(s, "a", 8), .weight = 1 };
	struct cells *c = make_cells(60, 60, 8);
	struct cells *larger = make_cells(400, 9, 8);
	struct store_pose p[FRAMES];
	struct store_node node;
	int64_t id[FRAMES];
	unsigned int n = 0;
	char frame[16];

	ok(!store_begin(s), "begun");
	for (int i = 0; i < FRAMES; i++) {
		snprintf(frame, sizeof(frame), "n%d", i);
		n += !put(s, frame, NULL, &m, &c, 1);
		id[i] = m.node;
	}
	ok_eq(store_commit(s), 0, "%d keyframes without poses", n);
	ok_eq(n, FRAMES, "... number");
	ok_eq(store_near(s, -1e6, -1e6, 1e6, 1e6, on_near,
			 &(unsigned int){ 0 }),
	      0, "are nowhere");
	ok_eq(is_near[id[0]], 0, "... is near");
	places(s, id, p, 1);
	finds(s, p, 2.7, "placed");
	for (int k = 0; k < 8; k++) {
		for (int i = 0; i < FRAMES; i++) {
			p[i].pose.x += (int)rnd(&seed, 100) * 0.01;
			p[i].pose.y -= (int)rnd(&seed, 60) * 0.01;
		}
		n += !store_poses(s, p, FRAMES, 78, "slam");
		finds(s, p, 2.7, "moved a little");
	}
	places(s, id, p, 0.7);
	finds(s, p, 2.7, "moved much");
	ok(!put(s, "n3", NULL, &m, &larger, 1), "one reaches further");
	memset(is_near, 0, sizeof(is_near));
	ok_eq(store_near(s, p[3].pose.x + 17, p[3].pose.y - 20,
			 p[3].pose.x + 18, p[3].pose.y + 20, on_near, &n),
	      0, "and is found there");
	ok(is_near[id[3]], "... is near");
	is_sound(s, "poses");
	store_close(s);

	s = open_it(path, STORE_WRITE);
	ok(read_all(s), "poses and links come back");
	ok_eq(all->nodes, FRAMES, "... nodes");
	ok(all->node[5].linked, "... linked");
	ok_eq(all->node[5].predecessor, id[4], "... predecessor");
	ok_near(all->node[5].link.y, 5, 0, "... y");
	ok_near(all->node[5].pose.x, p[5].pose.x, 0, "... x");
	ok_eq(all->node[0].linked, 0, "... linked");
	ok(sql_is(path, "SELECT count(*) || source FROM pose JOIN pose_rev "
		  "USING (rev) WHERE stamp = 77", "200slam"),
	   "with their revision");
	p[7].node = 5000;
	ok(fails(s, store_poses(s, p, FRAMES, 79, "x"), -EINVAL,
		 "no node 5000"), "a node that is not there");
	p[7].node = id[7];
	p[7].predecessor = 4000;
	ok(store_poses(s, p, FRAMES, 79, "x") == -EINVAL,
	   "a predecessor that is not there");
	p[7].predecessor = id[7];
	ok(store_poses(s, p, FRAMES, 79, "x") == -EINVAL,
	   "its own predecessor");
	p[7].predecessor = id[6];
	p[7].transform.x = INFINITY;
	ok(store_poses(s, p, FRAMES, 79, "x") == -EINVAL, "INFINITY m from it");
	p[7].transform.x = 1;
	p[7].pose.yaw = INFINITY;
	ok(store_poses(s, p, FRAMES, 79, "x") == -EINVAL, "turned by INFINITY");
	ok(sql_is(path, "SELECT max(rev) FROM pose_rev", "10"),
	   "none of these left a revision");
	p[7].placed = false;
	p[7].link = STORE_LINK_KEEP;
	ok_eq(store_poses(s, p + 7, 1, 80, "x"), 0, "a pose is taken away");
	ok_eq(store_node_get(s, id[7], &node), 0, "... store node get");
	ok(!node.placed, "... placed");
	ok(node.linked, "... the link stays");
	p[7].link = STORE_LINK_NONE;
	ok_eq(store_poses(s, p + 7, 1, 81, "x"), 0, "and a link");
	ok_eq(store_node_get(s, id[7], &node), 0, "... store node get");
	ok(!node.linked, "... linked");
	is_sound(s, "without a pose");
	store_close(s);
	cells_put(c);
	cells_put(larger);
}

/* Most changes of poses are of nodes that move again: those are not needed */
static void drops_revisions(void)
{
	enum { CHANGES = 3 * STORE_REVISIONS + 7, MOVE = 3 };
	const char *path = in_folder("revisions");
	struct store *s = open_it(path, STORE_CREATE);
	struct store_pose p = { .placed = true };
	int64_t id[MOVE + 1];
	char frame[8];
	int err = store_begin(s);

	for (int i = 0; i <= MOVE; i++) {
		snprintf(frame, sizeof(frame), "n%d", i);
		err = err ?: store_node(s, frame, 1, &id[i]);
	}
	for (int i = 1; i <= CHANGES && !err; i++) {
		/* one moves early, and never again */
		p.node = id[i == 5 ? MOVE : i % MOVE];
		p.pose.x = i;
		err = store_poses(s, &p, 1, i, "slam");
	}
	err = err ?: store_commit(s);
	is_sound(s, "many revisions");
	store_close(s);
	ok_eq(err, 0, "of %d revisions those are kept that are new or needed",
	      CHANGES);
	ok(sql_is(path, "SELECT count(*) FROM pose_rev", "1008"), "... sql is");
	ok(sql_is(path,
		  "SELECT group_concat(rev) FROM pose_rev WHERE rev <= "
		  "2000",
		  "5"),
	   "the last ones, and one that a pose came with");
	ok(sql_is(path, "SELECT min(rev) FROM pose_rev WHERE rev > 5", "2001"),
	   "... sql is");
	ok(sql_is(path, "SELECT count(*) FROM sqlite_schema WHERE name = "
		  "'pose_by_rev'", "0"), "and the tables are as they were");
}

static bool same_values(const struct room *a, const struct room *b)
{
	for (int i = 0; i < MODALITIES; i++)
		if (a->value[i] != b->value[i] &&
		    !(isnan(a->value[i]) && isnan(b->value[i])))
			return false;
	return true;
}

static bool same_room(const struct room *a, const struct room *b)
{
	/* NAN as it is: all bytes but those between the members */
	return a->id == b->id && !strcmp(a->name, b->name) &&
	       a->stamp == b->stamp && a->x == b->x && a->y == b->y &&
	       a->size == b->size && a->corners == b->corners &&
	       !memcmp(a->corner, b->corner, a->corners * sizeof(*a->corner)) &&
	       a->reported == b->reported &&
	       a->gases == b->gases &&
	       (a->gases < 2 || isnan(b->gas[1]) == isnan(a->gas[1])) &&
	       (a->gases < 3 || a->gas[2] == b->gas[2]) && same_values(a, b);
}

static void keeps_rooms(void)
{
	const char *path = in_folder("rooms");
	struct store *s = open_it(path, STORE_CREATE);
	struct room r[3] = {
		make_room(0, 0, 0), make_room(7, 4, 3),
		make_room(255, ROOM_CORNERS, ROOM_GASES),
	};
	struct room bad = r[0];

	for (int i = 0; i < 3; i++)
		ok(!store_room(s, &r[i]), "room %u", r[i].id);
	r[1] = make_room(7, 3, 2);
	r[1].stamp++;
	ok(!store_room(s, &r[1]), "a room is replaced");
	store_close(s);
	s = open_it(path, STORE_WRITE);
	ok(read_all(s), "rooms come back");
	ok_eq(all->rooms, 3, "... rooms");
	ok(same_room(&r[0], &all->room[0]), "... same room");
	ok(same_room(&r[1], &all->room[1]), "... same room");
	ok(same_room(&r[2], &all->room[2]), "... same room");
	ok(sql_is(path, "SELECT outline FROM rooms WHERE id = 7",
		  "POLYGON ((0.0 1.0, 0.333333333333333 0.0, "
		  "0.666666666666667 -1.0, 0.0 1.0))"), "readable as WKT");
	bad.x = NAN;
	ok(fails(s, store_room(s, &bad), -EINVAL, "room"), "not at NAN");
	bad = r[0];
	bad.id = ROOM_ID_MAX + 1;
	ok(store_room(s, &bad) == -EINVAL, "no larger id");
	bad = r[0];
	bad.value[MODALITY_SMOKE] = 101;
	ok(store_room(s, &bad) == -EINVAL, "no more smoke");
	is_sound(s, "rooms");
	store_close(s);
}

static void removes(void)
{
	const char *path = in_folder("removed");
	struct store *s = open_it(path, STORE_CREATE);
	const int64_t a = add_layer(s, "a", 8), b = add_layer(s, "b", 8);
	const struct room r = make_room(7, 4, 3);
	const struct pose pose = { 1, 2, 3 };
	struct store_submap m[2] = { { .layer = b }, { .layer = a } };
	struct cells *c = make_cells(9, 9, 8), *both[2] = { c, c };
	unsigned int submaps = 9;

	ok_range(a, 1, INFINITY, "two layers and a room");
	ok_range(b, 1, INFINITY, "... b");
	ok_eq(store_room(s, &r), 0, "... store room");
	ok_eq(put(s, "n0", &pose, m, both, 2), 0, "... put");
	ok_eq(put(s, "n1", &pose, m, both, 1), 0, "... put");
	cells_put(c);
	ok_eq(store_remove_layer(s, b, &submaps), 0,
	      "a layer goes, with its submaps");
	ok_eq(submaps, 2, "... submaps");
	ok(fails(s, store_remove_layer(s, b, &submaps), -ENOENT, "removing"),
	   "it goes once");
	ok(!store_remove_room(s, 7), "a room goes");
	ok(fails(s, store_remove_room(s, 7), -ENOENT, "removing"),
	   "it goes once, too");
	ok(read_all(s), "all else is there");
	ok_eq(all->layers, 1, "... layers");
	ok_eq(all->submaps, 1, "... submaps");
	ok_eq(all->nodes, 2, "... nodes");
	ok_eq(all->rooms, 0, "... rooms");
	ok(sql_is(path, "SELECT (SELECT count(*) FROM corner) + "
		  "(SELECT count(*) FROM gas)", "0"), "nothing of the room is");
	is_sound(s, "removing");
	store_close(s);
	s = open_it(path, STORE_READ);
	ok(s, "not when it is opened for reading");
	ok(fails(s, store_remove_layer(s, a, &submaps), -EROFS, "read-only"),
	   "... fails");
	ok(fails(s, store_remove_room(s, 0), -EROFS, "read-only"), "... fails");
	store_close(s);
}

/*
 * Edges
 */

struct edges {
	struct store_edge	edge[8];
	unsigned int		count;
};

static int take_edge(void *arg, const struct store_edge *e)
{
	struct edges *to = arg;

	to->edge[to->count++ % 8] = *e;
	return 0;
}

static struct edges edges_of(struct store *s)
{
	struct edges e = { .count = 0 };

	if (store_each_edge(s, take_edge, &e))
		e.count = 99;
	return e;
}

static void refuses_edges(struct store *s, const struct store_edge *good)
{
	struct store_edge bad[] = { *good, *good, *good, *good, *good, *good };

	strcpy(bad[0].to, bad[0].from);
	*bad[1].from = 0;
	bad[2].transform.yaw = NAN;
	bad[3].covariance[0] = -1;
	bad[4].covariance[1] = 2;
	bad[5].covariance[5] = INFINITY;
	for (int i = 0; i < 6; i++) {
		const struct store_edge two[] = { *good, bad[i] };

		ok_eq(store_edges(s, "one", 9, two, 2), -EINVAL,
		      "an edge that is invalid, %d: none is stored", i);
	}
	ok_eq(edges_of(s).count, 3, "... the old ones stay");
}

static void keeps_edges(void)
{
	const char *path = in_folder("edges");
	const struct store_edge edge[2] = {
		{ "a", "b", false, false, { 5, 0.5, -1 },
		  { 1, 0.5, 0.1, 2, -0.1, 0.25 } },
		{ "b", "elsewhere", true, true, { -1, 2, 3 },
		  { 1, 0, 0, 1, 0, 1 } },
	};
	struct store *s = open_it(path, STORE_CREATE);
	struct edges e;

	ok_eq(edges_of(s).count, 0, "a store without edges");
	ok(sql_is(path, "SELECT count(*) FROM sqlite_schema "
		  "WHERE name = 'edge'", "0"), "... has no table of them");
	ok_eq(store_edges(s, "one", 1, edge, 2), 0, "two edges");
	ok_eq(store_edges(s, "two", 2, edge + 1, 1), 0,
	      "... and one of another source");
	e = edges_of(s);
	ok_eq(e.count, 3, "... come back");
	for (int i = 0; i < 2; i++) {
		ok_str(e.edge[i].from, edge[i].from, "... from");
		ok_str(e.edge[i].to, edge[i].to, "... to");
		ok_eq(e.edge[i].loop, edge[i].loop, "... loop");
		ok_eq(e.edge[i].waiting, edge[i].waiting, "... waiting");
		ok_mem(&e.edge[i].transform, &edge[i].transform,
		       sizeof(struct pose), "... transform");
		ok_mem(e.edge[i].covariance, edge[i].covariance,
		       sizeof(edge[i].covariance), "... covariance");
	}
	ok(sql_is(path, "PRAGMA user_version", "1"),
	   "older programs still open the store");
	ok_eq(store_verify(s, NULL, NULL), 0, "... it is intact");
	refuses_edges(s, edge);
	ok_eq(store_edges(s, "one", 3, edge, 1), 0, "one less");
	ok_eq(edges_of(s).count, 2, "... replaces them");
	ok_eq(store_edges(s, "one", 3, NULL, 0), 0, "none");
	ok_eq(edges_of(s).count, 1, "... the other source keeps its own");
	store_close(s);
	sql(path, "UPDATE edge SET to_frame = printf('%200s', 'x')");
	s = open_it(path, STORE_READ);
	ok(fails(s, store_each_edge(s, take_edge, &e), -EBADMSG, "is damaged"),
	   "a damaged edge");
	store_close(s);
}

static int stop(void *arg, double x, double y)
{
	(void)x;
	(void)y;
	return ++*(int *)arg == 2 ? 42 : 0;
}

static void keeps_others(void)
{
	static const double a[3][2] = { { 1, 2 }, { 3, 4 }, { -5, 1e-9 } };
	static const double bad[1][2] = { { 0, NAN } };
	static const double far[2][2] = { { 0, INFINITY }, { -INFINITY, 0 } };
	const char *path = in_folder("others");
	struct store *s = open_it(path, STORE_CREATE);
	char value[8];
	int calls = 0;

	ok_eq(store_repeaters(s, 5, a, 3), 0, "repeaters: the last ones");
	ok_eq(store_repeaters(s, 6, a + 1, 2), 0, "... store repeaters");
	ok(read_all(s), "... read all");
	ok_eq(all->points, 2, "... points");
	ok_near(all->point[1][1], 1e-9, 0, "... point");
	ok_near(all->point[0][0], 3, 0, "... point");
	ok_eq(store_repeaters(s, 7, bad, 1), -EINVAL, "not at NAN");
	ok_eq(store_repeaters(s, 7, far, 1), -EINVAL, "not infinitely far");
	ok_eq(store_repeaters(s, 7, far + 1, 1), -EINVAL, "... either way");
	ok(read_all(s), "... read all");
	ok_eq(all->points, 2, "... points");
	ok_eq(store_each_repeater(s, stop, &calls), 42,
	      "what the receiver returns ends it");
	ok_eq(calls, 2, "... calls");
	ok_eq(store_repeaters(s, 8, NULL, 0), 0, "none");
	ok(read_all(s), "... read all");
	ok_eq(all->points, 0, "... points");
	ok_eq(store_set(s, "map", "one"), 0, "a setting");
	ok_eq(store_set(s, "map", "seven c"), 0, "... store set");
	ok_eq(store_get(s, "map", value, 8), 7, "... store get");
	ok_str(value, "seven c", "... value");
	ok(fails(s, store_get(s, "map", value, 7), -ENOSPC, "limit of 7"),
	   "which needs room");
	ok_eq(store_set(s, "map", NULL), 0, "and is forgotten");
	ok(fails(s, store_get(s, "map", value, 8), -ENOENT, "no map"),
	   "... fails");
	ok_eq(store_note(s, 1, "snapshot", "first", "/tmp/a b"), 0, "notes");
	ok_eq(store_note(s, 2, "error", "second", NULL), 0, "... store note");
	ok_eq(store_note(s, 3, "snapshot", "", NULL), 0, "... store note");
	memset(all, 0, sizeof(*all));
	ok_eq(store_notes(s, "snapshot", on_note, NULL), 0,
	      "notes of a kind come back");
	ok_eq(all->notes, 2, "... notes");
	ok_str(all->note[0], "1 first /tmp/a b", "... note");
	ok_str(all->note[1], "3  -", "... note");
	is_sound(s, "others");
	store_close(s);
}

static unsigned int visits;

static int stop_at_layer(void *arg, int64_t id, const struct layer *l)
{
	(void)arg;
	(void)id;
	(void)l;
	return ++visits == 2 ? 42 : 0;
}

static int stop_at_node(void *arg, const struct store_node *n)
{
	(void)arg;
	(void)n;
	return ++visits == 2 ? 42 : 0;
}

static int stop_at_submap(void *arg, const struct store_submap *m)
{
	(void)arg;
	(void)m;
	return ++visits == 2 ? 42 : 0;
}

static int stop_at_room(void *arg, const struct room *r)
{
	(void)arg;
	(void)r;
	return ++visits == 2 ? 42 : 0;
}

static int stop_near(void *arg, int64_t node)
{
	(void)arg;
	(void)node;
	return ++visits == 2 ? 42 : 0;
}

static int stop_at_note(void *arg, int64_t stamp, const char *text,
			const char *path)
{
	(void)arg;
	(void)stamp;
	(void)text;
	(void)path;
	return ++visits == 2 ? 42 : 0;
}

static void stopped(int ret, const char *what)
{
	ok_eq(ret, 42, "%s: the second of three ends it", what);
	ok_eq(visits, 2, "... visits");
	visits = 0;
}

/* Three of each, and a callback that wants no more than two */
static void stops(void)
{
	struct store *s = open_it(in_folder("stops"), STORE_CREATE);
	const struct pose pose = { 1, 2, 0 };
	struct cells *c = make_cells(5, 5, 8);
	struct cells *three[3] = { c, c, c };
	struct store_submap m[3] = { { .layer = add_layer(s, "a", 8) },
				     { .layer = add_layer(s, "b", 8) },
				     { .layer = add_layer(s, "c", 8) } };
	char frame[4] = "n0";

	for (unsigned int i = 0; i < 3; i++) {
		const struct room r = make_room(i, 3, 0);

		frame[1] = (char)('0' + i);
		ok_eq(put(s, frame, &pose, m, three, 3), 0, "... put");
		ok_eq(store_room(s, &r), 0, "... store room");
		ok_eq(store_note(s, i, "error", "x", NULL), 0, "... store note");
	}
	stopped(store_layers(s, stop_at_layer, NULL), "layers");
	stopped(store_nodes(s, stop_at_node, NULL), "nodes");
	stopped(store_submaps(s, stop_at_submap, NULL), "submaps");
	stopped(store_node_submaps(s, m[0].node, stop_at_submap, NULL),
		"submaps of a node");
	stopped(store_rooms(s, stop_at_room, NULL), "rooms");
	stopped(store_near(s, 0, 0, 2, 2, stop_near, NULL), "nodes of an area");
	stopped(store_notes(s, "error", stop_at_note, NULL), "notes");
	store_close(s);
	cells_put(c);
}

/* As long as a name and as heavy as a submap may be */
static void takes_the_most(void)
{
	struct store *s = open_it(in_folder("most"), STORE_CREATE);
	struct store_submap m = { .layer = add_layer(s, "a", 8),
				  .weight = RULE_WEIGHT_FULL };
	struct cells *c = make_cells(5, 5, 8);
	char frame[STORE_FRAME + 1] = "";
	struct store_node node;

	memset(frame, 'f', STORE_FRAME - 1);
	ok_eq(put(s, frame, NULL, &m, &c, 1), 0, "the longest name of a frame");
	ok_eq(store_find_node(s, frame, &node), 0, "... is found");
	ok_str(node.frame, frame, "... as it is");
	frame[STORE_FRAME - 1] = 'f';
	ok_eq(put(s, frame, NULL, &m, &c, 1), -EINVAL, "not a longer one");
	m.weight++;
	ok_eq(put(s, "a", NULL, &m, &c, 1), -EINVAL, "nor more weight");
	is_sound(s, "the most");
	store_close(s);
	cells_put(c);
}

static void undoes(void)
{
	struct store *s = open_it(in_folder("undo"), STORE_CREATE);
	const int64_t layer = add_layer(s, "a", 8);
	struct store_submap m[2] = { { .layer = layer }, { .layer = 99 } };
	struct cells *c = make_cells(5, 5, 8);
	struct cells *two[2] = { c, c };
	char value[8];

	ok(store_commit(s) == -EINVAL, "nothing to commit");
	ok_eq(store_begin(s), 0, "begun once");
	ok_eq(store_begin(s), -EINVAL, "... store begin");
	ok_eq(put(s, "a", NULL, m, &c, 1), 0, "... put");
	ok_eq(store_set(s, "x", "1"), 0, "... store set");
	store_rollback(s);
	ok(read_all(s), "undone");
	ok_eq(all->nodes, 0, "... nodes");
	ok_eq(all->submaps, 0, "... submaps");
	ok_eq(store_get(s, "x", value, 8), -ENOENT, "... store get");
	ok_eq(store_begin(s), 0,
	      "what fails leaves nothing, what is around it stays");
	ok_eq(put(s, "a", NULL, m, &c, 1), 0, "... put");
	ok_eq(put(s, "b", NULL, m, two, 2), -EINVAL, "... put");
	ok_eq(store_set(s, "x", "1"), 0, "... store set");
	ok_eq(store_commit(s), 0, "... store commit");
	ok(read_all(s), "... read all");
	ok_eq(all->nodes, 1, "... nodes");
	ok_str(all->node[0].frame, "a", "... frame");
	ok_eq(store_get(s, "x", value, 8), 1, "... store get");
	store_rollback(s);
	ok_eq(store_begin(s), 0, "begun");
	ok_eq(store_set(s, "x", "2"), 0, "... store set");
	store_close(s);
	s = open_it(in_folder("undo"), STORE_READ);
	ok_eq(store_get(s, "x", value, 8), 1,
	      "closed without a commit: undone");
	ok_eq(*value, '1', "... value");
	store_close(s);
	cells_put(c);
}

static void reads_beside(void)
{
	const char *path = in_folder("beside");
	struct store *w = open_it(path, STORE_CREATE), *r, *b;
	const int64_t layer = add_layer(w, "a", 8);
	struct store_submap m = { .layer = layer };
	struct cells *c = make_cells(50, 50, 8);
	char first[64];

	snprintf(first, sizeof(first), "locked: process %d writes it",
		 (int)getpid());
	refused(path, STORE_WRITE, -EBUSY, first, "a second writer");
	refused(path, STORE_CREATE, -EBUSY, "process", "a second creator");
	ok(!symlink(path, in_folder("link")), "another name");
	refused(in_folder("link"), STORE_WRITE, -EBUSY, "process",
		"by another name");
	r = open_it(path, STORE_READ);
	ok(r, "a reader sees what is committed");
	ok_eq(put(w, "a", NULL, &m, &c, 1), 0, "... put");
	ok(has_cells(r, m.id, c), "... has cells");
	ok_eq(store_begin(w), 0, "and nothing before that");
	ok_eq(put(w, "b", NULL, &m, &c, 1), 0, "... put");
	ok(read_all(r), "... read all");
	ok_eq(all->nodes, 1, "... nodes");
	ok_eq(store_commit(w), 0, "... store commit");
	ok(read_all(r), "... read all");
	ok_eq(all->nodes, 2, "... nodes");
	is_sound(r, "by the reader");
	ok_eq(store_backup(w, in_folder("copy")), 0, "copied while it is open");
	ok_eq(store_checkpoint(w), 0, "... store checkpoint");
	ok(store_backup(w, in_folder("copy")) == -EEXIST, "not over another");
	ok_range(store_backup(w, in_folder("none/copy")), -INFINITY, -1,
		 "nowhere: %s", store_error(w));
	ok(is_line(store_error(w), "copy"), "... is line");
	ok_eq(store_begin(w), 0, "not in the middle");
	ok_eq(store_backup(w, in_folder("c2")), -EBUSY, "... store backup");
	ok(access(in_folder("c2"), F_OK), "... the file is not there");
	store_rollback(w);
	b = open_it(in_folder("copy"), STORE_READ);
	ok(b, "the copy has all of it");
	ok(has_cells(b, m.id, c), "... has cells");
	ok(read_all(b), "... read all");
	ok_eq(all->nodes, 2, "... nodes");
	is_sound(b, "the copy");
	store_close(b);
	ok(access(in_folder("copy-wal"), F_OK), "and is one file");
	ok(access(in_folder("copy.part"), F_OK), "... the file is not there");
	b = open_it(in_folder("copy"), STORE_WRITE);
	ok(b, "it can be written again");
	ok_eq(put(b, "c", NULL, &m, &c, 1), 0, "... put");
	store_close(b);
	store_close(w);
	w = open_it(path, STORE_WRITE);
	ok(w, "written again, while the reader is there");
	store_close(w);
	store_close(r);
	cells_put(c);
}

static unsigned int io_errors;
static char io_line[ERROR_TEXT];

static void note_io_error(void *arg, const char *line)
{
	(void)arg;
	io_errors++;
	snprintf(io_line, sizeof(io_line), "%s", line);
}

/* A disk that does not take more, as far as SQLite can see */
static void tells_io_errors(void)
{
	struct rlimit limit, old;
	struct store *s = open_it(in_folder("io"), STORE_CREATE);
	struct store_submap m = { .layer = add_layer(s, "a", 8) };
	struct cells *c = make_cells(50, 50, 8);
	int err;

	store_set_io_error(s, note_io_error, NULL);
	ok_eq(store_commit(s), -EINVAL, "other errors are not reported");
	ok_eq(io_errors, 0, "... io errors");
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	limit = old;
	limit.rlim_cur = 4096;
	setrlimit(RLIMIT_FSIZE, &limit);
	err = put(s, "b", NULL, &m, &c, 1);
	setrlimit(RLIMIT_FSIZE, &old);
	ok_eq(err, -EIO,
	      "an error of the disk is reported: "
	      "%s",
	      io_line);
	ok(io_errors, "... io errors");
	ok_str(io_line, store_error(s), "... io line");
	ok(strstr(io_line, "disk I/O error"), "... io line says it");
	ok(!put(s, "b", NULL, &m, &c, 1), "then it goes on");
	store_close(s);
	cells_put(c);
}

int main(void)
{
	make_folder();
	all = calloc(1, sizeof(*all));
	keeps_layers(in_folder("layers"));
	keeps_keyframes();
	keeps_poses();
	drops_revisions();
	keeps_rooms();
	removes();
	keeps_others();
	keeps_edges();
	stops();
	takes_the_most();
	undoes();
	reads_beside();
	tells_io_errors();
	free(all);
	remove_folder();
	return tap_done();
}
