// SPDX-License-Identifier: GPL-2.0-only
/*
 * outbox.cpp - sampled outboxes, alone and in groups; see outbox.h.
 */
#include <endian.h>
#include <string.h>

#include <mutex>
#include <vector>

#include <boost/shared_ptr.hpp>

#include "outbox.h"

/**
 * struct group - outboxes to one subscriber that keep the same stamps
 * @name: sync=NAME
 * @peer: the subscriber
 * @lock: for all below
 * @sync: what is kept
 * @members: by number, NULL: none
 * @spare: a set for the next arrival, or NULL
 */
struct group {
	std::string name;
	std::string peer;
	std::mutex lock;
	struct optsample_sync sync;
	struct outbox *members[OPTSAMPLE_SYNC_MEMBERS];
	struct optsample_set *spare;
};

/* All groups, newest last; before any group's own lock. */
static std::mutex groups_lock;
static std::vector<struct group *> groups;

typedef std::lock_guard<std::mutex> locked;

static u32 read32(const ros::SerializedMessage &m, size_t at)
{
	u32 value;

	memcpy(&value, m.buf.get() + at, sizeof(value));
	return le32toh(value);
}

/* Stamp of the header in ns, 0 if there is none: u32 length, seq, sec, nsec */
static u64 stamp_of(const struct outbox *o, const ros::SerializedMessage &m)
{
	if (!o->stamped || m.num_bytes < 16)
		return 0;
	return read32(m, 8) * 1000000000ULL + read32(m, 12);
}

/* --- groups --- */

static void forget(message *msg)
{
	msg->home->stats.evicted++;
	msg->home->queue.erase(msg->self);
}

/* A set out of the sampler, of which nothing is to be sent */
static void discard_set(struct group *g, struct optsample_set *set)
{
	struct optsample_part *part;

	while ((part = optsample_sync_take(set)))
		forget(static_cast<message *>(part));
	delete g->spare;
	g->spare = set;
}

static void commit_set(struct group *g)
{
	struct optsample_set *set = optsample_sync_commit(&g->sync);

	while (optsample_sync_take(set))
		;
	delete g->spare;
	g->spare = set;
}

/* Order of what is next: 0 if it is committed, else that of the sets */
static u64 order(const struct outbox *o)
{
	const struct optsample_set *set = o->queue.front().set;

	return set ? set->opened + 1 : 0;
}

/* Older ones first: see outbox.h. Of those that wait, one always may. */
static bool may_leave(const struct outbox *o)
{
	if (o->queue.empty())
		return false;
	if (!o->group)
		return true;
	for (const struct outbox *other : o->group->members)
		if (other && !other->queue.empty() && order(other) < order(o))
			return false;
	return true;
}

static bool has_topic(const struct group *g, const std::string &topic)
{
	for (const struct outbox *o : g->members)
		if (o && o->topic == topic)
			return true;
	return false;
}

/*
 * A subscriber that was cut off and comes back finds a group whose links are
 * not yet known to be dead: it gets a new one.
 */
static struct group *group_find(const struct outbox *o, const char *name)
{
	size_t i;

	for (i = groups.size(); i--;) {
		struct group *g = groups[i];

		if (g->name == name && g->peer == o->peer &&
		    !has_topic(g, o->topic) && ~g->sync.members)
			return g;
	}
	return NULL;
}

/* The smallest limit of its topics is the group's. */
static void group_enter(struct outbox *o, const struct rule *rule, u32 limit)
{
	locked all(groups_lock);
	struct group *g = group_find(o, rule->sync);

	if (!g) {
		g = new group();
		g->name = rule->sync;
		g->peer = o->peer;
		optsample_sync_init(&g->sync, rule->policy, limit,
				    rule->refill, 0);
		groups.push_back(g);
	}
	locked one(g->lock);
	o->group = g;
	o->member = optsample_sync_enter(&g->sync);
	g->members[o->member] = o;
	if (limit >= g->sync.sampler.limit)
		return;
	optsample_sync_configure(&g->sync,
				 (enum optsample_policy)g->sync.sampler.policy,
				 limit, g->sync.sampler.refill, 0);
	while (optsample_sync_over(&g->sync))
		discard_set(g, optsample_sync_evict(&g->sync));
}

/* One message out of its set, which ends with its last */
static void leave_set(struct group *g, message *msg)
{
	struct optsample_part **at;
	struct optsample_set *set = msg->set;

	if (!set)
		return;
	for (at = &set->parts; *at != msg; at = &(*at)->next)
		;
	*at = msg->optsample_part::next;
	if (set->parts)
		return;
	optsample_sync_release(&g->sync, set);
	delete set;
}

/* --- whose turn it is --- */

struct ready {
	boost::shared_ptr<void> link;
	struct outbox *o;
};

/* Those that were refused and may go on, but not @but */
static std::vector<struct ready> waiting(const struct group *g,
					 const struct outbox *but)
{
	std::vector<struct ready> list;

	for (struct outbox *o : g->members) {
		if (!o || o == but || !o->refused || !may_leave(o))
			continue;
		boost::shared_ptr<void> link = o->link.lock();

		if (link) /* else it is being destroyed */
			list.push_back({ link, o });
	}
	return list;
}

static void start(const std::vector<struct ready> &list)
{
	for (const struct ready &r : list)
		r.o->start();
}

void outbox::wake()
{
	std::vector<struct ready> list;

	if (!group)
		return;
	{
		locked g(group->lock);
		list = waiting(group, this);
	}
	::start(list);
}

static void group_delete(struct group *g)
{
	size_t i;

	for (i = 0; groups[i] != g; i++)
		;
	groups.erase(groups.begin() + (ptrdiff_t)i);
	delete g->spare;
	delete g;
}

void outbox::leave()
{
	std::vector<struct ready> list;
	struct group *g = group;

	if (!g)
		return;
	{
		locked all(groups_lock);
		{
			locked one(g->lock);
			for (message &msg : queue)
				leave_set(g, &msg);
			optsample_sync_exit(&g->sync, member);
			g->members[member] = NULL;
			list = waiting(g, this);
		}
		group = NULL;
		if (!g->sync.members)
			group_delete(g);
	}
	::start(list);
}

/* --- outboxes --- */

outbox::outbox(const std::string &topic_, const std::string &peer_,
	       const struct rule *rule, u32 limit, bool stamped_)
	: topic(topic_), peer(peer_), stamped(stamped_), formatted(false),
	  group(NULL), member(0), refused(false), stats()
{
	optsample_init(&sampler, rule->policy, limit, rule->refill);
	if (rule->sync && stamped)
		group_enter(this, rule, limit);
}

static void keep(struct outbox *o, const ros::SerializedMessage &m,
		 struct optsample_set *set, u64 pos)
{
	message *msg;

	o->queue.emplace_back();
	msg = &o->queue.back();
	msg->m = m;
	msg->number = o->stats.in;
	msg->home = o;
	msg->self = std::prev(o->queue.end());
	optsample_sync_join(set, msg);
	if (!o->group)
		optsample_append(&o->sampler, msg, pos);
	if (o->queue.size() > o->stats.most)
		o->stats.most = o->queue.size();
}

/* By stamps, or by number if there are none. */
static void put_alone(struct outbox *o, const ros::SerializedMessage &m)
{
	struct optsample_node *out, *next;
	u64 pos = stamp_of(o, m);
	bool kept;

	if (!pos)
		pos = o->stats.in;
	kept = optsample_arrive(&o->sampler, pos, &out);
	for (; out; out = next) {
		next = out->next;
		forget(static_cast<message *>(out));
	}
	if (kept)
		keep(o, m, NULL, pos);
	else
		o->stats.sampled++;
}

static void put_in_group(struct outbox *o, const ros::SerializedMessage &m)
{
	struct group *g = o->group;
	struct optsample_set *set, *out, *next;
	bool kept;

	if (!g->spare)
		g->spare = new optsample_set();
	kept = optsample_sync_arrive(&g->sync, o->member, stamp_of(o, m),
				     &g->spare, &set, &out);
	for (; out; out = next) {
		next = __optsample_set_of(out->node.next);
		discard_set(g, out);
	}
	if (kept)
		keep(o, m, set, 0);
	else
		o->stats.sampled++;
}

void outbox::put(const ros::SerializedMessage &m)
{
	stats.in++;
	if (!group) {
		put_alone(this, m);
		return;
	}
	locked g(group->lock);
	put_in_group(this, m);
}

static bool take_front(struct outbox *o, ros::SerializedMessage *m)
{
	message *msg;

	o->refused = !may_leave(o);
	if (o->refused)
		return false;
	msg = &o->queue.front();
	if (!o->group)
		optsample_depart(&o->sampler);
	while (msg->set)
		commit_set(o->group);
	o->stats.out++;
	if (o->stats.last && msg->number - o->stats.last > o->stats.gap)
		o->stats.gap = msg->number - o->stats.last;
	o->stats.last = msg->number;
	*m = msg->m;
	o->queue.pop_front();
	return true;
}

bool outbox::take(ros::SerializedMessage *m)
{
	if (!group)
		return take_front(this, m);
	locked g(group->lock);
	return take_front(this, m);
}
