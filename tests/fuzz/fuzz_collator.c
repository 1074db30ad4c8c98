// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_collator - scans and odometry in any order, at any time
 *
 * Input: for each event a byte of its kind, and two of the time since the last
 * one, in ms; some times are far away. The robot moves straight: a pose must
 * always be where the robot was at that time.
 */
#include <stdlib.h>
#include <string.h>
#include "laser/collator.h"

static const int64_t second = 1000000000, ms = 1000000;
static float range[READING_BEAMS_MAX];

static struct pose at(int64_t stamp)
{
	return (struct pose){ stamp * 1e-9 / 1e5, stamp * -2e-9 / 1e5, 1 };
}

static void add_scan(struct collator *p, int64_t stamp, uint8_t what,
		     uint64_t *added)
{
	const struct reading r = {
		.stamp = stamp, .beams = what & 64 ? what * 60u : what & 7,
		.angle_increment = 0.01f, .range_max = 10, .range = range,
	};

	range[0] = (float)(stamp / ms % 1000);
	*added += !collator_add_scan(p, &r);
}

/* Return: number of readings */
static uint64_t take(struct collator *p)
{
	struct reading r;
	uint64_t n = 0;

	for (; collator_next(p, &r); n++) {
		const struct pose right = at(r.stamp);

		if (!reading_valid(&r) || !r.beams ||
		    r.range[0] != (float)(r.stamp / ms % 1000) ||
		    pose_distance(&r.odometry, &right, 1) > 1e-6)
			abort();
	}
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct collator *p = collator_new(second);
	struct collator_count count;
	uint64_t added = 0, given = 0;
	int64_t now = 10 * second;
	struct pose pose;

	for (; p && size >= 3; data += 3, size -= 3) {
		int16_t later = (int16_t)(data[1] | data[2] << 8);
		int64_t stamp = now + later * ms;

		if (*data % 16 == 15)
			now = later * second * 100000;
		else if (*data % 2)
			now += later % 256 * ms;
		if (*data % 4 == 0) {
			add_scan(p, stamp, *data, &added);
		} else {
			pose = at(stamp);
			collator_add_odometry(p, stamp, &pose);
		}
		if (*data % 3)
			given += take(p);
	}
	given += take(p);
	collator_end(p);
	collator_count(p, &count);
	if (count.given != given || count.given + count.dropped != added)
		abort();
	collator_free(p);
	return 0;
}
