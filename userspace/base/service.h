/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * service.h - daemons as systemd services: log lines, readiness, the watchdog
 */
#ifndef BASE_SERVICE_H
#define BASE_SERVICE_H

#include "base/loop.h"

/**
 * service_log() - one line on stderr, from any thread
 * @arg: not used: for sources and sinks, which pass it
 * @priority: of syslog(3); printed for journald, not on a terminal. Nothing is
 *	printed if it is above the level of base/log.h
 */
void service_log(void *arg, int priority, const char *line);
void service_logf(int priority, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * service_ready() - notify systemd, and start feeding its watchdog
 * @l: the loop: the watchdog fires if it hangs
 */
void service_ready(struct loop *l);

/* The status line of `systemctl status` */
void service_status(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

void service_stopping(struct loop *l);

#endif
