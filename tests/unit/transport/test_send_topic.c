// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_send_topic - what a topic of the sender makes of messages: which of them
 * it sends, as what, and what it announces
 */
#include "log_lines.h"
#include "send_topic_fixture.h"

static void send_twist(const char *frame, int64_t stamp, bool still)
{
	const union message m = { .twist_stamped = {
		.header = { .stamp = stamp, .frame_id = message_string(frame) },
		.twist.linear = { 1, 2, 3 },
	} };

	send_as(MESSAGE_TWIST_STAMPED, &m, still);
}

/* Small messages: one datagram each */
static void test_small(void)
{
	struct send_options o = SEND_OPTIONS;
	struct datagram d;
	const struct send_counts *c;
	const struct control_topic *a;

	o.profile = 3;
	begin("/twist", MESSAGE_TWIST_STAMPED, &o);
	c = send_topic_counts(topic);
	a = send_topic_announcement(topic);
	ok_eq(a->topic, 7, "it announces its number");
	ok_eq(a->kind, MESSAGE_TWIST_STAMPED, "its kind");
	ok_str(a->name, "/twist", "its name");
	ok_eq(a->codec, CODEC_BLOB, "its codec");
	send_twist("base", base, false);
	ok_eq(c->messages, 1, "a message");
	ok_eq(c->thinned, 1, "that may not be sent");
	ok_eq(sent_datagrams, 0, "is not");
	/* more than come: all of them */
	allow((struct plan){ .hz = 1e6 });
	ok_near(send_topic_rate(topic), 5000, 0, "it has a rate");
	send_twist("base", base + 5, false);
	ok(take(&d), "then one is");
	ok_eq(segment_topic(&d.segment), 7, "with its number");
	ok_eq(segment_epoch(&d.segment), 2, "the outages so far");
	ok_eq(segment_codec(&d.segment), CODEC_BLOB, "its codec");
	ok(d.segment.flags & OPTSAMPLE_SEGMENT_SAMPLE, "it may be sampled");
	ok(!(d.segment.flags & OPTSAMPLE_SEGMENT_STILL), "it moves");
	ok_eq(d.segment.profile, 3, "its profile");
	ok_eq(le32toh(d.segment.frame), 0, "as frame 0");
	ok_eq(le64toh(d.segment.stamp), base + 5, "its stamp");
	ok_eq(le64toh(d.segment.position), base + 5, "is its position");
	ok_eq(changes, 1, "its frame is announced");
	ok_str(a->frame_id, "base", "which is this");
	ok_eq(a->interval, 1, "at this interval, us");
	send_twist("base", base + 3, true);
	take(&d);
	ok_eq(le32toh(d.segment.frame), 1, "frame 1");
	ok(d.segment.flags & OPTSAMPLE_SEGMENT_STILL, "it stands");
	ok_eq(le64toh(d.segment.stamp), base + 3, "an older stamp");
	ok_eq(le64toh(d.segment.position), base + 6, "never steps back");
	ok_eq(changes, 1, "no news");
	send_twist("other", base + 7, false);
	ok_eq(changes, 2, "another frame is");
	ok_str(a->frame_id, "other", "announced, too");
	ok_eq(c->frames, 3, "frames are counted");
	ok_eq(c->datagrams, 3, "and datagrams");
	ok_eq(c->broken, 0, "none is broken");
	ok_eq(c->paced, 0, "nor paced");
	ok(!send_topic_busy(topic), "nothing waits");
	end();
}

static void test_broken(void)
{
	const struct send_options o = SEND_OPTIONS;
	const struct source_message s = {
		.topic = "/t", .kind = MESSAGE_TWIST_STAMPED,
		.format = MESSAGE_CDR, .data = "x", .len = 1,
	};

	begin("/twist", MESSAGE_TWIST_STAMPED, &o);
	allow((struct plan){ .hz = 0 });
	log_lines_begin(LOG_INFO);
	for (unsigned int i = 0; i < 3; i++)
		send_topic_message(topic, &s, &link_state, NULL, false);
	send_twist("base", base, false);
	send_topic_message(topic, &s, &link_state, NULL, false);
	log_lines_end();
	ok_eq(send_topic_counts(topic)->broken, 4, "messages that are none");
	ok_eq(send_topic_counts(topic)->frames, 1, "one that is good");
	ok_eq(log_lines_with("cannot send"), 2, "each time it begins is logged");
	end();
}

/* What the user changes, and what the policy gets */
static void test_options(void)
{
	struct send_options o = SEND_OPTIONS;
	struct policy_topic p;
	struct datagram d;

	o.codec = CODEC_TILES;
	begin("/twist", MESSAGE_TWIST_STAMPED, &o);
	ok_eq(send_topic_codec(topic), CODEC_BLOB,
	      "a codec of other messages is not used");
	ok_eq(send_topic_options(topic)->codec, SEND_CODEC_ANY, "but any");
	ok(send_topic_arrived(topic), "the first message ends a pause");
	ok(!send_topic_arrived(topic), "the second does not");
	ok(send_topic_hz(topic) > 0, "their rate is known");
	send_topic_change(topic, &o);
	ok_eq(send_topic_options(topic)->codec, SEND_CODEC_ANY,
	      "nor if it is set later");
	o.codec = SEND_CODEC_ANY;
	o.priority = 6;
	o.focus = true;
	o.sample = false;
	o.rate = .001;
	strcpy(o.name, "/else");
	send_topic_change(topic, &o);
	ok_str(send_topic_options(topic)->name, "", "the name stays");
	ok(send_topic_request(topic, &p), "it needs a rate");
	ok_eq(p.share.priority, 6, "with its priority");
	ok(p.share.focus, "and focus");
	ok_near(p.source.hz, .001, 0, "no more than the user wants");
	o.rate = 0;
	send_topic_change(topic, &o);
	send_topic_request(topic, &p);
	ok_near(p.source.hz, send_topic_hz(topic), 0, "or all of it");
	allow((struct plan){ .hz = 0 });
	send_twist("base", base, false);
	take(&d);
	ok(!(d.segment.flags & OPTSAMPLE_SEGMENT_SAMPLE), "never sampled");
	/* another encoder takes over */
	o.encode.bits++;
	send_topic_change(topic, &o);
	send_twist("base", base, false);
	ok(take(&d), "with other options of the encoder it goes on");
	ok_eq(le32toh(d.segment.frame), 1, "with the next frame");
	send_topic_allocate(topic, NULL);
	ok(!send_topic_plan(topic)->on, "without a rate it is off");
	o.on = false;
	send_topic_change(topic, &o);
	ok(!send_topic_request(topic, &p), "one that is off needs none");
	end();
}

/* A large message: several datagrams over the time until the next one */
static void test_image(void)
{
	const struct send_options o = SEND_OPTIONS;
	const struct send_counts *c;
	struct policy_topic p;
	struct datagram d;

	begin("/image", MESSAGE_IMAGE, &o);
	c = send_topic_counts(topic);
	allow((struct plan){ .hz = 10, .bytes = 6000, .datagrams = 5 });
	send_image(1);
	ok_eq(c->frames, 1, "an image");
	ok_range(c->bytes, 3000, 6000, "of as many bytes as planned");
	ok_range(c->datagrams, 4, 6, "in several datagrams");
	ok_eq(c->paced, 1, "that are paced");
	ok_eq(c->paced_bytes, c->bytes + c->datagrams * (52 + 28),
	      "with all headers");
	ok_range(c->paced_span, .045 * SECOND, .09 * SECOND,
		 "within the time until the next one");
	ok_str(send_topic_announcement(topic)->encoding, "mono8",
	       "its encoding is announced");
	run_until(c->datagrams);
	for (unsigned int n = 0; n < c->datagrams; n++) {
		take(&d);
		ok_eq(le16toh(d.segment.index), n, "datagram %u", n);
		ok_eq(le16toh(d.segment.count), c->datagrams, "of as many");
	}
	send_topic_request(topic, &p);
	ok_eq(p.source.pixels, 128 * 96, "the policy learns its size");
	ok_eq(p.source.bytes, 65536, "and how large it may be");
	end();
}

static void send_transform(const char *child, double x)
{
	const struct message_transform tf = {
		.header = { .stamp = base, .frame_id = message_string("odom") },
		.child_frame_id = message_string(child),
		.translation = { x, 0, 0 }, .rotation = { 0, 0, 0, 1 },
	};
	const union message m = { .tf.transforms = message_list(&tf, 1) };

	send_as(MESSAGE_TRANSFORMS, &m, false);
}

/* Static transforms are merged, sent at once, and again for a new receiver */
static void test_state(void)
{
	const struct send_options o = SEND_OPTIONS;
	char longest[300] = "";
	const struct send_counts *c;
	size_t one;

	begin("/tf_static", MESSAGE_TRANSFORMS, &o);
	c = send_topic_counts(topic);
	send_transform("laser", 1);
	ok_eq(c->frames, 0, "not before it may");
	ok(!send_topic_busy(topic), "nor does anyone wait for it");
	allow((struct plan){ .hz = 1 });
	ok(send_topic_busy(topic), "then it waits");
	send_topic_end(topic);
	ok_eq(c->frames, 1, "until the source ends");
	one = c->bytes;
	send_transform("laser", 1);
	ok_eq(c->frames, 1, "the same is not sent again");
	send_transform("camera", 2);
	ok_eq(c->frames, 2, "another one is");
	ok(c->bytes > 2 * one + 50, "with all others: it is a whole tree");
	ok(!send_topic_busy(topic), "nothing is left");
	memset(longest, 'a', 257);
	send_transform(longest, 3);
	ok_eq(c->left_out, 1, "a name that is too long");
	ok_eq(c->frames, 2, "is left out");
	send_topic_again(topic);
	run_until(5);
	ok_eq(c->frames, 5, "a new receiver gets it three times");
	end();
}

int main(void)
{
	test_small();
	test_broken();
	test_options();
	test_image();
	test_state();
	return tap_done();
}
