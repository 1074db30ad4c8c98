/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * options.h - options of all commands of optsample-lab: a file, a lossy link,
 * and where to write the result
 */
#ifndef APPS_OPTSAMPLE_LAB_OPTIONS_H
#define APPS_OPTSAMPLE_LAB_OPTIONS_H

#include <stdint.h>
#include "loss.h"

/**
 * struct lab_options - of a command line
 * @path:	of the file
 * @out:	output file, NULL: none
 */
struct lab_options {
	const char	*path, *out;
	double		loss, burst;
	uint32_t	seed;
};

#define LAB_DEFAULTS	{ .burst = 1, .seed = 1 }

enum { OPT_LOSS = 512, OPT_BURST, OPT_SEED, OPT_OUT };

/* entries of a table; @out: what is written */
#define LAB_OPTIONS(out)						\
	{ "loss", OPT_LOSS, "P", 0, "loss rate: 0.2, 20% or 20 (0)", 8 }, \
	{ "burst", OPT_BURST, "N", 0,					\
	  "mean length of a loss burst, in datagrams (1)", 8 },		\
	{ "seed", OPT_SEED, "S", 0, "random seed of the losses (1)", 8 }, \
	{ "out", OPT_OUT, "FILE", 0, out, 9 }

struct argp_state;

/**
 * lab_option() - parse one of LAB_OPTIONS or the file, for argp
 *
 * Return: 0, -EINVAL, already printed, ARGP_ERR_UNKNOWN.
 */
int lab_option(struct lab_options *o, int key, const char *arg,
	       const struct argp_state *state);

/* the channel of the options */
void lab_channel(const struct lab_options *o, struct loss *channel);

/* loss_pass() over it */
unsigned int lab_pass(const struct lab_options *o, const struct payloads *sent,
		      loss_add *add, void *decoder);

#endif
