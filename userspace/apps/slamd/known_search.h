/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * known_search.h - where the robot is in a map that was made before:
 * --localise, or --continue in the map of a checkpoint
 */
#ifndef APPS_SLAMD_KNOWN_SEARCH_H
#define APPS_SLAMD_KNOWN_SEARCH_H

#include "apps/slamd/mapper.h"
#include "apps/slamd/slamd.h"
#include "slam/graph/localiser.h"
#include "slam/output/known_map.h"
#include "slam/workers/scans.h"

/**
 * struct known_search - all zero, then known_search_open()
 * @localiser:	in @map; NULL: a map is made, and nothing is searched
 * @map:	known, or drawn from @scans
 * @scans:	of the checkpoint, until the map is drawn
 * @interrupted: when searches give up; NULL: never
 * @placed:	the robot was found, or a map is made: readings have results
 * @searched:	searches that were logged
 * @shown:	the map was published
 * @told_alike:	logged: several places look alike
 */
struct known_search {
	const struct slamd_options	*o;
	struct localiser		*localiser;
	struct known_map		map;
	struct scans			scans;
	bool				(*interrupted)(void *arg);
	bool				placed, shown, told_alike;
	uint64_t			searched;
};

/* Read the map of --localise. @interrupted: see struct known_search. Return: 0;
 * a negative errno after one line on stderr
 */
int known_search_open(struct known_search *k, const struct slamd_options *o,
		      bool (*interrupted)(void *arg));
void known_search_close(struct known_search *k);

/* Keep a scan of the checkpoint for the map of --continue; @update: its number.
 * Return: 0; -ENOMEM
 */
int known_search_keep(struct known_search *k, uint64_t update,
		      const struct reading *reading);

/**
 * known_search_begin() - draw the map of --continue, and search in it
 * @history:	of the kept scans
 *
 * Return: 0; a negative errno after one line on stderr.
 */
int known_search_begin(struct known_search *k, const struct pose *history,
		       uint32_t count);

/**
 * known_search_read() - search with a reading, or track the robot in the map
 * @result:	no particles before the robot is found
 *
 * With a localiser only. Logs where the robot was found, or once why not.
 *
 * Return: 0; a negative errno of a filter.
 */
int known_search_read(struct known_search *k, struct filter *f,
		      const struct reading *reading,
		      struct filter_result *result);

/* The robot was found in the map of a checkpoint: map on */
void known_search_end(struct known_search *k);

/* About where the robot is; with a localiser only */
void known_search_hint(struct known_search *k, const struct place_hint *hint);

/* Publish the map of --localise, once; @stamp: of the first reading */
void known_search_show(struct known_search *k, struct mapper *m,
		       int64_t stamp);

/* Why the robot was not found: one line on stderr. @log: name of the input.
 * Return: -ENODATA
 */
int known_search_failed(const struct known_search *k, const char *log);

#endif
