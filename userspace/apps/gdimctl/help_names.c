// SPDX-License-Identifier: GPL-2.0-only
/*
 * help_names - lists of names in help texts, from the tables of map/layer
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gdimctl.h"
#include "map/layer/names.h"

static const struct {
	const char	*word;
	enum names	names;
} help_words[] = {
	{ "{roles}", NAMES_ROLES },
	{ "{reported}", NAMES_REPORTED },
	{ "{rules}", NAMES_RULES },
	{ "{colours}", NAMES_COLOURS },
};

char *ctl_help_names(int key, const char *text, void *input)
{
	(void)key;
	(void)input;
	for (size_t i = 0; text && i < sizeof(help_words) / sizeof(*help_words);
	     i++) {
		const char *word = help_words[i].word, *at = strstr(text, word);
		char names[NAMES_TEXT], *whole;

		if (!at)
			continue;
		names_list(help_words[i].names, " or ", names);
		if (asprintf(&whole, "%.*s%s%s", (int)(at - text), text, names,
			     at + strlen(word)) >= 0)
			return whole;
	}
	return (char *)text;
}
