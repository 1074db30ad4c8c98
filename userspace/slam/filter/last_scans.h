/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * last_scans.h - the scans of the last updates, and what they say about a new
 * one
 */
#ifndef SLAM_FILTER_LAST_SCANS_H
#define SLAM_FILTER_LAST_SCANS_H

#include "slam/filter/trajectory_tree.h"
#include "slam/filter/visibility.h"

enum { LAST_SCANS = 16 };

/**
 * struct last_scan
 * @reading:	its ranges are in @range
 * @room:	of @range, beams
 */
struct last_scan {
	struct reading	reading;
	float		*range;
	uint32_t	room;
};

/**
 * struct last_scans
 * @scan:	of update u: number u % LAST_SCANS
 * @updates:	how many were added
 */
struct last_scans {
	struct last_scan	scan[LAST_SCANS];
	uint64_t		updates;
};

/* Keep a copy of a scan. Return: 0; -ENOMEM */
int last_scan_keep(struct last_scan *s, const struct reading *reading);

/* Copies the scan of an update. Return: 0; -ENOMEM */
int last_scans_add(struct last_scans *l, const struct reading *reading);
void last_scans_free(struct last_scans *l);

/* The scan @age updates ago, 1 to LAST_SCANS - 1. Return: NULL: there is none */
const struct reading *last_scans_of_age(const struct last_scans *l,
					unsigned int age);

/**
 * last_scans_against() - how far a scan contradicts the last ones
 * @id:	the step of a particle at the last update
 * @pose: of the robot at @reading, in the map of that particle
 *
 * Return: 0..1; NAN: they have too little in common.
 */
double last_scans_against(const struct last_scans *l,
			  const struct trajectory_tree *tree,
			  trajectory_tree_id id, const struct reading *reading,
			  const struct pose *pose);

#endif
