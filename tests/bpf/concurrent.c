// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two processors send at once, and their flows want the same slot of
 * `recent`. A slot changes hands all the time then; what must not happen is
 * that a packet gets the flow id, or a flow the number, of the other one. Or
 * both send on one UDPROS connection, whose messages the program counts: no
 * number may be given twice.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "harness.h"

enum { MESSAGES = 30000, PACKETS = 3 };

struct sender {
	pthread_t	thread;
	struct sender	*other;
	atomic_int	at;	/* message */
	uint16_t	port;
	uint32_t	flow;
	unsigned int	wrong;
};

static void part(struct packet *p, uint16_t port, int64_t sn, int k)
{
	struct frag f = { k + 1, 1, 1300, 1300 * PACKETS };

	packet_rtps(p, 2, port, CYCLONE);
	packet_data_frag(p, 0, PACKET_WRITER, sn, &f, 1300);
	packet_end(p, 0);
}

static void *send_all(void *arg)
{
	struct sender *s = arg;
	struct optsample_tag t;
	struct packet p;
	int want;

	for (int sn = 2; sn < MESSAGES; sn++) {
		/* the same message at the same time is the hardest */
		atomic_store(&s->at, sn);
		while (atomic_load(&s->other->at) < sn - 1)
			sched_yield();
		for (int k = 0; k < PACKETS; k++) {
			part(&p, s->port, sn, k);
			want = (k ? 0 : FIRST) | (k < PACKETS - 1 ? 0 : LAST);
			s->wrong += tag_of(&p, &t) || t.flow != s->flow ||
				    t.mark != (OPTSAMPLE_TAG_MARK | want);
		}
	}
	atomic_store(&s->at, MESSAGES);
	return NULL;
}

static uint32_t slot_of(uint32_t id)
{
	struct ros_flow flow;

	WANT(!bpf_map_lookup_elem(bpf.flows, &id, &flow));
	return ros_recent_slot(ros_recent_hash(&flow.name));
}

static void run_both(struct sender *s, void *(*what)(void *))
{
	s[0].other = &s[1];
	s[1].other = &s[0];
	for (int i = 0; i < 2; i++)
		if (pthread_create(&s[i].thread, NULL, what, &s[i]))
			abort();
	for (int i = 0; i < 2; i++) {
		pthread_join(s[i].thread, NULL);
		WANT(!s[i].wrong);
	}
}

static void two_flows(void)
{
	static struct sender s[2] = { { .port = 7411 }, { .port = 7411 } };
	struct optsample_tag t;
	struct packet p;

	fresh();
	part(&p, s[0].port, 1, 0);
	WANT(!tag_of(&p, &t));
	s[0].flow = t.flow;
	do {
		part(&p, ++s[1].port, 1, 0);
		WANT(!tag_of(&p, &t));
		s[1].flow = t.flow;
	} while (slot_of(s[1].flow) != slot_of(s[0].flow) && !tap.why);
	run_both(s, send_all);
	done("recent: two processors, two flows in one slot");
}

static atomic_uchar given[2 * MESSAGES + 1];	/* numbers, how often */

/* Messages of one block, with odd or even ids */
static void *send_udpros(void *arg)
{
	struct sender *s = arg;
	struct optsample_tag t;
	struct packet p;

	for (int i = 0; i < MESSAGES; i++) {
		packet_udp(&p, 2, 34283);
		packet_udpros(&p, 0, 1 + 2 * (i % 100) + s->port, 1);
		packet_end(&p, 0);
		if (tag_of(&p, &t) || t.flow != s->flow ||
		    t.message > 2 * MESSAGES)
			s->wrong++;
		else if (t.mark == (OPTSAMPLE_TAG_MARK | FIRST | LAST))
			s->wrong += given[t.message]++;
		else	/* the other one was quicker */
			s->wrong += t.mark != (OPTSAMPLE_TAG_MARK | CONTROL) &&
				    t.mark != (OPTSAMPLE_TAG_MARK | REPAIR);
	}
	return NULL;
}

static void one_connection(void)
{
	static struct sender s[2] = { { .port = 0 }, { .port = 1 } };
	struct optsample_tag t;
	struct packet p;

	fresh();
	packet_udp(&p, 2, 34283);
	packet_udpros(&p, 2, 0, 0);
	packet_end(&p, 0);
	opt_in_udpros(&p, &(struct ros_writer){ .flow = 9 });
	WANT(flags(&p, &t) == CONTROL);
	s[0].flow = t.flow;
	s[1].flow = t.flow;
	run_both(s, send_udpros);
	done("UDPROS: two processors, one connection");
}

void test_concurrent(void)
{
	two_flows();
	one_connection();
}
