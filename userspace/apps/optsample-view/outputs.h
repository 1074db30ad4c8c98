/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * outputs.h - what clients publish, towards a robot
 *
 * A topic of velocities that falls silent gets one message of zeros after half
 * a second: the operator's connection may have failed while the robot drove.
 */
#ifndef APPS_OPTSAMPLE_VIEW_OUTPUTS_H
#define APPS_OPTSAMPLE_VIEW_OUTPUTS_H

#include "base/error.h"
#include "base/loop.h"
#include "view/action.h"

enum { OUTPUTS_DEADMAN = 500 };		/* ms */

struct outputs;

/**
 * outputs_open() - @spec: see ros/io/sink.h
 *
 * Return: 0 or a negative errno, with one line in @error.
 */
int outputs_open(struct outputs **o, struct loop *l, const char *spec,
		 const char *node, struct error *error);
void outputs_close(struct outputs *o);

/* Send a zero command for each topic of velocities that moves; @o may be NULL */
void outputs_halt(struct outputs *o);

/* Publish a message. Return: 0 or a negative errno */
int outputs_publish(struct outputs *o, const struct action *a);

/* Messages published; zero commands of the deadman; messages that failed */
struct outputs_counts {
	uint64_t	published, stopped, failed;
};
const struct outputs_counts *outputs_counts(const struct outputs *o);

#endif
