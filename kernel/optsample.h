/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Types and functions that the files of the optsample qdisc share.
 *
 *   sch_optsample.c  the qdisc: one packet in, one packet out
 *   config.c         options and profiles, by netlink
 *   prog.c           the classifier that the qdisc runs itself
 *   stats.c          statistics and classes, by netlink
 *   arrive.c         a tagged packet arrives: find its message, keep or drop
 *   depart.c         which packet leaves next
 *   message.[ch]     a message: memory and accounting
 *   trace.[ch]       tracepoints
 *   group.c          flows that keep the same stamps
 *   follow.c         which profile a flow follows
 *   relieve.c        what is dropped when memory is short
 *   table.c          flows by id
 *   ordinary.[ch]    the child qdisc for everything without a tag
 *   wait.c           where that waits while the link is stalled, and how long
 *   hold.c           when to hold and how long: link, in flight, rate, gate
 *   inflight.[ch]    counts packets below the qdisc
 *   recall.c         keeps packets below the qdisc until they are acknowledged
 *   link.c           carrier of the watched device and of the own one
 *   source.c         link address of packets that waited for another one
 *   egress.c         the link type: a device that sends by another one
 *
 * Calls go in one direction only:
 *
 *   sch_optsample -> all but follow, relieve and group; egress calls none
 *   config -> prog, follow, relieve, group, ordinary, hold, inflight, link,
 *	       recall
 *   stats -> follow, table, ordinary, hold, inflight, recall
 *   arrive -> follow, relieve, group
 *   relieve -> table, group, recall
 *   depart -> group, inflight, recall
 *   follow -> group
 *   table -> group, recall
 *   ordinary -> inflight, wait
 *   hold -> inflight, link, recall, ordinary
 *   link -> recall, source, egress
 *   recall -> inflight, source
 *   all: message.c, trace.c. Only message.c and recall.c call each other.
 *
 * Everything here is protected by the root qdisc lock unless it says
 * otherwise. Configuration changes under RTNL plus that lock.
 */
#ifndef OPTSAMPLE_KERNEL_H
#define OPTSAMPLE_KERNEL_H

#include <linux/hash.h>
#include <linux/if_ether.h>
#include <linux/list.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <net/pkt_sched.h>
#include <net/sock.h>
#include <linux/pkt_sch_optsample.h>
#include <optsample/sync.h>
#include <optsample/tag.h>
#include "compat.h"

enum {
	OPTSAMPLE_RECENT = 4,		/* numbers of past messages kept */
	OPTSAMPLE_FIND = 64,		/* messages searched for a straggler */
	OPTSAMPLE_PASS_MAX = 1024,	/* control, repairs: or 1/8 of memory */
	OPTSAMPLE_TIDY_PACKETS = 1024,	/* ordinary ones between tidy-ups */
	OPTSAMPLE_LOOK = 16,		/* flows checked for the fattest */
	OPTSAMPLE_MOVES = 64,		/* moves of control in one dequeue */
	OPTSAMPLE_SPARE_MAX = 256,	/* message structs kept for reuse */
	OPTSAMPLE_FLOWS_MAX = 65534,	/* highest class minor of a flow */
	OPTSAMPLE_ORDINARY = 0xffff,	/* class minor of ordinary traffic */
	OPTSAMPLE_ASLEEP_MS = 100,	/* no completion: destination sleeps */
	OPTSAMPLE_DESTS_MAX = 64,	/* destinations counted in flight */
	OPTSAMPLE_PRIORITIES = 8,
	OPTSAMPLE_BANDS = 1 + OPTSAMPLE_PRIORITIES,	/* 0: background */
	OPTSAMPLE_OTHERS = 3,		/* more flows that control belongs to */
	OPTSAMPLE_ALONE = 0x100,	/* the group of the profile is full */
	OPTSAMPLE_LONG_PART = 8,	/* of the memory: a large message */
	OPTSAMPLE_FORMER = 4,		/* former link addresses of a device */
};

/* Shorter waits between two packets are ordinary scheduling, not a stall. */
#define OPTSAMPLE_DRIVER_JIFFIES	(HZ / 100 + 1)

enum optsample_place {
	OPTSAMPLE_IN_SAMPLER,	/* the sampler of its flow may drop it */
	OPTSAMPLE_PASSES,	/* control, repairs: in order, never sampled */
	OPTSAMPLE_IN_SET,	/* the sampler of its group may drop it */
	OPTSAMPLE_COMMITTED,	/* it will leave */
};

/* Which packets of a message that leaves are kept, see recall.c */
enum optsample_air_place {
	OPTSAMPLE_NOT_KEPT,
	OPTSAMPLE_LEAVES,	/* those that left so far */
	OPTSAMPLE_LEFT,		/* all of them; it is in no queue any more */
	OPTSAMPLE_TORN,		/* none, as one of them could not be kept */
};

/**
 * struct optsample_msg - one message, or a run of packets that are not sampled
 * @node:	IN_SAMPLER: entry in the sampler; its position is also that of
 *		a message in a set
 * @pos:	flow with partners: position; the same memory as @node.pos
 * @part:	flow with partners: entry in a set
 * @flow:	flow with partners: its flow
 * @passes:	PASSES: entry in optsample_flow.passes
 * @others:	PASSES: ids of other flows whose older messages must leave
 *		first, 0: none
 * @latest:	PASSES: see OPTSAMPLE_TAG_LATEST, or 0
 * @spare:	spare struct: the next one
 * @fifo:	entry in optsample_flow.queue
 * @head:	first packet held, linked through skb->next
 * @tail:	last packet held; only valid while @head is
 * @arrived:	jiffies when its first packet came
 * @id:		message number of the tag
 * @bytes:	qdisc_pkt_len() of the packets held
 * @truesize:	bytes of memory of the packets held and of this struct
 * @packets:	packets held
 * @complete:	the LAST packet was seen
 * @place:	enum optsample_place
 * @air_place:	enum optsample_air_place; the fields below, and @failed,
 *		@returns and @acked, are only valid if it is LEAVES or LEFT
 * @failed:	one of its packets did not arrive
 * @returns:	how often it came back since other packets arrived
 * @acked:	optsample_recall.acked when it last came back
 * @kept_truesize: bytes of memory of the packets kept, part of @truesize
 * @kept:	packets that left and are kept, linked through skb->next
 * @kept_last:	last packet of @kept
 * @undecided:	first packet of @kept not known to have arrived or failed
 * @kept_at:	jiffies when the last one was kept
 * @air:	entry in optsample_recall.aired
 * @sender:	its flow
 * @sent_before: position of the message that left before it
 */
struct optsample_msg {
	union {
		struct optsample_node	node;
		struct {
			u64			pos;
			struct optsample_part	part;
			struct optsample_flow	*flow;
		};
		struct {
			struct list_head	passes;
			u32			others[OPTSAMPLE_OTHERS];
			u32			latest;
		};
		struct optsample_msg	*spare;
	};
	struct list_head	fifo;
	struct sk_buff		*head;
	struct sk_buff		*tail;
	unsigned long		arrived;
	u32			id;
	u32			bytes;
	u32			truesize;
	u32			packets;
	bool			complete;
	u8			place;
	u8			air_place;
	bool			failed;
	u8			returns;
	u32			acked;
	u32			kept_truesize;
	struct sk_buff		*kept;
	struct sk_buff		*kept_last;
	struct sk_buff		*undecided;
	unsigned long		kept_at;
	struct list_head	air;
	struct optsample_flow	*sender;
	u64			sent_before;
};

/* Index in optsample_sched.turns: 2 * band plus this; the higher goes first */
enum optsample_turns {
	OPTSAMPLE_TURNS,	/* flows that take turns */
	OPTSAMPLE_FRESH,	/* for one turn: flows that held nothing */
};

/* The last few message numbers of some kind */
struct optsample_recent {
	u32	id[OPTSAMPLE_RECENT];
	u8	next;
	u8	count;
};

/**
 * struct optsample_group - flows that keep messages with the same stamps
 * @sync:	their sampler
 * @pending:	waiting messages of sets that have begun to leave
 * @dest:	link address that they send to, 0 for any
 * @dests:	if @dest is 0: list of the groups for single destinations; else
 *		entry in that list
 */
struct optsample_group {
	struct optsample_sync	sync;
	u32			pending;
	u64			dest;
	struct list_head	dests;
};

/**
 * struct optsample_profile_config - options of a profile from netlink
 * @fields:	options that are set, BIT(TCA_OPTSAMPLE_PROFILE_*); the qdisc's
 *		options apply for the others
 * @limit:	messages held per flow, or sets per group
 * @policy:	enum optsample_policy
 * @refill:	R, percent
 * @priority:	0..7, larger goes first
 * @slop_us:	sync: stamps that differ by at most so much are the same, us
 * @segments:	flows that only their sender declared may follow it
 * @age_ms:	older messages do not begin to leave, ms; 0: any
 */
struct optsample_profile_config {
	u32	fields;
	u32	limit;
	u32	policy;
	u32	refill;
	u32	priority;
	u32	slop_us;
	u32	segments;
	u32	age_ms;
};

/**
 * struct optsample_profile - options of some flows that differ from the qdisc's
 * @cfg:	its options; no fields: there is no such profile
 * @group:	group of its flows if they keep the same stamps, else NULL
 */
struct optsample_profile {
	struct optsample_profile_config	cfg;
	struct optsample_group		*group;
};

/**
 * struct optsample_flow - messages of one writer to one destination
 * @list:	if @listed: entry in a list of optsample_sched.turns, or in one
 *		of parked flows; else in optsample_sched.idle
 * @hash:	entry in optsample_sched.table
 * @queue:	messages in order of arrival
 * @passes:	those of @queue that are not sampled
 * @cur:	first message of @queue if it has begun to leave: it is finished
 * @rx:		message the last packet was added to
 * @deficit:	bytes that it may send in this turn, negative: debt
 * @id:		flow id of the tag
 * @newest:	number of the newest message seen
 * @gone:	numbers of recently dropped messages; their later packets are
 *		dropped too
 * @left:	numbers of messages that left recently; their late packets are
 *		still sent
 * @slot:	index in optsample_sched.slots
 * @profile:	profile of the tag, see optsample_flow_profile(); with
 *		OPTSAMPLE_ALONE: its group was full, try again
 * @band:	a higher one goes first
 * @own_band:	@band if its profile has no priority
 * @listed:	it waits for its turn, for its destination, or until its debt is
 *		paid; or it is optsample_sched.alone
 * @self:	declared by its sender only, see OPTSAMPLE_TAG_SELF
 * @started:	@newest is valid
 * @has_sent:	@sent_pos is valid
 * @member:	its number in @group
 * @dest:	link address that it sends to, zeros if there is none
 * @backlog_pkts: packets held
 * @backlog_bytes: qdisc_pkt_len() of the packets held
 * @pass_pkts:	packets held that are not sampled
 * @memory:	bytes of memory of its packets and messages
 * @pass_memory: part of @memory that is not sampled
 * @born:	when it was created, jiffies
 * @idle_since:	when it became idle, jiffies
 * @waiting:	messages that are not in @sampler and have not begun to leave
 * @committed:	messages of @waiting that will leave in any case
 * @sent_pos:	position of the last message that left
 * @longest_gap: largest step between positions of messages that left
 * @age:	older messages do not begin to leave, jiffies; 0: any
 * @msgs_aged:	messages dropped by age
 * @group:	its group, or NULL
 * @sampler:	sampler of its messages, if it is in no group
 * @c:		statistics
 */
struct optsample_flow {
	struct list_head	list;
	struct hlist_node	hash;
	struct list_head	queue;
	struct list_head	passes;
	struct optsample_msg	*cur;
	struct optsample_msg	*rx;
	s32			deficit;
	u32			id;
	u32			newest;
	struct optsample_recent	gone;
	struct optsample_recent	left;
	u16			slot;
	u16			profile;
	u8			band;
	u8			own_band;
	bool			listed;
	bool			self:1;
	bool			started:1;
	bool			has_sent;
	u8			member;
	u8			dest[ETH_ALEN] __aligned(2);
	u32			backlog_pkts;
	u32			backlog_bytes;
	u32			pass_pkts;
	u32			memory;
	u32			pass_memory;
	u32			born;
	u32			idle_since;
	u32			waiting;
	u32			committed;
	u64			sent_pos;
	u64			longest_gap;
	u32			age;
	u32			msgs_aged;
	struct optsample_group	*group;
	struct optsample_sampler sampler;
	struct tc_optsample_counters c;
};

/**
 * struct optsample_ordinary - traffic without a tag
 * @child:	qdisc that queues it
 * @chosen:	the user chose @child
 * @may_orphan:	packets have a socket that an ifb would not have left them
 * @held:	the link is stalled: packets wait in the lists, and may leave
 *		their socket, so that no program blocks
 * @credit:	0 or more: it goes before the flows; 1/100 bytes
 * @sent:	packets sent
 * @young:	packets that wait for less than optsample_config.age_ms
 * @lasting:	older ones that are not dropped by age
 * @memory:	truesize of both lists
 * @aged:	packets dropped by age
 * @crowded:	packets dropped as the lists were full, or flushed
 */
struct optsample_ordinary {
	struct Qdisc		*child;
	bool			chosen;
	bool			may_orphan;
	bool			held;
	s32			credit;
	u64			sent;
	struct sk_buff_head	young;
	struct sk_buff_head	lasting;
	u32			memory;
	u64			aged;
	u64			crowded;
};

struct optsample_config {
	u32	limit;
	u32	memlimit;
	u32	flows;
	u32	policy;
	u32	refill;
	u32	quantum;
	u32	ordinary;
	u32	share;
	u32	inflight_packets;
	u32	inflight_bytes;
	u32	inflight_auto;
	u32	inflight_per;
	u32	recall;
	u32	settle_ms;
	u32	gate;
	u32	idle_ms;
	u32	age_ms;
	u64	rate;
	char	watch[ALTIFNAMSIZ];
};

/**
 * struct optsample_request - new options from netlink
 * @cfg:	all of them
 * @profiles:	new table of profiles, or NULL
 * @prog:	new classifier, or NULL for none,
 * @sets_prog:	if this is set
 */
struct optsample_request {
	struct optsample_config		cfg;
	struct optsample_profile	*profiles;
	struct bpf_prog			*prog;
	bool				sets_prog;
};

struct optsample_account;

/**
 * struct optsample_source - current and former link addresses of the device
 * @addr:	the address now, if @known
 * @former:	earlier addresses, newest last, without @addr
 * @nformer:	number of entries in @former
 * @known:	the device has Ethernet addresses
 */
struct optsample_source {
	u8	addr[ETH_ALEN] __aligned(2);
	u8	former[OPTSAMPLE_FORMER][ETH_ALEN] __aligned(2);
	u8	nformer;
	bool	known;
};

/**
 * struct optsample_inflight - packets below the qdisc, see inflight.c
 * @all:	account of packets without an account of their destination, NULL
 *		without a limit
 * @dests:	accounts of single destinations, by address
 * @ndests:	number of accounts in @dests
 * @blocked:	accounts that flows wait for
 * @reopened:	a packet was freed below; written in any context
 * @recounts:	resets of an account whose packets never completed
 */
struct optsample_inflight {
	struct optsample_account *all;
	struct hlist_head	dests[16];
	u32			ndests;
	struct list_head	blocked;
	bool			reopened;
	u64			recounts;
};

/**
 * struct optsample_recall - messages below the qdisc, see recall.c
 * @reports:	reports of the radio to be processed; has its own lock
 * @gone:	reports are no longer processed; under the lock of @reports
 * @aired:	messages with packets that are kept, oldest first
 * @nmsgs:	messages in @aired
 * @waiting:	packets kept, not known to have arrived or failed
 * @failed:	messages with a packet that failed
 * @silent:	packets without a report since the last report of a kept one
 * @acked:	packets that were kept and arrived
 * @good:	acknowledgments, counted up to OPTSAMPLE_BELIEVED
 * @deaf:	the radio does not report
 * @doubt:	packets get lost: they leave one at a time
 * @drained:	in @doubt: the fate of all packets sent before it is known
 * @len:	in @doubt: bytes of the largest packet that was lost
 * @failed_ns:	when a packet was last lost, ns
 * @next_ns:	in @doubt: when the next one may leave, ns
 * @looked:	last search for packets dropped without a report, jiffies
 * @forgotten:	messages no longer tracked: their fate stays unknown
 */
struct optsample_recall {
	struct sk_buff_head	reports;
	bool			gone;
	struct list_head	aired;
	u32			nmsgs;
	u32			waiting;
	u32			failed;
	u32			silent;
	u32			acked;
	u8			good;
	bool			deaf;
	bool			doubt;
	bool			drained;
	u32			len;
	u64			failed_ns;
	u64			next_ns;
	unsigned long		looked;
	u32			forgotten;
};

/**
 * struct optsample_stall - why the qdisc holds, and since when
 * @inflight:	packets below the qdisc
 * @watched:	device whose carrier decides, with a reference; may be NULL
 * @tracker:	tracks the reference to @watched
 * @source:	link addresses of @watched, or of the own device
 * @rate:	the configured rate
 * @watchdog:	schedules the qdisc
 * @instances:	entry in the list of all qdiscs of this kind
 * @careful:	the configuration or the link state may hold packets
 * @steady:	@careful, and only the link, a limit on packets in flight, or
 *		time can change that they leave
 * @many:	the link has several stations, or had until it was lost
 * @by_dest:	packets in flight are limited for each destination
 * @recalls:	messages are kept until they have arrived
 * @station:	the link is that of a Wi-Fi station, or was until it was lost
 * @unlinked:	the own device is an optsample device without a link
 * @linked:	it had a link once
 * @down:	carrier of the watched or own device was seen down
 * @settle_ns:	nothing leaves before this time, ns; 0: settled
 * @pause_ns:	flows do not send before this time, ns; 0: no pause
 * @next_ns:	earliest departure at the configured rate, ns
 * @last_len:	bytes of the last packet that left at that rate
 * @cause:	cause of the stall now, or TC_OPTSAMPLE_NOT_STALLED
 * @since_ns:	@cause is accounted until then, ns
 * @began_ns:	when @cause began, ns
 * @last_jiffies: last departure, jiffies
 * @backlogged:	packets still waited after the last departure
 * @ns:		time spent by cause, ns
 * @held:	reset() kept the queue: @qlen and @backlog must be restored
 * @qlen:	see @held
 * @backlog:	see @held
 * @requeued:	packets that the core took back from the driver before reset()
 * @recall:	messages below the qdisc that may come back
 */
struct optsample_stall {
	struct optsample_inflight inflight;
	struct net_device	*watched;
	netdevice_tracker	tracker;
	struct optsample_source	source;
	struct psched_ratecfg	rate;
	struct qdisc_watchdog	watchdog;
	struct list_head	instances;
	bool			careful;
	bool			steady;
	bool			many;
	bool			by_dest;
	bool			recalls;
	bool			station;
	bool			unlinked;
	bool			linked;
	bool			down;
	u64			settle_ns;
	u64			pause_ns;
	u64			next_ns;
	u32			last_len;
	u32			cause;
	u64			since_ns;
	u64			began_ns;
	unsigned long		last_jiffies;
	bool			backlogged;
	u64			ns[TC_OPTSAMPLE_STALLS];
	bool			held;
	u32			qlen;
	u32			backlog;
	struct sk_buff_head	requeued;
	struct optsample_recall	recall;
};

/**
 * struct optsample_loss - packets taken out of the queue by an operation
 * @to_free:	list that they go to; the caller frees them after the lock
 * @packets:	number of packets
 * @bytes:	qdisc_pkt_len() of all of them
 * @own:	packet being enqueued
 * @own_msg:	message that @own was added to
 * @own_lost:	@own is among them
 */
struct optsample_loss {
	struct sk_buff		**to_free;
	u32			packets;
	u32			bytes;
	struct sk_buff		*own;
	struct optsample_msg	*own_msg;
	bool			own_lost;
};

struct optsample_sched {
	struct tcf_proto __rcu	*filter_list;
	struct bpf_prog		*prog;		/* classifier, or NULL */
	struct tcf_block	*block;
	struct optsample_config	cfg;
	struct optsample_profile *profiles;	/* by id, or NULL */

	struct hlist_head	*table;
	u32			table_shift;	/* 64 less its bits */
	struct {
		u64		a, b;
	} hash;
	struct optsample_flow	**slots;	/* by class minor - 1 */
	u16			*free_slots;
	u32			nflows;
	u32			nself;		/* with @self, of segments */
	struct list_head	turns[2 * OPTSAMPLE_BANDS];
	u32			turns_mask;	/* 0: that list is empty */
	u32			listed;		/* flows in @turns or parked */
	u32			holding;	/* flows that hold packets */
	struct list_head	unparked;	/* will be in @turns again */
	unsigned long		unparked_at;	/* last of all flows, jiffies */
	unsigned long		tidy;		/* next tidy-up, jiffies */
	struct list_head	idle;
	struct optsample_flow	*alone;		/* idle, but still listed */
	struct optsample_msg	*spare;		/* messages, for reuse */
	u32			nspare;
	u32			overhead;	/* flows and sets, bytes */
	u32			profile_memory;	/* profiles and their groups */
	u32			flow_memory;	/* limit of @memory, bytes */
	u32			memory;		/* packets and messages held */
	struct optsample_flow	*fattest;	/* or NULL; see relieve.c */
	unsigned long		relieved;	/* last search, jiffies */
	u32			cursor;		/* slot where it stopped */
	u32			memory_max;
	u64			longest_gap;
	u64			flows_new;
	u64			flows_reclaimed;
	u64			flows_refused;
	u64			msgs_aged;	/* of all flows, ever */
	u32			flows_displaced;
	struct tc_optsample_counters retired;	/* sums over freed flows */

	bool			may_orphan;	/* not in a user's namespace */
	struct optsample_loss	loss;		/* of the current enqueue */
	struct optsample_ordinary ordinary;
	struct optsample_stall	stall;
};

/*
 * Flows, sets or profiles were added or removed: update the memory that remains
 * for packets. A quarter is for ordinary traffic.
 */
static inline void optsample_overhead(struct optsample_sched *q, int bytes)
{
	u32 all = q->cfg.memlimit - q->cfg.memlimit / 4 - q->profile_memory;

	q->overhead += bytes;
	q->flow_memory = all > q->overhead ? all - q->overhead : 0;
}

/* The tag, if a classifier wrote one */
static inline struct optsample_tag *optsample_skb_tag(struct sk_buff *skb)
{
	qdisc_cb_private_validate(skb, sizeof(struct optsample_tag));
	return (void *)qdisc_skb_cb(skb)->data;
}

/*
 * Start to account packets dropped while @own is enqueued. Packets dropped
 * earlier, to make room for its flow, stay in @loss.
 */
static inline void optsample_loss_begin(struct optsample_loss *loss,
					struct sk_buff *own,
					struct sk_buff **to_free)
{
	loss->to_free = to_free;
	loss->own = own;
	loss->own_msg = NULL;
}

/* Restore the queue length, which the core cleared after a kept reset(). */
static inline void optsample_unhold(struct Qdisc *sch)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct optsample_stall *st = &q->stall;

	if (likely(!st->held))
		return;
	st->held = false;
	/* The child may have dropped packets meanwhile. */
	sch->q.qlen += st->qlen;
	sch->qstats.backlog += st->backlog;
}

/* What may hold packets has changed: dequeue looks at all of it again. */
static inline void optsample_look_again(struct optsample_stall *st)
{
	st->careful = true;
	st->steady = false;
}

/**
 * optsample_kick - schedule the qdisc
 * @sch: the qdisc; lives at least until the caller's RTNL or RCU section ends
 */
static inline void optsample_kick(struct Qdisc *sch)
{
	rcu_read_lock();
	__netif_schedule(qdisc_root(sch));
	rcu_read_unlock();
}

static inline void optsample_memory_max(struct optsample_sched *q)
{
	if (q->memory > q->memory_max)
		q->memory_max = q->memory;
}

static inline void optsample_counters_add(struct tc_optsample_counters *sum,
					  const struct tc_optsample_counters *c)
{
	const u64 *from = (const u64 *)c;
	u64 *to = (u64 *)sum;
	int i;

	for (i = 0; i < sizeof(*c) / sizeof(u64); i++)
		to[i] += from[i];
}

/* The group of profile @id, or NULL */
static inline struct optsample_group *
optsample_profile_group(const struct optsample_sched *q, u8 id)
{
	if (!q->profiles || id >= TC_OPTSAMPLE_PROFILES)
		return NULL;
	return q->profiles[id].group;
}

/* config.c */
int optsample_parse(struct Qdisc *sch, struct nlattr *opt,
		    struct optsample_request *r,
		    struct netlink_ext_ack *extack);
int optsample_apply(struct Qdisc *sch, struct optsample_request *r,
		    struct netlink_ext_ack *extack);
int optsample_change(struct Qdisc *sch, struct nlattr *opt,
		     struct netlink_ext_ack *extack);
int optsample_dump(struct Qdisc *sch, struct sk_buff *skb);
void optsample_profiles_free(struct optsample_profile *profiles,
			     const struct optsample_profile *but);

/* egress.c */
int optsample_egress_register(void);
void optsample_egress_unregister(void);
bool optsample_is_egress(const struct net_device *dev);
bool optsample_egress_unlinked(const struct net_device *dev);

/* prog.c */
int optsample_prog_get(struct Qdisc *sch, const struct nlattr *fd,
		       struct bpf_prog **prog, struct netlink_ext_ack *extack);
void optsample_prog_put(struct bpf_prog *prog);
int optsample_prog_dump(const struct optsample_sched *q, struct sk_buff *skb);

/* stats.c */
extern const struct Qdisc_class_ops optsample_class_ops;
int optsample_dump_stats(struct Qdisc *sch, struct gnet_dump *d);

/* message.c */
int optsample_caches_init(void);
void optsample_caches_exit(void);
bool optsample_pass_full(const struct optsample_sched *q,
			 const struct optsample_flow *f);
void optsample_pass_drop_oldest(struct optsample_sched *q,
				struct optsample_flow *f,
				struct optsample_loss *loss);
int optsample_settle_loss(struct Qdisc *sch, struct optsample_loss *loss);
void optsample_turns_end(struct optsample_sched *q);
void optsample_flows_orphan(struct optsample_sched *q);

/* arrive.c */
int optsample_flow_enqueue(struct sk_buff *skb, struct Qdisc *sch,
			   struct sk_buff **to_free, struct optsample_flow *f);

/* depart.c */
struct sk_buff *optsample_flows_dequeue(struct optsample_sched *q);
void optsample_unpark(struct optsample_sched *q);

/* group.c */
struct optsample_group *optsample_group_alloc(gfp_t gfp);
struct optsample_group *optsample_group_to(struct optsample_sched *q,
					   struct optsample_group *any,
					   u64 dest);
bool optsample_group_start(struct optsample_sched *q,
			   struct optsample_flow *f, struct sk_buff *skb,
			   const struct optsample_tag *tag,
			   struct optsample_loss *loss);
void optsample_group_begin(struct optsample_sched *q,
			   struct optsample_flow *f,
			   struct optsample_msg *msg);
bool optsample_group_turn(const struct optsample_flow *f);
void optsample_group_join(struct optsample_sched *q,
			  struct optsample_flow *f,
			  struct optsample_group *group);
void optsample_group_leave(struct optsample_sched *q,
			   struct optsample_flow *f);
void optsample_withdraw(struct optsample_sched *q, struct optsample_flow *f,
			struct optsample_msg *msg);

/* follow.c */
u8 optsample_flow_profile(const struct optsample_sched *q,
			  const struct optsample_flow *f);
void optsample_flow_switch(struct optsample_sched *q, struct optsample_flow *f,
			   u8 profile, struct optsample_loss *loss);
void optsample_flows_reconfigure(struct optsample_sched *q,
				 struct optsample_loss *loss);

/* relieve.c */
void optsample_flows_relieve(struct optsample_sched *q,
			     struct optsample_loss *loss);

/* table.c */
void optsample_flows_lists(struct optsample_sched *q);
int optsample_flows_init(struct optsample_sched *q);
void optsample_flows_purge(struct optsample_sched *q,
			   struct optsample_loss *loss);
void optsample_flows_destroy(struct optsample_sched *q);
bool optsample_idle_free(struct optsample_sched *q);
void optsample_flows_reclaim(struct optsample_sched *q);
struct optsample_flow *optsample_flow_make(struct optsample_sched *q,
					   const struct sk_buff *skb,
					   const struct optsample_tag *tag,
					   struct optsample_loss *loss);
u64 optsample_flow_age_ns(const struct optsample_flow *f);

/* Does any flow hold packets? */
static inline bool optsample_flows_hold(const struct optsample_sched *q)
{
	return q->holding;
}

/* @n: 1: a message was committed; -1: it has begun to leave or was dropped */
static inline void optsample_committed(struct optsample_flow *f, int n)
{
	f->committed += n;
	if (f->group)
		f->group->pending += n;
}

/* Messages of @f that have not begun to leave */
static inline u32 optsample_flow_waiting(const struct optsample_flow *f)
{
	return f->sampler.len + f->waiting;
}

/*
 * Multiply-shift hashing: without the random factors a sender cannot choose ids
 * that all fall into one bucket (M. Thorup, High Speed Hashing for Integers and
 * Strings, 3.3).
 */
static inline struct hlist_head *
optsample_flow_bucket(const struct optsample_sched *q, u32 id)
{
	return &q->table[(q->hash.a * id + q->hash.b) >> q->table_shift];
}

static inline struct optsample_flow *
optsample_flow_find(const struct optsample_sched *q, u32 id)
{
	struct hlist_node *n = optsample_flow_bucket(q, id)->first;
	struct optsample_flow *f;

	/* hlist_for_each_entry() tests the entry again, for each packet. */
	for (; n; n = n->next) {
		f = hlist_entry(n, struct optsample_flow, hash);
		if (f->id == id)
			return f;
	}
	return NULL;
}

/* recall.c */
void optsample_recall_init(struct optsample_sched *q);
void optsample_recall_destroy(struct optsample_sched *q);
void optsample_recall_reset(struct optsample_sched *q);
void optsample_recall_again(struct optsample_sched *q);
void optsample_recall_another(struct optsample_sched *q);
void optsample_recall_configure(struct Qdisc *sch);
void optsample_recall_keep(struct optsample_sched *q, struct optsample_flow *f,
			   struct optsample_msg *msg, struct sk_buff *skb);
void optsample_recall_linger(struct optsample_sched *q,
			     struct optsample_flow *f,
			     struct optsample_msg *msg);
void optsample_recall_forget(struct optsample_sched *q,
			     struct optsample_msg *msg);
void optsample_recall_forget_flow(struct optsample_sched *q,
				  const struct optsample_flow *f);
bool optsample_recall_needs(const struct optsample_sched *q,
			    const struct optsample_flow *f);
bool optsample_recall_relieve(struct optsample_sched *q, bool any);
void optsample_recall_hear(struct Qdisc *sch);
bool optsample_recall_holds(struct optsample_sched *q, u64 now, u64 *wake_ns);
bool optsample_recall_try(struct optsample_sched *q, u64 now);
void optsample_recall_probe(struct Qdisc *sch, struct sk_buff *skb);
bool optsample_recall_requeued(struct optsample_sched *q,
			       const struct sk_buff *skb);
u32 optsample_recall_state(const struct optsample_sched *q);

/* link.c */
/* Return: whether watched and own device can send */
static inline bool optsample_link_up(struct Qdisc *sch)
{
	const struct optsample_sched *q = qdisc_priv(sch);
	const struct net_device *dev = q->stall.watched;

	if (q->cfg.watch[0] &&
	    (!dev || !netif_running(dev) || !netif_carrier_ok(dev) ||
	     !netif_oper_up(dev)))
		return false;
	return netif_carrier_ok(qdisc_dev(sch)) && !q->stall.unlinked;
}

int optsample_link_register(void);
void optsample_link_unregister(void);
void optsample_link_init(struct Qdisc *sch);
void optsample_link_destroy(struct Qdisc *sch);
void optsample_link_configure(struct Qdisc *sch, const char *name);
void optsample_link_settle(struct optsample_sched *q, u64 now);
void optsample_link_look(struct Qdisc *sch);
bool optsample_link_is_ethernet(struct Qdisc *sch);

/* source.c */
void optsample_source_look(struct optsample_sched *q,
			   const struct net_device *dev);
void optsample_source_put(struct Qdisc *sch, struct sk_buff *skb);

/* hold.c */
void optsample_hold_init(struct Qdisc *sch);
void optsample_hold_destroy(struct Qdisc *sch);
void optsample_hold_by_dest(struct Qdisc *sch);
void optsample_hold_configure(struct Qdisc *sch,
			      const struct optsample_config *cfg,
			      struct optsample_account *all);
bool optsample_hold_over_reset(struct Qdisc *sch);
void optsample_hold_nothing(struct optsample_sched *q);
void optsample_hold_reset(struct optsample_sched *q);
void optsample_hold_flush(struct optsample_sched *q,
			  struct optsample_loss *loss);
void optsample_hold_pause(struct Qdisc *sch, u32 ms);
bool optsample_hold_back(struct Qdisc *sch);
void optsample_hold_released(struct Qdisc *sch, struct sk_buff *skb);
void optsample_hold_blocked(struct Qdisc *sch);
u32 optsample_hold_account(struct Qdisc *sch);

#endif
