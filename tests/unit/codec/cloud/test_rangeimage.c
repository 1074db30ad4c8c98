// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_rangeimage - revolutions through any subset of their datagrams, to
 * clouds and back
 */
#include <errno.h>
#include "cloud_fixture.h"
#include "codec/cloud/rangeimage.h"
#include "codec/cloud/rangeimage_cloud.h"
#include "formats/velodyne.h"

enum { CELLS = ORGANISED_RINGS * ORGANISED_COLUMNS, PARTS = 4096 };

static struct organised o;
static struct payloads *payloads;
static struct rangeimage *decoder;

static int add(unsigned int k)
{
	return rangeimage_add(decoder, payload_at(payloads, k),
			      payloads->len[k]);
}

/* VLP-16's tables, or what no known sensor has */
static void make_tables(unsigned int rings, unsigned int columns, bool known)
{
	float step = 36000.0f / columns;

	o.rings = rings;
	o.columns = columns;
	o.unit = 0.002f;
	for (unsigned int r = 0; r < rings; r++) {
		int laser = r < 8 ? 2 * r : 2 * r - 15;

		o.elevation[r] = known ? (int)r * 200 - 1500 :
				 (int)(r * r % 97) + (int)r * 33 - 2500;
		o.advance[r] = known ? step * laser * (2.304f / 55.296f) :
			       (r % 4) * 3.1f - 7;
	}
	for (unsigned int c = 0; c < columns; c++)
		o.azimuth[c] = (unsigned int)(35000 + c * step +
					      (c * 7 % 5) * 0.4f) % 36000;
}

/* A room of 10 x 8 x 3 m, with some noise, and returns that are missing */
static void make_room(uint64_t seed)
{
	for (unsigned int r = 0; r < o.rings; r++) {
		float e = o.elevation[r] * (float)(M_PI / 18000);

		for (unsigned int c = 0; c < o.columns; c++) {
			unsigned int at = r * o.columns + c;
			float a = (o.azimuth[c] + o.advance[r]) *
				  (float)(M_PI / 18000);
			float x = fabsf(sinf(a) * cosf(e)) / 5;
			float y = fabsf(cosf(a) * cosf(e)) / 4;
			float z = fabsf(sinf(e)) / (e > 0 ? 2 : 1);
			float range = 1 / fmaxf(x, fmaxf(y, z));

			o.range[at] = (range + uniform(&seed, -0.01f, 0.01f)) /
				      o.unit;
			if (rnd(&seed, 100) < 5 || (c / 40) % 7 == 3)
				o.range[at] = 0;
			o.intensity[at] = 40 + r + rnd(&seed, 9);
		}
	}
}

static unsigned int rounded(unsigned int v, unsigned int multiple)
{
	unsigned int q = (v + multiple / 2) / multiple;

	return v && !q ? 1 : q;
}

static bool same_column(const struct organised *d, unsigned int c,
			const struct rangeimage_params *p)
{
	if (d->azimuth[c] != o.azimuth[c])
		return false;
	for (unsigned int r = 0; r < o.rings; r++) {
		unsigned int at = r * o.columns + c, i;

		if (d->range[at] != rounded(o.range[at], p->multiple))
			return false;
		if (!p->intensity || !o.range[at])
			i = 0;
		else
			i = (o.intensity[at] + p->intensity / 2) /
			    p->intensity * p->intensity;
		if (d->intensity[at] != (i < 255 ? i : 255))
			return false;
	}
	return true;
}

static bool same_tables(const struct organised *d, unsigned int multiple)
{
	bool good = d->rings == o.rings && d->columns == o.columns &&
		    d->unit == o.unit * multiple;

	for (unsigned int r = 0; good && r < o.rings; r++)
		good = d->elevation[r] == o.elevation[r] &&
		       fabsf(d->advance[r] - o.advance[r]) < 0.01f;
	return good;
}

/* Of the columns exactly those are there whose payload was added */
static bool decodes(const struct rangeimage_params *p, const bool *got)
{
	unsigned int n = payloads->count;
	struct organised d = { .stamp = 77 };
	const bool *received;
	bool good;

	rangeimage_begin(decoder);
	for (unsigned int k = n; k--; )
		if (got[k] && (add(k) || add(k) != -EEXIST))
			return false;
	rangeimage_finish(decoder, &d, &received);
	good = same_tables(&d, p->multiple) && d.stamp == 77;
	for (unsigned int c = 0; good && c < o.columns; c++) {
		good = received[c] == got[c % n];
		if (good && received[c])
			good = same_column(&d, c, p);
		for (unsigned int r = 0; good && !received[c] && r < o.rings;
		     r++)
			good = !d.range[r * o.columns + c];
	}
	return good;
}

static unsigned int bytes(void)
{
	unsigned int sum = 0;

	for (unsigned int k = 0; k < payloads->count; k++)
		sum += payloads->len[k];
	return sum;
}

static void check(const char *what, unsigned int multiple,
		  unsigned int intensity)
{
	struct rangeimage_params p = {
		.multiple = multiple, .intensity = intensity,
	};
	int err = rangeimage_encode(&o, &p, payloads);
	bool got[PARTS], good;
	uint64_t seed = 3;

	memset(got, true, sizeof(got));
	good = !err && guarded_fit(payloads) && decodes(&p, got);
	ok(good, "%s, %u x %u, multiple %u, intensity %u: %u datagrams, %u "
	   "bytes", what, o.rings, o.columns, multiple, intensity,
	   payloads->count, bytes());
	for (int i = 0; good && i < 8; i++) {
		for (unsigned int k = 0; k < payloads->count; k++)
			got[k] = !rnd(&seed, 1 + i);
		got[rnd(&seed, payloads->count)] = true;
		good = decodes(&p, got);
	}
	ok(good, "any of them");
}

static void made_ones(void)
{
	uint64_t seed = 1;

	make_tables(16, 1808, true);
	make_room(1);
	check("a room", 1, 0);
	ok(payloads->count == RANGEIMAGE_PARTS, "as few datagrams as wanted");
	check("a room", 5, 0);
	check("a room", 1, 1);
	check("a room", 300, 50);
	payloads->size = 200;
	check("a room in small datagrams", 1, 8);
	payloads->size = PAYLOAD_MAX;
	make_tables(32, 1080, false);
	make_room(2);
	check("a sensor unknown", 1, 4);
	make_tables(128, 2048, false);
	make_room(2);
	check("a large sensor", 1, 0);
	make_tables(1, 1, false);
	make_room(2);
	check("a single cell", 1, 1);
	make_tables(3, 20, false);
	make_room(2);
	check("a few columns", 1, 1);
	make_tables(16, 1800, true);
	memset(o.range, 0, CELLS * sizeof(*o.range));
	check("no returns", 1, 1);
	for (unsigned int i = 0; i < 16 * 1800; i++)
		o.range[i] = rnd(&seed, 65536);
	check("noise", 1, 0);
	for (unsigned int i = 0; i < 16 * 1800; i++)
		o.range[i] = rnd(&seed, 2) ? 65535 : 1;
	check("extremes", 1, 0);
	check("extremes", 2, 255);
}

/* Azimuths of columns that are missing are between those of their neighbours */
static void between(void)
{
	struct rangeimage_params p = { .multiple = 1 };
	struct organised d = { 0 };
	int worst = 0;

	make_tables(16, 1808, true);
	make_room(1);
	rangeimage_encode(&o, &p, payloads);
	rangeimage_begin(decoder);
	add(3);
	rangeimage_finish(decoder, &d, NULL);
	for (unsigned int c = 0; c < d.columns; c++) {
		int e = abs(d.azimuth[c] - o.azimuth[c]) % 36000;

		e = e < 18000 ? e : 36000 - e;
		worst = e > worst ? e : worst;
	}
	ok(worst < 25, "azimuths around one datagram: %d/100 degree off",
	   worst);
	rangeimage_begin(decoder);
	rangeimage_finish(decoder, &d, NULL);
	ok(!d.columns, "no datagram, no columns");
}

static void broken(void)
{
	struct rangeimage_params p = { .multiple = 1 };
	uint8_t bad[PAYLOAD_MAX + 1];
	unsigned int refused = 0, tried = 0, len;
	struct rangeimage *small = rangeimage_create(15, 4000);
	struct organised d = { 0 };
	const bool *received;
	uint64_t seed = 3;
	bool clean = true;

	rangeimage_encode(&o, &p, payloads);
	ok(rangeimage_add(small, payload_at(payloads, 0), payloads->len[0]) ==
	   -EPROTO, "more rings than the decoder takes");
	rangeimage_destroy(small);
	rangeimage_begin(decoder);
	add(0);
	len = payloads->len[1];
	memcpy(bad, payload_at(payloads, 1), len);
	bad[4]++;
	ok(rangeimage_add(decoder, bad, len) == -EINVAL, "another shape");
	bad[0] = 0;
	ok(rangeimage_add(decoder, bad, len) == -EPROTO, "another version");
	for (unsigned int i = 0; i < 3000; i++) {
		len = payloads->len[1];
		memcpy(bad, payload_at(payloads, 1), len);
		bad[len] = 1;
		if (i < len)
			len = i;
		else if (i == len)
			len++;
		else
			bad[rnd(&seed, len)] ^= 1 << rnd(&seed, 8);
		tried++;
		if (!rangeimage_add(decoder, bad, len)) {
			rangeimage_begin(decoder);
			add(0);
			continue;
		}
		refused++;
		rangeimage_finish(decoder, &d, &received);
		for (unsigned int at = 1; at < 16 * 1808; at += 16)
			clean &= !d.range[at];
	}
	ok(refused > tried / 3, "%u of %u broken payloads refused, "
	   "without a trace", refused, tried);
	ok(clean, "%u of %u broken payloads refused, " "without a trace",
	   refused, tried);
	ok(!add(1), "the good one after them");
}

static void bad_parameters(void)
{
	struct rangeimage_params p = { .multiple = 0 };

	ok(rangeimage_encode(&o, &p, payloads) == -EINVAL, "multiple 0");
	p.multiple = 1;
	o.azimuth[5] = 36000;
	ok(rangeimage_encode(&o, &p, payloads) == -EINVAL, "azimuth 360");
	o.azimuth[5] = 0;
	o.advance[5] = NAN;
	ok(rangeimage_encode(&o, &p, payloads) == -EINVAL, "advance NaN");
	o.advance[5] = 0;
	o.columns = 0;
	ok(rangeimage_encode(&o, &p, payloads) == -EINVAL, "no columns");
	o.columns = 1808;
	payloads->max = 15;
	ok_eq(rangeimage_encode(&o, &p, payloads), -ENOSPC, "too few slots");
	ok(!payloads->count, "too few slots");
	payloads->max = PARTS;
	payloads->size = 40;
	ok(rangeimage_encode(&o, &p, payloads) == -EMSGSIZE,
	   "slots too small for a column");
	payloads->size = PAYLOAD_MAX;
}

static float apart(const struct cloud *a, unsigned int i,
		   const struct cloud *b, unsigned int j)
{
	return fabsf(a->x[i] - b->x[j]) + fabsf(a->y[i] - b->y[j]) +
	       fabsf(a->z[i] - b->z[j]);
}

/* From points of one to the nearest of the same ring of the other */
static float worst_of(const struct cloud *a, const struct cloud *b)
{
	const uint16_t *ring_a = a->field[1].data, *ring_b = b->field[1].data;
	float worst = 0;

	for (unsigned int i = 0; i < a->count; i += 37) {
		float nearest = INFINITY;

		for (unsigned int j = 0; j < b->count; j++)
			if (ring_a[i] == ring_b[j])
				nearest = fminf(nearest, apart(a, i, b, j));
		worst = fmaxf(worst, nearest);
	}
	return worst;
}

/* A cloud, its points in any order, becomes the revolution it was */
static void clouds(const char *what, bool shuffled)
{
	struct cloud *a = cloud_create(300000), *b = cloud_create(300000);
	struct organiser *g = organiser_create(300000);
	struct organise_report report;
	struct organised d;
	uint64_t seed = 4;
	float worst;
	int err;

	ok(!organised_to_cloud(&o, a), "%s: %u points", what, a->count);
	ok_eq(cloud_find(a, "ring"), 1, "%s: %u points", what, a->count);
	cloud_like(b, a);
	cloud_append(b, a, 0, a->count);
	for (unsigned int i = b->count; shuffled && i-- > 1; ) {
		unsigned int j = rnd(&seed, i + 1);
		struct cloud *t = cloud_create(1);

		cloud_like(t, a);
		cloud_append(t, b, j, 1);
		b->count = j;
		cloud_append(b, b, i, 1);
		b->count = i;
		cloud_append(b, t, 0, 1);
		b->count = a->count;
		cloud_destroy(t);
	}
	err = cloud_to_organised(g, b, o.unit, &d, &report);
	ok(!err,
	   "organised again: %u x %u, %u lost, step %.2f, azimuths %.2f/100 "
	   "degree off", d.rings, d.columns, report.lost, report.step,
	   report.worst);
	ok(report.lost * 500 <= a->count,
	   "organised again: %u x %u, %u lost, step %.2f, azimuths %.2f/100 "
	   "degree off", d.rings, d.columns, report.lost, report.step,
	   report.worst);
	ok_eq(d.rings, o.rings, "the same rings and columns");
	ok(abs((int)d.columns - (int)o.columns) <= 2,
	   "the same rings and columns");
	organised_to_cloud(&d, b);
	worst = worst_of(a, b);
	ok(worst < 0.02f, "points come back within %.1f mm", worst * 1000);
	organiser_destroy(g);
	cloud_destroy(a);
	cloud_destroy(b);
}

static void no_clouds(void)
{
	struct cloud *c = cloud_create(1000);
	struct organiser *g = organiser_create(100);
	struct organised d;

	add_noise(c, 90, 10, 1);
	ok(cloud_to_organised(g, c, 0.002f, &d, NULL) == -EINVAL,
	   "a cloud without rings");
	cloud_add_field(c, "ring", CLOUD_UINT16);
	ok(cloud_to_organised(g, c, 0, &d, NULL) == -EINVAL, "unit 0");
	((uint16_t *)c->field[0].data)[3] = 128;
	ok(cloud_to_organised(g, c, 0.002f, &d, NULL) == -ERANGE, "ring 128");
	c->count = 0;
	ok(cloud_to_organised(g, c, 0.002f, &d, NULL) == -ERANGE, "no points");
	add_noise(c, 200, 10, 1);
	ok(cloud_to_organised(g, c, 0.002f, &d, NULL) == -ENOSPC,
	   "too many points");
	organiser_destroy(g);
	cloud_destroy(c);
}

/* The goals of what is sent, all headers of the payloads included */
static void recording(void)
{
	static const struct {
		struct rangeimage_params p;
		double most;
	} goals[] = { { { 1, 0, 0 }, 1.39 }, { { 5, 0, 0 }, 1.10 } };
	FILE *f = fopen(CLOUDS "vlp16_recording_1000x1206.bin", "rb");
	struct velodyne *v = velodyne_create();
	double sum[2] = { 0 }, returns = 0;
	uint8_t packet[VELODYNE_PACKET];
	struct organised keep = o;
	bool got[PARTS], good = true;

	if (!f) {
		ok(true, "a recording # SKIP not there");
		goto out;
	}
	memset(got, true, sizeof(got));
	while (fread(packet, sizeof(packet), 1, f)) {
		if (velodyne_add(v, packet, sizeof(packet), &o) != 1)
			continue;
		for (int i = 0; i < 2; i++) {
			good &= !rangeimage_encode(&o, &goals[i].p, payloads) &&
				payloads->count == RANGEIMAGE_PARTS &&
				decodes(&goals[i].p, got);
			sum[i] += bytes();
		}
		for (unsigned int i = 0; i < o.rings * o.columns; i++)
			returns += o.range[i] != 0;
	}
	for (int i = 0; i < 2; i++)
		ok(good && sum[i] <= goals[i].most * returns,
		   "a recording at %u mm: %.3f bytes a return",
		   2 * goals[i].p.multiple, sum[i] / returns);
	/* its lowest rings see the robot only */
	clouds("a turn of it", true);
	fclose(f);
out:
	velodyne_destroy(v);
	o = keep;
}

int main(void)
{
	o.range = calloc(CELLS, sizeof(*o.range));
	o.intensity = calloc(CELLS, 1);
	o.azimuth = calloc(ORGANISED_COLUMNS, sizeof(*o.azimuth));
	decoder = rangeimage_create(ORGANISED_RINGS, ORGANISED_COLUMNS);
	payloads = guarded_create(PAYLOAD_MAX, PARTS);
	made_ones();
	between();
	broken();
	bad_parameters();
	make_tables(16, 1808, true);
	make_room(1);
	clouds("a room", false);
	clouds("a room shuffled", true);
	make_tables(32, 1080, false);
	for (unsigned int r = 0; r < 32; r++)
		o.elevation[r] = 100 * r - 1700;
	make_room(1);
	clouds("a sensor unknown", true);
	no_clouds();
	recording();
	free(o.range);
	free(o.intensity);
	free(o.azimuth);
	rangeimage_destroy(decoder);
	guarded_destroy(payloads);
	return tap_done();
}
