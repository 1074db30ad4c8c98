/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * place_search.h - find out where in a known map a robot is
 *
 * The last scans, placed by the robot's own motion, are one large scan: it is
 * searched in the whole map by branch and bound. A place is believed if no
 * other one fits nearly as well, at once or at several searches that agree, and
 * if the scans can be true there; in
 * a building with rooms that look alike the robot has to drive until it has
 * seen more.
 */
#ifndef SLAM_GRAPH_PLACE_SEARCH_H
#define SLAM_GRAPH_PLACE_SEARCH_H

#include "slam/filter/scan.h"
#include "slam/filter/walls.h"
#include "slam/graph/fit_grid.h"
#include "slam/graph/place_check.h"

enum { PLACE_SCANS = 12 };

/**
 * struct place_scan
 * @pose:	of the robot, in a frame of its own that hardly drifts
 */
struct place_scan {
	struct fit_points	points;
	struct pose		pose;
};

/**
 * struct place_search - all zero, then place_search_map()
 * @scan:	number n of all since place_search_restart(): n % PLACE_SCANS
 * @scans:	how many of them
 * @fit:	of the best place at the last search, 0..1, 0: nothing fits; @next: of
 *		the best one elsewhere, at most; @best: that place
 * @against:	share of the beams that contradict the map there
 * @least:	fit of a place, at least; 0: usual for a map of some other day
 * @rarer:	after so many scans only each second one is searched, and so on; 0:
 *		usual
 * @left:	limit of the searches, see struct fit_window; NULL: none
 * @searched:	searches of the whole map, or of a window
 */
struct place_search {
	struct place_scan	scan[PLACE_SCANS];
	uint32_t		scans;
	double			fit, next, against;
	struct pose		best;
	double			least;
	uint32_t		rarer;
	uint64_t		*left;
	uint64_t		searched;
	/* private */
	double			ahead;
	const struct map_file	*cells;
	struct pose		own, last;
	struct fit_grid		grid;
	struct pose		middle;
	double			reach;
	struct pose		elsewhere;
	bool			is_elsewhere;
};

/**
 * place_search_map() - the map to search in
 * @cells: of it, valid as long as @s; NULL: not known
 *
 * Return: 0; -ENOMEM; -E2BIG: wider than FIT_SIDE_MAX; -ENODATA: no walls.
 */
int place_search_map(struct place_search *s, const struct walls *w,
		     const struct map_file *cells);
/* The same for a map that is scans. Return: 0; -ENOMEM; -E2BIG */
int place_search_scans(struct place_search *s,
		       const struct fit_points *const *scan,
		       const struct pose *pose, uint32_t count);
void place_search_free(struct place_search *s);

/* Searches give up when @interrupted says so; see struct fit_grid */
void place_search_interrupt(struct place_search *s,
			    bool (*interrupted)(void *arg));

/* Forget the scans: the robot may be anywhere */
void place_search_restart(struct place_search *s);

/**
 * place_search_add() - another scan, and search if it shows something new
 * @own:	pose of the robot, see struct place_scan
 * @pose:	gets the pose in the map
 *
 * Return: 1: found; 0: not yet; -ENOMEM; -EINTR: interrupted.
 */
int place_search_add(struct place_search *s, const struct scan *scan,
		     double units, const struct pose *own, struct pose *pose);

/* The same with the endpoints of the scan; few are left out. Return: likewise */
int place_search_points(struct place_search *s, const struct fit_points *points,
			const struct pose *own, struct pose *pose);

/**
 * struct place_hint - about where the robot is
 * @reach, @turn: how far the pose may be off, m and rad
 */
struct place_hint {
	struct pose	pose;
	double		reach, turn;
};

/**
 * place_search_near() - the best pose of a scan near one
 * @pose: gets it; what it was if nothing fits
 *
 * If it fits better elsewhere, place_search_add() of the same scan does not
 * search for that place again.
 *
 * Return: 1: found; 0: nothing fits; -ENOMEM; -EINTR: interrupted.
 */
int place_search_near(struct place_search *s, const struct scan *scan,
		      double units, const struct place_hint *hint,
		      struct pose *pose);

#endif
