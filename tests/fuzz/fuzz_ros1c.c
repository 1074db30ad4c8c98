// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_ros1c - hostile peers at a ROS 1 node
 *
 * The first byte says what the datagrams are: 0 those of one UDPROS
 * connection; 1 what connects to the XML-RPC server says, 2 to TCPROS; 3 what
 * the peers say that the node connects to, one behind the other: the master,
 * which says where a publisher is, and the publisher; 4 and 5 as 1 and 3, but an
 * example with changed bytes. Nothing leaves the process: connect() and
 * getaddrinfo() are ours.
 */
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/wire.h"
#include "datagrams.h"
#include "ros/ros1/node.h"

enum { DATAGRAM = 64, MESSAGE = 4096, TEXT = 4096, PASSES = 12 };

#define REQUEST(method, params) "POST / HTTP/1.1\r\nContent-Length: 999\r\n" \
	"\r\n<methodCall><methodName>" method "</methodName><params><param>" \
	"<value>/x</value></param>" params "</params></methodCall>"
#define STRING(s) "<value><string>" s "</string></value>"
#define INT(i) "<value><i4>" i "</i4></value>"
#define ARRAY(a) "<value><array><data>" a "</data></array></value>"
#define PARAM(p) "<param>" p "</param>"
#define ANSWER(value) "HTTP/1.0 200 OK\r\n\r\n<methodResponse><params>" \
	PARAM(ARRAY(INT("1") STRING("") value)) "</params></methodResponse>"
/* md5sum=* topic=/p type=*, a subscriber's header */
#define HEADER "CAAAAG1kNXN1bT0qCAAAAHRvcGljPS9wBgAAAHR5cGU9Kg=="

/* The same to TCPROS, and a message */
#define STREAM "\x22\0\0\0\x08\0\0\0md5sum=*\x06\0\0\0type=*" \
	"\x08\0\0\0topic=/s\x05\0\0\0hello"

static const char *const requests[] = {
	REQUEST("publisherUpdate", PARAM(STRING("/s"))
		PARAM(ARRAY(STRING("http://10.0.0.1:9/")))),
	REQUEST("requestTopic", PARAM(STRING("/p"))
		PARAM(ARRAY(ARRAY(STRING("TCPROS"))))),
	REQUEST("requestTopic", PARAM(STRING("/p"))
		PARAM(ARRAY(ARRAY(STRING("UDPROS")
			"<value><base64>" HEADER "</base64></value>"
			STRING("10.0.0.2") INT("9999") INT("1500"))))),
	REQUEST("getBusInfo", ""),
	REQUEST("getBusStats", ""),
	REQUEST("getPublications", ""),
	REQUEST("shutdown", PARAM(STRING("bye"))),
};

static const char *const answers[] = {
	ANSWER(INT("4711")),
	ANSWER(ARRAY(STRING("http://10.0.0.1:9/"))),
	ANSWER(INT("0")),
	ANSWER(ARRAY(STRING("TCPROS") STRING("10.0.0.1") INT("7"))),
	ANSWER(ARRAY(STRING("UDPROS") STRING("10.0.0.1") INT("7") INT("1")
		INT("1472") "<value><base64>" HEADER "</base64></value>")),
};

/* What the peers say that the node connects to */
static struct datagrams *said;
static int peers[PASSES];
static unsigned int n_peers;

int getaddrinfo(const char *node, const char *service,
		const struct addrinfo *hints, struct addrinfo **res)
{
	(void)node;
	(void)service;
	(void)hints;
	(void)res;
	return EAI_NONAME;
}

/* Non-blocking socket with @data to be read. Return: it, or -1 */
static int talker(const void *data, size_t len)
{
	int pair[2];

	if (n_peers == PASSES ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair))
		return -1;
	peers[n_peers++] = pair[0];
	if (len && write(pair[0], data, len) < 0)
		abort();
	shutdown(pair[0], SHUT_WR);
	return pair[1];
}

int connect(int fd, const struct sockaddr *address, socklen_t size)
{
	const uint8_t *p;
	size_t len;
	int type = 0, peer = -1;
	socklen_t n = sizeof(type);

	(void)address;
	(void)size;
	getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &n);
	if (type == SOCK_DGRAM)
		return 0;
	if (said && datagrams_next(said, &p, &len))
		peer = talker(p, len);
	if (peer < 0) {
		errno = ECONNREFUSED;
		return -1;
	}
	dup2(peer, fd);
	close(peer);
	return 0;
}

static volatile unsigned int seen;

static void on_message(void *arg, const void *bytes, size_t len,
		       const struct ros1_publisher *from)
{
	(void)arg;
	const uint8_t *p = bytes;

	(void)arg;
	if (len > MESSAGE || strlen(from->type) > TEXT)
		abort();
	/* Every byte has to be there. */
	while (len--)
		seen += *p++;
}

static struct ros1 *node(void)
{
	struct ros1_config config = {
		.master = "http://127.0.0.1:1/",
		.host = "127.0.0.1",
		.node = "/n",
		.message_max = MESSAGE,
	};
	struct ros1_sub *sub;
	struct ros1_pub *pub;
	struct ros1 *r;

	if (ros1_create(&r, &config) ||
	    ros1_subscribe(r, "/s", "*", "*", ROS1_UDP, on_message, NULL,
			   &sub) ||
	    ros1_advertise(r, "/p", "a/B", "0", "", true, 2, &pub))
		abort();
	ros1_publish(pub, "latched", 7);
	return r;
}

/* Leave no socket; the master is not waited for */
static void end(struct ros1 *r)
{
	r->master.answers = false;
	ros1_destroy(r);
	while (n_peers)
		close(peers[--n_peers]);
	said = NULL;
}

static void udpros(struct datagrams *d)
{
	struct udpros_in u;
	const uint8_t *p;
	uint64_t now = 1;
	size_t len;

	if (udpros_open(&u, 7, DATAGRAM, MESSAGE))
		abort();
	while (datagrams_next(d, &p, &len)) {
		now += len % 16 ? 1 : 200;
		if (udpros_add(&u, p, len, now) > 0 &&
		    (u.message.len > MESSAGE + 4 ||
		     get_le32(u.message.data) != u.message.len - 4))
			abort();
	}
	udpros_close(&u);
}

static void clients(struct datagrams *d, void (*came)(struct ros1 *, int))
{
	struct ros1 *r = node();
	const uint8_t *p;
	size_t len;
	int fd, i;

	while (datagrams_next(d, &p, &len)) {
		fd = talker(p, len);
		if (fd < 0)
			break;
		came(r, fd);
		for (i = 0; i < 3; i++)
			ros1_run(r);
	}
	end(r);
}

static void servers(struct datagrams *d)
{
	struct ros1 *r = node();
	int i;

	said = d;
	for (i = 0; i < 4 * PASSES; i++)
		ros1_run(r);
	end(r);
}

/* An example as a datagram. Return: behind it */
static uint8_t *example(uint8_t *out, const char *text, size_t len)
{
	put_le16(out, (uint16_t)len);
	memcpy(out + 2, text, len);
	return out + 2 + len;
}

/* Changes: where, u16, and which byte is there now */
static void change(uint8_t *text, size_t len, const uint8_t *data, size_t size)
{
	for (; size >= 3; data += 3, size -= 3)
		text[get_le16(data) % len] = data[2];
}

static void changed_request(const uint8_t *data, size_t size)
{
	const char *text = requests[data[0] %
				    (sizeof(requests) / sizeof(*requests))];
	struct datagrams d;
	uint8_t out[TEXT], *body;
	char length[4];

	d.p = out;
	d.end = example(out, text, strlen(text));
	body = memmem(out, sizeof(out), "\r\n\r\n", 4);
	snprintf(length, sizeof(length), "%03u", (unsigned int)
		 (d.end - body - 4));
	memcpy(body - 3, length, 3);
	change(out, (size_t)(d.end - d.p), data + 1, size - 1);
	clients(&d, server_came);
}

/* The master's pid, who publishes, yes; and where; and the stream of that */
static void changed_answers(const uint8_t *data, size_t size)
{
	static const char stream[] = STREAM;
	uint8_t out[TEXT], *end = out;
	struct datagrams d;
	const char *text;
	int i;

	for (i = 0; i < 4; i++) {
		text = answers[i == 3 && data[0] & 1 ? 4 : i];
		end = example(end, text, strlen(text));
	}
	d.p = out;
	d.end = example(end, stream, sizeof(stream) - 1);
	change(out, (size_t)(d.end - out), data + 1, size - 1);
	servers(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct datagrams d = { data + 1, data + size };

	if (size < 2)
		return 0;
	switch (data[0] % 6) {
	case 0: udpros(&d); break;
	case 1: clients(&d, server_came); break;
	case 2: clients(&d, sink_came); break;
	case 3: servers(&d); break;
	case 4: changed_request(data + 1, size - 1); break;
	default: changed_answers(data + 1, size - 1);
	}
	return 0;
}
