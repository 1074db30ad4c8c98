// SPDX-License-Identifier: GPL-2.0-only
/*
 * Old numbers: retransmitted, or has numbering gone back?
 */
#include "harness.h"

enum { JUMP = 1 << 19, UNSENT = 16, SENT = 257 };

static int send_data(int64_t sn)
{
	struct packet p;

	data(&p, sn);
	return flags(&p, NULL);
}

/* Messages @from..@to: do they all get @want? */
static void want_all(int64_t from, int64_t to, int want)
{
	for (int64_t sn = from; sn <= to; sn++)
		WANT(send_data(sn) == want);
}

/* One number that is far too high, then none near it */
static void jump(void)
{
	struct packet p;

	fresh();
	want_all(1, 10, FIRST | LAST);
	want_all(10 + JUMP, 10 + JUMP, FIRST | LAST);
	want_all(11, 10 + UNSENT - 1, REPAIR);
	want_all(10 + UNSENT, 200, FIRST | LAST);
	want_all(199, 199, REPAIR);
	done("restart: one number that is 2^19 too high");

	fresh();
	want_all(1, 10, FIRST | LAST);
	want_all(10 + JUMP, 10 + JUMP, FIRST | LAST);
	for (int sn = 11; sn < 60; sn++)
		for (uint32_t k = 1; k <= 3; k++) {
			int want = k == 1 ? FIRST : k == 3 ? LAST : 0;

			datagram(&p, sn, k);
			WANT(flags(&p, NULL) ==
			     (sn < 10 + UNSENT ? REPAIR : want));
		}
	done("restart: counted are messages, not packets");
}

static void retransmits(void)
{
	fresh();
	want_all(1, 300, FIRST | LAST);
	want_all(20, 20 + SENT - 2, REPAIR);
	want_all(301, 310, FIRST | LAST);
	done("retransmits: as many as a reader can ask for at once");

	fresh();
	want_all(1, 10, FIRST | LAST);
	want_all(200, 200, FIRST | LAST);
	for (int sn = 20; sn < 100; sn++) {
		WANT(send_data(sn) == REPAIR);
		WANT(send_data(sn + 181) == (FIRST | LAST));
	}
	for (int sn = 198; sn > 100; sn--)
		WANT(send_data(sn) == REPAIR);
	done("retransmits: new data in between, or not one after the other");
}

static void again(void)
{
	fresh();
	want_all(1, 1000, FIRST | LAST);
	want_all(1, SENT - 1, REPAIR);
	want_all(SENT, 2000, FIRST | LAST);
	done("restart: numbers that have been sent before");
}

void test_restart(void)
{
	jump();
	retransmits();
	again();
}
