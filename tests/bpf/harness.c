// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets through the classifier by BPF_PROG_TEST_RUN, and TAP.
 */
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <stdlib.h>
#include <string.h>
#include "harness.h"

struct tap tap;

void done(const char *name)
{
	printf("%sok %d - %s\n", tap.why ? "not " : "", ++tap.n, name);
	if (tap.why) {
		printf("# failed: %s\n", tap.why);
		tap.failed++;
	}
	tap.why = NULL;
}

int tag_of(const struct packet *p, struct optsample_tag *tag)
{
	struct __sk_buff in = {}, out = {};
	struct packet copy;
	LIBBPF_OPTS(bpf_test_run_opts, o,
		.data_in = p->data,
		.data_size_in = p->len,
		.data_out = copy.data,
		.data_size_out = sizeof(copy.data),
		.ctx_in = &in,
		.ctx_size_in = sizeof(in),
		.ctx_out = &out,
		.ctx_size_out = sizeof(out),
		.repeat = 1,
	);

	/* Leftovers that look like a tag */
	in.cb[0] = OPTSAMPLE_TAG_MARK | FIRST | LAST;
	in.cb[1] = 0xdeadbeef;
	in.gso_size = p->gso;
	in.gso_segs = p->gso ? (p->len - p->udp - 8 + p->gso - 1) / p->gso : 0;
	if (bpf_prog_test_run_opts(bpf.prog, &o))
		return -errno;
	if ((int)o.retval != TC_ACT_UNSPEC || o.data_size_out != p->len ||
	    memcmp(copy.data, p->data, p->len))
		return -EBADMSG;
	memcpy(tag, out.cb, sizeof(*tag));
	if (!tag->mark)
		memset(tag, 0, sizeof(*tag));
	return 0;
}

bool lasts;

int flags(const struct packet *p, struct optsample_tag *tag)
{
	struct optsample_tag t;

	lasts = false;
	WANT(tag_of(p, &t) == 0);
	if (tag)
		*tag = t;
	if (!t.mark)
		return NONE;
	WANT((t.mark & OPTSAMPLE_TAG_MARK_MASK) == OPTSAMPLE_TAG_MARK);
	lasts = !t.flow;
	if (lasts) {
		WANT(t.mark == (OPTSAMPLE_TAG_MARK | OPTSAMPLE_TAG_CONTROL));
		WANT(!t.message && !t.pos_lo && !t.pos_hi);
		if (tag)
			memset(tag, 0, sizeof(*tag));
		return NONE;
	}
	return t.mark & 0x3f;	/* without profile */
}

void opt_in_as(const uint8_t *prefix, uint32_t entity,
	       const struct ros_writer *w)
{
	struct ros_guid guid;

	memcpy(guid.prefix, prefix, sizeof(guid.prefix));
	guid.entity = __builtin_bswap32(entity);
	if (bpf_map_update_elem(bpf.writers, &guid, w, BPF_ANY))
		abort();
}

void opt_in(const uint8_t *prefix, uint32_t entity, uint32_t number)
{
	opt_in_as(prefix, entity, &(struct ros_writer){ .flow = number });
}

void opt_in_udpros(const struct packet *p, const struct ros_writer *w)
{
	/* both addresses and both ports, one behind the other */
	opt_in_as(p->data + 26, ROS_ENTITY_UDPROS, w);
}

void fresh(void)
{
	program_clear();
	opt_in(packet_prefix, PACKET_WRITER, 1);
}

uint64_t counted(enum ros_counter what)
{
	int cpus = libbpf_num_possible_cpus();
	uint64_t v[cpus][ROS_COUNTERS], sum = 0;
	uint32_t key = 0;

	if (bpf_map_lookup_elem(bpf.counters, &key, v))
		abort();
	for (int i = 0; i < cpus; i++)
		sum += v[i][what];
	return sum;
}

void data(struct packet *p, int64_t sn)
{
	packet_rtps(p, 2, 7411, CYCLONE);
	packet_info_ts(p);
	packet_data(p, 0, PACKET_WRITER, sn, 100);
	packet_end(p, 0);
}

void datagram(struct packet *p, int64_t sn, uint32_t start)
{
	struct frag f = { start, 1, 1300, 1300 * 3 };

	packet_rtps(p, 2, 7411, CYCLONE);
	packet_data_frag(p, 0, PACKET_WRITER, sn, &f, 1300);
	packet_end(p, 0);
}
