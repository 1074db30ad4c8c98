/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * service.h - what daemons are to the system: log lines, readiness, the
 * watchdog
 */
#ifndef BASE_SERVICE_H
#define BASE_SERVICE_H

#include "base/loop.h"

/**
 * service_log() - one line on stderr, from any thread
 * @arg: not used: this is what sources and sinks are given
 * @priority: of syslog(3); journald is told it, a terminal is not
 */
void service_log(void *arg, int priority, const char *line);
void service_logf(int priority, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * service_ready() - tell systemd, and from now on that we live
 * @l: the loop: one that hangs does not feed the watchdog
 */
void service_ready(struct loop *l);

/* What `systemctl status` shows */
void service_status(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

void service_stopping(struct loop *l);

#endif
