// SPDX-License-Identifier: GPL-2.0-only
/*
 * log - the level of log lines
 */
#include <errno.h>
#include <string.h>
#include "base/log.h"

int log_level = LOG_INFO;

static const struct {
	const char	*name;
	int		priority;
} levels[] = {
	{ "error", LOG_ERR }, { "warning", LOG_WARNING }, { "info", LOG_INFO },
	{ "debug", LOG_DEBUG },
};

enum { LEVELS = sizeof(levels) / sizeof(*levels) };

int log_level_parse(const char *text)
{
	for (unsigned int i = 0; i < LEVELS; i++)
		if (!strcmp(levels[i].name, text)) {
			log_level = levels[i].priority;
			return 0;
		}
	return -EINVAL;
}

const char *log_level_name(void)
{
	unsigned int i = 0;

	while (levels[i].priority < log_level && i + 1 < LEVELS)
		i++;
	return levels[i].name;
}

int log_level_set(void *config, const char *value)
{
	(void)config;
	return log_level_parse(value);
}
