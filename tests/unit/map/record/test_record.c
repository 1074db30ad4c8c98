// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_record - what a recording of a site has, and what remains of one if the
 * disk is full
 */
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include "map/record/record.h"
#include "map_ros_fixture.h"
#include "ros/bag/bag.h"

static uint8_t file[1 << 20];

/* The text of rooms */
static const char *text_of(const char *path)
{
	FILE *f = fopen(path, "r");
	const size_t n = f ? fread(file, 1, sizeof(file) - 1, f) : 0;

	file[n] = 0;
	if (f)
		fclose(f);
	return (const char *)file;
}

static bool exists(const char *path)
{
	return !access(path, F_OK);
}

/* Messages of a topic; the last one is in @m, of its stamp in @stamp */
static unsigned int count_messages(const char *path, const char *name,
				   union message *m, int64_t *stamp)
{
	static uint8_t copy[1 << 16];
	struct bag_reader *r;
	struct bag_message b;
	unsigned int n = 0, topics;

	if (bag_open(&r, path))
		return 0;
	while (bag_next(r, &b) > 0) {
		const struct bag_topic *t = &bag_topics(r, &topics)[b.topic];

		if (strcmp(t->name, name))
			continue;
		n++;
		if (stamp)
			*stamp = b.stamp;
		if (!m || b.len > sizeof(copy))
			continue;
		memcpy(copy, b.data, b.len);
		message_read(message_any_kind_of(t->type), MESSAGE_CDR, copy,
			     b.len, m);
	}
	bag_close(r);
	return n;
}

/* A map, a gas, a room, and nodes a, b */
static void make_site(const char *name)
{
	const struct pose far = { 3, 0, 0 };
	struct room r = { .id = 3, .name = "kitchen", .stamp = 4, .x = 0,
			  .y = 0, .size = 0.64 };

	open_map(name);
	add_layer(site, "slam_map", "role=obstacle input=slam_submap");
	add_layer(site, "temp_map_fused",
		  "role=temperature range=0:100 unit=C");
	add_layer(site, "gas_A_map_1", "role=gas bits=16");
	move(site, "a", SITE_ROOT, 0, 0, 0);
	move(site, "b", "a", 3, 0, 0);
	put(site, "a", 5, NULL, 0, patch(10, 8, 0.1, 1, 50, 50));
	put(site, "b", 6, &far, 0, patch(10, 8, 0.1, 1, 60, 60));
	put(site, "a", 5, NULL, 1, patch(10, 8, 0.1, 1, 20, 20));
	put(site, "b", 7, NULL, 2, patch(10, 16, 0.1, 1, 3000, 3000));
	store_room(site_store(site), &r);
	fuse_map();
}

static void test_contents(void)
{
	const struct bytes image = { .data = (uint8_t *)"12345678", .len = 8 };
	const char *path = in_folder("a.mcap");
	struct record *r;
	union message m;
	int64_t stamp;

	make_site("a.db");
	ok_eq(record_open(&r, path, &map_config, &error), 0, "a recording");
	ok_eq(record_write(r, site, true, &image, 77 * SECOND), 0, "an entry");
	ok_str(record_left_out(r), "", "has all");
	ok_eq(record_flush(r), 0, "it is written");
	ok_range(record_size(r), 100, 1e6, "to the file");
	ok_eq(record_write(r, site, false, NULL, 78 * SECOND), 0, "another one");
	ok_eq(record_close(r), 0, "and its end");
	ok_eq(count_messages(path, "/gdim/output/slam_map", &m, &stamp), 2,
	      "a map in each");
	ok_eq(stamp, 78 * SECOND, "of its time");
	ok_near(m.map.resolution, 0.1, 1e-6, "as it is");
	ok_eq(count_messages(path, "/gdim/output/temp_map_fused", NULL, NULL),
	      2, "temperatures");
	ok_eq(count_messages(path, "/gdim/output/gas_A_map_1", &m, NULL), 2,
	      "a gas");
	ok_eq(m.grid.layers, 1, "as a grid map");
	ok_eq(count_messages(path, "/gdim/log/slam_submap", &m, NULL), 1,
	      "submaps only in the first one");
	ok(message_string_is(&m.map.header.frame_id, "b"),
	   "the latest, in its frame");
	ok_near(m.map.origin.position[0], -0.5, 1e-6, "with its corner");
	ok_eq(m.map.header.stamp, 6, "and its time");
	ok_eq(count_messages(path, "/gdim/log/gas_A_map_1", &m, NULL), 1,
	      "a layer without an input has its own name");
	ok_near(m.grid.pose.position[0], 0, 1e-6, "with its middle");
	ok_eq(count_messages(path, "/gdim/log/graph", &m, NULL), 2, "poses");
	ok_eq(m.path.poses.count, 2, "of all nodes");
	ok_eq(count_messages(path, "/gdim/log/links", &m, NULL), 2, "links");
	ok_eq(m.tf.transforms.count, 2, "of all nodes");
	ok_eq(count_messages(path, "/gdim/log/submap_transform", &m, NULL), 1,
	      "the last link, with submaps");
	ok_eq(m.tf.transforms.count, 1, "alone");
	ok_eq(count_messages(path, "/gdim/output/room_information", &m, NULL),
	      2, "rooms");
	ok_near(m.room.avg_temperature, 20, 0.01, "with values of the maps");
	ok_eq(m.room.header.stamp, 78 * SECOND, "of now");
	ok_eq(count_messages(path, "/gdim/output/thermal_image", NULL, NULL), 1,
	      "an image where there is one");
	site_close(site);
}

static void test_text(void)
{
	const char *path = in_folder("text.mcap");
	struct record *r;

	make_site("text.db");
	record_open(&r, path, &map_config, &error);
	record_write(r, site, false, NULL, 0);
	record_write(r, site, false, NULL, 3661 * SECOND);
	record_close(r);
	text_of(in_folder("text.txt"));
	ok_eq(strncmp((char *)file, "1970-01-01T00:00:00Z\n", 21), 0,
	      "the text begins with the time");
	ok(strstr((char *)file, "\n1970-01-01T01:01:01Z\n") != NULL,
	   "each entry does");
	ok(strstr((char *)file, "room 3 kitchen at 0.00 0.00 m, 0.6 m^2\n") !=
	   NULL, "a room has its place and size");
	ok(strstr((char *)file, "  temp_map_fused: mean 20, max 20 (20 and 20 "
		  "C)\n") != NULL, "its values, in units");
	ok(!strstr((char *)file, "  gas_A_map_1"), "not what is unknown there");
	ok(!strstr((char *)file, "left out"), "nothing is left out");
	ok(!strstr((char *)file, "damaged"), "nor damaged");
	site_close(site);
}

/* A layer that is not fused yet has no map in a recording */
static void test_left_out(void)
{
	const char *path = in_folder("left.mcap");
	struct record *r;
	union message m;

	make_site("left.db");
	map_room_free(&message_room_);
	record_open(&r, path, &map_config, &error);
	/* layers that are not fused yet have another depth */
	site_close(site);
	open_map("left.db");
	record_write(r, site, true, NULL, 1);
	ok_str(record_left_out(r), "", "what is not fused is no map");
	fuse_map();
	record_write(r, site, false, NULL, 2);
	ok_eq(record_close(r), 0, "a recording of two entries");
	ok_eq(count_messages(path, "/gdim/output/slam_map", &m, NULL), 1,
	      "one has a map");
	ok_eq(count_messages(path, "/gdim/log/slam_submap", &m, NULL), 1,
	      "one its submaps");
	site_close(site);
}

static void test_damaged(void)
{
	const char *path = in_folder("damaged.mcap");
	struct record *r;
	char command[400];

	make_site("damaged.db");
	site_close(site);
	snprintf(command, sizeof(command), "python3 -c \"import sqlite3; "
		 "d = sqlite3.connect('%s'); d.execute('UPDATE submap SET "
		 "cells = x\\'00\\' WHERE id = 1'); d.commit()\"",
		 in_folder("damaged.db"));
	ok_eq(system(command), 0, "a submap is damaged");
	open_map("damaged.db");
	fuse_map();
	record_open(&r, path, &map_config, &error);
	record_write(r, site, false, NULL, 1);
	record_close(r);
	ok(strstr(text_of(in_folder("damaged.txt")), "damaged: slam_map of a\n")
	   != NULL, "the text says which");
	site_close(site);
}

/*
 * Errors
 */

static void limit_files(rlim_t bytes)
{
	const struct rlimit limit = { bytes, RLIM_INFINITY };

	fflush(stdout);
	setrlimit(RLIMIT_FSIZE, &limit);
}

static void test_errors(void)
{
	const char *path = in_folder("e.mcap");
	char name[5000];
	struct record *r;
	int err, end;

	make_site("e.db");
	ok_eq(record_open(&r, in_folder("none/e.mcap"), &map_config, &error),
	      -ENOENT, "no folder");
	ok(strstr(error.text, "none/e.mcap: No such file") != NULL, "%s", error.text);
	memset(name, 'x', sizeof(name));
	strcpy(name + sizeof(name) - 6, ".mcap");
	ok_eq(record_open(&r, name, &map_config, &error), -ENAMETOOLONG,
	      "too long a path");
	record_open(&r, path, &map_config, &error);
	record_close(r);
	ok_eq(record_open(&r, path, &map_config, &error), -EEXIST,
	      "one that is there");
	ok_eq(exists(path), true, "stays");
	mkdir(in_folder("dir.txt"), 0755);
	ok_eq(record_open(&r, in_folder("dir.mcap"), &map_config, &error),
	      -EISDIR, "no text");
	ok_eq(exists(in_folder("dir.mcap")), false, "no recording either");
	record_open(&r, in_folder("f.mcap"), &map_config, &error);
	limit_files(100);
	err = record_write(r, site, true, NULL, 1);
	if (!err)
		err = record_flush(r);
	end = record_write(r, site, true, NULL, 2);
	limit_files(RLIM_INFINITY);
	ok_eq(err, -EFBIG, "a full disk");
	ok_eq(end, -EFBIG, "the error stays");
	ok_eq(record_flush(r), -EFBIG, "for all calls");
	record_abandon(r);
	ok_eq(exists(in_folder("f.mcap")), false, "what is abandoned is gone");
	ok_eq(exists(in_folder("f.txt")), false, "with its text");
	ok_eq(record_close(NULL), 0, "no recording has no error");
	record_open(&r, in_folder("g.mcap"), &map_config, &error);
	record_write(r, site, true, NULL, 1);
	limit_files(100);
	end = record_close(r);
	limit_files(RLIM_INFINITY);
	ok_eq(end, -EFBIG, "a disk that is full at the end");
	site_close(site);
}

int main(void)
{
	signal(SIGXFSZ, SIG_IGN);
	make_folder();
	test_contents();
	test_text();
	test_left_out();
	test_damaged();
	test_errors();
	map_room_free(&message_room_);
	remove_folder();
	return tap_done();
}
