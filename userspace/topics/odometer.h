/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Distance that the robot has travelled, from nav_msgs/Odometry, for topics
 * that are sampled by distance.
 */
#ifndef TOPICS_ODOMETER_H
#define TOPICS_ODOMETER_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct odometer - a sum of steps
 * @started:	@x, @y and @z are valid
 * @x:		end of the last step, m
 * @y:
 * @z:
 * @travelled:	total, m
 */
struct odometer {
	bool	started;
	double	x, y, z;
	double	travelled;
};

/**
 * odometer_step - add a position of the robot
 * @o:	the odometer
 * @x:	m
 * @y:
 * @z:
 *
 * Steps of less than a centimetre are added up first: a robot that stands still
 * jitters. Positions that are not finite are ignored. A step of more than a
 * kilometre is not counted; the next one starts from there.
 *
 * Return: millimetres travelled, never decreasing
 */
uint64_t odometer_step(struct odometer *o, double x, double y, double z);

#endif
