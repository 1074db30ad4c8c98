// SPDX-License-Identifier: GPL-2.0-only
/*
 * gdimctl spot - values of the maps at a point
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/cli.h"
#include "base/error.h"
#include "gdimctl.h"
#include "map/site/queries.h"

struct spot {
	double		at[2];
	unsigned int	numbers;
};

static error_t spot_parse(int key, char *arg, struct argp_state *state)
{
	struct spot *s = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		ctl_argument(arg);
		if (s->numbers == 2)
			return cli_usage(state->argv[0],
					 "too many arguments: give X Y");
		if (parse_double(arg, -POSE_MAX, POSE_MAX,
				 &s->at[s->numbers++]))
			return cli_error(-EINVAL,
					 "'%s' is not a coordinate in m", arg);
		return 0;
	case ARGP_KEY_END:
		return s->numbers == 2 ? 0 :
		       cli_usage(state->argv[0], "missing X Y, in m");
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp spot_argp = {
	NULL, spot_parse, "X Y",
	"Print the value of each layer at a point of the map, in m, and the "
	"physical value if the layer has a unit.",
	NULL, NULL, NULL
};

static void spot_print(const cJSON *answer)
{
	const cJSON *l;

	cJSON_ArrayForEach(l, cJSON_GetObjectItem(answer, "layers")) {
		const cJSON *value = cJSON_GetObjectItem(l, "value");
		const cJSON *physical = cJSON_GetObjectItem(l, "physical");
		const cJSON *unit = cJSON_GetObjectItem(l, "unit");
		char text[32];

		printf("%-24s ", l->string);
		if (cJSON_IsNumber(value))
			printf("%8s", ctl_number(value->valuedouble, text));
		else
			printf("%8s", "unknown");
		if (cJSON_IsNumber(physical))
			printf("  %s %s", ctl_number(physical->valuedouble,
						     text), unit->valuestring);
		putchar('\n');
	}
}

/* From the store, without a daemon */
static int spot_look(const struct spot *spot, cJSON **answer)
{
	const double x = spot->at[0], y = spot->at[1];
	const struct site_area area = { x, y, x, y };
	struct error error = { "" };
	struct site *s;
	int err = ctl_open_in_part(&s);

	if (err)
		return err;
	*answer = cJSON_CreateObject();
	err = ctl_fuse_area(s, &area);
	if (!err && query_spot(s, x, y, *answer, &error))
		err = cli_error(-EINVAL, "%s", error.text);
	if (err)
		cJSON_Delete(*answer);
	site_close(s);
	return err;
}

static int spot_ask(const struct spot *spot, cJSON **answer)
{
	cJSON *p = cJSON_CreateObject();

	cJSON_AddNumberToObject(p, "x", spot->at[0]);
	cJSON_AddNumberToObject(p, "y", spot->at[1]);
	return ctl_ask("spot", p, answer);
}

int cmd_spot(int argc, char **argv)
{
	struct spot spot = { .numbers = 0 };
	cJSON *answer;
	int err;

	err = cli_parse(&spot_argp, argc, argv, &spot);
	if (!err)
		err = ctl.store ? spot_look(&spot, &answer) :
				  spot_ask(&spot, &answer);
	return err ? err : ctl_show(answer, spot_print);
}
