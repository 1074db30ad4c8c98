/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * input_parts.h - shared by the files of input
 */
#ifndef MAP_ROS_INPUT_PARTS_H
#define MAP_ROS_INPUT_PARTS_H

#include "map/ros/input.h"
#include "map/ros/input_report.h"
#include "map/ros/keyframes.h"
#include "map/ros/matcher.h"
#include "map/ros/pending_maps.h"

/**
 * struct map_input
 * @matcher:	NULL: submaps name their frame
 * @match_timeout: ns, until a submap is matched with what there is
 * @pending:	maps in the frame of a node that is still unknown, and the bytes
 *		of those that wait for a match
 */
struct map_input {
	struct site		*site;
	struct loop		*loop;
	const struct map_config *config;
	void			(*stored)(void *arg);
	void			*arg;
	struct loop_timer	timer;
	struct keyframes	keyframes;
	struct matcher		*matcher;
	uint64_t		match_timeout;
	struct pending_maps	pending;
	struct input_report	report;
};

/* As input_report_refuse() and input_report_count() */
#define input_refuse(in, ...) \
	input_report_refuse(&(in)->report, __VA_ARGS__)
#define input_count(in, what, n) \
	input_report_count(&(in)->report, what, n)

/* Return: 0; -EINVAL, already refused */
int map_input_check_stamp(struct map_input *in, const char *topic,
			  int64_t stamp);

bool map_input_is_map_frame(const struct map_input *in, const char *frame);

#endif
