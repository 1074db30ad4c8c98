/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * input_report.h - what became of input: counters, refusals, and the clocks of
 * senders
 *
 * For any thread.
 */
#ifndef MAP_ROS_INPUT_REPORT_H
#define MAP_ROS_INPUT_REPORT_H

#include <cjson/cJSON.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/error.h"
#include "map/ros/stamps.h"

/**
 * enum input_counter
 * @INPUT_MESSAGES: messages that arrived
 * @INPUT_SUBMAPS: submaps that were stored
 * @INPUT_TRANSFORMS: transforms that were stored
 * @INPUT_EDGES: edges of pose graphs that were stored
 * @INPUT_REFUSED: refusals
 * @INPUT_LOST: valid submaps that the store could not take
 */
enum input_counter {
	INPUT_MESSAGES,
	INPUT_SUBMAPS,
	INPUT_TRANSFORMS,
	INPUT_EDGES,
	INPUT_REFUSED,
	INPUT_LOST,
	INPUT_COUNTERS
};

/**
 * struct input_report
 * @refused:	called with one line about a refused message
 * @unmatched:	messages that wait for a match; -1: input is not matched
 * @skew_logged: that clocks differ
 */
struct input_report {
	void		(*refused)(void *arg, const char *line);
	void		*arg;
	/* private */
	pthread_mutex_t	lock;		/* of the fields below */
	uint64_t	count[INPUT_COUNTERS];
	int		unmatched;
	struct error	error;
	struct stamps	stamps;
	bool		skew_logged;
};

/* @newest: the newest stored stamp, ns; 0: none */
void input_report_open(struct input_report *r, int64_t newest,
		       void (*refused)(void *arg, const char *line), void *arg);
void input_report_close(struct input_report *r);

/* Return: the new value */
uint64_t input_report_count(struct input_report *r, enum input_counter what,
			    unsigned int n);

/**
 * input_report_refuse() - count a refusal and pass its line on
 * @err: what the caller returns
 *
 * Return: @err.
 */
int input_report_refuse(struct input_report *r, const char *topic, int err,
			const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/**
 * input_report_stamp() - check the stamp of a message
 * @wall:	CLOCK_REALTIME, ns
 * @now:	CLOCK_MONOTONIC, ns
 *
 * Return: 0; -EINVAL, then it was refused.
 */
int input_report_stamp(struct input_report *r, const char *topic, int64_t stamp,
		       int64_t wall, uint64_t now);

/* Messages that wait for a match, for the status */
void input_report_unmatched(struct input_report *r, unsigned int count);

/* As map_input_status(); @wall: CLOCK_REALTIME, ns */
void input_report_status(struct input_report *r, int64_t wall, cJSON *out);

#endif
