/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of the optsample qdisc share.
 *
 *   sch_optsample.c  the qdisc: one packet in, one packet out
 *   config.c         options and profiles, by netlink
 *   stats.c          statistics and classes, by netlink
 *   arrive.c         a tagged packet arrives: which message, does it stay?
 *   depart.c         which packet leaves next
 *   message.[ch]     a message: memory and accounts
 *   group.c          flows that keep the same stamps
 *   follow.c         what a flow does otherwise than the qdisc
 *   relieve.c        when memory is short
 *   table.c          flows by id
 *   ordinary.c       the child qdisc for everything without a tag
 *   hold.c           when to hold, how long: link, in flight, rate, gate
 *   inflight.c       what is below the qdisc
 *   recall.c         what is below, and comes back if it does not arrive
 *   link.c           carrier of the watched device and of the own one
 *
 * They call each other one way only:
 *
 *   sch_optsample -> all but follow, relieve and group
 *   config -> follow, relieve, group, ordinary, hold, inflight, link, recall
 *   stats -> follow, table, ordinary, hold, inflight, recall
 *   arrive -> follow, relieve, group
 *   relieve -> table, group, recall
 *   depart -> group, inflight, recall
 *   follow -> group
 *   table -> group, recall
 *   ordinary -> inflight
 *   hold -> inflight, link, recall
 *   link -> recall
 *   recall, inflight: know each other
 *
 * and message.c is below all of them.
 *
 * Everything here is protected by the root qdisc lock unless it says
 * otherwise. Configuration changes under RTNL plus that lock.
 */
#ifndef OPTSAMPLE_KERNEL_H
#define OPTSAMPLE_KERNEL_H

#include <linux/hash.h>
#include <linux/if_ether.h>
#include <linux/list.h>
#include <linux/skbuff.h>
#include <net/pkt_sched.h>
#include <net/sock.h>
#include <linux/pkt_sch_optsample.h>
#include <optsample/sync.h>
#include <optsample/tag.h>

enum {
	OPTSAMPLE_RECENT = 4,		/* messages remembered afterwards */
	OPTSAMPLE_FIND = 64,		/* messages searched for a straggler */
	OPTSAMPLE_PASS_MAX = 1024,	/* control, repairs: or 1/8 of memory */
	OPTSAMPLE_TIDY_PACKETS = 1024,	/* ordinary ones; or when it is quiet */
	OPTSAMPLE_LOOK = 16,		/* flows looked at for the fattest */
	OPTSAMPLE_MOVES = 64,		/* of control, in one dequeue */
	OPTSAMPLE_SPARE_MAX = 256,	/* message structs kept for reuse */
	OPTSAMPLE_FLOWS_MAX = 65534,	/* class minor numbers, and */
	OPTSAMPLE_ORDINARY = 0xffff,	/* that of ordinary traffic */
	OPTSAMPLE_ASLEEP_MS = 100,	/* nothing came back: it sleeps */
	OPTSAMPLE_DESTS_MAX = 64,	/* that are counted in flight */
	OPTSAMPLE_PRIORITIES = 8,
	OPTSAMPLE_BANDS = 1 + OPTSAMPLE_PRIORITIES,	/* 0: background */
	OPTSAMPLE_OTHERS = 3,		/* flows of control, but for its own */
	OPTSAMPLE_ALONE = 0x100,	/* of a profile whose group is full */
	OPTSAMPLE_FORMER = 4,		/* link addresses of a device */
};

/* Shorter waits between two packets are ordinary scheduling, not a stall. */
#define OPTSAMPLE_DRIVER_JIFFIES	(HZ / 100 + 1)

enum optsample_place {
	OPTSAMPLE_IN_SAMPLER,	/* that of its flow */
	OPTSAMPLE_PASSES,	/* control, repairs: in order, never sampled */
	OPTSAMPLE_IN_SET,	/* that of its group */
	OPTSAMPLE_COMMITTED,	/* decided: it will leave */
};

/* Which packets of a message that leaves are kept, see recall.c */
enum optsample_air_place {
	OPTSAMPLE_NOT_KEPT,
	OPTSAMPLE_LEAVES,	/* those that left so far */
	OPTSAMPLE_LEFT,		/* all; it is in no queue any more */
	OPTSAMPLE_TORN,		/* one could not be: none */
};

/**
 * struct optsample_msg - one message, or a run of packets that just pass
 * @node:	place in the sampler (unused for passing packets); its position
 *		counts in a set, too
 * @pos:	the same
 * @part:	place in a set, and
 * @flow:	whose it is, in a flow with partners
 * @passes:	of passing packets: place among those of the flow,
 * @others:	flows that they must not overtake, either, and
 * @latest:	see OPTSAMPLE_TAG_LATEST, or 0
 * @spare:	of spare ones: the next
 * @fifo:	place in the flow's order of arrival
 * @head:	first packet held, linked through skb->next
 * @tail:	last packet held; only valid while @head is
 * @arrived:	jiffies when its first packet came
 * @id:		message number of the tag
 * @bytes:	of the packets held, as qdisc_pkt_len() counts
 * @truesize:	of the packets held, this structure included
 * @packets:	held
 * @complete:	the LAST packet was seen
 * @place:	who decides whether it stays
 * @air_place:	enum optsample_air_place; only then are these valid:
 * @failed:	one of its packets did not arrive
 * @kept:	packets that left, linked through skb->next,
 * @kept_last:	the last of them, and
 * @undecided:	the first of which it is not known whether it arrived
 * @kept_truesize: of them, part of @truesize
 * @kept_at:	jiffies when the last one was kept
 * @air:	in optsample_recall.aired
 * @sender:	whose it is
 * @sent_before: position of the message that left before it
 * @acked:	optsample_recall.acked when it last came back, and
 * @returns:	how often it did since others arrived
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

/* Which list of optsample_sched.turns: the higher goes first */
enum optsample_turns {
	OPTSAMPLE_TURNS,	/* 2 * band plus this: flows take turns, but */
	OPTSAMPLE_FRESH,	/* those that held nothing, for one turn */
};

/* The last few message numbers of some kind */
struct optsample_recent {
	u32	id[OPTSAMPLE_RECENT];
	u8	next;
	u8	count;
};

/**
 * struct optsample_group - flows that keep the same stamps
 * @sync:	their sampler
 * @pending:	messages of sets that have begun to leave, which wait
 * @dest:	link address that they send to, 0 for any
 * @dests:	of the profile's own group, with @dest 0: those of single
 *		destinations; of these: where they are in it
 */
struct optsample_group {
	struct optsample_sync	sync;
	u32			pending;
	u64			dest;
	struct list_head	dests;
};

/**
 * struct optsample_profile_config - what netlink said of a profile
 * @fields:	what was named, BIT(TCA_OPTSAMPLE_PROFILE_*); all else is as the
 *		qdisc has it
 * @limit:	messages, or sets
 * @policy:	enum optsample_policy
 * @refill:	R in percent
 * @priority:	which list of active flows
 * @slop_us:	sync: stamps that differ by so much are the same
 * @segments:	flows that only their sender declared may follow it
 */
struct optsample_profile_config {
	u32	fields;
	u32	limit;
	u32	policy;
	u32	refill;
	u32	priority;
	u32	slop_us;
	u32	segments;
};

/**
 * struct optsample_profile - what some flows do otherwise than the qdisc
 * @cfg:	as configured; no fields: there is no such profile
 * @group:	of its flows, if they keep the same stamps, or NULL
 */
struct optsample_profile {
	struct optsample_profile_config	cfg;
	struct optsample_group		*group;
};

/**
 * struct optsample_flow - messages of one writer to one destination
 * @list:	in a list of optsample_sched.turns, or parked, if @listed,
 *		else in .idle
 * @hash:	in optsample_sched.table
 * @queue:	messages in order of arrival,
 * @passes:	and those of them that just pass
 * @cur:	first of them once it has begun to leave: will be finished
 * @rx:		message the last packet was added to
 * @newest:	number of the newest message seen
 * @gone:	numbers of messages given up lately; their rest is dropped
 * @left:	numbers of messages that left lately; stragglers follow them
 * @sent_pos:	position of the last message that left
 * @dest:	link address that it sends to, zeros if there is none
 * @group:	which it is in, or NULL, and
 * @member:	its number there
 * @waiting:	messages that are not in @sampler and have not begun to leave
 * @committed:	those of them that will leave in any case
 * @profile:	the tag's, which optsample_flow_profile() may not let it have;
 *		with OPTSAMPLE_ALONE: its group was full, try again
 * @band:	a higher one goes first
 * @own_band:	the same if its profile has no priority
 * @self:	only its sender declared it, see OPTSAMPLE_TAG_SELF
 * @born:	when it was made, jiffies
 * @listed:	it waits for its turn, for its destination, or for an end of its
 *		debt; or it is .alone
 * @deficit:	bytes that it may send in this turn, negative: debt
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
	struct optsample_group	*group;
	struct optsample_sampler sampler;
	struct tc_optsample_counters c;
};

/**
 * struct optsample_ordinary - what has no tag
 * @child:	qdisc that queues it,
 * @chosen:	by the user
 * @credit:	at least 0: it goes before the flows; in percent of bytes
 * @sent:	packets
 */
struct optsample_ordinary {
	struct Qdisc		*child;
	bool			chosen;
	s32			credit;
	u64			sent;
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
	u64	rate;
	char	watch[ALTIFNAMSIZ];
};

struct optsample_account;

/**
 * struct optsample_source - link addresses that the device has and had
 * @addr:	now, if @known
 * @former:	before that, newest last, without @addr
 * @nformer:	how many
 * @known:	the device has Ethernet addresses
 */
struct optsample_source {
	u8	addr[ETH_ALEN] __aligned(2);
	u8	former[OPTSAMPLE_FORMER][ETH_ALEN] __aligned(2);
	u8	nformer;
	bool	known;
};

/**
 * struct optsample_inflight - what is below the qdisc, see inflight.c
 * @all:	account of everything without a destination of its own, NULL
 *		without a limit
 * @dests:	those of single destinations, by address
 * @ndests:	how many there are
 * @blocked:	accounts that flows wait for
 * @reopened:	something is gone below; written in any context
 * @recounts:	resets of an account whose packets never came back
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
 * struct optsample_recall - messages that were handed down, see recall.c
 * @reports:	of the radio, not heard yet; has a lock of its own
 * @gone:	nobody will hear them; under the lock of @reports
 * @aired:	messages of which packets are kept, oldest first
 * @nmsgs:	how many
 * @waiting:	packets kept of which it is not known whether they arrived
 * @failed:	messages with a packet that did not
 * @silent:	packets since the last report of one that is kept
 * @acked:	packets of those kept that arrived
 * @good:	acknowledgements, as many as are needed to believe the radio
 * @deaf:	the radio does not report
 * @doubt:	packets get lost: one leaves at a time, and
 * @drained:	all that left before that is decided
 * @len:	of the largest packet that was lost in this doubt
 * @failed_ns:	when one was last lost
 * @next_ns:	when the next one may leave
 * @looked:	for packets that vanished, jiffies
 * @forgotten:	messages of which it will not be known whether they arrived
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
 * @inflight:	what is below, and
 * @recall:	what of that may come back
 * @watched:	device whose carrier counts, with a reference; may be NULL
 * @source:	link addresses of that device, or of the own one
 * @careful:	something is configured or going on that may hold packets
 * @many:	the link talks to several stations, or did until it was lost
 * @by_dest:	what is in flight is limited for each destination
 * @recalls:	messages are kept until they have arrived
 * @station:	the link is that of a Wi-Fi station, or was until it was lost
 * @down:	carrier of the watched or own device was seen down
 * @settle_ns:	nothing leaves before this time, 0 if settled
 * @pause_ns:	no flow sends before this time, 0 if they may
 * @next_ns:	earliest departure at the configured rate
 * @last_len:	bytes of the last packet that left at that rate
 * @cause:	of the stall now, TC_OPTSAMPLE_NOT_STALLED if none
 * @since_ns:	when @cause began
 * @last_jiffies: of the last departure
 * @backlogged:	it left a backlog behind
 * @held:	reset() kept the queue: @qlen and @backlog must be restored
 * @requeued:	packets that the core had taken back from the driver by then
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
	bool			many;
	bool			by_dest;
	bool			recalls;
	bool			station;
	bool			down;
	u64			settle_ns;
	u64			pause_ns;
	u64			next_ns;
	u32			last_len;
	u32			cause;
	u64			since_ns;
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
 * @to_free:	where they go; freed by the caller after the lock
 * @packets:	how many
 * @bytes:	qdisc_pkt_len() of all
 * @own:	packet being enqueued
 * @own_msg:	message it was added to
 * @own_lost:	it is among them
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
	u32			listed;		/* in them, or parked */
	u32			holding;	/* flows that hold packets */
	struct list_head	unparked;	/* will be in @turns again */
	unsigned long		unparked_at;	/* last time all, jiffies */
	unsigned long		tidy;		/* idle flows, at this time */
	struct list_head	idle;
	struct optsample_flow	*alone;		/* held packets last, listed */
	struct optsample_msg	*spare;		/* messages, for reuse */
	u32			nspare;
	u32			overhead;	/* flows and sets, bytes */
	u32			profile_memory;	/* profiles and their groups */
	u32			flow_memory;	/* limit of @memory: the rest */
	u32			memory;		/* packets and messages held */
	struct optsample_flow	*fattest;	/* or NULL; see relieve.c */
	unsigned long		relieved;	/* when, jiffies */
	u32			cursor;		/* of the search for it */
	u32			memory_max;
	u64			longest_gap;
	u64			flows_new;
	u64			flows_reclaimed;
	u64			flows_refused;
	u32			flows_displaced;
	struct tc_optsample_counters retired;	/* of flows that are gone */

	struct optsample_loss	loss;		/* of this enqueue */
	struct optsample_ordinary ordinary;
	struct optsample_stall	stall;
};

/*
 * Flows, sets or profiles come or go: what remains for packets. A quarter is
 * ordinary traffic's.
 */
static inline void optsample_overhead(struct optsample_sched *q, int bytes)
{
	u32 all = q->cfg.memlimit - q->cfg.memlimit / 4 - q->profile_memory;

	q->overhead += bytes;
	q->flow_memory = all > q->overhead ? all - q->overhead : 0;
}

/*
 * Is the sender's socket needed on the way? Time stamps and Wi-Fi's status are
 * for it, and etf asks it for the clock of the transmit time.
 */
static inline bool optsample_needs_sender(const struct sk_buff *skb)
{
	const struct sock *sk = skb->sk;

	if (!sk)
		return false;
	return skb_shinfo(skb)->tx_flags & SKBTX_ANY_TSTAMP ||
	       (sk_fullsock(sk) && (sock_flag(sk, SOCK_TXTIME) ||
				    sock_flag(sk, SOCK_WIFI_STATUS)));
}

/* Where a classifier wrote the tag, if it did */
static inline struct optsample_tag *optsample_skb_tag(struct sk_buff *skb)
{
	qdisc_cb_private_validate(skb, sizeof(struct optsample_tag));
	return (void *)qdisc_skb_cb(skb)->data;
}

/*
 * What is lost from now on is lost for @own, which is being enqueued. What was
 * lost before, to make room for its flow, stays.
 */
static inline void optsample_loss_begin(struct optsample_loss *loss,
					struct sk_buff *own,
					struct sk_buff **to_free)
{
	loss->to_free = to_free;
	loss->own = own;
	loss->own_msg = NULL;
}

/* reset() kept the queue, but the core forgot how long it was */
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

/**
 * optsample_kick - have the qdisc asked for packets again
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

/* Of profile @id, or NULL */
static inline struct optsample_group *
optsample_profile_group(const struct optsample_sched *q, u8 id)
{
	if (!q->profiles || id >= TC_OPTSAMPLE_PROFILES)
		return NULL;
	return q->profiles[id].group;
}

/* config.c */
int optsample_parse(struct Qdisc *sch, struct nlattr *opt,
		    struct optsample_config *cfg,
		    struct optsample_profile **profiles,
		    struct netlink_ext_ack *extack);
int optsample_apply(struct Qdisc *sch, const struct optsample_config *cfg,
		    struct optsample_profile *profiles,
		    struct netlink_ext_ack *extack);
int optsample_change(struct Qdisc *sch, struct nlattr *opt,
		     struct netlink_ext_ack *extack);
int optsample_dump(struct Qdisc *sch, struct sk_buff *skb);
void optsample_profiles_free(struct optsample_profile *profiles,
			     const struct optsample_profile *but);

/* stats.c */
extern const struct Qdisc_class_ops optsample_class_ops;
int optsample_dump_stats(struct Qdisc *sch, struct gnet_dump *d);

/* message.c */
int optsample_msg_cache_init(void);
void optsample_msg_cache_exit(void);
void optsample_msg_drop(struct optsample_sched *q, struct optsample_flow *f,
			struct optsample_msg *msg,
			struct optsample_loss *loss);
bool optsample_pass_full(const struct optsample_sched *q,
			 const struct optsample_flow *f);
void optsample_pass_drop_oldest(struct optsample_sched *q,
				struct optsample_flow *f,
				struct optsample_loss *loss);
int optsample_settle_loss(struct Qdisc *sch, struct optsample_loss *loss);
void optsample_turns_end(struct optsample_sched *q);

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
bool optsample_group_evict(struct optsample_sched *q,
			   struct optsample_group *group,
			   struct optsample_loss *loss);
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

/* A message that will leave in any case begins to wait, or waits no more */
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
 * Multiply-shift, which no choice of ids fills one bucket of without knowing
 * the numbers (M. Thorup, High Speed Hashing for Integers and Strings, 3.3)
 */
static inline struct hlist_head *
optsample_flow_bucket(const struct optsample_sched *q, u32 id)
{
	return &q->table[(q->hash.a * id + q->hash.b) >> q->table_shift];
}

static inline struct optsample_flow *
optsample_flow_find(const struct optsample_sched *q, u32 id)
{
	struct optsample_flow *f;

	hlist_for_each_entry(f, optsample_flow_bucket(q, id), hash)
		if (f->id == id)
			return f;
	return NULL;
}

/* ordinary.c */
int optsample_ordinary_init(struct Qdisc *sch, struct netlink_ext_ack *extack);
int optsample_ordinary_configure(struct Qdisc *sch,
				 struct netlink_ext_ack *extack);
void optsample_ordinary_reset(struct optsample_sched *q);
void optsample_ordinary_flush(struct optsample_sched *q);
void optsample_ordinary_destroy(struct optsample_sched *q);
int optsample_ordinary_graft(struct Qdisc *sch, struct Qdisc *new,
			     struct Qdisc **old,
			     struct netlink_ext_ack *extack);
int optsample_ordinary_enqueue(struct sk_buff *skb, struct Qdisc *sch,
			       struct sk_buff **to_free);
bool optsample_ordinary_waits(struct optsample_sched *q);

/* inflight.c */
struct optsample_account *optsample_account_alloc(struct Qdisc *sch, gfp_t gfp);
void optsample_inflight_configure(struct optsample_sched *q,
				  const struct optsample_config *cfg,
				  struct optsample_account *all);
void optsample_inflight_destroy(struct optsample_sched *q);
bool optsample_inflight_full(struct optsample_sched *q);
struct list_head *optsample_inflight_blocks(struct optsample_sched *q,
					    const struct sk_buff *skb);
bool optsample_inflight_parked(const struct optsample_sched *q);
void optsample_inflight_reopen(struct optsample_sched *q, bool all);
bool optsample_inflight_busy(struct optsample_sched *q,
			     const struct sk_buff *skb);
void optsample_inflight_ask(struct optsample_sched *q, bool ask);
bool optsample_inflight_may_own(const struct sk_buff *skb);
void optsample_inflight_own(struct optsample_sched *q, struct sk_buff *skb);
void optsample_inflight_disown(struct optsample_sched *q, struct sk_buff *skb);
u32 optsample_inflight_packets(const struct optsample_sched *q);
u32 optsample_inflight_bytes(const struct optsample_sched *q);
u32 optsample_inflight_dests(const struct optsample_sched *q);
u32 optsample_inflight_limit(const struct optsample_sched *q);

/* Is there any limit? */
static inline bool optsample_inflight_wanted(const struct optsample_config *cfg)
{
	return cfg->inflight_packets || cfg->inflight_bytes ||
	       cfg->inflight_auto;
}

/* Must what is handed down be owned, to be counted or reported? */
static inline bool optsample_inflight_owns(const struct optsample_config *cfg)
{
	return optsample_inflight_wanted(cfg) || cfg->recall;
}

/* Is it so now? */
static inline bool optsample_inflight_owning(const struct optsample_sched *q)
{
	return optsample_inflight_wanted(&q->cfg) || q->stall.recalls;
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
void optsample_recall_report(struct Qdisc *sch, struct sk_buff *skb);
u32 optsample_recall_state(const struct optsample_sched *q);

/* link.c */
int optsample_link_register(void);
void optsample_link_unregister(void);
void optsample_link_init(struct Qdisc *sch);
void optsample_link_destroy(struct Qdisc *sch);
void optsample_link_configure(struct Qdisc *sch, const char *name);
bool optsample_link_up(struct Qdisc *sch);
void optsample_link_settle(struct optsample_sched *q, u64 now);
void optsample_link_look(struct Qdisc *sch);
void optsample_link_source(struct Qdisc *sch, struct sk_buff *skb);

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
