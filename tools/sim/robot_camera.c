// SPDX-License-Identifier: GPL-2.0-only
/*
 * robot_camera - what cameras of the simulated robot see
 *
 * A column of pixels is one level ray. Light: a headlight, emergency lamps and
 * the fire. Smoke lies along the ray, denser at the ceiling.
 */
#include <math.h>
#include "robot_camera.h"

enum { SMOKE_STEPS = 24 };
#define SMOKE_STEP	.5f		/* m */

struct colour {
	float	r, g, b;
};

static struct colour mix(struct colour a, struct colour b, float share)
{
	return (struct colour){ a.r + (b.r - a.r) * share,
				a.g + (b.g - a.g) * share,
				a.b + (b.b - a.b) * share };
}

static struct colour scale(struct colour c, float by)
{
	return (struct colour){ c.r * by, c.g * by, c.b * by };
}

static void add(struct colour *to, struct colour c, float by)
{
	to->r += c.r * by;
	to->g += c.g * by;
	to->b += c.b * by;
}

static float clamp(float v, float low, float high)
{
	return v < low ? low : v > high ? high : v;
}

static float between(float v, float low, float high)
{
	const float s = clamp((v - low) / (high - low), 0, 1);

	return s * s * (3 - 2 * s);
}

static float hash(int x, int y)
{
	uint32_t h = x * 374761393U + y * 668265263U;

	h = (h ^ h >> 13) * 1274126177U;
	return (h ^ h >> 16) / 2147483648.f - 1;
}

static int whole(float v)
{
	const int i = v;

	return i - (i > v);
}

float robot_noise(float x, float y)
{
	const int i = whole(x), k = whole(y);
	const float u = between(x - i, 0, 1), v = between(y - k, 0, 1);
	const float low = hash(i, k) + (hash(i + 1, k) - hash(i, k)) * u;
	const float high = hash(i, k + 1) +
			   (hash(i + 1, k + 1) - hash(i, k + 1)) * u;

	return low + (high - low) * v;
}

/*
 * Surfaces
 */

/* Each corridor has a colour of its own, so that one knows where one is */
static struct colour paint(float x, float y)
{
	const bool inside = x > 5 && x < 23.2f && y > 5 && y < 15.2f;

	if (inside && y < 7.3f)
		return (struct colour){ .10f, .24f, .42f };
	if (inside && y > 12.8f)
		return (struct colour){ .13f, .34f, .20f };
	if (inside && x < 7.3f)
		return (struct colour){ .46f, .35f, .10f };
	if (inside && x > 20.8f)
		return (struct colour){ .40f, .13f, .11f };
	return (struct colour){ .34f, .33f, .34f };
}

static struct colour of_wall(const struct world_hit *h)
{
	const float along = h->across ? h->y : h->x;
	const float spot = robot_noise(along * 3, h->z * 3 + 50 * h->across);
	struct colour c = { .62f, .60f, .54f };

	if (h->surface == SURFACE_LINTEL)
		return (struct colour){ .42f, .40f, .36f };
	if (h->kind == WORLD_JAMB)
		return (struct colour){ .30f, .17f, .08f };
	if (h->z < .12f)
		return (struct colour){ .07f, .07f, .08f };
	if (h->z < 1)
		c = paint(h->x, h->y);
	else if (h->z < 1.06f)
		c = (struct colour){ .80f, .78f, .72f };
	if (fabsf(remainderf(along, 1.2f)) < .012f)
		c = scale(c, .7f);
	return scale(c, 1 + .10f * spot);
}

static struct colour of_floor(const struct world_hit *h)
{
	const int tile = whole(h->x / .6f) + whole(h->y / .6f);
	const bool corridor = h->x > 5.1f && h->x < 23.1f && h->y > 5.1f &&
			      h->y < 15.1f &&
			      !(h->x > 7.3f && h->x < 20.9f && h->y > 7.3f &&
				h->y < 12.9f);
	const float to_line = fminf(fminf(fabsf(h->y - 6.2f), fabsf(h->y - 14)),
				    fminf(fabsf(h->x - 6.2f), fabsf(h->x - 22)));
	const float burnt = hypotf(h->x - WORLD_FIRE_X, h->y - WORLD_FIRE_Y);
	struct colour c = tile & 1 ? (struct colour){ .25f, .25f, .24f } :
				     (struct colour){ .20f, .20f, .20f };

	if (corridor && to_line < .045f)
		c = (struct colour){ .60f, .48f, .08f };
	return scale(c, (1 + .14f * robot_noise(h->x * 2, h->y * 2)) *
			(burnt < 2 ? .3f + .35f * burnt : 1));
}

static struct colour of_ceiling(const struct world *w, const struct world_hit *h,
				float *glow)
{
	const float x = remainderf(h->x, .6f), y = remainderf(h->y, .6f);

	for (unsigned int i = 0; i < w->lamp_count; i++)
		if (fabsf(h->x - w->lamps[i][0]) < .3f &&
		    fabsf(h->y - w->lamps[i][1]) < .15f)
			*glow = 1.3f;
	return fabsf(x) < .015f || fabsf(y) < .015f ?
	       (struct colour){ .20f, .20f, .20f } :
	       (struct colour){ .46f, .46f, .45f };
}

static struct colour surface(const struct world *w, const struct world_hit *h,
			     float *glow)
{
	if (h->surface == SURFACE_FLOOR)
		return of_floor(h);
	if (h->surface == SURFACE_CEILING)
		return of_ceiling(w, h, glow);
	return of_wall(h);
}

float robot_surface_light(const struct world_hit *h)
{
	const struct colour c = h->surface == SURFACE_FLOOR ? of_floor(h) :
				h->surface == SURFACE_CEILING ?
				(struct colour){ .45f, .45f, .45f } : of_wall(h);

	return clamp(.3f * c.r + .6f * c.g + .1f * c.b, 0, 1);
}

/* A sign over the corridor's wall shines by itself */
static bool is_sign(const struct world_hit *h)
{
	const float along = h->across ? h->y : h->x;

	return h->surface == SURFACE_WALL && h->kind == WORLD_WALL &&
	       h->z > 2.0f && h->z < 2.2f &&
	       fabsf(remainderf(along - 2.4f, 5.2f)) < .2f;
}

/*
 * Light
 */

static const struct colour white = { 1, 1, 1 };
static const struct colour lamp = { .55f, .85f, .75f };
static const struct colour orange = { 1, .42f, .10f };

static float flicker(float t)
{
	return 1 + .22f * robot_noise(t * 6, 3) + .12f * robot_noise(t * 13, 9);
}

static struct colour lit(const struct world *w, const struct robot_camera *c,
			 const struct world_hit *h, float dx, float dy,
			 float beam)
{
	const float x = h->x - .08f * dx, y = h->y - .08f * dy;
	const float low = h->surface == SURFACE_CEILING ? .6f : 1;
	struct colour light = scale(white, .025f), albedo;
	float glow = 0;

	if (is_sign(h))
		return (struct colour){ .05f, 1.1f, .35f };
	albedo = surface(w, h, &glow);
	add(&light, white, .80f * beam / (1 + .16f * h->d * h->d));
	add(&light, lamp, .40f * world_smooth(w->lamp, x, y));
	add(&light, orange, 4.6f * low * flicker(c->t) *
			    world_smooth(w->fire, x, y));
	light.r = light.r * albedo.r + lamp.r * glow;
	light.g = light.g * albedo.g + lamp.g * glow;
	light.b = light.b * albedo.b + lamp.b * glow;
	return light;
}

/**
 * struct haze - smoke along a ray, up to each step
 * @depth:	optical depth; @glow: light of the fire in it
 */
struct haze {
	float	depth[SMOKE_STEPS + 1], glow[SMOKE_STEPS + 1];
};

static void gather(const struct world *w, const struct robot_camera *c,
		   float dx, float dy, float far, struct haze *z)
{
	z->depth[0] = z->glow[0] = 0;
	for (unsigned int i = 0; i < SMOKE_STEPS; i++) {
		const float d = (i + .5f) * SMOKE_STEP;
		const float x = c->at.x + d * dx, y = c->at.y + d * dy;
		float s = 0;

		if (d < far)
			s = world_at(w->smoke, x, y) * SMOKE_STEP *
			    (1 + .7f * robot_noise(x * 1.1f - .5f * c->t,
						   y * 1.1f + .3f * c->t));
		z->depth[i + 1] = z->depth[i] + s;
		z->glow[i + 1] = z->glow[i] + s * (d < far ?
						   world_at(w->fire, x, y) : 0);
	}
}

static struct colour through(const struct haze *z, const struct robot_camera *c,
			     float d, float high, struct colour behind)
{
	const float at = clamp(d / SMOKE_STEP, 0, SMOKE_STEPS - .001f);
	const unsigned int i = at;
	const float part = at - i;
	const float thick = .45f + 1.1f * between(high, .7f, 2.3f);
	const float depth = z->depth[i] + part * (z->depth[i + 1] - z->depth[i]);
	const float glow = z->glow[i] + part * (z->glow[i + 1] - z->glow[i]);
	const float seen = expf(-depth * thick);
	struct colour smoke = { .06f, .06f, .065f }, out;

	if (depth > 1e-4f)
		add(&smoke, orange, 2.2f * flicker(c->t) * glow / depth);
	out = mix(smoke, behind, seen);
	return out;
}

/*
 * Flames: a curtain that faces the camera
 */

/**
 * struct flames - as the camera sees them
 * @ahead, @left: of the camera, m
 */
struct flames {
	float	ahead, left;
};

static struct colour flame_colour(float heat)
{
	const struct colour c = { 3.4f, 1.25f * heat * heat + .35f,
				  .7f * heat * heat * heat };

	return scale(c, clamp(heat * 1.4f, 0, 1));
}

/* 0..1; @u: sideways, @v: up, m */
static float flame_heat(float u, float v, float t)
{
	const float wind = .16f * v * robot_noise(v * 1.5f - 2 * t, 7);
	const float tongue = robot_noise(u * 3.5f, v * 1.9f - 3.2f * t) * .6f +
			     robot_noise(u * 8, v * 4 - 5 * t) * .35f;
	const float top = 1.55f + .5f * robot_noise(u * 2.6f, t * 2);
	const float wide = .62f * sqrtf(clamp(1 - v / top, 0, 1));

	if (v < 0 || wide <= 0)
		return 0;
	return clamp(1.25f - fabsf(u + wind) / wide + .75f * tongue, 0, 1.2f);
}

static void add_flames(const struct flames *f, const struct robot_camera *c,
		       float side, float slope, float far, struct colour *to)
{
	float d, heat;

	if (f->ahead < .3f)
		return;
	d = f->ahead * sqrtf(1 + side * side);
	if (d > far)
		return;
	heat = flame_heat(f->left - side * f->ahead, c->z + slope * d, c->t);
	if (heat > 0)
		*to = mix(*to, flame_colour(heat), clamp(heat * 2, 0, 1));
}

static uint8_t byte(float light)
{
	const float v = 1 - expf(-1.25f * light);

	return clamp(255 * sqrtf(v), 0, 255);
}

void robot_camera_see(const struct world *w, const struct robot_camera *c,
		      struct image *image)
{
	const float f = image->width / 2.f / tanf(c->view / 2);
	const float cs = cosf(c->at.yaw), sn = sinf(c->at.yaw);
	const float fx = WORLD_FIRE_X - c->at.x, fy = WORLD_FIRE_Y - c->at.y;
	const struct flames fire = { fx * cs + fy * sn, fy * cs - fx * sn };
	const float bloom = world_at(w->fire, c->at.x, c->at.y) * flicker(c->t);

	for (unsigned int i = 0; i < image->width; i++) {
		const float side = (image->width / 2.f - i - .5f) / f;
		const float n = 1 / sqrtf(1 + side * side);
		const float dx = (cs - side * sn) * n, dy = (sn + side * cs) * n;
		struct world_ray ray;
		struct haze haze;
		float far;

		world_cast(w, c->at.x, c->at.y, dx, dy, &ray);
		far = ray.layer[ray.layers - 1].from;
		gather(w, c, dx, dy, far, &haze);
		for (unsigned int k = 0; k < image->height; k++) {
			const float up = (image->height / 2.f - k - .5f) / f;
			const struct world_hit h = world_end(&ray, c->at.x,
				c->at.y, c->z, dx, dy, up * n);
			const float off = side * side + (up + .1f) * (up + .1f);
			uint8_t *p = image_row(image, k) + 3 * i;
			struct colour out = lit(w, c, &h, dx, dy,
						expf(-1.6f * off));
			float grain = .012f * hash(i + 331 * (int)(c->t * 10), k);

			add_flames(&fire, c, side, up * n, far, &out);
			out = through(&haze, c, h.d, (c->z + h.z) / 2, out);
			if (fire.ahead > .3f) {
				const float a = side - fire.left / fire.ahead;
				const float b = up - (.6f - c->z) / fire.ahead;

				add(&out, orange, .5f * bloom *
				    expf(-(a * a + b * b) * 5));
			}
			p[0] = byte(fmaxf(out.r + grain, 0));
			p[1] = byte(fmaxf(out.g + grain, 0));
			p[2] = byte(fmaxf(out.b + grain, 0));
		}
	}
}

/* Degrees Celsius of a place */
static float warmth(const struct world *w, const struct world_hit *h)
{
	const float smoke = world_at(w->smoke, h->x, h->y);
	float t = 19 + 1.5f * robot_noise(h->x, h->y + 3 * h->z);

	t += h->surface == SURFACE_CEILING ? 2.5f : h->surface ==
	     SURFACE_FLOOR ? -1.5f : h->z;
	if (h->kind == WORLD_JAMB && h->surface == SURFACE_WALL)
		t -= 1.5f;
	return t + 130 * world_smooth(w->fire, h->x, h->y) +
	       smoke * 90 * between(h->z, .5f, 2.4f);
}

void robot_camera_feel(const struct world *w, const struct robot_camera *c,
		       struct image *image)
{
	const float f = image->width / 2.f / tanf(c->view / 2);
	const float cs = cosf(c->at.yaw), sn = sinf(c->at.yaw);
	const float fx = WORLD_FIRE_X - c->at.x, fy = WORLD_FIRE_Y - c->at.y;
	const float ahead = fx * cs + fy * sn, left = fy * cs - fx * sn;

	for (unsigned int i = 0; i < image->width; i++) {
		const float side = (image->width / 2.f - i - .5f) / f;
		const float n = 1 / sqrtf(1 + side * side);
		const float dx = (cs - side * sn) * n, dy = (sn + side * cs) * n;
		struct world_ray ray;
		float far;

		world_cast(w, c->at.x, c->at.y, dx, dy, &ray);
		far = ray.layer[ray.layers - 1].from;
		for (unsigned int k = 0; k < image->height; k++) {
			const float up = (image->height / 2.f - k - .5f) / f;
			struct world_hit h = world_end(&ray, c->at.x, c->at.y,
				c->z, dx, dy, up * n);
			uint16_t *p = (uint16_t *)image_row(image, k) + i;
			float t, heat = 0;

			/* light of the fire is on this side of the wall */
			h.x -= .08f * dx;
			h.y -= .08f * dy;
			t = warmth(w, &h) + .15f * hash(i + 7 *
							(int)(c->t * 10), k);
			if (ahead > .3f && ahead / n < far)
				heat = flame_heat(left - side * ahead, c->z +
						  up * ahead, c->t);
			t += heat * 420;
			*p = (t + 273.15f) * 100;
		}
	}
}
