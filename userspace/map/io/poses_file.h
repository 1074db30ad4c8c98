/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * poses_file.h - poses of submaps as text: index,x,y,theta
 *
 * Metres and radians; one pose per line. Empty lines and lines that begin with
 * # are skipped, and so are one line of names before the first number, and a
 * BOM.
 */
#ifndef MAP_IO_POSES_FILE_H
#define MAP_IO_POSES_FILE_H

#include <stdint.h>
#include "base/error.h"
#include "base/pose.h"

enum { POSES_FILE_MAX = 10000000 };

/**
 * struct poses_file - in the order of the file, each index once
 */
struct poses_file {
	unsigned int		count;
	struct {
		uint32_t	index;
		struct pose	pose;
	} *line;
};

/**
 * poses_file_read() - read the whole file
 * @error: out: one line, with the line number of the file
 *
 * Return: 0 and @p, to be freed with poses_file_free(); -EINVAL; others of
 * opening and reading.
 */
int poses_file_read(const char *path, struct poses_file *p,
		    struct error *error);
void poses_file_free(struct poses_file *p);

#endif
