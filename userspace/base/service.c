// SPDX-License-Identifier: GPL-2.0-only
/*
 * service - the daemons as systemd services
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <systemd/sd-daemon.h>
#include "base/cli.h"
#include "base/log.h"

static struct loop_timer watchdog;
static uint64_t interval;		/* ns */

/* journald reads the priority at the start of a line */
void service_log(void *arg, int priority, const char *line)
{
	(void)arg;
	if (!log_shows(priority))
		return;
	if (getenv("JOURNAL_STREAM"))
		fprintf(stderr, "<%d>%s\n", priority, line);
	else
		fprintf(stderr, "%s: %s\n", cli_program, line);
}

void service_logf(int priority, const char *format, ...)
{
	char line[512];
	va_list ap;

	if (!log_shows(priority))
		return;
	va_start(ap, format);
	vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	service_log(NULL, priority, line);
}

static void feed(void *arg, uint64_t now)
{
	(void)arg;
	sd_notify(0, "WATCHDOG=1");
	watchdog.due = now + interval / 2;
}

void service_ready(struct loop *l)
{
	uint64_t us;

	sd_notify(0, "READY=1");
	if (sd_watchdog_enabled(0, &us) <= 0)
		return;
	interval = us * 1000;
	watchdog.expired = feed;
	watchdog.due = loop_now();
	loop_add_timer(l, &watchdog);
}

void service_status(const char *format, ...)
{
	char line[256];
	va_list ap;

	va_start(ap, format);
	vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	sd_notifyf(0, "STATUS=%s", line);
}

void service_stopping(struct loop *l)
{
	sd_notify(0, "STOPPING=1");
	loop_remove_timer(l, &watchdog);
}
