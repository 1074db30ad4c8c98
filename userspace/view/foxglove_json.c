// SPDX-License-Identifier: GPL-2.0-only
/*
 * foxglove_json - what all parts of a session say and read
 */
#include "view/foxglove_parts.h"

void foxglove_status(struct foxglove *f, int level, const char *id,
		     const char *text)
{
	cJSON *o = peer_begin("status");

	cJSON_AddNumberToObject(o, "level", level);
	cJSON_AddStringToObject(o, "message", text);
	if (id)
		cJSON_AddStringToObject(o, "id", id);
	peer_json(&f->peer, o);
}

/* A number of a client: an unsigned integer of 32 bits */
bool foxglove_number(const cJSON *o, const char *key, uint32_t *v)
{
	const cJSON *n = key ? cJSON_GetObjectItemCaseSensitive(o, key) : o;

	if (!cJSON_IsNumber(n) || !(n->valuedouble >= 0) ||
	    n->valuedouble > UINT32_MAX ||
	    n->valuedouble != (uint32_t)n->valuedouble)
		return false;
	*v = n->valuedouble;
	return true;
}
