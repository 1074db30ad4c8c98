/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rangeimage_cloud.h - revolutions to clouds and back
 *
 * To a cloud: x = r cos(e) sin(a), y = r cos(e) cos(a), z = r sin(e) with
 * elevation e and azimuth a, as in Velodyne's manual, with the fields intensity
 * (float32) and ring (uint16, lowest first), column by column.
 *
 * Back, from any cloud with a field ring, with points in any order: the
 * elevation of a ring is the median of its points'; the step from column to
 * column is the most frequent difference of azimuths within a ring; the advance
 * of a ring to the one below is the circular mean, modulo a step, of the
 * differences to that one's points. Azimuths minus their ring's advance then
 * form clusters, a step apart: the columns.
 *
 * Losses: ranges are rounded to the unit, azimuths to the mean of their column
 * (the head's jitter from laser to laser; 0.01 degree of a VLP-16), elevations
 * to that of the ring; points that share ring and column with a nearer one;
 * intensities beyond 0 ... 255 or between the integers. A cloud that was
 * deskewed or transformed is no longer organised, and is refused if less than
 * half of its points have a place.
 */
#ifndef CODEC_CLOUD_RANGEIMAGE_CLOUD_H
#define CODEC_CLOUD_RANGEIMAGE_CLOUD_H

#include "codec/cloud/cloud.h"
#include "codec/cloud/organised.h"

/**
 * organised_to_cloud() - the returns of a revolution as points
 * @out: gets the fields intensity and ring; intensity is 0 if @o has none
 *
 * Return: 0; -ENOSPC: @out is too small, and is empty.
 */
int organised_to_cloud(const struct organised *o, struct cloud *out);

struct organiser;

/**
 * organiser_create() - working memory for clouds of up to @points points
 *
 * Return: NULL: no memory; free with organiser_destroy().
 */
struct organiser *organiser_create(unsigned int points);

void organiser_destroy(struct organiser *g);

/**
 * struct organise_report - quality of the result
 * @lost: points without a place
 * @worst: largest azimuth error of a point, 1/100 degree
 * @step: from column to column, 1/100 degree
 */
struct organise_report {
	unsigned int	lost;
	float		worst;
	float		step;
};

/**
 * cloud_to_organised() - rings and columns of a cloud
 * @unit: metres per count of range
 * @out: its arrays are @g's, valid until the next call; the stamp is unchanged.
 *	Rings keep their numbers if these increase with elevation; otherwise
 *	they are sorted.
 * @report: NULL, or filled in
 *
 * Return: 0; -EINVAL: no field ring, or @unit is not positive; -ENOSPC: @in has
 * more points than @g; -ERANGE: the cloud is not organised: no points, no step
 * found, more than ORGANISED_RINGS or ORGANISED_COLUMNS, or too many points
 * lost.
 */
int cloud_to_organised(struct organiser *g, const struct cloud *in, float unit,
		       struct organised *out, struct organise_report *report);

#endif
