// SPDX-License-Identifier: GPL-2.0-only
/*
 * site_narrow - restrict fusing to what is about to move
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include "base/array.h"
#include "map/site/site_parts.h"

/**
 * struct chain - nodes that move
 * @in:		for each node of the site, whether it is one
 * @node:	@nodes of them
 */
struct chain {
	bool		*in;
	uint32_t	*node, nodes, room;
};

static int site_narrow_add(struct chain *c, uint32_t node)
{
	if (node == INDEX_NONE || c->in[node])
		return 0;
	if (array_grow(&c->node, &c->room, c->nodes, sizeof(*c->node)))
		return -ENOMEM;
	assert(c->nodes < c->room);
	c->in[node] = true;
	c->node[c->nodes++] = node;
	return 0;
}

/* The nodes of @t and their followers */
static int site_narrow_find(const struct site *s,
			    const struct site_transform *t, unsigned int count,
			    struct chain *c)
{
	int err = 0;

	for (unsigned int i = 0; i < count && !err; i++)
		err = site_narrow_add(c, site_find_node(s, t[i].frame));
	for (uint32_t i = 0; i < c->nodes && !err; i++)
		for (uint32_t f = s->node[c->node[i]].follower;
		     f != INDEX_NONE && !err; f = s->node[f].next)
			err = site_narrow_add(c, f);
	return err;
}

static void forget_pending(struct site *s)
{
	for (unsigned int i = 0; i < s->layers; i++) {
		struct layer_state *l = s->layer[i];

		for (uint32_t k = 0; k < l->pendings; k++)
			s->submap[l->pending[k]].pending = false;
		l->pendings = 0;
	}
}

int site_narrow(struct site *s, const struct site_transform *t,
		unsigned int count)
{
	struct chain c = { .in = calloc(s->nodes + 1, sizeof(*c.in)) };
	int err = c.in ? 0 : -ENOMEM;

	pthread_mutex_lock(&s->lock);
	if (!err)
		err = site_narrow_find(s, t, count, &c);
	if (!err)
		forget_pending(s);
	for (uint32_t i = 0; i < c.nodes && !err; i++)
		for (uint32_t m = s->node[c.node[i]].first;
		     m != INDEX_NONE && !err; m = s->submap[m].next)
			err = site_pend(s, m, true);
	pthread_mutex_unlock(&s->lock);
	free(c.in);
	free(c.node);
	return err;
}
