// SPDX-License-Identifier: GPL-2.0-only
/*
 * decompress - zstd and lz4 frames, bzip2
 */
#include <bzlib.h>
#include <errno.h>
#include <limits.h>
#include "ros/bag/decompress.h"

int decompress_zstd(ZSTD_DCtx **ctx, uint8_t *raw, size_t raw_len,
		    const uint8_t *data, size_t len)
{
	if (!*ctx)
		*ctx = ZSTD_createDCtx();
	if (!*ctx)
		return -ENOMEM;
	return ZSTD_decompressDCtx(*ctx, raw, raw_len, data, len) == raw_len ?
	       0 : -EBADMSG;
}

int decompress_lz4(LZ4F_dctx **ctx, uint8_t *raw, size_t raw_len,
		   const uint8_t *data, size_t len)
{
	size_t in = 0, out = 0, left = 1;

	if (!*ctx && LZ4F_isError(LZ4F_createDecompressionContext(ctx,
							LZ4F_VERSION)))
		return -ENOMEM;
	LZ4F_resetDecompressionContext(*ctx);
	while (left) {
		size_t n = len - in, m = raw_len - out;

		left = LZ4F_decompress(*ctx, raw + out, &m, data + in, &n,
				       NULL);
		if (LZ4F_isError(left) || (left && !n && !m))
			return -EBADMSG;
		in += n;
		out += m;
	}
	return out == raw_len ? 0 : -EBADMSG;
}

int decompress_bz2(uint8_t *raw, size_t raw_len, const uint8_t *data,
		   size_t len)
{
	unsigned int n = raw_len;

	if (len > UINT_MAX || raw_len > UINT_MAX)
		return -EBADMSG;
	if (BZ2_bzBuffToBuffDecompress((char *)raw, &n, (char *)data, len, 0,
				       0) != BZ_OK)
		return -EBADMSG;
	return n == raw_len ? 0 : -EBADMSG;
}
