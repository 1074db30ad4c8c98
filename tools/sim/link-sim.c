// SPDX-License-Identifier: GPL-2.0-only
/*
 * link-sim - the link supervisor on a link that varies
 *
 * Reads what the link does, "seconds bit/s loss delay_ms" a line, runs a robot
 * over it in virtual time, prints a CSV, and plots.
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli.h"
#include "link_model.h"

struct arguments {
	struct link_sim_config	c;
	const char		*trace, *plot;
	bool			quiet;
};

enum { OPT_SVG = 256, OPT_REPORTS, OPT_JITTER, OPT_KEEP, OPT_LOCAL, OPT_QUIET };

static const struct argp_option options[] = {
	{ "seed", 's', "N", 0, "of what happens at random (1)", 0 },
	{ "time", 't', "S", 0, "how long; 10 s behind the last line", 0 },
	{ "queue", 'q', "MS", 0, "of the bottleneck, drop tail (200)", 0 },
	{ "report-loss", OPT_REPORTS, "PERCENT", 0,
	  "of reports (as of data)", 0 },
	{ "jitter", OPT_JITTER, "MS", 0, "of the way back (2)", 0 },
	{ "keep", OPT_KEEP, "N", 0,
	  "frames of a topic are kept in an outage (0)", 0 },
	{ "local", OPT_LOCAL, NULL, 0,
	  "the bottleneck is the own device, with optsample if --keep", 0 },
	{ "svg", OPT_SVG, "FILE", 0, "plot; a PNG if it ends in .png", 0 },
	{ "quiet", OPT_QUIET, NULL, 0, "no CSV", 0 },
	{ 0 },
};

static int option_number(const char *what, const char *s, double max,
			 double *v)
{
	if (parse_double(s, 0, max, v))
		return cli_usage(cli_program, "%s: no number from 0 to %g",
				 what, max);
	return 0;
}

static int on_option(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;
	double v = 0;
	int err = 0;

	switch (key) {
	case 's':
		err = option_number("--seed", arg, 1e9, &v);
		a->c.seed = v;
		return err;
	case 't':
		return option_number("--time", arg, 86400, &a->c.duration);
	case 'q':
		err = option_number("--queue", arg, 60000, &v);
		a->c.queue = v * 1e-3;
		return err;
	case OPT_JITTER:
		err = option_number("--jitter", arg, 10000, &v);
		a->c.jitter = v * 1e-3;
		return err;
	case OPT_REPORTS:
		err = option_number("--report-loss", arg, 100, &v);
		a->c.report_loss = v * 1e-2;
		return err;
	case OPT_KEEP:
		err = option_number("--keep", arg, 10000, &v);
		a->c.keep = v;
		return err;
	case OPT_LOCAL:
		a->c.local = true;
		return 0;
	case OPT_SVG:
		a->plot = arg;
		return 0;
	case OPT_QUIET:
		a->quiet = true;
		return 0;
	case ARGP_KEY_ARG:
		if (a->trace)
			return cli_usage(cli_program, "%s: one trace at a time",
					 arg);
		a->trace = arg;
		return 0;
	case ARGP_KEY_END:
		if (!a->trace)
			return cli_usage(cli_program, "no trace");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static void csv_print(const struct link_sim_config *c,
		      const struct link_sim_result *r)
{
	static const char *const states[] = {
		"start", "live", "blind", "drain",
	};

	printf("time,capacity,budget,sent,received,kept,queue,delay,loss,"
	       "loss_high,state");
	for (unsigned int i = 0; i < c->ntopics; i++)
		printf(",%s_rate,%s_bytes,%s_hz", c->topics[i].name,
		       c->topics[i].name, c->topics[i].name);
	putchar('\n');
	for (unsigned int n = 0; n < r->count; n++) {
		const struct link_sim_row *w = &r->rows[n];

		printf("%.1f,%.0f,%.0f,%.0f,%.0f,%.0f,%.3f,%.3f,%.3f,%.3f,%s",
		       w->time, w->capacity * 8, w->e.rate * 8, w->sent * 8,
		       w->received * 8, w->kept * 8, w->queue, w->delay,
		       w->e.loss, w->e.loss_high, states[w->e.state]);
		for (unsigned int i = 0; i < c->ntopics; i++)
			printf(",%.0f,%u,%.2f", w->topic_rate[i] * 8,
			       w->plan[i].bytes, w->plan[i].hz);
		putchar('\n');
	}
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		options, on_option, "TRACE",
		"Run the link supervisor over a trace of lines "
		"\"seconds bit/s loss delay_ms\" (-: stdin) and print a CSV.",
		NULL, NULL, NULL,
	};
	struct arguments a = { .c = link_sim_usual };
	struct link_sim_change *changes = NULL;
	struct link_sim_result r = { 0 };
	int err;

	cli_program = "link-sim";
	argv[0] = (char *)cli_program;
	a.c.duration = 0;
	err = cli_parse(&argp, argc, argv, &a);
	if (!err)
		err = link_sim_trace_read(a.trace, &changes, &a.c.nchanges);
	if (err)
		goto out;
	a.c.changes = changes;
	a.c.sampling = a.c.keep > 0;
	if (a.c.duration <= 0)
		a.c.duration = changes[a.c.nchanges - 1].time + 10;
	err = link_sim_run(&a.c, &r);
	if (err) {
		cli_error(err, "no memory");
		goto out;
	}
	if (!a.quiet)
		csv_print(&a.c, &r);
	if (a.plot && link_sim_plot(&a.c, &r, a.plot))
		err = cli_error(-EIO, "%s: cannot be written", a.plot);
out:
	link_sim_free(&r);
	free(changes);
	return err ? 1 : 0;
}
