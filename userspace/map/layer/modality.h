/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * modality.h - the modalities of layers, as one table
 *
 * Users name the modality of a layer with role=NAME. A new modality is one row
 * of modality.c, and its number here.
 */
#ifndef MAP_LAYER_MODALITY_H
#define MAP_LAYER_MODALITY_H

#include <stdbool.h>
#include <stddef.h>
#include "map/fusion/rule.h"
#include "map/layer/colours.h"

/* In the order in which rooms report them (D4.1, table 3) */
enum modality {
	MODALITY_OTHER,
	MODALITY_OBSTACLE,
	MODALITY_TEMPERATURE,
	MODALITY_GAS,
	MODALITY_SMOKE,
	MODALITY_SIGNAL,
	MODALITY_HAZARD,
	MODALITY_COST,
	MODALITIES,
};

/**
 * enum modality_report - how rooms and spots report a modality
 * @MODALITY_UNREPORTED:	not at all
 * @MODALITY_PER_LAYER:		one physical value for each layer
 * @MODALITY_PHYSICAL:		one physical value
 * @MODALITY_PERCENT:		one value, 0..100
 */
enum modality_report {
	MODALITY_UNREPORTED, MODALITY_PER_LAYER, MODALITY_PHYSICAL,
	MODALITY_PERCENT,
};

/**
 * enum modality_aggregate - one value of several cells or layers
 * @MODALITY_MEAN:	mean of cells; best layer, see modality_values.h
 * @MODALITY_MAX:	highest value: no wall and no hazard is lost
 */
enum modality_aggregate { MODALITY_MEAN, MODALITY_MAX };

/**
 * struct modality_info - a row of the table
 * @name:	value of role=, JSON key, column of SQL and GeoPackage
 * @rule:	default rule of fusion
 * @colours:	default colours of pictures
 * @aggregate:	value of a room or of a larger cell
 * @report:	in rooms and spots
 * @in_room:	offset in struct message_room (D4.1, table 3), if
 *		modality_is_single(): float, or int8_t of MODALITY_PERCENT
 * @in_spot:	offset in struct service_spot_response, of the same type
 * @range:	physical values of 0 and of the full value by default, in the
 *		unit of D4.1; equal: those of the layer's line
 * @option:	of gdimd, for each of @range, or NULL
 */
struct modality_info {
	const char		*name;
	enum rule_id		rule;
	enum colours		colours;
	enum modality_aggregate	aggregate;
	enum modality_report	report;
	size_t			in_room, in_spot;
	double			range[2];
	const char		*option[2];
};

const struct modality_info *modality_get(enum modality m);

/* Do rooms and spots report one value, not one for each layer? */
bool modality_is_single(enum modality m);

/* Is it a valid value of a room? NAN: unknown */
bool modality_value_valid(enum modality m, double value);

/* Set all values to unknown */
void modality_unknown(double value[MODALITIES]);

/* Return: enum modality, or -ENOENT */
int modality_by_name(const char *name);

#endif
