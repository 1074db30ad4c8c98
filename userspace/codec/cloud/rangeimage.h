/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rangeimage.h - a revolution of a spinning lidar in datagrams
 *
 * Column c goes to datagram c mod K, so that each shows the whole turn with 1/K
 * of its columns. Ranges are rounded to the chosen resolution first; every
 * return that arrives is exact at it. Within a datagram a range is predicted
 * from the previous column and the ring below (MED, the predictor of LOCO-I:
 * Weinberger, Seroussi, Sapiro, IEEE Trans. Image Processing 9(8), 2000). The
 * difference goes into an adaptive binary arithmetic coder with the errors of
 * the neighbours as context; its initial probabilities are trained on a VLP-16.
 * So do the flags of returns and the azimuths of columns (exact, 1/100 degree).
 *
 * Elevations are exact, advances within 1/12800 degree. For a VLP-16 or a Puck
 * Hi-Res they are coded as a number and the speed of the head, for any other
 * sensor as a table in each datagram.
 *
 * Limits: those of organised.h; a range of more than 65535 steps is an error,
 * one that is rounded to 0 becomes 1.
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
 * @parts:	datagrams, at least; 0: RANGEIMAGE_PARTS
 * @intensity:	resolution of the intensities: 1 exact, 8 coarse, 0 none
 */
struct rangeimage_params {
	unsigned int multiple;
	unsigned int parts;
	unsigned int intensity;
};

/**
 * rangeimage_encode() - encode a revolution to payloads
 * @o: its arrays are only read; @o->intensity may be NULL if not used
 * @out: gets @params->parts payloads, or more if needed to fit
 *
 * Needs about 8 kB of stack and no other memory.
 *
 * Return: 0; -EINVAL: a number of @o or @params is out of range, -EMSGSIZE: a
 * single column does not fit, -ENOSPC: @out has too few slots.
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
 * Return: NULL: no memory; free with rangeimage_destroy().
 */
struct rangeimage *rangeimage_create(unsigned int rings, unsigned int columns);

void rangeimage_destroy(struct rangeimage *r);

/* Start a revolution: forget what was added */
void rangeimage_begin(struct rangeimage *r);

/**
 * rangeimage_add() - add a payload of the revolution
 *
 * Return: 0; -EEXIST: a duplicate; -EINVAL: its shape differs from the first
 * one's; -EPROTO: damaged or beyond the decoder's limits. After an error
 * nothing changed.
 */
int rangeimage_add(struct rangeimage *r, const void *payload, size_t len);

/**
 * rangeimage_finish() - the revolution so far
 * @out: all its columns; those of missing payloads are without returns and with
 *	interpolated azimuths; the arrays are the decoder's, valid until
 *	rangeimage_begin(). @out->stamp is unchanged. Without payloads there are
 *	no columns.
 * @received: NULL, or set to an array: [column]: whether it was received
 */
void rangeimage_finish(struct rangeimage *r, struct organised *out,
		       const bool **received);

#endif
