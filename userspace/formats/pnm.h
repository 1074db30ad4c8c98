/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pnm.h - .pgm of gray pixels, and the .yaml that makes it a map
 *
 * As in map_server and its successors: nav2's modes trinary, scale and raw,
 * thresholds, negate.
 */
#ifndef FORMATS_PNM_H
#define FORMATS_PNM_H

#include <stdbool.h>
#include "codec/grid/map.h"
#include "codec/image/image.h"

enum pnm_mode { PNM_TRINARY, PNM_SCALE, PNM_RAW };

/**
 * struct pnm_map - the contents of the .yaml
 * @occupied, @free: thresholds, of 1
 */
struct pnm_map {
	double		resolution, origin[3];
	double		occupied, free;
	bool		negate;
	enum pnm_mode	mode;
};

/**
 * pnm_parse() - find the pixels in the bytes of a file: P5
 * @image: gets the shape, and data that points into @file: 16 bits are big
 *	endian there
 *
 * Return: 0; -EINVAL if the file is invalid.
 */
int pnm_parse(const uint8_t *file, size_t len, struct image *image);

/**
 * pnm_parse_yaml() - the values of a map
 * @text: terminated by 0
 *
 * Return: 0; -EINVAL if resolution or origin is missing or a value is invalid.
 */
int pnm_parse_yaml(const char *text, struct pnm_map *map);

/**
 * pnm_cells() - convert pixels to occupancies
 * @image: 8 bit, gray
 * @cells: width * height of them, the image's last row first
 */
void pnm_cells(const struct pnm_map *map, const struct image *image,
	       int8_t *cells);

#endif
