// SPDX-License-Identifier: GPL-2.0-only
/*
 * layer_words - options for the layer that a command may create
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/cli.h"
#include "gdimctl.h"
#include "map/io/import_layer.h"

enum {
	OPT_ROLE = 512, OPT_RULE, OPT_DRAWING, OPT_UNIT, OPT_RANGE, OPT_FUSED,
};

static const struct argp_option layer_options[] = {
	{ NULL, 0, NULL, 0, "For a new layer:", 3 },
	{ "role", OPT_ROLE, "ROLE", 0, "modality: {roles} (obstacle)", 3 },
	{ "rule", OPT_RULE, "RULE", 0,
	  "fusion rule: {rules} (default by role: log-odds for obstacle, mean "
	  "for gas, smoke, signal and temperature, max for others)", 3 },
	{ "drawing", OPT_DRAWING, "HOW", 0,
	  "how submaps are drawn: splat or sample (by the rule)", 3 },
	{ "unit", OPT_UNIT, "UNIT", 0, "unit of physical values", 3 },
	{ "range", OPT_RANGE, "LOW:HIGH", 0,
	  "physical values at cell values 0 and 100", 3 },
	{ "fused-resolution", OPT_FUSED, "M", 0,
	  "cell size of the fused map, m (that of the first submap)", 3 },
	{ 0 }
};

static int layer_words_add_word(char *words, const char *key, const char *value)
{
	const size_t used = strlen(words), room = IMPORT_WORDS - used;

	if (snprintf(words + used, room, "%s%s=%s", used ? " " : "", key,
		     value) >= (int)room)
		return cli_error(-EINVAL, "%s: value too long", key);
	return 0;
}

static error_t layer_parse_option(int key, char *arg, struct argp_state *state)
{
	static const char *const keys[] = {
		"role", "rule", "drawing", "unit", "range", "resolution",
	};

	if (key < OPT_ROLE || key > OPT_FUSED)
		return ARGP_ERR_UNKNOWN;
	return layer_words_add_word(state->input, keys[key - OPT_ROLE], arg);
}

static const struct argp layer_argp = {
	layer_options, layer_parse_option, NULL, NULL, NULL, ctl_help_names, NULL
};

const struct argp_child ctl_layer_words[] = {
	{ &layer_argp, 0, NULL, 3 },
	{ 0 }
};
