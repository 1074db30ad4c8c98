/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * import_layer.h - the layer that something from files is imported into
 */
#ifndef MAP_IO_IMPORT_LAYER_H
#define MAP_IO_IMPORT_LAYER_H

#include "base/error.h"
#include "map/site/site.h"

enum { IMPORT_WORDS = 256 };

/**
 * import_layer_check() - what a layer is if it is made now: of obstacles, but
 * for what is said
 * @words:	for layer_change()
 *
 * Return: 0, -EINVAL.
 */
int import_layer_check(struct layer *l, const char *name, const char *words,
		       char error[ERROR_TEXT]);

/**
 * import_layer_find() - that of a name, which must be of 8 bits
 * @words:	must be empty: what is there is not changed
 *
 * Return: its number; -ENOENT: there is none, without a line in @error;
 * -EINVAL.
 */
int import_layer_find(struct site *s, const char *name, const char *words,
		      char error[ERROR_TEXT]);

#endif
