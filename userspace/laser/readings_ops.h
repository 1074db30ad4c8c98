/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * readings_ops.h - the interface of a log format, for readings.c
 */
#ifndef READINGS_OPS_H
#define READINGS_OPS_H

#include "base/error.h"
#include "base/lines.h"
#include "laser/readings.h"

/**
 * struct readings - a log; first in the struct of each format
 * @path:	for errors
 * @lines:	of formats that are text, open when open() is called
 * @range:	for the format: room for the ranges of a reading
 * @without:	use no odometry
 * @last:	stamp of the reading before, if there was one: @begun
 */
struct readings {
	const struct readings_ops	*ops;
	struct readings_config		config;
	struct readings_count		count;
	char				*path;
	struct lines			lines;
	float				*range;
	int64_t				last;
	bool				begun, without;
};

/**
 * struct readings_ops - a format
 * @size:	of its struct
 * @text:	read with @lines
 * @probe:	whether a file with this start has the format; @head ends with 0
 * @open:	prepare reading; NULL: nothing to do
 * @next:	as readings_next(); readings.c checks the numbers and the order
 *		of
 *		times
 * @progress:	bytes read; NULL: those of @lines
 * @close:	NULL: nothing to do
 */
struct readings_ops {
	size_t	size;
	bool	text;
	bool	(*probe)(const char *head, size_t len);
	int	(*open)(struct readings *r, struct error *error);
	int	(*next)(struct readings *r, struct reading *reading,
			struct error *error);
	void	(*progress)(const struct readings *r,
			    struct readings_count *count);
	void	(*close)(struct readings *r);
};

/* A range_max as a float; 0, which means none, if it is invalid */
static inline float readings_range_max(double v)
{
	return v > READING_RANGE_MAX ? READING_RANGE_MAX :
	       v > 0 ? (float)v : 0;
}

extern const struct readings_ops carmen_ops, simbad_ops, tinyslam_ops,
				 rawlog_ops, bag_readings_ops;

/**
 * readings_error() - "PATH: TEXT"
 * @format: NULL: the text of @err
 *
 * Return: @err
 */
int readings_error(struct error *error, const char *path, int err,
		   const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/**
 * readings_line() - the next line of a text that is not empty
 *
 * Lines that are too long are counted as bad and skipped.
 *
 * Return: 1; 0 at the end; a negative errno and a line in @error.
 */
int readings_line(struct readings *r, char **text, size_t *len,
		  struct error *error);

/**
 * readings_ranges() - parse ranges
 * @at:	moved past them
 * @count: of them
 *
 * Return: whether there were as many; they are in @r->range.
 */
bool readings_ranges(struct readings *r, const char **at, unsigned int count);

#endif
