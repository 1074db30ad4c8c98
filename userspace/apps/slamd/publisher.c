// SPDX-License-Identifier: GPL-2.0-only
/*
 * publisher.c - topics of a sink
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include "apps/slamd/publisher.h"
#include "base/cli.h"
#include "base/error.h"
#include "base/service.h"
#include "base/text.h"
#include "ros/io/io.h"
#include "ros/io/sink.h"
#include "slam/output/graph_out.h"

/**
 * struct slam_publisher
 * @topic:	NULL: not offered
 * @files:	a folder, where maps have a .yaml
 * @broken:	a recording could not be written or closed
 */
struct slam_publisher {
	struct sink		*sink;
	struct sink_topic	*topic[SLAM_PUBLISHER_TOPICS];
	bool			recording, files, broken;
};

static const struct {
	const char		*name;
	enum message_kind	kind;
	bool			latched, own;	/* below the robot's name */
} topics[SLAM_PUBLISHER_TOPICS] = {
	[SLAM_PUBLISHER_MAP] = { "/map", MESSAGE_OCCUPANCY_GRID, true, true },
	[SLAM_PUBLISHER_METADATA] = { "/map_metadata", MESSAGE_MAP_METADATA,
				      true, true },
	[SLAM_PUBLISHER_POSE] = { "/slam/pose", MESSAGE_ODOMETRY, false, true },
	[SLAM_PUBLISHER_PATH] = { "/slam/path", MESSAGE_PATH, true, true },
	[SLAM_PUBLISHER_TF] = { "/tf", MESSAGE_TRANSFORMS, false, false },
	[SLAM_PUBLISHER_SUBMAP] = { SUBMAP_OUT_SUBMAPS, MESSAGE_OCCUPANCY_GRID,
				    false, false },
	[SLAM_PUBLISHER_TRANSFORMS] = { SUBMAP_OUT_TRANSFORMS,
					MESSAGE_TRANSFORMS, false, false },
	[SLAM_PUBLISHER_GRAPH] = { GRAPH_OUT_TOPIC, MESSAGE_POSE_GRAPH, true,
				   false },
};

static int publisher_add_topics(struct slam_publisher *out, const char *robot,
				struct error *error)
{
	for (unsigned int i = 0; i < SLAM_PUBLISHER_TOPICS; i++) {
		char name[IO_NAME];
		int err;

		if (i == SLAM_PUBLISHER_METADATA && out->files)
			continue;
		snprintf(name, sizeof(name), "%s%.200s%s",
			 robot && topics[i].own ? "/" : "",
			 robot && topics[i].own ? robot : "", topics[i].name);
		err = sink_add(out->sink, name, topics[i].kind,
			       topics[i].latched, &out->topic[i]);
		if (err)
			return error_set(error, err, "%.150s: %s", name,
					 strerror(-err));
	}
	return 0;
}

/* A recording with an error is not continued: remember it */
static void publisher_on_log(void *arg, int priority, const char *line)
{
	struct slam_publisher *out = arg;

	if (out->recording && priority <= LOG_ERR)
		out->broken = true;
	service_log(NULL, priority, line);
}

int slam_publisher_open(struct slam_publisher **publisher, struct loop *loop,
			const char *spec, const char *node, const char *robot,
			struct error *error)
{
	struct slam_publisher *out = calloc(1, sizeof(*out));
	const struct sink_config config = {
		.spec = spec, .name = node, .log = publisher_on_log, .arg = out,
	};
	const char *rest;
	int err;

	if (!out)
		return error_set(error, -ENOMEM, "no memory");
	out->recording = !io_is(spec, "ros2", &rest) &&
			 !io_is(spec, "ros1", &rest);
	out->files = out->recording && !text_ends(spec, ".mcap") &&
		     !text_ends(spec, ".bag") && !text_ends(spec, ".db3");
	err = sink_open(&out->sink, loop, &config, error);
	if (!err)
		err = publisher_add_topics(out, robot, error);
	if (err) {
		slam_publisher_close(out);
		return err;
	}
	*publisher = out;
	return 0;
}

int slam_publisher_close(struct slam_publisher *out)
{
	int err;

	if (!out)
		return 0;
	sink_close(out->sink);
	err = out->broken ? -EIO : 0;
	free(out);
	return err;
}

static void publish_metadata(struct slam_publisher *out, int64_t stamp,
			     const struct message_occupancy_grid *map)
{
	static union message m;

	m.metadata = (struct message_map_metadata){
		map->map_load_time, map->resolution, map->width, map->height,
		map->origin,
	};
	sink_publish(out->topic[SLAM_PUBLISHER_METADATA], stamp, &m);
}

int slam_publisher_publish(struct slam_publisher *out,
			   enum slam_publisher_topic topic, int64_t stamp,
			   const union message *m)
{
	if (topic == SLAM_PUBLISHER_MAP && !out->files)
		publish_metadata(out, stamp, &m->map);
	return sink_publish(out->topic[topic], stamp, m);
}

int slam_publisher_check(const struct slam_publisher *out, const char *spec)
{
	const uint64_t dropped = out ? sink_dropped(out->sink) : 0;

	if (!dropped)
		return 0;
	return cli_error(-EIO, "%s: %llu messages not published", spec,
			 (unsigned long long)dropped);
}
