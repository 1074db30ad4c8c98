/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cloudblock.h - any cloud in datagrams
 *
 * Space is cut into blocks of 16^3 voxels, which are distributed to the
 * datagrams along a Morton curve, always to the emptiest one: a loss leaves
 * holes of single blocks all over the scan. Within a datagram a block is an
 * octree whose occupancy bits go into an adaptive binary arithmetic coder, with
 * the occupied neighbours of a cell as context; then, voxel by voxel, the
 * positions of points in 2^bits steps along each axis, and their fields.
 *
 * A point is decoded to the middle of its step: within leaf / 2^(bits + 1)
 * along each axis. Made for the centroids of voxel.h with the same leaf, but a
 * voxel may hold any number of points, also equal ones: none is dropped.
 *
 * Fields are rounded to multiples of a step, or, with step 0, exact. Their cost
 * depends on how much they vary from point to point.
 *
 * Limits: VOXEL_REACH voxels from the origin along each axis, 65535 datagrams.
 * A field that is NaN becomes 0; one beyond 2^53 steps is clamped.
 *
 * Occupancy: Schnabel, Klein, Octree-based Point-Cloud Compression, Symposium
 * on Point-Based Graphics 2006.
 */
#ifndef CODEC_CLOUD_CLOUDBLOCK_H
#define CODEC_CLOUD_CLOUDBLOCK_H

#include "codec/cloud/cloud.h"
#include "codec/core/payload.h"

enum {
	CLOUDBLOCK_BITS	= 10,	/* at most */
	CLOUDBLOCK_PARTS = 65535,
};

/**
 * struct cloudblock_params - how to encode
 * @leaf: edge of a voxel, metres
 * @bits: per axis, of the position of a point in its voxel
 * @step: of each field of the cloud: it is rounded to multiples of this; 0:
 *	exact, negative: left out
 */
struct cloudblock_params {
	float		leaf;
	unsigned int	bits;
	float		step[CLOUD_FIELDS];
};

struct cloudblock_encoder;

/**
 * cloudblock_encoder_create() - an encoder of clouds of up to @max points
 *
 * Return: NULL: no memory; free with cloudblock_encoder_destroy().
 */
struct cloudblock_encoder *cloudblock_encoder_create(unsigned int max);

void cloudblock_encoder_destroy(struct cloudblock_encoder *e);

/**
 * cloudblock_encode() - encode a cloud to payloads
 * @out: gets the payloads; one for an empty cloud
 *
 * Return: 0; -EINVAL: a number of @params is out of range; -ERANGE: a
 * coordinate is; -EMSGSIZE: too many fields for a payload; -ENOSPC: @in has
 * more points than @e, or @out too few slots.
 */
int cloudblock_encode(struct cloudblock_encoder *e, const struct cloud *in,
		      const struct cloudblock_params *params,
		      struct payloads *out);

struct cloudblock_decoder;

/**
 * cloudblock_decoder_create() - a decoder of clouds of up to @max points in up
 * to @parts datagrams
 *
 * Return: NULL: no memory; free with cloudblock_decoder_destroy().
 */
struct cloudblock_decoder *cloudblock_decoder_create(unsigned int max,
						     unsigned int parts);

void cloudblock_decoder_destroy(struct cloudblock_decoder *d);

/* Start a cloud: forget what was added */
void cloudblock_begin(struct cloudblock_decoder *d);

/**
 * cloudblock_add() - add a payload of the cloud
 *
 * Return: 0; -EEXIST: a duplicate; -EINVAL: its shape differs from the first
 * one's; -EFBIG: more points than @max of the decoder; -EPROTO: damaged. After
 * an error nothing changed.
 */
int cloudblock_add(struct cloudblock_decoder *d, const void *payload,
		   size_t len);

/**
 * cloudblock_finish() - the received points
 * @out: gets them and their fields, in an order that does not depend on that
 *	of arrival; empty if there are none
 *
 * Return: 0, or -ENOSPC: @out is too small, and is empty.
 */
int cloudblock_finish(struct cloudblock_decoder *d, struct cloud *out);

#endif
