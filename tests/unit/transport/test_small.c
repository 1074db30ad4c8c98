// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_small - small topics whose newest state counts: merged, sent again, and
 * shown once
 *
 * A sender and a receiver in one loop. No test waits for a time: each step
 * waits for what it is about, or fails at last.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "transport/encode.h"
#include "transport/receiver.h"
#include "transport/sender.h"
#include "transport/transforms.h"
#include "codec/core/blob.h"
#include "fast_clock.h"
#include "free_address.h"
#include "hex.h"
#include "message_golden.h"
#include "steps.h"
#include "tap.h"

enum { ROOM = 1 << 20, HEARD = 6, NAMES = 8 };

static const char *const topics[HEARD] = {
	"/tf_static", "/tf", "/camera_info", "/joint_states",
	"/depth/camera_info", "/second/depth/camera_info",
};

/**
 * struct heard - of a topic, what the receiver published
 * @frames:	in the last message, @x: of the first of them
 * @all:	transforms of all messages together
 */
struct heard {
	unsigned int	messages, frames, all;
	double		x;
};

struct test {
	struct loop		*loop;
	struct steps		steps;
	struct sender		*sender;
	struct receiver		*receiver;
	struct publish		*publish;
	struct heard		heard[HEARD];
	unsigned int		number;
};

static uint8_t bytes[ROOM];
static struct address there;	/* the receiver */

static bool soon(struct test *t, bool (*reached)(struct test *t),
		 void (*acts)(struct test *t))
{
	return steps_until(&t->steps, reached, acts);
}

static void say(struct test *t, const char *topic, enum message_kind kind,
		const union message *msg)
{
	struct source_message m = {
		.topic = topic, .kind = kind, .format = MESSAGE_CDR,
		.stamp = 5, .data = bytes,
	};

	m.len = message_write(kind, MESSAGE_CDR, msg, bytes, sizeof(bytes));
	sender_message(t->sender, &m);
}

/* Of frames with numbers from @first on, all at @x */
static void say_frames(struct test *t, const char *topic, unsigned int first,
		       unsigned int count, double x, int64_t stamp)
{
	static struct message_transform list[2 * TRANSFORMS_FRAMES];
	static char name[2 * TRANSFORMS_FRAMES][NAMES];
	union message msg = { .tf.transforms = message_list(list, count) };

	for (unsigned int i = 0; i < count; i++) {
		snprintf(name[i], NAMES, "f%u", (first + i) % 10000);
		list[i] = (struct message_transform){
			.header = { stamp, 0, message_string("base") },
			.child_frame_id = message_string(name[i]),
			.translation = { x }, .rotation = { 0, 0, 0, 1 },
		};
	}
	say(t, topic, MESSAGE_TRANSFORMS, &msg);
}

static void on_heard(void *arg, const char *name, enum message_kind kind,
		     int64_t received, const union message *msg)
{
	struct message_transform v = { 0 };
	struct message_list rest;
	struct test *t = arg;

	(void)received;
	for (unsigned int i = 0; i < HEARD; i++) {
		struct heard *h = &t->heard[i];

		if (strcmp(name, topics[i]))
			continue;
		h->messages++;
		if (kind == MESSAGE_TRANSFORMS) {
			rest = msg->tf.transforms;
			h->frames = rest.count;
			h->all += rest.count;
			message_next_transform(&rest, &v);
			h->x = v.translation[0];
		} else if (kind == MESSAGE_JOINT_STATE) {
			h->x = message_double(&msg->joints.position, 0);
		} else {
			h->x = msg->camera_info.k[0];
		}
	}
}

static void open_receiver(struct test *t)
{
	const struct receiver_options options = {
		.topics = RECV_DEFAULTS, .threads = 1,
	};
	struct error error;

	memset(t->heard, 0, sizeof(t->heard));
	t->publish = publish_create();
	publish_listen(t->publish, on_heard, t);
	if (receiver_open(&t->receiver, t->loop, &there, &options, t->publish,
			  &error))
		abort();
}

static void close_receiver(struct test *t)
{
	receiver_close(t->receiver);
	publish_destroy(t->publish);
}

static const struct send_counts *counts(const struct test *t, const char *name)
{
	return send_topic_counts(sender_find(t->sender, name));
}

/* ---- the tree by itself ---- */

static uint64_t now = 1;	/* ns */

static unsigned int merge(struct transforms *tree, const char *child, double x)
{
	const struct message_transform one = {
		.header.frame_id = message_string("base"),
		.child_frame_id = message_string(child), .translation = { x },
	};
	const struct message_transforms m = { message_list(&one, 1) };

	return transforms_merge(tree, &m, now);
}

static void test_tree(void)
{
	struct transforms *tree = transforms_create(false);
	static char name[TRANSFORMS_NAME + 2];
	const struct message_transform *list;
	struct message_transforms m;
	unsigned int out = 0;

	merge(tree, "a", 1);
	merge(tree, "b", 2);
	merge(tree, "a", 3);
	transforms_take(tree, false, &m);
	list = m.transforms.items;
	ok_eq(m.transforms.count, 2, "the newest of each frame");
	ok(list[0].translation[0] == 3, "the newest of each frame");
	ok(list[1].translation[0] == 2, "the newest of each frame");
	merge(tree, "a", 3);
	ok(!transforms_changed(tree), "what it has changes nothing");
	merge(tree, "b", 4);
	transforms_take(tree, false, &m);
	list = m.transforms.items;
	ok_eq(m.transforms.count, 1, "only what changed");
	ok(list[0].translation[0] == 4, "only what changed");
	transforms_take(tree, true, &m);
	ok(m.transforms.count == 2, "or all");
	for (unsigned int i = 0; i < TRANSFORMS_FRAMES; i++) {
		snprintf(name, sizeof(name), "frame%u", i);
		out += merge(tree, name, i);
	}
	ok_eq(out, 2, "%d frames, and no more", TRANSFORMS_FRAMES);
	ok_eq(transforms_count(tree), TRANSFORMS_FRAMES,
	      "%d frames, and no more", TRANSFORMS_FRAMES);
	ok(!merge(tree, "a", 9), "%d frames, and no more", TRANSFORMS_FRAMES);
	transforms_destroy(tree);
	tree = transforms_create(false);
	memset(name, 'x', sizeof(name) - 1);
	ok_eq(merge(tree, name, 1), 1, "names that are none");
	ok_eq(merge(tree, "", 1), 1, "names that are none");
	ok(!transforms_count(tree), "names that are none");
	name[TRANSFORMS_NAME] = 0;
	ok(!merge(tree, name, 1), "the longest one");
	transforms_destroy(tree);
}

/* Parents and places change; names of any length take the place of others */
static void test_parents(void)
{
	static const char *const parents[] = {
		"b", "the base of a robot", "o", "the odometry of that robot",
		"the odometry of that robot",
	};
	struct transforms *tree = transforms_create(false);
	struct message_transform one = {
		.child_frame_id = message_string("laser"),
		.rotation = { 0, 0, 0, 1 },
	};
	const struct message_transforms m = { message_list(&one, 1) };
	const struct message_transform *got;
	struct message_transforms all;

	for (unsigned int i = 0; i < 5; i++) {
		one.header.frame_id = message_string(parents[i]);
		ok_eq(transforms_merge(tree, &m, now), 0, "a transform of %s",
		      parents[i]);
		ok_eq(transforms_changed(tree), i < 4, "which is news %d",
		      i < 4);
		transforms_take(tree, true, &all);
		got = all.transforms.items;
		ok_eq(all.transforms.count, 1, "one of that frame");
		ok(message_string_is(&got->header.frame_id, parents[i]),
		   "with the newest parent");
		ok(message_string_is(&got->child_frame_id, "laser"),
		   "and its name");
	}
	one.rotation[0] = 1;
	transforms_merge(tree, &m, now);
	ok(transforms_changed(tree), "another rotation is news");
	transforms_take(tree, false, &all);
	one.translation[2] = 1;
	transforms_merge(tree, &m, now);
	ok(transforms_changed(tree), "as is another place");
	transforms_take(tree, false, &all);
	one.header.stamp = 5;
	transforms_merge(tree, &m, now);
	ok(transforms_changed(tree), "and another time");
	one.header.frame_id = message_string("");
	ok_eq(transforms_merge(tree, &m, now), 1, "without a parent it is none");
	transforms_destroy(tree);
}

/* A tracker gives each person a frame; base_link is heard of all the time */
static void test_forgotten(void)
{
	struct transforms *tree = transforms_create(true);
	unsigned int out = 0, most = 0;
	struct transforms *still = transforms_create(false);
	struct message_transforms m;
	char name[32];

	for (unsigned int i = 0; i < 4000; i++) {
		now += 100000000;
		snprintf(name, sizeof(name), "person_%u", i);
		out += merge(tree, name, i) + merge(tree, "base_link", i);
		merge(still, i % 2 ? "a" : "b", i);
		if (transforms_count(tree) > most)
			most = transforms_count(tree);
	}
	transforms_take(tree, true, &m);
	ok(!out, "4000 persons in 400 s: %u frames at most, %u forgotten", most,
	   (unsigned int)transforms_forgotten(tree));
	ok(most < 620, "4000 persons in 400 s: %u frames at most, %u forgotten",
	   most, (unsigned int)transforms_forgotten(tree));
	ok_eq(transforms_forgotten(tree) + transforms_count(tree), 4001,
	      "4000 persons in 400 s: %u frames at most, %u forgotten", most,
	      (unsigned int)transforms_forgotten(tree));
	ok(m.transforms.count < 620,
	   "4000 persons in 400 s: %u frames at most, %u forgotten", most,
	   (unsigned int)transforms_forgotten(tree));
	now += 1000000000000;
	out = merge(tree, "person_3999", 1) + merge(tree, "base_link", 2);
	ok(!out, "a pause of all counts as a second: %u of %u frames stay",
	   transforms_count(tree), m.transforms.count);
	ok(transforms_count(tree) + 20 >= m.transforms.count,
	   "a pause of all counts as a second: %u of %u frames stay",
	   transforms_count(tree), m.transforms.count);
	merge(still, "c", 1);
	for (unsigned int i = 0; i < 1000; i++, now += 100000000)
		merge(still, "a", i);
	for (unsigned int i = 0; i < 300; i++) {
		now += i % 2 ? 20000000 : -10000000;
		merge(tree, "base_link", i);
	}
	ok(transforms_count(tree) + 60 > m.transforms.count,
	   "times that step back are no seconds: %u frames stay",
	   transforms_count(tree));
	ok_eq(transforms_count(still), 3,
	      "of what is static nothing is forgotten");
	ok(!transforms_forgotten(still),
	   "of what is static nothing is forgotten");
	transforms_destroy(tree);
	transforms_destroy(still);
}

/* ---- who comes late ---- */

static void say_camera(struct test *t, const char *topic, double k)
{
	union message msg = { .camera_info = {
		.header = { 7, 0, message_string("camera") }, .k = { k },
	} };

	say(t, topic, MESSAGE_CAMERA_INFO, &msg);
}

static void say_joints(struct test *t, double x)
{
	union message msg = { .joints = {
		.header = { 7, 0, message_string("") }, .names = 1,
		.name = { message_string("wheel") },
		.position = { (const uint8_t *)&x, 1, false },
	} };

	say(t, "/joint_states", MESSAGE_JOINT_STATE, &msg);
}

/* Into the void */
static bool static_went(struct test *t)
{
	return counts(t, "/tf_static")->frames >= 2 &&
	       counts(t, "/tf")->frames && counts(t, "/camera_info")->frames &&
	       counts(t, "/joint_states")->frames;
}

static bool all_heard(struct test *t)
{
	return t->heard[0].frames == 3 && t->heard[1].all >= 2 &&
	       t->heard[2].messages && t->heard[3].messages;
}

static bool sent_again(struct test *t)
{
	return counts(t, "/tf_static")->frames >= t->number &&
	       counts(t, "/camera_info")->frames >= t->number;
}

static bool four_heard(struct test *t)
{
	return t->heard[0].frames == 4;
}

static bool moved(struct test *t)
{
	return t->heard[1].x == 8;
}

static void test_late(struct test *t)
{
	/* of three nodes, and one of these says something else later */
	say_frames(t, "/tf_static", 0, 1, 1, 0);
	say_frames(t, "/tf_static", 1, 1, 2, 0);
	say_frames(t, "/tf_static", 2, 1, 3, 0);
	say_frames(t, "/tf_static", 0, 1, 4, 0);
	say_frames(t, "/tf", 10, 1, 5, 100);
	say_frames(t, "/tf", 11, 1, 6, 100);
	say_camera(t, "/camera_info", 500);
	say_joints(t, 1.5);
	ok(soon(t, static_went, NULL), "states are sent, and no receiver is there");
	open_receiver(t);
	ok(soon(t, all_heard, NULL), "who comes late gets all of them, merged");
	ok(t->heard[0].x == 4, "who comes late gets all of them, merged");
	ok(t->heard[2].x == 500, "who comes late gets all of them, merged");
	ok(t->heard[3].x == 1.5, "who comes late gets all of them, merged");
	ok(t->heard[1].all == 2, "transforms of /tf are shown once");
	t->number = counts(t, "/tf_static")->frames + 3;
	if (counts(t, "/camera_info")->frames + 3 > t->number)
		t->number = counts(t, "/camera_info")->frames + 3;
	ok(soon(t, sent_again, NULL), "what is sent again is not shown again");
	ok_eq(t->heard[1].all, 2, "what is sent again is not shown again");
	ok_eq(t->heard[2].messages, 1, "what is sent again is not shown again");
	ok(t->heard[0].messages <= 3, "what is sent again is not shown again");
	say_frames(t, "/tf", 10, 1, 8, 200);
	ok(soon(t, moved, NULL), "of /tf what changed is shown");
	ok_eq(t->heard[1].all, 3, "of /tf what changed is shown");
	say_frames(t, "/tf_static", 3, 1, 7, 0);
	ok(soon(t, four_heard, NULL),
	   "of /tf_static all of it, as its publisher keeps one message");
	close_receiver(t);
	open_receiver(t);
	ok(soon(t, four_heard, NULL),
	   "a receiver that was started again has it, too");
	ok(t->heard[0].x == 4, "a receiver that was started again has it, too");
}

/* More joint states than may be sent: the last one arrives nevertheless */
static void say_more(struct test *t)
{
	if (t->number < 300)
		say_joints(t, ++t->number);
}

static bool last_heard(struct test *t)
{
	return t->heard[3].x == 300;
}

static void test_thinned(struct test *t)
{
	struct send_options o =
		*send_topic_options(sender_find(t->sender, "/joint_states"));
	uint64_t frames = counts(t, "/joint_states")->frames;

	strcpy(o.name, "/joint_states");
	o.rate = 5;
	sender_change(t->sender, &o);
	t->number = 0;
	ok(soon(t, last_heard, say_more),
	   "of joint states some are left out and counted, not the last one");
	ok(counts(t, "/joint_states")->frames - frames < 150,
	   "of joint states some are left out and counted, not the last one");
	ok(counts(t, "/joint_states")->thinned > 100,
	   "of joint states some are left out and counted, not the last one");
}

static bool full_heard(struct test *t)
{
	return t->heard[0].frames == TRANSFORMS_FRAMES;
}

static void test_full(struct test *t)
{
	say_frames(t, "/tf_static", 100, TRANSFORMS_FRAMES, 1, 0);
	ok(soon(t, full_heard, NULL),
	   "a tree that is full: %u transforms are counted",
	   (unsigned int)counts(t, "/tf_static")->left_out);
	ok_eq(counts(t, "/tf_static")->left_out, 4,
	      "a tree that is full: %u transforms are counted",
	      (unsigned int)counts(t, "/tf_static")->left_out);
}

static bool second_heard(struct test *t)
{
	return t->heard[4].messages;
}

static bool renamed_heard(struct test *t)
{
	return t->heard[5].messages;
}

/* A topic of a second robot is one of the first: it gets other names for all */
static void test_renamed(struct test *t)
{
	struct sender_options options = { .cpu = 1, .threads = 1, .all = true };
	struct sender *first = t->sender;
	uint64_t frames;
	struct error error;

	strcpy(options.name, "second");
	if (sender_open(&t->sender, t->loop, &there, &options, &error))
		abort();
	say_camera(t, "/depth/camera_info", 700);
	ok(soon(t, second_heard, NULL), "a second robot");
	frames = counts(t, "/depth/camera_info")->frames;
	say_camera(t, "/camera_info", 600);
	soon(t, renamed_heard, NULL);
	frames = counts(t, "/depth/camera_info")->frames - frames;
	ok(t->heard[5].x == 700,
	   "what is published under another name is shown there after %d frames",
	   (int)frames);
	ok(frames < 10,
	   "what is published under another name is shown there after %d frames",
	   (int)frames);
	sender_close(t->sender);
	t->sender = first;
}

static void test_late_and_full(void)
{
	struct sender_options options = { .cpu = 1, .threads = 1, .all = true };
	struct error error;
	struct test t = { .loop = loop_create() };

	steps_begin(&t.steps, t.loop, &t);
	strcpy(options.name, "robot");
	there = free_address();
	if (sender_open(&t.sender, t.loop, &there, &options, &error))
		abort();
	test_late(&t);
	test_thinned(&t);
	test_full(&t);
	test_renamed(&t);
	close_receiver(&t);
	sender_close(t.sender);
	steps_end(&t.steps);
	loop_destroy(t.loop);
}

/* ---- each kind, as it goes ---- */

/* What came out, as ROS 2 has it */
static uint8_t shown[ROOM];
static long shown_len;

static void on_result(void *arg, const struct decode_result *r)
{
	(void)arg;
	shown_len = message_write(r->kind, MESSAGE_CDR, r->msg, shown, ROOM);
}

static bool is_kept;	/* frames are from before an outage */

/* Frame @number over a link that loses @loss percent. Return: of the decoder */
static int pass(enum message_kind kind, struct decoder *d,
		enum message_format format, const uint8_t *data, size_t len,
		uint32_t number, double parity, unsigned int loss)
{
	static const struct encode_options options = ENCODE_DEFAULTS;
	const struct encode_order order = { .codec = CODEC_BLOB,
					    .parity = parity };
	const struct control_topic topic = { .kind = kind, .name = "/small" };
	struct encoder *e = encoder_create(kind, &options);
	struct encode_result result;
	static uint64_t rng = 1;
	struct payloads p;
	struct reassembly_frame f = { .number = number };
	struct decode_call call = {
		.topic = &topic, .frame = &f, .codec = CODEC_BLOB,
		.kept = is_kept, .out = on_result,
	};
	unsigned int n = 0;
	int ret;

	payloads_create(&p, 4096);
	ret = encoder_encode(e, format, data, len, 5, &order, &p, &result);
	f.count = p.count;
	for (unsigned int i = 0; i < p.count; i++) {
		if (rnd(&rng, 100) < loss)
			continue;
		memmove(payload_at(&p, n), payload_at(&p, i), p.len[i]);
		p.len[n++] = p.len[i];
	}
	p.count = n;
	f.received = p;
	shown_len = 0;
	if (!ret)
		ret = decoder_frame(d, &call);
	payloads_destroy(&p);
	encoder_destroy(e);
	return ret;
}

/* In ROS 1's form in, in ROS 2's out, and shown once but for an Imu */
static void test_kinds(void)
{
	static const struct decode_limits limits = DECODE_LIMITS;
	static uint8_t in[8192], want[8192];

	for (int k = MESSAGE_TRANSFORMS; k < MESSAGE_KINDS; k++) {
		struct decoder *d = decoder_create(&limits, NULL);
		size_t n = from_hex(golden[k][MESSAGE_CDR], want);
		size_t m = from_hex(golden[k][MESSAGE_ROS1], in);
		int ret = pass(k, d, MESSAGE_ROS1, in, m, 1, 0, 0);

		/* that has padding at its end */
		ok(!ret, "%s: through", message_type(k, MESSAGE_CDR));
		ok(shown_len > 4, "%s: through", message_type(k, MESSAGE_CDR));
		ok((size_t)shown_len <= n, "%s: through",
		   message_type(k, MESSAGE_CDR));
		ok(n - shown_len < 4, "%s: through",
		   message_type(k, MESSAGE_CDR));
		ok_mem(want + 4, shown + 4, shown_len - 4, "%s: through",
		       message_type(k, MESSAGE_CDR));
		ret = pass(k, d, MESSAGE_CDR, want, n, 2, 0, 0);
		ok(!ret, "%s: the same again", message_type(k, MESSAGE_CDR));
		ok_eq(!shown_len, message_is_state(k), "%s: the same again",
		      message_type(k, MESSAGE_CDR));
		decoder_destroy(d);
	}
}

/*
 * A state that changed in an outage: what was held of it comes first, and goes
 * elsewhere. What comes live is new nevertheless
 */
static void test_held(void)
{
	static const struct decode_limits limits = DECODE_LIMITS;
	static uint8_t data[8192];

	for (int k = MESSAGE_TRANSFORMS; k < MESSAGE_KINDS; k++) {
		struct decoder *d = decoder_create(&limits, NULL);
		size_t n = from_hex(golden[k][MESSAGE_CDR], data);
		long held, live, again;

		is_kept = true;
		pass(k, d, MESSAGE_CDR, data, n, 8, 0, 0);
		held = shown_len;
		is_kept = false;
		pass(k, d, MESSAGE_CDR, data, n, 9, 0, 0);
		live = shown_len;
		pass(k, d, MESSAGE_CDR, data, n, 10, 0, 0);
		again = shown_len;
		ok(held, "%s: shown live after it was held",
		   message_type(k, MESSAGE_CDR));
		ok(live, "%s: shown live after it was held",
		   message_type(k, MESSAGE_CDR));
		ok_eq(!again, message_is_state(k),
		      "%s: shown live after it was held",
		      message_type(k, MESSAGE_CDR));
		decoder_destroy(d);
	}
}

static void test_path(void)
{
	enum { POSES = 1000, TIMES = 50 };
	static struct message_pose_stamped poses[POSES];
	static const struct decode_limits limits = DECODE_LIMITS;
	struct decoder *d = decoder_create(&limits, NULL);
	union message msg = { .path.poses = message_list(poses, POSES) };
	unsigned int came = 0;

	for (unsigned int i = 0; i < TIMES; i++) {
		long len;

		poses[7].pose.position[0] = i;
		len = message_write(MESSAGE_PATH, MESSAGE_CDR, &msg, bytes,
				    ROOM);
		came += !pass(MESSAGE_PATH, d, MESSAGE_CDR, bytes, len, i,
			      blob_parity(len, .2, 3), 20) && shown_len == len;
	}
	ok(came >= TIMES - 2, "a long path at a loss of 20 %%: %u of %d come",
	   came, TIMES);
	decoder_destroy(d);
}

int main(void)
{
	test_tree();
	test_parents();
	test_forgotten();
	test_kinds();
	test_held();
	test_path();
	test_late_and_full();
	return tap_done();
}
