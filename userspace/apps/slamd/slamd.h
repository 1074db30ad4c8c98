/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * slamd.h - shared by the parts of the daemon
 */
#ifndef APPS_SLAMD_SLAMD_H
#define APPS_SLAMD_SLAMD_H

#include <stdbool.h>
#include "laser/readings.h"
#include "slam/filter/params.h"

/**
 * struct slamd_options - the command line and the settings file
 * @log:	log to read; @readings: its options
 * @from:	or source of live readings: see reading_input_config
 * @speed, @patience: likewise
 * @to:		where to publish, NULL: nowhere
 * @node:	name in ROS
 * @map_frame, @odom_frame, @base_frame: frame ids
 * @robot:	its name, NULL: none
 * @submap:	m of travel for each
 * @map_every:	s
 * @tf_rate:	of the transform of odometry, Hz, 0: with each scan; @tf_ahead: s
 * @ros:	@to is ROS; @ros2: it is ROS 2
 * @maps:	folder of maps that peers may write; NULL: they may not
 * @lifecycle:	a lifecycle manager activates slamd; else it is active
 * @map_memory:	MB, of scans that the map is drawn from
 * @adjust:	move all poses at the end so that the scans agree
 * @checkpoint:	file, NULL: none; @resume: continue from it; @elsewhere: and the
 *		robot may be anywhere in its map; @working: it has no name, and is
 *		not flushed; @continued: what it is a copy of, NULL: it is none
 * @localise:	known map, NULL: make one; @pose: about where the robot is in it,
 *		if @posed
 * @trajectory, @map, @stats: output files, NULL: none
 * @threads:	0: one for each processor
 * @memory:	MB, of the particles' maps in this process; 0: see
 *		memory_limit()
 * @engine:	bus to the workers; NULL: all work is done in this process
 * @job:	its name on the bus
 * @workers:	number to wait for
 * @deadline:	of an update, ms; 0: none
 * @quiet, @verbose: no progress; progress even without a terminal
 */
struct slamd_options {
	struct slam_params	params;
	struct readings_config	readings;
	struct pose		laser;
	const char		*log, *from, *to, *node;
	const char		*map_frame, *odom_frame, *base_frame, *robot;
	char			robot_name[61];
	double			speed, patience, submap, map_every;
	double			tf_rate, tf_ahead;
	bool			ros, ros2;
	const char		*maps;
	bool			lifecycle;
	const char		*checkpoint, *continued;
	bool			resume, elsewhere, working, adjust;
	const char		*localise;
	struct pose		pose;
	bool			posed;
	const char		*trajectory, *map, *stats;
	const char		*engine, *job;
	uint32_t		threads, workers, deadline, map_memory, memory;
	bool			quiet, verbose;
};

/* The name of a checkpoint for messages */
static inline const char *slamd_checkpoint(const struct slamd_options *o)
{
	return o->continued ? o->continued : o->checkpoint;
}

/* Return: 0, or a negative errno after one line on stderr */
int slamd_parse(struct slamd_options *o, int argc, char **argv);

/**
 * slamd_replay() - process a log as fast as possible
 *
 * Return: 0, or a negative errno after one line on stderr. After a signal the
 * results so far are written, but nothing while a checkpoint is being read.
 */
int slamd_replay(const struct slamd_options *o);

/**
 * slamd_live() - process live readings until a signal or their end
 *
 * Return: as slamd_replay().
 */
int slamd_live(const struct slamd_options *o);

#endif
