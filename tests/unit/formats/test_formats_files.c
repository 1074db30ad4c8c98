// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_formats_files - pictures and clouds in files, as their formats say; how
 * similar two pictures are
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/wire.h"
#include "codec/grid/map.h"
#include "folder.h"
#include "formats/cloud_file.h"
#include "formats/image_convert.h"
#include "formats/png_file.h"
#include "formats/pnm.h"
#include "formats/velodyne.h"
#include "tap.h"

static const char *put(const char *name, const void *data, size_t len)
{
	const char *path = in_folder(name);
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(data, 1, len, f) != len || fclose(f))
		abort();
	return path;
}

/*
 * PNG
 */

static void test_png(unsigned int channels, unsigned int depth)
{
	const unsigned int bytes = channels * depth / 8;
	uint8_t data[7 * 50], *row;
	struct image in = { .width = 5, .height = 7, .channels = channels,
			    .depth = depth, .stride = 50, .data = data };
	struct image out;
	const char *error = NULL, *path = in_folder("a.png");
	uint64_t seed = channels;
	unsigned int wrong = 0;

	for (unsigned int i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)rnd(&seed, 256);
	ok_eq(png_save(path, &in, &error), 0, "%u channels of %u bits: saved",
	      channels, depth);
	ok_eq(png_load(path, &out, &error), 0, "... and loaded");
	ok_eq(out.width, 5, "... its width");
	ok_eq(out.height, 7, "... its height");
	ok_eq(out.channels, channels, "... its channels");
	ok_eq(out.depth, depth, "... its depth");
	for (unsigned int y = 0; y < 7; y++) {
		row = image_row(&in, y);
		wrong += memcmp(row, image_row(&out, y), 5 * bytes) != 0;
	}
	ok_eq(wrong, 0, "... its rows");
	free(out.data);
}

static void test_png_bad(void)
{
	/* 8 x 1 of one bit */
	static const uint8_t file[] = {
		0x89, 'P', 'N', 'G', 13, 10, 26, 10,
		0, 0, 0, 13, 'I', 'H', 'D', 'R', 0, 0, 0, 8, 0, 0, 0, 1, 1, 0,
		0, 0, 0, 0x62, 0xac, 0x63, 0xe5,
		0, 0, 0, 10, 'I', 'D', 'A', 'T', 0x78, 0x9c, 0x63, 0xd8, 0, 0,
		0, 0xb2, 0, 0xb1, 0xff, 0xff, 0xff, 0xff,
		0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82,
	};
	const char *error = NULL;
	struct image out;

	ok_eq(png_load(put("bad.png", file, sizeof(file)), &out, &error),
	      -EINVAL, "a checksum that is wrong");
	ok(error && *error, "... says why: %s", error);
	ok(!out.data, "... leaves nothing");
	ok_eq(png_load(in_folder("none.png"), &out, &error), -ENOENT,
	      "no file");
	ok_str(error, "No such file or directory", "... says so");
	ok_eq(png_load(put("text.png", "text", 4), &out, &error), -EINVAL,
	      "a text");
	out = (struct image){ .width = 1, .height = 1, .channels = 1,
			      .depth = 8, .stride = 1, .data = (uint8_t *)"x" };
	ok_eq(png_save(in_folder("none/a.png"), &out, &error), -ENOENT,
	      "no folder");
	ok_eq(png_save("/dev/full", &out, &error), -ENOSPC, "no room");
	ok_str(error, "No space left on device", "... says so");
}

/* A picture that ends in the middle */
static void test_png_cut(void)
{
	const char *error = NULL, *path = in_folder("cut.png");
	static uint8_t data[64 * 64], file[8192];
	struct image in = { .width = 64, .height = 64, .channels = 1,
			    .depth = 8, .stride = 64, .data = data }, out;
	uint64_t seed = 1;
	size_t n;
	FILE *f;

	for (unsigned int i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)rnd(&seed, 256);
	png_save(path, &in, &error);
	f = fopen(path, "rb");
	n = fread(file, 1, sizeof(file), f);
	fclose(f);
	ok_eq(png_load(put("cut.png", file, n / 2), &out, &error), -EINVAL,
	      "half a picture");
	ok(!out.data, "... leaves nothing");
}

/*
 * PGM, and the YAML of a map
 */

static void test_pnm(void)
{
	static const char wide[] = "P5 3 2 65535\n0123456789ab";
	static const char small[] = "P5# a comment\n\n 3\n#another\n2 255 "
				    "abcdef";
	static const char *const bad[] = {
		"P6 3 2 255 abcdefabcdefabcdef", "P5 3 2 255 abcde", "P5 0 2 255 ",
		"P5 3 0 255 ", "P5 3 2 0 abcdef", "P5 3 2 65536 abcdefabcdef",
		"P5 -3 2 255 abcdef", "P5 3 2", "P5", "P", "P5 3 2 255",
		"P5 99999999999 1 255 a",
	};
	struct image i;

	ok_eq(pnm_parse((const uint8_t *)small, sizeof(small) - 1, &i), 0,
	      "a picture of 8 bits");
	ok_eq(i.width, 3, "... its width");
	ok_eq(i.height, 2, "... its height");
	ok_eq(i.depth, 8, "... its depth");
	ok_eq(i.channels, 1, "... its channels");
	ok_eq(i.stride, 3, "... its rows");
	ok_mem(i.data, "abcdef", 6, "... its pixels");
	ok_eq(pnm_parse((const uint8_t *)wide, sizeof(wide) - 1, &i), 0,
	      "a picture of 16 bits");
	ok_eq(i.depth, 16, "... its depth");
	ok_eq(i.stride, 6, "... its rows");
	ok_eq(pnm_parse((const uint8_t *)wide, sizeof(wide) - 2, &i), -EINVAL,
	      "... not one that ends early");
	for (unsigned int k = 0; k < sizeof(bad) / sizeof(*bad); k++)
		ok_eq(pnm_parse((const uint8_t *)bad[k], strlen(bad[k]), &i),
		      -EINVAL, "no picture: %s", bad[k]);
}

static void test_yaml(void)
{
	static const char *const bad[] = {
		"resolution: 0.05\n", "origin: [1, 2, 3]\n",
		"origin: [1, 2]\nresolution: 1\n",
		"origin: [1, 2, 3]\nresolution: 0\n",
		"origin: [1, 2, 3]\nresolution: x\n",
		"origin: [1, 2, 3]\nresolution: 1\noccupied_thresh: 1.5\n",
		"origin: [1, 2, 3]\nresolution: 1\nfree_thresh: -1\n",
		"origin: [1, 2, 3]\nresolution: 1\nnegate: 2\n",
		"origin: [1, 2, 3]\nresolution: 1\nmode: other\n",
	};
	struct pnm_map m;

	ok_eq(pnm_parse_yaml("image: a.pgm\nresolution: 0.05\n"
			     "origin: [-1.5, 2, 0.25]\nnegate: 1\n"
			     "occupied_thresh: 0.7\nfree_thresh: 0.2\n"
			     "mode: scale\n", &m), 0, "a map");
	ok_near(m.resolution, 0.05, 0, "... its resolution");
	ok_near(m.origin[0], -1.5, 0, "... its x");
	ok_near(m.origin[1], 2, 0, "... its y");
	ok_near(m.origin[2], 0.25, 0, "... its yaw");
	ok_near(m.occupied, 0.7, 0, "... what is occupied");
	ok_near(m.free, 0.2, 0, "... what is free");
	ok_eq(m.negate, true, "... is negated");
	ok_eq(m.mode, PNM_SCALE, "... its mode");
	ok_eq(pnm_parse_yaml("origin: [0, 0, 0]\nresolution: 1\n", &m), 0,
	      "a short one");
	ok_near(m.occupied, 0.65, 0, "... what is occupied");
	ok_near(m.free, 0.196, 0, "... what is free");
	ok_eq(m.negate, false, "... is not negated");
	ok_eq(m.mode, PNM_TRINARY, "... its mode");
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ok_eq(pnm_parse_yaml(bad[i], &m), -EINVAL, "no map: %s", bad[i]);
}

static void test_cells(void)
{
	/* the first row is the top */
	uint8_t pixels[] = { 0, 255, 51, 102, 204, 153, 100, 101 };
	const struct image i = { 4, 2, 1, 8, 4, pixels };
	static const int8_t trinary[] = { 0, -1, -1, -1, 100, 0, 100, -1 };
	static const int8_t negated[] = { 100, -1, -1, -1, 0, 100, 0, -1 };
	/* 1 .. 99 from 0.2 to 0.8: 1 + 98 (p - 0.1999) / 0.6002 */
	static const int8_t scaled[] = { 1, 33, 67, 66, 100, 0, 98, 66 };
	static const int8_t raw[] = { -1, -1, 100, -1, 0, -1, 51, -1 };
	struct pnm_map m = { .occupied = 0.7, .free = 0.25 };
	int8_t cells[8];

	pnm_cells(&m, &i, cells);
	ok_mem(cells, trinary, 8, "free, occupied or unknown");
	m.negate = true;
	pnm_cells(&m, &i, cells);
	ok_mem(cells, negated, 8, "negated");
	m = (struct pnm_map){ .occupied = 0.8001, .free = 0.1999,
			      .mode = PNM_SCALE };
	pnm_cells(&m, &i, cells);
	ok_mem(cells, scaled, 8, "a scale between");
	m.mode = PNM_RAW;
	pnm_cells(&m, &i, cells);
	ok_mem(cells, raw, 8, "as they are");
	m = (struct pnm_map){ .occupied = 0.2, .free = 0.2 };
	pixels[0] = 204;
	pnm_cells(&m, &i, cells);
	ok_eq(cells[4], MAP_UNKNOWN, "at a threshold: neither");
}

/*
 * Clouds
 */

static struct cloud_file file;

static void check_cloud(const char *path, const char *what)
{
	ok_eq(cloud_file_load(&file, path, 1), 0, "%s: loaded", what);
	ok_eq(file.cloud->count, 2, "%s: points", what);
	ok_near(file.cloud->x[0], 1.5, 0, "%s: x", what);
	ok_near(file.cloud->y[0], -2, 0, "%s: y", what);
	ok_near(file.cloud->z[0], 3, 0, "%s: z", what);
	ok_near(file.cloud->x[1], 4, 0, "%s: the next x", what);
	ok_near(file.cloud->z[1], 6.25, 0, "%s: the next z", what);
	ok_eq(file.cloud->fields, 1, "%s: fields", what);
	ok_str(file.cloud->field[0].name, "intensity", "%s: its name", what);
}

static void bad_cloud(const void *data, size_t len, int want, const char *what)
{
	ok_eq(cloud_file_load(&file, put("bad.pcd", data, len), 1), want, "%s",
	      what);
	ok(!file.cloud, "... leaves nothing");
}

#define HEAD "# .PCD v0.7\nVERSION 0.7\n"
#define FIELDS "FIELDS x y z intensity\nSIZE 4 4 4 4\nTYPE F F F F\n"	\
	"COUNT 1 1 1 1\nWIDTH 2\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 2\n"

static void test_clouds(void)
{
	static const char ascii[] = HEAD FIELDS
		"DATA ascii\n1.5 -2 3 7\n4 5 6.25 8\n";
	const float points[] = { 1.5f, -2, 3, 7, 4, 5, 6.25f, 8 };
	char binary[sizeof(HEAD FIELDS "DATA binary\n") + sizeof(points)];
	const size_t head = strlen(HEAD FIELDS "DATA binary\n");
	char saved[2048] = "";
	FILE *f;

	strcpy(binary, HEAD FIELDS "DATA binary\n");
	memcpy(binary + head, points, sizeof(points));
	check_cloud(put("a.pcd", ascii, sizeof(ascii)), "a text");
	cloud_file_free(&file);
	check_cloud(put("b.xyzi", points, sizeof(points)), "float32");
	cloud_file_free(&file);
	check_cloud(put("b.pcd", binary, head + sizeof(points)), "binary");
	ok_eq(pcd_save(in_folder("c.pcd"), file.cloud), 0, "saved");
	cloud_file_free(&file);
	ok(!file.cloud, "nothing is left");
	check_cloud(in_folder("c.pcd"), "what was saved");
	ok_eq(pcd_save("/nowhere/c.pcd", file.cloud), -ENOENT, "no folder");
	cloud_file_free(&file);
	f = fopen(in_folder("c.pcd"), "rb");
	ok_eq(fread(saved, 1, sizeof(saved), f), head + sizeof(points),
	      "... its bytes");
	fclose(f);
	ok_mem(saved, binary, head + sizeof(points), "... as they should be");
	bad_cloud(binary, head + sizeof(points) - 1, -ENODATA,
		  "a point that is cut short");
	bad_cloud(ascii, sizeof(ascii) - 6, -EINVAL, "a text that is");
	bad_cloud(HEAD FIELDS, strlen(HEAD FIELDS), -EINVAL, "no data");
	bad_cloud(HEAD FIELDS "DATA binary_compressed\n",
		  strlen(HEAD FIELDS "DATA binary_compressed\n"), -EINVAL,
		  "a compressed one");
	bad_cloud("", 0, -EINVAL, "nothing");
	bad_cloud("12345", 5, -EINVAL, "something");
}

static void bad_header(const char *lines, int want, const char *what)
{
	char text[2000];

	snprintf(text, sizeof(text), HEAD "%sDATA ascii\n1 2 3\n", lines);
	bad_cloud(text, strlen(text), want, what);
}

static void test_headers(void)
{
	char many[400] = "FIELDS", name[200] = "FIELDS x y ";

	for (int i = 0; i < CLOUD_CHANNELS + 1; i++)
		strcat(many, " f");
	strcat(many, "\n");
	memset(name + 11, 'n', CLOUD_NAME);
	strcpy(name + 11 + CLOUD_NAME, "\n");
	bad_header(many, -E2BIG, "too many fields");
	bad_header(name, -EINVAL, "too long a name");
	bad_header("FIELDS x y z\nSIZE 4 4 9\nTYPE F F F\nPOINTS 1\n", -EINVAL,
		   "a number of nine bytes");
	bad_header("FIELDS x y z\nSIZE 4 4 2\nTYPE F F F\nPOINTS 1\n", -EINVAL,
		   "a float of two bytes");
	bad_header("FIELDS x y z\nSIZE 4 4 8\nTYPE F F U\nPOINTS 1\n", -EINVAL,
		   "an integer of eight");
	bad_header("FIELDS x y z\nSIZE 4 4 4\nTYPE F F X\nPOINTS 1\n", -EINVAL,
		   "an unknown type");
	bad_header("FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 2\n",
		   -EINVAL, "several numbers in a field");
	bad_header("FIELDS x y\nSIZE 4 4\nTYPE F F\nPOINTS 1\n", -EINVAL,
		   "no z");
	bad_header("FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nPOINTS -1\n",
		   -EINVAL, "fewer than no points");
	ok_eq(cloud_file_load(&file, in_folder("none.pcd"), 1), -ENOENT,
	      "no file");
}

/* Of a lidar that turns: 76 packets a turn */
static void test_packets(void)
{
	enum { PACKETS = 200 };
	static uint8_t data[PACKETS * VELODYNE_PACKET];

	for (unsigned int i = 0; i < PACKETS; i++) {
		uint8_t *p = data + i * VELODYNE_PACKET;

		for (unsigned int b = 0; b < 12; b++) {
			const unsigned int n = i * 12 + b;

			put_le16(p + 100 * b, 0xeeff);
			put_le16(p + 100 * b + 2, n * 40 % 36000);
			for (unsigned int k = 0; k < 32; k++)
				put_le16(p + 100 * b + 4 + 3 * k, 5000);
		}
		put_le32(p + 1200, i * 1327);
		p[1204] = 0x37;
		p[1205] = 0x22;
	}
	ok_eq(cloud_file_load(&file, put("p.bin", data, sizeof(data)), 1), 0,
	      "packets");
	ok_range(file.cloud->count, 10000, 30000, "... points of a turn");
	/* 5000 times 2 mm */
	ok_near(hypot(hypot(file.cloud->x[9], file.cloud->y[9]),
		      file.cloud->z[9]), 10, 0.02, "... 10 m away");
	cloud_file_free(&file);
	ok_eq(cloud_file_load(&file, in_folder("p.bin"), 9), -ENODATA,
	      "a turn that is not there");
}

/*
 * Pictures
 */

static void test_convert(void)
{
	uint8_t rgb[] = { 255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 20, 30 };
	uint16_t deep[] = { 1000, 1255, 3000, 2000 };
	uint16_t flat[] = { 7, 7 };
	uint8_t pair[] = { 9, 1, 8, 2 };
	struct image i = { 2, 2, 3, 8, 6, rgb };

	convert_gray(&i);
	ok_eq(i.channels, 1, "gray has one channel");
	/* .299, .587 and .114 */
	ok_eq(rgb[0], 76, "red");
	ok_eq(rgb[1], 150, "green");
	ok_eq(rgb[6], 29, "blue");
	ok_eq(rgb[7], 18, "2.99 + 11.74 + 3.42");
	i = (struct image){ 2, 1, 2, 8, 4, pair };
	convert_gray(&i);
	ok_eq(pair[0], 9, "gray with alpha: the gray");
	ok_eq(pair[1], 8, "... of the next one");
	i = (struct image){ 2, 2, 1, 16, 4, (uint8_t *)deep };
	convert_8bit(&i);
	ok_eq(i.depth, 8, "8 bits");
	ok_eq(i.data[0], 0, "the least is black");
	ok_eq(i.data[1], 33, "255 of 2000: 32.5");
	ok_eq(i.data[4], 255, "the most is white");
	ok_eq(i.data[5], 128, "half: 127.5");
	i = (struct image){ 2, 1, 1, 16, 4, (uint8_t *)flat };
	convert_8bit(&i);
	ok_eq(i.data[0], 0, "all the same is black");
	i = (struct image){ 2, 1, 1, 8, 2, pair };
	convert_8bit(&i);
	ok_eq(pair[0], 9, "8 bits stay");
}

static void test_psnr(void)
{
	uint8_t a[] = { 10, 20, 30, 40 }, b[] = { 10, 20, 30, 50 };
	uint16_t c[] = { 100, 1100, 600, 600 }, d[] = { 110, 1100, 600, 600 };
	uint16_t e[] = { 5, 5, 5, 5 }, f[] = { 5, 5, 5, 6 };
	const struct image ia = { 2, 2, 1, 8, 2, a }, ib = { 2, 2, 1, 8, 2, b };
	const struct image ic = { 2, 2, 1, 16, 4, (uint8_t *)c };
	const struct image id = { 2, 2, 1, 16, 4, (uint8_t *)d };
	const struct image ie = { 2, 2, 1, 16, 4, (uint8_t *)e };
	const struct image jf = { 2, 2, 1, 16, 4, (uint8_t *)f };

	ok(isinf(psnr(&ia, &ia)), "the same");
	/* a mean square of 100 / 4 */
	ok_near(psnr(&ia, &ib), 10 * log10(255 * 255 / 25.), 1e-9, "8 bits");
	ok_near(psnr(&ic, &id), 10 * log10(1000 * 1000 / 25.), 1e-9,
		"16 bits, of their range");
	ok_near(psnr(&ie, &jf), 10 * log10(65535. * 65535 / 0.25), 1e-9,
		"of one value");
}

static void test_depth_match(void)
{
	/* 64 times the largest error */
	uint16_t a[] = { 0, 0, 6400, 6400, 6400, 640 };
	uint16_t b[] = { 0, 9, 6500, 6501, 0, 640 };
	const struct image ia = { 3, 2, 1, 16, 6, (uint8_t *)a };
	const struct image ib = { 3, 2, 1, 16, 6, (uint8_t *)b };
	struct depth_match m;

	depth_match(&ia, &ib, &m);
	ok_near(m.known, 2 / 4., 0, "of four depths two are close");
	ok_near(m.off, 1 / 4., 0, "one is not");
	ok_near(m.ghosts, 1 / 2., 0, "of two holes one is filled");
	ok_eq(m.most, 101, "the largest error");
	ok_eq(m.exact, false, "it is not exact");
	depth_match(&ia, &ia, &m);
	ok_eq(m.exact, true, "the same is");
	ok_near(m.known, 1, 0, "... all is known");
	ok_near(m.off, 0, 0, "... nothing is off");
	ok_eq(m.most, 0, "... by nothing");
	memset(a, 0, sizeof(a));
	depth_match(&ia, &ia, &m);
	ok_near(m.known, 1, 0, "holes alone: all is known");
	memset(a, 1, sizeof(a));
	depth_match(&ia, &ia, &m);
	ok_near(m.ghosts, 0, 0, "no holes: no ghosts");
}

int main(void)
{
	make_folder();
	test_png(1, 8);
	test_png(2, 8);
	test_png(3, 8);
	test_png(4, 16);
	test_png(1, 16);
	test_png_bad();
	test_png_cut();
	test_pnm();
	test_yaml();
	test_cells();
	test_clouds();
	test_headers();
	test_packets();
	test_convert();
	test_psnr();
	test_depth_match();
	remove_folder();
	return tap_done();
}
