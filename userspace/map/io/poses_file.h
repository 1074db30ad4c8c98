/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * poses_file.h - poses of submaps as text: index,x,y,theta
 *
 * Metres and radians; a line each; lines that begin with # and empty ones are
 * passed over, so is one line of names before the first number, and a BOM.
 */
#ifndef MAP_IO_POSES_FILE_H
#define MAP_IO_POSES_FILE_H

#include <stdint.h>
#include "base/error.h"
#include "base/pose.h"

enum { POSES_FILE_MAX = 10000000 };

/**
 * struct poses_file - in the order of the file, no index twice
 */
struct poses_file {
	unsigned int		count;
	struct {
		uint32_t	index;
		struct pose	pose;
	} *line;
};

/**
 * poses_file_read() - all of it or nothing
 * @error: gets one line, with the number of that of the file
 *
 * Return: 0 and @p, to be freed with poses_file_free(); -EINVAL; others of
 * opening and reading.
 */
int poses_file_read(const char *path, struct poses_file *p,
		    char error[ERROR_TEXT]);
void poses_file_free(struct poses_file *p);

#endif
