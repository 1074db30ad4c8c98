/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * layer.h - a layer: the meaning of its values and how its submaps are fused
 *
 * A layer is a line of configuration:
 *	temp_map_fused = input=temp_submap_fused role=temperature unit=°C
 *			 range=0:100 rule=mean
 */
#ifndef MAP_LAYER_LAYER_H
#define MAP_LAYER_LAYER_H

#include <stdbool.h>
#include "base/error.h"
#include "map/layer/modality.h"

enum {
	LAYER_NAME	= 64,	/* bytes, with the final 0 */
	LAYER_UNIT	= 16,
};

/**
 * enum layer_drawing - how submaps are drawn into the map
 * @LAYER_BY_RULE:	splat for max and log-odds, sample else
 * @LAYER_SPLAT:	every known cell is in the map (obstacles)
 * @LAYER_SAMPLE:	every cell of the map gets the value at its centre
 */
enum layer_drawing { LAYER_BY_RULE, LAYER_SPLAT, LAYER_SAMPLE };

/**
 * struct layer
 * @name:	output topic below /gdim/output/: slam_map
 * @input:	topic below /gdim/input/: slam_submap; empty: as @name
 * @bits:	8: OccupancyGrid, 0..100; 16: GridMap, 0..1 in 1/10000
 * @low:	physical value of 0, in @unit
 * @high:	physical value of the full value (100 or 1)
 * @unit:	UTF-8; empty: none
 * @resolution:	of the fused map, m; 0: that of the first submap
 * @weights:	layer whose values (0..full) are the confidence, for
 *		RULE_WEIGHTED; empty: that of the submap
 */
struct layer {
	char			name[LAYER_NAME], input[LAYER_NAME];
	char			weights[LAYER_NAME];
	enum modality		modality;
	unsigned int		bits;
	double			low, high;
	char			unit[LAYER_UNIT];
	enum rule_id		rule;
	enum layer_drawing	drawing;
	double			resolution;
};

/**
 * layer_parse() - parse a line of configuration
 * @name: of the layer
 * @text: words KEY=VALUE: input, role, bits, range=LOW:HIGH, unit, rule,
 *	drawing=splat|sample|rule, resolution, weights=LAYER|none. Defaults are
 *	those of layer_default(), but the default rule is that of the role, see
 *	modality.c
 * @error: out: one line
 *
 * Return: 0, -EINVAL.
 */
int layer_parse(struct layer *l, const char *name, const char *text,
		struct error *error);

/* As layer_parse(); keys that are not given stay unchanged */
int layer_change(struct layer *l, const char *text, struct error *error);

/* Defaults: role other, 8 bits, 0..100 without a unit, max, splat */
void layer_default(struct layer *l, const char *name);

/* Valid: letters, digits and _, not empty, fits */
bool layer_name_valid(const char *name);

/* Are all settings equal? */
bool layer_same(const struct layer *a, const struct layer *b);

bool layer_splats(const struct layer *l);

/* Convert to the layer's unit; NAN if @value is unknown (below 0) */
double layer_physical(const struct layer *l, double value);

#endif
