/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * config.h - what a user tells gdimd
 */
#ifndef GDIMD_CONFIG_H
#define GDIMD_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "gdim/layer.h"

enum { CONFIG_TEXT = 512, CONFIG_LAYERS = 64, CONFIG_REMAPS = 128 };

/**
 * struct config_layer - a modality, or many of them: gas_*_map_*
 * @words:	as for layer_change(); in input= a * stands for what it stands
 *		for in the name
 * @whole:	maps, not submaps: they lie in the map's frame
 */
struct config_layer {
	char	name[LAYER_NAME], words[256];
	bool	whole;
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
 * @temperature, @smoke, @gas: physical range: low, high
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
	double			temperature[2], smoke[2], gas[2];
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

/* The topic that is used instead of @name, or that itself */
const char *config_topic(const struct config *c, const char *name);

#endif
