// SPDX-License-Identifier: GPL-2.0-only
/*
 * summary.c - one line about a run
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "apps/slamd/summary.h"

/* Longer paths are shown by their end */
enum { PATH_SHOWN = 100 };

/* Poses jump so far at any speed when the map is corrected, m */
#define JUMP	1.0

struct line {
	char	*text;
	size_t	used;
};

static void add(struct line *l, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void add(struct line *l, const char *format, ...)
{
	const size_t room = SUMMARY - l->used;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(l->text + l->used, room, format, args);
	va_end(args);
	l->used += n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
}

/* After the first @before readings, which are of an earlier run. Who is faster
 * than @speed, m/s, was carried
 */
static double driven(const struct trajectory *t, uint64_t before, double speed)
{
	double way = 0;

	for (uint64_t i = before + 1; i < t->count; i++) {
		const struct pose *a = &t->point[i - 1].pose;
		const struct pose *b = &t->point[i].pose;

		const double step = hypot(b->x - a->x, b->y - a->y);
		const double s = 1e-9 * (double)(t->point[i].stamp -
						 t->point[i - 1].stamp);

		if (step <= JUMP + speed * fmax(s, 0))
			way += step;
	}
	return way;
}

static void add_loops(struct line *l, const struct loop_counts *c)
{
	if (!c->closures) {
		add(l, "; no loops");
		return;
	}
	add(l, "; %u of %u closures agree, residual %.1f sigma", c->kept,
	    c->closures, c->residual);
	if (c->corrected)
		add(l, ", map corrected %llu times",
		    (unsigned long long)c->corrected);
}

static void add_lost(struct line *l, const struct stats *s)
{
	if (s->lost_updates)
		add(l, "; lost for %llu scans in %llu stretches",
		    (unsigned long long)s->lost_updates,
		    (unsigned long long)s->stretches);
	else
		add(l, "; never lost");
	if (s->carried)
		add(l, "; carried: %llu, of these places found in the map: %u",
		    (unsigned long long)s->carried, s->loops.joined);
	if (s->distrusted)
		add(l, "; odometry replaced at %llu of %llu updates",
		    (unsigned long long)s->distrusted,
		    (unsigned long long)s->updates);
}

/* Less than half a percent is not worth a word */
static void add_moving(struct line *l, const struct stats *s)
{
	const double share = s->beams ? 100.0 * (double)s->moving /
					(double)s->beams : 0;

	if (share >= 0.5)
		add(l, "; %.0f %% of the beams ended at something that moves",
		    share);
}

static void add_file(struct line *l, const char *path, int *files)
{
	const size_t n = path ? strlen(path) : 0;

	if (!n || !strcmp(path, "-"))
		return;
	add(l, "%s%s%s", (*files)++ ? ", " : "; wrote ",
	    n > PATH_SHOWN ? "..." : "",
	    n > PATH_SHOWN ? path + n - PATH_SHOWN : path);
}

void summary_text(const struct slamd_options *o, const struct stats *s,
		  const struct trajectory *t, char text[SUMMARY])
{
	struct line l = { text, 0 };
	int files = 0;

	add(&l, "%u scans, %.1f m driven", s->count,
	    driven(t, s->resumed, o->params.speed));
	if (o->params.loops)
		add_loops(&l, &s->loops);
	if (s->placed.found)
		add(&l, "; found in the map after %llu readings",
		    (unsigned long long)s->placed.unplaced);
	add_lost(&l, s);
	add_moving(&l, s);
	add_file(&l, o->map, &files);
	if (o->map)
		add(&l, " with .yaml and .png");
	add_file(&l, o->trajectory, &files);
	add_file(&l, o->stats, &files);
	add_file(&l, o->to, &files);
	add_file(&l, o->checkpoint, &files);
}
