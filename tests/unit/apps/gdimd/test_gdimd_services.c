// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_gdimd_services - D4.1's services of a whole daemon, called over ROS 2 in
 * a network of the test's own
 */
#include <sys/stat.h>
#include "daemon_fixture.h"
#include "netdev/netns.h"
#include "ros/io/ros2_service.h"

enum { PATIENCE_S = 300 };

static struct loop *loop;
static struct ros2 *ros;

/* The last answer. Its texts are copied: they are valid only during a call */
static struct {
	bool			done;
	int			err;
	union service_response	response;
	char			message[256], path[1024], gas[64];
	float			gases[2];
} last;

static void copy(char *to, size_t room, const struct message_string *s)
{
	snprintf(to, room, "%.*s", (int)s->len, s->text);
}

static void on_answer(void *arg, int err, const union service_response *r)
{
	const enum service_kind kind = *(const enum service_kind *)arg;

	memset(&last, 0, sizeof(last));
	last.done = true;
	last.err = err;
	loop_stop(loop, 0);
	if (!r)
		return;
	last.response = *r;
	if (kind == SERVICE_ROOM_INFORMATION)
		copy(last.message, sizeof(last.message), &r->room.message);
	if (kind == SERVICE_PUB_RATE)
		copy(last.message, sizeof(last.message), &r->pub_rate.message);
	if (kind == SERVICE_LOGGING)
		copy(last.message, sizeof(last.message), &r->logging.message);
	if (kind == SERVICE_SNAPSHOT) {
		copy(last.message, sizeof(last.message), &r->snapshot.message);
		copy(last.path, sizeof(last.path), &r->snapshot.path);
	}
	if (kind == SERVICE_SPOT_INFORMATION) {
		copy(last.message, sizeof(last.message), &r->spot.message);
		if (r->spot.names)
			copy(last.gas, sizeof(last.gas), r->spot.gas_name);
		for (unsigned int i = 0; i < r->spot.gases.count && i < 2; i++)
			last.gases[i] = message_float(&r->spot.gases, i);
	}
}

/* Call it, and wait for the answer */
static void call(enum service_kind kind, const char *name,
		 const union service_request *request)
{
	struct ros2_client *c;
	char full[80];

	/* netns.h's limit of a minute is for commands */
	alarm(2 * PATIENCE_S);
	snprintf(full, sizeof(full), "/gdim/output/%s", name);
	last.done = false;
	if (ros2_client_open(&c, ros, loop, full, kind, &error) ||
	    ros2_client_call(c, request, PATIENCE_S * 1000000000ULL, on_answer,
			     &kind))
		abort();
	while (!last.done)
		loop_run(loop);
	ros2_client_close(c);
	ok_eq(last.err, 0, "%s: answered", name);
}

static void test_rooms(void)
{
	const struct room r = { .id = 7, .name = "hall", .x = 0, .y = 0,
				.size = 2 };
	union service_request q = { .room = { 7 } };

	call(SERVICE_ROOMS, "rooms", &(union service_request){ 0 });
	ok_eq(last.response.rooms.rooms, 0, "there are none");
	site_turn(g.site);
	store_room(site_store(g.site), &r);
	site_turn_end(g.site);
	call(SERVICE_ROOMS, "rooms", &(union service_request){ 0 });
	ok_eq(last.response.rooms.rooms, 1, "there is one");
	call(SERVICE_ROOM_INFORMATION, "room_information", &q);
	ok_eq(last.response.room.success, 1, "it is described");
	ok_eq(last.response.room.information.id, 7, "by its id");
	ok_str(last.message, "", "without a message");
	q.room.room = 8;
	call(SERVICE_ROOM_INFORMATION, "room_information", &q);
	ok_eq(last.response.room.success, 0, "one that is not there");
	ok_str(last.message, "no room 8", "... why");
}

static void spot(float x, float y)
{
	const union service_request q = { .spot = { .location = { x, y, 0 } } };

	call(SERVICE_SPOT_INFORMATION, "spot_information", &q);
}

static void test_spot(void)
{
	spot(0.05f, 0.05f);
	ok_eq(last.response.spot.success, 1, "a spot");
	ok_near(last.response.spot.temperature, 60, 1e-4, "its temperature");
	ok_eq(last.response.spot.names, 1, "one gas");
	ok_str(last.gas, "gas", "by its layer's name");
	ok_near(last.gases[0], 250, 0.1, "in ppm");
	ok_eq(last.response.spot.smoke, -1, "no smoke is known");
	ok_str(last.message, "", "without a message");
	spot(50, 50);
	ok_eq(last.response.spot.success, 0, "nothing is known there");
	ok_str(last.message, "all layers are unknown at this position",
	       "... says so");
	ok_eq(gdimd_services_refused(&g), 1, "which is no error");
	spot(2e6f, 0);
	ok_eq(last.response.spot.success, 0, "further than any map");
	ok_str(last.message, "position out of range", "... why");
	spot(NAN, 0);
	ok_str(last.message, "position out of range", "not a number");
	ok_eq(gdimd_services_refused(&g), 3, "errors are counted");
}

static void rate(const char *topic, float hz)
{
	const union service_request q = {
		.pub_rate = { message_string(topic), hz },
	};

	call(SERVICE_PUB_RATE, "pub_rate", &q);
}

static void test_rate(void)
{
	char name[MAP_CONFIG_TEXT + 1];

	rate("/gdim/output/temp", 4);
	ok_eq(last.response.pub_rate.success, 1, "a rate");
	ok_near(last.response.pub_rate.old_rate, 1, 0, "the old one");
	ok_near(last.response.pub_rate.new_rate, 4, 0, "the new one");
	rate("temp", 1000);
	ok_eq(last.response.pub_rate.success, 0, "too high");
	ok_str(last.message, "rate must be 0 or 0.001..100 Hz", "... why");
	rate("none", 1);
	ok_str(last.message, "no such topic is published", "no such topic");
	memset(name, 'x', MAP_CONFIG_TEXT);
	name[MAP_CONFIG_TEXT] = 0;
	rate(name, 1);
	ok_str(last.message, "no such topic is published", "a long name");
	rate("temp", 0);
	ok_near(last.response.pub_rate.old_rate, 4, 0, "errors change nothing");
}

static void snapshot(const char *name)
{
	const union service_request q = {
		.snapshot = { message_string(name) },
	};

	call(SERVICE_SNAPSHOT, "snapshot", &q);
}

static void logging(bool enable, float hz)
{
	const union service_request q = { .logging = { enable, hz } };

	call(SERVICE_LOGGING, "logging", &q);
}

static void test_records(void)
{
	struct stat st;

	snapshot("fire");
	ok_eq(last.response.snapshot.success, 1, "a snapshot");
	ok(strstr(last.path, "_fire.mcap") != NULL, "its name: %s", last.path);
	ok(!stat(last.path, &st), "is a file");
	snapshot("a/b");
	ok_eq(last.response.snapshot.success, 0, "a name that is none");
	ok(*last.message, "... why: %s", last.message);
	snapshot("0123456789012345678901234567890123456789012345678901234567890"
		 "123");
	ok_str(last.message, "the name must have at most 63 letters, digits, - "
	       "and _", "a long name");
	logging(true, 5);
	ok_eq(last.response.logging.success, 1, "a log");
	ok_near(last.response.logging.rate, 5, 0, "at its rate");
	logging(true, 50);
	ok_eq(last.response.logging.success, 0, "too high");
	ok(*last.message, "... why: %s", last.message);
	logging(false, 5);
	ok_eq(last.response.logging.success, 1, "it ends");
	ok_near(last.response.logging.rate, 0, 0, "whatever the rate");
}

static void test_counts(void)
{
	cJSON *status = ask("{\"do\":\"status\"}");

	ok_near(number_at(status, "services.answered"), 19, 0, "answers");
	ok_near(number_at(status, "services.to_fastdds"), 0, 0, "to Fast DDS");
	ok_near(number_at(status, "services.dropped"), 0, 0, "none is lost");
	ok_near(number_at(status, "refused.services"), 9, 0, "errors");
	cJSON_Delete(status);
}

int main(void)
{
	const char *const options[] = {
		"--to", "ros2:7",
		"--layer", "temp role=temperature bits=8 range=0:200 "
			   "resolution=0.1",
		"--layer", "gas role=gas bits=16 range=0:1000 resolution=0.1",
		NULL,
	};

	netns_enter();
	setenv("ROS_LOCALHOST_ONLY", "1", 1);
	unsetenv("CYCLONEDDS_URI");
	unsetenv("ROS_DISTRO");
	make_folder();
	if (daemon_open("services.db", options)) {
		printf("Bail out! %s\n", error.text);
		return 1;
	}
	put(g.site, "a", 1, &(struct pose){ 0, 0, 0 }, 0,
	    patch(20, 8, 0.1, 1, 30, 30));
	put(g.site, "a", 1, NULL, 1, patch(20, 16, 0.1, 1, 2500, 2500));
	wait_fused();
	loop = loop_create_quiet();
	if (!loop || ros2_join(&ros, "7", "/test", &error))
		abort();
	test_rooms();
	test_spot();
	test_rate();
	test_records();
	test_counts();
	ros2_leave(ros);
	loop_destroy(loop);
	daemon_close();
	remove_folder();
	return tap_done();
}
