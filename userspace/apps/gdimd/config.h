/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * config.h - settings of gdimd
 */
#ifndef APPS_GDIMD_CONFIG_H
#define APPS_GDIMD_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "map/ros/map_config.h"

enum { CONFIG_TEXT = 512 };

/**
 * struct config - the settings
 * @from, @to:	see ros/io/source.h, ros/io/sink.h; empty: none
 * @http:	listen address, empty: no HTTP; @http_tokens: a file, empty:
 *		none (http_auth.h)
 * @map:	frame, layers, topics and rates
 * @records:	folder of logs and snapshots; empty: the store's name and -logs
 * @log:	Hz, initial rate of the log; 0: none
 * @quota, @log_size: bytes, see recorder.h
 */
struct config {
	char			store[CONFIG_TEXT], from[CONFIG_TEXT];
	char			to[CONFIG_TEXT], socket[CONFIG_TEXT];
	char			http[CONFIG_TEXT], http_tokens[CONFIG_TEXT];
	char			node[CONFIG_TEXT];
	size_t			memory;
	unsigned int		threads;
	char			records[CONFIG_TEXT];
	double			log;
	uint64_t		quota, log_size;
	bool			defaults;
	struct map_config	map;
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

#endif
