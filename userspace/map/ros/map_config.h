/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * map_config.h - layers and topics of a map, as configured
 */
#ifndef MAP_ROS_MAP_CONFIG_H
#define MAP_ROS_MAP_CONFIG_H

#include <stdbool.h>
#include "base/error.h"
#include "map/layer/layer.h"

enum { MAP_CONFIG_TEXT = 512, MAP_CONFIG_LAYERS = 64, MAP_CONFIG_REMAPS = 128 };

/**
 * struct map_config_layer - one layer, or a wildcard: gas_*_map_*
 * @words:	as for layer_change(); a * in input= is replaced as in the
 *		name. The user's words come first, then those of the default
 *		layer with other keys
 * @own:	bytes of @words from the user; 0: none
 * @whole:	maps in the frame of the map; in that of a node they are submaps
 */
struct map_config_layer {
	char		name[LAYER_NAME], words[512];
	bool		whole;
	unsigned int	own;
};

/* Other names for D4.1's topics */
struct map_config_remap {
	char	from[MAP_CONFIG_TEXT], to[MAP_CONFIG_TEXT];
};

/**
 * struct map_config - what input, publisher and recordings have in common
 * @frame:	of the map, in messages
 * @rate:	Hz, initial rate of each output
 * @slop:	s; 0: submaps belong to the node that their frame names; else to
 *		the transform with the nearest stamp, at most this far away
 * @storey:	m, as in struct site_config
 * @range:	physical values of 0 and of the full value, by modality
 * @ranged:	by modality: the user gave a limit of its range
 */
struct map_config {
	char			frame[MAP_CONFIG_TEXT];
	double			rate, slop, storey;
	double			range[MODALITIES][2];
	bool			ranged[MODALITIES];
	struct map_config_layer	layer[MAP_CONFIG_LAYERS];
	unsigned int		layers;
	struct map_config_remap	remap[MAP_CONFIG_REMAPS];
	unsigned int		remaps;
};

/* Frame "map", 1 Hz, the usual ranges, no layers */
void map_config_init(struct map_config *c);

/**
 * map_config_add_layer() - add a line of configuration
 * @line:	NAME KEY=VALUE ...
 * @whole:	see struct map_config_layer
 * @error:	gets one line
 *
 * Return: 0, -EINVAL.
 */
int map_config_add_layer(struct map_config *c, const char *line, bool whole,
			 struct error *error);

/* Add the layers of D4.1's tables whose names no line has */
void map_config_add_defaults(struct map_config *c);

/* @text: /FROM:=/TO. Return: 0; -EINVAL, also for too many */
int map_config_add_remap(struct map_config *c, const char *text);

/**
 * map_config_make_layer() - the layer that a line of configuration describes
 * @name: a name that matches the pattern of @from
 */
int map_config_make_layer(const struct map_config *c,
			  const struct map_config_layer *from, const char *name,
			  struct layer *l, struct error *error);

/* The line for a layer; NULL: none */
const struct map_config_layer *map_config_find(const struct map_config *c,
					       const char *name);

/* A line's input: topic below /gdim/input/, may have wildcards */
void map_config_input(const struct map_config_layer *l, char input[LAYER_NAME]);

/**
 * map_config_name() - the layer for an input topic
 * @input:	the topic, below /gdim/input/
 * @name:	of the layer
 *
 * Return: 0; -ENOENT: no line has this input.
 */
int map_config_name(const struct map_config *c, const char *input,
		    char name[LAYER_NAME]);

/**
 * map_config_difference() - words of the user that differ from the stored layer
 * @now:	the layer in the store
 * @words:	gets them, for layer_change(); empty: none
 */
void map_config_difference(const struct map_config_layer *from,
			   const struct layer *now, char words[512]);

/**
 * map_config_update() - apply settings that override the store
 *
 * The input is always the line's. The range is that of the options if the user
 * gave one for this modality and the line has none.
 */
void map_config_update(const struct map_config *c,
		       const struct map_config_layer *from, struct layer *l);

/* The topic that @name is remapped to, or @name */
const char *map_config_topic(const struct map_config *c, const char *name);

#endif
