/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cloudblock.h - any cloud in datagrams
 *
 * Space is cut into blocks of 16^3 voxels, which are dealt out to the datagrams
 * along a Morton curve, always to the emptiest one: what is lost leaves holes
 * of a block all over the scan. Within a datagram a block is an octree whose
 * occupancy bits go into an adaptive binary arithmetic coder, with the occupied
 * neighbours of a cell as its context; then, voxel by voxel, where in it the
 * points are, to 2^bits steps along each axis, and their fields.
 *
 * A point comes back in the middle of its step: within leaf / 2^(bits + 1)
 * along each axis. Made for the centroids of voxel.h with the same leaf, but a
 * voxel may hold any number of points, equal ones too: none is dropped.
 *
 * Fields are rounded to multiples of a step, or, with step 0, exact; they cost
 * what they vary from point to point.
 *
 * Limits: VOXEL_REACH voxels from the origin along each axis, 65535 datagrams.
 * A field that is no number, or beyond 2^53 steps, becomes 0 or the nearest.
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
 * @bits: per axis, of the place of a point in its voxel
 * @step: of each field of the cloud: what it is rounded to multiples of; 0 for
 *	exact, negative to leave it out
 */
struct cloudblock_params {
	float		leaf;
	unsigned int	bits;
	float		step[CLOUD_FIELDS];
};

/* How many bits make each coordinate exact to +- @precision / 2 */
unsigned int cloudblock_bits(float leaf, float precision);

struct cloudblock_encoder;

/**
 * cloudblock_encoder_create() - what clouds of up to @max points take
 *
 * Return: it, or NULL; cloudblock_encoder_destroy() frees it.
 */
struct cloudblock_encoder *cloudblock_encoder_create(unsigned int max);

void cloudblock_encoder_destroy(struct cloudblock_encoder *e);

/**
 * cloudblock_encode() - fill the payloads of a cloud
 * @out: gets as many payloads as it takes; one for an empty cloud
 *
 * Return: 0; -EINVAL if a number of @params is out of its range; -ERANGE if a
 * coordinate is; -EMSGSIZE if the fields are too many for a payload; -ENOSPC if
 * @in has more points than @e, or @out too few slots.
 */
int cloudblock_encode(struct cloudblock_encoder *e, const struct cloud *in,
		      const struct cloudblock_params *params,
		      struct payloads *out);

struct cloudblock_decoder;

/**
 * cloudblock_decoder_create() - a decoder of clouds of up to @max points in up
 * to @parts datagrams
 *
 * Return: it, or NULL; cloudblock_decoder_destroy() frees it.
 */
struct cloudblock_decoder *cloudblock_decoder_create(unsigned int max,
						     unsigned int parts);

void cloudblock_decoder_destroy(struct cloudblock_decoder *d);

/* A new cloud: forget what was added */
void cloudblock_begin(struct cloudblock_decoder *d);

/**
 * cloudblock_add() - one more payload of the cloud
 *
 * Return: 0; -EEXIST if it is there already; -EINVAL if it is of another
 * cloud's shape than the first; -EPROTO if it is broken or larger than the
 * decoder's limits. Nothing changed if not 0.
 */
int cloudblock_add(struct cloudblock_decoder *d, const void *payload,
		   size_t len);

/**
 * cloudblock_finish() - the points that are there
 * @out: gets them and their fields, in an order that does not depend on that
 *	of the payloads; empty if there were none
 *
 * Return: 0, or -ENOSPC if @out is too small: it is empty then.
 */
int cloudblock_finish(struct cloudblock_decoder *d, struct cloud *out);

#endif
