// SPDX-License-Identifier: GPL-2.0-only
/*
 * names - the names in the tables of modalities, rules and colours
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include "map/layer/colours.h"
#include "map/layer/modality.h"
#include "map/layer/names.h"

static const unsigned int names_count[] = {
	[NAMES_ROLES] = MODALITIES, [NAMES_REPORTED] = MODALITIES,
	[NAMES_RULES] = RULES, [NAMES_COLOURS] = COLOURS,
};

/* NULL: not in the list */
static const char *names_one(enum names names, unsigned int i)
{
	switch (names) {
	case NAMES_ROLES:
		return modality_get(i)->name;
	case NAMES_REPORTED:
		return modality_get(i)->report == MODALITY_UNREPORTED ? NULL :
		       modality_get(i)->name;
	case NAMES_RULES:
		return rule_get(i, 8)->name;
	case NAMES_COLOURS:
		return colours_name(i);
	}
	return NULL;
}

static void names_add(char text[NAMES_TEXT], const char *between,
		      const char *name)
{
	const size_t n = strlen(text);

	assert(n + strlen(between) + strlen(name) < NAMES_TEXT);
	snprintf(text + n, NAMES_TEXT - n, "%s%s", n ? between : "", name);
}

char *names_list(enum names names, const char *last, char text[NAMES_TEXT])
{
	const char *before = NULL;

	*text = '\0';
	for (unsigned int i = 0; i < names_count[names]; i++) {
		const char *name = names_one(names, i);

		if (name && before)
			names_add(text, ", ", before);
		if (name)
			before = name;
	}
	if (before)
		names_add(text, last, before);
	return text;
}
