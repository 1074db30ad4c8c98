// SPDX-License-Identifier: GPL-2.0-only
/*
 * stamps - judge stamps by the clock, or by each other if it may be wrong
 */
#include "map/ros/stamps.h"

/* Largest difference of clocks that agree, ns */
static const int64_t tolerance = 60LL * 1000000000;
/* Largest age of a stamp that proves the clock, ns */
static const int64_t fresh = 600LL * 1000000000;
/* Longest time off of a robot whose clock stopped meanwhile, ns */
static const int64_t pause = 31LL * 86400 * 1000000000;

void stamps_begin(struct stamps *s, int64_t newest)
{
	*s = (struct stamps){ .newest = newest };
}

static int64_t stamps_apart(int64_t a, int64_t b)
{
	return a > b ? a - b : b - a;
}

/* If the clock was set since, it is no longer proven */
static bool is_proven(const struct stamps *s, int64_t wall, uint64_t now)
{
	return s->proven &&
	       stamps_apart(wall - (int64_t)now, s->offset) <= tolerance;
}

/* Not later than the newest stamp plus the time since it arrived */
static bool follows_newest(const struct stamps *s, int64_t stamp, uint64_t now)
{
	const int64_t since = s->seen ? (int64_t)(now - s->seen) : pause;

	return stamp - s->newest <= since + tolerance;
}

static bool follows_refused(const struct stamps *s, int64_t stamp, uint64_t now)
{
	return s->refused && stamps_apart(stamp, s->refused) <=
	       (int64_t)(now - s->refused_seen) + tolerance;
}

/* Whether a stamp ahead of the clock is confirmed by others */
static bool agrees(const struct stamps *s, int64_t stamp, int64_t wall,
		   uint64_t now)
{
	if (is_proven(s, wall, now))
		return false;
	if (!s->newest)
		return true;
	if (s->newest > wall + tolerance && follows_newest(s, stamp, now))
		return true;
	return follows_refused(s, stamp, now);
}

bool stamps_take(struct stamps *s, int64_t stamp, int64_t wall, uint64_t now)
{
	const bool ahead = stamp > wall + tolerance;

	if (ahead && !agrees(s, stamp, wall, now)) {
		s->refused = stamp;
		s->refused_seen = now;
		return false;
	}
	if (!ahead && stamp >= wall - fresh) {
		s->proven = true;
		s->offset = wall - (int64_t)now;
		/* the clock is right: forget a newest stamp of the future */
		if (s->newest > wall + tolerance)
			s->newest = stamp;
	}
	if (stamp >= s->newest) {
		s->newest = stamp;
		s->seen = now;
	}
	return true;
}

int64_t stamps_ahead(const struct stamps *s, int64_t wall)
{
	return s->newest > wall + tolerance ? s->newest - wall : 0;
}
