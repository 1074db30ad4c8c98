// SPDX-License-Identifier: GPL-2.0
/*
 * Configuration by netlink: options and profiles in, checked and applied, and
 * out again. What is refused changes nothing.
 */
#include <linux/slab.h>
#include <net/netlink.h>
#include "optsample.h"

/*
 * Profiles
 */

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
 * optsample_profiles_parse - what the profiles will be
 * @q: private data of the qdisc, with the profiles of now
 * @attr: TCA_OPTSAMPLE_PROFILES, or NULL
 * @profiles: out: the new table, to be swapped with that of @q, or NULL. It
 *	may have groups of the old one; see optsample_profiles_free().
 * @extack: for what is wrong
 *
 * Return: 0 or a negative errno.
 */
static int optsample_profiles_parse(const struct optsample_sched *q,
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
 * optsample_profiles_dump - tell the profiles
 * @q: private data of the qdisc
 * @skb: gets TCA_OPTSAMPLE_PROFILES, if there are any
 *
 * Return: 0 or a negative errno.
 */
static int optsample_profiles_dump(const struct optsample_sched *q,
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

/*
 * Options
 */

static const struct nla_policy optsample_policy[TCA_OPTSAMPLE_MAX + 1] = {
	[TCA_OPTSAMPLE_LIMIT]		= { .type = NLA_U32 },
	[TCA_OPTSAMPLE_MEMLIMIT]	= { .type = NLA_U32 },
	[TCA_OPTSAMPLE_FLOWS]		= { .type = NLA_U32 },
	[TCA_OPTSAMPLE_POLICY]		= { .type = NLA_U32 },
	[TCA_OPTSAMPLE_REFILL]		= { .type = NLA_U32 },
	[TCA_OPTSAMPLE_QUANTUM]		= { .type = NLA_U32 },
	[TCA_OPTSAMPLE_ORDINARY]	= { .type = NLA_U32 },
	[TCA_OPTSAMPLE_SHARE]		= { .type = NLA_U32 },
	[TCA_OPTSAMPLE_INFLIGHT_PACKETS] = { .type = NLA_U32 },
	[TCA_OPTSAMPLE_INFLIGHT_BYTES]	= { .type = NLA_U32 },
	[TCA_OPTSAMPLE_WATCH]		= { .type = NLA_NUL_STRING,
					    .len = IFNAMSIZ - 1 },
	[TCA_OPTSAMPLE_SETTLE]		= { .type = NLA_U32 },
	[TCA_OPTSAMPLE_RATE64]		= { .type = NLA_U64 },
	[TCA_OPTSAMPLE_GATE]		= { .type = NLA_U32 },
	[TCA_OPTSAMPLE_IDLE]		= { .type = NLA_U32 },
	[TCA_OPTSAMPLE_PROFILES]	= { .type = NLA_BINARY },
};

/**
 * struct optsample_option - a number that netlink may set
 * @attr:	TCA_OPTSAMPLE_*
 * @offset:	in struct optsample_config
 * @min:	smallest,
 * @max:	largest value, and
 * @error:	what to say otherwise
 */
struct optsample_option {
	u16		attr;
	u16		offset;
	u32		min;
	u32		max;
	const char	*error;
};

#define OPTSAMPLE_OPTION(_attr, _field, _min, _max, _error)		\
	{ TCA_OPTSAMPLE_##_attr,					\
	  offsetof(struct optsample_config, _field), _min, _max,	\
	  "optsample: " _error }

static const struct optsample_option optsample_options[] = {
	OPTSAMPLE_OPTION(LIMIT, limit, 1, 65535, "limit must be 1..65535"),
	OPTSAMPLE_OPTION(MEMLIMIT, memlimit, 65536, 1U << 31,
			 "memlimit must be 64K..2G"),
	OPTSAMPLE_OPTION(FLOWS, flows, 1, OPTSAMPLE_FLOWS_MAX,
			 "flows must be 1..65534"),
	OPTSAMPLE_OPTION(POLICY, policy, 0, OPTSAMPLE_POLICY_MAX - 1,
			 "unknown policy"),
	OPTSAMPLE_OPTION(REFILL, refill, 0, 100, "refill must be 0..100"),
	OPTSAMPLE_OPTION(QUANTUM, quantum, 256, 1U << 20,
			 "quantum must be 256..1M"),
	OPTSAMPLE_OPTION(ORDINARY, ordinary, 1, 1U << 20,
			 "ordinary must be 1..1048576"),
	OPTSAMPLE_OPTION(SHARE, share, 1, 99, "share must be 1..99"),
	OPTSAMPLE_OPTION(INFLIGHT_PACKETS, inflight_packets, 0, 1U << 20,
			 "inflight must be at most 1048576 packets"),
	OPTSAMPLE_OPTION(INFLIGHT_BYTES, inflight_bytes, 0, 1U << 30,
			 "inflight must be at most 1G"),
	OPTSAMPLE_OPTION(SETTLE, settle_ms, 0, 60000,
			 "settle must be 0..60s"),
	OPTSAMPLE_OPTION(GATE, gate, TC_OPTSAMPLE_GATE_CLOSED,
			 TC_OPTSAMPLE_GATE_OPEN,
			 "gate must be open or closed"),
	OPTSAMPLE_OPTION(IDLE, idle_ms, 1, 86400000,
			 "idle must be 1ms..24h"),
};

static int optsample_parse_numbers(struct optsample_config *cfg,
				   struct nlattr **tb,
				   struct netlink_ext_ack *extack)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(optsample_options); i++) {
		const struct optsample_option *o = &optsample_options[i];
		struct nlattr *attr = tb[o->attr];
		u32 value;

		if (!attr)
			continue;
		value = nla_get_u32(attr);
		if (value < o->min || value > o->max) {
			NL_SET_BAD_ATTR(extack, attr);
			if (extack)
				extack->_msg = o->error;
			return -EINVAL;
		}
		*(u32 *)((char *)cfg + o->offset) = value;
	}
	return 0;
}

/**
 * optsample_parse - what the options will be
 * @sch: the qdisc
 * @opt: TCA_OPTIONS
 * @cfg: what is not named in @opt keeps the value here
 * @profiles: out: a new table, the caller's to free, or NULL
 * @extack: for what is wrong
 *
 * Return: 0 or a negative errno.
 */
int optsample_parse(struct Qdisc *sch, struct nlattr *opt,
		    struct optsample_config *cfg,
		    struct optsample_profile **profiles,
		    struct netlink_ext_ack *extack)
{
	struct nlattr *tb[TCA_OPTSAMPLE_MAX + 1];
	int err;

	err = nla_parse_nested_deprecated(tb, TCA_OPTSAMPLE_MAX, opt,
					  optsample_policy, extack);
	if (err)
		return err;
	err = optsample_parse_numbers(cfg, tb, extack);
	if (err)
		return err;
	if (tb[TCA_OPTSAMPLE_RATE64])
		cfg->rate = nla_get_u64(tb[TCA_OPTSAMPLE_RATE64]);
	if (tb[TCA_OPTSAMPLE_WATCH])
		nla_strscpy(cfg->watch, tb[TCA_OPTSAMPLE_WATCH], IFNAMSIZ);
	if (tb[TCA_OPTSAMPLE_WATCH] && cfg->watch[0] &&
	    !__dev_get_by_name(dev_net(qdisc_dev(sch)), cfg->watch)) {
		NL_SET_ERR_MSG_ATTR(extack, tb[TCA_OPTSAMPLE_WATCH],
				    "optsample: no such device to watch");
		return -ENODEV;
	}
	return optsample_profiles_parse(qdisc_priv(sch),
					tb[TCA_OPTSAMPLE_PROFILES], profiles,
					extack);
}

/**
 * optsample_apply - new options take effect
 * @sch: the qdisc
 * @cfg: the options, valid
 * @profiles: the new table or NULL; freed on failure
 * @extack: for what is wrong
 *
 * Everything that can fail comes first; the queue is kept.
 *
 * Return: 0 or a negative errno.
 */
int optsample_apply(struct Qdisc *sch, const struct optsample_config *cfg,
		    struct optsample_profile *profiles,
		    struct netlink_ext_ack *extack)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct sk_buff *to_free = NULL;
	struct optsample_loss loss = { .to_free = &to_free };
	struct sock *below = NULL;

	if ((cfg->inflight_packets || cfg->inflight_bytes) &&
	    !q->stall.below) {
		below = optsample_below_alloc(sch);
		if (!below) {
			optsample_profiles_free(profiles, q->profiles);
			return -ENOMEM;
		}
	}
	sch_tree_lock(sch);
	optsample_unhold(sch);
	optsample_hold_configure(sch, cfg, below);
	q->cfg = *cfg;
	optsample_overhead(q, 0);
	if (profiles)
		swap(q->profiles, profiles);
	optsample_link_look(sch);
	optsample_flows_reconfigure(q, &loss);
	optsample_ordinary_relieve(q, &loss);
	if (loss.packets)
		optsample_settle_loss(sch, &loss);
	sch_tree_unlock(sch);
	kfree_skb_list(to_free);
	optsample_profiles_free(profiles, q->profiles);	/* the old ones */

	/* A gate that opened, or a limit that grew, may set packets free. */
	optsample_kick(sch);
	return 0;
}

int optsample_change(struct Qdisc *sch, struct nlattr *opt,
		     struct netlink_ext_ack *extack)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct optsample_config cfg = q->cfg;
	struct optsample_profile *profiles;
	int err;

	err = optsample_parse(sch, opt, &cfg, &profiles, extack);
	if (err)
		return err;
	if (cfg.flows != q->cfg.flows) {
		NL_SET_ERR_MSG(extack, "optsample: flows cannot be changed");
		optsample_profiles_free(profiles, q->profiles);
		return -EOPNOTSUPP;
	}
	return optsample_apply(sch, &cfg, profiles, extack);
}

int optsample_dump(struct Qdisc *sch, struct sk_buff *skb)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct nlattr *opts;
	int i;

	/* The caller reads the length of the queue next. */
	sch_tree_lock(sch);
	optsample_unhold(sch);
	sch_tree_unlock(sch);

	opts = nla_nest_start_noflag(skb, TCA_OPTIONS);
	if (!opts)
		return -EMSGSIZE;
	for (i = 0; i < ARRAY_SIZE(optsample_options); i++) {
		const struct optsample_option *o = &optsample_options[i];

		if (nla_put_u32(skb, o->attr,
				*(u32 *)((char *)&q->cfg + o->offset)))
			goto cancel;
	}
	if (nla_put_u64_64bit(skb, TCA_OPTSAMPLE_RATE64, q->cfg.rate,
			      TCA_OPTSAMPLE_PAD) ||
	    nla_put_string(skb, TCA_OPTSAMPLE_WATCH, q->cfg.watch) ||
	    optsample_profiles_dump(q, skb))
		goto cancel;
	return nla_nest_end(skb, opts);

cancel:
	nla_nest_cancel(skb, opts);
	return -EMSGSIZE;
}
