// SPDX-License-Identifier: GPL-2.0-only
/*
 * optsample down [DEV] - undo what `up` did, newest first
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>
#include "apps/optsample/commands.h"
#include "base/cli.h"
#include "base/error.h"
#include "netdev/classifier.h"
#include "netdev/neigh.h"
#include "netdev/netlink.h"
#include "netdev/stack.h"
#include "netdev/state.h"

static error_t down_parse(int key, char *arg, struct argp_state *state)
{
	const char **dev = state->input;

	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	if (*dev)
		return cli_usage("down", "one DEV only");
	*dev = arg;
	return 0;
}

int down_undo(struct state *st)
{
	const char *dev = st->stack.dev;
	struct error error;
	int err, left;

	/* If killed half way, it must not look complete. */
	st->ready = false;
	if (!access(STATE_RUN, F_OK) && state_save(st, &error))
		cli_error(0, "%s", error.text);
	err = state_daemon_stop(dev, &error);
	if (err)
		cli_error(0, "%s", error.text);
	neigh_release(dev);
	left = stack_down(&st->stack, &error);
	if (left)
		return cli_error(left, "%s", error.text);
	classifier_unload(dev);
	state_remove(dev);
	return err;
}

static int down_one(const char *dev, void *arg)
{
	struct state st;
	int err;

	(void)arg;
	err = state_load(dev, &st);
	if (err)
		return err;
	if (state_is_here(&st))
		err = down_undo(&st);
	else
		err = cli_error(-EXDEV, "%s is up in another network namespace",
				dev);
	state_free(&st);
	return err;
}

/*
 * Without `up`: a daemon that was started by hand, or its files.
 * Return: 0, -ENOENT if there is neither, or another negative errno
 */
static int down_by_hand(const char *dev)
{
	char pid[STATE_PATH];
	struct error error;
	int err;

	state_path(dev, "pid", pid);
	if (access(pid, F_OK))
		return -ENOENT;
	err = state_daemon_stop(dev, &error);
	if (err)
		return cli_error(err, "%s", error.text);
	neigh_release(dev);
	state_remove(dev);
	return 0;
}

int cmd_down(int argc, char **argv)
{
	static const struct argp argp = {
		NULL, down_parse, "[DEV]",
		"Undo 'optsample up', of DEV or of all interfaces.",
		NULL, NULL, NULL
	};
	const char *dev = NULL, *name;
	char own[IFNAMSIZ];
	struct error error;
	int err = 0;

	if (cli_parse(&argp, argc, argv, &dev))
		return -EINVAL;
	if (geteuid())
		return cli_error(-EPERM, "must be run as root");
	if (state_lock(true, &error) < 0)
		return cli_error(-EBUSY, "%s", error.text);
	if (!dev) {
		state_each(down_one, NULL, &err);
		return err;
	}
	name = state_name(dev, own);
	err = down_one(name, NULL);
	if (err == -ENOENT)
		err = down_by_hand(name);
	if (err != -ENOENT)
		return err;
	if (!netlink_ifindex(dev))
		return cli_error(-ENODEV, "no device %s", dev);
	printf("%s is not up\n", dev);
	return 0;
}
