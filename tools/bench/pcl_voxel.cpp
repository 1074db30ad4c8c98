// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcl_voxel - PCL's VoxelGrid as a peer of codec/cloud/voxel.h
 *
 * The sensors' cloud is converted before the clock runs. Not to be built with
 * -march=native: Eigen's alignment would no longer be that of Debian's PCL.
 */
#include <pcl/filters/voxel_grid.h>
#include <pcl/point_types.h>
#include "pcl_voxel.h"

struct pcl_voxel {
	pcl::PointCloud<pcl::PointXYZ>::Ptr in;
	pcl::PointCloud<pcl::PointXYZ> out;
	pcl::VoxelGrid<pcl::PointXYZ> grid;
};

struct pcl_voxel *pcl_voxel_create(const float *x, const float *y,
				   const float *z, unsigned int n, float leaf)
{
	auto *p = new pcl_voxel;

	p->in.reset(new pcl::PointCloud<pcl::PointXYZ>);
	for (unsigned int i = 0; i < n; i++)
		p->in->push_back(pcl::PointXYZ(x[i], y[i], z[i]));
	p->grid.setInputCloud(p->in);
	p->grid.setLeafSize(leaf, leaf, leaf);
	return p;
}

unsigned int pcl_voxel_filter(struct pcl_voxel *p)
{
	p->grid.filter(p->out);
	return p->out.size();
}

void pcl_voxel_point(const struct pcl_voxel *p, unsigned int i, float at[3])
{
	at[0] = p->out[i].x;
	at[1] = p->out[i].y;
	at[2] = p->out[i].z;
}

void pcl_voxel_destroy(struct pcl_voxel *p)
{
	delete p;
}
