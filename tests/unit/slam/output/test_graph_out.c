// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_graph_out - edges between scans as edges between submaps: transforms, and
 * covariances against errors that are drawn
 */
#include <string.h>
#include "folder.h"
#include "map/ros/input.h"
#include "map/store/store_edge.h"
#include "slam/output/graph_out.h"
#include "submaps_fixture.h"
#include "tap.h"

enum { SCANS = 2 * STEPS, EVERY = 3, NODES = SCANS / EVERY, DRAWS = 20000 };

static struct submap_out names;
static struct submaps *s;
static struct graph_out out;
static union message m;

/* 5 cm ahead, 2 cm aside, in the frame of the scan that it comes from */
static const struct edge_weight weight = { 400, 100, 2500, 10000 };

/* Steps of the way, each third scan, and @closures */
static int make_graph(const struct graph_edge *closure, uint32_t closures)
{
	struct graph_edge edge[NODES + 8];
	uint32_t n = 0;

	for (uint32_t i = EVERY; i < SCANS; i += EVERY)
		edge[n++] = (struct graph_edge){
			.from = i - EVERY, .to = i, .weight = weight,
			.move = pose_between(history + i - EVERY, history + i),
		};
	for (uint32_t i = 0; i < closures; i++)
		edge[n++] = closure[i];
	return graph_out_make(&out, &names, s, history, SCANS, edge, n, 77, &m,
			      &error);
}

static struct graph_edge closure_of(uint32_t from, uint32_t to)
{
	return (struct graph_edge){
		.from = from, .to = to, .weight = weight, .closure = true,
		.move = pose_between(history + from, history + to),
	};
}

static struct pose transform_of(const struct message_graph_edge *e)
{
	return (struct pose){ e->transform[0], e->transform[1],
			      e->transform[2] };
}

/* How far an edge is from the poses of its submaps */
static double off(const struct message_graph_edge *e, uint32_t from,
		  uint32_t to)
{
	const struct pose is = transform_of(e);
	const struct pose want = pose_between(&submaps_at(s, from)->pose,
					      &submaps_at(s, to)->pose);

	return pose_distance(&is, &want, 10);
}

static void test_edges(void)
{
	const uint32_t submaps = submaps_count(s);
	struct graph_edge closure[] = {
		closure_of(40, 238), closure_of(200, 10), closure_of(30, 31),
		closure_of(20, SCANS + 5),
	};
	uint32_t chained = 0;
	int n;

	closure[0].waiting = true;
	ok_eq(make_graph(NULL, 0), submaps - 1, "an edge to each submap but the "
	      "first");
	for (uint32_t i = 0; i + 1 < submaps; i++)
		chained += out.edge[i].kind == MESSAGE_EDGE_ODOMETRY &&
			   off(out.edge + i, i, i + 1) < 1e-9;
	ok_eq(chained, submaps - 1, "... from the one before");
	n = make_graph(closure, 4);
	ok_eq(n, submaps + 1, "closures, but those within a submap and of scans "
	      "that have no pose");
	ok_eq(out.edge[n - 2].kind, MESSAGE_EDGE_LOOP, "... a loop");
	ok_eq(out.edge[n - 2].waiting, 1, "... which waits");
	ok_eq(out.edge[n - 1].waiting, 0, "... another one does not");
	ok(message_string_is(&out.edge[n - 2].from_frame, "r/submap_1") &&
	   message_string_is(&out.edge[n - 1].to_frame, "r/submap_0"),
	   "... from and to");
	ok_range(off(out.edge + n - 2, 1, submaps - 1), 0, 1e-9,
		 "... in the frames of their submaps");
	ok(message_string_is(&m.graph.header.frame_id, "map") &&
	   message_string_is(&m.graph.source, "r/submap_"), "its names");
	ok_eq(m.graph.header.stamp, 77, "its stamp");
}

/* A step over several submaps: each of them has an edge */
static void test_long_step(void)
{
	const uint32_t submaps = submaps_count(s);
	const struct graph_edge step = {
		.from = 0, .to = SCANS - 1, .weight = weight,
		.move = pose_between(history, history + SCANS - 1),
	};
	uint32_t chained = 0;

	ok_eq(graph_out_make(&out, &names, s, history, SCANS, &step, 1, 77, &m,
			     &error), submaps - 1, "one step: all edges");
	for (uint32_t i = 0; i + 1 < submaps; i++)
		chained += off(out.edge + i, i, i + 1) < 1e-9 &&
			   out.edge[i].covariance[0] > 0 &&
			   out.edge[i].covariance[8] >= 1e-4 * (1 - 1e-9);
	ok_eq(chained, submaps - 1, "... each from the one before");
}

/* Mean 0, variance 1, about Gaussian */
static double rnd_normal(uint64_t *state)
{
	double sum = 0;

	for (int i = 0; i < 3; i++)
		sum += (double)(rnd64(state) >> 11) * 0x1p-52 - 1;
	return sum;
}

/* A motion with an error of @weight, whose first two are not independent */
static struct pose draw_motion(const struct pose *move, uint64_t *rng)
{
	/* Cholesky of the covariance: 2500, -100, -100, 400 over 990000 */
	const double a = sqrt(2500 / 990000.0), b = -100 / 990000.0 / a;
	const double c = sqrt(400 / 990000.0 - b * b);
	const double u = rnd_normal(rng), v = rnd_normal(rng);

	return (struct pose){
		move->x + a * u, move->y + b * u + c * v,
		move->yaw + 0.01 * rnd_normal(rng),
	};
}

static void add_error(const struct pose *want, const struct pose *is,
		      double sum[9])
{
	const double e[3] = { is->x - want->x, is->y - want->y,
			      remainder(is->yaw - want->yaw, 2 * M_PI) };

	for (int i = 0; i < 9; i++)
		sum[i] += e[i / 3] * e[i % 3] / DRAWS;
}

/* How far two covariances are from each other, as a share */
static double differ(const double a[9], const double b[9])
{
	double most = 0;

	for (int i = 0; i < 9; i++)
		most = fmax(most, fabs(a[i] - b[i]) /
			    sqrt(b[i / 3 * 4] * b[i % 3 * 4]));
	return most;
}

static void test_closure(void)
{
	const struct graph_edge closure = closure_of(40, 238);
	const struct pose *a = &submaps_at(s, 1)->pose;
	const struct pose *b = &submaps_at(s, submaps_count(s) - 1)->pose;
	const struct pose before = pose_between(a, history + 40);
	const struct pose after = pose_between(history + 238, b);
	const struct pose want = pose_between(a, b);
	double drawn[9] = { 0 };
	uint64_t rng = 3;
	int n;

	for (int i = 0; i < DRAWS; i++) {
		const struct pose move = draw_motion(&closure.move, &rng);
		const struct pose end = pose_compose(&before, &move);
		const struct pose is = pose_compose(&end, &after);

		add_error(&want, &is, drawn);
	}
	n = make_graph(&closure, 1);
	ok_range(differ(out.edge[n - 1].covariance, drawn), 0, 0.03,
		 "a closure: the covariance of its submaps");
}

/* From submap 1 to 2: the steps between their first scans */
static void test_steps(void)
{
	const uint32_t first = submaps_at(s, 1)->first;
	const uint32_t last = submaps_at(s, 2)->first;
	/* a step that ends in a submap counts for it */
	const uint32_t begin = first / EVERY * EVERY;
	const uint32_t end = last / EVERY * EVERY;
	const struct pose want = pose_between(&submaps_at(s, 1)->pose,
					      &submaps_at(s, 2)->pose);
	const struct pose after = pose_between(history + end,
					       &submaps_at(s, 2)->pose);
	double drawn[9] = { 0 };
	uint64_t rng = 4;

	for (int i = 0; i < DRAWS; i++) {
		struct pose is = pose_between(&submaps_at(s, 1)->pose,
					      history + begin);

		for (uint32_t k = begin; k < end; k += EVERY) {
			const struct pose move = pose_between(
				history + k, history + k + EVERY);
			const struct pose step = draw_motion(&move, &rng);

			is = pose_compose(&is, &step);
		}
		is = pose_compose(&is, &after);
		add_error(&want, &is, drawn);
	}
	make_graph(NULL, 0);
	printf("# %u steps\n", (end - begin) / EVERY);
	ok_range(differ(out.edge[1].covariance, drawn), 0, 0.03,
		 "a submap: the covariance of its steps");
}

/*
 * gdimd
 */

static void on_stored(void *arg)
{
	(void)arg;
}

static void on_refused(void *arg, const char *line)
{
	++*(int *)arg;
	printf("# %s\n", line);
}

static int count_loops(void *arg, const struct store_edge *e)
{
	*(int *)arg += e->loop;
	return 0;
}

static int loops_in(struct site *site)
{
	int loops = 0;

	store_each_edge(site_store(site), count_loops, &loops);
	return loops;
}

static void test_gdim(void)
{
	static const struct site_config small = { .memory = 64 << 20,
						  .threads = 1 };
	const struct graph_edge closure[] = {
		closure_of(40, 238), closure_of(200, 10),
	};
	struct map_config config;
	struct loop *loop = loop_create();
	struct map_input *in;
	struct site *site;
	int refused = 0;

	map_config_init(&config);
	map_config_add_defaults(&config);
	if (site_open(&site, in_folder("graph.db"), STORE_CREATE, &small,
		      &error) ||
	    map_input_open(&in, site, loop, &config, on_stored, on_refused,
			   &refused))
		abort();
	make_graph(closure, 2);
	ok_eq(map_input_graph(in, GRAPH_OUT_TOPIC, &m.graph), 0,
	      "gdimd stores it");
	ok_eq(loops_in(site), 2, "... two closures");
	make_graph(closure + 1, 1);
	map_input_graph(in, GRAPH_OUT_TOPIC, &m.graph);
	ok_eq(loops_in(site), 1, "... one that is rejected later goes away");
	ok_eq(refused, 0, "... nothing is refused");
	map_input_close(in);
	site_close(site);
	loop_destroy(loop);
}

int main(void)
{
	make_folder();
	if (submap_out_init(&names, "map", "base_link", "r/submap_", &error))
		abort();
	s = make(&usual);
	drive(s, 0, SCANS);
	if (submaps_update(s, history, SCANS, &error) < 0)
		abort();
	test_edges();
	test_long_step();
	test_closure();
	test_steps();
	test_gdim();
	graph_out_free(&out);
	submaps_destroy(s);
	submap_out_free(&names);
	remove_folder();
	return tap_done();
}
