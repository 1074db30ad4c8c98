/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * send_config.h - settings of optsample-send
 */
#ifndef APPS_OPTSAMPLE_SEND_SEND_CONFIG_H
#define APPS_OPTSAMPLE_SEND_SEND_CONFIG_H

#include "base/settings.h"
#include "transport/sender.h"

enum { SEND_SOURCES = 8, SEND_TEXT = 512 };

/**
 * struct send_config - the settings
 * @source:	see ros/io/source.h; @sources of them
 * @speed, @start, @hz, @loop: of recordings and files
 * @from_line:	number of topics from the command line; they are the first
 */
struct send_config {
	char			to[SEND_TEXT], node[SEND_TEXT];
	char			socket[SEND_TEXT], metrics[SEND_TEXT];
	char			source[SEND_SOURCES][SEND_TEXT];
	unsigned int		sources;
	double			speed, start, hz;
	bool			loop;
	unsigned int		from_line;
	struct sender_options	sender;
};

/* Defaults; the robot's name is the host name */
void send_config_init(struct send_config *c);

/**
 * send_config_parse() - read the command line, and the file that it names
 *
 * The command line overrides the file. Errors are logged.
 *
 * Return: 0 or a negative errno.
 */
int send_config_parse(struct send_config *c, int argc, char **argv);

/* Of the sender, and of a topic; also used by commands */
extern const struct setting send_settings[];
extern const struct setting send_topic_settings[];

#endif
