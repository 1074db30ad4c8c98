// SPDX-License-Identifier: GPL-2.0-only
/*
 * web_peaks - the highest value of a layer, and how much is above a threshold
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include "apps/gdimd/web_parts.h"
#include "base/error.h"
#include "map/site/peaks.h"

static int peaks_full(const struct layer *l)
{
	return l->bits == 8 ? CELLS_FULL_8 : CELLS_FULL_16;
}

/* The lowest value of a cell that is more than @over, in the layer's unit */
static int peaks_threshold(const struct layer *l, double over)
{
	const double part = (over - l->low) / (l->high - l->low);
	const double cell = floor(part * peaks_full(l) + 1e-6) + 1;

	return cell < 0 ? 0 : cell > INT16_MAX ? INT16_MAX : cell;
}

static void peaks_add_maximum(cJSON *out, const struct layer *l,
			      const struct peaks_found *f)
{
	cJSON *most;

	if (f->value < 0) {
		cJSON_AddNullToObject(out, "maximum");
		return;
	}
	most = cJSON_AddObjectToObject(out, "maximum");
	cJSON_AddNumberToObject(most, "value", l->bits == 8 ? f->value :
				(double)f->value / CELLS_FULL_16);
	cJSON_AddNumberToObject(most, "physical",
				round(layer_physical(l, f->value) * 1e6) / 1e6);
	cJSON_AddNumberToObject(most, "x", f->x);
	cJSON_AddNumberToObject(most, "y", f->y);
}

static void peaks_add_over(cJSON *out, double over, const struct peaks_found *f)
{
	const double bounds[4] = { f->area.x0, f->area.y0, f->area.x1,
				   f->area.y1 };

	cJSON_AddNumberToObject(out, "over", over);
	cJSON_AddNumberToObject(out, "cells", f->cells);
	cJSON_AddNumberToObject(out, "area",
				f->cells * f->resolution * f->resolution);
	if (f->cells)
		cJSON_AddItemToObject(out, "bounds",
				      cJSON_CreateDoubleArray(bounds, 4));
}

int web_answer_peaks(struct web_worker *w, unsigned int layer)
{
	struct site *site = w->web->config.site;
	const bool given = web_request_value(&w->request, "over") != NULL;
	struct error error = { "" };
	struct peaks_found found;
	double over = 0;
	struct layer l;
	cJSON *out;
	int err;

	if (web_request_only(&w->request, "over", &error) ||
	    (given && web_request_number(&w->request, "over", -1e9, 1e9, &over,
					 &error)))
		return web_fail(w, -EINVAL, error.text);
	site_layer(site, layer, &l);
	err = peaks_find(w->web->peaks, site, layer, given ?
			 peaks_threshold(&l, over) : INT_MAX, &found);
	if (err)
		return web_fail(w, err, "");
	out = cJSON_CreateObject();
	cJSON_AddStringToObject(out, "layer", l.name);
	cJSON_AddNumberToObject(out, "revision", found.revision);
	cJSON_AddStringToObject(out, "unit", l.unit);
	peaks_add_maximum(out, &l, &found);
	if (given)
		peaks_add_over(out, over, &found);
	return web_json(w, out);
}
