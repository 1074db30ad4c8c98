/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The walk over all parts of a packet: its datagrams, of which there are
 * several if the stack left segmentation to the device (UDP GSO), and in RTPS
 * their submessages.
 *
 * Bytes are copied from the packet, also from its pages. A step is a function
 * with external linkage (global.h). This bounds the work of the verifier and
 * keeps that of 6.1 from treating values of the first step as constants.
 */
#ifndef OPTSAMPLE_WALK_H
#define OPTSAMPLE_WALK_H

#include <linux/bpf.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include "bytes.h"
#include "found.h"
#include "parse.h"
#include "rtps.h"
#include "scratch.h"
#include "segments.h"
#include "udpros.h"

enum {
	WALK_STEPS	= 1 + RTPS_SUBMESSAGES,
#ifdef ROS_TAG_NO_BTF
	WALK_STEPS_GSO	= WALK_STEPS,
#else
	WALK_STEPS_GSO	= 512,
#endif
	WALK_MIN	= 8,	/* bytes needed to detect the format */
};

/* Padded with zeros. Return: negative if there is no submessage */
static __always_inline int walk_load_sub(struct __sk_buff *skb, __u32 off,
					 __u32 end, __u8 *b)
{
	__u32 n = end - off;

	if (n >= RTPS_SUB_MAX)
		return bpf_skb_load_bytes(skb, off, b, RTPS_SUB_MAX);
	__builtin_memset(b, 0, RTPS_SUB_MAX);
	if (n < RTPS_SUB_HEADER)
		return -1;
	/* Repeated for the verifier of 6.1 */
	barrier_var(n);
	n = RTPS_SUB_HEADER + ((n - RTPS_SUB_HEADER) & 31);
	return bpf_skb_load_bytes(skb, off, b, n);
}

static __always_inline void walk_sample(const struct walk *w, struct found *f,
					int fresh, const struct rtps_sub *s,
					const __u8 *b)
{
	/* Not from Fast DDS, which addresses everything to one reader */
	if (fresh)
		f->repair = w->cyclone && w->directed && s->reader;
	f->last |= s->last;
	if (!s->first || f->first)
		return;
	f->first = 1;
	f->stamp = w->time;
	f->payload = w->off + s->payload;
	f->limit = s->size ? w->off + s->size : w->end;
	f->qos = b[1] & RTPS_FLAG_QOS;
	f->little = b[1] & RTPS_FLAG_LITTLE;
}

/* Hash of a heartbeat and its destination (a flow has several); not 0 */
static __always_inline __u32 walk_beat(const struct walk *w,
				       const struct found *f, const __u8 *b)
{
	__u32 h = rtps_beat_hash(b);

	for (int i = 0; i < 3; i++)
		h = ros_hash(h, w->dst[i]);
	for (int i = 0; w->v6 && i < 4; i++)
		h = ros_hash(h, bytes_word(f->flow.daddr6 + 4 * i));
	h = ros_hash(h, f->flow.name.daddr);
	h = ros_hash(h, f->flow.name.dport);
	return h ? h : 1;
}

/* A sample, or control */
static __always_inline void walk_writer(const struct walk *w, struct found *f,
					const struct ros_guid *guid,
					const struct rtps_sub *s,
					const __u8 *b)
{
	const int own = f->writer && same_guid(&f->flow.name.writer, guid);
	const struct ros_writer *writer = own ? NULL : find_writer(guid);
	const int fresh = !f->sample;

	if (s->kind == RTPS_KIND_SAMPLE && !rtps_entity_special(guid->entity))
		f->data = 1;
	if (s->beat && !f->beat && (own || (writer && !f->writer)))
		f->beat = walk_beat(w, f, b);
	else
		f->more = 1;
	if (s->kind == RTPS_KIND_SAMPLE &&
	    found_joins(f, guid, own || writer, s->sn)) {
		walk_sample(w, f, fresh, s, b);
	} else if (writer && f->writer) {
		found_other(f, writer);
	} else if (writer) {
		f->flow.name.writer = *guid;
		f->writer = 1;
	}
}

static __always_inline void walk_directed(struct walk *w, struct found *f,
					  const struct rtps_sub *s,
					  const __u8 *b)
{
	w->directed = 1;
	for (int i = 0; i < 3; i++)
		w->dst[i] = bytes_word(b + RTPS_SUB_HEADER + 4 * i);
	/* It is too short for a participant. */
	if (s->size && s->size < RTPS_SUB_HEADER + RTPS_INFO_DST_BODY)
		f->more = 1;
}

/* Return: 0 to go on, 1 at the end of the datagram */
static __always_inline int walk_submessage(struct __sk_buff *skb,
					   struct walk *w, struct found *f)
{
	__u8 b[RTPS_SUB_MAX] __attribute__((aligned(4)));
	struct ros_guid guid;
	struct rtps_sub s;

	if (w->off >= w->here || walk_load_sub(skb, w->off, w->here, b))
		return 1;
	rtps_submessage(b, w->end - w->off, &s);
	guid = w->guid;
	guid.entity = s.writer;
	switch (s.kind) {
	case RTPS_KIND_SAMPLE:
	case RTPS_KIND_CONTROL:
		walk_writer(w, f, &guid, &s, b);
		break;
	case RTPS_KIND_DIRECTED:
		walk_directed(w, f, &s, b);
		break;
	case RTPS_KIND_TIME:
		w->time = s.time;
		break;
	case RTPS_KIND_BAD:
		f->bad = 1;
		return 1;
	case RTPS_KIND_STOP:
		f->mixed = 1;	/* some parts cannot be read */
		f->data = 1;
		return 1;
	default:
		f->more |= !(b[0] == RTPS_PAD ||
			     (b[0] == RTPS_STATISTICS && w->fastdds));
		break;
	}
	w->off += s.size;
	return !s.size;
}

/* Return: 0 to go on with its submessages, 1 if it has none */
static __always_inline int walk_rtps(struct __sk_buff *skb, struct walk *w,
				     struct found *f)
{
	__u8 h[RTPS_HEADER] __attribute__((aligned(4)));

	if (w->off + RTPS_HEADER > w->here ||
	    bpf_skb_load_bytes(skb, w->off, h, sizeof(h)) || h[4] != 2) {
		f->bad = 1;
		return 1;
	}
	w->off += RTPS_HEADER;
	__builtin_memcpy(w->guid.prefix, h + 8, sizeof(w->guid.prefix));
	w->cyclone = h[6] == 1 && h[7] == RTPS_VENDOR_CYCLONE;
	w->fastdds = h[6] == 1 && h[7] == RTPS_VENDOR_FASTDDS;
	w->directed = 0;
	__builtin_memset(w->dst, 0, sizeof(w->dst));
	f->more |= w->here != w->end;
	w->time = 0;
	return 0;
}

static __always_inline void walk_segment(struct __sk_buff *skb,
					 const struct walk *w,
					 struct found *f)
{
	struct optsample_segment s;
	struct ros_guid guid;

	if (w->off + sizeof(s) > w->here ||
	    bpf_skb_load_bytes(skb, w->off, &s, sizeof(s))) {
		f->bad = 1;
		return;
	}
	if (s.version != OPTSAMPLE_SEGMENT_VERSION)
		return;
	if (segment_bad(&s, w->end - w->off)) {
		f->bad = 1;
		return;
	}
	segment_guid(&s, &guid);
	if (!found_joins(f, &guid, s.flags & OPTSAMPLE_SEGMENT_SAMPLE,
			 bytes_u32((__u8 *)&s.frame, 1)))
		return;
	f->stamp = bytes_u64((__u8 *)&s.position, 1);
	f->profile = s.profile;
	f->first |= !s.index;
	f->last |= bytes_u16((__u8 *)&s.index, 1) + 1 ==
		   bytes_u16((__u8 *)&s.count, 1);
}

/* roscpp sends no UDP GSO: there is one datagram. @b: its first bytes */
static __always_inline void walk_udpros(const struct walk *w,
					struct found *f, const __u8 *b)
{
	if (w->v6 || !udpros_is(b) ||
	    !bpf_map_lookup_elem(&writers, &w->guid))
		return;
	f->known = 1;
	f->mixed = f->writer;
	f->flow.name.writer = w->guid;
	f->writer = 1;
	if (b[4] > UDPROS_DATAN)
		return;
	f->sample = 1;
	f->number = b[5];
	f->block = bytes_u16(b + 6, 1);
	f->first = b[4] == UDPROS_DATA0;
	f->payload = w->off;
	f->limit = w->end;
}

/* Return: 0 to go on, 1 after the last one, or if it is of no known format */
static __always_inline int walk_datagram(struct __sk_buff *skb,
					 struct walk *w, struct found *f)
{
	__u8 b[WALK_MIN] __attribute__((aligned(4)));
	__u8 kind = ROS_UDPROS;

	if (w->off + WALK_MIN > w->stop ||
	    bpf_skb_load_bytes(skb, w->off, b, sizeof(b)))
		return 1;
	w->end = w->gso && w->gso < w->stop - w->off ? w->off + w->gso :
						       w->stop;
	w->next = w->end;
	w->here = w->end < skb->len ? w->end : skb->len;
	if (bytes_u32(b, 0) == RTPS_MAGIC)
		kind = ROS_RTPS;
	else if (bytes_u32(b, 1) == OPTSAMPLE_SEGMENT_MAGIC)
		kind = ROS_SEGMENT;
	if (f->known && kind != w->kind) {
		f->mixed = 1;
		f->data = 1;
	} else {
		w->kind = kind;
		f->known |= kind != ROS_UDPROS;
		if (kind == ROS_RTPS && !walk_rtps(skb, w, f))
			return 0;
		if (kind == ROS_SEGMENT)
			walk_segment(skb, w, f);
		else if (kind == ROS_UDPROS)
			walk_udpros(w, f, b);
	}
	w->off = w->next;
	return !f->known || f->bad || w->off == w->stop;
}

/*
 * By the number of the slot: 5.10 takes no pointers here.
 * Return: 0 to go on, 1 at the end
 */
GLOBAL int walk_step(struct __sk_buff *skb, __u32 slot)
{
	struct scratch *s = scratch_slot(slot);
	struct walk *w;
	struct found *f;

	if (!s)
		return 1;
	w = &s->walk;
	f = &s->found;
	if (w->off == w->next)
		return walk_datagram(skb, w, f);
	if (walk_submessage(skb, w, f))
		w->off = w->next;
	return w->off == w->stop || f->bad;
}

/**
 * walk_packet - read a whole packet
 * @skb:	the packet, UDP
 * @ip:		its IP header
 * @s:		state of the walk; out: what was found
 *
 * Return: 1 if it is of a sampled writer; 0: see @s->found
 */
static __always_inline int walk_packet(struct __sk_buff *skb,
				       const struct parse_ip *ip,
				       struct scratch *s)
{
	struct found *f = &s->found;
	struct walk *w = &s->walk;
	struct udphdr udp;
	__u32 steps, addrs[2], id;

	__builtin_memset(f, 0, sizeof(*f));
	__builtin_memset(w, 0, sizeof(*w));
	if (bpf_skb_load_bytes(skb, ip->payload, &udp, sizeof(udp)))
		return 0;
	if (!ip->v6 && !parse_addrs4(skb, ip, addrs, &id)) {
		w->guid.entity = ROS_ENTITY_UDPROS;
		__builtin_memcpy(w->guid.prefix, addrs, 8);
		__builtin_memcpy(w->guid.prefix + 8, &udp, 4);
	}
	w->v6 = ip->v6;
	w->gso = skb->gso_size;
	w->off = ip->payload + sizeof(udp);
	w->next = w->off;
	w->stop = ip->payload + bpf_ntohs(udp.len);
	f->flow.name.daddr = ip->daddr;
	f->flow.name.dport = udp.dest;
	parse_daddr6(skb, ip, f->flow.daddr6);
	steps = w->gso ? WALK_STEPS_GSO : WALK_STEPS;
	for (__u32 i = 0; i < WALK_STEPS_GSO; i++)
		if (i >= steps || walk_step(skb, s->slot))
			break;
	f->flow.name.kind = w->kind + w->v6;
	if (w->off != w->stop) {
		f->mixed = 1;	/* more than WALK_STEPS */
		f->data = 1;
	}
	return f->writer && !f->bad;
}

#endif
