/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * publisher.h - output: fused maps and messages that are passed through, each
 * at the rate that was requested
 *
 * A map is sent after changes, at most at its rate: first whole, then as
 * updates (NAME_updates, map_msgs/OccupancyGridUpdate) while its size is the
 * same. Ten seconds after a whole map with updates another whole one follows,
 * for late subscribers; a lower rate has precedence. Maps of 16 bits have no
 * updates, as ROS has no message for them.
 *
 * Transforms and repeaters are sent as stored, all in one latched message, so
 * that late subscribers get all of them, also after a restart.
 */
#ifndef MAP_ROS_PUBLISHER_H
#define MAP_ROS_PUBLISHER_H

#include <cjson/cJSON.h>
#include "base/loop.h"
#include "map/ros/map_config.h"
#include "map/site/site.h"
#include "ros/io/sink.h"

struct map_publisher;

#define MAP_PUBLISHER_PREFIX	"/gdim/output/"

/**
 * map_publisher_open() - start
 * @sink: remains the caller's
 * @keep: called when a rate was changed, to store it
 */
int map_publisher_open(struct map_publisher **out, struct site *site,
		       struct loop *loop, struct sink *sink,
		       const struct map_config *config,
		       void (*keep)(void *arg, const char *name, double hz),
		       void *arg);
void map_publisher_close(struct map_publisher *o);

/* Fused maps may have changed, or layers are new */
void map_publisher_fused(struct map_publisher *o);

/* Stored data, besides submaps */
enum map_publisher_state {
	MAP_PUBLISHER_TRANSFORMS,
	MAP_PUBLISHER_REPEATERS,
	MAP_PUBLISHER_STATES
};

/* It changed in the store: send it at its rate */
void map_publisher_stored(struct map_publisher *o,
			  enum map_publisher_state what);

/**
 * map_publisher_pass() - pass a message through
 * @name: of the output below MAP_PUBLISHER_PREFIX
 * @latched: late subscribers get it too
 *
 * Return: 0: it was sent, or skipped by its rate; a negative errno.
 */
int map_publisher_pass(struct map_publisher *o, const char *name,
		       enum message_kind kind, bool latched,
		       const union message *msg);

/**
 * map_publisher_rate() - change an output's rate (D4.1, section 5.2)
 * @topic: below MAP_PUBLISHER_PREFIX, with or without it, or as remapped
 * @hz: 0.001..100, or 0: never
 * @old: gets the old rate, Hz
 *
 * Return: 0, -ENOENT: no such output, -EINVAL: invalid rate.
 */
int map_publisher_rate(struct map_publisher *o, const char *topic, double hz,
		       double *old);

/*
 * "topics": an array of "name", "rate", "sent", "updates", "skipped",
 * "resolution"; also "coarser", the factor of struct map_shape, if a message
 * cannot hold the map's own cells
 */
void map_publisher_status(const struct map_publisher *o, cJSON *out);

#endif
