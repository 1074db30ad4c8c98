/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * config.h - settings of gdimd
 */
#ifndef APPS_GDIMD_CONFIG_H
#define APPS_GDIMD_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/error.h"
#include "map/layer/layer.h"

enum { CONFIG_TEXT = 512, CONFIG_LAYERS = 64, CONFIG_REMAPS = 128 };

/* Hz, of an output; 0: never */
enum { CONFIG_RATE_MAX = 100 };
bool config_rate_valid(double hz);

/**
 * struct config_layer - one layer, or a wildcard: gas_*_map_*
 * @words:	as for layer_change(); a * in input= is replaced as in the
 *		name. The user's words come first, then those of the default
 *		layer with other keys
 * @own:	bytes of @words from the user; 0: none
 * @whole:	maps in the frame of the map; in that of a node they are submaps
 */
struct config_layer {
	char		name[LAYER_NAME], words[512];
	bool		whole;
	unsigned int	own;
};

/* Other names for D4.1's topics */
struct config_remap {
	char	from[CONFIG_TEXT], to[CONFIG_TEXT];
};

/**
 * struct config - the settings
 * @from, @to:	see ros/io/source.h, ros/io/sink.h; empty: none
 * @frame:	of the map, in messages
 * @rate:	Hz, initial rate of each output
 * @slop:	s; 0: submaps belong to the node that their frame names; else to
 *		the transform with the nearest stamp, at most this far away
 * @http:	listen address, empty: no HTTP; @http_tokens: a file, empty:
 *		none (http_auth.h)
 * @range:	physical values of 0 and of the full value, by modality
 * @ranged:	by modality: the user gave a limit of its range
 * @records:	folder of logs and snapshots; empty: the store's name and -logs
 * @log:	Hz, initial rate of the log; 0: none
 * @quota, @log_size: bytes, see recorder.h
 */
struct config {
	char			store[CONFIG_TEXT], from[CONFIG_TEXT];
	char			to[CONFIG_TEXT], socket[CONFIG_TEXT];
	char			http[CONFIG_TEXT], http_tokens[CONFIG_TEXT];
	char			node[CONFIG_TEXT], frame[CONFIG_TEXT];
	double			rate, slop;
	double			storey;		/* as in struct site_config */
	size_t			memory;
	unsigned int		threads;
	double			range[MODALITIES][2];
	bool			ranged[MODALITIES];
	char			records[CONFIG_TEXT];
	double			log;
	uint64_t		quota, log_size;
	bool			defaults;
	struct config_layer	layer[CONFIG_LAYERS];
	unsigned int		layers;
	struct config_remap	remap[CONFIG_REMAPS];
	unsigned int		remaps;
};

/**
 * config_parse() - read the command line and the file that it names
 *
 * The layers of D4.1's tables are the default; lines of the user with the same
 * name replace them. Errors are logged.
 *
 * Return: 0 or a negative errno.
 */
int config_parse(struct config *c, int argc, char **argv);

/**
 * config_make_layer() - the layer that a line of configuration describes
 * @name: a name that matches the pattern of @from
 */
int config_make_layer(const struct config *c, const struct config_layer *from,
		      const char *name, struct layer *l,
		      char error[ERROR_TEXT]);

/* The line for a layer; NULL: none */
const struct config_layer *config_line(const struct config *c,
				       const char *name);

/* A line's input: topic below /gdim/input/, may have wildcards */
void config_input(const struct config_layer *l, char input[LAYER_NAME]);

/**
 * config_name() - the layer for an input topic
 * @input:	the topic, below /gdim/input/
 * @name:	of the layer
 *
 * Return: 0; -ENOENT: no line has this input.
 */
int config_name(const struct config *c, const char *input,
		char name[LAYER_NAME]);

/**
 * config_difference() - words of the user that differ from the stored layer
 * @now:	the layer in the store
 * @words:	gets them, for layer_change(); empty: none
 */
void config_difference(const struct config_layer *from,
		       const struct layer *now, char words[512]);

/**
 * config_update() - apply settings that override the store
 *
 * The input is always the line's. The range is that of the options if the user
 * gave one for this modality and the line has none.
 */
void config_update(const struct config *c, const struct config_layer *from,
		   struct layer *l);

/* The topic that @name is remapped to, or @name */
const char *config_topic(const struct config *c, const char *name);

#endif
