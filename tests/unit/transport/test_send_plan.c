// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_send_plan - what a topic of the sender makes of its plan, and what it
 * learns for the next one: clouds, images in time, maps that are sent again,
 * and how many of the messages
 */
#define FAST_CLOCK_STEP	2000000000LL
#include "fast_clock.h"
#include "cloud_fixture.h"
#include "log_lines.h"
#include "ros/msg/convert.h"
#include "send_topic_fixture.h"

static struct plan_source wishes(void)
{
	struct policy_topic p;

	send_topic_request(topic, &p);
	return p.source;
}

static void on_due(void *arg, uint64_t now)
{
	(void)arg;
	(void)now;
	loop_stop(loop, 0);
}

/* Let that time pass, in the clock of fast_clock.h */
static void pass(unsigned int ms)
{
	struct loop_timer t = { loop_now() + ms * MS, on_due, NULL, NULL };

	loop_add_timer(loop, &t);
	loop_run(loop);
	loop_remove_timer(loop, &t);
}

/* The codec of the next datagram, after which the others are dropped */
static int codec_of_next(void)
{
	struct datagram d;
	uint8_t bytes[OPTSAMPLE_SEGMENT_MAX];

	if (!take(&d))
		return -1;
	pass(300);
	while (recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
		;
	return segment_codec(&d.segment);
}

/* ---- clouds ---- */

enum { COLUMNS = 300 };

/* A turn of a lidar, or the same number of points anywhere */
static void send_cloud(bool organised)
{
	struct cloud *c = cloud_create(COLUMNS * TURN_RINGS);
	union message m = { .cloud.header = {
		.stamp = base, .frame_id = message_string("lidar") } };
	uint64_t rng = 1;
	uint8_t *data;

	cloud_add_field(c, "ring", CLOUD_UINT16);
	add_turn(c, COLUMNS, organised, &rng);
	for (unsigned int i = 0; i < c->count; i++)
		cloud_put(&c->field[0], i, i % TURN_RINGS);
	data = malloc(message_cloud_bytes(c));
	message_cloud_write(c, data, &m.cloud);
	send_as(MESSAGE_POINT_CLOUD, &m, false);
	free(data);
	cloud_destroy(c);
}

static void test_clouds(void)
{
	struct send_options o = SEND_OPTIONS;
	struct plan_source s;
	uint64_t fine, coarse, bytes;

	o.points = 4000;
	begin("/points", MESSAGE_POINT_CLOUD, &o);
	s = wishes();
	ok(s.organised, "a cloud may be a turn of a lidar");
	ok(s.vscan, "which may be sent as ranges");
	ok_eq(s.points, 4000, "of as many points as the user wants");
	allow((struct plan){ .mode = PLAN_FINE });
	send_cloud(true);
	fine = counts->bytes;
	ok_eq(codec_of_next(), CODEC_RANGE, "the best plan: its ranges");
	ok_eq(wishes().mode[PLAN_FINE], fine, "how large they are is learnt");
	allow((struct plan){ .mode = PLAN_COARSE });
	send_cloud(true);
	coarse = counts->bytes - fine;
	ok_eq(codec_of_next(), CODEC_RANGE, "a worse one");
	ok(coarse < fine * .9, "has coarse ranges");
	s = wishes();
	ok_eq(s.mode[PLAN_COARSE], coarse, "how large they are, too");
	ok_eq(s.mode[PLAN_FINE], fine, "beside the others");
	allow((struct plan){ .mode = PLAN_VOXELS, .points = 500 });
	bytes = counts->bytes;
	send_cloud(true);
	bytes = counts->bytes - bytes;
	ok_eq(codec_of_next(), CODEC_BLOCK, "then voxels");
	s = wishes();
	ok_range(bytes / s.point, 100, 500, "as many as are planned");
	allow((struct plan){ .mode = PLAN_VOXELS, .points = 100000 });
	bytes = counts->bytes;
	send_cloud(true);
	bytes = counts->bytes - bytes;
	codec_of_next();
	ok_range(bytes / wishes().point, 1000, 4000,
		 "but not more than the user wants");
	allow((struct plan){ .mode = PLAN_VSCAN, .parts = 2, .copies = 1 });
	bytes = counts->bytes;
	send_cloud(true);
	bytes = counts->bytes - bytes;
	ok_eq(codec_of_next(), CODEC_VSCAN, "at last two scans");
	s = wishes();
	ok_eq(s.mode[PLAN_VSCAN], bytes, "of a size that is learnt");
	ok(s.organised, "of what still is a turn");
	ok(s.vscan, "and ranges");
	allow((struct plan){ .mode = PLAN_FINE });
	send_cloud(false);
	ok_eq(codec_of_next(), CODEC_BLOCK, "what is none is sent as voxels");
	s = wishes();
	ok(!s.organised, "it is no turn any more");
	ok(!s.vscan, "and no plan asks for ranges again");
	ok_eq(s.mode[PLAN_FINE], fine, "which says nothing of ranges");
	end();
	/* the user may have chosen */
	o.codec = CODEC_BLOCK;
	begin("/points", MESSAGE_POINT_CLOUD, &o);
	ok(!wishes().organised, "with a codec that the user chose");
	allow((struct plan){ .mode = PLAN_FINE });
	send_cloud(true);
	ok_eq(codec_of_next(), CODEC_BLOCK, "the mode does not matter");
	end();
}

/* ---- images ---- */

/* Images that are more frequent than the plan are left out */
static void send_in_time(unsigned int seed)
{
	send_image(seed);
	pass(1100);
}

static void test_split(void)
{
	struct send_options o = SEND_OPTIONS;
	struct plan_source s;

	o.codec = CODEC_SPLIT;
	begin("/image", MESSAGE_IMAGE, &o);
	allow((struct plan){ .hz = 10, .bytes = 3000 });
	send_in_time(1);
	s = wishes();
	ok_range(s.images, 9, 16, "a split image has so many parts");
	ok_near(s.image, counts->bytes / counts->datagrams, 0, "of such a size");
	ok_range(counts->datagrams, 1, 3, "of which some fit into the plan");
	ok_eq(codec_of_next(), CODEC_SPLIT, "and are sent");
	end();
}

/* Frames that have to arrive in time */
static void test_latency(void)
{
	struct send_options o = SEND_OPTIONS;
	uint64_t span, bytes;

	o.latency = .1;
	begin("/image", MESSAGE_IMAGE, &o);
	ok_eq(wishes().bytes, 65536, "no pace: any size");
	allow((struct plan){ .hz = 5, .bytes = 5000, .datagrams = 5 });
	send_in_time(1);
	span = counts->paced_span;
	ok_range(span, .02 * SECOND, .09 * SECOND,
		 "the latency is the time of a frame, less that of its coding");
	ok_range(wishes().bytes, 65535, 65536, "any size until there is a pace");
	pace.rate = pace.sure = 1e6;
	send_in_time(2);
	bytes = counts->paced_bytes;
	ok_range(counts->paced_span - span, .5 * SECOND * bytes / 2 / 1e6,
		 1.5 * SECOND * bytes / 2 / 1e6 / .9,
		 "with a pace it is faster");
	pace.rate = pace.sure = 100e3;
	send_in_time(3);
	ok_range(wishes().bytes, 1000, .09 * 129e3,
		 "an image is no larger than arrives in time");
	link_state.round_trip = .08;
	bytes = wishes().bytes;
	link_state.queue = .03;
	ok(wishes().bytes < bytes - 1000, "even less with a queue");
	link_state.round_trip = 10;
	ok_range(wishes().bytes, 1000, 1472, "but at least a datagram");
	span = counts->paced_span;
	send_in_time(4);
	ok_near(counts->paced_span - span, .002 * SECOND, 1,
		"that leaves at once");
	end();
	o.latency = 0;
	begin("/image", MESSAGE_IMAGE, &o);
	allow((struct plan){ .hz = 5, .bytes = 5000, .datagrams = 5 });
	link_state.state = ESTIMATE_BLIND;
	pace.rate = pace.sure = 1e9;
	send_in_time(1);
	ok_range(counts->paced_span, .1 * SECOND, .18 * SECOND,
		 "in an outage frames are spread over their interval");
	allow((struct plan){ .hz = 1, .bytes = 5000, .datagrams = 5 });
	span = counts->paced_span;
	send_in_time(2);
	ok_near(counts->paced_span - span, .25 * SECOND, 1,
		"but not over more than a quarter of a second");
	link_state.state = ESTIMATE_LIVE;
	span = counts->paced_span;
	send_in_time(3);
	ok_range(counts->paced_span - span, 1, .001 * SECOND,
		 "otherwise as fast as the pace");
	end();
}

/* One of four frames has several datagrams, to learn the pace by */
static void test_teaches(void)
{
	struct send_options o = SEND_OPTIONS;
	unsigned int several = 0;

	o.latency = .1;
	begin("/image", MESSAGE_IMAGE, &o);
	for (unsigned int i = 0; i < 8; i++) {
		uint64_t before = counts->datagrams;

		allow((struct plan){ .hz = 5, .bytes = 5000, .datagrams = 1 });
		send_in_time(i);
		several += counts->datagrams - before >= 4;
	}
	ok_range(several, 2, 8, "some frames have several datagrams");
	ok_eq(several, counts->paced, "these count for the pace");
	end();
}

/* ---- which messages ---- */

static void send_twist(void)
{
	const union message m = { .twist_stamped.header.stamp = base };

	send_as(MESSAGE_TWIST_STAMPED, &m, false);
}

static void test_thinned(void)
{
	struct send_options o = SEND_OPTIONS;
	uint64_t frames;

	begin("/twist", MESSAGE_TWIST_STAMPED, &o);
	allow((struct plan){ .hz = 0 });
	for (unsigned int i = 0; i < 40; i++) {
		send_twist();
		pass(20);
	}
	ok_eq(counts->frames, 40, "of a rate that is not limited all are sent");
	ok_range(send_topic_hz(topic), 40, 51, "it is known");
	allow((struct plan){ .hz = 10 });
	frames = counts->frames;
	for (unsigned int i = 0; i < 100; i++) {
		send_twist();
		pass(20);
	}
	ok_range(counts->frames - frames, 19, 26, "of a limited one some are");
	ok_eq(counts->thinned, 140 - counts->frames, "the others are counted");
	o.rate = 5;
	send_topic_change(topic, &o);
	ok_near(wishes().hz, 5, 0, "the user may want less");
	frames = counts->frames;
	for (unsigned int i = 0; i < 100; i++) {
		send_twist();
		pass(20);
	}
	ok_range(counts->frames - frames, 9, 14, "then less is sent");
	/* pauses */
	ok(!send_topic_arrived(topic), "no pause");
	pass(6000);
	ok(!send_topic_request(topic, &(struct policy_topic){ 0 }),
	   "after five seconds without a message it is idle");
	ok(send_topic_arrived(topic), "until the next one");
	o.rate = 0;
	send_topic_change(topic, &o);
	for (unsigned int i = 0; i < 40; i++) {
		send_topic_arrived(topic);
		pass(100);
	}
	ok_range(send_topic_hz(topic), 7, 11, "of another rate");
	for (unsigned int i = 0; i < 3; i++) {
		send_topic_arrived(topic);
		pass(3000);
	}
	ok_range(send_topic_hz(topic), .2, .4, "a slow one is known at once");
	ok(send_topic_request(topic, &(struct policy_topic){ 0 }),
	   "three seconds are no pause");
	pass(4000);
	ok(send_topic_request(topic, &(struct policy_topic){ 0 }),
	   "nor are seven, at such a rate");
	pass(4000);
	ok(!send_topic_request(topic, &(struct policy_topic){ 0 }),
	   "but eleven");
	end();
}

/* More messages than are encoded: of small ones 64 wait */
static void test_behind(void)
{
	const struct send_options o = SEND_OPTIONS;
	struct loop *own;

	uplink_begin();
	own = loop;
	if (workers_create(&workers, own, 1))
		abort();
	topic = send_topic_create(loop, workers, uplink, 7, "/twist",
				  MESSAGE_TWIST_STAMPED, &o, on_changed, NULL);
	counts = send_topic_counts(topic);
	link_state = (struct estimate){ .state = ESTIMATE_LIVE };
	allow((struct plan){ .hz = 0 });
	log_lines_begin(LOG_INFO);
	for (unsigned int i = 0; i < 70; i++)
		send_twist();
	log_lines_end();
	ok_eq(counts->behind, 5, "while one is encoded, 64 wait");
	ok_eq(log_lines_with("arrive faster than they are encoded"), 1,
	      "which is logged once");
	ok(send_topic_busy(topic), "it is busy");
	run_until(65);
	ok_eq(counts->frames, 65, "all of these are sent");
	ok(!send_topic_busy(topic), "then it is not");
	send_topic_destroy(topic);
	workers_destroy(workers);
	workers = NULL;
	uplink_end();
}

/* ---- maps ---- */

static int8_t cells[300 * 200];

static void send_map(void)
{
	const union message m = { .map = {
		.header = { .stamp = base, .frame_id = message_string("map") },
		.resolution = .05f, .width = 300, .height = 200,
		.data = { (uint8_t *)cells, sizeof(cells) },
		.origin.orientation[3] = 1,
	} };

	send_as(MESSAGE_OCCUPANCY_GRID, &m, false);
}

static void test_map(void)
{
	struct send_options o = SEND_OPTIONS;
	uint64_t frames, datagrams, rng = 1;

	o.refresh = .5;
	begin("/map", MESSAGE_OCCUPANCY_GRID, &o);
	for (unsigned int i = 0; i < sizeof(cells); i++)
		cells[i] = i % 41 ? 0 : 100;
	allow((struct plan){ .hz = 0, .datagrams = 1 });
	ok_near(wishes().hz, 2, 0, "a map wants to be sent twice a second");
	ok_eq(counts->frames, 0, "without one nothing is");
	send_map();
	send_map();
	send_map();
	pass(100);
	ok_eq(counts->frames, 1, "of several the newest");
	ok_eq(counts->behind + counts->thinned, 0, "none is missed");
	pass(2000);
	ok_range(counts->frames, 4, 6, "then it is sent again and again");
	allow((struct plan){ .hz = 10, .datagrams = 2 });
	frames = counts->frames;
	pass(2000);
	ok_range(counts->frames - frames, 16, 22, "or as often as planned");
	/* a map that is not as regular takes more than a datagram */
	for (unsigned int i = 0; i < sizeof(cells); i++)
		cells[i] = rnd(&rng, 101);
	send_map();
	pass(200);
	allow((struct plan){ .hz = 10, .datagrams = 5 });
	frames = counts->frames;
	datagrams = counts->datagrams;
	pass(2000);
	ok_eq(counts->datagrams - datagrams, 5 * (counts->frames - frames),
	      "as many datagrams at a time as planned");
	send_topic_allocate(topic, NULL);
	frames = counts->frames;
	pass(1000);
	ok_eq(counts->frames, frames, "or not at all");
	ok(!send_topic_busy(topic), "nothing waits");
	pass(20000);
	ok(send_topic_request(topic, &(struct policy_topic){ 0 }),
	   "but it is never idle");
	end();
}

/* Joint states that stand still are refreshed */
static void send_joints(double x)
{
	const union message m = { .joints = {
		.header = { .stamp = base, .frame_id = message_string("") },
		.names = 1, .name = { message_string("wheel") },
		.position = { (const uint8_t *)&x, 1, false },
	} };

	send_as(MESSAGE_JOINT_STATE, &m, false);
}

static void test_refresh(void)
{
	struct send_options o = SEND_OPTIONS;
	uint64_t frames;

	o.refresh = .5;
	begin("/joint_states", MESSAGE_JOINT_STATE, &o);
	send_topic_again(topic);
	pass(500);
	ok_eq(counts->frames, 0, "of a state that never came nothing is sent");
	allow((struct plan){ .hz = 0 });
	send_joints(1);
	ok_eq(counts->frames, 1, "one that came");
	pass(5250);
	ok_range(counts->frames, 10, 12, "is sent twice a second");
	ok_near(wishes().hz, 2, 0, "as the plan hears");
	allow((struct plan){ .hz = .5 });
	frames = counts->frames;
	pass(8000);
	ok_range(counts->frames - frames, 3, 5, "or less, if that is planned");
	frames = counts->frames;
	send_topic_again(topic);
	pass(700);
	ok_eq(counts->frames - frames, 3, "for a new receiver three times");
	send_topic_allocate(topic, NULL);
	frames = counts->frames;
	pass(2000);
	ok_eq(counts->frames, frames, "not if it is off");
	end();
}

int main(void)
{
	test_clouds();
	test_split();
	test_latency();
	test_teaches();
	test_thinned();
	test_behind();
	test_map();
	test_refresh();
	return tap_done();
}
