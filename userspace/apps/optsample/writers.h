/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who is sampled: the map `writers` of the classifier.
 */
#ifndef OPTSAMPLE_CTL_WRITERS_H
#define OPTSAMPLE_CTL_WRITERS_H

#include "rules.h"

/**
 * struct writers - the map
 * @map:	file descriptor
 * @flow:	largest number given to a writer so far
 * @full:	there was no room for one, which was logged
 */
struct writers {
	int		map;
	uint32_t	flow;
	bool		full;
};

/*
 * Sample @guid from now on, as @rule says; NULL: like the qdisc. Return: 0, or
 * -ENOSPC: the map has no room, which is logged once
 */
int writers_add(struct writers *w, const uint8_t *guid,
		const struct rule *rule);
void writers_remove(struct writers *w, const uint8_t *guid);
/* Writers of an earlier run: their numbers are taken. */
void writers_inherit(struct writers *w);
/* Remove those of an earlier run that nobody has announced since. */
void writers_sweep(struct writers *w, const struct topic_list *topics);

#endif
