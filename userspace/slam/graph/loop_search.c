// SPDX-License-Identifier: GPL-2.0-only
/*
 * loop_search.c - which places to compare, and whether they are the same
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "slam/filter/det_math.h"
#include "slam/filter/visibility.h"
#include "slam/graph/loop_search.h"

/* Endpoints nearer to the last one than this are left out, m */
#define SPACING		0.05
/* Scans with fewer endpoints fit anywhere */
enum { POINTS_LEAST = 30 };

/* A place may be off by this, m, and by this share of the travel to it */
#define NEAR		1.0
#define NEAR_PER_M	0.03
#define NEAR_MOST	14.0
/* Travel along a closure: it is not exact, m */
#define CLOSED		1.0
/* The same for its heading, rad */
#define TURN		0.1
#define TURN_PER_M	0.001
#define TURN_MOST	0.5
/* How far apart two robots may be that see the same place, m */
#define VIEW		3.0
/* Scans of other visits that are compared with a submap; one of each so many m */
enum { TRIES = 16 };
#define PIECE		4.0

/* Fit of a closure; from @FITS_WELL on no other place is looked at */
#define FITS		0.65
#define FITS_WELL	0.75
/* Scans of the visit this far before and after it have to agree, m: by how
 * much, at POSE_GRAPH_REACH from the robot, and their least fit, as they may see beyond
 * the submap
 */
#define WITNESS		1.5
#define WITNESS_OFF	0.4
#define WITNESS_FITS	0.5
/* The share of its beams that may contradict it: people, moved furniture */
#define CONTRADICTS	0.2
/* A closure that is known well, rad: standard deviation */
#define CLOSE_TURN	0.01
/* Share of the endpoints that have to constrain a direction */
#define CONSTRAINED	0.3
/* A scan that fits this well elsewhere along a wall, as a share, may be there;
 * m from one place to the next
 */
#define AMBIGUOUS	0.9
#define AMBIGUOUS_STEP	0.2
/* To measure how the fit falls, m and rad */
#define ASIDE		0.05
#define ASIDE_TURN	0.01

void fit_points_make(struct fit_points *p, const struct scan *scan,
		     double units)
{
	const unsigned int step = (scan->hits + FIT_POINTS_MAX - 1) /
				  FIT_POINTS_MAX;
	double last_x = INFINITY, last_y = INFINITY;

	p->count = 0;
	for (unsigned int i = 0; i < scan->hits; i += step) {
		const double x = (double)scan->x[i] / units;
		const double y = (double)scan->y[i] / units;

		if (hypot(x - last_x, y - last_y) < SPACING)
			continue;
		last_x = x;
		last_y = y;
		p->x[p->count] = (float)x;
		p->y[p->count++] = (float)y;
	}
	assert(p->count <= FIT_POINTS_MAX);
}

int loop_search_add(struct loop_search *s, const struct graph_edge *e)
{
	struct pose_graph *g = s->graph;
	const int err = array_grow(&g->edge, &s->edge_room, g->edges,
				   sizeof(*g->edge));

	if (!err)
		g->edge[g->edges++] = *e;
	return err;
}

void loop_search_free(struct loop_search *s)
{
	fit_grid_free(&s->grid);
	free(s->way);
	s->way = NULL;
	s->way_room = 0;
}

/* Whether an edge is a closure that the poses agree with */
static bool closes(const struct pose_graph *g, const struct graph_edge *e)
{
	return e->closure && pose_graph_off(g, e) < CLOSED;
}

/* The shortest travel from node @from to each node, where closures cost little:
 * so far the pose of one by the other may be off (Bellman and Ford: edges of
 * neighbours are in order, and two sweeps do for most)
 */
static int find_ways(struct loop_search *s, uint32_t from)
{
	const struct pose_graph *g = s->graph;
	bool shorter = true;

	if (s->way_room < g->nodes) {
		double *more = realloc(s->way, g->nodes * 2 * sizeof(*more));

		if (!more)
			return -ENOMEM;
		s->way = more;
		s->way_room = g->nodes * 2;
	}
	for (uint32_t i = 0; i < g->nodes; i++)
		s->way[i] = fabs(s->node[i]->travel - s->node[from]->travel);
	while (shorter) {
		shorter = false;
		for (uint32_t i = 0; i < g->edges; i++) {
			const struct graph_edge *e = g->edge + i;
			double *a = s->way + e->from, *b = s->way + e->to;

			/* first what is cheap to tell */
			if ((*a + CLOSED >= *b && *b + CLOSED >= *a) ||
			    !closes(g, e))
				continue;
			*b = fmin(*b, *a + CLOSED);
			*a = fmin(*a, *b + CLOSED);
			shorter = true;
		}
		for (uint32_t i = 1; shorter && i < g->nodes; i++) {
			const double d = s->node[i]->travel -
					 s->node[i - 1]->travel;

			s->way[i] = fmin(s->way[i], s->way[i - 1] + d);
		}
		for (uint32_t i = g->nodes - 1; shorter && i > 0; i--) {
			const double d = s->node[i]->travel -
					 s->node[i - 1]->travel;

			s->way[i - 1] = fmin(s->way[i - 1], s->way[i] + d);
		}
	}
	return 0;
}

static double window(double way)
{
	return fmin(NEAR + NEAR_PER_M * way, NEAR_MOST);
}

/**
 * struct visit - a scan of another visit of the place
 * @far:	from the submap, as a share of what it may be off
 */
struct visit {
	uint32_t	node;
	double		far;
};

/* The nearest ones are kept. Return: how many there are now */
static uint32_t keep_visit(struct visit visit[TRIES], uint32_t count,
			   const struct visit *v)
{
	uint32_t farthest = 0;

	if (count < TRIES) {
		visit[count] = *v;
		return count + 1;
	}
	for (uint32_t i = 1; i < count; i++)
		farthest = visit[i].far > visit[farthest].far ? i : farthest;
	if (v->far < visit[farthest].far)
		visit[farthest] = *v;
	return count;
}

/* How far a node is from the submap; above 1: elsewhere */
static double how_far(const struct loop_search *s, uint32_t anchor,
		      uint32_t node)
{
	const struct pose *a = s->graph->pose + anchor;
	const struct pose *b = s->graph->pose + node;
	const double way = s->node[node]->travel - s->node[anchor]->travel;

	if (s->node[node]->points.count < POINTS_LEAST || fabs(way) < LOOP_APART)
		return INFINITY;
	return hypot(b->x - a->x, b->y - a->y) / (window(s->way[node]) + VIEW);
}

/* The nearest scan of each piece of other visits. Return: how many */
static uint32_t find_visits(const struct loop_search *s, uint32_t anchor,
			    struct visit visit[TRIES])
{
	struct visit nearest = { 0, INFINITY };
	double begin = -INFINITY;
	uint32_t count = 0;

	for (uint32_t i = 0; i <= s->graph->nodes; i++) {
		const bool end = i == s->graph->nodes;
		const struct visit v = {
			i, end ? INFINITY : how_far(s, anchor, i),
		};

		if (nearest.far <= 1 && (v.far > 1 ||
		    s->node[i]->travel - begin > PIECE)) {
			count = keep_visit(visit, count, &nearest);
			nearest.far = INFINITY;
		}
		if (v.far > 1)
			continue;
		if (nearest.far > 1)
			begin = s->node[i]->travel;
		if (v.far < nearest.far)
			nearest = v;
	}
	return count;
}

static int draw_submap(struct loop_search *s, uint32_t first, uint32_t last,
		       uint32_t anchor)
{
	const uint32_t count = last - first + 1;
	const struct fit_points **scan = malloc(count * sizeof(*scan));
	struct pose *pose = malloc(count * sizeof(*pose));
	int err = scan && pose ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < count && !err; i++) {
		scan[i] = &s->node[first + i]->points;
		pose[i] = det_between(s->graph->pose + anchor,
				      s->graph->pose + first + i);
	}
	if (!err)
		err = fit_grid_draw(&s->grid, scan, pose, count);
	free(scan);
	free(pose);
	return err;
}

/* How fast the fit falls to both sides: the curvature */
static double curvature(const struct loop_search *s,
			const struct fit_points *scan, const struct pose *at,
			double fit, double x, double y, double t)
{
	const struct pose a = { at->x + x, at->y + y, at->yaw + t };
	const struct pose b = { at->x - x, at->y - y, at->yaw - t };

	return (2 * fit - fit_grid_fit(&s->grid, scan, &a) -
		fit_grid_fit(&s->grid, scan, &b)) /
		(x * x + y * y + t * t);
}

/* The weight of a direction whose curvature is @c; @full: if all endpoints
 * constrain it
 */
static double weight_of(double c, double full, double close)
{
	const double share = c / (full * CONSTRAINED);

	return fmin(fmax(share, 1e-3), 1) / (close * close);
}

/* How far along a direction the scan fits about as well, m: in a corridor it
 * fits anywhere
 */
static double ambiguity(const struct loop_search *s,
			const struct fit_points *scan, const struct pose *at,
			double fit, double x, double y, double reach)
{
	double far = 0;

	for (double d = AMBIGUOUS_STEP; d <= reach; d += AMBIGUOUS_STEP) {
		for (int side = -1; side <= 1; side += 2) {
			const struct pose there = {
				at->x + side * d * x, at->y + side * d * y,
				at->yaw,
			};

			if (fit_grid_fit(&s->grid, scan, &there) >
			    fit * AMBIGUOUS)
				far = d;
		}
	}
	return far;
}

static struct edge_weight weigh_closure(const struct loop_search *s,
					const struct fit_points *scan,
					const struct pose *at, double fit,
					double reach)
{
	const double full = 1 / (FIT_SIGMA * FIT_SIGMA);
	const double a = curvature(s, scan, at, fit, ASIDE, 0, 0);
	const double b = curvature(s, scan, at, fit, 0, ASIDE, 0);
	const double d = curvature(s, scan, at, fit, ASIDE * M_SQRT1_2,
				   ASIDE * M_SQRT1_2, 0) - (a + b) / 2;
	const double tt = curvature(s, scan, at, fit, 0, 0, ASIDE_TURN);
	/* the axes along which the fit falls most and least */
	const double mean = (a + b) / 2, half = (a - b) / 2;
	const double span = sqrt(half * half + d * d);
	const double most = weight_of(mean + span, full, LOOP_CLOSE);
	const double c2 = span > 0 ? half / span : 1;
	const double s2 = span > 0 ? d / span : 0;
	/* the axis of the least is across that of the most */
	const double x = -copysign(sqrt((1 - c2) / 2), s2);
	const double y = sqrt((1 + c2) / 2);
	const double far = ambiguity(s, scan, at, fit, x, y, reach);
	double least = weight_of(mean - span, full, LOOP_CLOSE);

	if (far > 0)
		least = fmin(least, 1 / (far * far));

	return (struct edge_weight){
		.xx = (most + least) / 2 + (most - least) / 2 * c2,
		.yy = (most + least) / 2 - (most - least) / 2 * c2,
		.xy = (most - least) / 2 * s2,
		/* endpoints at 2 m constrain the heading */
		.tt = weight_of(tt, 4 * full, CLOSE_TURN),
	};
}

/* Whether scans of the submap and this one cannot both be true */
static bool contradicts(const struct loop_search *s, uint32_t first,
			uint32_t last, uint32_t anchor, uint32_t node,
			const struct pose *at)
{
	const uint32_t step = (last - first) / 4 + 1;
	struct visibility v = { .agree = 0 };

	for (uint32_t i = first; i <= last; i += step) {
		const struct pose from = det_between(s->graph->pose + anchor,
						     s->graph->pose + i);

		visibility_count(&v, s->node[i]->reading, &from,
				 s->node[node]->reading, at);
	}
	return visibility_against(&v) > CONTRADICTS;
}

/* The scan of the visit before (@side -1) or after (1) a node */
static uint32_t find_witness(const struct loop_search *s, uint32_t node,
			     int side)
{
	const uint32_t end = side < 0 ? 0 : s->graph->nodes - 1;
	uint32_t i = node;

	while (i != end && fabs(s->node[i]->travel - s->node[node]->travel) <
	       WITNESS)
		i += (uint32_t)side;
	return i;
}

/* Whether other scans of the visit fit as well, if node is at @at: two places
 * that look alike for one scan rarely do for three
 */
static bool confirmed(const struct loop_search *s, uint32_t node,
		      const struct pose *at)
{
	const struct pose_graph *g = s->graph;
	int asked = 0;

	for (int side = -1; side <= 1; side += 2) {
		const uint32_t i = find_witness(s, node, side);
		struct pose move, there, best;
		double fit;

		if (i == node || s->node[i]->points.count < POINTS_LEAST)
			continue;
		move = det_between(g->pose + node, g->pose + i);
		there = best = det_compose(at, &move);
		fit = fit_grid_climb(&s->grid, &s->node[i]->points, &best);
		if (fit < WITNESS_FITS ||
		    pose_distance(&best, &there, POSE_GRAPH_REACH) > WITNESS_OFF)
			return false;
		asked++;
	}
	return asked;
}

/* Compare one scan. Return: 0; -ENOMEM */
static int try_visit(struct loop_search *s, uint32_t first, uint32_t last,
		     uint32_t anchor, uint32_t node)
{
	const struct fit_points *scan = &s->node[node]->points;
	const double way = s->way[node];
	struct graph_edge e = { .from = anchor, .to = node, .closure = true };
	struct pose best;
	double fit;
	int ret;

	s->tried++;
	e.move = best = det_between(s->graph->pose + anchor,
				    s->graph->pose + node);
	fit = fit_grid_climb(&s->grid, scan, &e.move);
	if (fit < FITS_WELL) {
		s->searched++;
		ret = fit_grid_search(&s->grid, scan, &best,
				      &(struct fit_window){
			.reach = window(way), .least = fmax(FITS, fit),
			.turn = fmin(TURN + TURN_PER_M * way, TURN_MOST),
		});
		if (ret < 0)
			return ret;
		if (ret) {
			fit = fit_grid_climb(&s->grid, scan, &best);
			e.move = best;
		}
	}
	if (fit < FITS)
		return 0;
	s->found++;
	if (!confirmed(s, node, &e.move)) {
		s->alone++;
		return 0;
	}
	if (contradicts(s, first, last, anchor, node, &e.move)) {
		s->contradicted++;
		return 0;
	}
	e.fit = fit;
	e.weight = weigh_closure(s, scan, &e.move, fit, window(way));
	s->added++;
	return loop_search_add(s, &e);
}

/* Forget the closures of a submap: it is searched again */
static void drop_closures(struct pose_graph *g, uint32_t anchor)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < g->edges; i++) {
		if (!g->edge[i].closure || g->edge[i].from != anchor)
			g->edge[left++] = g->edge[i];
	}
	g->edges = left;
}

int loop_search_submap(struct loop_search *s, uint32_t first, uint32_t last)
{
	const uint32_t anchor = (first + last) / 2;
	struct visit visit[TRIES];
	uint32_t visits;
	int err;

	assert(first <= last && last < s->graph->nodes);
	drop_closures(s->graph, anchor);
	err = find_ways(s, anchor);
	if (err)
		return err;
	visits = find_visits(s, anchor, visit);
	if (visits)
		err = draw_submap(s, first, last, anchor);
	for (uint32_t i = 0; i < visits && !err; i++)
		err = try_visit(s, first, last, anchor, visit[i].node);
	return err == -E2BIG ? 0 : err;
}
