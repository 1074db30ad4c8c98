// SPDX-License-Identifier: GPL-2.0-only
/*
 * Control that newer control replaces: one heartbeat of one writer, and nothing
 * else. And control that must not be lost.
 */
#include <string.h>
#include "harness.h"

enum { HEARTBEAT = 0x07, GAP = 0x08, HEARTBEAT_FRAG = 0x13, PAD = 0x01 };

/* A heartbeat alone, to a host; further submessages can follow it */
static void beat(struct packet *p, uint8_t id, uint8_t host, int64_t sn)
{
	packet_rtps(p, host, 7411, CYCLONE);
	packet_heartbeat(p, id, PACKET_WRITER, sn);
}

/* Return: flags of the finished packet, its hash in @hash */
static int end(struct packet *p, uint32_t *hash)
{
	struct optsample_tag t;
	int fl;

	packet_end(p, 0);
	fl = flags(p, &t);
	WANT(!t.pos_lo && !t.pos_hi);
	WANT(!!t.message == !!(fl & LATEST));
	*hash = t.message;
	return fl;
}

static int beat_at(uint8_t id, uint8_t host, int64_t sn, uint32_t *hash)
{
	struct packet p;

	beat(&p, id, host, sn);
	return end(&p, hash);
}

static void same(void)
{
	struct optsample_tag d, t;
	struct packet p;
	uint32_t a, b;

	fresh();
	data(&p, 1);
	flags(&p, &d);
	WANT(beat_at(HEARTBEAT, 2, 1, &a) == (CONTROL | LATEST));
	WANT(beat_at(HEARTBEAT, 2, 9, &b) == (CONTROL | LATEST) && a == b);
	beat(&p, HEARTBEAT, 2, 1);
	packet_end(&p, 0);
	flags(&p, &t);
	WANT(t.flow == d.flow);
	WANT(beat_at(HEARTBEAT_FRAG, 2, 5, &a) == (CONTROL | LATEST));
	WANT(beat_at(HEARTBEAT_FRAG, 2, 5, &b) == (CONTROL | LATEST) && a == b);
	packet_rtps(&p, 2, 7411, CYCLONE);
	p.big = true;
	packet_info_dst(&p);
	packet_info_ts(&p);
	packet_heartbeat(&p, HEARTBEAT, PACKET_WRITER, 1);
	packet_info_ts(&p);
	packet_sub(&p, PAD, 0);
	packet_sub_end(&p);
	WANT(end(&p, &a) == (CONTROL | LATEST));
	packet_rtps(&p, 2, 7411, FASTDDS);
	packet_info_dst(&p);
	packet_heartbeat(&p, HEARTBEAT, PACKET_WRITER, 1);
	packet_sub(&p, 0x80, 0);
	packet_zero(&p, 56);
	packet_sub_end(&p);
	WANT(end(&p, &b) == (CONTROL | LATEST) && a == b);
	done("latest: a heartbeat alone; with INFO_DST, INFO_TS, statistics");
}

/* Each must be kept besides the others: all of their hashes differ */
static void different(void)
{
	uint32_t h[9], n = 0;
	struct packet p;

	fresh();
	beat_at(HEARTBEAT, 2, 1, &h[n++]);
	beat_at(HEARTBEAT, 3, 1, &h[n++]);
	beat_at(HEARTBEAT_FRAG, 2, 1, &h[n++]);
	beat_at(HEARTBEAT_FRAG, 2, 2, &h[n++]);
	beat(&p, HEARTBEAT, 2, 1);
	p.data[p.sub + 7] = 4;		/* reader */
	end(&p, &h[n++]);
	beat(&p, HEARTBEAT, 2, 1);
	p.data[p.sub + 1] |= 2;		/* needs no answer */
	end(&p, &h[n++]);
	packet_rtps(&p, 2, 7412, CYCLONE);
	packet_heartbeat(&p, HEARTBEAT, PACKET_WRITER, 1);
	end(&p, &h[n++]);
	for (int byte = 0; byte < 12; byte += 11) {
		packet_rtps(&p, 2, 7411, CYCLONE);
		packet_info_dst(&p);
		p.data[p.sub + 4 + byte] = 1;
		packet_heartbeat(&p, HEARTBEAT, PACKET_WRITER, 1);
		end(&p, &h[n++]);
	}
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < i; k++)
			WANT(h[i] != h[k]);
	done("latest: another reader, place, kind, sample, answer: another hash");
}

/* Followed by data that only this packet has */
static void not_alone(void)
{
	static const uint8_t ids[] = {
		HEARTBEAT, HEARTBEAT_FRAG, GAP,
		0x06,		/* ACKNACK */
		0x0f,		/* INFO_REPLY */
		0x55,		/* unknown */
	};
	struct packet p;
	uint32_t hash;

	fresh();
	for (unsigned int i = 0; i < sizeof(ids); i++)
		for (uint32_t w = PACKET_WRITER; w <= PACKET_OTHER;
		     w += PACKET_OTHER - PACKET_WRITER) {
			beat(&p, HEARTBEAT, 2, 1);
			packet_heartbeat(&p, ids[i], w, 1);
			WANT(end(&p, &hash) == CONTROL);
		}
	WANT(beat_at(GAP, 2, 1, &hash) == CONTROL);
	beat(&p, HEARTBEAT, 2, 1);
	packet_data(&p, 0, PACKET_OTHER, 1, 20);
	WANT(end(&p, &hash) == CONTROL);
	packet_rtps(&p, 2, 7411, CYCLONE);
	packet_heartbeat(&p, 0x06, PACKET_OTHER, 1);
	packet_heartbeat(&p, HEARTBEAT, PACKET_WRITER, 1);
	WANT(end(&p, &hash) == CONTROL);
	done("latest: not with control of others, GAP, ACKNACK, data");

	beat(&p, HEARTBEAT, 2, 1);
	packet_end(&p, 1000);
	packet_ip(&p, 5, 0x2000);
	WANT(flags(&p, NULL) == CONTROL);
	beat(&p, HEARTBEAT, 2, 1);
	for (int i = 0; i < 40; i++) {
		packet_sub(&p, PAD, 0);
		packet_sub_end(&p);
	}
	WANT(end(&p, &hash) == CONTROL);
	beat(&p, HEARTBEAT, 2, 1);
	p.data[p.sub + 2] = 20;		/* too short for one */
	p.len -= 8;
	WANT(end(&p, &hash) == CONTROL);
	beat(&p, HEARTBEAT, 2, 1);
	p.gso = p.len - p.udp - 8;
	packet_bytes(&p, p.data + p.udp + 8, p.gso);
	WANT(end(&p, &hash) == CONTROL);
	done("latest: not if something is unseen, missing, or there twice");
}

void test_latest(void)
{
	same();
	different();
	not_alone();
}
