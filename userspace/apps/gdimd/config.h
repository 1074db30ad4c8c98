/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * config.h - what a user tells gdimd
 */
#ifndef APPS_GDIMD_CONFIG_H
#define APPS_GDIMD_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "map/layer/layer.h"

enum { CONFIG_TEXT = 512, CONFIG_LAYERS = 64, CONFIG_REMAPS = 128 };

/* Hz, of an output; 0 is never */
enum { CONFIG_RATE_MAX = 100 };
bool config_rate_valid(double hz);

/**
 * struct config_layer - a modality, or many of them: gas_*_map_*
 * @words:	as for layer_change(); in input= a * stands for what it stands
 *		for in the name. Behind those of the user are those of the
 *		default of that name that the user has not got
 * @own:	bytes of @words that are the user's; 0: nobody said anything
 * @whole:	maps that lie in the map's frame; in that of a node they are submaps
 */
struct config_layer {
	char		name[LAYER_NAME], words[512];
	bool		whole;
	unsigned int	own;
};

/* Who uses other names for topics than D4.1 */
struct config_remap {
	char	from[CONFIG_TEXT], to[CONFIG_TEXT];
};

/**
 * struct config - all of it
 * @from, @to:	see ends/source.h, ends/sink.h; empty: nothing
 * @frame:	of the map, in messages
 * @rate:	Hz, of each output at first
 * @slop:	s; 0: submaps belong to the node that their frame names; else to
 *		the transform with the nearest stamp, no further than this
 * @http:	where it is listened to, empty: nowhere; @http_tokens: a file, empty:
 *		none (web_auth.h)
 * @range:	physical values of 0 and of the full value, by modality
 * @ranged:	by modality: the user gave one of its range
 * @records:	folder of logs and snapshots; empty: that of the store, -logs
 * @log:	Hz, from the beginning; 0: no
 * @quota, @log_size: bytes, see recorder.h
 */
struct config {
	char			store[CONFIG_TEXT], from[CONFIG_TEXT];
	char			to[CONFIG_TEXT], socket[CONFIG_TEXT];
	char			http[CONFIG_TEXT], http_tokens[CONFIG_TEXT];
	char			node[CONFIG_TEXT], frame[CONFIG_TEXT];
	double			rate, slop;
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
 * config_parse() - command line, and the file that it names
 *
 * The layers of D4.1's tables are there unless told otherwise; lines of the
 * user with the same name replace them. Errors are told.
 *
 * Return: 0 or a negative errno.
 */
int config_parse(struct config *c, int argc, char **argv);

/**
 * config_make_layer() - what a line of configuration means
 * @name: as the pattern of @from, with what its stars stand for
 */
int config_make_layer(const struct config *c, const struct config_layer *from,
		      const char *name, struct layer *l, char error[256]);

/* The line that a layer is of; NULL: none */
const struct config_layer *config_line(const struct config *c,
				       const char *name);

/* A line's input: topic below /gdim/input/, may have stars */
void config_input(const struct config_layer *l, char input[LAYER_NAME]);

/**
 * config_name() - the name that a line has for what comes in on a topic
 * @input:	the topic, below /gdim/input/
 * @name:	of the layer, if there is one of each message
 *
 * Return: 0; -ENOENT: no line has this input.
 */
int config_name(const struct config *c, const char *input,
		char name[LAYER_NAME]);

/**
 * config_difference() - what a line's user says, and the layer is not
 * @now:	as it is in the store
 * @words:	gets it, for layer_change(); empty: nothing
 */
void config_difference(const struct config_layer *from,
		       const struct layer *now, char words[512]);

/**
 * config_update() - what counts more than the store
 *
 * Its input is where messages of it come from; its range is that of the options
 * if the user gave one for its modality, and no range in its line.
 */
void config_update(const struct config *c, const struct config_layer *from,
		   struct layer *l);

/* The topic that is used instead of @name, or that itself */
const char *config_topic(const struct config *c, const char *name);

#endif
