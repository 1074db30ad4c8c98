// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_map_publisher - which maps are sent when, whole or in part, and at which
 * rate
 */
#include <cjson/cJSON.h>
#include <malloc.h>
#include "map/ros/publisher.h"
#include "map/ros/rates.h"
#include "map_ros_fixture.h"

/*
 * A sink that remembers
 */

enum { TOPICS = 32 };

struct sink_topic {
	char			name[128];
	enum message_kind	kind;
	bool			latched, removed;
	unsigned int		count;
	/* of the last message; @known: cells */
	unsigned int		width, height, x, y, items, known;
	double			resolution;
	int			most;
	char			frame[32];
};

static struct sink_topic topics[TOPICS];
static unsigned int topic_count;
static int publish_error, add_error;

int __wrap_sink_add(struct sink *s, const char *name, enum message_kind kind,
		    bool latched, struct sink_topic **topic);
void __wrap_sink_remove(struct sink_topic *topic);
int __wrap_sink_publish(struct sink_topic *topic, int64_t received,
			const union message *msg);

int __wrap_sink_add(struct sink *s, const char *name, enum message_kind kind,
		    bool latched, struct sink_topic **topic)
{
	struct sink_topic *t = &topics[topic_count];

	(void)s;
	if (add_error)
		return add_error;
	if (topic_count++ == TOPICS)
		abort();
	*t = (struct sink_topic){ .kind = kind, .latched = latched };
	snprintf(t->name, sizeof(t->name), "%s", name);
	*topic = t;
	return 0;
}

void __wrap_sink_remove(struct sink_topic *topic)
{
	topic->removed = true;
}

static void note_cells(struct sink_topic *t, const struct message_bytes *b)
{
	t->known = 0;
	t->most = -1;
	for (uint32_t i = 0; i < b->count; i++) {
		const int v = (int8_t)b->data[i];

		t->known += v >= 0;
		t->most = v > t->most ? v : t->most;
	}
}

static void note_header(struct sink_topic *t, const struct message_header *h)
{
	snprintf(t->frame, sizeof(t->frame), "%.*s", (int)h->frame_id.len,
		 h->frame_id.text);
}

int __wrap_sink_publish(struct sink_topic *t, int64_t received,
			const union message *m)
{
	if (publish_error)
		return publish_error;
	if (t->removed || received != wall_ns)
		abort();
	t->count++;
	switch (t->kind) {
	case MESSAGE_OCCUPANCY_GRID:
		note_header(t, &m->map.header);
		t->width = m->map.width;
		t->height = m->map.height;
		t->resolution = m->map.resolution;
		note_cells(t, &m->map.data);
		break;
	case MESSAGE_GRID_UPDATE:
		note_header(t, &m->update.header);
		t->x = m->update.x;
		t->y = m->update.y;
		t->width = m->update.width;
		t->height = m->update.height;
		note_cells(t, &m->update.data);
		break;
	case MESSAGE_GRID_MAP:
		note_header(t, &m->grid.header);
		t->items = m->grid.layers;
		break;
	case MESSAGE_TRANSFORMS:
		t->items = m->tf.transforms.count;
		break;
	case MESSAGE_POLYGON:
		note_header(t, &m->polygon.header);
		t->items = m->polygon.points.count;
		break;
	default:
		break;
	}
	return 0;
}

/* The topic of that name that is offered now */
static const struct sink_topic *topic(const char *name)
{
	static const struct sink_topic none = { .width = -1U };

	for (unsigned int i = topic_count; i--;)
		if (!strcmp(topics[i].name, name) && !topics[i].removed)
			return &topics[i];
	printf("# no topic %s\n", name);
	return &none;
}

/*
 * The publisher
 */

#define SLAM	"/gdim/output/slam_map"
#define UPDATES	SLAM "_updates"

static struct map_publisher *out;
static char kept[64];

static void on_keep(void *arg, const char *name, double hz)
{
	(void)arg;
	snprintf(kept, sizeof(kept), "%s %g", name, hz);
}

static void open_publisher(void)
{
	if (map_publisher_open(&out, site, NULL, (struct sink *)topics,
			       &map_config, on_keep, NULL))
		abort();
}

static void open_all(const char *name)
{
	topic_count = 0;
	open_map(name);
	add_layer(site, "slam_map", "role=obstacle");
	open_publisher();
}

static void close_all(void)
{
	map_publisher_close(out);
	site_close(site);
}

/* A patch of 1 m of @value at @x 0, of the node of that x */
static void put_patch(unsigned int layer, double x, int value, int64_t stamp)
{
	const struct pose p = { x, 0, 0 };
	struct layer l;
	char frame[16];

	site_layer(site, layer, &l);
	snprintf(frame, sizeof(frame), "n%g", x);
	put(site, frame, stamp, &p, layer,
	    patch(10, l.bits, 0.1, 1, value, value));
	fuse_map();
	map_publisher_fused(out);
}

/* Of the topic @i in the status; -1: it has none of that key */
static double status(unsigned int i, const char *key)
{
	cJSON *all = cJSON_CreateObject();
	const cJSON *item;
	double value;

	map_publisher_status(out, all);
	item = cJSON_GetObjectItem(cJSON_GetArrayItem(
			cJSON_GetObjectItem(all, "topics"), i), key);
	value = cJSON_IsNumber(item) ? item->valuedouble : -1;
	cJSON_Delete(all);
	return value;
}

static uint64_t due(void)
{
	return timers->due;
}

/*
 * Maps
 */

static void test_whole(void)
{
	open_all("whole.db");
	ok_eq(topic(SLAM)->kind, MESSAGE_OCCUPANCY_GRID, "a layer is offered");
	ok_eq(topic(SLAM)->latched, true, "to late subscribers, too");
	ok_eq(topic(UPDATES)->kind, MESSAGE_GRID_UPDATE, "with its updates");
	ok_eq(topic(UPDATES)->latched, false, "which come once");
	ok_eq(due(), LOOP_NEVER, "nothing is due");
	put_patch(0, 0, 50, 1);
	ok_eq(topic(SLAM)->count, 1, "the first map is sent at once");
	ok_eq(topic(SLAM)->width, 128, "of two tiles");
	ok_eq(topic(SLAM)->height, 128, "and two rows of them");
	ok_eq(topic(SLAM)->known, 100, "with 10 x 10 known cells");
	ok_near(topic(SLAM)->resolution, 0.1, 1e-6, "of 0.1 m");
	ok_eq(topic(SLAM)->most, 50, "of its value");
	ok_str(topic(SLAM)->frame, "world", "in the map's frame");
	ok_near(status(0, "sent"), 1, 0, "status counts it");
	ok_near(status(0, "resolution"), 0.1, 1e-6, "and has its resolution");
	ok_near(status(0, "coarser"), -1, 0, "which is that of the map");
	ok_eq(due(), LOOP_NEVER, "nothing more is due");
	pass_time(100 * SECOND);
	ok_eq(topic(SLAM)->count, 1, "a map without updates is not repeated");
	close_all();
	ok_eq(topics[0].removed, true, "the end withdraws it");
	ok_eq(topics[1].removed, true, "and its updates");
}

static void test_update(void)
{
	open_all("update.db");
	put_patch(0, 0, 50, 1);
	put_patch(0, 20, 60, 1);
	ok_eq(topic(SLAM)->count, 1, "a change within a second");
	ok_eq(due(), now_ns + SECOND, "is due after a second");
	pass_time(SECOND - 1);
	ok_eq(topic(SLAM)->count, 1, "not before");
	pass_time(1);
	ok_eq(topic(SLAM)->count, 2, "it makes the map larger: sent whole");
	ok_eq(topic(SLAM)->known, 200, "both patches");
	pass_time(SECOND);
	put_patch(0, 20, 70, 2);
	ok_eq(topic(SLAM)->count, 2, "a map of the same size");
	ok_eq(topic(UPDATES)->count, 1, "is sent as an update");
	ok_eq(topic(UPDATES)->known, 100, "of what is new only");
	ok_eq(topic(UPDATES)->most, 70, "with the new value");
	ok_eq(topic(UPDATES)->x + topic(UPDATES)->width, topic(SLAM)->width,
	      "at its place in the map");
	ok_eq(topic(UPDATES)->y, 0, "in both directions");
	ok_str(topic(UPDATES)->frame, "world", "in the map's frame");
	ok_near(status(0, "sent"), 2, 0, "status counts whole maps");
	ok_near(status(0, "updates"), 1, 0, "and updates");
	ok_eq(due(), now_ns + 9 * SECOND, "10 s after the last whole map");
	pass_time(9 * SECOND - 1);
	ok_eq(topic(SLAM)->count, 2, "not before");
	pass_time(1);
	ok_eq(topic(SLAM)->count, 3, "there is another one");
	ok_eq(due(), LOOP_NEVER, "and no more");
	pass_time(100 * SECOND);
	put_patch(0, 20, 80, 3);
	ok_eq(topic(SLAM)->count, 4, "after 10 s a change is sent whole");
	ok_eq(topic(UPDATES)->count, 1, "not as an update");
	close_all();
}

static void test_no_change(void)
{
	open_all("same.db");
	put_patch(0, 0, 50, 1);
	pass_time(2 * SECOND);
	map_publisher_fused(out);
	ok_eq(topic(SLAM)->count, 1, "without a change nothing is sent");
	ok_near(status(0, "skipped"), 0, 0, "and nothing is skipped");
	publish_error = -EIO;
	put_patch(0, 0, 60, 2);
	ok_near(status(0, "skipped"), 1, 0, "what the sink refuses is skipped");
	publish_error = 0;
	pass_time(2 * SECOND);
	map_publisher_fused(out);
	ok_eq(topic(SLAM)->count + topic(UPDATES)->count, 2,
	      "and sent with the next one");
	close_all();
}

/* 400 km at 0.1 m are more cells than a message may have */
static void test_coarser(void)
{
	open_all("coarser.db");
	put_patch(0, 0, 50, 1);
	pass_time(SECOND);
	put_patch(0, 400000, 50, 1);
	ok_eq(topic(SLAM)->count, 2, "a map that is too large");
	ok_near(topic(SLAM)->resolution, 0.1 * status(0, "coarser"), 1e-6,
		"is sent in larger cells");
	ok_range(status(0, "coarser"), 2, 64, "which status has");
	ok((uint64_t)topic(SLAM)->width * topic(SLAM)->height <=
	   MAP_MESSAGE_CELLS, "%u x %u cells are few enough",
	   topic(SLAM)->width, topic(SLAM)->height);
	pass_time(SECOND);
	put_patch(0, 400000, 60, 2);
	ok_eq(topic(UPDATES)->count, 1, "an update");
	ok_range(topic(UPDATES)->width, 1, 64, "is one of larger cells");
	close_all();
}

/*
 * Layers
 */

static void test_grid_map(void)
{
	int a, b;

	open_all("grids.db");
	a = add_layer(site, "gas_A_map_1_CO",
		      "role=gas bits=16 input=gas_A_submap_1");
	b = add_layer(site, "gas_A_map_1_H2",
		      "role=gas bits=16 input=gas_A_submap_1");
	put_patch(a, 0, 3000, 1);
	ok_eq(topic("/gdim/output/gas_A_map_1")->items, 2,
	      "two gases of one input are one grid map");
	pass_time(SECOND);
	put_patch(b, 0, 6000, 1);
	ok_eq(topic("/gdim/output/gas_A_map_1")->count, 2, "a change of one");
	ok_eq(topic_count, 3, "there is no other topic");
	ok_near(status(2, "rate"), -1, 0, "in the status, neither");
	close_all();
}

/* A layer of 8 bits has the name of a grid map */
static void test_same_name(void)
{
	open_all("name.db");
	add_layer(site, "gas_A_map_1_CO",
		  "role=gas bits=16 input=gas_A_submap_1");
	add_layer(site, "gas_A_map_1_H2",
		  "role=gas bits=16 input=gas_A_submap_1");
	add_layer(site, "gas_A_map_1", "role=gas bits=8");
	map_publisher_fused(out);
	map_publisher_fused(out);
	put_patch(1, 0, 3000, 1);
	put_patch(2, 0, 3000, 1);
	put_patch(3, 0, 30, 1);
	ok_eq(topic("/gdim/output/gas_A_map_1")->kind, MESSAGE_OCCUPANCY_GRID,
	      "a map of 8 bits");
	ok_eq(topic("/gdim/output/gas_A_map_1")->most, 30, "with its values");
	ok_eq(topic("/gdim/output/gas_A_map_1_CO")->items, 1,
	      "the others are alone");
	ok_eq(topic("/gdim/output/gas_A_map_1_H2")->count, 1, "each of them");
	close_all();
}

/* A layer that is made again, with other bits */
static void test_bits(void)
{
	struct layer l;

	open_all("bits.db");
	site_layer(site, 0, &l);
	l.bits = 16;
	ok_eq(site_set_layer(site, &l, &error), 0, "a layer gets 16 bits");
	map_publisher_fused(out);
	ok_eq(topic(SLAM)->kind, MESSAGE_GRID_MAP, "its topic gets their type");
	ok_eq(topics[0].removed, true, "the other one is withdrawn");
	ok_eq(topics[1].removed, true, "with its updates");
	put_patch(0, 0, 5000, 1);
	ok_eq(topic(SLAM)->count, 1, "its map is sent");
	close_all();
}

static void test_no_sink(void)
{
	open_map("none.db");
	add_layer(site, "slam_map", "role=obstacle");
	topic_count = 0;
	if (map_publisher_open(&out, site, NULL, NULL, &map_config, on_keep,
			       NULL))
		abort();
	put_patch(0, 0, 50, 1);
	ok_eq(topic_count, 0, "without a sink nothing is offered");
	ok_near(status(0, "sent"), 0, 0, "nor sent");
	ok_near(status(0, "rate"), 1, 0, "but it has a rate");
	ok_eq(map_publisher_pass(out, "thermal_image", MESSAGE_IMAGE, false,
				 NULL), 0, "nothing is passed through");
	close_all();
	add_error = -ENOMEM;
	open_all("none.db");
	ok_near(status(0, "rate"), -1, 0, "a topic that the sink refuses is none");
	add_error = 0;
	close_all();
}

/*
 * Rates
 */

static void test_rates(void)
{
	double old = -1;

	open_all("rates.db");
	map_config_add_remap(&map_config, SLAM ":=/mine");
	put_patch(0, 0, 50, 1);
	ok_eq(map_publisher_rate(out, "slam_map", 5, &old), 0, "a new rate");
	ok_near(old, 1, 0, "instead of 1 Hz");
	ok_str(kept, "slam_map 5", "is to be kept");
	put_patch(0, 2, 50, 1);
	ok_eq(due(), now_ns + 200 * MS, "the next map comes after 0.2 s");
	ok_eq(map_publisher_rate(out, SLAM, 2, &old), 0, "by its topic");
	ok_near(old, 5, 0, "it was 5 Hz");
	ok_eq(due(), now_ns + 500 * MS, "0.5 s count at once");
	ok_eq(map_publisher_rate(out, "/mine", 0, &old), 0,
	      "by what it is remapped to");
	ok_eq(due(), LOOP_NEVER, "0 is never");
	pass_time(100 * SECOND);
	ok_near(status(0, "sent"), 1, 0, "nothing is sent");
	ok_eq(map_publisher_rate(out, "slam_map", 100, &old), 0, "the most");
	ok_near(status(0, "sent"), 2, 0, "and it is sent at once");
	ok_eq(map_publisher_rate(out, "slam_map", 100.1, &old), -EINVAL,
	      "not more");
	ok_eq(map_publisher_rate(out, "slam_map", 0.001, &old), 0, "the least");
	ok_eq(map_publisher_rate(out, "slam_map", 0.0009, &old), -EINVAL,
	      "not less");
	ok_eq(map_publisher_rate(out, "slam_map", -1, &old), -EINVAL,
	      "nor below 0");
	ok_eq(map_publisher_rate(out, "slam_map", NAN, &old), -EINVAL,
	      "nor anything else");
	ok_eq(map_publisher_rate(out, "slam", 1, &old), -ENOENT, "no topic");
	ok_eq(map_publisher_rate(out, "/gdim/output/slam", 1, &old), -ENOENT,
	      "nor with the prefix");
	close_all();
}

/* What was asked for is there after a restart */
static void test_kept_rates(void)
{
	open_all("kept.db");
	map_publisher_close(out);
	ok_near(rates_kept(site, "slam_map", 7), 7, 0, "no rate is kept");
	ok_eq(rates_keep(site, "slam_map", 0.25, &error), 0, "one is stored");
	ok_near(rates_kept(site, "slam_map", 7), 0.25, 0, "it is kept");
	open_publisher();
	ok_near(status(0, "rate"), 0.25, 0, "and counts from the start");
	rates_keep(site, "slam_map", 0, &error);
	ok_near(rates_kept(site, "slam_map", 7), 0, 0, "0 is one");
	store_set(site_store(site), "rate of slam_map", "101");
	ok_near(rates_kept(site, "slam_map", 7), 7, 0, "101 is none");
	store_set(site_store(site), "rate of slam_map", "0.0001");
	ok_near(rates_kept(site, "slam_map", 7), 7, 0, "nor is less than 0.001");
	store_set(site_store(site), "rate of slam_map", "x");
	ok_near(rates_kept(site, "slam_map", 7), 7, 0, "nor a word");
	unlink(in_folder("kept.db"));
	ok_eq(rates_keep(site, "slam_map", 1, &error), -EIO,
	      "a store that is gone");
	ok(strstr(error.text, "deleted") != NULL, "%s", error.text);
	close_all();
	ok_eq(rates_valid(0), true, "0: never");
	ok_eq(rates_valid(0.001), true, "0.001");
	ok_eq(rates_valid(0.0009), false, "less");
	ok_eq(rates_valid(100), true, "100");
	ok_eq(rates_valid(101), false, "more");
}

/*
 * Messages of the store, and those that are passed through
 */

static void test_states(void)
{
	const double xy[2][2] = { { 1, 2 }, { 3, 4 } };
	const struct sink_topic *tf, *repeaters;

	open_all("states.db");
	map_publisher_stored(out, MAP_PUBLISHER_TRANSFORMS);
	tf = topic("/gdim/output/submap_transform");
	ok_eq(tf->count, 0, "no transforms: nothing is sent");
	ok_near(status(1, "skipped"), 1, 0, "but skipped");
	ok_eq(tf->latched, true, "late subscribers get the last ones");
	move(site, "a", SITE_ROOT, 1, 0, 0);
	move(site, "b", "a", 1, 0, 0);
	map_publisher_stored(out, MAP_PUBLISHER_TRANSFORMS);
	ok_eq(tf->count, 0, "a pass-through topic has a rate of 100 Hz");
	pass_time(10 * MS);
	ok_eq(tf->count, 1, "then they are sent");
	ok_eq(tf->items, 2, "both");
	store_repeaters(site_store(site), 1, xy, 2);
	map_publisher_stored(out, MAP_PUBLISHER_REPEATERS);
	repeaters = topic("/gdim/output/repeater_map");
	ok_eq(repeaters->count, 1, "repeaters are sent");
	ok_eq(repeaters->items, 2, "both");
	ok_str(repeaters->frame, "world", "in the map's frame");
	map_publisher_close(out);
	topic_count = 0;
	open_publisher();
	ok_eq(topic("/gdim/output/submap_transform")->items, 2,
	      "after a restart they are there");
	ok_eq(topic("/gdim/output/repeater_map")->items, 2, "both topics");
	close_all();
}

/* Bytes that are allocated; 0 under a sanitizer, which finds leaks itself */
static size_t heap(void)
{
#ifdef __SANITIZE_ADDRESS__
	return 0;
#else
	return mallinfo2().uordblks;
#endif
}

/* Transforms of no node, again and again */
static void test_empty_graph(void)
{
	double before;

	open_all("empty.db");
	map_publisher_stored(out, MAP_PUBLISHER_TRANSFORMS);
	before = heap();
	for (int i = 0; i < 100; i++) {
		pass_time(SECOND);
		map_publisher_stored(out, MAP_PUBLISHER_TRANSFORMS);
	}
	ok_near(status(1, "skipped"), 101, 0, "a graph without nodes is skipped");
	ok_near((double)heap(), before, 10000, "and leaves no memory behind");
	close_all();
}

/* 10,000 transforms a second, at most */
static void test_large_graph(void)
{
	static struct site_transform t[1000];

	open_all("graph.db");
	for (int i = 0; i < 1000; i++) {
		char frame[16];

		snprintf(frame, sizeof(frame), "n%d", i);
		t[i] = transform(frame, SITE_ROOT, i, 0, 0);
	}
	site_transforms(site, t, 1000, "test", &error);
	map_publisher_stored(out, MAP_PUBLISHER_TRANSFORMS);
	map_publisher_stored(out, MAP_PUBLISHER_TRANSFORMS);
	ok_eq(due(), now_ns + 100 * MS, "1000 transforms: not before 0.1 s");
	close_all();
}

static void test_pass(void)
{
	static union message m;
	const struct sink_topic *image;
	double old;

	open_all("pass.db");
	ok_eq(map_publisher_pass(out, "thermal_image", MESSAGE_IMAGE, false,
				 &m), 0, "an image is passed through");
	image = topic("/gdim/output/thermal_image");
	ok_eq(image->count, 1, "once");
	ok_eq(image->latched, false, "not for late subscribers");
	map_publisher_pass(out, "thermal_image", MESSAGE_IMAGE, false, &m);
	ok_eq(image->count, 2, "at 100 Hz all are");
	map_publisher_rate(out, "thermal_image", 10, &old);
	ok_near(old, 100, 0, "the rate was 100 Hz");
	map_publisher_pass(out, "thermal_image", MESSAGE_IMAGE, false, &m);
	ok_eq(image->count, 2, "at 10 Hz");
	pass_time(100 * MS - 1);
	map_publisher_pass(out, "thermal_image", MESSAGE_IMAGE, false, &m);
	ok_eq(image->count, 2, "none before 0.1 s");
	pass_time(1);
	map_publisher_pass(out, "thermal_image", MESSAGE_IMAGE, false, &m);
	ok_eq(image->count, 3, "but then");
	ok_near(status(1, "skipped"), 2, 0, "the others are skipped");
	map_publisher_rate(out, "thermal_image", 0, &old);
	pass_time(SECOND);
	ok_eq(map_publisher_pass(out, "thermal_image", MESSAGE_IMAGE, false,
				 &m), 0, "0 is never");
	ok_eq(image->count, 3, "nothing is sent");
	map_publisher_rate(out, "thermal_image", 100, &old);
	publish_error = -EIO;
	ok_eq(map_publisher_pass(out, "thermal_image", MESSAGE_IMAGE, false,
				 &m), -EIO, "errors of the sink come back");
	publish_error = 0;
	close_all();
}

int main(void)
{
	make_folder();
	test_whole();
	test_update();
	test_no_change();
	test_coarser();
	test_grid_map();
	test_same_name();
	test_bits();
	test_no_sink();
	test_rates();
	test_kept_rates();
	test_states();
	test_empty_graph();
	test_large_graph();
	test_pass();
	remove_folder();
	return tap_done();
}
