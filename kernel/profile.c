// SPDX-License-Identifier: GPL-2.0
/*
 * Profiles: what some flows do otherwise than the qdisc. The tag says which
 * profile a flow follows, netlink what that means. A number that nobody has
 * described means the qdisc's own options.
 */
#include <linux/slab.h>
#include <net/netlink.h>
#include "message.h"

/* Profile @id in full */
static struct tc_optsample_profile
optsample_profile(const struct optsample_sched *q, u8 id)
{
	struct tc_optsample_profile p = {};

	if (q->profiles && id < TC_OPTSAMPLE_PROFILES)
		p = q->profiles[id].cfg;
	if (!(p.fields & TC_OPTSAMPLE_PROFILE_LIMIT))
		p.limit = q->cfg.limit;
	if (!(p.fields & TC_OPTSAMPLE_PROFILE_POLICY))
		p.policy = q->cfg.policy;
	if (!(p.fields & TC_OPTSAMPLE_PROFILE_REFILL))
		p.refill = q->cfg.refill;
	return p;
}

static struct optsample_group *
optsample_profile_group(const struct optsample_sched *q, u8 id)
{
	if (!q->profiles || id >= TC_OPTSAMPLE_PROFILES)
		return NULL;
	return q->profiles[id].group;
}

/**
 * optsample_flow_follow - a flow follows a profile from now on
 * @q: private data of the qdisc, locked
 * @f: the flow
 * @profile: its number
 * @loss: what had to go
 */
void optsample_flow_follow(struct optsample_sched *q,
			   struct optsample_flow *f, u8 profile,
			   struct optsample_loss *loss)
{
	struct tc_optsample_profile p = optsample_profile(q, profile);
	struct optsample_group *group = optsample_profile_group(q, profile);

	f->profile = profile;
	if (f->priority != p.priority && f->backlog_pkts) {
		optsample_flow_deactivate(q, f);
		f->priority = p.priority;
		optsample_flow_activate(q, f);
	}
	f->priority = p.priority;
	if (f->group && f->group != group)
		optsample_group_leave(f);
	if (group && !f->group)
		optsample_group_join(f, group);
	if (group && !f->group)
		f->profile |= OPTSAMPLE_ALONE;
	optsample_set_policy(&f->sampler, p.policy, p.refill);
	optsample_set_limit(&f->sampler, p.limit);
	while (f->sampler.len > p.limit) {
		struct optsample_node *n = optsample_evict(&f->sampler);

		f->c.msgs_evicted++;
		optsample_msg_drop(q, f, optsample_msg_of(n), loss);
	}
}

static void optsample_group_follow(struct optsample_sched *q, u8 id,
				   struct optsample_loss *loss)
{
	struct tc_optsample_profile p = optsample_profile(q, id);
	struct optsample_group *group = q->profiles[id].group;

	optsample_sync_configure(&group->sync, p.policy, p.limit, p.refill,
				 p.slop_us * (u64)NSEC_PER_USEC);
	while (optsample_sync_over(&group->sync))
		optsample_group_evict(q, group, loss);
}

/**
 * optsample_flows_reconfigure - apply new options, profiles or memory limit
 * @q: private data of the qdisc, locked, with the new configuration
 * @loss: what had to go
 */
void optsample_flows_reconfigure(struct optsample_sched *q,
				 struct optsample_loss *loss)
{
	u32 i;

	for (i = 0; i < q->cfg.flows; i++)
		if (q->slots[i])
			optsample_flow_follow(q, q->slots[i],
					      q->slots[i]->profile &
					      ~OPTSAMPLE_ALONE, loss);
	for (i = 0; q->profiles && i < TC_OPTSAMPLE_PROFILES; i++)
		if (q->profiles[i].group)
			optsample_group_follow(q, i, loss);
	optsample_flows_relieve(q, loss);
}

static const char *
optsample_profile_wrong(const struct tc_optsample_profile *p)
{
	if (!p->id || p->id >= TC_OPTSAMPLE_PROFILES)
		return "optsample: profile must be 1..63";
	if (p->fields & ~(TC_OPTSAMPLE_PROFILE_LIMIT |
			  TC_OPTSAMPLE_PROFILE_POLICY |
			  TC_OPTSAMPLE_PROFILE_REFILL |
			  TC_OPTSAMPLE_PROFILE_PRIORITY |
			  TC_OPTSAMPLE_PROFILE_SYNC |
			  TC_OPTSAMPLE_PROFILE_NONE))
		return "optsample: unknown field of a profile";
	if (p->fields & TC_OPTSAMPLE_PROFILE_LIMIT &&
	    (!p->limit || p->limit > OPTSAMPLE_LIMIT_MAX))
		return "optsample: limit must be 1..65535";
	if (p->fields & TC_OPTSAMPLE_PROFILE_POLICY &&
	    p->policy >= OPTSAMPLE_POLICY_MAX)
		return "optsample: unknown policy";
	if (p->fields & TC_OPTSAMPLE_PROFILE_REFILL && p->refill > 100)
		return "optsample: refill must be 0..100";
	if (p->fields & TC_OPTSAMPLE_PROFILE_PRIORITY &&
	    p->priority >= OPTSAMPLE_PRIORITIES)
		return "optsample: priority must be 0..7";
	return NULL;
}

/* Fields that are not named keep what they have. */
static int optsample_profile_update(const struct optsample_sched *q,
				    struct optsample_profile *to,
				    const struct tc_optsample_profile *p)
{
	struct tc_optsample_profile *cfg = &to->cfg;

	if (p->fields & TC_OPTSAMPLE_PROFILE_NONE) {
		/* a group of now goes with the table of now */
		if (to->group != optsample_profile_group(q, p->id))
			kfree(to->group);
		memset(to, 0, sizeof(*to));
		return 0;
	}
	cfg->id = p->id;
	cfg->fields |= p->fields;
	if (p->fields & TC_OPTSAMPLE_PROFILE_LIMIT)
		cfg->limit = p->limit;
	if (p->fields & TC_OPTSAMPLE_PROFILE_POLICY)
		cfg->policy = p->policy;
	if (p->fields & TC_OPTSAMPLE_PROFILE_REFILL)
		cfg->refill = p->refill;
	if (p->fields & TC_OPTSAMPLE_PROFILE_PRIORITY)
		cfg->priority = p->priority;
	if (!(p->fields & TC_OPTSAMPLE_PROFILE_SYNC))
		return 0;
	cfg->slop_us = p->slop_us;
	if (to->group)
		return 0;
	to->group = kzalloc(sizeof(*to->group), GFP_KERNEL);
	if (!to->group)
		return -ENOMEM;
	optsample_sync_init(&to->group->sync, OPTSAMPLE_POLICY_OPTSAMPLE, 1, 0, 0);
	return 0;
}

static int optsample_profiles_update(const struct optsample_sched *q,
				     struct optsample_profile *profiles,
				     const struct nlattr *attr,
				     struct netlink_ext_ack *extack)
{
	const struct tc_optsample_profile *p = nla_data(attr);
	const char *wrong;
	int n, err;

	for (n = nla_len(attr) / sizeof(*p); n; n--, p++) {
		wrong = optsample_profile_wrong(p);
		if (wrong) {
			NL_SET_BAD_ATTR(extack, attr);
			if (extack)
				extack->_msg = wrong;
			return -EINVAL;
		}
		err = optsample_profile_update(q, &profiles[p->id], p);
		if (err)
			return err;
	}
	return 0;
}

/**
 * optsample_profiles_parse - what the profiles will be
 * @q: private data of the qdisc, with the profiles of now
 * @attr: TCA_OPTSAMPLE_PROFILES, or NULL
 * @profiles: out: the new table, to be swapped with that of @q, or NULL. It
 *	may have groups of the old one; see optsample_profiles_free().
 * @extack: for what is wrong
 *
 * Return: 0 or a negative errno.
 */
int optsample_profiles_parse(const struct optsample_sched *q,
			     const struct nlattr *attr,
			     struct optsample_profile **profiles,
			     struct netlink_ext_ack *extack)
{
	struct optsample_profile *new;
	int err;

	*profiles = NULL;
	if (!attr)
		return 0;
	if (nla_len(attr) % sizeof(struct tc_optsample_profile)) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "optsample: profiles of a strange size");
		return -EINVAL;
	}
	new = kcalloc(TC_OPTSAMPLE_PROFILES, sizeof(*new), GFP_KERNEL);
	if (!new)
		return -ENOMEM;
	if (q->profiles)
		memcpy(new, q->profiles, TC_OPTSAMPLE_PROFILES * sizeof(*new));
	err = optsample_profiles_update(q, new, attr, extack);
	if (err) {
		optsample_profiles_free(new, q->profiles);
		return err;
	}
	*profiles = new;
	return 0;
}

/**
 * optsample_profiles_free - free a table of profiles
 * @profiles: the table, may be NULL
 * @but: a table whose groups live on, may be NULL
 */
void optsample_profiles_free(struct optsample_profile *profiles,
			     const struct optsample_profile *but)
{
	int i;

	for (i = 0; profiles && i < TC_OPTSAMPLE_PROFILES; i++)
		if (!but || profiles[i].group != but[i].group)
			kfree(profiles[i].group);
	kfree(profiles);
}

/**
 * optsample_profiles_dump - tell the profiles
 * @q: private data of the qdisc
 * @skb: gets TCA_OPTSAMPLE_PROFILES, if there are any
 *
 * Return: 0 or a negative errno.
 */
int optsample_profiles_dump(const struct optsample_sched *q,
			    struct sk_buff *skb)
{
	struct tc_optsample_profile *p;
	struct nlattr *attr;
	int i, n = 0;

	for (i = 0; q->profiles && i < TC_OPTSAMPLE_PROFILES; i++)
		n += !!q->profiles[i].cfg.fields;
	if (!n)
		return 0;
	attr = nla_reserve(skb, TCA_OPTSAMPLE_PROFILES, n * sizeof(*p));
	if (!attr)
		return -EMSGSIZE;
	p = nla_data(attr);
	for (i = 0; i < TC_OPTSAMPLE_PROFILES; i++)
		if (q->profiles[i].cfg.fields)
			*p++ = q->profiles[i].cfg;
	return 0;
}
