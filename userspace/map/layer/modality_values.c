// SPDX-License-Identifier: GPL-2.0-only
/*
 * role_values - one value of each role, of whatever layers there are
 */
#include <limits.h>
#include <math.h>
#include <string.h>
#include "base/text.h"
#include "map/fusion/cells.h"
#include "map/layer/modality_values.h"

/* Measured at the place is better than seen from afar */
static unsigned int rank_of(const struct layer *l)
{
	return text_ends(l->name, "_fused") ? 0 :
	       text_ends(l->name, "_insitu") ? 2 :
	       text_ends(l->name, "_remote") ? 3 : 1;
}

void modality_values_begin(struct modality_values *v)
{
	v->temperature = v->smoke = v->signal = v->hazard = NAN;
	for (int i = 0; i < LAYER_ROLES; i++)
		v->rank[i] = UINT_MAX;
}

void modality_values_add(struct modality_values *v, const struct layer *l,
			 double value)
{
	const double percent = value * 100 / cells_full(l->bits);
	const unsigned int rank = rank_of(l);

	if (!(value >= 0))
		return;
	if (l->role == LAYER_HAZARD)
		v->hazard = fmax(v->hazard, percent);
	if (rank >= v->rank[l->role])
		return;
	v->rank[l->role] = rank;
	if (l->role == LAYER_TEMPERATURE)
		v->temperature = layer_physical(l, value);
	else if (l->role == LAYER_SMOKE)
		v->smoke = percent;
	else if (l->role == LAYER_SIGNAL)
		v->signal = percent;
}

int modality_values_percent(double percent)
{
	return percent >= 0 ? lrint(fmin(percent, 100)) : -1;
}
