// SPDX-License-Identifier: GPL-2.0
/*
 * ros_tag - names flow, message and first and last packet of the robot
 * messages that leave an interface
 *
 * In: packets at clsact egress, or at the qdisc as a direct-action filter.
 * Out: struct optsample_tag in cb[0..4], or cb[0] = 0. The fate of a packet
 * is never decided here (TC_ACT_UNSPEC).
 *
 * Only writers in the map `writers` are tagged. What cannot be read, or
 * holds nothing of theirs, is ordinary traffic. A flow is a writer and one
 * of its destinations, the message number and position are the sequence
 * number. Understood: RTPS over IPv4 and UDP, DATA and DATA_FRAG, IP
 * fragments, retransmits, and the writer's own control packets.
 *
 * Limits: a packet with control of two sampled writers goes with the first;
 * an ACKNACK in a data packet shares its fate; UDP GSO is left untagged; a
 * writer that is taken out is tagged for up to ROS_RECENT_FOR messages more.
 */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <optsample/tag.h>
#include "fast.h"
#include "flows.h"
#include "ipfrag.h"
#include "parse.h"
#include "ros_tag.h"
#include "rtps.h"

#define ROS_RESTART	(1ULL << 20)	/* further back: numbering restarted */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, ROS_WRITERS_MAX);
	__type(key, struct ros_guid);
	__type(value, struct ros_writer);
	__uint(pinning, LIBBPF_PIN_BY_NAME);
} writers SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64[ROS_COUNTERS]);
	__uint(pinning, LIBBPF_PIN_BY_NAME);
} counters SEC(".maps");

/**
 * struct found - what was found in a packet so far
 * @flow:	its writer, once @writer is set; the prefix of it before
 * @sn:		of the sample
 * @writer:	there is a sampled writer
 * @sample:	there is a sample of it; else only control
 * @first:	the sample begins,
 * @last:	and ends in this packet
 * @repair:	it is for one reader that asked for it
 * @mixed:	there are samples of others, too
 * @bad:	the packet is broken
 *
 * The verifier of 6.1 looks at the body of bpf_loop() once, with the values
 * at its start, and removes what those rule out. None of these may look
 * constant then: see unknown_zero().
 */
struct found {
	struct ros_flow	flow;
	__u64		sn;
	__u8		writer;
	__u8		sample;
	__u8		first;
	__u8		last;
	__u8		repair;
	__u8		mixed;
	__u8		bad;
};

static __always_inline void count(enum ros_counter what)
{
	__u32 key = 0;
	__u64 *c = bpf_map_lookup_elem(&counters, &key);

	if (c)
		c[what]++;
}

static __always_inline void tag_put(struct __sk_buff *skb,
				    const struct optsample_tag *tag)
{
	skb->cb[0] = tag->mark;
	skb->cb[1] = tag->flow;
	skb->cb[2] = tag->message;
	skb->cb[3] = tag->pos_lo;
	skb->cb[4] = tag->pos_hi;
}

/* Return: the writer if it is sampled, else NULL */
static __always_inline struct ros_writer *
find_writer(const struct ros_guid *guid)
{
	if (rtps_entity_special(guid->entity))
		return NULL;
	return bpf_map_lookup_elem(&writers, guid);
}

/* Is @entity of the participant in @guid sampled? Completes @guid. */
static __always_inline int is_sampled(struct ros_guid *guid, __u32 entity)
{
	guid->entity = entity;
	return find_writer(guid) != NULL;
}

/*
 * A sample: it joins what was found before it, or makes the packet one that
 * must not be sampled, because it holds data of somebody else, too.
 */
static __always_inline void add_sample(struct found *f,
				       const struct rtps_sub *s, int repair)
{
	if (f->sample) {
		if (f->sn != s->sn || f->flow.writer.entity != s->writer) {
			f->mixed = 1;
			return;
		}
		f->first |= s->first;
		f->last |= s->last;
		return;
	}
	if (f->writer ? f->flow.writer.entity != s->writer :
			!is_sampled(&f->flow.writer, s->writer)) {
		f->mixed = 1;
		return;
	}
	f->writer = 1;
	f->sample = 1;
	f->sn = s->sn;
	f->first = s->first;
	f->last = s->last;
	f->repair = repair;
}

/* Zeros where the packet ends. Return: negative if there is no submessage */
static __always_inline int load_sub(struct __sk_buff *skb, __u32 off,
				    __u32 end, __u8 *b)
{
	__u32 n = end - off;

	if (n >= RTPS_SUB_MAX)
		return bpf_skb_load_bytes(skb, off, b, RTPS_SUB_MAX);
	__builtin_memset(b, 0, RTPS_SUB_MAX);
	if (n >= 24)
		return bpf_skb_load_bytes(skb, off, b, 24);
	if (n >= 12)
		return bpf_skb_load_bytes(skb, off, b, 12);
	return bpf_skb_load_bytes(skb, off, b, RTPS_SUB_HEADER);
}

/*
 * A walk over the submessages of a datagram
 * @off:	where the walk is
 * @here:	where the packet ends, and
 * @end:	the datagram: the packet may be its first fragment only
 */
struct walk {
	struct __sk_buff	*skb;
	struct found		*found;
	__u32			off;
	__u32			here;
	__u32			end;
	__u8			cyclone;
	__u8			directed;
};

/* Return: 0 to go on, 1 at the end (bpf_loop) */
static long walk_step(__u32 i, void *ctx)
{
	struct walk *w = ctx;
	struct found *f = w->found;
	__u8 b[RTPS_SUB_MAX] __attribute__((aligned(4)));
	struct rtps_sub s;

	(void)i;
	if (w->off + RTPS_SUB_HEADER > w->here ||
	    load_sub(w->skb, w->off, w->here, b))
		return 1;
	rtps_submessage(b, w->end - w->off, &s);
	switch (s.kind) {
	case RTPS_KIND_SAMPLE:
		/* Fast DDS addresses everything to one reader. */
		add_sample(f, &s, w->cyclone && w->directed && s.reader);
		break;
	case RTPS_KIND_CONTROL:
		if (!f->writer)
			f->writer = is_sampled(&f->flow.writer, s.writer);
		break;
	case RTPS_KIND_DIRECTED:
		w->directed = 1;
		break;
	case RTPS_KIND_BAD:
		f->bad = 1;
		return 1;
	case RTPS_KIND_STOP:
		return 1;
	default:
		break;
	}
	w->off += s.size;
	return !s.size;
}

/*
 * Control and repairs must wait behind the writer's data. They go with the
 * data to the same place, unless the data has moved on to another one:
 * data by multicast, heartbeats to each reader by unicast. (With a copy for
 * each reader, one of them is a message ahead for a moment.)
 */
static __always_inline __u32 pass_flow(const struct ros_writer *w,
				       const struct ros_flow *flow, __u32 id)
{
	struct ros_flow *last = NULL;
	__u32 to = w->last;

	if (to && to != id)
		last = bpf_map_lookup_elem(&flows, &to);
	if (!last)
		return id;
	recent_save(last);
	return flow && flow->newest + 1 >= last->newest ? id : to;
}

/* Fill in the tag of what was found. Return: what to count it as */
static __noinline enum ros_counter make_tag(struct found *f,
					    struct ros_writer *w,
					    struct optsample_tag *tag)
{
	struct ros_flow *flow, *key = &f->flow;
	enum ros_counter what;
	__u64 back = 0;
	__u32 id;

	flow = find_flow(key, w->flow, &id);
	if (!id)
		return ROS_COLLISION;
	if (flow)
		recent_save(flow);
	tag->mark = OPTSAMPLE_TAG_MARK;
	tag->message = f->sn;
	tag->pos_lo = f->sn;
	tag->pos_hi = f->sn >> 32;
	if (f->sample && flow && f->sn < flow->newest)
		back = flow->newest - f->sn;
	if (!f->sample || f->mixed)
		tag->mark |= OPTSAMPLE_TAG_CONTROL;
	else if (f->repair || (back && back < ROS_RESTART))
		tag->mark |= OPTSAMPLE_TAG_REPAIR;
	key->newest = 0;
	if (tag->mark != OPTSAMPLE_TAG_MARK) {
		tag->flow = pass_flow(w, flow, id);
		if (!flow && tag->flow == id)
			bpf_map_update_elem(&flows, &id, key, BPF_ANY);
		if (f->mixed)
			return ROS_MIXED;
		return f->sample ? ROS_REPAIR : ROS_CONTROL;
	}
	tag->flow = id;
	key->newest = f->sn;
	if (!flow)
		bpf_map_update_elem(&flows, &id, key, BPF_ANY);
	else
		flow->newest = f->sn;
	w->last = id;
	recent_set(key, id);
	what = (f->first ? OPTSAMPLE_TAG_FIRST : 0) |
	       (f->last ? OPTSAMPLE_TAG_LAST : 0);
	tag->mark |= what;
	return what;
}

/* 0, as ros_tag() has written it, but the verifier does not know */
static __always_inline __u8 unknown_zero(struct __sk_buff *skb)
{
	return ((volatile struct __sk_buff *)skb)->cb[0];
}

/*
 * All submessages of a UDP datagram, one after the other. Out of line: the
 * short way shall not pay for its registers and its stack.
 * Return: 1 with @f filled in, or 0
 */
static __noinline int classify_walk(struct __sk_buff *skb, __u32 payload,
				    struct found *f)
{
	struct {
		struct udphdr	udp;
		__u8		rtps[RTPS_HEADER];
	} h;
	__u8 zero = unknown_zero(skb);
	struct walk w = {
		.skb = skb,
		.found = f,
		.off = payload + sizeof(h),
		.directed = zero,
	};
	__u32 len;

	if (bpf_skb_load_bytes(skb, payload, &h, sizeof(h)) ||
	    rtps_u32(h.rtps, 0) != RTPS_MAGIC)
		return 0;
	len = bpf_ntohs(h.udp.len);
	if (h.rtps[4] != 2 || len < sizeof(h)) {
		count(ROS_MALFORMED);
		return 0;
	}
	f->flow.writer.entity = zero;
	f->sn = zero;
	f->writer = zero;
	f->sample = zero;
	f->first = zero;
	f->last = zero;
	f->repair = zero;
	f->mixed = zero;
	f->bad = zero;
	__builtin_memcpy(f->flow.writer.prefix, h.rtps + 8,
			 sizeof(f->flow.writer.prefix));
	f->flow.dport = h.udp.dest;
	if (!skb->gso_size) {
		w.end = payload + len;
		w.here = w.end < skb->len ? w.end : skb->len;
		w.cyclone = h.rtps[6] == 1 &&
			    h.rtps[7] == RTPS_VENDOR_CYCLONE;
		bpf_loop(RTPS_SUBMESSAGES, walk_step, &w, 0);
	}
	if (f->bad || !f->writer) {
		count(f->bad ? ROS_MALFORMED : ROS_UNTAGGED);
		return 0;
	}
	return 1;
}

/* The tag of the packet is @tag: leave it, and what fragments need of it. */
static __always_inline int tagged(struct __sk_buff *skb,
				  const struct parse_ip *ip,
				  enum ros_counter what,
				  struct optsample_tag *tag)
{
	if (ip->frag_off & IPV4_MF)
		ipfrag_note(ip, tag);
	count(what);
	tag_put(skb, tag);
	return 1;
}

/*
 * A packet of one sample, its flow in @f, that @r may know
 * Return: 1 if it has a tag now, or 0
 */
static __always_inline int classify_recent(struct __sk_buff *skb,
					   const struct parse_ip *ip,
					   const struct found *f, __u32 flags,
					   struct ros_recent *r, __u32 hash)
{
	struct optsample_tag tag;	/* stays in registers */
	__u32 id = r ? recent_next(r, hash, &f->flow, f->sn) : 0;

	if (!id)
		return 0;
	tag.mark = OPTSAMPLE_TAG_MARK | flags;
	tag.flow = id;
	tag.message = f->sn;
	tag.pos_lo = f->sn;
	tag.pos_hi = f->sn >> 32;
	return tagged(skb, ip, flags, &tag);
}

/*
 * A packet of one sample, its flow in @f. @r: the slot of that
 * Return: what to count it as, with @tag filled in
 */
static __always_inline enum ros_counter classify_one(struct found *f,
						     __u32 flags,
						     struct ros_recent *r,
						     struct optsample_tag *tag)
{
	struct ros_writer *w = find_writer(&f->flow.writer);

	if (!w) {
		recent_drop(r, &f->flow);
		return ROS_UNTAGGED;
	}
	f->sample = 1;
	f->first = flags & OPTSAMPLE_TAG_FIRST;
	f->last = flags & OPTSAMPLE_TAG_LAST;
	f->repair = 0;
	f->mixed = 0;
	return make_tag(f, w, tag);
}

/* The start of a UDP datagram. Return: 1 if it has a tag now, or 0 */
static __always_inline int classify(struct __sk_buff *skb,
				    const struct parse_ip *ip)
{
	enum ros_counter what = ROS_UNTAGGED;
	struct optsample_tag tag;
	struct ros_recent *r;
	struct ros_writer *w;
	struct found f;
	__u32 flags, hash;
	enum fast way;

	way = fast_read(skb, ip->payload, &f.flow, &f.sn, &flags);
	if (way == FAST_OTHER)
		return 0;
	f.flow.daddr = ip->daddr;
	f.flow.pad = 0;
	if (way != FAST_WALK) {
		hash = ros_recent_hash(&f.flow);
		r = recent_slot(hash);
		if (classify_recent(skb, ip, &f, flags, r, hash))
			return 1;
		what = classify_one(&f, flags, r, &tag);
	}
	/* A heartbeat behind the sample of another writer */
	if (what == ROS_UNTAGGED && way != FAST_ONE) {
		if (!classify_walk(skb, ip->payload, &f))
			return 0;
		w = find_writer(&f.flow.writer);
		/* or taken out just now */
		what = w ? make_tag(&f, w, &tag) : ROS_UNTAGGED;
	}
	if (what == ROS_COLLISION || what == ROS_UNTAGGED) {
		count(what);
		return 0;
	}
	return tagged(skb, ip, what, &tag);
}

SEC("tc")
int ros_tag(struct __sk_buff *skb)
{
	struct optsample_tag tag;
	struct parse_ip ip;

	skb->cb[0] = 0;
	if (!parse_ipv4_udp(skb, &ip))
		return TC_ACT_UNSPEC;
	if (!(ip.frag_off & IPV4_OFFSET)) {
		if (!classify(skb, &ip) && ip.frag_off & IPV4_MF)
			ipfrag_forget(&ip);
	} else if (!ipfrag_find(&ip, &tag)) {
		count(ROS_FRAG_OTHER);
	} else {
		count(tag.mark & OPTSAMPLE_TAG_LAST ? ROS_LAST : ROS_FRAG);
		tag_put(skb, &tag);
	}
	return TC_ACT_UNSPEC;
}

char _license[] SEC("license") = "GPL";
