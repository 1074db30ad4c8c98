// SPDX-License-Identifier: GPL-2.0-only
/*
 * queries - spots, layers and counts as JSON
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/error.h"
#include "map/layer/modality_values.h"
#include "map/site/queries.h"

/* 0..100 or 0..1, as in the layer's messages; null: unknown */
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

	/* limit the digits to the precision of the cells */
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

static void add_known(cJSON *out, const char *name, double v)
{
	if (!isnan(v))
		cJSON_AddNumberToObject(out, name, round(v * 1e6) / 1e6);
}

/* Values of a spot in D4.1, except gases */
static void queries_add_values(cJSON *out, const struct modality_values *v)
{
	for (int i = 0; i < MODALITIES; i++)
		if (modality_is_single(i))
			add_known(out, modality_get(i)->name, v->value[i]);
}

int query_spot(struct site *s, double x, double y, cJSON *out,
	       struct error *error)
{
	const unsigned int layers = site_layers(s);
	cJSON *all, *gases = cJSON_CreateObject();
	struct modality_values values;

	if (!(fabs(x) <= POSE_MAX && fabs(y) <= POSE_MAX)) {
		error_set(error, 0,
			 "position out of range: %g, %g m", x, y);
		cJSON_Delete(gases);
		return -EINVAL;
	}
	cJSON_AddNumberToObject(out, "x", x);
	cJSON_AddNumberToObject(out, "y", y);
	all = cJSON_AddObjectToObject(out, "layers");
	modality_values_begin(&values);
	for (unsigned int i = 0; i < layers; i++) {
		struct layer l;
		int value = site_value(s, i, x, y);

		if (site_layer_removed(s, i))
			continue;
		site_layer(s, i, &l);
		cJSON_AddItemToObject(all, l.name, layer_at(&l, value));
		modality_values_add(&values, &l, value);
		if (modality_get(l.modality)->report == MODALITY_PER_LAYER)
			cJSON_AddItemToObject(gases, l.name,
					      physical_item(&l, value));
	}
	queries_add_values(out, &values);
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
	cJSON_AddStringToObject(item, "role",
				modality_get(l.modality)->name);
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

int query_layers(struct site *s, cJSON *out)
{
	cJSON *all = cJSON_AddArrayToObject(out, "layers");

	for (unsigned int i = 0; i < site_layers(s); i++)
		if (!site_layer_removed(s, i))
			cJSON_AddItemToArray(all, layer_item(s, i));
	return all ? 0 : -ENOMEM;
}

int query_status(struct site *s, cJSON *out)
{
	const struct site_counts c = site_counts(s);

	cJSON_AddNumberToObject(out, "nodes", c.nodes);
	cJSON_AddNumberToObject(out, "placed", c.placed);
	cJSON_AddNumberToObject(out, "submaps", c.submaps);
	cJSON_AddNumberToObject(out, "waiting", c.waiting);
	cJSON_AddNumberToObject(out, "apart", c.apart);
	cJSON_AddNumberToObject(out, "apart_submaps", c.apart_submaps);
	cJSON_AddNumberToObject(out, "to_fuse", c.to_fuse);
	cJSON_AddNumberToObject(out, "damaged", site_damaged(s, NULL, 0));
	cJSON_AddNumberToObject(out, "cell_bytes", c.cell_bytes);
	cJSON_AddNumberToObject(out, "tile_bytes", c.tile_bytes);
	return 0;
}

/*
 * Rooms
 */

struct room_search {
	unsigned int	id, count;
	struct room	*room;
	cJSON		*list;
};

static cJSON *corners_item(const struct room *r)
{
	double corner[ROOM_CORNERS][2];
	const unsigned int n = room_outline(r, corner);
	cJSON *all = cJSON_CreateArray();

	for (unsigned int i = 0; i < n; i++)
		cJSON_AddItemToArray(all, cJSON_CreateDoubleArray(corner[i],
								  2));
	return all;
}

static void place_items(const struct room *r, cJSON *out)
{
	cJSON_AddNumberToObject(out, "id", r->id);
	cJSON_AddStringToObject(out, "name", r->name);
	cJSON_AddNumberToObject(out, "x", r->x);
	cJSON_AddNumberToObject(out, "y", r->y);
	cJSON_AddNumberToObject(out, "size", r->size);
	cJSON_AddItemToObject(out, "outline", corners_item(r));
}

static int queries_search(void *arg, const struct room *room)
{
	struct room_search *s = arg;
	cJSON *item;

	s->count++;
	if (s->room && room->id == s->id) {
		*s->room = *room;
		return 1;
	}
	if (s->list) {
		item = cJSON_CreateObject();
		place_items(room, item);
		cJSON_AddItemToArray(s->list, item);
	}
	return 0;
}

int query_rooms(struct site *s, cJSON *out, struct error *error)
{
	struct room_search find = { .list = cJSON_CreateArray() };
	unsigned int rooms;
	char stored[16];
	int err = site_rooms(s, queries_search, &find, error);

	if (err) {
		cJSON_Delete(find.list);
		return err;
	}
	/*
	 * D4.1 has a separate message with their number: it may be larger than
	 * the number of rooms described so far
	 */
	rooms = find.count;
	if (site_setting(s, "rooms", stored, sizeof(stored)) > 0 &&
	    atoi(stored) > (int)rooms)
		rooms = atoi(stored);
	cJSON_AddNumberToObject(out, "rooms", rooms);
	cJSON_AddItemToObject(out, "list", find.list);
	return 0;
}

static void reported_gases(const struct room *r, cJSON *out)
{
	cJSON *gases, *names;

	gases = cJSON_AddArrayToObject(out, "gases");
	for (unsigned int i = 0; i < r->gases; i++)
		cJSON_AddItemToArray(gases, isnan(r->gas[i]) ?
				     cJSON_CreateNull() :
				     cJSON_CreateNumber(r->gas[i]));
	if (!r->gases || !*r->gas_name[0])
		return;
	names = cJSON_AddArrayToObject(out, "gas_names");
	for (unsigned int i = 0; i < r->gases; i++)
		cJSON_AddItemToArray(names, cJSON_CreateString(r->gas_name[i]));
}

/* Values reported by the sender */
static void reported_items(const struct room *r, cJSON *out)
{
	if (!r->reported)
		return;
	out = cJSON_AddObjectToObject(out, "reported");
	for (int i = 0; i < MODALITIES; i++)
		if (modality_get(i)->report == MODALITY_PER_LAYER)
			reported_gases(r, out);
		else if (modality_is_single(i) && !isnan(r->value[i]))
			cJSON_AddNumberToObject(out, modality_get(i)->name,
						r->value[i]);
}

static void measured_items(struct site *s, const struct room_values *v,
			   cJSON *out)
{
	cJSON *all = cJSON_AddObjectToObject(out, "layers");

	for (unsigned int i = 0; i < v->layers; i++) {
		const bool known = v->of[i].known != 0;
		cJSON *item;
		struct layer l;
		double full;

		site_layer(s, v->of[i].layer, &l);
		full = l.bits == 8 ? 1 : CELLS_FULL_16;
		item = cJSON_AddObjectToObject(all, l.name);
		cJSON_AddStringToObject(item, "role",
					modality_get(l.modality)->name);
		cJSON_AddNumberToObject(item, "known_cells", v->of[i].known);
		cJSON_AddItemToObject(item, "mean", known ?
			cJSON_CreateNumber(v->of[i].mean / full) :
			cJSON_CreateNull());
		cJSON_AddItemToObject(item, "max", known ?
			cJSON_CreateNumber(v->of[i].max / full) :
			cJSON_CreateNull());
		if (!*l.unit || !known)
			continue;
		cJSON_AddNumberToObject(item, "physical_mean",
					layer_physical(&l, v->of[i].mean));
		cJSON_AddNumberToObject(item, "physical_max",
					layer_physical(&l, v->of[i].max));
		cJSON_AddStringToObject(item, "unit", l.unit);
	}
}

int query_find_room(struct site *s, unsigned int id, struct room *room,
		    struct error *error)
{
	struct room_search find = { .id = id, .room = room };
	const int found = site_rooms(s, queries_search, &find, error);

	if (found == 1)
		return 0;
	if (!found)
		error_set(error, 0, "no room %u", id);
	return found < 0 ? found : -ENOENT;
}

int query_room(struct site *s, unsigned int id, cJSON *out,
	       struct error *error)
{
	struct room_values v;
	struct room r;
	int err = query_find_room(s, id, &r, error);

	if (err)
		return err;
	err = room_values(s, &r, &v);
	if (err)
		return error_set(error, err, "room %u: %s", id, err == -EINVAL ?
				 "no valid outline" :
				 "out of memory");
	place_items(&r, out);
	measured_items(s, &v, out);
	reported_items(&r, out);
	return 0;
}
