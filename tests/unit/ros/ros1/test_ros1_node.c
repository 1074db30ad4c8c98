// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_ros1_node - ROS 1 nodes with a master and with each other: registration,
 * messages by TCPROS and UDPROS, queues, and what must not be believed
 */
#include "ros1_fixture.h"

#define TYPE	"std_msgs/String"
#define MD5	"992ce8a1687cec8c8bd883ec73ca41d1"

/*
 * A master that answers as set here
 */

static struct server master;
static int master_pid;
static char publisher[2][64];	/* URIs of publishers of all topics */
static const char *other_uri;	/* of lookupNode; NULL: that of the caller */
static bool refuses;

static xmlrpc_value *on_master(struct server *s, const char *method,
			       xmlrpc_value *params)
{
	xmlrpc_value *list;

	(void)s;
	if (!strcmp(method, "getPid"))
		return xml_build("i", master_pid);
	if (refuses)
		return NULL;
	if (!strcmp(method, "lookupNode")) {
		char *name = xml_string(params, 0);
		xmlrpc_value *v = NULL;

		for (int i = 0; i < NODES; i++)
			if (nodes[i] && !strcmp(nodes[i]->name, name))
				v = xml_build("s", other_uri ? other_uri :
					      nodes[i]->uri);
		free(name);
		return v;
	}
	if (strcmp(method, "registerSubscriber"))
		return xml_build("i", 1);
	list = xml_array();
	for (int i = 0; i < 2; i++)
		if (*publisher[i])
			xml_append(list, xml_build("s", publisher[i]));
	return list;
}

static void open_master(void)
{
	server_open(&master, on_master);
	master_pid = 77;
	refuses = false;
	other_uri = NULL;
	memset(publisher, 0, sizeof(publisher));
	*log_text = *shutdown_why = 0;
}

/* How often the master was asked so */
static unsigned int asked(const char *line)
{
	unsigned int n = 0;

	for (const char *at = master.calls; (at = strstr(at, line)); at++)
		n++;
	return n;
}

/*
 * Messages
 */

static unsigned int got;
static size_t got_len;
static char got_text[64], got_who[400];

static void on_message(void *arg, const void *bytes, size_t len,
		       const struct ros1_publisher *from)
{
	(void)arg;
	got++;
	got_len = len;
	snprintf(got_text, sizeof(got_text), "%.*s",
		 len < 63 ? (int)len : 63, (const char *)bytes);
	snprintf(got_who, sizeof(got_who), "%s %s %s %s %d %d", from->callerid,
		 from->type, from->md5, from->definition, from->latching,
		 from->udp);
}

static struct ros1_pub_stats stats_of(const struct ros1_pub *p)
{
	struct ros1_pub_stats s;

	ros1_pub_stats(p, &s);
	return s;
}

static struct ros1_sub_stats sub_stats_of(const struct ros1_sub *p)
{
	struct ros1_sub_stats s;

	ros1_sub_stats(p, &s);
	return s;
}

static struct ros1_pub *advertise(struct ros1 *r, bool latching,
				  unsigned int queue)
{
	struct ros1_pub *p = NULL;

	if (ros1_advertise(r, "/t", TYPE, MD5, "string data\n", latching, queue,
			   &p))
		abort();
	return p;
}

static struct ros1_sub *subscribe(struct ros1 *r, enum ros1_transport how)
{
	struct ros1_sub *s = NULL;

	if (ros1_subscribe(r, "/t", TYPE, MD5, how, on_message, NULL, &s))
		abort();
	got = 0;
	return s;
}

/*
 * The master
 */

static void test_create(void)
{
	struct ros1_config c = { .node = "name", .master = "http://a:1" };
	struct ros1 *r;

	ok_eq(ros1_create(&r, &c), -EINVAL, "a name without a slash");
	c.node = "/a b";
	ok_eq(ros1_create(&r, &c), -EINVAL, "with a space");
	c.node = "/";
	ok_eq(ros1_create(&r, &c), -EINVAL, "none");
	c.node = "/a";
	c.host = "";
	ok_eq(ros1_create(&r, &c), -EINVAL, "no host");
	c.host = "127.0.0.1";
	c.master = "http:/a";
	ok_eq(ros1_create(&r, &c), -EINVAL, "no master");
	c.master = NULL;
	setenv("ROS_MASTER_URI", "http://127.0.0.1:1234", 1);
	ok_eq(ros1_create(&r, &c), 0, "the usual one");
	ok_eq(r->master.uri.port, 1234, "is that of the environment");
	ros1_destroy(r);
	ros1_destroy(NULL);
}

static void test_register(void)
{
	struct ros1 *r;
	struct ros1_pub *p;
	struct ros1_sub *s;
	char line[400];

	open_master();
	r = node_new("/a", master.uri, 0);
	p = advertise(r, false, 5);
	s = subscribe(r, ROS1_TCP);
	ok_eq(ros1_advertise(r, "/t", TYPE, MD5, "", false, 5, &p), -EEXIST,
	      "a topic once");
	ok_eq(ros1_advertise(r, "t", TYPE, MD5, "", false, 5, &p), -EINVAL,
	      "no topic");
	ok_eq(ros1_advertise(r, "/u", "", MD5, "", false, 5, &p), -EINVAL,
	      "no type");
	ok_eq(ros1_advertise(r, "/u", TYPE, MD5, "", false, 0, &p), -EINVAL,
	      "no queue");
	ok_eq(ros1_advertise(r, "/u", TYPE, MD5, "", false, 65537, &p),
	      -EINVAL, "a queue that is too long");
	ok(world_until(asked("registerSubscriber") == 1), "it registers");
	snprintf(line, sizeof(line), "registerPublisher /a /t " TYPE " %s\n",
		 r->uri);
	ok_eq(asked(line), 1, "what it publishes");
	snprintf(line, sizeof(line), "registerSubscriber /a /t " TYPE " %s\n",
		 r->uri);
	ok_eq(asked(line), 1, "and subscribes");
	/* a check every 5 s */
	world_settle();
	ok_eq(asked("getPid /a\n"), 1, "it has asked which master it is");
	skipped += 5;
	ok(world_until(asked("lookupNode /a /a\n") == 1), "it asks again");
	ok_eq(asked("getPid /a\n"), 2, "which");
	world_settle();
	ok_eq(asked("registerPublisher"), 1, "and stays registered");
	/* a restarted master */
	*log_text = 0;
	master_pid = 78;
	skipped += 5;
	ok(world_until(asked("registerSubscriber") == 2), "a new one");
	ok_eq(asked("registerPublisher"), 2, "gets all registrations");
	ok(logged("was restarted: registering again"), "which is logged");
	/* one with the same process id */
	refuses = true;
	skipped += 5;
	ok(world_until(asked("registerSubscriber") == 3),
	   "one that does not know the node, too");
	ok(logged("/t: rejected by the ROS master: refused"),
	   "a refusal is logged");
	refuses = false;
	master_pid = 79;
	skipped += 5;
	ok(world_until(asked("registerSubscriber") == 4), "until it is better");
	other_uri = "http://other:1/";
	skipped += 5;
	ok(world_until(*shutdown_why), "another node of the name");
	ok_str(shutdown_why, "another node registered with the same name",
	       "says so");
	other_uri = NULL;
	ros1_unsubscribe(s);
	ok(world_until(asked("unregisterSubscriber") == 1), "it unregisters");
	snprintf(line, sizeof(line), "unregisterSubscriber /a /t %s\n", r->uri);
	ok_eq(asked(line), 1, "with its URI");
	server_end(&master);
	node_end(r);
}

static void test_no_master(void)
{
	struct ros1 *r;
	char uri[64];

	open_master();
	strcpy(uri, master.uri);
	server_end(&master);
	r = node_new("/a", uri, 0);
	advertise(r, false, 5);
	ok(world_until(strstr(log_text, "does not answer")), "no master");
	ok(logged("<4>the ROS master at http://127.0.0.1:"), "is a warning");
	skipped += 1;
	world_settle();
	skipped += 2;
	world_settle();
	ok_str(log_text, "", "once");
	node_end(r);
	/* one that answers nonsense, and then does not */
	open_master();
	master.broken = "HTTP/1.0 500 Error\r\nContent-Length: 0\r\n\r\n";
	r = node_new("/a", master.uri, 0);
	advertise(r, false, 5);
	ok(world_until(strstr(log_text, "invalid XML-RPC answer")), "nonsense");
	*log_text = 0;
	master.broken = NULL;
	skipped += 1;
	ok(world_until(asked("registerPublisher") == 1), "and sense later");
	ok(logged("<6>the ROS master at http://127.0.0.1:"), "is a message");
	server_end(&master);
	node_end(r);
}

/*
 * Two nodes
 */

static void test_tcp(void)
{
	static char large[300000];
	struct ros1 *a, *b;
	struct ros1_pub *p;
	struct ros1_sub *s;

	open_master();
	a = node_new("/a", master.uri, 400000);
	p = advertise(a, false, 5);
	ok(world_until(asked("registerPublisher") == 1), "a publisher");
	ok_eq(ros1_publish(p, "none", 4), 0, "without a subscriber");
	ok_eq(stats_of(p).messages, 1, "counts");
	strcpy(publisher[0], a->uri);
	b = node_new("/b", master.uri, 0);
	s = subscribe(b, ROS1_TCP);
	ok(world_until(stats_of(p).subscribers == 1), "a subscriber");
	ok(world_until(sub_stats_of(s).publishers == 1), "knows it");
	ok_eq(ros1_publish(p, "hello", 5), 0, "a message");
	ok(world_until(got == 1), "arrives");
	ok_str(got_text, "hello", "as it is");
	ok_str(got_who, "/a " TYPE " " MD5 " string data\n 0 0",
	       "with who has sent it");
	memset(large, 'x', sizeof(large));
	ok_eq(ros1_publish(p, large, sizeof(large)), 0, "a large one");
	ok(world_until(got == 2), "arrives");
	ok_eq(got_len, sizeof(large), "whole");
	ok_eq(ros1_publish(p, "", 0), 0, "an empty one");
	ok(world_until(got == 3), "arrives, too");
	ok_eq(got_len, 0, "empty");
	ok_eq(ros1_publish(p, large, 400001), -EMSGSIZE, "one too large");
	ok_eq(stats_of(p).refused, 1, "is refused");
	ok_eq(stats_of(p).messages, 4, "and is none");
	ok_eq(stats_of(p).bytes, 4 + 5 + 300000, "bytes are counted");
	ok_eq(sub_stats_of(s).messages, 3, "on both sides");
	ok_eq(sub_stats_of(s).bytes, 5 + 300000, "those that arrive");
	ok_eq(stats_of(p).dropped, 0, "nothing is lost");
	/* the publisher goes, and comes back */
	*log_text = 0;
	ros1_unadvertise(p);
	ok(world_until(sub_stats_of(s).publishers == 0), "it goes");
	ok(logged("/t: lost http://127.0.0.1:"), "which is logged");
	p = advertise(a, true, 5);
	ros1_publish(p, "latched", 7);
	skipped += 1;
	ok(world_until(got == 4), "it comes back, with its last message");
	ok_str(got_text, "latched", "which is this");
	ok(strstr(got_who, " 1 0") != NULL, "and is known to be latched");
	ok(logged("/t: reconnected to http://127.0.0.1:"), "logged, too");
	ros1_unsubscribe(s);
	ok(world_until(stats_of(p).subscribers == 0), "the subscriber goes");
	server_end(&master);
	node_end(b);
	node_end(a);
}

static void test_udp(void)
{
	static char large[200000];
	struct ros1 *a, *b;
	struct ros1_pub *p;
	struct ros1_sub *s;

	open_master();
	a = node_new("/a", master.uri, 0);
	p = advertise(a, true, 5);
	ros1_publish(p, "latched", 7);
	strcpy(publisher[0], a->uri);
	ok(world_until(asked("registerPublisher") == 1), "a publisher");
	b = node_new("/b", master.uri, 0);
	s = subscribe(b, ROS1_UDP);
	ok(world_until(got == 1), "a subscriber by UDPROS gets what is latched");
	ok_str(got_text, "latched", "as it is");
	ok_str(got_who, "/a " TYPE " " MD5 " string data\n 1 1",
	       "with who has sent it");
	/* more datagrams than are sent at once */
	for (int i = 0; i < 200000; i++)
		large[i] = i;
	ok_eq(ros1_publish(p, large, sizeof(large)), 0, "a large message");
	ok(world_until(got == 2), "arrives, in many datagrams");
	ok_eq(got_len, sizeof(large), "whole");
	for (int i = 0; i < 3; i++)
		ros1_publish(p, large, 100000);
	ok(world_until(got == 5), "as do those that had to wait");
	ok_eq(stats_of(p).dropped, 0, "none is dropped");
	ok_eq(sub_stats_of(s).incomplete, 0, "nor incomplete");
	ok_eq(stats_of(p).subscribers, 1, "to one subscriber");
	/* a silent publisher is asked whether it lives */
	skipped += 11;
	world_settle();
	skipped += 11;
	world_settle();
	ok_eq(sub_stats_of(s).publishers, 1, "one that answers lives");
	ros1_unsubscribe(s);
	ros1_publish(p, "a", 1);
	ros1_publish(p, "b", 1);
	ok(world_until(stats_of(p).subscribers == 0),
	   "one that is gone is noticed");
	server_end(&master);
	node_end(b);
	node_end(a);
}

static void test_mismatch(void)
{
	struct ros1 *a, *b;
	struct ros1_pub *p = NULL;
	struct ros1_sub *s;

	open_master();
	a = node_new("/a", master.uri, 0);
	ros1_advertise(a, "/t", "std_msgs/Int8", "27ffa0c9c4b8fb8492252bcad9e5c57"
		       "b", "int8 data\n", false, 5, &p);
	strcpy(publisher[0], a->uri);
	ok(world_until(asked("registerPublisher") == 1), "another type");
	b = node_new("/b", master.uri, 0);
	s = subscribe(b, ROS1_TCP);
	ok(world_until(strstr(log_text, "/t: publisher http")), "is refused");
	ok(strstr(log_text, "/t: subscriber /b rejected: type mismatch: wants "
		  TYPE " (md5 " MD5 "), published is std_msgs/Int8") != NULL,
	   "by the publisher");
	ok(logged("rejected: type mismatch: wants"), "and the subscriber");
	ok_eq(sub_stats_of(s).publishers, 0, "there is none");
	skipped += 60;
	world_settle();
	ok_str(log_text, "", "it is not tried again");
	ros1_unsubscribe(s);
	/* any type */
	ros1_subscribe(b, "/t", "*", "*", ROS1_TCP, on_message, NULL, &s);
	got = 0;
	ok(world_until(stats_of(p).subscribers == 1), "who takes any");
	ros1_publish(p, "x", 1);
	ok(world_until(got == 1), "gets it");
	server_end(&master);
	node_end(b);
	node_end(a);
}

/*
 * A subscriber that is not a node
 */

static const char *const good[] = {
	"callerid", "/raw", "md5sum", MD5, "topic", "/t", "type", TYPE, NULL
};

static int raw_subscriber(struct ros1 *r, const char *const *pairs)
{
	struct bytes h = header_of(pairs);
	const int fd = tcp_to(r->tcpros.port);

	if (send(fd, h.data, h.len, 0) != (ssize_t)h.len)
		abort();
	bytes_free(&h);
	return fd;
}

/* Whether the connection ends, after an error header with that text */
static bool is_rejected(int fd, const char *why)
{
	struct bytes b = { 0 };
	bool open, is;

	world_until(!(open = tcp_read(fd, &b)));
	bytes_append(&b, "", 1);
	is = !open && (why ? b.len > 8 && memmem(b.data, b.len, why,
						 strlen(why)) : b.len == 1);
	if (!is)
		printf("# '%s'\n", b.len > 8 ? (char *)b.data + 8 : "");
	bytes_free(&b);
	close(fd);
	return is;
}

static void test_greetings(void)
{
	static const char *const no_topic[] = {
		"callerid", "/raw", "md5sum", MD5, "topic", "/none", NULL };
	static const char *const other_md5[] = {
		"callerid", "/raw", "md5sum", "0", "topic", "/t", NULL };
	/* 4 and "x=" */
	static char long_text[65536 - 4 - 2 + 1];
	static const char *const longest[] = { "x", long_text, NULL };
	struct ros1 *a;
	struct ros1_pub *p;
	struct bytes b = { 0 };
	int fd, first;

	open_master();
	a = node_new("/a", master.uri, 0);
	p = advertise(a, false, 5);
	fd = raw_subscriber(a, no_topic);
	ok(is_rejected(fd, "error=topic not published by this node"),
	   "another topic");
	fd = raw_subscriber(a, other_md5);
	ok(is_rejected(fd, "error=type mismatch"), "another type");
	fd = tcp_to(a->tcpros.port);
	send(fd, "\4\0\0\0\xff\xff\xff\xff", 8, 0);
	ok(is_rejected(fd, "error=malformed connection header"), "nonsense");
	memset(long_text, 'x', sizeof(long_text) - 1);
	b = header_of(longest);
	ok_eq(b.len, 4 + 65536, "a header of 64 kB");
	bytes_free(&b);
	fd = raw_subscriber(a, longest);
	ok(is_rejected(fd, "error=topic not published"), "is read");
	fd = tcp_to(a->tcpros.port);
	send(fd, "\1\0\1\0", 4, 0);
	ok(is_rejected(fd, NULL), "a header that is too long");
	fd = tcp_to(a->tcpros.port);
	world_settle();
	skipped += 6;
	ok(is_rejected(fd, NULL), "none within 5 s");
	fd = raw_subscriber(a, good);
	ok(world_until(stats_of(p).subscribers == 1), "a good one");
	ok(world_until(tcp_read(fd, &b) && b.len > 4), "is answered");
	ok_eq(get_le32(b.data), b.len - 4, "with a header");
	ok(memmem(b.data, b.len, "callerid=/a", 11) != NULL, "of the node");
	ok(memmem(b.data, b.len, "latching=0", 10) != NULL, "and its topic");
	skipped += 100;
	world_settle();
	ok_eq(stats_of(p).subscribers, 1, "and stays, without a word");
	close(fd);
	ok(world_until(stats_of(p).subscribers == 0), "until it goes");
	bytes_free(&b);
	/* those that send no header are few */
	first = tcp_to(a->tcpros.port);
	world_settle();
	for (int i = 0; i < STRANGERS_MAX; i++) {
		fd = tcp_to(a->tcpros.port);
		world_step();
		world_step();
		if (i == STRANGERS_MAX - 2)
			ok(tcp_read(first, &b), "as many as may wait");
		if (i < STRANGERS_MAX - 1)
			dup2(fd, 900 + i);
		close(fd);
	}
	ok(is_rejected(first, NULL), "one more, and the oldest goes");
	for (int i = 0; i < STRANGERS_MAX - 1; i++)
		close(900 + i);
	bytes_free(&b);
	server_end(&master);
	node_end(a);
}

enum { BIG = 400000 };

/* Numbers of the messages in a stream, as text */
static const char *numbers(const struct bytes *b, size_t at)
{
	static char text[256];
	size_t used = 0;

	*text = 0;
	while (at + 8 <= b->len && used < 200) {
		const uint32_t len = get_le32(b->data + at);

		if (at + 4 + len > b->len)
			break;
		used += snprintf(text + used, sizeof(text) - used, "%u ",
				 get_le32(b->data + at + 4));
		at += 4 + len;
	}
	return text;
}

/* A subscriber that does not read: its queue drops the oldest */
static void test_queue(void)
{
	static uint8_t message[BIG];
	struct ros1 *a;
	struct ros1_pub *p;
	struct bytes b = { 0 };
	unsigned int n = 0;
	char want[64], *last;
	size_t head;
	int fd;

	open_master();
	a = node_new("/a", master.uri, 0);
	p = advertise(a, false, 3);
	fd = raw_subscriber(a, good);
	ok(world_until(tcp_read(fd, &b) && b.len > 4), "a slow subscriber");
	head = b.len;
	while (!stats_of(p).dropped && n < 200) {
		put_le32(message, n++);
		ros1_publish(p, message, BIG);
	}
	ok_range(n, 5, 199, "%u messages until one is dropped", n);
	for (int i = 0; i < 10; i++) {
		put_le32(message, n++);
		ros1_publish(p, message, BIG);
	}
	ok_eq(stats_of(p).dropped, 11, "each later one drops one");
	ok(world_until(tcp_read(fd, &b) &&
		       b.len == head + (n - 11) * (BIG + 4ULL)),
	   "all others arrive, and whole");
	snprintf(want, sizeof(want), "%u %u %u ", n - 3, n - 2, n - 1);
	last = (char *)numbers(&b, head);
	ok_str(last + strlen(last) - strlen(want), want, "the latest are last");
	ok_eq(strncmp(last, "0 1 2 ", 6), 0, "the first ones first");
	put_le32(message, n);
	ros1_publish(p, message, 4);
	ok(world_until(tcp_read(fd, &b) &&
		       b.len == head + (n - 11) * (BIG + 4ULL) + 8),
	   "then it is up to date again");
	/* one that goes while much waits for it */
	for (int i = 0; i < 20; i++)
		ros1_publish(p, message, BIG);
	close(fd);
	ok(world_until(stats_of(p).subscribers == 0), "until it goes");
	bytes_free(&b);
	server_end(&master);
	node_end(a);
}

int main(void)
{
	test_create();
	test_register();
	test_no_master();
	test_tcp();
	test_udp();
	test_mismatch();
	test_greetings();
	test_queue();
	return tap_done();
}
