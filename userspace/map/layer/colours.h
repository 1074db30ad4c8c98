/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * colours.h - what a value looks like
 *
 * Each map of colours goes one way in lightness, so that more is more for those
 * who see no colours, too. What is unknown has no colour: it is transparent.
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
 * colours_table() - the colours from 0 to the full value
 * @n: of them, evenly, 2..COLOURS_STEPS
 */
void colours_table(enum colours colours, unsigned int n, uint8_t (*rgb)[3]);

const char *colours_name(enum colours colours);

/* grey, general, ... Return: enum colours, or -ENOENT */
int colours_by_name(const char *name);

#endif
