/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ros1.h - a node of ros1c in the loop of a source or a sink
 */
#ifndef ROS_IO_ROS1_H
#define ROS_IO_ROS1_H

#include <stdbool.h>
#include "base/error.h"
#include "base/loop.h"
#include "ros/io/io.h"
#include "ros/ros1/ros1.h"

/**
 * struct ros1_end - the node, and its events
 */
struct ros1_end {
	struct ros1_end		*next;		/* of this process */
	char			name[IO_NAME];
	struct ros1		*node;
	struct loop		*loop;
	struct loop_fd		watch;
	struct loop_timer	timer;
};

/**
 * ros1_end_open() - start the node
 * @master: URI or NULL
 * @name: of the node; NULL: optsample
 *
 * Return: 0 or a negative errno; the error is logged.
 */
int ros1_end_open(struct ros1_end *e, struct loop *loop, const char *master,
		  const char *name,
		  void (*log)(void *arg, int priority, const char *line),
		  void *arg, struct error *error);
void ros1_end_close(struct ros1_end *e);

/* Whether a node is one of this process: its messages are not from others */
bool ros1_end_is_own(const char *callerid);

/* After calls into the node from elsewhere: a timer may be due earlier */
void ros1_end_due(struct ros1_end *e);

#endif
