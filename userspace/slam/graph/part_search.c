// SPDX-License-Identifier: GPL-2.0-only
/*
 * part_search.c - the last nodes of a part, in the map before
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "slam/filter/det_math.h"
#include "slam/filter/visibility.h"
#include "slam/graph/part_search.h"

/* Scans this near see the same place, m */
#define NEAR		4.0
/* The share of beams that may contradict the map: people, moved furniture */
#define CONTRADICTS	0.2
/* Fit of a place: it was mapped by the same laser, not long ago. Corridors that are
 * alike fit by less
 */
#define FITS		0.8
/* It may be long until a place that is known: see struct place_search */
enum { RARER = 48 };
/* Blocks of poses that are looked at in a job, about 0.5 s */
enum { BLOCKS = 1 << 20 };
/* Standard deviation of a place that was found: m and rad */
#define PLACE		0.1
#define PLACE_TURN	0.03

void part_search_begin(struct part_search *p, uint32_t first)
{
	assert(first);
	part_search_end(p);
	p->first = p->next = first;
}

void part_search_end(struct part_search *p)
{
	free(p->at);
	place_search_free(&p->place);
	*p = (struct part_search){ .first = 0 };
}

bool part_search_due(const struct part_search *p, uint32_t nodes)
{
	return p->first && !p->too_wide && p->next < nodes;
}

/* The map: the nodes before, where they are now. Return: 0; -ENOMEM; -E2BIG */
static int draw_map(struct part_search *p, const struct loop_search *s)
{
	const struct fit_points **scan = calloc(p->first, sizeof(*scan));
	struct pose *pose = calloc(p->first, sizeof(*pose));
	uint32_t count = 0;
	int err = -ENOMEM;

	p->at = malloc(p->first * sizeof(*p->at));
	if (scan && pose && p->at) {
		memcpy(p->at, s->graph->pose, p->first * sizeof(*p->at));
		for (uint32_t i = 0; i < p->first; i++) {
			if (s->node[i]->apart)
				continue;
			scan[count] = &s->node[i]->points;
			pose[count++] = p->at[i];
		}
		err = place_search_scans(&p->place, scan, pose, count);
	}
	free(scan);
	free(pose);
	return err;
}

/* Add what a scan from @pose and those of the map say about each other */
static void compare(const struct part_search *p, const struct loop_search *s,
		    uint32_t node, const struct pose *pose,
		    struct visibility *v)
{
	for (uint32_t i = 0; i < p->first; i++) {
		const struct pose *at = p->at + i;

		if (!s->node[i]->apart &&
		    hypot(at->x - pose->x, at->y - pose->y) < NEAR)
			visibility_count(v, s->node[i]->reading, at,
					 s->node[node]->reading, pose);
	}
}

/* Whether the last scans can be true if the one of @node is from @pose */
static bool is_possible(const struct part_search *p,
			const struct loop_search *s, uint32_t node,
			const struct pose *pose)
{
	const struct pose *own = s->graph->pose;
	struct visibility v = { .agree = 0 };

	for (uint32_t i = node; i + PLACE_SCANS > node && i >= p->first; i--) {
		const struct pose move = det_between(own + node, own + i);
		const struct pose at = det_compose(pose, &move);

		compare(p, s, i, &at, &v);
	}
	return !(visibility_against(&v) > CONTRADICTS);
}

static uint32_t nearest(const struct part_search *p,
			const struct loop_search *s, const struct pose *pose)
{
	double least = INFINITY;
	uint32_t found = 0;

	for (uint32_t i = 0; i < p->first; i++) {
		const double far = hypot(p->at[i].x - pose->x,
					 p->at[i].y - pose->y);

		if (s->node[i]->apart || far >= least)
			continue;
		least = far;
		found = i;
	}
	return found;
}

/* Node @node was found at @pose. Return: 0; -ENOMEM */
static int add_closure(const struct part_search *p, struct loop_search *s,
		       uint32_t node, const struct pose *pose)
{
	const uint32_t from = nearest(p, s, pose);
	const struct graph_edge e = {
		.from = from, .to = node, .move = det_between(p->at + from, pose),
		.weight = {
			.xx = 1 / (PLACE * PLACE), .yy = 1 / (PLACE * PLACE),
			.tt = 1 / (PLACE_TURN * PLACE_TURN),
		},
		/* many scans say so: no other closure has to */
		.closure = true, .fit = 1,
	};

	s->added++;
	return loop_search_add(s, &e);
}

/* Return: 1: a closure was added; 0; -ENOMEM */
static int search_node(struct part_search *p, struct loop_search *s,
		       uint32_t node)
{
	struct pose pose;
	const int ret = place_search_points(&p->place, &s->node[node]->points,
					    s->graph->pose + node, &pose);

	if (ret <= 0)
		return ret;
	/* true or not: only more scans tell more */
	place_search_restart(&p->place);
	if (!is_possible(p, s, node, &pose))
		return 0;
	return add_closure(p, s, node, &pose) ? -ENOMEM : 1;
}

int part_search_run(struct part_search *p, struct loop_search *s)
{
	uint64_t left = BLOCKS;
	int ret = 0;

	if (!part_search_due(p, s->graph->nodes))
		return 0;
	if (!p->at)
		ret = draw_map(p, s);
	if (ret == -E2BIG) {
		p->too_wide = true;
		return 0;
	}
	p->place.least = FITS;
	p->place.rarer = RARER;
	p->place.left = &left;
	while (!ret && left && p->next < s->graph->nodes)
		ret = search_node(p, s, p->next++);
	p->place.left = NULL;
	return ret < 0 ? ret : 0;
}
