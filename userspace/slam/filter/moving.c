// SPDX-License-Identifier: GPL-2.0-only
/*
 * moving.c - finds small objects where the last scans saw through
 */
#include <errno.h>
#include <stdlib.h>
#include "slam/filter/det_math.h"
#include "slam/filter/moving.h"

/* An object is at most this wide, m. A step of more than this, m, or of more
 * than this share of the range, is its edge
 */
#define WIDEST		1.2
#define EDGE		0.15
#define EDGE_SHARE	0.05
/* Shorter beams hit the robot itself, m */
#define OWN		0.05f
/* Share of moving endpoints from which on new objects have to prove that they
 * stand; weight of a scan in it
 */
#define CROWD		0.05
#define FRESH		0.1
/* Scans from farther away see other sides of things, m; older scans, ns, tell
 * that somebody was there before
 */
#define NEAR		1.5
#define RECENT		4500000000LL
/* A narrower scan sees too little beside an object to know the pose, rad */
#define VIEW		2.0
/* What has to be left of a scan: endpoints, and as a share of them */
#define LEFT_LEAST	30
#define LEFT		0.2
/* If walls were seen through this often, as a share, or so few endpoints were seen
 * at all, the pose is wrong
 */
#define WRONG		0.25
#define KNOWN		0.12
/* What so many of the last scans saw at its place, as a share, stands, though
 * they left it out
 */
#define STOOD		0.85

enum {
	/* sights through an object that are enough */
	ENOUGH		= 4,
	/* scans that have to see an object that stands in a crowd */
	PROOF		= 2,
	/* beams of an object that are looked at */
	SAMPLES		= 6,
	/* fewer scans tell nothing */
	VIEWS_LEAST	= 4,
};

/**
 * struct view - a scan from before
 * @laser: of the new scan, in the frame of its laser
 */
struct view {
	const struct reading	*old;
	struct pose		laser;
};

static bool is_hit(const struct reading *r, uint32_t i)
{
	return r->range[i] > OWN && r->range[i] < r->range_max;
}

static uint32_t beams_of(const struct moving_object *o)
{
	return o->last - o->first + 1;
}

static bool is_edge(double near, double far)
{
	return far - near > fmax(EDGE, EDGE_SHARE * near);
}

/* The last beam of the object that begins at beam @i */
static uint32_t end_of(const struct reading *r, uint32_t i)
{
	while (i + 1 < r->beams && is_hit(r, i + 1) &&
	       !is_edge((double)fminf(r->range[i], r->range[i + 1]),
			(double)fmaxf(r->range[i], r->range[i + 1])))
		i++;
	return i;
}

/* Whether what is beside an object, at beam @i, is farther */
static bool is_farther(const struct reading *r, int64_t i, float range)
{
	return i < 0 || i >= (int64_t)r->beams || !is_hit(r, (uint32_t)i) ||
	       r->range[i] > range;
}

static bool is_small(const struct reading *r, const struct moving_object *o)
{
	const float a = r->range[o->first], b = r->range[o->last];
	const double width = (double)(a + b) / 2 * (beams_of(o) - 1) *
			     fabs((double)r->angle_increment);

	return width <= WIDEST &&
	       (is_farther(r, (int64_t)o->first - 1, a) ||
		is_farther(r, (int64_t)o->last + 1, b));
}

/* Of about @samples of its beams, each of which counts for those beside it */
static void count_sights(const struct view *v, const struct reading *r,
			 struct moving_object *o, uint32_t samples)
{
	const uint32_t every = beams_of(o) / samples + 1;

	for (uint32_t i = o->first + every / 2; i <= o->last; i += every) {
		enum visibility_sight sight;
		double s, c;

		det_sincos(v->laser.yaw + (double)r->angle_min +
			   i * (double)r->angle_increment, &s, &c);
		sight = visibility_seen(v->old,
					v->laser.x + c * (double)r->range[i],
					v->laser.y + s * (double)r->range[i]);
		o->sights += every;
		o->through += sight == SEEN_THROUGH ? every : 0;
		o->wall += sight == SEEN_WALL ? every : 0;
		o->left_out += sight == SEEN_LEFT_OUT ? every : 0;
	}
}

static unsigned int find_views(const struct last_scans *l,
			       const struct trajectory_tree *tree,
			       trajectory_tree_id id, const struct reading *r,
			       const struct pose *pose, struct view *view)
{
	unsigned int views = 0;

	for (unsigned int age = 1; age < LAST_SCANS && id; age++) {
		const struct reading *old = last_scans_of_age(l, age);

		if (!old || r->stamp - old->stamp > RECENT ||
		    pose_distance(&trajectory_tree_at(tree, id)->pose, pose,
				  0) > NEAR)
			break;
		view[views++] = (struct view){
			old, visibility_laser(old,
				&trajectory_tree_at(tree, id)->pose, r, pose),
		};
		id = trajectory_tree_parent(tree, id);
	}
	return views;
}

static bool was_seen_through(const struct moving_object *o)
{
	return o->through >= ENOUGH && o->through > o->wall;
}

static bool was_seen(const struct moving_object *o)
{
	const uint32_t beams = beams_of(o);

	return (o->wall >= PROOF * beams && 2 * o->through <= o->wall) ||
	       (o->wall + o->left_out >= STOOD * o->sights && !o->through);
}

/* Return: 0; -ENOMEM */
static int make_room(struct moving *m, uint32_t beams)
{
	if (beams <= m->room)
		return 0;
	moving_free(m);
	m->range = malloc(beams * sizeof(*m->range));
	m->object = malloc(beams * sizeof(*m->object));
	if (!m->range || !m->object)
		return -ENOMEM;
	m->room = beams;
	return 0;
}

/* The small objects in a scan, and what the scans from before say of them. Return:
 * whether they agree about all the others
 */
static bool find_objects(struct moving *m, const struct reading *r,
			 const struct view *view, unsigned int views)
{
	struct moving_object others = { .wall = 0 };
	double seen = 0;

	for (uint32_t i = 0; i < r->beams; i++) {
		struct moving_object o = { .first = i, .last = i };
		bool small;

		if (!is_hit(r, i))
			continue;
		i = o.last = end_of(r, i);
		small = is_small(r, &o);
		for (unsigned int k = 0; k < views; k++)
			count_sights(view + k, r, &o, SAMPLES);
		m->hits += beams_of(&o);
		seen += o.wall;
		if (small) {
			m->through += was_seen_through(&o) * beams_of(&o);
			m->object[m->objects++] = o;
		} else {
			others.through += o.through;
			others.wall += o.wall;
		}
	}
	return seen >= KNOWN * m->hits * views &&
	       others.through <= WRONG * (others.through + others.wall);
}

/* Leave out what moves for sure or, with @doubtful, what does not stand for
 * sure. Return: whether enough is left of the scan to match it
 */
static bool leave_out(struct moving *m, bool doubtful)
{
	m->beams = 0;
	for (uint32_t i = 0; i < m->objects; i++) {
		const struct moving_object *o = m->object + i;
		const bool out = doubtful ? !was_seen(o) : was_seen_through(o);

		m->beams += out * beams_of(o);
		for (uint32_t k = o->first; k <= o->last; k++)
			m->range[k] = copysignf(m->range[k], out ? -1 : 1);
	}
	return m->hits - m->beams >= fmax(LEFT_LEAST, LEFT * m->hits);
}

int moving_mark(struct moving *m, const struct last_scans *l,
		const struct trajectory_tree *tree, trajectory_tree_id id,
		const struct reading *r, const struct pose *pose)
{
	struct view view[LAST_SCANS];
	const unsigned int views = find_views(l, tree, id, r, pose, view);

	if (make_room(m, r->beams))
		return -ENOMEM;
	for (uint32_t i = 0; i < r->beams; i++)
		m->range[i] = fmaxf(r->range[i], 0);
	m->still = *r;
	m->still.range = m->range;
	m->hits = m->through = m->objects = 0;
	m->beams = 0;
	if (views < VIEWS_LEAST ||
	    r->beams * fabs((double)r->angle_increment) < VIEW)
		return 0;
	if (!find_objects(m, r, view, views))
		m->hits = 0;
	else if (m->share <= CROWD || !leave_out(m, true))
		leave_out(m, false);
	return 0;
}

void moving_learn(struct moving *m)
{
	if (m->hits)
		m->share += FRESH * ((double)m->through / m->hits - m->share);
}

void moving_free(struct moving *m)
{
	free(m->range);
	free(m->object);
	*m = (struct moving){ .share = m->share };
}
