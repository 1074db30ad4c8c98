// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_known_map - a map that was made before: its walls, from a picture and
 * from a store, and what is refused
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "folder.h"
#include "map/site/site.h"
#include "slam/output/known_map.h"
#include "tap.h"

enum { WIDE = 8, HIGH = 6 };

static struct error error;

/* # a wall, . free, blank unknown, o a doubtful wall; the top row first */
static void fill(const char *const rows[HIGH], int8_t cells[WIDE * HIGH])
{
	for (int y = 0; y < HIGH; y++) {
		for (int x = 0; x < WIDE; x++) {
			const char c = rows[HIGH - 1 - y][x];

			cells[y * WIDE + x] = c == '#' ? 100 : c == 'o' ? 50 :
					      c == '.' ? 0 : -1;
		}
	}
}

static const char *const room[HIGH] = {
	"########",
	"########",
	"##....##",
	"#o....##",
	"########",
	"       #",
};

static bool has_wall(const struct walls *w, double x, double y)
{
	for (uint32_t i = 0; i < w->count; i++) {
		if (fabs((double)w->x[i] - x) < 1e-4 &&
		    fabs((double)w->y[i] - y) < 1e-4)
			return true;
	}
	return false;
}

static void test_walls(void)
{
	int8_t cells[WIDE * HIGH];
	struct known_map m = { .cells = {
		.width = WIDE, .height = HIGH, .resolution = 0.5,
		.origin = { 10, 20, M_PI / 2 }, .cells = cells,
	} };

	fill(room, cells);
	ok_eq(known_map_find_walls(&m), 0, "the walls of a room");
	/* all around the free cells: not the outer half of thick walls */
	ok_eq(m.walls.count, 16, "... that can be seen");
	/* cell (1, 2), turned to the left */
	ok(has_wall(&m.walls, 10 - 2.5 * 0.5, 20 + 1.5 * 0.5),
	   "... a doubtful one, where it is");
	free(m.walls.x);
	free(m.walls.y);
	for (int i = 0; i < WIDE * HIGH; i++)
		cells[i] = cells[i] == 0 ? -1 : cells[i];
	ok_eq(known_map_find_walls(&m), 0, "a map of walls alone");
	ok_eq(m.walls.count, 32 + 1, "... has all of them");
	free(m.walls.x);
	free(m.walls.y);
}


/* A picture of map_server, 4 x 3: a wall around one free cell */
static const char *make_yaml(const char *name, unsigned char wall)
{
	static char yaml[300];
	static char pgm[300];
	unsigned char picture[12 + 11];
	char text[600];
	int n;

	snprintf(pgm, sizeof(pgm), "%s", in_folder("map.pgm"));
	n = snprintf((char *)picture, sizeof(picture), "P5\n4 3\n255\n");
	memset(picture + n, wall, 12);
	picture[n + 5] = picture[n + 6] = 254;
	write_file(pgm, picture, (size_t)n + 12);
	snprintf(yaml, sizeof(yaml), "%s", in_folder(name));
	n = snprintf(text, sizeof(text),
		     "image: map.pgm\nresolution: 0.1\norigin: [1, 2, 0]\n"
		     "negate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n");
	write_file(yaml, text, (size_t)n);
	return yaml;
}

static void test_yaml(void)
{
	union message *msg = malloc(sizeof(*msg));
	struct known_map m;

	ok_eq(known_map_read(&m, make_yaml("map.yaml", 0), &error), 0, "a .yaml");
	ok_eq(m.walls.count, 10, "... walls");
	ok(has_wall(&m.walls, 1.05, 2.05), "... where they are");
	known_map_message(&m, 7, "map", msg);
	ok_eq(msg->map.header.stamp, 7, "... as a message: stamp");
	ok_eq(msg->map.width, 4, "... width");
	ok_eq(msg->map.data.count, 12, "... cells");
	ok_near(msg->map.origin.position[1], 2, 0, "... origin");
	known_map_free(&m);
	free(msg);
	ok_eq(known_map_read(&m, make_yaml("free.yaml", 254), &error), -ENODATA,
	      "%s", error.text);
	ok_eq(known_map_read(&m, in_folder("none.yaml"), &error), -ENOENT,
	      "%s", error.text);
	ok_eq(known_map_read(&m, "map.png", &error), -EINVAL, "%s", error.text);
	ok_eq(known_map_read(&m, in_folder("none.db"), &error), -ENOENT, "%s",
	      error.text);
}

int main(void)
{
	make_folder();
	test_walls();
	test_yaml();
	remove_folder();
	return tap_done();
}
