// SPDX-License-Identifier: GPL-2.0-only
/*
 * link.cpp - the members of roscpp's TransportSubscriberLink that are replaced
 * in a process with LD_PRELOAD=liboptsample-ros1.so:
 *
 *	handleHeader		a subscriber connects: sampled, or left alone?
 *	enqueueMessage		a message is published: Enqueue
 *	startMessageWrite	the connection has room for one: Dequeue
 *
 * The first two are called through the vtable or the PLT of libroscpp, the
 * last one through the PLT also by the native onMessageWritten(), so that one
 * definition here replaces each of them everywhere. A link that is not sampled
 * goes to the native ones.
 *
 * A sampled link leaves its outbox_ unused, but for one entry that never
 * leaves: it owns the link's struct outbox, which so lives exactly as long as
 * the link does. type_info tells it from any message. If its first message shows
 * that pictures need others (H.264), the outbox ends, and the link is native.
 *
 * Sampling is opt in; see optsample-ros1(7) for OPTSAMPLE_TOPICS.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <atomic>
#include <typeinfo>

#include <boost/make_shared.hpp>
#include <ros/connection.h>
#include <ros/header.h>
#include <ros/param.h>
#include <ros/publication.h>
#include <ros/topic_manager.h>
#include <ros/transport/transport.h>
#include <ros/transport_subscriber_link.h>

#include "guard.h"
#include "outbox.h"
#include "topics/topic_format.h"

#define NAME	"optsample-ros1"
#define CLASS	"_ZN3ros23TransportSubscriberLink"

using ros::TransportSubscriberLink;

/* Once there is a sampled link: without, not even a lock is taken. */
static std::atomic<bool> sampling;

/* --- native: what is replaced, and whether it may be --- */

struct native {
	bool (*handle_header)(TransportSubscriberLink *, const ros::Header &);
	void (*enqueue)(TransportSubscriberLink *,
			const ros::SerializedMessage &, bool, bool);
	void (*start)(TransportSubscriberLink *, bool);
	bool known;	/* it is the roscpp that this was built for */

	native()
	{
		/* this is the first argument, in every ABI that Linux has */
		resolve(handle_header, CLASS "12handleHeaderERKNS_6HeaderE");
		resolve(enqueue, CLASS
			"14enqueueMessageERKNS_17SerializedMessageEbb");
		resolve(start, CLASS "17startMessageWriteEb");
		known = guard((void *)start);
	}

	template <typename T> static void resolve(T &to, const char *symbol)
	{
		to = (T)dlsym(RTLD_NEXT, symbol);
	}
};

static const struct native &native_roscpp()
{
	static const struct native n;

	return n;
}

/* --- what the user wants --- */

struct config {
	struct rules rules;
	const char *stats;
	bool verbose;

	config() : rules(), stats(getenv("OPTSAMPLE_ROS1_STATS")),
		   verbose(getenv("OPTSAMPLE_ROS1_VERBOSE") != NULL)
	{
		const char *source = "OPTSAMPLE_TOPICS";
		const char *env = getenv(source);
		char why[RULES_WHY] = "out of memory";
		std::string text;

		if (env) {
			text = env;
		} else if (ros::param::get("~optsample/topics", text)) {
			source = "parameter ~optsample/topics";
		} else {
			source = "parameter /optsample/topics";
			ros::param::get("/optsample/topics", text);
		}
		if (rules_parse(&rules, text.c_str(), why))
			fprintf(stderr, NAME ": %s: %s: nothing is sampled\n",
				source, why);
	}
};

/* Read when the first subscriber connects: only then is there a master. */
static const struct config &configuration()
{
	static const struct config &c = *new struct config();

	return c;
}

__attribute__((format(printf, 2, 3)))
static void log_line(const struct outbox *o, const char *format, ...)
{
	char text[256];
	va_list ap;

	if (!configuration().verbose)
		return;
	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	fprintf(stderr, NAME ": %s to %s: %s\n", o->topic.c_str(),
		o->peer.c_str(), text);
}

static void report(const struct outbox *o)
{
	const struct stats *s = &o->stats;
	const char *path = configuration().stats;
	char text[256];
	int fd;

	snprintf(text, sizeof(text), "in %llu out %llu sampled %llu evicted "
		 "%llu left %zu gap %llu most %llu", (unsigned long long)s->in,
		 (unsigned long long)s->out, (unsigned long long)s->sampled,
		 (unsigned long long)s->evicted, o->queue.size(),
		 (unsigned long long)s->gap, (unsigned long long)s->most);
	log_line(o, "%s", text);
	if (!path)
		return;
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0 || dprintf(fd, "topic %s subscriber %s %s\n",
			      o->topic.c_str(), o->peer.c_str(), text) < 0)
		fprintf(stderr, NAME ": %s: %s\n", path, strerror(errno));
	if (fd >= 0)
		close(fd);
}

/* --- the link --- */

typedef std::queue<ros::SerializedMessage> native_outbox;

static struct outbox *outbox_of(const native_outbox &q)
{
	if (q.empty() || q.front().type_info != &typeid(struct outbox))
		return NULL;
	return (struct outbox *)q.front().message.get();
}

static void outbox_end(struct outbox *o)
{
	o->leave();
	report(o);
	delete o;
}

/* An outbox for a new link, empty if that is to be left alone */
static boost::shared_ptr<struct outbox>
outbox_new(const ros::Header &header, const ros::ConnectionPtr &connection)
{
	boost::shared_ptr<struct outbox> o;
	ros::PublicationPtr publication;
	const struct rule *rule;
	std::string topic, peer;
	bool stamped;
	size_t limit;

	if (!header.getValue("topic", topic) ||
	    strcmp(connection->getTransport()->getType(), "TCPROS"))
		return o;
	publication = ros::TopicManager::instance()->lookupPublication(topic);
	rule = rules_find(&configuration().rules, topic.c_str());
	if (!publication || !rule || publication->isLatched())
		return o;
	limit = rule->limit ? rule->limit : publication->getMaxQueue();
	if (!limit)
		return o;
	if (limit > OPTSAMPLE_LIMIT_MAX)
		limit = OPTSAMPLE_LIMIT_MAX;
	header.getValue("callerid", peer);
	stamped = has_header(publication->getMessageDefinition().c_str());
	o.reset(new struct outbox(topic, peer, rule, (u32)limit, stamped),
		outbox_end);
	log_line(o.get(), "policy %s limit %zu refill %u%s%s",
		 optsample_policy_name(rule->policy), limit, rule->refill,
		 o->group ? " sync " : "", o->group ? rule->sync : "");
	o->formatted =
		topic_format_has(publication->getDataType().c_str());
	if (rule->sync && !stamped)
		fprintf(stderr, NAME ": %s: no header, not in sync=%s\n",
			topic.c_str(), rule->sync);
	return o;
}

bool TransportSubscriberLink::handleHeader(const Header &header)
{
	SerializedMessage owner;

	if (native_roscpp().known) {
		boost::shared_ptr<struct outbox> o =
			outbox_new(header, connection_);

		if (o) {
			o->link = boost::weak_ptr<void>(shared_from_this());
			o->start = [this] { startMessageWrite(false); };
			owner.message = o;
			owner.type_info = &typeid(struct outbox);
			/* Nobody publishes to this link yet. */
			outbox_.push(owner);
			sampling = true;
		}
	}
	return native_roscpp().handle_header(this, header);
}

/* Why the messages of @o, of which @m is the first, are not sampled, or NULL */
static const char *why_not(const struct outbox *o,
			   const ros::SerializedMessage &m)
{
	const size_t length = 4;	/* of the message, before it */
	char format[TOPIC_FORMAT];

	if (!o->formatted || o->stats.in || m.num_bytes <= length ||
	    !topic_format_of_ros1(m.buf.get() + length, m.num_bytes - length,
				  format))
		return NULL;
	return topic_format_why(format, true);
}

void TransportSubscriberLink::enqueueMessage(const SerializedMessage &m,
					     bool ser, bool nocopy)
{
	const char *why = NULL;
	SerializedMessage owner;
	struct outbox *o = NULL;

	if (ser && sampling) {
		boost::mutex::scoped_lock lock(outbox_mutex_);

		o = outbox_of(outbox_);
		if (o)
			why = why_not(o, m);
		if (why) {
			owner = outbox_.front();
			outbox_.pop();
		} else if (o) {
			o->put(m);
		}
	}
	if (why) {
		fprintf(stderr, NAME ": %s to %s is not sampled: %s\n",
			o->topic.c_str(), o->peer.c_str(), why);
		o = NULL;	/* ends with its owner, without locks */
	}
	if (!o) {
		native_roscpp().enqueue(this, m, ser, nocopy);
		return;
	}
	startMessageWrite(false);
	o->wake();
	stats_.messages_sent_++;
	stats_.bytes_sent_ += m.num_bytes;
	stats_.message_data_sent_ += m.num_bytes;
}

void TransportSubscriberLink::startMessageWrite(bool immediate)
{
	struct outbox *o = NULL;
	SerializedMessage m;

	if (sampling) {
		boost::mutex::scoped_lock lock(outbox_mutex_);

		o = outbox_of(outbox_);
		if (o) {
			if (writing_message_ || !header_written_ ||
			    !o->take(&m))
				return;
			writing_message_ = true;
		}
	}
	if (!o) {
		native_roscpp().start(this, immediate);
		return;
	}
	/* First, for write() may be the end of this link. */
	o->wake();
	connection_->write(m.buf, (uint32_t)m.num_bytes,
			   boost::bind(&TransportSubscriberLink::
				       onMessageWritten, this,
				       boost::placeholders::_1), immediate);
}
