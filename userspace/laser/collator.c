// SPDX-License-Identifier: GPL-2.0-only
/*
 * collator - combine laser scans and odometry to readings
 *
 * Two rings: of scans in order of arrival, with permanent room for their
 * ranges, and of poses sorted by stamp.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "laser/collator.h"
#include "laser/interpolate.h"

struct scan {
	struct reading	reading;
	float		*range;
	unsigned int	room;
};

struct stamped {
	int64_t		stamp;
	struct pose	pose;
};

/* The latest stamp of a stream, if @any came */
struct latest {
	int64_t	stamp;
	bool	any;
};

/**
 * struct collator
 * @scan:	@scans of them from @first on wait
 * @odometry:	@poses of them from @oldest on, sorted by stamp
 * @newest_scan, @newest_pose: the latest stamp of each
 * @without:	scans need no odometry
 */
struct collator {
	int64_t			patience;
	struct scan		scan[COLLATOR_SCANS];
	unsigned int		first, scans;
	struct stamped		odometry[COLLATOR_ODOMETRY];
	unsigned int		oldest, poses;
	struct latest		newest_scan, newest_pose;
	bool			without;
	struct collator_count	count;
};

struct collator *collator_new(int64_t patience)
{
	struct collator *p = calloc(1, sizeof(*p));

	if (p)
		p->patience = patience;
	return p;
}

void collator_free(struct collator *p)
{
	if (!p)
		return;
	for (unsigned int i = 0; i < COLLATOR_SCANS; i++)
		free(p->scan[i].range);
	free(p);
}

void collator_without(struct collator *p, bool without)
{
	p->without = without;
}

static struct scan *collator_head(struct collator *p)
{
	return &p->scan[p->first];
}

static void collator_drop(struct collator *p)
{
	assert(p->scans <= COLLATOR_SCANS);
	p->first = (p->first + 1) % COLLATOR_SCANS;
	assert(p->scans);
	p->scans--;
	p->count.dropped++;
}

/* Pose @i, from the oldest on */
static struct stamped *pose_at(struct collator *p, unsigned int i)
{
	return &p->odometry[(p->oldest + i) % COLLATOR_ODOMETRY];
}

/* A message with @stamp came, in a stream with the latest stamp @newest. After
 * an outage one stream may be far ahead of the other
 */
static void collator_go_on(struct collator *p, struct latest *newest,
			   int64_t stamp)
{
	if (newest->any && stamp < newest->stamp - p->patience) {
		collator_end(p);
		p->poses = 0;
		p->newest_scan.any = p->newest_pose.any = false;
	}
	if (!newest->any || stamp > newest->stamp)
		newest->stamp = stamp;
	newest->any = true;
}

int collator_add_odometry(struct collator *p, int64_t stamp,
			  const struct pose *pose)
{
	unsigned int i;

	if (stamp < 0 || !pose_valid(pose)) {
		p->count.bad++;
		return -EINVAL;
	}
	collator_go_on(p, &p->newest_pose, stamp);
	for (i = p->poses; i && pose_at(p, i - 1)->stamp > stamp; i--)
		;
	if (i && pose_at(p, i - 1)->stamp == stamp) {
		pose_at(p, i - 1)->pose = *pose;
		return 0;
	}
	if (p->poses == COLLATOR_ODOMETRY) {
		/* older than all that is kept */
		if (!i)
			return 0;
		p->oldest = (p->oldest + 1) % COLLATOR_ODOMETRY;
		assert(p->poses);
		p->poses--;
		i--;
	}
	for (unsigned int k = p->poses; k > i; k--)
		*pose_at(p, k) = *pose_at(p, k - 1);
	assert(i <= p->poses && p->poses < COLLATOR_ODOMETRY);
	*pose_at(p, i) = (struct stamped){ stamp, *pose };
	p->poses++;
	return 0;
}

int collator_add_scan(struct collator *p, const struct reading *reading)
{
	struct scan *s;
	float *range;

	if (!reading->beams || !reading_valid(reading)) {
		p->count.bad++;
		return -EINVAL;
	}
	collator_go_on(p, &p->newest_scan, reading->stamp);
	if (p->scans == COLLATOR_SCANS)
		collator_drop(p);
	s = &p->scan[(p->first + p->scans) % COLLATOR_SCANS];
	if (reading->beams > s->room) {
		range = realloc(s->range, reading->beams * sizeof(*range));
		if (!range)
			return -ENOMEM;
		s->range = range;
		s->room = reading->beams;
	}
	memcpy(s->range, reading->range, reading->beams * sizeof(*s->range));
	s->reading = *reading;
	s->reading.range = s->range;
	assert(p->scans < COLLATOR_SCANS);
	p->scans++;
	return 0;
}

enum fate { READY, WAIT, HOPELESS };

/* Decide about a scan with @stamp; finds its pose */
static enum fate collator_look_up(struct collator *p, int64_t stamp,
				  struct pose *pose)
{
	const bool late = p->newest_pose.any &&
		p->newest_pose.stamp - stamp > p->patience;
	const struct stamped *a, *b;
	unsigned int low = 0, high = p->poses;

	/* the first pose that is not earlier */
	while (low < high) {
		const unsigned int middle = (low + high) / 2;

		if (pose_at(p, middle)->stamp < stamp)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == p->poses)
		return late ? HOPELESS : WAIT;
	b = pose_at(p, low);
	if (b->stamp == stamp) {
		*pose = b->pose;
		return READY;
	}
	/* earlier odometry may still arrive */
	if (!low)
		return late ? HOPELESS : WAIT;
	a = pose_at(p, low - 1);
	if (b->stamp - a->stamp > p->patience)
		return late ? HOPELESS : WAIT;
	*pose = pose_interpolate(&a->pose, &b->pose,
				 time_share(a->stamp, b->stamp, stamp));
	return READY;
}

/* The motion during the scan. Without odometry of its end the robot is assumed
 * to have stood still
 */
static enum fate look_up_sweep(struct collator *p, struct reading *r)
{
	const double s = reading_duration(r);
	struct pose end;
	enum fate fate;

	r->sweep = (struct pose){ 0, 0, 0 };
	if (s == 0)
		return READY;
	fate = collator_look_up(p, r->stamp + (int64_t)(s * 1e9), &end);
	if (fate == READY)
		r->sweep = pose_between(&r->odometry, &end);
	else if (fate == HOPELESS)
		p->count.unswept++;
	return fate == WAIT ? WAIT : READY;
}

/* Without odometry: the robot is where it was last */
static enum fate stand(struct collator *p, struct reading *r)
{
	r->odometry = p->poses ? pose_at(p, p->poses - 1)->pose :
				 (struct pose){ 0, 0, 0 };
	r->sweep = (struct pose){ 0, 0, 0 };
	p->count.unswept += reading_duration(r) > 0;
	p->count.standing++;
	return READY;
}

static enum fate find_odometry(struct collator *p, struct reading *r)
{
	enum fate fate;

	if (p->without)
		return stand(p, r);
	fate = collator_look_up(p, r->stamp, &r->odometry);
	return fate == READY ? look_up_sweep(p, r) : fate;
}

bool collator_next(struct collator *p, struct reading *reading)
{
	while (p->scans) {
		struct scan *s = collator_head(p);
		const enum fate fate = find_odometry(p, &s->reading);

		if (fate == WAIT)
			return false;
		if (fate == HOPELESS) {
			collator_drop(p);
			continue;
		}
		/* its slot is not reused before the ring is full */
		assert(fate == READY);
		*reading = s->reading;
		p->first = (p->first + 1) % COLLATOR_SCANS;
		assert(p->scans);
		p->scans--;
		p->count.given++;
		return true;
	}
	return false;
}

void collator_end(struct collator *p)
{
	while (p->scans)
		collator_drop(p);
}

void collator_count(const struct collator *p, struct collator_count *count)
{
	*count = p->count;
}
