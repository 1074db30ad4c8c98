// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_slam_parts - what the filter is made of: exact angles, random numbers,
 * motion, weights, ancestors, threads, limits, and trajectories of all readings
 */
#include <errno.h>
#include <string.h>
#include "base/error.h"
#include "base/thread_pool.h"
#include "slam/filter/det_math.h"
#include "slam/filter/motion.h"
#include "slam/filter/params.h"
#include "slam/filter/random.h"
#include "slam/filter/resampling.h"
#include "slam/output/scan_trajectory.h"
#include "slam_fixture.h"

static bool near(double a, double b, double most)
{
	return fabs(a - b) <= most;
}

static bool same_pose(const struct pose *a, const struct pose *b)
{
	return pose_distance(a, b, 1) < 1e-9;
}

/*
 * Angles
 */

/* Return: how far the sine and cosine are from those of libm at most */
static double angle_error(double span, uint64_t *state)
{
	double worst = 0;

	for (int i = 0; i < 200000; i++) {
		const double angle = span * rnd_signed(state);
		double s, c;

		det_sincos(angle, &s, &c);
		worst = fmax(worst, fabs(s - sin(angle)));
		worst = fmax(worst, fabs(c - cos(angle)));
	}
	return worst;
}

static void test_exact(void)
{
	uint64_t state = 1;
	double s, c, worst = 0;

	worst = angle_error(M_PI, &state);
	ok(worst < 1e-15, "angles: up to half a turn (%.1e)", worst);
	worst = angle_error(100, &state);
	ok(worst < 1e-15, "angles: 16 turns (%.1e)", worst);
	worst = angle_error(5000 * M_PI, &state);
	ok(worst < 1e-15, "angles: thousands of turns (%.1e)", worst);
	worst = 0;
	for (int i = -40; i <= 40; i++) {
		det_sincos(i * M_PI / 4, &s, &c);
		worst = fmax(worst, fabs(s - sin(i * M_PI / 4)));
		worst = fmax(worst, fabs(c - cos(i * M_PI / 4)));
	}
	ok(worst < 1e-15, "angles: at the borders of quadrants (%.1e)", worst);
	det_sincos(0, &s, &c);
	ok_near(s, 0, 0, "angles: 0");
	ok_near(c, 1, 0, "... c");
}

static void test_exact_poses(void)
{
	uint64_t state = 2;
	bool good = true;

	for (int i = 0; i < 10000; i++) {
		const struct pose a = { 9 * rnd_signed(&state),
					9 * rnd_signed(&state),
					M_PI * rnd_signed(&state) };
		const struct pose b = { 9 * rnd_signed(&state),
					9 * rnd_signed(&state),
					M_PI * rnd_signed(&state) };
		const struct pose ab = det_compose(&a, &b);
		const struct pose want = pose_compose(&a, &b);
		const struct pose back = det_between(&a, &ab);

		good = good && same_pose(&ab, &want) && same_pose(&back, &b) &&
			fabs(ab.yaw) <= M_PI;
	}
	ok(good, "poses: composed and taken apart");
}

/*
 * Random numbers
 */

static bool philox(uint32_t k0, uint32_t k1, const uint32_t counter[4],
		   const uint32_t want[4])
{
	struct random r = { .key = { k0, k1 } };

	memcpy(r.counter, counter, sizeof(r.counter));
	random_refill(&r);
	return !memcmp(r.word, want, sizeof(r.word));
}

static void test_philox(void)
{
	static const uint32_t zero[4], ones[4] = { ~0U, ~0U, ~0U, ~0U };
	static const uint32_t pi[4] = { 0x243f6a88, 0x85a308d3, 0x13198a2e,
					0x03707344 };

	ok(philox(0, 0, zero, (uint32_t[]){ 0x6627e8d5, 0xe169c58d, 0xbc57ac4c,
					    0x9b00dbd8 }), "Philox: zeros");
	ok(philox(~0U, ~0U, ones, (uint32_t[]){ 0x408f276d, 0x41c83b0e,
						0xa20bc7c6, 0x6d5451fd }),
	   "Philox: ones");
	ok(philox(0xa4093822, 0x299f31d0, pi,
		  (uint32_t[]){ 0xd16cfe09, 0x94fdcceb, 0x5001e420,
				0x24126ea1 }), "Philox: pi");
}

static void test_random_order(void)
{
	struct random a = random_of(5, 9, 3), b = random_of(5, 9, 4);
	struct random c = random_of(5, 9, 3), d = random_of(5, 10, 3);
	struct random e = random_of(6, 9, 3), f = random_of(5, 1ULL << 40, 3);
	struct random g = random_of(5 | 1ULL << 40, 9, 3);
	bool same = true, other = true;

	for (int i = 0; i < 1000; i++) {
		const uint32_t u = random_u32(&a);

		random_u32(&b);
		same = same && u == random_u32(&c);
		other = other && u != random_u32(&d) && u != random_u32(&e) &&
			u != random_u32(&f) && u != random_u32(&g);
	}
	ok(same, "random: whatever others draw");
	ok(other, "random: others for other readings and seeds");
}

static void test_random_moments(void)
{
	struct random r = random_of(1, 2, 3);
	double sum = 0, square = 0, cube = 0, unit = 0, most = 0;
	const int n = 200000;
	bool in = true;

	for (int i = 0; i < n; i++) {
		const double x = random_normal(&r), u = random_unit(&r);

		sum += x / n;
		square += x * x / n;
		cube += x * x * x / n;
		most = fmax(most, fabs(x));
		unit += u / n;
		in = in && u >= 0 && u < 1;
	}
	ok(near(sum, 0, 0.01), "random: normal");
	ok(near(square, 1, 0.02), "... is near");
	ok(near(cube, 0, 0.05), "... is near");
	ok_range(most, 3.5, 6, "... most");
	ok(in, "random: unit");
	ok(near(unit, 0.5, 0.005), "... is near");
}

/*
 * Motion
 */

static void test_odometer(void)
{
	struct slam_params p = slam_defaults;
	struct odometer o = { .known = false };
	struct motion m;

	ok(odometer_move(&o, &(struct pose){ 7, 8, 2 }, 0),
	   "odometry: begins anywhere");
	ok_near(o.gone.path, 0, 0, "... path");
	odometer_move(&o, &(struct pose){ 7, 8, 2 + M_PI / 2 }, 0);
	odometer_move(&o, &(struct pose){ 7, 8, 2 }, 0);
	m = odometer_motion(&o, &p);
	ok(near(o.gone.turned, M_PI, 1e-12),
	   "odometry: turning back and forth adds to the noise");
	ok(near(m.move.yaw, 0, 1e-12), "... is near");
	ok(near(m.turn, p.slip_turn + p.turn_per_rad * M_PI, 1e-12),
	   "... is near");
	ok(near(m.slip, p.slip + p.slip_per_rad * M_PI, 1e-12), "... is near");
	odometer_restart(&o);
	odometer_move(&o, &(struct pose){ 7 + 2 * cos(2), 8 + 2 * sin(2), 2 }, 0);
	m = odometer_motion(&o, &p);
	ok(near(m.move.x, 2, 1e-12), "odometry: in the frame of the robot");
	ok(near(m.move.y, 0, 1e-12), "... is near");
	ok(near(m.slip, p.slip + 2 * p.slip_per_m, 1e-12), "... is near");
	ok(near(m.turn, p.slip_turn + 2 * p.turn_per_m, 1e-12), "... is near");
	ok_eq(odometer_move(&o, &(struct pose){ 500, -300, 0 }, 0), 0,
	      "odometry: a jump is no movement");
	ok(near(odometer_motion(&o, &p).move.x, 2, 1e-12), "... is near");
	ok(odometer_move(&o, &(struct pose){ 501, -300, 0 }, 0),
	   "odometry: after a jump it goes on");
	ok(near(odometer_motion(&o, &p).move.x, 3, 1e-12), "... is near");
	ok(odometer_move(&o, &(struct pose){ 520, -300, 0 }, 10000000000),
	   "odometry: far, but in the time of an outage");
	ok(near(odometer_motion(&o, &p).move.x, 22, 1e-12), "... is near");
	ok_eq(odometer_move(&o, &(struct pose){ 580, -300, 0 }, 20000000000), 0,
	      "odometry: too far even then, and when time went back");
	ok_eq(odometer_move(&o, &(struct pose){ 480, -300, 0 }, 10000000000), 0,
	      "... odometer move");
	odometer_restart(&o);
	m = odometer_motion(&o, &p);
	ok_near(m.move.x, 0, 0, "odometry: again");
	ok_near(m.slip, p.slip, 0, "... slip");
	ok_near(m.turn, p.slip_turn, 0, "... turn");
}

/* How far the robot can have gone, and what it costs to be further away */
static void test_reach(void)
{
	struct slam_params p = slam_defaults;
	struct odometer o = { .params = &p };
	const struct pose from = { 3, 4, 1 };
	struct prior prior;
	struct motion m;

	odometer_move(&o, &(struct pose){ 0, 0, 0 }, 0);
	odometer_move(&o, &(struct pose){ 0.1, 0, 0 }, 10000000);
	m = odometer_motion(&o, &p);
	ok(near(m.reach, 0.2 * p.speed, 1e-12),
	   "reach: stamps that are close to each other are not believed");
	odometer_move(&o, &(struct pose){ 0.2, 0, 0 }, 400000000);
	odometer_move(&o, &(struct pose){ 0.3, 0, 0 }, 300000000);
	odometer_move(&o, &(struct pose){ 0.4, 0, 0 }, 1000000000);
	m = odometer_motion(&o, &p);
	ok(near(m.reach, 1.1 * p.speed, 1e-12),
	   "reach: the times of all steps, but none that goes back");
	prior = motion_prior(&m, &from, p.wall);
	prior.at = from;
	prior.place = 1e3;
	ok_near(prior_cost(&prior, &(struct pose){ 3 + 1.1 * p.speed, 4, 1 }), 0, 0,
	      "reach: up to there all is as likely, and not 3 %% behind");
	ok_range(prior_cost(&prior, &(struct pose){ 3, 4 - 1.13 * p.speed, 1 }),
		 0.3, INFINITY, "... prior cost");
	ok_near(prior_cost(&(struct prior){ .at = from, .place = 1e3, .turn = 1 },
			 &(struct pose){ 90, 4, 1 }),
	      0, 0, "reach: none of a seek, and none without a wall");
	ok_near(motion_prior(&m, &from, 0).reach, 0, 0, "... reach");
	m.move.x = 7;
	ok(motion_prior(&m, &from, p.wall).reach == 7,
	   "reach: as far as odometry says that is believed");
	odometer_restart(&o);
	ok(near(odometer_motion(&o, &p).reach, 0.2 * p.speed, 1e-12),
	   "reach: again");
}

static void test_motion_draw(void)
{
	const struct motion m = {
		.move = { 1, 0, 0.5 }, .slip = 0.1, .turn = 0.02,
	};
	const struct pose from = { 3, 4, M_PI / 2 };
	struct random r = random_of(1, 1, 1);
	double x = 0, y = 0, yaw = 0, xx = 0, yawyaw = 0;
	const int n = 20000;

	for (int i = 0; i < n; i++) {
		const struct pose p = motion_draw(&m, &from, &r);

		x += p.x / n;
		y += p.y / n;
		yaw += p.yaw / n;
		xx += (p.x - 3) * (p.x - 3) / n;
		yawyaw += pow(p.yaw - M_PI / 2 - 0.5, 2) / n;
	}
	ok(near(x, 3, 0.005), "motion: where it leads to");
	ok(near(y, 5, 0.005), "... is near");
	ok(near(yaw, M_PI / 2 + 0.5, 0.002), "... is near");
	ok(near(sqrt(xx), 0.1, 0.005),
	   "motion: as uncertain as it is said to be");
	ok(near(sqrt(yawyaw), 0.02, 0.001), "... is near");
}

/*
 * Weights
 */

static void test_normalise(void)
{
	double log_weight[100] = { 0 }, w[100], sum = 0;

	ok(near(weights_normalise(log_weight, w, 100), 100, 1e-9),
	   "weights: all equal");
	ok(near(w[42], 0.01, 1e-15), "... is near");
	for (int i = 0; i < 100; i++)
		log_weight[i] = -1e6;
	log_weight[7] = -1e6 + 1000;
	ok(near(weights_normalise(log_weight, w, 100), 1, 1e-9),
	   "weights: one has all, far from 0");
	ok_near(w[7], 1, 0, "... w");
	log_weight[7] = log_weight[8] = 1e8;
	ok(near(weights_normalise(log_weight, w, 100), 2, 1e-9),
	   "weights: two have all");
	log_weight[0] = log(3);
	log_weight[1] = 0;
	ok(near(weights_normalise(log_weight, w, 2), 1.6, 1e-12),
	   "weights: three to one");
	ok(near(w[0], 0.75, 1e-12), "... is near");
	ok_near(weights_normalise(log_weight, w, 1), 1, 0, "weights: one particle");
	ok_near(w[0], 1, 0, "... w");
	for (int i = 0; i < 100; i++)
		log_weight[i] = sin(i) * 3;
	weights_normalise(log_weight, w, 100);
	for (int i = 0; i < 100; i++)
		sum += w[i];
	ok(near(sum, 1, 1e-12), "weights: add up to 1");
}

/* Whether each has as many children as its weight says, and keeps its place */
static bool good_children(const double *w, uint32_t count, uint32_t draws,
			  const uint32_t *parent)
{
	uint32_t children[200] = { 0 };

	for (uint32_t i = 0; i < draws; i++) {
		if (parent[i] >= count)
			return false;
		children[parent[i]]++;
	}
	for (uint32_t i = 0; i < count; i++) {
		const double n = draws * w[i];

		if (children[i] + 1e-9 < floor(n - 1e-9) ||
		    children[i] - 1e-9 > ceil(n + 1e-9))
			return false;
		if (children[i] && i < draws && parent[i] != i)
			return false;
	}
	return true;
}

static void test_resample(void)
{
	static const double at[] = { 0, 1e-12, 0.5, 1 - 0x1p-53 };
	uint64_t state = 3;
	uint32_t parent[200];
	bool good = true;

	for (int k = 0; k < 3000 && good; k++) {
		const uint32_t count = 1 + rnd(&state, 120);
		const uint32_t draws = k & 1 ? count : 1 + rnd(&state, 200);
		double w[200], sum = 0;

		for (uint32_t i = 0; i < count; i++)
			sum += w[i] = pow(rnd_signed(&state), 8);
		for (uint32_t i = 0; i < count; i++)
			w[i] /= sum;
		good = !weights_resample(w, count, draws, k < 40 ? at[k % 4] :
			(double)rnd(&state, 1 << 30) * 0x1p-30, parent) &&
			good_children(w, count, draws, parent);
	}
	ok(good, "resampling: as many children as the weights say; who has "
	   "some stays where it was");
	weights_resample((double[]){ 0, 0, 1, 0 }, 4, 2, 0.3, parent);
	ok_eq(parent[0], 2, "resampling: one has all, and its number is gone");
	ok_eq(parent[1], 2, "... parent");
}

static uint32_t needed(unsigned int bins, unsigned int each, double bound,
		       uint32_t most)
{
	struct slam_params p = slam_defaults;
	struct pose pose[1000];
	uint32_t count = 0;

	p.kld_error = bound;
	for (unsigned int i = 0; i < bins; i++)
		for (unsigned int k = 0; k < each; k++)
			pose[count++] = (struct pose){
				(i % 20 - 10.0 + 0.5) * p.kld_bin,
				(i / 20 % 10 + 0.3) * p.kld_bin,
				(0.2 - i / 200) * p.kld_turn };
	return weights_needed(pose, count, most, &p);
}

static void test_kld(void)
{
	/* Wilson and Hilferty's chi square / 2 bound */
	const double k = 99, a = 2 / (9 * k);
	const uint32_t want = (uint32_t)ceil(k / (2 * 0.05) *
		pow(1 - a + sqrt(a) * 2.3263, 3));
	const uint32_t got = needed(100, 3, 0.05, 60000);

	ok(abs((int)(got - want)) <= 1, "KLD: 100 bins: %u", got);
	ok(needed(100, 9, 0.05, 60000) == got, "KLD: bins count, not poses");
	ok_range(needed(200, 3, 0.05, 60000), got, INFINITY,
		 "KLD: more bins, more particles");
	ok_range(needed(300, 3, 0.05, 60000), needed(200, 3, 0.05, 60000),
		 INFINITY, "... needed");
	ok_range(needed(100, 3, 0.1, 60000), -INFINITY, got, "... needed");
	ok(needed(100, 3, 0.05, 500) == 500, "KLD: not more than there may be");
	ok(needed(1, 50, 0.05, 60000) == slam_defaults.particles_min,
	   "KLD: all in one bin");
}

/*
 * Ancestors
 */

static void test_ancestry(void)
{
	struct trajectory_tree *a = trajectory_tree_create();
	struct trajectory_step step = { .number = 1 };
	trajectory_tree_id x, y, z;

	x = trajectory_tree_add(a, 0, &step);
	step.number = 2;
	y = trajectory_tree_add(a, x, &step);
	step.number = 3;
	z = trajectory_tree_add(a, x, &step);
	ok_eq(trajectory_tree_depth(a, 0), 0, "ancestors: a small tree");
	ok_eq(trajectory_tree_depth(a, x), 1, "... trajectory tree depth");
	ok_eq(trajectory_tree_depth(a, z), 2, "... trajectory tree depth");
	ok_eq(trajectory_tree_parent(a, y), x, "... trajectory tree parent");
	ok_eq(trajectory_tree_parent(a, x), 0, "... trajectory tree parent");
	ok_eq(trajectory_tree_at(a, z)->number, 3, "... number");
	ok_eq(trajectory_tree_nodes(a), 3, "... trajectory tree nodes");
	trajectory_tree_release(a, x);
	ok(trajectory_tree_nodes(a) == 3, "ancestors: children keep them");
	trajectory_tree_hold(a, y);
	trajectory_tree_release(a, y);
	ok(trajectory_tree_nodes(a) == 3, "ancestors: held twice");
	trajectory_tree_release(a, y);
	ok_eq(trajectory_tree_nodes(a), 2, "ancestors: one branch is gone");
	ok_eq(trajectory_tree_parent(a, z), x, "... trajectory tree parent");
	trajectory_tree_release(a, z);
	trajectory_tree_hold(a, 0);
	trajectory_tree_release(a, 0);
	ok(trajectory_tree_nodes(a) == 0, "ancestors: all are gone");
	trajectory_tree_destroy(a);
	trajectory_tree_destroy(NULL);
}

/* Two of eight have descendants at each step */
static void test_pruning(void)
{
	enum { N = 8, STEPS = 20000 };
	struct trajectory_tree *a = trajectory_tree_create();
	trajectory_tree_id id[N] = { 0 }, next[N], at;
	struct trajectory_step step = { .number = 0 };
	uint64_t state = 4, update = STEPS;
	uint32_t most = 0, last = 0;

	for (uint64_t k = 0; k < STEPS; k++) {
		const uint32_t one = rnd(&state, N), two = rnd(&state, N);

		for (uint32_t i = 0; i < N; i++) {
			step.update = k;
			step.number = i;
			next[i] = trajectory_tree_add(a, id[i & 1 ? one : two],
						      &step);
			last = next[i] > last ? next[i] : last;
		}
		for (int i = 0; i < N; i++)
			trajectory_tree_release(a, id[i]);
		memcpy(id, next, sizeof(id));
		if (trajectory_tree_nodes(a) > k + most)
			most = trajectory_tree_nodes(a) - (uint32_t)k;
	}
	ok_range(most, -INFINITY, 6 * N,
		 "ancestors: %u more than steps at most", most);
	ok_range(last, -INFINITY, STEPS + 6 * N, "... last");
	ok_eq(trajectory_tree_depth(a, id[3]), STEPS,
	      "... trajectory tree depth");
	for (at = id[5]; at && trajectory_tree_at(a, at)->update == --update;)
		at = trajectory_tree_parent(a, at);
	ok_eq(at, 0, "ancestors: each step back to the first");
	ok_eq(update, 0, "... update");
	for (int i = 0; i < N; i++)
		trajectory_tree_release(a, id[i]);
	ok(trajectory_tree_nodes(a) == 0, "ancestors: nothing is left");
	trajectory_tree_destroy(a);
}

/*
 * Threads
 */

struct jobs {
	_Atomic uint32_t	done[1000], bad;
	unsigned int		threads;
};

static void do_job(void *arg, uint32_t number, unsigned int thread)
{
	struct jobs *j = arg;

	if (thread >= j->threads || number >= 1000)
		j->bad++;
	else
		j->done[number]++;
}

static void test_thread_pool(unsigned int threads)
{
	static struct jobs jobs;
	struct thread_pool *c = thread_pool_create(threads);
	uint32_t want = 0, count = 0;
	bool good = c && thread_pool_threads(c) == threads;

	memset(&jobs, 0, sizeof(jobs));
	jobs.threads = threads;
	for (int round = 0; round < 3000 && good; round++) {
		count = round % 100 ? (uint32_t)round % 7 : 1000;
		thread_pool_run(c, count, do_job, &jobs);
		want += round % 100 == 0;
	}
	/* all but the first few are in the large rounds only */
	for (int i = 7; i < 1000; i++)
		good = good && jobs.done[i] == want;
	ok(good, "thread pool: %u threads, each job once", threads);
	ok_eq(jobs.bad, 0, "... bad");
	ok_range(jobs.done[0], want, INFINITY, "... done");
	ok_eq(jobs.done[6], want, "... done");
	thread_pool_destroy(c);
}

static void test_thread_pools(void)
{
	struct thread_pool *c = thread_pool_create(0);

	ok(c, "thread pool: one for each processor");
	ok_range(thread_pool_threads(c), 1, INFINITY,
		 "... thread pool threads");
	thread_pool_destroy(c);
	thread_pool_destroy(NULL);
	c = thread_pool_create(1);
	ok(thread_pool_cpu(c) == 0, "thread pool: nothing was done");
	thread_pool_destroy(c);
	test_thread_pool(1);
	test_thread_pool(2);
	test_thread_pool(7);
}

/*
 * Parameters
 */

static bool refused(struct slam_params p, const char *what)
{
	struct error error = { "" };

	return slam_params_check(&p, &error) == -EINVAL &&
		strstr(error.text, what) && !strchr(error.text, '\n');
}

static void test_params(void)
{
	struct error error = { "" };
	struct slam_params p = slam_defaults;

	ok_eq(slam_params_check(&p, &error), 0, "parameters: defaults");
	ok_eq(*error.text, 0, "... error");
	p.sharpness = p.range_max = p.distance = p.angle = p.resample = 0;
	ok(!slam_params_check(&p, &error), "parameters: zeros that may be");
#define REFUSED(field, value) do {					\
	p = slam_defaults;						\
	p.field = value;						\
	ok(refused(p, ""), "parameters: " #field " " #value);		\
} while (0)
	REFUSED(particles, 0);
	REFUSED(particles, SLAM_PARTICLES_MAX + 1);
	REFUSED(particles_min, 0);
	REFUSED(particles_min, 31);
	REFUSED(matcher, SLAM_MATCHERS);
	REFUSED(refinements, 0);
	REFUSED(refinements, 21);
	REFUSED(resolution, NAN);
	REFUSED(resolution, 0);
	REFUSED(resolution, 1.01);
	REFUSED(sigma, INFINITY);
	REFUSED(step, -0.1);
	REFUSED(gain, 0);
	REFUSED(resample, 1.1);
	REFUSED(distance, -1e-9);
	REFUSED(kld_bin, 0);
	REFUSED(slip, NAN);
	p = slam_defaults;
	p.resolution = 2;
	ok(refused(p, "resolution"), "parameters: the error names it");
}

/*
 * Journeys
 */

static void put(struct scan_trajectory *j, int64_t stamp, double x,
		bool scanned, uint64_t update, const struct pose *since)
{
	const struct reading r = { .stamp = stamp, .odometry = { x, 0, 0 },
				   .beams = scanned };
	const struct filter_result f = { .update = update, .since = *since };

	if (scan_trajectory_add(j, &r, &f))
		abort();
}

static bool is_at(const struct trajectory *t, uint32_t i, double x, double y,
		  double yaw)
{
	return pose_distance(&t->point[i].pose, &(struct pose){ x, y, yaw },
			     1) < 1e-9;
}

static void test_scan_trajectory(void)
{
	static const struct pose here = { 0, 0, 0 }, on = { 0.5, 0, 0.1 };
	static const struct pose history[] = { { 10, 0, 0 }, { 15, 2, 0.2 } };
	const double x = 15 + 0.5 * cos(0.2), y = 2 + 0.5 * sin(0.2);
	struct scan_trajectory j = { 0 };
	struct trajectory t = { 0 };

	ok(scan_trajectory_get(&j, history, 2, &t) == -ENODATA,
	   "scan trajectory: nothing");
	put(&j, 1, -1, false, 0, &here);
	ok(scan_trajectory_get(&j, history, 2, &t) == -ENODATA,
	   "scan trajectory: no scan");
	trajectory_free(&t);
	put(&j, 2, 0, true, 0, &here);
	put(&j, 3, 1, false, 0, &on);
	put(&j, 4, 2, false, 0, &on);
	put(&j, 4, 2, false, 0, &on);
	put(&j, 3, 4, true, 1, &here);
	put(&j, 9, 5, true, 1, &on);
	put(&j, 8, 7, false, 1, &here);
	ok_eq(scan_trajectory_get(&j, history, 2, &t), 0,
	      "scan trajectory: each reading, in the order of the log");
	ok_eq(t.count, 8, "... count");
	ok_eq(t.point[4].stamp, 4, "... stamp");
	ok_eq(t.point[5].stamp, 3, "... stamp");
	ok_eq(t.point[7].stamp, 8, "... stamp");
	ok(is_at(&t, 0, 9, 0, 0),
	   "scan trajectory: odometry before the first scan");
	ok(is_at(&t, 1, 10, 0, 0),
	   "scan trajectory: updates are where the history has them");
	ok(is_at(&t, 5, 15, 2, 0.2), "... is at");
	ok(is_at(&t, 2, 11.25, 0.5, 0.05),
	   "scan trajectory: what is off is spread");
	ok(is_at(&t, 3, 12.5, 1, 0.1), "... is at");
	ok(is_at(&t, 4, 12.5, 1, 0.1), "... is at");
	ok(is_at(&t, 6, x, y, 0.3), "scan trajectory: a scan in between");
	ok(is_at(&t, 7, x + 2 * cos(0.3), y + 2 * sin(0.3), 0.3),
	   "scan trajectory: odometry after the last scan");
	trajectory_free(&t);
	ok_eq(scan_trajectory_get(&j, history, 1, &t), 0,
	      "scan trajectory: a history that does not reach so far");
	ok(is_at(&t, 1, 10, 0, 0), "... is at");
	ok(is_at(&t, 7, 17, 0, 0), "... is at");
	trajectory_free(&t);
	scan_trajectory_free(&j);
}

static void test_scan_trajectory_rest(void)
{
	static const struct pose here = { 0, 0, 0 };
	static const struct pose history[] = { { 1, 1, 3 }, { 1, 1.5, -3 } };
	struct scan_trajectory j = { 0 };
	struct trajectory t = { 0 };

	put(&j, 1, 4, true, 0, &here);
	put(&j, 2, 4, false, 0, &here);
	put(&j, 3, 4, true, 1, &here);
	ok_eq(scan_trajectory_get(&j, history, 2, &t), 0,
	      "scan trajectory: nothing to spread over where nothing moves");
	ok(is_at(&t, 1, 1, 1, 3), "... is at");
	trajectory_free(&t);
	put(&j, 4, 6, false, 1, &here);
	put(&j, 5, 8, true, 0, &here);
	ok_eq(scan_trajectory_get(&j, history, 2, &t), 0,
	      "scan trajectory: an update again");
	ok_eq(t.count, 5, "... count");
	ok(is_at(&t, 4, 1, 1, 3), "... is at");
	trajectory_free(&t);
	scan_trajectory_free(&j);
}

/* The array of particles may move while one is copied */
static void test_copies(void)
{
	struct particles *p = particles_create(&slam_defaults, 1);
	const struct pose pose = { 1, 2, 0.5 };
	struct pose last;
	int err = particles_add(p, 0, &pose);

	for (uint32_t i = 1; i < 1000 && !err; i++)
		err = particles_copy(p, i, i - 1);
	ok_eq(err, 0, "copies of copies of a particle");
	last = particles_pose(p, 999);
	ok_mem(&last, &pose, sizeof(pose), "... are where it is");
	particles_destroy(p);
}

int main(void)
{
	test_exact();
	test_exact_poses();
	test_philox();
	test_random_order();
	test_random_moments();
	test_odometer();
	test_reach();
	test_motion_draw();
	test_normalise();
	test_resample();
	test_kld();
	test_ancestry();
	test_pruning();
	test_thread_pools();
	test_params();
	test_copies();
	test_scan_trajectory();
	test_scan_trajectory_rest();
	return tap_done();
}
