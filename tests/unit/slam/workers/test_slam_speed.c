// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_slam_speed - shares of workers by their speed: against a simple search,
 * and with workers whose clock is simulated
 */
#include <math.h>
#include <stdint.h>
#include "slam/workers/balance.h"
#include "slam/workers/speed.h"
#include "tap.h"

enum { WORKERS = 6, PARTICLES = 600, EVALUATIONS = 120 };

static void test_answers(void)
{
	struct speed s = { 0 };

	ok(!speed_known(&s), "a worker that did nothing");
	for (int i = 0; i < SPEED_ANSWERS - 1; i++)
		speed_answer(&s, 5000, 4000, 8);
	ok(!speed_known(&s), "... too few answers");
	speed_answer(&s, 5000, 4000, 8);
	ok(speed_known(&s), "... enough");
	ok_near(s.wait, 1000, 1e-6, "it waits");
	ok_near(s.each, 500, 1e-6, "... and works");
	ok_near(speed_time(&s, 10), 6000, 1e-6, "what takes how long");
	ok_near(speed_time(&s, 0), 0, 0, "... nothing takes no time");
	for (int i = 0; i < 200; i++)
		speed_answer(&s, 90000, 10, 0);
	ok_near(s.wait, 89990, 100, "it waits longer now");
	ok_near(s.each, 500, 1e-6, "... of its work nothing is learned");
	speed_answer(&s, 10, 20, 1);
	ok(s.wait >= 0, "more work than time counts as no wait");
	for (int i = 0; i < 2000; i++)
		speed_forget(&s, 100);
	ok_near(s.each, 100, 1, "without work it is tried again");
	speed_forget(&s, 1000);
	ok_near(s.each, 100, 1, "... not if it was faster");
}

/* The longest of all by these shares */
static double longest(const struct speed *s, uint32_t workers, double work,
		      const double *share)
{
	double most = 0;

	for (uint32_t i = 0; i < workers; i++)
		most = fmax(most, speed_time(s + i, share[i] * work));
	return most;
}

/* No part of the work is done earlier by another worker */
static void test_shares(void)
{
	unsigned int wrong = 0, late = 0, better = 0;
	uint64_t state = 3;

	for (int round = 0; round < 2000; round++) {
		const uint32_t workers = 1 + rnd(&state, WORKERS);
		const double work = 1 + rnd(&state, 100000);
		struct speed s[WORKERS];
		double share[WORKERS], sum = 0, time;

		for (uint32_t i = 0; i < workers; i++)
			s[i] = (struct speed){ rnd(&state, 1000000),
					       1 + rnd(&state, 1000) };
		time = speed_share(s, workers, work, share);
		for (uint32_t i = 0; i < workers; i++) {
			sum += share[i];
			wrong += !(share[i] >= 0);
			/* who has nothing is late by its wait alone */
			better += share[i] <= 0 && s[i].wait < time * 0.999;
			late += share[i] > 1e-9 &&
				fabs(speed_time(s + i, share[i] * work) -
				     time) > 1e-6 * time;
		}
		wrong += fabs(sum - 1) > 1e-9;
		wrong += longest(s, workers, work, share) > time * 1.000001;
	}
	ok(!wrong, "shares add up to all");
	ok(!late, "all are done at the same time");
	ok(!better, "a worker without a share would be late");
}

/**
 * struct sim - a simulated worker
 * @wait, @each: ns
 */
struct sim {
	double		wait, each;
	struct speed	speed;
	uint32_t	load;
};

/* One update. Return: how long it takes, ns */
static double sim_turn(struct sim *w, uint32_t workers)
{
	double most = 0;

	for (uint32_t i = 0; i < workers; i++) {
		const double busy = w[i].each * w[i].load * EVALUATIONS;
		const double taken = w[i].wait + busy;

		if (w[i].load)
			most = fmax(most, taken);
		speed_answer(&w[i].speed, (uint64_t)taken, (uint64_t)busy,
			     (uint64_t)w[i].load * EVALUATIONS);
	}
	return most;
}

/* New shares, and the loads that follow from them */
static void sim_share(struct sim *w, uint32_t workers)
{
	uint32_t parent[PARTICLES], home[PARTICLES], owner[PARTICLES], n = 0;
	struct speed s[WORKERS];
	double share[WORKERS];

	for (uint32_t i = 0; i < workers; i++) {
		s[i] = w[i].speed;
		for (uint32_t k = 0; k < w[i].load; k++)
			home[n++] = i;
		w[i].load = 0;
	}
	for (uint32_t i = 0; i < n; i++)
		parent[i] = i;
	speed_share(s, workers, (double)n * EVALUATIONS, share);
	balance_share(parent, n, home, workers, share, owner);
	for (uint32_t i = 0; i < n; i++)
		w[owner[i]].load++;
}

/* One of three workers at a tenth of its speed */
static void test_slow(void)
{
	const double each = 200, wait = 50000;
	const double ideal = wait + each * EVALUATIONS * PARTICLES / 2.1;
	struct sim w[] = { { wait, each, .load = PARTICLES / 3 },
			   { wait, each, .load = PARTICLES / 3 },
			   { wait, each, .load = PARTICLES / 3 } };
	double time;

	for (int i = 0; i < SPEED_ANSWERS; i++)
		time = sim_turn(w, 3);
	w[1].each *= 10;
	ok_range(sim_turn(w, 3) / time, 9, 11, "a slow worker delays all");
	for (int i = 0; i < 5 * SPEED_ANSWERS; i++) {
		sim_share(w, 3);
		time = sim_turn(w, 3);
	}
	ok_range(time / ideal, 0.9, 1.05, "by its share it delays nothing");
	ok_range(w[1].load, PARTICLES / 25, PARTICLES / 18, "... which is small");
	w[1].each /= 10;
	for (int i = 0; i < 10 * SPEED_ANSWERS; i++) {
		sim_share(w, 3);
		time = sim_turn(w, 3);
	}
	ok_range(w[1].load, PARTICLES / 3 - 3, PARTICLES / 3 + 3,
		 "it is fast again, and has its share");
}

/* One that is stopped most of the time waits for longer than others work */
static void test_stopped(void)
{
	struct sim w[] = { { 50000, 200, .load = 30 }, { 50000, 200, .load = 30 } };
	int i;

	w[1].wait = 2e8;
	for (i = 0; i < 2 * SPEED_ANSWERS; i++)
		sim_turn(w, 2);
	sim_share(w, 2);
	ok_eq(w[1].load, 0, "a worker that is stopped gets nothing");
	w[1].wait = 50000;
	for (i = 0; i < 1000 && !w[1].load; i++) {
		sim_turn(w, 2);
		sim_share(w, 2);
	}
	ok_range(i, 1, 999, "it goes on, and gets particles after %d updates",
		 i);
}

int main(void)
{
	test_answers();
	test_shares();
	test_slow();
	test_stopped();
	return tap_done();
}
