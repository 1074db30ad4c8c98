/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * inputs.h - what feeds the board: sources, and a receiver in this process
 */
#ifndef APPS_OPTSAMPLE_VIEW_INPUTS_H
#define APPS_OPTSAMPLE_VIEW_INPUTS_H

#include "apps/optsample-view/view_config.h"
#include "ros/io/source.h"
#include "view/action.h"
#include "view/board.h"

struct inputs;

/**
 * inputs_open() - open what the settings name
 * @error: gets one line
 *
 * Messages come when the loop runs.
 *
 * Return: 0 or a negative errno.
 */
int inputs_open(struct inputs **in, struct loop *l,
		const struct view_config *c, struct error *error);
void inputs_close(struct inputs *in);

/* Where messages go; before the loop runs */
void inputs_show_on(struct inputs *in, struct board *b);

/* Ten times a second: signs of life, and the time of a replay */
void inputs_tick(struct inputs *in);

/* Is a recording replayed? */
bool inputs_replay(const struct inputs *in, struct view_replay *r);

/* Carry out what a client wants. Return: 0 or a negative errno, with a line */
int inputs_act(struct inputs *in, const struct action *a,
	       struct error *error);

/* Do robots here take commands? */
bool inputs_control(const struct inputs *in);

/* NULL: there is none */
const struct receiver *inputs_receiver(const struct inputs *in);

/* Messages that could not be read, or lost the room on the board */
uint64_t inputs_refused(const struct inputs *in);

#endif
