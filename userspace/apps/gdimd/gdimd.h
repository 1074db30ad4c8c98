/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gdimd.h - the daemon: what its parts share
 */
#ifndef GDIMD_H
#define GDIMD_H

#include <cjson/cJSON.h>
#include <pthread.h>
#include <stdbool.h>
#include "apps/gdimd/config.h"
#include "base/console.h"
#include "base/error.h"
#include "base/jobs.h"
#include "map/record/recorder.h"
#include "map/ros/input.h"
#include "map/ros/input_topics.h"
#include "map/ros/publisher.h"
#include "map/ros/storing.h"
#include "map/site/fuser.h"
#include "ros/io/ros2_graph.h"
#include "ros/io/sink.h"
#include "ros/io/source.h"

struct gdimd_services;
struct web;

/**
 * struct gdimd - the daemon. Threads: the loop, which reads DDS, publishes and
 * runs fast commands; one that stores; one that fuses; and one for each slow
 * command
 * @stored:	what is new in the store: 1 << enum map_publisher_state,
 *		GDIMD_SUBMAPS; atomic, with @changed
 * @topics:	of the input; set by the thread that stores when it starts
 * @refusal_lock: of @refusal_logged and @refusals_since
 */
struct gdimd {
	struct config		config;
	struct loop		*loop;
	struct site		*site;
	struct fuser		*fuser;
	struct map_input	*input;
	struct input_topics	topics;
	struct storing		*storing;
	struct jobs		*jobs;
	struct map_publisher	*publisher;
	struct source		*source;
	struct sink		*sink;
	struct console		*console;
	struct gdimd_services	*services;
	struct web		*web;
	struct recorder		*recorder;
	struct loop_timer	checkpoint;
	struct loop_fd		changed;
	unsigned int		stored;
	pthread_mutex_t		refusal_lock;
	uint64_t		refusal_logged;	/* CLOCK_MONOTONIC, ns */
	unsigned int		refusals_since;
	bool			lost;		/* the store; logged */
	uint64_t		io_errors;	/* of the store; atomic */
	unsigned int		apart_logged;	/* nodes */
};

/**
 * gdimd_open() - open all that g->config has; all else of @g is 0
 * @error:	gets one line
 *
 * SIGINT and SIGTERM end g->loop from now on. Also after an error, all that was
 * opened is closed by gdimd_close().
 *
 * Return: 0 or a negative errno.
 */
int gdimd_open(struct gdimd *g, struct error *error);
void gdimd_close(struct gdimd *g);

/* An error of the store's disk, for the log */
void gdimd_on_io_error(void *gdimd, const char *line);

#define GDIMD_SUBMAPS	(1U << MAP_PUBLISHER_STATES)

/* Whether a command is slow: not for the loop, but for any other thread */
bool gdimd_command_is_slow(const char *name);

/**
 * gdimd_command() - run a command
 * @name: status, layers, spot, room, rooms, rate, import, import-submaps,
 *	set-poses, layer, remove, log, snapshot, notes
 * @parameters: the words of the command line
 * @answer: gets the items of queries.h
 *
 * In the loop, or as gdimd_command_is_slow() says. Return: 0, or a negative
 * errno and one line in @error.
 */
int gdimd_command(void *gdimd, const char *name, const cJSON *parameters,
		  cJSON *answer, struct error *error);

/* As gdimd_command(), for clients of the socket: slow ones are answered later */
int gdimd_request(void *gdimd, const char *name, const cJSON *parameters,
		  cJSON *answer, struct error *error);

/**
 * gdimd_storing_open() - start the thread; needs the site and the fuser
 *
 * Return: 0 or a negative errno.
 */
int gdimd_storing_open(struct gdimd *g);

/* In the loop: the thread that stores adds these to the store's journal */
void gdimd_note(void *gdimd, const char *kind, const char *path,
		const char *error);
void gdimd_keep_rate(void *gdimd, const char *name, double hz);

/*
 * Whether the store's file was deleted or replaced, so that nothing more can be
 * stored; logged once
 */
bool gdimd_store_is_lost(struct gdimd *g);

/* @what is new in the store. From any thread */
void gdimd_stored(struct gdimd *g, unsigned int what);

/* Called by the source */
void gdimd_message(void *gdimd, const struct source_message *m);
void gdimd_found(void *gdimd, const char *topic, enum message_kind kind);

/**
 * gdimd_services_open() - offer D4.1's services, if the input is ROS 2
 *
 * Return: 0, also without ROS 2; a negative errno, and one line in @error.
 */
int gdimd_services_open(struct gdimd *g, struct error *error);
void gdimd_services_close(struct gdimd *g);

/* "answered", "to_fastdds", "unserved", "dropped" */
void gdimd_services_status(const struct gdimd *g, cJSON *out);

/* Requests that were answered with an error */
uint64_t gdimd_services_refused(const struct gdimd *g);

#endif
