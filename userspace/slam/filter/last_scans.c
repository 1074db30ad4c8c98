// SPDX-License-Identifier: GPL-2.0-only
/*
 * last_scans.c - compares a scan with those of the last updates
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "slam/filter/last_scans.h"

int last_scan_keep(struct last_scan *s, const struct reading *reading)
{
	if (reading->beams > s->room) {
		float *more = realloc(s->range,
				      reading->beams * sizeof(*more));

		if (!more)
			return -ENOMEM;
		s->range = more;
		s->room = reading->beams;
	}
	s->reading = *reading;
	memcpy(s->range, reading->range, reading->beams * sizeof(*s->range));
	s->reading.range = s->range;
	return 0;
}

int last_scans_add(struct last_scans *l, const struct reading *reading)
{
	const int err = last_scan_keep(l->scan + l->updates % LAST_SCANS,
				       reading);

	l->updates += !err;
	return err;
}

void last_scans_free(struct last_scans *l)
{
	for (int i = 0; i < LAST_SCANS; i++)
		free(l->scan[i].range);
	*l = (struct last_scans){ .updates = 0 };
}

const struct reading *last_scans_of_age(const struct last_scans *l,
					unsigned int age)
{
	assert(age && age < LAST_SCANS);
	return age > l->updates ? NULL :
		&l->scan[(l->updates - age) % LAST_SCANS].reading;
}

double last_scans_against(const struct last_scans *l,
			  const struct trajectory_tree *tree,
			  trajectory_tree_id id, const struct reading *reading,
			  const struct pose *pose)
{
	struct visibility v = { .agree = 0 };

	for (unsigned int age = 1; age < LAST_SCANS && id; age++) {
		const struct reading *old = last_scans_of_age(l, age);

		if (!old)
			break;
		visibility_count(&v, old, &trajectory_tree_at(tree, id)->pose,
				 reading, pose);
		id = trajectory_tree_parent(tree, id);
	}
	return visibility_against(&v);
}
