// SPDX-License-Identifier: GPL-2.0-only
/*
 * The redirect of DEV to its queue: made again, or removed while the queue is
 * not there.
 */
#include <assert.h>
#include <unistd.h>
#include "base/error.h"
#include "netdev/classifier.h"
#include "netdev/log.h"
#include "netdev/netlink.h"
#include "netdev/redirect.h"
#include "netdev/stack.h"
#include "netdev/state.h"

/* It was set up with a redirect, and in this network namespace */
static bool redirect_is_ours(const struct state *st)
{
	return st->ready && st->stack.made_ifb && state_is_here(st);
}

int redirect_restore(struct state *st, bool *done, struct error *error)
{
	bool clsact = st->stack.made_clsact;
	char pins[CLASSIFIER_PATH];
	struct error ignored;
	int redirect, err, saved;

	*done = false;
	if (!redirect_is_ours(st))
		return 0;
	err = stack_redirect_undo(&st->stack, error);
	if (err)
		return err;
	st->ready = false;
	classifier_pins(st->stack.dev, pins);
	redirect = classifier_map(pins, "redirect");	/* if there is one */
	err = stack_plan(&st->stack, error) ?: state_save(st, error) ?:
	      stack_own(&st->stack, error) ?:
	      stack_redirect(&st->stack, redirect, error);
	if (redirect >= 0)
		close(redirect);
	*done = !err;
	/* It stays if the user has filters there, and is ours all the same. */
	st->stack.made_clsact |= clsact;
	/* Also after an error: the device may be replaced again. */
	st->ready = true;
	saved = state_save(st, err ? &ignored : error);
	return err ?: saved;
}

int redirect_guard(struct state *st, const struct netdev_log *log,
		   struct error *error)
{
	const struct stack *s = &st->stack;
	bool any, whole, done;
	int err;

	assert(*s->dev);
	/* Without its redirect an ipvlan would be deleted. */
	if (!redirect_is_ours(st) || s->made_own ||
	    s->ifindex != (int)netlink_ifindex(s->dev))
		return 0;
	err = stack_find_redirect(s, &any, &whole, error);
	if (!netlink_is_up(s->queue)) {
		if (!any)
			return 0;
		err = stack_redirect_undo(s, error);
		if (!err)
			netdev_warn(log, "%s is gone or down: %s sends without a queue",
				    s->queue, s->dev);
		return err;
	}
	if (whole)
		return err;
	err = redirect_restore(st, &done, error);
	if (done)
		netdev_warn(log, "%s had lost the redirect to %s: made again",
			    s->dev, s->queue);
	return err;
}
