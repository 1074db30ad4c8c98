/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * file.h - a file in memory
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stddef.h>
#include <stdint.h>

/**
 * file_load() - all of a file
 * @data: set; to be freed
 *
 * Return: 0, or a negative errno after one line about it.
 */
int file_load(const char *path, uint8_t **data, size_t *len);

#endif
