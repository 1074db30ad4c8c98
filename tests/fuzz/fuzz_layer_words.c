// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_layer_words - hostile lines of layers: KEY=VALUE KEY=VALUE
 *
 * Input: a byte; lowest bit 1: each following byte, up to a 0, selects a known
 * word; then a text. A line that can be parsed is written as words and must
 * then be parsed as the same.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/utf8.h"
#include "map/layer/layer.h"

static const char *const words[] = {
	"input=a", "input=", "role=gas", "role=other", "bits=8", "bits=16",
	"range=0:1", "range=-1e9:1e9", "range=1:0", "unit=%", "unit=°C",
	"rule=max", "rule=weighted", "rule=log-odds", "drawing=splat",
	"drawing=sample", "resolution=0.05", "resolution=100", "weights=a",
	"weights=none", "weights=name", "range=nan:1", "range=1:inf",
};

enum { WORDS = sizeof(words) / sizeof(*words) };

static void check(const struct layer *l)
{
	char clean[LAYER_UNIT];

	utf8_clean(l->unit, sizeof(l->unit), clean, sizeof(clean));
	if (!layer_name_valid(l->name) ||
	    (*l->input && !layer_name_valid(l->input)) ||
	    (*l->weights && !layer_name_valid(l->weights)) ||
	    (l->bits != 8 && l->bits != 16) || !(l->low < l->high) ||
	    strcmp(clean, l->unit) || l->modality >= MODALITIES ||
	    !(l->resolution >= 0 && l->resolution <= 100))
		abort();
}

/* All words of a layer; values that words cannot express are left out */
static void say(const struct layer *l, char text[1024])
{
	int n = sprintf(text, "role=%s bits=%u range=%.17g:%.17g unit=%s "
			"rule=%s weights=%s", modality_get(l->modality)->name,
			l->bits, l->low, l->high, l->unit,
			rule_get(l->rule, l->bits)->name,
			*l->weights ? l->weights : "none");

	if (*l->input)
		n += sprintf(text + n, " input=%s", l->input);
	if (l->drawing != LAYER_BY_RULE)
		n += sprintf(text + n, " drawing=%s",
			     l->drawing == LAYER_SPLAT ? "splat" : "sample");
	if (l->resolution > 0)
		sprintf(text + n, " resolution=%.17g", l->resolution);
}

static void again(const struct layer *l)
{
	char text[1024];
	struct error error;
	struct layer second, third = *l;

	say(l, text);
	if (layer_parse(&second, l->name, text, &error) ||
	    memcmp(&second, l, sizeof(*l)))
		abort();
	/* no words, no change */
	if (layer_change(&third, "", &error) || memcmp(&third, l, sizeof(*l)))
		abort();
}

static char *compose(const uint8_t *data, size_t size)
{
	char *text = malloc(size * 24 + 1);
	size_t n = 0, i = 1;

	if (*data & 1) {
		for (; i < size && data[i]; i++)
			n += sprintf(text + n, "%s ", words[data[i] % WORDS]);
		i += i < size;
	}
	memcpy(text + n, data + i, size - i);
	text[n + size - i] = 0;
	return realloc(text, strlen(text) + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;
	struct error error = { "" };
	struct layer l;

	if (!size)
		return 0;
	text = compose(data, size);
	if (!layer_parse(&l, "name", text, &error)) {
		check(&l);
		again(&l);
	} else if (!*error.text || strchr(error.text, '\n')) {
		abort();
	}
	if (*data & 2 && !layer_parse(&l, text, "", &error))
		check(&l);
	free(text);
	return 0;
}
