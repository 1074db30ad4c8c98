// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_depth - depth images: exact when enough came, and never a wrong depth
 */
#include <errno.h>
#include <string.h>
#include "codec/image/depth.h"
#include "codec/image/priority.h"
#include "depth_fixture.h"
#include "formats/png_file.h"

#define IMAGES	"../shared/data/images/"

static uint64_t rng = 1;

/* of depth_room() at 640x480, as measured */
#define ROOM_BYTES	43679
#define ROOM_HASH	0xff5647bb10550b4f
#define ROOM_FEW	.5
#define ROOM_MORE	.85
#define ROOM_SINGLE	.1

enum { W = 640, H = 480, SLOTS = PRIORITY_DATAGRAMS, LIMIT = 4 << 20 };

/* Pixels with a depth that the image does not have, or beyond the tolerance */
static unsigned int wrong_depths(const struct image *in,
				 const struct image *out)
{
	unsigned int wrong = 0;

	for (unsigned int y = 0; y < in->height; y++)
		for (unsigned int x = 0; x < in->width; x++) {
			int a = depth_row(in, y)[x], b = depth_row(out, y)[x];

			wrong += b && abs(a - b) * DEPTHCODE_TOLERANCE > a;
		}
	return wrong;
}

/* Pixels that are shown, and are not holes */
static unsigned int known_depths(const struct image *out)
{
	return out->width * out->height - depth_holes(out);
}

static bool same(const struct image *a, const struct image *b)
{
	for (unsigned int y = 0; y < a->height; y++)
		if (memcmp(image_row(a, y), image_row(b, y), 2 * a->width))
			return false;
	return true;
}

/* ---- the embedded code -------------------------------------------------- */

static uint8_t *stream;
static struct zeroblock_curve curve;

static void test_prefixes(const char *name, struct image in)
{
	struct depthcode *c = depthcode_create(in.width, in.height);
	struct image out = depth_image(in.width, in.height);
	unsigned int wrong = 0, fewer = 0, last = 0, most = 0;
	struct depthcode_shown shown;
	bool whole, exact;
	size_t len;

	len = depthcode_encode(c, &in, stream, LIMIT, &whole, &curve);
	depthcode_decode(c, stream, len, true, &out, &shown);
	exact = whole && same(&in, &out) &&
		shown.exact == in.width * in.height;
	for (size_t n = 0; n < len; n += tap_rounds(7, 1)) {
		depthcode_decode(c, stream, n, false, &out, &shown);
		wrong += wrong_depths(&in, &out);
		fewer += shown.exact < last;
		last = shown.exact;
	}
	most = last;
	ok(exact, "%s: %zu bytes, exact; no prefix shows a wrong depth", name,
	   len);
	ok(!wrong, "%s: %zu bytes, exact; no prefix shows a wrong depth", name,
	   len);
	ok(!fewer, "%s: %zu bytes, exact; no prefix shows a wrong depth", name,
	   len);
	/* streams that ended early tell as little beyond their end */
	for (size_t limit = 1; limit < len; limit += 1 + limit / tap_rounds(16, 64)) {
		size_t n = depthcode_encode(c, &in, stream, limit, &whole,
					    &curve);

		depthcode_decode(c, stream, n, false, &out, &shown);
		wrong += whole || n > limit || shown.exact > most ||
			 wrong_depths(&in, &out);
	}
	ok(!wrong, "%s: nor does one that was ended by a limit", name);
	depthcode_destroy(c);
	free(in.data);
	free(out.data);
}

static struct image made_of(unsigned int w, unsigned int h, unsigned int kind)
{
	struct image i = depth_image(w, h);

	for (unsigned int y = 0; y < h; y++)
		for (unsigned int x = 0; x < w; x++) {
			static const uint16_t few[] = { 0, 1, 65535, 900 };
			uint16_t v = 0;

			if (kind == 1)
				v = 65535;
			else if (kind == 2)
				v = few[rnd(&rng, 4)];
			else if (kind == 3)
				v = rnd(&rng, 65536);
			else if (kind == 4)
				v = 1000 + 3 * x + 5 * y;
			else if (kind == 5)
				v = rnd(&rng, 9) ? 0 : 4000 + rnd(&rng, 3);
			depth_row(&i, y)[x] = v;
		}
	return i;
}

static void test_sizes(void)
{
	unsigned int wrong = 0;

	for (unsigned int w = 1; w < 150; w += 1 + w / tap_rounds(2, 5))
		for (unsigned int h = 1; h < 150; h += 1 + h / tap_rounds(2, 5)) {
			struct image in = made_of(w, h, (w + 3 * h) % 6);
			struct image out = depth_image(w, h);
			struct depthcode *c = depthcode_create(w, h);
			struct depthcode_shown shown;
			bool whole;
			size_t len;

			len = depthcode_encode(c, &in, stream, LIMIT, &whole,
					       &curve);
			depthcode_decode(c, stream, len, true, &out, &shown);
			wrong += !whole || !same(&in, &out);
			depthcode_decode(c, stream, len / 2, false, &out,
					 &shown);
			wrong += wrong_depths(&in, &out) > 0;
			depthcode_destroy(c);
			free(in.data);
			free(out.data);
		}
	ok(!wrong, "every size from 1x1 on, any values");
}

/* The first bytes show most of a room */
static void test_coarse(void)
{
	uint64_t seed = 1;
	struct image in = depth_room(W, H, &seed), out = depth_image(W, H);
	struct depthcode *c = depthcode_create(W, H);
	unsigned int all = known_depths(&in), few, more;
	struct depthcode_shown shown;
	uint64_t hash = 0;
	bool whole;
	size_t len;

	len = depthcode_encode(c, &in, stream, LIMIT, &whole, &curve);
	for (size_t i = 0; i < len; i++)
		hash = (hash ^ stream[i]) * 0x100000001b3;
	ok(len <= ROOM_BYTES * 1.03, "a room: %zu bytes, %.2f bit a pixel", len,
	   8. * len / (W * H));
	ok(hash == ROOM_HASH, "which are these on any machine (%#llx)",
	   (unsigned long long)hash);
	depthcode_decode(c, stream, len / 32, false, &out, &shown);
	few = known_depths(&out);
	depthcode_decode(c, stream, len / 8, false, &out, &shown);
	more = known_depths(&out);
	ok(few > all * ROOM_FEW,
	   "a 32nd of them shows %.1f %% of its depths, an eighth %.1f %%",
	   100. * few / all, 100. * more / all);
	ok(more > all * ROOM_MORE,
	   "a 32nd of them shows %.1f %% of its depths, an eighth %.1f %%",
	   100. * few / all, 100. * more / all);
	depthcode_destroy(c);
	free(in.data);
	free(out.data);
}

/* ---- datagrams ---------------------------------------------------------- */

struct rig {
	struct image		in, out;
	struct depth_encoder	*e;
	struct depth_decoder	*d;
	struct payloads		p;
	struct depthcode_shown	shown;
	size_t			room;
};

static void rig_make(struct rig *r, struct image in)
{
	r->in = in;
	r->out = depth_image(in.width, in.height);
	r->room = r->out.stride * in.height;
	r->e = depth_encoder_create(in.width, in.height);
	r->d = depth_decoder_create(in.width, in.height);
	payloads_create(&r->p, SLOTS);
}

static void rig_free(struct rig *r)
{
	depth_encoder_destroy(r->e);
	depth_decoder_destroy(r->d);
	payloads_destroy(&r->p);
	free(r->in.data);
	free(r->out.data);
}

/* Those that are not lost, last ones first. Return: how many */
static unsigned int pass(struct rig *r, unsigned int loss)
{
	unsigned int came = 0;

	depth_begin(r->d);
	for (unsigned int i = r->p.count; i--; )
		if (rnd(&rng, 100) >= loss)
			came += !depth_add(r->d, payload_at(&r->p, i),
					   r->p.len[i]);
	if (!came)
		depth_add(r->d, payload_at(&r->p, 0), r->p.len[0]);
	if (depth_finish(r->d, &r->out, r->room, &r->shown) < 0)
		r->shown = (struct depthcode_shown){ 0, 0 };
	return came;
}

static bool is_exact(const struct rig *r)
{
	return r->shown.exact == r->in.width * r->in.height &&
	       same(&r->in, &r->out);
}

static void test_loss(struct rig *r, const char *name, size_t bytes,
		      double loss)
{
	unsigned int wrong = 0, untrue = 0;

	depth_encode(r->e, &r->in, bytes, loss, &r->p);
	for (unsigned int t = 0; t < 24; t += tap_rounds(3, 1)) {
		pass(r, t % 12 * 9);
		wrong += wrong_depths(&r->in, &r->out);
		untrue += r->shown.exact == r->in.width * r->in.height &&
			  !same(&r->in, &r->out);
		untrue += known_depths(&r->out) >
			  r->shown.exact + r->shown.near;
	}
	ok(!wrong, "%s, %zu bytes in %u datagrams: no wrong depth at "
	   "any loss, and what is known is given", name, bytes, r->p.count);
	ok(!untrue, "%s, %zu bytes in %u datagrams: no wrong depth at "
	   "any loss, and what is known is given", name, bytes, r->p.count);
}

/* Share of frames that are exact, per cent */
static unsigned int exact_share(struct rig *r, unsigned int loss)
{
	unsigned int exact = 0, frames = tap_rounds(5, 40);

	for (unsigned int t = 0; t < frames; t++) {
		pass(r, loss);
		exact += is_exact(r);
	}
	return exact * 100 / frames;
}

/* Share of the depths that is shown, on the mean */
static double known_share(struct rig *r, unsigned int loss)
{
	unsigned int frames = tap_rounds(10, 40);
	double known = 0;

	for (unsigned int t = 0; t < frames; t++) {
		pass(r, loss);
		known += known_depths(&r->out);
	}
	return known / frames / known_depths(&r->in);
}

static void test_room(void)
{
	unsigned int exact, all, least = W * H;
	struct rig r;

	rig_make(&r, depth_room(W, H, &rng));
	all = known_depths(&r.in);
	for (size_t bytes = 300; bytes < 130000; bytes = bytes * 5 / 2)
		test_loss(&r, "a room", bytes, -1);
	test_loss(&r, "a room, loss known", 30000, 0);
	test_loss(&r, "a room, loss known", 30000, .3);
	depth_encode(r.e, &r.in, ROOM_BYTES * 2, -1, &r.p);
	exact = exact_share(&r, 20);
	ok_range(exact, 90, 100, "twice its bytes: exact at a fifth of loss, %%");
	depth_encode(r.e, &r.in, ROOM_BYTES / 2, -1, &r.p);
	for (unsigned int i = 0; i < r.p.count; i++) {
		depth_begin(r.d);
		depth_add(r.d, payload_at(&r.p, i), r.p.len[i]);
		depth_finish(r.d, &r.out, r.room, &r.shown);
		least = known_depths(&r.out) < least ? known_depths(&r.out) : least;
	}
	ok(least > all * ROOM_SINGLE, "half its bytes: any datagram alone shows %.1f %% of it",
	   100. * least / all);
	rig_free(&r);
}

static void test_others(void)
{
	static const char *const names[] = {
		"holes only", "one depth", "four depths", "noise", "a slope",
		"islands",
	};

	for (unsigned int kind = 0; kind < 6; kind++) {
		struct rig r;

		rig_make(&r, made_of(200, 150, kind));
		test_loss(&r, names[kind], 9000, -1);
		test_loss(&r, names[kind], 90000, .1);
		rig_free(&r);
	}
}

static void test_bad(void)
{
	struct image image;
	uint8_t bad[PAYLOAD_MAX];
	unsigned int taken = 0;
	struct rig r;

	rig_make(&r, depth_room(80, 60, &rng));
	depth_encode(r.e, &r.in, 4000, -1, &r.p);
	depth_begin(r.d);
	ok(depth_finish(r.d, &r.out, r.room, &r.shown) == -ENODATA,
	   "nothing is given");
	for (size_t len = 0; len < r.p.len[0]; len++)
		taken += depth_add(r.d, payload_at(&r.p, 0), len) != -EINVAL;
	ok(!taken, "a datagram that was cut is refused");
	ok(!depth_shape(payload_at(&r.p, 0), r.p.len[0], &image),
	   "any tells the image's shape");
	ok_eq(image.width, 80, "any tells the image's shape");
	ok_eq(image.height, 60, "any tells the image's shape");
	ok_eq(image.depth, 16, "any tells the image's shape");
	ok_eq(image.channels, 1, "any tells the image's shape");
	ok(!depth_add(r.d, payload_at(&r.p, 0), r.p.len[0]),
	   "one that came twice counts once");
	ok_eq(depth_add(r.d, payload_at(&r.p, 0), r.p.len[0]), -EEXIST,
	      "one that came twice counts once");
	memcpy(bad, payload_at(&r.p, 1), r.p.len[1]);
	bad[1]++;
	ok(depth_add(r.d, bad, r.p.len[1]) == -EINVAL,
	   "one of another tolerance is refused");
	bad[1]--;
	bad[5] = 4;
	ok(depth_add(r.d, bad, r.p.len[1]) == -EFBIG, "and one too large");
	ok(depth_finish(r.d, &r.out, 99, &r.shown) == -EMSGSIZE,
	   "no room is an error");
	ok(depth_encode(r.e, &r.in, 10, -1, &r.p) == -EMSGSIZE,
	   "a budget must hold a datagram");
	r.in.channels = 3;
	ok(depth_encode(r.e, &r.in, 4000, -1, &r.p) == -EINVAL,
	   "colours are no depths");
	rig_free(&r);
}

/* ---- recordings --------------------------------------------------------- */

static void test_recording(const char *path, size_t most, bool exact_in_air)
{
	struct image in;
	const char *error;
	unsigned int exact, wrong = 0;
	size_t len;
	bool whole;
	struct depthcode *c;
	struct rig r;

	if (png_load(path, &in, &error)) {
		ok(true, "%s # SKIP not there", path);
		return;
	}
	c = depthcode_create(in.width, in.height);
	len = depthcode_encode(c, &in, stream, LIMIT, &whole, &curve);
	ok(whole, "%s: %zu bytes", strrchr(path, '/') + 1, len);
	ok(len <= most * 1.03, "%s: %zu bytes", strrchr(path, '/') + 1, len);
	depthcode_destroy(c);
	rig_make(&r, in);
	test_loss(&r, "it", 23168, -1);
	test_loss(&r, "it", 46336, -1);
	if (exact_in_air) {
		double half, tenth;

		exact = exact_share(&r, 20);
		half = known_share(&r, 50);
		tenth = known_share(&r, 90);
		ok(exact >= 97, "exact at a fifth of loss, %u %%", exact);
		ok(half > .72, "half of the datagrams show %.0f %% "
		   "of its depths, a tenth %.0f %%", 100 * half, 100 * tenth);
		ok(tenth > .12, "half of the datagrams show %.0f %% "
		   "of its depths, a tenth %.0f %%", 100 * half, 100 * tenth);
	}
	depth_encode(r.e, &r.in, 92672, -1, &r.p);
	exact = exact_share(&r, 10);
	for (unsigned int t = 0; t < tap_rounds(3, 20); t++) {
		pass(&r, 50);
		wrong += known_depths(&r.out) < known_depths(&r.in) * .5;
	}
	ok(exact >= 97, "twice as many: at a tenth %u %%, and half of "
	   "it at half of loss", exact);
	ok(!wrong, "twice as many: at a tenth %u %%, and half of "
	   "it at half of loss", exact);
	rig_free(&r);
}

int main(void)
{
	stream = malloc(LIMIT + depthcode_slack(W));
	test_prefixes("a room", depth_room(96, 72, &rng));
	test_prefixes("a slope", made_of(70, 45, 4));
	test_prefixes("noise", made_of(40, 30, 3));
	test_prefixes("islands", made_of(100, 70, 5));
	test_prefixes("four depths", made_of(64, 64, 2));
	test_sizes();
	test_coarse();
	test_room();
	test_others();
	test_bad();
	test_recording(IMAGES "tum_depth_640x480_16_1.png", 24788, true);
	test_recording(IMAGES "rgbd_depth_640x480_16_1.png", 55873, false);
	if (tap_rounds(0, 1)) {
		test_recording(IMAGES "rgbd_depth_640x480_16_2.png", 44518,
			       false);
		test_recording(IMAGES "rgbd_depth_640x480_16_3.png", 61331,
			       false);
	}
	free(stream);
	return tap_done();
}
