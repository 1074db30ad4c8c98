// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench_vscan - what virtual scans cost, next to a peer in the same run
 *
 * The peer is what pointcloud_to_laserscan does with every point of a cloud:
 * height and range gate, atan2(), the nearest of each direction; without
 * ground removal or planes, and without ROS. Thread CPU time, best of many.
 * The revolution: of ../shared/data/clouds where that is there, else a made
 * one.
 *
 * usage: bench_vscan
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cpu.h"
#include "best.h"
#include "codec/scan/vscan.h"
#include "codec/scan/vscan_code.h"
#include "formats/velodyne.h"

#define RECORDING "../shared/data/clouds/vlp16_recording_1000x1206.bin"

enum { ROUNDS = 300, PACKETS = 1000, COLUMNS = 1808 };

static uint8_t packets[PACKETS][VELODYNE_PACKET];
static uint16_t range[VELODYNE_RINGS * COLUMNS], azimuth[COLUMNS];

/* A room of 8 m by 6 m */
static void make(struct organised *o)
{
	*o = (struct organised){ .rings = VELODYNE_RINGS, .columns = COLUMNS,
				 .unit = 0.002f, .range = range,
				 .azimuth = azimuth };
	for (unsigned int r = 0; r < o->rings; r++)
		o->elevation[r] = 200 * (int)r - 1500;
	for (unsigned int i = 0; i < o->rings * COLUMNS; i++) {
		double a = i % COLUMNS * 2 * M_PI / COLUMNS;
		double w = o->elevation[i / COLUMNS] * M_PI / 18000;
		double far = fmin(4 / fabs(cos(a)), 3 / fabs(sin(a)));

		if (w < 0)
			far = fmin(far, 0.6 / tan(-w));
		range[i] = far / cos(w) / 0.002;
		azimuth[i % COLUMNS] = i % COLUMNS * 36000 / COLUMNS;
	}
}

static unsigned int points_of(const struct organised *o, float (*xyz)[3])
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < o->rings * o->columns; i++) {
		double a = o->azimuth[i % o->columns] * M_PI / 18000;
		double w = o->elevation[i / o->columns] * M_PI / 18000;
		double far = o->range[i] * o->unit;

		if (!o->range[i])
			continue;
		xyz[n][0] = far * cos(w) * cos(a);
		xyz[n][1] = -far * cos(w) * sin(a);
		xyz[n++][2] = far * sin(w);
	}
	return n;
}

static void peer(const float (*xyz)[3], unsigned int n,
		 float nearest[VSCAN_BINS])
{
	for (int i = 0; i < VSCAN_BINS; i++)
		nearest[i] = INFINITY;
	for (unsigned int i = 0; i < n; i++) {
		double x = xyz[i][0], y = xyz[i][1], z = xyz[i][2];
		double far = hypot(x, y), angle = atan2(y, x);
		int bin;

		if (isnan(x) || isnan(y) || isnan(z) || z > 0.6 || z < -0.55 ||
		    far < 0.4 || far > 100)
			continue;
		bin = (angle + M_PI) / (2 * M_PI / VSCAN_BINS);
		if (bin < VSCAN_BINS && far < nearest[bin])
			nearest[bin] = far;
	}
}

static unsigned int load(struct velodyne *v, struct organised *o)
{
	FILE *f = fopen(RECORDING, "rb");
	unsigned int n = 0;

	if (f) {
		n = fread(packets, VELODYNE_PACKET, PACKETS, f);
		fclose(f);
	}
	for (unsigned int i = 0; i < n; i++)
		if (velodyne_add(v, packets[i], VELODYNE_PACKET, o) == 1)
			return n;
	make(o);
	return 0;
}

/* Microseconds for a packet of a recording of @n */
static double decode_us(unsigned int n)
{
	struct velodyne *v = velodyne_create();
	struct organised o;
	double us = thread_us();

	for (unsigned int i = 0; i < n; i++)
		velodyne_add(v, packets[i], VELODYNE_PACKET, &o);
	us = thread_us() - us;
	velodyne_destroy(v);
	return us / n;
}

static void bench_make(const struct organised *o)
{
	struct vscan *v = vscan_create(ORGANISED_RINGS, ORGANISED_COLUMNS);
	float (*xyz)[3] = malloc(o->rings * o->columns * sizeof(*xyz));
	unsigned int n = points_of(o, xyz);
	float nearest[VSCAN_BINS];
	struct vscan_scans s;
	double theirs = BEST(ROUNDS, peer((const float (*)[3])xyz, n,
					  nearest));

	printf("pointcloud_to_laserscan: %.0f us, one scan of %u points\n",
	       theirs, n);
	for (int i = 0; i < 4; i++) {
		struct vscan_params p = VSCAN_DEFAULTS;
		double us;

		p.pitch = i & 1 ? 0.1f : 0;
		cpu_portable = i & 2;
		us = BEST(ROUNDS, vscan_make(v, o, &p, &s));
		printf("%s, %s: %.0f us, both scans, %.1f ns/firing, ratio "
		       "%.2f\n", i & 2 ? "portable" : "vectors",
		       i & 1 ? "tilted" : "level", us,
		       1000 * us / (o->rings * o->columns), us / theirs);
	}
	cpu_portable = false;
	vscan_destroy(v);
	free(xyz);
}

static void bench_code(const struct organised *o)
{
	struct vscan *v = vscan_create(ORGANISED_RINGS, ORGANISED_COLUMNS);
	static uint8_t data[8][PAYLOAD_MAX];
	static uint16_t lens[8];
	struct payloads out = { .data = data[0], .stride = PAYLOAD_MAX,
				.len = lens, .size = PAYLOAD_MAX, .max = 8 };
	struct vscan_params p = VSCAN_DEFAULTS;
	struct vscan_scans s, one = { 0 };
	struct vscan_decoder d;
	double us, back;

	vscan_make(v, o, &p, &s);
	us = BEST(ROUNDS, vscan_encode(&s, 1, 1, &out));
	back = BEST(ROUNDS, (vscan_begin(&d), vscan_add(&d, data[0],
							lens[0])));
	printf("both scans: %u bytes, %.2f of D6.3's two of 2908; %.0f us, "
	       "back in %.0f us\n", lens[0], lens[0] / 5816.0, us, back);
	memcpy(one.landmark, s.landmark, sizeof(s.landmark));
	vscan_encode(&one, 1, 1, &out);
	printf("landmark scan: %u bytes\n", lens[0]);
	one = (struct vscan_scans){ 0 };
	memcpy(one.obstacle, s.obstacle, sizeof(s.obstacle));
	vscan_encode(&one, 1, 1, &out);
	printf("obstacle scan: %u bytes\n", lens[0]);
	vscan_encode(&s, 2, 1, &out);
	printf("even and odd bins of both: %u and %u bytes\n", lens[0],
	       lens[1]);
	vscan_destroy(v);
}

int main(void)
{
	struct velodyne *v = velodyne_create();
	struct organised o;
	unsigned int n = load(v, &o);

	if (n)
		printf("VLP-16: %.2f us a packet\n", decode_us(n));
	bench_make(&o);
	bench_code(&o);
	velodyne_destroy(v);
	return 0;
}
