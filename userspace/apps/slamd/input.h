/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * input.h - readings as they come: topics of ROS, recordings that play, what
 * optsample-send sends
 */
#ifndef APPS_SLAMD_INPUT_H
#define APPS_SLAMD_INPUT_H

#include "base/loop.h"
#include "laser/input.h"

enum { INLET_ERROR = 256 };

struct inlet;

/**
 * struct inlet_config
 * @spec:	as for source_open(), or optsample[:[ADDRESS:]PORT]
 * @node:	its name in ROS
 * @scan:	topic
 * @odometry:	likewise; NULL: tf is followed
 * @laser:	where it is on the robot; NULL: as tf says
 * @patience:	ns; as for pairing_new()
 * @range_max:	m, 0: as scans say
 * @speed:	of recordings
 * @reading:	one came
 * @ended:	there will be no more: a recording ended
 * @log:	as of sources
 * @arg:	for all of them
 */
struct inlet_config {
	const char		*spec, *node;
	const char		*scan, *odometry;
	const struct pose	*laser;
	int64_t			patience;
	double			range_max, speed;
	void			(*reading)(void *arg, const struct reading *r);
	void			(*ended)(void *arg);
	void			(*log)(void *arg, int priority,
				       const char *line);
	void			*arg;
};

/**
 * inlet_open() - begin
 * @config: copied, but for the strings, which stay
 * @error:  gets one line
 *
 * All is called from within the loop. As long as scans come that cannot be
 * used, the log is told what is missing, once.
 *
 * Return: 0 or a negative errno.
 */
int inlet_open(struct inlet **in, struct loop *loop,
	       const struct inlet_config *config, char error[INLET_ERROR]);
void inlet_close(struct inlet *in);

/**
 * struct inlet_count
 * @messages:	of use
 * @damaged:	that could not be read
 * @intake:	what became of the others
 */
struct inlet_count {
	uint64_t		messages, damaged;
	struct intake_count	intake;
};

struct inlet_count inlet_count(const struct inlet *in);

#endif
