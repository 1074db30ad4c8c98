/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * png_file.h - images in PNG files: 8 and 16 bit, gray and colour
 */
#ifndef FORMATS_PNG_FILE_H
#define FORMATS_PNG_FILE_H

#include "codec/image/image.h"

/**
 * png_load() - read a PNG file
 * @error: set to the reason, for people
 *
 * Palettes and low depths become 8 bit; alpha stays.
 *
 * Return: 0 and @image, whose data is to be freed, or a negative errno.
 */
int png_load(const char *path, struct image *image, const char **error);

/**
 * png_save() - write an image as a PNG file
 */
int png_save(const char *path, const struct image *image, const char **error);

#endif
