// SPDX-License-Identifier: GPL-2.0-only
/*
 * graph - the pose graph of a site as transforms
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "map/ros/graph.h"

struct reading {
	struct store_node	*node;
	unsigned int		nodes, room;
};

static void graph_add_node(void *arg, const struct store_node *n)
{
	struct reading *r = arg;

	if (r->nodes < r->room)
		r->node[r->nodes++] = *n;
}

static int graph_by_id(const void *a, const void *b)
{
	const struct store_node *m = a, *n = b;

	return m->id < n->id ? -1 : m->id > n->id;
}

/* Names point into @all, which must stay */
static struct message_transform link_of(const struct reading *all,
					const struct store_node *n,
					const char *frame)
{
	const struct pose *p = n->linked ? &n->link : &n->pose;
	const struct store_node key = { .id = n->predecessor };
	const struct store_node *of = !n->linked ? NULL :
		bsearch(&key, all->node, all->nodes, sizeof(key), graph_by_id);

	if (of && strcmp(of->frame, SITE_ROOT))
		frame = of->frame;
	return (struct message_transform){
		.header = { n->stamp, 0, message_string(frame) },
		.child_frame_id = message_string(n->frame),
		.translation = { p->x, p->y, 0 },
		.rotation = { 0, 0, sin(p->yaw / 2), cos(p->yaw / 2) },
	};
}

int graph_read(struct graph *g, struct site *site, const char *frame)
{
	struct reading all = { .room = site_counts(site).nodes };

	*g = (struct graph){ 0 };
	all.node = calloc(all.room + 1, sizeof(*all.node));
	g->link = calloc(all.room + 1, sizeof(*g->link));
	g->node = calloc(all.room + 1, sizeof(*g->node));
	if (!all.node || !g->link || !g->node) {
		free(all.node);
		graph_free(g);
		return -ENOMEM;
	}
	site_each_node(site, graph_add_node, &all);
	qsort(all.node, all.nodes, sizeof(*all.node), graph_by_id);
	for (unsigned int i = 0; i < all.nodes; i++) {
		const struct store_node *n = &all.node[i];

		if (!(n->placed || n->linked) || !strcmp(n->frame, SITE_ROOT))
			continue;
		g->link[g->nodes] = link_of(&all, n, frame);
		g->node[g->nodes++] = *n;
	}
	g->all = all.node;
	return 0;
}

void graph_free(struct graph *g)
{
	free(g->node);
	free(g->link);
	free(g->all);
	*g = (struct graph){ 0 };
}
