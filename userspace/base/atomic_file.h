/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * atomic_file.h - atomic file replacement: write, fsync, rename
 *
 * It is written under a temporary name beside its own, and takes its name when
 * all of it is on disk. Until then, and if anything fails, what had the name
 * before stays. What is no file, /dev/null or a pipe, is written to as it is.
 */
#ifndef BASE_ATOMIC_FILE_H
#define BASE_ATOMIC_FILE_H

#include <limits.h>
#include <stdio.h>
#include "base/error.h"

/**
 * struct atomic_file - one that is being written
 * @temporary:	where it is until atomic_file_finish(); empty: it is no file
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
 * Return: 0, or a negative errno and nothing to clean up.
 */
int atomic_file_open(struct atomic_file *n, const char *path,
		     char error[ERROR_TEXT]);

/* What fails is remembered for atomic_file_finish() */
void atomic_file_write(struct atomic_file *n, const void *data, size_t len);

/**
 * atomic_file_sync() - bring it to disk under its temporary name, and close it
 *
 * For those who finish several files or none: atomic_file_finish() may follow.
 *
 * Return: 0, or a negative errno and no file: only a line in @error.
 */
int atomic_file_sync(struct atomic_file *n, char error[ERROR_TEXT]);

/**
 * atomic_file_finish() - bring it to disk and give it its name
 *
 * Return: 0, or a negative errno and no file: only a line in @error.
 */
int atomic_file_finish(struct atomic_file *n, char error[ERROR_TEXT]);

/* Forget it, after atomic_file_open() or atomic_file_sync() */
void atomic_file_abandon(struct atomic_file *n);

/**
 * atomic_file_error() - write an error line about a file
 * @path: shortened to its end if it is too long
 * @text: what is wrong, or NULL: that of @err
 *
 * Return: @err, a negative errno.
 */
int atomic_file_error(char error[ERROR_TEXT], const char *path, int err,
		      const char *text);

#endif
