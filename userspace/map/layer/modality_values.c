// SPDX-License-Identifier: GPL-2.0-only
/*
 * modality_values - one value of each modality from all of its layers
 */
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include "base/text.h"
#include "map/fusion/cells.h"
#include "map/layer/modality_values.h"

/* In-situ measurements are better than remote ones */
static unsigned int rank_of(const struct layer *l)
{
	return text_ends(l->name, "_fused") ? 0 :
	       text_ends(l->name, "_insitu") ? 2 :
	       text_ends(l->name, "_remote") ? 3 : 1;
}

void modality_values_begin(struct modality_values *v)
{
	modality_unknown(v->value);
	for (int i = 0; i < MODALITIES; i++)
		v->rank[i] = UINT_MAX;
}

void modality_values_add(struct modality_values *v, const struct layer *l,
			 double value)
{
	const struct modality_info *info = modality_get(l->modality);
	double *sum = &v->value[l->modality];
	unsigned int rank;

	if (!(value >= 0) || !modality_is_single(l->modality))
		return;
	assert(info == modality_get(l->modality));
	value = info->report == MODALITY_PHYSICAL ? layer_physical(l, value) :
		value * 100 / cells_full(l->bits);
	if (info->aggregate == MODALITY_MAX) {
		*sum = fmax(*sum, value);
		return;
	}
	rank = rank_of(l);
	if (rank >= v->rank[l->modality])
		return;
	v->rank[l->modality] = rank;
	*sum = value;
}
