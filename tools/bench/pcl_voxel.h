/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pcl_voxel.h - PCL's VoxelGrid for a program in C
 */
#ifndef PCL_VOXEL_H
#define PCL_VOXEL_H

#ifdef __cplusplus
extern "C" {
#endif

struct pcl_voxel;

struct pcl_voxel *pcl_voxel_create(const float *x, const float *y,
				   const float *z, unsigned int n, float leaf);

/* Return: points that are left */
unsigned int pcl_voxel_filter(struct pcl_voxel *p);

/* Point @i of what is left */
void pcl_voxel_point(const struct pcl_voxel *p, unsigned int i, float at[3]);

void pcl_voxel_destroy(struct pcl_voxel *p);

#ifdef __cplusplus
}
#endif

#endif
