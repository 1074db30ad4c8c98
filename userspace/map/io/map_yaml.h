/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * map_yaml.h - the .yaml file that makes a map of a picture
 *
 * In, out: the few keys that map_server knows, as text. No YAML beyond what
 * such files are made of: comments, quotes, a list in brackets or in lines of
 * its own, and unknown keys, which are skipped.
 */
#ifndef MAP_IO_MAP_YAML_H
#define MAP_IO_MAP_YAML_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include "base/error.h"
#include "base/pose.h"

enum map_reading { MAP_READ_TRINARY, MAP_READ_SCALE, MAP_READ_RAW };

enum {
	MAP_YAML_MAX	= 65536,	/* bytes of such a file */
};

/**
 * struct map_yaml
 * @image:	as it says: a path relative to the .yaml
 * @resolution:	m
 * @origin:	of the lower left corner of the picture
 * @negate:	whether white is occupied
 * @occupied, @free: thresholds, 0..1
 */
struct map_yaml {
	char			image[PATH_MAX];
	double			resolution;
	struct pose		origin;
	bool			negate;
	double			occupied, free;
	enum map_reading	mode;
};

/* negate 0, occupied_thresh 0.65, free_thresh 0.196, mode trinary */
void map_yaml_default(struct map_yaml *y);

/**
 * map_yaml_parse() - from text
 * @text: @len bytes, terminated by a 0 that does not count
 * @why: gets one line
 *
 * image, resolution and origin must be there, the rest is as by
 * map_yaml_default().
 *
 * Return: 0, -EINVAL.
 */
int map_yaml_parse(struct map_yaml *y, const char *text, size_t len,
		   char why[ERROR_REASON]);

/**
 * map_yaml_print() - as text
 * @comment: a line for people, or NULL
 *
 * Return: bytes, -EINVAL: the image's name cannot be said, -ENOSPC.
 */
int map_yaml_print(const struct map_yaml *y, const char *comment, char *text,
		   size_t size);

#endif
