/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * colours.h - colours of values
 *
 * The lightness of each colour map is monotonic, so that it is also readable
 * without colour vision. Unknown has no colour: it is transparent.
 */
#ifndef MAP_LAYER_COLOURS_H
#define MAP_LAYER_COLOURS_H

#include <stdint.h>

enum colours {
	COLOURS_GREY,		/* occupancy: free white, occupied black */
	COLOURS_GENERAL,	/* dark blue, green, yellow */
	COLOURS_HEAT,		/* near white, orange, red, dark purple */
	COLOURS_HAZARD,		/* cream, orange, dark red */
	COLOURS_SIGNAL,		/* dark blue, green, light green */
	COLOURS,
};

/* Steps between the colours of 0 and of the full value */
enum { COLOURS_STEPS = 256 };

/**
 * colours_table() - colours from 0 to the full value
 * @n: number of evenly spaced colours, 2..COLOURS_STEPS
 */
void colours_table(enum colours colours, unsigned int n, uint8_t (*rgb)[3]);

const char *colours_name(enum colours colours);

/* By name: grey, general, ... Return: enum colours, or -ENOENT */
int colours_by_name(const char *name);

#endif
