// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_cloudblock - any cloud through any subset of its datagrams
 */
#include <errno.h>
#include "cloud_fixture.h"
#include "codec/cloud/cloudblock.h"
#include "codec/cloud/voxel.h"

enum { MAX = 1000000, PARTS = 20000 };

static struct cloud *in, *out, *full;
static struct cloudblock_encoder *encoder;
static struct cloudblock_decoder *decoder;
static struct payloads *payloads;

static int add(unsigned int k)
{
	return cloudblock_add(decoder, payload_at(payloads, k),
			      payloads->len[k]);
}

static bool decode_all(struct cloud *to)
{
	cloudblock_begin(decoder);
	for (unsigned int k = payloads->count; k--; )
		if (add(k))
			return false;
	return !cloudblock_finish(decoder, to);
}

/* Steps from the origin: what a point is rounded to */
struct place {
	double		at[3];
	uint32_t	point;
};

static int compare(const void *pa, const void *pb)
{
	const struct place *a = pa, *b = pb;

	for (int i = 0; i < 3; i++)
		if (a->at[i] != b->at[i])
			return a->at[i] < b->at[i] ? -1 : 1;
	return a->point < b->point ? -1 : a->point > b->point;
}

static struct place *places(const struct cloud *c, double step)
{
	struct place *p = calloc(c->count + 1, sizeof(*p));

	for (unsigned int i = 0; i < c->count; i++)
		p[i] = (struct place){
			{ floor(c->x[i] / step), floor(c->y[i] / step),
			  floor(c->z[i] / step) }, i };
	qsort(p, c->count, sizeof(*p), compare);
	return p;
}

/* Every point of one is at the place of one of the other, with its fields */
static bool match(const struct cloud *a, const struct cloud *b,
		  const struct cloudblock_params *p)
{
	double step = ldexp(p->leaf, -(int)p->bits);
	struct place *pa = places(a, step), *pb = places(b, step);
	bool good = a->count == b->count && a->fields == b->fields;

	for (unsigned int i = 0; good && i < a->count; i++) {
		good = !memcmp(pa[i].at, pb[i].at, sizeof(pa[i].at));
		for (unsigned int f = 0; good && f < a->fields; f++) {
			double va = cloud_get(&a->field[f], pa[i].point);
			double vb = cloud_get(&b->field[f], pb[i].point);

			good = fabs(va - vb) <= p->step[f] * 0.5000001;
		}
	}
	free(pa);
	free(pb);
	return good;
}

static void check(const struct cloudblock_params *p, const char *what)
{
	int err;

	/* room behind the last point, which is none */
	if (in->count < in->max)
		in->x[in->count] = NAN;
	err = cloudblock_encode(encoder, in, p, payloads);
	ok(!err, "%s: %u points at %g, %u bits: %u datagrams", what, in->count,
	   p->leaf, p->bits, payloads->count);
	ok(guarded_fit(payloads), "%s: %u points at %g, %u bits: %u datagrams",
	   what, in->count, p->leaf, p->bits, payloads->count);
	ok(decode_all(full), "%s: %u points at %g, %u bits: %u datagrams", what,
	   in->count, p->leaf, p->bits, payloads->count);
	ok(match(in, full, p), "%s: %u points at %g, %u bits: %u datagrams",
	   what, in->count, p->leaf, p->bits, payloads->count);
}

static void begin(void)
{
	in->count = in->fields = 0;
}

static void made_ones(void)
{
	struct cloudblock_params p = { .leaf = 0.1f, .bits = 2 };

	begin();
	check(&p, "nothing");
	add_point(in, -0.05f, 3, -1e4f);
	check(&p, "one point");
	for (int i = 0; i < 100000; i++)
		add_point(in, -0.05f, 3, -1e4f);
	check(&p, "equal points");
	begin();
	for (int i = -400; i <= 400; i++)
		for (int s = -1; s <= 1; s++)
			add_point(in, nextafterf(i * 0.25f, s * 1e9f),
				  i % 3 * 0.25f, -i * 0.25f);
	p.leaf = 0.25f;
	for (p.bits = 0; p.bits <= 10; p.bits += 5)
		check(&p, "points at borders");
	begin();
	add_room(in, 30000, 1);
	for (p.bits = 0; p.bits <= 10; p.bits++)
		check(&p, "a room");
	begin();
	add_noise(in, 50000, 0.8f, 2);
	p = (struct cloudblock_params){ .leaf = 0.1f, .bits = 6 };
	check(&p, "dense blocks");
	begin();
	add_noise(in, 3000, 10000, 2);
	check(&p, "far apart");
	begin();
	add_room(in, tap_rounds(MAX / 5, MAX), 3);
	p.bits = 2;
	check(&p, "a large room");
}

static void fields(void)
{
	struct cloudblock_params p = {
		.leaf = 0.1f, .bits = 10, .step = { 0, 0, 0, 0 },
	};
	struct voxel *v = voxel_create(MAX);

	full->count = full->fields = 0;
	/* one in a voxel, so that each is known by its place */
	add_room(full, 5000, 8);
	voxel_filter(v, full, 0.1f, in);
	voxel_destroy(v);
	add_fields(in);
	check(&p, "exact fields");
	p.step[0] = 8;
	p.step[1] = 1;
	p.step[3] = 1e-4f;
	check(&p, "rounded fields");
	p.step[1] = -1;
	ok(!cloudblock_encode(encoder, in, &p, payloads),
	   "a field that is left out");
	ok(decode_all(full), "a field that is left out");
	ok_eq(full->fields, 3, "a field that is left out");
	ok(cloud_find(full, "ring") < 0, "a field that is left out");
	ok_eq(cloud_find(full, "time"), 2, "a field that is left out");
	for (int i = 0; i < 4; i++)
		cloud_add_field(in, &"abcdefgh"[i], CLOUD_FLOAT64);
	p = (struct cloudblock_params){ .leaf = 0.1f, .bits = 10 };
	check(&p, "eight fields");
	((float *)in->field[0].data)[9] = NAN;
	((double *)in->field[3].data)[9] = 1e300;
	p.step[0] = p.step[3] = 1;
	ok(!cloudblock_encode(encoder, in, &p, payloads),
	   "a NaN and a number too large");
	ok(decode_all(full), "a NaN and a number too large");
	ok_eq(full->count, in->count, "a NaN and a number too large");
}

/* The points of payload k are the same whatever else arrives */
static void subsets(void)
{
	struct cloudblock_params p = { .leaf = 0.1f, .bits = 2, .step = { 4 } };
	unsigned int *first, sizes[] = { 1424, 300 };
	uint64_t seed = 5;
	bool good;

	begin();
	add_room(in, 20000, 1);
	cloud_add_field(in, "intensity", CLOUD_FLOAT32);
	for (int i = 0; i < 2; i++) {
		payloads->size = sizes[i];
		good = !cloudblock_encode(encoder, in, &p, payloads) &&
		       decode_all(full);
		first = calloc(payloads->count + 1, sizeof(*first));
		for (unsigned int k = 0; k < payloads->count; k++) {
			cloudblock_begin(decoder);
			good &= !add(k) && !cloudblock_finish(decoder, out) &&
				same_points(out, 0, full, first[k], out->count);
			first[k + 1] = first[k] + out->count;
		}
		ok(good, "each of %u datagrams alone", payloads->count);
		ok_eq(first[payloads->count], in->count,
		      "each of %u datagrams alone", payloads->count);
		for (int loss = 10; good && loss < 100; loss += 20) {
			unsigned int at = 0, n = payloads->count;
			bool *got = calloc(n, sizeof(*got));

			cloudblock_begin(decoder);
			for (unsigned int j = 0; j < 4 * n; j++) {
				unsigned int k = rnd(&seed, n);

				if ((k * 7919) % 100 < (unsigned int)loss)
					continue;
				good &= add(k) == (got[k] ? -EEXIST : 0);
				got[k] = true;
			}
			good &= !cloudblock_finish(decoder, out);
			for (unsigned int k = 0; k < n; k++) {
				unsigned int m = first[k + 1] - first[k];

				if (!got[k])
					continue;
				good &= same_points(out, at, full, first[k], m);
				at += m;
			}
			good &= at == out->count;
			free(got);
		}
		ok(good, "any of them in any order, some twice");
		free(first);
	}
	payloads->size = PAYLOAD_MAX;
}

/* How many of the squares of a plane have a point */
static unsigned int covered(const struct cloud *c, float square)
{
	bool seen[32][32] = { { false } };
	unsigned int n = 0;

	for (unsigned int i = 0; i < c->count; i++)
		seen[(int)(c->x[i] / square)][(int)(c->y[i] / square)] = true;
	for (int i = 0; i < 32 * 32; i++)
		n += seen[i / 32][i % 32];
	return n;
}

static void dispersed(void)
{
	struct cloudblock_params p = { .leaf = 0.1f, .bits = 2 };
	unsigned int worst = 100;
	bool fit = true;

	/* 36 m, of which 4 datagrams would be 4 corners if cut in four */
	begin();
	for (int i = 0; i < 360; i++)
		for (int j = 0; j < 360; j++)
			add_point(in, i * 0.1f + 0.03f, j * 0.1f + 0.03f, 0);
	cloudblock_encode(encoder, in, &p, payloads);
	for (unsigned int k = 0; k + 8 < payloads->count; k++) {
		unsigned int n;

		cloudblock_begin(decoder);
		for (unsigned int j = 0; j < 8; j++)
			fit &= !add(k + j);
		cloudblock_finish(decoder, out);
		n = covered(out, 6);
		worst = n < worst ? n : worst;
	}
	ok(fit, "8 of %u datagrams show %u of 36 squares at " "least",
	   payloads->count, worst);
	ok(worst >= 24, "8 of %u datagrams show %u of 36 squares at " "least",
	   payloads->count, worst);
}

static void broken(void)
{
	struct cloudblock_params p = { .leaf = 0.1f, .bits = 2 }, q = p;
	uint8_t bad[PAYLOAD_MAX + 1];
	unsigned int refused = 0, tried = 0;
	uint64_t seed = 3;

	begin();
	add_room(in, 5000, 1);
	cloudblock_encode(encoder, in, &p, payloads);
	cloudblock_begin(decoder);
	ok(!add(0), "a duplicate");
	ok_eq(add(0), -EEXIST, "a duplicate");
	memcpy(bad, payload_at(payloads, 1), payloads->len[1]);
	bad[2] ^= 1;
	ok(cloudblock_add(decoder, bad, payloads->len[1]) == -EINVAL,
	   "another leaf");
	bad[2] ^= 1;
	bad[0] = 0;
	ok(cloudblock_add(decoder, bad, payloads->len[1]) == -EPROTO,
	   "another version");
	cloudblock_finish(decoder, out);
	for (unsigned int i = 0; i < tap_rounds(1000, 3000); i++) {
		unsigned int len = payloads->len[1];

		memcpy(bad, payload_at(payloads, 1), len);
		bad[len] = 1;
		if (i < len)
			len = i;
		else if (i == len)
			len++;
		else
			bad[rnd(&seed, len)] ^= 1 << rnd(&seed, 8);
		tried++;
		if (!cloudblock_add(decoder, bad, len)) {
			/* wrong points, in their place */
			cloudblock_begin(decoder);
			add(0);
			continue;
		}
		refused++;
		cloudblock_finish(decoder, full);
		if (!same_cloud(full, out)) {
			ok(false, "what was refused changed something");
			return;
		}
	}
	ok(refused > tried / 2, "%u of %u broken payloads refused, without a "
	   "trace", refused, tried);
	ok(!add(1), "the good one after them");
	q.leaf = 0;
	ok(cloudblock_encode(encoder, in, &q, payloads) == -EINVAL, "leaf 0");
	q.leaf = 0.1f;
	q.bits = 11;
	ok(cloudblock_encode(encoder, in, &q, payloads) == -EINVAL, "11 bits");
	q = p;
	q.leaf = 1e-6f;
	ok_eq(cloudblock_encode(encoder, in, &q, payloads), -ERANGE,
	      "a leaf too small");
	ok(!payloads->count, "a leaf too small");
	in->x[4] = NAN;
	ok(cloudblock_encode(encoder, in, &p, payloads) == -ERANGE, "a NaN");
	in->x[4] = 0;
	payloads->max = 2;
	ok(cloudblock_encode(encoder, in, &p, payloads) == -ENOSPC,
	   "too few slots");
	payloads->max = PARTS;
	payloads->size = 20;
	ok(cloudblock_encode(encoder, in, &p, payloads) == -EMSGSIZE,
	   "slots too small");
	payloads->size = PAYLOAD_MAX;
}

static void size_of(const char *what, float most)
{
	struct cloudblock_params p = {
		.leaf = 0.1f, .bits = 2, .step = { -1 },
	};
	struct voxel *v = voxel_create(MAX);
	unsigned int plain = 0, bytes = 0;

	voxel_filter(v, in, p.leaf, out);
	voxel_destroy(v);
	cloudblock_encode(encoder, out, &p, payloads);
	for (unsigned int k = 0; k < payloads->count; k++)
		plain += payloads->len[k];
	ok(plain <= out->count * most, "%s: %.2f bytes a point", what,
	   (double)plain / out->count);
	p.step[0] = 4;
	cloudblock_encode(encoder, out, &p, payloads);
	for (unsigned int k = 0; k < payloads->count; k++)
		bytes += payloads->len[k];
	ok(bytes - plain <= out->count, "and %.2f for its intensity",
	   (double)(bytes - plain) / out->count);
}

static void sizes(void)
{
	static const char *const paths[] = {
		CLOUDS "vlp16_scan01_xyzi_f32.bin",
		CLOUDS "ndt_omp_251370668.pcd",
	};

	begin();
	add_room(in, 60000, 1);
	cloud_add_field(in, "intensity", CLOUD_FLOAT32);
	for (unsigned int i = 0; i < in->count; i++)
		cloud_put(&in->field[0], i, 100 + 50 * sin(in->x[i]));
	size_of("a room", 1.5f);
	for (int i = 0; i < 2; i++) {
		if (load_cloud(in, paths[i]))
			size_of(paths[i], 1.5f);
		else
			ok(true, "%s # SKIP not there", paths[i]);
	}
}

int main(void)
{
	in = cloud_create(MAX);
	out = cloud_create(MAX);
	full = cloud_create(MAX);
	encoder = cloudblock_encoder_create(MAX);
	decoder = cloudblock_decoder_create(MAX, PARTS);
	payloads = guarded_create(PAYLOAD_MAX, PARTS);
	made_ones();
	fields();
	subsets();
	dispersed();
	broken();
	sizes();
	cloud_destroy(in);
	cloud_destroy(out);
	cloud_destroy(full);
	cloudblock_encoder_destroy(encoder);
	cloudblock_decoder_destroy(decoder);
	guarded_destroy(payloads);
	return tap_done();
}
