// SPDX-License-Identifier: GPL-2.0-only
/*
 * slam-eval - errors of a trajectory, from known relations between its poses.
 * See slam-eval(1).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli.h"
#include "base/error.h"
#include "base/settings.h"
#include "laser/readings.h"
#include "slam/output/relations.h"

struct options {
	const char	*relations, *trajectory, *log;
	uint32_t	worst, reach;		/* reach: ms */
	bool		spread, header, json;
};

/* A relation with both poses in the trajectory */
struct found {
	const struct relation	*relation;
	struct relation_error	error;
};

static const double degrees = 180 / M_PI;

#define SETTING_CONFIG struct options

static const struct setting settings[] = {
	{ "relations", "FILE", "ground truth: t1 t2 x y z roll pitch yaw",
	  SETTING_FIELD_TEXT(relations) },
	{ "trajectory", "FILE",
	  "trajectory to evaluate: stamp x y z qx qy qz qw",
	  SETTING_FIELD_TEXT(trajectory) },
	{ "log", "FILE", "interpolate between poses by the odometry of this log",
	  SETTING_FIELD_TEXT(log) },
	{ "spread", NULL, "distribute the error of odometry between poses",
	  SETTING_FIELD_FLAG(spread) },
	{ "reach", "TIME",
	  "maximum extrapolation before the first and after the last pose "
	  "(100ms)",
	  .must = "0s..1h, with a unit", SETTING_FIELD(MS, reach),
	  .max = 3600000 },
	{ "worst", "N", "also print the N worst relations",
	  SETTING_FIELD_U32(worst, 1, RELATIONS_MAX) },
	{ "header", NULL, "print a header line",
	  SETTING_FIELD_FLAG(header) },
	{ "json", NULL, "print JSON", SETTING_FIELD_FLAG(json) },
	{ 0 }
};

static int options_check(void *config, const bool *given, const char *program)
{
	const struct options *o = config;

	(void)given;
	if (o->spread && !o->log)
		return cli_usage(program, "--spread needs --log");
	if (o->relations && o->trajectory)
		return 0;
	return cli_usage(program, "missing --%s FILE",
			 o->relations ? "trajectory" : "relations");
}

static const struct settings_program program = {
	.table = settings, .check = options_check,
	.doc = "Print mean and standard deviation of the errors of a "
	       "trajectory, by the relations of Kuemmerle et al.",
};

/*
 * Odometry of a log
 */

static int read_odometry(const char *path, struct trajectory *odometry)
{
	/* only odometry is used: any pose of the laser will do */
	const struct pose anywhere = { 0 };
	const struct readings_config config = { .laser = &anywhere };
	struct error error;
	struct readings *log;
	struct reading r;
	int ret = readings_open(&log, path, &config, &error), err = 0;

	if (ret)
		return cli_error(ret, "%s", error.text);
	while (!err && (ret = readings_next(log, &r, &error)) == 1)
		err = trajectory_add(odometry, r.stamp, &r.odometry);
	readings_close(log);
	if (!err && ret < 0)
		return cli_error(ret, "%s", error.text);
	if (!err)
		err = trajectory_sort(odometry);
	return err ? cli_error(err, "%s: %s", path, strerror(-err)) : 0;
}

/* Add odometry between the poses of @t */
static int eval_fill(struct trajectory *t, const struct options *o)
{
	struct trajectory odometry = { 0 }, filled = { 0 };
	int err = read_odometry(o->log, &odometry);

	if (!err) {
		err = trajectory_fill(t, &odometry, o->spread, &filled);
		if (err == -ENODATA)
			cli_error(err, "%s: no odometry at the times of %s",
				  o->log, o->trajectory);
		else if (err)
			cli_error(err, "%s: %s", o->log, strerror(-err));
	}
	trajectory_free(&odometry);
	if (err)
		return err;
	trajectory_free(t);
	*t = filled;
	return 0;
}

/*
 * Results
 */

static int by_error(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->error.translation != y->error.translation)
		return x->error.translation < y->error.translation ? 1 : -1;
	if (x->error.rotation != y->error.rotation)
		return x->error.rotation < y->error.rotation ? 1 : -1;
	return x->relation < y->relation ? -1 : x->relation > y->relation;
}

/* The relations that were used, the worst first; NULL: no memory */
static struct found *sort_errors(const struct relations *r,
				 const struct relation_error *errors)
{
	struct found *all = malloc((size_t)r->count * sizeof(*all));
	uint32_t n = 0;

	if (!all)
		return NULL;
	for (uint32_t i = 0; i < r->count; i++)
		if (errors[i].used)
			all[n++] = (struct found){ &r->relation[i], errors[i] };
	qsort(all, n, sizeof(*all), by_error);
	return all;
}

static void print_csv(const struct relations_result *v, const struct found *all,
		      const struct options *o)
{
	const uint32_t n = o->worst < v->used ? o->worst : v->used;

	if (o->header)
		puts("translation_mean,translation_std,rotation_mean_deg,rotation_std_deg,relations_used");
	printf("%.6f,%.6f,%.6f,%.6f,%u\n", v->translation_mean,
	       v->translation_std, v->rotation_mean * degrees,
	       v->rotation_std * degrees, v->used);
	if (o->header && n)
		puts("t1,t2,translation,rotation_deg");
	for (uint32_t i = 0; i < n; i++)
		printf("%.6f,%.6f,%.6f,%.6f\n", all[i].relation->from * 1e-9,
		       all[i].relation->to * 1e-9, all[i].error.translation,
		       all[i].error.rotation * degrees);
}

static void eval_print_json(const struct relations_result *v,
			    const struct found *all, const struct options *o)
{
	const uint32_t n = o->worst < v->used ? o->worst : v->used;

	printf("{\"translation_mean\":%.6f,\"translation_std\":%.6f,"
	       "\"rotation_mean_deg\":%.6f,\"rotation_std_deg\":%.6f,"
	       "\"relations_used\":%u,\"relations_left_out\":%u",
	       v->translation_mean, v->translation_std,
	       v->rotation_mean * degrees, v->rotation_std * degrees, v->used,
	       v->left_out);
	if (o->worst)
		fputs(",\"worst\":[", stdout);
	for (uint32_t i = 0; i < n; i++)
		printf("%s{\"t1\":%.6f,\"t2\":%.6f,\"translation\":%.6f,"
		       "\"rotation_deg\":%.6f}", i ? "," : "",
		       all[i].relation->from * 1e-9,
		       all[i].relation->to * 1e-9, all[i].error.translation,
		       all[i].error.rotation * degrees);
	puts(o->worst ? "]}" : "}");
}

static int evaluate(const struct relations *r, const struct trajectory *t,
		    const struct options *o)
{
	struct relation_error *errors = calloc(r->count, sizeof(*errors));
	struct relations_result result;
	struct found *all;
	int err = 0;

	if (!errors)
		return cli_error(-ENOMEM, "no memory");
	relations_evaluate(r, t, (int64_t)o->reach * 1000000, errors, &result);
	all = sort_errors(r, errors);
	if (!all)
		err = cli_error(-ENOMEM, "no memory");
	else if (!result.used)
		err = cli_error(-ENODATA,
				"none of the %u relations of %s is within the "
				"time range of %s",
				r->count, o->relations, o->trajectory);
	else if (o->json)
		eval_print_json(&result, all, o);
	else
		print_csv(&result, all, o);
	free(all);
	free(errors);
	return err;
}

static int eval_run(const struct options *o)
{
	struct error error;
	struct relations r;
	struct trajectory t;
	int err = relations_read(&r, o->relations, &error);

	if (err)
		return cli_error(err, "%s", error.text);
	err = trajectory_read(&t, o->trajectory, &error);
	if (err) {
		cli_error(err, "%s", error.text);
	} else {
		err = o->log ? eval_fill(&t, o) : 0;
		if (!err)
			err = evaluate(&r, &t, o);
		trajectory_free(&t);
	}
	relations_free(&r);
	return err;
}

int main(int argc, char **argv)
{
	struct options o = { .reach = 100 };
	int err;

	cli_program = "slam-eval";
	argv[0] = (char *)cli_program;
	err = settings_parse(&program, &o, argc, argv);
	if (err)
		return CLI_USAGE;
	err = eval_run(&o);
	if (fflush(stdout) || ferror(stdout))
		err = cli_error(-errno, "standard output: %s", strerror(errno));
	return err ? 1 : 0;
}
