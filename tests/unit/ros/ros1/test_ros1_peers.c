// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_ros1_peers - a ROS 1 node and others that are no nodes of ours: requests
 * to its slave API, and publishers that refuse, lie, stall, or vanish
 */
#include <netdb.h>
#include "ros1_fixture.h"

#define TYPE	"std_msgs/String"
#define MD5	"992ce8a1687cec8c8bd883ec73ca41d1"

static struct server master, peer;
static struct ros1 *node;
static struct ros1_pub *pub;
static struct ros1_sub *sub;

static xmlrpc_value *on_master(struct server *s, const char *method,
			       xmlrpc_value *params)
{
	(void)s;
	(void)params;
	if (!strcmp(method, "registerSubscriber"))
		return xml_array();
	return xml_build("i", 1);
}

static unsigned int got;
static char got_text[64];

static void on_message(void *arg, const void *bytes, size_t len,
		       const struct ros1_publisher *from)
{
	(void)arg;
	(void)from;
	got++;
	snprintf(got_text, sizeof(got_text), "%.*s", len < 63 ? (int)len : 63,
		 (const char *)bytes);
}

static void open_node(enum ros1_transport transport)
{
	server_open(&master, on_master);
	*log_text = *shutdown_why = 0;
	got = 0;
	node = node_new("/a", master.uri, 1000);
	if (ros1_advertise(node, "/out", TYPE, MD5, "string data\n", true, 5,
			   &pub) ||
	    ros1_subscribe(node, "/in", TYPE, MD5, transport, on_message, NULL,
			   &sub))
		abort();
	world_until(strstr(master.calls, "registerSubscriber"));
	world_settle();
}

static void close_node(void)
{
	server_end(&master);
	node_end(node);
}

static struct ros1_sub_stats stats(void)
{
	struct ros1_sub_stats s;

	ros1_sub_stats(sub, &s);
	return s;
}

/*
 * Requests to the slave API
 */

/* The XML of the answer; @len: of the request */
static const char *request_text(const char *text, size_t len)
{
	static struct bytes out;

	out.len = 0;
	if (slave_answer(node, text, len, &out))
		return "no answer";
	bytes_append(&out, "", 1);
	return (char *)out.data;
}

/* [code, words, value]; the caller puts it */
static xmlrpc_value *request(const char *method, xmlrpc_value *params)
{
	struct bytes call = { 0 };
	xmlrpc_value *answer = NULL;
	const char *text;

	xml_write_call(&call, method, params);
	text = request_text((char *)call.data, call.len);
	if (xml_parse_answer(text, strlen(text), &answer))
		answer = NULL;
	bytes_free(&call);
	return answer;
}

static int code_of(xmlrpc_value *answer)
{
	const int code = xml_int(answer, 0, -99);

	xml_put(answer);
	return code;
}

/* Whether the answer has that code and words; puts it */
static void has_words(xmlrpc_value *answer, int code, const char *words)
{
	char *text = xml_string(answer, 1);

	ok_eq(xml_int(answer, 0, -99), code, "code %d", code);
	ok_str(text, words, "with its words");
	free(text);
	xml_put(answer);
}

/* String @k of item @i of the answer's value; puts it */
static void has_string(xmlrpc_value *answer, int i, int k, const char *want,
		       const char *what)
{
	xmlrpc_value *list = xml_item(answer, 2);
	xmlrpc_value *item = i < 0 ? NULL : xml_item(list, i);
	char *text = i < 0 ? xml_string(answer, 2) : xml_string(item, k);

	ok_str(text, want, "%s", what);
	free(text);
	xml_put(item);
	xml_put(list);
	xml_put(answer);
}

static void test_slave_facts(void)
{
	static const char none[] =
		"<?xml version=\"1.0\"?><methodCall><methodName>none"
		"</methodName><params></params></methodCall>";
	xmlrpc_value *answer;

	open_node(ROS1_TCP);
	answer = request("getPid", xml_build("(s)", "/x"));
	ok_eq(xml_int(answer, 2, 0), getpid(), "its process");
	xml_put(answer);
	has_string(request("getName", xml_build("(s)", "/x")), -1, 0, "/a",
		   "its name");
	has_string(request("getMasterUri", xml_build("(s)", "/x")), -1, 0,
		   master.uri, "its master");
	has_string(request("getPublications", xml_build("(s)", "/x")), 0, 0,
		   "/out", "what it publishes");
	has_string(request("getSubscriptions", xml_build("(s)", "/x")), 0, 1,
		   TYPE, "the type of what it subscribes");
	ok_eq(code_of(request("paramUpdate", xml_build("(sss)", "/x", "k",
						       "v"))), 1,
	      "a parameter");
	has_words(request("getPid", xml_array()), -1, "too few parameters");
	has_words(request("requestTopic", xml_build("(ss)", "/x", "/out")), -1,
		  "too few parameters");
	ok_eq(code_of(request("getBusInfo", xml_build("(ss)", "/x", "more"))),
	      1, "more parameters than needed");
	ok(strstr(request_text(none, strlen(none)), "no such method") != NULL,
	   "another method is a fault");
	ok_str(request_text("nonsense", 8), "no answer", "nonsense");
	ok_eq(code_of(request("shutdown", xml_build("(ss)", "/x", "a\nb"))), 1,
	      "a request to shut down");
	ok_str(shutdown_why, "a?b", "is passed on, as one line");
	ok(logged("asked to shut down: a?b"), "and logged");
	close_node();
}

static void test_request_topic(void)
{
	xmlrpc_value *answer, *value;
	char *text;

	open_node(ROS1_TCP);
	answer = request("requestTopic", xml_build("(ss((s)(s)))", "/x", "/out",
						   "NONE", "TCPROS"));
	ok_eq(xml_int(answer, 0, -1), 1, "a topic by TCPROS");
	value = xml_item(answer, 2);
	text = xml_string(value, 0);
	ok_str(text, "TCPROS", "though it is the second choice");
	free(text);
	text = xml_string(value, 1);
	ok_str(text, "127.0.0.1", "at our host");
	free(text);
	ok_eq(xml_int(value, 2, 0), node->tcpros.port, "and port");
	xml_put(value);
	xml_put(answer);
	has_words(request("requestTopic", xml_build("(ss((s)))", "/x", "/out",
						    "NONE")), 0,
		  "no common protocol");
	has_words(request("requestTopic", xml_build("(ss())", "/x", "/out")), 0,
		  "no common protocol");
	has_words(request("requestTopic", xml_build("(ss((s)))", "/x", "/none",
						    "TCPROS")), 0,
		  "topic not published by this node");
	has_words(request("requestTopic", xml_build("(sis)", "/x", 5, "x")), 0,
		  "topic not published by this node");
	has_words(request("publisherUpdate", xml_build("(ss())", "/x",
						       "/none")), 0,
		  "topic not subscribed by this node");
	has_words(request("publisherUpdate", xml_build("(sss)", "/x", "/in",
						       "x")), 0,
		  "topic not subscribed by this node");
	close_node();
}

/* requestTopic by UDPROS; consumes @h */
static xmlrpc_value *request_udp(struct bytes *h, const char *host, int port,
				 int datagram)
{
	xmlrpc_value *answer = request("requestTopic", xml_build(
			"(ss((s6sii)))", "/x", "/out", "UDPROS", h->data + 4,
			h->len - 4, host, port, datagram));

	bytes_free(h);
	return answer;
}

/* The only connection is this one */
static void has_bus_info(const char *direction, const char *transport,
			 const char *topic, const char *who, const char *text)
{
	xmlrpc_value *answer = request("getBusInfo", xml_build("(s)", "/y"));
	xmlrpc_value *list = xml_item(answer, 2), *item = xml_item(list, 0);
	char *words[6];

	ok_eq(xml_size(list), 1, "one connection");
	for (int i = 1; i < 5; i++)
		words[i] = xml_string(item, i);
	ok_str(words[1], who, "of that peer");
	ok_str(words[2], direction, "in which direction");
	ok_str(words[3], transport, "by what");
	ok_str(words[4], topic, "of which topic");
	words[5] = xml_string(item, 6);
	ok(words[5], "%s", words[5]);
	ok(!strncmp(words[5], text, strlen(text)), "%s", words[5]);
	for (int i = 1; i < 6; i++)
		free(words[i]);
	xml_put(item);
	xml_put(list);
	xml_put(answer);
}

/* Of getBusStats: publications (0) or subscriptions (1) of one connection */
static void has_numbers(xmlrpc_value *stats_of_all, int which,
			const char *topic, int messages, int bytes)
{
	xmlrpc_value *list = xml_item(stats_of_all, which);
	xmlrpc_value *first = xml_item(list, 0);
	xmlrpc_value *conns = xml_item(first, which ? 1 : 2);
	xmlrpc_value *conn = xml_item(conns, 0);
	char *name = xml_string(first, 0);

	ok_str(name, topic, "a topic");
	if (!which)
		ok_eq(xml_int(first, 1, -1), bytes, "with its bytes");
	ok_eq(xml_size(conns), 1, "of one connection");
	ok_eq(xml_int(conn, 1, -1), bytes, "with bytes");
	ok_eq(xml_int(conn, which ? 2 : 3, -1), messages, "and messages");
	free(name);
	xml_put(conn);
	xml_put(conns);
	xml_put(first);
	xml_put(list);
}

static void test_request_udp(void)
{
	static const char *const good[] = {
		"callerid", "/x", "md5sum", MD5, "topic", "/out", "type", TYPE,
		NULL };
	static const char *const bad[] = {
		"callerid", "/x", "md5sum", "0", "topic", "/out", "type", "t",
		NULL };
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const int fd = socket(AF_INET, SOCK_DGRAM, 0);
	socklen_t len = sizeof(at);
	struct ros1_pub_stats s;
	xmlrpc_value *answer, *value;
	struct bytes h;
	uint8_t p[2000];
	ssize_t n;
	int id, port;

	bind(fd, (struct sockaddr *)&at, sizeof(at));
	getsockname(fd, (struct sockaddr *)&at, &len);
	port = ntohs(at.sin_port);
	open_node(ROS1_TCP);
	ros1_publish(pub, "latched", 7);
	h = header_of(bad);
	answer = request_udp(&h, "127.0.0.1", port, 1000);
	ok_eq(xml_int(answer, 0, -1), 0, "another type");
	xml_put(answer);
	h = header_of(good);
	has_words(request_udp(&h, "127.0.0.1", 0, 1000), 0,
		  "invalid UDPROS header or address");
	h = header_of(good);
	has_words(request_udp(&h, "127.0.0.1", 65536, 1000), 0,
		  "invalid UDPROS header or address");
	h = header_of(good);
	has_words(request_udp(&h, "127.0.0.1", port, 63), 0,
		  "invalid UDPROS header or address");
	h = header_of(good);
	put_le32(h.data + 4, 9999);
	has_words(request_udp(&h, "127.0.0.1", port, 1000), 0,
		  "invalid UDPROS header or address");
	h = header_of(good);
	answer = request_udp(&h, "127.0.0.1", port, 64);
	ok_eq(xml_int(answer, 0, -1), 1, "a subscriber of small datagrams");
	value = xml_item(answer, 2);
	id = xml_int(value, 3, -1);
	ok_eq(xml_int(value, 4, 0), 64, "gets these");
	xml_put(value);
	xml_put(answer);
	n = recv(fd, p, sizeof(p), 0);
	ok_eq(n, UDPROS_HEADER + 4 + 7, "the latched message in one");
	ok_eq(get_le32(p), id, "of its connection");
	ok_eq(get_le32(p + UDPROS_HEADER), 7, "with its length");
	ok_mem(p + UDPROS_HEADER + 4, "latched", 7, "as it is");
	has_bus_info("o", "UDPROS", "/out", "/x", "UDPROS connection on port ");
	answer = request("getBusStats", xml_build("(s)", "/y"));
	value = xml_item(answer, 2);
	has_numbers(value, 0, "/out", 1, 7);
	xml_put(value);
	xml_put(answer);
	h = header_of(good);
	answer = request_udp(&h, "127.0.0.1", port, 99999);
	value = xml_item(answer, 2);
	ok_eq(xml_int(value, 4, 0), UDPROS_DATAGRAM, "large ones have a limit");
	xml_put(value);
	xml_put(answer);
	ros1_pub_stats(pub, &s);
	ok_eq(s.subscribers, 1, "who asks again is one subscriber");
	close(fd);
	ros1_publish(pub, "a", 1);
	ros1_publish(pub, "b", 1);
	world_settle();
	ros1_pub_stats(pub, &s);
	ok_eq(s.subscribers, 0, "one whose socket is gone is none");
	close_node();
}

/* By a socket: parts of requests, several at once */
static void test_server(void)
{
	struct bytes body = { 0 }, out = { 0 }, in = { 0 };
	struct http h;
	size_t first;
	int fd;

	open_node(ROS1_TCP);
	xml_write_call(&body, "getPid", xml_build("(s)", "/x"));
	http_request(&out, "127.0.0.1", node->xmlrpc.port, body.data, body.len);
	fd = tcp_to(node->xmlrpc.port);
	for (size_t i = 0; i < out.len; i += 50) {
		send(fd, out.data + i, out.len - i < 50 ? out.len - i : 50, 0);
		world_step();
	}
	world_until(!tcp_read(fd, &in));
	ok_eq(http_parse(&in, true, &h), 1, "a request in parts");
	ok_eq(h.status, 200, "is answered");
	first = h.head + h.body;
	close(fd);
	/* as HTTP/1.1: the connection stays */
	out.len = in.len = 0;
	bytes_printf(&out, "POST /RPC2 HTTP/1.1\r\nHost: x\r\nContent-Length: "
		     "%zu\r\n\r\n", body.len);
	bytes_append(&out, body.data, body.len);
	fd = tcp_to(node->xmlrpc.port);
	send(fd, out.data, out.len, 0);
	send(fd, out.data, out.len, 0);
	world_until(!tcp_read(fd, &in) || in.len >= 2 * (first - 30));
	ok_eq(http_parse(&in, false, &h), 1, "two on one connection");
	bytes_consume(&in, h.head + h.body);
	world_until(!tcp_read(fd, &in) || http_parse(&in, false, &h) > 0);
	ok_eq(http_parse(&in, false, &h), 1, "have two answers");
	in.len = 0;
	out.len = 0;
	bytes_printf(&out, "POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc");
	send(fd, out.data, out.len, 0);
	world_until(!tcp_read(fd, &in) || http_parse(&in, false, &h) > 0);
	ok_eq(h.status, 400, "no XML is a bad request");
	in.len = 0;
	send(fd, "nonsense\r\n\r\n", 12, 0);
	ok(world_until(!tcp_read(fd, &in)), "no HTTP ends the connection");
	close(fd);
	fd = tcp_to(node->xmlrpc.port);
	world_settle();
	skipped += 31;
	ok(world_until(!tcp_read(fd, &in)), "as do 30 s without a request");
	close(fd);
	bytes_free(&body);
	bytes_free(&out);
	bytes_free(&in);
	close_node();
}

/*
 * Publishers
 */

static enum { REFUSES, NOTHING, TCP, OTHER, NO_PORT, UDP, NO_UDP } offer;
static int data_fd = -1;		/* listens for TCPROS */
static uint16_t data_port;
static uint16_t udp_port;		/* of the subscriber */
static int peer_pid;

static xmlrpc_value *udp_answer(xmlrpc_value *params, int datagram)
{
	static const char *const fields[] = {
		"callerid", "/p", "md5sum", MD5, "topic", "/in", "type", TYPE,
		"message_definition", "d", "latching", "1", NULL };
	struct bytes h = header_of(fields);
	xmlrpc_value *list = xml_item(params, 2), *first = xml_item(list, 0);
	xmlrpc_value *v = xml_build("(ssiii6)", "UDPROS", "127.0.0.1", 9, 5,
				    datagram, h.data + 4, h.len - 4);

	udp_port = xml_int(first, 3, 0);
	xml_put(first);
	xml_put(list);
	bytes_free(&h);
	return v;
}

static xmlrpc_value *on_peer(struct server *s, const char *method,
			     xmlrpc_value *params)
{
	(void)s;
	if (!strcmp(method, "getPid"))
		return xml_build("i", peer_pid);
	switch (offer) {
	case NOTHING:
		return xml_array();
	case TCP:
		return xml_build("(ssi)", "TCPROS", "127.0.0.1", data_port);
	case OTHER:
		return xml_build("(ssi)", "OTHER", "127.0.0.1", data_port);
	case NO_PORT:
		return xml_build("(ssi)", "TCPROS", "127.0.0.1", 65536);
	case UDP:
		return udp_answer(params, 100);
	case NO_UDP:
		return udp_answer(params, 8);
	default:
		return NULL;
	}
}

static void update_publishers(const char *uri)
{
	has_words(request("publisherUpdate", *uri ?
			  xml_build("(ss(s))", "/master", "/in", uri) :
			  xml_build("(ss())", "/master", "/in")), 1, "");
}

static void open_peer(enum ros1_transport transport)
{
	struct in_addr on = { htonl(INADDR_LOOPBACK) };

	open_node(transport);
	server_open(&peer, on_peer);
	data_fd = listen_any(on, &data_port);
	peer_pid = 5;
}

static void close_peer(void)
{
	close(data_fd);
	server_end(&peer);
	close_node();
}

/* How often the peer was asked for its topic */
static unsigned int asked(void)
{
	unsigned int n = 0;

	for (const char *at = peer.calls; (at = strstr(at, "requestTopic"));
	     at++)
		n++;
	return n;
}

static void test_offers(void)
{
	static const struct {
		int		offer;
		const char	*why;
	} bad[] = {
		{ REFUSES, "refused" },
		{ NOTHING, "offers neither TCPROS nor UDPROS" },
		{ OTHER, "offers an unknown transport" },
		{ NO_PORT, "offers neither TCPROS nor UDPROS" },
	};
	unsigned int before;
	char want[100];

	open_peer(ROS1_TCP);
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		offer = bad[i].offer;
		*log_text = 0;
		update_publishers(peer.uri);
		snprintf(want, sizeof(want), "/in: cannot reach %s: %s",
			 peer.uri, bad[i].why);
		ok(world_until(strstr(log_text, want)), "%s", bad[i].why);
		update_publishers("");
	}
	ok_eq(sub->sources == NULL, true, "one that is not listed is forgotten");
	/* it is asked again, ever more rarely */
	update_publishers(peer.uri);
	before = asked();
	ok(world_until(asked() == before + 1), "it is asked");
	world_settle();
	ok_eq(sub->sources->backoff, 250, "again after 0.25 s");
	for (int i = 0; i < 7; i++) {
		skipped += 9;
		world_until(asked() == before + 2 + i);
		world_settle();
	}
	ok_eq(sub->sources->backoff, 8000, "later after 8 s");
	*log_text = 0;
	skipped += 9;
	world_settle();
	ok_str(log_text, "", "it is logged once");
	update_publishers("");
	server_end(&peer);
	update_publishers(peer.uri);
	ok(world_until(strstr(log_text, "Connection refused")), "one that is "
	   "not there");
	update_publishers("http://nowhere.invalid:1/");
	ok(world_until(strstr(log_text, "unknown host")), "nor its host");
	update_publishers("nonsense");
	ok(logged("/in: 1 publishers ignored: too many, or without a URI"),
	   "no URI");
	update_publishers(node->uri);
	ok_eq(sub->sources == NULL, true, "the node itself is no publisher");
	close_peer();
}

/* The subscriber's connection, with its header in @h */
static int accept_subscriber(struct bytes *h)
{
	int fd = -1;

	world_until((fd = accept(data_fd, NULL, NULL)) >= 0);
	h->len = 0;
	world_until(!tcp_read(fd, h) ||
		    (h->len > 4 && h->len >= get_le32(h->data) + 4));
	return fd;
}

static void send_header(int fd, const char *const *pairs)
{
	struct bytes h = header_of(pairs);

	send(fd, h.data, h.len, MSG_NOSIGNAL);
	bytes_free(&h);
}

static const char *const greeting[] = {
	"callerid", "/p", "md5sum", MD5, "topic", "/in", "type", TYPE,
	"message_definition", "d", "latching", "1", NULL
};

static void send_message(int fd, const char *text, uint32_t len)
{
	uint8_t head[4];

	put_le32(head, len);
	send(fd, head, 4, MSG_NOSIGNAL);
	send(fd, text, strlen(text), MSG_NOSIGNAL);
}

static void test_tcp_publisher(void)
{
	static char large[1001];
	struct bytes h = { 0 };
	xmlrpc_value *answer, *value;
	int fd;

	open_peer(ROS1_TCP);
	offer = TCP;
	update_publishers(peer.uri);
	fd = accept_subscriber(&h);
	ok(memmem(h.data, h.len, "callerid=/a", 11) != NULL, "its header");
	ok(memmem(h.data, h.len, "topic=/in", 9) != NULL, "has the topic");
	ok(memmem(h.data, h.len, "md5sum=" MD5, 39) != NULL, "and its type");
	send_header(fd, greeting);
	ok(world_until(stats().publishers == 1), "a publisher");
	send_message(fd, "ab", 2);
	ok(world_until(got == 1), "a message");
	send_message(fd, "", 3);
	world_settle();
	ok_eq(got, 1, "half a one waits");
	send(fd, "cde", 3, 0);
	ok(world_until(got == 2), "for the rest");
	ok_str(got_text, "cde", "of it");
	has_bus_info("i", "TCPROS", "/in", peer.uri, "TCPROS connection on port ");
	answer = request("getBusStats", xml_build("(s)", "/y"));
	value = xml_item(answer, 2);
	has_numbers(value, 1, "/in", 2, 5);
	xml_put(value);
	xml_put(answer);
	/* one that is too large is skipped, in parts */
	memset(large, 'x', 1000);
	send_message(fd, large, 1001);
	world_settle();
	send(fd, "x", 1, 0);
	send_message(fd, "next", 4);
	ok(world_until(got == 3), "after one that is too large");
	ok_str(got_text, "next", "the next one arrives");
	ok_eq(stats().refused, 1, "it is counted");
	send_message(fd, large, 1000);
	ok(world_until(got == 4), "the largest one");
	*log_text = 0;
	update_publishers("");
	send_message(fd, "on", 2);
	ok(world_until(got == 5), "one that is not listed is heard on");
	close(fd);
	ok(world_until(sub->sources == NULL), "until it ends");
	ok(logged("connection closed"), "which is logged");
	bytes_free(&h);
	close_peer();
}

/* Greets with @pairs. Return: whether it is refused with @why */
static bool greets_badly(const char *const *pairs, const char *why)
{
	struct bytes h = { 0 };
	bool is;
	int fd;

	*log_text = 0;
	update_publishers(peer.uri);
	fd = accept_subscriber(&h);
	send_header(fd, pairs);
	is = world_until(strstr(log_text, why));
	if (!is)
		printf("# %s\n", log_text);
	update_publishers("");
	close(fd);
	bytes_free(&h);
	return is && !sub->sources;
}

static void test_bad_greetings(void)
{
	static const char *const error[] = { "error", "go away", NULL };
	static const char *const md5[] = {
		"md5sum", "0", "type", TYPE, "callerid", "/p", NULL };
	static const char *const type[] = {
		"md5sum", MD5, "type", "std_msgs/Int8", "callerid", "/p", NULL };
	struct bytes h = { 0 };
	int fd;

	open_peer(ROS1_TCP);
	offer = TCP;
	ok(greets_badly(error, "rejected: go away"), "an error");
	ok(greets_badly(md5, "rejected: type mismatch: has " TYPE " (md5 0)"),
	   "another definition");
	ok(greets_badly(type, "type mismatch: has std_msgs/Int8"),
	   "another type");
	update_publishers(peer.uri);
	fd = accept_subscriber(&h);
	*log_text = 0;
	send(fd, "\4\0\0\0\xff\xff\xff\xff", 8, 0);
	ok(world_until(strstr(log_text, "malformed connection header")),
	   "nonsense");
	close(fd);
	update_publishers("");
	update_publishers(peer.uri);
	fd = accept_subscriber(&h);
	send(fd, "\xff\xff\xff\xff", 4, 0);
	ok(world_until(strstr(log_text, "connection header too long")),
	   "too long a header");
	close(fd);
	update_publishers("");
	update_publishers(peer.uri);
	fd = accept_subscriber(&h);
	skipped += 6;
	ok(world_until(strstr(log_text, "Connection timed out")),
	   "none within 5 s");
	close(fd);
	bytes_free(&h);
	close_peer();
}

/* Send a message to the subscriber's UDP port in datagrams of @size */
static void send_udp(uint8_t id, const char *text, size_t size)
{
	const struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_port = htons(udp_port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	const int fd = socket(AF_INET, SOCK_DGRAM, 0);
	const size_t len = strlen(text) + 4;
	const unsigned int total = (len + size - 1) / size;
	uint8_t all[400], p[400];

	put_le32(all, len - 4);
	memcpy(all + 4, text, len - 4);
	for (unsigned int i = 0; i < total; i++) {
		const size_t n = len - i * size < size ? len - i * size : size;

		udpros_put(p, 5, id, i, total);
		memcpy(p + UDPROS_HEADER, all + i * size, n);
		sendto(fd, p, n + UDPROS_HEADER, 0,
		       (const struct sockaddr *)&to, sizeof(to));
	}
	close(fd);
}

static void test_udp_publisher(void)
{
	open_peer(ROS1_UDP);
	offer = NO_UDP;
	update_publishers(peer.uri);
	ok(world_until(strstr(log_text, "rejected: invalid UDPROS answer")),
	   "datagrams that have no room");
	update_publishers("");
	offer = UDP;
	update_publishers(peer.uri);
	ok(world_until(stats().publishers == 1), "a publisher by UDPROS");
	send_udp(1, "one", 100 - UDPROS_HEADER);
	ok(world_until(got == 1), "a message");
	ok_str(got_text, "one", "as it is");
	send_udp(2, "123456789012345678901234567890123456789012345678901234567"
		 "8901234567890123456789012345678901234567890123456789012345",
		 100 - UDPROS_HEADER);
	ok(world_until(got == 2), "one in two datagrams");
	send_udp(4, "four", 100 - UDPROS_HEADER);
	ok(world_until(got == 3), "after one that is lost");
	ok_eq(stats().missing, 1, "which is counted");
	/* silence: it is asked whether it lives, and whether it is the same */
	skipped += 11;
	ok(world_until(strstr(peer.calls, "getPid")), "a silent one is asked");
	world_settle();
	ok_eq(stats().publishers, 1, "and lives");
	*log_text = 0;
	peer_pid = 6;
	skipped += 11;
	ok(world_until(strstr(log_text, "node was restarted")),
	   "another process is another one");
	skipped += 1;
	ok(world_until(stats().publishers == 1), "that it asks again");
	update_publishers("");
	ok_eq(stats().publishers, 1, "one that is not listed may still send");
	skipped += 11;
	ok(world_until(sub->sources == NULL), "until it is silent");
	close_peer();
}

/* A TCPROS publisher that cannot be connected to */
static void test_no_data(void)
{
	open_peer(ROS1_TCP);
	offer = TCP;
	close(data_fd);
	update_publishers(peer.uri);
	ok(world_until(strstr(log_text, "/in: cannot reach")), "no connection");
	ok(logged("Connection refused"), "says why");
	update_publishers("");
	ok_eq(node->sources, 0, "no publisher is left");
	data_fd = -1;
	close_peer();
}

/*
 * Names of hosts
 */

static unsigned int lookups;
static const char *own_name;

int __wrap_getaddrinfo(const char *host, const char *port,
		       const struct addrinfo *hints, struct addrinfo **found);
void __wrap_freeaddrinfo(struct addrinfo *found);
int __wrap_gethostname(char *name, size_t len);

/* Names that begin with good are 10.0.0.N, with N the number of look-ups */
int __wrap_getaddrinfo(const char *host, const char *port,
		       const struct addrinfo *hints, struct addrinfo **found)
{
	static struct sockaddr_in a = { .sin_family = AF_INET };
	static struct addrinfo info = { .ai_addr = (struct sockaddr *)&a };

	(void)port;
	(void)hints;
	lookups++;
	a.sin_addr.s_addr = htonl(0x0a000000 + lookups);
	*found = &info;
	return strncmp(host, "good", 4) ? EAI_NONAME : 0;
}

void __wrap_freeaddrinfo(struct addrinfo *found)
{
	(void)found;
}

int __wrap_gethostname(char *name, size_t len)
{
	if (!own_name)
		return -1;
	snprintf(name, len, "%s", own_name);
	return 0;
}

static void test_hosts(void)
{
	struct hosts h = { .next = 0 };
	struct sockaddr_in a;
	char name[HOST_MAX + 1];
	int first;

	lookups = 0;
	ok_eq(hosts_find(&h, "1.2.3.4", 5, &a), 0, "an address");
	ok_eq(ntohl(a.sin_addr.s_addr), 0x01020304, "is it");
	ok_eq(ntohs(a.sin_port), 5, "with its port");
	ok_eq(lookups, 0, "without a look-up");
	ok_eq(hosts_find(&h, "good", 5, &a), 0, "a name");
	ok_eq(ntohl(a.sin_addr.s_addr), 0x0a000001, "has an address");
	ok_eq(hosts_find(&h, "good", 6, &a), 0, "again");
	ok_eq(lookups, 1, "it is remembered");
	ok_eq(hosts_find(&h, "bad", 5, &a), -ENOENT, "one that is unknown");
	ok_eq(hosts_find(&h, "bad", 5, &a), -ENOENT, "again");
	ok_eq(lookups, 2, "is not asked for at once");
	skipped += 61;
	hosts_find(&h, "bad", 5, &a);
	ok_eq(lookups, 3, "but after a minute");
	hosts_find(&h, "good", 5, &a);
	ok_eq(lookups, 3, "one that is known never");
	ok_eq(hosts_find(&h, "", 5, &a), -ENOENT, "no name");
	memset(name, 'x', HOST_MAX);
	name[HOST_MAX] = 0;
	ok_eq(hosts_find(&h, name, 5, &a), -ENOENT, "too long a name");
	first = lookups;
	for (int i = 0; i < HOSTS_KNOWN; i++) {
		snprintf(name, sizeof(name), "good%d", i);
		hosts_find(&h, name, 5, &a);
	}
	hosts_find(&h, "good", 5, &a);
	ok_eq(lookups - first, HOSTS_KNOWN + 1,
	      "the oldest is forgotten when there are too many");
}

static void test_own_host(void)
{
	const struct uri uri = { .host = "127.0.0.1", .port = 5 };
	struct hosts h = { .next = 0 };
	char name[HOST_MAX];

	setenv("ROS_HOSTNAME", "robot", 1);
	setenv("ROS_IP", "1.2.3.4", 1);
	host_self(&h, &uri, name);
	ok_str(name, "robot", "the name that the user gives");
	setenv("ROS_HOSTNAME", "", 1);
	host_self(&h, &uri, name);
	ok_str(name, "1.2.3.4", "or the address");
	unsetenv("ROS_IP");
	own_name = "good";
	host_self(&h, &uri, name);
	ok_str(name, "good", "or that of the machine, if it has an address");
	own_name = "bad";
	host_self(&h, &uri, name);
	ok_str(name, "127.0.0.1", "else our address towards the master");
	own_name = "localhost";
	host_self(&h, &(struct uri){ .host = "bad", .port = 5 }, name);
	ok_str(name, "127.0.0.1", "or the loopback, if it has none");
	own_name = NULL;
	host_self(&h, &uri, name);
	ok_str(name, "127.0.0.1", "also without a name");
	ok_eq(local_port(-1), 0, "no socket has no port");
}

int main(void)
{
	test_hosts();
	test_own_host();
	test_slave_facts();
	test_request_topic();
	test_request_udp();
	test_server();
	test_offers();
	test_tcp_publisher();
	test_bad_greetings();
	test_udp_publisher();
	test_no_data();
	return tap_done();
}
