// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_topics_udpros - UDPROS connections, as a master and a node of the test
 * report them, with sockets of the kernel
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/wire.h"
#include "bpf/ros_tag.h"
#include "tap.h"
#include "topics/udpros_format.h"
#include "topics/udpros_watch.h"

enum { WAIT_MS = 120000, EVERY_MS = 50 };

static struct error error;

/*
 * The master and the node, which are one server. A round of the watch ends
 * after its last question; the test waits for the number of rounds.
 */

static struct {
	pthread_mutex_t	lock;
	pthread_cond_t	more;
	unsigned int	port;
	unsigned int	rounds;		/* questions for the state */
	bool		deaf;		/* it answers with an error */
	char		state[1024];	/* of getSystemState */
	char		types[1024];
	char		node[64];	/* of lookupNode */
	char		connections[2048];
	unsigned int	tcpros;		/* port of the node's messages */
	unsigned int	requested;	/* requestTopic */
	unsigned int	asked;		/* getBusInfo */
} server = {
	.lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER,
};

#define S(text)		"<value><string>" text "</string></value>"
#define I(text)		"<value><int>" text "</int></value>"
#define A(items)	"<value><array><data>" items "</data></array></value>"

static void answer_value(FILE *f, const char *value)
{
	char body[8192];
	int n = snprintf(body, sizeof(body),
			 "<?xml version=\"1.0\"?><methodResponse><params><param>"
			 A(I("%d") S("") "%s") "</param></params></methodResponse>",
			 server.deaf ? 0 : 1, value);

	fprintf(f, "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nConnection: close\r\n"
		"Content-Length: %d\r\n\r\n%s", n, body);
}

static void answer(FILE *f, const char *method)
{
	char value[4096] = I("0");

	pthread_mutex_lock(&server.lock);
	if (!strcmp(method, "getSystemState")) {
		server.rounds++;
		snprintf(value, sizeof(value), A(A("%s") A("") A("")),
			 server.state);
	} else if (!strcmp(method, "getTopicTypes")) {
		snprintf(value, sizeof(value), A("%s"), server.types);
	} else if (!strcmp(method, "lookupNode")) {
		snprintf(value, sizeof(value), S("%s"), server.node);
	} else if (!strcmp(method, "getBusInfo")) {
		server.asked++;
		snprintf(value, sizeof(value), A("%s"), server.connections);
	} else if (!strcmp(method, "requestTopic")) {
		server.requested++;
		snprintf(value, sizeof(value), A(S("TCPROS") S("127.0.0.1") I("%u")),
			 server.tcpros);
	}
	answer_value(f, value);
	pthread_cond_broadcast(&server.more);
	pthread_mutex_unlock(&server.lock);
}

static void serve_one(int fd)
{
	char line[4096], method[64] = "";
	size_t length = 0;
	FILE *f = fdopen(fd, "r+");
	char *at, *end;

	while (fgets(line, sizeof(line), f) && strcmp(line, "\r\n"))
		if (!strncasecmp(line, "Content-Length:", 15))
			length = atoi(line + 15);
	if (length >= sizeof(line) || fread(line, 1, length, f) != length) {
		fclose(f);
		return;
	}
	line[length] = '\0';
	at = strstr(line, "<methodName>");
	end = at ? strstr(at, "</methodName>") : NULL;
	if (end)
		snprintf(method, sizeof(method), "%.*s", (int)(end - at - 12),
			 at + 12);
	fseek(f, 0, SEEK_CUR);
	answer(f, method);
	fclose(f);
}

static int listen_any(unsigned int *port)
{
	struct sockaddr_in a = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (bind(fd, (void *)&a, len) || listen(fd, 16) ||
	    getsockname(fd, (void *)&a, &len))
		abort();
	*port = ntohs(a.sin_port);
	return fd;
}

static void *serve(void *arg)
{
	int fd = *(int *)arg, one;

	while ((one = accept(fd, NULL, NULL)) >= 0)
		serve_one(one);
	return NULL;
}

/* Wait until @n rounds have begun, and so @n - 1 have ended */
static bool rounds(unsigned int n)
{
	struct timespec end;
	int err = 0;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += WAIT_MS / 1000;
	pthread_mutex_lock(&server.lock);
	while (server.rounds < n && !err)
		err = pthread_cond_timedwait(&server.more, &server.lock, &end);
	pthread_mutex_unlock(&server.lock);
	return !err;
}

/* Change what it answers, and wait for a whole round with it */
#define change(...) do {						\
	unsigned int before;						\
									\
	pthread_mutex_lock(&server.lock);				\
	__VA_ARGS__;							\
	before = server.rounds;						\
	pthread_mutex_unlock(&server.lock);				\
	if (!rounds(before + 2))					\
		abort();						\
} while (0)

/*
 * A connection: a connected socket of this process
 */

static unsigned int port_of(int fd)
{
	struct sockaddr_in a;
	socklen_t len = sizeof(a);

	getsockname(fd, (void *)&a, &len);
	return ntohs(a.sin_port);
}

static int connect_udp(unsigned int port)
{
	struct sockaddr_in a = {
		.sin_family = AF_INET, .sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (connect(fd, (void *)&a, sizeof(a)))
		abort();
	return fd;
}

/* One of getBusInfo */
static void connection(char *to, size_t size, const char *topic, int fd,
		       unsigned int port, const char *transport)
{
	snprintf(to, size, A(I("7") S("http://peer:1/") S("o") S("%s") S("%s")
			     I("1") S("UDPROS connection on port %u to [peer:%u on socket 12]")),
		 transport, topic, port_of(fd), port);
}

/*
 * What is reported
 */

static char log_text[1024];

static void on_topic(void *arg, const struct topic *t)
{
	struct ros_guid *g = (void *)t->guid;

	(void)arg;
	sprintf(log_text + strlen(log_text), "%s %s %s%s\n", t->name, t->type,
		g->entity == ROS_ENTITY_UDPROS ? "udpros" : "dds", t->format);
}

static void on_gone(void *arg, const uint8_t *guid)
{
	(void)arg;
	(void)guid;
	strcat(log_text, "gone\n");
}

static const struct discovery_ops ops = {
	.topic = on_topic, .topic_gone = on_gone,
};

/* Poll until something is reported. Return: what */
static const char *reported(struct udpros_watch *u)
{
	const uint64_t end = monotonic_ms() + WAIT_MS;

	*log_text = '\0';
	do
		udpros_watch_poll(u, &ops, NULL);
	while (!*log_text && monotonic_ms() < end && !sched_yield());
	return log_text;
}

/* A socket of another host's subscriber, which is this one */
static int bound_udp(void)
{
	struct sockaddr_in any = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (bind(fd, (void *)&any, sizeof(any)))
		abort();
	return fd;
}

/* The node is this server */
static struct udpros_watch *watch(char uri[64])
{
	snprintf(uri, 64, "http://127.0.0.1:%u/", server.port);
	snprintf(server.node, sizeof(server.node), "%s", uri);
	return udpros_watch_open(uri, EVERY_MS, &error);
}

static int udp_to, udp_a, udp_b;

static void test_connections(struct udpros_watch *u)
{
	char one[512], two[512];

	ok(u, "watch a master");
	connection(one, sizeof(one), "/scan", udp_a, port_of(udp_to), "UDPROS");
	connection(two, sizeof(two), "/image", udp_b, port_of(udp_to),
		   "TCPROS");
	change(snprintf(server.connections, sizeof(server.connections), "%s%s",
			one, two);
	       strcpy(server.state, A(S("/scan") A(S("/laser") S("/laser")))
		      A(S("/image") A(S("/laser"))));
	       strcpy(server.types, A(S("/image") S("sensor_msgs/Image"))
		      A(S("/scan") S("sensor_msgs/LaserScan"))));
	ok_str(reported(u), "/scan sensor_msgs/msg/LaserScan udpros\n",
	       "a UDPROS connection is reported, one of TCPROS is not");
	*log_text = '\0';
	ok_str(udpros_watch_poll(u, &ops, NULL), NULL, "the master answers");
	ok_str(log_text, "", "it is reported once");
	connection(two, sizeof(two), "/image", udp_b, port_of(udp_to),
		   "UDPROS");
	change(snprintf(server.connections, sizeof(server.connections), "%s%s",
			one, two));
	ok_str(reported(u), "/image sensor_msgs/msg/Image udpros\n",
	       "another connection");
}

static void test_master(struct udpros_watch *u, const char *uri)
{
	char line[160];

	change(*server.state = '\0');
	*log_text = '\0';
	udpros_watch_poll(u, &ops, NULL);
	ok_str(log_text, "",
	       "a restarted master does not know them, but they are there");
	close(udp_a);
	ok_str(reported(u), "gone\n", "one is gone with its socket");
	udpros_watch_forget(u);
	ok_str(reported(u), "/image sensor_msgs/msg/Image udpros\n",
	       "on request all are reported again");
	change(server.deaf = true);
	*log_text = '\0';
	snprintf(line, sizeof(line), "the ROS master at %s does not answer",
		 uri);
	ok_str(udpros_watch_poll(u, &ops, NULL), line, "a master that fails");
	ok_str(log_text, "", "takes nothing away");
	change(server.deaf = false);
	udpros_watch_poll(u, &ops, NULL);
	ok_str(udpros_watch_poll(u, &ops, NULL), NULL, "it recovers");
}

static void test_watch(void)
{
	struct udpros_watch *u;
	char uri[64];

	udp_to = bound_udp();
	udp_a = connect_udp(port_of(udp_to));
	udp_b = connect_udp(port_of(udp_to));
	u = watch(uri);
	test_connections(u);
	test_master(u, uri);
	udpros_watch_close(u);
	udpros_watch_close(NULL);
	close(udp_b);
	close(udp_to);
}

/* What a node says may be anything */
static void test_odd_nodes(void)
{
	char uri[64];
	struct udpros_watch *u;

	strcpy(server.state, A(S("/scan") A(S("/laser"))) A(I("7")) I("8"));
	strcpy(server.connections, A(I("7")) I("8") S("x")
	       A(I("7") S("p") S("o") S("UDPROS") S("/scan") I("1") S("UDPROS connection on port x"))
	       A(I("7") S("p") S("o") S("UDPROS") S("/scan") I("1") S("UDPROS connection on port 1 to [peer:2 on socket 3]")));
	u = watch(uri);
	change((void)0);
	*log_text = '\0';
	ok_str(udpros_watch_poll(u, &ops, NULL), NULL, "odd answers");
	ok_str(log_text, "", "are no connections");
	change(server.asked = 0;
	       snprintf(server.node, sizeof(server.node),
			"http://LocalHost:%u/", server.port));
	ok(server.asked > 0, "a node of this host is asked by its name");
	change(strcpy(server.node, "http://192.0.2.1:1/"));
	ok_str(udpros_watch_poll(u, &ops, NULL), NULL,
	       "a node of another host is not asked");
	change(strcpy(server.node, "nonsense"));
	ok_str(udpros_watch_poll(u, &ops, NULL), NULL, "nor one without a host");
	udpros_watch_close(u);
}

static void test_no_master(void)
{
	const uint64_t end = monotonic_ms() + WAIT_MS;
	struct udpros_watch *u = udpros_watch_open("http://127.0.0.1:9/",
						   EVERY_MS, &error);
	const char *why = NULL;

	while (!why && monotonic_ms() < end && !sched_yield())
		why = udpros_watch_poll(u, &ops, NULL);
	ok_str(why, "the ROS master at http://127.0.0.1:9/ does not answer",
	       "no master");
	udpros_watch_close(u);
}

/*
 * Formats of pictures
 */

static struct {
	const uint8_t	*bytes;
	size_t		len, piece;	/* bytes of a segment */
	char		header[512];
} publisher = { .piece = 256 };

static void *publish(void *arg)
{
	uint8_t size[4], theirs[512];
	int fd = accept(*(int *)arg, NULL, NULL), on = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (read(fd, size, 4) == 4 && get_le32(size) < sizeof(theirs) &&
	    read(fd, theirs, get_le32(size)) == (ssize_t)get_le32(size)) {
		theirs[get_le32(size)] = '\0';
		memcpy(publisher.header, theirs, sizeof(theirs));
	}
	for (size_t at = 0; at < publisher.len; at += publisher.piece) {
		const size_t left = publisher.len - at;

		if (write(fd, publisher.bytes + at,
			  left < publisher.piece ? left : publisher.piece) < 0)
			abort();
	}
	close(fd);
	return NULL;
}

/* A header of one field, and a message of @format */
static size_t message(uint8_t *m, const char *format)
{
	const size_t n = strlen(format);
	uint8_t *at = m + 4;

	put_le32(at, 5);
	memcpy(at + 4, "a=bcd", 5);
	put_le32(m, 9);
	at = m + 13;
	memset(at, 0, 64);
	put_le32(at, 12 + 4 + 4 + n + 4 + 3);
	at += 4 + 12 + 4;
	put_le32(at, n);
	memcpy(at + 4, format, n);
	at += 4 + n;
	put_le32(at, 3);
	memcpy(at + 4, "\xff\xd8\xff", 3);
	return at + 7 - m;
}

static bool fetch(size_t len, char format[TOPIC_FORMAT])
{
	unsigned int port;
	int fd = listen_any(&port);
	pthread_t thread;
	bool good;

	publisher.len = len;
	pthread_create(&thread, NULL, publish, &fd);
	good = udpros_format_fetch("127.0.0.1", port, "/cam", format);
	pthread_join(thread, NULL);
	close(fd);
	return good;
}

static void test_format(void)
{
	static uint8_t bytes[256];
	char format[TOPIC_FORMAT];
	size_t len = message(bytes, "h264");
	unsigned int port;
	int fd;

	publisher.bytes = bytes;
	ok(fetch(len, format), "a message over TCPROS");
	ok_str(format, "h264", "has its format");
	ok(memmem(publisher.header, 256, "topic=/cam", 10),
	   "of the topic that was asked for");
	ok(memmem(publisher.header, 256, "md5sum=*", 8), "of any type");
	publisher.piece = 1;
	ok(fetch(len, format), "one that comes byte by byte");
	ok_str(format, "h264", "has it, too");
	publisher.piece = 256;
	ok(fetch(message(bytes, ""), format), "one that does not say");
	ok_str(format, "jpeg", "has that of its bytes");
	ok(!fetch(len - 8, format), "one that is cut off");
	ok(!fetch(2, format), "a header that is");
	put_le32(bytes, 1 << 20);
	ok(!fetch(len, format), "and one that is too long");
	fd = listen_any(&port);
	close(fd);
	ok(!udpros_format_fetch("127.0.0.1", port, "/cam", format),
	   "a port without a listener");
	ok(!udpros_format_fetch("no such host", 1, "/cam", format), "no host");
	memset(bytes, 'x', sizeof(bytes));
}

/* The same by the master */
static void test_format_of_node(void)
{
	static uint8_t bytes[256];
	int to = bound_udp(), a, fd;
	char uri[64];
	struct udpros_watch *u;
	pthread_t thread;

	a = connect_udp(port_of(to));
	fd = listen_any(&server.tcpros);
	publisher.bytes = bytes;
	publisher.len = message(bytes, "png");
	pthread_create(&thread, NULL, publish, &fd);
	connection(server.connections, sizeof(server.connections), "/cam", a,
		   port_of(to), "UDPROS");
	strcpy(server.state, A(S("/cam") A(S("/camera"))));
	strcpy(server.types, A(S("/cam") S("sensor_msgs/CompressedImage")));
	snprintf(server.node, sizeof(server.node), "http://localhost:%u/",
		 server.port);
	snprintf(uri, sizeof(uri), "http://127.0.0.1:%u/", server.port);
	server.requested = 0;
	u = udpros_watch_open(uri, EVERY_MS, &error);
	ok_str(reported(u), "/cam sensor_msgs/msg/CompressedImage udprospng\n",
	       "a picture topic with its format");
	pthread_join(thread, NULL);
	change((void)0);
	ok_eq(server.requested, 1, "for which one message is enough");
	udpros_watch_close(u);
	close(a);
	close(to);
	close(fd);
}

int main(void)
{
	int fd = listen_any(&server.port);
	pthread_t thread;

	alarm(600);
	if (pthread_create(&thread, NULL, serve, &fd))
		return 1;
	test_watch();
	test_odd_nodes();
	test_no_master();
	test_format();
	test_format_of_node();
	shutdown(fd, SHUT_RDWR);
	pthread_join(thread, NULL);
	close(fd);
	return tap_done();
}
