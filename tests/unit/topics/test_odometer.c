// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_odometer - how far a robot has come, from poses good and bad
 */
#include <math.h>
#include "tap.h"
#include "topics/odometer.h"

enum { TREMBLES = 100000, WALK = 200000 };

/* To be compared with a sum of doubles, whose last millimetre is open */
static bool near(uint64_t mm, uint64_t wanted)
{
	return mm + 1 >= wanted && mm <= wanted + 1;
}

/* -@size..@size */
static double about(uint64_t *rng, double size)
{
	return size * (2.0 * rnd(rng, 1000001) / 1000000 - 1);
}

static void test_start(void)
{
	struct odometer o = { 0 };

	ok(odometer_step(&o, 120, -7, 3) == 0, "where it starts is nowhere");
	ok(near(odometer_step(&o, 121, -7, 3), 1000), "from there it counts");
	ok(near(odometer_step(&o, 120, -7, 3), 2000), "backwards, too");
	ok(near(odometer_step(&o, 123, -3, 15), 15000), "in three dimensions");
}

static void test_small_steps(void)
{
	struct odometer o = { 0 };
	bool late = false;
	uint64_t mm;

	odometer_step(&o, 0, 0, 0);
	ok(odometer_step(&o, 0.0099, 0, 0) == 0, "less than a centimetre waits");
	ok(odometer_step(&o, 0.0151, 0, 0) == 15, "until it is one, as a whole");
	o = (struct odometer){ 0 };
	for (int i = 0; i <= 10000; i++) {
		mm = odometer_step(&o, 0, i * 1e-4, 0);
		late |= mm > i / 10U || mm + 11 < i / 10U;
	}
	ok(!late, "steps of 0.1 mm: never more than a centimetre behind");
}

static void test_trembles(void)
{
	struct odometer o = { 0 };
	uint64_t rng = 1, mm = 0;

	for (int i = 0; i < TREMBLES; i++)
		mm = odometer_step(&o, 5 + about(&rng, 0.0028),
				   5 + about(&rng, 0.0028),
				   about(&rng, 0.0028));
	ok(mm == 0, "a robot that trembles stands");
}

static void test_way(void)
{
	struct odometer o = { 0 };
	uint64_t mm = 0;

	for (int i = 0; i <= 36000; i++)
		mm = odometer_step(&o, 10 * cos(i * M_PI / 1800),
				   10 * sin(i * M_PI / 1800), 0);
	ok(mm > 627500, "ten circles of 10 m: %llu mm", (unsigned long long)mm);
	ok(mm < 628600, "ten circles of 10 m: %llu mm", (unsigned long long)mm);
	o = (struct odometer){ 0 };
	for (int i = 0; i <= 1000000; i++)
		mm = odometer_step(&o, i * 0.1, 0, 0);
	ok(near(mm, 100000000), "a hundred kilometres to the millimetre");
}

static void test_strange(void)
{
	static const double bad[] = { NAN, INFINITY, -INFINITY, 1e300 };
	struct odometer o = { 0 };
	uint64_t mm;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		o = (struct odometer){ 0 };
		mm = odometer_step(&o, bad[i], 1, 1);
		mm |= odometer_step(&o, 7, 1, 1);
		ok(!mm, "%g at first: no start", bad[i]);
		odometer_step(&o, 8, 1, 1);
		mm = odometer_step(&o, bad[i], 1, 1);
		ok(near(mm, 1000), "%g for x is left out", bad[i]);
		mm = odometer_step(&o, 8, bad[i], 1);
		ok(near(mm, 1000), "%g for y is left out", bad[i]);
		mm = odometer_step(&o, 8, 1, bad[i]);
		ok(near(mm, 1000), "%g for z is left out", bad[i]);
		ok(near(odometer_step(&o, 10, 1, 1), 3000),
		   "it goes on where it was");
	}
	o = (struct odometer){ 0 };
	odometer_step(&o, 1, 0, 0);
	ok(odometer_step(&o, 1e30, 0, 0) == 0, "a jump is no way");
	ok(odometer_step(&o, 1, 0, 0) == 0, "nor back");
	ok(near(odometer_step(&o, 0, 0, 0), 1000), "then it goes on");
}

static void test_walk(void)
{
	struct odometer o = { 0 };
	double x = 0, y = 0, z = 0, way = 0, dx, dy, dz;
	uint64_t rng = 2, mm = 0, before;
	bool back = false, beyond = false;

	for (int i = 0; i < WALK; i++) {
		dx = about(&rng, 0.03);
		dy = about(&rng, 0.03);
		dz = about(&rng, 0.03);
		before = mm;
		if (rnd(&rng, 50) == 0) {
			mm = odometer_step(&o, x, y, rnd(&rng, 2) ? NAN : 1e200);
		} else {
			way += i ? sqrt(dx * dx + dy * dy + dz * dz) : 0;
			x += dx;
			y += dy;
			z += dz;
			mm = odometer_step(&o, x, y, z);
		}
		back |= mm < before;
		beyond |= mm > way * 1000 + 1;
	}
	ok(!back, "a random walk: never back");
	ok(!beyond, "never more than the way");
	ok(mm > way * 900, "nor much less: %.0f of %.0f m", mm / 1e3, way);
}

int main(void)
{
	test_start();
	test_small_steps();
	test_trembles();
	test_way();
	test_strange();
	test_walk();
	return tap_done();
}
