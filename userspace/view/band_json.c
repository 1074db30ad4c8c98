// SPDX-License-Identifier: GPL-2.0-only
/*
 * band_json - bands, states and outages as JSON
 */
#include <math.h>
#include <stdlib.h>
#include "view/band_json.h"

static const char *const names[] = {
	[BOARD_UNKNOWN] = "unknown", [BOARD_LIVE] = "live",
	[BOARD_STALE] = "stale", [BOARD_DISCONNECTED] = "disconnected",
};

const char *band_state_name(enum board_state state)
{
	return names[state];
}

cJSON *band_json_outages(struct board *b, double unit)
{
	cJSON *list = cJSON_CreateArray();

	for (unsigned int i = 0; i < board_sources(b); i++) {
		const struct board_source *s = board_source(b, i);

		for (unsigned int k = 0; k < s->outages; k++) {
			const struct outage *o = &s->outage[k];
			cJSON *one = cJSON_CreateObject();

			cJSON_AddStringToObject(one, "source", s->name);
			cJSON_AddNumberToObject(one, "begin",
						floor(o->begin / unit));
			if (o->end == INT64_MAX)
				cJSON_AddNullToObject(one, "end");
			else
				cJSON_AddNumberToObject(one, "end",
							floor(o->end / unit));
			cJSON_AddItemToArray(list, one);
		}
	}
	return list;
}

static cJSON *summary_topic(struct board *b, struct board_topic *t,
			    int64_t from, int64_t to, char *text)
{
	const struct band_view v = board_band(b, t);
	cJSON *o = cJSON_CreateObject();

	band_text(&t->band, &v, from, to, text);
	text[to - from] = 0;
	cJSON_AddStringToObject(o, "name", t->name);
	cJSON_AddStringToObject(o, "source",
				board_source(b, t->source)->name);
	cJSON_AddStringToObject(o, "state",
				band_state_name(board_state(b, t)));
	if (t->seen)
		cJSON_AddNumberToObject(o, "age",
					round((v.now - t->seen) / 1e6) / 1e3);
	else
		cJSON_AddNullToObject(o, "age");
	cJSON_AddNumberToObject(o, "hz", v.period ?
				round(1e11 / v.period) / 100 : 0);
	cJSON_AddNumberToObject(o, "live", t->live);
	cJSON_AddNumberToObject(o, "kept", t->kept);
	cJSON_AddNumberToObject(o, "lost_seconds",
				band_lost(text, to - from) * (BAND_SLOT / 1e9));
	cJSON_AddStringToObject(o, "band", text);
	return o;
}

cJSON *band_json_summary(struct board *b, unsigned int seconds)
{
	const int64_t to = band_slot(board_now(b)) + 1;
	const int64_t from = to - seconds * 1000000000LL / BAND_SLOT;
	char *text = malloc(to - from + 1);
	cJSON *o = cJSON_CreateObject(), *list;

	cJSON_AddNumberToObject(o, "slot", BAND_SLOT / 1e9);
	list = cJSON_AddArrayToObject(o, "topics");
	for (unsigned int i = 0; text && i < board_topics(b); i++)
		cJSON_AddItemToArray(list, summary_topic(b, board_topic(b, i),
							 from, to, text));
	cJSON_AddItemToObject(o, "outages", band_json_outages(b, 1e9));
	free(text);
	return o;
}
