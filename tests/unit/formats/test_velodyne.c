// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_velodyne - packets of a VLP-16: turns, gaps, dual return, bad packets
 *
 * A generated sensor turns at 10 Hz in a cylinder whose ranges tell laser and
 * azimuth; the recording of shared/data is compared with the points that
 * another program made of it.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/wire.h"
#include "formats/velodyne.h"
#include "tap.h"

#define CLOUDS "../shared/data/clouds/"

enum { MODE = 0x37, DUAL = 0x39, PER_TURN = 76 };

/**
 * struct sensor - the generated one
 * @block: number of the next block since the start
 */
struct sensor {
	unsigned int	block, mode, model;
	double		step;		/* per block, 1/100 degree */
	uint32_t	offset_us;
};

/* so that a range tells the laser and the firing's azimuth */
static unsigned int range_of(unsigned int laser, unsigned int azimuth)
{
	return 1000 + 2000 * laser + azimuth / 20;
}

static void fill_block(uint8_t *b, unsigned int azimuth, unsigned int half,
		       bool nearer)
{
	put_le16(b, 0xeeff);
	put_le16(b + 2, azimuth);
	for (unsigned int i = 0; i < 32; i++) {
		unsigned int a = (azimuth + i / 16 * half) % 36000;

		put_le16(b + 4 + 3 * i, range_of(i % 16, a) - 500 * nearer);
		b[6 + 3 * i] = nearer ? 1 : i;
	}
}

static void make_packet(struct sensor *s, uint8_t p[VELODYNE_PACKET])
{
	bool dual = s->mode == DUAL;

	put_le32(p + 1200, (uint32_t)(s->block * 110.592 + s->offset_us) %
		 3600000000U);
	p[1204] = s->mode;
	p[1205] = s->model;
	for (unsigned int i = 0; i < 12; i++) {
		unsigned int azimuth = (unsigned int)(s->block * s->step) %
				       36000;

		fill_block(p + 100 * i, azimuth, s->step / 2 + 0.5,
			   dual && (i / 2 + i) % 2);
		s->block += !dual || i % 2;
	}
}

static struct sensor new_sensor(void)
{
	return (struct sensor){ .mode = MODE, .model = 0x22, .step = 39.8,
				.block = 500 };
}

/* Return: columns with returns, 0 if a range is another column's */
static unsigned int columns_seen(const struct organised *o)
{
	unsigned int n = 0;

	for (unsigned int c = 0; c < o->columns; c++) {
		n += !!o->range[c];
		for (unsigned int r = 0; r < o->rings; r++) {
			unsigned int laser = r < 8 ? 2 * r : 2 * r - 15;
			int off = (int)o->range[r * o->columns + c] -
				  (int)range_of(laser, o->azimuth[c]);

			if (o->range[r * o->columns + c] && abs(off) > 1)
				return 0;
		}
	}
	return n;
}

/* Largest step of azimuth; 0 if one is backwards */
static int widest(const struct organised *o)
{
	int most = 0;

	for (unsigned int c = 1; c < o->columns; c++) {
		int d = o->azimuth[c] - o->azimuth[c - 1];

		if (d < 0)
			return 0;
		if (d > most)
			most = d;
	}
	return most;
}

/* Return: turns; the last is in @out */
static unsigned int run(struct velodyne *v, struct sensor *s, unsigned int n,
			const char *lost, struct organised *out)
{
	uint8_t p[VELODYNE_PACKET];
	unsigned int turns = 0;

	for (unsigned int i = 0; i < n; i++) {
		make_packet(s, p);
		if (lost && i < strlen(lost) && lost[i] == 'x')
			continue;
		turns += velodyne_add(v, p, sizeof(p), out) == 1;
	}
	return turns;
}

static void test_turns(void)
{
	struct velodyne *v = velodyne_create();
	struct sensor s = new_sensor();
	struct organised o;
	unsigned int turns = run(v, &s, 5 * PER_TURN, NULL, &o);

	ok(turns == 4, "turns begin at 0, what comes before is left out (%u)",
	   turns);
	ok_eq(o.rings, 16, "a turn has all its columns (%u)", o.columns);
	ok_range(abs((int)o.columns - 1809), -INFINITY, 1, "... how far off");
	ok(columns_seen(&o) == o.columns, "ranges in their ring and column");
	ok_eq(o.elevation[0], -1500, "rings are sorted, the lowest first");
	ok_eq(o.elevation[15], 1500, "... elevation");
	ok_eq(o.elevation[8], 100, "... elevation");
	ok_range(fabsf(o.advance[15] - 15 * 2.304f / 55.296f * 19.9f),
		 -INFINITY, 0.05f,
		 "each ring's azimuth is ahead as it fires later");
	ok_near(o.advance[0], 0, 0, "... advance");
	ok_range(fabsf(o.advance[8] - 2.304f / 55.296f * 19.9f), -INFINITY,
		 0.01f, "... fabsf");
	ok_range(o.azimuth[0], -INFINITY, 39,
		 "azimuths are between the blocks'");
	ok_range(o.azimuth[o.columns - 1], 35961, INFINITY, "... azimuth");
	ok_range(widest(&o), -INFINITY, 22, "... widest");
	velodyne_destroy(v);
}

static void test_loss(void)
{
	struct velodyne *v = velodyne_create();
	struct sensor s = new_sensor();
	struct organised o;
	unsigned int turns;

	/* the first turn begins in packet 34 */
	turns = run(v, &s, 2 * PER_TURN,
		    "....................................."
		    "xx....x.....x", &o);
	ok_eq(turns, 1, "lost packets: as many columns (%u)", o.columns);
	ok_range(abs((int)o.columns - 1809), -INFINITY, 1, "... how far off");
	ok_range(widest(&o), -INFINITY, 23, "... widest");
	ok(columns_seen(&o) == o.columns - 4 * 24,
	   "of which the lost ones are empty (%u)", columns_seen(&o));
	/* 2 turns lost: the azimuths alone would not tell */
	turns = run(v, &s, 10, NULL, &o);
	s.block += 12 * PER_TURN * 2 + 100;
	turns = run(v, &s, 2, NULL, &o);
	ok_eq(turns, 1, "an outage ends the turn (%u)", columns_seen(&o));
	ok_range(columns_seen(&o), -INFINITY, 1799, "... columns seen");
	ok(columns_seen(&o), "... columns seen");
	velodyne_destroy(v);
}

static void test_order(void)
{
	struct velodyne *v = velodyne_create();
	uint8_t first[VELODYNE_PACKET], second[VELODYNE_PACKET];
	struct sensor s = new_sensor(), again;
	struct organised o;
	unsigned int turns = 0;

	for (unsigned int i = 0; i < PER_TURN * 2; i += 2) {
		make_packet(&s, first);
		make_packet(&s, second);
		turns += velodyne_add(v, first, sizeof(first), &o) == 1;
		turns += velodyne_add(v, second, sizeof(second), &o) == 1;
		turns += velodyne_add(v, second, sizeof(second), &o) == 1;
		turns += velodyne_add(v, first, sizeof(first), &o) == 1;
	}
	ok_eq(turns, 1, "late and doubled packets are ignored");
	ok_eq(columns_seen(&o), o.columns, "... columns seen");
	again = new_sensor();
	again.offset_us = 2000000000;
	turns = run(v, &again, 3 * PER_TURN, NULL, &o);
	ok_range(turns, 2, INFINITY, "a sensor that starts again goes on");
	ok_eq(columns_seen(&o), o.columns, "... columns seen");
	ok_range(o.stamp, -INFINITY, 3000000000000ULL, "... stamp");
	again.offset_us = 3599950000U - again.block * 110.592;
	turns = run(v, &again, PER_TURN * 2, NULL, &o);
	ok_range(turns, 1, INFINITY,
		 "its clock goes on over the hour (%u, %llu)", turns,
		 (unsigned long long)o.stamp);
	ok_range(o.stamp, 3599000000000ULL, INFINITY, "... stamp");
	velodyne_destroy(v);
}

static void test_modes(void)
{
	struct velodyne *v = velodyne_create();
	struct sensor s = new_sensor();
	struct organised o;
	unsigned int turns;

	s.mode = DUAL;
	turns = run(v, &s, 3 * 2 * PER_TURN, NULL, &o);
	ok_eq(turns, 2, "of two returns the farther is kept");
	ok_eq(columns_seen(&o), o.columns, "... columns seen");
	ok_range(abs((int)o.columns - 1809), -INFINITY, 1, "... how far off");
	ok(o.intensity[0] != 1, "... intensity");
	velodyne_destroy(v);
	v = velodyne_create();
	s = new_sensor();
	s.model = 0x24;
	run(v, &s, 3 * PER_TURN, NULL, &o);
	ok_eq(o.elevation[0], -1000, "Puck Hi-Res: its elevations");
	ok_eq(o.elevation[8], 67, "... elevation");
	velodyne_destroy(v);
	v = velodyne_create();
	s = new_sensor();
	s.step = 3.9;
	turns = run(v, &s, 2000, NULL, &o);
	ok(turns, "a head that hardly turns: as many columns as fit");
	ok_eq(o.columns, ORGANISED_COLUMNS, "... columns");
	velodyne_destroy(v);
}

static void test_bad(void)
{
	struct velodyne *v = velodyne_create();
	struct sensor s = new_sensor();
	uint8_t p[VELODYNE_PACKET], bad[VELODYNE_PACKET];
	struct organised o;

	make_packet(&s, p);
	ok(velodyne_add(v, p, sizeof(p) - 1, &o) == -EINVAL, "too short");
	memcpy(bad, p, sizeof(p));
	bad[1204] = 0x36;
	ok(velodyne_add(v, bad, sizeof(p), &o) == -EINVAL, "return mode");
	memcpy(bad, p, sizeof(p));
	bad[1205] = 0x21;
	ok(velodyne_add(v, bad, sizeof(p), &o) == -EINVAL, "another sensor");
	memcpy(bad, p, sizeof(p));
	bad[1100] = 0;
	ok(velodyne_add(v, bad, sizeof(p), &o) == -EINVAL, "no block");
	memcpy(bad, p, sizeof(p));
	put_le16(bad + 1102, 36000);
	ok(velodyne_add(v, bad, sizeof(p), &o) == -EINVAL, "azimuth");
	velodyne_destroy(v);
}

/* Points of a file, and how they compare with those of a turn */
struct reference {
	float		xyzi[32768][4];
	unsigned int	n, next, missed;
	double		worst;
};

static bool load(struct reference *r, unsigned int number)
{
	char name[64];
	FILE *f;

	snprintf(name, sizeof(name), CLOUDS "vlp16_scan%02u_xyzi_f32.bin",
		 number);
	f = fopen(name, "rb");
	if (!f)
		return false;
	r->n = fread(r->xyzi, 16, 32768, f);
	r->next = r->missed = 0;
	r->worst = 0;
	fclose(f);
	return true;
}

/* Both are in the order of measurement */
static void compare(struct reference *r, const double p[3], unsigned int i)
{
	for (unsigned int k = r->next; k < r->n && k < r->next + 4; k++) {
		const float *q = r->xyzi[k];
		double d = hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]);

		if (d < 0.02 && q[3] == i) {
			r->next = k + 1;
			if (d > r->worst)
				r->worst = d;
			return;
		}
	}
	r->missed++;
}

static unsigned int compare_turn(struct reference *r,
				 const struct organised *o)
{
	unsigned int points = 0;

	for (unsigned int i = 0; i < o->columns * 16; i++) {
		unsigned int laser = i % 16, c = i / 16;
		unsigned int ring = laser / 2 + (laser & 1) * 8;
		unsigned int at = ring * o->columns + c;
		double range = o->range[at] * o->unit;
		double w = o->elevation[ring] * M_PI / 18000;
		double a = (o->azimuth[c] + o->advance[ring]) * M_PI / 18000;
		double p[3] = { range * cos(w) * sin(a),
				range * cos(w) * cos(a), range * sin(w) };

		if (!o->range[at])
			continue;
		points++;
		compare(r, p, o->intensity[at]);
	}
	return points;
}

static void test_recording(void)
{
	FILE *f = fopen(CLOUDS "vlp16_recording_1000x1206.bin", "rb");
	static struct reference r;
	struct velodyne *v = velodyne_create();
	uint8_t p[VELODYNE_PACKET];
	struct organised o;
	unsigned int turns = 0;

	if (!f) {
		ok(true, "the recording # SKIP no shared data");
		velodyne_destroy(v);
		return;
	}
	while (fread(p, sizeof(p), 1, f)) {
		unsigned int points;

		if (velodyne_add(v, p, sizeof(p), &o) != 1)
			continue;
		turns++;
		if (!load(&r, turns))
			continue;
		points = compare_turn(&r, &o);
		ok_range(r.missed, -INFINITY, 49,
			 "turn %u: %u points, %u in the file, %u differ, "
			 "others by %.1f mm at most",
			 turns, points, r.n, r.missed, 1000 * r.worst);
		ok_range(r.worst, -INFINITY, 0.01, "... worst");
	}
	ok(turns == 12, "the recording has 12 whole turns (%u)", turns);
	fclose(f);
	velodyne_destroy(v);
}

int main(void)
{
	test_turns();
	test_loss();
	test_order();
	test_modes();
	test_bad();
	test_recording();
	return tap_done();
}
