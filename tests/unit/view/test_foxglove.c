// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_foxglove - the Foxglove protocol, message by message
 */
#include <math.h>
#include "fast_clock.h"
#include "peer_fixture.h"
#include "view/foxglove.h"

#define SECOND	1000000000LL

static const int64_t base = 1700000000 * SECOND;

static struct peer *open_peer(const struct peer_ops *ops)
{
	struct peer *p = peer_create(ops, &view, 7, "test");

	p->ops->opened(p);
	return p;
}

static void test_info(void)
{
	static const char *const publish[] = { "/cmd_vel", NULL };
	struct peer *p;
	cJSON *o;

	fixture_open(true);
	view.replay = (struct view_replay){ .begin = base + 5,
					    .end = base + 9 * SECOND };
	view.publish = publish;
	p = open_peer(&foxglove_sdk_ops);
	o = fixture_expect(p, "serverInfo");
	ok(o, "serverInfo of a replay for foxglove.sdk.v1");
	ok_str(cJSON_GetStringValue(cJSON_GetObjectItem(o, "name")), "test",
	       "with our name");
	ok_str(cJSON_GetStringValue(cJSON_GetObjectItem(o, "sessionId")), "1",
	       "and session");
	ok(fixture_has(o, "capabilities", "rangedPlayback"),
	   "serverInfo of a replay for foxglove.sdk.v1");
	ok(fixture_has(o, "capabilities", "time"),
	   "serverInfo of a replay for foxglove.sdk.v1");
	ok(fixture_has(o, "capabilities", "clientPublish"),
	   "serverInfo of a replay for foxglove.sdk.v1");
	ok(fixture_has(o, "supportedEncodings", "cdr"),
	   "serverInfo of a replay for foxglove.sdk.v1");
	ok(o, "with the time of the recording");
	ok(cJSON_GetObjectItem(cJSON_GetObjectItem(o, "dataStartTime"), "nsec")->valuedouble == 5,
	   "with the time of the recording");
	cJSON_Delete(o);
	peer_destroy(p);
	view.publish = NULL;
	p = open_peer(&foxglove_websocket_ops);
	o = fixture_expect(p, "serverInfo");
	ok(o,
	   "foxglove.websocket.v1 has no control of replays, and publishing is "
	   "off");
	ok(!fixture_has(o, "capabilities", "rangedPlayback"),
	   "foxglove.websocket.v1 has no control of replays, and publishing is "
	   "off");
	ok(!fixture_has(o, "capabilities", "clientPublish"),
	   "foxglove.websocket.v1 has no control of replays, and publishing is "
	   "off");
	ok(!cJSON_GetObjectItem(o, "dataStartTime"),
	   "foxglove.websocket.v1 has no control of replays, and publishing is "
	   "off");
	cJSON_Delete(o);
	peer_destroy(p);
	fixture_close();
}

/* Channel of a topic in an advertisement, or NULL */
static const cJSON *channel(const cJSON *o, const char *topic)
{
	const cJSON *one;

	cJSON_ArrayForEach(one, cJSON_GetObjectItem(o, "channels"))
		if (!strcmp(cJSON_GetObjectItem(one, "topic")->valuestring,
			    topic))
			return one;
	return NULL;
}

static void test_subscribe(void)
{
	struct peer *p;
	struct outgoing *out;
	const cJSON *c;
	cJSON *o;

	fixture_open(false);
	fixture_odometry("/odom", 1, base);
	p = open_peer(&foxglove_websocket_ops);
	o = fixture_expect(p, "advertise");
	c = channel(o, "/odom");
	ok(c, "a topic is a channel with its definition");
	ok_str(cJSON_GetObjectItem(c, "encoding")->valuestring, "cdr",
	       "a topic is a channel with its definition");
	ok_str(cJSON_GetObjectItem(c, "schemaName")->valuestring,
	       "nav_msgs/msg/Odometry",
	       "a topic is a channel with its definition");
	ok(strstr(cJSON_GetObjectItem(c, "schema")->valuestring, "MSG: geometry_msgs/Pose"),
	   "a topic is a channel with its definition");
	ok_eq(cJSON_GetObjectItem(c, "id")->valueint, 1,
	      "a topic is a channel with its definition");
	ok(channel(o, "/odom/kept"),
	   "with one for kept messages, and the band");
	ok(channel(o, "/optsample/band"),
	   "with one for kept messages, and the band");
	cJSON_Delete(o);
	fixture_say(p, "{\"op\":\"subscribe\",\"subscriptions\":["
		    "{\"id\":77,\"channelId\":1},{\"id\":78,\"channelId\":2}]}");
	ok(!fixture_next(p), "a small topic begins with the next message");
	fixture_odometry("/odom", 2, base + SECOND / 10);
	out = fixture_next(p);
	ok(out, "message data: opcode, subscription, time");
	ok(out->binary, "message data: opcode, subscription, time");
	ok_eq(out->head_len, 13, "message data: opcode, subscription, time");
	ok_eq(out->head[0], 1, "message data: opcode, subscription, time");
	ok_eq(get_le32(out->head + 1), 77,
	      "message data: opcode, subscription, time");
	ok_eq(get_le64(out->head + 5), (uint64_t)base + SECOND / 10,
	      "message data: opcode, subscription, time");
	outgoing_free(out);
	fixture_odometry("/odom/kept", 1.5, base + SECOND / 20);
	out = fixture_next(p);
	ok(out, "a kept message on the channel of kept ones");
	ok_eq(get_le32(out->head + 1), 78,
	      "a kept message on the channel of kept ones");
	outgoing_free(out);
	fixture_say(p, "{\"op\":\"unsubscribe\",\"subscriptionIds\":[77]}");
	fixture_odometry("/odom", 3, base + SECOND / 5);
	ok(!fixture_next(p), "nothing after unsubscribe");
	fixture_odometry("/new", 3, base + SECOND / 5);
	o = fixture_expect(p, "advertise");
	ok(channel(o, "/new"), "a new topic is advertised alone");
	ok(!channel(o, "/odom"), "a new topic is advertised alone");
	cJSON_Delete(o);
	peer_destroy(p);
	fixture_close();
}

/* What was received and lost, on a channel of its own */
static void test_band(void)
{
	struct outgoing *out;
	char text[128];
	struct peer *p;
	cJSON *o;

	fixture_open(false);
	fixture_odometry("/odom", 1, base);
	p = open_peer(&foxglove_sdk_ops);
	cJSON_Delete(fixture_expect(p, "advertise"));
	snprintf(text, sizeof(text), "{\"op\":\"subscribe\",\"subscriptions\":"
		 "[{\"id\":79,\"channelId\":%d}]}", FOXGLOVE_BAND);
	fixture_say(p, text);
	while ((out = fixture_next(p)) && !out->binary)
		outgoing_free(out);
	ok(out, "a band");
	ok_eq(get_le32(out->head + 1), 79, "of its subscription");
	o = cJSON_ParseWithLength((const char *)out->body, out->len);
	ok_eq(cJSON_GetArraySize(cJSON_GetObjectItem(o, "topics")), 1,
	      "of each topic");
	cJSON_Delete(o);
	outgoing_free(out);
	fixture_odometry("/new", 1, base);
	o = fixture_expect(p, "advertise");
	ok(channel(o, "/new"), "and the board goes on");
	cJSON_Delete(o);
	peer_destroy(p);
	fixture_close();
}

/* Each is answered by a status, and the connection stays */
static void test_complaints(void)
{
	static const struct {
		const char *text, *status;
	} rows[] = {
		{ "{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":1}]}",
		  "a subscription needs id and channelId" },
		{ "{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":1,"
		  "\"channelId\":99}]}", "no channel 99" },
		{ "{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":-1,"
		  "\"channelId\":1}]}",
		  "a subscription needs id and channelId" },
		{ "{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":1,"
		  "\"channelId\":1},{\"id\":2,\"channelId\":1}]}",
		  "already subscribed to channel 1" },
		{ "{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":1,"
		  "\"channelId\":2}]}", "already used: subscription 1" },
		{ "{\"op\":\"advertise\",\"channels\":[{\"id\":1,\"topic\":"
		  "\"/cmd_vel\",\"encoding\":\"cdr\",\"schemaName\":"
		  "\"geometry_msgs/msg/Twist\"}]}", "cannot publish /cmd_vel: " },
		{ "{\"op\":\"setParameters\",\"parameters\":[{\"name\":"
		  "\"/robot/focus\",\"value\":\"/x\"}]}", "" },
		{ "{\"op\":\"fly\"}", "" },
	};
	struct peer *p;
	cJSON *o;

	fixture_open(false);
	fixture_odometry("/odom", 1, base);
	p = open_peer(&foxglove_websocket_ops);
	cJSON_Delete(fixture_expect(p, "advertise"));
	for (unsigned int i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *status;

		fixture_say(p, rows[i].text);
		o = fixture_expect(p, "status");
		status = cJSON_GetStringValue(cJSON_GetObjectItem(o,
								  "message"));
		ok(status && strstr(status, rows[i].status), "status: %s",
		   status ? status : "none");
		ok(!p->failed, "which ends nothing");
		cJSON_Delete(o);
	}
	ok(fixture_say(p, "{\"op\":"),
	   "a text that is no JSON ends the connection: %s", p->failure);
	ok(p->failed, "a text that is no JSON ends the connection: %s",
	   p->failure);
	peer_destroy(p);
	p = open_peer(&foxglove_websocket_ops);
	ok(p->ops->received(p, (const uint8_t *)"\x09", 1, true),
	   "so does an unknown binary message: %s", p->failure);
	ok(p->failed, "so does an unknown binary message: %s", p->failure);
	peer_destroy(p);
	fixture_close();
}

static void status_message(int priority, const char *focus)
{
	char number[8] = "";
	const union message m = { .diagnostics = { .statuses = 2, .status = {
		{ .name = message_string("link"), .values = 1, .value = {
			{ message_string("state"), message_string("live") } } },
		{ .name = message_string("topic /cam"), .values = 2, .value = {
			{ message_string("priority"), message_string(number) },
			{ message_string("focus"), message_string(focus) } } },
	} } };
	union message copy;

	snprintf(number, sizeof(number), "%d", priority);
	copy = m;
	copy.diagnostics.status[1].value[0].value = message_string(number);
	fixture_put("/optsample/link", MESSAGE_DIAGNOSTICS, &copy, 0);
}

static double parameter(const cJSON *o, const char *name)
{
	const cJSON *one;

	cJSON_ArrayForEach(one, cJSON_GetObjectItem(o, "parameters"))
		if (!strcmp(cJSON_GetObjectItem(one, "name")->valuestring,
			    name))
			return cJSON_GetObjectItem(one, "value")->valuedouble;
	return NAN;
}

static void test_parameters(void)
{
	struct peer *p;
	cJSON *o;

	fixture_open(false);
	view.control = true;
	status_message(3, "false");
	p = open_peer(&foxglove_sdk_ops);
	fixture_say(p, "{\"op\":\"getParameters\",\"parameterNames\":[],"
		    "\"id\":\"q\"}");
	o = fixture_expect(p, "parameterValues");
	ok(o, "priorities are parameters");
	ok(parameter(o, "/robot/priority/cam") == 3,
	   "priorities are parameters");
	ok_str(cJSON_GetObjectItem(o, "id")->valuestring, "q",
	       "priorities are parameters");
	cJSON_Delete(o);
	fixture_say(p, "{\"op\":\"subscribeParameterUpdates\","
		    "\"parameterNames\":[]}");
	cJSON_Delete(fixture_expect(p, "parameterValues"));
	actions = 0;
	fixture_say(p, "{\"op\":\"setParameters\",\"parameters\":[{\"name\":"
		    "\"/robot/priority/cam\",\"value\":6}]}");
	fixture_act();
	ok_eq(actions, 1, "setting one is a command to the robot");
	ok_eq(last_action.type, ACTION_PRIORITY,
	      "setting one is a command to the robot");
	ok_str(last_action.topic, "/cam",
	       "setting one is a command to the robot");
	ok(last_action.value == 6, "setting one is a command to the robot");
	ok_str(last_action.source, "robot",
	       "setting one is a command to the robot");
	fixture_say(p, "{\"op\":\"setParameters\",\"parameters\":[{\"name\":"
		    "\"/robot/focus\",\"value\":\"/cam\"}]}");
	fixture_act();
	ok_eq(actions, 2, "so is the focus");
	ok_eq(last_action.type, ACTION_FOCUS, "so is the focus");
	ok_str(last_action.topic, "/cam", "so is the focus");
	fixture_say(p, "{\"op\":\"setParameters\",\"parameters\":[{\"name\":"
		    "\"/robot/priority/cam\",\"value\":8},{\"name\":"
		    "\"/robot/priority/none\",\"value\":1}]}");
	fixture_act();
	ok(actions == 2, "invalid ones are refused");
	status_message(6, "true");
	o = fixture_expect(p, "parameterValues");
	ok(parameter(o, "/robot/priority/cam") == 6,
	   "the new value comes when the robot has it");
	cJSON_Delete(o);
	peer_destroy(p);
	fixture_close();
}

static void test_publish(void)
{
	static const char *const publish[] = { "/cmd_vel", NULL };
	const union message twist = { .twist.linear = { 0.5, 0, 0 } };
	uint8_t data[128] = { 1, 9, 0, 0, 0 }, *exact;
	struct peer *p;
	long len = message_write(MESSAGE_TWIST, MESSAGE_CDR, &twist, data + 5,
				 sizeof(data) - 5);
	cJSON *o;

	fixture_open(false);
	view.publish = publish;
	view.publish_age = 300;
	p = open_peer(&foxglove_sdk_ops);
	fixture_say(p, "{\"op\":\"advertise\",\"channels\":[{\"id\":9,"
		    "\"topic\":\"/cmd_vel\",\"encoding\":\"cdr\","
		    "\"schemaName\":\"geometry_msgs/msg/Twist\"}]}");
	cJSON_Delete(fixture_expect(p, "advertise"));
	p->ops->tick(p, loop_now());
	ok(p->wants_ping, "a client that publishes is pinged");
	actions = 0;
	p->answered = loop_now();
	/* so large that AddressSanitizer sees who reads on */
	exact = malloc(len + 5);
	memcpy(exact, data, len + 5);
	p->ops->received(p, exact, len + 5, true);
	free(exact);
	fixture_act();
	ok_eq(actions, 1, "a fresh message is published");
	ok_eq(last_action.type, ACTION_PUBLISH, "a fresh message is published");
	ok_eq(last_action.kind, MESSAGE_TWIST, "a fresh message is published");
	ok_eq((long)last_action.len, len, "as long as it is");
	p->answered = loop_now() - 350000000;
	p->ops->received(p, data, len + 5, true);
	fixture_act();
	o = fixture_expect(p, "status");
	ok_eq(actions, 1,
	      "one that may be older than 300 ms is refused, and it is said");
	ok(o, "one that may be older than 300 ms is refused, and it is said");
	ok(strstr(cJSON_GetObjectItem(o, "message") ->valuestring, "300 ms"),
	   "one that may be older than 300 ms is refused, and it is said");
	cJSON_Delete(o);
	p->answered = loop_now();
	p->ops->received(p, data, 20, true);
	fixture_act();
	ok_eq(actions, 1, "so is a cut one");
	ok(!p->failed, "so is a cut one");
	/* of two channels each is its own */
	fixture_say(p, "{\"op\":\"advertise\",\"channels\":[{\"id\":10,"
		    "\"topic\":\"/cmd_vel\",\"encoding\":\"cdr\","
		    "\"schemaName\":\"geometry_msgs/msg/Twist\"}]}");
	fixture_say(p, "{\"op\":\"unadvertise\",\"channelIds\":[10]}");
	p->ops->received(p, data, len + 5, true);
	fixture_act();
	ok_eq(actions, 2, "the other one is left");
	data[1] = 10;
	p->ops->received(p, data, len + 5, true);
	fixture_act();
	ok_eq(actions, 2, "what is given up is refused");
	ok(!p->failed, "which ends nothing");
	peer_destroy(p);
	fixture_close();
}

static void test_playback(void)
{
	uint8_t data[22] = { 3, 1 };
	struct outgoing *out;
	struct peer *p;

	fixture_open(true);
	view.replay = (struct view_replay){ .speed = 1, .time = base,
					    .begin = base,
					    .end = base + 9 * SECOND };
	p = open_peer(&foxglove_sdk_ops);
	while ((out = fixture_next(p)))
		outgoing_free(out);
	put_lef32(data + 2, 2);
	data[6] = 1;
	put_le64(data + 7, base + SECOND);
	put_le32(data + 15, 2);
	memcpy(data + 19, "id", 2);
	actions = 0;
	p->ops->received(p, data, 21, true);
	fixture_act();
	ok_eq(actions, 1, "speed, seek and pause are one command");
	ok_eq(last_action.type, ACTION_REPLAY,
	      "speed, seek and pause are one command");
	ok_eq(last_action.pause, 1, "speed, seek and pause are one command");
	ok(last_action.value == 2, "speed, seek and pause are one command");
	ok(last_action.seek, "speed, seek and pause are one command");
	ok_eq(last_action.time, base + SECOND,
	      "speed, seek and pause are one command");
	view.replay.speed = 2;
	view.replayed++;
	out = fixture_next(p);
	ok(out, "a state before it is executed does not answer it");
	ok_eq(out->head[0], 5,
	      "a state before it is executed does not answer it");
	ok(!out->len, "a state before it is executed does not answer it");
	outgoing_free(out);
	view.replay.paused = true;
	view.replayed++;
	view.acted = last_action.number;
	view.cuts++;
	out = fixture_next(p);
	ok(out, "the new state answers the request");
	ok_eq(out->head[0], 5, "the new state answers the request");
	ok_eq(out->head[1], 1, "the new state answers the request");
	ok(get_lef32(out->head + 10) == 2, "the new state answers the request");
	ok_eq(out->head[14], 1, "the new state answers the request");
	ok_eq(out->len, 2, "the new state answers the request");
	ok_mem(out->body, "id", 2, "the new state answers the request");
	outgoing_free(out);
	ok(p->ops->received(p, data, 10, true),
	   "a cut request ends the connection");
	ok(p->failed, "a cut request ends the connection");
	peer_destroy(p);
	fixture_close();
}

/* A request for playback, which is as long as @len says */
static int ask_playback(struct peer *p, const uint8_t *data, size_t len)
{
	uint8_t *exact = malloc(len);
	int err;

	memcpy(exact, data, len);
	actions = 0;
	err = p->ops->received(p, exact, len, true);
	free(exact);
	fixture_act();
	return err;
}

static void test_playback_requests(void)
{
	uint8_t data[19 + 256] = { 3 };
	struct peer *p;
	cJSON *o;

	fixture_open(true);
	p = open_peer(&foxglove_sdk_ops);
	ok_eq(ask_playback(p, data, 19), 0, "a request without an id");
	ok_eq(actions, 1, "... is one, too");
	ok_eq(last_action.pause, -1, "... to go on");
	ok_near(last_action.value, 0, 0, "... at the speed that it has");
	ok(!last_action.seek, "... where it is");
	put_lef32(data + 2, INFINITY);
	ask_playback(p, data, 19);
	ok_near(last_action.value, 0, 0, "no speed is infinite");
	put_lef32(data + 2, -1);
	ask_playback(p, data, 19);
	ok_near(last_action.value, 0, 0, "... nor backward");
	put_le32(data + 15, 255);
	ok_eq(ask_playback(p, data, 19 + 255), 0, "the longest id");
	ok_eq(actions, 1, "... is taken");
	view.replaying = false;
	ask_playback(p, data, 19 + 255);
	ok_eq(actions, 0, "without a replay nothing is done");
	o = fixture_expect(p, "status");
	ok_str(cJSON_GetStringValue(cJSON_GetObjectItem(o, "message")),
	       "this is no replay", "... which is reported");
	cJSON_Delete(o);
	view.replaying = true;
	peer_destroy(p);

	for (unsigned int i = 0; i < 4; i++) {
		static const char *const what[] = {
			"an id that is longer than the request", "a long id",
			"an unknown command", "half a request",
		};

		p = open_peer(&foxglove_sdk_ops);
		put_le32(data + 15, i == 0 ? 3 : i == 1 ? 256 : 0);
		data[1] = i == 2 ? 2 : 0;
		ok(ask_playback(p, data, i == 0 ? 21 : i == 1 ? 19 + 256 :
				i == 2 ? 19 : 18), "%s", what[i]);
		ok(p->failed, "... ends the connection");
		ok_eq(actions, 0, "... and does nothing");
		peer_destroy(p);
	}
	fixture_close();
}

static void test_assets(void)
{
	char folder[] = "/tmp/assets-XXXXXX", path[64], text[128];
	struct outgoing *out;
	struct peer *p;
	FILE *f;

	fixture_open(false);
	view.assets = mkdtemp(folder);
	snprintf(path, sizeof(path), "%s/robot.urdf", folder);
	f = fopen(path, "w");
	fputs("<robot/>", f);
	fclose(f);
	p = open_peer(&foxglove_sdk_ops);
	while ((out = fixture_next(p)))
		outgoing_free(out);
	fixture_say(p, "{\"op\":\"fetchAsset\",\"uri\":"
		    "\"package://robot.urdf\",\"requestId\":3}");
	out = fixture_next(p);
	ok(out, "an asset");
	ok_eq(out->head[0], 4, "an asset");
	ok_eq(get_le32(out->head + 1), 3, "an asset");
	ok(!out->head[5], "an asset");
	ok_eq(out->len, 8, "an asset");
	ok_mem(out->body, "<robot/>", 8, "an asset");
	outgoing_free(out);
	snprintf(text, sizeof(text), "{\"op\":\"fetchAsset\",\"uri\":"
		 "\"package://../%s/robot.urdf\",\"requestId\":4}",
		 folder + 5);
	fixture_say(p, text);
	out = fixture_next(p);
	ok(out, "none from outside of its folder");
	ok_eq(out->head[5], 1, "none from outside of its folder");
	outgoing_free(out);
	peer_destroy(p);
	fixture_close();
	remove(path);
	remove(folder);
}

static void test_services(void)
{
	uint8_t call[13] = { 2, 1, 0, 0, 0, 5 };
	struct peer *p;
	cJSON *o;

	fixture_open(false);
	p = open_peer(&foxglove_sdk_ops);
	p->ops->received(p, call, sizeof(call), true);
	o = fixture_expect(p, "serviceCallFailure");
	ok(o, "without gdimd a service fails: %s",
	   o ? cJSON_GetObjectItem(o, "message")->valuestring : "no answer");
	ok_eq(cJSON_GetObjectItem(o, "callId")->valueint, 5,
	      "without gdimd a service fails: %s",
	      o ? cJSON_GetObjectItem(o, "message")->valuestring : "no answer");
	cJSON_Delete(o);
	put_le32(call + 9, 99);
	ok(p->ops->received(p, call, sizeof(call), true),
	   "a damaged call ends the connection");
	ok(p->failed, "a damaged call ends the connection");
	peer_destroy(p);
	fixture_close();
}

/* Who publishes what: once, and again when there is a new topic */
static void test_graph(void)
{
	const cJSON *one;
	struct peer *p;
	cJSON *o;

	fixture_open(false);
	fixture_odometry("/odom", 1, base);
	p = open_peer(&foxglove_websocket_ops);
	fixture_say(p, "{\"op\":\"subscribeConnectionGraph\"}");
	o = fixture_expect(p, "connectionGraphUpdate");
	one = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "publishedTopics"), 0);
	ok_str(cJSON_GetStringValue(cJSON_GetObjectItem(one, "name")), "/odom",
	       "a topic");
	ok(fixture_has(one, "publisherIds", "robot"), "of a robot");
	one = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "subscribedTopics"), 0);
	ok(fixture_has(one, "subscriberIds", "optsample-view"), "that we read");
	ok(cJSON_IsArray(cJSON_GetObjectItem(o, "removedTopics")),
	   "none is removed");
	ok(cJSON_IsArray(cJSON_GetObjectItem(o, "advertisedServices")),
	   "nor are there services");
	cJSON_Delete(o);
	ok(!fixture_expect(p, "connectionGraphUpdate"), "is sent once");
	fixture_odometry("/new", 1, base);
	o = fixture_expect(p, "connectionGraphUpdate");
	ok_eq(cJSON_GetArraySize(cJSON_GetObjectItem(o, "publishedTopics")), 2,
	      "a new one changes it");
	cJSON_Delete(o);
	fixture_say(p, "{\"op\":\"unsubscribeConnectionGraph\"}");
	fixture_odometry("/newer", 1, base);
	ok(!fixture_expect(p, "connectionGraphUpdate"), "until it is enough");
	peer_destroy(p);
	fixture_close();
}

/* A client that misses much gets a notice; a few pictures are not worth one */
static void test_slow(void)
{
	struct outgoing *out;
	struct peer *p;
	cJSON *o;

	fixture_open(false);
	fixture_odometry("/odom", 1, base);
	p = open_peer(&foxglove_websocket_ops);
	while ((out = fixture_next(p)))
		outgoing_free(out);
	p->feed.counts.replaced = 1;
	ok(!fixture_expect(p, "status"), "a picture now and then is no news");
	p->feed.counts.left_out = 3;
	o = fixture_expect(p, "status");
	ok(strstr(o ? cJSON_GetObjectItem(o, "message")->valuestring : "",
		  "1 large messages were replaced by newer ones, 3 others"),
	   "what is left out is");
	cJSON_Delete(o);
	ok(!fixture_expect(p, "status"), "once");
	peer_destroy(p);
	fixture_close();
}

int main(void)
{
	test_info();
	test_subscribe();
	test_band();
	test_complaints();
	test_parameters();
	test_publish();
	test_playback();
	test_playback_requests();
	test_assets();
	test_services();
	test_graph();
	test_slow();
	return tap_done();
}
