/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * slamd.h - what the parts of the daemon have in common
 */
#ifndef APPS_SLAMD_SLAMD_H
#define APPS_SLAMD_SLAMD_H

#include <stdbool.h>
#include "laser/readings.h"
#include "slam/filter/params.h"

/**
 * struct slamd_options - the command line and the settings file
 * @log:	what is read; @readings: how
 * @from:	or where readings come from, live: see reading_input_config
 * @speed, @patience: likewise
 * @to:		what is published goes there, NULL: nowhere
 * @node:	name in ROS
 * @map_frame, @odom_frame, @base_frame: frame ids
 * @robot:	NULL: it has no name
 * @submap:	m of travel for each
 * @map_every:	s
 * @map_memory:	MB, of scans that the map is drawn from
 * @checkpoint:	file, NULL: none; @resume: go on with it
 * @trajectory, @map, @stats: what is written, NULL: not
 * @threads:	0: as many as there are processors
 * @memory:	MB, of the particles' maps in this process; 0: see memory_limit()
 * @engine:	that the workers are reached by; NULL: all is done here
 * @job:	its name there
 * @workers:	to wait for
 * @quiet, @verbose: no progress; progress also if this is no terminal
 */
struct slamd_options {
	struct slam_params	params;
	struct readings_config	readings;
	struct pose		laser;
	const char		*log, *from, *to, *node;
	const char		*map_frame, *odom_frame, *base_frame, *robot;
	char			robot_name[61];
	double			speed, patience, submap, map_every;
	const char		*checkpoint;
	bool			resume;
	const char		*trajectory, *map, *stats;
	const char		*engine, *job;
	uint32_t		threads, workers, map_memory, memory;
	bool			quiet, verbose, version;
};

/* Return: 0, or a negative errno after one line on stderr */
int slamd_parse(struct slamd_options *o, int argc, char **argv);

/**
 * slamd_replay() - a log from beginning to end, as fast as it goes
 *
 * Return: 0, or a negative errno after one line on stderr. After a signal all
 * is written as far as it came, but nothing as long as a checkpoint is read.
 */
int slamd_replay(const struct slamd_options *o);

/**
 * slamd_live() - readings as they come, until a signal or the end of them
 *
 * Return: as slamd_replay().
 */
int slamd_live(const struct slamd_options *o);

#endif
