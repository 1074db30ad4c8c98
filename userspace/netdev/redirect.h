/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The redirect of DEV to its queue, after `up`.
 */
#ifndef NETDEV_REDIRECT_H
#define NETDEV_REDIRECT_H

#include <stdbool.h>
#include "base/error.h"
#include "netdev/log.h"
#include "netdev/state.h"

/**
 * redirect_restore() - redirect the device that has the name now
 * @st:		of an interface that is up; saved
 * @done:	out: it is redirected; false without an error if there is nothing
 *		to redirect
 *
 * The queue outlives its device, but the redirect to it does not. The redirect
 * of a renamed device is removed: if several radios are plugged in at once, a
 * wrong one may have had the name for a moment.
 *
 * Return: 0 or a negative errno.
 */
int redirect_restore(struct state *st, bool *done, struct error *error);

/**
 * redirect_guard() - is the redirect in place, and the queue there?
 * @st:		of an interface that is up, whose device is the same; saved
 * @log:	gets a line for a change
 *
 * What is redirected to a device that is gone or down is lost. The redirect is
 * removed then, and comes back with the queue, or if someone removed it.
 *
 * Return: 0 or a negative errno.
 */
int redirect_guard(struct state *st, const struct netdev_log *log,
		   struct error *error);

#endif
