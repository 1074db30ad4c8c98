// SPDX-License-Identifier: GPL-2.0-only
/*
 * cells_blob - convert between cells and their bytes in a store
 *
 * zstd level 1: higher ones make submaps no smaller. Only long matches, from a
 * small table: 10 % faster and a little smaller than the defaults of the level.
 * Planes or differences of 16 bits save 7 % of smooth fields, which is not
 * worth the time.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <zstd.h>
#include "map/store/cells_blob.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "cells of 16 bits are little-endian"
#endif

enum {
	LEVEL		= 1,
	MATCH_MIN	= 7,
	TABLE_LOG	= 10,
	DESCRIPTOR	= 4,		/* byte of a frame, RFC 8878 */
	HAS_CHECKSUM	= 1 << 2,
};

struct cells_blob {
	ZSTD_CCtx	*pack;
	ZSTD_DCtx	*unpack;
	void		*packed, *cells;
	size_t		packed_size, cells_size;
};

struct cells_blob *cells_blob_new(void)
{
	struct cells_blob *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->pack = ZSTD_createCCtx();
	b->unpack = ZSTD_createDCtx();
	if (!b->pack || !b->unpack) {
		cells_blob_free(b);
		return NULL;
	}
	ZSTD_CCtx_setParameter(b->pack, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(b->pack, ZSTD_c_minMatch, MATCH_MIN);
	ZSTD_CCtx_setParameter(b->pack, ZSTD_c_hashLog, TABLE_LOG);
	ZSTD_CCtx_setParameter(b->pack, ZSTD_c_checksumFlag, 1);
	return b;
}

void cells_blob_free(struct cells_blob *b)
{
	if (!b)
		return;
	ZSTD_freeCCtx(b->pack);
	ZSTD_freeDCtx(b->unpack);
	free(b->packed);
	free(b->cells);
	free(b);
}

/* The content is not preserved */
static int cells_blob_grow(void **buffer, size_t *size, size_t n)
{
	if (n <= *size)
		return 0;
	free(*buffer);
	*buffer = malloc(n);
	*size = *buffer ? n : 0;
	return *buffer ? 0 : -ENOMEM;
}

static size_t cells_blob_bytes_of(unsigned int width, unsigned int height,
				  unsigned int bits)
{
	return (size_t)width * height * (bits / 8);
}

int cells_blob_pack(struct cells_blob *b, const struct cells *c,
		    const void **data, size_t *len)
{
	const size_t n = cells_blob_bytes_of(c->width, c->height, c->bits);

	assert(n && (c->bits == 8 || c->bits == 16));
	if (cells_blob_grow(&b->packed, &b->packed_size, ZSTD_compressBound(n)))
		return -ENOMEM;
	*len = ZSTD_compress2(b->pack, b->packed, b->packed_size, c->data, n);
	*data = b->packed;
	/* there is always room: only its own tables may lack memory */
	return ZSTD_isError(*len) ? -ENOMEM : 0;
}

/*
 * Check for a frame with a checksum, of that many bytes, and nothing after it
 */
static int cells_blob_check_frame(const void *data, size_t len, size_t bytes)
{
	const unsigned char *p = data;

	if (len <= DESCRIPTOR || !(p[DESCRIPTOR] & HAS_CHECKSUM) ||
	    ZSTD_getFrameContentSize(data, len) != bytes)
		return -EBADMSG;
	return 0;
}

int cells_blob_unpack(struct cells_blob *b, unsigned int width,
		      unsigned int height, unsigned int bits,
		      const void *data, size_t len, const void **cells)
{
	const size_t n = cells_blob_bytes_of(width, height, bits);

	if (cells_blob_check_frame(data, len, n))
		return -EBADMSG;
	if (cells_blob_grow(&b->cells, &b->cells_size, n))
		return -ENOMEM;
	assert(b->cells_size >= n);
	if (ZSTD_decompressDCtx(b->unpack, b->cells, n, data, len) != n)
		return -EBADMSG;
	*cells = b->cells;
	return 0;
}
