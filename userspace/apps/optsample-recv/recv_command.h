/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recv_command.h - commands of the console to robots
 */
#ifndef APPS_OPTSAMPLE_RECV_RECV_COMMAND_H
#define APPS_OPTSAMPLE_RECV_RECV_COMMAND_H

#include <cjson/cJSON.h>
#include "transport/receiver.h"

/**
 * recv_focus() - one topic of a robot before all others
 * @parameters: "topic", as published here or as the robot names it; without
 *	one: no focus, of all robots. "robot": only of this one
 *
 * Return: 0 or a negative errno, and @error says why in one line.
 */
int recv_focus(struct receiver *r, const cJSON *parameters,
	       struct error *error);

/**
 * recv_priority() - change the priority of a topic of a robot
 * @parameters: "topic" and "robot" as above, "priority": 0 .. 7
 */
int recv_priority(struct receiver *r, const cJSON *parameters,
		  struct error *error);

#endif
