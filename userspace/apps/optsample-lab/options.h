/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * options.h - what all commands of optsample-lab are told: a file, a lossy
 * link, and where to write what arrives
 */
#ifndef APPS_OPTSAMPLE_LAB_OPTIONS_H
#define APPS_OPTSAMPLE_LAB_OPTIONS_H

#include <stdint.h>
#include "loss.h"

/**
 * struct lab_options - of a command line
 * @path:	of the file
 * @out:	NULL: nowhere
 */
struct lab_options {
	const char	*path, *out;
	double		loss, burst;
	uint32_t	seed;
};

#define LAB_DEFAULTS	{ .burst = 1, .seed = 1 }

enum { OPT_LOSS = 512, OPT_BURST, OPT_SEED, OPT_OUT };

/* of a table; @out: what is written */
#define LAB_OPTIONS(out)						\
	{ "loss", OPT_LOSS, "P", 0, "share that is lost: 0.2, 20% or 20 (0)", 8 }, \
	{ "burst", OPT_BURST, "N", 0, "mean length of a burst of losses (1)", 8 }, \
	{ "seed", OPT_SEED, "S", 0, "of the losses (1)", 8 },		\
	{ "out", OPT_OUT, "FILE", 0, out, 9 }

struct argp_state;

/**
 * lab_option() - one of LAB_OPTIONS or the file, for a parser of argp
 *
 * Return: 0, -EINVAL after one line about it, ARGP_ERR_UNKNOWN.
 */
int lab_option(struct lab_options *o, int key, const char *arg,
	       const struct argp_state *state);

/* the channel that the options tell of */
void lab_channel(const struct lab_options *o, struct loss *channel);

/* loss_pass() over it */
unsigned int lab_pass(const struct lab_options *o, const struct payloads *sent,
		      loss_add *add, void *decoder);

#endif
