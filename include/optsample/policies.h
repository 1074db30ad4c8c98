/* SPDX-License-Identifier: GPL-2.0 */
/*
 * policies.h - the sampling policies of a full queue: one row for each.
 *
 * A policy is a header that defines a struct optsample_policy_ops, named
 * optsample_policy_IDENT, and a row here. The kernel's check of options,
 * parsers, help texts and tests read the rows.
 */
#ifndef OPTSAMPLE_POLICIES_H
#define OPTSAMPLE_POLICIES_H

#include <optsample/policy_2sample.h>
#include <optsample/policy_drop_newest.h>
#include <optsample/policy_drop_oldest.h>
#include <optsample/policy_gap.h>
#include <optsample/policy_optsample.h>

/*
 * X(ID, IDENT, name as users write it). The place of a row is the number of
 * its policy in netlink messages: append only.
 */
#define OPTSAMPLE_POLICIES(X, ctx...) \
	X(OPTSAMPLE, optsample, "optsample", ##ctx) \
	X(GAP, gap, "gap", ##ctx) \
	X(2SAMPLE, 2sample, "2sample", ##ctx) \
	X(DROP_OLDEST, drop_oldest, "drop-oldest", ##ctx) \
	X(DROP_NEWEST, drop_newest, "drop-newest", ##ctx)

#define __OPTSAMPLE_POLICY_ID(ID, ident, name)	OPTSAMPLE_POLICY_##ID,
#define __OPTSAMPLE_POLICY_NAME(ID, ident, name) name,

/**
 * enum optsample_policy - OPTSAMPLE_POLICY_OPTSAMPLE, OPTSAMPLE_POLICY_GAP ...
 * @OPTSAMPLE_POLICY_MAX: number of policies
 */
enum optsample_policy {
	OPTSAMPLE_POLICIES(__OPTSAMPLE_POLICY_ID)
	OPTSAMPLE_POLICY_MAX
};

/**
 * optsample_policy_name - name of a policy as users write it
 * @policy: the policy
 *
 * Return: a constant string, "unknown" when out of range.
 */
static inline const char *optsample_policy_name(enum optsample_policy policy)
{
	static const char *const names[] = {
		OPTSAMPLE_POLICIES(__OPTSAMPLE_POLICY_NAME)
	};

	return (u32)policy < OPTSAMPLE_POLICY_MAX ? names[policy] : "unknown";
}

#endif
