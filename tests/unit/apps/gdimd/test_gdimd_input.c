// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_gdimd_input - a whole daemon that plays a recording: what it stores,
 * passes on and refuses
 */
#include "daemon_fixture.h"
#include "map/io/map_message.h"
#include "ros/io/sink.h"

enum { SIDE = 20, IMAGE = 8, STEP = 1000000 /* ns */ };

static const int64_t first = 1700000000000000000;

static struct sink *sink;
static int64_t stamp;

static void publish(const char *name, enum message_kind kind,
		    const union message *m)
{
	static struct {
		char			name[64];
		struct sink_topic	*topic;
	} known[8];
	unsigned int i = 0;
	char full[80];

	while (i < 7 && *known[i].name && strcmp(known[i].name, name))
		i++;
	if (!*known[i].name) {
		snprintf(known[i].name, sizeof(known[i].name), "%s", name);
		snprintf(full, sizeof(full), "/gdim/input/%s", name);
		if (sink_add(sink, full, kind, false, &known[i].topic))
			abort();
	}
	if (sink_publish(known[i].topic, stamp += STEP, m))
		abort();
}

static void publish_map(const char *frame, int value)
{
	static struct map_room room;
	struct raster r = { { 0, 0, SIDE, SIDE }, 8, 0.1, NULL };
	union message m;

	map_room_reserve(&room, SIDE * SIDE);
	r.cells = room.cells;
	for (unsigned int i = 0; i < SIDE * SIDE; i++)
		r.cells[i] = value;
	map_message(&room, &r, stamp, frame, &m);
	publish("temp_submap", MESSAGE_OCCUPANCY_GRID, &m);
}

static void publish_pose(const char *frame, double x)
{
	const struct message_transform t = {
		.header = { stamp, 0, message_string("map") },
		.child_frame_id = message_string(frame),
		.translation = { x, 0, 0 }, .rotation = { 0, 0, 0, 1 },
	};
	const union message m = { .tf = { message_list(&t, 1) } };

	publish("submap_transform", MESSAGE_TRANSFORMS, &m);
}

static void publish_image(unsigned int number)
{
	static uint8_t pixels[IMAGE * IMAGE];
	const union message m = { .image = {
		.header = { stamp, number, message_string("camera") },
		.height = IMAGE, .width = IMAGE, .step = IMAGE,
		.encoding = message_string("mono8"),
		.data = { pixels, sizeof(pixels) },
	} };

	publish("thermal_image", MESSAGE_IMAGE, &m);
}

/* Two maps and their poses, 5 images, and a map without a frame */
static void make_recording(const char *path)
{
	const struct sink_config config = { .spec = path, .name = "test" };
	struct loop *loop = loop_create_quiet();

	stamp = first;
	if (!loop || sink_open(&sink, loop, &config, &error))
		abort();
	publish_pose("a", 0);
	publish_pose("b", 10);
	publish_map("a", 30);
	publish_map("b", 80);
	for (unsigned int i = 0; i < 5; i++)
		publish_image(i);
	publish_map("", 50);
	sink_close(sink);
	loop_destroy(loop);
}

static double status(const char *path)
{
	cJSON *answer = ask("{\"do\":\"status\"}");
	const double v = number_at(answer, path);

	cJSON_Delete(answer);
	return v;
}

/* How many messages of an output were sent */
static double sent(const char *name)
{
	cJSON *answer = ask("{\"do\":\"status\"}"), *i;
	double n = NAN;

	cJSON_ArrayForEach(i, cJSON_GetObjectItem(
			   cJSON_GetObjectItem(answer, "out"), "topics"))
		if (strstr(text_at(i, "name"), name))
			n = number_at(i, "sent");
	cJSON_Delete(answer);
	return n;
}

int main(void)
{
	char path[160], out[160];
	const char *const options[] = {
		"--from", path, "--to", out, "--rate", "100", "--layer",
		"temp input=temp_submap role=temperature resolution=0.1", NULL,
	};

	make_folder();
	snprintf(path, sizeof(path), "%s", in_folder("in.bag"));
	snprintf(out, sizeof(out), "%s", in_folder("out.mcap"));
	make_recording(path);
	if (daemon_open("input.db", options)) {
		printf("Bail out! %s\n", error.text);
		return 1;
	}
	while (status("in.submaps_stored") < 2 || status("in.refused") < 1)
		usleep(1000);
	wait_fused();
	ok_near(status("in.messages"), 10, 0, "all messages came");
	ok_near(status("in.submaps_stored"), 2, 0, "two maps are stored");
	ok_near(status("in.transforms_stored"), 2, 0, "and two poses");
	ok_near(status("in.refused"), 1, 0, "one map has no frame");
	ok_near(status("in.lost"), 0, 0, "nothing is lost");
	ok_eq(site_value(g.site, 0, 0.05, 0.05), 30, "the first map");
	ok_eq(site_value(g.site, 0, 10.05, 0.05), 80, "the second one");
	while (!(sent("temp") >= 1) || !(sent("submap_transform") >= 1))
		usleep(1000);
	ok(sent("temp") >= 1, "the fused map is published");
	ok(sent("submap_transform") >= 1, "and the poses");
	ok(sent("thermal_image") >= 1, "and images");
	ok_str(asked("{\"do\":\"snapshot\"}"), "", "a snapshot with an image");
	daemon_close();
	remove_folder();
	return tap_done();
}
