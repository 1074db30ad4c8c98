// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_voxel - clouds from and to bytes; the voxel filter against its reference
 */
#include <errno.h>
#include "base/cpu.h"
#include "cloud_fixture.h"
#include "codec/cloud/voxel.h"

enum { MAX = 1000000 };

static struct cloud *in, *out, *ref;
static struct voxel *voxel;

/* Both paths give the reference's bits */
static void check(float leaf, const char *what)
{
	bool good[2];

	voxel_ref_filter(in, leaf, ref);
	for (int portable = 0; portable < 2; portable++) {
		cpu_portable = portable;
		good[portable] = !voxel_filter(voxel, in, leaf, out) &&
				 same_cloud(out, ref);
	}
	cpu_portable = false;
	ok(good[0], "%s at %g: %u points, %u voxels", what, leaf, in->count,
	   ref->count);
	ok(good[1], "%s at %g: %u points, %u voxels", what, leaf, in->count,
	   ref->count);
}

static void begin(void)
{
	in->count = in->fields = 0;
}

static void made_ones(void)
{
	begin();
	add_room(in, 2000, 4);
	check(0.1f, "the first cloud of all");
	begin();
	check(0.1f, "nothing");
	add_point(in, -0.05f, 3, 1e4f);
	check(0.1f, "one point");
	for (int i = 0; i < 5000; i++)
		add_point(in, -0.05f, 3, 1e4f);
	check(0.1f, "equal points");
	ok_eq(out->count, 1, "their mean is exact");
	ok(out->x[0] == -0.05f, "their mean is exact");
	ok(out->z[0] == 1e4f, "their mean is exact");
	begin();
	/* on both sides of all borders of 0.25, which floats meet exactly */
	for (int i = -400; i <= 400; i++)
		for (int s = -1; s <= 1; s++)
			add_point(in, nextafterf(i * 0.25f, s * 1e9f),
				  i % 3 * 0.25f, -i * 0.25f);
	check(0.25f, "points at borders");
	check(0.1f, "points at borders");
	begin();
	add_room(in, 30000, 1);
	add_fields(in);
	for (float leaf = 0.02f; leaf < 10; leaf *= 2.7f)
		check(leaf, "a room with fields");
	begin();
	add_noise(in, 4099, 50, 2);
	check(0.2f, "noise");
	begin();
	add_room(in, MAX, 3);
	check(0.1f, "a million points");
}

static void bad_ones(void)
{
	static const float leaves[] = { 0, -1, NAN, INFINITY, 1e-45f, 1e-7f };
	static const float bad[] = { NAN, INFINITY, -INFINITY, 3e38f };

	for (int portable = 0; portable < 2; portable++) {
		cpu_portable = portable;
		begin();
		add_room(in, 1000, 1);
		for (unsigned int i = 0; i < 6; i++)
			ok(voxel_filter(voxel, in, leaves[i], out) == -ERANGE &&
			   !out->count, "leaf %g is out of range", leaves[i]);
		for (unsigned int i = 0; i < 4; i++) {
			unsigned int at = 999 - 300 * i;

			in->y[at] = bad[i];
			ok(voxel_filter(voxel, in, 0.1f, out) == -ERANGE,
			   "coordinate %g is out of range", bad[i]);
			ok(!out->count, "coordinate %g is out of range",
			   bad[i]);
			in->y[at] = 0;
		}
		ok(!voxel_filter(voxel, in, 0.1f, out), "good again");
		ok(out->count, "good again");
	}
	cpu_portable = false;
}

static void too_many(void)
{
	struct cloud *few = cloud_create(10);
	struct voxel *small = voxel_create(10);

	ok(voxel_filter(voxel, in, 0.1f, few) == -ENOSPC,
	   "more voxels than the cloud takes");
	ok(!few->count, "more voxels than the cloud takes");
	ok(voxel_filter(small, in, 0.1f, out) == -ENOSPC,
	   "more points than the filter takes");
	ok(!out->count, "more points than the filter takes");
	cloud_destroy(few);
	voxel_destroy(small);
}

static void at_most(void)
{
	float leaf = 0, last = 0;

	begin();
	add_room(in, 40000, 5);
	add_fields(in);
	for (unsigned int most = 20000; most >= 20; most /= 3) {
		int err = voxel_filter_most(voxel, in, most, &leaf, out);

		voxel_ref_filter(in, leaf, ref);
		ok(!err, "at most %u: %u at %g", most, out->count, leaf);
		ok(out->count <= most, "at most %u: %u at %g", most, out->count,
		   leaf);
		ok(out->count >= most * 0.9, "at most %u: %u at %g", most,
		   out->count, leaf);
		ok(leaf > last, "at most %u: %u at %g", most, out->count, leaf);
		ok(same_cloud(out, ref), "at most %u: %u at %g", most,
		   out->count, leaf);
		last = leaf;
	}
	ok(!voxel_filter_most(voxel, in, 8, &leaf, out),
	   "at most 8: the octants");
	ok(out->count <= 8, "at most 8: the octants");
	ok_eq(voxel_filter_most(voxel, in, 3, &leaf, out), -ERANGE,
	      "at most 3 of 4 and more octants is refused");
	ok(!out->count, "at most 3 of 4 and more octants is refused");
	ok(!voxel_filter_most(voxel, in, 40000, &leaf, out),
	   "as few as wanted: copied");
	ok(!leaf, "as few as wanted: copied");
	ok(same_cloud(in, out), "as few as wanted: copied");
	in->z[77] = NAN;
	ok(voxel_filter_most(voxel, in, 100, &leaf, out) == -ERANGE,
	   "a NaN is out of range");
	begin();
	for (int i = 0; i < 100; i++)
		add_point(in, 0, 0, 0);
	ok(!voxel_filter_most(voxel, in, 5, &leaf, out), "equal points");
	ok_eq(out->count, 1, "equal points");
}

static void bytes(bool big_endian, uint8_t axis)
{
	struct cloud_layout l = {
		.channels = 5, .step = 48, .big_endian = big_endian,
		.channel = {
			{ "ring", CLOUD_UINT16, 33 }, { "z", axis, 24 },
			{ "x", axis, 4 }, { "y", axis, 16 },
			{ "time", CLOUD_FLOAT64, 40 },
		},
	};
	uint8_t *data, *again;

	begin();
	add_room(in, 1000, 1);
	cloud_add_field(in, "ring", CLOUD_UINT16);
	cloud_add_field(in, "time", CLOUD_FLOAT64);
	for (unsigned int i = 0; i < in->count; i++) {
		cloud_put(&in->field[0], i, i * 60.0);
		cloud_put(&in->field[1], i, 1.6e9 + i / 3.0);
	}
	data = malloc(in->count * l.step);
	again = malloc(in->count * l.step);
	cloud_write(in, &l, data);
	ok(!cloud_begin(out, &l), "bytes and back: %s endian, float%d",
	   big_endian ? "big" : "little", axis == CLOUD_FLOAT64 ? 64 : 32);
	ok(!cloud_read(out, &l, data, 400),
	   "bytes and back: %s endian, float%d", big_endian ? "big" : "little",
	   axis == CLOUD_FLOAT64 ? 64 : 32);
	ok(!cloud_read(out, &l, data + 400 * l.step, 600),
	   "bytes and back: %s endian, float%d", big_endian ? "big" : "little",
	   axis == CLOUD_FLOAT64 ? 64 : 32);
	ok(same_cloud(in, out), "bytes and back: %s endian, float%d",
	   big_endian ? "big" : "little", axis == CLOUD_FLOAT64 ? 64 : 32);
	cloud_write(out, &l, again);
	ok(!memcmp(data, again, in->count * l.step), "the same bytes");
	free(data);
	free(again);
}

static void layouts(void)
{
	struct cloud_layout l, bad;
	struct cloud *small = cloud_create(10);
	uint8_t data[20 * 20];

	begin();
	add_noise(in, 20, 1, 1);
	add_fields(in);
	cloud_packed_layout(in, &l);
	ok_eq(l.channels, 7, "a layout without gaps");
	ok_eq(l.step, 30, "a layout without gaps");
	ok_eq(l.channel[6].offset, 22, "a layout without gaps");
	in->fields = 2;
	cloud_packed_layout(in, &l);
	in->x[3] = NAN;
	in->y[5] = INFINITY;
	cloud_write(in, &l, data);
	ok(!cloud_begin(out, &l), "points that are nowhere are left out");
	ok(!cloud_read(out, &l, data, 20),
	   "points that are nowhere are left out");
	ok_eq(out->count, 18, "points that are nowhere are left out");
	ok_eq(out->dropped, 2, "points that are nowhere are left out");
	ok(same_points(in, 6, out, 4, 14),
	   "points that are nowhere are left out");
	ok(!cloud_begin(small, &l), "too many points");
	ok_eq(cloud_read(small, &l, data, 11), -ENOSPC, "too many points");
	ok(!small->count, "too many points");
	bad = l;
	bad.step--;
	ok(cloud_begin(out, &bad) == -EINVAL, "a field beyond the point");
	bad = l;
	bad.channel[0].offset = -2U;
	ok(cloud_begin(out, &bad) == -EINVAL, "one far beyond it");
	bad = l;
	bad.channel[4].type = 9;
	ok(cloud_begin(out, &bad) == -EINVAL, "no such type");
	bad = l;
	bad.channel[1].name[0] = 'x';
	ok(cloud_begin(out, &bad) == -EINVAL, "x twice");
	bad = l;
	bad.channel[1].name[0] = 'w';
	ok(cloud_begin(out, &bad) == -EINVAL, "no y");
	memset(bad.channel[3].name, 'a', CLOUD_NAME);
	bad.channel[1].name[0] = 'y';
	ok(cloud_begin(out, &bad) == -EINVAL, "a name without end");
	cloud_destroy(small);
}

/* What PCL 1.13 leaves of it */
static void real(void)
{
	static const struct {
		const char *path;
		float leaf;
		unsigned int count;
	} scans[] = {
		{ CLOUDS "vlp16_scan01_xyzi_f32.bin", 0.05f, 5110 },
		{ CLOUDS "vlp16_scan01_xyzi_f32.bin", 0.1f, 2615 },
		{ CLOUDS "vlp16_scan01_xyzi_f32.bin", 0.2f, 1145 },
		{ CLOUDS "ndt_omp_251370668.pcd", 0.1f, 15772 },
	};

	for (unsigned int i = 0; i < 4; i++) {
		if (!load_cloud(in, scans[i].path)) {
			ok(true, "%s # SKIP not there", scans[i].path);
			continue;
		}
		check(scans[i].leaf, scans[i].path);
		ok(out->count == scans[i].count, "as many as PCL leaves");
	}
}

int main(void)
{
	in = cloud_create(MAX);
	out = cloud_create(MAX);
	ref = cloud_create(MAX);
	voxel = voxel_create(MAX);
	made_ones();
	bad_ones();
	too_many();
	at_most();
	bytes(false, CLOUD_FLOAT32);
	bytes(true, CLOUD_FLOAT64);
	layouts();
	real();
	cloud_destroy(in);
	cloud_destroy(out);
	cloud_destroy(ref);
	voxel_destroy(voxel);
	return tap_done();
}
