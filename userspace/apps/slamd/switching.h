/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * switching.h - sessions of a live run, one after the other
 *
 * Peers ask for another map, or for a new one. Then another session, with
 * options of its own, takes the place of the running one. It is opened next to
 * that one, so an error changes nothing. For the thread of the filter.
 *
 * A new map gets a new checkpoint. The file of --checkpoint is renamed to
 * FILE.1, FILE.2 and so on first. Without one, but with --maps, there is a
 * working checkpoint in that folder, so that a peer can save it. It is a file
 * without a name: it ends with the process.
 */
#ifndef APPS_SLAMD_SWITCHING_H
#define APPS_SLAMD_SWITCHING_H

#include "apps/slamd/command.h"
#include "apps/slamd/session.h"

struct switching;

/**
 * struct switching_calls
 * @interrupted: whether to stop, of session_open()
 * @scan:	each update of a checkpoint: its scan belongs to the map. Returns
 *		0, -ENOMEM
 * @arg:	for both
 */
struct switching_calls {
	bool	(*interrupted)(void *arg);
	int	(*scan)(void *arg, const struct reading *reading);
	void	*arg;
};

/**
 * switching_create() - the first session, not open yet
 * @o: the command line; must outlive it
 * @log: name of the input
 *
 * Return: NULL: no memory.
 */
struct switching *switching_create(const struct slamd_options *o,
				   const char *log);
/* With the running session; NULL is allowed */
void switching_destroy(struct switching *s);

/* The running session, until the next switching_take() */
struct session *switching_session(const struct switching *s);

/* session_open() of the first session, with its checkpoint. Return: likewise */
int switching_begin(struct switching *s, bool (*interrupted)(void *arg));

/**
 * switching_recall() - read the whole checkpoint of a session
 *
 * Return: 0; 1: @calls->interrupted; -EINTR, or another negative errno after one
 * line on stderr.
 */
int switching_recall(struct session *r, const struct switching_calls *calls);

/**
 * switching_open() - open the session that a peer asks for
 * @c: any command but COMMAND_SAVE
 *
 * Return: 0: switching_take() must follow; -ENOENT, -EINVAL, -EBADMSG and
 * others of the file, -EOPNOTSUPP: not with these options, -EINTR: stopped. After
 * an error there is one line on stderr, and the running session goes on.
 */
int switching_open(struct switching *s, const struct slam_command *c,
		   const struct switching_calls *calls);

/* The session that switching_open() opened */
struct session *switching_next(const struct switching *s);

/* It takes the place of the running one, which ends, and goes on with its
 * statistics
 */
void switching_take(struct switching *s);

#endif
