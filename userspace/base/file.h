/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * file.h - read a file into memory
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stddef.h>
#include <stdint.h>

/**
 * file_load() - read a whole file
 * @data: set; the caller frees it
 *
 * Return: 0, or a negative errno after one line on stderr.
 */
int file_load(const char *path, uint8_t **data, size_t *len);

#endif
