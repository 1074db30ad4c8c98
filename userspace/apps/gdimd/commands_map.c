// SPDX-License-Identifier: GPL-2.0-only
/*
 * commands_map - commands on the socket: slow ones run in threads
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "apps/gdimd/gdimd.h"
#include "base/error.h"

/**
 * struct order - a slow command
 * @call:	the client to answer
 */
struct order {
	struct gdimd		*g;
	struct console_call	*call;
	char			name[32];
	struct error error;
	cJSON			*parameters, *answer;
	int			err;
};

static void run_order(void *arg)
{
	struct order *o = arg;

	o->err = gdimd_command(o->g, o->name, o->parameters, o->answer,
			       &o->error);
}

static void commands_map_answer_order(void *arg)
{
	struct order *o = arg;

	console_answer(o->call, o->err, o->answer, o->error.text);
	cJSON_Delete(o->parameters);
	free(o);
}

int gdimd_request(void *arg, const char *name, const cJSON *parameters,
		  cJSON *answer, struct error *error)
{
	struct gdimd *g = arg;
	struct order *o;
	int err;

	if (!gdimd_command_is_slow(name))
		return gdimd_command(g, name, parameters, answer, error);
	o = calloc(1, sizeof(*o));
	if (!o)
		return -ENOMEM;
	o->g = g;
	snprintf(o->name, sizeof(o->name), "%s", name);
	o->parameters = cJSON_Duplicate(parameters, true);
	o->answer = cJSON_CreateObject();
	o->call = console_later(g->console);
	if (!o->call) {
		err = -ENOMEM;
	} else {
		err = jobs_run(g->jobs, run_order, commands_map_answer_order,
			       o);
		if (!err)
			return 0;
		o->err = err;
		snprintf(o->error.text, sizeof(o->error.text), "%s", err == -EBUSY ?
			 "too many commands in progress" : strerror(-err));
		/* the error is the answer */
		commands_map_answer_order(o);
		return 0;
	}
	cJSON_Delete(o->parameters);
	cJSON_Delete(o->answer);
	free(o);
	return err;
}
