// SPDX-License-Identifier: GPL-2.0
/*
 * optsample_drive - put single packets into a qdisc and take them out
 *
 * For tests and benchmarks: the root qdisc of a device is driven
 * directly, so that arrivals and departures follow a given schedule. The
 * device's transmit queue is stopped meanwhile, so nothing else departs.
 * Packets are real RTPS DATA_FRAG datagrams, so that a BPF classifier on the
 * qdisc can be part of what is measured.
 *
 * Write lines to <debugfs>/optsample_drive/cmd, read the answers from out
 * (which empties it):
 *   dev NAME                   drive the root qdisc of NAME
 *   packets N                  N packets make a message of `a`
 *   flow F                     `a` is of flow F
 *   a POS                      message POS arrives: keep | discard, evict ...
 *   d                          a message departs: depart POS | depart -
 *   l LIMIT, p POLICY          change the qdisc (POLICY is a number)
 *   k                          all depart: kept: POS...
 *   x FLOW MSG POS FLAGS LEN   a packet arrives: queued N | dropped N
 *   o LEN                      an ordinary packet arrives
 *   q                          a packet departs: FLOW/MSG/SEQ, ordinary or -
 *   tos N                      packets have this DS field from now on
 *   tos6 N                     the same, and they are IPv6
 *   priority N                 packets have this skb->priority from now on
 *   to N                       and this last byte of the link address
 *   share FLOW LEN N           N departures, while one packet of LEN bytes of
 *                              FLOW always waits: share P, its percent of bytes
 *   air KBIT AGGREGATE GAP_US  device air0 (air.c) sends like this from now on
 *   ids N                      flow ids of `bench` are multiples of N; 0: random
 *   bench MODE FLOWS PACKETS BACKLOG COUNT
 *                              per packet, in tenths of a nanosecond:
 *                              enqueue, dequeue, free; a reading of the clock
 *   wake FLOWS COUNT           dequeue as in `bench`, of COUNT packets to
 *                              link address 1, each when the one before is
 *                              freed, while FLOWS wait for link address 2,
 *                              that has a packet; with `inflight 1`
 */
#include <linux/debugfs.h>
#include <linux/etherdevice.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/jhash.h>
#include <linux/module.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <linux/udp.h>
#include <linux/vmalloc.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/pkt_sched.h>
#include <net/sch_generic.h>
#include <optsample/tag.h>
#include <linux/pkt_sch_optsample.h>
#include "air.h"

enum { OUT_SIZE = 16 << 20, PAYLOAD = 1300, BATCH = 128 };

/* What a packet carries, behind the headers, to be told apart again */
struct label {
	char	magic[8];
	u32	flow;
	u32	msg;
	u32	seq;
	u32	flags;
	u64	pos;
};

static const char label_magic[8] = "drive-1";

struct rtps {
	u8	magic[4], version[2], vendor[2], prefix[12];
	u8	id, flags;
	__le16	length, extra, to_qos;
	u8	reader[4], writer[4];
	__le32	sn_high, sn_low, frag;
	__le16	nfrags, frag_size;
	__le32	size;
} __packed;

static struct dentry *dir;
static struct net_device *dev;	/* looked up anew for every write */
static char driven[IFNAMSIZ];
static char *out;
static size_t out_len;
static u32 packets = 1, flow = 1, message, tos, to, id_step = 1;
static u32 version = 4, priority;
static DEFINE_MUTEX(drive_lock);

static __printf(1, 2) void say(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	out_len += vscnprintf(out + out_len, OUT_SIZE - out_len, fmt, args);
	va_end(args);
}

static struct Qdisc *root(void)
{
	return rtnl_dereference(dev->qdisc);
}

static u32 ip_len(__be16 protocol)
{
	return protocol == htons(ETH_P_IPV6) ? sizeof(struct ipv6hdr) :
					       sizeof(struct iphdr);
}

static void put_ip(struct sk_buff *skb, u32 len)
{
	struct iphdr *ip = skb_put_zero(skb, sizeof(*ip));

	ip->version = 4;
	ip->ihl = 5;
	ip->ttl = 64;
	ip->tos = tos;
	ip->protocol = IPPROTO_UDP;
	ip->saddr = htonl(0x0a000001);
	ip->daddr = htonl(0x0a000002);
	ip->tot_len = htons(sizeof(*ip) + len);
	ip->frag_off = htons(IP_DF);
}

static void put_ipv6(struct sk_buff *skb, u32 len)
{
	struct ipv6hdr *ip = skb_put_zero(skb, sizeof(*ip));

	ip6_flow_hdr(ip, tos, 0);
	ip->payload_len = htons(len);
	ip->nexthdr = IPPROTO_UDP;
	ip->hop_limit = 64;
	ip->saddr.s6_addr[0] = 0xfd;
	ip->saddr.s6_addr[15] = 1;
	ip->daddr.s6_addr[0] = 0xfd;
	ip->daddr.s6_addr[15] = 2;
}

static struct sk_buff *make(u32 flow_id, u32 msg, u64 pos, u32 seq, u32 flags,
			    u32 len)
{
	__be16 protocol = htons(version == 6 ? ETH_P_IPV6 : ETH_P_IP);
	u32 inner, head = ETH_HLEN + ip_len(protocol) +
			  sizeof(struct udphdr) + sizeof(struct rtps);
	struct sk_buff *skb;
	struct label *label;
	struct udphdr *udp;
	struct rtps *rtps;

	len = max_t(u32, len, sizeof(*label));
	inner = sizeof(*udp) + sizeof(*rtps) + len;
	skb = alloc_skb(head + len + 16, GFP_ATOMIC);
	if (!skb)
		return NULL;
	skb_reserve(skb, 16);
	eth_zero_addr(skb_put(skb, ETH_HLEN));
	skb_reset_mac_header(skb);
	eth_hdr(skb)->h_dest[ETH_ALEN - 1] = to;
	eth_hdr(skb)->h_proto = protocol;
	skb_set_network_header(skb, ETH_HLEN);
	if (version == 6)
		put_ipv6(skb, inner);
	else
		put_ip(skb, inner);
	skb_set_transport_header(skb, ETH_HLEN + ip_len(protocol));
	udp = skb_put_zero(skb, sizeof(*udp));
	udp->source = htons(20000 + (flow_id & 0x7fff));
	udp->dest = htons(7411);
	udp->len = htons(inner);
	rtps = skb_put_zero(skb, sizeof(*rtps));
	memcpy(rtps->magic, "RTPS", 4);
	rtps->version[0] = 2;
	rtps->version[1] = 1;
	rtps->vendor[0] = 1;
	rtps->vendor[1] = 0x10;
	memset(rtps->prefix, 0x11, sizeof(rtps->prefix));
	rtps->id = 0x16;
	rtps->flags = 1;
	rtps->to_qos = cpu_to_le16(28);
	rtps->writer[0] = flow_id >> 16;
	rtps->writer[1] = flow_id >> 8;
	rtps->writer[2] = flow_id;
	rtps->writer[3] = 3;
	rtps->sn_low = cpu_to_le32(msg);
	rtps->frag = cpu_to_le32(seq + 1);
	rtps->nfrags = cpu_to_le16(1);
	rtps->frag_size = cpu_to_le16(len);
	rtps->size = cpu_to_le32(flags & OPTSAMPLE_TAG_LAST ?
				 (seq + 1) * len : (seq + 2) * len);
	label = skb_put_zero(skb, len);
	memcpy(label->magic, label_magic, sizeof(label->magic));
	label->flow = flow_id;
	label->msg = msg;
	label->seq = seq;
	label->flags = flags;
	label->pos = pos;
	skb->protocol = protocol;
	skb->priority = priority;
	skb->dev = dev;
	qdisc_skb_cb(skb)->pkt_len = skb->len;
	return skb;
}

static const struct label *label_of(const struct sk_buff *skb)
{
	u32 at = ETH_HLEN + ip_len(skb->protocol) + sizeof(struct udphdr) +
		 sizeof(struct rtps);
	const struct label *label = (void *)(skb->data + at);

	if (skb_headlen(skb) < at + sizeof(*label))
		return NULL;
	return memcmp(label->magic, label_magic, sizeof(label->magic)) ?
		NULL : label;
}

static void tag(struct sk_buff *skb, bool tagged)
{
	const struct label *label = label_of(skb);
	struct optsample_tag *cb = (void *)qdisc_skb_cb(skb)->data;

	memset(cb, 0, sizeof(*cb));
	if (!tagged || !label->flow)
		return;
	cb->mark = OPTSAMPLE_TAG_MARK | label->flags;
	cb->flow = label->flow;
	cb->message = label->msg;
	cb->pos_lo = label->pos;
	cb->pos_hi = label->pos >> 32;
}

static int put(struct sk_buff *skb, struct sk_buff **to_free)
{
	struct Qdisc *q = root();
	int ret;

	if (!q->enqueue) {	/* noqueue */
		__qdisc_drop(skb, to_free);
		return NET_XMIT_DROP;
	}
	spin_lock_bh(qdisc_lock(q));
	ret = q->enqueue(skb, q, to_free);
	spin_unlock_bh(qdisc_lock(q));
	return ret;
}

/* Packets of others (the stack's own) do not count. */
static struct sk_buff *take(void)
{
	struct Qdisc *q = root();
	struct sk_buff *skb;

	for (;;) {
		spin_lock_bh(qdisc_lock(q));
		skb = qdisc_dequeue_peeked(q);
		spin_unlock_bh(qdisc_lock(q));
		if (!skb || label_of(skb))
			return skb;
		kfree_skb(skb);
	}
}

/* Messages among the dropped packets, in the order in which they went */
static void say_evicted(struct sk_buff *list, u32 msg)
{
	static u64 gone[65536];
	const struct label *label;
	u32 n = 0;

	for (; list; list = list->next) {
		label = label_of(list);
		if (!label || label->msg == msg ||
		    (n && gone[n - 1] == label->pos))
			continue;
		if (n < ARRAY_SIZE(gone))
			gone[n++] = label->pos;
	}
	if (n)
		say(" evict");
	while (n)
		say(" %llu", gone[--n]);
}

static int arrive(u64 pos)
{
	struct sk_buff *skb, *to_free = NULL;
	u32 i, kept = 0, flags;

	message++;
	for (i = 0; i < packets; i++) {
		flags = (i ? 0 : OPTSAMPLE_TAG_FIRST) |
			(i == packets - 1 ? OPTSAMPLE_TAG_LAST : 0);
		skb = make(flow, message, pos, i, flags, PAYLOAD);
		if (!skb)
			return -ENOMEM;
		tag(skb, true);
		if (put(skb, &to_free) == NET_XMIT_SUCCESS)
			kept++;
	}
	say(kept == packets ? "keep" : kept ? "torn" : "discard");
	say_evicted(to_free, message);
	say("\n");
	kfree_skb_list(to_free);
	return 0;
}

/* A whole message, or what is wrong with it. Return: false when empty. */
static bool depart_one(u64 *pos, const char **wrong)
{
	const struct label *label;
	struct sk_buff *skb;
	u32 i, msg = 0;

	*wrong = NULL;
	for (i = 0; i < packets; i++) {
		skb = take();
		if (!skb) {
			if (i)
				*wrong = "cut";
			return i;
		}
		label = label_of(skb);
		if (!i) {
			*pos = label->pos;
			msg = label->msg;
		}
		if (label->msg != msg || label->seq != i)
			*wrong = "mixed";
		kfree_skb(skb);
	}
	return true;
}

static void depart(void)
{
	const char *wrong;
	u64 pos;

	if (!depart_one(&pos, &wrong))
		say("depart -\n");
	else if (wrong)
		say("depart %s\n", wrong);
	else
		say("depart %llu\n", pos);
}

static void depart_all(void)
{
	const char *wrong;
	u64 pos;

	say("kept:");
	while (depart_one(&pos, &wrong)) {
		if (wrong)
			say(" %s", wrong);
		else
			say(" %llu", pos);
	}
	say("\n");
}

static int raw_put(u32 f, u32 msg, u64 pos, u32 flags, u32 len)
{
	static u32 seq;
	struct sk_buff *to_free = NULL, *p, *skb;
	u32 dropped = 0;
	int ret;

	skb = make(f, msg, pos, seq++, flags, len);
	if (!skb)
		return -ENOMEM;
	tag(skb, true);
	ret = put(skb, &to_free);
	for (p = to_free; p; p = p->next)
		dropped++;
	say("%s %u\n", ret == NET_XMIT_SUCCESS ? "queued" : "dropped", dropped);
	kfree_skb_list(to_free);
	return 0;
}

static void raw_take(void)
{
	const struct label *label;
	struct sk_buff *skb = take();

	if (!skb) {
		say("-\n");
		return;
	}
	label = label_of(skb);
	if (!label->flow)
		say("ordinary/%u\n", label->msg);
	else
		say("%u/%u/%u\n", label->flow, label->msg, label->flags);
	kfree_skb(skb);
}

static int share(u32 f, u32 len, u32 n)
{
	u64 bytes[2] = { 0 };
	const struct label *label;
	struct sk_buff *skb;
	bool there = false;
	u32 i, msg = 0;
	size_t said;

	for (i = 0; i < n; i++) {
		if (!there) {
			said = out_len;
			msg++;
			if (raw_put(f, msg, msg, OPTSAMPLE_TAG_FIRST |
				    OPTSAMPLE_TAG_LAST, len))
				return -ENOMEM;
			out_len = said;
			there = true;
		}
		skb = take();
		if (!skb)
			break;
		label = label_of(skb);
		bytes[label->flow == f] += skb->len;
		if (label->flow == f)
			there = false;
		kfree_skb(skb);
	}
	say("share %llu\n", div64_u64(100 * bytes[1],
				       max(bytes[0] + bytes[1], 1ULL)));
	return 0;
}

static int change(int attr, u32 value)
{
	struct {
		struct nlattr	nest;
		struct nlattr	attr;
		u32		value;
	} opt = {
		.nest = { sizeof(opt), TCA_OPTIONS | NLA_F_NESTED },
		.attr = { NLA_HDRLEN + sizeof(u32), attr },
		.value = value,
	};
	struct Qdisc *q = root();

	if (!q->ops->change || strcmp(q->ops->id, "optsample"))
		return -EOPNOTSUPP;
	return q->ops->change(q, &opt.nest, NULL);
}

static int choose(const char *name)
{
	struct net_device *found = __dev_get_by_name(&init_net, name);

	if (!found)
		return -ENODEV;
	if (dev && dev != found)
		netif_tx_wake_all_queues(dev);
	dev = found;
	strscpy(driven, name, IFNAMSIZ);
	netif_tx_stop_all_queues(dev);
	return 0;
}

/*
 * What a packet costs: under -icount a nanosecond is an instruction. Packets
 * are made and freed outside of what is timed; what reading the clock costs
 * is measured first and taken off.
 */
struct bench {
	const char	*mode;
	u32		flows;
	u32		per_message;
	u32		control;	/* flags from packet @from on, or 0 */
	u32		from;
	bool		straggler;
	u32		base;	/* message numbers never step back */
	u32		sent;
	u64		enqueue_ns;
	u64		dequeue_ns;
	u64		free_ns;
	u64		enqueued;
	u64		dequeued;
	u64		dropped;
	u64		clock_ns;	/* 1000 pairs of readings */
};

static u64 bench_clock(void)
{
	u64 start, sum = 0;
	int i;

	for (i = 0; i < 1000; i++) {
		start = ktime_get_ns();
		barrier();
		sum += ktime_get_ns() - start;
	}
	return sum;
}

static u32 bench_id(u32 f)
{
	return id_step ? (f + 1) * id_step : jhash_1word(f, 0) | 1;
}

static struct sk_buff *bench_make(struct bench *b)
{
	/* whole messages, flow after flow */
	u32 f = b->sent / b->per_message % b->flows;
	u32 k = b->sent % b->per_message;
	u32 flags = (k ? 0 : OPTSAMPLE_TAG_FIRST) |
		    (k == b->per_message - 1 ? OPTSAMPLE_TAG_LAST : 0);
	struct sk_buff *skb;

	message = b->base + b->sent / b->per_message / b->flows;
	if (b->straggler && b->sent >= b->from)
		skb = make(bench_id(f), message, message, 1, 0, PAYLOAD);
	else if (b->control && (b->straggler || b->sent >= b->from))
		skb = make(bench_id(f), b->control & OPTSAMPLE_TAG_LATEST ?
			   message + 1 : 0, 0, k, b->control, PAYLOAD);
	else
		skb = make(bench_id(f), message, message, k, flags, PAYLOAD);
	if (!skb)
		return NULL;
	tag(skb, !strncmp(b->mode, "tagged", 6));
	b->sent++;
	return skb;
}

static u32 bench_batch(struct bench *b, struct sk_buff **batch, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++) {
		batch[i] = bench_make(b);
		if (!batch[i])
			n = i;
	}
	return n;
}

static void bench_lost(struct bench *b, struct sk_buff *to_free)
{
	struct sk_buff *skb;

	for (skb = to_free; skb; skb = skb->next)
		b->dropped++;
	kfree_skb_list(to_free);
}

/*
 * @pair: in and out at once, packet after packet; all of it counts as
 * enqueue. Inlined, so that nobody asks for @pair while the clock runs.
 */
static __always_inline void bench_in(struct bench *b, u32 n, bool pair)
{
	struct sk_buff *batch[BATCH], *to_free = NULL;
	struct Qdisc *q = root();
	u64 start;
	u32 i;

	n = bench_batch(b, batch, n);
	spin_lock_bh(qdisc_lock(q));
	start = ktime_get_ns();
	for (i = 0; i < n; i++) {
		q->enqueue(batch[i], q, &to_free);
		if (pair)
			batch[i] = q->dequeue(q);
	}
	b->enqueue_ns += ktime_get_ns() - start;
	spin_unlock_bh(qdisc_lock(q));
	b->enqueued += n;
	for (i = 0; pair && i < n; i++) {
		b->dequeued += !!batch[i];
		kfree_skb(batch[i]);
	}
	bench_lost(b, to_free);
}

static u32 bench_out(struct bench *b, u32 n)
{
	struct sk_buff *batch[BATCH];
	struct Qdisc *q = root();
	u32 i, got;
	u64 start;

	spin_lock_bh(qdisc_lock(q));
	start = ktime_get_ns();
	for (got = 0; got < n; got++) {
		batch[got] = q->dequeue(q);
		if (!batch[got])
			break;
	}
	b->dequeue_ns += ktime_get_ns() - start;
	spin_unlock_bh(qdisc_lock(q));
	b->dequeued += got;
	start = ktime_get_ns();
	for (i = 0; i < got; i++)
		kfree_skb(batch[i]);
	b->free_ns += ktime_get_ns() - start;
	return got;
}

/* A first packet of every flow, so that none is made in what is timed */
static void bench_warm(struct bench *b)
{
	u32 i, per_message = b->per_message;

	b->per_message = 1;
	for (i = 0; i < b->flows; i++) {
		bench_in(b, 1, false);
		bench_out(b, 1);
	}
	b->per_message = per_message;
	b->base = message + 1;
	b->sent = 0;
}

/* In tenths of a nanosecond for each of @n, which took @batches readings */
static u64 bench_tenths(const struct bench *b, u64 ns, u64 n, u64 batches)
{
	u64 clock = div64_u64(batches * b->clock_ns, 1000);

	if (!n || ns < clock)
		return 0;
	return div64_u64((ns - clock) * 10, n);
}

/*
 * MODE tagged: the tag is there; plain: none; filter: none, but a filter on
 * the qdisc may write it. BACKLOG 0: each packet leaves at once. A mode that
 * ends in "-full": nothing leaves; in "-pair": each packet leaves at once, and
 * the clock, too coarse for one, is read around a batch of such pairs. With
 * "-control" in it, what comes on top of the backlog is control; "-latest": each
 * packet looks for an older one of its kind, and there is none; "-straggler": the
 * backlog is such control, and behind it each packet looks for its message, and
 * there is none.
 */
static int bench(const char *mode, u32 flows, u32 per_message, u32 backlog,
		 u32 count)
{
	struct bench b = {
		.mode = mode,
		.flows = flows,
		.per_message = per_message,
		.base = message + 1,
	};
	bool full = strstr(mode, "-full"), pair = strstr(mode, "-pair");
	u32 i, step = pair ? BATCH : clamp_t(u32, backlog, 1, BATCH);
	u64 batches = 0;

	if (!flows || !per_message || !root()->enqueue)
		return -EINVAL;
	b.clock_ns = bench_clock();
	bench_warm(&b);
	b.from = backlog;
	if (strstr(mode, "-control"))
		b.control = OPTSAMPLE_TAG_CONTROL;
	b.straggler = strstr(mode, "-straggler");
	if (strstr(mode, "-latest") || b.straggler)
		b.control = OPTSAMPLE_TAG_CONTROL | OPTSAMPLE_TAG_LATEST;
	for (i = 0; i < backlog; i += step) {
		bench_in(&b, min(step, backlog - i), false);
		cond_resched();
	}
	/* once for nothing: what is allocated for the most packets held */
	bench_in(&b, step, false);
	if (!full)
		bench_out(&b, step);
	b.enqueue_ns = b.dequeue_ns = b.free_ns = 0;
	b.enqueued = b.dequeued = b.dropped = 0;
	for (i = 0; i < count; i += step, batches++) {
		if (pair)
			bench_in(&b, step, true);
		else
			bench_in(&b, step, false);
		if (!pair && !full)
			bench_out(&b, step);
		cond_resched();
	}
	say("bench %s flows %u packets %u backlog %u: enqueue %llu dequeue %llu free %llu in %llu out %llu dropped %llu clock %llu\n",
	    mode, flows, per_message, backlog,
	    bench_tenths(&b, b.enqueue_ns, b.enqueued, batches),
	    bench_tenths(&b, b.dequeue_ns, b.dequeued, batches),
	    bench_tenths(&b, b.free_ns, b.dequeued, batches),
	    b.enqueued, b.dequeued, b.dropped, div_u64(b.clock_ns, 100));
	while (bench_out(&b, BATCH))
		cond_resched();
	return 0;
}

/* A packet of @f to link address @dest waits. */
static int wake_put(u32 f, u32 dest)
{
	struct sk_buff *skb, *to_free = NULL;

	to = dest;
	message++;
	skb = make(f, message, message, 0,
		   OPTSAMPLE_TAG_FIRST | OPTSAMPLE_TAG_LAST, PAYLOAD);
	if (!skb)
		return -ENOMEM;
	tag(skb, true);
	put(skb, &to_free);
	kfree_skb_list(to_free);
	return 0;
}

/* What leaves; nothing else may until it is freed. */
static struct sk_buff *wake_take(u64 *ns, u32 *alone)
{
	struct Qdisc *q = root();
	struct sk_buff *skb, *more;
	u64 start;

	spin_lock_bh(qdisc_lock(q));
	start = ktime_get_ns();
	skb = q->dequeue(q);
	more = q->dequeue(q);
	*ns += ktime_get_ns() - start;
	spin_unlock_bh(qdisc_lock(q));
	*alone += skb && !more;
	kfree_skb(more);
	return skb;
}

static int wake(u32 flows, u32 count)
{
	u64 ns = 0, clock_ns = div_u64(bench_clock() * count, 1000);
	struct sk_buff *busy;
	u32 i, alone = 0;
	int err;

	err = wake_put(1, 2);
	busy = wake_take(&ns, &alone);
	for (i = 0; i < flows && !err; i++)
		err = wake_put(3 + i, 2);
	/* One is always left, which waits for the one that is below. */
	for (i = 0; i < 2 && !err; i++)
		err = wake_put(2, 1);
	kfree_skb(wake_take(&ns, &alone));
	alone = 0;
	ns = 0;
	for (i = 0; i < count && !err; i++) {
		err = wake_put(2, 1);
		kfree_skb(wake_take(&ns, &alone));
		cond_resched();
	}
	to = 0;
	kfree_skb(busy);
	say("wake flows %u: dequeue %llu out %u\n", flows,
	    div_u64(ns > clock_ns ? (ns - clock_ns) * 10 : 0, max(count, 1U)),
	    alone);
	return err;
}

static int drive(const char *line)
{
	char word[32];
	u32 a, b, c, d;
	u64 pos;

	if (sscanf(line, "dev %31s", word) == 1)
		return choose(word);
	if (sscanf(line, "air %u %u %u", &a, &b, &c) == 3)
		return air_configure(a, b, c);
	if (sscanf(line, "ids %u", &id_step) == 1)
		return 0;
	if (!dev)
		return -ENODEV;
	if (sscanf(line, "bench %31s %u %u %u %u", word, &a, &b, &c, &d) == 5)
		return bench(word, a, b, c, d);
	if (sscanf(line, "wake %u %u", &a, &b) == 2)
		return wake(a, b);
	if (sscanf(line, "packets %u", &a) == 1)
		packets = max(a, 1U);
	else if (sscanf(line, "flow %u", &a) == 1)
		flow = a;
	else if (sscanf(line, "a %llu", &pos) == 1)
		return arrive(pos);
	else if (sscanf(line, "x %u %u %llu %u %u", &a, &b, &pos, &c, &d) == 5)
		return raw_put(a, b, pos, c, d);
	else if (sscanf(line, "share %u %u %u", &a, &b, &c) == 3)
		return share(a, b, c);
	else if (sscanf(line, "tos6 %u", &tos) == 1)
		version = 6;
	else if (sscanf(line, "tos %u", &tos) == 1)
		version = 4;
	else if (sscanf(line, "priority %u", &priority) == 1)
		return 0;
	else if (sscanf(line, "to %u", &a) == 1)
		to = a;
	else if (sscanf(line, "o %u", &a) == 1)
		return raw_put(0, ++message, 0, 0, a);
	else if (sscanf(line, "l %u", &a) == 1)
		return change(TCA_OPTSAMPLE_LIMIT, a);
	else if (sscanf(line, "p %u", &a) == 1)
		return change(TCA_OPTSAMPLE_POLICY, a);
	else if (!strcmp(line, "d"))
		depart();
	else if (!strcmp(line, "k"))
		depart_all();
	else if (!strcmp(line, "q"))
		raw_take();
	else
		return -EINVAL;
	return 0;
}

/* A write may end within a line: the rest comes with the next one. */
static char carry[128];

static int cmd_open(struct inode *inode, struct file *file)
{
	carry[0] = 0;
	return 0;
}

static int play(char *lines)
{
	char *line;
	int err = 0;

	while (!err && strchr(lines, '\n')) {
		line = strsep(&lines, "\n");
		if (*line && *line != '#')
			err = drive(line);
	}
	strscpy(carry, lines, sizeof(carry));
	return err;
}

static ssize_t cmd_write(struct file *file, const char __user *from,
			 size_t len, loff_t *at)
{
	size_t had = strlen(carry);
	char *buf;
	int err;

	len = min_t(size_t, len, 1 << 20);
	buf = vmalloc(had + len + 1);
	if (!buf)
		return -ENOMEM;
	memcpy(buf, carry, had);
	if (copy_from_user(buf + had, from, len)) {
		vfree(buf);
		return -EFAULT;
	}
	buf[had + len] = 0;
	mutex_lock(&drive_lock);
	rtnl_lock();
	dev = __dev_get_by_name(&init_net, driven);
	err = play(buf);
	rtnl_unlock();
	mutex_unlock(&drive_lock);
	vfree(buf);
	return err ? err : len;
}

static ssize_t out_read(struct file *file, char __user *to, size_t len,
			loff_t *at)
{
	ssize_t n;

	mutex_lock(&drive_lock);
	n = simple_read_from_buffer(to, len, at, out, out_len);
	if (!n)
		out_len = 0;
	mutex_unlock(&drive_lock);
	return n;
}

static const struct file_operations cmd_fops = {
	.owner = THIS_MODULE,
	.open = cmd_open,
	.write = cmd_write,
};

static const struct file_operations out_fops = {
	.owner = THIS_MODULE,
	.read = out_read,
};

static int __init drive_init(void)
{
	out = vmalloc(OUT_SIZE);
	if (!out)
		return -ENOMEM;
	dir = debugfs_create_dir("optsample_drive", NULL);
	debugfs_create_file("cmd", 0200, dir, NULL, &cmd_fops);
	debugfs_create_file("out", 0400, dir, NULL, &out_fops);
	return 0;
}

static void __exit drive_exit(void)
{
	debugfs_remove(dir);
	rtnl_lock();
	dev = __dev_get_by_name(&init_net, driven);
	if (dev)
		netif_tx_wake_all_queues(dev);
	rtnl_unlock();
	air_exit();
	vfree(out);
}

module_init(drive_init);
module_exit(drive_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Drives a qdisc packet by packet, for tests");
