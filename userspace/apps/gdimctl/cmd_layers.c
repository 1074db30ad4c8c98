// SPDX-License-Identifier: GPL-2.0-only
/*
 * gdimctl layers, gdimctl layer - list layers; add or change one
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/cli.h"
#include "base/error.h"
#include "gdimctl.h"
#include "map/site/queries.h"

static const struct argp layers_argp = {
	NULL, ctl_no_arguments, NULL,
	"List the layers: rule, number of submaps, cell size, and range of "
	"values.",
	NULL, NULL, NULL
};

static const char *layers_text_of(const cJSON *item, const char *key)
{
	return cJSON_GetObjectItem(item, key)->valuestring;
}

static double number_of(const cJSON *item, const char *key)
{
	return cJSON_GetObjectItem(item, key)->valuedouble;
}

static void layers_print(const cJSON *answer)
{
	const cJSON *l;

	printf("%-24s %-11s %-8s %-6s %7s  %-6s %s\n", "LAYER", "ROLE", "RULE",
	       "DRAWN", "SUBMAPS", "CELL", "RANGE");
	cJSON_ArrayForEach(l, cJSON_GetObjectItem(answer, "layers")) {
		char low[32], high[32], cell[32];

		printf("%-24s %-11s %-8s %-6s %7.0f  %-6s %s..%s %s\n",
		       layers_text_of(l, "name"), layers_text_of(l, "role"),
		       layers_text_of(l, "rule"), layers_text_of(l, "drawing"),
		       number_of(l, "submaps"),
		       ctl_number(number_of(l, "resolution"), cell),
		       ctl_number(number_of(l, "low"), low),
		       ctl_number(number_of(l, "high"), high),
		       layers_text_of(l, "unit"));
	}
}

/* From the store, without a daemon */
static int layers_look(cJSON **answer)
{
	struct site *s;
	int err = ctl_open(&s, STORE_READ);

	if (err)
		return err;
	*answer = cJSON_CreateObject();
	/* the known area needs fused maps */
	err = ctl.json ? ctl_fuse(s, -1) : 0;
	if (!err && query_layers(s, *answer))
		err = cli_error(-ENOMEM, "out of memory");
	if (err)
		cJSON_Delete(*answer);
	site_close(s);
	return err;
}

int cmd_layers(int argc, char **argv)
{
	cJSON *answer;
	int err;

	err = cli_parse(&layers_argp, argc, argv, NULL);
	if (!err)
		err = ctl.store ? layers_look(&answer) :
		      ctl_ask("layers", cJSON_CreateObject(), &answer);
	return err ? err : ctl_show(answer, layers_print);
}

struct words {
	const char	*name;
	char		text[512];
};

static error_t layer_words(int key, char *arg, struct argp_state *state)
{
	struct words *w = state->input;
	const size_t used = strlen(w->text);

	switch (key) {
	case ARGP_KEY_ARG:
		if (!w->name) {
			w->name = arg;
			return 0;
		}
		if (snprintf(w->text + used, sizeof(w->text) - used, "%s%s",
			     used ? " " : "", arg) >=
		    (int)(sizeof(w->text) - used))
			return cli_error(-EINVAL, "too many KEY=VALUE words");
		return 0;
	case ARGP_KEY_END:
		return w->name ? 0 : cli_usage(state->argv[0],
					       "missing layer NAME");
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp layer_argp = {
	NULL, layer_words, "NAME [KEY=VALUE...]",
	"Add a layer, or change an existing one. Keys: input, role, bits, "
	"range=LOW:HIGH, unit, rule, drawing=splat|sample, resolution, "
	"weights. Other keys stay unchanged.",
	NULL, NULL, NULL
};

/* In the store, without a daemon */
static int layers_change(const struct words *w)
{
	struct error error;
	struct site *s;
	struct layer l;
	int err = 0, number;

	/* do not create a store for an invalid layer */
	if (access(ctl.store, F_OK) &&
	    (err = layer_parse(&l, w->name, w->text, &error)))
		return cli_error(err, "layer %s: %s", w->name, error.text);
	err = ctl_open(&s, STORE_CREATE);
	if (err)
		return err;
	number = site_find_layer(s, w->name);
	if (number >= 0)
		site_layer(s, number, &l);
	err = number >= 0 ? layer_change(&l, w->text, &error) :
			    layer_parse(&l, w->name, w->text, &error);
	if (err) {
		cli_error(err, "layer %s: %s", w->name, error.text);
	} else {
		number = site_set_layer(s, &l, &error);
		err = number < 0 ? cli_error(number, "%s", error.text) : 0;
	}
	site_close(s);
	return err;
}

static int ask_change(const struct words *w)
{
	cJSON *p = cJSON_CreateObject(), *answer;
	int err;

	cJSON_AddStringToObject(p, "name", w->name);
	cJSON_AddStringToObject(p, "words", w->text);
	err = ctl_ask("layer", p, &answer);
	cJSON_Delete(answer);
	return err;
}

int cmd_layer(int argc, char **argv)
{
	struct words w = { .text = "" };
	int err;

	err = cli_parse(&layer_argp, argc, argv, &w);
	if (!err && !layer_name_valid(w.name))
		err = cli_error(-EINVAL, "'%s' is not a layer name of letters, "
				"digits and _", w.name);
	if (err)
		return err;
	return ctl.store ? layers_change(&w) : ask_change(&w);
}
