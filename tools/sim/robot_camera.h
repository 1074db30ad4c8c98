/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * robot_camera.h - what cameras of the simulated robot see
 */
#ifndef SIM_ROBOT_CAMERA_H
#define SIM_ROBOT_CAMERA_H

#include "base/pose.h"
#include "codec/image/image.h"
#include "robot_world.h"

/**
 * struct robot_camera
 * @at:		its place and direction in the building
 * @z:		height, m
 * @view:	angle that it sees from left to right, rad
 * @t:		time, s: flames and smoke move
 */
struct robot_camera {
	struct pose	at;
	float		z, view, t;
};

/* @image: 8 bits, 3 channels */
void robot_camera_see(const struct world *w, const struct robot_camera *c,
		      struct image *image);

/* @image: 16 bits, 1 channel, 1/100 K */
void robot_camera_feel(const struct world *w, const struct robot_camera *c,
		       struct image *image);

/* Share of the light that comes back, 0..1 */
float robot_surface_light(const struct world_hit *h);

/* -1..1, smooth in both coordinates */
float robot_noise(float x, float y);

#endif
