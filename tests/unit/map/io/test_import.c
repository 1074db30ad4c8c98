// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_import - maps and submaps from files into a site, poses of submaps, and
 * what is refused before a store is touched
 */
#include "map/io/import_map.h"
#include "map/io/import_submaps.h"
#include "map/io/poses_file.h"
#include "site_fixture.h"

static const char *put_words(const char *name, const char *text)
{
	return put_file(name, text, strlen(text));
}

/* A cell of a layer's fused map */
static int at(struct site *s, unsigned int layer, double x, double y)
{
	site_fuse(s, -1, UINT64_MAX, NULL, NULL);
	return site_value(s, layer, x, y);
}

/*
 * Poses
 */

static void test_poses(void)
{
	static const struct {
		const char	*text, *says;
	} bad[] = {
		{ "", ":0: no poses" }, { "# none\n", ":1: no poses" },
		{ "0,1,2\n", ":1: expected index,x,y,theta" },
		{ "0 1 2 3\n0,1,2,3,4\n", ":2: expected index" },
		{ "0,1,2,x\n", ":1: expected index" },
		{ "0 1 2 3\nindex x y theta\n", ":2: expected index" },
		{ "0.5 1 2 3\n", ":1: submap index must be" },
		{ "-1 1 2 3\n", ":1: submap index must be" },
		{ "0 nan 2 3\n", ":1: pose out of range" },
		{ "0 1e300 2 3\n", ":1: pose out of range" },
		{ "4 1 2 3\n\n4 1 2 3\n", ":3: duplicate submap index" },
	};
	struct poses_file p;

	ok_eq(poses_file_read(put_words("poses", "\xef\xbb\xbf\"index\",x,y,t\n"
		"# a comment\n\n 2, 1.5,\t-2 ,0.25\r\n0;1;2;3\n1 4 5 6\n"), &p,
		&error), 0, "poses");
	ok_eq(p.count, 3, "... all of them");
	ok_eq(p.line[0].index, 2, "... the first index");
	ok_near(p.line[0].pose.x, 1.5, 0, "... its x");
	ok_near(p.line[0].pose.y, -2, 0, "... its y");
	ok_near(p.line[0].pose.yaw, 0.25, 0, "... its yaw");
	ok_eq(p.line[1].index, 0, "... between semicolons");
	ok_near(p.line[2].pose.yaw, 6, 0, "... between blanks");
	poses_file_free(&p);
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		ok_eq(poses_file_read(put_words("poses", bad[i].text), &p,
				      &error), -EINVAL, "no poses, %u", i);
		ok(strstr(error.text, bad[i].says), "... %s", error.text);
	}
	ok_eq(poses_file_read(put_file("poses", "0 1 2\0 3\n", 9), &p, &error),
	      -EINVAL, "a NUL");
	ok_eq(poses_file_read(in_folder("none"), &p, &error), -ENOENT,
	      "no file");
}

/*
 * Submaps: two of 2 x 1 cells of 1 m
 */

static struct import_submaps submaps(void)
{
	return (struct import_submaps){
		.cells = in_folder("cells"), .poses = in_folder("poses"),
		.layer = "walls", .frame = "sub_", .words = "rule=max",
		.width = 2, .height = 1, .resolution = 1,
	};
}

static void import_refused(struct import_submaps im, int want,
			   const char *says)
{
	struct import *job = NULL;

	*error.text = '\0';
	ok_eq(import_open(&job, &im, &error), want, "import refused: %s", says);
	ok(strstr(error.text, says), "... %s", error.text);
}

static void test_refused(void)
{
	struct import_submaps im = submaps();

	put_file("cells", "\x0a\x14\x1e\xff", 4);
	put_words("poses", "1 10 0 0\n0 0 0 0\n");
	im.width = 3;
	import_refused(im, -EINVAL, "4 bytes do not match 2 submaps of 3x1");
	im.width = 1;
	import_refused(im, -EINVAL, "4 bytes do not match 2 submaps of 1x1");
	im.width = 0;
	import_refused(im, -EINVAL, "");
	im = submaps();
	im.resolution = -1;
	import_refused(im, -EINVAL, "");
	im = submaps();
	strcpy(im.words, "rule=none");
	import_refused(im, -EINVAL, "layer walls: ");
	im = submaps();
	im.cells = in_folder("none");
	import_refused(im, -ENOENT, "none: No such file");
	im.cells = in_folder(".");
	import_refused(im, -EINVAL, "no cells in it");
	put_file("empty", "", 0);
	im.cells = in_folder("empty");
	import_refused(im, -EINVAL, "no cells in it");
	im = submaps();
	put_words("poses", "2 10 0 0\n0 0 0 0\n");
	import_refused(im, -EINVAL, "index 2 out of range: only 2 submaps");
	put_words("poses", "1 10 0 0\n0 0 0 0\n");
}

static void test_submaps(void)
{
	struct site *s = open_site(in_folder("submaps"), STORE_CREATE);
	struct import_submaps im = submaps();
	struct import_result r;
	struct import *job;
	unsigned int count = 0;
	struct layer l;

	ok_eq(import_open(&job, &im, &error), 0, "submaps: opened");
	ok_eq(import_run(job, s, true, &r, &error), 0, "... imported");
	ok_eq(r.submaps, 2, "... both");
	ok_eq(r.known, 3, "... three known cells");
	ok_eq(r.undrawn, 0, "... all are drawn");
	import_close(job);
	site_layer(s, 0, &l);
	ok_str(l.name, "walls", "its layer");
	ok_eq(l.modality, MODALITY_OBSTACLE, "... of obstacles");
	ok_eq(l.rule, RULE_MAX, "... with its rule");
	/* the origin is the middle of its two cells */
	ok_eq(at(s, 0, -0.5, 0), 10, "the first one's left cell");
	ok_eq(at(s, 0, 0.5, 0), 20, "... its right one");
	ok_eq(at(s, 0, 9.5, 0), 30, "the second one's left cell");
	ok_eq(at(s, 0, 10.5, 0), -1, "... its right one");
	ok_eq(at(s, 0, -0.5, 2), -1, "nothing elsewhere");
	ok_eq(site_has_frame(s, "sub_1"), true, "its frame's name");
	/* again, into the layer that is there */
	import_open(&job, &im, &error);
	ok_eq(import_run(job, s, false, &r, &error), -EINVAL,
	      "words for a layer that exists");
	ok(strstr(error.text, "layer walls exists"), "... %s", error.text);
	import_close(job);
	*im.words = '\0';
	im.placed = true;
	im.origin = (struct pose){ 5, 5, 0 };
	import_open(&job, &im, &error);
	ok_eq(import_run(job, s, false, &r, &error), 0, "without words");
	import_close(job);
	ok_eq(at(s, 0, 5.5, 5.5), 10, "... at its origin");
	ok_eq(at(s, 0, -0.5, 0), -1, "... in the place of the one before");

	put_words("poses", "1 20 0 0\n");
	ok_eq(import_poses_narrow(s, in_folder("poses"), "sub_", &error), 0,
	      "poses: narrowed");
	ok_eq(import_poses(s, in_folder("poses"), "sub_", "test", &count,
			   &error), 0, "... moved");
	ok_eq(count, 1, "... one");
	ok_eq(at(s, 0, 25.5, 5.5), 30, "... to its place");
	ok_eq(import_poses(s, in_folder("poses"), "other_", "test", &count,
			   &error), -EINVAL, "poses of other frames");
	ok(strstr(error.text, "the store has no submap 'other_1'"), "... %s", error.text);
	ok_eq(import_poses_narrow(s, in_folder("poses"), "other_", &error),
	      -EINVAL, "... nor narrowed");
	ok_eq(import_poses(s, in_folder("nobody"), "sub_", "test", &count,
			   &error), -ENOENT, "no poses");
	/* all of it can be asked and changed after each of these */
	site_turn(s);
	site_turn_end(s);
	site_close(s);
}

static void test_long_frame(void)
{
	struct site *s = open_site(in_folder("frames"), STORE_CREATE);
	struct import_submaps im = submaps();
	char frame[STORE_FRAME + 8];
	struct import_result r;
	struct import *job;

	memset(frame, 'f', sizeof(frame));
	frame[STORE_FRAME - 1] = '\0';
	im.frame = frame;
	put_words("poses", "0 0 0 0\n1 5 0 0\n");
	import_open(&job, &im, &error);
	ok_eq(import_run(job, s, false, &r, &error), -EINVAL,
	      "a frame that is too long");
	ok(strstr(error.text, "is too long"), "... %s", error.text);
	import_close(job);
	frame[STORE_FRAME - 2] = '\0';
	import_open(&job, &im, &error);
	ok_eq(import_run(job, s, false, &r, &error), -EINVAL,
	      "the longest, in a layer that is there by now");
	import_close(job);
	*im.words = '\0';
	import_open(&job, &im, &error);
	ok_eq(import_run(job, s, false, &r, &error), 0, "... without words");
	import_close(job);
	import_close(NULL);
	site_close(s);
}

/*
 * Maps of map_server: 3 x 2 cells of 0.5 m, free, occupied, unknown
 */

static const char *put_map(const char *origin, const char *resolution)
{
	char yaml[200];

	put_file("map.pgm", "P5 3 2 255\n\xfe\x00\xcd\x00\xfe\xfe", 17);
	snprintf(yaml, sizeof(yaml), "image: map.pgm\nresolution: %s\n"
		 "origin: [%s]\nnegate: 0\noccupied_thresh: 0.65\n"
		 "free_thresh: 0.196\n", resolution, origin);
	return put_words("map.yaml", yaml);
}

static int import_map(struct site *s, const struct import_map *im,
		      struct import_map_result *r)
{
	struct import_map_job *job = NULL;
	int err;

	*error.text = '\0';
	err = import_map_open(&job, im, &error);
	if (!err)
		err = import_map_run(job, s, true, r, &error);
	import_map_close(job);
	return err;
}

static struct import_map map_of(const char *path)
{
	return (struct import_map){ .path = path, .mode = -1, .stamp = 5 };
}

static void test_map(void)
{
	struct site *s = open_site(in_folder("maps"), STORE_CREATE);
	struct import_map im = map_of(put_map("-1, 2, 0", "0.5"));
	struct import_map_result r;
	cJSON *answer = cJSON_CreateObject();

	ok_eq(import_map(s, &im, &r), 0, "a map into a new store");
	ok_str(r.layer, IMPORT_MAP_LAYER, "... its layer");
	ok_eq(r.width, 3, "... its width");
	ok_eq(r.height, 2, "... its height");
	ok_near(r.resolution, 0.5, 0, "... its cells");
	ok_eq(r.known, 5, "... those that are known");
	ok_eq(r.waits, false, "... has a place");
	ok_eq(r.resampled, false, "... as it is");
	ok_near(r.off_x, 0, 0, "... aligned in x");
	ok_near(r.off_y, 0, 0, "... aligned in y");
	/* the last row of the picture is the lowest */
	ok_eq(at(s, 0, -0.75, 2.25), 100, "its lowest left cell");
	ok_eq(at(s, 0, -0.75, 2.75), 0, "the one above");
	ok_eq(at(s, 0, -0.25, 2.75), 100, "the one beside");
	ok_eq(at(s, 0, 0.25, 2.75), -1, "an unknown one");
	import_map_answer(&r, 1.2345, answer);
	ok_eq(cJSON_GetObjectItem(answer, "width")->valueint, 3, "JSON: width");
	ok_near(cJSON_GetObjectItem(answer, "ms")->valuedouble, 1.235, 1e-9,
		"... ms");
	ok(!cJSON_GetObjectItem(answer, "off_x"), "... no shift");
	ok(!cJSON_GetObjectItem(answer, "resampled"), "... not resampled");
	cJSON_Delete(answer);

	im.path = put_map("-0.9, 2.2, 0", "0.5");
	im.stamp = 6;
	ok_eq(import_map(s, &im, &r), 0, "one beside the grid");
	ok_near(r.off_x, -0.1, 1e-9, "... by that much in x");
	ok_near(r.off_y, -0.2, 1e-9, "... in y");
	answer = cJSON_CreateObject();
	import_map_answer(&r, 0, answer);
	ok_near(cJSON_GetObjectItem(answer, "off_x")->valuedouble, -0.1, 1e-9,
		"JSON: the shift in x");
	ok_near(cJSON_GetObjectItem(answer, "off_y")->valuedouble, -0.2, 1e-9,
		"... in y");
	cJSON_Delete(answer);
	im.path = put_map("0, 0, 0.5", "0.5");
	im.stamp = 7;
	ok_eq(import_map(s, &im, &r), 0, "a turned one");
	ok_eq(r.resampled, true, "... is resampled");
	answer = cJSON_CreateObject();
	import_map_answer(&r, 0, answer);
	ok(cJSON_GetObjectItem(answer, "resampled"), "JSON: so it is");
	cJSON_Delete(answer);
	im.path = put_map("0, 0, 0", "0.5");
	im.pose = (struct pose){ 0, 0, M_PI / 2 };
	im.stamp = 8;
	ok_eq(import_map(s, &im, &r), 0, "one whose frame is turned");
	ok_eq(at(s, 0, -0.25, 0.25), 100, "... is turned");
	site_close(s);
}

static void test_map_nodes(void)
{
	struct site *s = open_site(in_folder("nodes"), STORE_CREATE);
	struct import_map im = map_of(put_map("0, 0, 0", "0.5"));
	struct import_map_result r;

	im.node = "robot";
	ok_eq(import_map(s, &im, &r), -EINVAL, "a node that is not there");
	ok_str(error.text, "the store has no node 'robot'", "... says so");
	add_layer(s, "a", "");
	im.layer = "a";
	put(s, "waits", 1, NULL, 0, patch(4, 8, 0.5, 1, 0, 90));
	im.node = "waits";
	ok_eq(import_map(s, &im, &r), 0, "one without a place");
	ok_eq(r.waits, true, "... waits");
	move(s, "waits", "", 10, 20, 0);
	ok_eq(at(s, 0, 10.25, 20.25), 100, "... until it has one");
	im.stamp = 6;
	ok_eq(import_map(s, &im, &r), 0, "one with a place");
	ok_eq(r.waits, false, "... does not wait");
	site_close(s);
}

static void map_refused(struct site *s, const struct import_map *im, int want,
			const char *says)
{
	struct import_map_result r;

	ok_eq(import_map(s, im, &r), want, "map refused: %s", says);
	ok(strstr(error.text, says), "... %s", error.text);
	if (store_is_begun(site_store(s)))
		store_rollback(site_store(s));
}

static void test_map_layers(void)
{
	struct site *s = open_site(in_folder("layers"), STORE_CREATE);
	struct import_map im = map_of(put_map("0, 0, 0", "0.5"));
	struct import_map_result r;

	add_layer(s, "only", "");
	ok_eq(import_map(s, &im, &r), 0, "without a name");
	ok_str(r.layer, "only", "... into the only layer");
	im.layer = "typo";
	map_refused(s, &im, -EINVAL, "no layer 'typo'; --role ROLE creates it");
	strcpy(im.words, "prole=x");
	map_refused(s, &im, -EINVAL, "unknown key prole=");
	strcpy(im.words, "role=cost rule=max");
	ok_eq(import_map(s, &im, &r), 0, "with words it is created");
	ok_eq(site_layers(s), 2, "... a second one");
	*im.words = '\0';
	im.layer = NULL;
	map_refused(s, &im, -EINVAL, "several layers; select one");
	add_layer(s, "wide", "bits=16");
	im.layer = "wide";
	map_refused(s, &im, -EINVAL, "layer wide has cells of 16 bits");
	im.layer = "only";
	im.stamp = INT64_MAX;
	map_refused(s, &im, -EINVAL, "in the future");
	im.stamp = -1;
	ok_eq(import_map(s, &im, &r), 0, "of now");
	im.path = in_folder("none.yaml");
	map_refused(s, &im, -ENOENT, "none.yaml");
	im.path = put_map("1e300, 0, 0", "0.5");
	map_refused(s, &im, -EINVAL, "");
	site_close(s);
}

int main(void)
{
	make_folder();
	test_poses();
	test_refused();
	test_submaps();
	test_long_frame();
	test_map();
	test_map_nodes();
	test_map_layers();
	remove_folder();
	return tap_done();
}
