// SPDX-License-Identifier: GPL-2.0
/*
 * The classifier that the qdisc runs itself: a BPF program of type sched_cls,
 * as a filter of type bpf has it. So it needs no CONFIG_NET_CLS_BPF, and costs
 * less.
 */
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/netdevice.h>
#include <net/netlink.h>
#include "optsample.h"

/**
 * optsample_prog_get - the program of a request
 * @sch: the qdisc
 * @fd: TCA_OPTSAMPLE_PROG_FD
 * @prog: out: the program, with a reference, or NULL for TC_OPTSAMPLE_NO_PROG
 * @extack: for errors
 *
 * Return: 0 or a negative errno.
 */
int optsample_prog_get(struct Qdisc *sch, const struct nlattr *fd,
		       struct bpf_prog **prog, struct netlink_ext_ack *extack)
{
	u32 value = nla_get_u32(fd);
	struct bpf_prog *p;

	*prog = NULL;
	if (value == TC_OPTSAMPLE_NO_PROG)
		return 0;
	p = bpf_prog_get_type_dev(value, BPF_PROG_TYPE_SCHED_CLS, false);
	if (IS_ERR(p)) {
		NL_SET_ERR_MSG_ATTR(extack, fd,
				    "optsample: prog must be a BPF program of type sched_cls");
		return PTR_ERR(p);
	}
	/* It may read what tunnels and routes leave in the packet. */
	if (p->dst_needed)
		netif_keep_dst(qdisc_dev(sch));
	*prog = p;
	return 0;
}

/**
 * optsample_prog_put - release a program
 * @prog: the program, may be NULL
 */
void optsample_prog_put(struct bpf_prog *prog)
{
	if (prog)
		bpf_prog_put(prog);
}

/**
 * optsample_prog_dump - id and name of the program
 * @q: private data of the qdisc
 * @skb: netlink message
 *
 * Return: 0 or -EMSGSIZE.
 */
int optsample_prog_dump(const struct optsample_sched *q, struct sk_buff *skb)
{
	const struct bpf_prog *p = q->prog;

	if (!p)
		return 0;
	if (nla_put_u32(skb, TCA_OPTSAMPLE_PROG_ID, p->aux->id) ||
	    nla_put_string(skb, TCA_OPTSAMPLE_PROG_NAME, p->aux->name))
		return -EMSGSIZE;
	return 0;
}
