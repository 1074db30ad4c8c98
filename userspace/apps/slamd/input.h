/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * input.h - live readings: from topics of ROS, recordings at their speed, or
 * optsample-send
 */
#ifndef APPS_SLAMD_INPUT_H
#define APPS_SLAMD_INPUT_H

#include "base/error.h"
#include "base/loop.h"
#include "laser/input.h"
#include "slam/graph/place_search.h"

struct reading_input;

/**
 * struct reading_input_config
 * @spec:	as for source_open(), or optsample[:[ADDRESS:]PORT]
 * @node:	name in ROS
 * @scan:	topic of scans
 * @odometry:	topic of odometry; NULL: use tf, or nothing with @without
 * @laser:	pose of the laser on the robot; NULL: use tf
 * @frame:	of the map, if @place is wanted
 * @patience:	ns; as for collator_new()
 * @range_max:	m, 0: the maximum of each scan
 * @speed:	of recordings
 * @reading:	called for each reading
 * @robot:	its name; NULL: none
 * @place:	called if someone says where the robot is in the map: /initialpose of
 *		RViz, below the robot's name if it has one; NULL: it is not read
 * @ended:	called at the end of a recording
 * @log:	as of sources
 * @arg:	argument of all callbacks
 */
struct reading_input_config {
	const char		*spec, *node;
	const char		*scan, *odometry;
	bool			without;
	const struct pose	*laser;
	const char		*frame, *robot;
	int64_t			patience;
	double			range_max, speed;
	void			(*reading)(void *arg, const struct reading *r);
	void			(*place)(void *arg,
					 const struct place_hint *hint);
	void			(*ended)(void *arg);
	void			(*log)(void *arg, int priority,
				       const char *line);
	void			*arg;
};

/**
 * reading_input_open() - start
 * @config: copied, except the strings, which must outlive it
 * @error:  gets one line
 *
 * All callbacks run in the loop. If scans cannot be used, the reason is logged
 * once.
 *
 * Return: 0 or a negative errno.
 */
int reading_input_open(struct reading_input **in, struct loop *loop,
		       const struct reading_input_config *config,
		       struct error *error);
void reading_input_close(struct reading_input *in);

/**
 * struct reading_input_count
 * @messages:	valid messages
 * @damaged:	invalid messages
 * @laser:	counters of laser_input
 */
struct reading_input_count {
	uint64_t		messages, damaged;
	struct laser_input_count	laser;
};

struct reading_input_count reading_input_count(const struct reading_input *in);

#endif
