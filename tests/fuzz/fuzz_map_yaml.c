// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_map_yaml - hostile .yaml files of maps
 *
 * Input: a byte; lowest bit 0: the rest is the file, else it replaces the value
 * of a key. A file that can be read is written, and must then be read as the
 * same.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "map/io/map_yaml.h"

enum { PRINTED = 3 * PATH_MAX };

static bool in_range(const struct map_yaml *y)
{
	return *y->image && strlen(y->image) < sizeof(y->image) &&
	       y->resolution > 0 && pose_valid(&y->origin) &&
	       y->occupied >= 0 && y->occupied <= 1 && y->free >= 0 &&
	       y->free <= 1 && y->mode <= MAP_READ_RAW &&
	       (y->mode == MAP_READ_RAW || y->occupied > y->free);
}

static void again(const struct map_yaml *y)
{
	static char text[2][PRINTED];
	static struct map_yaml second;
	char why[ERROR_REASON];
	int n = map_yaml_print(y, "a map", text[0], PRINTED);

	if (n < 0)
		return;		/* YAML cannot express such a name */
	if ((size_t)n != strlen(text[0]))
		abort();
	/* thresholds that are nearly one become one with 15 digits */
	if (map_yaml_parse(&second, text[0], n, why)) {
		if (y->occupied - y->free > 1e-14)
			abort();
		return;
	}
	if (strcmp(second.image, y->image) || second.mode != y->mode ||
	    second.negate != y->negate ||
	    map_yaml_print(&second, "a map", text[1], PRINTED) != n ||
	    strcmp(text[0], text[1]))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const keys[] = {
		"image", "resolution", "origin", "negate", "occupied_thresh",
		"free_thresh", "mode", "any",
	};
	static const char *const rest[] = {
		"image: a.pgm\n", "resolution: 0.05\n", "origin: [1, 2, 0]\n",
	};
	static struct map_yaml y;
	char why[ERROR_REASON] = "";
	unsigned int key;
	char *text;
	int n = 0;

	if (!size)
		return 0;
	key = *data >> 1 & 7;
	text = malloc(size + 256);
	if (*data & 1) {
		for (unsigned int i = 0; i < 3; i++)
			if (i != key)
				n += sprintf(text + n, "%s", rest[i]);
		n += sprintf(text + n, "%s: ", keys[key]);
	}
	memcpy(text + n, data + 1, size - 1);
	text[n + size - 1] = 0;
	text = realloc(text, n + size);		/* no room behind */
	if (!map_yaml_parse(&y, text, n + size - 1, why)) {
		if (!in_range(&y))
			abort();
		again(&y);
	} else if (!*why || strchr(why, '\n')) {
		abort();
	}
	free(text);
	return 0;
}
