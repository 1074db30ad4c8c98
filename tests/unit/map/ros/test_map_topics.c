// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_map_topics - lines of configuration, which topic is whose, and the
 * layers of a map topic
 */
#include <cjson/cJSON.h>
#include "map/ros/graph.h"
#include "map/ros/input_topics.h"
#include "map/ros/map_topic.h"
#include "map/ros/wildcard.h"
#include "map_ros_fixture.h"

/*
 * A source that remembers what was subscribed
 */

static char subscribed[4096];
static int subscribe_error;

int __wrap_source_subscribe(struct source *s, const char *topic, int kind);
int __wrap_source_subscribe_all(struct source *s, const char *topic, int kind);

static int note_subscription(const char *how, const char *topic, int kind)
{
	const size_t used = strlen(subscribed);

	snprintf(subscribed + used, sizeof(subscribed) - used, "%s %s %d\n",
		 how, topic, kind);
	return subscribe_error;
}

int __wrap_source_subscribe(struct source *s, const char *topic, int kind)
{
	(void)s;
	return note_subscription("some", topic, kind);
}

int __wrap_source_subscribe_all(struct source *s, const char *topic, int kind)
{
	(void)s;
	return note_subscription("all", topic, kind);
}

/* Whether exactly that was subscribed with @kind; all, or some messages */
static bool is_subscribed(const char *how, const char *topic,
			  enum message_kind kind)
{
	char line[256];

	snprintf(line, sizeof(line), "%s %s %d\n", how, topic, kind);
	return strstr(subscribed, line);
}

static unsigned int count_subscriptions(void)
{
	unsigned int n = 0;

	for (const char *at = subscribed; *at; at++)
		n += *at == '\n';
	return n;
}

/*
 * Input
 */

static struct map_input *in;
static unsigned int images;
static char refusal[ERROR_TEXT];
static int state;

static void on_stored(void *arg)
{
	(void)arg;
}

static void on_refused(void *arg, const char *line)
{
	(void)arg;
	snprintf(refusal, sizeof(refusal), "%s", line);
}

static void on_state(void *arg, enum map_publisher_state what)
{
	(void)arg;
	state = what;
}

static int on_image(void *arg, const union message *m)
{
	(void)arg;
	images += m->image.width == 3;
	return 0;
}

static struct input_topics open_topics(const char *name)
{
	open_map(name);
	if (map_input_open(&in, site, NULL, &map_config, on_stored, on_refused,
			   NULL))
		abort();
	return (struct input_topics){
		.config = &map_config, .input = in, .stored = on_state,
		.image = on_image,
	};
}

static void close_topics(void)
{
	map_input_close(in);
	site_close(site);
}

static void test_subscribe(void)
{
	const struct input_topics t = open_topics("subscribe.db");

	map_config_add_remap(&map_config, "/gdim/input/slam_submap:=/slam");
	input_topics_subscribe(&t, NULL);
	ok(is_subscribed("some", "/gdim/input/thermal_image", MESSAGE_IMAGE),
	   "images are only shown: some of them are enough");
	ok(is_subscribed("all", "/gdim/input/submap_transform",
			 MESSAGE_TRANSFORMS), "all transforms");
	ok(is_subscribed("all", "/gdim/input/repeater_map", MESSAGE_POLYGON),
	   "all repeaters");
	ok(is_subscribed("all", "/gdim/input/rooms", MESSAGE_UINT8),
	   "all numbers of rooms");
	ok(is_subscribed("all", "/gdim/input/room_information", MESSAGE_ROOM),
	   "all rooms");
	ok(is_subscribed("all", "/gdim/input/pose_graph", MESSAGE_POSE_GRAPH),
	   "the edges of the pose graph");
	ok(is_subscribed("all", "/slam", MESSAGE_OCCUPANCY_GRID),
	   "maps, by what their topic is remapped to");
	ok(is_subscribed("all", "/gdim/input/temp_submap_fused",
			 MESSAGE_OCCUPANCY_GRID), "other maps");
	ok_eq(count_subscriptions(), 6 + 11,
	      "but none with wildcards, which are found");
	subscribe_error = -EPROTOTYPE;
	input_topics_subscribe(&t, NULL);
	ok_eq(count_subscriptions(), 2 * 17, "one that fails stops no other");
	subscribe_error = 0;
	close_topics();
}

static void test_found(void)
{
	const struct input_topics t = open_topics("found.db");

	*subscribed = 0;
	input_topics_found(&t, NULL, "/gdim/input/gas_A_submap_1",
			   MESSAGE_GRID_MAP);
	ok(is_subscribed("all", "/gdim/input/gas_A_submap_1", MESSAGE_GRID_MAP),
	   "a topic of a wildcard is subscribed when it is found");
	*subscribed = 0;
	input_topics_found(&t, NULL, "/gdim/input/gas_A_submap_1",
			   MESSAGE_OCCUPANCY_GRID);
	ok_str(subscribed, "", "not with another type");
	ok_str(refusal, "/gdim/input/gas_A_submap_1: not of type "
	       "grid_map_msgs/GridMap: ignored", "which is refused");
	input_topics_found(&t, NULL, "/gdim/input/slam_submap",
			   MESSAGE_GRID_MAP);
	ok_str(refusal, "/gdim/input/slam_submap: not of type "
	       "nav_msgs/OccupancyGrid: ignored", "as is this");
	input_topics_found(&t, NULL, "/gdim/input/other", MESSAGE_GRID_MAP);
	ok_str(refusal, "/gdim/input/other: no layer uses this topic: ignored",
	       "and what no layer has");
	*refusal = 0;
	input_topics_found(&t, NULL, "/other", MESSAGE_GRID_MAP);
	ok_str(refusal, "", "other topics are none of our business");
	ok_str(subscribed, "", "nothing is subscribed");
	close_topics();
}

static int take(const struct input_topics *t, const char *topic,
		enum message_kind kind, const union message *m)
{
	static union message room;
	const long len = message_size(kind, MESSAGE_CDR, m);
	uint8_t *data = malloc(len);
	const struct source_message s = {
		.topic = topic, .kind = kind, .format = MESSAGE_CDR,
		.data = data, .len = len,
	};
	int err;

	message_write(kind, MESSAGE_CDR, m, data, len);
	err = input_topics_take(t, &s, &room);
	free(data);
	return err;
}

static void test_take(void)
{
	static const uint8_t pixels[6];
	const struct input_topics t = open_topics("take.db");
	const struct message_transform tf = transform_of("world", "a", 1,
							 wall_ns);
	const struct message_transform bad_tf = transform_of("a", "world", 1,
							     wall_ns);
	union message m = { .tf = { message_list(&tf, 1) } };
	const struct source_message bad = {
		.topic = "/x", .kind = MESSAGE_TRANSFORMS,
		.format = MESSAGE_CDR, .data = pixels, .len = 3,
	};
	char text[16];

	state = -1;
	ok_eq(take(&t, "/gdim/input/submap_transform", MESSAGE_TRANSFORMS, &m),
	      0, "a transform");
	ok_eq(state, MAP_PUBLISHER_TRANSFORMS, "is announced");
	ok(site_has_frame(site, "a"), "and stored");
	state = -1;
	m.tf.transforms.items = &bad_tf;
	ok_eq(take(&t, "/gdim/input/submap_transform", MESSAGE_TRANSFORMS, &m),
	      -EINVAL, "one that is refused");
	ok_eq(state, -1, "is not announced");
	m.tf.transforms.items = &tf;
	ok_eq(take(&t, "/other", MESSAGE_TRANSFORMS, &m), -ENOENT,
	      "not from another topic");
	ok_eq(take(&t, "/gdim/input/rooms", MESSAGE_TRANSFORMS, &m), -ENOENT,
	      "nor from one of another type");
	m.polygon = (struct message_polygon){
		.header = { wall_ns, 0, message_string("world") } };
	ok_eq(take(&t, "/gdim/input/repeater_map", MESSAGE_POLYGON, &m), 0,
	      "repeaters");
	ok_eq(state, MAP_PUBLISHER_REPEATERS, "are announced");
	state = -1;
	m.polygon.header.frame_id = message_string("b");
	ok_eq(take(&t, "/gdim/input/repeater_map", MESSAGE_POLYGON, &m),
	      -EINVAL, "not in another frame");
	ok_eq(state, -1, "nor is that announced");
	m.uint8.data = 9;
	ok_eq(take(&t, "/gdim/input/rooms", MESSAGE_UINT8, &m), 0, "a number");
	site_setting(site, "rooms", text, sizeof(text));
	ok_str(text, "9", "of rooms");
	m.room = (struct message_room){
		.header = { wall_ns, 0, message_string("world") },
		.name = message_string("hall"), .size = 1 };
	ok_eq(take(&t, "/gdim/input/room_information", MESSAGE_ROOM, &m), 0,
	      "a room");
	ok_eq(take(&t, "/gdim/input/slam_submap", MESSAGE_OCCUPANCY_GRID,
		   map_of(8, 4, 50, "a", wall_ns)), 0, "a map");
	ok_eq(take(&t, "/gdim/input/gas_B_submap_2", MESSAGE_GRID_MAP,
		   map_of(16, 4, 50, "a", wall_ns)), 0, "a gas");
	ok(site_find_layer(site, "gas_B_map_2") >= 0, "gets its layer");
	m.image = (struct message_image){
		.header = { wall_ns, 0, message_string("c") }, .height = 2,
		.width = 3, .encoding = message_string("mono8"), .step = 3,
		.data = { pixels, 6 } };
	ok_eq(take(&t, "/gdim/input/thermal_image", MESSAGE_IMAGE, &m), 0,
	      "an image");
	ok_eq(images, 1, "is handed on");
	m.image.data.count = 5;
	ok_eq(take(&t, "/gdim/input/thermal_image", MESSAGE_IMAGE, &m),
	      -EBADMSG, "one without all of its pixels");
	ok_eq(images, 1, "is not");
	ok_eq(input_topics_take(&t, &bad, &m), -EBADMSG, "bytes of no message");
	ok_str(refusal, "/x: malformed message", "are refused");
	close_topics();
}

/*
 * Configuration
 */

static struct map_config config;

static int add(const char *line)
{
	return map_config_add_layer(&config, line, false, &error);
}

static void test_lines(void)
{
	const struct map_config_layer *l;
	struct layer layer;
	char line[700], input[LAYER_NAME], name[LAYER_NAME];

	map_config_init(&config);
	ok_str(config.frame, "map", "the usual frame");
	ok_near(config.rate, 1, 0, "the usual rate");
	ok_near(config.range[MODALITY_GAS][1], 1000, 0, "the usual ranges");
	ok_eq(add("a"), 0, "a name is enough");
	ok_eq(add("gas_*_map_* range=0:50"), 0, "a wildcard");
	ok_eq(add(""), -EINVAL, "no name");
	ok(strstr(error.text, "is not NAME KEY=VALUE") != NULL, "%s", error.text);
	ok_eq(add("slam red"), -EINVAL, "no KEY=VALUE");
	ok_eq(add("a/b unit=m"), -EINVAL, "no name of a layer");
	ok(strstr(error.text, "is not a layer name") != NULL, "%s", error.text);
	memset(line, 'x', sizeof(line));
	line[sizeof(line) - 1] = 0;
	ok_eq(add(line), -EINVAL, "a long name");
	memcpy(line, "b unit=", 7);
	ok_eq(add(line), -EINVAL, "long words");
	/* with those of the default it would be too long */
	memcpy(line, "slam_map unit=", 14);
	line[9 + 505] = 0;
	ok_eq(add(line), -EINVAL, "words without room for those of the default");
	ok_eq(config.layers, 2, "none of them is a line");
	l = map_config_find(&config, "gas_CO_map_7");
	ok_eq(l == &config.layer[1], true, "the line of a name");
	ok_eq(map_config_find(&config, "b") == NULL, true, "there is none");
	ok_eq(map_config_make_layer(&config, l, "gas_CO_map_7", &layer, &error),
	      0, "its layer");
	ok_str(layer.input, "gas_CO_submap_7", "with the input of the default");
	ok_eq(layer.bits, 16, "and its bits");
	ok_near(layer.high, 50, 0, "but the range of the line");
	ok_eq(map_config_make_layer(&config, l, "b", &layer, &error), -EINVAL,
	      "none of a name that does not match");
	map_config_input(l, input);
	ok_str(input, "gas_*_submap_*", "the input of a line");
	map_config_input(&config.layer[0], input);
	ok_str(input, "a", "without one its name");
	add("b unit=x my_input=no");
	ok_eq(config.layers, 2, "no other key ends in input");
	ok_eq(map_config_name(&config, "gas_H2_submap_1", name), 0,
	      "the layer of an input");
	ok_str(name, "gas_H2_map_1", "by the wildcards of both");
	ok_eq(map_config_name(&config, "b", name), -ENOENT, "there is none");
	map_config_add_defaults(&config);
	ok_eq(config.layers, 2 + 11, "defaults, except those that are given");
	while (!add("more"))
		;
	ok_eq(config.layers, MAP_CONFIG_LAYERS, "up to a limit");
	map_config_init(&config);
	while (!add("more"))
		;
	map_config_add_defaults(&config);
	ok_eq(config.layers, MAP_CONFIG_LAYERS, "also for defaults");
}

static void test_update(void)
{
	struct layer layer, now;
	char words[512];

	map_config_init(&config);
	add("smoke_map_fused rule=min input=mine");
	map_config_make_layer(&config, &config.layer[0], "smoke_map_fused",
			      &layer, &error);
	now = layer;
	ok_eq(layer.rule, RULE_MIN, "a layer as configured");
	map_config_difference(&config.layer[0], &now, words);
	ok_str(words, "", "is no difference");
	now.rule = RULE_MEAN;
	strcpy(now.input, "old");
	map_config_difference(&config.layer[0], &now, words);
	ok_str(words, "rule=min", "a rule is, an input is not");
	map_config_update(&config, &config.layer[0], &now);
	ok_str(now.input, "mine", "as that is always the line's");
	ok_eq(now.rule, RULE_MEAN, "others are kept");
	ok_near(now.high, layer.high, 0, "as is the range");
	config.range[MODALITY_SMOKE][1] = 55;
	config.ranged[MODALITY_SMOKE] = true;
	map_config_update(&config, &config.layer[0], &now);
	ok_near(now.high, 55, 0, "unless an option gives it");
	add("gas_*_map_* input=g_*_*");
	map_config_make_layer(&config, &config.layer[1], "gas_A_map_1", &layer,
			      &error);
	strcpy(layer.input, "stored");
	map_config_update(&config, &config.layer[1], &layer);
	ok_str(layer.input, "stored",
	       "a wildcard's layers may be of one grid map");
}

static void test_remaps(void)
{
	char line[1100];

	map_config_init(&config);
	ok_eq(map_config_add_remap(&config, "/a:=/b"), 0, "a remap");
	ok_str(map_config_topic(&config, "/a"), "/b", "has another name");
	ok_str(map_config_topic(&config, "/c"), "/c", "others have theirs");
	ok_eq(map_config_add_remap(&config, "a:=/b"), -EINVAL, "no slash");
	ok_eq(map_config_add_remap(&config, "/a:=b"), -EINVAL, "nor there");
	ok_eq(map_config_add_remap(&config, "/a=/b"), -EINVAL, "no :=");
	memset(line, 'x', sizeof(line));
	memcpy(line, "/a:=/", 5);
	line[1000] = 0;
	ok_eq(map_config_add_remap(&config, line), -EINVAL, "to a long one");
	ok_eq(config.remaps, 1, "none of them counts");
	line[0] = '/';
	memcpy(line + 600, ":=/b", 5);
	memset(line + 1, 'y', 10);
	ok_eq(map_config_add_remap(&config, line), -EINVAL, "from a long one");
	while (!map_config_add_remap(&config, "/d:=/e"))
		;
	ok_eq(config.remaps, MAP_CONFIG_REMAPS, "there is a limit");
}

static void test_wildcard(void)
{
	ok_eq(wildcard_in("a*b"), true, "a wildcard");
	ok_eq(wildcard_in("ab"), false, "none");
	ok_str(wildcard_example("gas_*_map_*"), "gas_x_map_x", "an example");
	ok_str(wildcard_example("a"), "a", "of a name");
}

/*
 * Map topics
 */

static void test_map_topic(void)
{
	struct map_topic *t, one = { .layers = 0 };
	char name[LAYER_NAME], grid[LAYER_NAME];
	struct layer l;
	int n;

	open_map("topics.db");
	add_layer(site, "gas_A_map_1_CO",
		  "role=gas bits=16 input=gas_A_submap_1");
	add_layer(site, "slam_map", "role=obstacle");
	add_layer(site, "gas_A_map_1_H2",
		  "role=gas bits=16 input=gas_A_submap_1");
	add_layer(site, "gas_A_map_1", "role=gas bits=8");
	site_layer(site, 0, &l);
	map_topic_name(&map_config, &l, name, grid);
	ok_str(name, "gas_A_map_1", "the topic of a grid map's layer");
	ok_str(grid, "CO", "and its name there");
	strcpy(l.name, "gas_A_map_1_");
	map_topic_name(&map_config, &l, name, grid);
	ok_str(name, "gas_A_map_1_", "without a name it is alone");
	ok_str(grid, "value", "with the usual name");
	strcpy(l.name, "gas_A_map_10");
	map_topic_name(&map_config, &l, name, grid);
	ok_str(name, "gas_A_map_10", "as is one that begins alike");
	n = map_topic_all(&map_config, site, &t);
	ok_eq(n, 3, "three topics");
	ok_str(t[0].name, "gas_A_map_1", "one");
	ok_eq(t[0].layers, 2, "of two layers");
	ok_eq(t[0].layer[1], 2, "the third one, too");
	ok_str(t[0].grid[1], "H2", "with its name");
	ok_eq(t[1].kind, MESSAGE_OCCUPANCY_GRID, "a map");
	ok_eq(t[2].layers, 1, "and one of another kind");
	free(t);
	for (unsigned int i = 0; i < MESSAGE_LAYERS; i++) {
		snprintf(grid, sizeof(grid), "g%u", i);
		n = map_topic_add(&one, i, grid);
	}
	ok_eq(n, 0, "as many layers as a message has");
	ok_eq(map_topic_add(&one, 99, grid), -ENOSPC, "no more");
	map_topic_drop(&one, 0);
	ok_eq(one.layers, MESSAGE_LAYERS - 1, "one less");
	ok_eq(one.layer[0], 1, "the others move up");
	ok_str(one.grid[0], "g1", "with their names");
	map_topic_drop(&one, 0);
	ok_eq(one.layers, MESSAGE_LAYERS - 1, "what is not there stays so");
	site_close(site);
}

/* Two layers of one topic, with cells of 0.1 and 0.2 m */
static void test_map_message(void)
{
	const struct pose here = { 2.2, 3.4, 0 };
	struct map_room room = { 0 };
	struct map_shape shape;
	struct map_topic *t;
	union message m;
	double small = 0, large = 0, middle[2] = { 0, 0 };

	open_map("message.db");
	add_layer(site, "gas_A_map_1_CO",
		  "role=gas bits=16 input=gas_A_submap_1");
	add_layer(site, "gas_A_map_1_H2",
		  "role=gas bits=16 input=gas_A_submap_1");
	add_layer(site, "gas_A_map_1_N",
		  "role=gas bits=16 input=gas_A_submap_1");
	map_topic_all(&map_config, site, &t);
	ok_eq(map_topic_shape(t, site, &shape), -ENODATA, "nothing is known");
	put(site, "a", 1, &here, 0, patch(10, 16, 0.1, 1, 3000, 3000));
	put(site, "a", 1, &here, 1, patch(10, 16, 0.2, 1, 6000, 6000));
	fuse_map();
	ok_eq(map_topic_shape(t, site, &shape), 0, "a shape");
	ok_near(shape.resolution, 0.1, 1e-9, "of the smallest cells");
	ok_eq(shape.factor, 1, "as they are");
	ok_eq(map_topic_message(t, site, &shape, &room, 5, "world", &m), 0,
	      "a message");
	ok_eq(m.grid.layers, 3, "of all layers");
	for (uint32_t i = 0; i < m.grid.data[0].data.count; i++) {
		const bool a = message_float(&m.grid.data[0].data, i) > 0;
		const bool b = message_float(&m.grid.data[1].data, i) > 0;

		small += a;
		large += b;
		middle[0] += a * i / 100.0;
		middle[1] += b * i / 400.0;
	}
	ok_near(middle[0], middle[1], 0.01, "they have the same middle");
	ok_near(small, 100, 0, "1 m^2 of small cells");
	ok_near(large, 400, 0, "4 m^2 of large ones, as four small ones each");
	ok_near(message_float(&m.grid.data[2].data, 0), -1, 0,
		"a layer without data is unknown");
	t->kind = MESSAGE_OCCUPANCY_GRID;
	ok_eq(map_topic_message(t, site, &shape, &room, 5, "world", &m),
	      -EAGAIN, "a topic that gets another kind has to wait");
	free(t);
	map_room_free(&room);
	site_close(site);
}

static void test_graph(void)
{
	struct graph g;

	open_map("graph.db");
	ok_eq(graph_read(&g, site, "world"), 0, "no graph");
	ok_eq(g.nodes, 0, "has no nodes");
	graph_free(&g);
	move(site, "a", SITE_ROOT, 1, 0, 0);
	move(site, "b", "a", 2, 0, 1);
	put(site, "c", 5, NULL, add_layer(site, "l", ""),
	    patch(4, 8, 0.1, 1, 5, 5));
	put(site, "d", 5, &(struct pose){ 7, 8, 0 }, 0,
	    patch(4, 8, 0.1, 1, 5, 5));
	put(site, SITE_ROOT, 5, NULL, 0, patch(4, 8, 0.1, 1, 5, 5));
	ok_eq(graph_read(&g, site, "world"), 0, "a graph");
	ok_eq(g.nodes, 3, "of those with a place, without the map");
	ok(message_string_is(&g.link[0].header.frame_id, "world"),
	   "the first one is in the map");
	ok(message_string_is(&g.link[1].header.frame_id, "a"),
	   "the second one in the frame of the first");
	ok(message_string_is(&g.link[1].child_frame_id, "b"), "with its name");
	ok_near(g.link[1].translation[0], 2, 1e-9, "and place");
	ok_near(g.link[1].rotation[2], sin(0.5), 1e-9, "and direction");
	ok_near(g.link[1].rotation[3], cos(0.5), 1e-9, "in both numbers");
	ok_near(g.link[2].translation[1], 8, 1e-9, "a pose without a link");
	ok(message_string_is(&g.link[2].header.frame_id, "world"),
	   "is in the map");
	ok_near(g.node[1].pose.x, 3, 1e-9, "nodes have their poses");
	graph_free(&g);
	site_close(site);
}

int main(void)
{
	make_folder();
	test_subscribe();
	test_found();
	test_take();
	test_lines();
	test_update();
	test_remaps();
	test_wildcard();
	test_map_topic();
	test_map_message();
	test_graph();
	map_room_free(&message_room_);
	remove_folder();
	return tap_done();
}
