/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of the causes of a stall, as tc and optsample print them and use them
 * as keys in JSON.
 */
#ifndef OPTSAMPLE_STALL_H
#define OPTSAMPLE_STALL_H

#include <stddef.h>
#include <linux/pkt_sch_optsample.h>

/**
 * optsample_stall_name - name of a cause
 * @cause:	enum tc_optsample_stall
 *
 * Return: NULL if the cause is unknown, for example of a newer kernel.
 */
static inline const char *optsample_stall_name(__u32 cause)
{
	static const char *const names[TC_OPTSAMPLE_STALLS] = {
		[TC_OPTSAMPLE_STALL_DRIVER]	= "driver",
		[TC_OPTSAMPLE_STALL_CARRIER]	= "carrier",
		[TC_OPTSAMPLE_STALL_SETTLE]	= "settle",
		[TC_OPTSAMPLE_STALL_INFLIGHT]	= "inflight",
		[TC_OPTSAMPLE_STALL_RATE]	= "rate",
		[TC_OPTSAMPLE_STALL_GATE]	= "gate",
		[TC_OPTSAMPLE_STALL_UNACKED]	= "unacked",
	};

	return cause < TC_OPTSAMPLE_STALLS ? names[cause] : NULL;
}

/* Name of the state of `recall`, enum tc_optsample_recall_state */
static inline const char *optsample_recall_name(__u32 state)
{
	static const char *const names[] = {
		[TC_OPTSAMPLE_RECALL_IDLE]	= "idle",
		[TC_OPTSAMPLE_RECALL_LEARNING]	= "learning",
		[TC_OPTSAMPLE_RECALL_ACTIVE]	= "active",
		[TC_OPTSAMPLE_RECALL_DOUBT]	= "doubt",
		[TC_OPTSAMPLE_RECALL_DEAF]	= "deaf",
	};

	return state < sizeof(names) / sizeof(names[0]) ? names[state] :
							  "unknown";
}

/* The cause that holds the queue now; NULL if it is not stalled */
static inline const char *optsample_stalled(__u32 cause)
{
	const char *name = optsample_stall_name(cause);

	if (cause == TC_OPTSAMPLE_NOT_STALLED)
		return NULL;
	return name ? name : "unknown";
}

#endif
