/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * atomic_file.h - atomic file replacement: write, fsync, rename
 *
 * The file is written under a temporary name next to its own, and is renamed
 * when it is on disk. Until then, and after any error, the old file stays. A
 * name that is not a file, such as /dev/null or a pipe, is written directly.
 */
#ifndef BASE_ATOMIC_FILE_H
#define BASE_ATOMIC_FILE_H

#include <limits.h>
#include <stdio.h>
#include "base/error.h"

/**
 * struct atomic_file - a file that is being written
 * @temporary:	its name until atomic_file_finish(); empty: not a file
 */
struct atomic_file {
	char	temporary[PATH_MAX];
	/* private */
	FILE	*file;
	int	err;
	char	path[PATH_MAX];
};

/**
 * atomic_file_open() - begin a file
 * @error: gets one line
 *
 * Return: 0, or a negative errno: then there is nothing to clean up.
 */
int atomic_file_open(struct atomic_file *n, const char *path,
		     struct error *error);

/* Errors are reported by atomic_file_finish() */
void atomic_file_write(struct atomic_file *n, const void *data, size_t len);

/**
 * atomic_file_sync() - write it to disk under its temporary name, and close it
 *
 * For callers that finish several files or none: atomic_file_finish() may
 * follow.
 *
 * Return: 0, or a negative errno and a line in @error: the new file is removed.
 */
int atomic_file_sync(struct atomic_file *n, struct error *error);

/**
 * atomic_file_finish() - write it to disk and rename it
 *
 * Return: 0, or a negative errno and a line in @error: the new file is removed.
 */
int atomic_file_finish(struct atomic_file *n, struct error *error);

/* Drop it, after atomic_file_open() or atomic_file_sync() */
void atomic_file_abandon(struct atomic_file *n);

/**
 * atomic_file_error() - write an error line about a file
 * @path: only its end if it is too long
 * @text: the reason, or NULL: that of @err
 *
 * Return: @err, a negative errno.
 */
int atomic_file_error(struct error *error, const char *path, int err,
		      const char *text);

#endif
