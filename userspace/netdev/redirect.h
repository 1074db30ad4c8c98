/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The redirect of DEV to its queue, after `up`.
 */
#ifndef NETDEV_REDIRECT_H
#define NETDEV_REDIRECT_H

#include "netdev/state.h"

/**
 * redirect_again - redirect the device that has the name now
 * @st:		of an interface that is up; saved
 *
 * The queue outlives its device, but the redirect to it does not. The redirect
 * of a renamed device is removed: if several radios are plugged in at once, a
 * wrong one may have had the name for a moment.
 *
 * Return: whether it is redirected
 */
bool redirect_again(struct state *st);

/**
 * redirect_guard - is the redirect in place, and the queue there?
 * @st:		of an interface that is up, whose device is the same; saved
 *
 * What is redirected to a device that is gone or down is lost. The redirect is
 * removed then, and comes back with the queue, or if someone removed it.
 */
void redirect_guard(struct state *st);

#endif
