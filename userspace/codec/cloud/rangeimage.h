/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rangeimage.h - a revolution of a spinning lidar in datagrams
 *
 * Column c goes to datagram c mod K, so that each shows the whole turn at 1/K
 * of its columns. Every return that arrives is exact at the chosen resolution:
 * ranges are rounded to it before anything else. Within a datagram a range is
 * predicted from the column before and the ring below (MED, the predictor of
 * LOCO-I: Weinberger, Seroussi, Sapiro, IEEE Trans. Image Processing 9(8),
 * 2000), and the difference goes, with the misses of the neighbours as its
 * context, into an adaptive binary arithmetic coder, whose probabilities begin
 * as trained on a VLP-16. So do the flags that say whether there was a return
 * and the azimuths of the columns (exact, 1/100 degree).
 *
 * Elevations are exact, advances within 1/12800 degree. Of a VLP-16 or a Puck
 * Hi-Res they are a number and the speed of the head, of any other sensor a
 * table in each datagram.
 *
 * Limits: those of organised.h; a range that the resolution rounds to more than
 * 65535 is an error, one that it rounds to 0 becomes 1.
 */
#ifndef CODEC_CLOUD_RANGEIMAGE_H
#define CODEC_CLOUD_RANGEIMAGE_H

#include <stdbool.h>
#include "codec/cloud/organised.h"
#include "codec/core/payload.h"

enum { RANGEIMAGE_PARTS	= 16 };

/**
 * struct rangeimage_params - how to encode
 * @multiple:	resolution in units of the ranges, e.g. 5 for 1 cm of 2 mm
 * @parts:	datagrams at least; 0: RANGEIMAGE_PARTS
 * @intensity:	resolution of the intensities: 1 exact, 8 coarse, 0 none
 */
struct rangeimage_params {
	unsigned int multiple;
	unsigned int parts;
	unsigned int intensity;
};

/**
 * rangeimage_encode() - fill the payloads of a revolution
 * @o: its arrays are only read; @o->intensity may be NULL if none is wanted
 * @out: gets @params->parts payloads, or as many as it takes for each to fit
 *
 * Needs about 8 kB of stack and no other memory.
 *
 * Return: 0; -EINVAL if a number of @o or @params is out of its range,
 * -EMSGSIZE if a single column does not fit, -ENOSPC if @out has too few slots.
 */
int rangeimage_encode(const struct organised *o,
		      const struct rangeimage_params *params,
		      struct payloads *out);

struct rangeimage;

/**
 * rangeimage_create() - a decoder
 * @rings: at most, up to ORGANISED_RINGS
 * @columns: at most, up to ORGANISED_COLUMNS
 *
 * Return: it, or NULL; rangeimage_destroy() frees it.
 */
struct rangeimage *rangeimage_create(unsigned int rings, unsigned int columns);

void rangeimage_destroy(struct rangeimage *r);

/* A new revolution: forget what was added */
void rangeimage_begin(struct rangeimage *r);

/**
 * rangeimage_add() - one more payload of the revolution
 *
 * Return: 0; -EEXIST if it is there already; -EINVAL if it is of another
 * revolution's shape than the first; -EPROTO if it is broken or larger than the
 * decoder's limits. Nothing changed if not 0.
 */
int rangeimage_add(struct rangeimage *r, const void *payload, size_t len);

/**
 * rangeimage_finish() - what is there
 * @out: all columns of the revolution, those of missing payloads without
 *	returns and with the azimuths of their neighbours between; the arrays
 *	are the decoder's and stay until rangeimage_begin(). @out->stamp is
 *	left as it is. Without payloads there are no columns.
 * @received: NULL, or set to an array: [column]: was in a payload
 */
void rangeimage_finish(struct rangeimage *r, struct organised *out,
		       const bool **received);

#endif
