/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * outbox.h - the queue of a publisher for one subscriber.
 *
 * Serialized messages enter in the order of publication; they leave in the same
 * order, one at a time, when the connection wants the next. At most `limit` of
 * them wait, and a sampler selects which. A message that left is being written
 * and is not handled here.
 *
 * Outboxes of one group (sync=NAME, one subscriber) keep the same stamps, see
 * optsample/sync.h. There a message also waits while another outbox has an
 * older one to send. A socket takes a whole outage of laser scans, but only two
 * images: the scans would run ahead of their partners, and so commit every set
 * before it can be sampled.
 *
 * Locking: the caller serialises put() and take() of one outbox. The shared
 * state of a group has a lock of its own, which is the innermost.
 */
#ifndef OPTSAMPLE_ROS1_OUTBOX_H
#define OPTSAMPLE_ROS1_OUTBOX_H

#include <functional>
#include <list>
#include <string>

#include <boost/weak_ptr.hpp>
#include <ros/serialized_message.h>

#include <optsample/sync.h>

#include "rules.h"

struct outbox;
struct group;

/**
 * struct message - a waiting message
 * @m: serialized
 * @number: number of messages before it
 * @home: its queue
 * @self: its position there
 *
 * It is an optsample_node in the sampler of a single outbox, and an
 * optsample_part in a set of a group.
 */
struct message : optsample_node, optsample_part {
	ros::SerializedMessage m;
	u64 number;
	struct outbox *home;
	std::list<message>::iterator self;
};

/**
 * struct stats - of one outbox, in messages
 * @in: entered
 * @out: left for the connection
 * @sampled: discarded on arrival
 * @evicted: discarded later
 * @gap: longest distance of two successive ones that left, 1: none discarded
 * @last: number of the last one that left, from 1
 * @most: most that waited at a time
 */
struct stats {
	u64 in;
	u64 out;
	u64 sampled;
	u64 evicted;
	u64 gap;
	u64 last;
	u64 most;
};

/**
 * struct outbox - see above
 * @topic: name
 * @peer: name of the subscribing node
 * @link: owner of the outbox; not kept alive by it
 * @start: begin to write, if nothing is being written; may be called as long
 *	as @link is held, and without locks
 * @stamped: messages begin with a std_msgs/Header
 * @formatted: their type does not tell whether each is a picture alone
 * @queue: waiting messages
 * @sampler: of the queue, outside of a group
 * @group: NULL: none
 * @member: number in the group
 * @refused: take() failed since its last success
 * @stats: see above
 */
struct outbox {
	outbox(const std::string &topic, const std::string &peer,
	       const struct rule *rule, u32 limit, bool stamped);
	outbox(const outbox &) = delete;
	outbox &operator=(const outbox &) = delete;

	/* Enqueue @m, or discard it; others may be discarded for it. */
	void put(const ros::SerializedMessage &m);

	/* Return: whether there is one to be written now; it is in @m */
	bool take(ros::SerializedMessage *m);

	/* Start partners whose turn it has become; without locks. */
	void wake();

	/* Leave the group, before it ends; without locks. */
	void leave();

	std::string topic;
	std::string peer;
	boost::weak_ptr<void> link;
	std::function<void()> start;
	bool stamped;
	bool formatted;
	std::list<message> queue;
	struct optsample_sampler sampler;
	struct group *group;
	int member;
	bool refused;
	struct stats stats;
};

#endif /* OPTSAMPLE_ROS1_OUTBOX_H */
