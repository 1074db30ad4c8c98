// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_codec_limits - messages at the limits of their codecs: the largest, the
 * empty, those whose sizes lie, and receivers that have no memory for them
 */
#include "codec/grid/layers.h"
#include "codec/scan/laserscan.h"
#include "ros/msg/convert.h"
#include "stream_fixture.h"
#include "transport/transforms.h"

static const struct decode_limits limits = DECODE_LIMITS;

/* A decoder whose stream may have that much memory */
static struct budget *limit(struct pair *p, size_t memory)
{
	struct budget *b = budget_create(memory, NULL);

	decoder_destroy(p->decoder);
	p->decoder = decoder_create(&limits, b);
	return b;
}

/* ---- laser scans ---- */

static float ranges[LASERSCAN_BEAMS + 1], intensities[LASERSCAN_BEAMS + 1];

static union message scan_of(unsigned int beams, unsigned int intense)
{
	return (union message){ .scan = {
		.header = header("laser"), .angle_min = -2, .angle_max = 2,
		.angle_increment = beams > 1 ? 4.f / (beams - 1) : 1,
		.time_increment = .001f, .scan_time = .1f, .range_min = .25f,
		.range_max = 30,
		.ranges = { (const uint8_t *)ranges, beams, false },
		.intensities = { (const uint8_t *)intensities, intense, false },
	} };
}

/* Are beams and intensities of what came as they were sent? */
static bool is_scan(unsigned int beams, double step)
{
	const struct message_laser_scan *m = &got.msg.scan;
	bool good = m->ranges.count == beams &&
		    m->intensities.count == (step ? beams : 0);

	for (unsigned int i = 0; good && i < beams; i++) {
		good = fabsf(message_float(&m->ranges, i) - ranges[i]) < .006f;
		if (step)
			good &= fabs(message_float(&m->intensities, i) -
				     intensities[i]) <= step / 2;
	}
	return good;
}

static void test_scans(void)
{
	struct encode_options options = ENCODE_DEFAULTS;
	const struct message_laser_scan *s = &got.msg.scan;
	union message m;
	struct pair p;

	for (unsigned int i = 0; i < LASERSCAN_BEAMS + 1; i++) {
		ranges[i] = 5 + sinf(i * .05f);
		intensities[i] = i % 200;
	}
	begin(&p, MESSAGE_LASER_SCAN, CODEC_LASERSCAN);
	p.order.parts = 0;
	m = scan_of(10, 10);
	ok_eq(pass(&p, &m, 0), 0, "a scan");
	ok_eq(p.sent, 2, "in two parts, if nothing else is wanted");
	ok(is_scan(10, 1), "with its intensities");
	ok(got.exact, "of which nothing is missing");
	ok_near(got.share, 1, 0, "so it is all of it");
	ok_near(s->angle_min, -2, 1e-6, "from one angle");
	ok_near(s->angle_max, 2, 1e-6, "to another");
	ok_near(s->angle_increment, 4. / 9, 1e-6, "in these steps");
	ok_near(s->time_increment, .001, 1e-6, "of time");
	ok_near(s->scan_time, .1, 1e-6, "in all");
	ok_near(s->range_min, .25, 1e-6, "not nearer");
	ok_near(s->range_max, 30, 1e-6, "nor farther");
	p.order.parts = 5;
	m = scan_of(540, 540);
	ok_eq(pass(&p, &m, 0), 0, "a larger one");
	ok_eq(p.sent, 5, "in as many parts as were planned");
	ok(is_scan(540, 1), "is as it was");
	m = scan_of(10, 10);
	pass(&p, &m, 0);
	ok(is_scan(10, 1), "as is a smaller one behind it");
	m = scan_of(10, 9);
	pass(&p, &m, 0);
	ok(is_scan(10, 0), "too few intensities are left out");
	m = scan_of(0, 0);
	ok_eq(pass(&p, &m, 0), -EBADMSG, "a scan without beams is none");
	m = scan_of(1, 1);
	ok_eq(pass(&p, &m, 0), 0, "one with a single one");
	ok(is_scan(1, 1), "has one");
	ok_near(s->angle_max, -2, 1e-6, "and ends where it begins");
	m = scan_of(LASERSCAN_BEAMS, 0);
	ok_eq(pass(&p, &m, 0), 0, "as many beams as there may be");
	ok(is_scan(LASERSCAN_BEAMS, 0), "come");
	m = scan_of(LASERSCAN_BEAMS + 1, 0);
	ok_eq(pass(&p, &m, 0), -EMSGSIZE, "one more is too many");
	end(&p);
	options.intensity = 0;
	begin_with(&p, MESSAGE_LASER_SCAN, CODEC_LASERSCAN, &options);
	m = scan_of(10, 10);
	pass(&p, &m, 0);
	ok(is_scan(10, 0), "intensities that no one wants are not sent");
	end(&p);
	options.intensity = 20;
	begin_with(&p, MESSAGE_LASER_SCAN, CODEC_LASERSCAN, &options);
	m = scan_of(300, 300);
	pass(&p, &m, 0);
	ok(is_scan(300, 20), "or in larger steps");
	end(&p);
}

/* ---- clouds ---- */

enum { POINTS = 8000 };

static struct cloud *heap(unsigned int points)
{
	struct cloud *c = cloud_create(points);

	cloud_add_field(c, "intensity", CLOUD_FLOAT32);
	for (c->count = 0; c->count < points; c->count++) {
		c->x[c->count] = rnd(&rng, 10000) * .001f;
		c->y[c->count] = rnd(&rng, 10000) * .001f;
		c->z[c->count] = rnd(&rng, 10000) * .001f;
		cloud_put(&c->field[0], c->count, rnd(&rng, 256));
	}
	return c;
}

/* Voxels of that size that have a point */
static unsigned int voxels(const struct cloud *c, double leaf)
{
	static bool used[32][32][32];
	unsigned int n = 0;

	memset(used, 0, sizeof(used));
	for (unsigned int i = 0; i < c->count; i++) {
		bool *u = &used[(int)(c->x[i] / leaf)][(int)(c->y[i] / leaf)]
			       [(int)(c->z[i] / leaf)];

		n += !*u;
		*u = true;
	}
	return n;
}

static void test_blocks(void)
{
	struct encode_options options = ENCODE_DEFAULTS;
	struct cloud *c = heap(POINTS), *back = cloud_create(POINTS);
	union message m = { .cloud.header = header("lidar") };
	uint8_t *data = malloc(message_cloud_bytes(c));
	unsigned int all, wrong = 0;
	struct pair p;

	message_cloud_write(c, data, &m.cloud);
	begin(&p, MESSAGE_POINT_CLOUD, CODEC_BLOCK);
	p.order.leaf = .5;
	ok_eq(pass(&p, &m, 0), 0, "a cloud in voxels of half a metre");
	all = voxels(c, .5);
	ok_range(p.result.points, .98 * all, 1.02 * all + 100,
		 "has a point for each of them");
	ok_eq(got.msg.cloud.width * got.msg.cloud.height, p.result.points,
	      "that all come");
	p.order.points = 2 * all;
	ok_eq(pass(&p, &m, 0), 0, "a limit that is above that");
	ok_range(p.result.points, .98 * all, 1.02 * all + 100,
		 "changes nothing");
	p.order.points = 500;
	ok_eq(pass(&p, &m, 0), 0, "one that is below");
	ok_range(p.result.points, 250, 500, "is kept");
	p.order.leaf = 0;
	p.order.points = 3000;
	ok_eq(pass(&p, &m, 0), 0, "without a size of voxels");
	ok_range(p.result.points, 1500, 3000, "it is kept, too");
	p.order.points = 0;
	ok_eq(pass(&p, &m, 0), 0, "without any limit");
	ok_range(p.result.points, .9 * POINTS, POINTS, "most points come");
	end(&p);
	options.intensity = 0;
	begin_with(&p, MESSAGE_POINT_CLOUD, CODEC_BLOCK, &options);
	pass(&p, &m, 0);
	ok_eq(message_cloud_read(&got.msg.cloud, back), 0, "a cloud");
	ok(cloud_find(back, "intensity") < 0, "without intensities");
	end(&p);
	options.intensity = 50;
	begin_with(&p, MESSAGE_POINT_CLOUD, CODEC_BLOCK, &options);
	pass(&p, &m, 0);
	ok_eq(message_cloud_read(&got.msg.cloud, back), 0, "a cloud");
	ok(cloud_find(back, "intensity") >= 0, "with them");
	for (unsigned int i = 0; i < back->count; i++)
		wrong += fmod(cloud_get(&back->field[0], i), 50) != 0;
	ok_eq(wrong, 0, "in steps");
	end(&p);
	free(data);
	cloud_destroy(c);
	cloud_destroy(back);
}

/* Sizes that lie, before anything else was sent and after */
static void test_forged_clouds(enum codec_id codec)
{
	struct cloud *c = heap(5000);
	union message m = { .cloud.header = header("lidar") };
	uint8_t *data = malloc(message_cloud_bytes(c));
	const char *name = codec_name(codec);
	union message forged;
	struct pair p;

	message_cloud_write(c, data, &m.cloud);
	begin(&p, MESSAGE_POINT_CLOUD, codec);
	forged = m;
	forged.cloud.width = 1 << 30;
	ok_eq(pass(&p, &forged, 0), -EBADMSG, "%s: more points than bytes",
	      name);
	forged = m;
	forged.cloud.width++;
	ok_eq(pass(&p, &forged, 0), -EBADMSG, "%s: even one", name);
	forged = m;
	forged.cloud.point_step = 0;
	ok_eq(pass(&p, &forged, 0), -EBADMSG, "%s: points without bytes", name);
	ok_eq(pass(&p, &m, 0), 0, "%s: but a good one comes", name);
	forged = m;
	forged.cloud.width++;
	ok_eq(pass(&p, &forged, 0), -EBADMSG, "%s: then one more, again", name);
	end(&p);
	free(data);
	cloud_destroy(c);
}

/* ---- maps ---- */

static int8_t cells[1 << 19];

static union message map_of(unsigned int width, unsigned int height)
{
	return (union message){ .map = {
		.header = header("map"), .resolution = .05f, .width = width,
		.height = height,
		.data = { (uint8_t *)cells, width * height },
		.origin = { { -3, 2, 0 }, { 0, 0, 0, 1 } },
	} };
}

static void test_maps(enum codec_id codec)
{
	const char *name = codec_name(codec);
	union message m = map_of(100, 60);
	struct budget *b;
	struct pair p;

	for (unsigned int i = 0; i < sizeof(cells); i++)
		cells[i] = i % 41 ? 0 : 100;
	begin(&p, MESSAGE_OCCUPANCY_GRID, codec);
	p.order.bytes = 1 << 20;
	m.map.data.count--;
	ok_eq(pass(&p, &m, 0), -EBADMSG, "%s: a map that lacks a cell", name);
	m = map_of(70000, 1);
	ok_eq(pass(&p, &m, 0), -EBADMSG, "%s: one that is too wide", name);
	m = map_of(1, 70000);
	ok_eq(pass(&p, &m, 0), -EBADMSG, "%s: too high", name);
	/* it grows in both directions, and shrinks */
	for (unsigned int i = 0; i < 5; i++) {
		static const unsigned int size[5][2] = {
			{ 100, 60 }, { 500, 60 }, { 500, 400 }, { 40, 30 },
			{ 600, 700 },
		};
		unsigned int width = size[i][0], height = size[i][1];

		m = map_of(width, height);
		ok_eq(pass(&p, &m, 0), 0, "%s: %u x %u cells", name, width,
		      height);
		ok_near(got.msg.map.width * got.msg.map.resolution,
			width * .05, .35, "%s: as wide", name);
		ok_near(got.msg.map.height * got.msg.map.resolution,
			height * .05, .35, "%s: as high", name);
		if (codec == CODEC_TILES)
			ok_mem(got.msg.map.data.data, cells, width * height,
			       "%s: as it was", name);
	}
	m = map_of(10, 10);
	m.map.data.count = 50;
	ok_eq(pass(&p, &m, 0), -EBADMSG, "%s: a small one that lies", name);
	if (codec == CODEC_TILES) {
		b = limit(&p, 1 << 20);
		m = map_of(300, 400);
		ok_eq(pass(&p, &m, 0), 0, "%s: with little memory a map", name);
		m = map_of(600, 700);
		ok_eq(pass(&p, &m, 0), -EFBIG, "%s: not a large one", name);
		ok(b->refused > 0, "%s: which is counted", name);
		end(&p);
		budget_drop(b);
		return;
	}
	end(&p);
}

static float values[256 * 256];
static uint8_t raw[2][256 * 256 * 4];

static union message grid_of(unsigned int rows, unsigned int columns,
			     const char *name)
{
	union message m = { .grid = {
		.header = header("map"), .resolution = .1,
		.length_x = rows * .1, .length_y = columns * .1,
		.layers = 2, .arrays = 2,
		.pose = { { 1, 2, 0 }, { 0, 0, sin(.4), cos(.4) } },
	} };

	m.grid.layer[0] = message_string("elevation");
	m.grid.layer[1] = message_string(name);
	for (unsigned int l = 0; l < 2; l++) {
		for (unsigned int i = 0; i < rows * columns; i++)
			values[i] = (l + 1) * (i % 97) * .01f;
		message_grid_write(&m.grid, l, rows, columns, values, raw[l]);
	}
	return m;
}

/* Is each value as it was? */
static bool is_grid(const union message *m, unsigned int cells_of)
{
	static float was[256 * 256], is[256 * 256];
	bool good = got.msg.grid.layers == 2;

	for (unsigned int l = 0; good && l < 2; l++) {
		message_grid_read(&m->grid, l, was);
		message_grid_read(&got.msg.grid, l, is);
		for (unsigned int i = 0; good && i < cells_of; i++)
			good = fabsf(was[i] - is[i]) < .01f;
	}
	return good;
}

static void test_grids(void)
{
	static const unsigned int size[4][2] = {
		{ 60, 40 }, { 60, 200 }, { 250, 40 }, { 30, 20 },
	};
	char longest[LAYERS_NAME + 1];
	union message m;
	struct budget *b;
	struct pair p;

	begin(&p, MESSAGE_GRID_MAP, CODEC_LAYERS);
	p.order.bytes = 1 << 20;
	memset(longest, 'n', sizeof(longest));
	longest[LAYERS_NAME] = 0;
	m = grid_of(60, 40, longest);
	ok_eq(pass(&p, &m, 0), -EMSGSIZE, "the name of a layer is too long");
	longest[LAYERS_NAME - 1] = 0;
	m = grid_of(60, 40, longest);
	ok_eq(pass(&p, &m, 0), 0, "the longest one");
	ok(message_string_is(&got.msg.grid.layer[1], longest), "comes");
	for (unsigned int i = 0; i < 4; i++) {
		m = grid_of(size[i][0], size[i][1], "gas");
		ok_eq(pass(&p, &m, 0), 0, "a grid of %u x %u cells", size[i][0],
		      size[i][1]);
		ok(is_grid(&m, size[i][0] * size[i][1]), "is as it was");
		ok_near(got.msg.grid.length_x, size[i][0] * .1, 1e-4,
			"as long");
		ok_near(got.msg.grid.length_y, size[i][1] * .1, 1e-4,
			"as wide");
		ok_near(got.msg.grid.pose.position[0], 1, 1e-3, "at its place");
		ok_near(got.msg.grid.pose.position[1], 2, 1e-3, "in y, too");
		ok_near(got.msg.grid.pose.orientation[2], sin(.4), 1e-4,
			"turned");
		ok_near(got.msg.grid.pose.orientation[3], cos(.4), 1e-4,
			"as it was");
	}
	b = limit(&p, 200000);
	m = grid_of(60, 40, "gas");
	ok_eq(pass(&p, &m, 0), 0, "with little memory a grid comes");
	m = grid_of(250, 200, "gas");
	ok_eq(pass(&p, &m, 0), -EFBIG, "but not a large one");
	end(&p);
	budget_drop(b);
}

/* ---- what is whole or nothing ---- */

static union message camera_of(double k)
{
	return (union message){ .camera_info = {
		.header = header("camera"), .k = { k },
	} };
}

/* Of a state that does not change now and then one is shown */
static void test_states(void)
{
	union message m = camera_of(1);
	unsigned int shown = 0;
	struct pair p;
	bool good = true;

	begin(&p, MESSAGE_CAMERA_INFO, CODEC_BLOB);
	for (unsigned int i = 0; i < 61; i++) {
		good &= !pass(&p, &m, 0);
		shown += got.count;
	}
	ok(good, "the same state again and again");
	ok_eq(shown, 3, "one of 30 is shown");
	m = camera_of(2);
	pass(&p, &m, 0);
	ok_eq(got.count, 1, "another one is");
	/* a frame that was overtaken */
	frame -= 10;
	m = camera_of(1);
	pass(&p, &m, 0);
	ok_eq(got.count, 1, "one that was overtaken, too");
	frame += 9;
	m = camera_of(2);
	pass(&p, &m, 0);
	ok_eq(got.count, 0, "but the newest is known");
	end(&p);
}

static union message tree_of(struct message_transform *list, unsigned int n,
			     unsigned int first)
{
	static char name[TRANSFORMS_FRAMES + 8][16];

	for (unsigned int i = 0; i < n; i++) {
		snprintf(name[i], sizeof(name[i]), "f%u", first + i);
		list[i] = (struct message_transform){
			.header = header("base"),
			.child_frame_id = message_string(name[i]),
			.rotation = { 0, 0, 0, 1 },
		};
	}
	return (union message){ .tf.transforms = message_list(list, n) };
}

static void test_trees(void)
{
	static struct message_transform list[TRANSFORMS_FRAMES + 8];
	union message m;
	struct budget *b;
	struct pair p;

	begin(&p, MESSAGE_TRANSFORMS, CODEC_BLOB);
	strcpy(p.topic.name, "/tf");
	m = tree_of(list, TRANSFORMS_FRAMES, 0);
	ok_eq(pass(&p, &m, 0), 0, "as many frames as a tree may have");
	ok_eq(got.msg.tf.transforms.count, TRANSFORMS_FRAMES, "are shown");
	ok_near(got.share, 1, 0, "all of them");
	m = tree_of(list, 4, TRANSFORMS_FRAMES - 2);
	ok_eq(pass(&p, &m, 0), -EFBIG, "two more are too many");
	ok_eq(got.count, 0, "and not shown");
	list[0].translation[0] = 5;
	ok_eq(pass(&p, &m, 0), 0, "but with them one that moved");
	ok_eq(got.msg.tf.transforms.count, 1, "is shown alone");
	ok_near(got.share, .5, 0, "as half of what came");
	end(&p);
	begin(&p, MESSAGE_TRANSFORMS, CODEC_BLOB);
	b = limit(&p, TRANSFORMS_MEMORY / 2);
	m = tree_of(list, 1, 0);
	ok_eq(pass(&p, &m, 0), -EFBIG, "no memory for a tree");
	end(&p);
	budget_drop(b);
}

/* ---- the limits of a receiver ---- */

enum { SIDE = 40 };

/* A message as large as @at allows; with @under, a limit that is less */
static void allows(const char *what, const union message *m,
		   enum message_kind kind, enum codec_id codec,
		   struct decode_limits at, struct decode_limits under)
{
	struct pair p;

	begin(&p, kind, codec);
	p.order.bytes = 1 << 20;
	decoder_destroy(p.decoder);
	p.decoder = decoder_create(&at, NULL);
	ok_eq(pass(&p, m, 0), 0, "%s: as much as is allowed", what);
	ok(got.count, "%s: comes", what);
	decoder_destroy(p.decoder);
	p.decoder = decoder_create(&under, NULL);
	ok_eq(pass(&p, m, 0), -EFBIG, "%s: more is refused as too large", what);
	ok_eq(got.count, 0, "%s: and does not come", what);
	end(&p);
}

static void test_limits_of_clouds(void)
{
	struct cloud *c = heap(1000);
	union message m = { .cloud.header = header("lidar") };
	uint8_t *data = malloc(message_cloud_bytes(c));
	struct decode_limits at = limits, under = limits;

	message_cloud_write(c, data, &m.cloud);
	at.points = 1000;
	under.points = 100;
	allows("block", &m, MESSAGE_POINT_CLOUD, CODEC_BLOCK, at, under);
	allows("cloud80", &m, MESSAGE_POINT_CLOUD, CODEC_CLOUD80, at, under);
	free(data);
	cloud_destroy(c);
}

static void test_limits(void)
{
	static uint8_t pixels[SIDE * SIDE];
	struct decode_limits at = limits, under = limits;
	union message m = { .image = {
		.header = header("camera"), .height = SIDE, .width = SIDE,
		.step = SIDE, .encoding = message_string("mono8"),
		.data = { pixels, sizeof(pixels) },
	} };

	at.pixels = SIDE * SIDE;
	under.pixels = at.pixels - 1;
	allows("md", &m, MESSAGE_IMAGE, CODEC_MD, at, under);
	m = map_of(SIDE, SIDE);
	at = under = limits;
	at.cells = SIDE;
	under.cells = SIDE - 1;
	allows("tiles", &m, MESSAGE_OCCUPANCY_GRID, CODEC_TILES, at, under);
	m = grid_of(SIDE, SIDE, "gas");
	allows("layers", &m, MESSAGE_GRID_MAP, CODEC_LAYERS, at, under);
	m = camera_of(1);
	at = under = limits;
	at.bytes = message_write(MESSAGE_CAMERA_INFO, MESSAGE_CDR, &m, bytes,
				 ROOM);
	under.bytes = at.bytes - 1;
	allows("blob", &m, MESSAGE_CAMERA_INFO, CODEC_BLOB, at, under);
}

int main(void)
{
	stream_fixture_begin();
	test_scans();
	test_blocks();
	test_forged_clouds(CODEC_RANGE);
	test_forged_clouds(CODEC_BLOCK);
	test_maps(CODEC_TILES);
	test_maps(CODEC_PYRAMID);
	test_grids();
	test_states();
	test_trees();
	test_limits();
	test_limits_of_clouds();
	stream_fixture_end();
	return tap_done();
}
