// SPDX-License-Identifier: GPL-2.0-only
/*
 * answers - spots, layers and counts as JSON
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include "gdim/answers.h"

/* 0..100 or 0..1, as the layer's messages have it; null: unknown */
static cJSON *value_item(const struct layer *l, int value)
{
	if (value < 0)
		return cJSON_CreateNull();
	return cJSON_CreateNumber(l->bits == 8 ? value :
				  (double)value / CELLS_FULL_16);
}

static cJSON *physical_item(const struct layer *l, int value)
{
	const double p = layer_physical(l, value);

	/* digits that the cells do not have are none */
	return isnan(p) ? cJSON_CreateNull() :
			  cJSON_CreateNumber(round(p * 1e6) / 1e6);
}

static cJSON *layer_at(const struct layer *l, int value)
{
	cJSON *item = cJSON_CreateObject();

	cJSON_AddItemToObject(item, "value", value_item(l, value));
	if (*l->unit) {
		cJSON_AddItemToObject(item, "physical",
				      physical_item(l, value));
		cJSON_AddStringToObject(item, "unit", l->unit);
	}
	return item;
}

/*
 * What D4.1 has in a spot: of several layers with one role the first that
 * knows something, and one of each gas
 */
static void add_role(cJSON *out, cJSON *gases, const struct layer *l, int value)
{
	const char *name = layer_role_name(l->role);

	switch (l->role) {
	case LAYER_GAS:
		cJSON_AddItemToObject(gases, l->name, physical_item(l, value));
		return;
	case LAYER_TEMPERATURE:
		if (value >= 0 && !cJSON_HasObjectItem(out, name))
			cJSON_AddItemToObject(out, name,
					      physical_item(l, value));
		return;
	case LAYER_SMOKE:
	case LAYER_SIGNAL:
	case LAYER_HAZARD:
		if (value >= 0 && !cJSON_HasObjectItem(out, name))
			cJSON_AddItemToObject(out, name, value_item(l, value));
		return;
	default:
		return;
	}
}

int answer_spot(struct site *s, double x, double y, cJSON *out,
		char error[SITE_ERROR])
{
	const unsigned int layers = site_layers(s);
	cJSON *all, *gases = cJSON_CreateObject();

	if (!(fabs(x) <= POSE_MAX && fabs(y) <= POSE_MAX)) {
		snprintf(error, SITE_ERROR, "no spot: %g, %g m", x, y);
		cJSON_Delete(gases);
		return -EINVAL;
	}
	cJSON_AddNumberToObject(out, "x", x);
	cJSON_AddNumberToObject(out, "y", y);
	all = cJSON_AddObjectToObject(out, "layers");
	for (unsigned int i = 0; i < layers; i++) {
		struct layer l;
		int value = site_value(s, i, x, y);

		site_layer(s, i, &l);
		cJSON_AddItemToObject(all, l.name, layer_at(&l, value));
		add_role(out, gases, &l, value);
	}
	if (gases && gases->child)
		cJSON_AddItemToObject(out, "gases", gases);
	else
		cJSON_Delete(gases);
	return all ? 0 : -ENOMEM;
}

static cJSON *layer_item(struct site *s, unsigned int number)
{
	const struct rect r = site_bounds(s, number);
	const double res = site_resolution(s, number);
	cJSON *item = cJSON_CreateObject(), *bounds;
	struct layer l;

	site_layer(s, number, &l);
	cJSON_AddStringToObject(item, "name", l.name);
	cJSON_AddStringToObject(item, "input", *l.input ? l.input : l.name);
	cJSON_AddStringToObject(item, "role", layer_role_name(l.role));
	cJSON_AddStringToObject(item, "rule", rule_get(l.rule, l.bits)->name);
	cJSON_AddStringToObject(item, "drawing", layer_splats(&l) ? "splat" :
								    "sample");
	cJSON_AddNumberToObject(item, "bits", l.bits);
	cJSON_AddNumberToObject(item, "low", l.low);
	cJSON_AddNumberToObject(item, "high", l.high);
	cJSON_AddStringToObject(item, "unit", l.unit);
	cJSON_AddNumberToObject(item, "submaps", site_layer_submaps(s, number));
	cJSON_AddNumberToObject(item, "resolution", res);
	if (rect_is_empty(&r))
		return item;
	bounds = cJSON_AddArrayToObject(item, "bounds");
	cJSON_AddItemToArray(bounds, cJSON_CreateNumber(r.x * res));
	cJSON_AddItemToArray(bounds, cJSON_CreateNumber(r.y * res));
	cJSON_AddItemToArray(bounds, cJSON_CreateNumber(
				     (r.x + (double)r.width) * res));
	cJSON_AddItemToArray(bounds, cJSON_CreateNumber(
				     (r.y + (double)r.height) * res));
	return item;
}

int answer_layers(struct site *s, cJSON *out)
{
	cJSON *all = cJSON_AddArrayToObject(out, "layers");

	for (unsigned int i = 0; i < site_layers(s); i++)
		cJSON_AddItemToArray(all, layer_item(s, i));
	return all ? 0 : -ENOMEM;
}

int answer_status(struct site *s, cJSON *out)
{
	const struct site_counts c = site_counts(s);

	cJSON_AddNumberToObject(out, "nodes", c.nodes);
	cJSON_AddNumberToObject(out, "placed", c.placed);
	cJSON_AddNumberToObject(out, "submaps", c.submaps);
	cJSON_AddNumberToObject(out, "waiting", c.waiting);
	cJSON_AddNumberToObject(out, "cell_bytes", c.cell_bytes);
	cJSON_AddNumberToObject(out, "tile_bytes", c.tile_bytes);
	return 0;
}
