/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gdimd.h - the daemon as a whole: what its parts know of each other
 */
#ifndef GDIMD_H
#define GDIMD_H

#include <cjson/cJSON.h>
#include <pthread.h>
#include <stdbool.h>
#include "base/console.h"
#include "ros/io/ros2_graph.h"
#include "ros/io/sink.h"
#include "ros/io/source.h"
#include "apps/gdimd/config.h"
#include "apps/gdimd/fuser.h"
#include "apps/gdimd/input.h"
#include "apps/gdimd/jobs.h"
#include "apps/gdimd/publisher.h"
#include "apps/gdimd/storing.h"
#include "apps/gdimd/recorder.h"

struct gdimd_services;
struct web;

/**
 * struct gdimd - all of it. Two threads and more: the loop, which reads DDS,
 * publishes and answers what is quick; one that stores, another that fuses; and
 * one for each command that takes its time
 * @stored:	what is in the store that was not before: 1 << enum
 *		map_publisher_state, GDIMD_SUBMAPS; of any thread, with @changed
 * @told_lock:	of @refused_told and @refused_since
 */
struct gdimd {
	struct config		config;
	struct loop		*loop;
	struct site		*site;
	struct fuser		*fuser;
	struct map_input	*inbox;
	struct storing		*storing;
	struct jobs		*jobs;
	struct map_publisher	*outlet;
	struct source		*source;
	struct sink		*sink;
	struct console		*console;
	struct gdimd_services	*services;
	struct web		*web;
	struct recorder		*recorder;
	struct loop_timer	checkpoint;
	struct loop_fd		changed;
	unsigned int		stored;
	pthread_mutex_t		told_lock;
	uint64_t		refused_told;	/* CLOCK_MONOTONIC, ns */
	unsigned int		refused_since;
	bool			lost;		/* the store; was told */
};

#define GDIMD_SUBMAPS	(1U << MAP_PUBLISHER_STATES)

/* Whether a command takes its time: not in the loop, but in any other thread */
bool gdimd_command_is_slow(const char *name);

/**
 * gdimd_command() - what people and programs ask and tell
 * @name: status, layers, spot, room, rooms, rate, import, import-submaps,
 *	set-poses, layer, remove, log, snapshot, notes
 * @parameters: as of the command line's words
 * @answer: gets the items of queries.h
 *
 * In the loop, or where gdimd_command_is_slow() says. Return: 0, or a negative
 * errno and one line in @error.
 */
int gdimd_command(void *gdimd, const char *name, const cJSON *parameters,
		  cJSON *answer, char error[256]);

/* As gdimd_command(), for clients of the socket: slow ones are answered later */
int gdimd_request(void *gdimd, const char *name, const cJSON *parameters,
		  cJSON *answer, char error[256]);

/**
 * gdimd_storing_open() - begin to store, once there is a site and a fuser
 *
 * Return: 0 or a negative errno.
 */
int gdimd_storing_open(struct gdimd *g);

/* In the loop: the thread that stores puts these into the store */
void gdimd_note(void *gdimd, const char *kind, const char *path,
		const char *error);
void gdimd_keep_rate(void *gdimd, const char *name, double hz);

/*
 * Whether the store's file was deleted or replaced, so that nothing more can be
 * stored; the log gets one line, the first time
 */
bool gdimd_store_is_lost(struct gdimd *g);

/* @what is in the store that was not there before. From any thread */
void gdimd_stored(struct gdimd *g, unsigned int what);

/**
 * gdimd_subscribe() - ask the source for all inputs of the configuration
 */
void gdimd_subscribe(struct gdimd *g);

/* What the source calls */
void gdimd_message(void *gdimd, const struct source_message *m);
/* What the thread that stores calls */
void gdimd_store_message(void *gdimd, const struct source_message *m);
void gdimd_found(void *gdimd, const char *topic, enum message_kind kind);

/**
 * gdimd_services_open() - D4.1's services, if there is ROS 2
 *
 * Return: 0, also if there is none; a negative errno, and one line in @error.
 */
int gdimd_services_open(struct gdimd *g, char error[256]);
void gdimd_services_close(struct gdimd *g);

/* "answered", "to_fastdds", "unserved", "dropped" */
void gdimd_services_status(const struct gdimd *g, cJSON *out);

/* Requests that were answered with an error */
uint64_t gdimd_services_refused(const struct gdimd *g);

#endif
