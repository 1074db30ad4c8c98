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
 *   t N                        N packets go on the air (radio.c):
 *                              FLOW/MSG/SEQ... (SEQ as in label.seq)
 *   r FATE N                   so do N of them end: ack, nack, mute, leak
 *   tos N                      packets have this DS field from now on
 *   tos6 N                     the same, and they are IPv6
 *   priority N                 packets have this skb->priority from now on
 *   to N                       and this last byte of the link address
 *   from N                     and 02:00:00:00:00:N as the sender's
 *   mini N                     and, if N is 1, a socket as that of a SYN-ACK,
 *                              which is not a full one
 *   share FLOW LEN N           N departures, while one packet of LEN bytes of
 *                              FLOW always waits: share P, its percent of bytes
 *   send POS                   message POS is sent by DEV, as the stack does it
 *   full ROOM STOPS            device full0 (fullmac.c) with room for packets;
 *                              1: it stops its queue then
 *   full gone|noticed|back     what its access point does
 *   arrived                    what full0 got through: FLOW/MSG/SEQ...
 *   air KBIT AGGREGATE GAP_US  device air0 (air.c) sends like this from now on
 *   ids N                      flow ids of `bench` are multiples of N; 0: random
 *   bench MODE FLOWS PACKETS BACKLOG COUNT
 *                              per packet, in tenths of a nanosecond:
 *                              enqueue, dequeue, free; a reading of the clock
 *   wake FLOWS COUNT           dequeue as in `bench`, of COUNT packets to
 *                              link address 1, each when the one before is
 *                              freed, while FLOWS wait for link address 2,
 *                              that has a packet; with `inflight 1`
 *   way MODE FLOWS COUNT       the same as `bench`, all the way from the stack
 *                              to the driver of DEV
 *   moves COUNT                the dearest of all departures, while COUNT
 *                              packets of control wait for two flows
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <linux/vmalloc.h>
#include <net/pkt_sched.h>
#include <net/sch_generic.h>
#include <optsample/tag.h>
#include <linux/pkt_sch_optsample.h>
#include "air.h"
#include "bench.h"
#include "drive.h"
#include "fullmac.h"
#include "packet.h"
#include "radio.h"

enum { OUT_SIZE = 16 << 20 };

static struct dentry *dir;
struct net_device *drive_dev;	/* looked up again for every write */
u32 drive_message;
static char driven[IFNAMSIZ];
static char *out;
static size_t out_len;
static u32 packets = 1, flow = 1;
static DEFINE_MUTEX(drive_lock);

void drive_say(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	out_len += vscnprintf(out + out_len, OUT_SIZE - out_len, fmt, args);
	va_end(args);
}

struct Qdisc *drive_root(void)
{
	return rtnl_dereference(drive_dev->qdisc);
}

int drive_put(struct sk_buff *skb, struct sk_buff **to_free)
{
	struct Qdisc *q = drive_root();
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
	struct Qdisc *q = drive_root();
	struct sk_buff *skb;

	for (;;) {
		spin_lock_bh(qdisc_lock(q));
		skb = qdisc_dequeue_peeked(q);
		spin_unlock_bh(qdisc_lock(q));
		if (!skb || packet_label(skb))
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
		label = packet_label(list);
		if (!label || label->msg == msg ||
		    (n && gone[n - 1] == label->pos))
			continue;
		if (n < ARRAY_SIZE(gone))
			gone[n++] = label->pos;
	}
	if (n)
		drive_say(" evict");
	while (n)
		drive_say(" %llu", gone[--n]);
}

/* Packet @i of the message that drive_message is the number of */
static struct sk_buff *message_packet(u64 pos, u32 i)
{
	u32 flags = (i ? 0 : OPTSAMPLE_TAG_FIRST) |
		    (i == packets - 1 ? OPTSAMPLE_TAG_LAST : 0);
	struct sk_buff *skb = packet_make(flow, drive_message, pos, i, flags,
					  PAYLOAD);

	if (skb)
		packet_tag(skb, true);
	return skb;
}

static int send(u64 pos)
{
	struct sk_buff *skb;
	u32 i;

	drive_message++;
	for (i = 0; i < packets; i++) {
		skb = message_packet(pos, i);
		if (!skb)
			return -ENOMEM;
		dev_queue_xmit(skb);
	}
	return 0;
}

static int arrive(u64 pos)
{
	struct sk_buff *skb, *to_free = NULL;
	u32 i, kept = 0;

	drive_message++;
	for (i = 0; i < packets; i++) {
		skb = message_packet(pos, i);
		if (!skb)
			return -ENOMEM;
		if (drive_put(skb, &to_free) == NET_XMIT_SUCCESS)
			kept++;
	}
	drive_say(kept == packets ? "keep" : kept ? "torn" : "discard");
	say_evicted(to_free, drive_message);
	drive_say("\n");
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
		label = packet_label(skb);
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
		drive_say("depart -\n");
	else if (wrong)
		drive_say("depart %s\n", wrong);
	else
		drive_say("depart %llu\n", pos);
}

static void depart_all(void)
{
	const char *wrong;
	u64 pos;

	drive_say("kept:");
	while (depart_one(&pos, &wrong)) {
		if (wrong)
			drive_say(" %s", wrong);
		else
			drive_say(" %llu", pos);
	}
	drive_say("\n");
}

static int raw_put(u32 f, u32 msg, u64 pos, u32 flags, u32 len)
{
	static u32 seq;
	struct sk_buff *to_free = NULL, *p, *skb;
	u32 dropped = 0;
	int ret;

	skb = packet_make(f, msg, pos, seq++, flags, len);
	if (!skb)
		return -ENOMEM;
	packet_tag(skb, true);
	ret = drive_put(skb, &to_free);
	for (p = to_free; p; p = p->next)
		dropped++;
	drive_say("%s %u\n", ret == NET_XMIT_SUCCESS ? "queued" : "dropped", dropped);
	kfree_skb_list(to_free);
	return 0;
}

static void raw_take(void)
{
	const struct label *label;
	struct sk_buff *skb = take();

	if (!skb) {
		drive_say("-\n");
		return;
	}
	label = packet_label(skb);
	if (!label->flow)
		drive_say("ordinary/%u\n", label->msg);
	else
		drive_say("%u/%u/%u\n", label->flow, label->msg, label->flags);
	kfree_skb(skb);
}

static int air_take(u32 n)
{
	const struct label *label;
	struct sk_buff *skb;

	while (n-- && (skb = take())) {
		label = packet_label(skb);
		if (label->flow)
			drive_say("%u/%llu/%u ", label->flow, label->pos,
				  label->seq);
		else
			drive_say("ordinary/%u ", label->msg);
		if (radio_send(skb))
			return -ENOMEM;
	}
	drive_say("-\n");
	return 0;
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
		label = packet_label(skb);
		bytes[label->flow == f] += skb->len;
		if (label->flow == f)
			there = false;
		kfree_skb(skb);
	}
	drive_say("share %llu\n", div64_u64(100 * bytes[1],
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
	struct Qdisc *q = drive_root();

	if (!q->ops->change || strcmp(q->ops->id, "optsample"))
		return -EOPNOTSUPP;
	return q->ops->change(q, &opt.nest, NULL);
}

static int choose(const char *name)
{
	struct net_device *found = __dev_get_by_name(&init_net, name);

	if (!found)
		return -ENODEV;
	if (drive_dev && drive_dev != found)
		netif_tx_wake_all_queues(drive_dev);
	drive_dev = found;
	strscpy(driven, name, IFNAMSIZ);
	netif_tx_stop_all_queues(drive_dev);
	return 0;
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
	if (sscanf(line, "full %u %u", &a, &b) == 2)
		return fullmac_make(a, b);
	if (sscanf(line, "full %31s", word) == 1)
		return fullmac_do(word);
	if (sscanf(line, "ids %u", &bench_id_step) == 1)
		return 0;
	if (!drive_dev)
		return -ENODEV;
	if (sscanf(line, "bench %31s %u %u %u %u", word, &a, &b, &c, &d) == 5)
		return bench_run(word, a, b, c, d);
	if (sscanf(line, "wake %u %u", &a, &b) == 2)
		return bench_wake(a, b);
	if (sscanf(line, "way %31s %u %u", word, &a, &b) == 3)
		return bench_way(word, a, b);
	if (sscanf(line, "moves %u", &a) == 1)
		return bench_moves(a);
	if (sscanf(line, "t %u", &a) == 1)
		return air_take(a);
	if (sscanf(line, "r %31s %u", word, &a) == 2)
		return radio_settle(word, a);
	if (sscanf(line, "send %llu", &pos) == 1)
		return send(pos);
	if (!strcmp(line, "arrived"))
		fullmac_say();
	else if (sscanf(line, "packets %u", &a) == 1)
		packets = max(a, 1U);
	else if (sscanf(line, "flow %u", &a) == 1)
		flow = a;
	else if (sscanf(line, "a %llu", &pos) == 1)
		return arrive(pos);
	else if (sscanf(line, "x %u %u %llu %u %u", &a, &b, &pos, &c, &d) == 5)
		return raw_put(a, b, pos, c, d);
	else if (sscanf(line, "share %u %u %u", &a, &b, &c) == 3)
		return share(a, b, c);
	else if (sscanf(line, "tos6 %u", &packet_kind.tos) == 1)
		packet_kind.version = 6;
	else if (sscanf(line, "tos %u", &packet_kind.tos) == 1)
		packet_kind.version = 4;
	else if (sscanf(line, "priority %u", &packet_kind.priority) == 1)
		return 0;
	else if (sscanf(line, "mini %u", &packet_kind.mini) == 1)
		return 0;
	else if (sscanf(line, "from %u", &a) == 1)
		packet_kind.from = a;
	else if (sscanf(line, "to %u", &a) == 1)
		packet_kind.to = a;
	else if (sscanf(line, "o %u", &a) == 1)
		return raw_put(0, ++drive_message, 0, 0, a);
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

/* Commands end with a line, or with ; for a shell that writes a line at a time */
static int play(char *lines)
{
	char *line, *command;
	int err = 0;

	while (!err && strchr(lines, '\n')) {
		line = strsep(&lines, "\n");
		while (!err && (command = strsep(&line, ";")))
			if (*command && *command != '#')
				err = drive(command);
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
	drive_dev = __dev_get_by_name(&init_net, driven);
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
	drive_dev = __dev_get_by_name(&init_net, driven);
	if (drive_dev)
		netif_tx_wake_all_queues(drive_dev);
	rtnl_unlock();
	air_exit();
	fullmac_exit();
	radio_exit();
	vfree(out);
}

module_init(drive_init);
module_exit(drive_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Drives a qdisc packet by packet, for tests");
