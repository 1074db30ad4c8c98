// SPDX-License-Identifier: GPL-2.0
/*
 * Memory pressure: which messages are dropped, and of which flows.
 */
#include "message.h"

/* Drop the rest of a message that has begun to leave. */
static void optsample_tear(struct optsample_sched *q, struct optsample_flow *f,
			   struct optsample_loss *loss)
{
	f->c.torn++;
	optsample_msg_drop(q, f, f->cur, OPTSAMPLE_WHY_TORN, loss);
}

/* Drop one waiting message. Return: false if there is none */
static bool optsample_flow_evict(struct optsample_sched *q,
				 struct optsample_flow *f,
				 struct optsample_loss *loss)
{
	struct optsample_msg *msg;
	int tries = OPTSAMPLE_FIND;

	if (f->sampler.len) {
		msg = optsample_msg_of(optsample_evict(&f->sampler));
		f->c.msgs_evicted++;
		optsample_msg_drop(q, f, msg, OPTSAMPLE_WHY_MEMORY, loss);
		return true;
	}
	if (!f->waiting)
		return false;
	if (f->group &&
	    optsample_group_evict(q, f->group, OPTSAMPLE_WHY_MEMORY, loss))
		return true;
	/* The oldest committed message, if the short search finds it */
	list_for_each_entry(msg, &f->queue, fifo) {
		if (msg->place != OPTSAMPLE_PASSES && msg != f->cur) {
			f->c.msgs_evicted++;
			optsample_msg_drop(q, f, msg, OPTSAMPLE_WHY_MEMORY,
					   loss);
			return true;
		}
		if (!--tries)
			break;
	}
	return false;
}

static void optsample_flow_give_up(struct optsample_sched *q,
				   struct optsample_flow *f,
				   struct optsample_loss *loss)
{
	struct optsample_msg *msg = f->rx;

	/* Drop a message that cannot fit before it pushes out all others. */
	if (f->cur && f->cur->head &&
	    f->cur->truesize > q->flow_memory / 2) {
		optsample_tear(q, f, loss);
		return;
	}
	if (msg && !msg->complete && msg != f->cur &&
	    msg->truesize > q->flow_memory / 2) {
		f->c.oversize++;
		optsample_withdraw(q, f, msg);
		optsample_msg_drop(q, f, msg, OPTSAMPLE_WHY_OVERSIZE, loss);
		return;
	}
	if (f->pass_memory > f->memory / 2 && f->pass_pkts) {
		optsample_pass_drop_oldest(q, f, loss);
		return;
	}
	if (!optsample_flow_evict(q, f, loss)) {
		if (f->cur && f->cur->head)
			optsample_tear(q, f, loss);
		else
			optsample_pass_drop_oldest(q, f, loss);
	}
}

/*
 * A search through all flows for every packet beyond the limit would take too
 * long. One full search when memory becomes short finds the fattest flow; each
 * later call checks only OPTSAMPLE_LOOK flows for a fatter one.
 */
static struct optsample_flow *optsample_fattest(struct optsample_sched *q)
{
	struct optsample_flow *f, *fattest = q->fattest;
	u32 i, n = OPTSAMPLE_LOOK, slot = q->cursor;
	u32 most;

	if (fattest && !fattest->backlog_pkts)
		fattest = NULL;
	if (!q->fattest || time_after(jiffies, q->relieved + HZ))
		n = q->cfg.flows;
	most = fattest ? fattest->memory : 0;
	for (i = 0; i < q->cfg.flows && (i < n || !fattest); i++) {
		slot = slot + 1 < q->cfg.flows ? slot + 1 : 0;
		f = q->slots[slot];
		if (f && f->memory > most && f->backlog_pkts) {
			fattest = f;
			most = f->memory;
		}
	}
	q->cursor = slot;
	q->fattest = fattest;
	q->relieved = jiffies;
	return fattest;
}

/* Idle flows may take an eighth of the memory that packets need. */
static bool optsample_idle_too_many(const struct optsample_sched *q)
{
	return q->overhead > q->flow_memory / 8;
}

/**
 * optsample_flows_relieve - sample the fattest flows until memory fits
 * @q: private data of the qdisc, locked
 * @loss: messages that were dropped
 */
void optsample_flows_relieve(struct optsample_sched *q,
			     struct optsample_loss *loss)
{
	struct sk_buff *skb, *before = *loss->to_free;
	struct optsample_flow *f;

	while (q->memory > q->flow_memory) {
		if (optsample_recall_relieve(q, false))
			continue;
		if (optsample_idle_too_many(q) && optsample_idle_free(q))
			continue;
		f = optsample_fattest(q);
		if (f)
			optsample_flow_give_up(q, f, loss);
		else if (!optsample_recall_relieve(q, true) &&
			 !optsample_idle_free(q))
			break;
	}
	for (skb = *loss->to_free; skb != before; skb = skb->next)
		tcf_set_qdisc_drop_reason(skb, QDISC_DROP_OVERLIMIT);
}
