// SPDX-License-Identifier: GPL-2.0-only
/*
 * options - options of all commands of optsample-lab
 */
#include <argp.h>
#include <errno.h>
#include "base/cli.h"
#include "options.h"

int lab_option(struct lab_options *o, int key, const char *arg,
	       const struct argp_state *state)
{
	switch (key) {
	case OPT_LOSS:
		if (parse_loss(arg, &o->loss))
			return cli_error(-EINVAL, "loss must be 0..0.99 or 1..100%%");
		return 0;
	case OPT_BURST:
		if (parse_double(arg, 1, 1000, &o->burst))
			return cli_error(-EINVAL, "burst must be 1..1000");
		return 0;
	case OPT_SEED:
		if (parse_u32(arg, 0, UINT32_MAX, &o->seed))
			return cli_error(-EINVAL, "seed must be 0..2^32-1");
		return 0;
	case OPT_OUT:
		o->out = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (o->path)
			return cli_usage(state->argv[0], "more than one file");
		o->path = arg;
		return 0;
	case ARGP_KEY_END:
		if (!o->path)
			return cli_usage(state->argv[0], "missing FILE");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

void lab_channel(const struct lab_options *o, struct loss *channel)
{
	loss_init(channel, o->loss, o->burst, o->seed);
}

unsigned int lab_pass(const struct lab_options *o, const struct payloads *sent,
		      loss_add *add, void *decoder)
{
	struct loss channel;

	lab_channel(o, &channel);
	return loss_pass(&channel, sent, add, decoder);
}
