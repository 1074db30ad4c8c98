/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Netlink ABI of the optsample qdisc: kernel, tc plugin and libnl users
 * share this one file. Since version 0.2 attributes and fields are only ever
 * appended.
 */
#ifndef __LINUX_PKT_SCH_OPTSAMPLE_H
#define __LINUX_PKT_SCH_OPTSAMPLE_H

#include <linux/types.h>

/* TCA_OPTIONS of kind "optsample" */
enum {
	TCA_OPTSAMPLE_UNSPEC,
	TCA_OPTSAMPLE_PAD,
	TCA_OPTSAMPLE_LIMIT,		/* u32, messages per flow, 1..65535 */
	TCA_OPTSAMPLE_MEMLIMIT,		/* u32, bytes of truesize in all */
	TCA_OPTSAMPLE_FLOWS,		/* u32, 1..65534, only at creation */
	TCA_OPTSAMPLE_POLICY,		/* u32, enum optsample_policy */
	TCA_OPTSAMPLE_REFILL,		/* u32, R in percent, 0..100 */
	TCA_OPTSAMPLE_QUANTUM,		/* u32, bytes a flow sends in a turn */
	TCA_OPTSAMPLE_ORDINARY,		/* u32, packets of untagged traffic */
	TCA_OPTSAMPLE_SHARE,		/* u32, percent served to it first */
	TCA_OPTSAMPLE_INFLIGHT_PACKETS,	/* u32, 0: no limit */
	TCA_OPTSAMPLE_INFLIGHT_BYTES,	/* u32, truesize, 0: no limit */
	TCA_OPTSAMPLE_WATCH,		/* string, name or alternative name of a
					 * device (ALTIFNAMSIZ), "": none
					 */
	TCA_OPTSAMPLE_SETTLE,		/* u32, ms held when the link is back */
	TCA_OPTSAMPLE_RATE64,		/* u64, bytes per second, 0: no limit */
	TCA_OPTSAMPLE_GATE,		/* u32, enum tc_optsample_gate */
	TCA_OPTSAMPLE_IDLE,		/* u32, ms until idle flows are freed */
	TCA_OPTSAMPLE_PROFILES,		/* nest of TCA_OPTSAMPLE_PROFILE */
	TCA_OPTSAMPLE_INFLIGHT_AUTO,	/* u32, 1: the qdisc finds a limit */
	TCA_OPTSAMPLE_INFLIGHT_PER,	/* u32, tc_optsample_inflight_per */
	TCA_OPTSAMPLE_FLUSH,		/* flag, drop what is held; never
					 * dumped
					 */
	TCA_OPTSAMPLE_PAUSE,		/* u32, ms that flows are held from now
					 * on; ordinary traffic is not; never
					 * dumped
					 */
	TCA_OPTSAMPLE_RECALL,		/* u32, enum tc_optsample_recall */
	TCA_OPTSAMPLE_PROG_FD,		/* u32, file descriptor of a program of
					 * type sched_cls, or
					 * TC_OPTSAMPLE_NO_PROG; never dumped
					 */
	TCA_OPTSAMPLE_PROG_ID,		/* u32, only dumped, if there is one */
	TCA_OPTSAMPLE_PROG_NAME,	/* string, only dumped, likewise */
	TCA_OPTSAMPLE_AGE,		/* u32, ms that untagged traffic lives
					 * while the link is stalled; 0: for
					 * ever
					 */
	__TCA_OPTSAMPLE_MAX
};

#define TCA_OPTSAMPLE_MAX (__TCA_OPTSAMPLE_MAX - 1)

#define TC_OPTSAMPLE_NO_PROG	0xffffffffU

enum tc_optsample_gate {
	TC_OPTSAMPLE_GATE_CLOSED,
	TC_OPTSAMPLE_GATE_OPEN,
};

/* Scope of the limit of packets in flight */
enum tc_optsample_inflight_per {
	TC_OPTSAMPLE_INFLIGHT_PER_AUTO,		/* the qdisc decides */
	TC_OPTSAMPLE_INFLIGHT_PER_DEVICE,	/* everything together */
	TC_OPTSAMPLE_INFLIGHT_PER_DESTINATION,	/* each next hop */
};

/* Are messages kept until the radio says that they were acknowledged? */
enum tc_optsample_recall {
	TC_OPTSAMPLE_RECALL_OFF,
	TC_OPTSAMPLE_RECALL_ON,
	TC_OPTSAMPLE_RECALL_AUTO,	/* if the device is a Wi-Fi station */
};

/* State of recall (tc_optsample_qd_stats) */
enum tc_optsample_recall_state {
	TC_OPTSAMPLE_RECALL_IDLE,	/* off, or not a Wi-Fi station */
	TC_OPTSAMPLE_RECALL_LEARNING,	/* few acknowledgments seen so far */
	TC_OPTSAMPLE_RECALL_ACTIVE,
	TC_OPTSAMPLE_RECALL_DOUBT,	/* frames get lost: one at a time */
	TC_OPTSAMPLE_RECALL_DEAF,	/* the radio does not report */
};

/*
 * Profiles: options of some flows that differ from those of the qdisc. The tag
 * names the profile. A change lists only the options to set; others stay.
 */
#define TC_OPTSAMPLE_PROFILES	64	/* ids 1..63 */

/* TCA_OPTSAMPLE_PROFILES */
enum {
	TCA_OPTSAMPLE_PROFILES_UNSPEC,
	TCA_OPTSAMPLE_PROFILE,		/* nest of TCA_OPTSAMPLE_PROFILE_* */
	__TCA_OPTSAMPLE_PROFILES_MAX
};

#define TCA_OPTSAMPLE_PROFILES_MAX (__TCA_OPTSAMPLE_PROFILES_MAX - 1)

/* TCA_OPTSAMPLE_PROFILE: missing options are those of the qdisc */
enum {
	TCA_OPTSAMPLE_PROFILE_UNSPEC,
	TCA_OPTSAMPLE_PROFILE_ID,	/* u32, 1..63, required */
	TCA_OPTSAMPLE_PROFILE_NONE,	/* flag, first clear the profile */
	TCA_OPTSAMPLE_PROFILE_LIMIT,	/* u32, messages, or sets: 1..65535 */
	TCA_OPTSAMPLE_PROFILE_POLICY,	/* u32, enum optsample_policy */
	TCA_OPTSAMPLE_PROFILE_REFILL,	/* u32, R in percent, 0..100 */
	TCA_OPTSAMPLE_PROFILE_PRIORITY,	/* u32, 0..7, larger goes first */
	TCA_OPTSAMPLE_PROFILE_SYNC,	/* u32, us between stamps of a set */
	TCA_OPTSAMPLE_PROFILE_SEGMENTS,	/* u32, 1: open to OPTSAMPLE_TAG_SELF */
	TCA_OPTSAMPLE_PROFILE_AGE,	/* u32, ms: older messages do not begin
					 * to leave; 0: any; without effect if
					 * the profile has SYNC
					 */
	__TCA_OPTSAMPLE_PROFILE_MAX
};

#define TCA_OPTSAMPLE_PROFILE_MAX (__TCA_OPTSAMPLE_PROFILE_MAX - 1)

/* IFLA_INFO_DATA of the link type optsample */
enum {
	IFLA_OPTSAMPLE_UNSPEC,
	IFLA_OPTSAMPLE_LINK,	/* u32, ifindex of the device that it sends by;
				 * 0: none, all packets are dropped
				 */
	IFLA_OPTSAMPLE_SOURCE,	/* source address that packets get, which pass
				 * filters of the link, even if that is down;
				 * zeros: they keep their own
				 */
	__IFLA_OPTSAMPLE_MAX
};

#define IFLA_OPTSAMPLE_MAX (__IFLA_OPTSAMPLE_MAX - 1)

/* Why the qdisc held packets, and for how long (tc_optsample_qd_stats) */
enum tc_optsample_stall {
	TC_OPTSAMPLE_STALL_DRIVER,	/* the driver stopped its queue */
	TC_OPTSAMPLE_STALL_CARRIER,	/* watched or own device is down */
	TC_OPTSAMPLE_STALL_SETTLE,	/* carrier is back, not yet trusted */
	TC_OPTSAMPLE_STALL_INFLIGHT,	/* too much is below the qdisc */
	TC_OPTSAMPLE_STALL_RATE,	/* the configured rate is used up */
	TC_OPTSAMPLE_STALL_GATE,	/* the gate is closed, or a pause */
	TC_OPTSAMPLE_STALL_UNACKED,	/* frames were not acknowledged */
	__TC_OPTSAMPLE_STALL_MAX
};

#define TC_OPTSAMPLE_STALLS 8		/* array size, room to append */
#define TC_OPTSAMPLE_NOT_STALLED 0xffffffffU

enum {
	TC_OPTSAMPLE_XSTATS_QDISC,
	TC_OPTSAMPLE_XSTATS_CLASS,
};

/* Counters of messages and packets, for a flow or for the qdisc */
struct tc_optsample_counters {
	__u64	msgs_in;	/* messages that arrived */
	__u64	msgs_out;	/* messages that began to leave */
	__u64	msgs_sampled;	/* discarded on arrival by the sampler */
	__u64	msgs_evicted;	/* given up later to make room */
	__u64	pkts_in;
	__u64	pkts_out;
	__u64	pkts_dropped;	/* of these messages, late ones and control */
	__u64	bytes_out;
	__u64	ctl_in;		/* control packets of the flow's writer */
	__u64	ctl_dropped;	/* beyond the bound on control packets */
	__u64	repair_in;	/* repair packets, passed unsampled */
	__u64	late;		/* packets of a message that is gone: dropped */
	__u64	incomplete;	/* messages whose LAST packet never came */
	__u64	torn;		/* messages cut after their start had left */
	__u64	oversize;	/* given up: more than half of the memory */
	__u64	reordered;	/* packets that came late, put in place */
	__u64	restarts;	/* position or number stepped back */
	__u64	ctl_replaced;	/* control replaced by newer control */
	__u64	msgs_recalled;	/* not acknowledged: they wait again */
	__u64	pkts_recalled;	/* of these, including acknowledged ones */
};

struct tc_optsample_qd_stats {
	struct tc_optsample_counters c;
	__u64	stall_ns[TC_OPTSAMPLE_STALLS];	/* by enum tc_optsample_stall */
	__u64	oldest_ns;	/* age of the oldest message now */
	__u64	longest_gap;	/* largest step between two sent positions */
	__u64	memory;		/* truesize held now, bytes */
	__u64	memory_max;
	__u64	ordinary_sent;	/* untagged packets */
	__u64	ordinary_dropped;
	__u64	flows_new;
	__u64	flows_reclaimed;
	__u64	flows_refused;	/* packets sent as ordinary: no room */
	__u32	flows;		/* in the table now */
	__u32	flows_active;	/* with a backlog */
	__u32	backlog_msgs;
	__u32	ordinary_qlen;
	__u32	inflight_packets;
	__u32	inflight_bytes;
	__u32	stalled;	/* cause now, or TC_OPTSAMPLE_NOT_STALLED */
	__u32	flows_displaced; /* flows of segments purged for writers */
	__u64	inflight_recounts; /* count reset: nothing completed for 10 s */
	__u32	inflight_limit_bytes; /* current limit of inflight auto */
	__u32	destinations;	/* with packets in flight now */
	__u32	watched;	/* ifindex of the watched device or 0 */
	__u32	recall_state;	/* enum tc_optsample_recall_state */
	__u32	recall_msgs;	/* sent, and not acknowledged yet */
	__u32	recall_forgotten; /* of these: fate unknown, not tracked */
	__u64	ordinary_aged;	/* untagged packets dropped by age */
	__u64	msgs_aged;	/* messages dropped by age */
};

struct tc_optsample_cl_stats {
	struct tc_optsample_counters c;
	__u64	oldest_ns;
	__u64	longest_gap;
	__u64	last_position;	/* of the last message that left */
	__u64	memory;
	__u32	flow;		/* flow id of the tag */
	__u32	backlog_msgs;
	__u32	backlog_pkts;
	__u32	backlog_bytes;
	__u32	distance;	/* sampling distance now */
	__u32	deficit;	/* bytes left in this turn, as s32 */
	__u32	profile;	/* 0: none */
	__u32	reserved;
	__u64	msgs_aged;	/* messages dropped by age */
};

/* TCA_STATS_APP payload */
struct tc_optsample_xstats {
	__u32	type;		/* TC_OPTSAMPLE_XSTATS_* */
	__u32	size;		/* bytes that follow, as in the kernel */
	union {
		struct tc_optsample_qd_stats qdisc;
		struct tc_optsample_cl_stats cl;
	};
};

#endif
