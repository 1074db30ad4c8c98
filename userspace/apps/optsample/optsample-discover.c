// SPDX-License-Identifier: GPL-2.0-only
/*
 * optsample-discover - the commands of optsample that join DDS domains and call
 * ROS masters
 *
 * Not for users: optsample runs it. It needs 50 libraries, which would make
 * each other command four times as slow.
 */
#include "apps/optsample/commands.h"
#include "base/cli.h"

static const struct cli_command commands[] = {
	{ "topics", cmd_topics, "list topics, and which are sampled" },
	{ "discover", cmd_discover, "discover writers to sample (run by up)" },
	{ 0 }
};

int main(int argc, char **argv)
{
	cli_program = "optsample";
	return cli_main(commands, argc, argv);
}
