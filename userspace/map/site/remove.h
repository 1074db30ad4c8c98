/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * remove.h - take something out of a site again, as people ask for it
 */
#ifndef MAP_SITE_REMOVE_H
#define MAP_SITE_REMOVE_H

#include <cjson/cJSON.h>
#include "base/error.h"
#include "map/site/site.h"

/**
 * remove_layer() - a layer and its submaps; nodes stay
 * @answer: gets "layer", "submaps"
 * @error: gets one line
 *
 * Fused maps follow with the next site_fuse(). Return: 0; -ENOENT; as
 * site_remove_layer().
 */
int remove_layer(struct site *s, const char *name, cJSON *answer,
		 char error[ERROR_TEXT]);

/* A room; @answer gets "room". Return: 0; -ENOENT; as store_remove_room() */
int remove_room(struct site *s, unsigned int id, cJSON *answer,
		char error[ERROR_TEXT]);

#endif
