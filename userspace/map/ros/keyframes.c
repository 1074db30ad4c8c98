// SPDX-License-Identifier: GPL-2.0-only
/*
 * keyframes - gather the submaps of a frame to one keyframe
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "map/ros/keyframes.h"

/**
 * struct keyframe - submaps of a frame that wait for more
 * @message:	number of each submap's message
 */
struct keyframe {
	char			frame[STORE_FRAME];
	int64_t			stamp;
	struct site_submap	submap[KEYFRAMES_SUBMAPS];
	uint64_t		message[KEYFRAMES_SUBMAPS];
	unsigned int		submaps;
	uint64_t		due;
};

static void free_keyframe(struct keyframe *k)
{
	for (unsigned int i = 0; i < k->submaps; i++)
		cells_put(k->submap[i].cells);
	free(k);
}

static void keyframes_stored(struct keyframes *k, unsigned int submaps)
{
	input_report_count(k->report, INPUT_SUBMAPS, submaps);
	k->stored(k->arg);
}

/*
 * All in one transaction; if it fails each alone, so that an invalid submap
 * does not affect others. A message with several invalid submaps counts once
 */
static void store_keyframe_of(struct keyframes *all, struct keyframe *k)
{
	struct error error;
	uint64_t refused = 0;

	if (!site_keyframe(all->site, k->frame, k->stamp, NULL, k->submap,
			   k->submaps, &error)) {
		log_debug("keyframe %s kept: %u submaps", k->frame, k->submaps);
		keyframes_stored(all, k->submaps);
		return;
	}
	for (unsigned int i = 0; i < k->submaps; i++) {
		const int err = site_keyframe(all->site, k->frame, k->stamp,
					      NULL, &k->submap[i], 1, &error);

		log_debug("keyframe %s: submap %u of %u %s%s", k->frame, i + 1,
			  k->submaps, err ? "left out: " : "kept",
			  err ? error.text : "");
		if (!err) {
			keyframes_stored(all, 1);
			continue;
		}
		if (err != -ESTALE && err != -EINVAL)
			input_report_count(all->report, INPUT_LOST, 1);
		if (k->message[i] != refused)
			input_report_refuse(all->report, "keyframe", err, "%s",
					    error.text);
		refused = k->message[i];
	}
}

static void keyframes_flush(struct keyframes *all, unsigned int i)
{
	struct keyframe *k = all->keyframe[i];

	assert(i < all->count);
	all->keyframe[i] = all->keyframe[--all->count];
	store_keyframe_of(all, k);
	free_keyframe(k);
}

static bool keyframe_has_layer(const struct keyframe *k, unsigned int layer)
{
	for (unsigned int i = 0; i < k->submaps; i++)
		if (k->submap[i].layer == layer)
			return true;
	return false;
}

/* The keyframe of a frame, with room for @layer; NULL: no memory */
static struct keyframe *keyframe_for(struct keyframes *all, const char *frame,
				     unsigned int layer, uint64_t now)
{
	struct keyframe *k;

	for (unsigned int i = 0; i < all->count; i++) {
		k = all->keyframe[i];
		if (strcmp(k->frame, frame))
			continue;
		if (!keyframe_has_layer(k, layer) &&
		    k->submaps < KEYFRAMES_SUBMAPS)
			return k;
		keyframes_flush(all, i);
		break;
	}
	if (all->count == KEYFRAMES_MAX)
		keyframes_flush(all, 0);
	k = calloc(1, sizeof(*k));
	if (!k)
		return NULL;
	snprintf(k->frame, sizeof(k->frame), "%s", frame);
	k->due = now + KEYFRAMES_WINDOW;
	all->keyframe[all->count++] = k;
	return k;
}

int keyframes_add(struct keyframes *all, const struct keyframe_submap *s,
		  uint64_t now)
{
	struct keyframe *k;

	assert(s->message && *s->frame);
	k = keyframe_for(all, s->frame, s->layer, now);
	if (!k)
		return -ENOMEM;
	k->stamp = s->stamp > k->stamp ? s->stamp : k->stamp;
	k->message[k->submaps] = s->message;
	k->submap[k->submaps++] = (struct site_submap){
		s->layer, s->stamp, RULE_WEIGHT_FULL, cells_get(s->cells) };
	return 0;
}

void keyframes_expire(struct keyframes *all, uint64_t now)
{
	for (unsigned int i = all->count; i--;)
		if (all->keyframe[i]->due <= now)
			keyframes_flush(all, i);
}

uint64_t keyframes_due(const struct keyframes *all)
{
	uint64_t due = UINT64_MAX;

	for (unsigned int i = 0; i < all->count; i++)
		if (all->keyframe[i]->due < due)
			due = all->keyframe[i]->due;
	return due;
}
