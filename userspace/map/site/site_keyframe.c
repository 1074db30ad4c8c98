// SPDX-License-Identifier: GPL-2.0-only
/*
 * site_keyframe - check, store and use new submaps
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/error.h"
#include "map/site/site_parts.h"

static int site_keyframe_check_submap(struct site *s, const char *frame,
				      uint32_t node,
				      const struct site_submap *m,
				      struct error *error)
{
	const struct layer *l;
	uint32_t at;

	if (m->layer >= s->layers)
		return error_set(error, -EINVAL, "frame %s: no such layer",
				 frame);
	l = &s->layer[m->layer]->layer;
	if (m->cells->bits != l->bits)
		return error_set(error, -EINVAL,
			"frame %s: cells have %u bits, layer %s has %u", frame,
			m->cells->bits, l->name, l->bits);
	if (m->weight > RULE_WEIGHT_FULL)
		return error_set(error, -EINVAL,
			"frame %s: confidence %u is not in 0..%d", frame,
			m->weight, RULE_WEIGHT_FULL);
	if (node == INDEX_NONE)
		return 0;
	at = index_find(&s->submap_index, submap_key(node, m->layer));
	if (at != INDEX_NONE && s->submap[at].submap.stamp > m->stamp)
		return error_set(error, -ESTALE,
			"frame %s: the stored submap of %s is newer", frame,
			l->name);
	return 0;
}

/**
 * struct keyframe - a keyframe to be stored
 * @stored:	out: @submap as stored
 */
struct keyframe {
	struct site			*s;
	const char			*frame;
	int64_t				stamp;
	const struct pose		*pose;
	const struct site_submap	*submap;
	unsigned int			submaps;
	struct store_submap		*stored;
};

static int store_submaps_of(void *arg, struct error *error)
{
	const struct keyframe *f = arg;
	struct cells *cells[f->submaps];
	const struct store_keyframe k = { f->frame, f->stamp, f->pose,
					  f->submaps, f->stored, cells };
	int err;

	for (unsigned int i = 0; i < f->submaps; i++) {
		const struct site_submap *m = &f->submap[i];
		const struct cells *c = m->cells;

		cells[i] = m->cells;
		f->stored[i] = (struct store_submap){
			.layer = f->s->layer[m->layer]->id,
			.stamp = m->stamp,
			.width = c->width, .height = c->height,
			.bits = c->bits, .resolution = c->resolution,
			.origin = c->origin, .weight = m->weight,
		};
	}
	err = store_keyframe(f->s->store, &k);
	return err ? error_set(error, err, "frame %s: %s", f->frame,
			       store_error(f->s->store)) : 0;
}

/* Call with the lock held */
static int take_pose(struct site *s, uint32_t node, const struct pose *pose)
{
	struct node *n = &s->node[node];
	int err = 0;

	s->placed += !n->node.placed;
	s->apart -= n->apart;
	n->apart = false;
	n->storey = (struct storey){ .height = s->ground };
	n->node.placed = true;
	n->node.pose = *pose;
	for (uint32_t m = n->first; m != INDEX_NONE && !err;
	     m = s->submap[m].next)
		err = site_pend(s, m, false);
	return err;
}

/* It is on disk: use it */
static int take_keyframe(const struct keyframe *f)
{
	struct site *s = f->s;
	const uint32_t node = site_add_node(s, f->frame, f->stamp);
	int err = 0;

	if (node == INDEX_NONE)
		return -ENOMEM;
	pthread_mutex_lock(&s->lock);
	if (f->pose)
		err = take_pose(s, node, f->pose);
	for (unsigned int i = 0; i < f->submaps && !err; i++) {
		const struct store_submap *m = &f->stored[i];

		site_drop_made(s->cache, m->id);
		cache_drop(s->cache, m->id);
		cache_add(s->cache, m->id, f->submap[i].cells);
		site_damage_drop(s, m->id);
		s->node[node].node.id = m->node;
		if (site_add_submap(s, m, node, f->submap[i].layer) ==
		    INDEX_NONE)
			err = -ENOMEM;
	}
	pthread_mutex_unlock(&s->lock);
	return err;
}

static int site_keyframe_check_keyframe(const struct keyframe *f,
					struct error *error)
{
	const uint32_t node = site_find_node(f->s, f->frame);
	int err = 0;

	if (!f->submaps || f->submaps > SITE_LAYERS)
		return error_set(error, -EINVAL,
				 "invalid number of submaps in a keyframe: %u",
				 f->submaps);
	if (!site_frame_valid(f->frame))
		return error_set(error, -EINVAL,
				 "invalid frame name");
	if (f->pose && !pose_valid(f->pose))
		return error_set(error, -EINVAL,
				 "frame %s: invalid pose: %g, %g, %g", f->frame,
				 f->pose->x, f->pose->y, f->pose->yaw);
	if (f->pose && !strcmp(f->frame, SITE_ROOT))
		return error_set(error, -EINVAL, "frame %s cannot have a pose",
				 f->frame);
	for (unsigned int i = 0; i < f->submaps && !err; i++)
		err = site_keyframe_check_submap(f->s, f->frame, node,
						 &f->submap[i], error);
	return err;
}

/* A node that has a link or followers: followers move with it */
static int move_keyframe(struct keyframe *f, struct error *error)
{
	struct site_transform t = { .stamp = f->stamp, .pose = *f->pose };

	snprintf(t.frame, sizeof(t.frame), "%s", f->frame);
	f->pose = NULL;
	return site_move(f->s, &t, 1, "keyframe", store_submaps_of, f, error);
}

/* Restore removed layers that get new input */
static int site_keyframe_revive(const struct keyframe *f,
				struct error *error)
{
	int err = 0;

	for (unsigned int i = 0; i < f->submaps && err >= 0; i++) {
		const struct layer_state *l = f->s->layer[f->submap[i].layer];

		if (!l->id)
			err = site_set_layer(f->s, &l->layer, error);
	}
	return err < 0 ? err : 0;
}

/* Call with the turn */
static int store_all_of(struct keyframe *f, struct error *error)
{
	const struct site *s = f->s;
	uint32_t node;
	int err = site_keyframe_check_keyframe(f, error);

	if (!err)
		err = site_keyframe_revive(f, error);
	if (err)
		return err;
	node = site_find_node(s, f->frame);
	if (f->pose && node != INDEX_NONE &&
	    (s->node[node].follower != INDEX_NONE ||
	     s->node[node].node.linked))
		err = move_keyframe(f, error);
	else
		err = store_submaps_of(f, error);
	if (err)
		return err;
	err = take_keyframe(f);
	return err ? error_set(error, err, "out of memory") : 0;
}

int site_keyframe(struct site *s, const char *frame, int64_t stamp,
		  const struct pose *pose, const struct site_submap *submap,
		  unsigned int submaps, struct error *error)
{
	struct store_submap stored[SITE_LAYERS];
	struct keyframe f = { s, frame, stamp, pose, submap, submaps, stored };
	int err;

	site_turn(s);
	err = store_all_of(&f, error);
	site_turn_end(s);
	return err;
}
