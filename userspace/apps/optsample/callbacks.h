/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the libraries call: log lines, and profiles of the qdisc.
 */
#ifndef APPS_OPTSAMPLE_CALLBACKS_H
#define APPS_OPTSAMPLE_CALLBACKS_H

#include "base/error.h"
#include "base/queue_profile.h"
#include "netdev/log.h"

/* One line on stderr: an error, or else a warning */
void callback_log(void *arg, int priority, const char *line);
/* --log-level of `up` and its daemon. Return: 0, or -EINVAL after one line */
int callback_log_level(const char *arg);
extern const struct netdev_log callback_netdev_log;

/* For struct rules_set. @queue: name of the device with the qdisc */
int callback_set_profile(void *queue, const struct queue_profile *p,
			 struct error *error);

#endif
