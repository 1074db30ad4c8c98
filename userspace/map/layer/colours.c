// SPDX-License-Identifier: GPL-2.0-only
/*
 * colours - colours of values
 */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include "map/layer/colours.h"

enum { ANCHORS = 9 };

/* Nearly even steps of lightness between anchors */
static const struct {
	const char	*name;
	uint8_t		anchor[ANCHORS][3];
} maps[COLOURS] = {
	[COLOURS_GREY] = { "grey", {
		{ 254, 254, 254 }, { 222, 222, 222 }, { 190, 190, 190 },
		{ 159, 159, 159 }, { 127, 127, 127 }, { 95, 95, 95 },
		{ 64, 64, 64 }, { 32, 32, 32 }, { 0, 0, 0 },
	} },
	[COLOURS_GENERAL] = { "general", {
		{ 66, 4, 86 }, { 71, 44, 122 }, { 59, 82, 139 },
		{ 44, 113, 142 }, { 33, 145, 140 }, { 40, 174, 128 },
		{ 94, 201, 98 }, { 173, 220, 48 }, { 252, 231, 40 },
	} },
	[COLOURS_HEAT] = { "heat", {
		{ 252, 248, 240 }, { 252, 238, 200 }, { 252, 218, 134 },
		{ 252, 184, 72 }, { 246, 140, 34 }, { 226, 88, 30 },
		{ 190, 36, 58 }, { 136, 8, 84 }, { 72, 0, 86 },
	} },
	[COLOURS_HAZARD] = { "hazard", {
		{ 255, 246, 228 }, { 254, 228, 194 }, { 253, 205, 148 },
		{ 252, 174, 104 }, { 249, 138, 70 }, { 235, 98, 48 },
		{ 208, 56, 30 }, { 166, 18, 14 }, { 112, 0, 4 },
	} },
	[COLOURS_SIGNAL] = { "signal", {
		{ 10, 26, 84 }, { 18, 54, 116 }, { 22, 84, 140 },
		{ 24, 114, 152 }, { 30, 144, 154 }, { 58, 172, 148 },
		{ 108, 198, 142 }, { 166, 222, 150 }, { 226, 244, 180 },
	} },
};

void colours_table(enum colours colours, unsigned int n, uint8_t (*rgb)[3])
{
	const uint8_t (*a)[3] = maps[colours].anchor;

	assert(n > 1 && colours < COLOURS);
	for (unsigned int i = 0; i < n; i++) {
		const unsigned int at = i * (ANCHORS - 1);
		const unsigned int k = at / (n - 1), part = at % (n - 1);
		const unsigned int next = k + 1 < ANCHORS ? k + 1 : k;

		for (int c = 0; c < 3; c++)
			rgb[i][c] = (a[k][c] * (n - 1 - part) +
				     a[next][c] * part + (n - 1) / 2) / (n - 1);
	}
}

const char *colours_name(enum colours colours)
{
	return maps[colours].name;
}

int colours_by_name(const char *name)
{
	for (int i = 0; i < COLOURS; i++)
		if (!strcmp(name, maps[i].name))
			return i;
	return -ENOENT;
}
