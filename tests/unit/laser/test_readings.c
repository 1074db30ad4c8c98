// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_readings - logs that are text: what is written is read, what is damaged
 * is passed over and counted, and real ones hold what is known of them
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include "base/error.h"
#include "base/number.h"
#include "folder.h"
#include "laser/readings.h"
#include "tap.h"

#define REAL	"../shared/data/slam/"

static const double degree = M_PI / 180;
static struct error error;

/* What came out of a log */
struct seen {
	int			open, end;	/* of readings_...() */
	unsigned int		readings, scans, backwards_scans;
	struct readings_count	count;
	struct reading		first, last;	/* scans, not their ranges */
	float			begin[400], final[400];	/* their ranges */
	int64_t			stamp[64];
	double			x[64];
};

static void keep(struct seen *s, const struct reading *r)
{
	const size_t n = r->beams < 400 ? r->beams : 400;

	if (!r->beams)
		return;
	if (!s->scans) {
		s->first = *r;
		memcpy(s->begin, r->range, n * sizeof(float));
	} else {
		s->backwards_scans += r->stamp < s->last.stamp;
	}
	s->last = *r;
	memcpy(s->final, r->range, n * sizeof(float));
	s->scans++;
}

static struct seen *read_log(const char *path,
			     const struct readings_config *config)
{
	static struct seen s;
	struct readings *log;
	struct reading r;

	memset(&s, 0, sizeof(s));
	*error.text = '\0';
	s.open = readings_open(&log, path, config, &error);
	if (s.open)
		return &s;
	while ((s.end = readings_next(log, &r, &error)) == 1) {
		if (!reading_valid(&r))
			abort();
		if (s.readings < 64) {
			s.stamp[s.readings] = r.stamp;
			s.x[s.readings] = r.odometry.x;
		}
		s.readings++;
		keep(&s, &r);
	}
	readings_count(log, &s.count);
	readings_close(log);
	return &s;
}

static const char *put(const char *name, const void *text, size_t len)
{
	const char *path = in_folder(name);
	FILE *f = fopen(path, "w");

	if (!f || fwrite(text, 1, len, f) != len || fclose(f))
		abort();
	return path;
}

static struct seen *read_text(const char *text,
			      const struct readings_config *config)
{
	return read_log(put("log", text, strlen(text)), config);
}

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-6;
}

/*
 * Numbers
 */

static void test_numbers(void)
{
	static const char *const good[] = {
		"0", "-0", "1", "+1.5", ".5", "5.", "1e3", "1E-3", "81.83",
		"976052857.337557", "-1.5707963267948966", "1e22", "1e-22",
		"123456789012345678", "0.004908738521234052", "1e400",
		"1e-400", "4.9e-324", "1.7976931348623157e308", "000012",
		"0.000000000000000000000000000001234567890123456789",
		"99999999999999999999999999", "1e99999999999999999999", "INF",
		"-infinity", "NaN",
	};
	static const char *const bad[] = {
		"", " ", "-", ".", "e5", "1e", "1e+", "0x10", "1.2.3", "1-2",
		"nano", "in", "1;2", ",", "--1", "1\x01",
	};
	unsigned int right = 0, refused = 0;
	uint64_t rng = 1;
	char text[64];
	int off = 0;
	double v;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		const char *at = good[i];
		double want = strtod(at, NULL);

		right += number_read(&at, &v) && !*at &&
			 (v == want || (isnan(v) && isnan(want)) ||
			  fabs(v - want) <= fabs(want) * 3e-16);
	}
	ok(right == sizeof(good) / sizeof(good[0]), "numbers");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const char *at = bad[i];

		refused += !number_read(&at, &v) && at == bad[i];
	}
	ok(refused == sizeof(bad) / sizeof(bad[0]), "what is no number");
	for (int i = 0; i < 20000; i++) {
		const char *at = text;
		double want = ((double)rnd64(&rng) - 9e18) *
			      pow(10, (int)rnd(&rng, 40) - 36);

		snprintf(text, sizeof(text), "%.*g", 6 + i % 12, want);
		want = strtod(text, NULL);
		if (!number_read(&at, &v) || v != want)
			off++;
	}
	ok(off < 40, "as strtod() has them, but for %d in 20000", off);
}

static void test_stamps(void)
{
	static const struct {
		const char	*text;
		int64_t		ns;	/* -1: refused */
	} stamps[] = {
		{ "0", 0 }, { "-0.0", 0 }, { "1", 1000000000 },
		{ "976052857.337557", INT64_C(976052857337557000) },
		{ "1700000000.123456789", INT64_C(1700000000123456789) },
		{ "1.5e3", INT64_C(1500000000000) }, { "1e-9", 1 },
		{ "1e-10", 0 }, { "-1", -1 }, { "nan", -1 }, { "inf", -1 },
		{ "1e10", -1 }, { "1e300", -1 }, { "1e-300", 0 },
		{ "99999999999999999999", -1 }, { "4611686018.427387904",
		INT64_C(4611686018427387904) }, { "4611686018.5", -1 },
	};
	unsigned int right = 0;

	for (size_t i = 0; i < sizeof(stamps) / sizeof(stamps[0]); i++) {
		const char *at = stamps[i].text;
		int64_t ns = -1;

		if (!number_stamp(&at, 9, &ns))
			ns = -1;
		right += ns == stamps[i].ns;
		if (ns != stamps[i].ns)
			printf("# %s: %" PRId64 "\n", stamps[i].text, ns);
	}
	ok(right == sizeof(stamps) / sizeof(stamps[0]), "stamps are exact");
}

/*
 * CARMEN
 */

#define TAIL	" host 1.0\n"
#define SCAN	"FLASER 3 1 2.5 nan 1 2 0.5 1 2 0.5 10.25" TAIL

static void test_carmen(void)
{
	struct seen *s = read_text(
		"# message_name\nPARAM robot_use_laser on nohost 0\n"
		"SYNC start 0 host 0\n\n"
		"ODOM 1 2 0.5 0 0 0 10" TAIL
		"ODOM 1 2 0.5 0 0 0 10.25" TAIL SCAN
		"ODOM 1 2 0.5 0 0 0 10.25" TAIL
		"RLASER 3 7 7 7 1 2 0.5 1 2 0.5 10.3" TAIL
		"TRUEPOS 1 2 3 1 2 3 10" TAIL
		"ODOM 1.5 2 4 0 0 0 10.5" TAIL, NULL);

	ok_eq(s->open, 0, "carmen: readings (%u)", s->readings);
	ok_eq(s->end, 0, "... end");
	ok_eq(s->readings, 3, "... readings");
	ok_eq(s->scans, 1, "... scans");
	ok_eq(s->stamp[0], 10000000000, "carmen: their times");
	ok_eq(s->stamp[1], 10250000000, "... stamp");
	ok_eq(s->stamp[2], 10500000000, "... stamp");
	ok_near(s->first.odometry.x, 1, 0, "carmen: poses");
	ok_near(s->first.odometry.y, 2, 0, "... y");
	ok_near(s->first.odometry.yaw, 0.5, 0, "... yaw");
	ok_near(s->x[2], 1.5, 0, "... x");
	ok_eq(s->first.beams, 3, "carmen: ranges, also none");
	ok_near(s->begin[0], 1, 0, "... begin");
	ok_near(s->begin[1], 2.5, 0, "... begin");
	ok(isnan(s->begin[2]), "... begin is unknown");
	ok_range(s->first.range_max, 2.5f, 2.6f,
		 "carmen: the largest of few ranges is one");
	ok_eq(s->count.bad, 0, "carmen: counts");
	ok_eq(s->count.backwards, 0, "... backwards");
	ok_eq(s->count.bytes, s->count.size, "... bytes");
	ok_range(s->count.size, 301, INFINITY, "... size");
}

/* A FLASER of @n beams; ranges of @base and, every fifth, @most */
static size_t make_scan(char *text, unsigned int n, double base, double most)
{
	size_t len = sprintf(text, "FLASER %u", n);

	for (unsigned int i = 0; i < n; i++)
		len += sprintf(text + len, " %.3f",
			       i % 5 ? base + i * 0.01 : most);
	return len + sprintf(text + len, " 3 1.1 1.570796327 3 1 1.570796327 1.5"
			     TAIL);
}

static void test_angles(void)
{
	static const struct {
		unsigned int	beams;
		double		begin, step;	/* degrees */
		const char	*param;
	} lasers[] = {
		{ 180, -90, 1, "" }, { 181, -90, 1, "" }, { 360, -90, 0.5, "" },
		{ 361, -90, 0.5, "" }, { 91, -90, 2, "" }, { 1, -90, 180, "" },
		{ 181, -45, 0.5, "PARAM laser_front_laser_fov 90 h 0\n"
		  "PARAM laser_front_laser_resolution 0.5 h 0\n" },
		{ 180, -90, 1, "PARAM laser_front_laser_fov 100 h 0\n"
		  "PARAM laser_front_laser_resolution 0.25 h 0\n" },
		{ 720, -90, 0.25, "PARAM laser_front_laser_resolution 0.25 h 0\n" },
	};
	char text[16384];

	for (size_t i = 0; i < sizeof(lasers) / sizeof(lasers[0]); i++) {
		size_t n = sprintf(text, "%s", lasers[i].param);
		struct seen *s;

		make_scan(text + n, lasers[i].beams, 1, 2);
		s = read_text(text, NULL);
		ok_eq(s->scans, 1, "carmen: angles of %u beams%s",
		      lasers[i].beams, *lasers[i].param ? ", with PARAM" : "");
		ok_eq(s->first.beams, lasers[i].beams, "... beams");
		ok(near(s->first.angle_min, lasers[i].begin * degree),
		   "... is near");
		ok(near(s->first.angle_increment, lasers[i].step * degree),
		   "... is near");
	}
}

static void test_range_max(void)
{
	const struct readings_config config = { .range_max = 30 };
	static char text[200000];
	struct seen *s;
	size_t n = 0;

	for (int i = 0; i < 100; i++)
		n += make_scan(text + n, 180, 3 + i * 0.05, 81.83);
	s = read_text(text, NULL);
	ok_eq(s->scans, 100, "carmen: ranges of nothing are found (%g)",
	      s->first.range_max);
	ok_range(s->first.range_max, 81, 81.829, "... range max");
	ok(near(s->first.laser.x, 0.1), "carmen: place of the laser");
	s = read_text(text, &config);
	ok(s->last.range_max == 30, "carmen: or they are given");
	n = sprintf(text, "PARAM robot_front_laser_max 20.5 h 0\n"
		    "PARAM robot_frontlaser_offset -0.04 h 0\n");
	for (int i = 0; i < 100; i++)
		n += make_scan(text + n, 180, 3 + i * 0.05, 81.83);
	s = read_text(text, NULL);
	ok_near(s->last.range_max, 20.5f, 0, "carmen: PARAMs of the laser");
	ok(near(s->last.laser.x, -0.04), "... is near");
	n = 0;
	for (int i = 0; i < 100; i++)
		n += make_scan(text + n, 180, 3 + i * 0.05, 9 - i * 0.02);
	s = read_text(text, NULL);
	ok(s->first.range_max > 9.7, "carmen: no heap, all were hit (%g)",
	   s->first.range_max);
	n = 0;
	for (int i = 0; i < 100; i++)
		n += make_scan(text + n, 180, 3 + i * 0.05,
			       i % 3 ? 51.1 : 50.0);
	s = read_text(text, NULL);
	ok_range(s->first.range_max, 49.5, 49.999,
		 "carmen: two ranges of nothing, 51.1 and 50 m (%g)",
		 s->first.range_max);
	n = 0;
	for (int i = 0; i < 100; i++)
		n += make_scan(text + n, 180, 3 + i * 0.05,
			       i % 5 ? 51.1 : 49 + i * 0.01);
	s = read_text(text, NULL);
	ok_range(s->first.range_max, 50.5, 51.1f,
		 "carmen: walls just below them are walls (%g)",
		 s->first.range_max);
}

static void test_robotlaser(void)
{
	struct seen *s = read_text(
		"ROBOTLASER1 0 -1 2 0.5 40 0.01 0 4 1 2 3 50 2 9 9 "
		"1 2.2 1.5707963267948966 1 2 1.5707963267948966 "
		"0 0 0 0 0 7.5" TAIL, NULL);

	ok_eq(s->scans, 1, "robotlaser: the scan");
	ok_eq(s->first.stamp, 7500000000, "... stamp");
	ok(near(s->first.angle_min, -1), "... is near");
	ok(near(s->first.angle_increment, 0.5), "... is near");
	ok_near(s->first.range_max, 40, 0, "... range max");
	ok_near(s->begin[3], 50, 0, "... begin");
	ok(near(s->first.odometry.y, 2), "robotlaser: the laser on the robot");
	ok(near(s->first.laser.x, 0.2), "... is near");
	ok(near(s->first.laser.y, 0), "... is near");
	ok(near(s->first.laser.yaw, 0), "... is near");
}

static void test_bad_lines(void)
{
	static const char *const bad[] = {
		"FLASER -3 1 2 3 0 0 0 0 0 0 11" TAIL,
		"FLASER 3.5 1 2 3 0 0 0 0 0 0 11" TAIL,
		"FLASER 0 0 0 0 0 0 0 11" TAIL,
		"FLASER 999999999 1 2 3 0 0 0 0 0 0 11" TAIL,
		"FLASER nan 1 2 3 0 0 0 0 0 0 11" TAIL,
		"FLASER 12 1 2 3 0 0 0 0 0 0 11" TAIL,
		"FLASER 3 1 x 3 0 0 0 0 0 0 11" TAIL,
		"FLASER 3 1 2 3 0 0 0 nan 0 0 11" TAIL,
		"FLASER 3 1 2 3 0 0 0 0 0 inf 11" TAIL,
		"FLASER 3 1 2 3 0 0 0 2e6 0 0 11" TAIL,
		"FLASER 3 1 2 3 0 0 0 0 0 0 -11" TAIL,
		"FLASER 3 1 2 3 0 0 0 0 0 0 1e20" TAIL,
		"FLASER 3 1 2 3 0 0 0 0 0 0 nan" TAIL,
		"FLASER 3 1 2 3 0 0 0 0 0 0\n", "FLASER \n",
		"ODOM 1 2\n", "ODOM a b c 0 0 0 11" TAIL,
		"ODOM 1 2 inf 0 0 0 11" TAIL, "\x7f\x45\x4c\x46\x02\n",
		"flaser 3 1 2 3 0 0 0 0 0 0 11" TAIL,
		"PARAM robot_frontlaser_offset none host 0\n",
		"ROBOTLASER1 0 -1 2 0 40 0.01 0 2 1 2 0 0 0 0 0 0 0 0 0 0 0 0 7" TAIL,
		"ROBOTLASER1 0 -1 2 .5 0 0.01 0 2 1 2 0 0 0 0 0 0 0 0 0 0 0 0 7" TAIL,
		"ROBOTLASER1 0 99 2 .5 9 0.01 0 2 1 2 0 0 0 0 0 0 0 0 0 0 0 0 7" TAIL,
		"ROBOTLASER1 0 -1 2 .5 9 0.01 0 2 1 2 0 900 0 0 0 0 0 0 0 0 0 0 7" TAIL,
	};
	char text[1024];
	struct seen *s;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(text, sizeof(text), SCAN "%s" SCAN, bad[i]);
		s = read_text(text, NULL);
		ok_eq(s->open, 0, "bad line %zu is passed over", i);
		ok_eq(s->end, 0, "... end");
		ok_eq(s->readings, 2, "... readings");
		ok_eq(s->count.bad, 1, "... bad");
	}
}

static void test_lines(void)
{
	const size_t long_one = 3 << 20;
	char *text = malloc(long_one + 1000);
	struct seen *s;
	size_t n;

	s = read_text("FLASER 2 1 2 0 0 0 0 0 0 5 h 5\r\n"
		      "ODOM 1 2 0 0 0 0 6 h 6\r\n", NULL);
	ok_eq(s->readings, 2, "CR LF");
	ok_eq(s->count.bad, 0, "... bad");
	s = read_text(SCAN "ODOM 1 2 0 0 0 0 60", NULL);
	ok_eq(s->readings, 1, "half a line: its time may be half of one");
	ok_eq(s->count.bad, 1, "... bad");
	s = read_text(SCAN "ODOM 1 2 0 0 0 0 60 h 60", NULL);
	ok_eq(s->readings, 2, "no end of the last line");
	ok_eq(s->count.bad, 0, "... bad");
	n = sprintf(text, "%s", SCAN);
	memset(text + n, '1', long_one);
	n += long_one;
	n += sprintf(text + n, "\n%s", SCAN);
	s = read_log(put("long", text, n), NULL);
	ok_eq(s->readings, 2, "an endless line is passed over");
	ok_eq(s->count.bad, 1, "... bad");
	ok_eq(s->count.bytes, n, "... bytes");
	s = read_log(put("long", text, n - strlen(SCAN) - 1), NULL);
	ok_eq(s->readings, 1, "and one that never ends");
	ok_eq(s->count.bad, 1, "... bad");
	n = sprintf(text, "%sODOM 1 2", SCAN);
	memcpy(text + n, "\0 3 0 0 0 7 h 7\n", 16);
	s = read_log(put("nul", text, n + 16), NULL);
	ok_eq(s->readings, 1, "a 0 within a line");
	ok_eq(s->count.bad, 1, "... bad");
	free(text);
}

/*
 * The others
 */

static void test_simbad(void)
{
	struct seen *s = read_text("100,0.1,-1,1,0.5,1,2,3,5,6.5,NaN,0.05,7\n"
				   "100,0.1,-1,1,0.5,1,2,3,5,x\n\n"
				   "100,0.1,-1,1,0.5,1e9,2,3,5,6\n"
				   "10,0.1,-1,1,0.5,4,5,6,5,inf\r\n", NULL);

	ok_eq(s->open, 0, "simbad: lines");
	ok_eq(s->scans, 2, "... scans");
	ok_eq(s->count.bad, 2, "... bad");
	ok_eq(s->first.stamp, 200000000, "simbad: times");
	ok_eq(s->last.stamp, 800000000, "... stamp");
	ok_eq(s->first.beams, 5, "simbad: ranges");
	ok_near(s->begin[0], 5, 0, "... begin");
	ok(isnan(s->begin[2]), "... begin is unknown");
	ok_near(s->begin[3], 0, 0, "... begin");
	ok_near(s->begin[4], 7, 0, "... begin");
	ok_eq(s->last.beams, 2, "... beams");
	ok(isinf(s->final[1]), "... final is infinite");
	ok(near(s->first.angle_min, -1), "simbad: the rest");
	ok(near(s->first.angle_increment, .5), "... is near");
	ok_near(s->last.range_max, 10, 0, "... range max");
	ok_near(s->first.odometry.x, 1, 0, "... x");
	ok(near(s->last.odometry.yaw, 6 - 2 * M_PI), "... is near");
}

/* A line of tinySLAM's .dat; ranges from @base on */
static size_t make_dat(char *text, unsigned int us, int left, int right,
		       int base)
{
	size_t n = sprintf(text, "%u 14710 %d %d", us, left, right);

	for (int i = 4; i < 24; i++)
		n += sprintf(text + n, " %s", i == 7 ? "170.1" : "0");
	for (int i = 0; i < 682; i++)
		n += sprintf(text + n, " %d", i % 7 ? base + i : 6);
	return n + sprintf(text + n, " 16 \n");
}

/* A line of an earlier log: fewer numbers, and the right wheel counts backwards */
static size_t make_earlier(char *text, unsigned int us, int left, int right)
{
	size_t n = sprintf(text, "%u %d %d", us, left, right);

	for (int i = 3; i < 12; i++)
		n += sprintf(text + n, " 0");
	for (int i = 0; i < 682; i++)
		n += sprintf(text + n, " %d", 1000 + i);
	return n + sprintf(text + n, " 16\n");
}

static void test_tinyslam_earlier(void)
{
	static char text[65536];
	const double step = 0.077 * M_PI;
	struct seen *s;
	size_t n = make_earlier(text, 1000, 500, -700);

	make_earlier(text + n, 101000, 1500, -1700);
	s = read_text(text, NULL);
	ok_eq(s->scans, 2, "tinyslam, earlier: scans");
	ok_eq(s->count.bad, 0, "... bad");
	ok(near(s->x[1], step), "... straight on");
	ok(near(s->last.odometry.yaw, 0), "... yaw");
	ok_eq(s->first.beams, 591, "... beams");
	ok(near(s->begin[0], 1.046), "... the first range");
	ok(near(s->first.angle_min, (-120 + 46 * 240 / 681.) * degree),
	   "... its angle");
}

static void test_tinyslam(void)
{
	static char text[65536];
	/* half a turn of the wheels is 0.077 pi m */
	const double step = 0.077 * M_PI;
	struct seen *s;
	size_t n;

	n = make_dat(text, 1000, 500, 700, 1000);
	n += make_dat(text + n, 101000, 1500, 1700, 1000);
	n += make_dat(text + n, 201000, 1500, 1900, 1000);
	n += make_dat(text + n, 301000, 99999999, 1900, 1000);
	n += make_dat(text + n, 401000, 99999999, 1900, 1000);
	make_dat(text + n, 501000, 99999999 + 1000, 2900, 2000);
	s = read_text(text, NULL);
	ok_eq(s->open, 0, "tinyslam: lines");
	ok_eq(s->scans, 5, "... scans");
	ok_eq(s->count.bad, 1, "... bad");
	ok_eq(s->stamp[0], 1000000, "tinyslam: times");
	ok_eq(s->stamp[4], 501000000, "... stamp");
	ok_near(s->x[0], 0, 0, "tinyslam: odometry, straight on");
	ok(near(s->x[1], step), "... is near");
	ok(near(s->x[2], step * 1.1), "... is near");
	ok(near(s->last.odometry.yaw, 0.1 * step * 2 / 0.33),
	   "tinyslam: and turning");
	ok(near(s->last.odometry.x,
		step * 1.1 + step * cos(s->last.odometry.yaw)),
	   "... is near");
	/* beam 71 is the first one: no multiple of seven; 77 is */
	ok_eq(s->first.beams, 541, "tinyslam: beams");
	ok(near(s->begin[0], 1.071), "... is near");
	ok_near(s->begin[6], 0, 0, "... begin");
	ok(near(s->final[1], 2.072), "... is near");
	ok(near(s->first.laser.x, 0.145), "... is near");
	ok(near(s->first.angle_min, (-120 + 71 * 240 / 681.) * degree),
	   "... is near");
}

/*
 * What is no log
 */

static void refuse(const char *path, int err, const char *words,
		   const char *what)
{
	struct seen *s = read_log(path, NULL);

	ok_eq(s->open, err, "%s: %s", what, error.text);
	ok(strstr(error.text, words), "... error says it");
	ok(!strchr(error.text, '\n'), "... error is one line");
}

static void test_refused(void)
{
	char name[300], junk[5000];
	uint64_t rng = 5;

	for (size_t i = 0; i < sizeof(junk); i++)
		junk[i] = rnd(&rng, 256);
	refuse(put("e", "", 0), -ENODATA, "is empty", "an empty file");
	refuse(put("j", junk, sizeof(junk)), -EPROTONOSUPPORT, "is neither a log",
	       "garbage");
	refuse(put("t", "hello, world\n", 13), -EPROTONOSUPPORT, "is neither a log",
	       "a text");
	refuse(put("s", "1 2 3\n4 5 6\n", 12), -EPROTONOSUPPORT, "is neither a log",
	       "numbers");
	refuse(put("o", "ODOM 1 2 3 0 0 0 5 h 5\n", 23), -ENODATA,
	       "without FLASER", "no scan");
	refuse(in_folder("none"), -ENOENT, "No such file", "no file");
	refuse(folder, -EPROTONOSUPPORT, "is neither a log", "a folder");
	refuse("/dev/null", -EINVAL, "neither a file", "a device");
	if (mkfifo(in_folder("fifo"), 0600))
		abort();
	refuse(in_folder("fifo"), -EINVAL, "neither a file", "a pipe");
	memset(name, 'n', sizeof(name));
	name[299] = '\0';
	refuse(in_folder(name), -ENOENT, "...", "a long name");
	refuse("no\nsuch", -ENOENT, "no?such", "a name of two lines");
}

/* Any byte changed, any length: no crash, and no reading that cannot be */
static void test_damage(void)
{
	static char text[65536], bad[65536];
	const char *all[3];
	uint64_t rng = 9;
	int opened = 0;
	size_t n = 0;

	for (int i = 0; i < 8; i++)
		n += make_scan(text + n, 30, 1 + i, 8);
	all[0] = strdup(text);
	for (n = 0; n < 4000;)
		n += sprintf(text + n, "9,0.1,-1,1,.5,%zu,2,3,5,6,7\n", n);
	all[1] = strdup(text);
	n = make_dat(text, 1, 2, 3, 1000);
	make_dat(text + n, 2, 3, 4, 1000);
	all[2] = strdup(text);
	for (int i = 0; i < 600; i++) {
		size_t len = strlen(all[i % 3]);

		memcpy(bad, all[i % 3], len);
		for (int k = 0; k < i % 5; k++)
			bad[rnd(&rng, len)] = rnd(&rng, 2) ? (char)rnd64(&rng) :
					      " ,.-e\n19"[rnd(&rng, 8)];
		if (i % 4 == 3)
			len = rnd(&rng, len);
		opened += !read_log(put("bad", bad, len), NULL)->open;
	}
	ok(opened > 300, "damage: %d of 600 still opened", opened);
	for (int i = 0; i < 3; i++)
		free((char *)all[i]);
}

/*
 * Real logs
 */

static const struct {
	const char	*name;
	unsigned int	scans, readings, beams, bad, backwards_scans;
	double		range_max;
} real[] = {
	{ "aces_300.clf", 336, 672, 180, 0, 0, 49.75 },
	{ "aces_raw1619.clf", 1619, 3238, 180, 0, 0, 49.75 },
	/* each of these scans says what an ODOM says too */
	{ "aces_key440.clf", 440, 7374, 180, 0, 0, 49.75 },
	{ "intel_2726.clf", 2725, 13623, 180, 0, 24, 81.42 },
	{ "dpslam_loop5.clf", 551, 551, 181, 0, 0, 8.15 },
	{ "simbad_0.csv", 60, 60, 640, 0, 0, 100 },
	{ "simbad_1.csv", 300, 300, 640, 0, 0, 100 },
	{ "turtlebot_0.clf", 198, 198, 490, 0, 0, 10 },
	{ "tinyslam_exp1.dat", 756, 756, 541, 0, 0, 5.6 },
	{ "mit-csail.clf", 1988, 1988, 361, 0, 0, 81.49 },
};

static void test_real(void)
{
	char path[256];

	for (size_t i = 0; i < sizeof(real) / sizeof(real[0]); i++) {
		struct seen *s;

		snprintf(path, sizeof(path), REAL "%s", real[i].name);
		if (access(path, R_OK)) {
			ok(true, "%s # SKIP the recording is not there",
			   real[i].name);
			continue;
		}
		s = read_log(path, NULL);
		ok_eq(s->open, 0, "%s: %u scans, %u readings, up to %g m",
		      real[i].name, s->scans, s->readings, s->last.range_max);
		ok_eq(s->end, 0, "... end");
		ok_eq(s->scans, real[i].scans, "... scans");
		ok_eq(s->readings, real[i].readings, "... readings");
		ok_eq(s->first.beams, real[i].beams, "... beams");
		ok_eq(s->count.bad, real[i].bad, "... bad");
		ok_eq(s->backwards_scans, real[i].backwards_scans,
		      "... backwards scans");
		ok_range(fabs(s->last.range_max - real[i].range_max), -INFINITY,
			 0.01, "... how far off");
	}
}

/* Two logs of the same recording */
static bool same_log(const char *a, const char *b)
{
	struct readings *log[2];
	struct reading r[2];
	bool same = true;
	int got[2];

	if (readings_open(&log[0], a, NULL, &error))
		return false;
	if (readings_open(&log[1], b, NULL, &error)) {
		readings_close(log[0]);
		return false;
	}
	do {
		for (int i = 0; i < 2; i++)
			got[i] = readings_next(log[i], &r[i], &error);
		same = got[0] == got[1];
		if (got[0] != 1 || !same)
			break;
		same = r[0].stamp == r[1].stamp && r[0].beams == r[1].beams &&
		       !memcmp(&r[0].odometry, &r[1].odometry,
			       sizeof(struct pose)) &&
		       r[0].angle_min == r[1].angle_min &&
		       r[0].angle_increment == r[1].angle_increment &&
		       r[0].range_max == r[1].range_max &&
		       pose_distance(&r[0].laser, &r[1].laser, 1) < 1e-9 &&
		       !memcmp(r[0].range, r[1].range,
			       r[0].beams * sizeof(float));
	} while (same);
	readings_close(log[0]);
	readings_close(log[1]);
	return same && !got[0];
}

int main(void)
{
	make_folder();
	test_numbers();
	test_stamps();
	test_carmen();
	test_angles();
	test_range_max();
	test_robotlaser();
	test_bad_lines();
	test_lines();
	test_simbad();
	test_tinyslam();
	test_tinyslam_earlier();
	test_refused();
	test_damage();
	test_real();
	if (!access(REAL "simbad_1.csv", R_OK)) {
		ok(same_log(REAL "simbad_0.csv", REAL "simbad_0.clf"),
		   "simbad: the csv is as the CARMEN log of the same");
		ok(same_log(REAL "simbad_1.csv", REAL "simbad_1.clf"),
		   "... same log");
	}
	remove_folder();
	return tap_done();
}
