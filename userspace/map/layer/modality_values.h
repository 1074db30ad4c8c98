/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * modality_values.h - what D4.1 has of a spot or a room: one value of each role,
 * of whatever layers there are
 *
 * Of several layers with one role the best one that knows something counts:
 * NAME_fused, then names without such an end, then NAME_insitu, NAME_remote; of
 * two that are as good the first. Of hazards the highest counts. Gases have a
 * value each, so there is none here.
 */
#ifndef MAP_LAYER_MODALITY_VALUES_H
#define MAP_LAYER_MODALITY_VALUES_H

#include "map/layer/layer.h"

/**
 * struct modality_values
 * @temperature: as layer_physical(), NAN: unknown
 * @smoke, @signal, @hazard: 0..100 whatever the bits of their layers, NAN:
 *		unknown
 * @rank:	of the layers they are from
 */
struct modality_values {
	double		temperature, smoke, signal, hazard;
	unsigned int	rank[LAYER_ROLES];
};

/* Nothing is known */
void modality_values_begin(struct modality_values *v);

/**
 * modality_values_add() - a layer more
 * @value: 0..full, may be a mean; below 0 or NAN: unknown
 */
void modality_values_add(struct modality_values *v, const struct layer *l,
			 double value);

/* 0..100 as messages have it; -1: unknown */
int modality_values_percent(double percent);

#endif
