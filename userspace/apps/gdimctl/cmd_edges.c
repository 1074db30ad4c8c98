// SPDX-License-Identifier: GPL-2.0-only
/*
 * gdimctl edges - list the edges of the pose graph
 */
#include <argp.h>
#include <math.h>
#include <stdio.h>
#include "base/cli.h"
#include "base/error.h"
#include "gdimctl.h"
#include "map/site/queries.h"

static const struct argp edges_argp = {
	NULL, ctl_no_arguments, NULL,
	"List the edges of the pose graph: motions between submaps, by odometry "
	"and by closed loops, with the standard deviations of each.",
	NULL, NULL, NULL
};

/* Of x, y or yaw: the covariance has xx, xy, xt, yy, yt, tt */
static double deviation(const cJSON *edge, int i)
{
	static const int at[] = { 0, 3, 5 };
	const cJSON *c = cJSON_GetObjectItem(edge, "covariance");
	const cJSON *v = cJSON_GetArrayItem(c, at[i]);

	return v ? sqrt(v->valuedouble) : NAN;
}

static void print_edges(const cJSON *a)
{
	const cJSON *e;

	printf("%.0f edges, %.0f of them closed loops, %.0f waiting\n",
	       ctl_value(a, "edges"), ctl_value(a, "loops"),
	       ctl_value(a, "waiting"));
	cJSON_ArrayForEach(e, cJSON_GetObjectItem(a, "list"))
		printf("%-20s %-20s %-8s %8.3f %8.3f m %7.4f rad, +- %.3f %.3f "
		       "m %.4f rad%s\n", ctl_text(e, "from"),
		       ctl_text(e, "to"), ctl_text(e, "kind"),
		       ctl_value(e, "x"), ctl_value(e, "y"),
		       ctl_value(e, "yaw"), deviation(e, 0), deviation(e, 1),
		       deviation(e, 2),
		       cJSON_IsTrue(cJSON_GetObjectItem(e, "waiting")) ?
		       ", waiting" : "");
}

/* From the store, without a daemon */
static int edges_look(cJSON **answer)
{
	struct error error;
	struct site *s;
	int err = ctl_open_in_part(&s);

	if (err)
		return err;
	*answer = cJSON_CreateObject();
	err = query_edges(s, *answer, &error);
	if (err) {
		cli_error(err, "%s", error.text);
		cJSON_Delete(*answer);
	}
	site_close(s);
	return err;
}

int cmd_edges(int argc, char **argv)
{
	cJSON *answer;
	int err;

	err = cli_parse(&edges_argp, argc, argv, NULL);
	if (!err)
		err = ctl.store ? edges_look(&answer) :
		      ctl_ask("edges", cJSON_CreateObject(), &answer);
	return err ? err : ctl_show(answer, print_edges);
}
