/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where warnings go: what was done in another way than asked for, and events
 * that the user should see. Errors are returned; those of a thread that goes on
 * are logged.
 */
#ifndef NETDEV_LOG_H
#define NETDEV_LOG_H

/**
 * struct netdev_log - who gets the warnings
 * @log:	from any thread; @priority: of syslog(3); NULL: none
 * @arg:	for @log
 */
struct netdev_log {
	void	(*log)(void *arg, int priority, const char *line);
	void	*arg;
};

void netdev_warn(const struct netdev_log *log, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* An error of what goes on all the same */
void netdev_error(const struct netdev_log *log, const char *line);

#endif
