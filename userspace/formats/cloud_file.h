/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cloud_file.h - point clouds in files
 */
#ifndef FORMATS_CLOUD_FILE_H
#define FORMATS_CLOUD_FILE_H

#include "codec/cloud/cloud.h"
#include "codec/cloud/organised.h"
#include "formats/velodyne.h"

/**
 * struct cloud_file - what was in it
 * @cloud:	points
 * @organised:	packets: a turn, whose arrays are @velodyne's; rings is 0
 *		otherwise
 */
struct cloud_file {
	struct cloud	*cloud;
	struct organised organised;
	struct velodyne	*velodyne;
};

/**
 * cloud_file_load() - .pcd (ascii and binary), VLP-16 packets of 1206 bytes one
 * behind the other, or float32 x y z intensity; told from each other by what
 * is in them
 * @turn: of packets which one, from 1
 *
 * Return: 0, to be freed with cloud_file_free(); a negative errno after one
 * line about it.
 */
int cloud_file_load(struct cloud_file *f, const char *path, unsigned int turn);
void cloud_file_free(struct cloud_file *f);

/**
 * pcd_save() - a binary .pcd with all fields
 *
 * Return: 0, or a negative errno after one line about it.
 */
int pcd_save(const char *path, const struct cloud *cloud);

#endif
