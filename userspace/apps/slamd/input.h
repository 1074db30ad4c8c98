/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * input.h - readings as they come: topics of ROS, recordings that play, what
 * optsample-send sends
 */
#ifndef APPS_SLAMD_INPUT_H
#define APPS_SLAMD_INPUT_H

#include "base/error.h"
#include "base/loop.h"
#include "laser/input.h"

struct reading_input;

/**
 * struct reading_input_config
 * @spec:	as for source_open(), or optsample[:[ADDRESS:]PORT]
 * @node:	its name in ROS
 * @scan:	topic
 * @odometry:	likewise; NULL: tf is followed
 * @laser:	where it is on the robot; NULL: as tf says
 * @patience:	ns; as for collator_new()
 * @range_max:	m, 0: as scans say
 * @speed:	of recordings
 * @reading:	one came
 * @ended:	there will be no more: a recording ended
 * @log:	as of sources
 * @arg:	for all of them
 */
struct reading_input_config {
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
 * reading_input_open() - begin
 * @config: copied, but for the strings, which stay
 * @error:  gets one line
 *
 * All is called from within the loop. As long as scans come that cannot be
 * used, the log is told what is missing, once.
 *
 * Return: 0 or a negative errno.
 */
int reading_input_open(struct reading_input **in, struct loop *loop,
		       const struct reading_input_config *config,
		       char error[ERROR_TEXT]);
void reading_input_close(struct reading_input *in);

/**
 * struct reading_input_count
 * @messages:	of use
 * @damaged:	that could not be read
 * @intake:	what became of the others
 */
struct reading_input_count {
	uint64_t		messages, damaged;
	struct laser_input_count	intake;
};

struct reading_input_count reading_input_count(const struct reading_input *in);

#endif
