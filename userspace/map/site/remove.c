// SPDX-License-Identifier: GPL-2.0-only
/*
 * remove - remove a layer or a room from a site
 */
#include <errno.h>
#include <stdio.h>
#include "base/error.h"
#include "map/site/remove.h"

int remove_layer(struct site *s, const char *name, cJSON *answer,
		 struct error *error)
{
	const int number = site_find_layer(s, name);
	unsigned int submaps;
	int err;

	if (number < 0)
		return error_set(error, number, "no layer '%.64s'", name);
	err = site_remove_layer(s, number, &submaps, error);
	if (err)
		return err;
	cJSON_AddStringToObject(answer, "layer", name);
	cJSON_AddNumberToObject(answer, "submaps", submaps);
	return 0;
}

int remove_room(struct site *s, unsigned int id, cJSON *answer,
		struct error *error)
{
	int err;

	site_turn(s);
	err = store_remove_room(site_store(s), id);
	if (err == -ENOENT)
		error_set(error, 0, "no room %u", id);
	else if (err)
		error_set(error, 0, "%s",
			 store_error(site_store(s)));
	else
		cJSON_AddNumberToObject(answer, "room", id);
	site_turn_end(s);
	return err;
}
