// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_relations - trajectories and their files, odometry between key poses,
 * and what relations say of a trajectory
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include "base/error.h"
#include "folder.h"
#include "slam/output/relations.h"
#include "tap.h"

#define SECOND	INT64_C(1000000000)

static struct error error;

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-6;
}

static bool same_pose(const struct pose *a, const struct pose *b, double most)
{
	return pose_distance(a, b, 1) <= most;
}

static const char *put(const char *text)
{
	const char *path = in_folder("text");
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f))
		abort();
	return path;
}

/* A curve with turns through pi, and a pose each 100 ms */
static struct pose curve(int64_t stamp)
{
	const double t = stamp * 1e-9;

	return (struct pose){ 3 * sin(t / 5) * t / 7, t / 3,
			      remainder(2.5 * sin(t / 4) + t, 2 * M_PI) };
}

static struct trajectory make_curve(int64_t from, int64_t to, int64_t step)
{
	struct trajectory t = { 0 };

	for (int64_t at = from; at <= to; at += step) {
		const struct pose p = curve(at);

		if (trajectory_add(&t, at, &p))
			abort();
	}
	return t;
}

/*
 * Trajectories
 */

static void test_at(void)
{
	struct trajectory t = { 0 };
	const struct pose a = { 0, 0, 3 }, b = { 2, -4, -3 };
	struct pose p;

	ok(!trajectory_at(&t, 0, SECOND, &p), "at: nothing in it");
	trajectory_add(&t, 10 * SECOND, &a);
	trajectory_add(&t, 12 * SECOND, &b);
	trajectory_add(&t, 12 * SECOND, &a);
	ok(trajectory_at(&t, 10 * SECOND + SECOND / 2, 0, &p),
	   "at: in between, through pi");
	ok(near(p.x, 0.5), "... is near");
	ok(near(p.y, -1), "... is near");
	ok(near(p.yaw, 3 + (2 * M_PI - 6) / 4), "... is near");
	ok(trajectory_at(&t, 12 * SECOND, 0, &p),
	   "at: the first of two of one time");
	ok_near(p.x, 2, 0, "... x");
	ok(trajectory_at(&t, 10 * SECOND - 5, 5, &p), "at: the ends");
	ok_near(p.yaw, 3, 0, "... yaw");
	ok_eq(trajectory_at(&t, 10 * SECOND - 6, 5, &p), 0,
	      "... trajectory at");
	ok(trajectory_at(&t, 12 * SECOND + 5, 5, &p), "... trajectory at");
	ok_eq(trajectory_at(&t, 12 * SECOND + 6, 5, &p), 0,
	      "... trajectory at");
	trajectory_free(&t);
}

static void test_sort(void)
{
	struct trajectory t = { 0 };
	uint64_t rng = 3;
	bool good = true;

	for (int i = 0; i < 3000; i++) {
		const struct pose p = { i, 0, 0 };

		trajectory_add(&t, rnd(&rng, 500), &p);
	}
	good = !trajectory_sort(&t);
	for (uint32_t i = 1; i < t.count; i++) {
		const struct trajectory_point *p = &t.point[i];

		good &= p->stamp > p[-1].stamp ||
			(p->stamp == p[-1].stamp && p->pose.x > p[-1].pose.x);
	}
	ok(good, "sort: by time, and else as it was");
	ok_eq(t.count, 3000, "... count");
	trajectory_free(&t);
}

static void test_file(void)
{
	const int64_t from = INT64_C(1700000000123456789);
	struct trajectory t = make_curve(0, 300 * SECOND, SECOND / 10), back;
	const char *path = in_folder("t.tum");
	bool good;

	for (uint32_t i = 0; i < t.count; i++)
		t.point[i].stamp += from;
	good = !trajectory_write(&t, path, &error) &&
	       !trajectory_read(&back, path, &error) && back.count == t.count;
	ok(good, "file: written and read");
	for (uint32_t i = 0; i < t.count && good; i++)
		good = back.point[i].stamp == t.point[i].stamp &&
		       same_pose(&back.point[i].pose, &t.point[i].pose, 4e-9);
	ok(good, "file: times exact, poses to nanometres");
	trajectory_free(&back);
	ok_eq(trajectory_write(&t, "/no/such/folder/t", &error), -ENOENT,
	      "file: %s", error.text);
	ok(!strchr(error.text, '\n'), "... error is one line");
	trajectory_free(&t);
	good = !trajectory_read(&back, put(
		"# a comment\n\n 5.5 1 2 3 0 0 1 0 \r\n"
		"4.5\t1 2 3 0 0 0.6 0.8\n4 1 2 3 0.5 0.5 0.5 0.5"), &error);
	ok(good, "file: as others write it");
	ok_eq(back.count, 3, "... count");
	ok_eq(back.point[0].stamp, 4 * SECOND, "... stamp");
	ok(near(back.point[0].pose.yaw, M_PI_2), "... is near");
	ok(near(fabs(back.point[2].pose.yaw), M_PI), "... is near");
	ok(near(back.point[1].pose.yaw, 2 * asin(0.6)), "... is near");
	trajectory_free(&back);
}

static void test_bad_files(void)
{
	static const char *const bad[] = {
		"1 2 3 0 0 0 1\n", "1 2 3 4 0 0 0 1 7\n", "1 2 3 4 0 0 0 0\n",
		"x 2 3 4 0 0 0 1\n", "1 nan 3 4 0 0 0 1\n",
		"1 2e6 3 4 0 0 0 1\n", "-1 2 3 4 0 0 0 1\n",
		"1 2 3 4 0 0 0 9\n", "1 2 3 4 0 0 0 inf\n", "\x7f\x45LF\n",
	};
	struct trajectory t;
	struct relations r;
	char text[256];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(text, sizeof(text), "1 2 3 4 0 0 0 1\n\n%s", bad[i]);
		ok_eq(trajectory_read(&t, put(text), &error), -EINVAL,
		      "bad trajectory %zu", i);
		ok(!t.point, "... point");
		ok(strstr(error.text, ":3: is not stamp"), "... error says it");
		ok(!strchr(error.text, '\n'), "... error is one line");
	}
	ok_eq(trajectory_read(&t, put("# none\n"), &error), -ENODATA,
	      "no poses");
	ok(strstr(error.text, ": no poses"), "... error says it");
	ok_eq(relations_read(&r, put("\n"), &error), -ENODATA, "no relations");
	ok(!r.relation, "... relation");
	ok(strstr(error.text, ": no relations"), "... error says it");
	ok_eq(relations_read(&r, put("1 2 3 4 0 0 0\n"), &error), -EINVAL,
	      "bad relation");
	ok(strstr(error.text, ":1: is not t1 t2"), "... error says it");
	ok_eq(relations_read(&r, folder, &error), -EISDIR,
	      "no such file, or a folder");
	ok_eq(trajectory_read(&t, in_folder("none"), &error), -ENOENT,
	      "... trajectory read");
}

/* What was there before stays when the disk is full */
static void test_full(void)
{
	const struct rlimit small = { 20000, RLIM_INFINITY };
	struct trajectory t = make_curve(0, 300 * SECOND, SECOND / 10), old;
	const char *path = in_folder("old.tum");
	struct trajectory few = make_curve(0, SECOND, SECOND / 10);
	struct rlimit was;
	int err;

	if (trajectory_write(&few, path, &error))
		abort();
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &was);
	setrlimit(RLIMIT_FSIZE, &small);
	err = trajectory_write(&t, path, &error);
	setrlimit(RLIMIT_FSIZE, &was);
	ok_eq(err, -EFBIG, "full: an error line");
	ok(strstr(error.text, "old.tum: "), "... error says it");
	ok(!strchr(error.text, '\n'), "... error is one line");
	ok_eq(trajectory_read(&old, path, &error), 0,
	      "full: the old one is still there");
	ok_eq(old.count, few.count, "... count");
	trajectory_free(&old);
	trajectory_free(&few);
	trajectory_free(&t);
}

/*
 * Odometry between keys
 */

/* The curve as wheels with another radius and a bias have it */
static struct trajectory make_odometry(int64_t from, int64_t to, double scale,
				       double bias)
{
	struct pose was = curve(from), at = { 100, -50, 2 };
	struct trajectory t = { 0 };

	for (int64_t stamp = from; stamp <= to; stamp += SECOND / 10) {
		const struct pose now = curve(stamp);
		struct pose way = pose_between(&was, &now);

		way.x *= scale;
		way.y *= scale;
		way.yaw += bias;
		at = pose_compose(&at, &way);
		was = now;
		trajectory_add(&t, stamp, &at);
	}
	return t;
}

static double worst(const struct trajectory *t)
{
	double most = 0;

	for (uint32_t i = 0; i < t->count; i++) {
		const struct pose p = curve(t->point[i].stamp);

		most = fmax(most, pose_distance(&p, &t->point[i].pose, 1));
	}
	return most;
}

static void test_fill(void)
{
	struct trajectory keys = make_curve(5 * SECOND, 95 * SECOND,
					    3 * SECOND);
	struct trajectory exact = make_odometry(0, 100 * SECOND, 1, 0);
	struct trajectory rough = make_odometry(0, 100 * SECOND, 1.03, 1e-3);
	struct trajectory all = make_curve(0, 100 * SECOND, 2 * SECOND);
	struct trajectory late = make_odometry(50 * SECOND, 100 * SECOND, 1, 0);
	struct trajectory none = { 0 }, spread = { 0 }, near_key = { 0 };

	ok_eq(trajectory_fill(&keys, &exact, true, &spread), 0,
	      "fill: odometry without errors");
	ok_eq(spread.count, exact.count, "... count");
	ok_range(worst(&spread), -INFINITY, 1e-9, "... worst");
	trajectory_free(&spread);
	ok_eq(trajectory_fill(&keys, &exact, false, &near_key), 0,
	      "fill: and from the nearest key");
	ok_eq(near_key.count, exact.count, "... count");
	ok_range(worst(&near_key), -INFINITY, 1e-9, "... worst");
	trajectory_free(&near_key);
	if (trajectory_fill(&all, &rough, true, &spread) ||
	    trajectory_fill(&all, &rough, false, &near_key))
		abort();
	ok_range(worst(&spread), -INFINITY, worst(&near_key),
		 "fill: with errors (%.3f, %.3f m)", worst(&spread),
		 worst(&near_key));
	ok_range(worst(&near_key), -INFINITY, 0.5, "... worst");
	ok_range(worst(&rough), 11, INFINITY, "... worst");
	ok_eq(trajectory_fill(&keys, &late, true, &none), -ENODATA,
	      "fill: odometry of another time, or none");
	ok_eq(trajectory_fill(&none, &rough, true, &none), -ENODATA,
	      "... trajectory fill");
	ok_eq(trajectory_fill(&keys, &none, true, &none), -ENODATA,
	      "... trajectory fill");
	ok(!none.point, "... point");
	trajectory_free(&spread);
	trajectory_free(&near_key);
	trajectory_free(&all);
	trajectory_free(&keys);
	trajectory_free(&exact);
	trajectory_free(&rough);
	trajectory_free(&late);
}

/*
 * Relations
 */

static void test_exact(void)
{
	struct trajectory t = make_curve(0, 100 * SECOND, SECOND / 10);
	const struct pose moved = { 40, -7, 2.2 };
	struct relations_result v;
	struct relations r = { 0 };
	struct relation all[50];

	for (int i = 0; i < 50; i++) {
		struct pose a = curve(i * SECOND);
		struct pose b = curve((99 - i) * SECOND);

		all[i] = (struct relation){ i * SECOND, (99 - i) * SECOND,
					    pose_between(&a, &b) };
	}
	r.relation = all;
	r.count = 50;
	/* where the map begins does not matter */
	for (uint32_t i = 0; i < t.count; i++)
		t.point[i].pose = pose_compose(&moved, &t.point[i].pose);
	relations_evaluate(&r, &t, 0, NULL, &v);
	ok_eq(v.used, 50, "relations: no error, none found");
	ok_eq(v.left_out, 0, "... left out");
	ok_range(v.translation_mean, -INFINITY, 1e-9, "... translation mean");
	ok_range(v.translation_std, -INFINITY, 1e-9, "... translation std");
	ok_range(v.rotation_mean, -INFINITY, 1e-9, "... rotation mean");
	trajectory_free(&t);
}

static void test_errors(void)
{
	/* straight on along x, 1 m/s */
	const struct pose begin = { 0, 0, 0 }, end = { 10, 0, 0 };
	struct relation_error errors[4];
	struct relations_result v;
	struct trajectory t = { 0 };
	struct relations r;

	trajectory_add(&t, 0, &begin);
	trajectory_add(&t, 10 * SECOND, &end);
	if (relations_read(&r, put("1 2 1.3 0.4 9 9 9 0.1\n"
				   "2.000000001 4.000000001 2 -0.1 0 0 0 -0.3\n"
				   "3 12 1 1 0 0 0 0\n"
				   "9.95 10.05 0.05 0 0 0 0 0\n"), &error))
		abort();
	relations_evaluate(&r, &t, SECOND / 10, errors, &v);
	ok_eq(v.used, 3, "relations: one of a time that is not covered");
	ok_eq(v.left_out, 1, "... left out");
	ok_eq(errors[2].used, 0, "... used");
	ok(near(errors[0].translation, 0.5), "relations: errors of each");
	ok(near(errors[0].rotation, 0.1), "... is near");
	ok(near(errors[1].translation, 0.1), "... is near");
	ok(near(errors[1].rotation, 0.3), "... is near");
	ok(near(errors[3].translation, 0), "... is near");
	ok(near(v.translation_mean, 0.2), "relations: mean and deviation");
	ok(near(v.translation_std, sqrt((0.09 + 0.01 + 0.04) / 3)), "... is near");
	ok(near(v.rotation_mean, 0.4 / 3), "... is near");
	ok(near(v.rotation_std, sqrt(0.1 / 3 - 0.16 / 9)), "... is near");
	relations_evaluate(&r, &t, 0, NULL, &v);
	ok(v.used == 2, "relations: reach");
	t.count = 0;
	relations_evaluate(&r, &t, 0, NULL, &v);
	ok_eq(v.used, 0, "relations: none used");
	ok_eq(v.left_out, 4, "... left out");
	ok_near(v.translation_mean, 0, 0, "... translation mean");
	ok_near(v.rotation_std, 0, 0, "... rotation std");
	relations_free(&r);
	trajectory_free(&t);
}

/* Both yaws near pi: the error is small */
static void test_turn(void)
{
	const struct pose a = { 0, 0, 3.1 }, b = { 0, 0, -0.05 };
	struct relation one = { 0, SECOND, { 0, 0, 3.12 } };
	const struct relations r = { .relation = &one, .count = 1 };
	struct relations_result v;
	struct trajectory t = { 0 };

	trajectory_add(&t, 0, &a);
	trajectory_add(&t, SECOND, &b);
	relations_evaluate(&r, &t, 0, NULL, &v);
	ok(near(v.rotation_mean, fabs(2 * M_PI - 3.15 - 3.12)),
	   "relations: half a turn");
	trajectory_free(&t);
}

int main(void)
{
	make_folder();
	test_at();
	test_sort();
	test_file();
	test_bad_files();
	test_full();
	test_fill();
	test_exact();
	test_errors();
	test_turn();
	remove_folder();
	return tap_done();
}
