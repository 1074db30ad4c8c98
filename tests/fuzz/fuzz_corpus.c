// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_corpus - makes and keeps inputs of fuzz_ros_tag
 *
 *   fuzz_corpus seeds DIR		hand-built ones, a file each
 *   fuzz_corpus pack DIR FILE		all files of DIR as one (input.h)
 *   fuzz_corpus unpack FILE DIR	and back
 */
#include <dirent.h>
#include <errno.h>
#include <optsample/segment.h>
#include <stdlib.h>
#include <string.h>
#include "input.h"
#include "packet.h"

enum { NAME = 512, SNAP = 300 };

/* The input being built, and where seeds go */
static uint8_t input[INPUT_MAX];
static uint32_t size;
static const char *dir;
static int number;

static int error(const char *what)
{
	fprintf(stderr, "fuzz_corpus: %s: %s\n", what, strerror(errno));
	return 1;
}

static int write_file(const char *to, int n, const uint8_t *b, uint32_t len)
{
	char path[NAME];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%04d", to, n);
	f = fopen(path, "w");
	if (!f || fwrite(b, len, 1, f) != 1 || fclose(f))
		return error(path);
	return 0;
}

/* Seeds */

static void put(const struct packet *p)
{
	uint32_t n = p->len < SNAP || p->gso ? p->len : SNAP;
	uint8_t head[INPUT_HEADER] = { n, n >> 8, p->len, p->len >> 8, 0,
				       p->gso / 8 };

	if (size + INPUT_HEADER + n > INPUT_MAX)
		abort();
	memcpy(input + size, head, INPUT_HEADER);
	memcpy(input + size + INPUT_HEADER, p->data, n);
	size += INPUT_HEADER + n;
}

static void seed(void)
{
	if (write_file(dir, number++, input, size))
		exit(1);
	size = 0;
}

static void rtps(struct packet *p, int vendor, uint32_t writer, int sn)
{
	static const uint8_t stamp[12] = { 0, 1, 0, 0, 9, 0, 0, 0, 7 };

	packet_rtps(p, 2, 7411, vendor);
	if (vendor == 0x010f)
		packet_info_dst(p);
	packet_info_ts_at(p, 1700000000 + sn, 1 << 30);
	packet_data(p, 0, writer, sn, 40);
	memcpy(p->data + p->sub + 24, stamp, sizeof(stamp));
	packet_end(p, 0);
}

/* A message of each writer, then heartbeat, repair and the next */
static void plain(void)
{
	struct packet p;

	for (int writer = 0x103; writer <= 0x603; writer += 0x100) {
		for (int sn = 62; sn < 66; sn++) {
			rtps(&p, sn & 1 ? 0x0110 : 0x010f, writer, sn);
			put(&p);
		}
		packet_rtps(&p, 2, 7411, 0x0110);
		packet_heartbeat(&p, 0x07, writer, 64);
		packet_end(&p, 0);
		put(&p);
		packet_rtps(&p, 2, 7411, 0x0110);
		packet_info_dst(&p);
		p.big = true;
		packet_data(&p, PACKET_READER, writer, 63, 20);
		packet_end(&p, 0);
		put(&p);
		seed();
	}
}

/* MTU-sized, as Fast DDS ends its datagrams, and a bit more */
static void behind(void)
{
	struct packet p;

	for (int n = 0; n < 4; n++) {
		rtps(&p, 0x010f, 0x103, 5 + n);
		if (n & 1)
			packet_heartbeat(&p, 0x07, 0x203 - n / 2 * 0x100, 5);
		for (int i = 0; i <= n / 2; i++) {
			packet_sub(&p, 0x80, 0);
			packet_zero(&p, 56);
			packet_sub_end(&p);
		}
		packet_end(&p, 0);
		put(&p);
		p.data[p.sub + 2] = 200;	/* too long */
		put(&p);
	}
	seed();
}

static void several(void)
{
	static const uint32_t writers[] = { 0x103, 0x203, 0x703, 0x100c2 };
	struct packet p;

	for (int i = 0; i < 4; i++) {
		packet_rtps(&p, 2, 7411, 0x0110);
		packet_info_ts(&p);
		packet_data(&p, 0, 0x103, 5, 12);
		packet_data(&p, 0, writers[i], 5 + i / 2, 12);
		packet_heartbeat(&p, i & 1 ? 0x13 : 0x08, writers[3 - i], 5);
		packet_sub(&p, 0x80, 0);
		packet_zero(&p, 56);
		packet_sub_end(&p);
		packet_end(&p, 0);
		put(&p);
	}
	seed();
}

/* DATA_FRAG in datagrams of two IP fragments, in every frame */
static void fragments(void)
{
	struct packet p, rest, q;

	for (int frame = 0; frame < 4; frame++) {
		for (int i = 0; i < 3; i++) {
			struct frag f = { i + 1, 1, 1500, 4000 };

			packet_rtps(&p, 2, 7411, 0x0110);
			packet_data_frag(&p, 0, 0x203, 9, &f, 1416);
			packet_end(&p, 84);
			packet_ip(&p, 77 + i, 0x2000);
			packet_ip_frag(&rest, &p, 1480, false, 84);
			for (int k = 0; k < 2; k++) {
				q = k ? rest : p;
				if (frame & 1)
					packet_ipv6(&q, 5);
				if (frame & 2)
					packet_vlan(&q, 2);
				put(&q);
			}
		}
		seed();
	}
}

static void frames(void)
{
	struct packet p;

	for (int i = 0; i < 12; i++) {
		rtps(&p, 0x0110, 0x103, 10 + i);
		if (i >= 4)
			packet_ipv6(&p, i & 7);
		if (i & 3)
			packet_vlan(&p, i & 3);
		if (i == 4 || i == 8)
			packet_no_link(&p);
		put(&p);
		if (i % 4 == 3)
			seed();
	}
	packet_tcp(&p);
	put(&p);
	seed();
}

static void connection(uint16_t port)
{
	static const uint8_t body[16] = { 99, 0, 0, 0, 1, 0, 0, 0,
					  5, 0, 0, 0, 6 };
	struct packet p;

	for (int id = 254; id < 257; id++) {
		for (int block = 0; block < 3; block++) {
			packet_udp(&p, 2, port);
			packet_udpros(&p, block > 0, id % 256 + id / 256,
				      block ? block : 3);
			packet_bytes(&p, body, sizeof(body));
			packet_end(&p, 0);
			put(&p);
		}
	}
	packet_udp(&p, 2, port);
	packet_udpros(&p, 2, 0, 0);
	packet_end(&p, 0);
	put(&p);
	seed();
}

static void segments(void)
{
	struct optsample_segment s = PACKET_SEGMENT(
		.profile = 3,
		.stream = 0x0102030405060708,
		.frame = 63,
		.count = 3,
		.position = 77
	);
	struct packet p;

	for (int i = 0; i < 9; i++) {
		packet_udp(&p, 2, 4711);
		packet_segment(&p, &s, 24);
		packet_end(&p, 0);
		if (i == 6)
			packet_ipv6(&p, 1);
		put(&p);
		s.index = (i + 1) % 3;
		s.frame += !s.index;
	}
	seed();
	packet_udp(&p, 2, 4711);
	for (s.index = 0; s.index < 3; s.index++)
		packet_segment(&p, &s, 16);
	p.gso = 64;
	packet_end(&p, 0);
	put(&p);
	seed();
}

static void gso(void)
{
	struct packet p;

	for (int start = 1; start < 5; start += 3) {
		packet_rtps(&p, 2, 7411, 0x0110);
		for (int i = 0; i < 3; i++) {
			struct frag f = { start + i, 1, 24, 6 * 24 };

			if (i)
				packet_rtps_header(&p, 0x0110);
			packet_data_frag(&p, 0, 0x103, 5, &f, 24);
		}
		p.gso = 80;
		packet_end(&p, 0);
		put(&p);
	}
	seed();
}

/* A datagram's fragments, and in between one without a tag, of their id */
static void ids_again(void)
{
	struct frag f = { 1, 1, 1480, 1480 };
	struct packet p[3], q;

	packet_rtps(&p[0], 2, 7411, 0x0110);
	packet_data_frag(&p[0], 0, 0x103, 9, &f, 1416);
	packet_end(&p[0], 64);
	packet_ip(&p[0], 77, 0x2000);
	p[1] = p[0];
	p[1].data[p[0].udp + 3] ^= 1;
	p[1].data[p[0].udp + 8] ^= 1;
	packet_ip_frag(&p[2], &p[0], 1480, false, 64);
	for (int round = 0; round < 4; round++) {
		if (round & 2)		/* or by one with another id */
			packet_ip(&p[1], 78, 0x2000);
		for (int i = 0; i < 3; i++) {
			q = p[i];
			if (round & 1)
				packet_ipv6(&q, 0);
			put(&q);
		}
		seed();
	}
}

/* Names in use: a connection's, one with the same hash */
static void names(void)
{
	static const uint8_t connection_name[12] = {
		10, 0, 0, 1, 10, 0, 0, 2, 0x9c, 0x40, 0x85, 0xeb
	};
	struct packet p, q;

	packet_rtps(&p, 2, 34283, 0x0110);
	packet_data(&p, 0, 0xffffffff, 1, 20);
	memcpy(p.data + p.udp + 16, connection_name, 12);
	packet_end(&p, 0);
	put(&p);
	p.big = true;
	packet_heartbeat(&p, 0x07, 0xffffffff, 1);
	packet_end(&p, 0);
	put(&p);
	seed();

	rtps(&p, 0x0110, 0x103, 1);
	packet_ipv6(&p, 0);
	q = p;
	packet_ipv6_twin(&q);
	for (int sn = 1; sn < 4; sn++) {
		p.data[p.sub + 20] = q.data[p.sub + 20] = sn;
		put(&p);
		put(&q);
	}
	seed();
}

/* Lengths that are just right, and too small */
static void lengths(void)
{
	struct frag f = { 1, 1, 8, 16 };
	struct packet p;

	for (int i = 0; i < 8; i++) {
		packet_rtps(&p, 2, 7411, 0x0110);
		f.start = 1 + i % 2;
		packet_data_frag(&p, 0, 0x103, 1 + i / 4, &f, 8);
		if (i & 2)
			packet_heartbeat(&p, 0x07, 0x103, 1);
		if (i & 4) {
			p.data[p.sub + 2] = i & 2 ? 4 : 28;
			p.len = i & 2 ? p.sub + 8 : p.len;
		}
		packet_end(&p, 0);
		put(&p);
	}
	f.sample = 0x00080180;	/* looks like a submessage */
	packet_rtps(&p, 2, 7411, 0x0110);
	packet_data_frag(&p, 0, 0x103, 3, &f, 8);
	p.data[p.sub + 2] = 28;
	packet_end(&p, 0);
	put(&p);
	seed();
}

/* GSO: what one datagram says must not be believed of the next. */
static void gso_apart(void)
{
	struct frag f = { 2, 1, 24, 14 * 24 };
	struct packet p;

	packet_rtps(&p, 2, 7411, 0x0110);
	packet_info_dst(&p);
	packet_info_ts_at(&p, 1700000000, 0);
	packet_data_frag(&p, 0, 0x303, 5, &f, 28);	/* to a multiple of 8 */
	f.start = 1;
	p.gso = p.len - p.udp - 8;
	packet_rtps_header(&p, 0x0110);
	packet_data_frag(&p, 0, 0x303, 5, &f, 24);
	packet_end(&p, 0);
	put(&p);
	packet_rtps(&p, 2, 7411, 0x0110);
	packet_info_dst(&p);
	packet_heartbeat(&p, 0x07, 0x703, 1);
	packet_zero(&p, 4);
	p.gso = p.len - p.udp - 8;
	packet_rtps_header(&p, 0x0110);
	packet_data(&p, PACKET_READER, 0x103, 9, 20);
	packet_end(&p, 0);
	put(&p);
	seed();

	packet_rtps(&p, 2, 7411, 0x0110);
	for (int i = 0; i < 14; i++) {
		f.start = i + 1;
		if (i)
			packet_rtps_header(&p, 0x0110);
		packet_data_frag(&p, 0, 0x103, 9, &f, 24);
	}
	p.gso = 80;
	packet_end(&p, 0);
	put(&p);
	seed();
}

/* Kinds of heartbeats, alone and with something else */
static void beats(void)
{
	static const uint8_t behind_it[] = { 0x01, 0x80, 0x06, 0x09 };
	struct packet p;

	for (int i = 0; i < 12; i++) {
		packet_rtps(&p, 2, 7411 + (i == 1), i & 1 ? 0x010f : 0x0110);
		if (i > 5) {
			packet_info_dst(&p);
			p.data[p.sub + 15] = i / 3;
		}
		packet_heartbeat(&p, i & 2 ? 0x13 : 0x07, 0x103, 1 + i / 4);
		p.data[p.sub + 1] |= i & 6;
		p.data[p.sub + 7] = i == 4;
		if (i > 3 && i < 8) {
			packet_sub(&p, behind_it[i - 4], 0);
			packet_zero(&p, 8);
			packet_sub_end(&p);
		}
		if (i == 9) {
			p.data[p.sub + 2] = 20;
			p.len -= 8;
		}
		packet_end(&p, i == 10 ? 100 : 0);
		if (i == 10)
			packet_ip(&p, 7, 0x2000);
		put(&p);
	}
	seed();
	/* two datagrams, of which one is directed */
	packet_rtps(&p, 2, 7411, 0x0110);
	packet_info_dst(&p);
	p.data[p.sub + 4] = 9;
	for (int i = 0; i < 5; i++) {
		packet_sub(&p, 0x01, 0);
		packet_sub_end(&p);
	}
	p.gso = p.len - p.udp - 8;
	packet_rtps_header(&p, 0x0110);
	packet_heartbeat(&p, 0x07, 0x103, 1);
	packet_end(&p, 0);
	put(&p);
	packet_rtps(&p, 2, 7411, 0x0110);
	packet_heartbeat(&p, 0x07, 0x103, 1);
	packet_end(&p, 0);
	put(&p);
	seed();
}

/* A writer's sample behind what is not looked at, or cannot be */
static void hidden(void)
{
	struct packet p;

	for (int n = 30; n < 34; n++) {
		packet_rtps(&p, 2, 7411, 0x0110);
		packet_data(&p, 0, 0x103, n, 8);
		packet_sub(&p, n & 1 ? 0x31 : 0x01, 0);
		packet_sub_end(&p);
		for (int i = 2; i < n; i++) {
			packet_sub(&p, 0x01, 0);
			packet_sub_end(&p);
		}
		packet_data(&p, 0, 0x103, n, 8);
		packet_end(&p, 0);
		put(&p);
	}
	seed();
}

/* A number that is too high, by @jump, then those before it */
static void numbers(int jump, int step)
{
	struct packet p;

	for (int i = 0; i < 22; i++) {
		packet_rtps(&p, 2, 7411, 0x0110);
		packet_data(&p, 0, 0x103, 9 + (i == 1 ? jump : i * step), 8);
		packet_end(&p, 0);
		put(&p);
	}
	seed();
}

/* The same for parts of messages: some have a second packet */
static void parts(void)
{
	struct frag f = { 1, 1, 8, 16 };
	struct packet p;

	for (int i = 0, sn = 9; i < 22; i++) {
		f.start = i == 6 || i == 12 ? 2 : 1;
		packet_rtps(&p, 2, 7411, 0x0110);
		packet_data_frag(&p, 0, 0x103, i == 1 ? 900 : sn, &f, 8);
		packet_end(&p, 0);
		put(&p);
		/* the one before a second packet is not over */
		sn += i != 1 && i != 5 && i != 11;
	}
	seed();
}

/* Heartbeats that differ in one thing */
static void twins(void)
{
	struct packet p;

	for (int i = 0; i < 6; i++) {
		packet_rtps(&p, 2, 7411, 0x0110);
		packet_heartbeat(&p, i < 3 ? 0x07 : 0x13, 0x103, 1 + i / 4);
		p.data[p.sub + 1] |= i == 1 ? 2 : i == 2 ? 4 : 0;
		if (i == 5) {
			packet_sub(&p, 0x80, 0);
			packet_zero(&p, 8);
			packet_sub_end(&p);
		}
		packet_end(&p, 0);
		put(&p);
	}
	seed();
}

static int seeds(void)
{
	plain();
	behind();
	several();
	fragments();
	frames();
	for (int port = 34283; port < 34286; port++)
		connection(port);
	segments();
	gso();
	gso_apart();
	ids_again();
	names();
	lengths();
	beats();
	hidden();
	numbers(1 << 19, 1);
	numbers(1 << 21, 1);
	numbers(400, 2);
	numbers(12, 1);
	parts();
	twins();
	return 0;
}

/* Packing */

static int pack_file(const char *name, FILE *out)
{
	char path[NAME];
	uint32_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "r");
	if (!f)
		return error(path);
	n = fread(input, 1, sizeof(input), f);
	fclose(f);
	if (n && (fwrite(&n, sizeof(n), 1, out) != 1 ||
		  fwrite(input, n, 1, out) != 1))
		return error("pack");
	return 0;
}

static int visible(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static int pack(const char *to)
{
	struct dirent **names;
	int err = 0, n = scandir(dir, &names, visible, alphasort);
	FILE *out;

	if (n < 0)
		return error(dir);
	out = fopen(to, "w");
	if (!out)
		return error(to);
	for (int i = 0; i < n; i++) {
		err = err ? err : pack_file(names[i]->d_name, out);
		free(names[i]);
	}
	free(names);
	return fclose(out) ? error(to) : err;
}

static int unpack(const char *from)
{
	FILE *f = fopen(from, "r");
	int n, err = 0;

	if (!f)
		return error(from);
	while (!err && (n = corpus_next(f, input)) > 0)
		err = write_file(dir, number++, input, n);
	if (n < 0)
		fprintf(stderr, "fuzz_corpus: %s: no corpus\n", from);
	fclose(f);
	return err || n < 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (argc == 3 && !strcmp(what, "seeds")) {
		dir = argv[2];
		return seeds();
	}
	if (argc == 4 && !strcmp(what, "pack")) {
		dir = argv[2];
		return pack(argv[3]);
	}
	if (argc == 4 && !strcmp(what, "unpack")) {
		dir = argv[3];
		return unpack(argv[2]);
	}
	fprintf(stderr,
		"usage: fuzz_corpus seeds DIR | pack DIR FILE | unpack FILE DIR\n");
	return 2;
}
