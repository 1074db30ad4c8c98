/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints: what becomes of each message and why, when the queue stops and
 * why, and what is taken back from the radio. Documentation/troubleshooting.md
 * says how to read them.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM optsample

#if !defined(OPTSAMPLE_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define OPTSAMPLE_TRACE_H

#include <linux/tracepoint.h>
#include "message.h"

TRACE_DEFINE_ENUM(OPTSAMPLE_KEPT);
TRACE_DEFINE_ENUM(OPTSAMPLE_REPLACED);
TRACE_DEFINE_ENUM(OPTSAMPLE_DROPPED);

#define optsample_show_verdict(verdict)			\
	__print_symbolic(verdict,			\
		{ OPTSAMPLE_KEPT,	"kept" },	\
		{ OPTSAMPLE_REPLACED,	"replaced" },	\
		{ OPTSAMPLE_DROPPED,	"dropped" })

TRACE_DEFINE_ENUM(OPTSAMPLE_WHY_NONE);
TRACE_DEFINE_ENUM(OPTSAMPLE_WHY_SAMPLER);
TRACE_DEFINE_ENUM(OPTSAMPLE_WHY_LATEST);
TRACE_DEFINE_ENUM(OPTSAMPLE_WHY_LATE);
TRACE_DEFINE_ENUM(OPTSAMPLE_WHY_AGE);
TRACE_DEFINE_ENUM(OPTSAMPLE_WHY_LIMIT);
TRACE_DEFINE_ENUM(OPTSAMPLE_WHY_MEMORY);
TRACE_DEFINE_ENUM(OPTSAMPLE_WHY_OVERSIZE);
TRACE_DEFINE_ENUM(OPTSAMPLE_WHY_TORN);
TRACE_DEFINE_ENUM(OPTSAMPLE_WHY_PURGED);

#define optsample_show_why(why)					\
	__print_symbolic(why,					\
		{ OPTSAMPLE_WHY_NONE,		"none" },	\
		{ OPTSAMPLE_WHY_SAMPLER,	"sampler" },	\
		{ OPTSAMPLE_WHY_LATEST,		"latest" },	\
		{ OPTSAMPLE_WHY_LATE,		"late" },	\
		{ OPTSAMPLE_WHY_AGE,		"age" },	\
		{ OPTSAMPLE_WHY_LIMIT,		"limit" },	\
		{ OPTSAMPLE_WHY_MEMORY,		"memory" },	\
		{ OPTSAMPLE_WHY_OVERSIZE,	"oversize" },	\
		{ OPTSAMPLE_WHY_TORN,		"torn" },	\
		{ OPTSAMPLE_WHY_PURGED,		"purged" })

/* Control and repairs are message 0. */
TRACE_EVENT(optsample_verdict,

	TP_PROTO(const struct optsample_sched *q,
		 const struct optsample_flow *f, u32 message,
		 enum optsample_verdict verdict, enum optsample_why why),

	TP_ARGS(q, f, message, verdict, why),

	TP_STRUCT__entry(
		__field(int, ifindex)
		__field(u32, flow)
		__field(u32, message)
		__field(u32, verdict)
		__field(u32, why)
	),

	TP_fast_assign(
		__entry->ifindex = optsample_ifindex(q);
		__entry->flow = f->id;
		__entry->message = message;
		__entry->verdict = verdict;
		__entry->why = why;
	),

	TP_printk("ifindex=%d flow=%#x message=%u verdict=%s reason=%s",
		  __entry->ifindex, __entry->flow, __entry->message,
		  optsample_show_verdict(__entry->verdict),
		  optsample_show_why(__entry->why))
);

TRACE_DEFINE_ENUM(TC_OPTSAMPLE_STALL_DRIVER);
TRACE_DEFINE_ENUM(TC_OPTSAMPLE_STALL_CARRIER);
TRACE_DEFINE_ENUM(TC_OPTSAMPLE_STALL_SETTLE);
TRACE_DEFINE_ENUM(TC_OPTSAMPLE_STALL_INFLIGHT);
TRACE_DEFINE_ENUM(TC_OPTSAMPLE_STALL_RATE);
TRACE_DEFINE_ENUM(TC_OPTSAMPLE_STALL_GATE);
TRACE_DEFINE_ENUM(TC_OPTSAMPLE_STALL_UNACKED);

#define optsample_show_cause(cause)				\
	__print_symbolic(cause,					\
		{ TC_OPTSAMPLE_STALL_DRIVER,	"driver" },	\
		{ TC_OPTSAMPLE_STALL_CARRIER,	"carrier" },	\
		{ TC_OPTSAMPLE_STALL_SETTLE,	"settle" },	\
		{ TC_OPTSAMPLE_STALL_INFLIGHT,	"inflight" },	\
		{ TC_OPTSAMPLE_STALL_RATE,	"rate" },	\
		{ TC_OPTSAMPLE_STALL_GATE,	"gate" },	\
		{ TC_OPTSAMPLE_STALL_UNACKED,	"unacked" },	\
		{ TC_OPTSAMPLE_NOT_STALLED,	"none" })

/* @ns: how long the former cause lasted */
TRACE_EVENT(optsample_hold,

	TP_PROTO(const struct optsample_sched *q, u32 cause, u64 ns),

	TP_ARGS(q, cause, ns),

	TP_STRUCT__entry(
		__field(int, ifindex)
		__field(u32, cause)
		__field(u32, former)
		__field(u64, ns)
	),

	TP_fast_assign(
		__entry->ifindex = optsample_ifindex(q);
		__entry->cause = cause;
		__entry->former = q->stall.cause;
		__entry->ns = ns;
	),

	TP_printk("ifindex=%d queue=%s reason=%s former=%s lasted_us=%llu",
		  __entry->ifindex,
		  __entry->cause == TC_OPTSAMPLE_NOT_STALLED ? "released" :
		  __entry->former == TC_OPTSAMPLE_NOT_STALLED ? "stopped" :
		  "held",
		  optsample_show_cause(__entry->cause),
		  optsample_show_cause(__entry->former),
		  __entry->ns / 1000)
);

TRACE_DEFINE_ENUM(OPTSAMPLE_TAKEN_BACK);
TRACE_DEFINE_ENUM(OPTSAMPLE_FAILS_OFTEN);
TRACE_DEFINE_ENUM(OPTSAMPLE_NOT_COPIED);
TRACE_DEFINE_ENUM(OPTSAMPLE_FORGOTTEN);

#define optsample_show_recalled(what)				\
	__print_symbolic(what,					\
		{ OPTSAMPLE_TAKEN_BACK,		"taken_back" },	\
		{ OPTSAMPLE_FAILS_OFTEN,	"fails_often" },	\
		{ OPTSAMPLE_NOT_COPIED,		"not_copied" },	\
		{ OPTSAMPLE_FORGOTTEN,		"forgotten" })

/* @packets: those of the message that were kept */
TRACE_EVENT(optsample_recall,

	TP_PROTO(const struct optsample_sched *q,
		 const struct optsample_msg *msg, enum optsample_recalled what),

	TP_ARGS(q, msg, what),

	TP_STRUCT__entry(
		__field(int, ifindex)
		__field(u32, flow)
		__field(u32, message)
		__field(u32, packets)
		__field(u32, returns)
		__field(u32, what)
	),

	TP_fast_assign(
		__entry->ifindex = optsample_ifindex(q);
		__entry->flow = msg->sender->id;
		__entry->message = msg->id;
		__entry->packets = optsample_kept_packets(msg);
		__entry->returns = msg->returns;
		__entry->what = what;
	),

	TP_printk("ifindex=%d flow=%#x message=%u what=%s packets=%u returns=%u",
		  __entry->ifindex, __entry->flow, __entry->message,
		  optsample_show_recalled(__entry->what), __entry->packets,
		  __entry->returns)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
