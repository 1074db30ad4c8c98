// SPDX-License-Identifier: GPL-2.0-only
/*
 * optsample - keep an operator informed over a bad link: the command that sets
 * everything up. See optsample(8).
 */
#include "ctl.h"

static const struct cli_command commands[] = {
	{ "up", cmd_up, "set up an interface" },
	{ "down", cmd_down, "undo that" },
	{ "show", cmd_show, "statistics of the queue and its flows" },
	{ "watch", cmd_watch, "the same, live" },
	{ "doctor", cmd_doctor, "would an outage be survived, and what mends it" },
	{ "topic", cmd_topic, "how topics are sampled: limit, policy, priority, by, sync, never" },
	{ "topics", cmd_topics, "topics there are, and which are sampled" },
	{ "send", cmd_send, "ask and tell a running optsample-send" },
	{ "recv", cmd_recv, "ask and tell a running optsample-recv" },
	{ "discover", cmd_discover, "tell the classifier whom to sample (run by up)" },
	{ 0 }
};

int main(int argc, char **argv)
{
	cli_program = "optsample";
	return cli_main(commands, argc, argv);
}
