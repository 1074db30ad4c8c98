/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The classifier's map `writers`: which writers are sampled.
 */
#ifndef TOPICS_WRITERS_H
#define TOPICS_WRITERS_H

#include "base/error.h"
#include "topics/rules.h"

/**
 * struct writers - the map
 * @map:	file descriptor
 * @recent:	that of the map `recent`
 * @flow:	largest flow number given so far
 * @changed:	writers have changed since writers_apply()
 */
struct writers {
	int		map;
	int		recent;
	uint32_t	flow;
	bool		changed;
};

/*
 * Sample the writer of @t from now on by @rule; NULL: as the qdisc. It keeps its
 * number, @t->flow, so that it stays one flow whatever the rules. Return: 0; or
 * -ENOSPC: the map is full; or another negative errno
 */
int writers_add(struct writers *w, struct topic *t, const struct rule *rule,
		struct error *error);
void writers_remove(struct writers *w, const uint8_t *guid);
/* The program heeds all changes from the next message of each writer on. */
void writers_apply(struct writers *w);
/* Adopt flow numbers of writers of an earlier run. */
void writers_inherit(struct writers *w);
/* Remove writers of an earlier run that were not announced since. */
void writers_sweep(struct writers *w, const struct topic_list *topics);

#endif
