/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * modality_values.h - report of a spot or a room (D4.1): one value of each
 * modality, from all of its layers
 *
 * The best layer with a known value counts: NAME_fused, then names without such
 * a suffix, then NAME_insitu, NAME_remote; of equal ones the first. If the
 * aggregate is MODALITY_MAX, the highest value counts. Gases are not included:
 * they have a value for each layer.
 */
#ifndef MAP_LAYER_MODALITY_VALUES_H
#define MAP_LAYER_MODALITY_VALUES_H

#include "map/layer/layer.h"

/**
 * struct modality_values - by modality
 * @value:	as layer_physical(), or 0..100 whatever the bits of the layer,
 *		see enum modality_report; NAN: unknown
 * @rank:	of its layer, 0: best
 */
struct modality_values {
	double		value[MODALITIES];
	unsigned int	rank[MODALITIES];
};

/* Start with all values unknown */
void modality_values_begin(struct modality_values *v);

/**
 * modality_values_add() - add the value of a layer
 * @value: 0..full, may be a mean; below 0 or NAN: unknown
 */
void modality_values_add(struct modality_values *v, const struct layer *l,
			 double value);

#endif
