// SPDX-License-Identifier: GPL-2.0-only
/*
 * import_layer - the layer that something from files is imported into
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "gdim/import_layer.h"

int import_error(char error[SITE_ERROR], int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error, SITE_ERROR, format, args);
	va_end(args);
	return err;
}

int import_layer_check(struct layer *l, const char *name, const char *words,
		       char error[SITE_ERROR])
{
	char why[256];
	int err = layer_parse(l, name, words, why);

	if (!err && !strstr(words, "role="))
		l->role = LAYER_OBSTACLE;
	return err ? import_error(error, err, "layer %s: %s", name, why) : 0;
}

int import_layer_find(struct site *s, const char *name, const char *words,
		      char error[SITE_ERROR])
{
	const int number = site_find_layer(s, name);
	struct layer now;

	if (number < 0)
		return -ENOENT;
	site_layer(s, number, &now);
	if (*words)
		return import_error(error, -EINVAL, "layer %s is there "
				    "already: 'gdimctl layer' changes what it "
				    "means", name);
	if (now.bits != 8)
		return import_error(error, -EINVAL,
				    "layer %s has cells of %u bits", name,
				    now.bits);
	return number;
}

int import_layer_make(struct site *s, const char *name, const char *words,
		      char error[SITE_ERROR])
{
	struct layer l;
	int err;

	if (!*words && site_layers(s))
		return import_error(error, -EINVAL, "no layer '%s': --role "
				    "ROLE makes one", name);
	err = import_layer_check(&l, name, words, error);
	return err ? err : site_set_layer(s, &l, error);
}
