// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_store - what goes into the store comes out again, and only that: layers,
 * keyframes, poses, rooms, settings, notes; transactions, readers, copies
 */
#include <signal.h>
#include <sys/resource.h>
#include "store_fixture.h"

static void keeps_layers(const char *path)
{
	struct store *s = open_it(path, STORE_CREATE);
	struct layer a, b;
	int64_t id, again;

	if (!ok(s, "a new store"))
		exit(1);
	ok(!layer_parse(&a, "temp_map_fused", "input=temp_submap_fused unit=°C "
			"role=temperature range=-20:180 rule=weighted bits=16 "
			"drawing=sample resolution=0.1 weights=conf", error) &&
	   !store_layer(s, &a, &id) && id > 0, "a layer");
	b = layer_of("slam_map", 8);
	ok(!store_layer(s, &b, &again) && again != id, "another layer");
	b.rule = RULE_LOG_ODDS;
	b.modality = MODALITY_OBSTACLE;
	ok(!store_layer(s, &b, &again), "a layer is changed");
	store_close(s);
	s = open_it(path, STORE_READ);
	ok(s && read_all(s) && all->layers == 2 && all->layer_id[0] == id &&
	   all->layer_id[1] == again &&
	   !memcmp(&all->layer[0], &a, sizeof(a)) &&
	   !memcmp(&all->layer[1], &b, sizeof(b)), "layers come back");
	ok(fails(s, store_layer(s, &b, &id), -EROFS, "read-only"),
	   "not written when opened for reading");
	store_close(s);
	s = open_it(path, STORE_WRITE);
	b.low = NAN;
	ok(s && fails(s, store_layer(s, &b, &id), -EINVAL, "layer"),
	   "no layer of NAN");
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

	ok(!put(s, "sub 0", &pose, m, c, 2) && m[0].id > 0 && m[1].id > 0 &&
	   m[0].id != m[1].id && m[0].node > 0 && m[1].node == m[0].node,
	   "a keyframe of 8 and 16 bits");
	id = m[0].id;
	id_b = m[1].id;
	ok(!store_node(s, "sub 0", 7, &node) && node == m[0].node,
	   "its node has its name");
	ok(!store_node(s, "sub 1", 7, &node) && node != m[0].node,
	   "a node alone");
	store_close(s);
	s = open_it(path, STORE_WRITE);
	ok(has_cells(s, id, c[0]) && has_cells(s, id_b, c[1]),
	   "cells come back");
	ok(read_all(s) && all->nodes == 2 && all->node[0].placed &&
	   all->node[0].pose.x == 10 && all->node[0].pose.yaw == 3 &&
	   all->node[0].stamp == 1234567890123456789 &&
	   !strcmp(all->node[0].frame, "sub 0") && !all->node[0].linked &&
	   !all->node[1].placed && all->node[1].stamp == 7, "nodes too");
	ok(all->submaps == 2 && all->submap[1].width == 33 &&
	   all->submap[1].height == 44 && all->submap[1].bits == 16 &&
	   all->submap[1].stamp == -6 && all->submap[0].weight == 70 &&
	   all->submap[1].origin.y == -2.25 && all->submap[1].id == id_b,
	   "submaps too");

	m[0].stamp = 9;
	ok(!put(s, "sub 0", NULL, m, &d, 1) && m[0].id == id &&
	   has_cells(s, id, d) && has_cells(s, id_b, c[1]) && read_all(s) &&
	   all->submaps == 2 && all->submap[0].stamp == 9 &&
	   all->submap[0].width == 1 && all->node[0].pose.x == 10,
	   "one of them is replaced and keeps its id");
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
	ok(read_all(s) && all->nodes == 2 && all->submaps == 2,
	   "and nothing of these is there");
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
	ok(!missed && needed && found < 4 * needed + FRAMES,
	   "%s: none missed of %u, %u found", what, needed, found);
}

static void keeps_poses(void)
{
	const char *path = in_folder("poses");
	struct store *s = open_it(path, STORE_CREATE);
	struct store_submap m = { .layer = add_layer(s, "a", 8), .weight = 1 };
	struct cells *c = make_cells(60, 60, 8);
	struct cells *larger = make_cells(400, 9, 8);
	struct store_pose p[FRAMES];
	int64_t id[FRAMES];
	unsigned int n = 0;
	char frame[16];

	ok(!store_begin(s), "begun");
	for (int i = 0; i < FRAMES; i++) {
		snprintf(frame, sizeof(frame), "n%d", i);
		n += !put(s, frame, NULL, &m, &c, 1);
		id[i] = m.node;
	}
	ok(!store_commit(s) && n == FRAMES, "%d keyframes without poses", n);
	ok(!store_near(s, -1e6, -1e6, 1e6, 1e6, on_near,
		       &(unsigned int){ 0 }) && !is_near[id[0]], "are nowhere");
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
	ok(!store_near(s, p[3].pose.x + 17, p[3].pose.y - 20, p[3].pose.x + 18,
		       p[3].pose.y + 20, on_near, &n) && is_near[id[3]],
	   "and is found there");
	is_sound(s, "poses");
	store_close(s);

	s = open_it(path, STORE_WRITE);
	ok(read_all(s) && all->nodes == FRAMES && all->node[5].linked &&
	   all->node[5].predecessor == id[4] && all->node[5].link.y == 5 &&
	   all->node[5].pose.x == p[5].pose.x && !all->node[0].linked,
	   "poses and links come back");
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
	p[7].pose.yaw = INFINITY;
	ok(store_poses(s, p, FRAMES, 79, "x") == -EINVAL, "turned by INFINITY");
	ok(sql_is(path, "SELECT max(rev) FROM pose_rev", "10"),
	   "none of these left a revision");
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
	ok(!err && sql_is(path, "SELECT count(*) FROM pose_rev", "1008"),
	   "of %d revisions those are kept that are new or needed", CHANGES);
	ok(sql_is(path, "SELECT group_concat(rev) FROM pose_rev WHERE rev <= "
		  "2000", "5") &&
	   sql_is(path, "SELECT min(rev) FROM pose_rev WHERE rev > 5", "2001"),
	   "the last ones, and one that a pose came with");
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
	ok(read_all(s) && all->rooms == 3 && same_room(&r[0], &all->room[0]) &&
	   same_room(&r[1], &all->room[1]) && same_room(&r[2], &all->room[2]),
	   "rooms come back");
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

	ok(a > 0 && b > 0 && !store_room(s, &r) &&
	   !put(s, "n0", &pose, m, both, 2) && !put(s, "n1", &pose, m, both, 1),
	   "two layers and a room");
	cells_put(c);
	ok(!store_remove_layer(s, b, &submaps) && submaps == 2,
	   "a layer goes, with its submaps");
	ok(fails(s, store_remove_layer(s, b, &submaps), -ENOENT, "removing"),
	   "it goes once");
	ok(!store_remove_room(s, 7), "a room goes");
	ok(fails(s, store_remove_room(s, 7), -ENOENT, "removing"),
	   "it goes once, too");
	ok(read_all(s) && all->layers == 1 && all->submaps == 1 &&
	   all->nodes == 2 && !all->rooms, "all else is there");
	ok(sql_is(path, "SELECT (SELECT count(*) FROM corner) + "
		  "(SELECT count(*) FROM gas)", "0"), "nothing of the room is");
	is_sound(s, "removing");
	store_close(s);
	s = open_it(path, STORE_READ);
	ok(s && fails(s, store_remove_layer(s, a, &submaps), -EROFS,
		      "read-only") &&
	   fails(s, store_remove_room(s, 0), -EROFS, "read-only"),
	   "not when it is opened for reading");
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
	const char *path = in_folder("others");
	struct store *s = open_it(path, STORE_CREATE);
	char value[8];
	int calls = 0;

	ok(!store_repeaters(s, 5, a, 3) && !store_repeaters(s, 6, a + 1, 2) &&
	   read_all(s) && all->points == 2 && all->point[1][1] == 1e-9 &&
	   all->point[0][0] == 3, "repeaters: the last ones");
	ok(store_repeaters(s, 7, bad, 1) == -EINVAL && read_all(s) &&
	   all->points == 2, "not at NAN");
	ok(store_each_repeater(s, stop, &calls) == 42 && calls == 2,
	   "what the receiver returns ends it");
	ok(!store_repeaters(s, 8, NULL, 0) && read_all(s) && !all->points,
	   "none");
	ok(!store_set(s, "map", "one") && !store_set(s, "map", "seven c") &&
	   store_get(s, "map", value, 8) == 7 && !strcmp(value, "seven c"),
	   "a setting");
	ok(fails(s, store_get(s, "map", value, 7), -ENOSPC, "limit of 7"),
	   "which needs room");
	ok(!store_set(s, "map", NULL) &&
	   fails(s, store_get(s, "map", value, 8), -ENOENT, "no map"),
	   "and is forgotten");
	ok(!store_note(s, 1, "snapshot", "first", "/tmp/a b") &&
	   !store_note(s, 2, "error", "second", NULL) &&
	   !store_note(s, 3, "snapshot", "", NULL), "notes");
	memset(all, 0, sizeof(*all));
	ok(!store_notes(s, "snapshot", on_note, NULL) && all->notes == 2 &&
	   !strcmp(all->note[0], "1 first /tmp/a b") &&
	   !strcmp(all->note[1], "3  -"), "notes of a kind come back");
	is_sound(s, "others");
	store_close(s);
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
	ok(!store_begin(s) && store_begin(s) == -EINVAL &&
	   !put(s, "a", NULL, m, &c, 1) && !store_set(s, "x", "1"),
	   "begun once");
	store_rollback(s);
	ok(read_all(s) && !all->nodes && !all->submaps &&
	   store_get(s, "x", value, 8) == -ENOENT, "undone");
	ok(!store_begin(s) && !put(s, "a", NULL, m, &c, 1) &&
	   put(s, "b", NULL, m, two, 2) == -EINVAL && !store_set(s, "x", "1") &&
	   !store_commit(s) && read_all(s) && all->nodes == 1 &&
	   !strcmp(all->node[0].frame, "a") && store_get(s, "x", value, 8) == 1,
	   "what fails leaves nothing, what is around it stays");
	store_rollback(s);
	ok(!store_begin(s) && !store_set(s, "x", "2"), "begun");
	store_close(s);
	s = open_it(in_folder("undo"), STORE_READ);
	ok(store_get(s, "x", value, 8) == 1 && *value == '1',
	   "closed without a commit: undone");
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

	refused(path, STORE_WRITE, -EBUSY, "process", "a second writer");
	refused(path, STORE_CREATE, -EBUSY, "process", "a second creator");
	ok(!symlink(path, in_folder("link")), "another name");
	refused(in_folder("link"), STORE_WRITE, -EBUSY, "process",
		"by another name");
	r = open_it(path, STORE_READ);
	ok(r && !put(w, "a", NULL, &m, &c, 1) && has_cells(r, m.id, c),
	   "a reader sees what is committed");
	ok(!store_begin(w) && !put(w, "b", NULL, &m, &c, 1) && read_all(r) &&
	   all->nodes == 1 && !store_commit(w) && read_all(r) &&
	   all->nodes == 2, "and nothing before that");
	is_sound(r, "by the reader");
	ok(!store_backup(w, in_folder("copy")) && !store_checkpoint(w),
	   "copied while it is open");
	ok(store_backup(w, in_folder("copy")) == -EEXIST, "not over another");
	ok(store_backup(w, in_folder("none/copy")) < 0 &&
	   is_line(store_error(w), "copy"), "nowhere: %s", store_error(w));
	ok(store_begin(w) == 0 && store_backup(w, in_folder("c2")) == -EBUSY &&
	   access(in_folder("c2"), F_OK), "not in the middle");
	store_rollback(w);
	b = open_it(in_folder("copy"), STORE_READ);
	ok(b && has_cells(b, m.id, c) && read_all(b) && all->nodes == 2,
	   "the copy has all of it");
	is_sound(b, "the copy");
	store_close(b);
	ok(access(in_folder("copy-wal"), F_OK) &&
	   access(in_folder("copy.part"), F_OK), "and is one file");
	b = open_it(in_folder("copy"), STORE_WRITE);
	ok(b && !put(b, "c", NULL, &m, &c, 1), "it can be written again");
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
	ok(store_commit(s) == -EINVAL && !io_errors,
	   "other errors are not told");
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	limit = old;
	limit.rlim_cur = 4096;
	setrlimit(RLIMIT_FSIZE, &limit);
	err = put(s, "b", NULL, &m, &c, 1);
	setrlimit(RLIMIT_FSIZE, &old);
	ok(err == -EIO && io_errors && !strcmp(io_line, store_error(s)) &&
	   strstr(io_line, "disk I/O error"), "an error of the disk is told: "
	   "%s", io_line);
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
	undoes();
	reads_beside();
	tells_io_errors();
	free(all);
	remove_folder();
	return tap_done();
}
