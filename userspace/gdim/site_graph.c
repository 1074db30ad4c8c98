// SPDX-License-Identifier: GPL-2.0-only
/*
 * site_graph - transforms between frames, and where everything is then
 *
 * A node is where it is in the map, or where it is seen from its predecessor.
 * New transforms are tried on a copy of the graph: what cannot be, a circle
 * above all, changes nothing.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gdim/site_parts.h"

enum place_state { PLACE_OPEN, PLACE_ASKED, PLACE_KNOWN };

/**
 * struct place - of a node, as it will be
 * @told:	by one of the new transforms
 */
struct place {
	struct pose	pose, link;
	uint32_t	predecessor;
	bool		placed, linked, told;
	uint8_t		state;
};

/**
 * struct moving - what is to be stored with the graph
 * @also:	see site_move()
 */
struct moving {
	struct site	*s;
	int64_t		stamp;
	const char	*source;
	int		(*also)(void *arg, char error[SITE_ERROR]);
	void		*arg;
};

static bool is_root(const char *frame)
{
	return !*frame || !strcmp(frame, SITE_ROOT);
}

static int check(const struct site_transform *t, char error[SITE_ERROR])
{
	if (!site_frame_valid(t->frame) || !strcmp(t->frame, SITE_ROOT))
		return site_error(error, -EINVAL,
				  "a transform of a frame that has none: '%s'",
				  site_frame_valid(t->frame) ? t->frame : "");
	if (*t->predecessor && !site_frame_valid(t->predecessor))
		return site_error(error, -EINVAL,
			"frame %s: its predecessor has no proper name",
			t->frame);
	if (!pose_valid(&t->pose))
		return site_error(error, -EINVAL,
			"frame %s: a transform of %g m, %g m, %g rad", t->frame,
			t->pose.x, t->pose.y, t->pose.yaw);
	return 0;
}

static struct place place_of(const struct node *n)
{
	return (struct place){
		.pose = n->node.pose, .link = n->node.link,
		.predecessor = n->predecessor, .placed = n->node.placed,
		.linked = n->node.linked && n->predecessor != INDEX_NONE,
	};
}

/* Nodes of all frames, new ones at the end, and what is told of them */
static int tell(struct site *s, const struct site_transform *t,
		unsigned int count, char error[SITE_ERROR])
{
	for (unsigned int i = 0; i < count; i++) {
		const int err = check(&t[i], error);

		if (err)
			return err;
		if ((!is_root(t[i].predecessor) &&
		     site_add_node(s, t[i].predecessor, t[i].stamp) ==
		     INDEX_NONE) ||
		    site_add_node(s, t[i].frame, t[i].stamp) == INDEX_NONE)
			return site_error(error, -ENOMEM, "out of memory");
	}
	return 0;
}

static void apply(const struct site *s, const struct site_transform *t,
		  struct place *place)
{
	struct place *p = &place[site_find_node(s, t->frame)];

	p->told = true;
	p->linked = !is_root(t->predecessor);
	if (p->linked) {
		p->predecessor = site_find_node(s, t->predecessor);
		p->link = t->pose;
		p->placed = false;
	} else {
		p->predecessor = INDEX_NONE;
		p->pose = t->pose;
		p->placed = true;
	}
}

/* At the first frame that is seen from nowhere, if none is told to be in it */
static void begin_map(const struct site *s, const struct site_transform *t,
		      unsigned int count, struct place *place)
{
	for (unsigned int i = 0; i < count; i++)
		if (is_root(t[i].predecessor))
			return;
	for (unsigned int i = 0; i < count; i++) {
		struct place *p;

		p = &place[site_find_node(s, t[i].predecessor)];
		if (p->linked || p->placed)
			continue;
		p->pose = (struct pose){ 0 };
		p->placed = p->told = true;
		return;
	}
}

/* Follow predecessors to one whose place is known, and come back */
static int find_place(struct place *place, uint32_t node, uint32_t *path)
{
	unsigned int n = 0;

	while (place[node].state == PLACE_OPEN && place[node].linked) {
		place[node].state = PLACE_ASKED;
		path[n++] = node;
		node = place[node].predecessor;
	}
	if (place[node].state == PLACE_ASKED)
		return -ELOOP;
	place[node].state = PLACE_KNOWN;
	while (n--) {
		struct place *p = &place[path[n]];
		const struct place *of = &place[p->predecessor];

		p->placed = of->placed;
		if (p->placed)
			p->pose = pose_compose(&of->pose, &p->link);
		p->state = PLACE_KNOWN;
	}
	return 0;
}

static bool differs(const struct node *n, const struct place *p)
{
	return p->placed != n->node.placed ||
	       (p->placed &&
		memcmp(&p->pose, &n->node.pose, sizeof(p->pose)));
}

/* Nodes from number @old on */
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

/* Links that were told, poses that are different */
static int store_places(struct site *s, const struct place *place,
			int64_t stamp, const char *source,
			struct store_pose *pose)
{
	unsigned int count = 0;

	for (uint32_t i = 0; i < s->nodes; i++) {
		struct store_pose *p = &pose[count];

		if (!place[i].told && !differs(&s->node[i], &place[i]))
			continue;
		*p = (struct store_pose){
			.node = s->node[i].node.id,
			.placed = place[i].placed, .pose = place[i].pose,
			.link = !place[i].told ? STORE_LINK_KEEP :
				place[i].linked ? STORE_LINK_SET :
						  STORE_LINK_NONE,
		};
		if (p->link == STORE_LINK_SET) {
			p->transform = place[i].link;
			p->predecessor =
				s->node[place[i].predecessor].node.id;
		}
		count++;
	}
	return store_poses(s->store, pose, count, stamp, source);
}

/* On disk: all of it, or nothing */
static int store_all(const struct moving *g, uint32_t old,
		     const struct place *place, struct store_pose *pose,
		     char error[SITE_ERROR])
{
	struct site *s = g->s;
	/* who imports a lot has begun already */
	const bool alone = !store_is_begun(s->store);
	int also = 0, err = alone ? store_begin(s->store) : 0;

	if (!err)
		err = store_nodes_from(s, old);
	if (!err)
		err = store_places(s, place, g->stamp, g->source, pose);
	if (!err && g->also)
		err = also = g->also(g->arg, error);
	if (!err && alone)
		err = store_commit(s->store);
	if (err && !also)
		site_error(error, err, "%s", store_error(s->store));
	if (err && alone)
		store_rollback(s->store);
	return err;
}

/* What is on disk is known, and what moved has to be fused */
static int take_places(struct site *s, const struct place *place)
{
	int err = 0;

	pthread_mutex_lock(&s->lock);
	for (uint32_t i = 0; i < s->nodes; i++) {
		struct node *n = &s->node[i];
		const struct place *p = &place[i];
		const bool moved = differs(n, p);

		if (!p->told && !moved)
			continue;
		s->placed += p->placed - n->node.placed;
		n->node.placed = p->placed;
		n->node.pose = p->pose;
		n->node.linked = p->linked;
		n->node.link = p->link;
		n->predecessor = p->predecessor;
		n->node.predecessor = p->linked ?
				      s->node[p->predecessor].node.id : 0;
		if (p->linked)
			s->node[p->predecessor].followed = true;
		for (uint32_t m = n->first; moved && m != INDEX_NONE;
		     m = s->submap[m].next)
			err = err ? err : site_pend(s, m, false);
	}
	pthread_mutex_unlock(&s->lock);
	return err;
}

static int plan(struct site *s, const struct site_transform *t,
		unsigned int count, bool empty, struct place *place,
		uint32_t *path, char error[SITE_ERROR])
{
	for (uint32_t i = 0; i < s->nodes; i++)
		place[i] = place_of(&s->node[i]);
	for (unsigned int i = 0; i < count; i++)
		apply(s, &t[i], place);
	if (empty)
		begin_map(s, t, count, place);
	for (uint32_t i = 0; i < s->nodes; i++)
		if (find_place(place, i, path))
			return site_error(error, -EINVAL,
				"frame %s would follow itself",
				s->node[i].node.frame);
	return 0;
}

/* Whether something but whole maps has a place */
static bool is_empty(const struct site *s)
{
	const uint32_t root = site_find_node(s, SITE_ROOT);

	return s->placed == (root != INDEX_NONE);
}

int site_move(struct site *s, const struct site_transform *t,
	      unsigned int count, const char *source,
	      int (*also)(void *arg, char error[SITE_ERROR]), void *arg,
	      char error[SITE_ERROR])
{
	struct moving g = { s, 0, source, also, arg };
	const uint32_t old = s->nodes;
	uint32_t keep = old;
	const bool empty = is_empty(s);
	struct store_pose *pose = NULL;
	struct place *place = NULL;
	uint32_t *path = NULL;
	int err;

	err = tell(s, t, count, error);
	if (err)
		goto out;
	place = malloc(s->nodes * sizeof(*place));
	path = malloc(s->nodes * sizeof(*path));
	pose = malloc(s->nodes * sizeof(*pose));
	if (!place || !path || !pose) {
		err = site_error(error, -ENOMEM, "out of memory");
		goto out;
	}
	err = plan(s, t, count, empty, place, path, error);
	if (err)
		goto out;
	for (unsigned int i = 0; i < count; i++)
		g.stamp = t[i].stamp > g.stamp ? t[i].stamp : g.stamp;
	err = store_all(&g, old, place, pose, error);
	if (err)
		goto out;
	keep = s->nodes;
	if (take_places(s, place))
		err = site_error(error, -ENOMEM, "out of memory");
out:
	if (err)
		site_drop_nodes(s, s->nodes - keep);
	free(place);
	free(path);
	free(pose);
	return err;
}

int site_transforms(struct site *s, const struct site_transform *t,
		    unsigned int count, const char *source,
		    char error[SITE_ERROR])
{
	int err;

	if (!count)
		return 0;
	site_turn(s);
	err = site_move(s, t, count, source, NULL, NULL, error);
	site_turn_end(s);
	return err;
}
