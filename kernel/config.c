// SPDX-License-Identifier: GPL-2.0
/*
 * Configuration by netlink: check, apply and dump options and profiles. Invalid
 * options change nothing.
 *
 * The kernel's parser checks the tables below. Its error message ("integer out
 * of range") is replaced by the name of the option and its range.
 */
#include <linux/slab.h>
#include <linux/user_namespace.h>
#include <net/netlink.h>
#include "inflight.h"
#include "ordinary.h"

/* NLA_POLICY_RANGE() ends at 32767. */
#define OPTSAMPLE_U32(_min, _max)					\
	NLA_POLICY_FULL_RANGE(NLA_U32,					\
		(&(struct netlink_range_validation)			\
		 { .min = _min, .max = _max }))

static const struct nla_policy
optsample_profile_policy[TCA_OPTSAMPLE_PROFILE_MAX + 1] = {
	[TCA_OPTSAMPLE_PROFILE_ID] =
		NLA_POLICY_RANGE(NLA_U32, 1, TC_OPTSAMPLE_PROFILES - 1),
	[TCA_OPTSAMPLE_PROFILE_NONE] = { .type = NLA_FLAG },
	[TCA_OPTSAMPLE_PROFILE_LIMIT] = OPTSAMPLE_U32(1, OPTSAMPLE_LIMIT_MAX),
	[TCA_OPTSAMPLE_PROFILE_POLICY] =
		NLA_POLICY_MAX(NLA_U32, OPTSAMPLE_POLICY_MAX - 1),
	[TCA_OPTSAMPLE_PROFILE_REFILL] = NLA_POLICY_MAX(NLA_U32, 100),
	[TCA_OPTSAMPLE_PROFILE_PRIORITY] =
		NLA_POLICY_MAX(NLA_U32, OPTSAMPLE_PRIORITIES - 1),
	[TCA_OPTSAMPLE_PROFILE_SYNC] = { .type = NLA_U32 },
	[TCA_OPTSAMPLE_PROFILE_SEGMENTS] = NLA_POLICY_MAX(NLA_U32, 1),
	[TCA_OPTSAMPLE_PROFILE_AGE] = OPTSAMPLE_U32(0, 86400000),
};

static const struct nla_policy
optsample_profiles_policy[TCA_OPTSAMPLE_PROFILES_MAX + 1] = {
	[TCA_OPTSAMPLE_PROFILE] = NLA_POLICY_NESTED(optsample_profile_policy),
};

static const struct nla_policy optsample_policy[TCA_OPTSAMPLE_MAX + 1] = {
	[TCA_OPTSAMPLE_LIMIT]		= OPTSAMPLE_U32(1, OPTSAMPLE_LIMIT_MAX),
	[TCA_OPTSAMPLE_MEMLIMIT]	= OPTSAMPLE_U32(65536, 1U << 31),
	[TCA_OPTSAMPLE_FLOWS]		= OPTSAMPLE_U32(1, OPTSAMPLE_FLOWS_MAX),
	[TCA_OPTSAMPLE_POLICY] =
		NLA_POLICY_MAX(NLA_U32, OPTSAMPLE_POLICY_MAX - 1),
	[TCA_OPTSAMPLE_REFILL]		= NLA_POLICY_MAX(NLA_U32, 100),
	[TCA_OPTSAMPLE_QUANTUM]		= OPTSAMPLE_U32(256, 1U << 20),
	[TCA_OPTSAMPLE_ORDINARY]	= OPTSAMPLE_U32(1, 1U << 20),
	[TCA_OPTSAMPLE_SHARE]		= NLA_POLICY_RANGE(NLA_U32, 1, 99),
	[TCA_OPTSAMPLE_INFLIGHT_PACKETS] = OPTSAMPLE_U32(0, 1U << 20),
	[TCA_OPTSAMPLE_INFLIGHT_BYTES]	= OPTSAMPLE_U32(0, 1U << 30),
	[TCA_OPTSAMPLE_WATCH]		= { .type = NLA_NUL_STRING,
					    .len = ALTIFNAMSIZ - 1 },
	[TCA_OPTSAMPLE_SETTLE]		= OPTSAMPLE_U32(0, 60000),
	[TCA_OPTSAMPLE_RATE64]		= { .type = NLA_U64 },
	[TCA_OPTSAMPLE_GATE] = NLA_POLICY_MAX(NLA_U32, TC_OPTSAMPLE_GATE_OPEN),
	[TCA_OPTSAMPLE_IDLE]		= OPTSAMPLE_U32(1, 86400000),
	[TCA_OPTSAMPLE_PROFILES] = NLA_POLICY_NESTED(optsample_profiles_policy),
	[TCA_OPTSAMPLE_INFLIGHT_AUTO]	= NLA_POLICY_MAX(NLA_U32, 1),
	[TCA_OPTSAMPLE_INFLIGHT_PER] =
		NLA_POLICY_MAX(NLA_U32, TC_OPTSAMPLE_INFLIGHT_PER_DESTINATION),
	[TCA_OPTSAMPLE_FLUSH]		= { .type = NLA_FLAG },
	[TCA_OPTSAMPLE_PAUSE]		= OPTSAMPLE_U32(0, 60000),
	[TCA_OPTSAMPLE_RECALL] =
		NLA_POLICY_MAX(NLA_U32, TC_OPTSAMPLE_RECALL_AUTO),
	[TCA_OPTSAMPLE_PROG_FD]		= { .type = NLA_U32 },
	[TCA_OPTSAMPLE_PROG_ID]		= { .type = NLA_REJECT },
	[TCA_OPTSAMPLE_PROG_NAME]	= { .type = NLA_REJECT },
	[TCA_OPTSAMPLE_AGE]		= OPTSAMPLE_U32(0, 86400000),
};

/* The same words as in the tc plugin */
static const char *const
optsample_profile_errors[TCA_OPTSAMPLE_PROFILE_MAX + 1] = {
	[TCA_OPTSAMPLE_PROFILE_ID] = "optsample: profile must be 1..63",
	[TCA_OPTSAMPLE_PROFILE_LIMIT] = "optsample: limit must be 1..65535",
	[TCA_OPTSAMPLE_PROFILE_POLICY] = "optsample: unknown policy",
	[TCA_OPTSAMPLE_PROFILE_REFILL] = "optsample: refill must be 0..100",
	[TCA_OPTSAMPLE_PROFILE_PRIORITY] = "optsample: priority must be 0..7",
	[TCA_OPTSAMPLE_PROFILE_SEGMENTS] = "optsample: segments must be 0 or 1",
	[TCA_OPTSAMPLE_PROFILE_AGE] = "optsample: age must be 0..24h",
};

static const char *const optsample_errors[TCA_OPTSAMPLE_MAX + 1] = {
	[TCA_OPTSAMPLE_LIMIT] = "optsample: limit must be 1..65535",
	[TCA_OPTSAMPLE_MEMLIMIT] = "optsample: memlimit must be 64K..2G",
	[TCA_OPTSAMPLE_FLOWS] = "optsample: flows must be 1..65534",
	[TCA_OPTSAMPLE_POLICY] = "optsample: unknown policy",
	[TCA_OPTSAMPLE_REFILL] = "optsample: refill must be 0..100",
	[TCA_OPTSAMPLE_QUANTUM] = "optsample: quantum must be 256..1M",
	[TCA_OPTSAMPLE_ORDINARY] = "optsample: ordinary must be 1..1048576",
	[TCA_OPTSAMPLE_SHARE] = "optsample: share must be 1..99",
	[TCA_OPTSAMPLE_INFLIGHT_PACKETS] =
		"optsample: inflight must be at most 1048576 packets",
	[TCA_OPTSAMPLE_INFLIGHT_BYTES] =
		"optsample: inflight must be at most 1G",
	[TCA_OPTSAMPLE_WATCH] =
		"optsample: watch must be the name of a device",
	[TCA_OPTSAMPLE_SETTLE] = "optsample: settle must be 0..60s",
	[TCA_OPTSAMPLE_GATE] = "optsample: gate must be open or closed",
	[TCA_OPTSAMPLE_IDLE] = "optsample: idle must be 1ms..24h",
	[TCA_OPTSAMPLE_INFLIGHT_AUTO] =
		"optsample: inflight auto must be 0 or 1",
	[TCA_OPTSAMPLE_INFLIGHT_PER] =
		"optsample: per must be auto, device or destination",
	[TCA_OPTSAMPLE_PAUSE] = "optsample: pause must be 0..60s",
	[TCA_OPTSAMPLE_RECALL] = "optsample: recall must be off, on or auto",
	[TCA_OPTSAMPLE_PROG_ID] = "optsample: the program is set by its fd",
	[TCA_OPTSAMPLE_PROG_NAME] = "optsample: the program is set by its fd",
	[TCA_OPTSAMPLE_AGE] = "optsample: age must be 0..24h",
};

static const char *optsample_error(const struct nla_policy *pt)
{
	const struct nla_policy *of = optsample_policy;

	if (pt >= of && pt < of + ARRAY_SIZE(optsample_policy))
		return optsample_errors[pt - of];
	of = optsample_profile_policy;
	if (pt >= of && pt < of + ARRAY_SIZE(optsample_profile_policy))
		return optsample_profile_errors[pt - of];
	return NULL;
}

/* Replace the parser's error message by one with the option's name. */
static void optsample_explain(struct netlink_ext_ack *extack)
{
	const struct nlattr *attr;
	const char *error;

	if (!extack)
		return;
	attr = extack->bad_attr;
	error = optsample_error(extack->policy);
	if (!error && extack->policy)
		error = "optsample: this is not how an option is written";
	if (!error && attr)
		error = "optsample: this module does not know such an option";
	if (!error)
		error = "optsample: the options are cut short";
	/* The macros need a literal. */
	extack->_msg = error;
	NL_SET_BAD_ATTR(extack, attr);
}

/* A number that netlink may set, and its offset in the configuration */
struct optsample_option {
	u16	attr;
	u16	offset;
};

#define OPTSAMPLE_OPTION(_attr, _field)					\
	{ TCA_OPTSAMPLE_##_attr, offsetof(struct optsample_config, _field) }
#define OPTSAMPLE_PROFILE_OPTION(_attr, _field)				\
	{ TCA_OPTSAMPLE_PROFILE_##_attr,				\
	  offsetof(struct optsample_profile_config, _field) }

static const struct optsample_option optsample_options[] = {
	OPTSAMPLE_OPTION(LIMIT, limit),
	OPTSAMPLE_OPTION(MEMLIMIT, memlimit),
	OPTSAMPLE_OPTION(FLOWS, flows),
	OPTSAMPLE_OPTION(POLICY, policy),
	OPTSAMPLE_OPTION(REFILL, refill),
	OPTSAMPLE_OPTION(QUANTUM, quantum),
	OPTSAMPLE_OPTION(ORDINARY, ordinary),
	OPTSAMPLE_OPTION(SHARE, share),
	OPTSAMPLE_OPTION(INFLIGHT_PACKETS, inflight_packets),
	OPTSAMPLE_OPTION(INFLIGHT_BYTES, inflight_bytes),
	OPTSAMPLE_OPTION(SETTLE, settle_ms),
	OPTSAMPLE_OPTION(GATE, gate),
	OPTSAMPLE_OPTION(IDLE, idle_ms),
	OPTSAMPLE_OPTION(INFLIGHT_AUTO, inflight_auto),
	OPTSAMPLE_OPTION(INFLIGHT_PER, inflight_per),
	OPTSAMPLE_OPTION(RECALL, recall),
	OPTSAMPLE_OPTION(AGE, age_ms),
};

static const struct optsample_option optsample_profile_options[] = {
	OPTSAMPLE_PROFILE_OPTION(LIMIT, limit),
	OPTSAMPLE_PROFILE_OPTION(POLICY, policy),
	OPTSAMPLE_PROFILE_OPTION(REFILL, refill),
	OPTSAMPLE_PROFILE_OPTION(PRIORITY, priority),
	OPTSAMPLE_PROFILE_OPTION(SYNC, slop_us),
	OPTSAMPLE_PROFILE_OPTION(SEGMENTS, segments),
	OPTSAMPLE_PROFILE_OPTION(AGE, age_ms),
};

/* Return: BIT(attribute) for each that was present */
static u32 optsample_get_numbers(void *cfg, struct nlattr **tb,
				 const struct optsample_option *o, size_t count)
{
	u32 fields = 0;

	for (; count; count--, o++) {
		if (!tb[o->attr])
			continue;
		*(u32 *)((char *)cfg + o->offset) = nla_get_u32(tb[o->attr]);
		fields |= BIT(o->attr);
	}
	return fields;
}

/* @fields: BIT(attribute) for each to put */
static int optsample_put_numbers(struct sk_buff *skb, const void *cfg,
				 u32 fields, const struct optsample_option *o,
				 size_t count)
{
	for (; count; count--, o++)
		if (fields & BIT(o->attr) &&
		    nla_put_u32(skb, o->attr,
				*(u32 *)((char *)cfg + o->offset)))
			return -EMSGSIZE;
	return 0;
}

/*
 * Profiles
 */

/**
 * optsample_profiles_free - free a table of profiles
 * @profiles: the table, may be NULL
 * @but: a table whose groups are still used, may be NULL
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

/* Bytes of a table of profiles, which may be NULL, and of its groups */
static u32 optsample_profiles_memory(const struct optsample_profile *profiles)
{
	u32 bytes = 0;
	int i;

	for (i = 0; profiles && i < TC_OPTSAMPLE_PROFILES; i++) {
		bytes += sizeof(*profiles);
		if (profiles[i].group)
			bytes += sizeof(*profiles[i].group);
	}
	return bytes;
}

/*
 * Bytes of profiles that a dump has room for. The core silently ends a dump at
 * a qdisc that does not fit into a message of NLMSG_GOODSIZE, and omits the
 * qdiscs after it. The rest of the message is the statistics, twice, and 700
 * bytes.
 */
static size_t optsample_profiles_room(void)
{
	return min_t(size_t, NLMSG_GOODSIZE, SKB_WITH_OVERHEAD(4096)) -
	       2 * sizeof(struct tc_optsample_xstats) - 700;
}

/* Bytes that a dump of a table of profiles takes, which may be NULL */
static size_t optsample_profiles_size(const struct optsample_profile *profiles)
{
	size_t bytes = 0, options;
	int i;

	for (i = 0; profiles && i < TC_OPTSAMPLE_PROFILES; i++) {
		if (!profiles[i].cfg.fields)
			continue;
		options = 1 + hweight32(profiles[i].cfg.fields);
		bytes += nla_total_size(0) +
			 options * nla_total_size(sizeof(u32));
	}
	return bytes;
}

/* Clear @to. A group in use is freed later, with the current table. */
static void optsample_profile_forget(const struct optsample_sched *q, u8 id,
				     struct optsample_profile *to)
{
	if (to->group != optsample_profile_group(q, id))
		kfree(to->group);
	memset(to, 0, sizeof(*to));
}

/* Options that are not in @tb keep their values. */
static int optsample_profile_update(const struct optsample_sched *q, u8 id,
				    struct optsample_profile *to,
				    struct nlattr **tb)
{
	struct optsample_profile_config *cfg = &to->cfg;

	if (tb[TCA_OPTSAMPLE_PROFILE_NONE])
		optsample_profile_forget(q, id, to);
	cfg->fields |=
		optsample_get_numbers(cfg, tb, optsample_profile_options,
				      ARRAY_SIZE(optsample_profile_options));
	if (!cfg->segments)
		cfg->fields &= ~BIT(TCA_OPTSAMPLE_PROFILE_SEGMENTS);
	if (to->group || !(cfg->fields & BIT(TCA_OPTSAMPLE_PROFILE_SYNC)))
		return 0;
	to->group = optsample_group_alloc(GFP_KERNEL);
	return to->group ? 0 : -ENOMEM;
}

static int optsample_profiles_update(const struct optsample_sched *q,
				     struct optsample_profile *profiles,
				     const struct nlattr *nest,
				     struct netlink_ext_ack *extack)
{
	struct nlattr *tb[TCA_OPTSAMPLE_PROFILE_MAX + 1], *attr;
	int rem, err;
	u8 id;

	nla_for_each_nested(attr, nest, rem) {
		err = nla_parse_nested(tb, TCA_OPTSAMPLE_PROFILE_MAX, attr,
				       optsample_profile_policy, extack);
		if (err)
			return err;
		if (!tb[TCA_OPTSAMPLE_PROFILE_ID]) {
			NL_SET_ERR_MSG_ATTR(extack, attr,
					    "optsample: a profile without its number");
			return -EINVAL;
		}
		id = nla_get_u32(tb[TCA_OPTSAMPLE_PROFILE_ID]);
		err = optsample_profile_update(q, id, &profiles[id], tb);
		if (err)
			return err;
	}
	return 0;
}

/*
 * Parse profiles. @profiles: out: the new table, to be swapped with that of @q,
 * or NULL. It may share groups with the old one, see optsample_profiles_free().
 */
static int optsample_profiles_parse(const struct optsample_sched *q,
				    const struct nlattr *nest,
				    struct optsample_profile **profiles,
				    struct netlink_ext_ack *extack)
{
	struct optsample_profile *new;
	int err;

	*profiles = NULL;
	if (!nest)
		return 0;
	new = kcalloc(TC_OPTSAMPLE_PROFILES, sizeof(*new), GFP_KERNEL);
	if (!new)
		return -ENOMEM;
	if (q->profiles)
		memcpy(new, q->profiles, TC_OPTSAMPLE_PROFILES * sizeof(*new));
	err = optsample_profiles_update(q, new, nest, extack);
	if (err) {
		optsample_profiles_free(new, q->profiles);
		return err;
	}
	*profiles = new;
	return 0;
}

static int optsample_profile_dump(struct sk_buff *skb, u8 id,
				  const struct optsample_profile_config *cfg)
{
	struct nlattr *nest = nla_nest_start(skb, TCA_OPTSAMPLE_PROFILE);

	if (!nest ||
	    nla_put_u32(skb, TCA_OPTSAMPLE_PROFILE_ID, id) ||
	    optsample_put_numbers(skb, cfg, cfg->fields,
				  optsample_profile_options,
				  ARRAY_SIZE(optsample_profile_options)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* On failure the caller cancels the nest around it. */
static int optsample_profiles_dump(const struct optsample_sched *q,
				   struct sk_buff *skb)
{
	struct nlattr *nest = NULL;
	int i;

	for (i = 0; q->profiles && i < TC_OPTSAMPLE_PROFILES; i++) {
		if (!q->profiles[i].cfg.fields)
			continue;
		if (!nest)
			nest = nla_nest_start(skb, TCA_OPTSAMPLE_PROFILES);
		if (!nest ||
		    optsample_profile_dump(skb, i, &q->profiles[i].cfg))
			return -EMSGSIZE;
	}
	if (nest)
		nla_nest_end(skb, nest);
	return 0;
}

/*
 * The qdisc
 */

static void optsample_request_free(const struct optsample_sched *q,
				   struct optsample_request *r)
{
	optsample_profiles_free(r->profiles, q->profiles);
	optsample_prog_put(r->prog);
}

/**
 * optsample_parse - parse and check options
 * @sch: the qdisc
 * @opt: TCA_OPTIONS
 * @r: in: the current options; out: the new ones. On success the caller owns
 *	the profiles and the program
 * @extack: for errors
 *
 * Return: 0 or a negative errno.
 */
int optsample_parse(struct Qdisc *sch, struct nlattr *opt,
		    struct optsample_request *r,
		    struct netlink_ext_ack *extack)
{
	struct nlattr *tb[TCA_OPTSAMPLE_MAX + 1];
	struct optsample_config *cfg = &r->cfg;
	int err;

	err = nla_parse_nested(tb, TCA_OPTSAMPLE_MAX, opt, optsample_policy,
			       extack);
	if (err) {
		optsample_explain(extack);
		return err;
	}
	optsample_get_numbers(cfg, tb, optsample_options,
			      ARRAY_SIZE(optsample_options));
	if (cfg->inflight_auto && !IS_ENABLED(CONFIG_DQL)) {
		NL_SET_ERR_MSG(extack,
			       "optsample: inflight auto needs a kernel with CONFIG_BQL");
		return -EOPNOTSUPP;
	}
	/* They take packets from their sockets. */
	if (optsample_inflight_owns(cfg) &&
	    dev_net(qdisc_dev(sch))->user_ns != &init_user_ns) {
		NL_SET_ERR_MSG(extack,
			       "optsample: inflight and recall need the initial user namespace");
		return -EPERM;
	}
	if (cfg->recall == TC_OPTSAMPLE_RECALL_ON &&
	    sch->parent != TC_H_ROOT) {
		NL_SET_ERR_MSG(extack,
			       "optsample: only the root of a device can recall");
		return -EOPNOTSUPP;
	}
	if (tb[TCA_OPTSAMPLE_RATE64])
		cfg->rate = nla_get_u64(tb[TCA_OPTSAMPLE_RATE64]);
	if (tb[TCA_OPTSAMPLE_WATCH])
		strscpy(cfg->watch, nla_data(tb[TCA_OPTSAMPLE_WATCH]),
			sizeof(cfg->watch));
	if (tb[TCA_OPTSAMPLE_WATCH] && cfg->watch[0] &&
	    !__dev_get_by_name(dev_net(qdisc_dev(sch)), cfg->watch)) {
		NL_SET_ERR_MSG_ATTR(extack, tb[TCA_OPTSAMPLE_WATCH],
				    "optsample: no such device to watch");
		return -ENODEV;
	}
	err = optsample_profiles_parse(qdisc_priv(sch),
				       tb[TCA_OPTSAMPLE_PROFILES],
				       &r->profiles, extack);
	if (err || !tb[TCA_OPTSAMPLE_PROG_FD])
		return err;
	r->sets_prog = true;
	err = optsample_prog_get(sch, tb[TCA_OPTSAMPLE_PROG_FD], &r->prog,
				 extack);
	if (err)
		optsample_request_free(qdisc_priv(sch), r);
	return err;
}

/**
 * optsample_apply - apply new options
 * @sch: the qdisc
 * @r: the options, valid; the profiles and the program belong to the qdisc
 *	from now on, or are freed on failure
 * @extack: for errors
 *
 * Everything that can fail comes first; the queue is kept.
 *
 * Return: 0 or a negative errno.
 */
int optsample_apply(struct Qdisc *sch, struct optsample_request *r,
		    struct netlink_ext_ack *extack)
{
	struct optsample_sched *q = qdisc_priv(sch);
	const struct optsample_profile *profiles = r->profiles ?: q->profiles;
	const struct optsample_config *cfg = &r->cfg;
	struct sk_buff *to_free = NULL;
	struct optsample_loss loss = { .to_free = &to_free };
	struct optsample_account *all = NULL;
	u32 profile_memory;

	if (optsample_profiles_size(profiles) > optsample_profiles_room()) {
		NL_SET_ERR_MSG(extack,
			       "optsample: the profiles do not fit into a netlink message");
		optsample_request_free(q, r);
		return -EMSGSIZE;
	}
	profile_memory = optsample_profiles_memory(profiles);
	if (profile_memory > cfg->memlimit / 4) {
		NL_SET_ERR_MSG(extack,
			       "optsample: the profiles need more than a quarter of memlimit");
		optsample_request_free(q, r);
		return -EINVAL;
	}
	if (optsample_inflight_owns(cfg) && !q->stall.inflight.all) {
		all = optsample_account_alloc(sch, GFP_KERNEL);
		if (!all) {
			optsample_request_free(q, r);
			return -ENOMEM;
		}
	}
	sch_tree_lock(sch);
	optsample_unhold(sch);
	optsample_hold_configure(sch, cfg, all);
	if (cfg->recall != q->cfg.recall)
		optsample_recall_another(q);
	q->cfg = *cfg;
	if (r->profiles)
		swap(q->profiles, r->profiles);
	if (r->sets_prog)
		swap(q->prog, r->prog);
	q->profile_memory = profile_memory;
	optsample_overhead(q, 0);
	optsample_link_look(sch);
	optsample_hold_by_dest(sch);
	optsample_flows_reconfigure(q, &loss);
	optsample_flows_relieve(q, &loss);
	if (loss.packets)
		optsample_settle_loss(sch, &loss);
	sch_tree_unlock(sch);
	kfree_skb_list_reason(to_free, SKB_DROP_REASON_QDISC_DROP);
	optsample_request_free(q, r);	/* the old ones */

	/* An opened gate or a larger limit may release packets. */
	optsample_kick(sch);
	return 0;
}

/* Drop all held packets. */
static void optsample_flush(struct Qdisc *sch)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct sk_buff *to_free = NULL;
	struct optsample_loss loss = { .to_free = &to_free };

	sch_tree_lock(sch);
	optsample_unhold(sch);
	optsample_hold_flush(q, &loss);
	optsample_recall_reset(q);
	optsample_flows_purge(q, &loss);
	optsample_ordinary_flush(q, &loss);
	if (loss.packets)
		optsample_settle_loss(sch, &loss);
	sch_tree_unlock(sch);
	kfree_skb_list_reason(to_free, SKB_DROP_REASON_QDISC_DROP);
}

/* Attributes that are commands. The options have been checked. */
static void optsample_orders(struct Qdisc *sch, struct nlattr *opt)
{
	struct nlattr *pause = nla_find_nested(opt, TCA_OPTSAMPLE_PAUSE);

	if (nla_find_nested(opt, TCA_OPTSAMPLE_FLUSH))
		optsample_flush(sch);
	if (pause)
		optsample_hold_pause(sch, nla_get_u32(pause));
}

int optsample_change(struct Qdisc *sch, struct nlattr *opt,
		     struct netlink_ext_ack *extack)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct optsample_request r = { .cfg = q->cfg };
	int err;

	err = optsample_parse(sch, opt, &r, extack);
	if (err)
		return err;
	if (r.cfg.flows != q->cfg.flows) {
		NL_SET_ERR_MSG(extack, "optsample: flows cannot be changed");
		optsample_request_free(q, &r);
		return -EOPNOTSUPP;
	}
	err = optsample_apply(sch, &r, extack);
	if (err)
		return err;
	optsample_orders(sch, opt);
	return optsample_ordinary_configure(sch, extack);
}

int optsample_dump(struct Qdisc *sch, struct sk_buff *skb)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct nlattr *opts;

	/* The caller reads the length of the queue next. */
	sch_tree_lock(sch);
	optsample_unhold(sch);
	sch_tree_unlock(sch);

	opts = nla_nest_start_noflag(skb, TCA_OPTIONS);
	if (!opts)
		return -EMSGSIZE;
	if (optsample_put_numbers(skb, &q->cfg, ~0U, optsample_options,
				  ARRAY_SIZE(optsample_options)) ||
	    nla_put_u64_64bit(skb, TCA_OPTSAMPLE_RATE64, q->cfg.rate,
			      TCA_OPTSAMPLE_PAD) ||
	    nla_put_string(skb, TCA_OPTSAMPLE_WATCH, q->cfg.watch) ||
	    optsample_prog_dump(q, skb) || optsample_profiles_dump(q, skb))
		goto cancel;
	return nla_nest_end(skb, opts);

cancel:
	nla_nest_cancel(skb, opts);
	return -EMSGSIZE;
}
