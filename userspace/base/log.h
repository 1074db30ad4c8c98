/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * log.h - --log-level of all daemons: which lines they log
 *
 * At `debug` a daemon also says why it decides as it does: once for each
 * change of a decision, with the name of what it is about and the reason.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>
#include <syslog.h>
#include "base/service.h"

/* Lines of a priority of syslog(3) above this one are left out */
extern int log_level;

/* error, warning, info or debug. Return: 0, -EINVAL: @log_level stays */
int log_level_parse(const char *text);

/* What log_level_parse() takes for the level now */
const char *log_level_name(void);

#define LOG_LEVELS "error, warning, info or debug"

/* The row of a table of settings */
int log_level_set(void *config, const char *value);
#define LOG_LEVEL_HELP \
	"log " LOG_LEVELS " (why it decides as it does) (info)"
#define LOG_LEVEL_SETTING \
	{ "log-level", "LEVEL", LOG_LEVEL_HELP, LOG_LEVELS, log_level_set }

static inline bool log_shows(int priority)
{
	return __builtin_expect(priority <= log_level, priority < LOG_DEBUG);
}

/* Arguments are only evaluated if the line is logged */
#define log_debug(...) do {						\
	if (log_shows(LOG_DEBUG))					\
		service_logf(LOG_DEBUG, __VA_ARGS__);			\
} while (0)

#endif
