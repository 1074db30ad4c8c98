// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_site_graph - transforms between frames, in any order, and what moves
 * with them; against a model that follows predecessors one by one
 */
#include "map/site/site_parts.h"
#include "map/store/store_db.h"
#include "site_fixture.h"

static struct site *begin(const char *name)
{
	struct site *s = open_site(in_folder(name), STORE_CREATE);

	add_layer(s, "m", "");
	return s;
}

/* A mark of 10 cm in the middle of a frame */
static int put_mark(struct site *s, const char *frame, int value)
{
	return put(s, frame, 1, NULL, 0, patch(2, 8, 0.05, 1, value, value));
}

static int seen(struct site *s, double x, double y)
{
	site_fuse(s, -1, UINT64_MAX, NULL, NULL);
	return site_value(s, 0, x, y);
}

static void test_chain(void)
{
	const char *path = in_folder("chain");
	struct site *s = begin("chain");
	struct site_transform t[2];
	uint64_t moved = 0;

	put_mark(s, "c", 3);
	put_mark(s, "b", 2);
	ok_eq(site_counts(s).waiting, 2, "submaps wait for a place");
	ok_eq(seen(s, 2, 0), -1, "... seen");
	t[0] = transform("b", "a", 1, 0, M_PI / 2);
	t[1] = transform("a", SITE_ROOT, 1, 0, 0);
	ok_eq(move(s, "c", "b", 1, 0, 0), 0,
	      "and have it with the last transform that leads there");
	ok_eq(site_transforms(s, t, 2, "test", &error), 0,
	      "... site transforms");
	ok_eq(site_counts(s).placed, 3, "... placed");
	ok_eq(site_counts(s).waiting, 0, "... waiting");
	ok_eq(seen(s, 0.01, 0.01), -1, "where it says");
	ok_eq(seen(s, 2.01, 0.01), 2, "... seen");
	ok_eq(seen(s, 2.01, 1.01), 3, "... seen");
	ok(is_on_disk(s, path, true), "... is on disk");
	move(s, "a", "", -5, 0, 0);
	site_fuse(s, -1, UINT64_MAX, &moved, NULL);
	ok_eq(moved, 2, "what follows moves too");
	ok_eq(seen(s, -3.99, 0.01), 2, "... seen");
	ok_eq(seen(s, -3.99, 1.01), 3, "... seen");
	ok_eq(seen(s, 2.01, 0.01), -1, "... seen");
	ok(is_on_disk(s, path, true), "... is on disk");
	ok_eq(move(s, "b", "", 0, 0, 0), 0,
	      "one has a place, but no predecessor");
	ok_eq(seen(s, 1.01, 0.01), 3, "... seen");
	ok(is_on_disk(s, path, true), "... is on disk");
	ok_eq(move(s, "b", "a", 0, 1, 0), 0, "and follows again");
	ok_eq(seen(s, -4.99, 1.01), 2, "... seen");
	ok_eq(seen(s, -3.99, 1.01), 3, "... seen");
	ok(is_on_disk(s, path, true), "... is on disk");
	ok_eq(move(s, "a", "nobody", 1, 1, 0), 0,
	      "of a frame that is not known: it has no place, nor has what follows");
	ok_eq(site_counts(s).waiting, 2, "... waiting");
	ok_eq(seen(s, -4.99, 1.01), -1, "... seen");
	ok(is_on_disk(s, path, true), "... is on disk");
	ok_eq(move(s, "nobody", "", 0, 0, 0), 0, "until that one is known");
	ok_eq(seen(s, 1.01, 2.01), 2, "... seen");
	ok(is_on_disk(s, path, true), "... is on disk");
	site_close(s);
	s = open_site(path, STORE_WRITE);
	ok_eq(move(s, "nobody", "", 0, 9, 0), 0,
	      "after it was opened again, too");
	ok_eq(seen(s, 1.01, 11.01), 2, "... seen");
	ok_eq(seen(s, 2.01, 11.01), 3, "... seen");
	site_close(s);
}

/* As move(), @height up, leaning forward by @lean degrees */
static int climb(struct site *s, const char *frame, const char *predecessor,
		 double x, double height, double lean)
{
	struct site_transform t = transform(frame, predecessor, x, 0, 0);

	t.rise.height = height;
	t.rise.turn[1] = sin(lean * M_PI / 360);
	t.rise.turn[3] = cos(lean * M_PI / 360);
	return site_transforms(s, &t, 1, "test", &error);
}

static struct site_apart last_apart;
static unsigned int aparts;

static void found_apart(void *arg, const struct site_apart *a)
{
	(void)arg;
	last_apart = *a;
	aparts++;
}

/* A map is one storey: what is above it is not fused with it */
static void test_storeys(void)
{
	const char *path = in_folder("storeys");
	struct site *s = begin("storeys");

	site_set_apart(s, found_apart, NULL);
	put_mark(s, "a", 2);
	put_mark(s, "b", 3);
	put_mark(s, "c", 4);
	climb(s, "a", "", 1, 250, 0);
	ok_eq(site_counts(s).placed, 1,
	      "the first one is on the storey, however high");
	ok_eq(seen(s, 1.01, 0.01), 2, "... seen");
	ok_eq(aparts, 0, "... aparts");
	climb(s, "b", "", 1, 253.5, 0);
	ok_eq(seen(s, 1.01, 0.01), 2,
	      "one that is 3.5 m above it is kept apart, counted and reported");
	ok_eq(site_counts(s).apart, 1, "... apart");
	ok_eq(site_counts(s).apart_submaps, 1, "... apart submaps");
	ok_eq(site_counts(s).waiting, 1, "... waiting");
	ok_eq(aparts, 1, "... aparts");
	ok_str(last_apart.frame, "b", "... frame");
	ok_range(fabs(last_apart.above - 3.5), -INFINITY, 1e-3, "... how far off");
	ok_eq(last_apart.nodes, 1, "... nodes");
	climb(s, "b", "", 1, 253.5, 0);
	ok(aparts == 1, "once");
	climb(s, "c", "b", 2, -3.5, 0);
	ok_eq(seen(s, 3.01, 0.01), 4, "one that comes down from it is placed");
	ok_eq(site_counts(s).apart, 1, "... apart");
	climb(s, "b", "", 1, 251, 0);
	ok_eq(seen(s, 1.01, 0.01), 3,
	      "it was lower after all: it has its "
	      "place, and what follows it is too low");
	ok_eq(seen(s, 3.01, 0.01), -1, "... seen");
	ok_str(last_apart.frame, "c", "... frame");
	climb(s, "c", "b", 2, 0, 0);
	ok_eq(site_counts(s).apart, 0, "until that one is reported again");
	ok(is_on_disk(s, path, false), "... is on disk");
	climb(s, "a", "", 5, 250, 30);
	ok_eq(seen(s, 5.01, 0.01), -1, "a ramp is kept apart");
	ok_range(fabs(last_apart.lean - 30), -INFINITY, 1e-3, "... how far off");
	climb(s, "a", "", 5, 250, 180);
	ok(seen(s, 5.01, 0.01) == -1, "and a robot on its back");
	climb(s, "a", "", 5, 250, 5);
	climb(s, "d", "a", 10, 0, 5);
	climb(s, "e", "d", 10, 0, 5);
	ok_eq(site_counts(s).apart, 1, "slopes add up along the graph");
	ok_str(last_apart.frame, "e", "... frame");
	ok_range(fabs(last_apart.above + 2.61), -INFINITY, .01, "... how far off");
	ok_range(fabs(last_apart.lean - 15), -INFINITY, 1e-2, "... how far off");
	site_close(s);
	s = open_site(path, STORE_WRITE);
	climb(s, "b", "", 1, 253.5, 0);
	climb(s, "a", "", 5, 250.2, 0);
	ok_eq(seen(s, 1.01, 0.01), -1, "and after it was opened again");
	ok_eq(seen(s, 5.01, 0.01), 2, "... seen");
	site_close(s);
}

static void test_origin(void)
{
	const char *path = in_folder("origin");
	struct site *s = begin("origin");
	struct site_transform t[3];

	put(s, SITE_ROOT, 1, NULL, 0, patch(2, 8, 0.05, 1, 9, 9));
	put_mark(s, "s1", 5);
	t[0] = transform("s2", "s1", 1, 0, 0);
	t[1] = transform("s1", "s0", 1, 0, 0);
	t[2] = transform("s3", "s2", 1, 0, 0);
	ok_eq(site_transforms(s, t, 3, "test", &error), 0,
	      "the map begins at the first that no one says anything of");
	ok_eq(site_counts(s).placed, 5, "... placed");
	ok_eq(seen(s, 1.01, 0.01), 5, "... seen");
	ok(is_on_disk(s, path, true), "... is on disk");
	ok_eq(move(s, "z1", "z0", 1, 0, 0), 0, "one map, not two");
	ok_eq(site_counts(s).placed, 5, "... placed");
	site_close(s);
	for (unsigned int i = 0; i < 2; i++) {
		s = begin(i ? "first" : "last");
		t[i] = transform("x", SITE_ROOT, 1, 0, 0);
		t[1 - i] = transform("b", "a", 1, 0, 0);
		ok_eq(site_transforms(s, t, 2, "test", &error), 0,
		      "nowhere else if one is in the map, placed %s",
		      i ? "last" : "first");
		ok_eq(site_counts(s).placed, 1, "... placed");
		site_close(s);
	}
}

static void test_circle(void)
{
	const char *path = in_folder("circle");
	struct site *s = begin("circle");
	struct site_transform t[3];

	put_mark(s, "a", 1);
	move(s, "a", "", 1, 0, 0);
	move(s, "b", "a", 1, 0, 0);
	move(s, "c", "b", 1, 0, 0);
	site_fuse(s, -1, UINT64_MAX, NULL, NULL);
	ok(refuses(s, path, -EINVAL, move(s, "a", "c", 1, 0, 0)),
	   "a circle: %s", error.text);
	ok_eq(site_is_stale(s), 0, "... site is stale");
	ok(refuses(s, path, -EINVAL, move(s, "d", "d", 1, 0, 0)),
	   "of one, and new: %s", error.text);
	t[0] = transform("x", "", 1, 0, 0);
	t[1] = transform("y", "z", 1, 0, 0);
	t[2] = transform("z", "y", 1, 0, 0);
	ok(refuses(s, path, -EINVAL, site_transforms(s, t, 3, "test", &error)),
	   "among new ones, with others that are right: %s", error.text);
	t[1] = transform("a", "c", 0, 0, 0);
	t[2] = transform("c", "", 0, 0, 0);
	ok_eq(site_transforms(s, t, 3, "test", &error), 0,
	      "no circle if another one of them is no more");
	ok(is_on_disk(s, path, true), "... is on disk");
	ok(refuses(s, path, -EINVAL, move(s, SITE_ROOT, "a", 1, 0, 0)),
	   "frames and transforms that is not valid: %s", error.text);
	ok(refuses(s, path, -EINVAL, move(s, "", "a", 1, 0, 0)), "... refuses");
	ok(refuses(s, path, -EINVAL, move(s, "q", "a\001", 1, 0, 0)),
	   "... refuses");
	ok(refuses(s, path, -EINVAL, move(s, "q\n", "a", 1, 0, 0)),
	   "... refuses");
	ok(refuses(s, path, -EINVAL, move(s, "q", "a", NAN, 0, 0)),
	   "... refuses");
	ok(refuses(s, path, -EINVAL, move(s, "q", "a", 0, 1e7, 0)),
	   "... refuses");
	ok(refuses(s, path, -EINVAL, move(s, "q", "a", 0, 0, INFINITY)),
	   "... refuses");
	move(s, "far", "c", 9e5, 0, 0);
	ok(refuses(s, path, -EINVAL, move(s, "farther", "far", 9e5, 0, 0)),
	   "further than maps go: %s", error.text);
	ok(!site_transforms(s, NULL, 0, "test", &error), "none at all");
	site_close(s);
}

/*
 * A model
 */

enum { FRAMES = 14 };

/**
 * struct known - of a frame
 * @of: predecessor, -1: it is in the map, -2: nothing
 */
struct known {
	struct pose	pose;
	int		of;
	bool		there;
};

/* Return: 1: placed, 0: not, -1: a circle */
static int model_place(const struct known *k, int i, struct pose *at)
{
	struct pose p;
	int steps = 0, n = i;
	int path[FRAMES + 1];

	for (; k[n].of >= 0; n = k[n].of) {
		path[steps++] = n;
		if (steps > FRAMES)
			return -1;
	}
	if (k[n].of == -2)
		return 0;
	p = k[n].pose;
	while (steps--)
		p = pose_compose(&p, &k[path[steps]].pose);
	*at = p;
	return 1;
}

static bool model_empty(const struct known *k)
{
	struct pose p;

	for (int i = 0; i < FRAMES; i++)
		if (model_place(k, i, &p) == 1)
			return false;
	return true;
}

/* Return: whether it is no circle */
static bool model_tell(struct known *k, const struct site_transform *t,
		       unsigned int n)
{
	const bool empty = model_empty(k);
	bool absolute = false;
	struct pose p;

	for (unsigned int i = 0; i < n; i++) {
		struct known *f = &k[t[i].frame[1] - 'a'];

		f->there = true;
		f->pose = t[i].pose;
		f->of = *t[i].predecessor ? t[i].predecessor[1] - 'a' : -1;
		if (f->of >= 0)
			k[f->of].there = true;
	}
	for (unsigned int i = 0; i < n; i++)
		absolute |= !*t[i].predecessor;
	for (unsigned int i = 0; i < n && empty && !absolute; i++) {
		struct known *f;

		f = &k[t[i].predecessor[1] - 'a'];
		if (f->of != -2)
			continue;
		f->of = -1;
		f->pose = (struct pose){ 0 };
		break;
	}
	for (int i = 0; i < FRAMES; i++)
		if (model_place(k, i, &p) < 0)
			return false;
	return true;
}

struct check {
	const struct known	*k;
	unsigned int		wrong, nodes;
};

static void check_node(void *arg, const struct store_node *n)
{
	struct check *c = arg;
	const int i = n->frame[1] - 'a';
	struct pose p = { 0 };
	const bool placed = model_place(c->k, i, &p) == 1;

	c->nodes++;
	c->wrong += !c->k[i].there || placed != n->placed ||
		    (placed && pose_distance(&p, &n->pose, 1) > 1e-9);
}

static bool is_as_model(struct site *s, const struct known *k)
{
	struct check c = { .k = k };

	site_each_node(s, check_node, &c);
	for (int i = 0; i < FRAMES; i++)
		c.nodes -= k[i].there;
	return !c.wrong && !c.nodes;
}

static void random_transforms(uint64_t *seed, struct site_transform *t,
			      unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		char frame[3] = { 'n', 'a' + rnd(seed, FRAMES), 0 };
		char of[3] = { 'n', 'a' + rnd(seed, FRAMES), 0 };

		if (rnd(seed, 5) == 0)
			*of = '\0';
		t[i] = transform(frame, of, rnd(seed, 1000) / 100.0,
				 rnd(seed, 1000) / 100.0, rnd(seed, 6));
	}
}

/* Of one that has a place, or none, or moves all that follow it */
static int put_random(struct site *s, uint64_t *seed, struct known *k, int step)
{
	const int i = rnd(seed, FRAMES);
	const char frame[3] = { 'n', 'a' + i, 0 };
	const struct pose at = { rnd(seed, 1000) / 100.0, 1, 2 };
	const bool placed = rnd(seed, 2);

	k[i].there = true;
	if (placed) {
		k[i].of = -1;
		k[i].pose = at;
	}
	return put(s, frame, step, placed ? &at : NULL, 0,
		   patch(8, 8, 0.1, step, 0, 100));
}

static void test_random(void)
{
	const char *path = in_folder("random");
	unsigned int bad = 0, circles = 0, taken = 0;
	struct site *s = begin("random");
	struct site_transform t[3];
	struct known k[FRAMES], old[FRAMES];
	uint64_t seed = 3;

	for (int i = 0; i < FRAMES; i++)
		k[i] = (struct known){ .of = -2 };
	for (unsigned int step = 1; step <= (thorough() ? 400 : 100); step++) {
		const unsigned int n = 1 + rnd(&seed, 3);

		memcpy(old, k, sizeof(k));
		random_transforms(&seed, t, n);
		if (rnd(&seed, 3) == 0) {
			bad += put_random(s, &seed, k, step) != 0;
		} else if (model_tell(k, t, n)) {
			bad += site_transforms(s, t, n, "test", &error) != 0;
			taken++;
		} else {
			bad += site_transforms(s, t, n, "test", &error) !=
			       -EINVAL;
			circles++;
			memcpy(k, old, sizeof(k));
		}
		bad += !is_as_model(s, k) || !is_on_disk(s, path, false);
		if (step % 50 == 0)
			bad += !is_on_disk(s, path, true);
		if (step % 97)
			continue;
		site_close(s);
		s = open_site(path, STORE_WRITE);
	}
	ok_eq(bad, 0, "%u changes and %u circles: as the model has it, on disk too",
	      taken, circles);
	ok_range(circles, 10, INFINITY, "... enough of circles");
	ok_range(taken, 50, INFINITY, "... and of changes");
	site_close(s);
}

/*
 * Many
 */

enum { MANY = 5000 };

static void test_many(void)
{
	struct site_transform *t = malloc(MANY * sizeof(*t));
	struct site *s = begin("many");
	char frame[16], of[16];
	unsigned int done = 0;

	/* the worst order: each one before what it follows */
	for (unsigned int i = 0; i < MANY; i++) {
		snprintf(frame, sizeof(frame), "n%u", MANY - i);
		snprintf(of, sizeof(of), "n%u", MANY - i - 1);
		t[i] = transform(frame, of, 0.04, 0, 0);
	}
	ok_eq(site_transforms(s, t, MANY, "test", &error), 0,
	      "a chain of %u, the last one first", MANY);
	ok_eq(site_counts(s).placed, MANY + 1, "... placed");
	move(s, "n0", "", 1, 1, 0);
	put_mark(s, "n5000", 7);
	ok_eq(site_counts(s).placed, MANY + 1, "all of it has a place");
	ok_eq(seen(s, 201.01, 1.01), 7, "... seen");
	for (unsigned int i = 0; i < 5; i++)
		done += !move(s, "n0", "", i, 1, 0);
	ok_eq(done, 5, "and moves with the first");
	ok_eq(seen(s, 204.01, 1.01), 7, "... seen");
	site_close(s);
	s = open_site(in_folder("many"), STORE_WRITE);
	ok(seen(s, 204.01, 1.01) == 7, "and is there again");
	site_close(s);
	free(t);
}

enum { GRAPH = 5000, CHAIN = 50 };	/* nodes, in chains of so many */

static struct site_transform *make_graph(void)
{
	struct site_transform *t = calloc(GRAPH, sizeof(*t));
	char frame[32], of[32];

	for (int i = 0; i < GRAPH; i++) {
		snprintf(frame, sizeof(frame), "n%d", i);
		snprintf(of, sizeof(of), "n%d", i - 1);
		t[i] = transform(frame, i % CHAIN ? of : SITE_ROOT, i % CHAIN ?
				 1 : 0, i / CHAIN, 0);
	}
	return t;
}

/* Rows that were changed, and nodes that were looked at, by transforms */
static bool costs(struct site *s, const struct site_transform *t,
		  unsigned int count, int rows, uint64_t looked)
{
	sqlite3 *db = site_store(s)->db;
	const int before = sqlite3_total_changes(db);
	const uint64_t old = s->looked;
	const int err = site_transforms(s, t, count, "test", &error);
	const int changed = sqlite3_total_changes(db) - before;

	if (err || changed > rows || s->looked - old > looked)
		printf("# %d: %d rows, %llu nodes\n", err, changed,
		       (unsigned long long)(s->looked - old));
	return !err && changed <= rows && s->looked - old <= looked;
}

/* What changed is looked at and stored, however large the graph is */
static void test_cost(void)
{
	const char *path = in_folder("cost");
	struct site *s = begin("cost");
	struct site_transform *t = make_graph(), few[10];

	ok(!site_transforms(s, t, GRAPH, "test", &error),
	   "a graph of %d nodes", GRAPH);
	/* a row says who moved them; a pose and a link for each that is reported */
	for (int i = 0; i < 10; i++) {
		few[i] = t[CHAIN * (i + 1) - 1];
		few[i].pose.yaw = 0.1;
	}
	ok(costs(s, few, 10, 21, 10), "10 ends of chains move alone");
	t[CHAIN * 3].pose.x = 7;
	ok(costs(s, &t[CHAIN * 3], 1, 1 + CHAIN, CHAIN),
	   "a head moves with its chain");
	ok(costs(s, &t[CHAIN * 3], 1, 0, CHAIN),
	   "what comes again is not stored again");
	for (int i = 0; i < 10; i++)
		t[CHAIN * (i + 1) - 1] = few[i];
	t[GRAPH - 1].pose.y += 0.5;
	ok(costs(s, t, GRAPH, 3, GRAPH), "of all that come again, one moved");
	ok(is_on_disk(s, path, false), "and all of it is on disk");
	site_close(s);
	s = open_site(path, STORE_WRITE);
	t[CHAIN * 3].pose.x = 8;
	ok(costs(s, &t[CHAIN * 3], 1, 1 + CHAIN, CHAIN),
	   "a site that was opened knows who follows");
	ok(is_on_disk(s, path, false), "... is on disk");
	site_close(s);
	free(t);
}

static int fails(void *arg, struct error *e)
{
	(void)arg;
	return error_set(e, -EIO, "it fails");
}

/* What fails undoes its own transaction, but none that others began */
static void test_undo(void)
{
	const char *path = in_folder("undo");
	const struct site_transform t = transform("b", "a", 1, 0, 0);
	struct site *s = begin("undo");

	move(s, "a", "", 1, 0, 0);
	site_turn(s);
	ok_eq(site_move(s, &t, 1, "test", fails, NULL, &error), -EIO,
	      "what belongs to a transform fails");
	ok_str(error.text, "it fails", "... which is reported");
	ok(!store_is_begun(site_store(s)), "... and is undone");
	store_begin(site_store(s));
	ok_eq(site_move(s, &t, 1, "test", fails, NULL, &error), -EIO,
	      "it fails in a transaction of others");
	ok(store_is_begun(site_store(s)), "... which may go on");
	store_rollback(site_store(s));
	site_turn_end(s);
	ok_eq(site_counts(s).nodes, 1, "nothing of it is left");
	ok(is_on_disk(s, path, true), "... on disk neither");
	site_close(s);
}

/* Of what a site has, only what would move is fused */
static void test_narrow(void)
{
	struct site *s = begin("narrow");
	struct site_transform t[2];
	uint64_t moved = 0;

	put_mark(s, "d", 5);
	put_mark(s, "a", 2);
	put_mark(s, "b", 3);
	put_mark(s, "c", 4);
	move(s, "a", "", 1, 0, 0);
	move(s, "b", "a", 1, 0, 0);
	move(s, "c", "b", 1, 0, 0);
	move(s, "d", "", 9, 0, 0);
	site_close(s);
	s = open_site(in_folder("narrow"), STORE_WRITE);
	t[0] = transform("b", "a", 1, 1, 0);
	t[1] = transform("new", "a", 1, 1, 0);
	ok_eq(site_narrow(s, t, 2), 0, "a site is narrowed to a frame");
	ok_eq(seen(s, 2.01, 0.01), 3, "... it is fused");
	ok_eq(seen(s, 3.01, 0.01), 4, "... and what follows it");
	ok_eq(seen(s, 1.01, 0.01), -1, "... but not what it follows");
	ok_eq(seen(s, 9.01, 0.01), -1, "... nor others");
	move(s, "b", "a", 1, 1, 0);
	site_fuse(s, -1, UINT64_MAX, &moved, NULL);
	ok_eq(moved, 2, "... so many move");
	move(s, "d", "", 8, 0, 0);
	ok_eq(seen(s, 8.01, 0.01), 5, "what moves later is fused, too");
	site_close(s);
}

/* Without a quaternion a link turns by its yaw, and what leans stays so */
static void test_storey_turn(void)
{
	const struct storey_link lean = { 0, { 0, sin(M_PI / 12), 0,
					       cos(M_PI / 12) } };
	const struct storey_link level = { 0 };
	const struct storey flat = { 0 };
	const struct pose none = { 0 }, turn = { 0, 0, M_PI / 2 };
	const struct pose ahead = { 2, 0, 0 }, left = { 0, 2, 0 };
	const struct storey a = storey_follow(&flat, &none, &lean);
	const struct storey b = storey_follow(&a, &turn, &level);

	ok_near(storey_lean(&b), 30, 1e-3, "a robot turns on a slope of 30 degrees");
	ok_near(storey_follow(&a, &ahead, &level).height, -1, 1e-5,
		"it would have gone down");
	ok_near(storey_follow(&b, &ahead, &level).height, 0, 1e-5,
		"now it goes along the slope");
	ok_near(storey_follow(&b, &left, &level).height, 1, 1e-5,
		"and to its left it goes up");
}

static void test_lost_node(void)
{
	const char *path = in_folder("lost");
	struct site *s = begin("lost");
	sqlite3 *db;

	put_mark(s, "a", 2);
	put_mark(s, "b", 2);
	site_close(s);
	if (sqlite3_open(path, &db) ||
	    sqlite3_exec(db, "DELETE FROM node WHERE frame = 'a'", NULL, NULL,
			 NULL))
		abort();
	sqlite3_close(db);
	s = open_site(path, STORE_READ);
	ok(!s, "a site with a submap of no node is not opened");
	ok(strstr(error.text, "submap refers to a missing node or layer"),
	   "... %s", error.text);
	site_close(s);
}

int main(void)
{
	make_folder();
	test_storey_turn();
	test_lost_node();
	test_undo();
	test_narrow();
	test_chain();
	test_storeys();
	test_origin();
	test_circle();
	test_random();
	test_many();
	test_cost();
	remove_folder();
	return tap_done();
}
