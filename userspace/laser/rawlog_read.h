/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rawlog_read.h - objects of MRPT in a file; see rawlog.c
 */
#ifndef LASER_RAWLOG_READ_H
#define LASER_RAWLOG_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <zlib.h>
#include "laser/reading.h"

enum {
	RAWLOG_NAME	= 64,		/* of a class, with the final 0 */
	RAWLOG_LABEL	= 64,		/* of a sensor: the rest is cut off */
};

/**
 * struct rawlog_reader
 * @at:		bytes so far, decompressed
 * @name:	class of the last object, without its namespace; @version: of it
 * @cut:	what could not be read is beyond the end of the file
 */
struct rawlog_reader {
	gzFile		file;
	uint64_t	at;
	char		name[RAWLOG_NAME];
	uint8_t		version;
	bool		cut;
	/* private */
	bool		failed;
};

/**
 * enum rawlog_kind
 * @RAWLOG_LIST: @count objects and rawlog_end() follow
 * @RAWLOG_ACTION: the motion since the action before
 * @RAWLOG_OTHER: nothing of use
 */
enum rawlog_kind {
	RAWLOG_LIST,
	RAWLOG_SCAN,
	RAWLOG_ODOMETRY,
	RAWLOG_ACTION,
	RAWLOG_OTHER,
};

/**
 * struct rawlog_scan
 * @stamp:	ns since 1970; 0: not known
 * @aperture:	rad from the first beam to the last one
 * @to_left:	counterclockwise, as the laser sees it
 * @laser:	pose on the robot; @turned: upside down; @level: or the right way
 *		up
 */
struct rawlog_scan {
	int64_t		stamp;
	uint32_t	beams;
	float		aperture, range_max;
	bool		to_left, turned, level;
	struct pose	laser;
	char		label[RAWLOG_LABEL];
};

struct rawlog_odometry {
	int64_t		stamp;
	struct pose	pose;
};

struct rawlog_object {
	enum rawlog_kind	kind;
	uint32_t		count;
	struct rawlog_scan	scan;
	struct rawlog_odometry	odometry;
};

/* Whether the bytes may be the start of an object */
bool rawlog_is_object(const uint8_t *data, size_t len);

/* Return: 0; -errno */
int rawlog_reader_open(struct rawlog_reader *in, const char *path);
void rawlog_reader_close(struct rawlog_reader *in);

/* Of the file, so far */
uint64_t rawlog_reader_bytes(const struct rawlog_reader *in);

/**
 * rawlog_object() - the next object
 * @inside: it is one of a list
 * @range: gets the ranges of a scan, m, up to READING_BEAMS_MAX; 0: no hit
 *
 * Return: 0; -ENODATA: the end, if not @inside; -EPROTONOSUPPORT: of an unknown
 * class or version; -EBADMSG: damaged or cut off.
 */
int rawlog_object(struct rawlog_reader *in, bool inside, float *range,
		  struct rawlog_object *o);

/* After the last object of a list. Return: 0; -EBADMSG */
int rawlog_end(struct rawlog_reader *in);

#endif
