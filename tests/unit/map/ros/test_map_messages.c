// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_map_messages - messages of ROS and a map: whose submap it is, names with
 * wildcards, messages to cells, rooms, transforms, clocks
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/error.h"
#include "map/io/map_message.h"
#include "map/layer/modality_values.h"
#include "map/ros/matcher.h"
#include "map/ros/room_message.h"
#include "map/ros/stamps.h"
#include "map/ros/submap_message.h"
#include "map/ros/wildcard.h"
#include "map/site/queries.h"
#include "map_fixture.h"
#include "tap.h"

static void on_match(void *arg, void *item, const char *frame)
{
	(void)arg;
	snprintf(said + strlen(said), sizeof(said) - strlen(said), "%s:%s ",
		 (const char *)item, frame ? frame : "-");
}

static void test_matcher(void)
{
	struct matcher *m = matcher_create(100, on_match, NULL);

	matcher_item(m, 1000, 77, "a");
	ok(says("") && matcher_waiting(m) == 1, "a submap waits for a frame");
	matcher_frame(m, 950, "f1");
	ok(says(""), "an earlier one may not be the nearest");
	matcher_frame(m, 1020, "f2");
	ok(says("a:f2 "), "a later one decides: the nearest of both");
	matcher_item(m, 960, 77, "b");
	ok(says("b:f1 "), "what is older is known at once");
	matcher_item(m, 1019, 77, "c");
	matcher_item(m, 985, 77, "d");
	ok(says("c:f2 d:f2 "), "of two that are as near the later one");
	matcher_frame(m, 1090, "late");
	matcher_frame(m, 1070, "early");
	matcher_item(m, 1080, 77, "x");
	ok(says("x:late "), "whichever arrived first");
	matcher_item(m, 300, 77, "e");
	ok(says("e:- "), "nothing within the slop");
	matcher_frame(m, 5000, "f1");
	matcher_item(m, 960, 77, "f");
	ok(says("f:f1 "), "a frame that is sent again keeps its stamp");
	matcher_item(m, 5050, 77, "g");
	matcher_item(m, 5060, 77, "h");
	matcher_frame(m, 5055, "f3");
	ok(says("g:f3 ") && matcher_waiting(m) == 1, "only what is certain");
	matcher_item(m, 9000, 77, "i");
	matcher_first(m);
	ok(says("h:f3 ") && matcher_waiting(m) == 1,
	   "the oldest waits no longer");
	matcher_destroy(m);
	ok(says("i:- "), "at the end the nearest is taken, or none");
}

/* A robot that stands still sends no later frame */
static void test_due(void)
{
	struct matcher *m = matcher_create(100, on_match, NULL);

	ok(matcher_due(m) == MATCHER_NEVER, "nothing waits");
	matcher_frame(m, 950, "f1");
	matcher_item(m, 1000, 10, "a");
	matcher_item(m, 2000, 12, "b");
	matcher_item(m, 1010, 20, "c");
	ok(matcher_due(m) == 10, "the first one waits until its time");
	matcher_expire(m, 9);
	ok(says(""), "not before it");
	matcher_expire(m, 12);
	ok(says("a:f1 b:- ") && matcher_due(m) == 20,
	   "then it gets what is there, or nothing");
	matcher_frame(m, 1020, "f2");
	ok(says("c:f2 ") && matcher_due(m) == MATCHER_NEVER,
	   "others wait on");
	matcher_destroy(m);
}

static void test_stars(void)
{
	char to[32];

	ok(!wildcard_fill("gas_*_submap_*", "gas_CO_submap_3", "gas_*_map_*",
			  to, sizeof(to)) &&
		   !strcmp(to, "gas_CO_map_3"),
	   "what stars stand for");
	ok(!wildcard_fill("a*", "abc", "*", to, sizeof(to)) &&
	   !strcmp(to, "bc") &&
	   !wildcard_fill("*_*", "a_b_c", "*.*", to, sizeof(to)) &&
	   !strcmp(to, "a.b_c"), "as little as possible, and all of it");
	ok(wildcard_fill("a*", "a", "*", to, sizeof(to)) == -ENOENT &&
	   wildcard_fill("a*b", "ac", "*", to, sizeof(to)) == -ENOENT &&
	   wildcard_fill("slam", "slams", "x", to, sizeof(to)) == -ENOENT &&
	   !wildcard_fill("slam", "slam", "map", to, sizeof(to)) &&
	   !strcmp(to, "map"), "names that do not fit");
	ok(!wildcard_fill("g_*", "g_A", "x=*_1 y=*", to, sizeof(to)) &&
	   !strcmp(to, "x=A_1 y=A"), "each word has its own");
	ok(wildcard_fill("*", "0123456789012345678901234567890123456789", "*",
			 to, sizeof(to)) == -ENOSPC,
	   "and that are too long");
}

enum { W = 7, H = 5 };

/* The same map as both kinds of messages */
static void test_messages(void)
{
	int16_t cells[W * H];
	struct map_room room = { 0 };
	struct raster r = { { 3, -2, W, H }, 8, 0.5, cells };
	struct submap_layer grid[SUBMAP_LAYERS], layers[SUBMAP_LAYERS];
	union message m;
	unsigned int bad = 0, odd = 0;
	struct error error;
	int n;

	map_room_reserve(&room, W * H);
	for (int bits = 8; bits <= 16; bits += 8) {
		r.bits = bits;
		for (int i = 0; i < W * H; i++)
			room.cells[i] = i % 6 == 5 ? -1 : bits == 8 ? i :
								      100 * i;
		map_message(&room, &r, 5, "map", &m);
		n = submap_read(map_message_kind(bits), &m, bits == 8 ? grid :
				layers, &error);
		ok(n == 1, "%d bits: what goes out can come in", bits);
	}
	/* the first cell of a grid map is the last one of a map */
	ok(message_float(&m.grid.data[0].data, W * H - 1 - 5) == -1 &&
	   message_float(&m.grid.data[0].data, W * H - 1) == 0,
	   "what is unknown is -1 in a grid map, not %g",
	   message_float(&m.grid.data[0].data, W * H - 1 - 5));
	for (int y = 0; y < H; y++)
		for (int x = 0; x < W; x++) {
			const int a = cells_at(grid[0].cells, x, y);
			const int b = cells_at(layers[0].cells, x, y);

			bad += a < 0 ? b != -1 : b != 100 * a;
			bad += a >= 0 && a != y * W + x;
		}
	ok(!bad && grid[0].cells->origin.x == 1.5 &&
	   grid[0].cells->origin.y == -1 &&
	   fabs(layers[0].cells->origin.x - 1.5) < 1e-12 &&
	   fabs(layers[0].cells->origin.y + 1) < 1e-12 &&
	   !strcmp(layers[0].name, "value"),
	   "cells and corner are those of the other kind");
	submap_free(grid, 1);
	submap_free(layers, 1);
	r.bits = 8;
	map_message(&room, &r, 5, "map", &m);
	m.map.data.count--;
	ok(submap_read(MESSAGE_OCCUPANCY_GRID, &m, grid, &error) == -EBADMSG,
	   "a cell too few: %s", error.text);
	m.map.width = 1 << 20;
	m.map.height = 100;
	ok(submap_read(MESSAGE_OCCUPANCY_GRID, &m, grid, &error) == -E2BIG,
	   "10^8 cells: %s", error.text);
	map_message(&room, &r, 5, "map", &m);
	m.map.resolution = NAN;
	ok(submap_read(MESSAGE_OCCUPANCY_GRID, &m, grid, &error) == -EINVAL,
	   "no resolution: %s", error.text);
	map_message(&room, &r, 5, "map", &m);
	m.map.origin.orientation[3] = 7;
	ok(submap_read(MESSAGE_OCCUPANCY_GRID, &m, grid, &error) == -EINVAL,
	   "no orientation: %s", error.text);
	map_message(&room, &r, 5, "map", &m);
	m.map.origin.position[2] = NAN;
	ok(submap_read(MESSAGE_OCCUPANCY_GRID, &m, grid, &error) == -EINVAL,
	   "no height: %s", error.text);
	map_message(&room, &r, 5, "map", &m);
	for (int i = 0; i < W * H; i++)
		((int8_t *)room.bytes)[i] = i == 3 ? 101 : i == 4 ? -2 : i - 1;
	ok(submap_read(MESSAGE_OCCUPANCY_GRID, &m, grid, &error) == -EINVAL,
	   "no cells: %s", error.text);
	for (int value = -2; value <= 101; value++) {
		map_message(&room, &r, 5, "map", &m);
		memset(room.bytes, 0, W * H);
		((int8_t *)room.bytes)[3] = value;
		n = submap_read(MESSAGE_OCCUPANCY_GRID, &m, grid, &error);
		odd += n == -EINVAL;
		bad += n == 1 ? value < -1 || value > 100 :
		       value >= -1 && value <= 100;
		if (n > 0)
			submap_free(grid, n);
	}
	ok_eq(odd, 2, "-2 and 101 are no values");
	ok_eq(bad, 0, "-1 to 100 are");
	r.bits = 16;
	map_message(&room, &r, 5, "map", &m);
	m.grid.layers = m.grid.arrays = 2;
	m.grid.layer[1] = m.grid.layer[0];
	m.grid.data[1] = m.grid.data[0];
	ok(submap_read(MESSAGE_GRID_MAP, &m, grid, &error) == -EINVAL,
	   "a layer and it again: %s", error.text);
	map_message(&room, &r, 5, "map", &m);
	m.grid.pose.orientation[0] = sin(0.5);
	m.grid.pose.orientation[3] = cos(0.5);
	ok(submap_read(MESSAGE_GRID_MAP, &m, grid, &error) == -EINVAL,
	   "one that leans: %s", error.text);
	map_message(&room, &r, 5, "map", &m);
	m.grid.layers = m.grid.arrays = 5;
	for (int i = 0; i < 5; i++) {
		m.grid.data[i] = m.grid.data[0];
		m.grid.data[i].dim[0].size = 4096;
		m.grid.data[i].dim[1].size = 4096;
		m.grid.data[i].data.count = 4096 * 4096;
	}
	ok(submap_read(MESSAGE_GRID_MAP, &m, grid, &error) == -E2BIG,
	   "too many layers that large: %s", error.text);
	map_room_free(&room);
}

static void test_rooms(void)
{
	const struct message_room good = {
		.id = 3, .name = message_string("Küche"), .size = 5,
		.averages_valid = 1,
		.avg_temperature = NAN, .avg_smoke = -1, .avg_signal = 100,
	};
	static const float gas[] = { 3, 7 };
	struct message_room m = good;
	struct error error;
	struct room r;

	ok(!room_message_read(&m, &r, &error) && !strcmp(r.name, "Küche") &&
	   r.reported && isnan(r.value[MODALITY_TEMPERATURE]) &&
	   r.value[MODALITY_SIGNAL] == 100, "a room");
	m.averages_valid = 0;
	m.max_hazard = -77;
	ok(!room_message_read(&m, &r, &error) && !r.reported &&
	   isnan(r.value[MODALITY_HAZARD]),
	   "what was not measured does not matter");
	m.averages_valid = 1;
	ok(room_message_read(&m, &r, &error) == -EINVAL, "but else: %s", error.text);
	m.max_hazard = 0;
	m.location.z = INFINITY;
	ok(room_message_read(&m, &r, &error) == -EINVAL, "no place: %s", error.text);
	m.location.z = 0;
	m.avg_gases = (struct message_floats){ (const void *)gas, 2, false };
	m.names = 1;
	m.gas_name[0] = message_string("CO");
	ok(room_message_read(&m, &r, &error) == -EINVAL, "a name too few: %s",
	   error.text);
	m.names = 2;
	m.gas_name[1] = message_string("H2 S");
	ok(room_message_read(&m, &r, &error) == -EINVAL, "no name: %s", error.text);
	m.gas_name[1] = message_string("H2S");
	ok(!room_message_read(&m, &r, &error) && r.gases == 2 &&
	   r.gas[1] == 7 && !strcmp(r.gas_name[1], "H2S"), "gases have names");
	m.name = message_string("K\xfc" "che");
	ok(room_message_read(&m, &r, &error) == -EINVAL, "no text: %s", error.text);
}

static void test_values(void)
{
	struct modality_values v;
	struct layer l;
	struct error error;

	modality_values_begin(&v);
	ok(isnan(v.value[MODALITY_TEMPERATURE]) &&
	   isnan(v.value[MODALITY_SMOKE]),
	   "nothing is known");
	layer_parse(&l, "temp_map_remote", "role=temperature", &error);
	modality_values_add(&v, &l, 10);
	layer_parse(&l, "temp_map_fused", "role=temperature", &error);
	modality_values_add(&v, &l, -1);
	ok(v.value[MODALITY_TEMPERATURE] == 10, "what is unknown is no better");
	modality_values_add(&v, &l, 30);
	layer_parse(&l, "temp_map_insitu", "role=temperature", &error);
	modality_values_add(&v, &l, 20);
	ok(v.value[MODALITY_TEMPERATURE] == 30,
	   "fused is better than remote and in situ");
	for (int i = 0; i < 3; i++) {
		layer_parse(&l, "h", "role=hazard", &error);
		modality_values_add(&v, &l, i == 1 ? 90 : 10);
	}
	ok(v.value[MODALITY_HAZARD] == 90, "of hazards the highest counts");
	layer_parse(&l, "s", "role=smoke bits=16", &error);
	modality_values_add(&v, &l, 2900);
	ok(v.value[MODALITY_SMOKE] == 29,
	   "16 bits are 0..100, too");
}

/* Of gases, in the order of the message */
static bool has_gas(const struct message_room *m, unsigned int i,
		    const char *name, float value)
{
	const float v = message_float(&m->avg_gases, i);

	return i < m->names && m->avg_gases.count == m->names &&
	       message_string_is(&m->gas_name[i], name) &&
	       (isnan(value) ? isnan(v) : v == value);
}

/* Reported values of a room, stored and read again */
static void test_reported_room(void)
{
	static const struct site_config small = { .memory = 64 << 20,
						  .threads = 1 };
	static struct room_values v;
	static struct room_message keep;
	struct room r = { .id = 3, .size = 4, .reported = true,
			  .value = {
				[MODALITY_TEMPERATURE] = 21,
				[MODALITY_SMOKE] = 40, [MODALITY_SIGNAL] = NAN,
				[MODALITY_HAZARD] = 2,
			  }, .gases = 2, .gas = { 5, 7 } };
	char top[] = "/tmp/test_gdimd.XXXXXX", path[64];
	struct error error;
	struct message_room m;
	struct layer l;
	struct site *s;

	if (!mkdtemp(top))
		return;
	snprintf(path, sizeof(path), "%s/a.db", top);
	ok(!site_open(&s, path, STORE_CREATE, &small, &error), "a store");
	layer_parse(&l, "gas_CO", "role=gas bits=16", &error);
	site_set_layer(s, &l, &error);
	ok(!store_room(site_store(s), &r) &&
	   !query_find_room(s, 3, &r, &error) && !room_values(s, &r, &v),
	   "a room without names");
	room_message(s, &r, &v, "map", &keep, &m);
	ok(m.averages_valid && m.avg_temperature == 21 && m.avg_smoke == 40 &&
	   m.avg_signal == -1 && m.max_hazard == 2 &&
	   m.names == 1 && has_gas(&m, 0, "gas_CO", 5),
	   "what was reported counts where maps know nothing");
	strcpy(r.gas_name[0], "gas_H2");
	strcpy(r.gas_name[1], "gas_CO");
	ok(!store_room(site_store(s), &r), "a room with names");
	memset(&r, 0, sizeof(r));
	ok(!query_find_room(s, 3, &r, &error) &&
	   !strcmp(r.gas_name[0], "gas_H2"), "they are kept");
	room_message(s, &r, &v, "map", &keep, &m);
	ok(m.names == 2 && has_gas(&m, 0, "gas_CO", 7) &&
	   has_gas(&m, 1, "gas_H2", 5), "and say which gas is meant");
	r.reported = false;
	r.gases = 0;
	ok(!store_room(site_store(s), &r) &&
	   !query_find_room(s, 3, &r, &error) && !*r.gas_name[0],
	   "until nothing is reported");
	room_message(s, &r, &v, "map", &keep, &m);
	ok(!m.averages_valid && isnan(m.avg_temperature) &&
	   m.avg_smoke == -1 && has_gas(&m, 0, "gas_CO", NAN),
	   "then nothing is known, and it says so");
	ok(store_is_there(site_store(s)), "the file is there");
	unlink(path);
	ok(!store_is_there(site_store(s)) &&
	   store_room(site_store(s), &r) == -EIO &&
	   strstr(store_error(site_store(s)), "deleted"),
	   "it is not: %s", store_error(site_store(s)));
	put(top, "a.db", 3);
	ok(site_set_layer(s, &l, &error) == -EIO, "another one is there: %s",
	   error.text);
	site_close(s);
	remove_all(top);
}

static void test_transforms(void)
{
	struct message_transform t = {
		.header = { 5, 0, message_string("/a") },
		.child_frame_id = message_string("b"),
		.translation = { 1, 2, 3 },
		.rotation = { 0, 0, sin(0.2), cos(0.2) },
	};
	struct site_transform s;
	char frame[STORE_FRAME];
	struct error error;

	ok(!submap_transform(&t, &s, &error) && !strcmp(s.predecessor, "a") &&
	   !strcmp(s.frame, "b") && s.pose.x == 1 && s.pose.y == 2 &&
	   fabs(s.pose.yaw - 0.4) < 1e-12, "a transform from above");
	t.translation[1] = INFINITY;
	ok(submap_transform(&t, &s, &error) == -EINVAL, "one that is none: %s",
	   error.text);
	t.translation[1] = 0;
	t.rotation[3] = 5;
	ok(submap_transform(&t, &s, &error) == -EINVAL, "and a turn: %s", error.text);
	t.rotation[3] = cos(0.2);
	t.child_frame_id = message_string("");
	ok(submap_transform(&t, &s, &error) == -EINVAL, "and a frame: %s",
	   error.text);
	ok(submap_frame(&(struct message_string){ "a\nb", 3 }, frame) ==
	   -EINVAL && submap_frame(&(struct message_string){ "a\0b", 3 },
				   frame) == -EINVAL &&
	   submap_frame(&(struct message_string){ "\xe4", 1 }, frame) ==
	   -EINVAL, "frames are texts of one line");
}

/* Seconds of three clocks: that of the robot, the wall's, and since boot */
static bool takes(struct stamps *s, long stamp, long wall, long now)
{
	const int64_t second = 1000000000;

	return stamps_take(s, stamp * second, wall * second, now * second);
}

static void test_stamps(void)
{
	enum { DAY = 86400, AHEAD = 400 * DAY };
	const int64_t second = 1000000000;
	const long t = 20000L * DAY;
	struct stamps s;
	bool good;

	stamps_begin(&s, 0);
	good = takes(&s, t + AHEAD, t, 10) && takes(&s, t + AHEAD - 5, t, 11) &&
	       takes(&s, t + AHEAD + 100, t + 100, 110);
	ok(good && stamps_ahead(&s, (t + 100) * second) == AHEAD * second,
	   "stamps that agree with each other, and with nothing else");
	ok(!takes(&s, t + AHEAD + 2 * DAY, t + 120, 130) &&
	   takes(&s, t + AHEAD + 120, t + 120, 131),
	   "one that does not is refused");
	ok(takes(&s, t - 5 * DAY, t + 120, 131) &&
	   !takes(&s, t + AHEAD + 2 * DAY + 600, t + 120, 132),
	   "old ones are taken and prove nothing");
	ok(takes(&s, t + 119, t + 120, 132) &&
	   !takes(&s, t + AHEAD + 120, t + 120, 132) &&
	   !takes(&s, t + AHEAD + 121, t + 121, 133) &&
	   !stamps_ahead(&s, (t + 121) * second),
	   "one that agrees with the clock proves it");
	ok(takes(&s, t + 200, t + 200 - AHEAD, 212) &&
	   takes(&s, t + 300, t + 300 - AHEAD, 312),
	   "until the clock is set back: stamps go on");

	stamps_begin(&s, 0);
	takes(&s, t, t, 10);
	ok(takes(&s, t + 60, t, 10), "clocks may differ by a minute");
	ok(!takes(&s, t + 61, t, 10), "not by more");
	stamps_begin(&s, (t + AHEAD) * second);
	ok(takes(&s, t + AHEAD + DAY, t, 10) &&
	   !takes(&s, t + AHEAD + 3 * DAY, t, 20),
	   "after a restart: those that follow what was stored");
	stamps_begin(&s, (t - 30 * DAY) * second);
	ok(!takes(&s, t + AHEAD, t, 10) && takes(&s, t + AHEAD + 1, t + 1, 11),
	   "what was stored agrees with the clock: the second one is taken");
	stamps_begin(&s, (t - 30 * DAY) * second);
	ok(!takes(&s, t + AHEAD, t, 10) && takes(&s, t, t, 11) &&
	   !takes(&s, t + AHEAD + 1, t + 1, 11),
	   "but not if another sender agrees with the clock");
}

int main(void)
{
	test_matcher();
	test_due();
	test_stars();
	test_messages();
	test_rooms();
	test_values();
	test_reported_room();
	test_transforms();
	test_stamps();
	return tap_done();
}
