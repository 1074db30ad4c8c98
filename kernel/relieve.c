// SPDX-License-Identifier: GPL-2.0
/*
 * When memory is short: which messages go, and which flows pay for it.
 */
#include "message.h"

/* The rest of a message on its way: the reader gets it in part. */
static void optsample_tear(struct optsample_sched *q, struct optsample_flow *f,
			   struct optsample_loss *loss)
{
	struct optsample_msg *msg = f->cur;

	if (msg->place == OPTSAMPLE_PASSES)
		f->c.ctl_dropped += msg->packets;
	else
		f->c.torn++;
	optsample_msg_drop(q, f, msg, loss);
}

/* Return: false if there is nothing to choose from */
static bool optsample_flow_evict(struct optsample_sched *q,
				 struct optsample_flow *f,
				 struct optsample_loss *loss)
{
	struct optsample_msg *msg;

	if (f->sampler.len) {
		msg = optsample_msg_of(optsample_evict(&f->sampler));
		f->c.msgs_evicted++;
		optsample_msg_drop(q, f, msg, loss);
		return true;
	}
	if (!f->waiting)
		return false;
	if (f->group && optsample_group_evict(q, f->group, loss))
		return true;
	/* What was to leave in any case */
	list_for_each_entry(msg, &f->queue, fifo) {
		if (msg->place == OPTSAMPLE_PASSES || msg == f->cur)
			continue;
		f->c.msgs_evicted++;
		optsample_msg_drop(q, f, msg, loss);
		return true;
	}
	return false;
}

static void optsample_flow_give_up(struct optsample_sched *q,
				   struct optsample_flow *f,
				   struct optsample_loss *loss)
{
	struct optsample_msg *msg = f->rx;

	/* One that will not fit must not push out all the others first. */
	if (f->cur && f->cur->head &&
	    f->cur->truesize > optsample_flow_memory(q) / 2) {
		optsample_tear(q, f, loss);
		return;
	}
	if (msg && !msg->complete && msg != f->cur &&
	    msg->truesize > optsample_flow_memory(q) / 2) {
		f->c.oversize++;
		optsample_withdraw(f, msg);
		optsample_msg_drop(q, f, msg, loss);
		return;
	}
	if (f->pass_memory > f->memory / 2 && f->pass_pkts &&
	    !(f->cur && f->cur->place == OPTSAMPLE_PASSES)) {
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

/* What idle flows remember of unfinished messages is memory, too. */
static bool optsample_forget(struct optsample_sched *q)
{
	struct optsample_flow *f;

	list_for_each_entry(f, &q->idle, list) {
		if (f->cur) {
			optsample_finish(q, f);
			return true;
		}
	}
	return false;
}

/**
 * optsample_flows_relieve - sample the fattest flows until memory fits
 * @q: private data of the qdisc, locked
 * @loss: what was taken out
 *
 * Scans the flows that hold packets; only done beyond the memory limit, and
 * every scan frees a whole message.
 */
void optsample_flows_relieve(struct optsample_sched *q,
			     struct optsample_loss *loss)
{
	while (q->memory > optsample_flow_memory(q)) {
		struct optsample_flow *f, *fattest = NULL;
		int i;

		if (optsample_forget(q))
			continue;
		for (i = 0; i < OPTSAMPLE_PRIORITIES; i++)
			list_for_each_entry(f, &q->active[i], list)
				if (!fattest || f->memory > fattest->memory)
					fattest = f;
		if (!fattest)
			break;
		optsample_flow_give_up(q, fattest, loss);
	}
}
