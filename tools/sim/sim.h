/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sim.h - the parts of optsample-sim.
 *
 *   optsample-sim.c  command line
 *   scenario.c          outage, overload, stalls: fills a table of rows
 *   ops.c               schedules of single operations
 *   plot.c              the table as SVG or PNG
 *   eval.h              profit and oracle
 */
#ifndef OPTSAMPLE_SIM_H
#define OPTSAMPLE_SIM_H

#include <stdint.h>
#include <stdio.h>

#include <optsample/sampler.h>

#include "eval.h"

enum scenario {
	SCENARIO_OUTAGE,	/* nothing is taken */
	SCENARIO_OVERLOAD,	/* `ratio` arrivals per departure */
	SCENARIO_STALLS,	/* `stall` arrivals stalled, `run` not, again */
};

/* Milli units, so that schedules are exact integers. */
struct sim_config {
	enum optsample_policy policy;
	enum scenario scenario;
	const struct eval *eval;
	uint32_t limit;
	uint32_t messages;
	uint32_t refill;	/* percent */
	uint32_t ratio;		/* overload: arrivals per 1000 departures */
	uint32_t stall;		/* stalls: arrivals */
	uint32_t run;		/* stalls: arrivals */
	uint32_t drain;		/* stalls: departures per 1000 arrivals */
};

struct sim_row {
	double profit;
	double oracle;
	uint32_t maxgap;
};

/**
 * sim_run - play a scenario
 * @cfg: what to play
 * @rows: @cfg->messages rows to fill, row T-1 after message T
 * @csv: where each row goes as a line `T,profit,oracle,maxgap,kept`, or NULL
 *
 * Return: 0 or -ENOMEM.
 */
int sim_run(const struct sim_config *cfg, struct sim_row *rows, FILE *csv);

/**
 * ops_play - play a schedule of operations, print what happened
 * @cfg: policy, limit and refill to start with
 * @in: the schedule
 * @name: what to call it in an error line
 *
 * Return: 0, -EINVAL after an error line, -ENOMEM.
 */
int ops_play(const struct sim_config *cfg, FILE *in, const char *name);

/**
 * ops_random - print a schedule
 * @cfg: policy and limit to stay around
 * @seed: same seed, same schedule
 * @count: number of operations
 * @only: letters of the operations to use; `a` and `d` are always used
 */
void ops_random(const struct sim_config *cfg, uint64_t seed, uint32_t count,
		const char *only);

/**
 * plot_svg - profit and oracle over T
 * @cfg: what was played
 * @rows: its result
 * @path: file to write
 *
 * Return: 0 or negative errno.
 */
int plot_svg(const struct sim_config *cfg, const struct sim_row *rows,
	     const char *path);

/** plot_png - the same as plot_svg(), as pixels, without the text */
int plot_png(const struct sim_config *cfg, const struct sim_row *rows,
	     const char *path);

/** policy_find - policy by name; OPTSAMPLE_POLICY_MAX when there is none */
enum optsample_policy policy_find(const char *name);

#endif /* OPTSAMPLE_SIM_H */
