// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_gdimd - parts of the daemon: whose submap it is, names with stars,
 * messages to cells, folders that must not grow
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "gdimd/folder.h"
#include "gdimd/map_message.h"
#include "gdimd/matcher.h"
#include "gdimd/room_message.h"
#include "gdimd/stars.h"
#include "gdimd/submap_message.h"
#include "tap.h"

static char said[4096];

static void on_match(void *arg, void *item, const char *frame)
{
	(void)arg;
	snprintf(said + strlen(said), sizeof(said) - strlen(said), "%s:%s ",
		 (const char *)item, frame ? frame : "-");
}

static bool says(const char *text)
{
	const bool same = !strcmp(said, text);

	if (!same)
		printf("# '%s', not '%s'\n", said, text);
	*said = 0;
	return same;
}

static void test_matcher(void)
{
	struct matcher *m = matcher_create(100, on_match, NULL);

	matcher_item(m, 1000, "a");
	ok(says("") && matcher_waiting(m) == 1, "a submap waits for a frame");
	matcher_frame(m, 950, "f1");
	ok(says(""), "an earlier one may not be the nearest");
	matcher_frame(m, 1020, "f2");
	ok(says("a:f2 "), "a later one decides: the nearest of both");
	matcher_item(m, 960, "b");
	ok(says("b:f1 "), "what is older is known at once");
	matcher_item(m, 1019, "c");
	matcher_item(m, 985, "d");
	ok(says("c:f2 d:f2 "), "of two that are as near the later one");
	matcher_item(m, 300, "e");
	ok(says("e:- "), "nothing within the slop");
	matcher_frame(m, 5000, "f1");
	matcher_item(m, 960, "f");
	ok(says("f:f1 "), "a frame that is told of again stays when it was");
	matcher_item(m, 5050, "g");
	matcher_item(m, 5060, "h");
	matcher_frame(m, 5055, "f3");
	ok(says("g:f3 ") && matcher_waiting(m) == 1, "only what is certain");
	matcher_item(m, 9000, "i");
	matcher_first(m);
	ok(says("h:f3 ") && matcher_waiting(m) == 1,
	   "the oldest waits no longer");
	matcher_destroy(m);
	ok(says("i:- "), "at the end the nearest is taken, or none");
}

static void test_stars(void)
{
	char to[32];

	ok(!stars_fill("gas_*_submap_*", "gas_CO_submap_3", "gas_*_map_*", to,
		       sizeof(to)) && !strcmp(to, "gas_CO_map_3"),
	   "what stars stand for");
	ok(!stars_fill("a*", "abc", "*", to, sizeof(to)) &&
	   !strcmp(to, "bc") &&
	   !stars_fill("*_*", "a_b_c", "*.*", to, sizeof(to)) &&
	   !strcmp(to, "a.b_c"), "as little as possible, and all of it");
	ok(stars_fill("a*", "a", "*", to, sizeof(to)) == -ENOENT &&
	   stars_fill("a*b", "ac", "*", to, sizeof(to)) == -ENOENT &&
	   stars_fill("slam", "slams", "x", to, sizeof(to)) == -ENOENT &&
	   !stars_fill("slam", "slam", "map", to, sizeof(to)) &&
	   !strcmp(to, "map"), "names that do not fit");
	ok(stars_fill("*", "0123456789012345678901234567890123456789", "*", to,
		      sizeof(to)) == -ENOSPC, "and that are too long");
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
	unsigned int bad = 0;
	char error[SUBMAP_ERROR];
	int n;

	map_room_reserve(&room, W * H);
	for (int bits = 8; bits <= 16; bits += 8) {
		r.bits = bits;
		for (int i = 0; i < W * H; i++)
			room.cells[i] = i % 6 == 5 ? -1 : bits == 8 ? i :
								      100 * i;
		map_message(&room, &r, 5, "map", &m);
		n = submap_read(map_message_kind(bits), &m, bits == 8 ? grid :
				layers, error);
		ok(n == 1, "%d bits: what goes out can come in", bits);
	}
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
	ok(submap_read(MESSAGE_OCCUPANCY_GRID, &m, grid, error) == -EBADMSG,
	   "a cell too few: %s", error);
	m.map.width = 1 << 20;
	m.map.height = 100;
	ok(submap_read(MESSAGE_OCCUPANCY_GRID, &m, grid, error) == -E2BIG,
	   "10^8 cells: %s", error);
	map_message(&room, &r, 5, "map", &m);
	m.map.resolution = NAN;
	ok(submap_read(MESSAGE_OCCUPANCY_GRID, &m, grid, error) == -EINVAL,
	   "no resolution: %s", error);
	map_message(&room, &r, 5, "map", &m);
	m.map.origin.orientation[3] = 7;
	ok(submap_read(MESSAGE_OCCUPANCY_GRID, &m, grid, error) == -EINVAL,
	   "no orientation: %s", error);
	map_message(&room, &r, 5, "map", &m);
	m.map.origin.position[2] = NAN;
	ok(submap_read(MESSAGE_OCCUPANCY_GRID, &m, grid, error) == -EINVAL,
	   "no height: %s", error);
	map_message(&room, &r, 5, "map", &m);
	for (int i = 0; i < W * H; i++)
		((int8_t *)room.bytes)[i] = i == 3 ? 101 : i == 4 ? -2 : i - 1;
	ok(submap_read(MESSAGE_OCCUPANCY_GRID, &m, grid, error) == -EINVAL,
	   "no cells: %s", error);
	r.bits = 16;
	map_message(&room, &r, 5, "map", &m);
	m.grid.layers = m.grid.arrays = 2;
	m.grid.layer[1] = m.grid.layer[0];
	m.grid.data[1] = m.grid.data[0];
	ok(submap_read(MESSAGE_GRID_MAP, &m, grid, error) == -EINVAL,
	   "a layer and it again: %s", error);
	m.grid.layers = m.grid.arrays = 5;
	for (int i = 0; i < 5; i++) {
		m.grid.data[i] = m.grid.data[0];
		m.grid.data[i].dim[0].size = 4096;
		m.grid.data[i].dim[1].size = 4096;
		m.grid.data[i].data.count = 4096 * 4096;
	}
	ok(submap_read(MESSAGE_GRID_MAP, &m, grid, error) == -E2BIG,
	   "too many layers that large: %s", error);
	map_room_free(&room);
}

static void test_rooms(void)
{
	const struct message_room good = {
		.id = 3, .name = message_string("Küche"), .size = 5,
		.averages_valid = 1,
		.avg_temperature = NAN, .avg_smoke = -1, .avg_signal = 100,
	};
	struct message_room m = good;
	char error[ROOM_MESSAGE_ERROR];
	struct room r;

	ok(!room_message_read(&m, &r, error) && !strcmp(r.name, "Küche") &&
	   r.reported && isnan(r.temperature) && r.signal == 100, "a room");
	m.averages_valid = 0;
	m.max_hazard = -77;
	ok(!room_message_read(&m, &r, error) && !r.reported && r.hazard == -1,
	   "what was not measured does not matter");
	m.averages_valid = 1;
	ok(room_message_read(&m, &r, error) == -EINVAL, "but else: %s", error);
	m.max_hazard = 0;
	m.location.z = INFINITY;
	ok(room_message_read(&m, &r, error) == -EINVAL, "no place: %s", error);
	m.location.z = 0;
	m.name = message_string("K\xfc" "che");
	ok(room_message_read(&m, &r, error) == -EINVAL, "no text: %s", error);
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
	char error[SUBMAP_ERROR], frame[STORE_FRAME];

	ok(!submap_transform(&t, &s, error) && !strcmp(s.predecessor, "a") &&
	   !strcmp(s.frame, "b") && s.pose.x == 1 && s.pose.y == 2 &&
	   fabs(s.pose.yaw - 0.4) < 1e-12, "a transform from above");
	t.translation[1] = INFINITY;
	ok(submap_transform(&t, &s, error) == -EINVAL, "one that is none: %s",
	   error);
	t.translation[1] = 0;
	t.rotation[3] = 5;
	ok(submap_transform(&t, &s, error) == -EINVAL, "and a turn: %s", error);
	t.rotation[3] = cos(0.2);
	t.child_frame_id = message_string("");
	ok(submap_transform(&t, &s, error) == -EINVAL, "and a frame: %s",
	   error);
	ok(submap_frame(&(struct message_string){ "a\nb", 3 }, frame) ==
	   -EINVAL && submap_frame(&(struct message_string){ "a\0b", 3 },
				   frame) == -EINVAL &&
	   submap_frame(&(struct message_string){ "\xe4", 1 }, frame) ==
	   -EINVAL, "frames are texts of one line");
}

static void put(const char *folder, const char *name, size_t len)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	while (f && len--)
		fputc('x', f);
	if (f)
		fclose(f);
}

static bool has(const char *folder, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return !access(path, F_OK);
}

static void test_folder(void)
{
	char top[] = "/tmp/test_gdimd.XXXXXX", folder[64], keep[128];
	char command[128];

	if (!mkdtemp(top))
		return;
	snprintf(folder, sizeof(folder), "%s/a/b", top);
	ok(!folder_make(folder) && !folder_make(folder), "a folder is made");
	put(folder, "log_1.mcap", 400);
	put(folder, "log_1.txt", 100);
	put(folder, "log_2.mcap", 400);
	put(folder, "log_3.mcap", 400);
	put(folder, "snapshot_0.mcap", 400);
	put(folder, "mine.txt", 100);
	ok(folder_trim(folder, 2000, NULL) == 1800 && has(folder, "log_1.mcap"),
	   "within the quota nothing goes");
	ok(folder_trim(folder, 1500, NULL) == 1300 &&
	   !has(folder, "log_1.mcap") && !has(folder, "log_1.txt") &&
	   has(folder, "log_2.mcap"), "the oldest log goes, with its text");
	snprintf(keep, sizeof(keep), "%s/log_3.mcap", folder);
	ok(folder_trim(folder, 10, keep) == 900 && has(folder, "log_3.mcap") &&
	   has(folder, "snapshot_0.mcap") && has(folder, "mine.txt"),
	   "never the one that is written, snapshots, and what others put there");
	snprintf(command, sizeof(command), "rm -rf %s", top);
	if (system(command))
		puts("# left behind");
}

int main(void)
{
	test_matcher();
	test_stars();
	test_messages();
	test_rooms();
	test_transforms();
	test_folder();
	return tap_done();
}
