/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * readings.h - readings of a log of any format
 *
 * CARMEN logs, the csv of the Simbad simulator, tinySLAM's .dat, MRPT's .rawlog,
 * ROS recordings (MCAP, .db3, .bag). In the order of the file: times may go backwards, as in
 * some well-known logs. The files of the formats say what a format leaves open
 * and how it is filled in: carmen.c, simbad_csv.c, tinyslam.c, rawlog.c, input.h.
 */
#ifndef LASER_READINGS_H
#define LASER_READINGS_H

#include "base/error.h"
#include "laser/reading.h"

struct readings;

/* Instead of a topic: use no odometry */
#define READINGS_NO_ODOMETRY	"none"

/**
 * struct readings_config - what the log does not contain
 * @scan, @odometry: topics of a recording; NULL: the only one of that kind.
 *	Without a topic of odometry tf is used; without both, or with
 *	READINGS_NO_ODOMETRY, the robot does not move by its odometry
 * @range_max: m, 0: from the log
 * @laser: pose of the laser on the robot. NULL: from the log; if a recording
 *	does not have it: -ENODATA
 */
struct readings_config {
	const char		*scan, *odometry;
	double			range_max;
	const struct pose	*laser;
};

/**
 * struct readings_count - what was skipped so far
 * @bad: invalid lines or messages: damaged, or with invalid numbers
 * @unpaired: scans of a recording without odometry close to their time
 * @unswept: scans with a duration, without odometry of their end: no motion is
 *	assumed
 * @standing: scans without odometry, as the recording has none, or none is used
 * @backwards: readings with an earlier time than the one before
 * @bytes, @size: of the file, read so far and in all; for a progress display
 */
struct readings_count {
	uint64_t	bad, unpaired, unswept, standing, backwards;
	uint64_t	bytes, size;
};

/**
 * readings_open() - open a log
 * @path:	its format is detected by its content
 * @config:	copied, except the strings and @laser, which must stay valid;
 *		NULL: all from the log
 * @error:	gets one line
 *
 * Return: 0 and @log, to be freed with readings_close(); -EPROTONOSUPPORT:
 * unknown format; -ENODATA: nothing usable, or the choice is ambiguous; other
 * errors of opening and reading.
 */
int readings_open(struct readings **log, const char *path,
		  const struct readings_config *config,
		  struct error *error);

/**
 * readings_next() - the next one
 * @reading: valid until the next call
 * @error:	gets one line after an error
 *
 * Return: 1; 0 at the end of the log; a negative errno if it cannot be read any
 * further. Invalid lines are skipped and counted.
 */
int readings_next(struct readings *log, struct reading *reading,
		  struct error *error);

void readings_count(const struct readings *log, struct readings_count *count);

void readings_close(struct readings *log);

#endif
