// SPDX-License-Identifier: GPL-2.0-only
/*
 * optsample - keep an operator informed over a bad link: the command that sets
 * everything up. See optsample(8).
 */
#include "apps/optsample/commands.h"
#include "base/cli.h"

static const struct cli_command commands[] = {
	{ "up", cmd_up, "set up an interface" },
	{ "down", cmd_down, "undo 'up'" },
	{ "show", cmd_show, "statistics of the queue and its flows" },
	{ "watch", cmd_watch, "live statistics of the flows" },
	{ "doctor", cmd_doctor,
	  "check that messages survive an outage, and how to fix it" },
	{ "topic", cmd_topic,
	  "set how topics are sampled: limit, policy, priority, by, sync, "
	  "never" },
	{ "topics", cmd_helper, "list topics, and which are sampled" },
	{ "send", cmd_send, "query or control a running optsample-send" },
	{ "recv", cmd_recv, "query or control a running optsample-recv" },
	{ "view", cmd_view, "query a running optsample-view" },
	{ "discover", cmd_helper, "discover writers to sample (run by up)" },
	{ 0 }
};

int main(int argc, char **argv)
{
	cli_program = "optsample";
	return cli_main(commands, argc, argv);
}
