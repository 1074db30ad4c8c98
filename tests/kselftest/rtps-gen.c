// SPDX-License-Identifier: GPL-2.0-only
/*
 * rtps-gen - RTPS traffic of a known shape, for tests of the whole path
 *
 *   rtps-gen send ADDR PORT WRITER MESSAGES PACKETS SIZE [gso] [every MS]
 *	MESSAGES messages of WRITER, each PACKETS datagrams DATA_FRAG with SIZE
 *	bytes of payload; SIZE beyond the MTU makes IP fragments; gso hands
 *	the datagrams of a message to the kernel in runs (UDP_SEGMENT)
 *   rtps-gen recv ADDR PORT SECONDS PACKETS
 *	until nothing more came for SECONDS (two minutes for the first one): a
 *	line "WRITER MESSAGE" for each whole message, "WRITER MESSAGE part N"
 *	for one in part
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/udp.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif

enum { WRITERS = 8, MESSAGES = 4096, GSO_MAX = 40, SIZE_MAX_ = 60000 };

struct rtps {
	char magic[4];
	uint8_t version[2], vendor[2], prefix[12];
	uint8_t id, flags;
	uint16_t length, extra, to_qos;
	uint8_t reader[4], writer[4];
	uint32_t sn_high, sn_low, frag;
	uint16_t nfrags, frag_size;
	uint32_t size;
} __attribute__((packed));

static struct sockaddr_in address(const char *addr, const char *port)
{
	struct sockaddr_in sa = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)atoi(port)),
	};

	if (inet_pton(AF_INET, addr, &sa.sin_addr) != 1) {
		fprintf(stderr, "rtps-gen: bad address %s\n", addr);
		exit(2);
	}
	return sa;
}

static void fill(struct rtps *r, int writer, uint32_t message, uint32_t packet,
		 uint32_t packets, uint32_t size)
{
	memset(r, 0, sizeof(*r));
	memcpy(r->magic, "RTPS", 4);
	r->version[0] = 2;
	r->version[1] = 1;
	r->vendor[0] = 1;
	r->vendor[1] = 0x10;
	memset(r->prefix, 0x11, sizeof(r->prefix));
	r->id = 0x16;
	r->flags = 1;
	r->to_qos = 28;
	r->writer[2] = (uint8_t)writer;
	r->writer[3] = 3;
	r->sn_low = message;
	r->frag = packet + 1;
	r->nfrags = 1;
	r->frag_size = (uint16_t)size;
	r->size = packets * size;
}

static int out(int fd, const void *buf, size_t len)
{
	while (send(fd, buf, len, 0) < 0) {
		if (errno == EINTR || errno == ENOBUFS ||
		    errno == ECONNREFUSED)
			continue;
		perror("rtps-gen: send");
		return -1;
	}
	return 0;
}

static int send_messages(int fd, int writer, uint32_t messages,
			 uint32_t packets, uint32_t size, int gso, int every_ms)
{
	static char buf[GSO_MAX * 1500 + SIZE_MAX_];
	size_t one = sizeof(struct rtps) + size, len = 0;
	int segment = (int)one;
	uint32_t m, p;

	if (gso && setsockopt(fd, IPPROTO_UDP, UDP_SEGMENT, &segment,
			      sizeof(segment)) < 0) {
		perror("rtps-gen: UDP_SEGMENT");
		return 1;
	}
	for (m = 1; m <= messages; m++) {
		for (p = 0; p < packets; p++) {
			fill((struct rtps *)(buf + len), writer, m, p, packets,
			     size);
			memset(buf + len + sizeof(struct rtps), (int)m, size);
			len += one;
			if (gso && p + 1 < packets &&
			    len + one <= GSO_MAX * one && len + one < 65000)
				continue;
			if (out(fd, buf, len))
				return 1;
			len = 0;
		}
		if (every_ms)
			usleep((useconds_t)every_ms * 1000);
	}
	return 0;
}

static int receive(int fd, int seconds, uint32_t packets)
{
	static uint32_t seen[WRITERS][MESSAGES];
	static char buf[65536];
	struct pollfd p = { .fd = fd, .events = POLLIN };
	const struct rtps *r = (const struct rtps *)buf;
	int wait_ms = 120 * 1000;
	uint32_t w, m;

	while (poll(&p, 1, wait_ms) > 0) {
		ssize_t n = recv(fd, buf, sizeof(buf), 0);

		wait_ms = seconds * 1000;

		if (n < (ssize_t)sizeof(*r) || r->writer[2] >= WRITERS ||
		    r->sn_low >= MESSAGES)
			continue;
		seen[r->writer[2]][r->sn_low]++;
	}
	for (w = 0; w < WRITERS; w++)
		for (m = 0; m < MESSAGES; m++) {
			if (seen[w][m] == packets)
				printf("%u %u\n", w, m);
			else if (seen[w][m])
				printf("%u %u part %u\n", w, m, seen[w][m]);
		}
	return 0;
}

int main(int argc, char **argv)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0), big = 64 << 20;
	int i, gso = 0, every_ms = 0;
	struct sockaddr_in sa;

	if (argc == 6 && !strcmp(argv[1], "recv")) {
		sa = address(argv[2], argv[3]);
		setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &big, sizeof(big));
		if (bind(fd, (struct sockaddr *)&sa, sizeof(sa)) < 0) {
			perror("rtps-gen: bind");
			return 1;
		}
		return receive(fd, atoi(argv[4]), (uint32_t)atoi(argv[5]));
	}
	if (argc < 8 || strcmp(argv[1], "send") || atoi(argv[7]) < 1 ||
	    atoi(argv[7]) > SIZE_MAX_) {
		fputs("usage: rtps-gen send ADDR PORT WRITER MESSAGES PACKETS SIZE [gso] [every MS]\n"
		      "       rtps-gen recv ADDR PORT SECONDS PACKETS\n", stderr);
		return 2;
	}
	for (i = 8; i < argc; i++) {
		if (!strcmp(argv[i], "gso"))
			gso = 1;
		else if (!strcmp(argv[i], "every") && i + 1 < argc)
			every_ms = atoi(argv[++i]);
	}
	sa = address(argv[2], argv[3]);
	if (connect(fd, (struct sockaddr *)&sa, sizeof(sa)) < 0) {
		perror("rtps-gen: connect");
		return 1;
	}
	return send_messages(fd, atoi(argv[4]), (uint32_t)atoi(argv[5]),
			     (uint32_t)atoi(argv[6]), (uint32_t)atoi(argv[7]),
			     gso, every_ms);
}
