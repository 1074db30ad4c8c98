// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_site_real - 148 submaps of the Intel lab: each rule against the slow
 * reference, and what closing loops does to a map that has drifted
 *
 * Left out where the data is not. With a folder as argument, the map before
 * and after is written there, as .pgm.
 */
#include "fusion_ref.h"
#include "map/fusion/soften.h"
#include "map/io/map_file.h"
#include "map/io/poses_file.h"
#include "site_fixture.h"

#define DATA	"../shared/data/maps/intel_submaps_"
#define RES	0.05

enum { SIDE = 200, MAX = 256, OCCUPIED = 65, NEAR = 2 /* cells: 0.1 m */ };

static struct ref_submap submap[MAX];
static unsigned int submaps;

static bool load(void)
{
	const struct pose origin = { -0.5 * SIDE * RES, -0.5 * SIDE * RES, 0 };
	struct poses_file p;
	int8_t *cells = malloc(SIDE * SIDE);
	FILE *f = fopen(DATA "148x200x200.i8", "r");

	if (!f || poses_file_read(DATA "poses.csv", &p, &error)) {
		free(cells);
		return false;
	}
	while (submaps < p.count && submaps < MAX &&
	       fread(cells, SIDE * SIDE, 1, f) == 1) {
		struct ref_submap *m = &submap[submaps];

		m->cells = cells_create(SIDE, SIDE, 8, RES, &origin, cells);
		m->source = (struct rule_source){ submaps * 1000000000LL,
						  submaps * 7 % 101 };
		for (unsigned int i = 0; i < p.count; i++)
			if (p.line[i].index == submaps)
				m->pose = p.line[i].pose;
		submaps++;
	}
	fclose(f);
	free(cells);
	poses_file_free(&p);
	return true;
}

/* @pose: of each, or NULL: none yet */
static void put_all(struct site *s, unsigned int layer, const struct pose *pose)
{
	char frame[16];

	store_begin(site_store(s));
	for (unsigned int i = 0; i < submaps; i++) {
		const struct site_submap m = { layer, submap[i].source.stamp,
			submap[i].source.weight,
			(struct cells *)submap[i].cells };

		snprintf(frame, sizeof(frame), "s%u", i);
		if (site_keyframe(s, frame, m.stamp, pose ? &pose[i] : NULL,
				  &m, 1, &error))
			printf("# %s\n", error.text);
	}
	store_commit(site_store(s));
}

static struct raster map_of(struct site *s, unsigned int layer)
{
	struct raster r;

	site_fuse(s, layer, UINT64_MAX, NULL, NULL);
	if (site_raster(s, layer, -1, &r))
		r = (struct raster){ 0 };
	return r;
}

static bool same(const struct raster *a, const struct raster *b)
{
	return a->cells && b->cells &&
	       !memcmp(&a->rect, &b->rect, sizeof(a->rect)) &&
	       !memcmp(a->cells, b->cells, (size_t)a->rect.width *
		       a->rect.height * sizeof(*a->cells));
}

/* Both are freed */
static bool same_maps(struct raster a, struct raster b)
{
	const bool is = same(&a, &b);

	free(a.cells);
	free(b.cells);
	return is;
}

/*
 * Rules
 */

/* @soft: gets the submaps; by log-odds, free cells beside walls are less sure */
static void make_soft(struct ref_submap *soft, bool is)
{
	for (unsigned int i = 0; i < submaps; i++) {
		struct cells *c = (struct cells *)submap[i].cells;

		soft[i] = submap[i];
		soft[i].cells = is ? soften(c) : cells_get(c);
	}
}

static void test_rules(void)
{
	/* where the robot comes again and again */
	const struct rect part = { -60, -240, thorough() ? 220 : 110, 200 };
	const size_t n = (size_t)part.width * part.height;
	struct raster r = { .rect = part, .cells = malloc(n * 2) };
	struct site *s = open_site(in_folder("rules"), STORE_CREATE);
	int *want = malloc(n * sizeof(*want));
	struct ref_submap soft[MAX];
	struct pose pose[MAX];

	for (unsigned int i = 0; i < submaps; i++)
		pose[i] = submap[i].pose;
	add_layer(s, "m", "");
	put_all(s, 0, pose);
	for (int rule = 0; rule < RULES; rule++) {
		unsigned int bad = 0, known = 0, doubt = 0;
		struct layer l;
		char words[32];

		snprintf(words, sizeof(words), "rule=%s",
			 rule_get(rule, 8)->name);
		add_layer(s, "m", words);
		site_layer(s, 0, &l);
		site_fuse(s, 0, UINT64_MAX, NULL, NULL);
		site_read(s, 0, &r);
		make_soft(soft, rule == RULE_LOG_ODDS);
		ref_fuse(soft, submaps, rule, layer_splats(&l), RES, &part,
			 want);
		for (unsigned int i = 0; i < submaps; i++)
			cells_put((struct cells *)soft[i].cells);
		for (size_t i = 0; i < n; i++) {
			known += want[i] >= 0;
			doubt += want[i] == -2;
			bad += want[i] != -2 && want[i] != r.cells[i];
		}
		ok_eq(bad, 0,
		      "%s, %s: %u cells as the reference has them, %u not, %u in doubt",
		      rule_get(rule, 8)->name,
		      layer_splats(&l) ? "splatted" : "sampled", known, bad,
		      doubt);
		ok_range(known, n / 4, INFINITY, "... known");
		ok_range(doubt, -INFINITY, n / 6, "... doubt");
	}
	free(want);
	free(r.cells);
	site_close(s);
}

/*
 * Closing loops
 */

/* As wheels and a gyroscope tell it: 0.3 % too far, a bit to the left */
static void drift(struct pose *to)
{
	to[0] = submap[0].pose;
	for (unsigned int i = 1; i < submaps; i++) {
		struct pose step = pose_between(&submap[i - 1].pose,
						&submap[i].pose);
		const double way = hypot(step.x, step.y);

		step.x *= 1.003;
		step.y *= 1.003;
		step.yaw += 5e-4 * way;
		to[i] = pose_compose(&to[i - 1], &step);
	}
}

/* The way SLAM tells it: each in the frame of the one before */
static int tell(struct site *s, const struct pose *pose)
{
	struct site_transform t[MAX];
	char frame[16], of[16];

	for (unsigned int i = 0; i < submaps; i++) {
		struct pose p = i ? pose_between(&pose[i - 1], &pose[i]) :
				    pose[0];

		snprintf(frame, sizeof(frame), "s%u", i);
		snprintf(of, sizeof(of), "s%u", i - 1);
		t[i] = transform(frame, i ? of : SITE_ROOT, p.x, p.y, p.yaw);
	}
	return site_transforms(s, t, submaps, "SLAM", &error);
}

/* As the site has them: what a chain adds up to has other last bits */
static void take_pose(void *arg, const struct store_node *n)
{
	struct pose **next = arg;

	*(*next)++ = n->pose;
}

/* Whether the corner that moves most does so by half a cell at most */
static bool stays(const struct pose *a, const struct pose *b)
{
	const double half = 0.5 * SIDE * RES;
	double most = 0;

	for (int i = 0; i < 4; i++) {
		const struct pose c = { i & 1 ? half : -half,
					i & 2 ? half : -half, 0 };
		const struct pose p = pose_compose(a, &c);
		const struct pose q = pose_compose(b, &c);

		most = fmax(most, hypot(p.x - q.x, p.y - q.y));
	}
	return most <= 0.5 * RES;
}

static bool is_occupied(const struct raster *r, int x, int y)
{
	x -= r->rect.x;
	y -= r->rect.y;
	return x >= 0 && y >= 0 && x < (int)r->rect.width &&
	       y < (int)r->rect.height &&
	       r->cells[(size_t)y * r->rect.width + x] >= OCCUPIED;
}

static bool is_near(const struct raster *r, int x, int y)
{
	for (int dy = -NEAR; dy <= NEAR; dy++)
		for (int dx = -NEAR; dx <= NEAR; dx++)
			if (dx * dx + dy * dy <= NEAR * NEAR &&
			    is_occupied(r, x + dx, y + dy))
				return true;
	return false;
}

/* Share of walls that are where the right map has none within 0.1 m */
static double doubled(const struct raster *r, const struct raster *right)
{
	unsigned int walls = 0, extra = 0;

	for (unsigned int y = 0; y < r->rect.height; y++)
		for (unsigned int x = 0; x < r->rect.width; x++) {
			const int mx = r->rect.x + (int)x;
			const int my = r->rect.y + (int)y;

			if (!is_occupied(r, mx, my))
				continue;
			walls++;
			extra += !is_near(right, mx, my);
		}
	return walls ? (double)extra / walls : 1;
}

/* Bits for each known cell: submaps that disagree know less together */
static double entropy(const struct raster *r)
{
	double sum = 0;
	unsigned int known = 0;

	for (size_t i = 0; i < (size_t)r->rect.width * r->rect.height; i++) {
		const double p = r->cells[i] / 100.0;

		if (r->cells[i] < 0)
			continue;
		known++;
		if (p > 0 && p < 1)
			sum -= p * log2(p) + (1 - p) * log2(1 - p);
	}
	return known ? sum / known : 0;
}

static unsigned int walls(const struct raster *r)
{
	unsigned int n = 0;

	for (size_t i = 0; i < (size_t)r->rect.width * r->rect.height; i++)
		n += r->cells[i] >= OCCUPIED;
	return n;
}

static void draw(const char *folder_of, const char *name,
		 const struct raster *r)
{
	char path[256];

	if (!folder_of)
		return;
	snprintf(path, sizeof(path), "%s/%s.pgm", folder_of, name);
	if (map_file_write(path, r, MAP_TRINARY_GREY, &error))
		printf("# %s\n", error.text);
}

/* Two layers of the same submaps: obstacles, and their mean */
static struct site *make(const char *name, const struct pose *pose)
{
	struct site *s = open_site(in_folder(name), STORE_CREATE);

	add_layer(s, "max", "rule=max");
	add_layer(s, "mean", "rule=mean");
	put_all(s, 0, pose);
	put_all(s, 1, pose);
	return s;
}

struct maps {
	struct raster	max, mean;
};

static struct maps maps_of(struct site *s)
{
	return (struct maps){ map_of(s, 0), map_of(s, 1) };
}

static void drop(struct maps *m)
{
	free(m->max.cells);
	free(m->mean.cells);
}

static void report(const char *when, const struct maps *m, double share)
{
	printf("# %s: %u cells of walls, %.1f %% of them where there are none, entropy of the mean %.4f bits a cell\n",
	       when, walls(&m->max), 100 * share, entropy(&m->mean));
}

static void test_loops(const char *pictures)
{
	struct pose wrong[MAX], right[MAX], drawn[MAX], *next = right;
	struct pose was[MAX], *old = was;
	struct maps before, after, direct;
	struct site *s = make("loops", NULL), *d;
	unsigned int left = 0;
	uint64_t moved = 0;
	double share[2];

	drift(wrong);
	for (unsigned int i = 0; i < submaps; i++)
		right[i] = submap[i].pose;
	ok_eq(site_counts(s).waiting, 2 * submaps,
	      "%u submaps wait, and have a place", submaps);
	ok(!map_of(s, 0).cells, "... cells");
	ok_eq(tell(s, wrong), 0, "... tell");
	ok_eq(site_counts(s).placed, submaps, "... placed");
	before = maps_of(s);
	site_each_node(s, take_pose, &old);
	tell(s, right);
	site_fuse(s, 0, UINT64_MAX, &moved, NULL);
	after = maps_of(s);
	site_each_node(s, take_pose, &next);
	for (unsigned int i = 0; i < submaps; i++) {
		drawn[i] = stays(&was[i], &right[i]) ? was[i] : right[i];
		left += stays(&was[i], &right[i]);
	}
	d = make("direct", drawn);
	direct = maps_of(d);
	site_close(d);
	ok_eq(moved, submaps - left,
	      "loops are closed: %llu move, %u by less than half a cell; as if fused again, bit by bit",
	      (unsigned long long)moved, left);
	ok_range(left, -INFINITY, submaps / 10, "... left");
	ok(same(&after.max, &direct.max), "... same");
	ok(same(&after.mean, &direct.mean), "... same");
	drop(&direct);
	site_close(s);

	s = open_site(in_folder("loops"), STORE_WRITE);
	d = make("exact", right);
	ok(same_maps(map_of(s, 0), map_of(d, 0)),
	   "opened again: as with the right poses from the beginning");
	ok(same_maps(map_of(s, 1), map_of(d, 1)), "... same maps");
	direct = maps_of(d);
	share[0] = doubled(&before.max, &direct.max);
	share[1] = doubled(&after.max, &direct.max);
	report("drifted", &before, share[0]);
	report("closed", &after, share[1]);
	ok_range(share[0], 0.3, INFINITY, "before, walls are doubled");
	ok_range(walls(&before.max), 1.2 * walls(&after.max), INFINITY,
		 "... walls");
	ok_range(share[1], -INFINITY, 0.001, "after, they are not");
	ok_range(entropy(&after.mean), -INFINITY, entropy(&before.mean),
		 "... entropy");
	draw(pictures, "drifted", &before.max);
	draw(pictures, "closed", &after.max);
	drop(&before);
	drop(&after);
	drop(&direct);
	site_close(d);
	site_close(s);
}

/* By more than half a cell, so that none stays where it was */
static int move_some(struct site *s, uint64_t *seed, struct pose *pose)
{
	struct site_transform t[4];
	char frame[16];

	for (unsigned int i = 0; i < 4; i++) {
		const unsigned int k = rnd(seed, submaps / 4) * 4 + i;
		const double way = 0.1 + rnd(seed, 100) * 0.01;
		const double to = rnd(seed, 628) * 0.01;

		pose[k].x += way * cos(to);
		pose[k].y += way * sin(to);
		snprintf(frame, sizeof(frame), "s%u", k);
		t[i] = transform(frame, "", pose[k].x, pose[k].y, pose[k].yaw);
	}
	return site_transforms(s, t, 4, "test", &error);
}

static void test_moves(void)
{
	struct fused_map_work work = { 0 };
	uint64_t seed = 11, moved = 0;
	struct pose pose[MAX];
	unsigned int bad = 0;
	struct site *s, *d;

	for (unsigned int i = 0; i < submaps; i++)
		pose[i] = submap[i].pose;
	s = make("moves", pose);
	site_fuse(s, -1, UINT64_MAX, NULL, NULL);
	for (unsigned int i = 0; i < 60; i++) {
		bad += move_some(s, &seed, pose) != 0;
		/* a little at a time */
		while (site_fuse(s, -1, 0, &moved, &work) > 0)
			;
	}
	d = make("moved", pose);
	ok_eq(bad, 0, "%llu moves, %llu tiles: as if fused again, bit by bit",
	      (unsigned long long)moved, (unsigned long long)work.tiles);
	ok_eq(moved, 60 * 4 * 2, "... moved");
	ok(work.tiles, "... tiles");
	ok_eq(work.failed, 0, "... failed");
	ok(same_maps(map_of(s, 0), map_of(d, 0)), "... same maps");
	ok(same_maps(map_of(s, 1), map_of(d, 1)), "... same maps");
	site_close(s);
	site_close(d);
}

int main(int argc, char **argv)
{
	if (!load()) {
		ok(true, "real submaps # SKIP no " DATA "148x200x200.i8");
		return tap_done();
	}
	make_folder();
	ok(submaps == 148, "%u submaps of the Intel lab", submaps);
	test_rules();
	test_loops(argc > 1 ? argv[1] : NULL);
	test_moves();
	remove_folder();
	for (unsigned int i = 0; i < submaps; i++)
		cells_put((struct cells *)submap[i].cells);
	return tap_done();
}
