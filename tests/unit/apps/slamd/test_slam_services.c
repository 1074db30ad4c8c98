// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_slam_services - what nav2 and slam_toolbox's users ask slamd for, as ROS 2
 * clients do; and where peers may write
 */
#include <errno.h>
#include "apps/slamd/lifecycle.h"
#include "apps/slamd/services.h"
#include "folder.h"
#include "map/io/map_file.h"
#include "ros/io/ros2_service.h"
#include "../../ros/io/ros2_fixture.h"

static const uint64_t LONG = 60 * 1000000000ULL;

static const uint8_t cells[] = { 0, 100, 0xff, 0, 0, 100 };

/* What was done: @paused by 10 each time, and 1 each time it was on; @commands
 * and the last one; @result: of it
 */
static struct {
	unsigned int		paused, commands;
	struct slam_command	command;
	struct slam_services	*services;
	int			result;
} did;

static void on_pause(void *arg, bool on)
{
	(void)arg;
	did.paused += 10 + on;
}

static struct loop_timer answer;

static void on_answer(void *arg, uint64_t now)
{
	(void)arg;
	(void)now;
	answer.due = LOOP_NEVER;
	slam_services_done(did.services, did.result);
}

static void on_command(void *arg, const struct slam_command *c)
{
	(void)arg;
	did.commands++;
	did.command = *c;
	answer.due = did.result == 1 ? LOOP_NEVER : loop_now();
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
		.o = o, .pause = on_pause, .command = on_command,
	};
	struct slam_services *s;

	memset(&did, 0, sizeof(did));

	if (slam_services_open(&s, loop, &config, &error)) {
		printf("Bail out! %s\n", error.text);
		exit(1);
	}
	did.services = s;
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
	ok_eq(did.paused, 11, "... pauses");
	ok_eq(got.response.pause.status, 1, "... and says so");
	ok_eq(ask("/slam_toolbox/pause_new_measurements", SERVICE_TOOLBOX_PAUSE,
		  &none, LONG), 0, "... again");
	ok_eq(did.paused, 21, "... goes on");
	slam_services_close(s);
}

/* Below the robot's name, and without a folder */
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
	ok_eq(ask("/lisa/map_saver/save_map", SERVICE_SAVE_MAP, &q, LONG), 0,
	      "SaveMap without a folder");
	ok_eq(got.response.save_map.result, 0, "... is refused");
	slam_services_close(s);
	slam_services_close(NULL);
	slam_services_map(NULL, NULL);
	ok_eq(slam_services_refused(NULL), 0, "no services: none refused");
}

/* LoadMap of @url, whose command ends with @err. Return: result */
static int load(const char *url, int err)
{
	const union service_request q = {
		.load_map = { message_string(url) },
	};

	did.result = err;
	if (ask("/map_server/load_map", SERVICE_LOAD_MAP, &q, LONG))
		return -1;
	return got.response.load_map.result;
}

static void test_load_map(void)
{
	static const struct { int err, result; } cases[] = {
		{ -ENOENT, LOAD_MAP_NOT_FOUND },
		{ -EBADMSG, LOAD_MAP_BAD_DATA },
		{ -ENODATA, LOAD_MAP_BAD_DATA },
		{ -EINVAL, LOAD_MAP_BAD_METADATA },
		{ -EOPNOTSUPP, LOAD_MAP_FAILURE },
	};
	const struct slamd_options o = {
		.to = "ros2", .node = "/slamd", .maps = folder,
	};
	struct slam_services *s = begin(&o);

	ok_eq(load("/etc/floor.yaml", 0), LOAD_MAP_FAILURE,
	      "a map elsewhere: refused");
	ok_eq(did.commands, 0, "... nothing is done");
	ok_eq(slam_services_refused(s), 1, "... and it is counted");
	give_map(s);
	ok_eq(load("floor1", 0), LOAD_MAP_SUCCESS, "LoadMap");
	ok_eq(did.command.kind, COMMAND_LOAD_MAP, "... is a command");
	ok_str(did.command.path, in_folder("floor1.yaml"), "... with its path");
	ok(!did.command.posed, "... the robot may be anywhere");
	ok_eq(got.response.load_map.map.width, 3, "... answers with the map");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		ok_eq(load("site.db", cases[i].err), cases[i].result,
		      "... after the error %d", cases[i].err);
	ok_eq(got.response.load_map.map.width, 0, "... without a map");
	ok_str(did.command.path, in_folder("site.db"), "a store");
	ok_eq(slam_services_refused(s), 6, "errors are counted");
	slam_services_close(s);
	ok_eq(services_folder("/gone", &error), -ENOENT,
	      "a folder that is not there");
	ok_str(error.text, "--maps /gone: No such file or directory",
	       "... is reported");
	ok_eq(services_folder("/dev/null", &error), -ENOTDIR, "a file");
	ok(!services_folder(folder, &error) && !services_folder(NULL, &error),
	   "a folder, and none");
}

/* Return: the result of a service of slam_toolbox whose command ends with @err;
 * -1: no answer
 */
static int toolbox(const char *name, enum service_kind kind,
		   const union service_request *q, int err)
{
	did.result = err;
	return ask(name, kind, q, LONG) ? -1 : got.response.toolbox.result;
}

static int restore(uint8_t match, const double place[7], int err)
{
	union service_request q = { .deserialize = {
		.filename = message_string("floor1"), .match = match } };

	memcpy(q.deserialize.place, place, sizeof(q.deserialize.place));
	return toolbox("/slam_toolbox/deserialize_map",
		       SERVICE_TOOLBOX_DESERIALIZE, &q, err);
}

static void test_checkpoints(struct slam_services *s)
{
	static const double none[7], flat[7] = { 1, 2, 0.5 };
	static const double pose[7] = { 3, 4, 0, 0, 0, 1, 0 };
	static const double tilted[7] = { 3, 4, 0, 1, 0, 0, 0 };
	const union service_request q = {
		.serialize = { message_string("floor1.posegraph") },
	};

	ok_eq(toolbox("/slam_toolbox/serialize_map", SERVICE_TOOLBOX_SERIALIZE,
		      &q, 0), 0, "SerializePoseGraph");
	ok_eq(did.command.kind, COMMAND_SAVE, "... is a command");
	ok_str(did.command.path, in_folder("floor1.ckpt"), "... with its path");
	ok_eq(toolbox("/slam_toolbox/serialize_map", SERVICE_TOOLBOX_SERIALIZE,
		      &q, -ENODATA), TOOLBOX_FAILURE, "... fails");
	ok_eq(restore(TOOLBOX_START_AT_FIRST_NODE, flat, 0), 0,
	      "DeserializePoseGraph at the first node");
	ok(did.command.posed && !did.command.localise && !did.command.pose.x,
	   "... maps on from 0, 0");
	ok_eq(restore(TOOLBOX_START_AT_GIVEN_POSE, flat, 0), 0,
	      "... at a Pose2D");
	ok_near(did.command.pose.yaw, 0.5, 0, "... yaw");
	ok_eq(restore(TOOLBOX_LOCALIZE_AT_POSE, pose, 0), 0,
	      "... to localise, at a Pose");
	ok(did.command.localise, "... the map stays");
	ok_near(fabs(did.command.pose.yaw), M_PI, 1e-9, "... yaw");
	ok_eq(restore(TOOLBOX_LOCALIZE_AT_POSE, pose, -ENOENT),
	      TOOLBOX_BAD_FILENAME, "... no such file");
	ok_eq(restore(TOOLBOX_LOCALIZE_AT_POSE, pose, -EINVAL),
	      TOOLBOX_NOT_READ, "... no checkpoint");
	did.commands = 0;
	ok_eq(restore(TOOLBOX_MATCH_UNSET, none, 0), TOOLBOX_BAD_MATCH,
	      "without a match type");
	ok_eq(restore(TOOLBOX_START_AT_GIVEN_POSE, tilted, 0),
	      TOOLBOX_BAD_MATCH, "at a pose that is not level");
	ok_eq(did.commands, 0, "... nothing is done");
	ok_eq(slam_services_refused(s), 5, "errors are counted");
}

static void test_commands(void)
{
	const struct slamd_options o = {
		.to = "ros2", .node = "/slamd", .maps = folder,
	};
	union service_request q = { .reset = { 1 } };
	const union service_request none = { .get_map = { 0 } };
	struct slam_services *s = begin(&o);

	test_checkpoints(s);
	slam_services_close(s);
	s = begin(&o);
	give_map(s);
	ok_eq(toolbox("/slam_toolbox/reset", SERVICE_TOOLBOX_RESET, &q, 0), 0,
	      "Reset");
	ok_eq(did.command.kind, COMMAND_RESET, "... is a command");
	ok_eq(did.paused, 11, "... and pauses");
	ok_eq(ask("/slam_toolbox/dynamic_map", SERVICE_GET_MAP, &none, LONG), 0,
	      "the map then");
	ok_eq(got.response.get_map.map.width, 0, "... is none");
	q.reset.pause = 0;
	ok_eq(toolbox("/slam_toolbox/reset", SERVICE_TOOLBOX_RESET, &q, 0), 0,
	      "Reset that does not pause");
	ok_eq(did.paused, 21, "... ends the pause");
	/* one that is not done yet */
	did.result = 1;
	ok_eq(ask("/slam_toolbox/reset", SERVICE_TOOLBOX_RESET, &q, 300000000),
	      -ETIMEDOUT, "a request that takes longer");
	ok_eq(load("floor1", 1), LOAD_MAP_FAILURE, "another one: refused");
	ok_eq(did.command.kind, COMMAND_RESET, "... and not done");
	slam_services_close(s);
}

/* Return: whether it was accepted; -1: no answer */
static int change(uint8_t id, const char *label)
{
	const union service_request q = { .change_state = {
		.transition = { id, message_string(label) } } };

	return ask("/slam_toolbox/change_state", SERVICE_CHANGE_STATE, &q,
		   LONG) ? -1 : got.response.change_state.success;
}

static int state(void)
{
	const union service_request none = { .get_state = { 0 } };

	return ask("/slam_toolbox/get_state", SERVICE_GET_STATE, &none, LONG) ?
	       -1 : got.response.get_state.current.id;
}

static void test_managed(void)
{
	const struct slamd_options o = {
		.to = "ros2", .node = "/slamd", .lifecycle = true,
	};
	const union service_request none = { .states = { 0 } };
	struct slam_services *s = begin(&o);

	ok_eq(state(), LIFECYCLE_UNCONFIGURED, "managed: begins unconfigured");
	ok_eq(did.paused, 11, "... scans are not used");
	ok_eq(change(3, ""), 0, "it cannot be activated then");
	ok_eq(change(1, ""), 1, "configure");
	ok_eq(state(), LIFECYCLE_INACTIVE, "... inactive");
	ok_eq(change(0, "activate"), 1, "activate, by its label");
	ok_eq(state(), LIFECYCLE_ACTIVE, "... active");
	ok_eq(did.paused, 32, "... scans are used");
	ok_eq(ask("/slam_toolbox/pause_new_measurements", SERVICE_TOOLBOX_PAUSE,
		  &none, LONG), 0, "Pause");
	ok_eq(change(4, ""), 1, "deactivate");
	ok_eq(change(3, ""), 1, "activate again");
	ok_eq(did.paused, 65, "... it is still paused");
	ok_eq(ask("/slam_toolbox/get_available_states",
		  SERVICE_AVAILABLE_STATES, &none, LONG), 0, "all states");
	ok_eq(got.response.states.count, 4, "... four");
	ok_eq(ask("/slam_toolbox/get_available_transitions",
		  SERVICE_AVAILABLE_TRANSITIONS, &none, LONG), 0,
	      "transitions of an active node");
	ok_eq(got.response.transitions.count, 2, "... two");
	ok_eq(got.response.transitions.transition[1].transition.id, 7,
	      "... shutdown");
	ok_eq(got.response.transitions.transition[1].goal.id,
	      LIFECYCLE_FINALIZED, "... leads to the end");
	ok_eq(change(5, ""), 0, "not by that of an unconfigured node");
	ok_eq(change(7, ""), 1, "shutdown");
	ok_eq(state(), LIFECYCLE_FINALIZED, "... finalized");
	ok_eq(change(1, ""), 0, "... for good");
	ok_eq(slam_services_refused(s), 3, "refused ones are counted");
	slam_services_close(s);
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
	char path[COMMAND_PATH];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct message_string url = message_string(cases[i].url);

		ok_eq(services_path("/maps", &url,
				    SERVICES_PICTURE, path), cases[i].err, "'%s'",
		      cases[i].url);
		if (cases[i].path)
			ok_str(path, cases[i].path, "... path");
	}
	name = message_string("a/floor.data");
	ok_eq(services_path("/maps", &name, SERVICES_CHECKPOINT, path), 0,
	      "a checkpoint by slam_toolbox's name");
	ok_str(path, "/maps/a/floor.ckpt", "... path");
	name = message_string("file:///maps/floor.pgm");
	ok_eq(services_path("/maps", &name, SERVICES_MAP, path), 0,
	      "a map to read");
	ok_str(path, "/maps/floor.yaml", "... path");
	name = message_string("a\nslamd: all is well");
	ok_eq(services_path("/maps", &name, SERVICES_MAP, path), -EINVAL,
	      "a line");
	name = message_string("\033[31m");
	ok_eq(services_path("/maps", &name, SERVICES_MAP, path), -EINVAL,
	      "a colour");
	name = message_string("gel\xe4nde");
	ok_eq(services_path("/maps", &name, SERVICES_MAP, path), -EINVAL,
	      "no UTF-8");
	name = message_string("gel\xc3\xa4nde");
	ok_eq(services_path("/maps", &name, SERVICES_MAP, path), 0, "UTF-8");
	ok_eq(services_path("/maps", &zero, SERVICES_MAP, path), -EINVAL, "a zero in it");
	ok_eq(services_path(NULL, &name, SERVICES_CHECKPOINT, path), -EACCES, "no folder");
}

int main(void)
{
	setenv("OPTSAMPLE_FASTDDS", "/nowhere/fastdds.so", 1);
	make_folder();
	ros2_network();
	ros2_begin();
	answer.due = LOOP_NEVER;
	answer.expired = on_answer;
	loop_add_timer(loop, &answer);
	test_paths();
	test_mapping();
	test_localised();
	test_load_map();
	test_commands();
	test_managed();
	ros2_end();
	remove_folder();
	return tap_done();
}
