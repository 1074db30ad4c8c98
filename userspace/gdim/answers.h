/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * answers.h - what people and programs ask of a site, answered as JSON
 *
 * The same for the command line, the daemon's socket and its HTTP.
 */
#ifndef GDIM_ANSWERS_H
#define GDIM_ANSWERS_H

#include <cjson/cJSON.h>
#include "gdim/site.h"

/**
 * answer_spot() - all layers at a point (D4.1, section 5.1)
 * @x, @y: m, in the map
 * @out: gets "x", "y"; "layers": for each one "value" (0..100, 0..1, null:
 *	unknown) and "physical" with "unit" if it has one; and by role
 *	"temperature", "gases", "smoke", "signal", "hazard"
 *
 * Return: 0; -EINVAL: no such point; -ENOMEM.
 */
int answer_spot(struct site *s, double x, double y, cJSON *out,
		char error[SITE_ERROR]);

/* "layers": each with what it means and what there is of it */
int answer_layers(struct site *s, cJSON *out);

/* "nodes", "placed", "submaps", "waiting", "cell_bytes", "tile_bytes" */
int answer_status(struct site *s, cJSON *out);

#endif
