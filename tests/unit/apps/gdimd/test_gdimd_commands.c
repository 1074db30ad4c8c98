// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_gdimd_commands - commands on the socket of a whole daemon, what becomes
 * of them, and what the settings do to layers that are stored
 */
#include <sys/stat.h>
#include "daemon_fixture.h"

static int start(const char *const *more)
{
	static char out[160];
	const char *options[24] = {
		"--to", out, "--layer",
		"temp role=temperature bits=8 resolution=0.1",
		"--layer", "any_* role=gas",
	};
	unsigned int n = 6;

	snprintf(out, sizeof(out), "%s", in_folder("out.bag"));
	unlink(out);
	while (*more)
		options[n++] = *more++;
	return daemon_open("commands.db", options);
}

static void done(const char *line)
{
	ok_str(asked(line), "", "%.70s", line);
}

static void refused(const char *line, const char *why)
{
	ok_str(asked(line), why, "%.70s", line);
}

static double asked_number(const char *line, const char *path)
{
	cJSON *answer = ask(line);
	const double v = number_at(answer, path);

	cJSON_Delete(answer);
	return v;
}

static bool has_layer(const char *name)
{
	return site_find_layer(g.site, name) >= 0 &&
	       !site_layer_removed(g.site, site_find_layer(g.site, name));
}

static struct layer layer_of(const char *name)
{
	struct layer l = { .name = "" };
	const int number = site_find_layer(g.site, name);

	if (number >= 0)
		site_layer(g.site, number, &l);
	return l;
}

/* A line with paths of the test's folder for each %s */
static const char *with_files(const char *line, const char *a, const char *b)
{
	static char text[1024];

	snprintf(text, sizeof(text), line, in_folder(a), in_folder(b));
	return text;
}

/*
 * Submaps from files: two of 4 x 4 cells of 10 cm, at 0 0 and 5 0
 */
static void test_import_submaps(void)
{
	static const char line[] = "{\"do\":\"import-submaps\","
		"\"cells\":\"%s\",\"poses\":\"%s\",\"layer\":\"temp\","
		"\"width\":4,\"height\":\"4\",\"resolution\":0.1}";
	static const char wrong[] = "{\"do\":\"import-submaps\","
		"\"cells\":\"%s\",\"poses\":\"%s\",\"layer\":\"temp\","
		"\"width\":0,\"height\":4,\"resolution\":0.1}";
	int8_t cells[32];
	cJSON *answer;

	memset(cells, 40, 16);
	memset(cells + 16, 70, 16);
	cells[5] = -1;
	put_file("cells", cells, sizeof(cells));
	put_file("poses", "0,0,0,0\n1,5,0,0\n", 16);
	answer = ask(with_files(line, "cells", "poses"));
	ok_str(text_at(answer, "layer"), "temp", "import-submaps");
	ok_near(number_at(answer, "submaps"), 2, 0, "two submaps");
	ok_near(number_at(answer, "width"), 4, 0, "of 4 x");
	ok_near(number_at(answer, "height"), 4, 0, "4 cells");
	ok_near(number_at(answer, "known_cells"), 31, 0, "one is unknown");
	ok_near(number_at(answer, "undrawn"), 0, 0, "all can be drawn");
	ok_range(number_at(answer, "ms"), 0, 60000, "it took some time");
	cJSON_Delete(answer);
	wait_fused();
	ok_eq(site_value(g.site, 0, 0.05, 0.05), 40, "the first is here");
	ok_eq(site_value(g.site, 0, 5.05, 0.05), 70, "the second there");
	refused(with_files(wrong, "cells", "poses"),
		"width must be a number, 1..16384");
	refused("{\"do\":\"import-submaps\"}",
		"width is missing: a number, 1..16384");
	ok(strstr(asked(with_files(line, "none", "poses")),
		  "No such file") != NULL, "a file that is not there");
	ok_near(asked_number("{\"do\":\"spot\",\"x\":0.05,\"y\":0.05}",
			     "layers.temp.value"), 40, 0, "spot");
	refused("{\"do\":\"spot\",\"x\":0}",
		"y is missing: a number, -1e+06..1e+06");
	refused("{\"do\":\"spot\",\"x\":0,\"y\":[]}",
		"y must be a number, -1e+06..1e+06");
	refused("{\"do\":\"spot\",\"x\":2e6,\"y\":0}",
		"x must be a number, -1e+06..1e+06");
	/* numbers may be texts, as in a command line */
	done("{\"do\":\"spot\",\"x\":\"1.5\",\"y\":\"-1\"}");
}

static void test_set_poses(void)
{
	static const char line[] = "{\"do\":\"set-poses\",\"poses\":\"%s\"}";
	cJSON *answer;

	put_file("moved", "1,8,0,0\n", 8);
	answer = ask(with_files(line, "moved", ""));
	ok_near(number_at(answer, "poses"), 1, 0, "set-poses");
	ok_range(number_at(answer, "stored_ms"), 0, 60000, "is stored");
	cJSON_Delete(answer);
	wait_fused();
	ok_eq(site_value(g.site, 0, 8.05, 0.05), 70, "it moved");
	ok_eq(site_value(g.site, 0, 5.05, 0.05), -1, "from here");
	put_file("moved", "7,8,0,0\n", 8);
	ok(strstr(asked(with_files(line, "moved", "")), "submap_7") != NULL,
	   "a submap that is not there");
	refused("{\"do\":\"set-poses\",\"poses\":\"\"}",
		": No such file or directory");
}

/* A whole map: a picture of 2 x 2 pixels, of which one is a wall */
static void test_import_map(void)
{
	static const uint8_t picture[] = "P5 2 2 255\n\xfe\xfe\x00\xfe";
	static const char meta[] = "image: plan.pgm\nresolution: 0.5\n"
		"origin: [0, 0, 0]\nnegate: 0\noccupied_thresh: 0.65\n"
		"free_thresh: 0.196\n";
	static const char line[] = "{\"do\":\"import\",\"map\":\"%s\","
		"\"layer\":\"plan\",\"words\":\"role=hazard\",\"x\":20,"
		"\"y\":\"10\",\"stamp\":1000.5}";
	static const char mode[] = "{\"do\":\"import\",\"map\":\"%s\","
		"\"layer\":\"plan\",\"mode\":\"other\"}";
	static const char stamp[] = "{\"do\":\"import\",\"map\":\"%s\","
		"\"layer\":\"plan\",\"stamp\":-1}";
	char words[2048];
	cJSON *answer;

	put_file("plan.pgm", picture, sizeof(picture) - 1);
	put_file("plan.yaml", meta, sizeof(meta) - 1);
	answer = ask(with_files(line, "plan.yaml", ""));
	ok_str(text_at(answer, "layer"), "plan", "import");
	cJSON_Delete(answer);
	wait_fused();
	ok_eq(layer_of("plan").modality, MODALITY_HAZARD, "with its words");
	ok_eq(site_value(g.site, site_find_layer(g.site, "plan"), 20.25, 10.25),
	      100, "the wall, where it was put");
	ok_eq(site_value(g.site, site_find_layer(g.site, "plan"), 20.75, 10.25),
	      0, "and what is free");
	refused(with_files(mode, "plan.yaml", ""), "unknown mode 'other'");
	ok(!strncmp(asked(with_files(stamp, "plan.yaml", "")),
		    "stamp must be a number, 0..", 27), "a stamp before 1970");
	snprintf(words, sizeof(words), "{\"do\":\"import\",\"map\":\"x\","
		 "\"layer\":\"plan\",\"words\":\"%01500d\"}", 0);
	refused(words, "KEY=VALUE words of a layer are too long");
}

static void test_layers(void)
{
	done("{\"do\":\"layer\",\"name\":\"fog\",\"words\":\"role=smoke "
	     "range=0:50\"}");
	ok_eq(layer_of("fog").modality, MODALITY_SMOKE, "a new layer");
	ok_near(layer_of("fog").high, 50, 0, "as its words say");
	done("{\"do\":\"layer\",\"name\":\"fog\",\"words\":\"range=0:60\"}");
	ok_near(layer_of("fog").high, 60, 0, "its words are changed");
	ok_eq(layer_of("fog").modality, MODALITY_SMOKE, "and no others");
	done("{\"do\":\"layer\",\"name\":\"any_7\"}");
	ok_eq(layer_of("any_7").modality, MODALITY_GAS,
	      "the settings have words for its name");
	refused("{\"do\":\"layer\",\"name\":\"a/b\"}",
		"'a/b' is not a layer name");
	refused("{\"do\":\"layer\"}", "'' is not a layer name");
	ok(*asked("{\"do\":\"layer\",\"name\":\"fog\",\"words\":"
		  "\"range=9:1\"}"), "a range that is none");
	ok_near(layer_of("fog").high, 60, 0, "changes nothing");
}

static void test_rooms(void)
{
	const struct room r = { .id = 7, .x = 2, .y = 3, .size = 4 };

	site_turn(g.site);
	store_room(site_store(g.site), &r);
	site_turn_end(g.site);
	ok_near(asked_number("{\"do\":\"rooms\"}", "rooms"), 1, 0, "rooms");
	ok_near(asked_number("{\"do\":\"room\",\"room\":7}", "x"), 2, 0,
		"a room");
	refused("{\"do\":\"room\",\"room\":8}", "no room 8");
	refused("{\"do\":\"room\",\"room\":999}",
		"room must be a number, 0..255");
	refused("{\"do\":\"remove\",\"room\":8}", "no room 8");
	ok_near(asked_number("{\"do\":\"remove\",\"room\":7}", "room"), 7, 0,
		"is removed");
	refused("{\"do\":\"room\",\"room\":7}", "no room 7");
}

static void test_remove(void)
{
	refused("{\"do\":\"remove\",\"layer\":\"fog\",\"room\":1}",
		"give either layer or room, not both");
	refused("{\"do\":\"remove\"}", "room is missing: a number, 0..255");
	ok_near(asked_number("{\"do\":\"remove\",\"layer\":\"plan\"}",
			     "submaps"), 1, 0, "a layer with its submap");
	ok(!has_layer("plan"), "is gone");
	ok(*asked("{\"do\":\"remove\",\"layer\":\"plan\"}"), "only once");
	ok(has_layer("temp"), "others stay");
}

static void test_rate(void)
{
	cJSON *answer;

	answer = ask("{\"do\":\"rate\",\"topic\":\"/gdim/output/temp\","
		     "\"rate\":0.5}");
	ok_near(number_at(answer, "old_rate"), 1, 0, "rate: the old one");
	ok_near(number_at(answer, "new_rate"), .5, 0, "and the new one");
	cJSON_Delete(answer);
	ok_near(asked_number("{\"do\":\"rate\",\"topic\":\"temp\",\"rate\":0}",
			     "old_rate"), .5, 0, "it was changed");
	refused("{\"do\":\"rate\",\"topic\":\"none\",\"rate\":1}",
		"no topic 'none' is published");
	refused("{\"do\":\"rate\",\"topic\":\"temp\",\"rate\":0.0001}",
		"rate must be a number, 0 or 0.001..100");
	refused("{\"do\":\"rate\",\"topic\":\"temp\",\"rate\":101}",
		"rate must be a number, 0..100");
	refused("{\"do\":\"rate\",\"rate\":1}", "missing argument \"topic\"");
	refused("{\"do\":\"rate\",\"topic\":5,\"rate\":1}",
		"missing argument \"topic\"");
}

/* Notes of a kind; @last: what the last one is of, if it is */
static int notes_of(const char *kind, char last[160])
{
	char line[80];
	cJSON *answer, *notes;
	const char *path;
	int n;

	snprintf(line, sizeof(line), "{\"do\":\"notes\",\"kind\":\"%s\"}",
		 kind);
	answer = ask(line);
	notes = cJSON_GetObjectItem(answer, "notes");
	n = cJSON_GetArraySize(notes);
	path = n ? text_at(cJSON_GetArrayItem(notes, n - 1), "path") : "";
	snprintf(last, 160, "%s", path ? path : "");
	cJSON_Delete(answer);
	return n;
}

static void test_records(void)
{
	char path[160], last[160];
	struct stat st;
	cJSON *answer;

	answer = ask("{\"do\":\"snapshot\",\"name\":\"first\"}");
	snprintf(path, sizeof(path), "%s", text_at(answer, "path") ?
		 text_at(answer, "path") : "");
	ok(strstr(path, "_first.mcap") != NULL, "a snapshot: %s", path);
	ok(!stat(path, &st), "is a file");
	cJSON_Delete(answer);
	while (!notes_of("snapshot", last))
		usleep(1000);
	ok_eq(notes_of("snapshot", last), 1, "it is noted");
	ok_str(last, path, "which");
	ok_str(asked("{\"do\":\"notes\"}"), "", "as notes without a kind");
	ok(*asked("{\"do\":\"snapshot\",\"name\":\"a/b\"}"),
	   "a name that is none");
	answer = ask("{\"do\":\"log\",\"rate\":5}");
	ok(cJSON_IsTrue(cJSON_GetObjectItem(answer, "logging")), "a log");
	ok_near(number_at(answer, "rate"), 5, 0, "at its rate");
	cJSON_Delete(answer);
	answer = ask("{\"do\":\"log\",\"rate\":0}");
	ok(cJSON_IsFalse(cJSON_GetObjectItem(answer, "logging")), "ends");
	cJSON_Delete(answer);
	while (!notes_of("log", last))
		usleep(1000);
	ok(!stat(last, &st), "and is a file");
	refused("{\"do\":\"log\",\"rate\":11}",
		"rate must be a number, 0..10");
	refused("{\"do\":\"log\"}", "rate is missing: a number, 0..10");
}

static void test_status(void)
{
	cJSON *answer = ask("{\"do\":\"status\"}");

	ok_str(text_at(answer, "store"), in_folder("commands.db"),
	       "status: the store");
	ok(!cJSON_HasObjectItem(answer, "store_lost"), "is there");
	ok_near(number_at(answer, "submaps"), 3, 0, "three submaps");
	ok_near(number_at(answer, "in.lost"), 0, 0, "nothing was lost");
	ok_near(number_at(answer, "in.lost_on_the_way"), 0, 0, "anywhere");
	ok_near(number_at(answer, "io_errors"), 0, 0, "no error of the disk");
	ok_near(number_at(answer, "refused.http"), 0, 0, "refused: HTTP");
	ok(number_at(answer, "refused.socket") > 5, "and the socket");
	ok(number_at(answer, "fused.drawn") >= 3, "what was fused");
	ok(number_at(answer, "fused.tiles") >= 2, "in tiles");
	ok_near(number_at(answer, "fused.failed"), 0, 0, "without an error");
	ok(cJSON_IsObject(cJSON_GetObjectItem(answer, "records")), "records");
	ok(cJSON_IsArray(cJSON_GetObjectItem(cJSON_GetObjectItem(answer, "out"),
					     "topics")), "what is published");
	cJSON_Delete(answer);
	refused("{\"do\":\"nothing\"}", "unknown command 'nothing'; known: "
		"status, layers, spot, rooms, room, edges, rate, import, "
		"import-submaps, set-poses, layer, remove, log, snapshot, "
		"notes");
}

/* What is stored stays as it is when the settings differ, but for a range */
static void test_restart(void)
{
	const char *const other[] = {
		"--minTemp", "10", "--maxTemp", "90",
		"--layer", "fog role=gas", "--layer", "new role=smoke",
		"--layer", "plan role=smoke rule=max", NULL,
	};

	daemon_close();
	if (start(other)) {
		ok(false, "starts again: %s", error.text);
		return;
	}
	ok(has_layer("new"), "a layer of the settings is made at the start");
	ok(site_find_layer(g.site, "any_*") < 0, "but none of a pattern");
	ok_near(layer_of("temp").low, 10, 0, "a range follows the settings");
	ok_near(layer_of("temp").high, 90, 0, "both ends");
	ok_eq(layer_of("fog").modality, MODALITY_SMOKE, "a role does not");
	ok_near(asked_number("{\"do\":\"rate\",\"topic\":\"temp\",\"rate\":1}",
			     "old_rate"), 0, 0, "a rate that was set is kept");
	wait_fused();
	ok_eq(site_value(g.site, 0, 0.05, 0.05), 40, "what is stored is there");
	daemon_close();
}

/* A file that is deleted: nothing can be stored any more, and that is said */
static void test_lost(void)
{
	const char *const no_more[] = { NULL };
	cJSON *answer;

	if (start(no_more))
		abort();
	unlink(in_folder("commands.db"));
	answer = ask("{\"do\":\"status\"}");
	ok(cJSON_IsTrue(cJSON_GetObjectItem(answer, "store_lost")),
	   "the store is lost");
	cJSON_Delete(answer);
	answer = ask("{\"do\":\"status\"}");
	ok(cJSON_IsTrue(cJSON_GetObjectItem(answer, "store_lost")),
	   "and stays so");
	cJSON_Delete(answer);
	daemon_close();
}

/* Nothing is made when it cannot start */
static void test_refused(void)
{
	const char *const bad[] = { "--http", "256.0.0.1:1", NULL };
	const char *const open_to_all[] = { "--http", "0.0.0.0:1", NULL };

	ok(start(bad) < 0, "an address that is none");
	ok(strstr(error.text, "256.0.0.1") != NULL, "... %s", error.text);
	ok(start(open_to_all) < 0, "others on the network without tokens");
	ok(strstr(error.text, "token") != NULL, "... %s", error.text);
}

int main(void)
{
	const char *const no_more[] = { NULL };

	make_folder();
	if (start(no_more)) {
		printf("Bail out! %s\n", error.text);
		return 1;
	}
	test_import_submaps();
	test_set_poses();
	test_import_map();
	test_layers();
	test_rooms();
	test_rate();
	test_status();
	test_records();
	test_remove();
	test_restart();
	test_lost();
	test_refused();
	remove_folder();
	return tap_done();
}
