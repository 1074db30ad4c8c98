// SPDX-License-Identifier: GPL-2.0-only
/*
 * Broken packets: whatever they hold, a tag is of the writer that they name,
 * and the fast path through RTPS judges as the walk does.
 */
#include <stdlib.h>
#include <string.h>
#include "harness.h"

/* Whatever @p is: its tag may only be of the writer it names. */
static void want_honest(const struct packet *p)
{
	struct optsample_tag t;
	struct ros_flow flow;
	int fl = flags(p, &t);

	if (fl == NONE)
		return;
	WANT(!bpf_map_lookup_elem(bpf.flows, &t.flow, &flow));
	WANT(!memcmp(flow.name.writer.prefix, packet_prefix, 12));
	WANT(flow.name.writer.entity == __builtin_bswap32(PACKET_WRITER));
	if (fl & (CONTROL | REPAIR))
		return;
	WANT(!memcmp(&flow.name.daddr, p->data + 30, 4));
	WANT(!memcmp(&flow.name.dport, p->data + 36, 2));
}

static void truncated(void)
{
	struct packet p, cut;

	fresh();
	packet_rtps(&p, 2, 7411, CYCLONE);
	packet_info_ts(&p);
	packet_data(&p, 0, PACKET_WRITER, 1, 40);
	packet_heartbeat(&p, 0x07, PACKET_WRITER, 1);
	packet_end(&p, 0);
	for (uint32_t n = 35; n < p.len; n++) {
		cut = p;
		cut.len = n;
		want_honest(&cut);
		packet_end(&cut, 0);	/* lengths that match */
		want_honest(&cut);
	}
	done("cut at every byte behind the IP header");
}

static void flipped(void)
{
	struct frag f = { 1, 1, 400, 1200 };
	struct packet p, bad;

	for (int kind = 0; kind < 2; kind++) {
		fresh();
		opt_in(packet_prefix, PACKET_OTHER, 2);
		packet_rtps(&p, 2, 7411, CYCLONE);
		packet_info_ts(&p);
		if (kind)
			packet_data(&p, 0, PACKET_WRITER, 5, 8);
		else
			packet_data_frag(&p, 0, PACKET_WRITER, 5, &f, 400);
		packet_heartbeat(&p, 0x07, PACKET_WRITER, 5);
		packet_end(&p, 0);
		for (uint32_t bit = 12 * 8; bit < 130 * 8; bit++) {
			bad = p;
			if (bit / 8 >= bad.len)
				break;
			bad.data[bit / 8] ^= 1 << bit % 8;
			want_honest(&bad);
		}
	}
	done("every bit flipped");

	fresh();
	srand(1);
	for (int i = 0; i < 20000; i++) {
		bad = p;
		for (int k = rand() % 8; k >= 0; k--)
			bad.data[42 + rand() % (bad.len - 42)] = rand();
		want_honest(&bad);
	}
	done("20000 packets with random bytes");
}

/* Padding after the datagram, as of drivers: such a packet is walked */
static void want_same(const struct packet *p)
{
	struct optsample_tag t = { 0 }, u = { 0 };
	struct packet padded = *p;
	int fl, walked;

	padded.data[padded.len++] = 0;
	fl = flags(p, &t);
	walked = flags(&padded, &u);
	WANT(fl == walked);
	WANT(!memcmp(&t, &u, sizeof(t)));
}

/* As Fast DDS after everything that is not cut */
static void statistics(struct packet *p)
{
	packet_sub(p, 0x80, 0);
	packet_zero(p, 56);
	packet_sub_end(p);
}

/*
 * @kind: bit 0 DATA_FRAG, 1 INFO_TS, 2 a heartbeat behind, 3 no length, 4 as
 * Fast DDS
 */
static void one_sample(struct packet *p, int kind)
{
	static const struct frag f[] = {
		{ 1, 1, 400, 1200 }, { 2, 1, 400, 1200 }, { 3, 1, 400, 1200 },
		{ 1, 1, 400, 400 },
	};

	packet_rtps(p, 2, 7411, kind & 16 ? FASTDDS : CYCLONE);
	if (kind & 16 || !(rand() % 8))
		packet_info_dst(p);
	if (kind & 2)
		packet_info_ts(p);
	if (kind & 1)
		packet_data_frag(p, 0, PACKET_WRITER, 5, &f[rand() % 4], 400);
	else
		packet_data(p, 0, PACKET_WRITER, 5, rand() % 60);
	if (kind & 8)
		p->data[p->sub + 2] = p->data[p->sub + 3] = 0;
	if (kind & 4)
		packet_heartbeat(p, rand() % 2 ? 0x07 : 0x13, rand() % 2 ?
				 PACKET_WRITER : PACKET_OTHER, 5);
	if (kind & 16)
		statistics(p);
	packet_end(p, 0);
}

static void fast(void)
{
	struct packet p, bad;
	int tagged = 0;
	uint32_t span;

	srand(2);
	fresh();
	for (int i = 0; i < 60000; i++) {
		one_sample(&p, i % 32);
		tagged += flags(&p, NULL) != NONE;
		want_same(&p);
		bad = p;
		span = i & 32 ? 40 : bad.len - 62;
		for (int k = rand() % 4; k >= 0; k--) {
			uint8_t *b = &bad.data[62 + rand() % span];

			*b = rand() % 2 ? *b ^ 1 << rand() % 8 : rand();
		}
		want_same(&bad);
		if (!(i & 4))
			continue;
		bad = p;	/* a heartbeat that is too short */
		bad.data[bad.sub + 2] = i / 32 % 12;
		bad.len = bad.sub + 4 + i / 32 % 12;
		packet_end(&bad, 0);
		want_same(&bad);
	}
	WANT(tagged == 60000);
	done("60000 packets, whole and broken: the fast path is as the walk");
}

void test_broken(void)
{
	truncated();
	flipped();
	fast();
}
