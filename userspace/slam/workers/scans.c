// SPDX-License-Identifier: GPL-2.0-only
/*
 * scans.c - an array of readings
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "slam/workers/scans.h"

static struct wire_reading **scans_place(struct scans *s, uint64_t update)
{
	if (update >= s->room) {
		const uint32_t room = (uint32_t)(update + 1) * 2;
		struct wire_reading **more =
			realloc(s->reading, room * sizeof(*more));

		if (!more)
			return NULL;
		memset(more + s->room, 0, (room - s->room) * sizeof(*more));
		s->reading = more;
		s->room = room;
	}
	if (update >= s->count)
		s->count = (uint32_t)update + 1;
	assert(update < s->count && s->count <= s->room);
	return s->reading + update;
}

/* @copy is stored, or freed. Return: as scans_put() */
static int scans_keep(struct scans *s, uint64_t update,
		      struct wire_reading *copy)
{
	struct wire_reading **at = NULL;

	if (copy && update < SCANS_MAX)
		at = scans_place(s, update);
	if (!at) {
		free(copy);
		return update < SCANS_MAX ? -ENOMEM : -E2BIG;
	}
	free(*at);
	*at = copy;
	return 0;
}

bool scans_valid(const struct wire_reading *r, size_t len)
{
	struct reading reading;

	if (len < sizeof(*r) || r->beams > READING_BEAMS_MAX ||
	    len < scans_size(r))
		return false;
	reading = scans_reading(r);
	return reading_valid(&reading);
}

int scans_put(struct scans *s, uint64_t update,
	      const struct wire_reading *reading, size_t len)
{
	struct wire_reading *copy;

	if (!scans_valid(reading, len))
		return -EBADMSG;
	copy = malloc(scans_size(reading));
	if (copy)
		memcpy(copy, reading, scans_size(reading));
	return scans_keep(s, update, copy);
}

struct wire_reading scans_wire(const struct reading *r)
{
	return (struct wire_reading){
		.stamp = r->stamp, .odometry = r->odometry, .laser = r->laser,
		.sweep = r->sweep,
		.beams = r->beams, .angle_min = r->angle_min,
		.angle_increment = r->angle_increment,
		.range_max = r->range_max,
	};
}

struct wire_reading *scans_copy(const struct reading *r)
{
	const size_t ranges = r->beams * sizeof(float);
	struct wire_reading *w = malloc(sizeof(*w) + ranges);

	if (!w)
		return NULL;
	*w = scans_wire(r);
	memcpy(w + 1, r->range, ranges);
	return w;
}

int scans_add(struct scans *s, uint64_t update, const struct reading *r)
{
	if (!reading_valid(r))
		return -EBADMSG;
	return scans_keep(s, update, scans_copy(r));
}

const struct wire_reading *scans_at(const struct scans *s, uint64_t update)
{
	return update < s->count ? s->reading[update] : NULL;
}

struct reading scans_reading(const struct wire_reading *r)
{
	return (struct reading){
		.stamp = r->stamp, .odometry = r->odometry, .laser = r->laser,
		.sweep = r->sweep, .beams = r->beams, .angle_min = r->angle_min,
		.angle_increment = r->angle_increment,
		.range_max = r->range_max, .range = (const float *)(r + 1),
	};
}

void scans_free(struct scans *s)
{
	for (uint32_t i = 0; i < s->count; i++)
		free(s->reading[i]);
	free(s->reading);
	*s = (struct scans){ .count = 0 };
}
