// SPDX-License-Identifier: GPL-2.0
/*
 * ros_tag - tag outgoing packets of robot messages with their flow, message and
 * position in the message
 *
 * In: packets at clsact egress, or at the qdisc as a direct-action filter.
 * Out: struct optsample_tag in cb[0..4], or cb[0] = 0. The program never
 * decides what happens to a packet (TC_ACT_UNSPEC).
 *
 * Tagged are packets of writers in the map `writers`, and segments whose header
 * asks for it. All other packets are ordinary traffic; RTPS among it that has
 * no data of a user's writer is marked, as it must not be dropped by age. A flow is a writer and
 * one of its destinations. Supported, over UDP and IPv4 or IPv6, with up to two
 * VLAN tags, fragmented or not:
 *
 *   RTPS	DATA, DATA_FRAG, retransmits, the writer's own control packets
 *   UDPROS	(ROS 1) over IPv4
 *   segments	of optsample-send
 *
 * and RTPS and segments in UDP GSO packets.
 *
 * Path of a packet: ros_tag() tags the next RTPS packet of a flow itself and
 * passes what cannot be a message; slow_path() handles the rest.
 *
 * Limits: control of a fifth sampled writer in a packet, or of another writer
 * than that of the new data before it, leaves with the packet; an ACKNACK in a
 * data packet is dropped with it; a writer that is removed is still tagged for
 * up to ROS_RECENT_FOR messages.
 */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <optsample/tag.h>
#include "fast.h"
#include "flows.h"
#include "found.h"
#include "ipfrag.h"
#include "parse.h"
#include "position.h"
#include "ros_tag.h"
#include "scratch.h"
#include "walk.h"

#define ROS_RESTART	(1ULL << 20)	/* further back: numbering restarted */

/* Not used by the program: declared here to be pinned with the other maps. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, ROS_RULES_MAX);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, char[ROS_PATTERN]);
	__type(value, struct ros_rule);
	__uint(pinning, LIBBPF_PIN_BY_NAME);
} topics SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64[ROS_COUNTERS]);
	__uint(pinning, LIBBPF_PIN_BY_NAME);
} counters SEC(".maps");

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

static __always_inline void tag_number(struct optsample_tag *tag,
				       __u64 message, __u64 position)
{
	tag->message = message;
	tag->pos_lo = position;
	tag->pos_hi = position >> 32;
}

/* A later IP fragment gets the tag of the first one of its datagram. */
static __always_inline void tag_fragment(struct __sk_buff *skb,
					 const struct parse_ip *ip)
{
	struct optsample_tag tag;

	if (!ipfrag_find(skb, ip, &tag)) {
		count(ROS_FRAG_OTHER);
		return;
	}
	tag_put(skb, &tag);
	count(!tag.flow ? ROS_FRAG_OTHER :
	      tag.mark & OPTSAMPLE_TAG_LAST ? ROS_LAST : ROS_FRAG);
}

/**
 * struct who - the writer of a packet, and its settings from user space
 * @w:		entry of `writers`, NULL: segments
 * @seed:	see struct ros_writer.flow
 * @profile:	see struct ros_writer
 * @by:		see struct ros_writer
 */
struct who {
	struct ros_writer	*w;
	__u32			seed;
	__u8			profile;
	__u8			by;
};

/* Return: 0 if it is not sampled */
static __always_inline int find_who(const struct found *f, struct who *who)
{
	const struct ros_name *name = &f->flow.name;

	if (found_is_segment(f)) {
		who->w = NULL;
		who->seed = ros_segment_flow(&name->writer);
		who->profile = f->profile;
		who->by = ROS_BY_NUMBER;
		return 1;
	}
	who->w = name->kind == ROS_UDPROS ?
		 bpf_map_lookup_elem(&writers, &name->writer) :
		 find_writer(&name->writer);
	if (!who->w)
		return 0;
	who->seed = who->w->flow;
	who->profile = who->w->profile;
	who->by = who->w->by;
	return 1;
}

/*
 * UDPROS: the flow counts its messages, so it must exist. A packet that is not
 * of the newest message is sent in order.
 */
static __always_inline struct ros_flow *
udpros_flow(struct found *f, struct ros_flow *flow, __u32 id)
{
	if (!flow) {
		bpf_map_update_elem(&flows, &id, &f->flow, BPF_NOEXIST);
		flow = bpf_map_lookup_elem(&flows, &id);
	}
	if (flow && f->sample && !f->mixed) {
		f->number = udpros_number(flow, f->first, f->block,
					  f->number, &f->last);
		f->sample = f->number != 0;
	}
	return flow;
}

/* Return: CONTROL, REPAIR, or 0 for new data of one message only */
static __always_inline __u32 pass_flags(const struct found *f,
					struct ros_flow *flow)
{
	if (!f->sample || f->mixed)
		return OPTSAMPLE_TAG_CONTROL;
	if (f->repair)
		return OPTSAMPLE_TAG_REPAIR;
	if (!flow || f->number >= flow->newest ||
	    flow->newest - f->number >= ROS_RESTART)
		return 0;
	/* UDPROS numbers are our own count. */
	return f->first && f->flow.name.kind != ROS_UDPROS &&
	       flow_restarts(flow, f->number) ? 0 : OPTSAMPLE_TAG_REPAIR;
}

/* New data of flow @id: store number and position; @flow is NULL if new. */
static __always_inline void flow_goes_on(struct __sk_buff *skb,
					 struct found *f,
					 const struct who *who,
					 struct ros_flow *flow, __u32 id)
{
	struct ros_flow *key = &f->flow;

	key->newest = f->number;
	if (who->by && f->first)
		key->position = position_read(skb, f, who->by, key->position);
	if (!flow) {
		bpf_map_update_elem(&flows, &id, key, BPF_ANY);
	} else {
		flow_gap(flow, key->newest);
		flow->newest = key->newest;
		flow->position = key->position;
	}
	if (who->w)
		who->w->last = id;
}

/* The tag of control; slow_others() adds other writers. */
static __always_inline void tag_control(struct optsample_tag *tag,
					const struct found *f)
{
	tag_number(tag, 0, 0);
	if (!found_is_latest(f))
		return;
	tag->mark |= OPTSAMPLE_TAG_LATEST;
	tag->message = f->beat;
}

/* Fill in the tag of a parsed packet. Return: the counter for it */
static __always_inline enum ros_counter make_tag(struct __sk_buff *skb,
						 struct found *f,
						 struct optsample_tag *tag)
{
	struct ros_flow *flow, *key = &f->flow;
	struct who who;
	__u32 id, pass;

	if (!find_who(f, &who)) {
		recent_drop(key);
		return ROS_UNTAGGED;
	}
	flow = find_flow(key, who.seed, &id);
	if (!id)
		return ROS_COLLISION;
	if (flow)
		recent_save(flow);
	if (key->name.kind == ROS_UDPROS)
		flow = udpros_flow(f, flow, id);
	pass = pass_flags(f, flow);
	tag->mark = found_mark(f, who.profile);
	tag->flow = pass ? pass_flow(who.w ? who.w->last : 0, flow, id) : id;
	key->position = flow ? flow->position : 0;
	if (!pass)
		flow_goes_on(skb, f, &who, flow, id);
	else if (!flow && tag->flow == id)
		bpf_map_update_elem(&flows, &id, key, BPF_ANY);
	if (found_is_segment(f))
		key->position = f->stamp;
	else if (!who.by)
		key->position = f->number;
	tag_number(tag, f->number, key->position);
	if (pass) {
		tag->mark |= pass;
		if (pass == OPTSAMPLE_TAG_CONTROL)
			tag_control(tag, f);
		if (f->mixed)
			return ROS_MIXED;
		return f->sample ? ROS_REPAIR : ROS_CONTROL;
	}
	if (!who.by && key->name.kind != ROS_UDPROS)
		recent_set(key, id, tag->mark);
	else if (f->first)
		recent_drop(key);
	tag->mark |= found_flags(f);
	return found_flags(f);
}

/* A packet with data only, of a flow in `recent`. Return: 1 if tagged */
static __always_inline int tag_recent(struct found *f,
				      struct optsample_tag *tag)
{
	if (!f->sample || f->mixed || f->repair ||
	    f->flow.name.kind == ROS_UDPROS)
		return 0;
	tag->flow = recent_next(&f->flow.name, f->flow.daddr6, f->number,
				&tag->mark);
	if (!tag->flow)
		return 0;
	if (found_is_segment(f))
		tag->mark = found_mark(f, f->profile);
	tag->mark |= found_flags(f);
	tag_number(tag, f->number, found_is_segment(f) ? f->stamp : f->number);
	return 1;
}

/* Fill in @tag, @f is complete. Return: the counter for it */
static __noinline enum ros_counter slow_tag(struct __sk_buff *skb,
					    struct found *f,
					    struct optsample_tag *tag)
{
	return tag_recent(f, tag) ? found_flags(f) : make_tag(skb, f, tag);
}

/* Read a packet with one sample in place. Return: as fast_read(), with @f */
static __noinline enum fast slow_read(struct __sk_buff *skb,
				      const struct parse_ip *ip,
				      struct found *f)
{
	struct fast_sample s;
	enum fast result;

	if (ip->payload >= PARSE_MAX)
		return FAST_OTHER;
	result = fast_read(skb, ip->payload, &f->flow.name, &s);
	if (result < FAST_ONE)
		return result;
	f->flow.name.daddr = ip->daddr;
	f->flow.name.kind = ip->v6 ? ROS_RTPS6 : ROS_RTPS;
	parse_daddr6(skb, ip, f->flow.daddr6);
	f->known = 1;
	f->data = !rtps_entity_special(f->flow.name.writer.entity);
	f->number = s.sn;
	f->sample = 1;
	f->first = s.flags & OPTSAMPLE_TAG_FIRST;
	f->last = s.flags & OPTSAMPLE_TAG_LAST;
	f->stamp = s.time;
	f->payload = s.payload;
	f->limit = s.limit;
	f->qos = s.qos;
	f->little = 1;
	return result;
}

/* The start of a UDP datagram. Return: the counter for it, with @s->tag */
static __always_inline enum ros_counter slow_inspect(struct __sk_buff *skb,
						     const struct parse_ip *ip,
						     enum fast result,
						     struct scratch *s)
{
	struct optsample_tag *tag = &s->tag;
	struct found *f = &s->found;
	enum ros_counter what;

	__builtin_memset(f, 0, sizeof(*f));
	if (result != FAST_WALK)
		result = slow_read(skb, ip, f);
	if (result == FAST_OTHER)
		return ROS_COUNTERS;
	if (result != FAST_WALK) {
		what = slow_tag(skb, f, tag);
		/* A heartbeat of a sampled writer may follow. */
		if (what != ROS_UNTAGGED || result == FAST_ONE)
			return what;
	}
	if (walk_packet(skb, ip, s))
		return slow_tag(skb, f, tag);
	if (!f->known)
		return ROS_COUNTERS;
	return f->bad ? ROS_MALFORMED : ROS_UNTAGGED;
}

/* Flow of another writer in the packet, to the same destination */
static __always_inline __u32 other_flow(const struct found *f,
					const struct found_other *o)
{
	struct ros_flow *flow;
	__u32 id;

	if (!o->seed)
		return 0;
	id = ros_flow_id(o->seed, f->flow.name.daddr, f->flow.name.dport, 0);
	flow = bpf_map_lookup_elem(&flows, &id);
	if (flow)
		recent_save(flow);
	return pass_flow(o->last, flow, id);
}

/* Control of several writers waits behind the data of each of them. */
static __noinline void slow_others(const struct found *f,
				   struct optsample_tag *tag)
{
	tag->message = other_flow(f, &f->other[0]);
	tag->pos_lo = other_flow(f, &f->other[1]);
	tag->pos_hi = other_flow(f, &f->other[2]);
}

/* Out of line, so that its stack is not part of slow_path()'s. */
static __noinline void slow_first_fragment(struct __sk_buff *skb,
					   const struct parse_ip *ip,
					   struct optsample_tag *tag)
{
	ipfrag_note(skb, ip, tag);
}

static __noinline void slow_fragment(struct __sk_buff *skb,
				     const struct parse_ip *ip)
{
	tag_fragment(skb, ip);
}

/* Ordinary traffic that the qdisc does not drop by age: see struct tag */
static __always_inline void tag_lasts(struct __sk_buff *skb,
				      const struct parse_ip *ip,
				      struct optsample_tag *tag)
{
	__builtin_memset(tag, 0, sizeof(*tag));
	tag->mark = OPTSAMPLE_TAG_MARK | OPTSAMPLE_TAG_CONTROL;
	if (ip->frag_off & IPV4_MF)
		slow_first_fragment(skb, ip, tag);
	tag_put(skb, tag);
}

/* A UDP datagram, or its start. Return: the counter, increased if tagged */
static __always_inline enum ros_counter slow_datagram(struct __sk_buff *skb,
						      const struct parse_ip *ip,
						      enum fast result)
{
	struct scratch *s = scratch_take();
	enum ros_counter what;

	if (!s)
		return ROS_BUSY;
	what = slow_inspect(skb, ip, result, s);
	if (what < ROS_FRAG_OTHER) {
		if (s->found.others && s->tag.mark & OPTSAMPLE_TAG_CONTROL)
			slow_others(&s->found, &s->tag);
		if (ip->frag_off & IPV4_MF)
			slow_first_fragment(skb, ip, &s->tag);
		tag_put(skb, &s->tag);
		count(what);
	} else if (what == ROS_UNTAGGED && found_is_control(&s->found)) {
		tag_lasts(skb, ip, &s->tag);
	}
	scratch_give(s);
	return what;
}

/*
 * Any packet but the next one of an RTPS flow over IPv4
 * @result: FAST_WALK if fast_read() refused it, FAST_ONE if it may read it
 */
GLOBAL int slow_path(struct __sk_buff *skb, enum fast result)
{
	enum ros_counter what;
	struct parse_ip ip;

	if (!parse_udp(skb, &ip))
		return 0;
	if (ip.frag_off & IPV4_OFFSET) {
		slow_fragment(skb, &ip);
		return 0;
	}
	what = slow_datagram(skb, &ip, result);
	if (what < ROS_FRAG_OTHER)
		return 1;
	/* ROS_COUNTERS: of no known format, not counted */
	if (what < ROS_COUNTERS)
		count(what);
	if (ip.frag_off & IPV4_MF && !skb->cb[0])
		ipfrag_forget(skb, &ip);
	return 0;
}

/*
 * The first IP fragment of a datagram: store the tag for the others. By value
 * and out of line: fast_path() keeps its state in registers.
 * @header:	offset of the IP header
 * Return: @mark as it is for the first one
 */
static __noinline __u32 fast_fragment(struct __sk_buff *skb, __u16 header,
				      __u32 mark, __u32 flow, __u64 sn)
{
	struct optsample_tag tag = { .mark = mark, .flow = flow };
	struct parse_ip ip = { .header = header };

	tag_number(&tag, sn, sn);
	ipfrag_note(skb, &ip, &tag);
	return tag.mark;
}

/*
 * The next packet of an RTPS flow over IPv4: nearly all packets to tag
 * Return: FAST_TAGGED; FAST_OTHER: no message; else @result for slow_path()
 */
static __always_inline enum fast fast_path(struct __sk_buff *skb,
					   const struct parse_ip *ip)
{
	struct optsample_tag tag;	/* stays in registers */
	struct fast_sample s;
	struct ros_name name;
	enum fast result;

	result = fast_read(skb, ip->payload, &name, &s);
	if (result < FAST_ONE)
		return result;
	name.daddr = ip->daddr;
	name.kind = ROS_RTPS;
	name.pad = 0;
	/* In memory it is compared in fewer instructions. */
	asm volatile("" : "+m"(name));
	tag.flow = recent_next(&name, NULL, s.sn, &tag.mark);
	if (!tag.flow)
		return FAST_ONE;
	tag.mark |= s.flags;
	tag_number(&tag, s.sn, s.sn);
	if (ip->frag_off & IPV4_MF)
		tag.mark = fast_fragment(skb, ip->header, tag.mark, tag.flow,
					 s.sn);
	tag_put(skb, &tag);
	count(s.flags);
	return FAST_TAGGED;
}

SEC("tc")
int ros_tag(struct __sk_buff *skb)
{
	struct parse_ip ip;

	skb->cb[0] = 0;
	if (skb->protocol != bpf_htons(ETH_P_IP)) {
		slow_path(skb, FAST_ONE);
		return TC_ACT_UNSPEC;
	}
	if (!parse_ipv4_udp(skb, &ip))
		return TC_ACT_UNSPEC;
	if (ip.frag_off & IPV4_OFFSET) {
		tag_fragment(skb, &ip);
		return TC_ACT_UNSPEC;
	}
	/* Constant arguments: else clang tests the value repeatedly. */
	switch (fast_path(skb, &ip)) {
	case FAST_TAGGED:
		break;
	case FAST_OTHER:
		if (ip.frag_off & IPV4_MF)
			ipfrag_forget(skb, &ip);
		break;
	case FAST_WALK:
		slow_path(skb, FAST_WALK);
		break;
	default:
		slow_path(skb, FAST_ONE);
		break;
	}
	return TC_ACT_UNSPEC;
}

char _license[] SEC("license") = "GPL";
