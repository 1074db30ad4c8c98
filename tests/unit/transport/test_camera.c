// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_camera - images as cameras give them, through encoder and decoder;
 * those that cannot be sent are counted, and the log says why
 */
#include <unistd.h>
#include "base/error.h"
#include "steps.h"
#include "stream_fixture.h"
#include "transport/sender.h"
#include "base/wire.h"
#include "ros/msg/convert.h"

enum { W = 320, H = 240, STEP = 2 * W + 32, STEPS = H * 3 / 2 };

static uint8_t pixels[STEP * STEPS], rgb[W * H * 3];

/* Luminance and chroma of a made-up picture: smooth, and a slanted edge */
struct yuv {
	uint8_t y, u, v;
};

static struct yuv colour(unsigned int x, unsigned int y)
{
	bool right = x > W / 3 + y / 2;

	return (struct yuv){
		lrint(110 + 55 * sin(x * .03) * cos(y * .04) + 40 * right),
		lrint(128 + 30 * sin(x * .02 + y * .01) - 25 * right),
		lrint(128 + 30 * cos(y * .025) * sin(x * .015) + 20 * right),
	};
}

static uint8_t byte_of(double v)
{
	return v < 0 ? 0 : v > 255 ? 255 : lrint(v);
}

/* BT.601, limited range, by its definition */
static void convert(uint8_t *out, double y, double u, double v)
{
	const double kr = .299, kb = .114;
	double luma = (fmax(y, 16) - 16) / 219;
	double cb = (u - 128) / 224, cr = (v - 128) / 224;
	double r = luma + 2 * (1 - kr) * cr, b = luma + 2 * (1 - kb) * cb;

	out[0] = byte_of(255 * r);
	out[1] = byte_of(255 * (luma - kr * (r - luma) / (1 - kr - kb) -
				kb * (b - luma) / (1 - kr - kb)));
	out[2] = byte_of(255 * b);
}

static const struct layout {
	const char	*encoding;
	bool		planes;
	unsigned int	y, u, v;	/* place in two pixels, or in the plane */
	double		least;		/* dB */
} layouts[] = {
	{ "uyvy", false, 1, 0, 2, 51 },
	{ "yuv422", false, 1, 0, 2, 51 },
	{ "yuyv", false, 0, 1, 3, 51 },
	{ "yuv422_yuy2", false, 0, 1, 3, 51 },
	{ "nv12", true, 0, 0, 1, 51 },
	{ "nv21", true, 0, 1, 0, 51 },
};

enum { LAYOUTS = sizeof(layouts) / sizeof(*layouts) };

/* Where a pixel's luminance and chroma are in @pixels */
static uint8_t *luma_at(const struct layout *l, unsigned int x, unsigned int y)
{
	return pixels + y * STEP + x * (l->planes ? 1 : 2) + l->y;
}

static uint8_t *chroma_at(const struct layout *l, unsigned int x,
			  unsigned int y)
{
	return l->planes ? pixels + (H + y / 2) * STEP + x / 2 * 2 :
			   pixels + y * STEP + x / 2 * 4;
}

static union message message(const char *encoding, unsigned int rows)
{
	return (union message){ .image = {
		.header = header("camera"), .width = W, .height = H,
		.encoding = message_string(encoding), .step = STEP,
		.data = { pixels, STEP * rows },
	} };
}

/* The picture in that layout; in @rgb what it shows */
static union message picture(const struct layout *l)
{
	for (unsigned int y = 0; y < H; y++)
		for (unsigned int x = 0; x < W; x++) {
			struct yuv c = colour(x, y), first =
				colour(x & ~1, l->planes ? y & ~1 : y);
			uint8_t *chroma = chroma_at(l, x, y);

			*luma_at(l, x, y) = c.y;
			chroma[l->u] = first.u;
			chroma[l->v] = first.v;
			convert(rgb + (y * W + x) * 3, c.y, first.u, first.v);
		}
	return message(l->encoding, l->planes ? STEPS : H);
}

static void test_colours(const struct layout *l)
{
	union message m = picture(l);
	const struct message_image *g = &got.msg.image;
	double plenty = 0, little = 0;
	bool good;
	struct pair p;

	begin(&p, MESSAGE_IMAGE, CODEC_MD);
	p.order.loss = 0;
	p.order.bytes = 350000;
	good = !pass(&p, &m, 0) && got.count == 1 && got.exact &&
	       message_string_is(&g->encoding, "rgb8") && g->width == W &&
	       g->height == H && g->data.count == sizeof(rgb);
	plenty = good ? psnr(rgb, g->data.data, sizeof(rgb)) : 0;
	p.order.bytes = 20000;
	good = good && !pass(&p, &m, 0) && g->data.count == sizeof(rgb);
	little = good ? psnr(rgb, g->data.data, sizeof(rgb)) : 0;
	ok(plenty >= 90, "%s is shown as rgb8: %.1f dB, at 20 kB %.1f dB",
	   l->encoding, plenty, little);
	ok(little >= l->least, "%s is shown as rgb8: %.1f dB, at 20 kB %.1f dB",
	   l->encoding, plenty, little);
	end(&p);
}

/* Colours beyond what red, green and blue can be, too */
static void test_any(const struct layout *l)
{
	static uint8_t out[W * H * 3];
	struct image image = { .data = out };
	union message m = message(l->encoding, l->planes ? STEPS : H);
	unsigned int most = 0, count = 0;
	int ret;

	for (size_t i = 0; i < sizeof(pixels); i++)
		pixels[i] = rnd(&rng, 256);
	ret = message_image_shape(&m.image, &image);
	if (ret >= 0)
		message_image_read(&m.image, &image);
	for (unsigned int i = 0; ret >= 0 && i < W * H; i++) {
		const uint8_t *chroma = chroma_at(l, i % W, i / W);
		uint8_t expect[3];

		convert(expect, *luma_at(l, i % W, i / W), chroma[l->u],
			chroma[l->v]);
		for (unsigned int c = 0; c < 3; c++) {
			unsigned int off = abs(out[i * 3 + c] - expect[c]);

			most = off > most ? off : most;
			count += off > 0;
		}
	}
	ok(ret >= 0, "%s: of any bytes %u are one off, none more", l->encoding,
	   count);
	ok(most <= 1, "%s: of any bytes %u are one off, none more", l->encoding,
	   count);
	ok(count < W * H * 3 / 1000,
	   "%s: of any bytes %u are one off, none more", l->encoding, count);
}

static void refused(const union message *m, int error, const char *fault)
{
	struct pair p;
	int ret;

	begin(&p, MESSAGE_IMAGE, CODEC_MD);
	ret = pass(&p, m, 0);
	ok_eq(ret, error, "refused: %s", p.result.fault);
	ok_str(p.result.fault, fault, "refused: %s", p.result.fault);
	end(&p);
}

static void test_refused(void)
{
	union message m = message("yuyv", H);

	m.image.width = W - 1;
	refused(&m, -EBADMSG, "319 x 240 pixels: yuyv needs even widths");
	m = message("yuv422", H);
	m.image.step = 2 * W - 1;
	refused(&m, -EBADMSG, "a step of 639 bytes, a row has 640");
	m = message("uyvy", H);
	m.image.data.count -= STEP - 2 * W + 1;
	refused(&m, -EBADMSG,
		"161247 bytes, 320 x 240 pixels of uyvy have 161248");
	m = message("nv12", STEPS);
	m.image.height = H - 1;
	refused(&m, -EBADMSG, "320 x 239 pixels: nv12 needs even sides");
	m = message("nv12", STEPS);
	m.image.width = W - 1;
	refused(&m, -EBADMSG, "319 x 240 pixels: nv12 needs even sides");
	m = message("nv21", STEPS);
	m.image.step = W - 1;
	refused(&m, -EBADMSG, "a step of 319 bytes, a row has 320");
	m = message("nv12", H);
	refused(&m, -EBADMSG,
		"161280 bytes, 320 x 240 pixels of nv12 have 241568");
	m = message("nv12", STEPS);
	m.image.height = 0;
	refused(&m, -EBADMSG, "320 x 0 pixels, sides must be 1..65535");
	m = message("yuv\n", H);
	refused(&m, -EOPNOTSUPP, "encoding \"yuv?\" is not supported");
	m = message("nv12", STEPS);
	m.image.data.count -= STEP - W;
	ok(message_image_shape(&m.image, &(struct image){ 0 }) == IMAGE_NV12,
	   "the last row may end with its last pixel");
}

struct test {
	struct sender		*sender;
	const union message	*image;
};

static uint64_t refusals(const struct test *t)
{
	const struct send_topic *topic = sender_find(t->sender, "/image");

	return topic ? send_topic_counts(topic)->broken : 0;
}

static bool refused_two(struct test *t)
{
	return refusals(t) >= 2;
}

static void send_image(struct test *t)
{
	long len = message_write(MESSAGE_IMAGE, MESSAGE_CDR, t->image, bytes,
				 ROOM);
	const struct source_message said = {
		.topic = "/image", .kind = MESSAGE_IMAGE,
		.format = MESSAGE_CDR, .data = bytes, .len = len,
	};

	sender_message(t->sender, &said);
}

/* Lines of @log that have @text in them */
static unsigned int lines_with(FILE *log, const char *text)
{
	unsigned int count = 0;
	char line[512];

	rewind(log);
	while (fgets(line, sizeof(line), log))
		count += strstr(line, text) != NULL;
	return count;
}

static void test_counted(void)
{
	struct sender_options options = { .cpu = 1, .threads = 1,
					  .name = "camera" };
	struct loop *loop = loop_create();
	union message m = message("nv12", STEPS);
	struct test t = { .image = &m };
	struct steps steps;
	FILE *log = tmpfile();
	int errors = dup(STDERR_FILENO);
	struct address to;
	struct error error;

	if (!log || address_parse("127.0.0.1:17461", false, "0", &to, &error) ||
	    sender_open(&t.sender, loop, &to, &options, &error))
		abort();
	steps_begin(&steps, loop, &t);
	fflush(stderr);
	dup2(fileno(log), STDERR_FILENO);
	m.image.height--;
	steps_until(&steps, refused_two, send_image);
	fflush(stderr);
	dup2(errors, STDERR_FILENO);
	close(errors);
	ok(refusals(&t) >= 2,
	   "refused images are counted, and the log says it once");
	ok_eq(lines_with(log, "/image: cannot send"), 1,
	      "refused images are counted, and the log says it once");
	ok_eq(lines_with(log, "320 x 239 pixels: nv12 needs even sides"), 1,
	      "refused images are counted, and the log says it once");
	fclose(log);
	steps_end(&steps);
	sender_close(t.sender);
	loop_destroy(loop);
}

enum { BAYER_BYTES = 20000 };

static const struct pattern {
	const char	*encoding;
	uint8_t		colour[4];	/* of the first two rows' two pixels */
} patterns[] = {
	{ "bayer_rggb8", { 0, 1, 1, 2 } }, { "bayer_bggr8", { 2, 1, 1, 0 } },
	{ "bayer_gbrg8", { 1, 2, 0, 1 } }, { "bayer_grbg8", { 1, 0, 2, 1 } },
	{ "bayer_rggb16", { 0, 1, 1, 2 } }, { "bayer_bggr16", { 2, 1, 1, 0 } },
	{ "bayer_gbrg16", { 1, 2, 0, 1 } }, { "bayer_grbg16", { 1, 0, 2, 1 } },
};

enum { PATTERNS = sizeof(patterns) / sizeof(*patterns) };

/* What a sensor with that pattern gives of the picture, without gaps */
static union message mosaic_of(const struct pattern *p)
{
	bool deep = strstr(p->encoding, "16");
	union message m;

	picture(&layouts[0]);
	for (unsigned int i = 0; i < W * H; i++) {
		unsigned int place = i / W % 2 * 2 + i % W % 2;
		uint8_t v = rgb[i * 3 + p->colour[place]];

		if (deep)
			((uint16_t *)pixels)[i] = v * 16 + 1000;
		else
			pixels[i] = v;
	}
	m = message(p->encoding, 0);
	m.image.step = W * (deep ? 2 : 1);
	m.image.data.count = m.image.step * H;
	return m;
}

/* Of a mosaic as the receiver shows it, -1: it shows something else */
static double mosaic_psnr(const union message *m, enum codec_id codec,
			     unsigned int loss)
{
	const struct message_image *g = &got.msg.image;
	bool deep = m->image.step > W;
	double sum = 0;
	struct pair p;
	int ret;

	begin(&p, MESSAGE_IMAGE, codec);
	p.order.loss = 0;
	p.order.bytes = BAYER_BYTES;
	ret = pass(&p, m, loss);
	end(&p);
	if (ret || got.count != 1 || g->width != W || g->height != H ||
	    g->step != m->image.step ||
	    g->data.count != m->image.data.count || g->is_bigendian ||
	    !message_string_is(&g->encoding, m->image.encoding.text))
		return -1;
	for (unsigned int i = 0; i < W * H; i++) {
		double off = deep ? get_le16(pixels + 2 * i) -
				    get_le16(g->data.data + 2 * i) :
				    pixels[i] - g->data.data[i];

		off /= deep ? 16 : 1;
		sum += off * off;
	}
	return sum ? 10 * log10(255. * 255 * W * H / sum) : 99;
}

static void test_mosaic(const struct pattern *pattern)
{
	union message m = mosaic_of(pattern);
	double apart = mosaic_psnr(&m, CODEC_MD, 0), gray, part, gray_part;

	part = mosaic_psnr(&m, CODEC_SPLIT, 0);
	m.image.encoding = message_string(strstr(pattern->encoding, "16") ?
					  "mono16" : "mono8");
	gray = mosaic_psnr(&m, CODEC_MD, 0);
	gray_part = mosaic_psnr(&m, CODEC_SPLIT, 0);
	ok(apart >= 55, "%s at 20 kB: %.1f dB, as gray %.1f dB",
	   pattern->encoding, apart, gray);
	ok(apart - gray >= 8, "%s at 20 kB: %.1f dB, as gray %.1f dB",
	   pattern->encoding, apart, gray);
	ok(part >= 33, "%s as sub-images: %.1f dB, as gray %.1f dB",
	   pattern->encoding, part, gray_part);
	ok(part - gray_part >= 17, "%s as sub-images: %.1f dB, as gray %.1f dB",
	   pattern->encoding, part, gray_part);
}

static void test_odd_mosaics(void)
{
	union message m = mosaic_of(&patterns[0]);

	m.image.width--;
	refused(&m, -EBADMSG, "319 x 240 pixels: bayer_rggb8 needs even sides");
	m.image.width++;
	m.image.height--;
	refused(&m, -EBADMSG, "320 x 239 pixels: bayer_rggb8 needs even sides");
}

/* Of a sender that sends mosaics as they are, and of one that lies */
static void test_announced(void)
{
	union message m = mosaic_of(&patterns[0]);
	const struct message_image *g = &got.msg.image;
	struct pair p;

	m.image.encoding = message_string("mono8");
	begin(&p, MESSAGE_IMAGE, CODEC_MD);
	p.order.loss = 0;
	p.order.bytes = 300000;
	p.announce = "bayer_rggb8";
	ok(!pass(&p, &m, 0), "a mosaic that is announced whole stays as it is");
	ok(got.exact, "a mosaic that is announced whole stays as it is");
	ok(message_string_is(&g->encoding, "bayer_rggb8"),
	   "a mosaic that is announced whole stays as it is");
	ok_mem(g->data.data, pixels, W * H,
	       "a mosaic that is announced whole stays as it is");
	m.image.height--;
	p.announce = "bayer_rggb8; planes";
	ok(!pass(&p, &m, 0),
	   "an odd one that is announced as four is shown as gray");
	ok_eq(g->height, H - 1,
	      "an odd one that is announced as four is shown as gray");
	ok(message_string_is(&g->encoding, "mono8"),
	   "an odd one that is announced as four is shown as gray");
	ok_mem(g->data.data, pixels, W * (H - 1),
	       "an odd one that is announced as four is shown as gray");
	m.image.height++;
	p.announce = "mono8; planes";
	ok(!pass(&p, &m, 0), "gray that is announced as four stays as it is");
	ok(message_string_is(&g->encoding, "mono8"),
	   "gray that is announced as four stays as it is");
	ok_mem(g->data.data, pixels, W * H,
	       "gray that is announced as four stays as it is");
	p.announce = "rgb8; planes";
	ok(!pass(&p, &m, 0), "so does what is no gray");
	ok(message_string_is(&g->encoding, "mono8"), "so does what is no gray");
	ok_mem(g->data.data, pixels, W * H, "so does what is no gray");
	end(&p);
}

int main(void)
{
	stream_fixture_begin();
	for (unsigned int i = 0; i < LAYOUTS; i++) {
		test_colours(&layouts[i]);
		test_any(&layouts[i]);
	}
	test_refused();
	test_counted();
	for (unsigned int i = 0; i < PATTERNS; i++)
		test_mosaic(&patterns[i]);
	test_odd_mosaics();
	test_announced();
	stream_fixture_end();
	return tap_done();
}
