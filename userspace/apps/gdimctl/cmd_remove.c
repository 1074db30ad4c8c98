// SPDX-License-Identifier: GPL-2.0-only
/*
 * gdimctl remove - remove a layer or a room
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/cli.h"
#include "base/error.h"
#include "gdimctl.h"
#include "map/site/remove.h"

struct what {
	const char	*layer;
	bool		is_room;
	uint32_t	room;
	unsigned int	words;
};

static error_t remove_parse(int key, char *arg, struct argp_state *state)
{
	struct what *w = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		ctl_argument(arg);
		if (w->words == 2)
			return cli_usage(state->argv[0], "too many arguments");
		if (!w->words++) {
			w->is_room = !strcmp(arg, "room");
			return w->is_room || !strcmp(arg, "layer") ? 0 :
			       cli_usage(state->argv[0],
					 "'%s' is neither 'layer' nor 'room'",
					 arg);
		}
		w->layer = arg;
		return w->is_room && parse_u32(arg, 0, ROOM_ID_MAX, &w->room) ?
		       cli_error(-EINVAL,
				 "room must be 0..%d", ROOM_ID_MAX) : 0;
	case ARGP_KEY_END:
		return w->words == 2 ? 0 : cli_usage(state->argv[0],
						     "missing argument: layer "
						     "NAME or room ID");
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp remove_argp = {
	NULL, remove_parse, "layer NAME | room ID",
	"Remove a layer with all of its submaps, or a room, from the store. "
	"This cannot be undone. Prints what was removed.",
	NULL, NULL, NULL
};

static void remove_print(const cJSON *a)
{
	if (cJSON_HasObjectItem(a, "room"))
		printf("room %g removed\n", ctl_value(a, "room"));
	else
		printf("layer %s and its %g submaps removed\n",
		       ctl_text(a, "layer"), ctl_value(a, "submaps"));
}

/* In the store, without a daemon */
static int remove_change(const struct what *w, cJSON **answer)
{
	struct error error;
	struct site *s;
	int err = ctl_open(&s, STORE_WRITE);

	if (err)
		return err;
	*answer = cJSON_CreateObject();
	err = w->is_room ? remove_room(s, w->room, *answer, &error) :
			   remove_layer(s, w->layer, *answer, &error);
	if (err) {
		cli_error(err, "%s", error.text);
		cJSON_Delete(*answer);
	}
	site_close(s);
	return err;
}

static int remove_ask(const struct what *w, cJSON **answer)
{
	cJSON *p = cJSON_CreateObject();

	if (w->is_room)
		cJSON_AddNumberToObject(p, "room", w->room);
	else
		cJSON_AddStringToObject(p, "layer", w->layer);
	return ctl_ask("remove", p, answer);
}

int cmd_remove(int argc, char **argv)
{
	struct what w = { .layer = NULL };
	cJSON *answer;
	int err;

	err = cli_parse(&remove_argp, argc, argv, &w);
	if (!err)
		err = ctl.store ? remove_change(&w, &answer) :
				  remove_ask(&w, &answer);
	return err ? err : ctl_show(answer, remove_print);
}
