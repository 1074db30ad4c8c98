/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cells_blob.h - convert between cells and their bytes in a store
 *
 * One zstd frame of the cells, row by row, two bytes little-endian each if they
 * have 16 bits, with its length and checksum: readable by `zstd -d`. The
 * geometry (size, bits) is stored elsewhere.
 */
#ifndef MAP_STORE_CELLS_BLOB_H
#define MAP_STORE_CELLS_BLOB_H

#include <stddef.h>
#include "map/fusion/cells.h"

/* Reusable contexts and buffers */
struct cells_blob;

/* Return: NULL: no memory */
struct cells_blob *cells_blob_new(void);

/* NULL is allowed */
void cells_blob_free(struct cells_blob *b);

/**
 * cells_blob_pack() - compress cells
 * @data: out: the bytes, valid until the next call
 * @len: out: their number, above 0
 *
 * Return: 0, -ENOMEM.
 */
int cells_blob_pack(struct cells_blob *b, const struct cells *c,
		    const void **data, size_t *len);

/**
 * cells_blob_unpack() - decompress cells from untrusted bytes
 * @width, @height, @bits: as cells_check() allows them
 * @cells: out: the cells, valid until the next call
 *
 * Return: 0; -EBADMSG: damaged, or cells of another size; -ENOMEM.
 */
int cells_blob_unpack(struct cells_blob *b, unsigned int width,
		      unsigned int height, unsigned int bits,
		      const void *data, size_t len, const void **cells);

#endif
