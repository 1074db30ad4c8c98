// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_numbers - images whose pixels are numbers: what comes out is what went
 * in, or nothing
 */
#include "base/wire.h"
#include "depth_fixture.h"
#include "ros/msg/convert.h"
#include "stream_fixture.h"

enum { W = 320, H = 240, N = W * H };

static double in[N], out[N];
static uint8_t data[N * 8];

static union message numbers(const char *encoding)
{
	union message m = { .image.header = header("camera") };
	const struct message_string name = message_string(encoding);

	message_image_write_numbers(in, W, H, message_encoding_of(&name), data,
				    &m.image);
	/* as rounded to what the encoding holds */
	message_image_numbers(&m.image, in);
	return m;
}

static bool nothing(double v)
{
	return !isfinite(v);
}

/**
 * struct seen - the image that came out, compared with what went in
 * @worst:	largest error of a number
 * @lost:	numbers that did not come
 * @kinds:	pixels whose NaN or infinity is another one, @made_up: a number
 */
struct seen {
	double		worst;
	unsigned int	lost, kinds, made_up;
};

static struct seen compare(void)
{
	struct seen s = { 0 };

	message_image_numbers(&got.msg.image, out);
	for (unsigned int i = 0; i < N; i++) {
		if (nothing(in[i]) && !nothing(out[i]))
			s.made_up++;
		else if (nothing(in[i]))
			s.kinds += isnan(in[i]) != isnan(out[i]) ||
				   (!isnan(in[i]) && in[i] != out[i]);
		else if (nothing(out[i]))
			s.lost++;
		else
			s.worst = fmax(s.worst, fabs(in[i] - out[i]));
	}
	return s;
}

static int send_numbers(struct pair *p, const char *encoding, unsigned int loss)
{
	union message m = numbers(encoding);
	int ret = pass(p, &m, loss);

	return ret ? ret : message_string_is(&got.msg.image.encoding,
					     encoding) ? 0 : -EPROTO;
}

static void begin_numbers(struct pair *p)
{
	begin(p, MESSAGE_IMAGE, CODEC_MD);
	p->order.any = true;
	p->order.bytes = 65536;
}

/* A room with a fire, and the noise of a camera; NaN where a pixel is dead */
static double warm(unsigned int i, double cold, double hot)
{
	const double x = i % W / (double)W, y = i / W / (double)H;
	const double fire = hypot(x - .7, y - .6);

	return cold + (hot - cold) * (fire < .1 ? 1 - 4 * fire :
				      .02 + .05 * sin(9 * x) * cos(7 * y)) +
	       (rnd(&rng, 200) - 100.) / 1000;
}

static void make_warm(double cold, double hot, bool dead)
{
	for (unsigned int i = 0; i < N; i++)
		in[i] = fmin(fmax(warm(i, cold, hot), cold), hot);
	for (unsigned int i = 0; dead && i < 60; i++)
		in[rnd(&rng, N)] = i % 3 ? NAN : INFINITY;
}

static void test_thermal(void)
{
	static const struct {
		const char *encoding;
		double cold, hot, most;
		bool dead;
	} cases[] = {
		{ "32FC1", -40, 2000, .5, false },
		{ "32FC1", -40, 2000, .5, true },
		{ "32FC1", 233, 2273, .5, true },
		{ "32FC1", 5, 40, .25, false },
		{ "64FC1", -40, 400, .25, true },
		{ "16SC1", -400, 20000, 2, false }, /* tenths of a degree */
	};

	for (unsigned int i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct seen s = { 0 };
		struct pair p;
		bool good;

		make_warm(cases[i].cold, cases[i].hot, cases[i].dead);
		begin_numbers(&p);
		good = !send_numbers(&p, cases[i].encoding, 0);
		if (good)
			s = compare();
		ok(good, "%s from %g to %g%s: within %.3f in %zu bytes",
		   cases[i].encoding, cases[i].cold, cases[i].hot,
		   cases[i].dead ? ", dead pixels" : "", s.worst,
		   payloads_bytes(&sent));
		ok(s.worst <= cases[i].most,
		   "%s from %g to %g%s: within %.3f in %zu bytes",
		   cases[i].encoding, cases[i].cold, cases[i].hot,
		   cases[i].dead ? ", dead pixels" : "", s.worst,
		   payloads_bytes(&sent));
		ok(!s.lost, "%s from %g to %g%s: within %.3f in %zu bytes",
		   cases[i].encoding, cases[i].cold, cases[i].hot,
		   cases[i].dead ? ", dead pixels" : "", s.worst,
		   payloads_bytes(&sent));
		ok(!s.kinds, "%s from %g to %g%s: within %.3f in %zu bytes",
		   cases[i].encoding, cases[i].cold, cases[i].hot,
		   cases[i].dead ? ", dead pixels" : "", s.worst,
		   payloads_bytes(&sent));
		ok(!s.made_up, "%s from %g to %g%s: within %.3f in %zu bytes",
		   cases[i].encoding, cases[i].cold, cases[i].hot,
		   cases[i].dead ? ", dead pixels" : "", s.worst,
		   payloads_bytes(&sent));
		end(&p);
	}
}

/* With losses: numbers become worse, but nothing is made up */
static void test_losses(void)
{
	unsigned int made_up = 0, shown = 0, lost = 0;
	struct pair p;

	make_warm(-40, 400, true);
	for (unsigned int y = 60; y < 120; y++)
		for (unsigned int x = 100; x < 180; x++)
			in[y * W + x] = NAN;
	begin_numbers(&p);
	/* holes, but no distances: there is less than 0 */
	ok_eq(send_numbers(&p, "32FC1", 0), 0, "a warm image with a large hole");
	ok_range(compare().worst, 0, .5, "has all temperatures");
	p.order.loss = .3;
	for (unsigned int n = 0; n < 20; n++) {
		struct seen s;

		if (send_numbers(&p, "32FC1", 30))
			continue;
		s = compare();
		shown++;
		made_up += s.made_up;
		lost += s.lost;
	}
	ok_eq(shown, 20,
	      "30 %% lost: %u of 20 shown, %u made up, %.2f %% of the numbers lost",
	      shown, made_up, 100. * lost / N / shown);
	ok(!made_up,
	   "30 %% lost: %u of 20 shown, %u made up, %.2f %% of the numbers lost",
	   shown, made_up, 100. * lost / N / shown);
	ok(lost < shown * N / 100,
	   "30 %% lost: %u of 20 shown, %u made up, %.2f %% of the numbers lost",
	   shown, made_up, 100. * lost / N / shown);
	end(&p);
}

/* In sixteenths of a pixel, with -1 or 0 where nothing fits */
static void test_disparity(double none)
{
	struct seen s;
	struct pair p;
	bool good;

	for (unsigned int i = 0; i < N; i++)
		in[i] = i / W % 60 == 3 && i % 7 < 3 ? none :
			rint(16 * (90 + 40 * sin(i % W * .02) +
				   i / W / 100 * 20)) / 16;
	begin_numbers(&p);
	good = !send_numbers(&p, "32FC1", 0) && got.exact;
	s = compare();
	ok(good, "a disparity image is exact (none: %g)", none);
	ok(!s.worst, "a disparity image is exact (none: %g)", none);
	ok(!s.lost, "a disparity image is exact (none: %g)", none);
	end(&p);
}

/* Some mark what they did not see by a number of their own */
static void test_marks(void)
{
	struct seen s;
	struct pair p;
	bool good;

	make_warm(-20, 120, false);
	for (unsigned int i = 0; i < N; i += 97)
		in[i] = 3.4e38;
	in[500] = -1e9;
	begin_numbers(&p);
	good = !send_numbers(&p, "32FC1", 0);
	message_image_numbers(&got.msg.image, out);
	for (unsigned int i = 0; i < N; i += 97)
		good &= out[i] == in[i];
	good &= out[500] == in[500];
	for (unsigned int i = 0; i < N; i++)
		if (fabs(in[i]) > 1e6)
			in[i] = out[i];
	s = compare();
	ok(good, "numbers far away cost the others nothing: " "within %.3f",
	   s.worst);
	ok(s.worst < .25, "numbers far away cost the others nothing: "
	   "within %.3f", s.worst);
	end(&p);
}

/* Depths: as exact as 16UC1, with holes of any kind */
static void test_depths(bool kinds)
{
	static const double holes[] = { NAN, INFINITY, 0, -INFINITY };
	struct image room = depth_room(W, H, &rng);
	unsigned int exact = 0, wrong = 0, other = 0;
	struct pair p;

	for (unsigned int i = 0; i < N; i++) {
		const uint16_t mm = depth_row(&room, 0)[i];

		in[i] = mm ? mm / 1000.f : holes[kinds ? i / W / 16 % 4 : 0];
	}
	begin_numbers(&p);
	for (unsigned int n = 0; n < 10; n++) {
		struct seen s;

		if (send_numbers(&p, "32FC1", n * 3))
			continue;
		s = compare();
		exact += got.exact && !s.worst && !s.lost && !s.kinds;
		/* holes that are 0 are numbers here */
		for (unsigned int i = 0; i < N; i++)
			other += in[i] && out[i] && isfinite(in[i]) &&
				 isfinite(out[i]) &&
				 fabs(in[i] - out[i]) > in[i] / 64;
		wrong += s.made_up;
	}
	ok(exact > 3, "depths%s: %u of 10 exact",
	   kinds ? ", holes of four kinds" : "", exact);
	ok(!wrong, "depths%s: %u of 10 exact",
	   kinds ? ", holes of four kinds" : "", exact);
	ok(!other, "depths%s: %u of 10 exact",
	   kinds ? ", holes of four kinds" : "", exact);
	ok_eq(p.result.codec, (kinds ? CODEC_VALUES : CODEC_DEPTH),
	      "depths%s: %u of 10 exact", kinds ? ", holes of four kinds" : "",
	      exact);
	end(&p);
	free(room.data);
}

static void test_far(void)
{
	const struct encode_options options = { .depths = true };
	struct seen s;
	struct pair p;
	bool good;

	for (unsigned int i = 0; i < N; i++)
		in[i] = i % 11 ? .5 + i / W * .8 : NAN;
	begin_with(&p, MESSAGE_IMAGE, CODEC_MD, &options);
	p.order.any = true;
	p.order.bytes = 65536;
	good = !send_numbers(&p, "32FC1", 0);
	s = compare();
	ok(good, "depths up to %g m: within %.3f m", .5 + (H - 1) * .8,
	   s.worst);
	ok(s.worst < .01, "depths up to %g m: within %.3f m", .5 + (H - 1) * .8,
	   s.worst);
	ok(!s.lost, "depths up to %g m: within %.3f m", .5 + (H - 1) * .8,
	   s.worst);
	ok(!s.kinds, "depths up to %g m: within %.3f m", .5 + (H - 1) * .8,
	   s.worst);
	end(&p);
}

/* Noise of which nothing is alike: less is shown, none of it wrong */
static void test_ragged(void)
{
	struct seen s;
	struct pair p;
	bool good;

	for (unsigned int i = 0; i < N; i++)
		in[i] = rnd(&rng, 2) ? NAN : -5 + i % W * .1;
	begin_numbers(&p);
	p.order.bytes = 6000;
	good = !send_numbers(&p, "32FC1", 0);
	s = compare();
	ok(good, "half of the pixels NaN: %.0f %% shown",
	   100 - 200. * s.lost / N);
	ok(!s.made_up, "half of the pixels NaN: %.0f %% shown",
	   100 - 200. * s.lost / N);
	ok(s.lost < N / 2 * .9, "half of the pixels NaN: %.0f %% shown",
	   100 - 200. * s.lost / N);
	end(&p);
}

static void test_refused(void)
{
	union message m;
	struct pair p;

	for (unsigned int i = 0; i < N; i++)
		in[i] = i * 7001.;
	begin_numbers(&p);
	ok_eq(send_numbers(&p, "32SC1", 0), -EOPNOTSUPP, "labels: %s",
	      p.result.fault);
	ok(strstr(p.result.fault, "32SC1"), "labels: %s", p.result.fault);
	for (unsigned int i = 0; i < N; i++)
		in[i] = i % 2 ? 1.7e308 : -1.7e308;
	in[0] = 0;
	ok_eq(send_numbers(&p, "64FC1", 0), -EOPNOTSUPP, "doubles: %s",
	      p.result.fault);
	ok(strstr(p.result.fault, "64FC1"), "doubles: %s", p.result.fault);
	m = numbers("32FC1");
	m.image.encoding = message_string("mono12p");
	ok_eq(pass(&p, &m, 0), -EOPNOTSUPP, "others: %s", p.result.fault);
	ok(strstr(p.result.fault, "mono12p"), "others: %s", p.result.fault);
	end(&p);
	begin_numbers(&p);
	for (unsigned int i = 0; i < N; i++)
		in[i] = i / 100 % 60000 - 30000.;
	ok(!send_numbers(&p, "32SC1", 0),
	   "but labels that need no more than 65536 steps");
	ok(got.exact, "but labels that need no more than 65536 steps");
	end(&p);
}

/* A receiver that knows it shows what an older sender sends */
static void test_chosen(void)
{
	static const enum codec_id codecs[] = {
		CODEC_MD, CODEC_DEPTH, CODEC_SPLIT, CODEC_VALUES,
	};

	for (unsigned int i = 0; i < 4; i++) {
		struct seen s;
		struct pair p;
		bool good;

		make_warm(-40, 400, false);
		begin(&p, MESSAGE_IMAGE, codecs[i]);
		p.order.bytes = 65536;
		good = !send_numbers(&p, "32FC1", 0) &&
		       p.result.codec == CODEC_VALUES;
		s = compare();
		ok(good, "codec=%s: within %.3f", codec_name(codecs[i]),
		   s.worst);
		ok(s.worst < .25, "codec=%s: within %.3f",
		   codec_name(codecs[i]), s.worst);
		end(&p);
	}
}

int main(void)
{
	stream_fixture_begin();
	test_thermal();
	test_losses();
	test_disparity(-1);
	test_disparity(0);
	test_marks();
	test_depths(false);
	test_depths(true);
	test_far();
	test_ragged();
	test_refused();
	test_chosen();
	stream_fixture_end();
	return tap_done();
}
