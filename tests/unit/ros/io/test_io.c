// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_io - recordings and files as sources and sinks; specs that are none
 *
 * With an argument it makes a recording of that name, for the tests that need
 * another process: tests/e2e/io.
 */
#include <cjson/cJSON.h>
#include <dirent.h>
#include <fcntl.h>
#include "base/cli.h"
#include "base/error.h"
#include "io_fixture.h"
#include "formats/velodyne.h"
#include "ros/io/file_write.h"
#include "ros/msg/compressed.h"
#include "ros/msg/convert.h"

static struct play a, b;

static int run(struct play *p, const char *from, const char *to)
{
	struct source_config config = { .spec = from };

	memset(p, 0, sizeof(*p));
	return play(p, config, to);
}

/* Whether two plays had the same messages; of those without a stamp, too */
static bool same(const struct play *p, const struct play *q)
{
	if (p->n != q->n || !p->n)
		return false;
	for (unsigned int i = 0; i < p->n; i++)
		if (strcmp(p->got[i].topic, q->got[i].topic) ||
		    p->got[i].kind != q->got[i].kind ||
		    p->got[i].crc != q->got[i].crc ||
		    p->got[i].recorded != q->got[i].recorded)
			return false;
	return true;
}

/*
 * Specs
 */

static void bad_source(const char *spec, double speed, double rate,
		       double start, int want)
{
	struct source_config config = {
		.spec = spec, .speed = speed, .rate = rate, .start = start,
		.message = on_message, .arg = &a,
	};
	struct loop *loop = loop_create();
	struct error error;
	struct source *s;
	int err;

	memset(error.text, 'x', sizeof(error.text));
	err = source_open(&s, loop, &config, &error);
	error.text[ERROR_TEXT - 1] = 0;
	ok_eq(err, want, "source %s: %d: %s", spec, err, error.text);
	ok(*error.text, "... error");
	ok(!strpbrk(error.text, "\n"), "... strpbrk");
	ok(!s, "... s");
	if (!err)
		source_close(s);
	loop_destroy(loop);
}

static void bad_sink(const char *spec, int want)
{
	struct sink_config config = { .spec = spec };
	struct loop *loop = loop_create();
	struct error error;
	struct sink *s;
	int err;

	memset(error.text, 'x', sizeof(error.text));
	err = sink_open(&s, loop, &config, &error);
	error.text[ERROR_TEXT - 1] = 0;
	ok_eq(err, want, "sink %s: %d: %s", spec, err, error.text);
	ok(*error.text, "... error");
	ok(!strpbrk(error.text, "\n"), "... strpbrk");
	ok(!s, "... s");
	if (!err)
		sink_close(s);
	loop_destroy(loop);
}

static void test_specs(void)
{
	put_file("text", "no recording", 12);
	put_file("empty.mcap", "", 0);
	mkdir(in_folder("nothing"), 0777);
	bad_source("", 1, 10, 0, -EINVAL);
	bad_source("ros2:233", 1, 10, 0, -EINVAL);
	bad_source("ros2:", 1, 10, 0, -EINVAL);
	bad_source("ros2:-1", 1, 10, 0, -EINVAL);
	bad_source("ros1:nowhere", 1, 10, 0, -EINVAL);
	bad_source(in_folder("none"), 1, 10, 0, -ENOENT);
	bad_source(in_folder("text"), 1, 10, 0, -EPROTONOSUPPORT);
	bad_source(in_folder("empty.mcap"), 1, 10, 0, -EPROTONOSUPPORT);
	bad_source(in_folder("nothing"), 1, 10, 0, -ENOENT);
	bad_source(in_folder("a.mcap"), 0, 10, 0, -EINVAL);
	bad_source(in_folder("a.mcap"), 0.0 / 0.0, 10, 0, -EINVAL);
	bad_source(in_folder("a.mcap"), 1, 0, 0, -EINVAL);
	bad_source(in_folder("a.mcap"), 1, 10, -1, -EINVAL);
	bad_source(in_folder("a.mcap"), 1, 10, 100, -ERANGE);
	bad_sink("", -EINVAL);
	bad_sink("ros2:x", -EINVAL);
	bad_sink("ros1:", -EINVAL);
	bad_sink("somewhere", -EPROTONOSUPPORT);
	bad_sink(in_folder("a.mcap"), -EEXIST);
	bad_sink(in_folder("none/b.mcap"), -ENOENT);
	bad_sink(in_folder("text/"), -ENOTDIR);
	bad_sink("/proc/nothing/", -ENOENT);
}

/*
 * Recordings
 */

static void test_recordings(unsigned int n)
{
	static const char *const steps[] = {
		"a.mcap", "b.bag", "c.db3", "d.mcap",
	};
	int err = run(&a, in_folder("a.mcap"), NULL);

	ok_eq(err, 0, "a.mcap: %u of %u messages, on %u topics", a.n, n,
	      a.found);
	ok_eq(a.n, n, "... number");
	ok(a.ended, "... ended");
	ok_eq(a.lines, 0, "... lines");
	ok_eq(a.refused, 0, "... refused");
	ok_eq(a.found, MESSAGE_KINDS, "... found");
	for (int i = 0; i < 3; i++) {
		const char *to = in_folder(steps[i + 1]);

		run(&a, in_folder(steps[i]), to);
		run(&b, to, NULL);
		ok(same(&a, &b), "%s to %s: %u messages", steps[i],
		   steps[i + 1], b.n);
		ok_eq(b.lines, 0, "... lines");
	}
	run(&a, in_folder("a.mcap"), NULL);
	ok(same(&a, &b), "what is left of them is what was there first");
}

static void test_subscribe(void)
{
	struct source_config config = {
		.spec = in_folder("a.mcap"), .speed = 1, .rate = 1,
		.message = on_message, .arg = &a,
	};
	struct loop *loop = loop_create();
	struct source *s;
	struct error error;

	if (source_open(&s, loop, &config, &error))
		abort();
	ok_eq(source_subscribe(s, "/robot/kind_0", -1), 0,
	      "a topic is asked for once");
	ok_eq(source_subscribe(s, "/robot/kind_0", -1), -EEXIST,
	      "... source subscribe");
	ok(source_subscribe(s, "/none", -1) == -ENOENT, "there is none");
	ok_eq(source_subscribe(s, "/robot/kind_1", MESSAGE_IMAGE), -EPROTOTYPE,
	      "one of another kind");
	ok_eq(source_subscribe(s, "/other", -1), -EPROTOTYPE,
	      "... source subscribe");
	ok_eq(source_subscribe(s, "robot", -1), -EINVAL,
	      "names and kinds that are none");
	ok_eq(source_subscribe(s, "/a/../b", -1), -EINVAL,
	      "... source subscribe");
	ok_eq(source_subscribe(s, "/", -1), -EINVAL, "... source subscribe");
	ok_eq(source_subscribe(s, "/a//b", -1), -EINVAL,
	      "... source subscribe");
	ok_eq(source_subscribe(s, "/a b", -1), -EINVAL, "... source subscribe");
	ok_eq(source_subscribe(s, "/robot/kind_2", 99), -EINVAL,
	      "... source subscribe");
	source_close(s);
	loop_destroy(loop);
}

static void test_start(unsigned int n)
{
	struct source_config config = {
		.spec = in_folder("a.mcap"), .start = 0.1,
	};
	int err;

	memset(&a, 0, sizeof(a));
	err = play(&a, config, NULL);
	ok_eq(err, 0, "start: %u of %u messages", a.n, n);
	ok(a.n, "... number");
	ok_range(a.n, -INFINITY, n, "... number");
	ok_range(a.got[0].recorded, stamp_of(10), INFINITY, "... recorded");
}

static void test_leave(void)
{
	struct source_config config = { .spec = in_folder("a.mcap") };
	int err;

	memset(&a, 0, sizeof(a));
	a.leave = true;
	err = play(&a, config, NULL);
	ok_eq(err, 0,
	      "unsubscribed within the callback: one message of each topic (%u)",
	      a.n);
	ok(a.n, "... number");
	ok_range(a.n, -INFINITY, MESSAGE_KINDS, "... number");
	ok(a.ended, "... ended");
}

/* The second and third pass are the first, later by the length of one */
static void test_loop(const char *name)
{
	struct source_config config = { .spec = in_folder(name), .loop = true };
	int64_t length;
	bool good = true;
	unsigned int n;
	int err;

	run(&a, in_folder(name), NULL);
	n = a.n;
	memset(&b, 0, sizeof(b));
	b.want = 2 * n + n / 2;
	err = play(&b, config, NULL);
	ok_eq(err, 0, "%s again and again: %u messages", name, b.n);
	ok_eq(b.n, b.want, "... number");
	ok_eq(b.ended, 0, "... ended");
	length = b.got[n].recorded - b.got[0].recorded;
	ok_range(length, stamp_of(ROUNDS * MESSAGE_KINDS - 1) - START,
		 2 * (stamp_of(ROUNDS * MESSAGE_KINDS) - START),
		 "%s: a pass of %.3f s", name, length * 1e-9);
	for (unsigned int i = 0; i < b.n; i++) {
		const struct got *f = &a.got[i % n], *g = &b.got[i];
		int64_t later = length * (i / n);

		if (strcmp(f->topic, g->topic) || f->bare != g->bare ||
		    g->recorded != f->recorded + later ||
		    g->stamp != (f->stamp ? f->stamp + later : 0))
			good = false;
	}
	ok(good, "%s: stamps go on, all else is as it was", name);
}

/* CDR of the other byte order: the stamp is found and moved there too */
static void test_big_endian(void)
{
	static const uint8_t data[] = {
		0, 0, 0, 0, 0x65, 0x53, 0xf1, 0x00, 0, 0, 0, 9,
		0, 0, 0, 2, 'a', 0, 0, 0, 0, 0, 0, 2, 'b', 0, 0, 0,
		0, 0, 0, 1, 7,
	};
	struct bag_topic t = {
		.name = "/big", .format = MESSAGE_CDR,
		.type = message_type(MESSAGE_COMPRESSED_IMAGE, MESSAGE_CDR),
	};
	struct source_config config = { .loop = true };
	struct bag_writer *w;

	config.spec = in_folder("big.mcap");
	if (bag_create(&w, config.spec, BAG_MCAP, false))
		abort();
	bag_add_topic(w, &t);
	bag_write(w, 0, START, data, sizeof(data));
	bag_finish(w);
	memset(&a, 0, sizeof(a));
	a.want = 2;
	play(&a, config, NULL);
	ok_eq(a.n, 2, "a big endian message, and one alone lasts a second");
	ok_eq(a.got[0].stamp, START + 9, "... stamp");
	ok_eq(a.got[1].stamp - a.got[0].stamp, SECOND, "... stamp");
	ok_eq(a.got[0].bare, a.got[1].bare, "... bare");
}

/*
 * Files
 */

static void put_image(const char *name, const char *format,
		      unsigned int channels, unsigned int depth)
{
	uint8_t pixels[16 * 12 * 6];
	struct image i = { .width = 16, .height = 12, .channels = channels,
			   .depth = depth, .data = pixels };
	struct message_string f = message_string(format);
	struct compressed_buffer out = { 0 };
	struct message_compressed_image m;

	i.stride = 16 * image_pixel(&i);
	for (size_t k = 0; k < sizeof(pixels); k++)
		pixels[k] = k * 7;
	if (compressed_write(&i, &f, 0, &out, &m))
		abort();
	put_file(name, out.data, out.len);
	free(out.data);
}

static void put_pcd(const char *name)
{
	static const char text[] = "# .PCD v0.7\nVERSION 0.7\n"
		"FIELDS x y z intensity\nSIZE 4 4 4 4\nTYPE F F F F\n"
		"COUNT 1 1 1 1\nWIDTH 2\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\n"
		"POINTS 2\nDATA ascii\n1 2 3 4\n-1 -2 -3 5\n";

	put_file(name, text, sizeof(text) - 1);
}

/* Three turns of a VLP-16, 5 m everywhere */
static void put_packets(const char *name)
{
	static uint8_t p[230][VELODYNE_PACKET];
	unsigned int azimuth = 35800;

	for (unsigned int i = 0; i < 230; i++) {
		for (unsigned int block = 0; block < 12; block++) {
			uint8_t *q = p[i] + 100 * block;

			put_le16(q, 0xeeff);
			put_le16(q + 2, azimuth % 36000);
			azimuth += 40;
			for (unsigned int k = 0; k < 32; k++) {
				put_le16(q + 4 + 3 * k, 2500);
				q[6 + 3 * k] = 9;
			}
		}
		put_le32(p[i] + 1200, i * 1327);
		p[i][1204] = 0x37;
		p[i][1205] = 0x22;
	}
	put_file(name, p, sizeof(p));
}

static void put_map(void)
{
	static const char yaml[] = "image: 7.pgm\nresolution: 0.5\n"
		"origin: [-1.0, -2.0, 0.0]\nnegate: 0\n"
		"occupied_thresh: 0.65\nfree_thresh: 0.196\n";
	static const uint8_t pgm[] = "P5\n# by hand\n3 2\n255\n"
				     "\0\376\315\376\376\0";

	put_file("in/7.pgm", pgm, sizeof(pgm) - 1);
	put_file("in/7.yaml", yaml, sizeof(yaml) - 1);
}

static void make_files(void)
{
	static const float xyzi[8] = { 1, 2, 3, 50, 4, 5, 6, 60 };

	mkdir(in_folder("in"), 0777);
	put_image("in/1.png", "png", 1, 8);
	put_image("in/2.png", "png", 1, 16);
	put_image("in/3.png", "png", 4, 8);
	put_image("in/4.jpg", "jpeg", 3, 8);
	put_file("in/5.pgm", "P5 2 2 255\n\1\2\3\4", 15);
	put_file("in/6.pgm", "P5 2 1 1000\n\1\2\3\4", 16);
	put_map();
	put_pcd("in/8.pcd");
	put_file("in/9a.bin", xyzi, sizeof(xyzi));
	put_packets("in/9b.bin");
	put_file("in/readme.txt", "not this", 8);
	/* in between, what cannot be read */
	put_file("in/2bad.png", "\x89PNG\r\n\x1a\nbut not really", 22);
}

static void test_file_source(void)
{
	static const struct {
		const char *topic;
		int kind;
	} want[] = {
		{ "/image", MESSAGE_IMAGE }, { "/image", MESSAGE_IMAGE },
		{ "/image", MESSAGE_IMAGE }, { "/image", MESSAGE_IMAGE },
		{ "/image", MESSAGE_IMAGE }, { "/image", MESSAGE_IMAGE },
		{ "/map", MESSAGE_OCCUPANCY_GRID },
		{ "/points", MESSAGE_POINT_CLOUD },
		{ "/points", MESSAGE_POINT_CLOUD },
		{ "/points", MESSAGE_POINT_CLOUD },
		{ "/points", MESSAGE_POINT_CLOUD },
	};
	unsigned int i = 0, n = sizeof(want) / sizeof(want[0]);

	run(&a, in_folder("in"), NULL);
	while (i < n && i < a.n && a.got[i].kind == want[i].kind &&
	       !strcmp(a.got[i].topic, want[i].topic))
		i++;
	ok_eq(i, n,
	      "a folder in the order of names: %u messages, %u as expected",
	      a.n, i);
	ok_range(a.n, n, n + 1, "... number");
	ok_eq(a.found, 3, "... found");
	ok(a.ended, "... ended");
	ok_eq(a.lines, 1, "one line about the one that is damaged");
	ok(strstr(a.line, "2bad.png: damaged image"), "... line says it");
	memset(&b, 0, sizeof(b));
	b.only = "/map";
	play(&b, (struct source_config){ .spec = in_folder("in") }, NULL);
	ok_eq(b.n, 1, "only the topic that was asked for");
	ok(b.ended, "... ended");
	run(&b, in_folder("in/2bad.png"), NULL);
	ok_eq(b.n, 0, "a file alone that cannot be read: it ends");
	ok(b.ended, "... ended");
	memset(&b, 0, sizeof(b));
	b.want = 5;
	play(&b, (struct source_config){ .spec = in_folder("in/1.png"),
					 .loop = true }, NULL);
	ok_eq(b.n, 5, "one file again and again, later each time");
	ok_range(b.got[4].stamp, b.got[0].stamp, INFINITY, "... stamp");
	memset(&b, 0, sizeof(b));
	play(&b, (struct source_config){ .spec = in_folder("in/2bad.png"),
					 .loop = true }, NULL);
	ok_eq(b.n, 0, "again and again, but nothing comes: it ends");
	ok(b.ended, "... ended");
}

/* Messages of one kind among @a, by what is in them */
static bool same_kind(const struct play *p, const struct play *q, int kind)
{
	unsigned int i = 0, j = 0, n = 0;

	for (;; i++, j++, n++) {
		while (i < p->n && p->got[i].kind != kind)
			i++;
		while (j < q->n && q->got[j].kind != kind)
			j++;
		if (i == p->n || j == q->n)
			return i == p->n && j == q->n && n;
		if (p->got[i].bare != q->got[j].bare)
			return false;
	}
}

static unsigned int count_files(const char *path, const char *ending)
{
	DIR *d = opendir(path);
	struct dirent *e;
	unsigned int n = 0;

	while (d && (e = readdir(d)))
		n += strlen(e->d_name) > strlen(ending) &&
		     !strcmp(e->d_name + strlen(e->d_name) - strlen(ending),
			     ending);
	if (d)
		closedir(d);
	return n;
}

/* Out and in again. Stamps of files are their names */
static void test_file_sink(void)
{
	struct play *c = calloc(1, sizeof(*c));

	run(&a, in_folder("in"), in_folder("out/deep/"));
	run(&b, in_folder("out/deep/image"), NULL);
	ok(same_kind(&a, &b, MESSAGE_IMAGE),
	   "images are in .png what they were");
	ok_eq(b.lines, 0, "... lines");
	run(c, in_folder("out/deep/points"), NULL);
	ok(same_kind(&a, c, MESSAGE_POINT_CLOUD), "clouds in .pcd");
	run(c, in_folder("out/deep/map"), NULL);
	ok_eq(c->n, 1, "a map in .pgm and .yaml");
	ok_eq(c->lines, 0, "... lines");
	ok_eq(count_files(in_folder("out/deep/image"), ".png"), 6,
	      "one file each, and no other");
	ok_eq(count_files(in_folder("out/deep/image"), ".part"), 0,
	      "... count files");
	free(c);
}

/* Occupancies that are neither free nor occupied survive too */
static void test_map(void)
{
	static const int8_t cells[6] = { -1, 0, 100, 50, 1, 99 };
	struct map map = { .width = 3, .height = 2, .resolution = 0.05,
			   .x = -1.25, .y = 3.5,
			   .cells = (int8_t *)cells };
	union message msg = { 0 };
	struct sink_config config = { .spec = in_folder("maps/"),
				      .log = on_log, .arg = &a };
	struct loop *loop = loop_create();
	struct sink_topic *t;
	struct sink *s;
	struct error error;
	uint32_t crc;

	msg.map.header.frame_id = message_string("map");
	message_map_write(&map, &msg.map);
	crc = crc_of(MESSAGE_OCCUPANCY_GRID, &msg);
	msg.map.header.stamp = START;
	if (sink_open(&s, loop, &config, &error) ||
	    sink_add(s, "/map", MESSAGE_OCCUPANCY_GRID, true, &t) ||
	    sink_publish(t, START, &msg))
		abort();
	ok_eq(sink_add(s, "/map", MESSAGE_IMAGE, true, &t), -EEXIST,
	      "topics that a sink refuses");
	ok_eq(sink_add(s, "/../up", MESSAGE_IMAGE, true, &t), -EINVAL,
	      "... sink add");
	sink_close(s);
	loop_destroy(loop);
	ok(!access(in_folder("maps/map/1700000000.000000000.yaml"), R_OK),
	   "the name of a file is the stamp");
	run(&a, in_folder("maps/map"), NULL);
	ok_eq(a.n, 1, "a map with all of its values");
	ok_eq(a.lines, 0, "... lines");
	ok(crc, "... crc");
	ok_eq(a.got[0].bare, crc, "... bare");
}

static cJSON *load_json(const char *path)
{
	static char text[65536];
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

	if (f)
		fclose(f);
	text[n] = 0;
	return cJSON_Parse(text);
}

/* The file of the first message of a kind */
static cJSON *json_of(int kind)
{
	int64_t stamp = stamp_of(kind);
	char path[160];

	snprintf(path, sizeof(path), "%s/json/robot/kind_%d/%lld.%09lld.json",
		 folder, kind, (long long)(stamp / SECOND),
		 (long long)(stamp % SECOND));
	return load_json(path);
}

static double at(const cJSON *o, const char *path)
{
	char key[64];
	int n;

	while (o && sscanf(path, "%63[^.]%n", key, &n) == 1) {
		o = cJSON_GetObjectItem(o, key);
		path += n + (path[n] == '.');
	}
	return o && cJSON_IsNumber(o) ? o->valuedouble : 1e99;
}

static void test_json(void)
{
	cJSON *scan, *odometry, *twist;
	int bad = 0;

	run(&a, in_folder("a.mcap"), in_folder("json/"));
	for (int k = MESSAGE_LASER_SCAN; k < MESSAGE_KINDS; k++) {
		cJSON *o = k == MESSAGE_OCCUPANCY_GRID ? NULL : json_of(k);

		bad += !o && k != MESSAGE_OCCUPANCY_GRID &&
		       golden[k][MESSAGE_CDR];
		cJSON_Delete(o);
	}
	scan = json_of(MESSAGE_LASER_SCAN);
	odometry = json_of(MESSAGE_ODOMETRY);
	twist = json_of(MESSAGE_TWIST);
	ok_eq(bad, 0, "other kinds are in .json");
	ok_near(at(scan, "angle_min"), -1, 0, "... at");
	ok_near(at(scan, "header.stamp.sec"), 1700000000, 0, "... at");
	ok_eq(cJSON_GetArraySize(cJSON_GetObjectItem(scan, "ranges")), 5,
	      "... cJSON GetArraySize");
	ok_range(at(odometry, "pose.pose.orientation.w"), -INFINITY, 1e9,
		 "... at");
	ok_range(at(twist, "linear.x"), -INFINITY, 1e9, "... at");
	cJSON_Delete(scan);
	cJSON_Delete(odometry);
	cJSON_Delete(twist);
}

/* Text of any language, and what is none */
static void test_json_text(void)
{
	union message m = { .diagnostics = {
		.statuses = 1,
		.status = { { .name = message_string("\u00b0C\n\xff!") } },
	} };
	struct compressed_buffer out = { 0 };
	cJSON *o = file_write_json(MESSAGE_DIAGNOSTICS, &m, &out) ? NULL :
		   cJSON_ParseWithLength((char *)out.data, out.len);
	const cJSON *status = cJSON_GetArrayItem(cJSON_GetObjectItem(o,
								     "status"), 0);
	const char *name = cJSON_GetStringValue(cJSON_GetObjectItem(status,
								    "name"));

	ok(name, "UTF-8 is kept in JSON");
	ok_str(name, "\u00b0C ?!", "... name");
	cJSON_Delete(o);
	free(out.data);
}

static void test_compressed_files(void)
{
	struct sink_config config = { .spec = in_folder("jpg/"),
				      .log = on_log, .arg = &a };
	struct loop *loop = loop_create();
	union message msg = { 0 };
	struct sink_topic *t;
	struct sink *s;
	struct error error;

	memset(&a, 0, sizeof(a));
	msg.compressed.header.stamp = START;
	msg.compressed.data = (struct message_bytes){
		(const uint8_t *)"\xff\xd8\xff\xd9", 4 };
	if (sink_open(&s, loop, &config, &error) ||
	    sink_add(s, "/c", MESSAGE_COMPRESSED_IMAGE, false, &t))
		abort();
	ok_eq(sink_publish(t, START, &msg), 0, "a compressed image as it came");
	ok(!access(in_folder("jpg/c/1700000000.000000000.jpg"), R_OK),
	   "... the file is there");
	msg.compressed.data.count = 1;
	ok_eq(sink_publish(t, START, &msg), -EBADMSG,
	      "what is none: counted, and logged once");
	ok_eq(sink_publish(t, START, &msg), -EBADMSG, "... sink publish");
	ok_eq(a.lines, 1, "... lines");
	ok_eq(sink_dropped(s), 2, "... sink dropped");
	sink_close(s);
	loop_destroy(loop);
}

/* A pipe of that name: who opens it to write waits for one who reads */
static void block(int64_t stamp, char path[128])
{
	snprintf(path, 128, "%s/slow/c/%lld.%09lld.jpg.part", folder,
		 (long long)(stamp / SECOND), (long long)(stamp % SECOND));
	if (mkfifo(path, 0600))
		abort();
}

/* The disk takes nothing for a while: publishing goes on, and all is written */
static void test_threaded(void)
{
	struct sink_config config = { .spec = in_folder("slow/"),
				      .log = on_log, .arg = &a,
				      .threaded = true };
	const size_t mega = 1 << 20;
	uint8_t *jpg = calloc(1, 3 * mega);
	struct loop *loop = loop_create();
	union message msg = { 0 };
	unsigned int taken = 0;
	struct sink_topic *t;
	char path[128];
	struct error error;
	struct sink *s;
	int err = 0, fd;

	memset(&a, 0, sizeof(a));
	memcpy(jpg, "\xff\xd8", 2);
	msg.compressed.header.stamp = START;
	msg.compressed.data = (struct message_bytes){ jpg, 3 * mega };
	mkdir(in_folder("slow"), 0700);
	mkdir(in_folder("slow/c"), 0700);
	block(START, path);
	if (sink_open(&s, loop, &config, &error) ||
	    sink_add(s, "/c", MESSAGE_COMPRESSED_IMAGE, false, &t))
		abort();
	alarm(600);
	for (; !err && taken < 100; taken += !err, msg.compressed.header.stamp++)
		err = sink_publish(t, START, &msg);
	alarm(0);
	ok_eq(err, -ENOBUFS,
	      "a disk that stands still: %u messages wait, others are dropped, counted and logged once: %d",
	      taken, err);
	ok_eq(taken, SINK_WAITING / (3 * mega), "... taken");
	ok_eq(sink_publish(t, START, &msg), -ENOBUFS, "... sink publish");
	ok_eq(sink_dropped(s), 2, "... sink dropped");
	ok_eq(a.lines, 1, "... lines");
	fd = open(path, O_RDONLY);
	while (read(fd, jpg, mega) > 0)
		;
	close(fd);
	msg.compressed.data.count = 1;
	while (sink_publish(t, START, &msg) == -ENOBUFS)
		usleep(1000);
	sink_close(s);
	ok_eq(count_files(in_folder("slow/c"), ".jpg"), taken,
	      "when it goes on all of these are written: %u",
	      count_files(in_folder("slow/c"), ".jpg"));
	ok_eq(count_files(in_folder("slow/c"), ".part"), 0, "... count files");
	ok(a.lines == 2, "what the thread cannot write is logged: %u", a.lines);
	loop_destroy(loop);
	free(jpg);
}

/* A recording that a thread writes is the one that the loop would */
static void test_threaded_recording(void)
{
	struct source_config config = { .spec = in_folder("a.mcap") };

	memset(&a, 0, sizeof(a));
	a.threaded = true;
	play(&a, config, in_folder("threaded.mcap"));
	run(&b, in_folder("threaded.mcap"), NULL);
	ok(same(&a, &b), "a recording of a thread");
	memset(&a, 0, sizeof(a));
	a.threaded = true;
	ok(play(&a, config, in_folder("none/b.mcap")) == -ENOENT,
	   "a recording that cannot be created fails when it is opened");
}

int main(int argc, char **argv)
{
	unsigned int n;

	cli_program = "test_io";
	if (argc > 1)
		return !make_recording(argv[1]);
	make_folder();
	n = make_recording(in_folder("a.mcap"));
	test_specs();
	test_recordings(n);
	test_subscribe();
	test_start(n);
	test_leave();
	test_loop("a.mcap");
	test_loop("b.bag");
	test_big_endian();
	make_files();
	test_file_source();
	test_file_sink();
	test_map();
	test_json();
	test_json_text();
	test_compressed_files();
	test_threaded();
	test_threaded_recording();
	remove_folder();
	return tap_done();
}
