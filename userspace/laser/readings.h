/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * readings.h - readings of a log, whatever its format
 *
 * CARMEN logs, the csv of the Simbad simulator, tinySLAM's .dat, recordings of
 * ROS (MCAP, .db3, .bag). In the order of the file: times may go backwards, as
 * in some well-known logs. What the formats leave open, and how it is filled
 * in, is told in their files: carmen.c, simbad_csv.c, tinyslam.c, input.h.
 */
#ifndef LASER_READINGS_H
#define LASER_READINGS_H

#include "base/error.h"
#include "laser/reading.h"

struct readings;

/**
 * struct readings_config - what the log does not say
 * @scan, @odometry: topics of a recording; NULL: the only one of that kind.
 *	Without odometry it is taken from tf, and without that there is none:
 *	-ENODATA
 * @range_max: m, 0: as the log says
 * @laser: where the laser is on the robot. NULL: as the log says, and
 *	if a recording does not: -ENODATA
 */
struct readings_config {
	const char		*scan, *odometry;
	double			range_max;
	const struct pose	*laser;
};

/**
 * struct readings_count - what was passed over, until now
 * @bad: lines or messages that are no reading: damaged, or numbers that cannot
 *	be
 * @unpaired: scans of a recording without odometry close to their time
 * @unswept: scans that took a while, without odometry of their end: taken to be
 *	of one moment
 * @backwards: readings whose time is before that of the one before
 * @bytes, @size: of the file, read and in all; for showing how far it is
 */
struct readings_count {
	uint64_t	bad, unpaired, unswept, backwards;
	uint64_t	bytes, size;
};

/**
 * readings_open() - open a log
 * @path:	its format is found by its content
 * @config:	copied, but for the strings and @laser, which are to stay;
 *		NULL: all as the log says
 * @error:	gets one line
 *
 * Return: 0 and @log, to be freed with readings_close(); -EPROTONOSUPPORT: no
 * such format; -ENODATA: nothing in it that could be used, or not known what;
 * others of opening and reading.
 */
int readings_open(struct readings **log, const char *path,
		  const struct readings_config *config,
		  char error[ERROR_TEXT]);

/**
 * readings_next() - the next one
 * @reading: good until the next call
 * @error:	gets one line if it fails
 *
 * Return: 1; 0 at the end of the log; a negative errno if it cannot be read
 * any further. What is no reading is passed over and counted.
 */
int readings_next(struct readings *log, struct reading *reading,
		  char error[ERROR_TEXT]);

void readings_count(const struct readings *log, struct readings_count *count);

void readings_close(struct readings *log);

#endif
