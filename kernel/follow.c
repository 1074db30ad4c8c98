// SPDX-License-Identifier: GPL-2.0
/*
 * Profiles of flows: the tag names a profile, and netlink (config.c) sets its
 * options. A profile that was not configured has the options of the qdisc.
 */
#include "message.h"

/* Profile @id, with the qdisc's options where it has none */
static struct optsample_profile_config
optsample_profile(const struct optsample_sched *q, u8 id)
{
	struct optsample_profile_config p = {};

	if (q->profiles && id < TC_OPTSAMPLE_PROFILES)
		p = q->profiles[id].cfg;
	if (!(p.fields & BIT(TCA_OPTSAMPLE_PROFILE_LIMIT)))
		p.limit = q->cfg.limit;
	if (!(p.fields & BIT(TCA_OPTSAMPLE_PROFILE_POLICY)))
		p.policy = q->cfg.policy;
	if (!(p.fields & BIT(TCA_OPTSAMPLE_PROFILE_REFILL)))
		p.refill = q->cfg.refill;
	return p;
}

/* Move a flow to another band. */
static void optsample_flow_band(struct optsample_sched *q,
				struct optsample_flow *f, u8 band)
{
	if (f->band == band)
		return;
	f->band = band;
	if (f->listed)
		optsample_turns_add(q, f, OPTSAMPLE_TURNS);
}

/*
 * A stream of segments that only its sender declared may only use profiles that
 * are open to segments.
 */
static u8 optsample_may_follow(const struct optsample_sched *q,
			       const struct optsample_flow *f, u8 id)
{
	if (!f->self)
		return id;
	return optsample_profile(q, id).segments ? id : 0;
}

/**
 * optsample_flow_profile - the profile that a flow follows
 * @q: private data of the qdisc, locked
 * @f: the flow
 *
 * Return: its number, 0: the qdisc's own options.
 */
u8 optsample_flow_profile(const struct optsample_sched *q,
			  const struct optsample_flow *f)
{
	return optsample_may_follow(q, f, f->profile & ~OPTSAMPLE_ALONE);
}

/* The profile's own group, for any destination, or NULL */
static struct optsample_group *
optsample_group_any(const struct optsample_sched *q,
		    const struct optsample_flow *f, u8 id)
{
	return optsample_profile_group(q, optsample_may_follow(q, f, id));
}

/*
 * A change of groups commits all messages of the flow. A flow that changed with
 * each message would never drop one, so committed messages must leave first.
 */
static bool optsample_may_switch(const struct optsample_sched *q,
				 const struct optsample_flow *f, u8 profile)
{
	return !f->committed ||
	       optsample_group_any(q, f, f->profile & ~OPTSAMPLE_ALONE) ==
	       optsample_group_any(q, f, profile);
}

static void optsample_flow_follow(struct optsample_sched *q,
				  struct optsample_flow *f, u8 profile,
				  struct optsample_loss *loss)
{
	u8 id = optsample_may_follow(q, f, profile);
	struct optsample_profile_config p = optsample_profile(q, id);
	struct optsample_group *group = optsample_profile_group(q, id);

	if (group)
		group = optsample_group_to(q, group,
					   optsample_flow_dest(q, f));
	f->profile = profile;
	f->age = msecs_to_jiffies(p.age_ms);
	optsample_flow_band(q, f,
			    p.fields & BIT(TCA_OPTSAMPLE_PROFILE_PRIORITY) ?
			    1 + p.priority : f->own_band);
	if (f->group && f->group != group)
		optsample_group_leave(q, f);
	if (group && !f->group)
		optsample_group_join(q, f, group);
	if (group && !f->group)
		f->profile |= OPTSAMPLE_ALONE;
	optsample_set_policy(&f->sampler, p.policy, p.refill);
	optsample_set_limit(&f->sampler, p.limit);
	while (f->sampler.len > p.limit) {
		struct optsample_node *n = optsample_evict(&f->sampler);

		f->c.msgs_evicted++;
		optsample_msg_drop(q, f, optsample_msg_of(n),
				   OPTSAMPLE_WHY_LIMIT, loss);
	}
}

/**
 * optsample_flow_switch - change the profile of a flow to that of a tag
 * @q: private data of the qdisc, locked
 * @f: the flow, with @self as in the tag
 * @profile: number in the tag; out of range is 0
 * @loss: out: messages that were dropped
 */
void optsample_flow_switch(struct optsample_sched *q, struct optsample_flow *f,
			   u8 profile, struct optsample_loss *loss)
{
	if (profile >= TC_OPTSAMPLE_PROFILES)
		profile = 0;
	if (optsample_may_switch(q, f, profile))
		optsample_flow_follow(q, f, profile, loss);
}

static void optsample_group_follow(struct optsample_sched *q,
				   struct optsample_group *group,
				   const struct optsample_profile_config *p,
				   struct optsample_loss *loss)
{
	optsample_sync_configure(&group->sync, p->policy, p->limit, p->refill,
				 p->slop_us * (u64)NSEC_PER_USEC);
	while (optsample_sync_over(&group->sync))
		optsample_group_evict(q, group, OPTSAMPLE_WHY_LIMIT, loss);
}

/* Apply profile @id to its groups of all destinations. */
static void optsample_groups_follow(struct optsample_sched *q, u8 id,
				    struct optsample_loss *loss)
{
	struct optsample_profile_config p = optsample_profile(q, id);
	struct optsample_group *any = q->profiles[id].group, *group;

	optsample_group_follow(q, any, &p, loss);
	list_for_each_entry(group, &any->dests, dests)
		optsample_group_follow(q, group, &p, loss);
}

/**
 * optsample_flows_reconfigure - apply new options or profiles
 * @q: private data of the qdisc, locked, with the new configuration
 * @loss: out: messages that were dropped
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
			optsample_groups_follow(q, i, loss);
}
