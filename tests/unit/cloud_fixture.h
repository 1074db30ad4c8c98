/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cloud_fixture.h - clouds and payloads for the tests of what sends them
 *
 * Made by rules, and, where ../shared/data is there, real ones.
 */
#ifndef CLOUD_FIXTURE_H
#define CLOUD_FIXTURE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "codec/cloud/cloud.h"
#include "codec/core/payload.h"
#include "tap.h"

#define CLOUDS	"../shared/data/clouds/"

__attribute__((unused))
static void add_point(struct cloud *c, float x, float y, float z)
{
	c->x[c->count] = x;
	c->y[c->count] = y;
	c->z[c->count] = z;
	c->count++;
}

static float uniform(uint64_t *seed, float low, float high)
{
	return low + (high - low) * (float)(rnd64(seed) >> 40) / (1 << 24);
}

/* A wall at an angle, the ground, and the six sides of a box */
__attribute__((unused))
static void add_room(struct cloud *c, unsigned int n, uint64_t seed)
{
	for (unsigned int i = 0; i < n; i++) {
		float a = uniform(&seed, -1, 1), b = uniform(&seed, -1, 1);
		float s = rnd(&seed, 2) ? 1 : -1;

		switch (rnd(&seed, 5)) {
		case 0:
			add_point(c, 9 + 2 * a, 8 * a, 1.5f * b);
			break;
		case 1:
			add_point(c, 10 * a, 8 * b, -1.5f);
			break;
		case 2:
			add_point(c, -4 + a, 3 + s, b);
			break;
		case 3:
			add_point(c, -4 + s, 3 + a, b);
			break;
		default:
			add_point(c, -4 + a, 3 + b, s);
		}
	}
}

__attribute__((unused))
static void add_noise(struct cloud *c, unsigned int n, float reach,
		      uint64_t seed)
{
	while (n--) {
		float x = uniform(&seed, -reach, reach);
		float y = uniform(&seed, -reach, reach);

		add_point(c, x, y, uniform(&seed, -reach, reach));
	}
}

enum { TURN_RINGS = 16 };

/*
 * A turn of a lidar, the rings of each of @columns one after the other; or, not
 * @organised, the same number of points anywhere
 */
__attribute__((unused))
static void add_turn(struct cloud *c, unsigned int columns, bool organised,
		     uint64_t *seed)
{
	for (unsigned int i = 0; i < columns * TURN_RINGS; i++) {
		double az = organised ? i / TURN_RINGS * (360. / columns) *
					M_PI / 180 : rnd(seed, 6283) * .001;
		double el = (i % TURN_RINGS * 2. - 15) * M_PI / 180;
		double r = 5 + 2 * sin(az * 3);

		add_point(c, r * cos(el) * sin(az), r * cos(el) * cos(az),
			  r * sin(el) + (organised ? 0 :
					 rnd(seed, 100) * .01));
	}
}

/* One field of each kind: averaged, first, packed, in double */
__attribute__((unused))
static void add_fields(struct cloud *c)
{
	uint64_t seed = 7;

	cloud_add_field(c, "intensity", CLOUD_FLOAT32);
	cloud_add_field(c, "ring", CLOUD_UINT16);
	cloud_add_field(c, "rgb", CLOUD_FLOAT32);
	cloud_add_field(c, "time", CLOUD_FLOAT64);
	for (unsigned int i = 0; i < c->count; i++) {
		((float *)c->field[0].data)[i] = rnd(&seed, 256);
		((uint16_t *)c->field[1].data)[i] = rnd(&seed, 16);
		((uint32_t *)c->field[2].data)[i] = rnd64(&seed) & 0xffffff;
		((double *)c->field[3].data)[i] = 1.6e9 + i * 1e-5;
	}
}

__attribute__((unused))
static bool same_points(const struct cloud *a, unsigned int from_a,
			const struct cloud *b, unsigned int from_b,
			unsigned int n)
{
	if (a->fields != b->fields || from_a + n > a->count ||
	    from_b + n > b->count ||
	    memcmp(a->x + from_a, b->x + from_b, n * sizeof(*a->x)) ||
	    memcmp(a->y + from_a, b->y + from_b, n * sizeof(*a->y)) ||
	    memcmp(a->z + from_a, b->z + from_b, n * sizeof(*a->z)))
		return false;
	for (unsigned int f = 0; f < a->fields; f++) {
		size_t bytes = cloud_type_bytes(a->field[f].type);

		if (a->field[f].type != b->field[f].type ||
		    strcmp(a->field[f].name, b->field[f].name) ||
		    memcmp((char *)a->field[f].data + from_a * bytes,
			   (char *)b->field[f].data + from_b * bytes,
			   n * bytes))
			return false;
	}
	return true;
}

__attribute__((unused))
static bool same_cloud(const struct cloud *a, const struct cloud *b)
{
	return a->count == b->count && same_points(a, 0, b, 0, a->count);
}

/*
 * x y z intensity as float32, at the end of a file: all of it, or what follows
 * the line DATA of a .pcd. Return: false if it is not there.
 */
__attribute__((unused))
static bool load_cloud(struct cloud *c, const char *path)
{
	FILE *f = fopen(path, "rb");
	float p[4];
	char line[128];

	c->count = c->fields = 0;
	cloud_add_field(c, "intensity", CLOUD_FLOAT32);
	if (!f)
		return false;
	if (strstr(path, ".pcd"))
		while (fgets(line, sizeof(line), f) &&
		       strncmp(line, "DATA", 4))
			;
	while (c->count < c->max && fread(p, sizeof(p), 1, f) == 1) {
		((float *)c->field[0].data)[c->count] = p[3];
		add_point(c, p[0], p[1], p[2]);
	}
	fclose(f);
	return c->count;
}

__attribute__((unused))
static struct payloads *guarded_create(unsigned int size, unsigned int max)
{
	struct payloads *p = calloc(1, sizeof(*p));

	/* what lies behind a payload is not the encoder's */
	p->stride = size + 16;
	p->size = size;
	p->max = max;
	p->data = malloc(p->stride * max);
	memset(p->data, 0xa5, p->stride * max);
	p->len = calloc(max, sizeof(*p->len));
	return p;
}

__attribute__((unused))
static void guarded_destroy(struct payloads *p)
{
	free(p->data);
	free(p->len);
	free(p);
}

/* Whether all payloads are within their slots */
__attribute__((unused))
static bool guarded_fit(const struct payloads *p)
{
	if (!p->count || p->count > p->max)
		return false;
	for (unsigned int i = 0; i < p->count; i++) {
		const uint8_t *behind = payload_at(p, i) + p->stride - 16;

		if (!p->len[i] || p->len[i] > p->size)
			return false;
		for (unsigned int b = 0; b < 16; b++)
			if (behind[b] != 0xa5)
				return false;
	}
	return true;
}

#endif
