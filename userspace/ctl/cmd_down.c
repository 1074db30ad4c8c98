// SPDX-License-Identifier: GPL-2.0-only
/*
 * optsample down [DEV] - undo what `up` did, newest first
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>
#include "classifier.h"
#include "neigh.h"
#include "state.h"

static error_t down_parse(int key, char *arg, struct argp_state *state)
{
	const char **dev = state->input;

	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	if (*dev)
		argp_error(state, "one DEV only");
	*dev = arg;
	return 0;
}

static int down_one(const char *dev, void *arg)
{
	struct state st;
	int err;

	(void)arg;
	err = state_load(dev, &st);
	if (err)
		return err;
	err = state_daemon_stop(dev);
	neigh_release(dev);
	err = stack_down(&st.stack) ?: err;
	classifier_unload(dev);
	state_remove(dev);
	return err;
}

int cmd_down(int argc, char **argv)
{
	static const struct argp argp = {
		NULL, down_parse, "[DEV]",
		"Undo 'optsample up', of DEV or of all interfaces.",
		NULL, NULL, NULL
	};
	const char *dev = NULL;
	struct state st;
	int err = 0;

	if (argp_parse(&argp, argc, argv, 0, NULL, &dev))
		return -EINVAL;
	if (geteuid())
		return ctl_error(-EPERM, "must be run as root");
	if (access(CTL_RUN, F_OK)) {
		err = -ENOENT;
	} else {
		err = state_lock();
		if (err)
			return err;
		if (!dev) {
			state_each(down_one, NULL, &err);
			return err;
		}
		err = state_load(dev, &st);
	}
	if (!err)
		return down_one(dev, NULL);
	if (!dev)
		return 0;
	if (!if_nametoindex(dev))
		return ctl_error(-ENODEV, "no device %s", dev);
	printf("%s is not up\n", dev);
	return 0;
}
