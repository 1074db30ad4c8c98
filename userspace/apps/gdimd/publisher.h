/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * publisher.h - what goes out: fused maps and what is passed through, each at the
 * rate that somebody asked for
 *
 * A map goes out when it changed, and no more often than its rate: whole, and
 * then as updates (NAME_updates, map_msgs/OccupancyGridUpdate) as long as it
 * has the same size. Ten seconds after a whole map its updates are followed by
 * another one, so that who comes late gets no map that is older; a lower rate
 * counts more. Maps of 16 bits have no updates, as ROS has no message for them.
 *
 * Transforms and repeaters go out as the store has them, all in one message:
 * who comes late, or after a restart, gets all of them.
 */
#ifndef APPS_GDIMD_PUBLISHER_H
#define APPS_GDIMD_PUBLISHER_H

#include <cjson/cJSON.h>
#include "apps/gdimd/config.h"
#include "base/loop.h"
#include "map/site/site.h"
#include "ros/io/sink.h"

struct map_publisher;

#define MAP_PUBLISHER_PREFIX	"/gdim/output/"

/**
 * map_publisher_open() - begin
 * @sink: stays the caller's
 * @keep: called when a rate was changed: it is to outlive the daemon
 */
int map_publisher_open(struct map_publisher **o, struct site *site,
		       struct loop *loop, struct sink *sink,
		       const struct config *config,
		       void (*keep)(void *arg, const char *name, double hz),
		       void *arg);
void map_publisher_close(struct map_publisher *o);

/* Fused maps may have changed, or there are new layers */
void map_publisher_fused(struct map_publisher *o);

/* What was stored, besides submaps */
enum map_publisher_state {
	MAP_PUBLISHER_TRANSFORMS,
	MAP_PUBLISHER_REPEATERS,
	MAP_PUBLISHER_STATES
};

/* It changed in the store: it goes out, when its rate says so */
void map_publisher_stored(struct map_publisher *o,
			  enum map_publisher_state what);

/**
 * map_publisher_pass() - pass a message through
 * @name: of the output below MAP_PUBLISHER_PREFIX
 * @latched: late subscribers get it too
 *
 * Return: 0: it went out, or its rate says that it shall not; a negative errno.
 */
int map_publisher_pass(struct map_publisher *o, const char *name,
		       enum message_kind kind, bool latched,
		       const union message *msg);

/**
 * map_publisher_rate() - change how often something goes out (D4.1, section 5.2)
 * @topic: below MAP_PUBLISHER_PREFIX, or with it, or as remapped
 * @hz: 0.001..100, or 0: never
 * @old: gets what it was
 *
 * Return: 0, -ENOENT: no such output, -EINVAL: no such rate.
 */
int map_publisher_rate(struct map_publisher *o, const char *topic, double hz,
		       double *old);

/*
 * "topics": an array of "name", "rate", "sent", "updates", "skipped",
 * "resolution"; with "coarser" its cells are so many times those of the map, as
 * all of these would be too many for a message
 */
void map_publisher_status(const struct map_publisher *o, cJSON *out);

#endif
