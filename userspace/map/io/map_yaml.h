/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * map_yaml.h - the .yaml file that describes the picture of a map
 *
 * Reads and writes the few keys that map_server knows. Only a subset of YAML:
 * comments, quotes, a list in brackets or on lines of its own. Unknown keys are
 * skipped.
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
 * @image:	as in the file: a path relative to the .yaml
 * @resolution:	m
 * @origin:	of the lower left corner of the picture
 * @negate:	white is occupied
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
 * map_yaml_parse() - parse text
 * @text: @len bytes, followed by a 0 that does not count
 * @why: out: one line
 *
 * image, resolution and origin are required, the defaults of the others are
 * those of map_yaml_default().
 *
 * Return: 0, -EINVAL.
 */
int map_yaml_parse(struct map_yaml *y, const char *text, size_t len,
		   char why[ERROR_REASON]);

/**
 * map_yaml_print() - write as text
 * @comment: a comment line, or NULL
 *
 * Return: bytes, -EINVAL: the image's name cannot be quoted, -ENOSPC.
 */
int map_yaml_print(const struct map_yaml *y, const char *comment, char *text,
		   size_t size);

#endif
