// SPDX-License-Identifier: GPL-2.0-only
/*
 * graph_out - edges between scans to edges between submaps
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "slam/output/graph_out.h"

void graph_out_free(struct graph_out *g)
{
	free(g->edge);
	free(g->frame);
	free(g->at);
	*g = (struct graph_out){ .edges = 0 };
}

/* The submap of a scan */
static uint32_t submap_of(const struct submaps *s, uint32_t scan)
{
	uint32_t low = 0, high = submaps_count(s);

	while (high - low > 1) {
		const uint32_t middle = (low + high) / 2;

		if (submaps_at(s, middle)->first <= scan)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/*
 * Covariances
 */

/**
 * struct place - an edge between two frames by one between two scans
 * @before:	the first scan, in the frame that the edge comes from
 * @turn:	heading of the second scan, in that of the first one
 * @after:	the frame that it leads to, in that of the second scan
 */
struct place {
	struct pose	before, after;
	double		turn;
};

/* Add what the error of a motion between scans is at the frame at the end:
 * H C H', where a turn moves the end aside
 */
static void add_covariance(const struct edge_weight *w, const struct place *p,
			   double sum[9])
{
	const double det = w->xx * w->yy - w->xy * w->xy;
	const double c[3][3] = {
		{ w->yy / det, -w->xy / det, 0 },
		{ -w->xy / det, w->xx / det, 0 }, { 0, 0, 1 / w->tt },
	};
	const double sine = sin(p->turn), cosine = cos(p->turn);
	const double x = cosine * p->after.x - sine * p->after.y;
	const double y = sine * p->after.x + cosine * p->after.y;
	const double s = sin(p->before.yaw), k = cos(p->before.yaw);
	const double h[3][3] = {
		{ k, -s, -k * y - s * x }, { s, k, -s * y + k * x },
		{ 0, 0, 1 },
	};

	for (int i = 0; i < 9; i++) {
		for (int a = 0; a < 9; a++)
			sum[i] += h[i / 3][a / 3] * c[a / 3][a % 3] *
				  h[i % 3][a % 3];
	}
}

/* The upper triangle is that below it: sums of another order differ in their
 * last bits
 */
static void mirror(double c[9])
{
	c[3] = c[1];
	c[6] = c[2];
	c[7] = c[5];
}

/*
 * Edges
 */

static struct message_graph_edge *new_edge(struct graph_out *g)
{
	if (array_grow(&g->edge, &g->edge_room, g->edges, sizeof(*g->edge)))
		return NULL;
	g->edge[g->edges] = (struct message_graph_edge){ .kind = 0 };
	return g->edge + g->edges++;
}

static void set_edge(struct graph_out *g, struct message_graph_edge *e,
		     uint32_t from, uint32_t to, const struct pose *transform)
{
	e->from_frame = message_string(g->frame[from]);
	e->to_frame = message_string(g->frame[to]);
	e->transform[0] = transform->x;
	e->transform[1] = transform->y;
	e->transform[2] = transform->yaw;
}

/* Add a step to the covariance of the edge to a submap */
static void add_motion(const struct graph_out *g, uint32_t to,
		       const struct pose *history,
		       const struct graph_edge *step,
		       struct message_graph_edge *e)
{
	const struct pose move = pose_between(history + step->from,
					      history + step->to);
	const struct place p = {
		.before = pose_between(g->at + to - 1, history + step->from),
		.turn = move.yaw,
		.after = pose_between(history + step->to, g->at + to),
	};

	add_covariance(&step->weight, &p, e->covariance);
}

/* A step: part of the edge to the submap that begins after it, and all of those
 * to submaps that begin within it. @last: submap that has an edge. Return: 0;
 * -ENOMEM
 */
static int add_step(struct graph_out *g, const struct submaps *s,
		    const struct pose *history, const struct graph_edge *step,
		    uint32_t *last)
{
	const uint32_t to = submap_of(s, step->to - 1) + 1;

	if (to == *last)
		add_motion(g, to, history, step, g->edge + g->edges - 1);
	while (*last < to && *last + 1 < g->submaps) {
		struct message_graph_edge *e = new_edge(g);
		struct pose transform;

		if (!e)
			return -ENOMEM;
		++*last;
		transform = pose_between(g->at + *last - 1, g->at + *last);
		set_edge(g, e, *last - 1, *last, &transform);
		e->kind = MESSAGE_EDGE_ODOMETRY;
		add_motion(g, *last, history, step, e);
	}
	return 0;
}

/* Return: 0; -ENOMEM */
static int add_closure(struct graph_out *g, const struct submaps *s,
		       const struct pose *history,
		       const struct graph_edge *closure)
{
	const uint32_t from = submap_of(s, closure->from);
	const uint32_t to = submap_of(s, closure->to);
	const struct place p = {
		.before = pose_between(g->at + from, history + closure->from),
		.turn = closure->move.yaw,
		.after = pose_between(history + closure->to, g->at + to),
	};
	struct message_graph_edge *e;
	struct pose end, transform;

	/* within a submap it says nothing about submaps */
	if (from == to)
		return 0;
	e = new_edge(g);
	if (!e)
		return -ENOMEM;
	end = pose_compose(&p.before, &closure->move);
	transform = pose_compose(&end, &p.after);
	set_edge(g, e, from, to, &transform);
	e->kind = MESSAGE_EDGE_LOOP;
	e->waiting = closure->waiting;
	add_covariance(&closure->weight, &p, e->covariance);
	return 0;
}

/* Names and poses of submaps. Return: 0; -ENOMEM */
static int list_submaps(struct graph_out *g, const struct submap_out *names,
			const struct submaps *s)
{
	const uint32_t n = submaps_count(s);
	void *frame = realloc(g->frame, (n + 1) * sizeof(*g->frame)), *at;

	if (!frame)
		return -ENOMEM;
	g->frame = frame;
	at = realloc(g->at, (n + 1) * sizeof(*g->at));
	if (!at)
		return -ENOMEM;
	g->at = at;
	g->submaps = n;
	for (uint32_t i = 0; i < n; i++) {
		submap_out_frame(names, i, g->frame[i]);
		g->at[i] = submaps_at(s, i)->pose;
	}
	return 0;
}

int graph_out_make(struct graph_out *g, const struct submap_out *names,
		   const struct submaps *s, const struct pose *history,
		   uint32_t count, const struct graph_edge *edge,
		   uint32_t edges, int64_t stamp, union message *m,
		   struct error *error)
{
	uint32_t last = 0;
	int err = list_submaps(g, names, s);

	g->edges = 0;
	for (uint32_t i = 0; i < edges && g->submaps && !err; i++) {
		if (edge[i].from >= count || edge[i].to >= count)
			continue;
		err = edge[i].closure ? add_closure(g, s, history, edge + i) :
		      add_step(g, s, history, edge + i, &last);
	}
	if (err)
		return error_set(error, err, "out of memory");
	for (uint32_t i = 0; i < g->edges; i++)
		mirror(g->edge[i].covariance);
	m->graph = (struct message_pose_graph){
		.header = { stamp, 0, message_string(names->map) },
		.source = message_string(names->prefix),
		.edges = message_list(g->edge, g->edges),
	};
	return (int)g->edges;
}
