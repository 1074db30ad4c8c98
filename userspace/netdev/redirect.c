// SPDX-License-Identifier: GPL-2.0-only
/*
 * The redirect of DEV to its queue: made again, or removed while the queue is
 * not there.
 */
#include <unistd.h>
#include "base/cli.h"
#include "netdev/classifier.h"
#include "netdev/netlink.h"
#include "netdev/redirect.h"
#include "netdev/stack.h"
#include "netdev/state.h"

bool redirect_again(struct state *st)
{
	bool clsact = st->stack.made_clsact;
	char pins[CLASSIFIER_PATH];
	int redirect, err;

	if (!st->ready || !st->stack.made_ifb || !state_is_here(st) ||
	    stack_redirect_undo(&st->stack))
		return false;
	st->ready = false;
	classifier_pins(st->stack.dev, pins);
	redirect = classifier_map(pins, "redirect");	/* if there is one */
	err = stack_plan(&st->stack) ?: state_save(st) ?:
	      stack_own(&st->stack) ?: stack_redirect(&st->stack, redirect);
	if (redirect >= 0)
		close(redirect);
	/* It stays if the user has filters there, and is ours all the same. */
	st->stack.made_clsact |= clsact;
	/* Also after an error: the device may be replaced again. */
	st->ready = true;
	state_save(st);
	return !err;
}

void redirect_guard(struct state *st)
{
	const struct stack *s = &st->stack;
	bool up, there, whole;

	/* Without its redirect an ipvlan would be deleted. */
	if (!st->ready || !s->made_ifb || s->made_own || !state_is_here(st) ||
	    s->ifindex != (int)netlink_ifindex(s->dev))
		return;
	up = netlink_is_up(s->queue);
	there = stack_is_redirected(s, &whole);
	if (!up && there && !stack_redirect_undo(s))
		cli_warn("%s is gone or down: %s sends without a queue",
			 s->queue, s->dev);
	else if (up && !whole && redirect_again(st))
		cli_warn("%s had lost the redirect to %s: made again", s->dev,
			 s->queue);
}
