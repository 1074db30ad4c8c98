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
 * struct cloud_file - the contents of a file
 * @cloud:	points
 * @organised:	packets: a turn, whose arrays are @velodyne's; otherwise rings
 *		is 0
 */
struct cloud_file {
	struct cloud	*cloud;
	struct organised organised;
	struct velodyne	*velodyne;
};

/**
 * cloud_file_load() - load .pcd (ascii and binary), successive VLP-16 packets
 * of 1206 bytes, or float32 x y z intensity; the contents decide
 * @turn: number of the turn in packets, from 1
 *
 * Return: 0, to be freed with cloud_file_free(); a negative errno after one
 * line on stderr.
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
