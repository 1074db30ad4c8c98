// SPDX-License-Identifier: GPL-2.0-only
/*
 * Captures of real traffic, cut to their headers: every message has one
 * first and one last packet, and no fragment is without its message. In other
 * frames, every packet gets the same tag.
 */
#include <stdlib.h>
#include <string.h>
#include "harness.h"

/* State of one message in a capture */
struct seen {
	int packets;
	int first;
	int last;
};

enum { SEEN_MAX = 64, TAGS_MAX = 4096 };
enum { ETHERNET, VLAN, NO_LINK, IPV6, FRAMES };

/* Tags of all packets of a capture, in each of its frames */
static struct optsample_tag tags[FRAMES][TAGS_MAX];

static FILE *capture(const char *name)
{
	const char *dir = getenv("OPTSAMPLE_CAPTURES");
	char path[512];

	snprintf(path, sizeof(path), "%s/%s.pcap",
		 dir ? dir : "../shared/data/captures", name);
	return fopen(path, "r");
}

static bool is_udp(const struct packet *p)
{
	return p->data[12] == 8 && !p->data[13] && p->data[14] == 0x45 &&
	       p->data[23] == 17;
}

static void reframe(struct packet *p, int frame)
{
	if (!is_udp(p))
		return;
	if (frame == VLAN)
		packet_vlan(p, 2);
	else if (frame == IPV6)
		packet_ipv6(p, PACKET_HOP | PACKET_DST);
	else if (frame == NO_LINK)
		packet_no_link(p);
}

/* A UDPROS connection announces itself with a first block of many. */
static void opt_in_connection(struct packet *p, int frame)
{
	if (!is_udp(p) || p->data[46] || !p->data[47] || p->data[21] ||
	    p->data[20] != 0x20)
		return;
	if (frame == NO_LINK)
		memcpy(p->data + 26, "\x08\x00", 2);
	opt_in_udpros(p, &(struct ros_writer){ .flow = 2 });
}

/* Opt in to the user writers that send data */
static void opt_in_all(FILE *f, int frame)
{
	struct packet p;

	while (packet_capture_next(f, &p) > 0) {
		if (memcmp(p.data + 42, "RTPS", 4)) {
			opt_in_connection(&p, frame);
			continue;
		}
		for (uint32_t s = 62; s + 16 < p.len && s < 100; s += 4) {
			const uint8_t *b = p.data + s;

			if ((b[0] == 0x15 || b[0] == 0x16) &&
			    b[1] < 8 && !(b[15] & 0xc0))
				opt_in(p.data + 50, b[12] << 24 | b[13] << 16 |
				       b[14] << 8 | b[15], 1);
		}
	}
	rewind(f);
}

/* Return: packets read, negative if there is no such capture */
static int replay(const char *name, int frame)
{
	FILE *f = capture(name);
	struct packet p;
	int n = 0;

	if (!f)
		return -1;
	fresh();
	opt_in_all(f, frame);
	while (n < TAGS_MAX && packet_capture_next(f, &p) > 0) {
		reframe(&p, frame);
		WANT(!tag_of(&p, &tags[frame][n++]));
	}
	fclose(f);
	return n;
}

/* Return: number of tagged packets */
static int count(int n, struct seen *seen)
{
	int marked = 0;

	memset(seen, 0, SEEN_MAX * sizeof(*seen));
	for (int i = 0; i < n; i++) {
		const struct optsample_tag *t = &tags[ETHERNET][i];

		marked += !!t->mark;
		if (!t->mark || t->mark & (CONTROL | REPAIR) ||
		    t->message >= SEEN_MAX)
			continue;
		seen[t->message].packets++;
		seen[t->message].first += !!(t->mark & FIRST);
		seen[t->message].last += !!(t->mark & LAST);
	}
	return marked;
}

/* Over IPv6 a flow has another id, but only one. */
static void want_same_tags(const char *name, int n, int frame)
{
	struct optsample_tag *a = tags[ETHERNET], *b = tags[frame];
	uint32_t from = 0, to = 0;

	WANT(replay(name, frame) == n);
	for (int i = 0; i < n; i++, a++, b++) {
		if (frame == IPV6 && a->flow) {
			WANT(a->flow != from || b->flow == to);
			from = a->flow;
			to = b->flow;
			b->flow = a->flow;
			/* the address is in the hash */
			WANT(!(a->mark & LATEST) || b->message);
			if (a->mark & LATEST)
				b->message = a->message;
		}
		WANT(!memcmp(a, b, sizeof(*a)));
	}
}

/*
 * Heartbeats of a reliable writer: they come alone, and of few kinds, or one
 * would not make the other needless.
 */
static void test_heartbeats(const char *name)
{
	int n = replay(name, ETHERNET), latest = 0, again = 0;
	char title[128];

	snprintf(title, sizeof(title), "capture %s: heartbeats", name);
	if (n < 0) {
		printf("ok %d - %s # SKIP no such file\n", ++tap.n, title);
		return;
	}
	for (int i = 0; i < n; i++) {
		const struct optsample_tag *t = &tags[ETHERNET][i];

		if (!(t->mark & LATEST))
			continue;
		WANT(t->mark & CONTROL && t->message);
		latest++;
		for (int k = 0; k < i; k++)
			if (tags[ETHERNET][k].mark & LATEST &&
			    tags[ETHERNET][k].message == t->message) {
				again++;
				break;
			}
	}
	printf("# %s: %d latest, %d of them again\n", name, latest, again);
	WANT(latest && again);
	done(title);
}

/* @whole messages of @packets packets each */
static void test_capture(const char *name, int whole, int packets)
{
	struct seen seen[SEEN_MAX];
	uint64_t orphans = counted(ROS_FRAG_OTHER);
	char title[128];
	int n, marked;

	snprintf(title, sizeof(title), "capture %s: %d messages of %d packets",
		 name, whole, packets);
	n = replay(name, ETHERNET);
	if (n < 0) {
		printf("ok %d - %s # SKIP no such file\n", ++tap.n, title);
		return;
	}
	marked = count(n, seen);
	WANT(n > 40);
	for (int i = 1; i <= whole; i++) {
		WANT(seen[i].packets == packets);
		WANT(seen[i].first == 1);
		WANT(seen[i].last == 1);
	}
	WANT(whole || !marked);
	WANT(!whole || counted(ROS_FRAG_OTHER) == orphans);
	if (tap.why)
		for (int i = 0; i < 5; i++)
			printf("# message %d: %d packets, %d first, %d last\n",
			       i, seen[i].packets, seen[i].first,
			       seen[i].last);
	done(title);

	want_same_tags(name, n, VLAN);
	want_same_tags(name, n, NO_LINK);
	if (strncmp(name, "f_udpros", 8))
		want_same_tags(name, n, IPV6);
	snprintf(title, sizeof(title),
		 "capture %s: VLAN, no link header, IPv6: the same tags",
		 name);
	done(title);
}

void test_captures(void)
{
	test_capture("f_cyc_be", 2, 457);
	test_capture("f_cyc_rel", 2, 457);
	test_capture("f_cyc_smallmsg", 10, 1);
	test_capture("f_fdds_be", 2, 424);
	test_capture("f_fdds_rel", 1, 424);
	test_heartbeats("f_cyc_rel");
	test_heartbeats("f_fdds_rel");
	test_capture("f_tcpros", 0, 0);
	test_capture("f_udpros1500", 2, 823);
}
