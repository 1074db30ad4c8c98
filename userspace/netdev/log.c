// SPDX-License-Identifier: GPL-2.0-only
/*
 * One line to the caller's log, see log.h.
 */
#include <stdarg.h>
#include <stdio.h>
#include <syslog.h>
#include "netdev/log.h"

enum { LOG_LINE = 512 };

void netdev_warn(const struct netdev_log *log, const char *format, ...)
{
	char line[LOG_LINE];
	va_list args;

	if (!log->log)
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	log->log(log->arg, LOG_WARNING, line);
}

void netdev_error(const struct netdev_log *log, const char *line)
{
	if (log->log)
		log->log(log->arg, LOG_ERR, line);
}
