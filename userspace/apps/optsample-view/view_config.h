/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * view_config.h - settings of optsample-view
 */
#ifndef APPS_OPTSAMPLE_VIEW_VIEW_CONFIG_H
#define APPS_OPTSAMPLE_VIEW_VIEW_CONFIG_H

#include "base/settings.h"
#include "transport/receiver.h"

enum {
	VIEW_SOURCES	= 8,
	VIEW_SINKS	= 8,
	VIEW_PATTERNS	= 64,
	VIEW_PUBLISH	= 16,
	VIEW_ORIGINS	= 16,
	VIEW_TEXT	= 512,
};

/**
 * struct view_config - the settings
 * @listen:	of the receiver; "": none
 * @source:	see ros/io/source.h; @sink: see ros/io/sink.h
 * @pattern:	of topics of sources, fnmatch(3); none: all
 * @publish:	topics that clients may publish, NULL after the last; to
 *		@publish_to, unless they may be older than @publish_age, ms
 * @origin:	see struct server_config, NULL after the last
 */
struct view_config {
	char			listen[VIEW_TEXT], node[VIEW_TEXT];
	char			http[VIEW_TEXT], foxglove[VIEW_TEXT];
	char			tokens[VIEW_TEXT], assets[VIEW_TEXT];
	char			gdim[VIEW_TEXT], gdim_token[VIEW_TEXT];
	char			socket[VIEW_TEXT], publish_to[VIEW_TEXT];
	char			source[VIEW_SOURCES][VIEW_TEXT];
	char			sink[VIEW_SINKS][VIEW_TEXT];
	char			*pattern[VIEW_PATTERNS];
	char			*publish[VIEW_PUBLISH + 1];
	char			*origin[VIEW_ORIGINS + 1];
	unsigned int		sources, sinks, patterns, publishes, origins;
	uint32_t		memory, publish_age;
	double			speed, start, hz;
	bool			loop;
	struct receiver_options	receiver;
};

/* Defaults */
void view_config_init(struct view_config *c);

/*
 * The command line, and the file that it names; errors are logged. Return: 0 or
 * a negative errno
 */
int view_config_parse(struct view_config *c, int argc, char **argv);
void view_config_free(struct view_config *c);

#endif
