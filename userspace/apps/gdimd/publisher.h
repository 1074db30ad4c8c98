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

struct outlet;

#define OUTLET_PREFIX	"/gdim/output/"

/**
 * outlet_open() - begin
 * @sink: stays the caller's
 * @keep: called when a rate was changed: it is to outlive the daemon
 */
int outlet_open(struct outlet **o, struct site *site, struct loop *loop,
		struct sink *sink, const struct config *config,
		void (*keep)(void *arg, const char *name, double hz),
		void *arg);
void outlet_close(struct outlet *o);

/* Fused maps may have changed, or there are new layers */
void outlet_fused(struct outlet *o);

/* What was stored, besides submaps */
enum outlet_state { OUTLET_TRANSFORMS, OUTLET_REPEATERS, OUTLET_STATES };

/* It changed in the store: it goes out, when its rate says so */
void outlet_stored(struct outlet *o, enum outlet_state what);

/**
 * outlet_pass() - pass a message through
 * @name: of the output below OUTLET_PREFIX
 * @latched: who comes later gets it too
 *
 * Return: 0: it went out, or its rate says that it shall not; a negative errno.
 */
int outlet_pass(struct outlet *o, const char *name, enum message_kind kind,
		bool latched, const union message *msg);

/**
 * outlet_rate() - change how often something goes out (D4.1, section 5.2)
 * @topic: below OUTLET_PREFIX, or with it, or as remapped
 * @hz: 0.001..100, or 0: never
 * @old: gets what it was
 *
 * Return: 0, -ENOENT: no such output, -EINVAL: no such rate.
 */
int outlet_rate(struct outlet *o, const char *topic, double hz, double *old);

/*
 * "topics": an array of "name", "rate", "sent", "updates", "skipped",
 * "resolution"; with "coarser" its cells are so many times those of the map, as
 * all of these would be too many for a message
 */
void outlet_status(const struct outlet *o, cJSON *out);

#endif
