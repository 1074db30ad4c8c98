/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * modality_values.h - what D4.1 reports of a spot or a room: one value of each
 * modality, from all layers of it
 *
 * Of several layers the best one with a known value counts: NAME_fused, then
 * names without such an end, then NAME_insitu, NAME_remote; of equal ones the
 * first. If the aggregate is MODALITY_MAX, the highest value counts. Gases have
 * a value for each layer, so there is none here.
 */
#ifndef MAP_LAYER_MODALITY_VALUES_H
#define MAP_LAYER_MODALITY_VALUES_H

#include "map/layer/layer.h"

/**
 * struct modality_values - by modality
 * @value:	as layer_physical(), or 0..100 whatever the bits of the layer, see
 *		enum modality_report; NAN: unknown
 * @rank:	of the layer it is from, 0: best
 */
struct modality_values {
	double		value[MODALITIES];
	unsigned int	rank[MODALITIES];
};

/* Nothing is known */
void modality_values_begin(struct modality_values *v);

/**
 * modality_values_add() - a layer more
 * @value: 0..full, may be a mean; below 0 or NAN: unknown
 */
void modality_values_add(struct modality_values *v, const struct layer *l,
			 double value);

#endif
