// SPDX-License-Identifier: GPL-2.0-only
/*
 * site_graph - apply transforms to the pose graph
 *
 * The pose of a node is given in the map or relative to its predecessor. New
 * transforms are tried on a copy of their nodes and of the followers of these;
 * the rest of the graph is not read. Invalid input, above all a circle, changes
 * nothing.
 *
 * A node that is not on the map's storey is not placed, and the store has no
 * link of it: it must not come back with a wrong height after the site was
 * opened again.
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/error.h"
#include "map/site/site_parts.h"

enum place_state { PLACE_OPEN, PLACE_ASKED, PLACE_KNOWN };

/**
 * struct place - new pose of a node
 * @updated:	set by one of the new transforms
 * @known:	@pose and @storey are; it is @placed, or @apart
 */
struct place {
	struct pose	pose, link;
	struct storey	storey;
	struct storey_link rise;
	uint32_t	node, predecessor;
	bool		placed, linked, updated, known, apart;
	uint8_t		state;
};

/**
 * struct moving - the change that is tried and then stored
 * @place:	of nodes that may move; node.place is the index
 * @also:	see site_move()
 * @grounds:	it says where the map's storey is: at @ground, m
 */
struct moving {
	struct site	*s;
	struct place	*place;
	uint32_t	places, room;
	int64_t		stamp;
	const char	*source;
	int		(*also)(void *arg, struct error *error);
	void		*arg;
	bool		grounds;
	double		ground;
};

static bool is_root(const char *frame)
{
	return !*frame || !strcmp(frame, SITE_ROOT);
}

static int site_graph_check(const struct site_transform *t,
			    struct error *error)
{
	if (!site_frame_valid(t->frame) || !strcmp(t->frame, SITE_ROOT))
		return error_set(error, -EINVAL,
				 "invalid child frame of a transform: '%s'",
				 site_frame_valid(t->frame) ? t->frame : "");
	if (*t->predecessor && !site_frame_valid(t->predecessor))
		return error_set(error, -EINVAL,
			"frame %s: invalid name of its parent frame",
			t->frame);
	if (!pose_valid(&t->pose))
		return error_set(error, -EINVAL,
			"frame %s: invalid transform: %g m, %g m, %g rad",
			t->frame,
			t->pose.x, t->pose.y, t->pose.yaw);
	return 0;
}

/* Mark that a node may move. Return: valid until the next; NULL: no memory */
static struct place *touch(struct moving *g, uint32_t node)
{
	struct node *n = &g->s->node[node];

	if (n->place != INDEX_NONE)
		return &g->place[n->place];
	if (array_grow(&g->place, &g->room, g->places, sizeof(*g->place)))
		return NULL;
	g->s->looked++;
	n->place = g->places++;
	g->place[n->place] = (struct place){
		.pose = n->node.pose, .link = n->node.link, .node = node,
		.storey = n->storey, .rise = n->rise,
		.predecessor = n->predecessor,
		.known = n->node.placed || n->apart,
		.linked = n->node.linked && n->predecessor != INDEX_NONE,
	};
	return &g->place[n->place];
}

static void end_moving(struct moving *g)
{
	for (uint32_t i = 0; i < g->places; i++)
		g->s->node[g->place[i].node].place = INDEX_NONE;
	free(g->place);
}

/* Add the nodes of all frames, new ones at the end, with their new poses */
static int site_graph_tell(struct site *s, const struct site_transform *t,
			   unsigned int count, struct error *error)
{
	for (unsigned int i = 0; i < count; i++) {
		const int err = site_graph_check(&t[i], error);

		if (err)
			return err;
		if ((!is_root(t[i].predecessor) &&
		     site_add_node(s, t[i].predecessor, t[i].stamp) ==
		     INDEX_NONE) ||
		    site_add_node(s, t[i].frame, t[i].stamp) == INDEX_NONE)
			return error_set(error, -ENOMEM, "out of memory");
	}
	return 0;
}

static int site_graph_apply(struct moving *g, const struct site_transform *t)
{
	struct place *p = touch(g, site_find_node(g->s, t->frame));

	if (!p)
		return -ENOMEM;
	p->updated = true;
	p->linked = !is_root(t->predecessor);
	p->rise = t->rise;
	p->known = !p->linked;
	if (p->linked) {
		p->predecessor = site_find_node(g->s, t->predecessor);
		p->link = t->pose;
		return 0;
	}
	p->predecessor = INDEX_NONE;
	p->pose = t->pose;
	p->storey = storey_follow(&(struct storey){ 0 }, &t->pose, &t->rise);
	return 0;
}

/* Choose the origin: the first frame without data, if none is in the map */
static int begin_map(struct moving *g, const struct site_transform *t,
		     unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		if (is_root(t[i].predecessor))
			return 0;
	for (unsigned int i = 0; i < count; i++) {
		struct place *p = touch(g, site_find_node(g->s,
							  t[i].predecessor));

		if (!p)
			return -ENOMEM;
		if (p->linked || p->known)
			continue;
		p->pose = (struct pose){ 0 };
		p->storey = (struct storey){ 0 };
		p->known = p->updated = true;
		return 0;
	}
	return 0;
}

/* Add followers by the old graph; new followers are already included */
static int touch_followers(struct moving *g)
{
	const struct node *node = g->s->node;

	for (uint32_t i = 0; i < g->places; i++)
		for (uint32_t f = node[g->place[i].node].follower;
		     f != INDEX_NONE; f = node[f].next)
			if (!touch(g, f))
				return -ENOMEM;
	return 0;
}

/* Follow predecessors to one with a known pose, and return */
static int site_graph_find_place(struct moving *g, uint32_t at, uint32_t *path)
{
	const struct node *node = g->s->node;
	struct place *place = g->place;
	unsigned int n = 0;

	while (at != INDEX_NONE && place[at].state == PLACE_OPEN &&
	       place[at].linked) {
		place[at].state = PLACE_ASKED;
		assert(at < g->places && n < g->places);
		path[n++] = at;
		at = node[place[at].predecessor].place;
	}
	if (at != INDEX_NONE && place[at].state == PLACE_ASKED)
		return -ELOOP;
	if (at != INDEX_NONE)
		place[at].state = PLACE_KNOWN;
	while (n--) {
		struct place *p = &place[path[n]];
		const struct node *of = &node[p->predecessor];
		const bool tried = of->place != INDEX_NONE;
		const struct pose *pose = tried ? &place[of->place].pose :
						  &of->node.pose;
		const struct storey *storey = tried ? &place[of->place].storey :
						      &of->storey;

		p->known = tried ? place[of->place].known :
				   of->node.placed || of->apart;
		if (p->known) {
			p->pose = pose_compose(pose, &p->link);
			p->storey = storey_follow(storey, &p->link, &p->rise);
		}
		p->state = PLACE_KNOWN;
	}
	return 0;
}

/* The first node that is in the map is on its storey */
static void site_graph_ground(struct moving *g)
{
	struct site *s = g->s;

	for (uint32_t i = 0; i < g->places && !s->grounded && !g->grounds; i++)
		if (g->place[i].known && g->place[i].updated &&
		    storey_lean(&g->place[i].storey) <= STOREY_LEAN) {
			g->grounds = true;
			g->ground = g->place[i].storey.height;
		}
}

static void site_graph_part(struct moving *g)
{
	const double limit = g->s->config.storey > 0 ? g->s->config.storey :
						       STOREY_HEIGHT;
	double ground;

	site_graph_ground(g);
	ground = g->grounds ? g->ground : g->s->ground;
	for (uint32_t i = 0; i < g->places; i++) {
		struct place *p = &g->place[i];

		p->apart = p->known && g->s->config.storey >= 0 &&
			   storey_is_apart(&p->storey, ground, limit);
		p->placed = p->known && !p->apart;
	}
}

static bool moves(const struct node *n, const struct place *p)
{
	return p->placed != n->node.placed ||
	       (p->placed &&
		memcmp(&p->pose, &n->node.pose, sizeof(p->pose)));
}

static bool links_anew(const struct node *n, const struct place *p)
{
	if (p->apart != n->apart && (p->linked || n->node.linked))
		return true;
	return p->updated && (p->linked != n->node.linked || (p->linked &&
		(p->predecessor != n->predecessor ||
		 memcmp(&p->link, &n->node.link, sizeof(p->link)))));
}

/* Store the nodes from number @old on */
static int store_nodes_from(struct site *s, uint32_t old)
{
	int err = 0;

	for (uint32_t i = old; i < s->nodes && !err; i++) {
		int64_t id = 0;

		err = store_node(s->store, s->node[i].node.frame,
				 s->node[i].node.stamp, &id);
		pthread_mutex_lock(&s->lock);
		s->node[i].node.id = id;
		pthread_mutex_unlock(&s->lock);
	}
	return err;
}

/* Store links and poses that have changed */
static int store_places(const struct moving *g, struct store_pose *pose)
{
	const struct site *s = g->s;
	unsigned int count = 0;

	for (uint32_t i = 0; i < g->places; i++) {
		const struct place *at = &g->place[i];
		const struct node *n = &s->node[at->node];
		const bool linked = links_anew(n, at);
		struct store_pose *p = &pose[count];

		if (!linked && !moves(n, at))
			continue;
		*p = (struct store_pose){
			.node = n->node.id, .placed = at->placed,
			.pose = at->pose,
			.link = !linked ? STORE_LINK_KEEP :
				at->linked && !at->apart ? STORE_LINK_SET :
							   STORE_LINK_NONE,
		};
		if (p->link == STORE_LINK_SET) {
			p->transform = at->link;
			p->predecessor = s->node[at->predecessor].node.id;
		}
		count++;
	}
	return count ? store_poses(s->store, pose, count, g->stamp,
				   g->source) : 0;
}

/* Store everything in one transaction */
static int store_all(const struct moving *g, uint32_t old,
		     struct store_pose *pose, struct error *error)
{
	struct site *s = g->s;
	/* an import has already begun a transaction */
	const bool alone = !store_is_begun(s->store);
	int also = 0, err = alone ? store_begin(s->store) : 0;
	char ground[32];

	if (!err)
		err = store_nodes_from(s, old);
	if (!err)
		err = store_places(g, pose);
	if (!err && g->grounds) {
		snprintf(ground, sizeof(ground), "%.3f", g->ground);
		err = store_set(s->store, SITE_GROUND, ground);
	}
	if (!err && g->also)
		err = also = g->also(g->arg, error);
	if (!err && alone)
		err = store_commit(s->store);
	if (err && !also)
		error_set(error, err, "%s", store_error(s->store));
	if (err && alone)
		store_rollback(s->store);
	return err;
}

/* Return: 0, -ENOMEM */
static int take_place(struct site *s, const struct place *p)
{
	struct node *n = &s->node[p->node];
	const bool moved = moves(n, p);
	int err = 0;

	if (!p->updated && !moved && !p->apart && !n->apart)
		return 0;
	s->placed += p->placed - n->node.placed;
	s->apart += p->apart - n->apart;
	n->node.placed = p->placed;
	n->apart = p->apart;
	n->storey = p->storey;
	n->rise = p->rise;
	n->node.pose = p->pose;
	n->node.linked = p->linked;
	n->node.link = p->link;
	n->node.predecessor = p->linked ? s->node[p->predecessor].node.id : 0;
	site_follow(s, p->node, p->linked ? p->predecessor : INDEX_NONE);
	for (uint32_t m = n->first; moved && m != INDEX_NONE;
	     m = s->submap[m].next)
		err = err ? err : site_pend(s, m, false);
	return err;
}

/* Apply the stored change, and mark moved submaps for fusing */
static int take_places(const struct moving *g)
{
	int err = 0;

	struct site *s = g->s;
	struct site_apart found = { .nodes = 0 };

	pthread_mutex_lock(&s->lock);
	if (g->grounds)
		s->ground = g->ground;
	s->grounded |= g->grounds;
	for (uint32_t i = 0; i < g->places; i++) {
		const struct place *p = &g->place[i];
		const struct node *n = &s->node[p->node];
		int one;

		if (p->apart && !n->apart) {
			snprintf(found.frame, sizeof(found.frame), "%s",
				 n->node.frame);
			found.above = p->storey.height - s->ground;
			found.lean = storey_lean(&p->storey);
			found.nodes = 1;
		}
		one = take_place(s, p);
		err = err ? err : one;
	}
	if (found.nodes)
		found.nodes = s->apart;
	pthread_mutex_unlock(&s->lock);
	if (found.nodes && s->apart_found)
		s->apart_found(s->apart_arg, &found);
	return err;
}

static int site_graph_find_places(struct moving *g, struct error *error)
{
	uint32_t *path = malloc(g->places * sizeof(*path));
	int err = path ? 0 : error_set(error, -ENOMEM, "out of memory");

	for (uint32_t i = 0; i < g->places && !err; i++)
		if (site_graph_find_place(g, i, path))
			err = error_set(error, -EINVAL,
				"frame %s: transforms form a loop",
				g->s->node[g->place[i].node].node.frame);
	free(path);
	return err;
}

static int site_graph_plan(struct moving *g, const struct site_transform *t,
			   unsigned int count, bool empty,
			   struct error *error)
{
	int err = 0;

	for (unsigned int i = 0; i < count && !err; i++)
		err = site_graph_apply(g, &t[i]);
	if (!err && empty)
		err = begin_map(g, t, count);
	if (!err)
		err = touch_followers(g);
	return err ? error_set(error, err, "out of memory") :
		     site_graph_find_places(g, error);
}

/* Does no submap except whole maps have a pose? */
static bool site_graph_is_empty(const struct site *s)
{
	const uint32_t root = site_find_node(s, SITE_ROOT);

	return s->placed == (root != INDEX_NONE);
}

int site_move(struct site *s, const struct site_transform *t,
	      unsigned int count, const char *source,
	      int (*also)(void *arg, struct error *error), void *arg,
	      struct error *error)
{
	struct moving g = { .s = s, .source = source, .also = also,
			    .arg = arg };
	const uint32_t old = s->nodes;
	uint32_t keep = old;
	const bool empty = site_graph_is_empty(s);
	struct store_pose *pose = NULL;
	int err;

	err = site_graph_tell(s, t, count, error);
	if (!err)
		err = site_graph_plan(&g, t, count, empty, error);
	if (err)
		goto out;
	site_graph_part(&g);
	pose = malloc(g.places * sizeof(*pose));
	if (!pose) {
		err = error_set(error, -ENOMEM, "out of memory");
		goto out;
	}
	for (unsigned int i = 0; i < count; i++)
		g.stamp = t[i].stamp > g.stamp ? t[i].stamp : g.stamp;
	err = store_all(&g, old, pose, error);
	if (err)
		goto out;
	keep = s->nodes;
	if (take_places(&g))
		err = error_set(error, -ENOMEM, "out of memory");
out:
	end_moving(&g);
	if (err)
		site_drop_nodes(s, s->nodes - keep);
	free(pose);
	return err;
}

int site_transforms(struct site *s, const struct site_transform *t,
		    unsigned int count, const char *source,
		    struct error *error)
{
	int err;

	if (!count)
		return 0;
	site_turn(s);
	err = site_move(s, t, count, source, NULL, NULL, error);
	site_turn_end(s);
	return err;
}
