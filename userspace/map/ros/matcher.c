// SPDX-License-Identifier: GPL-2.0-only
/*
 * matcher - which frame a submap belongs to, by approximate time
 */
#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "map/ros/matcher.h"
#include "map/store/store.h"

struct frame {
	int64_t	stamp;
	char	name[STORE_FRAME];
};

struct item {
	int64_t		stamp;
	uint64_t	due;
	void		*item;
};

struct matcher {
	int64_t		slop;
	void		(*match)(void *arg, void *item, const char *frame);
	void		*arg;
	struct frame	frame[MATCHER_FRAMES];	/* a ring */
	unsigned int	frames, next;
	int64_t		latest;
	struct item	item[MATCHER_ITEMS];	/* in the order of arrival */
	unsigned int	items;
};

struct matcher *matcher_create(int64_t slop,
			       void (*match)(void *arg, void *item,
					     const char *frame), void *arg)
{
	struct matcher *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->slop = slop;
	m->match = match;
	m->arg = arg;
	m->latest = INT64_MIN;
	return m;
}

static int64_t matcher_apart(int64_t a, int64_t b)
{
	return a > b ? a - b : b - a;
}

/* The nearest within the slop; of equals the later one. NULL: none */
static const char *matcher_nearest(const struct matcher *m, int64_t stamp)
{
	const struct frame *best = NULL;

	for (unsigned int i = 0; i < m->frames; i++) {
		const struct frame *f = &m->frame[i];

		if (matcher_apart(f->stamp, stamp) > m->slop)
			continue;
		if (!best ||
		    matcher_apart(f->stamp, stamp) <
			    matcher_apart(best->stamp, stamp) ||
		    (matcher_apart(f->stamp, stamp) ==
			     matcher_apart(best->stamp, stamp) &&
		     f->stamp > best->stamp))
			best = f;
	}
	return best ? best->name : NULL;
}

/* No later frame can be nearer */
static bool certain(const struct matcher *m, int64_t stamp)
{
	return m->latest >= stamp;
}

void matcher_first(struct matcher *m)
{
	const struct item first = m->item[0];

	assert(m->items);

	memmove(m->item, m->item + 1, --m->items * sizeof(*m->item));
	m->match(m->arg, first.item, matcher_nearest(m, first.stamp));
}

static void matcher_settle(struct matcher *m)
{
	unsigned int kept = 0;

	for (unsigned int i = 0; i < m->items; i++) {
		const struct item it = m->item[i];

		if (certain(m, it.stamp))
			m->match(m->arg, it.item, matcher_nearest(m, it.stamp));
		else
			m->item[kept++] = it;
	}
	m->items = kept;
}

void matcher_frame(struct matcher *m, int64_t stamp, const char *frame)
{
	struct frame *f = NULL;

	/* loop closures send old frames again */
	for (unsigned int i = 0; i < m->frames && !f; i++)
		if (!strcmp(m->frame[i].name, frame))
			f = &m->frame[i];
	if (f)
		return;
	f = &m->frame[m->next];
	m->next = (m->next + 1) % MATCHER_FRAMES;
	if (m->frames < MATCHER_FRAMES)
		m->frames++;
	f->stamp = stamp;
	snprintf(f->name, sizeof(f->name), "%s", frame);
	if (stamp > m->latest)
		m->latest = stamp;
	matcher_settle(m);
}

void matcher_item(struct matcher *m, int64_t stamp, uint64_t due, void *item)
{
	if (certain(m, stamp)) {
		m->match(m->arg, item, matcher_nearest(m, stamp));
		return;
	}
	if (m->items == MATCHER_ITEMS)
		matcher_first(m);
	assert(!m->items || m->item[m->items - 1].due <= due);
	m->item[m->items++] = (struct item){ stamp, due, item };
}

void matcher_expire(struct matcher *m, uint64_t now)
{
	while (m->items && m->item[0].due <= now)
		matcher_first(m);
}

uint64_t matcher_due(const struct matcher *m)
{
	return m->items ? m->item[0].due : MATCHER_NEVER;
}

void matcher_destroy(struct matcher *m)
{
	if (!m)
		return;
	while (m->items)
		matcher_first(m);
	free(m);
}

unsigned int matcher_waiting(const struct matcher *m)
{
	return m->items;
}
