// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_view_browser - the protocol of the page
 */
#include <errno.h>
#include <math.h>
#include <unistd.h>
#include <zlib.h>
#include "fast_clock.h"
#include "peer_fixture.h"
#include "ros/msg/compressed.h"
#include "ros/msg/convert.h"
#include "view/browser.h"
#include "view/browser_frame.h"

#define SECOND	1000000000LL

enum { WAIT = 60000 /* ms */ };

static int64_t base;

static void put_image(const char *topic, uint8_t value, int64_t stamp)
{
	static uint8_t pixels[64 * 48];
	const union message m = { .image = {
		.header = { .stamp = stamp, .frame_id = message_string("cam") },
		.width = 64, .height = 48, .step = 64,
		.encoding = message_string("mono8"),
		.data = { pixels, sizeof(pixels) },
	} };

	memset(pixels, value, sizeof(pixels));
	fixture_put(topic, MESSAGE_IMAGE, &m, stamp);
}

/* The next frame of a type, or NULL: pictures are converted by a thread */
static struct outgoing *next_frame(struct peer *p, unsigned int type)
{
	struct picture_result r;
	struct outgoing *o;

	for (unsigned int i = 0; i < WAIT; i++) {
		while (pictures_result(view.pictures, &r))
			p->ops->converted(p, r.frame);
		o = fixture_next(p);
		if (!o) {
			usleep(1000);
			continue;
		}
		if (o->binary && o->head[0] == type)
			return o;
		outgoing_free(o);
	}
	return NULL;
}

static bool is_jpeg(const struct outgoing *o)
{
	return o->len > 12 && get_le16(o->body) == 64 &&
	       get_le16(o->body + 2) == 48 && o->body[8] == 0xff &&
	       o->body[9] == 0xd8;
}

/* x is 3 cells, y is 2; [x][y] from the upper right corner */
static const float heights[3][2] = { { 6, 5 }, { 4, NAN }, { 2, 1 } };
/* Their difference is no float */
static const float extremes[3][2] = { { 3e38, 1.5e38 }, { 0, INFINITY },
				      { -1.5e38, -3e38 } };

static void put_grid(const char *topic, const float values[3][2], double yaw,
		     int64_t stamp)
{
	static uint8_t data[2][3 * 2 * 4];
	static const float other[3][2];
	union message m = { .grid = {
		.header = { .stamp = stamp, .frame_id = message_string("map") },
		.resolution = .5, .length_x = 1.5, .length_y = 1,
		.pose = { { 10, 20, 0 }, { 0, 0, sin(yaw / 2), cos(yaw / 2) } },
		.layers = 2, .arrays = 2, .basic_layers = 1,
		.layer = { message_string("variance"),
			   message_string("elevation") },
		.basic_layer = { message_string("elevation") },
	} };

	message_grid_write(&m.grid, 0, 3, 2, other[0], data[0]);
	message_grid_write(&m.grid, 1, 3, 2, values[0], data[1]);
	fixture_put(topic, MESSAGE_GRID_MAP, &m, stamp);
}

/* Lower row first: the cell of height 1 is at the lower left corner */
static const int8_t grid_cells[6] = { 0, -1, 80, 20, 60, 100 };
static const int8_t extreme_cells[6] = { 0, -1, 75, 25, 50, 100 };

static bool has_cells(const struct outgoing *o, const int8_t want[6])
{
	int8_t cells[6];
	uLongf len = sizeof(cells);

	return o && o->len > 64 &&
	       uncompress((Bytef *)cells, &len, o->body + 64, o->len - 64) ==
	       Z_OK && len == 6 && !memcmp(cells, want, 6);
}

static void test_grid(double yaw, double x, double y)
{
	struct peer *p;
	struct outgoing *o;
	const uint8_t *d;

	fixture_open(false);
	base = io_now();
	put_grid("/elevation", heights, yaw, base);
	p = fixture_open_page();
	cJSON_Delete(fixture_expect(p, "topics"));
	fixture_say(p, "{\"op\":\"want\",\"ids\":[0]}");
	o = next_frame(p, FRAME_MAP);
	d = o ? o->body : NULL;
	ok(d, "a grid map: its lower left corner is at %g, %g", x, y);
	ok(o->len > 64, "a grid map: its lower left corner is at %g, %g", x, y);
	ok_eq(get_le32(d), 3, "a grid map: its lower left corner is at %g, %g",
	      x, y);
	ok_eq(get_le32(d + 4), 2,
	      "a grid map: its lower left corner is at %g, %g", x, y);
	ok(get_lef32(d + 8) == .5f,
	   "a grid map: its lower left corner is at %g, %g", x, y);
	ok(fabs(get_lef32(d + 12) - x) < 1e-5,
	   "a grid map: its lower left corner is at %g, %g", x, y);
	ok(fabs(get_lef32(d + 16) - y) < 1e-5,
	   "a grid map: its lower left corner is at %g, %g", x, y);
	ok(fabs(get_lef32(d + 20) - yaw) < 1e-5,
	   "a grid map: its lower left corner is at %g, %g", x, y);
	ok(d, "its basic layer, from 1 to 6");
	ok(get_lef32(d + 24) == 1, "its basic layer, from 1 to 6");
	ok(get_lef32(d + 28) == 6, "its basic layer, from 1 to 6");
	ok_str((char *)d + 32, "elevation", "its basic layer, from 1 to 6");
	ok(has_cells(o, grid_cells), "its cells");
	if (o)
		outgoing_free(o);
	put_grid("/elevation", extremes, yaw, base + SECOND);
	o = next_frame(p, FRAME_MAP);
	ok(has_cells(o, extreme_cells), "those of a very large range");
	if (o)
		outgoing_free(o);
	peer_destroy(p);
	fixture_close();
}

/* Points so far from each other that the distance is no float */
static void test_cloud(void)
{
	static const float x[3] = { -3e38f, 0, 3e38f };
	static const char *const names[3] = { "x", "y", "z" };
	union message m = { .cloud = {
		.header = { .frame_id = message_string("map") },
		.height = 1, .width = 3, .fields = 3, .point_step = 12,
		.row_step = 36, .is_dense = 1,
	} };
	uint8_t data[36] = { 0 };
	struct outgoing *o;
	struct peer *p;

	for (unsigned int i = 0; i < 3; i++) {
		m.cloud.field[i] = (struct message_point_field){
			message_string(names[i]), 4 * i, CLOUD_FLOAT32, 1,
		};
		put_lef32(data + 12 * i, x[i]);
	}
	m.cloud.data = (struct message_bytes){ data, sizeof(data) };
	fixture_open(false);
	base = io_now();
	m.cloud.header.stamp = base;
	fixture_put("/points", MESSAGE_POINT_CLOUD, &m, base);
	p = fixture_open_page();
	cJSON_Delete(fixture_expect(p, "topics"));
	fixture_say(p, "{\"op\":\"want\",\"ids\":[0]}");
	o = next_frame(p, FRAME_CLOUD);
	ok(o, "a cloud of a very large range");
	ok_eq(o->len, 28 + 3 * 7, "a cloud of a very large range");
	ok_eq(get_le32(o->body), 3, "a cloud of a very large range");
	ok(isfinite(get_lef32(o->body + 16)), "a cloud of a very large range");
	ok(!get_le16(o->body + 28), "a cloud of a very large range");
	ok(abs(get_le16(o->body + 34) - 32768) < 2,
	   "a cloud of a very large range");
	ok(get_le16(o->body + 40) >= 65534, "a cloud of a very large range");
	ok_mem(o->body + 28 + 3 * 6, "\xff\xff\xff", 3,
	       "without intensities all are bright");
	if (o)
		outgoing_free(o);
	peer_destroy(p);
	fixture_close();
}

/* What browser_frame_body() makes of a message that is on the board */
static struct view_message *frame_of(const char *topic, const struct pose *at)
{
	struct view_message *frame;
	const int i = board_find(view.board, topic);
	const int err = browser_frame_body(
		board_topic(view.board, i)->history.newest, at, &frame);

	ok_eq(err, 0, "%s is drawn", topic);
	if (err)
		exit(1);
	return frame;
}

static void test_scan_frame(void)
{
	static const float ranges[] = { .05f, .1f, 2, 30, 31, NAN };
	const struct pose at = { 1, 2, 3 };
	uint8_t wire[24];
	union message m = { .scan = {
		.header = { .stamp = 1, .frame_id = message_string("laser") },
		.angle_min = -1, .angle_increment = .25f,
		.range_min = .1f, .range_max = 30,
	} };
	struct view_message *f;

	for (unsigned int i = 0; i < 6; i++)
		put_lef32(wire + 4 * i, ranges[i]);
	m.scan.ranges = (struct message_floats){ .data = wire, .count = 6 };
	fixture_open(false);
	fixture_put("/scan", MESSAGE_LASER_SCAN, &m, 1);
	f = frame_of("/scan", &at);
	ok_near(get_lef32(f->data), 1, 0, "x of the sensor");
	ok_near(get_lef32(f->data + 4), 2, 0, "its y");
	ok_near(get_lef32(f->data + 8), 3, 0, "its yaw");
	ok_near(get_lef32(f->data + 12), -1, 0, "the first angle");
	ok_near(get_lef32(f->data + 16), .25, 0, "the step");
	ok_eq(get_le32(f->data + 20), 6, "6 ranges");
	ok(isnan(get_lef32(f->data + 24)), "one that is too near");
	ok_near(get_lef32(f->data + 28), .1f, 0, "the nearest");
	ok_near(get_lef32(f->data + 32), 2, 0, "one");
	ok_near(get_lef32(f->data + 36), 30, 0, "the farthest");
	ok(isnan(get_lef32(f->data + 40)), "one that is too far");
	ok(isnan(get_lef32(f->data + 44)), "one that is none");
	view_message_put(f);
	f = frame_of("/scan", NULL);
	ok(isnan(get_lef32(f->data)), "a sensor that is somewhere");
	view_message_put(f);
	fixture_close();
}

/* 16 bits become 8 by their range, and a wide picture is reduced */
static void test_depth_frame(void)
{
	enum { WIDTH = 2 * FRAME_SIDE + 2, HEIGHT = 6 };
	static uint16_t depth[HEIGHT][WIDTH];
	static uint8_t pixels[FRAME_SIDE * HEIGHT];
	union message m = { .image = {
		.width = WIDTH, .height = HEIGHT, .step = 2 * WIDTH,
		.encoding = message_string("16UC1"),
		.data = { (uint8_t *)depth, sizeof(depth) },
	} };
	struct message_compressed_image jpeg = {
		.format = message_string("jpeg") };
	struct image shown = { 0 };
	struct view_message *f;

	for (unsigned int y = 0; y < HEIGHT; y++)
		for (unsigned int x = 0; x < WIDTH; x++)
			depth[y][x] = x < WIDTH / 3 ? 3000 :
				      x < WIDTH * 2 / 3 ? 2000 : 1000;
	/* nothing is known here */
	memset(depth[0], 0, 600);
	fixture_open(false);
	fixture_put("/depth", MESSAGE_IMAGE, &m, 1);
	f = frame_of("/depth", NULL);
	ok_eq(get_le16(f->data), WIDTH, "its width is in it");
	ok_eq(get_le16(f->data + 2), HEIGHT, "and its height");
	jpeg.data = (struct message_bytes){ f->data + 8, f->len - 8 };
	ok_eq(compressed_shape(&jpeg, &shown), 0, "a JPEG");
	ok_eq(shown.width, WIDTH / 3, "of a third of the columns");
	ok_eq(shown.height, HEIGHT / 3, "and rows");
	ok_eq(shown.channels, 1, "in grey");
	shown.data = pixels;
	ok_eq(compressed_read(&jpeg, &shown), 0, "can be read");
	ok_near(pixels[shown.stride + 100], 255, 8, "the farthest is white");
	ok_near(pixels[shown.stride + shown.width / 2], 127, 8, "between them");
	ok_near(pixels[shown.stride + shown.width - 100], 0, 8,
		"the nearest is black");
	view_message_put(f);
	fixture_close();
}

/* JPEG and PNG are shown as they came, depths as a picture of them */
static void test_compressed_frame(void)
{
	static uint16_t depth[48][64];
	static uint8_t grey[48][64];
	static const struct {
		const char	*format;
		bool		as_it_is;
	} rows[] = {
		{ "jpeg", true }, { "png", true },
		{ "16UC1; compressedDepth png", false },
		{ "16UC1; png compressed", false },
	};

	for (unsigned int y = 0; y < 48; y++)
		for (unsigned int x = 0; x < 64; x++) {
			grey[y][x] = 3 * x;
			depth[y][x] = 1000 + x;
		}
	fixture_open(false);
	for (unsigned int i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const bool plain = rows[i].as_it_is;
		const struct image from = {
			64, 48, 1, plain ? 8 : 16, plain ? 64 : 128,
			plain ? *grey : (uint8_t *)*depth,
		};
		const struct message_string format = { rows[i].format,
						       strlen(rows[i].format) };
		union message m = { 0 };
		struct compressed_buffer b = { 0 };
		struct view_message *f;
		char topic[8];

		snprintf(topic, sizeof(topic), "/cam%u", i);
		if (compressed_write(&from, &format, 0, &b, &m.compressed))
			abort();
		m.compressed.format = format;
		fixture_put(topic, MESSAGE_COMPRESSED_IMAGE, &m, 1);
		f = frame_of(topic, NULL);
		ok_eq(get_le16(f->data), 64, "the width of a %s",
		      rows[i].format);
		ok_eq(get_le16(f->data + 2), 48, "... its height");
		ok_eq(f->len == 8 + m.compressed.data.count &&
		      !memcmp(f->data + 8, m.compressed.data.data,
			      m.compressed.data.count), plain,
		      "... and whether it is as it came");
		if (!plain)
			ok_mem(f->data + 8, "\xff\xd8", 2, "... but a JPEG");
		view_message_put(f);
		free(b.data);
	}
	fixture_close();
}

/* Values that a robot wrote beside 0..100 are limited or unknown */
static void test_map_frame(void)
{
	static const int8_t cells[6] = { 0, 7, -1, 100, 120, -128 };
	static const int8_t shown[6] = { 0, 7, -1, 100, 100, -1 };
	union message m = { .map = {
		.resolution = .25f, .width = 3, .height = 2,
		.origin = { { 5, 6, 0 }, { 0, 0, 1, 0 } },
		.data = { (const uint8_t *)cells, 6 },
	} };
	struct view_message *f;
	int8_t got[6];
	uLongf len = sizeof(got);

	fixture_open(false);
	fixture_put("/map", MESSAGE_OCCUPANCY_GRID, &m, 1);
	f = frame_of("/map", NULL);
	ok_eq(get_le32(f->data), 3, "the width of a map");
	ok_eq(get_le32(f->data + 4), 2, "its height");
	ok_near(get_lef32(f->data + 8), .25, 0, "its resolution");
	ok_near(get_lef32(f->data + 12), 5, 0, "x of its corner");
	ok_near(get_lef32(f->data + 16), 6, 0, "its y");
	ok_near(fabs(get_lef32(f->data + 20)), M_PI, 1e-6, "its yaw");
	ok_near(get_lef32(f->data + 24), 0, 0, "0 stands for 0");
	ok_near(get_lef32(f->data + 28), 100, 0, "100 for 100");
	ok_str((const char *)f->data + 32, "", "it is no layer");
	ok_eq(uncompress((Bytef *)got, &len, f->data + 64, f->len - 64), Z_OK,
	      "its cells can be read");
	ok_eq(len, 6, "all of them");
	ok_mem(got, shown, 6, "as they are known");
	view_message_put(f);
	m.map.width = 2;
	fixture_put("/cut", MESSAGE_OCCUPANCY_GRID, &m, 1);
	f = NULL;
	ok_eq(browser_frame_body(board_topic(view.board,
					     board_find(view.board, "/cut"))
				 ->history.newest, NULL, &f), -EBADMSG,
	      "a map of another number of cells is not drawn");
	fixture_close();
}

static void test_live(void)
{
	struct peer *p;
	struct outgoing *out;
	cJSON *o;

	fixture_open(false);
	base = io_now() - 30 * SECOND;
	for (int i = 0; i < 300; i++) {
		fixture_odometry("/odom", i, base + i * SECOND / 10);
		put_image("/cam", i, base + i * SECOND / 10);
	}
	p = fixture_open_page();
	o = fixture_expect(p, "hello");
	ok(o, "hello");
	ok_eq(cJSON_GetObjectItem(o, "slot")->valueint, 500, "hello");
	ok(cJSON_IsFalse(cJSON_GetObjectItem(o, "control")), "hello");
	cJSON_Delete(o);
	o = fixture_expect(p, "topics");
	ok(o, "topics");
	ok_eq(cJSON_GetArraySize(cJSON_GetObjectItem(o, "topics")), 2,
	      "topics");
	cJSON_Delete(o);
	o = fixture_expect(p, "band");
	ok(o, "the band");
	ok(cJSON_IsTrue(cJSON_GetObjectItem(o, "full")), "the band");
	ok(strstr(cJSON_GetObjectItem(cJSON_GetArrayItem( cJSON_GetObjectItem(o, "topics"), 0), "s")->valuestring, "LLLLLLLLLL"),
	   "the band");
	cJSON_Delete(o);
	o = fixture_expect(p, "track");
	ok(o, "where the robot was");
	ok(cJSON_GetArraySize(cJSON_GetObjectItem(o, "points")) > 100,
	   "where the robot was");
	cJSON_Delete(o);
	fixture_say(p, "{\"op\":\"want\",\"ids\":[1]}");
	out = next_frame(p, FRAME_PICTURE);
	ok(out, "the newest picture as JPEG, with its time");
	ok(is_jpeg(out), "the newest picture as JPEG, with its time");
	ok(!out->head[1], "the newest picture as JPEG, with its time");
	ok_eq(get_le32(out->head + 4), 1,
	      "the newest picture as JPEG, with its time");
	ok(fabs(get_lef64(out->head + 8) - (base + 299 * SECOND / 10) / 1e6) < 1,
	   "the newest picture as JPEG, with its time");
	outgoing_free(out);
	fixture_odometry("/odom", 300, base + 30 * SECOND);
	fast_clock_pass(110);
	o = fixture_expect(p, "msg");
	ok(o, "a small message as JSON");
	ok(cJSON_GetObjectItem(cJSON_GetObjectItem(cJSON_GetObjectItem( cJSON_GetObjectItem(cJSON_GetObjectItem(o, "data"), "pose"), "pose"), "position"), "x")->valuedouble == 300,
	   "a small message as JSON");
	cJSON_Delete(o);
	fixture_odometry("/new", 301, base + 30 * SECOND);
	fast_clock_pass(260);
	o = fixture_expect(p, "band");
	ok(cJSON_IsFalse(cJSON_GetObjectItem(o, "full")),
	   "what is new of the band");
	cJSON_Delete(o);
	peer_destroy(p);
	fixture_close();
}

static void test_past(void)
{
	struct peer *p;
	struct outgoing *out;
	char text[128];
	cJSON *o;

	fixture_open(false);
	base = io_now() - 30 * SECOND;
	for (int i = 0; i < 100; i++)
		put_image("/cam", i, base + i * SECOND / 10);
	put_image("/cam", 7, base + 25 * SECOND);
	put_image("/cam/kept", 9, base + 15 * SECOND);
	p = fixture_open_page();
	snprintf(text, sizeof(text), "{\"op\":\"at\",\"time\":%.0f,"
		 "\"ids\":[0,99]}", (base + 17 * SECOND) / 1e6);
	fixture_say(p, text);
	out = next_frame(p, FRAME_PICTURE);
	ok(out, "what was known then: the kept picture before that time");
	ok(is_jpeg(out),
	   "what was known then: the kept picture before that time");
	ok_eq(out->head[1], (FRAME_AT | FRAME_KEPT),
	      "what was known then: the kept picture before that time");
	ok(fabs(get_lef64(out->head + 8) - (base + 15 * SECOND) / 1e6) < 1,
	   "what was known then: the kept picture before that time");
	outgoing_free(out);
	o = fixture_expect(p, "at");
	ok(o, "the answer is complete");
	ok(cJSON_IsTrue(cJSON_GetObjectItem(o, "done")),
	   "the answer is complete");
	ok_eq(cJSON_GetArraySize(cJSON_GetObjectItem(o, "found")), 1,
	      "the answer is complete");
	cJSON_Delete(o);
	peer_destroy(p);
	fixture_close();
}

/* A page that does not draw gets nothing, but what it knows is up to date */
static void test_hidden(void)
{
	struct peer *p;
	struct outgoing *out;
	unsigned int got = 0, early = 0;
	char text[64];

	fixture_open(false);
	base = io_now();
	fixture_odometry("/odom", 0, base);
	p = fixture_open_page();
	while ((out = fixture_next(p)))
		outgoing_free(out);
	for (int i = 1; i <= 15; i++) {
		fixture_odometry("/odom", i, base + i * SECOND / 10);
		fast_clock_pass(110);
		while ((out = fixture_next(p))) {
			got += strstr((const char *)out->body, "\"msg\"") !=
			       NULL;
			outgoing_free(out);
		}
	}
	ok_eq(got, 4, "messages that a page gets in 1.6 s if it acknowledges none");
	fixture_say(p, "{\"op\":\"ack\"}");
	fixture_say(p, "{\"op\":\"ack\",\"n\":\"all\"}");
	fixture_say(p, "{\"op\":\"ack\",\"n\":1000000}");
	fixture_odometry("/odom", 98, base + 19 * SECOND / 10);
	fast_clock_pass(110);
	while ((out = fixture_next(p))) {
		early += strstr((const char *)out->body, "\"msg\"") != NULL;
		outgoing_free(out);
	}
	ok_eq(early, 0, "nor if it acknowledges what it did not get");
	snprintf(text, sizeof(text), "{\"op\":\"ack\",\"n\":%u}", got);
	fixture_say(p, text);
	fixture_odometry("/odom", 99, base + 2 * SECOND);
	fast_clock_pass(110);
	out = fixture_next(p);
	while (out && !strstr((const char *)out->body, "\"msg\"")) {
		outgoing_free(out);
		out = fixture_next(p);
	}
	ok(out, "and the newest when it has drawn them");
	ok(strstr((const char *)out->body, "99"),
	   "and the newest when it has drawn them");
	outgoing_free(out);
	peer_destroy(p);
	fixture_close();
}

/* What cannot be done is answered, and ends nothing */
static void test_answered(void)
{
	static const struct {
		const char *text, *error;
	} rows[] = {
		{ "{\"op\":\"at\"}", "at needs a time in ms" },
		{ "{\"op\":\"at\",\"time\":1e13}", "at needs a time in ms" },
		{ "{\"op\":\"play\",\"paused\":true}", "this is no replay" },
		{ "{\"op\":\"focus\",\"source\":\"r\"}",
		  "no robot here takes commands" },
	};
	struct peer *p;
	cJSON *o;

	fixture_open(false);
	p = peer_create(&browser_ops, &view, 7, "test");
	p->authorised = true;
	p->ops->opened(p);
	fixture_say(p, "{\"op\":\"want\",\"ids\":[]}");
	o = fixture_expect(p, "error");
	ok_str(cJSON_GetStringValue(cJSON_GetObjectItem(o, "text")),
	       "say hello first", "one that does not greet");
	cJSON_Delete(o);
	fixture_say(p, "{\"op\":\"hello\"}");
	for (unsigned int i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		fixture_say(p, rows[i].text);
		o = fixture_expect(p, "error");
		ok_str(cJSON_GetStringValue(cJSON_GetObjectItem(o, "text")),
		       rows[i].error, "%s", rows[i].text);
		cJSON_Delete(o);
	}
	ok(!p->failed, "it is still connected");
	peer_destroy(p);
	fixture_close();
}

static void test_refused(void)
{
	struct peer *p;
	cJSON *o;

	fixture_open(false);
	p = peer_create(&browser_ops, &view, 7, "test");
	p->ops->opened(p);
	{
		static struct http_auth auth = { .tokens = 1 };

		strcpy(auth.token[0], "0123456789abcdef");
		p->auth = &auth;
	}
	fixture_say(p, "{\"op\":\"hello\",\"token\":\"wrong\"}");
	o = fixture_expect(p, "error");
	ok(o, "a wrong token is refused");
	ok(strstr(cJSON_GetObjectItem(o, "text")->valuestring, "token"),
	   "a wrong token is refused");
	cJSON_Delete(o);
	fixture_say(p, "{\"op\":\"want\",\"ids\":[0]}");
	o = fixture_expect(p, "error");
	ok(o != NULL, "and nothing is done before the right one");
	cJSON_Delete(o);
	fixture_say(p, "{\"op\":\"hello\",\"token\":\"0123456789abcdef\"}");
	o = fixture_expect(p, "hello");
	ok(o != NULL, "the right one is accepted");
	cJSON_Delete(o);
	fixture_say(p, "{\"op\":\"priority\",\"source\":\"r\",\"topic\":\"/x\","
		    "\"value\":1}");
	o = fixture_expect(p, "error");
	ok(o != NULL, "no robot: no commands");
	cJSON_Delete(o);
	ok(fixture_say(p, "[1]"), "rubbish ends the connection");
	ok(p->failed, "rubbish ends the connection");
	peer_destroy(p);
	fixture_close();
}

int main(void)
{
	test_cloud();
	test_scan_frame();
	test_depth_frame();
	test_compressed_frame();
	test_map_frame();
	test_live();
	test_grid(0, 9.25, 19.5);
	test_grid(M_PI / 2, 10.5, 19.25);
	test_past();
	test_hidden();
	test_answered();
	test_refused();
	return tap_done();
}
