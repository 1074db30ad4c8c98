// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_map_input - messages that become keyframes, transforms, rooms; those
 * that wait, and those that are refused
 */
#include <cjson/cJSON.h>
#include "base/cli.h"
#include "log_lines.h"
#include "map/store/store_edge.h"
#include "map/ros/input.h"
#include "map_ros_fixture.h"

static struct map_input *in;
static unsigned int stored, refusals;
static char refusal[ERROR_TEXT];

static void on_stored(void *arg)
{
	(void)arg;
	stored++;
}

static void on_refused(void *arg, const char *line)
{
	(void)arg;
	refusals++;
	snprintf(refusal, sizeof(refusal), "%s", line);
}

static void open_input(const char *name)
{
	open_map(name);
	stored = refusals = 0;
	*refusal = 0;
	if (map_input_open(&in, site, NULL, &map_config, on_stored, on_refused,
			   NULL))
		abort();
}

static void close_input(void)
{
	map_input_close(in);
	site_close(site);
}

static double status(const char *key)
{
	cJSON *all = cJSON_CreateObject();
	const cJSON *item;
	double value;

	map_input_status(in, all);
	item = cJSON_GetObjectItem(all, key);
	value = cJSON_IsNumber(item) ? item->valuedouble : -1;
	cJSON_Delete(all);
	return value;
}

static int send_layer(const char *layer, const char *frame, int64_t ago)
{
	return map_input_map(in, "/m", line_of(layer), layer,
			     MESSAGE_OCCUPANCY_GRID,
			     map_of(8, 4, 50, frame, wall_ns - ago));
}

static int send_map(const char *frame)
{
	return send_layer("slam_map", frame, 0);
}

static int send_transforms(const struct message_transform *t,
			   unsigned int count)
{
	const struct message_transforms m = { message_list(t, count) };

	return map_input_transforms(in, "/tf", &m);
}

static int send_transform(const char *parent, const char *frame, double x)
{
	const struct message_transform t = transform_of(parent, frame, x,
							wall_ns);

	return send_transforms(&t, 1);
}

static uint64_t due(void)
{
	return timers->due;
}

/* The last refusal, and forget it */
static const char *last_refusal(void)
{
	static char last[ERROR_TEXT];

	strcpy(last, refusal);
	*refusal = 0;
	return last;
}

/*
 * Keyframes
 */

static void test_keyframe(void)
{
	open_input("keyframe.db");
	ok_eq(due(), LOOP_NEVER, "nothing is due");
	ok_eq(send_map("a"), 0, "a submap");
	ok_eq(send_layer("temp_map_fused", "a", 5 * MS), 0,
	      "another layer of its frame");
	ok_eq(due(), now_ns + 20 * MS, "they wait 20 ms for more");
	pass_time(20 * MS - 1);
	ok_near(status("submaps_stored"), 0, 0, "and are not stored before");
	ok_eq(stored, 0, "nor announced");
	pass_time(1);
	ok_near(status("submaps_stored"), 2, 0, "but then");
	ok_eq(stored, 1, "in one transaction");
	ok_eq(site_counts(site).nodes, 1, "as one node");
	ok_eq(site_counts(site).submaps, 2, "with both");
	ok_eq(site_counts(site).placed, 0, "which has no place yet");
	ok_eq(due(), LOOP_NEVER, "nothing waits any more");
	ok_near(status("messages"), 2, 0, "two messages are counted");
	ok_near(status("refused"), 0, 0, "and no refusal");
	ok_near(status("unmatched"), -1, 0, "matching is off: no count of it");
	close_input();
}

static void test_keyframe_lines(void)
{
	const char *const gas = "gas_A_map_1";

	open_input("lines.db");
	log_lines_begin(LOG_DEBUG);
	map_input_map(in, "/g", line_of(gas), gas, MESSAGE_GRID_MAP,
		      grids_of(4, "CO", "H2", "a", wall_ns));
	pass_time(20 * MS);
	map_input_map(in, "/g", line_of(gas), gas, MESSAGE_GRID_MAP,
		      grids_of(4, "CO", "H2", "a", wall_ns - 5 * SECOND));
	send_map("a");
	pass_time(20 * MS);
	log_lines_end();
	ok_eq(log_lines_with("keyframe a kept: 2 submaps"), 1,
	      "a keyframe that is kept is logged");
	ok_eq(log_lines_with("of 3 left out: "), 2,
	      "as is what is left out of one, with the reason");
	ok_eq(log_lines_with("of 3 kept"), 1, "and the rest of it");
	close_input();
}

static void test_keyframe_again(void)
{
	open_input("again.db");
	send_map("a");
	pass_time(5 * MS);
	ok_eq(send_layer("slam_map", "a", -MS), 0, "a newer map of a frame");
	ok_near(status("submaps_stored"), 1, 0, "the first one is stored at once");
	ok_eq(due(), now_ns + 20 * MS, "the second one waits for more");
	send_map("b");
	pass_time(1 * MS);
	ok_near(status("submaps_stored"), 1, 0, "as does that of another frame");
	close_input();
	site = open_site(in_folder("again.db"), STORE_READ);
	ok_eq(site_counts(site).nodes, 2, "the end stores what waits");
	ok_eq(site_counts(site).submaps, 2, "newer ones replace older ones");
	site_close(site);
}

/* More frames than are gathered at the same time */
static void test_many_frames(void)
{
	char frame[16];

	open_input("many.db");
	for (int i = 0; i < 64; i++) {
		snprintf(frame, sizeof(frame), "f%d", i);
		send_map(frame);
	}
	ok_near(status("submaps_stored"), 0, 0, "64 frames are gathered");
	send_map("more");
	ok_near(status("submaps_stored"), 1, 0, "one more stores the first one");
	ok(site_has_frame(site, "f0"), "which is the oldest");
	close_input();
}

/* One message with a submap that is older than the stored one */
static void test_old_submap(void)
{
	const char *const gas = "gas_A_map_1";

	open_input("old.db");
	map_input_map(in, "/g", line_of(gas), gas, MESSAGE_GRID_MAP,
		      grids_of(4, "CO", "H2", "a", wall_ns));
	pass_time(20 * MS);
	ok_near(status("submaps_stored"), 2, 0, "a grid map of two layers");
	ok(site_find_layer(site, "gas_A_map_1_CO") >= 0, "one is CO");
	ok(site_find_layer(site, "gas_A_map_1_H2") >= 0, "one is H2");
	map_input_map(in, "/g", line_of(gas), gas, MESSAGE_GRID_MAP,
		      grids_of(4, "CO", "H2", "a", wall_ns - 5 * SECOND));
	send_map("a");
	ok_eq(refusals, 0, "an older one of both arrives");
	pass_time(20 * MS);
	ok_near(status("submaps_stored"), 3, 0, "what is new besides is stored");
	ok_eq(refusals, 1, "the message is refused once");
	ok(!strncmp(refusal, "keyframe: ", 10), "with a line: %s", refusal);
	ok_near(status("lost"), 0, 0, "it is not lost");
	close_input();
}

/*
 * Frames
 */

static void test_frames(void)
{
	open_input("frames.db");
	ok_eq(send_map(""), -EINVAL, "no frame");
	ok_str(last_refusal(), "/m: invalid frame_id", "says so");
	ok_eq(send_map("a\nb"), -EINVAL, "two lines are no frame");
	ok_eq(send_map("world"), -EINVAL, "a submap in the map's frame");
	ok_str(last_refusal(), "/m: frame_id world is the map frame, not a "
	       "submap frame", "says so");
	ok_eq(send_map("/world"), -EINVAL, "also with ROS 1's slash");
	ok_eq(send_map("map"), -EINVAL, "nor in that name of the store's root");
	ok_near(status("refused"), 5, 0, "all are counted");
	ok_eq(site_counts(site).nodes, 0, "and nothing is stored");
	ok_eq(send_map("/a"), 0, "a slash at the start");
	pass_time(20 * MS);
	ok(site_has_frame(site, "a"), "is no part of the name");
	close_input();
}

static void test_whole_map(void)
{
	open_input("whole.db");
	ok_eq(send_layer("hazard_map", "world", 0), 0, "a whole map");
	pass_time(20 * MS);
	ok(site_has_frame(site, SITE_ROOT), "belongs to the root");
	ok_eq(send_layer("hazard_map", "map", 0), -EINVAL,
	      "the root's own name is no frame");
	ok_str(last_refusal(), "/m: frame map, expected world", "says so");
	send_map("a");
	pass_time(20 * MS);
	ok_eq(send_layer("hazard_map", "a", 0), 0, "in the frame of a node");
	pass_time(20 * MS);
	ok_near(status("submaps_stored"), 3, 0, "it is a submap");
	close_input();
}

/* A map in the frame of a node that is not known yet */
static void test_pending(void)
{
	open_input("pending.db");
	ok_eq(send_layer("hazard_map", "a", 0), 0, "of an unknown node");
	ok_eq(due(), now_ns + 2 * SECOND, "it waits 2 s");
	pass_time(SECOND);
	ok_eq(send_transform("world", "a", 1), 0, "the node is known now");
	ok_eq(due(), now_ns + 20 * MS, "it is part of a keyframe");
	pass_time(20 * MS);
	ok_near(status("submaps_stored"), 1, 0, "and stored");
	ok_eq(refusals, 0, "not refused");
	send_layer("hazard_map", "b", 0);
	pass_time(2 * SECOND - 1);
	ok_eq(refusals, 0, "another one waits");
	pass_time(1);
	ok_eq(refusals, 1, "and is refused after 2 s");
	ok_str(refusal, "/m: frame b, expected world", "as that of no map");
	ok_eq(due(), LOOP_NEVER, "nothing is due");
	send_layer("hazard_map", "c", 0);
	map_input_close(in);
	ok_eq(refusals, 2, "at the end the rest is refused");
	site_close(site);
}

static void test_many_pending(void)
{
	char frame[16];

	open_input("pendings.db");
	for (int i = 0; i < 64; i++) {
		snprintf(frame, sizeof(frame), "f%d", i);
		send_layer("hazard_map", frame, 0);
		pass_time(MS);
	}
	ok_eq(refusals, 0, "64 wait for their nodes");
	send_layer("hazard_map", "f64", 0);
	ok_eq(refusals, 1, "one more and the oldest is refused");
	ok_str(refusal, "/m: frame f0, expected world", "with its frame");
	send_transform("world", "f5", 0);
	pass_time(20 * MS);
	ok_near(status("submaps_stored"), 1, 0, "others find their node");
	close_input();
	ok_eq(refusals, 64, "the rest is refused at the end");
}

/*
 * Layers
 */

static void test_layers(void)
{
	char name[LAYER_NAME];

	open_input("layers.db");
	ok_eq(map_input_map(in, "/m", line_of("slam_map"), "slam_map",
			    MESSAGE_GRID_MAP,
			    map_of(16, 4, 50, "a", wall_ns)), -EINVAL,
	      "a grid map for a layer of 8 bits");
	ok_str(last_refusal(), "/m: layer slam_map needs messages of type "
	       "nav_msgs/OccupancyGrid", "says so");
	ok_eq(site_layers(site), 0, "no layer is created");
	ok_eq(send_layer("gas_A_map_1", "a", 0), -EINVAL,
	      "a grid for a layer of 16 bits");
	ok_str(last_refusal(), "/m: layer gas_A_map_1 needs messages of type "
	       "grid_map_msgs/GridMap", "says so");
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	ok_eq(map_input_map(in, "/g", line_of("gas_A_map_1"), name,
			    MESSAGE_GRID_MAP,
			    grids_of(4, "CO", "H2", "a", wall_ns)), -EINVAL,
	      "two layers of a name that has no room for theirs");
	ok(strstr(refusal, "name too long") != NULL, "%s", refusal);
	/* a byte for each: the name, _, CO and the final 0 */
	name[LAYER_NAME - 3] = 0;
	ok_eq(map_input_map(in, "/g", line_of("gas_A_map_1"), name,
			    MESSAGE_GRID_MAP,
			    grids_of(4, "CO", "H2", "a", wall_ns)), -EINVAL,
	      "one byte too long");
	ok(strstr(refusal, "name too long") != NULL, "%s", refusal);
	name[LAYER_NAME - 4] = 0;
	map_input_map(in, "/g", line_of("gas_A_map_1"), name, MESSAGE_GRID_MAP,
		      grids_of(4, "CO", "H2", "a", wall_ns));
	ok(!strstr(refusal, "name too long"), "one that fits: %s", refusal);
	ok_eq(map_input_map(in, "/m", line_of("slam_map"), "a b",
			    MESSAGE_OCCUPANCY_GRID,
			    map_of(8, 4, 50, "a", wall_ns)), -EINVAL,
	      "no name of a layer");
	close_input();
}

static void test_too_many_layers(void)
{
	char name[LAYER_NAME];

	open_input("full.db");
	for (int i = 0; i < SITE_LAYERS - 1; i++) {
		snprintf(name, sizeof(name), "l%d", i);
		add_layer(site, name, "");
	}
	ok_eq(map_input_map(in, "/g", line_of("gas_A_map_1"), "gas_A_map_1",
			    MESSAGE_GRID_MAP,
			    grids_of(4, "CO", "H2", "a", wall_ns)), -ENOSPC,
	      "two more layers than there is room for");
	ok_str(refusal, "/g: layer gas_A_map_1: too many layers (255)",
	       "says so");
	ok_eq(site_layers(site), SITE_LAYERS - 1, "none of them is created");
	ok_eq(send_map("a"), 0, "one more is possible");
	ok_eq(site_layers(site), SITE_LAYERS, "and is created");
	close_input();
}

/* A map on the storey above its node */
static int send_height(const char *layer, const char *frame, double height)
{
	union message m = *map_of(8, 4, 50, frame, wall_ns);

	m.map.origin.position[2] = height;
	return map_input_map(in, "/m", line_of(layer), layer,
			     MESSAGE_OCCUPANCY_GRID, &m);
}

static void test_height(void)
{
	open_input("height.db");
	ok_eq(send_height("slam_map", "a", 1.5), 0, "1.5 m above its node");
	ok_eq(send_height("slam_map", "b", -1.5), 0, "or below it");
	ok_eq(send_height("slam_map", "c", 1.51), -EINVAL, "but not more");
	ok_str(refusal, "/m: it is 1.5 m above its frame; see --storey",
	       "says so");
	ok_eq(send_height("slam_map", "c", -1.51), -EINVAL, "nor below it");
	ok_eq(send_height("hazard_map", "world", 9), 0,
	      "whole maps are where they say");
	map_config.storey = 3;
	ok_eq(send_height("slam_map", "c", 3), 0, "as configured");
	ok_eq(send_height("slam_map", "d", 3.01), -EINVAL, "not more");
	map_config.storey = -1;
	ok_eq(send_height("slam_map", "d", 50), 0, "any");
	close_input();
}

/*
 * Stamps
 */

static void test_stamps(void)
{
	open_input("stamps.db");
	ok_eq(send_layer("slam_map", "a", wall_ns + 1), -EINVAL,
	      "a stamp before 1970");
	ok_str(last_refusal(), "/m: stamp before 1970", "says so");
	ok_eq(send_layer("slam_map", "a", wall_ns), 0, "1970 is old, but valid");
	ok_eq(send_map("b"), 0, "now");
	ok_eq(send_layer("slam_map", "a", -100 * (int64_t)SECOND), -EINVAL,
	      "a stamp of the future");
	ok_str(refusal, "/m: stamp is 100 s in the future", "says so");
	ok_near(status("stamps_ahead"), -1, 0, "clocks agree");
	close_input();
	/* what is stored counts from the start */
	open_input("stamps.db");
	ok_eq(send_layer("slam_map", "a", -100 * (int64_t)SECOND), -EINVAL,
	      "also after a restart");
	close_input();
}

static void test_clock_behind(void)
{
	const int64_t ahead = 400LL * 86400 * SECOND;

	open_input("behind.db");
	ok_eq(send_layer("slam_map", "a", -ahead), 0, "400 days ahead");
	ok_near(status("stamps_ahead"), ahead / 1e9, 1e-3, "status says so");
	ok_eq(send_layer("slam_map", "b", -ahead), 0, "and another one");
	close_input();
	open_input("behind.db");
	ok_eq(send_layer("slam_map", "c", -ahead), 0,
	      "after a restart they go on");
	close_input();
}

/*
 * Transforms
 */

static void test_transforms(void)
{
	struct message_transform two[2];

	open_input("tf.db");
	two[0] = transform_of("world", "a", 1, wall_ns);
	two[1] = transform_of("a", "b", 2, wall_ns);
	ok_eq(send_transforms(two, 2), 0, "two transforms");
	ok_eq(stored, 1, "are announced once");
	ok_near(status("transforms_stored"), 2, 0, "and counted");
	ok_near(status("messages"), 1, 0, "as one message");
	ok_eq(site_counts(site).placed, 2, "both have a pose");
	two[1] = transform_of("a", "world", 2, wall_ns);
	two[0] = transform_of("world", "c", 1, wall_ns);
	ok_eq(send_transforms(two, 2), -EINVAL, "the map has no parent");
	ok_str(last_refusal(), "/tf: transform with the map frame world as "
	       "child frame", "says so");
	ok_eq(site_counts(site).nodes, 2, "all or none");
	ok_eq(send_transform("world", "map", 0), -EINVAL, "nor has the root");
	ok_eq(send_transform("map", "c", 0), -EINVAL,
	      "the root is no parent, by that name");
	ok_str(last_refusal(), "/tf: frame c: parent frame map is reserved; "
	       "the map frame is world", "says so");
	ok_eq(send_transform("world", "", 0), -EINVAL, "no frame");
	ok_eq(send_transform("world", "c", INFINITY), -EINVAL, "no number");
	two[0] = transform_of("world", "c", 1, wall_ns + 99 * SECOND);
	ok_eq(send_transforms(two, 1), -EINVAL, "of the future");
	ok_eq(send_transform("b", "a", 0), -EINVAL, "a circle");
	ok_near(status("refused"), 7, 0, "all are counted");
	ok_eq(refusals, 7, "and have a line");
	ok_near(status("transforms_stored"), 2, 0, "none of them is stored");
	ok_eq(stored, 1, "nor announced");
	close_input();
}

/*
 * Matching
 */

static void test_match(void)
{
	open_input("match.db");
	map_input_close(in);
	map_config.slop = 0.5;
	map_input_open(&in, site, NULL, &map_config, on_stored, on_refused,
		       NULL);
	ok_near(status("unmatched"), 0, 0, "nothing waits for a match");
	send_transform("world", "node_1", 0);
	pass_time(SECOND);
	ok_eq(send_map("odom"), 0, "a submap of no frame that is known");
	ok_near(status("unmatched"), 1, 0, "waits");
	ok_eq(due(), now_ns + 10 * SECOND, "for 10 s");
	pass_time(100 * MS);
	send_transform("world", "node_2", 1);
	ok_near(status("unmatched"), 0, 0, "a later transform decides");
	pass_time(20 * MS);
	ok_near(status("submaps_stored"), 1, 0, "it is stored");
	ok_eq(site_counts(site).nodes, 2, "with that node, not with its frame");
	pass_time(SECOND);
	send_map("odom");
	pass_time(10 * SECOND - 1);
	ok_eq(refusals, 0, "without a transform it waits");
	pass_time(1);
	ok_eq(refusals, 1, "for 10 s");
	ok_str(refusal, "/m: no transform within 0.5 s of the submap's stamp",
	       "says so");
	ok_eq(send_layer("hazard_map", "world", 0), 0, "a whole map");
	ok_near(status("unmatched"), 0, 0, "needs no match");
	ok_eq(send_layer("hazard_map", "odom", 0), 0,
	      "one in an unknown frame");
	ok_near(status("unmatched"), 1, 0, "is matched, too");
	close_input();
	ok_eq(refusals, 2, "or refused at the end");
}

/* The slop is the longest time that a match may need */
static void test_match_timeout(void)
{
	open_input("slop.db");
	map_input_close(in);
	map_config.slop = 30;
	map_input_open(&in, site, NULL, &map_config, on_stored, on_refused,
		       NULL);
	send_map("odom");
	ok_eq(due(), now_ns + 30 * SECOND, "a submap waits as long as the slop");
	close_input();
}

/*
 * Rooms, repeaters, images
 */

static int count_room(void *arg, const struct room *room)
{
	(void)room;
	++*(int *)arg;
	return 0;
}

static void test_rooms(void)
{
	struct message_room m = {
		.header = { wall_ns, 0, message_string("world") }, .id = 3,
		.name = message_string("kitchen"), .size = 5,
	};
	char text[16];
	int rooms = 0;

	open_input("rooms.db");
	ok_eq(map_input_room(in, "/r", &m), 0, "a room");
	site_rooms(site, count_room, &rooms, &error);
	ok_eq(rooms, 1, "is stored");
	m.header.frame_id = message_string("a");
	ok_eq(map_input_room(in, "/r", &m), -EINVAL, "in another frame");
	ok_str(last_refusal(), "/r: frame a, expected world", "says so");
	m.header.frame_id = message_string("");
	ok_eq(map_input_room(in, "/r", &m), -EINVAL, "in none");
	m.header.frame_id = message_string("world");
	m.header.stamp = -1;
	ok_eq(map_input_room(in, "/r", &m), -EINVAL, "before 1970");
	m.header.stamp = wall_ns;
	m.size = -1;
	ok_eq(map_input_room(in, "/r", &m), -EINVAL, "of no size");
	ok_near(status("refused"), 4, 0, "all are counted");
	ok_eq(map_input_rooms(in, "/n", 17), 0, "a number of rooms");
	site_setting(site, "rooms", text, sizeof(text));
	ok_str(text, "17", "is stored");
	ok_near(status("messages"), 6, 0, "six messages");
	close_input();
}

static int count_point(void *arg, double x, double y)
{
	(void)y;
	if (x == 2)
		++*(int *)arg;
	return 0;
}

static void test_repeaters(void)
{
	static struct message_point32 p[4097];
	struct message_polygon m = {
		.header = { wall_ns, 0, message_string("world") },
	};
	int found = 0;

	for (int i = 0; i < 4097; i++)
		p[i].x = 2;
	open_input("repeaters.db");
	m.points = message_list(p, 4096);
	ok_eq(map_input_repeaters(in, "/p", &m), 0, "4096 repeaters");
	site_repeaters(site, count_point, &found, &error);
	ok_eq(found, 4096, "are stored");
	m.points = message_list(p, 4097);
	ok_eq(map_input_repeaters(in, "/p", &m), -E2BIG, "one more is not");
	ok_str(last_refusal(), "/p: too many repeaters: 4097, at most 4096",
	       "says so");
	p[1].y = NAN;
	m.points = message_list(p, 2);
	ok_eq(map_input_repeaters(in, "/p", &m), -EINVAL, "at no place");
	ok_str(last_refusal(), "/p: repeater position out of range", "says so");
	m.header.frame_id = message_string("a");
	ok_eq(map_input_repeaters(in, "/p", &m), -EINVAL, "in another frame");
	found = 0;
	site_repeaters(site, count_point, &found, &error);
	ok_eq(found, 4096, "the stored ones stay");
	close_input();
}

static int count_edge(void *arg, const struct store_edge *e)
{
	int *count = arg;

	count[0]++;
	count[1] += e->loop;
	count[2] += e->waiting;
	return 0;
}

static int edges_stored(int want)
{
	int count[3] = { 0 };

	if (store_each_edge(site_store(site), count_edge, count))
		return -1;
	return count[want];
}

static void test_graph(void)
{
	struct message_graph_edge e[3] = {
		{ message_string("a"), message_string("/b"),
		  MESSAGE_EDGE_ODOMETRY, 0, { 5, 0, 1 },
		  { 1, 0.1, 0, 0.1, 1, 0, 0, 0, 1 } },
		{ message_string("b"), message_string("a"), MESSAGE_EDGE_LOOP,
		  1, { -5, 0, 1 }, { 1, 0, 0, 0, 1, 0, 0, 0, 1 } },
	};
	struct message_pose_graph m = {
		.header = { wall_ns, 0, message_string("world") },
		.source = message_string("submap_"),
		.edges = message_list(e, 2),
	};

	open_input("graph.db");
	ok_eq(map_input_graph(in, "/g", &m), 0, "two edges");
	ok_eq(edges_stored(0), 2, "... are stored");
	ok_eq(edges_stored(1), 1, "... one closes a loop");
	ok_eq(edges_stored(2), 1, "... and waits");
	m.edges.count = 1;
	ok_eq(map_input_graph(in, "/g", &m), 0, "the loop was rejected");
	ok_eq(edges_stored(0), 1, "... it goes away");
	m.edges.count = 3;
	e[2] = e[1];
	e[2].kind = 2;
	ok_eq(map_input_graph(in, "/g", &m), -EINVAL, "an unknown kind");
	ok_str(last_refusal(), "/g: edge from b to a: unknown kind 2",
	       "says so");
	e[2].kind = MESSAGE_EDGE_LOOP;
	e[2].covariance[3] = 0.5;
	ok_eq(map_input_graph(in, "/g", &m), -EINVAL, "not symmetric");
	ok_str(last_refusal(), "/g: edge from b to a: covariance is not "
	       "symmetric", "says so");
	e[2].covariance[3] = NAN;
	ok_eq(map_input_graph(in, "/g", &m), -EINVAL, "no number");
	e[2].covariance[3] = 0;
	e[2].to_frame = message_string("b");
	ok_eq(map_input_graph(in, "/g", &m), -EINVAL, "to itself");
	e[2].to_frame = message_string("");
	ok_eq(map_input_graph(in, "/g", &m), -EINVAL, "to nowhere");
	m.edges.count = (1 << 17) + 1;
	ok_eq(map_input_graph(in, "/g", &m), -E2BIG, "too many");
	m.edges.count = 2;
	m.source = message_string("");
	ok_eq(map_input_graph(in, "/g", &m), -EINVAL, "of no source");
	m.source = message_string("submap_");
	m.header.frame_id = message_string("a");
	ok_eq(map_input_graph(in, "/g", &m), -EINVAL, "in another frame");
	ok_eq(edges_stored(0), 1, "what was stored stays");
	close_input();
}

static void test_image(void)
{
	static const uint8_t pixels[6];
	struct message_image m = {
		.header = { wall_ns, 0, message_string("camera") },
		.height = 2, .width = 3, .encoding = message_string("mono8"),
		.step = 3, .data = { pixels, 6 },
	};

	open_input("image.db");
	ok_eq(map_input_image(in, "/i", &m), 0, "an image");
	m.data.count = 5;
	ok_eq(map_input_image(in, "/i", &m), -EBADMSG, "a pixel too few");
	ok_str(last_refusal(), "/i: image of 5 bytes does not match its size "
	       "of 3 x 2", "says so");
	m.data.count = 6;
	m.width = 0;
	ok_eq(map_input_image(in, "/i", &m), -EBADMSG, "no width");
	m.width = 3;
	m.height = 0;
	ok_eq(map_input_image(in, "/i", &m), -EBADMSG, "no height");
	m.height = 2;
	m.header.stamp = -1;
	ok_eq(map_input_image(in, "/i", &m), -EINVAL, "no time");
	ok_near(status("messages"), 5, 0, "all are counted");
	map_input_damaged(in, "/x");
	ok_str(refusal, "/x: malformed message", "what cannot be read");
	ok_near(status("messages"), 6, 0, "is a message");
	map_input_unknown(in, "/y", "of no use");
	ok_str(refusal, "/y: of no use: ignored", "what nothing uses");
	ok_near(status("messages"), 6, 0, "is none");
	ok_near(status("refused"), 6, 0, "both are refused");
	close_input();
}

/* The store's file is gone */
static void test_lost_store(void)
{
	open_input("lost.db");
	send_map("a");
	unlink(in_folder("lost.db"));
	pass_time(20 * MS);
	ok_near(status("lost"), 1, 0, "a submap that cannot be stored is lost");
	ok_eq(refusals, 1, "and refused");
	ok_eq(map_input_rooms(in, "/n", 17), -EIO, "as are other messages");
	ok(strstr(refusal, "deleted") != NULL, "%s", refusal);
	close_input();
}

int main(void)
{
	cli_program = "test";
	make_folder();
	test_keyframe();
	test_keyframe_lines();
	test_keyframe_again();
	test_many_frames();
	test_old_submap();
	test_frames();
	test_whole_map();
	test_pending();
	test_many_pending();
	test_layers();
	test_too_many_layers();
	test_height();
	test_stamps();
	test_clock_behind();
	test_transforms();
	test_match();
	test_match_timeout();
	test_rooms();
	test_repeaters();
	test_graph();
	test_image();
	test_lost_store();
	map_room_free(&message_room_);
	remove_folder();
	return tap_done();
}
