// SPDX-License-Identifier: GPL-2.0-only
/*
 * The segments of optsample-send.
 */
#include <optsample/segment.h>
#include <string.h>
#include "harness.h"

static const struct optsample_segment one = PACKET_SEGMENT(
	.profile = 7,
	.stream = 0x1122334455667788,
	.topic = 3,
	.frame = 1,
	.count = 3,
	.position = 0x123456789aLL
);

static void build(struct packet *p, const struct optsample_segment *s)
{
	packet_udp(p, 2, 4711);
	packet_segment(p, s, 1000);
	packet_end(p, 0);
}

static int send_segment(const struct optsample_segment *s,
			struct optsample_tag *t)
{
	struct packet p;

	build(&p, s);
	return flags(&p, t);
}

static void tags(void)
{
	struct optsample_segment s = one;
	struct optsample_tag t, head;
	struct ros_flow flow;
	struct packet p;

	fresh();
	WANT(send_segment(&s, &head) == (SELF | FIRST));
	WANT((head.mark & 0xff00) == OPTSAMPLE_TAG_PROFILE(7));
	WANT(head.message == 1);
	WANT(head.pos_lo == 0x3456789a && head.pos_hi == 0x12);
	s.index = 1;
	WANT(send_segment(&s, &t) == SELF && t.flow == head.flow);
	s.index = 2;
	WANT(send_segment(&s, &t) == (SELF | LAST) && t.flow == head.flow);
	for (s.frame = 0xfffffff0; s.frame != 3 * ROS_RECENT_FOR; s.frame++) {
		s.index = 0;
		WANT(send_segment(&s, &t) == (SELF | FIRST) &&
		     t.flow == head.flow);
		s.index = 2;
		WANT(send_segment(&s, &t) == (SELF | LAST) &&
		     t.message == s.frame);
	}
	s.count = 1;
	s.index = 0;
	WANT(send_segment(&s, &t) == (SELF | FIRST | LAST));
	WANT(!bpf_map_lookup_elem(bpf.flows, &t.flow, &flow));
	WANT(flow.name.kind == ROS_SEGMENT);
	WANT(flow.name.writer.entity == ROS_ENTITY_SEGMENT);
	WANT(!memcmp(flow.name.writer.prefix, &s.stream, 12));
	s.topic++;
	WANT(send_segment(&s, &t) == (SELF | FIRST | LAST) &&
	     t.flow != head.flow);
	build(&p, &s);
	packet_ipv6(&p, 0);
	WANT(flags(&p, &head) == (SELF | FIRST | LAST) &&
	     t.flow != head.flow);
	WANT(!bpf_map_lookup_elem(bpf.flows, &head.flow, &flow));
	WANT(flow.name.kind == ROS_SEGMENT6);
	done("segments: first, middle, last; position, profile, name");
}

static void refused(void)
{
	struct optsample_segment s = one;
	uint64_t bad = counted(ROS_MALFORMED);
	struct packet p;

	fresh();
	s.flags = 0;
	WANT(send_segment(&s, NULL) == NONE);
	s.flags = OPTSAMPLE_SEGMENT_SAMPLE;
	s.version++;
	WANT(send_segment(&s, NULL) == NONE);
	WANT(counted(ROS_MALFORMED) == bad);
	s = one;
	s.index = 3;
	WANT(send_segment(&s, NULL) == NONE);
	s = one;
	s.count = 0;
	WANT(send_segment(&s, NULL) == NONE);
	s = one;
	s.header--;
	WANT(send_segment(&s, NULL) == NONE);
	s.header = 200;
	packet_udp(&p, 2, 4711);
	packet_segment(&p, &s, 100);
	packet_end(&p, 0);
	WANT(flags(&p, NULL) == NONE);
	build(&p, &one);
	p.len = 80;
	packet_end(&p, 0);
	WANT(flags(&p, NULL) == NONE);
	WANT(counted(ROS_MALFORMED) == bad + 5);
	done("segments: not to be sampled, another version, bad headers");
}

void test_segments(void)
{
	tags();
	refused();
}
