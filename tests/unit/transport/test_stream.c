// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_stream - messages of all kinds into datagrams and back, some lost
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cloud_fixture.h"
#include "depth_fixture.h"
#include "stream_fixture.h"
#include "base/wire.h"
#include "ros/msg/compressed.h"
#include "ros/msg/convert.h"
#include "tap.h"

enum { W = 160, H = 120 };
static uint8_t pixels[W * H * 4];

static union message image(const char *encoding, unsigned int pixel)
{
	for (unsigned int y = 0; y < H; y++)
		for (unsigned int x = 0; x < W * pixel; x++)
			pixels[y * W * pixel + x] =
				128 + 60 * sin(x * .05 / pixel) * cos(y * .07);
	return (union message){ .image = {
		.header = header("camera"), .width = W, .height = H,
		.encoding = message_string(encoding), .step = W * pixel,
		.data = { pixels, W * H * pixel },
	} };
}

static void test_images(void)
{
	static const struct {
		const char *encoding;
		unsigned int pixel;
		enum codec_id codec;
		double least;
	} cases[] = {
		{ "mono8", 1, CODEC_MD, 40 }, { "bgr8", 3, CODEC_MD, 38 },
		{ "rgba8", 4, CODEC_MD, 35 }, { "mono8", 1, CODEC_SPLIT, 38 },
		{ "rgb8", 3, CODEC_SPLIT, 38 },
		{ "bayer_rggb8", 1, CODEC_SPLIT, 30 },
	};

	for (unsigned int i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		union message m = image(cases[i].encoding, cases[i].pixel);
		struct pair p;
		double worst = 99;
		bool good = true;

		begin(&p, MESSAGE_IMAGE, cases[i].codec);
		p.order.bytes = 100000;
		for (unsigned int n = 0; n < 5; n++) {
			struct message_image *g = &got.msg.image;
			double q;

			good &= !pass(&p, &m, n * 10) && got.count == 1 &&
				got.len > 0;
			if (!good)
				break;
			good &= g->width == W && g->height == H &&
				message_string_is(&g->encoding,
						  cases[i].encoding) &&
				message_string_is(&g->header.frame_id,
						  "camera") &&
				g->data.count == m.image.data.count;
			q = good ? psnr(pixels, g->data.data, g->data.count) : 0;
			worst = fmin(worst, q);
		}
		ok(good, "%s as %s: %.1f dB at worst", cases[i].encoding,
		   codec_name(cases[i].codec), worst);
		ok(worst >= cases[i].least, "%s as %s: %.1f dB at worst",
		   cases[i].encoding, codec_name(cases[i].codec), worst);
		end(&p);
	}
}

/* Sub-images are exact once each has come */
static void test_split(void)
{
	const union message m = image("mono8", 1);
	struct pair p;

	begin(&p, MESSAGE_IMAGE, CODEC_SPLIT);
	p.order.bytes = 100000;
	ok_eq(pass(&p, &m, 0), 0, "all sub-images");
	ok(got.exact, "are the image");
	ok_mem(got.msg.image.data.data, pixels, W * H, "pixel by pixel");
	ok_eq(pass(&p, &m, 40), 0, "some of them");
	ok(!got.exact, "are not");
	end(&p);
}

/* Six images with noise of a camera that stands; @size: bytes of a pixel */
static void send_noise(struct pair *p, union message *m, unsigned int size)
{
	begin(p, MESSAGE_IMAGE, CODEC_MD);
	p->order.bytes = 8000;
	p->order.loss = 0;
	for (unsigned int n = 0; n < 6; n++) {
		m->image.header.stamp += 50 * MS;
		for (unsigned int i = 0; i < W * H; i++) {
			if (size == 1)
				pixels[i] += rnd(&rng, 3) - 1;
			else
				pixels[2 * i] ^= rnd(&rng, 2);
		}
		pass(p, m, 0);
	}
}

/* Of the last frame. Return: its bytes */
static size_t learn(const struct pair *p, struct plan_source *source)
{
	const struct codec_frame f = {
		.result = &p->result, .bytes = payloads_bytes(&sent),
	};

	codec_get(p->result.codec)->learn(source, &f);
	return f.bytes;
}

/* What the plan learns of images: their size, how good they are, and how still */
static void test_look(void)
{
	struct plan_source source = { .kind = PLAN_IMAGE };
	union message m = image("mono8", 1);
	double shown;
	struct pair p;
	size_t size;

	send_noise(&p, &m, 1);
	size = learn(&p, &source);
	shown = 65025 / pow(10, psnr(pixels, got.msg.image.data.data, W * H) /
				10);
	ok_eq(source.pixels, W * H,
	      "the plan knows the pixels, and an error of %.2f for %.2f",
	      source.look.error, shown);
	ok(source.look.error > shown / 2,
	   "the plan knows the pixels, and an error of %.2f for %.2f",
	   source.look.error, shown);
	ok(source.look.error < shown * 2,
	   "the plan knows the pixels, and an error of %.2f for %.2f",
	   source.look.error, shown);
	ok(look_is_known(&source.look), "and that the view stands: %.1f",
	   source.look.moved);
	ok(source.look.bytes == size, "and that the view stands: %.1f",
	   source.look.moved);
	ok(source.look.moved > .3, "and that the view stands: %.1f",
	   source.look.moved);
	ok(source.look.moved < 5, "and that the view stands: %.1f",
	   source.look.moved);
	end(&p);
}

/* Of a thermal camera that stands: how often, but not how small, it is sent */
static void test_look_of_numbers(void)
{
	const uint64_t before = rng;
	struct plan_source source = { .kind = PLAN_IMAGE };
	union message m = image("mono16", 2);
	struct pair p;

	send_noise(&p, &m, 2);
	learn(&p, &source);
	ok(look_is_known(&source.look),
	   "that numbers stand, and that each counts: %.1f", source.look.moved);
	ok(source.look.moved < 2,
	   "that numbers stand, and that each counts: %.1f", source.look.moved);
	ok(look_bytes(&source.look, 1e5, 65536) == 65536,
	   "that numbers stand, and that each counts: %.1f", source.look.moved);
	end(&p);
	begin(&p, MESSAGE_IMAGE, CODEC_DEPTH);
	pass(&p, &m, 0);
	learn(&p, &source);
	ok_eq(p.result.codec, CODEC_DEPTH,
	      "of depths nothing, nor a least size");
	ok(!source.pixels, "of depths nothing, nor a least size");
	ok(!look_is_known(&source.look), "of depths nothing, nor a least size");
	end(&p);
	/* the tests after this one lose the same datagrams as without it */
	rng = before;
}

/* Smaller datagrams, more of them, of the same bytes */
static void test_many(void)
{
	union message m = image("mono8", 1);
	unsigned int few, full = sent.size;
	struct pair p;

	begin(&p, MESSAGE_IMAGE, CODEC_MD);
	p.order.loss = .9;
	ok(!pass(&p, &m, 0), "as few datagrams as it takes");
	few = p.sent;
	p.order.datagrams = 60;
	ok(!pass(&p, &m, 0), "%u datagrams become %u", few, p.sent);
	ok_eq(p.sent, 60, "%u datagrams become %u", few, p.sent);
	ok_eq(sent.size, full, "%u datagrams become %u", few, p.sent);
	ok(payloads_bytes(&sent) <= 46000, "%u datagrams become %u", few,
	   p.sent);
	p.order.datagrams = 200;
	ok(!pass(&p, &m, 0), "not so many that they are headers");
	ok_eq(p.sent, few, "not so many that they are headers");
	end(&p);
}

static void test_deep(void)
{
	union message m = image("16UC1", 2);
	struct pair p;

	begin(&p, MESSAGE_IMAGE, CODEC_MD);
	p.order.bytes = 300000;
	p.order.loss = .2;
	ok(!pass(&p, &m, 10), "16 bit is exact when enough arrives");
	ok(got.exact, "16 bit is exact when enough arrives");
	ok_eq(got.msg.image.data.count, W * H * 2,
	      "16 bit is exact when enough arrives");
	ok_mem(got.msg.image.data.data, pixels, W * H * 2,
	       "16 bit is exact when enough arrives");
	m.image.encoding = message_string("yuv444");
	ok(pass(&p, &m, 0) == -EOPNOTSUPP, "an encoding that is not known");
	m = image("mono8", 1);
	m.image.data.count = 100;
	ok(pass(&p, &m, 0) == -EBADMSG, "an image that is too short");
	end(&p);
}

static union message depths(const struct image *i, const char *encoding)
{
	return (union message){ .image = {
		.header = header("camera"), .width = i->width,
		.height = i->height, .step = i->stride,
		.encoding = message_string(encoding),
		.data = { i->data, i->stride * i->height },
	} };
}

/* Which codec a topic gets whose user did not say */
static void test_depth_chosen(void)
{
	struct encode_options named = ENCODE_DEFAULTS;
	struct image room = depth_room(W, H, &rng), warm = depth_image(W, H);
	const struct {
		const char *what, *encoding;
		const struct image *image;
		enum codec_id asked, used;
		bool any, named;
	} cases[] = {
		{ "16UC1 with holes", "16UC1", &room, CODEC_MD, CODEC_DEPTH,
		  true, false },
		{ "16UC1 without", "16UC1", &warm, CODEC_MD, CODEC_MD,
		  true, false },
		{ "a depth topic's", "16UC1", &warm, CODEC_MD, CODEC_DEPTH,
		  true, true },
		{ "mono16", "mono16", &room, CODEC_MD, CODEC_MD, true, true },
		{ "what the user wants", "16UC1", &room, CODEC_MD, CODEC_MD,
		  false, true },
		{ "mono16 as depth", "mono16", &room, CODEC_DEPTH, CODEC_DEPTH,
		  false, false },
		{ "sub-images", "16UC1", &room, CODEC_SPLIT, CODEC_SPLIT,
		  false, false },
	};
	union message colour = image("rgb8", 3);
	unsigned int changes = 0;
	enum codec_id last;
	struct pair p;
	bool good;

	for (unsigned int y = 0; y < H; y++)
		for (unsigned int x = 0; x < W; x++)
			depth_row(&warm, y)[x] = 17000 + x * 3 + rnd(&rng, 40);
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		union message m = depths(cases[i].image, cases[i].encoding);

		named.depths = cases[i].named;
		begin_with(&p, MESSAGE_IMAGE, cases[i].asked, &named);
		p.order.any = cases[i].any;
		good = !pass(&p, &m, 0);
		ok(good, "%s travels as %s", cases[i].what,
		   codec_name(p.result.codec));
		ok_eq(p.result.codec, cases[i].used, "%s travels as %s",
		      cases[i].what, codec_name(p.result.codec));
		ok(message_string_is(&got.msg.image.encoding, cases[i].encoding),
		   "%s travels as %s", cases[i].what,
		   codec_name(p.result.codec));
		end(&p);
	}
	begin(&p, MESSAGE_IMAGE, CODEC_DEPTH);
	ok(!pass(&p, &colour, 0), "colours as depth travel as md");
	ok_eq(p.result.codec, CODEC_MD, "colours as depth travel as md");
	ok(got.len > 0, "colours as depth travel as md");
	end(&p);
	/* around the least share of holes it is not to and fro */
	begin(&p, MESSAGE_IMAGE, CODEC_MD);
	p.order.any = true;
	last = CODEC_MD;
	for (unsigned int n = 0; n < 20; n++) {
		union message m = depths(&warm, "16UC1");

		for (unsigned int x = 0; x < W; x++)
			depth_row(&warm, 0)[x] =
				x < W * H / 256 + n % 2 ? 0 : 17000;
		changes += !pass(&p, &m, 0) && p.result.codec != last;
		last = p.result.codec;
	}
	ok_eq(changes, 1, "and it stays what it is");
	ok_eq(last, CODEC_DEPTH, "and it stays what it is");
	end(&p);
	free(room.data);
	free(warm.data);
}

/* Metres whose holes are NaN, infinite or 0: what is shown is right */
static void test_metres(void)
{
	struct image room = depth_room(W, H, &rng);
	uint8_t *metres = malloc(W * H * 4);
	unsigned int wrong = 0, nothing = 0, exact = 0, holes = 0;
	union message m;
	struct pair p;

	for (unsigned int i = 0; i < W * H; i++) {
		static const float none[] = { NAN, INFINITY, 0, -INFINITY };
		uint16_t mm = depth_row(&room, 0)[i];

		put_lef32(metres + 4 * i, mm ? mm / 1000.f : none[i % 4]);
		holes += !mm;
	}
	m = depths(&room, "32FC1");
	m.image.step = W * 4;
	m.image.data = (struct message_bytes){ metres, W * H * 4 };
	begin(&p, MESSAGE_IMAGE, CODEC_MD);
	p.order.any = true;
	p.order.bytes = 11000;
	for (unsigned int n = 0; n < 30; n++) {
		const uint8_t *out;

		if (pass(&p, &m, n * 3))
			continue;
		out = got.msg.image.data.data;
		exact += got.exact;
		for (unsigned int i = 0; i < W * H; i++) {
			float b = get_lef32(out + 4 * i);
			float a = depth_row(&room, 0)[i] / 1000.f;

			nothing += isnan(b) || !b || isinf(b);
			wrong += isfinite(b) && b &&
				 !(a > 0 && fabsf(a - b) <= a / 64);
		}
	}
	ok_eq(p.result.codec, CODEC_VALUES,
	      "metres: %u of 30 frames exact, what is not known is NaN", exact);
	ok(!wrong, "metres: %u of 30 frames exact, what is not known is NaN",
	   exact);
	ok(exact > 5, "metres: %u of 30 frames exact, what is not known is NaN",
	   exact);
	ok(exact < 30,
	   "metres: %u of 30 frames exact, what is not known is NaN", exact);
	ok(nothing > 30 * holes,
	   "metres: %u of 30 frames exact, what is not known is NaN", exact);
	ok(holes > 1000,
	   "metres: %u of 30 frames exact, what is not known is NaN", exact);
	end(&p);
	free(metres);
	free(room.data);
}

/* Of a scene that stays what was lost comes with the next frame */
static void test_still(void)
{
	union message m = image("mono8", 1);
	struct pair p;
	double first;

	begin(&p, MESSAGE_IMAGE, CODEC_SPLIT);
	p.order.bytes = 100000;
	pass(&p, &m, 50);
	first = got.share;
	p.still = true;
	for (unsigned int i = 0; i < 12; i++)
		pass(&p, &m, 50);
	ok(first < .9, "while it stands still: from %.2f to %.2f", first,
	   got.share);
	ok(got.share > .99, "while it stands still: from %.2f to %.2f", first,
	   got.share);
	p.still = false;
	pass(&p, &m, 50);
	ok(got.share < .9, "not when it moves: %.2f", got.share);
	end(&p);
}

/* A sender that is newer than this */
static void test_unknown(void)
{
	struct reassembly_frame f = { .count = 1 };
	struct control_topic topic = { .kind = MESSAGE_IMAGE };
	struct decode_call call = {
		.topic = &topic, .frame = &f, .codec = CODECS, .out = on_result,
	};
	struct pair p;

	begin(&p, MESSAGE_IMAGE, CODEC_MD);
	ok(decoder_frame(p.decoder, &call) == -EOPNOTSUPP,
	   "an unknown codec has another error than a broken one");
	end(&p);
}

static void test_compressed_depth(void)
{
	const struct message_string format =
		message_string("16UC1; compressedDepth png");
	union message c = { .compressed.header = header("camera") };
	struct image room = depth_room(W, H, &rng), back;
	struct compressed_buffer buffer = { 0 };
	struct pair p;
	bool good;

	good = !compressed_write(&room, &format, 0, &buffer, &c.compressed);
	begin(&p, MESSAGE_COMPRESSED_IMAGE, CODEC_MD);
	p.order.any = true;
	back = depth_image(W, H);
	good = good && !pass(&p, &c, 10) && p.result.codec == CODEC_DEPTH &&
	       got.exact && message_string_is(&got.msg.compressed.format,
					      "16UC1; compressedDepth png") &&
	       !compressed_read(&got.msg.compressed, &back) &&
	       !memcmp(back.data, room.data, W * H * 2);
	ok(good, "compressedDepth travels as depth, and comes out exactly");
	end(&p);
	free(buffer.data);
	free(room.data);
	free(back.data);
}

static void test_compressed(void)
{
	union message m = image("rgb8", 3), c = { .compressed.header =
						  header("camera") };
	const struct message_string format =
		message_string("rgb8; jpeg compressed bgr8");
	struct compressed_buffer buffer = { 0 };
	struct image plain = { W, H, 3, 8, W * 3, pixels }, back;
	struct pair p;
	bool good;

	(void)m;
	good = !compressed_write(&plain, &format, 90, &buffer, &c.compressed);
	begin(&p, MESSAGE_COMPRESSED_IMAGE, CODEC_MD);
	good = good && !pass(&p, &c, 30) && got.count == 1 &&
	       got.kind == MESSAGE_COMPRESSED_IMAGE &&
	       message_string_is(&got.msg.compressed.format,
				 "rgb8; jpeg compressed bgr8") &&
	       !compressed_shape(&got.msg.compressed, &back) &&
	       back.width == W && back.height == H && back.channels == 3;
	back.data = malloc(W * H * 3);
	good = good && !compressed_read(&got.msg.compressed, &back) &&
	       psnr(back.data, pixels, W * H * 3) > 30;
	ok(good, "a JPEG comes out as a JPEG, a third of it lost");
	p.order.codec = CODEC_BLOB;
	p.order.parity = 1;
	ok(!pass(&p, &c, 20), "or as it is, whole");
	ok(got.exact, "or as it is, whole");
	ok_eq(got.msg.compressed.data.count, c.compressed.data.count,
	      "or as it is, whole");
	ok_mem(got.msg.compressed.data.data, c.compressed.data.data,
	       c.compressed.data.count, "or as it is, whole");
	ok(pass(&p, &c, 95) < 0, "or not at all");
	ok(!got.count, "or not at all");
	free(back.data);
	free(buffer.data);
	end(&p);
}

static struct cloud *make_cloud(bool organised)
{
	struct cloud *c = cloud_create(20000);

	cloud_add_field(c, "intensity", CLOUD_FLOAT32);
	cloud_add_field(c, "ring", CLOUD_UINT16);
	add_turn(c, 900, organised, &rng);
	for (unsigned int i = 0; i < c->count; i++) {
		cloud_put(&c->field[0], i, i / TURN_RINGS % 100);
		cloud_put(&c->field[1], i, i % TURN_RINGS);
	}
	return c;
}

/* Ranges in steps of @resolution, m, from the lidar. Return: those between */
static unsigned int between(float resolution)
{
	struct cloud *c = make_cloud(true), *back = cloud_create(20000);
	union message m = { .cloud.header = header("lidar") };
	uint8_t *data = malloc(message_cloud_bytes(c));
	unsigned int n = 0;
	struct pair p;

	message_cloud_write(c, data, &m.cloud);
	begin(&p, MESSAGE_POINT_CLOUD, CODEC_RANGE);
	p.order.resolution = resolution;
	ok_eq(pass(&p, &m, 0), 0, "a turn in steps of %g m", resolution);
	ok_eq(message_cloud_read(&got.msg.cloud, back), 0, "comes");
	ok_eq(back->count, c->count, "all of it");
	for (unsigned int i = 0; i < back->count; i++) {
		const double r = sqrt(back->x[i] * back->x[i] +
				      back->y[i] * back->y[i] +
				      back->z[i] * back->z[i]) / resolution;

		n += fabs(r - round(r)) > .02;
	}
	free(data);
	cloud_destroy(c);
	cloud_destroy(back);
	end(&p);
	return n;
}

static void test_clouds(void)
{
	static const struct {
		enum codec_id codec, used;
		bool organised;
		unsigned int points;
	} cases[] = {
		{ CODEC_RANGE, CODEC_RANGE, true, 0 },
		{ CODEC_RANGE, CODEC_BLOCK, false, 3000 },
		{ CODEC_BLOCK, CODEC_BLOCK, true, 3000 },
		{ CODEC_CLOUD80, CODEC_CLOUD80, true, 0 },
	};

	for (unsigned int i = 0; i < 4; i++) {
		struct cloud *c = make_cloud(cases[i].organised);
		struct cloud *back = cloud_create(20000);
		union message m = { .cloud.header = header("lidar") };
		uint8_t *data = malloc(message_cloud_bytes(c));
		unsigned int expect = cases[i].points ? cases[i].points :
							c->count;
		struct pair p;
		bool good;

		message_cloud_write(c, data, &m.cloud);
		begin(&p, MESSAGE_POINT_CLOUD, cases[i].codec);
		p.order.points = cases[i].points;
		good = !pass(&p, &m, 0) && p.result.codec == cases[i].used &&
		       got.count == 1 && got.len > 0 &&
		       !message_cloud_read(&got.msg.cloud, back) &&
		       back->count >= expect * .9 && back->count <= expect &&
		       cloud_find(back, "intensity") >= 0 &&
		       /* 80 points leave no room for it */
		       (cloud_find(back, "ring") >= 0 ||
			p.result.codec == CODEC_CLOUD80) && got.share == 1;
		for (unsigned int k = 0; good && k < back->count; k++) {
			double r = hypot(hypot(back->x[k], back->y[k]), 0);

			good = r > 2 && r < 8;
		}
		ok(good, "%s: %u of %u points as %s in %u datagrams",
		   cases[i].organised ? "a turn" : "a heap", back->count,
		   c->count, codec_name(p.result.codec), p.sent);
		do
			good = !pass(&p, &m, 50);
		while (p.received < p.sent / 3 || p.received > 2 * p.sent / 3);
		good = good && !message_cloud_read(&got.msg.cloud, back) &&
		       back->count > expect * .2 && back->count < expect * .8 &&
		       fabs(got.share - (double)p.received / p.sent) < .01;
		ok(good, "half of it: %u points", back->count);
		free(data);
		end(&p);
		cloud_destroy(c);
		cloud_destroy(back);
	}
}

/*
 * Nothing was seen, and nothing has been before: with the fields of others, and
 * as a message that was never filled in
 */
static void test_empty_cloud(enum codec_id codec)
{
	struct cloud *c = make_cloud(true);
	union message m = { .cloud.header = header("lidar") };
	uint8_t *data = malloc(message_cloud_bytes(c));
	bool first, blank, full, again;
	struct pair p;

	begin(&p, MESSAGE_POINT_CLOUD, codec);
	blank = !pass(&p, &m, 0) && got.count && !got.msg.cloud.width;
	end(&p);
	message_cloud_write(c, data, &m.cloud);
	m.cloud.width = m.cloud.row_step = m.cloud.data.count = 0;
	begin(&p, MESSAGE_POINT_CLOUD, codec);
	first = !pass(&p, &m, 0) && got.count && !got.msg.cloud.width &&
		p.sent == 1 && sent.len[0] < 100;
	message_cloud_write(c, data, &m.cloud);
	full = !pass(&p, &m, 0) && got.count;
	m.cloud.width = m.cloud.row_step = m.cloud.data.count = 0;
	again = !pass(&p, &m, 0) && got.count && !got.msg.cloud.width;
	end(&p);
	ok(first, "%s: a first cloud without points is sent as empty",
	   codec_name(codec));
	ok(blank, "%s: a first cloud without points is sent as empty",
	   codec_name(codec));
	ok(full, "%s: points after it, and none again", codec_name(codec));
	ok(again, "%s: points after it, and none again", codec_name(codec));
	free(data);
	cloud_destroy(c);
}

static void test_empty_clouds(void)
{
	ok_eq(between(.02f), 0, "no range is between two steps");
	ok_eq(between(.1f), 0, "nor of larger ones");
	test_empty_cloud(CODEC_RANGE);
	test_empty_cloud(CODEC_BLOCK);
	test_empty_cloud(CODEC_CLOUD80);
}

static void test_vscan(void)
{
	struct cloud *c = make_cloud(true);
	union message m = { .cloud.header = header("lidar") };
	uint8_t *data = malloc(message_cloud_bytes(c));
	struct pair p;

	message_cloud_write(c, data, &m.cloud);
	begin(&p, MESSAGE_POINT_CLOUD, CODEC_VSCAN);
	ok(!pass(&p, &m, 0), "a cloud as two scans");
	ok_eq(got.count, 2, "a cloud as two scans");
	ok_eq(got.kind, MESSAGE_LASER_SCAN, "a cloud as two scans");
	ok_str(got.suffix[0], "/landmark_scan", "a cloud as two scans");
	ok_str(got.suffix[1], "/obstacle_scan", "a cloud as two scans");
	ok_eq(got.msg.scan.ranges.count, VSCAN_BINS, "a cloud as two scans");
	ok(got.share == 1, "a cloud as two scans");
	free(data);
	end(&p);
	cloud_destroy(c);
}

static void test_maps(void)
{
	static int8_t cells[300 * 200];
	union message m = { .map = {
		.header = header("map"), .resolution = .05f, .width = 300,
		.height = 200, .data = { (uint8_t *)cells, sizeof(cells) },
		.origin = { { -3, 2, 0 }, { 0, 0, 0, 1 } },
	} };
	unsigned int frames = 0;
	struct pair p;
	int ret;

	for (unsigned int i = 0; i < sizeof(cells); i++)
		cells[i] = i % 300 < 50 ? -1 : i % 41 ? 0 : 100;
	begin(&p, MESSAGE_OCCUPANCY_GRID, CODEC_TILES);
	p.order.bytes = 6 * PAYLOAD_MAX;
	/* of a frame nothing may come */
	do
		ret = pass(&p, &m, 40);
	while ((ret == -EAGAIN || (!ret && !got.exact)) && ++frames < 100);
	ok(!ret, "a map, exact after %u frames with 40 %% lost", frames + 1);
	ok(got.exact, "a map, exact after %u frames with 40 %% lost",
	   frames + 1);
	ok_eq(got.msg.map.width, 300,
	      "a map, exact after %u frames with 40 %% lost", frames + 1);
	ok(got.msg.map.origin.position[0] == -3,
	   "a map, exact after %u frames with 40 %% lost", frames + 1);
	ok_mem(got.msg.map.data.data, cells, sizeof(cells),
	       "a map, exact after %u frames with 40 %% lost", frames + 1);
	p.order.codec = CODEC_PYRAMID;
	p.order.bytes = 300000;
	ok(!pass(&p, &m, 20), "a pyramid");
	ok_eq(got.count, 1, "a pyramid");
	ok(fabs(got.msg.map.resolution * got.msg.map.width - 15) < .2,
	   "a pyramid");
	end(&p);
}

static void test_layers(void)
{
	enum { ROWS = 60, COLUMNS = 40 };
	static float cells[ROWS * COLUMNS], out[ROWS * COLUMNS];
	static uint8_t data[2][ROWS * COLUMNS * 4];
	union message m = { .grid = {
		.header = header("map"), .resolution = .1,
		.length_x = 6, .length_y = 4, .layers = 2, .arrays = 2,
		.basic_layers = 1,
		.pose = { { 1, 2, 0 }, { 0, 0, 0, 1 } },
	} };
	struct message_grid_map *g = &got.msg.grid;
	unsigned int rows, columns, wrong = 0;
	struct pair p;
	bool good = true;

	m.grid.layer[0] = m.grid.basic_layer[0] = message_string("elevation");
	m.grid.layer[1] = message_string("gas");
	for (unsigned int l = 0; l < 2; l++) {
		for (unsigned int i = 0; i < ROWS * COLUMNS; i++)
			cells[i] = i % 7 == 3 ? NAN : (l + 1) * (i % 100) * .01f;
		message_grid_write(&m.grid, l, ROWS, COLUMNS, cells, data[l]);
	}
	m.grid.outer_start_index = 5;
	begin(&p, MESSAGE_GRID_MAP, CODEC_LAYERS);
	for (unsigned int i = 0; i < 20 && good; i++)
		good = !pass(&p, &m, 20);
	ok(good, "a grid map");
	ok(got.len > 0, "a grid map");
	ok_eq(g->layers, 2, "a grid map");
	ok_eq(g->basic_layers, 1, "a grid map");
	ok(message_string_is(&g->layer[1], "gas"), "a grid map");
	ok(!message_grid_shape(g, &rows, &columns), "a grid map");
	ok_eq(rows, ROWS, "a grid map");
	ok_eq(columns, COLUMNS, "a grid map");
	ok(fabs(g->pose.position[0] - 1) < 1e-5, "a grid map");
	ok(fabs(g->pose.position[1] - 2) < 1e-5, "a grid map");
	ok(fabs(g->length_x - 6) < 1e-5, "a grid map");
	message_grid_read(&m.grid, 1, cells);
	message_grid_read(g, 1, out);
	for (unsigned int i = 0; i < ROWS * COLUMNS; i++)
		wrong += isnan(cells[i]) != isnan(out[i]) ||
			 fabsf(cells[i] - out[i]) > .01f;
	ok(!wrong, "with its values, unrolled");
	end(&p);
}

static void test_scan(void)
{
	static float ranges[540];
	union message m = { .scan = {
		.header = header("laser"), .angle_min = -2, .angle_max = 2,
		.angle_increment = 4.f / 539, .range_min = .1f, .range_max = 30,
		.ranges = { (const uint8_t *)ranges, 540, false },
	} };
	unsigned int known = 0, wrong = 0;
	struct pair p;

	for (unsigned int i = 0; i < 540; i++)
		ranges[i] = 5 + sinf(i * .05f);
	begin(&p, MESSAGE_LASER_SCAN, CODEC_LASERSCAN);
	p.order.parts = 4;
	while (!pass(&p, &m, 50) && p.received != 2)
		;
	for (unsigned int i = 0; i < 540; i++) {
		float r = message_float(&got.msg.scan.ranges, i);

		known += !isnan(r);
		wrong += !isnan(r) && fabsf(r - ranges[i]) > .006f;
	}
	ok_eq(known, 270,
	      "a laser scan: half of its beams from half of its datagrams");
	ok(!wrong,
	   "a laser scan: half of its beams from half of its datagrams");
	ok(got.share == .5,
	   "a laser scan: half of its beams from half of its datagrams");
	end(&p);
}

static void test_small(void)
{
	union message m = { .odometry = {
		.header = header("odom"), .child_frame_id =
		message_string("base"), .pose.position = { 1, 2, 3 },
	} };
	union message t = { .twist.linear = { 1, 0, 0 } };
	struct pair p;

	begin(&p, MESSAGE_ODOMETRY, CODEC_BLOB);
	p.order.parity = 3;
	ok(!pass(&p, &m, 0), "odometry, four times");
	ok_eq(p.sent, 4, "odometry, four times");
	ok(got.exact, "odometry, four times");
	ok(got.msg.odometry.pose.position[2] == 3, "odometry, four times");
	ok(message_string_is(&got.msg.odometry.child_frame_id, "base"),
	   "odometry, four times");
	end(&p);
	begin(&p, MESSAGE_TWIST, CODEC_MD);
	ok(!pass(&p, &t, 0),
	   "a kind without a header; a codec that is not for it");
	ok_eq(p.result.codec, CODEC_BLOB,
	      "a kind without a header; a codec that is not for it");
	ok_eq(p.result.stamp, 5,
	      "a kind without a header; a codec that is not for it");
	ok(got.msg.twist.linear[0] == 1,
	   "a kind without a header; a codec that is not for it");
	end(&p);
}

/* Frames of anything to every codec: refused, or shown */
static void test_hostile(void)
{
	union message m = { .odometry.child_frame_id = message_string("base") };
	struct control_topic topic = { .encoding = "mono8" };
	struct reassembly_frame f = { .count = 3, .received = sent };
	unsigned int shown = 0;
	struct pair p;

	begin(&p, MESSAGE_ODOMETRY, CODEC_BLOB);
	for (unsigned int i = 0; i < 30000; i++) {
		struct decode_call call = {
			.topic = &topic, .frame = &f, .codec = rnd(&rng, 16),
			.quality = 90, .out = on_result,
		};

		topic.kind = rnd(&rng, MESSAGE_KINDS + 1);
		f.received.count = rnd(&rng, 4);
		for (unsigned int k = 0; k < f.received.count; k++) {
			f.received.len[k] = rnd(&rng, 200);
			for (unsigned int b = 0; b < f.received.len[k]; b++)
				payload_at(&f.received, k)[b] =
					rnd(&rng, 3) ? rnd(&rng, 5) :
						       rnd(&rng, 256);
			payload_at(&f.received, k)[0] = 0x10 | rnd(&rng, 8);
		}
		shown += !decoder_frame(p.decoder, &call);
	}
	ok(!pass(&p, &m, 0),
	   "frames of noise: %u were shown, and the next good one", shown);
	ok(got.exact, "frames of noise: %u were shown, and the next good one",
	   shown);
	end(&p);
}

int main(void)
{
	stream_fixture_begin();
	test_images();
	test_split();
	test_look();
	test_look_of_numbers();
	test_many();
	test_deep();
	test_depth_chosen();
	test_metres();
	test_compressed_depth();
	test_unknown();
	test_still();
	test_compressed();
	test_clouds();
	test_empty_clouds();
	test_vscan();
	test_maps();
	test_layers();
	test_scan();
	test_small();
	test_hostile();
	stream_fixture_end();
	return tap_done();
}
