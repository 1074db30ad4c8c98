// SPDX-License-Identifier: GPL-2.0-only
/*
 * Captures of real traffic, cut to their headers: every message has one
 * first and one last packet, and no fragment is without its message.
 */
#include <stdlib.h>
#include <string.h>
#include "harness.h"

/* What was seen of one message in a capture */
struct seen {
	int packets;
	int first;
	int last;
};

enum { SEEN_MAX = 64 };

static FILE *capture(const char *name)
{
	const char *dir = getenv("OPTSAMPLE_CAPTURES");
	char path[512];

	snprintf(path, sizeof(path), "%s/%s.pcap",
		 dir ? dir : "../shared/data/captures", name);
	return fopen(path, "r");
}

/* Opt in to the user writers that send data */
static void opt_in_all(FILE *f)
{
	struct packet p;

	while (packet_capture_next(f, &p) > 0) {
		if (memcmp(p.data + 42, "RTPS", 4))
			continue;
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
static int replay(const char *name, struct seen *seen, int *marked)
{
	struct optsample_tag t;
	FILE *f = capture(name);
	struct packet p;
	int n, fl;

	if (!f)
		return -1;
	fresh();
	memset(seen, 0, SEEN_MAX * sizeof(*seen));
	*marked = 0;
	opt_in_all(f);
	for (n = 0; packet_capture_next(f, &p) > 0; n++) {
		fl = flags(&p, &t);
		if (fl == NONE)
			continue;
		++*marked;
		if (fl & (CONTROL | REPAIR) || t.message >= SEEN_MAX)
			continue;
		seen[t.message].packets++;
		seen[t.message].first += !!(fl & FIRST);
		seen[t.message].last += !!(fl & LAST);
	}
	fclose(f);
	return n;
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
	n = replay(name, seen, &marked);
	if (n < 0) {
		printf("ok %d - %s # SKIP no such file\n", ++tap.n, title);
		return;
	}
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
}

void test_captures(void)
{
	test_capture("f_cyc_be", 2, 457);
	test_capture("f_cyc_rel", 2, 457);
	test_capture("f_cyc_smallmsg", 10, 1);
	test_capture("f_fdds_be", 2, 424);
	test_capture("f_fdds_rel", 1, 424);
	test_capture("f_tcpros", 0, 0);
	test_capture("f_udpros1500", 0, 0);
}
