/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How far the robot has come, from nav_msgs/Odometry, for topics that are
 * sampled by distance.
 */
#ifndef OPTSAMPLE_CTL_ODOMETER_H
#define OPTSAMPLE_CTL_ODOMETER_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct odometer - a sum of steps
 * @started:	@x, @y and @z mean something
 * @x:		where the last step ended, m
 * @y:
 * @z:
 * @travelled:	so far, m
 */
struct odometer {
	bool	started;
	double	x, y, z;
	double	travelled;
};

/**
 * odometer_step - the robot is at a place
 * @o:	the odometer
 * @x:	m
 * @y:
 * @z:
 *
 * Steps of less than a centimetre wait until they have become one: a robot
 * that stands still trembles. What is not finite is left out. A step of more
 * than a kilometre is no way: it goes on from there.
 *
 * Return: millimetres travelled, never decreasing
 */
uint64_t odometer_step(struct odometer *o, double x, double y, double z);

#endif
