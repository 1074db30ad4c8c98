// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_link_device - route, carrier and qdisc of a device, in a network
 * namespace of its own
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/pkt_sched.h>
#include <linux/pkt_sch_optsample.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "link/link.h"
#include "tap.h"

#define SECOND	1000000000ULL

static uint64_t now = 1;

static bool shell(const char *command)
{
	return system(command) == 0;
}

static struct sockaddr_in address(const char *text)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = 9 };

	inet_pton(AF_INET, text, &a.sin_addr);
	return a;
}

/* No host answers there: a static neighbour, so that datagrams are queued */
static void send_some(unsigned int count)
{
	struct sockaddr_in to = address("10.9.0.2");
	int s = socket(AF_INET, SOCK_DGRAM, 0);
	static char data[1000];

	while (count--)
		if (sendto(s, data, sizeof(data), MSG_DONTWAIT,
			   (struct sockaddr *)&to, sizeof(to)) < 0)
			continue;
	close(s);
}

/* The route is looked up every 2 s */
static int poll_again(struct link *l, struct link_stats *st)
{
	now += 3 * SECOND;
	return link_poll(l, now, st);
}

static void test_none(struct link *l)
{
	struct sockaddr bad = { .sa_family = AF_UNIX };
	struct link_stats st;
	struct link *none;

	ok_eq(link_open(&bad, &none), -EAFNOSUPPORT,
	      "an address of another family");
	ok(!none, "an address of another family");
	ok_eq(poll_again(l, &st), -ENODEV, "no route: no device");
	ok(!st.known, "no route: no device");
	link_close(NULL);
}

static void test_veth(struct link *l)
{
	struct link_stats st, later;
	int err;

	ok(shell("ip link add a0 type veth peer name b0 && "
		 "ip link set b0 up && ip addr add 10.9.0.1/24 dev a0 && "
		 "ip link set a0 up && ip neigh add 10.9.0.2 "
		 "lladdr 02:00:00:00:00:01 dev a0"), "veth");
	ok(!poll_again(l, &st), "a route: the device has a carrier");
	ok(st.known, "a route: the device has a carrier");
	ok(st.carrier, "a route: the device has a carrier");
	ok(st.ifindex > 0, "a route: the device has a carrier");
	ok(!st.sampling, "a device without a queue");
	ok(!st.backlog, "a device without a queue");
	shell("tc qdisc add dev a0 root pfifo limit 100");
	ok(!poll_again(l, &st), "pfifo");
	send_some(10);
	err = link_poll(l, now, &later);
	ok(!err, "bytes that left: %llu",
	   (unsigned long long)(later.bytes - st.bytes));
	ok(later.bytes - st.bytes >= 10000, "bytes that left: %llu",
	   (unsigned long long)(later.bytes - st.bytes));
	shell("tc qdisc replace dev a0 root tbf rate 8kbit burst 2000 "
	      "limit 20000");
	send_some(40);
	err = poll_again(l, &st);
	ok(!err, "tbf: %u bytes wait", st.backlog);
	ok(st.backlog > 10000, "tbf: %u bytes wait", st.backlog);
	ok(st.backlog <= 20000, "tbf: %u bytes wait", st.backlog);
	ok(st.drops > 0, "tbf: %u dropped", st.drops);
	shell("ip link set b0 down");
	ok(!link_poll(l, now, &st), "the carrier is gone");
	ok(!st.carrier, "the carrier is gone");
	shell("ip link set b0 up");
	ok(!link_poll(l, now, &st), "and back");
	ok(st.carrier, "and back");
}

static void test_ifb(struct link *l)
{
	struct link_stats st;
	int before;

	poll_again(l, &st);
	before = st.ifindex;
	if (!shell("ip link add opt-a0 type ifb 2>/dev/null")) {
		ok(true, "the queue of an ifb # SKIP no ifb");
		return;
	}
	ok(!poll_again(l, &st),
	   "the queue of an ifb, the carrier of the device");
	ok(st.ifindex != before,
	   "the queue of an ifb, the carrier of the device");
	ok(st.carrier, "the queue of an ifb, the carrier of the device");
	shell("ip link del opt-a0");
	link_poll(l, now, &st);
	ok(!poll_again(l, &st), "without the ifb");
	ok_eq(st.ifindex, before, "without the ifb");
}

static void test_gone(struct link *l)
{
	struct link_stats st;

	shell("ip link del a0");
	ok_eq(link_poll(l, now, &st), -ENODEV, "the device is gone");
	ok(!st.known, "the device is gone");
	shell("ip link add c0 type veth peer name d0 && ip link set d0 up && "
	      "ip addr add 10.9.0.1/24 dev c0 && ip link set c0 up");
	ok(!link_poll(l, now, &st), "another one, at once");
	ok(st.known, "another one, at once");
}

static void test_six(void)
{
	struct sockaddr_in6 to = { .sin6_family = AF_INET6 };
	struct link_stats st;
	struct link *l;

	inet_pton(AF_INET6, "fd00::2", &to.sin6_addr);
	shell("ip addr add fd00::1/64 dev c0 nodad 2>/dev/null");
	ok(!link_open((struct sockaddr *)&to, &l), "IPv6");
	if (access("/proc/net/if_inet6", F_OK))
		ok(true, "a route of IPv6 # SKIP no IPv6");
	else
		ok(!link_poll(l, 1, &st) && st.known, "a route of IPv6");
	link_close(l);
}

/* Counters of the qdisc, also of a kernel with fewer or more of them */
static void test_sampler(void)
{
	struct {
		struct tc_optsample_xstats st;
		uint64_t more;
	} newer = { .st.type = TC_OPTSAMPLE_XSTATS_QDISC };
	struct tc_optsample_qd_stats *q = &newer.st.qdisc;
	struct link_stats s = { 0 };

	q->backlog_msgs = 7;
	q->oldest_ns = 2500000000;
	q->c.msgs_out = 100;
	q->c.msgs_sampled = 20;
	q->c.msgs_evicted = 3;
	for (size_t n = 0; n < offsetof(struct tc_optsample_xstats,
					qdisc.ordinary_qlen); n++)
		link_sampler(&newer, n, &s);
	ok(!s.counted, "counters of the qdisc that are cut short");
	link_sampler(&newer, offsetof(struct tc_optsample_xstats,
				      qdisc.ordinary_qlen), &s);
	ok(s.counted, "counters of the qdisc");
	ok_eq(s.held, 7, "counters of the qdisc");
	ok(s.oldest == 2.5, "counters of the qdisc");
	ok_eq(s.sent, 100, "counters of the qdisc");
	ok_eq(s.discarded, 20, "counters of the qdisc");
	ok_eq(s.evicted, 3, "counters of the qdisc");
	s = (struct link_stats){ 0 };
	link_sampler(&newer, sizeof(newer), &s);
	ok(s.counted, "of a newer one");
	ok_eq(s.held, 7, "of a newer one");
	s = (struct link_stats){ 0 };
	newer.st.type++;
	link_sampler(&newer, sizeof(newer), &s);
	ok(!s.counted, "those of a class are others");
}

int main(void)
{
	struct sockaddr_in to = address("10.9.0.2");
	struct link *l;

	if (geteuid() || unshare(CLONE_NEWNET) ||
	    !shell("ip link set lo up")) {
		printf("1..0 # SKIP no network namespace\n");
		return 0;
	}
	if (!ok(!link_open((struct sockaddr *)&to, &l), "open"))
		return tap_done();
	test_none(l);
	test_veth(l);
	test_ifb(l);
	test_gone(l);
	test_six();
	test_sampler();
	link_close(l);
	return tap_done();
}
