/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * secret_file.h - open a file of keys or tokens, which no other user may read
 */
#ifndef BASE_SECRET_FILE_H
#define BASE_SECRET_FILE_H

#include <stdio.h>
#include "base/error.h"

/**
 * secret_file_open() - open for reading
 * @f:		gets the stream
 *
 * Return: 0; -EACCES: other users can read or write it, or its group can write
 * it; -EINVAL: not a regular file; others of open(). @error gets one line.
 */
int secret_file_open(FILE **f, const char *path, struct error *error);

#endif
