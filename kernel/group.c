// SPDX-License-Identifier: GPL-2.0
/*
 * Flows that keep messages with the same stamps: a decision on a message also
 * applies to its partners in other flows (include/optsample/sync.h).
 *
 * Sets leave in order: a flow whose next message is of a later set waits until
 * all messages of the earlier set have begun to leave. So partners reach the
 * operator together. If a stall begins while the queues drain, the remaining
 * sets are complete and can be sampled.
 */
#include "message.h"
#include "trace.h"

static struct optsample_msg *optsample_msg_of_part(struct optsample_part *part)
{
	return container_of(part, struct optsample_msg, part);
}

static void optsample_set_free(struct optsample_sched *q,
			       struct optsample_set *set)
{
	optsample_overhead(q, -(int)sizeof(*set));
	kfree(set);
}

/* Drop all messages of sets that are no longer in the sampler. */
static void optsample_sets_drop(struct optsample_sched *q,
				struct optsample_set *set,
				enum optsample_why why,
				struct optsample_loss *loss)
{
	struct optsample_part *part;
	struct optsample_set *next;
	struct optsample_msg *msg;

	for (; set; set = next) {
		next = (struct optsample_set *)set->node.next;
		while ((part = optsample_sync_take(set))) {
			msg = optsample_msg_of_part(part);
			msg->flow->c.msgs_evicted++;
			optsample_msg_drop(q, msg->flow, msg, why, loss);
		}
		optsample_set_free(q, set);
	}
}

/* Commit the messages of @set, which is no longer in the sampler. */
static void optsample_set_keep(struct optsample_sched *q,
			       struct optsample_set *set)
{
	struct optsample_part *part;
	struct optsample_msg *msg;

	while ((part = optsample_sync_take(set))) {
		msg = optsample_msg_of_part(part);
		msg->place = OPTSAMPLE_COMMITTED;
		optsample_committed(msg->flow, 1);
	}
	optsample_set_free(q, set);
}

/**
 * optsample_group_start - the first packet of a message with partners
 * @q: private data of the qdisc, locked
 * @f: its flow
 * @skb: the packet
 * @tag: its tag, with the stamp as position
 * @loss: out: messages that were dropped
 *
 * Return: true if @skb is queued, false if it is on the drop list.
 */
bool optsample_group_start(struct optsample_sched *q,
			   struct optsample_flow *f, struct sk_buff *skb,
			   const struct optsample_tag *tag,
			   struct optsample_loss *loss)
{
	struct optsample_set *mine, *spare, *set, *evicted;
	u64 stamp = (u64)tag->pos_hi << 32 | tag->pos_lo;
	struct optsample_msg *msg = NULL;
	bool keep;

	f->started = true;
	f->newest = tag->message;
	f->c.msgs_in++;
	mine = kmalloc(sizeof(*mine), GFP_ATOMIC | __GFP_NOWARN);
	spare = mine;
	keep = optsample_sync_arrive(&f->group->sync, f->member, stamp, &spare,
				     &set, &evicted);
	if (mine && !spare)
		optsample_overhead(q, sizeof(*set));
	kfree(spare);
	if (keep)
		msg = optsample_msg_alloc(q, f, tag->message, false);
	if (msg) {
		optsample_sync_join(set, &msg->part);
		msg->place = set ? OPTSAMPLE_IN_SET : OPTSAMPLE_COMMITTED;
		if (!set)
			optsample_committed(f, 1);
		msg->pos = stamp;
		msg->flow = f;
		msg->complete = tag->mark & OPTSAMPLE_TAG_LAST;
		f->waiting++;
		optsample_msg_add(q, f, msg, skb, true, false);
		f->rx = msg;
		loss->own_msg = msg;
	} else if (set && !set->parts) {
		optsample_sync_release(&f->group->sync, set);
		optsample_set_free(q, set);
	}
	optsample_sets_drop(q, evicted, OPTSAMPLE_WHY_SAMPLER, loss);
	if (msg) {
		trace_optsample_verdict(q, f, tag->message, OPTSAMPLE_KEPT,
					OPTSAMPLE_WHY_NONE);
		return true;
	}
	trace_optsample_verdict(q, f, tag->message, OPTSAMPLE_DROPPED, keep ?
				OPTSAMPLE_WHY_MEMORY : OPTSAMPLE_WHY_SAMPLER);
	optsample_discard(f, tag->message, loss);
	return false;
}

/**
 * optsample_group_begin - a message with partners begins to leave
 * @q: private data of the qdisc, locked
 * @f: its flow
 * @msg: the message
 *
 * Its set is committed, and all older sets with it.
 */
void optsample_group_begin(struct optsample_sched *q,
			   struct optsample_flow *f, struct optsample_msg *msg)
{
	while (msg->place == OPTSAMPLE_IN_SET)
		optsample_set_keep(q, optsample_sync_commit(&f->group->sync));
	f->waiting--;
	optsample_committed(f, -1);
}

/**
 * optsample_group_turn - may a flow with partners send its next packet?
 * @f: the flow, which holds packets
 *
 * Return: false if it must wait for other flows. At least one flow of the group
 * can send: one with a committed message, else the one that opened the oldest
 * set, because only messages of older sets precede it in that flow.
 */
bool optsample_group_turn(const struct optsample_flow *f)
{
	const struct optsample_msg *msg;

	if (f->committed || (f->cur && f->cur->head))
		return true;
	msg = optsample_flow_leaves(f);
	return msg->place != OPTSAMPLE_IN_SET ||
	       (!f->group->pending &&
		optsample_sync_turn(&f->group->sync, &msg->part));
}

/**
 * optsample_group_evict - drop one set
 * @q: private data of the qdisc, locked
 * @group: the group
 * @why: the reason
 * @loss: where its messages go
 *
 * Return: false if there is none.
 */
bool optsample_group_evict(struct optsample_sched *q,
			   struct optsample_group *group,
			   enum optsample_why why, struct optsample_loss *loss)
{
	struct optsample_set *set = optsample_sync_evict(&group->sync);

	if (!set)
		return false;
	optsample_sets_drop(q, set, why, loss);
	return true;
}

/**
 * optsample_withdraw - commit a message: it is no longer sampled
 * @q: private data of the qdisc, locked
 * @f: its flow
 * @msg: the message, which stays in the flow's queue; so do its partners
 */
void optsample_withdraw(struct optsample_sched *q, struct optsample_flow *f,
			struct optsample_msg *msg)
{
	struct optsample_set *set;

	if (msg->place == OPTSAMPLE_IN_SAMPLER) {
		optsample_remove(&f->sampler, &msg->node);
		f->waiting++;
		optsample_committed(f, 1);
	} else if (msg->place == OPTSAMPLE_IN_SET) {
		set = msg->part.set;
		optsample_sync_release(&f->group->sync, set);
		optsample_set_keep(q, set);
	}
	msg->place = OPTSAMPLE_COMMITTED;
}

/* Commit all waiting messages: new options apply to later ones only. */
static void optsample_withdraw_all(struct optsample_sched *q,
				   struct optsample_flow *f)
{
	struct optsample_msg *msg;

	list_for_each_entry(msg, &f->queue, fifo)
		if (msg->place != OPTSAMPLE_PASSES && msg != f->cur)
			optsample_withdraw(q, f, msg);
}

/* Return: a group without flows, or NULL */
struct optsample_group *optsample_group_alloc(gfp_t gfp)
{
	struct optsample_group *group = kzalloc(sizeof(*group), gfp);

	if (!group)
		return NULL;
	optsample_sync_init(&group->sync, OPTSAMPLE_POLICY_OPTSAMPLE, 1, 0, 0);
	INIT_LIST_HEAD(&group->dests);
	return group;
}

/**
 * optsample_group_to - the group of the flows that send to one destination
 * @q: private data of the qdisc, locked
 * @any: the group of their profile
 * @dest: link address, or 0
 *
 * A sleeping destination must not delay the sets of another one.
 *
 * Return: the group, which is freed when its last flow leaves; @any if there
 * are too many groups or memory is short.
 */
struct optsample_group *optsample_group_to(struct optsample_sched *q,
					   struct optsample_group *any,
					   u64 dest)
{
	struct optsample_sampler *s = &any->sync.sampler;
	struct optsample_group *group;
	int n = 0;

	if (!dest)
		return any;
	list_for_each_entry(group, &any->dests, dests) {
		if (group->dest == dest)
			return group;
		n++;
	}
	if (n == OPTSAMPLE_DESTS_MAX || sizeof(*group) > q->flow_memory)
		return any;
	group = optsample_group_alloc(GFP_ATOMIC | __GFP_NOWARN);
	if (!group)
		return any;
	optsample_overhead(q, sizeof(*group));
	optsample_sync_configure(&group->sync, s->policy, s->limit, s->refill,
				 any->sync.slop);
	group->dest = dest;
	list_add(&group->dests, &any->dests);
	return group;
}

/**
 * optsample_group_join - add a flow to a group
 * @q: private data of the qdisc, locked
 * @f: the flow, in no group
 * @group: the group; if it is full, the flow stays alone
 */
void optsample_group_join(struct optsample_sched *q,
			  struct optsample_flow *f,
			  struct optsample_group *group)
{
	int member = optsample_sync_enter(&group->sync);

	if (member < 0)
		return;
	optsample_withdraw_all(q, f);
	f->group = group;
	f->member = member;
	group->pending += f->committed;
}

/**
 * optsample_group_leave - remove a flow from its group
 * @q: private data of the qdisc, locked
 * @f: the flow, in a group
 */
void optsample_group_leave(struct optsample_sched *q, struct optsample_flow *f)
{
	struct optsample_group *group = f->group;

	optsample_withdraw_all(q, f);
	optsample_sync_exit(&group->sync, f->member);
	group->pending -= f->committed;
	f->group = NULL;
	if (group->sync.members)
		return;
	WARN_ON_ONCE(group->pending);
	if (!group->dest)
		return;
	list_del(&group->dests);
	optsample_overhead(q, -(int)sizeof(*group));
	kfree(group);
}
