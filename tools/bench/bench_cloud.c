// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench_cloud - what clouds cost: time next to a peer in the same run, bytes
 *
 * The voxel filter next to PCL's VoxelGrid, whose voxels must be the same;
 * codecs next to memcpy() of what they encode. Thread CPU time, best of many.
 * Clouds: ../shared/data/clouds where that is there, else a made one.
 *
 * usage: bench_cloud
 */
#include "../../tests/unit/cloud_fixture.h"
#include "base/cpu.h"
#include "best.h"
#include "codec/cloud/cloud80.h"
#include "codec/cloud/cloudblock.h"
#include "codec/cloud/rangeimage.h"
#include "codec/cloud/rangeimage_cloud.h"
#include "codec/cloud/voxel.h"
#include "formats/velodyne.h"
#include "pcl_voxel.h"

enum { MAX = 200000, PARTS = 8192, ROUNDS = 200 };

static struct cloud *in, *out, *back;
static struct voxel *voxel;
static struct payloads *payloads;

static double copy_us(size_t bytes)
{
	char *from = malloc(bytes), *to = malloc(bytes);
	double us;

	memset(from, 1, bytes);
	us = BEST(ROUNDS, ({ memcpy(to, from, bytes);
			     __asm__ volatile("" : : "r"(to) : "memory"); }));
	free(from);
	free(to);
	return us;
}

static unsigned int payload_bytes(void)
{
	unsigned int sum = 0;

	for (unsigned int k = 0; k < payloads->count; k++)
		sum += payloads->len[k];
	return sum;
}

static int by_x(const void *pa, const void *pb)
{
	const float *a = pa, *b = pb;

	return a[0] < b[0] ? -1 : a[0] > b[0];
}

/* Whether PCL's points are ours, within the rounding of its sums in float */
static bool same_voxels(const struct pcl_voxel *p, unsigned int n)
{
	const float most = 5e-4f;
	float (*ours)[4] = calloc(n + 1, sizeof(*ours));
	unsigned int found = 0;

	for (unsigned int i = 0; i < n && n == out->count; i++) {
		float at[4] = { out->x[i], out->y[i], out->z[i] };

		memcpy(ours[i], at, sizeof(at));
	}
	qsort(ours, n, sizeof(*ours), by_x);
	for (unsigned int i = 0; i < n; i++) {
		unsigned int low = 0, high = n;
		float at[3];

		pcl_voxel_point(p, i, at);
		while (low < high) {
			unsigned int middle = (low + high) / 2;

			if (ours[middle][0] < at[0] - most)
				low = middle + 1;
			else
				high = middle;
		}
		/* one that was not met yet */
		for (; low < n && ours[low][0] <= at[0] + most; low++)
			if (!ours[low][3] &&
			    fabsf(ours[low][1] - at[1]) <= most &&
			    fabsf(ours[low][2] - at[2]) <= most) {
				ours[low][3] = 1;
				found++;
				break;
			}
	}
	free(ours);
	return n == out->count && found == n;
}

static void bench_voxel(const char *name, float leaf)
{
	struct pcl_voxel *pcl = pcl_voxel_create(in->x, in->y, in->z,
						 in->count, leaf);
	double us[2], pcl_us = BEST(ROUNDS, pcl_voxel_filter(pcl));
	unsigned int n = pcl_voxel_filter(pcl);

	for (int portable = 0; portable < 2; portable++) {
		cpu_portable = portable;
		us[portable] = BEST(ROUNDS,
				    voxel_filter(voxel, in, leaf, out));
	}
	cpu_portable = false;
	printf("voxel %-10s %6u %5.2f %6u %8.1f %8.1f %8.1f %6.1f %6.1f %s\n",
	       name, in->count, leaf, out->count, us[0], us[1], pcl_us,
	       pcl_us / us[0], pcl_us / us[1],
	       same_voxels(pcl, n) ? "same" : "NOT THE SAME");
	pcl_voxel_destroy(pcl);
}

static void bench_block(const char *name, unsigned int bits, float step)
{
	struct cloudblock_params p = {
		.leaf = 0.1f, .bits = bits, .step = { step },
	};
	struct cloudblock_encoder *e = cloudblock_encoder_create(MAX);
	struct cloudblock_decoder *d = cloudblock_decoder_create(MAX, PARTS);
	double encode, decode;

	voxel_filter(voxel, in, p.leaf, out);
	encode = BEST(20, cloudblock_encode(e, out, &p, payloads));
	decode = BEST(20, ({
		cloudblock_begin(d);
		for (unsigned int k = 0; k < payloads->count; k++)
			cloudblock_add(d, payload_at(payloads, k),
				       payloads->len[k]);
		cloudblock_finish(d, back);
	}));
	printf("block %-10s %6u bits %u%s %4u datagrams %.3f B/point, "
	       "%4.0f points each, encode %.0f decode %.0f ns/point, %.0f "
	       "memcpy\n", name, out->count, bits,
	       step < 0 ? "" : " intensity", payloads->count,
	       (double)payload_bytes() / out->count,
	       (double)out->count / payloads->count,
	       encode * 1e3 / out->count, decode * 1e3 / out->count,
	       encode / copy_us(out->count * 12));
	cloudblock_encoder_destroy(e);
	cloudblock_decoder_destroy(d);
}

static void bench_cloud(const char *name)
{
	for (float leaf = 0.05f; leaf < 0.3f; leaf *= 2)
		bench_voxel(name, leaf);
	for (unsigned int bits = 0; bits <= 6; bits += 1 + bits / 3 * 2)
		bench_block(name, bits, -1);
	bench_block(name, 2, 4);
}

static void bench_turn(const struct organised *o,
		       const struct rangeimage_params *p)
{
	struct rangeimage *d = rangeimage_create(o->rings, o->columns);
	struct organised got = { 0 };
	unsigned int returns = 0;
	double encode, decode;

	for (unsigned int i = 0; i < o->rings * o->columns; i++)
		returns += o->range[i] != 0;
	encode = BEST(50, rangeimage_encode(o, p, payloads));
	decode = BEST(50, ({
		rangeimage_begin(d);
		for (unsigned int k = 0; k < payloads->count; k++)
			rangeimage_add(d, payload_at(payloads, k),
				       payloads->len[k]);
		rangeimage_finish(d, &got, NULL);
	}));
	printf("turn  %2u mm intensity 1/%u %3u datagrams %6u B, %.3f "
	       "B/return, encode %.0f decode %.0f us, %.0f memcpy\n",
	       2 * p->multiple, p->intensity, payloads->count, payload_bytes(),
	       (double)payload_bytes() / returns, encode, decode,
	       encode / copy_us(o->rings * o->columns * 2));
	rangeimage_destroy(d);
}

static void bench_turns(FILE *f)
{
	static const struct rangeimage_params params[] = {
		{ 1, 0, 0 }, { 5, 0, 0 }, { 1, 8, 0 }, { 1, 32, 0 },
		{ 1, 0, 1 }, { 1, 0, 8 },
	};
	struct organiser *g = organiser_create(MAX);
	struct velodyne *v = velodyne_create();
	uint8_t packet[VELODYNE_PACKET];
	struct organised o, again = { 0 };

	while (fread(packet, sizeof(packet), 1, f))
		if (velodyne_add(v, packet, sizeof(packet), &o) == 1)
			break;
	for (unsigned int i = 0; i < sizeof(params) / sizeof(*params); i++)
		bench_turn(&o, &params[i]);
	printf("turn  to a cloud %.0f us, ",
	       BEST(50, organised_to_cloud(&o, back)));
	printf("and back %.0f us\n",
	       BEST(50, cloud_to_organised(g, back, o.unit, &again, NULL)));
	organiser_destroy(g);
	velodyne_destroy(v);
}

int main(void)
{
	FILE *f = fopen(CLOUDS "vlp16_recording_1000x1206.bin", "rb");

	in = cloud_create(MAX);
	out = cloud_create(MAX);
	back = cloud_create(MAX);
	voxel = voxel_create(MAX);
	payloads = guarded_create(PAYLOAD_MAX, PARTS);
	printf("voxel cloud      points  leaf voxels  AVX2 us portable"
	       "   PCL us  PCL/AVX2, /portable\n");
	if (load_cloud(in, CLOUDS "vlp16_scan01_xyzi_f32.bin")) {
		bench_cloud("vlp16");
		/* a scan and a half: D6.3's 23,000 points */
		cloud_append(in, in, 0, 23040 - in->count);
		bench_voxel("vlp16 x1.5", 0.1f);
	} else {
		cloud_add_field(in, "intensity", CLOUD_FLOAT32);
		add_room(in, 23040, 1);
		bench_cloud("room");
	}
	if (load_cloud(in, CLOUDS "ndt_omp_251370668.pcd"))
		bench_cloud("ndt_omp");
	if (f)
		bench_turns(f);
	return 0;
}
