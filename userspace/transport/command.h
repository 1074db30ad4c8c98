/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * command.h - commands of the operator to a sender
 *
 * The receiver sends each command in COMMAND_COPIES copies over two seconds, as
 * the link loses datagrams. A command that follows within that time contains
 * the entries of the one before: the newest one is enough.
 *
 * The sender takes each number once. A lower number is outdated: it was
 * overtaken. The numbers of a run of the receiver begin at a random one.
 */
#ifndef TRANSPORT_COMMAND_H
#define TRANSPORT_COMMAND_H

#include <stdbool.h>
#include <sys/socket.h>
#include "transport/control.h"

#define COMMAND_EVERY	100000000ULL	/* ns, between copies */

enum {
	COMMAND_COPIES	= 20,
	COMMAND_RUNS	= 64,		/* remembered runs of receivers */
};

/**
 * struct command_queue - the receiver's side; all zero: nothing to send
 * @command:	what is sent, merged
 * @copies:	left to send
 * @due:	time of the next one, CLOCK_MONOTONIC, ns
 */
struct command_queue {
	struct control_command	command;
	unsigned int		copies;
	uint64_t		due;
};

/**
 * command_queue_add() - send a command from now on
 * @c: its number replaces that of the queue
 *
 * Return: 0; -E2BIG: with what is being sent it is more than a datagram has
 * room for, nothing changed; -EINVAL: it has no entries or an unknown one.
 */
int command_queue_add(struct command_queue *q, const struct control_command *c,
		      uint64_t now);

/**
 * command_queue_next() - the copy that is due
 * @payload: of PAYLOAD_MAX bytes
 *
 * Return: its bytes; 0: none is due.
 */
size_t command_queue_next(struct command_queue *q, uint64_t now,
			  uint8_t *payload);

/**
 * struct command_counts - the sender's counters since start
 * @commands:	with a new number
 * @changes:	options of topics that they changed
 * @refused:	commands, or entries of them, that were not obeyed
 * @outdated:	copies, and commands that were overtaken
 */
struct command_counts {
	uint64_t	commands, changes, refused, outdated;
};

/**
 * struct command_input - the sender's side; all zero at first, but @obey and
 * @arg
 * @obey:	an entry of a command. Return: 1: it changed something; 0: it is
 *		so already; -EOPNOTSUPP: unknown; another negative errno
 * @last:	highest number of each run of receivers; @runs of them, newest
 *		first
 */
struct command_input {
	int			(*obey)(void *arg,
					const struct control_command_entry *e);
	void			*arg;
	struct command_counts	counts;
	uint32_t		last[COMMAND_RUNS];
	unsigned int		runs;
	bool			refused;	/* logged */
};

/**
 * command_received() - obey a command, if it is new
 * @on: false: refuse it, and log this once
 * @from: of the receiver, for the log
 *
 * Logs a line for each option that changes.
 *
 * Return: 0; -EBADMSG: it is no command.
 */
int command_received(struct command_input *in, bool on, const void *payload,
		     size_t len, const struct sockaddr_storage *from);

#endif
