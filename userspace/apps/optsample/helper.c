// SPDX-License-Identifier: GPL-2.0-only
/*
 * Run optsample-discover in the place of this program
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "apps/optsample/commands.h"
#include "base/cli.h"
#include "base/installed.h"

#define HELPER "optsample-discover"

int helper_exec(const char **argv)
{
	char path[PATH_MAX];
	int err = installed_find(NULL, "bin", HELPER, path);

	if (!err) {
		execv(path, (char **)argv);
		err = -errno;
	}
	return cli_error(err, "cannot run " HELPER ": %s", strerror(-err));
}

int cmd_helper(int argc, char **argv)
{
	const char *words[argc + 2];

	words[0] = cli_program;
	memcpy(words + 1, argv, (argc + 1) * sizeof(*argv));
	return helper_exec(words);
}
