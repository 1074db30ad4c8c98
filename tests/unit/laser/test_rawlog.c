// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_rawlog - .rawlog of MRPT: both kinds of files, versions of classes, plain
 * and compressed; and those that are cut off, damaged, or have other classes
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include "base/error.h"
#include "folder.h"
#include "laser/readings.h"
#include "rawlog_write.h"
#include "tap.h"

/* 1 s of 1970 */
#define SECOND	(116444736000000000ULL + 10000000)

static struct rawlog_text t;
static struct error error;

static void write_log(const char *name, size_t len, bool packed)
{
	gzFile f = gzopen(in_folder(name), packed ? "wb" : "wbT");

	if (!f || gzwrite(f, t.data, (unsigned int)len) != (int)len ||
	    gzclose(f))
		abort();
}

/* What came out of it */
static struct {
	int			open, end;
	unsigned int		scans;
	struct reading		first, last;
	float			begin[3];
	struct readings_count	count;
} seen;

static void read_config(const char *name, const struct readings_config *config)
{
	struct readings *log;
	struct reading r;

	memset(&seen, 0, sizeof(seen));
	*error.text = '\0';
	seen.open = readings_open(&log, in_folder(name), config, &error);
	if (seen.open)
		return;
	while ((seen.end = readings_next(log, &r, &error)) == 1) {
		if (!seen.scans++) {
			seen.first = r;
			memcpy(seen.begin, r.range, sizeof(seen.begin));
		}
		seen.last = r;
	}
	readings_count(log, &seen.count);
	readings_close(log);
}

/* All of a.rawlog, read or written as it is */
static void in_file(char *all, size_t len, bool write)
{
	FILE *f = fopen(in_folder("a.rawlog"), write ? "wb" : "rb");

	if (!f ||
	    (write ? fwrite(all, 1, len, f) : fread(all, 1, len, f)) != len ||
	    fclose(f))
		abort();
}

static void read_text(bool packed)
{
	write_log("a.rawlog", t.len, packed);
	read_config("a.rawlog", NULL);
}

/* An action, and a frame with its scan */
static void put_step(double x, uint64_t stamp)
{
	rawlog_list(&t, "CActionCollection", 0, 1);
	rawlog_action(&t, 6, x, 0);
	rawlog_end_of(&t);
	rawlog_list(&t, "CSensoryFrame", 2, 1);
	rawlog_scan_of(&t, "LASER", 6, stamp, 1);
	rawlog_end_of(&t);
}

static void test_frames(void)
{
	for (int packed = 0; packed < 2; packed++) {
		t.len = 0;
		put_step(0.5, SECOND);
		put_step(0.25, SECOND + 5000000);
		read_text(packed);
		ok_eq(seen.open, 0, packed ? "compressed" : "frames");
		ok_eq(seen.end, 0, "... end");
		ok_eq(seen.scans, 2, "... scans");
		ok_near(seen.first.odometry.x, 0.5, 1e-12, "... an action");
		ok_near(seen.last.odometry.x, 0.75, 1e-12, "... the next one");
		ok_eq(seen.first.stamp, 1000000000, "... time");
		ok_eq(seen.last.stamp, 1500000000, "... time");
		ok_eq(seen.first.beams, 3, "... beams");
		ok_near(seen.first.angle_min, -1, 1e-6, "... first angle");
		ok_near(seen.first.angle_increment, 1, 1e-6, "... the next");
		ok_near(seen.begin[0], 1, 1e-6, "... range");
		ok_near(seen.begin[1], 0, 1e-6, "... one without a hit");
		ok_near(seen.first.range_max, 80, 1e-6, "... maximum");
		ok_near(seen.first.laser.x, 0.2, 1e-9, "... laser");
		ok_near(seen.first.laser.yaw, 0.5, 1e-9, "... its yaw");
		ok_eq(seen.count.bad, 0, "... none is bad");
		ok_eq(seen.count.bytes, seen.count.size, "... all is read");
	}
}

/* Simulated: no times */
static void test_timeless(void)
{
	t.len = 0;
	put_step(0.5, 0);
	put_step(0.5, 0);
	read_text(false);
	ok_eq(seen.scans, 2, "without times");
	ok_eq(seen.last.stamp - seen.first.stamp, 100000000, "... 0.1 s");
}

static void test_observations(void)
{
	t.len = 0;
	rawlog_comment(&t, "a log");
	rawlog_odometry_of(&t, 2, SECOND, 1);
	rawlog_scan_of(&t, "", 6, SECOND + 5000000, 1);
	rawlog_odometry_of(&t, 2, SECOND + 10000000, 2);
	rawlog_scan_of(&t, "", 6, SECOND + 10000000, 1);
	rawlog_odometry_of(&t, 0, SECOND + 30000000, 2);
	read_text(false);
	ok_eq(seen.scans, 2, "one by one");
	ok_near(seen.first.odometry.x, 1.5, 1e-9, "... odometry between two");
	ok_near(seen.last.odometry.x, 2, 1e-9, "... and at one");
	t.len = 0;
	rawlog_scan_of(&t, "", 6, SECOND, 1);
	rawlog_scan_of(&t, "", 6, SECOND + 20000000, 1);
	read_text(false);
	ok_eq(seen.end, -ENODATA, "without odometry");
	ok(strstr(error.text, "--odometry none"), "... it is said what to do");
	read_config("a.rawlog", &(struct readings_config){
		.odometry = READINGS_NO_ODOMETRY });
	ok_eq(seen.scans, 2, "... which helps");
	ok_eq(seen.count.standing, 2, "... they are counted");
}

static void test_versions(void)
{
	for (uint8_t v = 0; v <= 8; v++) {
		t.len = 0;
		rawlog_list(&t, "CSensoryFrame", v % 3, 1);
		rawlog_scan_of(&t, "", v, SECOND, 1);
		rawlog_end_of(&t);
		read_text(false);
		ok_eq(seen.scans, 1, "a scan of version %d", v);
		ok_eq(seen.end, 0, "... to its end");
		ok_near(seen.first.laser.yaw, 0.5, 1e-6, "... laser");
		ok_near(seen.begin[1], v ? 0 : 2, 1e-6, "... hits");
	}
	for (uint8_t v = 4; v <= 7; v++) {
		t.len = 0;
		rawlog_list(&t, "CActionCollection", 0, 1);
		rawlog_action(&t, v, 3, 0);
		rawlog_end_of(&t);
		rawlog_list(&t, "CSensoryFrame", 2, 1);
		rawlog_scan_of(&t, "", 6, SECOND, 1);
		rawlog_end_of(&t);
		read_text(false);
		ok_eq(seen.scans, 1, "an action of version %d", v);
		ok_near(seen.first.odometry.x, 3, 1e-9, "... motion");
	}
}

/* Upside down, tilted, and of another laser */
static void test_lasers(void)
{
	t.len = 0;
	rawlog_list(&t, "CSensoryFrame", 2, 3);
	rawlog_scan_of(&t, "A", 6, SECOND, -1);
	rawlog_scan_of(&t, "A", 6, SECOND, 0);
	rawlog_scan_of(&t, "B", 6, SECOND, 1);
	rawlog_end_of(&t);
	read_text(false);
	ok_eq(seen.scans, 1, "the first laser is used");
	ok_near(seen.first.angle_increment, -1, 1e-6,
		"... which hangs upside down");
	ok_eq(seen.count.bad, 2, "... the rest is counted");
}

static void test_refused(void)
{
	char want[200];

	t.len = 0;
	put_step(0.5, SECOND);
	rawlog_head(&t, "mrpt::obs::CObservationImage", 4);
	read_text(false);
	ok_eq(seen.scans, 1, "before a class that is not known");
	ok_eq(seen.end, -EPROTONOSUPPORT, "... there it stops");
	snprintf(want, sizeof(want), "%s: after 1 scans: class "
		 "CObservationImage, version 4, is not known: it has no length, "
		 "so reading stops", in_folder("a.rawlog"));
	ok_str(error.text, want, "... and is said");
	t.len = 0;
	put_step(0.5, SECOND);
	t.data[t.len - 1] = 0;
	read_text(false);
	ok_eq(seen.end, -EBADMSG, "a frame that does not end");
	ok(strstr(error.text, "after 1 scans: damaged at byte"),
	   "... is said");
	t.len = 0;
	rawlog_list(&t, "CSensoryFrame", 2, 1 << 30);
	read_text(false);
	ok_eq(seen.end, -EBADMSG, "a list that is too long");
	t.len = 0;
	rawlog_list(&t, "CSensoryFrame", 2, 1);
	rawlog_list(&t, "CSensoryFrame", 2, 1);
	read_text(false);
	ok_eq(seen.end, -EBADMSG, "a list in a list");
}

/* It would reach beyond its room */
static void test_long_name(void)
{
	char name[70] = "C";

	memset(name + 1, 'a', 62);
	t.len = 0;
	put_step(0.5, SECOND);
	rawlog_head(&t, name, 1);
	for (int i = 0; i < 300; i++)
		t.data[t.len++] = 'b';
	read_text(false);
	ok_eq(seen.end, -EBADMSG, "a name without room for its end");
	ok(strlen(error.text) < 200, "... is not a part of the error");
}

/* Each beginning of a file: an error before the first scan, then what is there */
static void test_cut(bool packed)
{
	unsigned int whole = 0, cut = 0, other = 0;
	size_t first;

	t.len = 0;
	put_step(0.5, SECOND);
	first = t.len - 1;
	put_step(0.5, SECOND + 5000000);
	for (size_t n = 30; n < t.len; n++) {
		const unsigned int scans = n >= t.len - 1 ? 2 : n >= first;

		write_log("cut.rawlog", n, packed);
		read_config("cut.rawlog", NULL);
		whole += !seen.open && !seen.end && !seen.count.bad;
		cut += !seen.open && !seen.end && seen.count.bad == 1;
		other += seen.open || seen.scans != scans ||
			 (seen.end && (n >= first || seen.end != -EBADMSG));
	}
	ok_eq(whole, 3, "cut between two objects: an end");
	ok_eq(cut, (long)(t.len - first - 2), "... in one after a scan: counted");
	ok_eq(other, 0, "... else: an error");
}

/* The end of a compressed file is missing, or it has other bytes */
static void test_packed(void)
{
	size_t len;
	char *all;

	t.len = 0;
	for (unsigned int i = 0; i < 150; i++)
		put_step(0.001 * i * i, SECOND + 5000000 * i);
	read_text(true);
	len = (size_t)seen.count.size;
	all = malloc(len);
	in_file(all, len, false);
	truncate(in_folder("a.rawlog"), (off_t)len / 2);
	read_config("a.rawlog", NULL);
	ok_eq(seen.end, 0, "half a compressed file");
	ok_range(seen.scans, 20, 149, "... has scans");
	ok_eq(seen.count.bad, 1, "... the last object is counted");
	for (size_t i = len / 2; i < len / 2 + 40; i++)
		all[i] ^= 0x55;
	in_file(all, len, true);
	read_config("a.rawlog", NULL);
	ok_eq(seen.end, -EBADMSG, "a damaged one");
	free(all);
}

/* What would spoil all that follows */
static void test_odd(void)
{
	t.len = 0;
	put_step(0.5, SECOND);
	put_step(NAN, SECOND + 5000000);
	put_step(1e300, SECOND + 10000000);
	put_step(0.5, SECOND + 15000000);
	read_text(false);
	ok_eq(seen.scans, 4, "motions that are no numbers");
	ok_near(seen.last.odometry.x, 1, 1e-12, "... are left out");
	ok_eq(seen.count.bad, 2, "... and counted");
	t.len = 0;
	put_step(0.5, 116444736000000000ULL + INT64_MAX / 100);
	put_step(0.5, 0);
	read_text(false);
	ok_eq(seen.end, 0, "no time after the last one that there is");
}

int main(void)
{
	make_folder();
	test_frames();
	test_timeless();
	test_observations();
	test_versions();
	test_lasers();
	test_refused();
	test_long_name();
	test_cut(false);
	test_cut(true);
	test_packed();
	test_odd();
	remove_folder();
	return tap_done();
}
