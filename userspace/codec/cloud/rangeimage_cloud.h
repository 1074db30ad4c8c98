/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rangeimage_cloud.h - revolutions to clouds and back
 *
 * To a cloud: x = r cos(e) sin(a), y = r cos(e) cos(a), z = r sin(e) with
 * elevation e and azimuth a, as in Velodyne's manual, with the fields intensity
 * (float32) and ring (uint16, lowest first), column by column.
 *
 * Back, from any cloud that has a field ring, in any order of points: the
 * elevation of a ring is the median of its points'; the step from column to
 * column the most frequent difference of azimuths within a ring; how far a ring
 * is ahead of the one below the circular mean, modulo a step, of the
 * differences to that one's points. Azimuths less their ring's advance then
 * fall into clusters, a step apart: the columns.
 *
 * What is lost: ranges are rounded to the unit, azimuths to the mean of their
 * column (the head's jitter from laser to laser; 0.01 degree of a VLP-16),
 * elevations to that of the ring, points that share ring and column with a
 * nearer one, intensities beyond 0 ... 255 or between the integers. A cloud
 * that was deskewed or transformed is no longer organised, and is refused if
 * less than half of its points find their place.
 */
#ifndef CODEC_CLOUD_RANGEIMAGE_CLOUD_H
#define CODEC_CLOUD_RANGEIMAGE_CLOUD_H

#include "codec/cloud/cloud.h"
#include "codec/cloud/organised.h"

/**
 * organised_to_cloud() - the returns of a revolution as points
 * @out: gets the fields intensity and ring; intensity is 0 if @o has none
 *
 * Return: 0; -ENOSPC if @out is too small: it is empty then.
 */
int organised_to_cloud(const struct organised *o, struct cloud *out);

struct organiser;

/**
 * organiser_create() - what it takes to sort clouds of up to @points points
 *
 * Return: it, or NULL; organiser_destroy() frees it.
 */
struct organiser *organiser_create(unsigned int points);

void organiser_destroy(struct organiser *g);

/**
 * struct organise_report - what became of a cloud
 * @lost: points that have no place
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
 * @out: its arrays are @g's and stay until the next call; the stamp is left
 *	as it is. A ring keeps its number where numbers rise with the
 *	elevation; otherwise rings are sorted.
 * @report: NULL, or filled in
 *
 * Return: 0; -EINVAL if there is no field ring or @unit is not positive;
 * -ENOSPC if @in has more points than @g; -ERANGE if the cloud is not
 * organised: no points or step to be found, more than ORGANISED_RINGS or
 * ORGANISED_COLUMNS, or too many points lost.
 */
int cloud_to_organised(struct organiser *g, const struct cloud *in, float unit,
		       struct organised *out, struct organise_report *report);

#endif
