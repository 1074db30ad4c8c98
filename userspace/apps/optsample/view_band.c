// SPDX-License-Identifier: GPL-2.0-only
/*
 * view_band - the bands of optsample-view in a terminal
 */
#include <langinfo.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "apps/optsample/daemon_ask.h"
#include "apps/optsample/view_band.h"

enum { NAME = 24, STATE = 13, AGE = 8, LEFT = NAME + STATE + AGE + 3 };

/* In the order of importance: what a column of several slots shows */
static const struct {
	char		slot;
	const char	*utf8, *ascii, *what;
} looks[] = {
	{ 'E', "┄", "?", "expected" },
	{ 'X', "╱", "x", "lost" },
	{ 'K', "▄", "k", "kept" },
	{ 'L', "█", "#", "live" },
	{ '.', " ", " ", NULL },
};

enum { LOOKS = sizeof(looks) / sizeof(*looks) };

static const char *look(unsigned int i)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") ? looks[i].ascii :
						       looks[i].utf8;
}

static unsigned int look_of(char slot)
{
	for (unsigned int i = 0; i < LOOKS; i++)
		if (looks[i].slot == slot)
			return i;
	return LOOKS - 1;
}

/* The newest slots are on the right */
static void show_band(const char *band, int columns)
{
	const int slots = strlen(band), each = (slots + columns - 1) / columns;

	for (int c = slots % each ? slots % each - each : 0; c < slots;
	     c += each) {
		unsigned int best = LOOKS - 1;

		for (int i = c < 0 ? 0 : c; i < c + each; i++)
			if (look_of(band[i]) < best)
				best = look_of(band[i]);
		fputs(look(best), stdout);
	}
	putchar('\n');
}

static void show_topic(const cJSON *t, int columns)
{
	const cJSON *age = cJSON_GetObjectItemCaseSensitive(t, "age");
	const char *name = daemon_text(t, "name");
	const size_t n = strlen(name);
	char when[32] = "-";

	if (cJSON_IsNumber(age) && age->valuedouble < 10)
		snprintf(when, sizeof(when), "%.0f ms", age->valuedouble * 1e3);
	else if (cJSON_IsNumber(age))
		snprintf(when, sizeof(when), "%.0f s", age->valuedouble);
	printf("%-*s %-*s%*s ", NAME, n > NAME ? name + n - NAME : name, STATE,
	       daemon_text(t, "state"), AGE, when);
	show_band(daemon_text(t, "band"), columns);
}

static void show_outages(const cJSON *outages, int *lines)
{
	const cJSON *o;

	cJSON_ArrayForEach(o, outages) {
		const cJSON *end = cJSON_GetObjectItemCaseSensitive(o, "end");
		const time_t begin = (time_t)daemon_number(o, "begin");
		char when[16];

		/* of the past only the last one */
		if (o->next && !cJSON_IsNull(end))
			continue;
		strftime(when, sizeof(when), "%H:%M:%S", localtime(&begin));
		if (cJSON_IsNull(end))
			printf("%s: no link since %s\n",
			       daemon_text(o, "source"), when);
		else
			printf("%s: last outage from %s, %.0f s\n",
			       daemon_text(o, "source"), when,
			       end->valuedouble - daemon_number(o, "begin"));
		--*lines;
	}
}

void view_band_show(const cJSON *status, int columns, int lines)
{
	const cJSON *topics = cJSON_GetObjectItemCaseSensitive(status,
							       "topics"), *t;
	const bool all = !lines;

	setlocale(LC_CTYPE, "");
	columns = columns > LEFT + 10 ? columns - LEFT : 10;
	lines -= 2;
	show_outages(cJSON_GetObjectItemCaseSensitive(status, "outages"),
		     &lines);
	printf("%-*s %-*s%*s ", NAME, "topic", STATE, "state", AGE, "age");
	for (unsigned int i = LOOKS - 1; i-- > 0;)
		printf("%s %s  ", look(i), looks[i].what);
	putchar('\n');
	cJSON_ArrayForEach(t, topics)
		if (all || lines-- > 0)
			show_topic(t, columns);
}
