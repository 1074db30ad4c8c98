// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_vscan - virtual scans of rooms, ramps, steps, boxes and ceilings
 *
 * A generated lidar looks into scenes without noise; the recording of
 * shared/data, where it is, has its own.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/cpu.h"
#include "codec/scan/vscan.h"
#include "formats/velodyne.h"
#include "lidar_fixture.h"
#include "tap.h"

#define RECORDING "../shared/data/clouds/vlp16_recording_1000x1206.bin"
/* Both paths and the plain twin; the scans are those of all of them */
static bool make(const struct organised *o, const struct vscan_params *p,
		 struct vscan_scans *out)
{
	struct vscan *v = vscan_create(ORGANISED_RINGS, ORGANISED_COLUMNS);
	struct vscan_scans portable, ref;
	bool same;

	vscan_make(v, o, p, out);
	cpu_portable = true;
	vscan_make(v, o, p, &portable);
	cpu_portable = false;
	vscan_make_ref(o, p, &ref);
	same = !memcmp(out, &portable, sizeof(ref)) &&
	       !memcmp(out, &ref, sizeof(ref));
	vscan_destroy(v);
	return same;
}

/* The middle of a bin, degrees from -180 to 180 */
static double degrees(unsigned int bin)
{
	return -180 + (bin + 0.5) / 2;
}

static double wall(const struct scene *s, double angle)
{
	return fmin(s->room[0] / fabs(cos(angle * RAD)),
		    s->room[1] / fabs(sin(angle * RAD)));
}

/* Nearest and farthest that the walls are in the columns of a bin, cm */
static void walls(const struct scene *s, unsigned int bin, double *least,
		  double *most)
{
	*least = 1e9;
	*most = 0;
	for (unsigned int c = 0; c < COLUMNS; c++) {
		double a = -azimuths[c] / 100.0;
		double d = 100 * wall(s, a);

		if ((unsigned int)floor(2 * (a + 540)) % VSCAN_BINS != bin)
			continue;
		*least = fmin(*least, d);
		*most = fmax(*most, d);
	}
}

static bool near_corner(const struct scene *s, unsigned int bin)
{
	double corner = atan2(s->room[1], s->room[0]) / RAD;
	double a = fabs(degrees(bin));

	return fabs(a - corner) < 1.7 || fabs(180 - a - corner) < 1.7;
}

static void test_room(void)
{
	struct scene s = { .room = { 4, 3 } };
	struct vscan_params p = VSCAN_DEFAULTS;
	struct organised o = new_sensor(16, -15, 2);
	struct vscan_scans v;
	unsigned int off = 0, high = 0, n = 0;
	bool same;

	scan(&o, &s, p.height);
	same = make(&o, &p, &v);
	for (unsigned int i = 0; i < VSCAN_BINS; i++) {
		double least, most;

		if (near_corner(&s, i))
			continue;
		n++;
		walls(&s, i, &least, &most);
		off += fabs(v.landmark[i] - most) > 1;
		high += fabs(v.obstacle[i] - least) > 1;
	}
	ok(n > 690, "walls: landmarks within 1 cm (%u bins)", n);
	ok(!off, "walls: landmarks within 1 cm (%u bins)", n);
	ok(!high, "and obstacles, as there is nothing nearer");
	ok(same, "all paths agree");
}

static void test_box(void)
{
	struct scene s = { .room = { 4, 3 }, .boxes = 1,
			   .box = { { 1.5, 2, -0.5, 0.5, 0, 0.5 } } };
	struct vscan_params p = VSCAN_DEFAULTS;
	struct organised o = new_sensor(16, -15, 2);
	struct vscan_scans v;
	unsigned int box = 0, off = 0, n = 0;
	bool same;

	scan(&o, &s, p.height);
	same = make(&o, &p, &v);
	for (unsigned int i = 0; i < VSCAN_BINS; i++) {
		double least, most;

		if (fabs(degrees(i)) > 17)
			continue;
		n++;
		walls(&s, i, &least, &most);
		box += fabs(v.obstacle[i] - 150 / cos(degrees(i) * RAD)) < 2;
		off += fabs(v.landmark[i] - most) > 1;
	}
	ok(box == n, "a box: the obstacle is the box (%u of %u)", box, n);
	ok(!off, "the landmark is the wall behind it");
	ok(same, "all paths agree");
}

/* Obstacles before the walls; -1: the paths differ */
static int false_obstacles(struct scene *s, struct organised *o)
{
	struct vscan_params p = VSCAN_DEFAULTS;
	struct vscan_scans v;
	int n = 0;

	scan(o, s, p.height);
	if (!make(o, &p, &v))
		return -1;
	for (unsigned int i = 0; i < VSCAN_BINS; i++)
		if (v.obstacle[i] &&
		    v.obstacle[i] < 100 * wall(s, degrees(i)) * 0.97)
			n++;
	return n;
}

static void test_ramps(void)
{
	static const double degree[] = { -10, -5, -2, 0, 2, 5, 10 };
	struct organised vlp = new_sensor(16, -15, 2);
	struct organised dense = new_sensor(64, -30, 0.6);
	int n;

	for (unsigned int i = 0; i < 7; i++)
		for (int at = 1; at <= 4; at += 3) {
			struct scene s = { .room = { 6, 5 }, .at = at,
					   .ramp = degree[i] };

			n = false_obstacles(&s, &vlp);
			ok(!n, "a ramp of %g degrees at %d m is ground, "
			   "16 rings (%d)", degree[i], at, n);
			n = false_obstacles(&s, &dense);
			ok(!n, "and of 64 rings (%d)", n);
		}
	n = false_obstacles(&(struct scene){ .room = { 6, 5 }, .at = 2,
					     .ramp = 30 }, &vlp);
	ok(n > 150, "one of 30 degrees is not (%d)", n);
}

/* Bins straight ahead whose obstacle is at @cm */
static unsigned int ahead_at(const struct vscan_scans *v, double cm)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < VSCAN_BINS; i++)
		n += fabs(degrees(i)) < 20 && fabs(v->obstacle[i] -
			  cm / cos(degrees(i) * RAD)) < 3;
	return n;
}

static void test_steps(void)
{
	static const double height[] = { 0.05, 0.06, 0.08, 0.1, 0.15, 0.2 };
	struct organised o = new_sensor(100, -40, 0.4);
	struct vscan_params p = VSCAN_DEFAULTS;
	struct scene s = { .room = { 6, 5 }, .boxes = 1,
			   .box = { { 1.5, 9, -9, 9, -1, 0 } } };
	struct vscan_scans v;
	unsigned int n;
	bool same = true;

	for (unsigned int i = 0; i < 6; i++) {
		s.box[0][5] = height[i];
		scan(&o, &s, p.height);
		p.clearance = 0.03f;
		same &= make(&o, &p, &v);
		n = ahead_at(&v, 150);
		ok(n >= 75, "a step of %g cm is not ground (%u of 80)",
		   100 * height[i], n);
	}
	p.clearance = 0.05f;
	s.box[0][5] = 0.08;
	scan(&o, &s, p.height);
	same &= make(&o, &p, &v);
	n = ahead_at(&v, 150);
	ok(n >= 75, "one of 8 cm is an obstacle (%u of 80)", n);
	s.box[0][5] = 0.02;
	scan(&o, &s, p.height);
	same &= make(&o, &p, &v);
	n = ahead_at(&v, 150);
	ok(!n, "a sill of 2 cm is neither (%u)", n);
	o = new_sensor(16, -15, 2);
	s.box[0][0] = 2.5;
	s.box[0][5] = 0.2;
	scan(&o, &s, p.height);
	same &= make(&o, &p, &v);
	n = ahead_at(&v, 250);
	ok(n >= 75, "16 rings see one of 20 cm at 2.5 m (%u of 80)", n);
	ok(same, "all paths agree");
}

static void test_ceiling(void)
{
	struct scene s = { .room = { 12, 10 }, .ceiling = 2.5 };
	struct vscan_params p = VSCAN_DEFAULTS;
	struct organised o = new_sensor(16, -15, 2);
	struct vscan_scans v;
	unsigned int off = 0;
	int n = false_obstacles(&s, &o);

	ok(!n, "a ceiling is no obstacle (%d)", n);
	scan(&o, &s, p.height);
	make(&o, &p, &v);
	for (unsigned int i = 0; i < VSCAN_BINS; i++) {
		double least, most;

		walls(&s, i, &least, &most);
		off += !near_corner(&s, i) && fabs(v.landmark[i] - most) > 1;
	}
	ok(!off, "nor a landmark, the walls are (%u)", off);
	s.boxes = 1;
	memcpy(s.box[0], (double[]){ 3, 4, -1, 1, 1.6, 2 }, 48);
	n = false_obstacles(&s, &o);
	ok(!n, "nor what the robot passes under (%d)", n);
	s.box[0][4] = 1.0;
	n = false_obstacles(&s, &o);
	ok(n > 50, "but lower things are (%d)", n);
}

static void test_tilt(void)
{
	struct scene s = { .room = { 4, 3 }, .roll = 6 * RAD,
			   .pitch = -8 * RAD };
	struct vscan_params p = VSCAN_DEFAULTS;
	struct organised o = new_sensor(32, -31, 2);
	struct vscan_scans v;
	unsigned int off = 0, there = 0, wrong = 0;
	bool same;

	p.roll = s.roll;
	p.pitch = s.pitch;
	scan(&o, &s, p.height);
	same = make(&o, &p, &v);
	for (unsigned int i = 0; i < VSCAN_BINS; i++) {
		if (near_corner(&s, i) || !v.landmark[i])
			continue;
		there++;
		off += fabs(v.landmark[i] - 100 * wall(&s, degrees(i))) > 4;
		wrong += v.obstacle[i] &&
			 v.obstacle[i] < 96 * wall(&s, degrees(i));
	}
	ok(there > 650, "a tilted sensor sees the same walls "
	   "(%u bins, %u differ)", there, off);
	ok(!off, "a tilted sensor sees the same walls " "(%u bins, %u differ)",
	   there, off);
	ok(!wrong, "and no obstacle in the floor (%u)", wrong);
	ok(same, "all paths agree");
}

static void test_self(void)
{
	struct scene s = { .room = { 4, 3 }, .boxes = 1,
			   .box = { { -0.9, -0.7, -0.1, 0.1, 0, 1.5 } } };
	struct vscan_params p = VSCAN_DEFAULTS;
	struct organised o = new_sensor(16, -15, 2);
	struct vscan_scans v;

	scan(&o, &s, p.height);
	ok(make(&o, &p, &v), "the robot's own mast");
	ok(v.obstacle[0] > 60, "the robot's own mast");
	ok(v.obstacle[0] < 75, "the robot's own mast");
	p.box[0] = -1;
	p.box[1] = -0.6f;
	p.box[2] = -0.2f;
	p.box[3] = 0.2f;
	ok(make(&o, &p, &v), "which it may report");
	ok(!v.obstacle[0], "which it may report");
}

static void test_holes(void)
{
	struct scene s = { .room = { 4, 3 } };
	struct vscan_params p = VSCAN_DEFAULTS;
	struct organised o = new_sensor(16, -15, 2);
	struct vscan *v = vscan_create(16, COLUMNS);
	struct vscan_scans scans;
	unsigned int n = 0, off = 0;
	uint64_t rng = 1;

	memset(ranges, 0, sizeof(ranges));
	ok(make(&o, &p, &scans), "an empty scan, all paths agree");
	for (unsigned int i = 0; i < VSCAN_BINS; i++)
		n += scans.landmark[i] || scans.obstacle[i];
	ok(!n, "of nothing");
	scan(&o, &s, p.height);
	for (unsigned int i = 0; i < 16 * COLUMNS; i++)
		if (rnd(&rng, 10) < 3)
			ranges[i] = 0;
	/* and a lost packet */
	for (unsigned int i = 0; i < 16 * COLUMNS; i++)
		if (i % COLUMNS >= 300 && i % COLUMNS < 324)
			ranges[i] = 0;
	ok(make(&o, &p, &scans), "a scan with holes, all paths agree");
	for (unsigned int i = 0; i < VSCAN_BINS; i++) {
		n += scans.landmark[i] > 0;
		off += scans.landmark[i] && !near_corner(&s, i) &&
		       fabs(scans.landmark[i] - 100 * wall(&s, degrees(i))) >
		       6;
	}
	ok(n > 600, "most directions are left, and right (%u)", n);
	ok(!off, "most directions are left, and right (%u)", n);
	o.columns = 15;
	ok(vscan_make(v, &o, &p, &scans) == -EINVAL, "too few columns");
	o.columns = COLUMNS;
	o.rings = 17;
	ok(vscan_make(v, &o, &p, &scans) == -EINVAL, "too many rings");
	ok(!vscan_create(0, 100), "sizes that cannot be");
	ok(!vscan_create(129, 100), "sizes that cannot be");
	ok(!vscan_create(16, 5000), "sizes that cannot be");
	vscan_destroy(v);
}

static float about(uint64_t *rng, float middle)
{
	return middle * (0.5f + rnd(rng, 1000) / 1000.0f);
}

/* Whatever there is, all paths make the same of it */
static void test_random(void)
{
	uint64_t rng = 2;
	bool same = true;

	for (unsigned int i = 0; i < 60; i++) {
		struct organised o = new_sensor(1 + rnd(&rng, 40), -20, 1);
		struct vscan_params p = VSCAN_DEFAULTS;
		struct vscan_scans v;
		uint16_t r = 2000;

		o.columns = 16 + rnd(&rng, COLUMNS - 16);
		p.height = about(&rng, 0.6f);
		p.step = about(&rng, 0.03f);
		p.straight = about(&rng, 0.04f);
		if (i % 3 == 1) {
			p.roll = about(&rng, 0.2f) - 0.2f;
			p.pitch = about(&rng, 0.2f) - 0.2f;
		}
		if (i % 4 == 1) {
			p.box[1] = about(&rng, 2);
			p.box[3] = about(&rng, 2);
		}
		for (unsigned int k = 0; k < o.rings * o.columns; k++) {
			r += rnd(&rng, 41) - 20;
			ranges[k] = rnd(&rng, 20) ? r : rnd(&rng, 65536);
		}
		for (unsigned int k = 0; k < o.rings; k++)
			o.advance[k] = rnd(&rng, 100) / 10.0f;
		same &= make(&o, &p, &v);
	}
	ok(same, "noise: all paths agree");
}

static void test_recording(void)
{
	struct vscan_params p = VSCAN_DEFAULTS;
	struct velodyne *v = velodyne_create();
	unsigned int turns = 0, landmarks = 0, obstacles = 0;
	uint8_t packet[VELODYNE_PACKET];
	FILE *f = fopen(RECORDING, "rb");
	struct vscan_scans s;
	struct organised o;
	bool same = true;

	if (!f) {
		ok(true, "the recording # SKIP no shared data");
		velodyne_destroy(v);
		return;
	}
	while (fread(packet, sizeof(packet), 1, f)) {
		if (velodyne_add(v, packet, sizeof(packet), &o) != 1)
			continue;
		turns++;
		same &= make(&o, &p, &s);
		for (int i = 0; i < VSCAN_BINS; i++) {
			landmarks += s.landmark[i] > 0;
			obstacles += s.obstacle[i] > 0;
		}
	}
	fclose(f);
	velodyne_destroy(v);
	ok(same, "the recording, all paths agree");
	ok_eq(turns, 12, "the recording, all paths agree");
	ok(landmarks / turns > 600, "%u landmarks and %u obstacles of 720",
	   landmarks / turns, obstacles / turns);
	ok(obstacles / turns > 610, "%u landmarks and %u obstacles of 720",
	   landmarks / turns, obstacles / turns);
}

int main(void)
{
	test_room();
	test_box();
	test_ramps();
	test_steps();
	test_ceiling();
	test_tilt();
	test_self();
	test_holes();
	test_random();
	test_recording();
	return tap_done();
}
