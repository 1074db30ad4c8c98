/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * decompress.h - decompress chunks of known size
 *
 * Each function makes exactly @raw_len bytes of @len; otherwise the data is
 * invalid. Return: 0, -EBADMSG, -ENOMEM. Contexts are made at first use.
 */
#ifndef ROS_BAG_DECOMPRESS_H
#define ROS_BAG_DECOMPRESS_H

#include <lz4frame.h>
#include <stddef.h>
#include <stdint.h>
#include <zstd.h>

int decompress_zstd(ZSTD_DCtx **ctx, uint8_t *raw, size_t raw_len,
		    const uint8_t *data, size_t len);
int decompress_lz4(LZ4F_dctx **ctx, uint8_t *raw, size_t raw_len,
		   const uint8_t *data, size_t len);
int decompress_bz2(uint8_t *raw, size_t raw_len, const uint8_t *data,
		   size_t len);

#endif
