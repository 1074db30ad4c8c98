// SPDX-License-Identifier: GPL-2.0-only
/*
 * slam-ask - ask slamd's services, as nav2 and slam_toolbox's users do
 *
 * usage: slam-ask load URL | reset 0|1 | save NAME | restore NAME MATCH X Y YAW |
 *	change TRANSITION
 *
 * Prints the result as a number, and of a map its width. Exit status 2: no
 * answer.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli.h"
#include "base/loop.h"
#include "ros/io/ros2_service.h"

static const uint64_t PATIENCE = 60 * 1000000000ULL;

static union service_request request;

/* Return: whether the arguments are complete */
static bool fill_load(int argc, char **argv)
{
	request.load_map.url = message_string(argv[0]);
	return argc == 1;
}

static bool fill_reset(int argc, char **argv)
{
	request.reset.pause = atoi(argv[0]) != 0;
	return argc == 1;
}

static bool fill_save(int argc, char **argv)
{
	request.serialize.filename = message_string(argv[0]);
	return argc == 1;
}

static bool fill_restore(int argc, char **argv)
{
	struct service_toolbox_deserialize_request *q = &request.deserialize;

	if (argc != 5)
		return false;
	q->filename = message_string(argv[0]);
	q->match = (uint8_t)atoi(argv[1]);
	q->place[0] = atof(argv[2]);
	q->place[1] = atof(argv[3]);
	q->place[5] = sin(atof(argv[4]) / 2);
	q->place[6] = cos(atof(argv[4]) / 2);
	return true;
}

static bool fill_change(int argc, char **argv)
{
	request.change_state.transition.id = (uint8_t)atoi(argv[0]);
	request.change_state.transition.label = message_string("");
	return argc == 1;
}

static const struct ask {
	const char		*word, *name;
	enum service_kind	kind;
	bool			(*fill)(int argc, char **argv);
} asks[] = {
	{ "load", "/map_server/load_map", SERVICE_LOAD_MAP, fill_load },
	{ "reset", "/slam_toolbox/reset", SERVICE_TOOLBOX_RESET, fill_reset },
	{ "save", "/slam_toolbox/serialize_map", SERVICE_TOOLBOX_SERIALIZE,
	  fill_save },
	{ "restore", "/slam_toolbox/deserialize_map",
	  SERVICE_TOOLBOX_DESERIALIZE, fill_restore },
	{ "change", "/slam_toolbox/change_state", SERVICE_CHANGE_STATE,
	  fill_change },
};

static struct loop *loop;
static const struct ask *asked;

static void on_result(void *arg, int err, const union service_response *r)
{
	(void)arg;
	if (err)
		fprintf(stderr, "slam-ask: %s\n", strerror(-err));
	else if (asked->kind == SERVICE_LOAD_MAP)
		printf("%u %u\n", r->load_map.result, r->load_map.map.width);
	else if (asked->kind == SERVICE_CHANGE_STATE)
		printf("%u\n", r->change_state.success);
	else
		printf("%u\n", r->toolbox.result);
	loop_stop(loop, err ? 2 : 0);
}

int main(int argc, char **argv)
{
	struct ros2_client *c = NULL;
	struct ros2 *ros = NULL;
	struct error error = { "usage: see slam-ask.c" };
	int ret = 2;

	cli_program = "slam-ask";
	for (size_t i = 0; i < sizeof(asks) / sizeof(*asks) && argc > 2; i++)
		if (!strcmp(argv[1], asks[i].word) &&
		    asks[i].fill(argc - 2, argv + 2))
			asked = asks + i;
	loop = loop_create();
	if (asked && loop && !ros2_join(&ros, NULL, "/slam_ask", &error) &&
	    !ros2_client_open(&c, ros, loop, asked->name, asked->kind,
			      &error) &&
	    !ros2_client_call(c, &request, PATIENCE, on_result, NULL))
		ret = loop_run(loop);
	else
		fprintf(stderr, "slam-ask: %s\n", error.text);
	ros2_client_close(c);
	if (ros)
		ros2_leave(ros);
	if (loop)
		loop_destroy(loop);
	return ret;
}
