// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_slam_services - what nav2 and slam_toolbox's users ask slamd for, as ROS 2
 * clients do; and where peers may write
 */
#include <errno.h>
#include "apps/slamd/services.h"
#include "folder.h"
#include "map/io/map_file.h"
#include "ros/io/ros2_service.h"
#include "../../ros/io/ros2_fixture.h"

static const uint64_t LONG = 60 * 1000000000ULL;

static const uint8_t cells[] = { 0, 100, 0xff, 0, 0, 100 };
static unsigned int paused;

static void on_pause(void *arg, bool on)
{
	*(unsigned int *)arg += 10 + on;
}

/* The last answer */
static struct {
	bool			done;
	int			err;
	union service_response	response;
	uint8_t			cells[sizeof(cells)];
} got;

static void on_result(void *arg, int err, const union service_response *r)
{
	got.done = true;
	got.err = err;
	if (!r)
		return;
	got.response = *r;
	if (*(const enum service_kind *)arg == SERVICE_GET_MAP &&
	    r->get_map.map.data.count == sizeof(cells))
		memcpy(got.cells, r->get_map.map.data.data, sizeof(cells));
}

/* Return: the result of the call */
static int ask(const char *name, enum service_kind kind,
	       const union service_request *request, uint64_t timeout)
{
	struct ros2_client *c;

	memset(&got, 0, sizeof(got));
	if (ros2_client_open(&c, ros, loop, name, kind, &error) ||
	    ros2_client_call(c, request, timeout, on_result, &kind))
		abort();
	if (!until(got.done))
		got.err = -ETIME;
	ros2_client_close(c);
	return got.err;
}

static struct slam_services *begin(const struct slamd_options *o)
{
	const struct slam_services_config config = {
		.o = o, .pause = on_pause, .arg = &paused,
	};
	struct slam_services *s;

	if (slam_services_open(&s, loop, &config, &error)) {
		printf("Bail out! %s\n", error.text);
		exit(1);
	}
	return s;
}

static void give_map(struct slam_services *s)
{
	uint8_t copy[sizeof(cells)];
	const struct message_occupancy_grid map = {
		.header = { 7, 0, message_string("map") },
		.resolution = 0.5f, .width = 3, .height = 2,
		.origin = { { -1, 2, 0 }, { 0, 0, 0, 1 } },
		.data = { copy, sizeof(copy) },
	};

	memcpy(copy, cells, sizeof(copy));
	slam_services_map(s, &map);
	memset(copy, 1, sizeof(copy));
}

static union service_request save_request(const char *url, const char *format)
{
	return (union service_request){ .save_map = {
		message_string("map"), message_string(url),
		message_string(format), message_string("trinary"), 0, 0,
	} };
}

static void test_mapping(void)
{
	const struct slamd_options o = {
		.to = "ros2", .node = "/slamd", .maps = folder,
	};
	const union service_request none = { .get_map = { 0 } };
	union service_request q = save_request("floor1", "");
	struct slam_services *s = begin(&o);
	struct map_file map;

	ok_eq(ask("/map_saver/save_map", SERVICE_SAVE_MAP, &q, LONG), 0,
	      "nav2's SaveMap before there is a map");
	ok_eq(got.response.save_map.result, 0, "... is refused");
	q.toolbox_save_map.name = message_string("floor2");
	ok_eq(ask("/slam_toolbox/save_map", SERVICE_TOOLBOX_SAVE_MAP, &q, LONG),
	      0, "that of slam_toolbox");
	ok_eq(got.response.toolbox_save_map.result, TOOLBOX_NO_MAP,
	      "... says so");
	give_map(s);
	q = save_request("floor1", "");
	ok_eq(ask("/map_saver/save_map", SERVICE_SAVE_MAP, &q, LONG), 0,
	      "nav2's SaveMap");
	ok_eq(got.response.save_map.result, 1, "... is done");
	ok_eq(map_file_read(in_folder("floor1.yaml"), &map, &error), 0,
	      "... and can be read");
	ok_eq(map.width, 3, "... width");
	ok_near(map.origin.y, 2, 1e-6, "... origin");
	ok_eq(map.cells[1], 100, "... a wall");
	ok_eq(map.cells[2], -1, "... unknown");
	map_file_free(&map);
	q.toolbox_save_map.name = message_string("floor2.yaml");
	ok_eq(ask("/slam_toolbox/save_map", SERVICE_TOOLBOX_SAVE_MAP, &q, LONG),
	      0, "that of slam_toolbox");
	ok_eq(got.response.toolbox_save_map.result, TOOLBOX_SUCCESS,
	      "... is done");
	ok(!access(in_folder("floor2.pgm"), R_OK), "... a picture");
	q = save_request("/etc/floor", "");
	ok_eq(ask("/map_saver/save_map", SERVICE_SAVE_MAP, &q, LONG), 0,
	      "a path elsewhere");
	ok_eq(got.response.save_map.result, 0, "... is refused");
	q = save_request("floor3", "png");
	ok_eq(ask("/map_saver/save_map", SERVICE_SAVE_MAP, &q, LONG), 0,
	      "a .png");
	ok_eq(got.response.save_map.result, 0, "... is refused");
	ok_eq(ask("/slam_toolbox/dynamic_map", SERVICE_GET_MAP, &none, LONG), 0,
	      "GetMap");
	ok_mem(got.cells, cells, sizeof(cells), "... the cells");
	ok_eq(ask("/slam_toolbox/pause_new_measurements", SERVICE_TOOLBOX_PAUSE,
		  &none, LONG), 0, "Pause");
	ok_eq(paused, 11, "... pauses");
	ok_eq(got.response.pause.status, 1, "... and says so");
	ok_eq(ask("/slam_toolbox/pause_new_measurements", SERVICE_TOOLBOX_PAUSE,
		  &none, LONG), 0, "... again");
	ok_eq(paused, 21, "... goes on");
	slam_services_close(s);
}

/* In a known map there is nothing to save */
static void test_localised(void)
{
	const struct slamd_options o = {
		.to = "ros2", .node = "/slamd", .localise = "map.yaml",
		.robot = "lisa",
	};
	const union service_request none = { .get_map = { 0 } };
	const union service_request q = save_request("floor1", "");
	struct slam_services *s = begin(&o);

	give_map(s);
	ok_eq(ask("/lisa/map_server/map", SERVICE_GET_MAP, &none, LONG), 0,
	      "a known map: GetMap, below the robot's name");
	ok_mem(got.cells, cells, sizeof(cells), "... the cells");
	ok_eq(ask("/lisa/map_saver/save_map", SERVICE_SAVE_MAP, &q, 300000000),
	      -EHOSTUNREACH, "... it is not saved");
	slam_services_close(s);
	slam_services_close(NULL);
	slam_services_map(NULL, NULL);
}

static void test_paths(void)
{
	static const struct {
		const char	*url, *path;
		int		err;
	} cases[] = {
		{ "floor", "/maps/floor.pgm", 0 },
		{ "a/floor.yaml", "/maps/a/floor.pgm", 0 },
		{ "/maps/floor.pgm", "/maps/floor.pgm", 0 },
		{ "file:///maps/b/floor", "/maps/b/floor.pgm", 0 },
		{ "..floor", "/maps/..floor.pgm", 0 },
		{ "../floor", NULL, -EACCES },
		{ "a/../../floor", NULL, -EACCES },
		{ "/maps/../floor", NULL, -EACCES },
		{ "/mapsfloor", NULL, -EACCES },
		{ "/etc/passwd", NULL, -EACCES },
		{ "a/..", NULL, -EACCES },
		{ "", NULL, -EINVAL },
		{ "/maps/", NULL, -EINVAL },
		{ "a/", NULL, -EINVAL },
	};
	const struct message_string zero = { "a\0b", 3 };
	struct message_string name = message_string("floor");
	char path[SERVICES_PATH];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct message_string url = message_string(cases[i].url);

		ok_eq(services_path("/maps", &url, path), cases[i].err, "'%s'",
		      cases[i].url);
		if (cases[i].path)
			ok_str(path, cases[i].path, "... path");
	}
	ok_eq(services_path("/maps", &zero, path), -EINVAL, "a zero in it");
	ok_eq(services_path(NULL, &name, path), -EACCES, "no folder");
}

int main(void)
{
	setenv("OPTSAMPLE_FASTDDS", "/nowhere/fastdds.so", 1);
	make_folder();
	ros2_network();
	ros2_begin();
	test_paths();
	test_mapping();
	test_localised();
	ros2_end();
	remove_folder();
	return tap_done();
}
