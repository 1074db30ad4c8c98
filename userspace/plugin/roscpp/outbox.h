/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * outbox.h - what a publisher still has to send to one subscriber.
 *
 * Serialized messages in, in the order in which they were published; out the
 * same, one at a time, when the connection wants the next. In between at most
 * `limit` of them wait, and a sampler says which. A message that was handed
 * out is being written and is of no concern here.
 *
 * Outboxes of one group (sync=NAME, one subscriber) keep the same stamps, see
 * optsample/sync.h. There a message also waits while another outbox has an
 * older one to send. A socket swallows a whole outage of laser scans, but two
 * images: the scans would run ahead of their partners, and so commit every set
 * before it can be sampled.
 *
 * Locking: the caller serialises put() and take() of one outbox. What a group
 * shares is under a lock of its own, which is the innermost.
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
 * struct message - one that waits
 * @m: serialized
 * @number: how many were put in before it
 * @home: where it waits
 * @self: its place there
 *
 * As optsample_node it is in the sampler of a single outbox, as optsample_part
 * in a set of a group.
 */
struct message : optsample_node, optsample_part {
	ros::SerializedMessage m;
	u64 number;
	struct outbox *home;
	std::list<message>::iterator self;
};

/**
 * struct stats - of one outbox, in messages
 * @in: put in
 * @out: handed out
 * @sampled: discarded on arrival
 * @evicted: discarded later
 * @gap: longest distance of two handed out in a row, 1: nothing between them
 * @last: number of the last one handed out, from 1
 * @most: waiting at a time
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
 * @link: whose outbox it is; does not keep it alive
 * @start: begin to write, if nothing is being written; may be called as long
 *	as @link is held, and without locks
 * @stamped: messages begin with a std_msgs/Header
 * @queue: what waits
 * @sampler: of it, outside of a group
 * @group: NULL: none
 * @member: number in the group
 * @refused: take() was asked in vain since it last gave something
 * @stats: see above
 */
struct outbox {
	outbox(const std::string &topic, const std::string &peer,
	       const struct rule *rule, u32 limit, bool stamped);
	outbox(const outbox &) = delete;
	outbox &operator=(const outbox &) = delete;

	/* Keep @m, or not; others may have to go for it. */
	void put(const ros::SerializedMessage &m);

	/* Return: whether there is one to be written now, then in @m */
	bool take(ros::SerializedMessage *m);

	/* Start partners whose turn it has become; without locks. */
	void wake();

	/* Out of the group, before it ends; without locks. */
	void leave();

	std::string topic;
	std::string peer;
	boost::weak_ptr<void> link;
	std::function<void()> start;
	bool stamped;
	std::list<message> queue;
	struct optsample_sampler sampler;
	struct group *group;
	int member;
	bool refused;
	struct stats stats;
};

#endif /* OPTSAMPLE_ROS1_OUTBOX_H */
