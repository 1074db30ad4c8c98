/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * import_layer.h - find or create the layer of an import
 */
#ifndef MAP_IO_IMPORT_LAYER_H
#define MAP_IO_IMPORT_LAYER_H

#include "base/error.h"
#include "map/site/site.h"

enum { IMPORT_WORDS = 256 };

/**
 * import_layer_check() - settings of a layer to be created; default: obstacles
 * @words:	for layer_change()
 *
 * Return: 0, -EINVAL.
 */
int import_layer_check(struct layer *l, const char *name, const char *words,
		       struct error *error);

/**
 * import_layer_find() - find a layer by name; it must be of 8 bits
 * @words:	must be empty: an existing layer is not changed
 *
 * Return: its number; -ENOENT: there is none, without a line in @error;
 * -EINVAL.
 */
int import_layer_find(struct site *s, const char *name, const char *words,
		      struct error *error);

#endif
