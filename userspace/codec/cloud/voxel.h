/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * voxel.h - voxel grid filter: one point, the centroid, per occupied voxel
 *
 * In: a cloud. Out: a smaller one. Space is cut into cubes of edge @leaf with
 * corners at multiples of it from the origin. The voxel of a point is that of
 * PCL's VoxelGrid (floor(x * (1 / leaf)) in float), so that both keep the same
 * voxels; sums are kept in double and are exact except for the last rounding.
 *
 * Extra fields: floats are averaged; integers (ring, label, time stamps) and
 * packed colours are those of the voxel's first point, as their mean would be
 * meaningless. Points are in the order in which their voxels first occurred.
 *
 * Limits: VOXEL_REACH voxels from the origin along each axis, far beyond PCL's
 * (the whole box in 31 bits).
 *
 * Source: D6.3 section 6.1; PCL 1.13, filters/voxel_grid.hpp.
 */
#ifndef CODEC_CLOUD_VOXEL_H
#define CODEC_CLOUD_VOXEL_H

#include "codec/cloud/cloud.h"

enum {
	VOXEL_REACH	= 1 << 20,
	VOXEL_PASSES	= 24,	/* of voxel_filter_most(), at most */
};

struct voxel;

/**
 * voxel_create() - working memory for clouds of up to @max points
 *
 * Return: NULL: no memory; free with voxel_destroy().
 */
struct voxel *voxel_create(unsigned int max);

void voxel_destroy(struct voxel *v);

/**
 * voxel_filter() - centroids of all occupied voxels
 * @leaf: edge of a voxel, metres
 * @out: another cloud; gets @in's fields
 *
 * Return: 0; -ERANGE: @leaf is not a positive number, or a coordinate is not
 * finite or farther than VOXEL_REACH voxels from the origin; -ENOSPC: @in has
 * more points than @v, or @out is too small. After an error @out is empty.
 */
int voxel_filter(struct voxel *v, const struct cloud *in, float leaf,
		 struct cloud *out);

/**
 * voxel_filter_most() - at most @most points, and not much fewer
 * @leaf: in: a first guess, such as the previous scan's leaf, or 0; out: the
 *	leaf that was used, 0 if @in was small enough to be copied
 * @out: another cloud
 *
 * Searches by counting, in at most VOXEL_PASSES passes, normally 3 to 5, 1 or 2
 * with a good guess; ends when the count is between 95 % of @most and @most.
 *
 * Return: as voxel_filter(); -ERANGE also if @most is less than the occupied
 * octants around the origin.
 */
int voxel_filter_most(struct voxel *v, const struct cloud *in,
		      unsigned int most, float *leaf, struct cloud *out);

/* voxel_filter() in its obvious form, for tests: the same result, slowly */
int voxel_ref_filter(const struct cloud *in, float leaf, struct cloud *out);

#endif
