/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * live.h - private parts of live.c
 */
#ifndef APPS_SLAMD_LIVE_H
#define APPS_SLAMD_LIVE_H

#include <pthread.h>
#include <stdatomic.h>
#include "apps/slamd/ahead.h"
#include "apps/slamd/input.h"
#include "apps/slamd/mapper.h"
#include "apps/slamd/mapper_queue.h"
#include "apps/slamd/scan_queue.h"
#include "apps/slamd/services.h"
#include "apps/slamd/switching.h"
#include "apps/slamd/tf_ahead.h"
#include "base/jobs.h"
#include "base/loop_call.h"

/**
 * struct answer - what became of a command
 * @mark:	with COMMAND_SAVE: what is to be saved
 */
struct answer {
	struct slam_command	command;
	struct checkpoint_mark	mark;
	struct error		error;
	int			err;
};

enum { LIVE_CALL_PATIENCE = 10000 };	/* ms */

/**
 * struct live
 * @o:		the command line
 * @run:	of @switching; the filter's thread changes it under @lock
 * @readings, @text: for progress; under @lock
 * @hint:	for the filter, if @hinted; under @lock
 * @command:	likewise, if @commanded
 * @answer:	to the last command
 * @jobs:	slow work that is no loop's; NULL: none
 * @mapper_config: of each session's mapper
 * @stamp:	of the last reading
 * @passed:	time of the last history passed to the mapper
 * @dirty:	the filter has a newer history
 * @behind:	the last history is not in a map yet
 * @told_draw:	an error of the mapper was logged
 * @failed:	result of the filter's thread
 * @unused:	scans still queued at the end
 * @recalled:	the checkpoint was read completely
 * @stopping:	threads must end
 * @paused:	scans are not used
 * @hurried:	threads must end without processing the queue
 */
struct live {
	const struct slamd_options	*o;
	struct switching	*switching;
	struct session		*run;
	struct loop		*loop;
	struct loop_call	*call;
	struct loop_timer	progress;
	struct reading_input	*input;
	struct slam_publisher	*publisher;
	struct tf_ahead		tf;
	struct slam_services	*services;
	struct mapper		*mapper;
	struct scan_queue	*scan_queue;
	struct ahead		*ahead;
	struct mapper_queue	*mapper_queue;
	pthread_t		filter, draw;
	bool			filters, draws;
	uint64_t		passed, mapped;
	uint64_t		readings, unused;
	pthread_mutex_t		lock;
	char			text[SESSION_STATE];
	struct place_hint	hint;
	struct slam_command	command;
	bool			hinted, commanded;
	struct answer		answer;
	struct jobs		*jobs;
	struct mapper_config	mapper_config;
	int64_t			stamp;
	bool			dirty, told_draw, recalled;
	int			failed;
	_Atomic bool		behind, stopping, hurried, paused;
};

/* Whether the threads must end; for waiting for workers */
bool live_interrupted(void *arg);

/* Read the checkpoint of the first session. Return: 0; -EINTR; another negative
 * errno after one line on stderr
 */
int live_recall(struct live *l);

/* In the loop: for the thread of the filter; see struct slam_services_config */
void live_command(void *arg, const struct slam_command *c);

/* In the thread of the filter, when it was woken */
void live_take_command(struct live *l);

#endif
