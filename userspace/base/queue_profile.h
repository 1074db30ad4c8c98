/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * queue_profile.h - options that the queue has for some flows
 */
#ifndef BASE_QUEUE_PROFILE_H
#define BASE_QUEUE_PROFILE_H

#include <stdint.h>

/**
 * struct queue_profile - options of the flows of one profile
 * @id:		its number, 1..63
 * @fields:	which are set: 1 << TCA_OPTSAMPLE_PROFILE_*, of those below and
 *		NONE; all others are unchanged
 * @limit:	messages, or sets
 * @policy:	enum optsample_policy
 * @priority:	0..7
 * @slop_us:	sync: stamps that differ by at most this are equal, us
 * @age_ms:	older messages do not begin to leave, ms; 0: any
 */
struct queue_profile {
	uint32_t	id;
	uint32_t	fields;
	uint32_t	limit;
	uint32_t	policy;
	uint32_t	priority;
	uint32_t	slop_us;
	uint32_t	age_ms;
};

#endif
