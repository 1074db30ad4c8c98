// SPDX-License-Identifier: GPL-2.0-only
/*
 * localiser.c - a filter that maps the surroundings, a search in the known map,
 * and a filter in that map
 */
#include <errno.h>
#include <stdlib.h>
#include "slam/filter/det_math.h"
#include "slam/filter/likelihood_field.h"
#include "slam/graph/localiser.h"

/* A map of some metres needs few */
enum { PARTICLES = 8 };

/* A scan that fits worse than this share of the usual fit is doubtful */
#define DOUBTFUL	0.7
/* Weight of a scan in the usual fit */
#define FRESH		0.05
/* So many doubtful updates in a row: the robot may be elsewhere */
enum { DOUBTS = 3 };

/**
 * struct localiser
 * @scout:	maps the surroundings; NULL: it is not searched
 * @hinted:	@hint was not tried yet
 * @placed:	the robot was found at least once
 * @fixed:	the map does not change
 * @usual:	usual fit of the scans; 0: not known
 * @doubts:	doubtful updates in a row
 */
struct localiser {
	struct slam_params	params;
	const struct walls	*walls;
	struct place_search	search;
	struct filter		*scout;
	struct scan		scan;
	struct place_hint	hint;
	bool			hinted, placed, fixed;
	double			usual;
	uint32_t		doubts;
	struct localiser_counts	count;
};

int localiser_create(struct localiser **localiser,
		     const struct slam_params *params,
		     const struct walls *walls,
		     const struct map_file *cells)
{
	struct localiser *l = calloc(1, sizeof(*l));
	int err;

	if (!l)
		return -ENOMEM;
	l->walls = walls;
	l->params = *params;
	l->fixed = params->fixed;
	l->params.particles = l->params.particles_min = PARTICLES;
	l->params.kld_error = 0;
	l->params.fixed = l->params.loops = 0;
	err = place_search_map(&l->search, walls, cells);
	if (err) {
		localiser_destroy(l);
		return err;
	}
	*localiser = l;
	return 0;
}

static void dismiss_scout(struct localiser *l)
{
	filter_destroy(l->scout);
	l->scout = NULL;
	place_search_restart(&l->search);
}

void localiser_destroy(struct localiser *l)
{
	if (!l)
		return;
	dismiss_scout(l);
	place_search_free(&l->search);
	scan_free(&l->scan);
	free(l);
}

void localiser_interrupt(struct localiser *l, bool (*interrupted)(void *arg))
{
	place_search_interrupt(&l->search, interrupted);
}

void localiser_hint(struct localiser *l, const struct place_hint *hint)
{
	l->hint = *hint;
	l->hinted = true;
}

static int send_scout(struct localiser *l)
{
	struct particle_pool *pool;

	if (l->scout)
		return 0;
	pool = particle_pool_local(&l->params, 1);
	if (pool)
		l->scout = filter_create(&l->params, pool);
	return l->scout ? 0 : -ENOMEM;
}

/* Return: 1: found; 0; a negative errno */
static int search_scan(struct localiser *l, const struct reading *reading,
		       const struct pose *own, struct pose *pose)
{
	const double units = FIELD_UNIT / l->params.resolution;
	int ret = scan_make(&l->scan, reading, &l->params);

	if (ret)
		return ret;
	if (l->hinted) {
		l->hinted = false;
		ret = place_search_near(&l->search, &l->scan, units, &l->hint,
					pose);
		l->count.missed += !ret;
	}
	if (!ret)
		ret = place_search_add(&l->search, &l->scan, units, own, pose);
	return ret == -EINTR ? 0 : ret;
}

/* One reading of a search. Return: as search_scan() */
static int seek(struct localiser *l, const struct reading *reading,
		struct pose *pose)
{
	struct filter_result own;
	int ret = send_scout(l);

	if (!ret)
		ret = filter_read(l->scout, reading, &own);
	if (!ret && reading->beams)
		ret = search_scan(l, reading, &own.pose, pose);
	l->count.searched = l->search.searched;
	l->count.fit = l->search.fit;
	l->count.next = l->search.next;
	l->count.best = l->search.best;
	l->count.against = l->search.against;
	l->count.scans = l->search.scans;
	l->count.found += ret > 0;
	return ret;
}

/* Whether the filter may be at a wrong place */
static bool is_doubtful(struct localiser *l, const struct filter_result *r)
{
	if (!r->updated && !r->held)
		return l->doubts >= DOUBTS;
	if (r->held || r->fit < DOUBTFUL * l->usual)
		l->doubts++;
	else
		l->doubts = 0;
	if (!r->held)
		l->usual = l->usual > 0 ?
			   l->usual + FRESH * (r->fit - l->usual) : r->fit;
	return l->doubts >= DOUBTS;
}

/* The filter is somewhere, but the robot may be elsewhere */
static int look_elsewhere(struct localiser *l, struct filter *f,
			  const struct reading *reading,
			  struct filter_result *r)
{
	const bool hinted = l->hinted;
	struct pose pose, off;
	int ret = seek(l, reading, &pose);

	r->lost = l->doubts >= DOUBTS;
	if (ret <= 0)
		return ret;
	r->lost = false;
	l->doubts = 0;
	/* it is where it was: the place has changed */
	l->usual = r->fit;
	off = det_between(&r->pose, &pose);
	if (!hinted && hypot(off.x, off.y) < FIT_APART && fabs(off.yaw) < FIT_APART_TURN)
		return 0;
	r->found = true;
	r->pose = pose;
	l->usual = 0;
	l->count.place = pose;
	return filter_place(f, &pose, l->scout);
}

static int track(struct localiser *l, struct filter *f,
		 const struct reading *reading, struct filter_result *r)
{
	int err = filter_read(f, reading, r);

	if (err)
		return err;
	if (is_doubtful(l, r) || (l->hinted && reading->beams))
		return look_elsewhere(l, f, reading, r);
	return 0;
}

int localiser_read(struct localiser *l, struct filter *f,
		   const struct reading *reading, struct filter_result *result)
{
	struct pose pose;
	int ret;

	if (!l->placed) {
		ret = seek(l, reading, &pose);
		l->count.unplaced += !ret;
		if (ret <= 0)
			return ret;
		/* without @before: a checkpoint does not have it */
		ret = l->fixed ? filter_know(f, l->walls, &pose, l->scout) :
				 filter_place(f, &pose, NULL);
		if (ret)
			return ret;
		l->placed = true;
		l->count.place = pose;
	}
	ret = l->fixed ? track(l, f, reading, result) :
			 filter_read(f, reading, result);
	/* it is not needed while the robot is where it should be */
	if (l->scout && !result->lost)
		dismiss_scout(l);
	return ret ? ret : 1;
}

struct localiser_counts localiser_counts(const struct localiser *l)
{
	return l->count;
}
