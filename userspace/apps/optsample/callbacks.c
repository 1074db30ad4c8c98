// SPDX-License-Identifier: GPL-2.0-only
/*
 * Log lines of the libraries to stderr, and profiles to the qdisc.
 */
#include <errno.h>
#include <syslog.h>
#include "apps/optsample/callbacks.h"
#include "base/cli.h"
#include "base/error.h"
#include "base/log.h"
#include "base/queue_profile.h"
#include "netdev/qdisc.h"

void callback_log(void *arg, int priority, const char *line)
{
	(void)arg;
	if (priority <= LOG_ERR)
		cli_error(0, "%s", line);
	else
		cli_warn("%s", line);
}

int callback_log_level(const char *arg)
{
	return log_level_parse(arg) ?
	       cli_error(-EINVAL, "log-level must be " LOG_LEVELS) : 0;
}

const struct netdev_log callback_netdev_log = { .log = callback_log };

int callback_set_profile(void *queue, const struct queue_profile *p,
			 struct error *error)
{
	return qdisc_set_profile(queue, p, &callback_netdev_log, error);
}
