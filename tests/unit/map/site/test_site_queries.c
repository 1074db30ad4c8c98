// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_site_queries - answers about a site of 4 x 4 cells of 1 m, worked out by
 * hand
 */
#include <pthread.h>
#include "map/site/queries.h"
#include "map/store/store_edge.h"
#include "map/site/remove.h"
#include "map/store/store.h"
#include "site_fixture.h"

enum { SIDE = 4 };

static const char *const layers[][2] = {
	{ "walls", "role=obstacle rule=max drawing=sample" },
	{ "temp", "role=temperature unit=C range=-10:90 bits=16 rule=max "
		  "drawing=sample" },
	{ "gas_a", "role=gas unit=ppm range=0:1000 rule=max drawing=sample" },
	{ "smoke", "role=smoke rule=max drawing=sample" },
};

enum { LAYERS = sizeof(layers) / sizeof(*layers) };

/* Cell (x, y) of layer k: 10 k + x + 4 y, of 16 bits a hundred times that */
static struct cells *numbers(unsigned int k)
{
	const struct pose origin = { 0 };
	const unsigned int bits = k == 1 ? 16 : 8;
	int16_t v[SIDE * SIDE];
	int8_t *narrow = (int8_t *)v;

	for (int i = 0; i < SIDE * SIDE; i++)
		if (bits == 8)
			narrow[i] = (int8_t)(10 * k + i);
		else
			v[i] = (int16_t)(100 * (10 * k + i));
	/* one is unknown */
	if (bits == 8)
		narrow[0] = -1;
	else
		v[0] = -1;
	return cells_create(SIDE, SIDE, bits, 1, &origin, v);
}

static struct site *make(void)
{
	struct site *s = open_site(in_folder("site"), STORE_CREATE);
	struct site_submap m[LAYERS];
	const struct pose pose = { 0 };

	for (unsigned int i = 0; i < LAYERS; i++) {
		if (add_layer(s, layers[i][0], layers[i][1]) != (int)i)
			abort();
		m[i] = (struct site_submap){ i, 5, 50, numbers(i) };
	}
	if (site_keyframe(s, "n", 5, &pose, m, LAYERS, &error))
		abort();
	for (unsigned int i = 0; i < LAYERS; i++)
		cells_put(m[i].cells);
	site_fuse(s, -1, UINT64_MAX, NULL, NULL);
	return s;
}

/* Of an answer; until the next call */
static const char *text_of(cJSON *answer)
{
	static char text[8192];
	char *all = cJSON_PrintUnformatted(answer);

	snprintf(text, sizeof(text), "%s", all);
	free(all);
	cJSON_Delete(answer);
	return text;
}

static const char *spot(struct site *s, double x, double y)
{
	cJSON *a = cJSON_CreateObject();

	if (query_spot(s, x, y, a, &error))
		printf("# %s\n", error.text);
	return text_of(a);
}

static const char *room(struct site *s, unsigned int id)
{
	cJSON *a = cJSON_CreateObject();

	if (query_room(s, id, a, &error))
		printf("# %s\n", error.text);
	return text_of(a);
}

static void test_spot(struct site *s)
{
	cJSON *a = cJSON_CreateObject();

	/* cell (1, 2): number 9 */
	ok_str(spot(s, 1.5, 2.5), "{\"x\":1.5,\"y\":2.5,\"layers\":{"
	       "\"walls\":{\"value\":9},"
	       "\"temp\":{\"value\":0.19,\"physical\":9,\"unit\":\"C\"},"
	       "\"gas_a\":{\"value\":29,\"physical\":290,\"unit\":\"ppm\"},"
	       "\"smoke\":{\"value\":39}},"
	       "\"temperature\":9,\"smoke\":39,\"gases\":{\"gas_a\":290}}",
	       "a spot");
	ok_str(spot(s, 0.5, 0.5), "{\"x\":0.5,\"y\":0.5,\"layers\":{"
	       "\"walls\":{\"value\":null},\"temp\":{\"value\":null,"
	       "\"physical\":null,\"unit\":\"C\"},\"gas_a\":{\"value\":null,"
	       "\"physical\":null,\"unit\":\"ppm\"},\"smoke\":{\"value\":null}"
	       "},\"gases\":{\"gas_a\":null}}", "an unknown one");
	ok_eq(query_spot(s, NAN, 0, a, &error), -EINVAL, "none");
	ok(strstr(error.text, "position out of range"), "... %s", error.text);
	ok_eq(query_spot(s, 0, 1e9, a, &error), -EINVAL, "one far away");
	cJSON_Delete(a);
}

static void test_layers(struct site *s)
{
	cJSON *a = cJSON_CreateObject(), *item;

	ok_eq(query_layers(s, a), 0, "layers");
	a = cJSON_GetObjectItem(a, "layers") ? a : NULL;
	ok_eq(cJSON_GetArraySize(cJSON_GetObjectItem(a, "layers")), LAYERS,
	      "... all of them");
	item = cJSON_DetachItemFromArray(cJSON_GetObjectItem(a, "layers"), 1);
	cJSON_Delete(a);
	ok_str(text_of(item), "{\"name\":\"temp\",\"input\":\"temp\","
	       "\"role\":\"temperature\",\"rule\":\"max\","
	       "\"drawing\":\"sample\",\"bits\":16,\"low\":-10,\"high\":90,"
	       "\"unit\":\"C\",\"submaps\":1,\"resolution\":1,"
	       "\"bounds\":[0,0,64,64]}", "... one of them, in whole tiles");
}

static void test_status(struct site *s)
{
	const struct site_counts c = site_counts(s);
	cJSON *a = cJSON_CreateObject();

	put(s, "waits", 5, NULL, 0, patch(4, 8, 1, 1, 0, 9));
	query_status(s, a);
	ok_eq(cJSON_GetObjectItem(a, "nodes")->valueint, 2, "nodes");
	ok_eq(cJSON_GetObjectItem(a, "placed")->valueint, 1, "... placed");
	ok_eq(cJSON_GetObjectItem(a, "submaps")->valueint, 5, "submaps");
	ok_eq(cJSON_GetObjectItem(a, "waiting")->valueint, 1, "... waiting");
	ok_eq(cJSON_GetObjectItem(a, "apart")->valueint, 0, "... apart");
	ok_eq(cJSON_GetObjectItem(a, "damaged")->valueint, 0, "... damaged");
	ok_range(c.tile_bytes, 1000, 1e7, "... memory of tiles");
	cJSON_Delete(a);
}

static struct room a_room(unsigned int id, double x, double y, double size)
{
	struct room r = { .id = id, .x = x, .y = y, .size = size };

	snprintf(r.name, sizeof(r.name), "room %u", id);
	modality_unknown(r.value);
	return r;
}

/* A square around (2, 3) of 4 m2: cells (1..2, 2..3), numbers 9 10 13 14 */
static void test_room(struct site *s)
{
	struct room r = a_room(7, 2, 3, 4), got;

	ok_eq(query_find_room(s, 7, &got, &error), -ENOENT, "no room");
	ok_str(error.text, "no room 7", "... says so");
	ok_eq(store_room(site_store(s), &r), 0, "a room");
	r.id = 8;
	store_room(site_store(s), &r);
	ok_eq(query_find_room(s, 8, &got, &error), 0, "the next one");
	ok_eq(got.id, 8, "... it is");
	ok_str(room(s, 7), "{\"id\":7,\"name\":\"room 7\",\"x\":2,\"y\":3,"
	       "\"size\":4,\"outline\":[[1,2],[3,2],[3,4],[1,4]],\"layers\":{"
	       "\"temp\":{\"role\":\"temperature\",\"known_cells\":4,"
	       "\"mean\":0.215,\"max\":0.24,\"physical_mean\":11.5,"
	       "\"physical_max\":14,\"unit\":\"C\"},"
	       "\"gas_a\":{\"role\":\"gas\",\"known_cells\":4,\"mean\":31.5,"
	       "\"max\":34,\"physical_mean\":315,\"physical_max\":340,"
	       "\"unit\":\"ppm\"},\"smoke\":{\"role\":\"smoke\","
	       "\"known_cells\":4,\"mean\":41.5,\"max\":44}}}", "its values");
	ok_eq(query_room(s, 9, NULL, &error), -ENOENT, "a room that is not");
}

/* Known cells and the mean of smoke in a room of corners */
static void check_corners(struct site *s, const double (*corner)[2],
			  unsigned int n, int known, double mean,
			  const char *what)
{
	cJSON *a = cJSON_CreateObject(), *smoke;
	struct room r = a_room(20, 1, 1, 1);

	r.corners = n;
	memcpy(r.corner, corner, n * sizeof(*corner));
	store_room(site_store(s), &r);
	ok_eq(query_room(s, 20, a, &error), 0, "%s", what);
	smoke = cJSON_GetObjectItem(cJSON_GetObjectItem(a, "layers"), "smoke");
	ok_eq(cJSON_GetObjectItem(smoke, "known_cells")->valueint, known,
	      "... its cells");
	ok_near(cJSON_GetObjectItem(smoke, "mean")->valuedouble, mean, 1e-9,
		"... their mean");
	cJSON_Delete(a);
}

/* By the middles of cells */
static void test_outlines(struct site *s)
{
	/* below the diagonal: (1..3, 0), (2..3, 1), (3, 2) */
	static const double triangle[][2] = { { 0.1, 0 }, { 4.1, 0 },
					      { 4.1, 4 } };
	/* a U, open above: columns 0 and 3, and the row y = 0 */
	static const double u[][2] = {
		{ 0, 0 }, { 4, 0 }, { 4, 4 }, { 3, 4 }, { 3, 1 }, { 1, 1 },
		{ 1, 4 }, { 0, 4 },
	};
	static const double wide[][2] = { { -9, 1.2 }, { 9, 1.2 }, { 9, 1.8 },
					  { -9, 1.8 } };

	check_corners(s, triangle, 3, 6, 30 + (1 + 2 + 3 + 6 + 7 + 11) / 6.,
		      "a triangle");
	check_corners(s, u, 8, 9, 30 + (1 + 2 + 3 + 4 + 7 + 8 + 11 + 12 + 15) /
		      9., "a room with a bay");
	check_corners(s, wide, 4, 4, 30 + (4 + 5 + 6 + 7) / 4.,
		      "a strip beyond the map");
}

static void test_rooms(struct site *s)
{
	struct room r = a_room(7, 2, 3, 4);
	cJSON *a = cJSON_CreateObject();

	r.reported = true;
	r.value[MODALITY_SMOKE] = 12;
	r.gases = 2;
	r.gas[0] = 1.5;
	r.gas[1] = NAN;
	strcpy(r.gas_name[0], "CO");
	strcpy(r.gas_name[1], "CO2");
	store_room(site_store(s), &r);
	ok(strstr(room(s, 7), ",\"reported\":{\"gases\":[1.5,null],"
		  "\"gas_names\":[\"CO\",\"CO2\"],\"smoke\":12}}"),
	   "what was reported of it");
	query_rooms(s, a, &error);
	ok_eq(cJSON_GetObjectItem(a, "rooms")->valueint, 3, "three rooms");
	ok_eq(cJSON_GetArraySize(cJSON_GetObjectItem(a, "list")), 3,
	      "... described");
	ok_eq(cJSON_GetObjectItem(cJSON_GetArrayItem(cJSON_GetObjectItem(
			a, "list"), 1), "id")->valueint, 8, "... by number");
	cJSON_Delete(a);
	store_set(site_store(s), "rooms", "5");
	a = cJSON_CreateObject();
	query_rooms(s, a, &error);
	ok_eq(cJSON_GetObjectItem(a, "rooms")->valueint, 5, "five reported");
	cJSON_Delete(a);
	store_set(site_store(s), "rooms", "2");
	a = cJSON_CreateObject();
	query_rooms(s, a, &error);
	ok_eq(cJSON_GetObjectItem(a, "rooms")->valueint, 3, "no fewer");
	cJSON_Delete(a);
}

static void test_edges(struct site *s)
{
	const struct store_edge edge[2] = {
		{ "a", "b", false, false, { 5, 0.5, -1 },
		  { 1, 0.5, 0, 2, 0, 0.25 } },
		{ "b", "a", true, true, { 1, 2, 3 }, { 1, 0, 0, 1, 0, 1 } },
	};
	cJSON *a = cJSON_CreateObject();
	char *text;

	ok_eq(query_edges(s, a, &error), 0, "a site without edges");
	ok_eq(cJSON_GetObjectItem(a, "edges")->valueint, 0, "... none");
	cJSON_Delete(a);
	store_edges(site_store(s), "robot", 1, edge, 2);
	a = cJSON_CreateObject();
	query_edges(s, a, &error);
	text = cJSON_PrintUnformatted(a);
	ok_str(text, "{\"edges\":2,\"loops\":1,\"waiting\":1,\"list\":["
	       "{\"from\":\"a\",\"to\":\"b\",\"kind\":\"odometry\","
	       "\"waiting\":false,\"x\":5,\"y\":0.5,\"yaw\":-1,"
	       "\"covariance\":[1,0.5,0,2,0,0.25]},"
	       "{\"from\":\"b\",\"to\":\"a\",\"kind\":\"loop\","
	       "\"waiting\":true,\"x\":1,\"y\":2,\"yaw\":3,"
	       "\"covariance\":[1,0,0,1,0,1]}]}", "edges, and a closed loop");
	free(text);
	cJSON_Delete(a);
}

/* Another thread's turn: it waits for ever if one is not given back */
static void *take_turn(void *site)
{
	site_turn(site);
	site_turn_end(site);
	return NULL;
}

static void test_turn(struct site *s)
{
	pthread_t other;

	if (pthread_create(&other, NULL, take_turn, s))
		abort();
	ok_eq(pthread_join(other, NULL), 0, "... others have their turn");
}

static void test_remove(struct site *s)
{
	cJSON *a = cJSON_CreateObject();
	struct room r;

	ok_eq(remove_room(s, 8, a, &error), 0, "a room is removed");
	ok_eq(cJSON_GetObjectItem(a, "room")->valueint, 8, "... it says which");
	test_turn(s);
	ok_eq(query_find_room(s, 8, &r, &error), -ENOENT, "... it is not there");
	ok_eq(query_find_room(s, 7, &r, &error), 0, "... others are");
	ok_eq(remove_room(s, 8, a, &error), -ENOENT, "not twice");
	ok_str(error.text, "no room 8", "... says so");
	test_turn(s);
	ok_eq(remove_layer(s, "nothing", a, &error), -ENOENT, "no layer");
	ok_str(error.text, "no layer 'nothing'", "... says so");
	ok_eq(remove_layer(s, "smoke", a, &error), 0, "a layer is removed");
	ok_str(cJSON_GetObjectItem(a, "layer")->valuestring, "smoke",
	       "... it says which");
	ok_eq(cJSON_GetObjectItem(a, "submaps")->valueint, 1,
	      "... and what was in it");
	ok(!strstr(spot(s, 1.5, 2.5), "smoke"), "... no spot has it");
	ok(!strstr(room(s, 7), "\"smoke\":{"), "... no room either");
	cJSON_Delete(a);
	a = cJSON_CreateObject();
	query_layers(s, a);
	ok_eq(cJSON_GetArraySize(cJSON_GetObjectItem(a, "layers")), LAYERS - 1,
	      "... nor the layers");
	cJSON_Delete(a);
}

int main(void)
{
	struct site *s;

	/* a turn that is not given back would be waited for */
	alarm(600);
	make_folder();
	s = make();
	test_spot(s);
	test_layers(s);
	test_status(s);
	test_room(s);
	test_outlines(s);
	test_rooms(s);
	test_edges(s);
	test_remove(s);
	site_close(s);
	remove_folder();
	return tap_done();
}
