// SPDX-License-Identifier: GPL-2.0-only
/*
 * gdimctl rooms, gdimctl room - list rooms, and values of the maps in a room
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include "base/cli.h"
#include "base/error.h"
#include "gdimctl.h"
#include "map/site/queries.h"
#include "map/site/room_values.h"

static const struct argp rooms_argp = {
	NULL, ctl_no_arguments, NULL,
	"List the rooms of the site.", NULL, NULL, NULL
};

static void print_rooms(const cJSON *a)
{
	const cJSON *r;

	printf("%g rooms\n", ctl_value(a, "rooms"));
	cJSON_ArrayForEach(r, cJSON_GetObjectItem(a, "list"))
		printf("%4g  %-24s at %.2f %.2f m, %.1f m^2\n",
		       ctl_value(r, "id"), ctl_text(r, "name"),
		       ctl_value(r, "x"), ctl_value(r, "y"),
		       ctl_value(r, "size"));
}

/* Only the room's part of the maps; nothing for an unknown room */
static int fuse_room(struct site *s, unsigned int id)
{
	struct site_area area;
	struct error error;
	struct room room;

	if (query_find_room(s, id, &room, &error))
		return 0;
	room_area(&room, &area);
	return ctl_fuse_area(s, &area);
}

/* From the store, without a daemon; @one: of room @id */
static int rooms_look(bool one, unsigned int id, cJSON **answer)
{
	struct error error;
	struct site *s;
	int err = ctl_open_in_part(&s);

	if (err)
		return err;
	*answer = cJSON_CreateObject();
	err = one ? fuse_room(s, id) : 0;
	if (!err) {
		err = one ? query_room(s, id, *answer, &error) :
			    query_rooms(s, *answer, &error);
		if (err)
			cli_error(err, "%s", error.text);
	}
	if (err)
		cJSON_Delete(*answer);
	site_close(s);
	return err;
}

int cmd_rooms(int argc, char **argv)
{
	cJSON *answer;
	int err;

	err = cli_parse(&rooms_argp, argc, argv, NULL);
	if (!err)
		err = ctl.store ? rooms_look(false, 0, &answer) :
		      ctl_ask("rooms", cJSON_CreateObject(), &answer);
	return err ? err : ctl_show(answer, print_rooms);
}

struct which {
	uint32_t	id;
	bool		given;
};

static error_t room_parse(int key, char *arg, struct argp_state *state)
{
	struct which *w = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		if (w->given)
			return cli_usage(state->argv[0], "more than one room");
		w->given = true;
		if (parse_u32(ctl_argument(arg), 0, ROOM_ID_MAX, &w->id))
			return cli_error(-EINVAL, "room must be 0..%d",
					 ROOM_ID_MAX);
		return 0;
	case ARGP_KEY_END:
		return w->given ? 0 : cli_usage(state->argv[0],
					       "missing room ID");
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp room_argp = {
	NULL, room_parse, "ID",
	"Print the values of a room: mean and maximum of each layer of "
	"{reported} in the fused maps, and the reported values.",
	NULL, ctl_help_names, NULL
};

/* The sender's values, used where the maps have none */
static void print_reported(const cJSON *r)
{
	const cJSON *names = cJSON_GetObjectItem(r, "gas_names"), *v;
	int gas = 0;

	cJSON_ArrayForEach(v, r)
		if (cJSON_IsNumber(v))
			printf("%-24s %.4g, as reported\n", v->string,
			       v->valuedouble);
	cJSON_ArrayForEach(v, cJSON_GetObjectItem(r, "gases")) {
		const cJSON *name = cJSON_GetArrayItem(names, gas++);

		if (cJSON_IsNumber(v))
			printf("%-24s %.4g, as reported\n", name ?
			       name->valuestring : "gas", v->valuedouble);
	}
}

static void print_room(const cJSON *a)
{
	const cJSON *l;

	printf("room %g %s at %.2f %.2f m, %.1f m^2\n", ctl_value(a, "id"),
	       ctl_text(a, "name"), ctl_value(a, "x"), ctl_value(a, "y"),
	       ctl_value(a, "size"));
	cJSON_ArrayForEach(l, cJSON_GetObjectItem(a, "layers")) {
		if (!ctl_value(l, "known_cells"))
			continue;
		printf("%-24s mean %.4g, max %.4g", l->string,
		       ctl_value(l, "mean"), ctl_value(l, "max"));
		if (*ctl_text(l, "unit"))
			printf("  (%.4g and %.4g %s)",
			       ctl_value(l, "physical_mean"),
			       ctl_value(l, "physical_max"),
			       ctl_text(l, "unit"));
		putchar('\n');
	}
	print_reported(cJSON_GetObjectItem(a, "reported"));
}

int cmd_room(int argc, char **argv)
{
	struct which w = { 0, false };
	cJSON *p, *answer;
	int err;

	err = cli_parse(&room_argp, argc, argv, &w);
	if (err)
		return err;
	if (ctl.store) {
		err = rooms_look(true, w.id, &answer);
	} else {
		p = cJSON_CreateObject();
		cJSON_AddNumberToObject(p, "room", w.id);
		err = ctl_ask("room", p, &answer);
	}
	return err ? err : ctl_show(answer, print_room);
}
