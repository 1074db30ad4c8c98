/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * remove.h - remove a layer or a room from a site
 */
#ifndef MAP_SITE_REMOVE_H
#define MAP_SITE_REMOVE_H

#include <cjson/cJSON.h>
#include "base/error.h"
#include "map/site/site.h"

/**
 * remove_layer() - remove a layer and its submaps; nodes stay
 * @answer: adds "layer", "submaps"
 * @error: out: one line
 *
 * Fused maps follow with the next site_fuse(). Return: 0; -ENOENT; as
 * site_remove_layer().
 */
int remove_layer(struct site *s, const char *name, cJSON *answer,
		 struct error *error);

/*
 * Remove a room; adds "room" to @answer. Return: 0; -ENOENT; as
 * store_remove_room()
 */
int remove_room(struct site *s, unsigned int id, cJSON *answer,
		struct error *error);

#endif
