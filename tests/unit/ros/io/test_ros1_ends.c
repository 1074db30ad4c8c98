// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_ros1_ends - a source and a sink of ROS 1, with a master and the node of
 * somebody else
 */
#include "base/loop.h"
#include "ros/io/io.h"
#include "ros/io/sink.h"
#include "ros/io/source.h"
#include "ros/msg/message.h"
#include "heard.h"
#include "hex.h"
#include "message_golden.h"
/* a node has a struct of that name, too */
#define message node_message
#include "ros/ros1/ros1_fixture.h"
#undef message

#define TWIST "geometry_msgs/Twist"

enum { TURN_MS = 2 };

static struct server master;
static const char *publisher;	/* of all topics */
static const char *listed;	/* topics that the master lists, with TWIST */
static struct loop *loop;
static struct loop_timer turn;
static struct error error;

static xmlrpc_value *pair_of(const char *name, const char *type)
{
	return xml_build("(ss)", name, type);
}

static xmlrpc_value *on_master(struct server *s, const char *method,
			       xmlrpc_value *params)
{
	xmlrpc_value *list;

	(void)s;
	(void)params;
	if (!strcmp(method, "getPublishedTopics")) {
		list = xml_array();
		xml_append(list, pair_of("/odd", "nobody/Knows"));
		xml_append(list, pair_of("not/valid name", TWIST));
		if (listed)
			xml_append(list, pair_of(listed, TWIST));
		return list;
	}
	if (strcmp(method, "registerSubscriber"))
		return xml_build("i", 1);
	list = xml_array();
	if (publisher)
		xml_append(list, xml_build("s", publisher));
	return list;
}

static unsigned int asked(const char *method)
{
	unsigned int n = 0;

	for (const char *at = master.calls; (at = strstr(at, method)); at++)
		n++;
	return n;
}

static void on_turn(void *arg, uint64_t now)
{
	(void)arg;
	turn.due = now + TURN_MS * 1000000;
	loop_stop(loop, 0);
}

static void step(void)
{
	loop_run(loop);
	world_step();
}

#define until(condition) ({						\
	const time_t end_ = real_seconds() + GIVE_UP_S;			\
	bool is_;							\
									\
	while (!(is_ = (condition)) && real_seconds() < end_)		\
		step();							\
	is_;								\
})

static void settle(void)
{
	for (int i = 0; i < 20; i++)
		step();
}

static char spec[80];

static void begin(void)
{
	memset(&heard, 0, sizeof(heard));
	publisher = listed = NULL;
	leave = NULL;
	server_open(&master, on_master);
	snprintf(spec, sizeof(spec), "ros1:%s", master.uri);
}

static void open_source(bool finds)
{
	const struct source_config config = {
		.spec = spec, .name = "operator", .speed = 1, .rate = 1,
		.message = on_heard, .found = finds ? on_topic : NULL,
		.log = on_line,
	};

	if (source_open(&source, loop, &config, &error))
		abort();
}

/* No node answers then: one does not wait for that */
static void end(void)
{
	server_end(&master);
	source_close(source);
	source = NULL;
}

static struct ros1_pub *advertise(struct ros1 *node, enum message_kind kind)
{
	struct ros1_pub *p = NULL;

	if (ros1_advertise(node, "/t", message_type(kind, MESSAGE_ROS1),
			   message_md5(kind), "", false, 10, &p))
		abort();
	return p;
}

static unsigned int subscribers(const struct ros1_pub *p)
{
	struct ros1_pub_stats s;

	ros1_pub_stats(p, &s);
	return s.subscribers;
}

/* A twist whose first number begins with @n */
static void publish(struct ros1_pub *p, uint8_t n)
{
	uint8_t data[256];
	const size_t len = from_hex(golden[MESSAGE_TWIST][MESSAGE_ROS1], data);

	data[0] = n;
	ros1_publish(p, data, len);
}

static void test_specs(void)
{
	const struct source_config config = { .spec = "ros1:", .speed = 1,
					      .rate = 1 };
	const struct sink_config to = { .spec = "ros1", .name = "a b" };
	struct sink *s;

	ok_eq(source_open(&source, loop, &config, &error), -EINVAL,
	      "no URI of a master");
	ok(strstr(error.text, "invalid ROS master URI ''"), "%s", error.text);
	ok_eq(sink_open(&s, loop, &to, &error), -EINVAL, "a node with a space");
	ok(strstr(error.text, "node name '/a b'"), "%s", error.text);
}

static void test_found(void)
{
	begin();
	open_source(true);
	ok(until(asked("getPublishedTopics") == 1), "the master is asked");
	settle();
	ok_eq(heard.found, 0, "unknown types and invalid names are not found");
	listed = "/cmd";
	skipped += 1;
	settle();
	ok_eq(asked("getPublishedTopics"), 1, "not again within a second");
	skipped += 2;
	ok(until(heard.found), "a topic is found within two seconds more");
	ok_str(heard.topic, "/cmd", "... its name");
	ok_eq(heard.kind, MESSAGE_TWIST, "... its kind");
	skipped += 3;
	until(asked("getPublishedTopics") == 3);
	settle();
	ok_eq(heard.found, 1, "it is found once");
	ok_eq(source_subscribe(source, "/new", MESSAGE_TWIST), 0, "subscribed");
	listed = "/new";
	skipped += 3;
	until(asked("getPublishedTopics") == 4);
	settle();
	ok_eq(heard.found, 1, "a topic with a subscription is not found");
	end();
	begin();
	open_source(false);
	settle();
	ok_eq(asked("getPublishedTopics"), 0, "no list for who wants none");
	end();
}

static void test_messages(int kind)
{
	struct ros1 *node;
	struct ros1_pub *p;
	uint8_t want[256];
	size_t len = from_hex(golden[MESSAGE_TWIST][MESSAGE_ROS1], want);

	begin();
	node = node_new("/robot", master.uri, 0);
	p = advertise(node, MESSAGE_TWIST);
	publisher = node->uri;
	open_source(false);
	ok_eq(source_subscribe(source, "/t", kind), 0, "kind %d: subscribed",
	      kind);
	ok_eq(source_subscribe(source, "/t", kind), -EEXIST, "... once");
	ok(until(subscribers(p) == 1), "... at the publisher");
	want[0] = 9;
	publish(p, 9);
	ok(until(heard.got), "a message");
	ok_eq(heard.len, len, "... its length");
	ok_mem(heard.data, want, len, "... its bytes");
	ok_eq(heard.format, MESSAGE_ROS1, "... its format");
	ok_eq(heard.kind, MESSAGE_TWIST, "... its kind");
	ok_str(heard.topic, "/t", "... its topic");
	leave = "/t";
	publish(p, 1);
	publish(p, 2);
	until(heard.got == 2);
	ok(until(!subscribers(p)), "its callback unsubscribed");
	ok_eq(heard.got, 2, "... and gets no more");
	leave = NULL;
	ok_eq(source_subscribe(source, "/t", kind), 0, "subscribed again");
	until(subscribers(p) == 1);
	source_unsubscribe(source, "/t");
	ok_eq(source_subscribe(source, "/t", kind), 0,
	      "... in the same turn as it unsubscribed");
	settle();
	publish(p, 3);
	ok(until(heard.got == 3), "... and gets messages");
	source_unsubscribe(source, "/none");
	end();
	node_end(node);
}

/* A publisher of another type than the first one */
static void test_other_kind(void)
{
	struct ros1 *node;
	struct ros1_pub *p;

	begin();
	node = node_new("/robot", master.uri, 0);
	p = advertise(node, MESSAGE_POLYGON);
	publisher = node->uri;
	open_source(false);
	source_subscribe(source, "/t", -1);
	until(subscribers(p) == 1);
	publish(p, 1);
	publish(p, 1);
	ok(until(heard.lines), "another kind is logged");
	settle();
	ok_str(heard.line, "/t ignored: geometry_msgs/PolygonStamped",
	       "... with its type");
	ok_eq(heard.lines, 1, "... once");
	ok_eq(heard.got, 0, "... and not delivered");
	end();
	node_end(node);
}

/*
 * A sink
 */

static unsigned int others_got;
static char others_type[64];
static size_t others_len;
static bool others_latching;
static uint8_t others_data[4096];

static void on_other(void *arg, const void *bytes, size_t len,
		     const struct ros1_publisher *from)
{
	(void)arg;
	others_got++;
	others_len = len;
	others_latching = from->latching;
	memcpy(others_data, bytes, len);
	snprintf(others_type, sizeof(others_type), "%s %s", from->callerid,
		 from->type);
}

/* The URI of the node that registered a topic, from the master's notes */
static const char *publisher_of(const char *topic)
{
	static char uri[64];
	char line[300];
	const char *at;

	snprintf(line, sizeof(line), "registerPublisher /robot %s ", topic);
	at = strstr(master.calls, line);
	at = at ? strstr(at, "http://") : NULL;
	snprintf(uri, sizeof(uri), "%.*s", at ? (int)strcspn(at, "\n") : 0, at);
	return uri;
}

static void test_sink(bool latched)
{
	const char *how = latched ? "latched" : "not latched";
	struct sink_config config = { .spec = spec, .name = "robot",
				      .log = on_line };
	uint8_t cdr[256], want[256];
	const size_t len = from_hex(golden[MESSAGE_TWIST][MESSAGE_ROS1], want);
	const size_t from = from_hex(golden[MESSAGE_TWIST][MESSAGE_CDR], cdr);
	struct sink_topic *t, *bad;
	struct ros1_sub *sub;
	struct ros1 *node;
	union message msg;
	struct sink *s;

	begin();
	others_got = 0;
	ok_eq(sink_open(&s, loop, &config, &error), 0, "%s: a sink", how);
	ok_eq(sink_add(s, "/t", MESSAGE_TWIST, latched, &t), 0, "a topic");
	ok(until(*publisher_of("/t")), "it is registered");
	publisher = publisher_of("/t");
	open_source(false);
	source_subscribe(source, "/t", MESSAGE_TWIST);
	settle();
	message_read(MESSAGE_TWIST, MESSAGE_CDR, cdr, from, &msg);
	ok_eq(sink_publish(t, 0, &msg), 0, "published");
	settle();
	ok_eq(heard.got, 0, "a source of the same process does not get it");
	node = node_new("/other", master.uri, 0);
	ros1_subscribe(node, "/t", "*", "*", ROS1_TCP, on_other, NULL, &sub);
	if (!latched) {
		settle();
		ok_eq(others_got, 0, "a late subscriber gets nothing");
		sink_publish(t, 0, &msg);
	}
	ok(until(others_got), "a subscriber gets it");
	ok_eq(others_len, len, "... its length");
	ok_mem(others_data, want, len, "... its bytes");
	ok_str(others_type, "/robot " TWIST, "... by which node, and its type");
	ok_eq(others_latching, latched, "... whether it is latched");
	ok_eq(sink_add(s, "/d", MESSAGE_DIAGNOSTICS, false, &bad), 0,
	      "a topic of diagnostics");
	memset(&msg, 0, sizeof(msg));
	msg.diagnostics.statuses = MESSAGE_STATUSES + 1;
	ok_eq(sink_publish(bad, 0, &msg), -E2BIG, "too long a message");
	ok_eq(heard.lines, 1, "... is logged");
	sink_publish(bad, 0, &msg);
	ok_eq(heard.lines, 1, "... once");
	sink_remove(t);
	ok(until(asked("unregisterPublisher /robot /t")),
	   "a topic that is removed is not registered any more");
	end();
	sink_close(s);
	node_end(node);
}

int main(void)
{
	setenv("ROS_HOSTNAME", "127.0.0.1", 1);
	loop = loop_create();
	turn.expired = on_turn;
	loop_add_timer(loop, &turn);
	test_specs();
	test_found();
	test_messages(MESSAGE_TWIST);
	test_messages(-1);
	test_other_kind();
	test_sink(false);
	test_sink(true);
	loop_remove_timer(loop, &turn);
	loop_destroy(loop);
	return tap_done();
}
