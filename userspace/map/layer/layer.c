// SPDX-License-Identifier: GPL-2.0-only
/*
 * layer - parse the configuration line of a layer
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/error.h"
#include "base/cli.h"
#include "base/utf8.h"
#include "map/fusion/cells.h"
#include "map/layer/layer.h"
#include "map/layer/names.h"

enum { WORD = 128 };

static const double VALUE_MAX = 1e9;		/* in any unit */
static const double RESOLUTION_MIN = 1e-3, RESOLUTION_MAX = 100;	/* m */

/* Key of a word; each may occur once */
enum key {
	KEY_INPUT, KEY_MODALITY, KEY_BITS, KEY_RANGE, KEY_UNIT, KEY_RULE,
	KEY_DRAWING, KEY_RESOLUTION, KEY_WEIGHTS, KEYS,
};

static const char *const key_names[KEYS] = {
	[KEY_INPUT] = "input",
	[KEY_MODALITY] = "role",
	[KEY_BITS] = "bits",
	[KEY_RANGE] = "range",
	[KEY_UNIT] = "unit",
	[KEY_RULE] = "rule",
	[KEY_DRAWING] = "drawing",
	[KEY_RESOLUTION] = "resolution",
	[KEY_WEIGHTS] = "weights",
};

static int layer_find(const char *const *names, unsigned int n,
		      const char *name)
{
	for (unsigned int i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return i;
	return -ENOENT;
}

bool layer_name_valid(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789_";
	const size_t n = strspn(name, letters);

	return n && n < LAYER_NAME && !name[n];
}

bool layer_splats(const struct layer *l)
{
	if (l->drawing == LAYER_BY_RULE)
		return l->rule == RULE_MAX || l->rule == RULE_LOG_ODDS;
	return l->drawing == LAYER_SPLAT;
}

bool layer_same(const struct layer *a, const struct layer *b)
{
	return !strcmp(a->name, b->name) && !strcmp(a->input, b->input) &&
	       !strcmp(a->weights, b->weights) && a->modality == b->modality &&
	       a->bits == b->bits && a->low == b->low && a->high == b->high &&
	       !strcmp(a->unit, b->unit) && a->rule == b->rule &&
	       a->drawing == b->drawing && a->resolution == b->resolution;
}

double layer_physical(const struct layer *l, double value)
{
	if (!(value >= 0))
		return NAN;
	return l->low + value / cells_full(l->bits) * (l->high - l->low);
}

void layer_default(struct layer *l, const char *name)
{
	*l = (struct layer){
		.bits = 8, .high = 100, .rule = RULE_MAX,
		.drawing = LAYER_BY_RULE,
	};
	snprintf(l->name, sizeof(l->name), "%s", name);
}

static int parse_name(char to[LAYER_NAME], const char *key, const char *value,
		      struct error *error)
{
	if (!layer_name_valid(value))
		return error_set(error, -EINVAL,
				 "%s=%s is not a name of at most %d letters, "
				 "digits and _",
				 key, value, LAYER_NAME - 1);
	strcpy(to, value);
	return 0;
}

static int parse_modality(struct layer *l, const char *value,
			  struct error *error)
{
	const int modality = modality_by_name(value);
	char names[NAMES_TEXT];

	if (modality < 0)
		return error_set(error, -EINVAL, "role=%s is not one of %s",
				 value, names_list(NAMES_ROLES, ", ", names));
	l->modality = modality;
	return 0;
}

static int parse_bits(struct layer *l, const char *value,
		      struct error *error)
{
	if (strcmp(value, "8") && strcmp(value, "16"))
		return error_set(error, -EINVAL, "bits=%s is neither 8 nor 16",
				 value);
	l->bits = value[1] ? 16 : 8;
	return 0;
}

static int parse_range(struct layer *l, const char *value,
		       struct error *error)
{
	char low[WORD];
	const char *colon = strchr(value, ':');

	if (!colon)
		return error_set(error, -EINVAL, "range=%s is not LOW:HIGH",
				 value);
	snprintf(low, sizeof(low), "%.*s", (int)(colon - value), value);
	if (parse_double(low, -VALUE_MAX, VALUE_MAX, &l->low) ||
	    parse_double(colon + 1, -VALUE_MAX, VALUE_MAX, &l->high))
		return error_set(error, -EINVAL,
				 "range=%s is not two numbers within +-%g",
				 value, VALUE_MAX);
	if (l->low >= l->high)
		return error_set(error, -EINVAL,
				 "range=%s: %g is not less than %g",
				 value, l->low, l->high);
	return 0;
}

static int layer_parse_unit(struct layer *l, const char *value,
			    struct error *error)
{
	if (strlen(value) >= LAYER_UNIT)
		return error_set(error, -EINVAL,
				 "unit=%s is longer than %d bytes", value,
				 LAYER_UNIT - 1);
	utf8_clean(value, strlen(value), l->unit, sizeof(l->unit));
	if (strcmp(l->unit, value))
		return error_set(error, -EINVAL, "unit= is not UTF-8");
	return 0;
}

static int parse_rule(struct layer *l, const char *value,
		      struct error *error)
{
	const int rule = rule_by_name(value);
	char names[NAMES_TEXT];

	if (rule < 0)
		return error_set(error, -EINVAL, "rule=%s is not one of %s",
				 value, names_list(NAMES_RULES, ", ", names));
	l->rule = rule;
	return 0;
}

static int parse_drawing(struct layer *l, const char *value,
			 struct error *error)
{
	if (!strcmp(value, "splat"))
		l->drawing = LAYER_SPLAT;
	else if (!strcmp(value, "sample"))
		l->drawing = LAYER_SAMPLE;
	else if (!strcmp(value, "rule"))
		l->drawing = LAYER_BY_RULE;
	else
		return error_set(error, -EINVAL,
				 "drawing=%s is not one of splat, sample, rule",
				 value);
	return 0;
}

static int parse_resolution(struct layer *l, const char *value,
			    struct error *error)
{
	if (parse_double(value, RESOLUTION_MIN, RESOLUTION_MAX,
			 &l->resolution))
		return error_set(error, -EINVAL,
				 "resolution=%s is not %g to %g m", value,
				 RESOLUTION_MIN, RESOLUTION_MAX);
	return 0;
}

static int parse_value(struct layer *l, enum key key, const char *value,
		       struct error *error)
{
	switch (key) {
	case KEY_INPUT:
		return parse_name(l->input, "input", value, error);
	case KEY_WEIGHTS:
		/* none */
		*l->weights = 0;
		if (!strcmp(value, "none"))
			return 0;
		return parse_name(l->weights, "weights", value, error);
	case KEY_MODALITY:
		return parse_modality(l, value, error);
	case KEY_BITS:
		return parse_bits(l, value, error);
	case KEY_RANGE:
		return parse_range(l, value, error);
	case KEY_UNIT:
		return layer_parse_unit(l, value, error);
	case KEY_RULE:
		return parse_rule(l, value, error);
	case KEY_DRAWING:
		return parse_drawing(l, value, error);
	case KEY_RESOLUTION:
		return parse_resolution(l, value, error);
	default:
		return -EINVAL;
	}
}

/* @seen: a bit per key */
static int parse_word(struct layer *l, char *word, unsigned int *seen,
		      struct error *error)
{
	char *value = strchr(word, '=');
	int key;

	if (!value)
		return error_set(error, -EINVAL, "%s is not KEY=VALUE", word);
	*value++ = '\0';
	key = layer_find(key_names, KEYS, word);
	if (key < 0)
		return error_set(error, -EINVAL,
				 "unknown key %s=", word);
	if (*seen & 1U << key)
		return error_set(error, -EINVAL, "%s= given twice", word);
	*seen |= 1U << key;
	return parse_value(l, key, value, error);
}

/* Complete settings that depend on all words */
static int complete(const struct layer *l, struct error *error)
{
	if (!*l->weights)
		return 0;
	if (l->rule != RULE_WEIGHTED)
		return error_set(error, -EINVAL,
				 "weights=%s needs rule=weighted", l->weights);
	if (!strcmp(l->weights, l->name))
		return error_set(error, -EINVAL,
				 "weights=%s is the layer itself", l->weights);
	return 0;
}

/* Read a word of @text. Return: the rest; NULL: the word is too long */
static const char *layer_next_word(const char *text, char word[WORD])
{
	const size_t n = strcspn(text, " \t");

	if (n >= WORD)
		return NULL;
	memcpy(word, text, n);
	word[n] = '\0';
	return text + n + strspn(text + n, " \t");
}

/* Control characters would break the line of @error */
static bool has_control(const char *text)
{
	for (; *text; text++)
		if (((unsigned char)*text < ' ' && *text != '\t') ||
		    *text == 0x7f)
			return true;
	return false;
}

/* @seen: out: a bit per key that occurred */
static int change(struct layer *l, const char *text, unsigned int *seen,
		  struct error *error)
{
	const bool was_8 = l->bits == 8;
	char word[WORD];
	int err = 0;

	if (has_control(text))
		return error_set(error, -EINVAL, "control characters");
	text += strspn(text, " \t");
	while (!err && *text) {
		text = layer_next_word(text, word);
		if (!text)
			return error_set(error, -EINVAL,
					 "a word has more than %d bytes",
					 WORD - 1);
		err = parse_word(l, word, seen, error);
	}
	/* 0..1 instead of 0..100, unless set */
	if (was_8 && l->bits == 16 && !(*seen & 1U << KEY_RANGE))
		l->high = 1;
	return err ? err : complete(l, error);
}

int layer_change(struct layer *l, const char *text, struct error *error)
{
	unsigned int seen = 0;

	return change(l, text, &seen, error);
}

int layer_parse(struct layer *l, const char *name, const char *text,
		struct error *error)
{
	unsigned int seen = 0;
	int err;

	if (!layer_name_valid(name))
		return error_set(error, -EINVAL,
				 "a layer name has at most %d letters, digits "
				 "and _",
				 LAYER_NAME - 1);
	layer_default(l, name);
	err = change(l, text, &seen, error);
	if (!err && !(seen & 1U << KEY_RULE))
		l->rule = modality_get(l->modality)->rule;
	return err;
}
