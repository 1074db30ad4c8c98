// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_view_robot - where a robot was, what it says of its link, and which
 * topics are its own
 */
#include <errno.h>
#include "fast_clock.h"
#include "peer_fixture.h"
#include "view/band_json.h"
#include "view/browser.h"
#include "view/robots.h"

#define MS	1000000LL
#define SECOND	1000000000LL

static const int64_t base = 1700000000 * SECOND;

static void put_tf(const char *parent, const char *child, double x, double y,
		   double yaw, int64_t t)
{
	const struct message_transform tf = {
		.header = { .stamp = t, .frame_id = message_string(parent) },
		.child_frame_id = message_string(child),
		.translation = { x, y, 0 },
		.rotation = { 0, 0, sin(yaw / 2), cos(yaw / 2) },
	};
	const union message m = { .tf.transforms = message_list(&tf, 1) };

	board_set_now(view.board, t);
	fixture_put("/tf", MESSAGE_TRANSFORMS, &m, t);
}

static void put_odometry(const char *topic, double x, int64_t t)
{
	board_set_now(view.board, t);
	fixture_odometry(topic, x, t);
}

static const struct board_source *robot(void)
{
	return board_source(view.board, 0);
}

static void ok_place(int64_t t, double x, double y, double yaw,
		     const char *what)
{
	const struct place *p = board_place(robot(), t);

	if (!ok(p, "%s: there is a place", what))
		return;
	ok_near(p->pose.x, x, 1e-9, "%s: x", what);
	ok_near(p->pose.y, y, 1e-9, "%s: y", what);
	ok_near(remainder(p->pose.yaw - yaw, 2 * M_PI), 0, 1e-9, "%s: yaw",
		what);
}

/* Odometry says where it is until a map is known */
static void test_track(void)
{
	fixture_open(true);
	put_odometry("/odom", 3, base);
	ok_str(robot()->frame, "odom", "a track of odometry");
	ok_place(base, 3, 0, 0, "by odometry");
	ok(!board_place(robot(), base - 1), "before that it is unknown");
	put_odometry("/odom", 4, base + 100 * MS);
	ok_eq(robot()->tracks, 1, "five places a second are enough");
	put_odometry("/odom", 3.001, base + 400 * MS);
	ok_eq(robot()->tracks, 1, "one that stands has one a second");
	put_odometry("/odom", 3.1, base + 600 * MS);
	ok_eq(robot()->tracks, 2, "one that moves has more");
	ok_place(base + 500 * MS, 3, 0, 0, "between two it is the earlier one");

	/* map -> odom -> base_link */
	put_tf("odom", "base_link", 1, 0, 0, base + SECOND);
	put_tf("map", "odom", 10, 20, M_PI_2, base + 2 * SECOND);
	ok_str(robot()->frame, "map", "a track in the map");
	ok_eq(robot()->tracks, 1, "is another one");
	ok_place(base + 2 * SECOND, 10, 21, M_PI_2, "by transforms");
	put_odometry("/odom", 5, base + 3 * SECOND);
	ok_place(base + 3 * SECOND, 10, 25, M_PI_2, "odometry, in the map");
	/* SLAM turns the map back while the robot is not heard */
	put_tf("map", "odom", 10, 20, 0, base + 13 * SECOND);
	put_odometry("/odom", 6, base + 14 * SECOND);
	put_odometry("/odom/kept", 2, base + 3 * SECOND + 500 * MS);
	ok_place(base + 3 * SECOND + 600 * MS,
		 10 + 2 * sin(M_PI_4 / 11), 20 + 2 * cos(M_PI_4 / 11),
		 M_PI_2 - M_PI_4 / 11, "a kept place has the map of its time");
	fixture_close();
}

/* A robot that publishes no transform of its base: odometry is in the map */
static void test_odometry_in_map(void)
{
	fixture_open(true);
	put_tf("map", "odom", 10, 20, M_PI, base);
	ok(!board_place(robot(), base), "a map alone is no place");
	put_odometry("/odom", 3, base + SECOND);
	ok_str(robot()->frame, "map", "odometry is in the map");
	ok_place(base + SECOND, 7, 20, M_PI, "turned");
	fixture_close();
}

/* A long track keeps its shape: each second place of the oldest stays */
static void test_long_track(void)
{
	const struct board_source *s;
	const unsigned int many = BOARD_TRACK + 10;
	bool ordered = true;

	fixture_open(true);
	for (unsigned int i = 0; i < many; i++)
		put_odometry("/odom", i, base + i * SECOND / 4);
	s = robot();
	ok_eq(s->tracks, BOARD_TRACK / 2 + 10, "half of it is left out");
	for (unsigned int i = 1; i < s->tracks; i++)
		ordered &= s->track[i].t > s->track[i - 1].t;
	ok(ordered, "in order");
	ok_near(s->track[0].pose.x, 0, 0, "the first place stays");
	ok_near(s->track[BOARD_TRACK / 4].pose.x, BOARD_TRACK / 2, 0,
		"one of its middle");
	ok_near(s->track[s->tracks - 1].pose.x, many - 1, 0, "and the last");
	board_cut(view.board, base + 100 * SECOND, base + 100 * SECOND);
	ok(s->track[s->tracks - 1].t < base + 100 * SECOND,
	   "a replay that goes back forgets the rest");
	fixture_close();
}

/*
 * What the robot says
 */

static struct message_value value(const char *key, const char *text)
{
	return (struct message_value){ message_string(key),
				       message_string(text) };
}

static void put_status(const char *priority, int64_t t)
{
	static union message m;

	m.diagnostics = (struct message_diagnostics){
		.header.stamp = t, .statuses = 3,
		.status = { {
			.name = message_string("link"), .values = 7,
			.value = { value("state", "drain"),
				value("rate", "2e6"), value("capacity", "3e6"),
				value("loss", "0.25"), value("queue", "1.5"),
				value("round_trip", "0.125"),
				value("outages", "4") },
		}, {
			.name = message_string("topic /cam"), .values = 5,
			.value = { value("priority", priority),
				value("focus", "yes"), value("on", "true"),
				value("hz", "7.5"), value("share", "1000") },
		}, {
			.name = message_string("battery"),
		} },
	};
	board_set_now(view.board, t);
	fixture_put("/optsample/link", MESSAGE_DIAGNOSTICS, &m, t);
}

static double number(const cJSON *o, const char *key)
{
	return cJSON_GetNumberValue(cJSON_GetObjectItem(o, key));
}

static void test_status(void)
{
	const struct robot_status *s;
	const struct robot_topic *t;
	const cJSON *one;
	struct peer *p;
	cJSON *o;

	fixture_open(true);
	put_status("5", base);
	s = &robot()->status;
	t = robot_status_topic(s, "/cam");
	ok(t, "the status of a topic");
	ok_eq(s->topics, 1, "a battery is none");
	ok(!robot_status_topic(s, "/odom"), "nor is one it does not name");
	p = fixture_open_page();
	o = fixture_expect(p, "link");
	one = cJSON_GetObjectItem(o, "link");
	ok_str(cJSON_GetStringValue(cJSON_GetObjectItem(one, "state")), "drain",
	       "state");
	ok_near(number(one, "rate"), 2e6, 0, "rate");
	ok_near(number(one, "capacity"), 3e6, 0, "capacity");
	ok_near(number(one, "loss"), .25, 0, "loss");
	ok_near(number(one, "round_trip"), .125, 0, "round trip");
	ok_near(number(one, "queue"), 1.5, 0, "queue");
	ok_near(number(one, "outages"), 4, 0, "outages");
	ok_near(number(o, "t"), base / 1e6, 0, "in the clock of the board");
	one = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "topics"), 0);
	ok_str(cJSON_GetStringValue(cJSON_GetObjectItem(one, "topic")), "/cam",
	       "a topic");
	ok_near(number(one, "priority"), 5, 0, "its priority");
	ok(cJSON_IsTrue(cJSON_GetObjectItem(one, "focus")), "its focus");
	ok(cJSON_IsTrue(cJSON_GetObjectItem(one, "on")), "whether it is sent");
	ok_near(number(one, "hz"), 7.5, 0, "its rate");
	ok_near(number(one, "share"), 1000, 0, "its share");
	cJSON_Delete(o);
	ok(!fixture_expect(p, "link"), "is sent once");
	put_status("8", base + SECOND);
	ok_eq(t->priority, 0, "a priority that is none");
	o = fixture_expect(p, "link");
	ok(o, "a change is sent");
	cJSON_Delete(o);
	peer_destroy(p);
	fixture_close();
}

/* What the page knows of topics, and what a replay tells it */
static void test_page_states(void)
{
	const cJSON *one;
	struct peer *p;
	cJSON *o;

	fixture_open(true);
	view.replay = (struct view_replay){ .speed = 4, .begin = base,
					    .end = base + 60 * SECOND };
	for (int64_t t = 0; t < 10 * SECOND; t += 250 * MS)
		put_odometry("/odom", t * 1e-9, base + t);
	p = fixture_open_page();
	o = fixture_expect(p, "topics");
	one = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "topics"), 0);
	ok_str(cJSON_GetStringValue(cJSON_GetObjectItem(one, "kind")),
	       "odometry", "its kind");
	ok_str(cJSON_GetStringValue(cJSON_GetObjectItem(one, "source")),
	       "robot", "its robot");
	ok_near(number(one, "hz"), 4, 0, "its rate");
	cJSON_Delete(o);
	o = fixture_expect(p, "play");
	ok_near(number(o, "speed"), 4, 0, "a replay at four times the speed");
	ok_near(number(o, "begin"), base / 1e6, 0, "its begin");
	ok_near(number(o, "end"), base / 1e6 + 60e3, 0, "its end");
	ok_near(number(o, "time"), base / 1e6 + 9750, 0, "where it is");
	ok(cJSON_IsFalse(cJSON_GetObjectItem(o, "paused")), "it plays");
	cJSON_Delete(o);
	o = fixture_expect(p, "state");
	one = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "topics"), 0);
	ok_near(number(one, "id"), 0, 0, "the state of the first topic");
	ok_str(cJSON_GetStringValue(cJSON_GetObjectItem(one, "state")), "live",
	       "is live");
	ok_near(number(one, "live"), 40, 0, "with its messages");
	ok_near(number(one, "kept"), 0, 0, "none was kept");
	ok_near(number(one, "hz"), 4, 0, "its rate");
	ok_near(number(one, "lost"), 0, 0, "none was lost");
	ok_near(number(one, "t"), base / 1e6 + 9750, 0, "and the newest");
	ok(cJSON_IsTrue(cJSON_GetObjectItem(o, "connected")), "it is there");
	cJSON_Delete(o);
	o = fixture_expect(p, "track");
	ok(cJSON_IsTrue(cJSON_GetObjectItem(o, "full")), "the whole track");
	ok_eq(cJSON_GetArraySize(cJSON_GetObjectItem(o, "points")), 40,
	      "of 40 places");
	cJSON_Delete(o);
	put_odometry("/odom", 10, base + 10 * SECOND);
	fast_clock_pass(200);
	o = fixture_expect(p, "track");
	ok(cJSON_IsFalse(cJSON_GetObjectItem(o, "full")), "then what is new");
	one = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "points"), 0);
	ok_near(cJSON_GetNumberValue(cJSON_GetArrayItem(one, 0)),
		base / 1e6 + 10e3, 0, "with its time");
	ok_near(cJSON_GetNumberValue(cJSON_GetArrayItem(one, 1)), 10, 0, "x");
	cJSON_Delete(o);
	peer_destroy(p);
	fixture_close();
}

/* The last seconds of all topics, as a program asks for them */
static void test_summary(void)
{
	const cJSON *one;
	cJSON *o;

	fixture_open(true);
	for (int64_t t = 0; t < 10 * SECOND; t += 250 * MS)
		put_odometry("/odom", t * 1e-9, base + t);
	board_set_now(view.board, base + 15 * SECOND);
	board_tick(view.board);
	o = band_json_summary(view.board, 10);
	ok_near(number(o, "slot"), .5, 0, "slots of half a second");
	one = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "topics"), 0);
	ok_str(cJSON_GetStringValue(cJSON_GetObjectItem(one, "name")), "/odom",
	       "a topic");
	ok_str(cJSON_GetStringValue(cJSON_GetObjectItem(one, "state")),
	       "disconnected", "of a robot that is gone");
	ok_near(number(one, "age"), 5.25, 1e-9, "since 5 s");
	ok_near(number(one, "hz"), 4, 0, "its rate");
	ok_near(number(one, "live"), 40, 0, "its messages");
	ok_str(cJSON_GetStringValue(cJSON_GetObjectItem(one, "band")),
	       "LLLLLLLLLEEEEEEEEEEE", "its band");
	ok_near(number(one, "lost_seconds"), 0, 0, "that may still come");
	one = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "outages"), 0);
	ok_near(number(one, "begin"), 1700000009, 0, "an outage");
	ok(cJSON_IsNull(cJSON_GetObjectItem(one, "end")), "that has no end");
	cJSON_Delete(o);
	put_odometry("/odom", 15, base + 15500 * MS);
	o = band_json_outages(view.board, 1e9);
	ok_near(number(cJSON_GetArrayItem(o, 0), "end"), 1700000015, 0,
		"until it is heard");
	cJSON_Delete(o);
	fixture_close();
}

/* Commands of a page become actions, if a robot takes them */
static void test_commands(void)
{
	struct peer *p;
	cJSON *o;

	fixture_open(true);
	view.control = true;
	p = fixture_open_page();
	fixture_say(p, "{\"op\":\"priority\",\"source\":\"robot\","
		    "\"topic\":\"/cam\",\"value\":7}");
	fixture_act();
	ok_eq(last_action.type, ACTION_PRIORITY, "a priority");
	ok_str(last_action.source, "robot", "for a robot");
	ok_str(last_action.topic, "/cam", "for a topic");
	ok_near(last_action.value, 7, 0, "with its value");
	fixture_say(p, "{\"op\":\"priority\",\"source\":\"robot\","
		    "\"topic\":\"/cam\",\"value\":8}");
	o = fixture_expect(p, "error");
	ok(o, "there is no priority of 8");
	cJSON_Delete(o);
	fixture_say(p, "{\"op\":\"priority\",\"source\":\"robot\","
		    "\"value\":1}");
	o = fixture_expect(p, "error");
	ok(o, "nor one of nothing");
	cJSON_Delete(o);
	fixture_say(p, "{\"op\":\"focus\",\"source\":\"robot\"}");
	fixture_act();
	ok_eq(last_action.type, ACTION_FOCUS, "a focus");
	ok_str(last_action.topic, "", "on nothing");
	fixture_say(p, "{\"op\":\"play\",\"paused\":true,\"speed\":2,"
		    "\"time\":1700000000500}");
	fixture_act();
	ok_eq(last_action.type, ACTION_REPLAY, "a replay");
	ok_eq(last_action.pause, 1, "is paused");
	ok_near(last_action.value, 2, 0, "at a speed");
	ok_eq(last_action.time, base + 500 * MS, "and a time");
	ok(last_action.seek, "that it goes to");
	fixture_say(p, "{\"op\":\"play\",\"paused\":false}");
	fixture_act();
	ok_eq(last_action.pause, -1, "and goes on");
	ok(!last_action.seek, "where it is");
	ok_eq(actions, 4, "four commands in all");
	peer_destroy(p);
	fixture_close();
}

/* So many may wait; their messages are freed, taken or not */
static void test_actions(void)
{
	struct action a = { .type = ACTION_PUBLISH };
	int err = 0;

	fixture_open(false);
	actions = 0;
	for (unsigned int i = 0; i < ACTIONS_MAX; i++) {
		a.message = malloc(1);
		a.number = i;
		err |= actions_put(view.actions, &a);
	}
	ok_eq(err, 0, "1024 wait");
	a.message = malloc(1);
	ok_eq(actions_put(view.actions, &a), -ENOSPC, "one more is refused");
	fixture_act();
	ok_eq(actions, ACTIONS_MAX, "all are taken");
	ok_eq(last_action.number, ACTIONS_MAX - 1, "in order");
	a.message = malloc(1);
	ok_eq(actions_put(view.actions, &a), 0, "then there is room");
	fixture_close();
}

/* The longest of a robot's topics that a name begins with */
static void test_robots(void)
{
	struct robots *r = calloc(1, sizeof(*r));
	char name[16];

	ok(!robots_find(r, "/cam"), "nothing is known");
	ok(robots_set(r, "/cam", "a"), "a new one");
	ok(!robots_set(r, "/cam", "a"), "the same");
	ok(robots_set(r, "/cam/left", "b"), "one below it");
	ok_str(robots_find(r, "/cam"), "a", "itself");
	ok_str(robots_find(r, "/cam/kept"), "a", "what is below it");
	ok_str(robots_find(r, "/cam/left/kept"), "b", "the longest");
	ok(!robots_find(r, "/camera"), "not what only begins alike");
	ok(robots_set(r, "/cam", "c"), "another robot");
	ok_str(robots_find(r, "/cam"), "c", "takes it");
	for (unsigned int i = r->labels; i < ROBOTS_TOPICS; i++) {
		snprintf(name, sizeof(name), "/t%u", i);
		robots_set(r, name, "d");
	}
	ok(!robots_set(r, "/one/more", "d"), "there is room for 512");
	ok_str(robots_find(r, "/t511"), "d", "with the last");
	free(r);
}

int main(void)
{
	test_track();
	test_odometry_in_map();
	test_long_track();
	test_status();
	test_page_states();
	test_summary();
	test_commands();
	test_actions();
	test_robots();
	return tap_done();
}
