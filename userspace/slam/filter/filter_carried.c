// SPDX-License-Identifier: GPL-2.0-only
/*
 * filter_carried.c - a robot that was carried to another place
 *
 * Its scans contradict the map, but not each other. They begin another part of
 * the map, far from the rest: so they ruin nothing, and the robot knows where it
 * is from now on. Where this part belongs is left to the pose graph.
 */
#include "slam/filter/det_math.h"
#include "slam/filter/filter_parts.h"

/* Scans that are of one place contradict each other less than this, and in the
 * mean less than that: people do not go on for long without a contradiction
 */
#define CONTRADICTS	0.3
#define AGREES		0.1
/* and the last one before contradicts those before it less than this: it was in
 * its place until then
 */
#define IN_PLACE	0.05
/* How far the robot has to move meanwhile: what stands in front of its laser
 * does not move along with it, m or rad
 */
#define GONE		0.3

/* Scans in a row that contradict the map, but not each other; and if it is not
 * known whether the robot moves
 */
enum { CARRIED_LEAST = 6, CARRIED_BLIND = 16 };

/* How the scan that was held last and this one disagree */
static double against_held(const struct filter *f, const struct reading *reading,
			   const struct pose *move)
{
	struct visibility v = { .agree = 0 };

	if (f->apart.scans)
		visibility_count(&v, &f->apart.scan.reading, &f->apart.last,
				 reading, move);
	return visibility_against(&v);
}

/* How the scan of the last update and those before it disagree. It does not change
 * while scans are held
 */
static double against_before(const struct filter *f)
{
	const struct reading *last = last_scans_of_age(&f->last, 1), *old;
	trajectory_tree_id id = f->best_step;
	const struct pose at = trajectory_tree_at(f->tree, id)->pose;
	struct visibility v = { .agree = 0 };

	for (unsigned int age = 2; age < LAST_SCANS; age++) {
		old = last_scans_of_age(&f->last, age);
		id = trajectory_tree_parent(f->tree, id);
		if (!old || !id)
			break;
		visibility_count(&v, old, &trajectory_tree_at(f->tree, id)->pose,
				 last, &at);
	}
	return visibility_against(&v);
}

/* Where the robot is since the last update. Odometry that is not used says
 * nothing: scans follow each other fast
 */
static struct pose since_update(const struct filter *f)
{
	const struct pose still = { 0, 0, 0 };

	return f->prediction.use == PREDICT_SPEED ? still : filter_motion(f).move;
}

void filter_carried_forget(struct filter *f)
{
	f->apart = (struct apart){ .scan = f->apart.scan };
}

int filter_carried_hold(struct filter *f, const struct reading *reading)
{
	const struct pose move = since_update(f);
	struct apart *a = &f->apart;
	double against;

	if (!reading->range)
		return 0;
	against = against_held(f, reading, &move);
	if (!(against < CONTRADICTS))
		filter_carried_forget(f);
	else
		a->against += against;
	if (!a->scans++)
		a->first = move;
	a->last = move;
	return last_scan_keep(&a->scan, reading);
}

bool filter_is_carried(const struct filter *f, const struct reading *reading)
{
	const bool blind = f->prediction.use == PREDICT_SPEED;
	const uint32_t least = blind ? CARRIED_BLIND : CARRIED_LEAST;
	const struct pose move = since_update(f);
	const struct apart *a = &f->apart;
	const double against = against_held(f, reading, &move);

	return !f->params.fixed && !f->seen.known && a->scans + 1 >= least &&
	       against < CONTRADICTS &&
	       a->against + against <= AGREES * a->scans &&
	       (blind || pose_distance(&a->first, &move, 1) >= GONE) &&
	       against_before(f) <= IN_PLACE;
}

struct pose filter_carried_place(const struct filter *f)
{
	struct pose place = { f->pose[f->best].x, f->pose[f->best].y, 0 };

	for (trajectory_tree_id id = f->best_step; id;
	     id = trajectory_tree_parent(f->tree, id))
		place.x = fmax(place.x, trajectory_tree_at(f->tree, id)->pose.x);
	place.x += FILTER_CARRIED_GAP;
	return place;
}

void filter_carried_begin(struct filter *f)
{
	filter_hypotheses_close(f);
	/* their poses are those of another place */
	last_scans_free(&f->last);
	f->placed = true;
	f->begun = f->update;
	f->aside = true;
	f->held = 0;
}
