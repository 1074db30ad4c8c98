// SPDX-License-Identifier: GPL-2.0-only
/*
 * import_layer - find or create the layer of an import
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "base/error.h"
#include "map/io/import_layer.h"

/* Does one of the words set the role? */
static bool import_layer_has_role(const char *words)
{
	const char *at = strstr(words, "role=");

	while (at && at != words && at[-1] != ' ' && at[-1] != '\t')
		at = strstr(at + 1, "role=");
	return at;
}

int import_layer_check(struct layer *l, const char *name, const char *words,
		       struct error *error)
{
	char all[IMPORT_WORDS + sizeof("role=obstacle ")];
	struct error why;
	int err;

	/* first, as the role sets a default rule */
	snprintf(all, sizeof(all), "%s%.*s",
		 import_layer_has_role(words) ? "" : "role=obstacle ",
		 IMPORT_WORDS, words);
	err = layer_parse(l, name, all, &why);
	return err ? error_set(error, err, "layer %s: %s", name, why.text) : 0;
}

int import_layer_find(struct site *s, const char *name, const char *words,
		      struct error *error)
{
	const int number = site_find_layer(s, name);
	struct layer now;

	if (number < 0)
		return -ENOENT;
	site_layer(s, number, &now);
	if (*words)
		return error_set(error, -EINVAL, "layer %s exists; change it "
				 "with 'gdimctl layer'", name);
	if (now.bits != 8)
		return error_set(error, -EINVAL,
				 "layer %s has cells of %u bits", name,
				 now.bits);
	return number;
}
