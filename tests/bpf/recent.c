// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is known of a flow without a look-up, and flows with one id.
 */
#include <stdlib.h>
#include <string.h>
#include "harness.h"

/* The packet of @sn to a port of 10.0.0.2 */
static int to_port(uint16_t port, int64_t sn, struct optsample_tag *t)
{
	struct packet p;

	packet_rtps(&p, 2, port, CYCLONE);
	packet_data(&p, 0, PACKET_WRITER, sn, 100);
	packet_end(&p, 0);
	return flags(&p, t);
}

static uint32_t slot_of(const struct optsample_tag *t)
{
	struct ros_flow flow;

	WANT(!bpf_map_lookup_elem(bpf.flows, &t->flow, &flow));
	return ros_recent_slot(ros_recent_hash(&flow.name));
}

/* The cached state of a flow is the same as the looked-up one. */
static void recent_numbers(void)
{
	struct optsample_tag a, b;
	struct ros_guid guid;
	struct packet p;
	int sn, port = 7412;

	fresh();
	for (sn = 1; sn < ROS_RECENT_FOR; sn++)
		WANT(to_port(7411, sn, &a) == (FIRST | LAST));
	WANT(to_port(7411, 5, &b) == REPAIR && b.flow == a.flow);
	WANT(to_port(7411, sn - 2, &b) == REPAIR && b.flow == a.flow);
	memcpy(guid.prefix, packet_prefix, sizeof(guid.prefix));
	guid.entity = __builtin_bswap32(PACKET_WRITER);
	WANT(!bpf_map_delete_elem(bpf.writers, &guid));
	for (sn = ROS_RECENT_FOR; sn < 2 * ROS_RECENT_FOR; sn++)
		WANT(to_port(7411, sn, NULL) == NONE);
	done("recent: age of a message; a writer that is taken out");

	fresh();
	to_port(7411, 1, &a);
	do {
		WANT(to_port(port++, 1, &b) == (FIRST | LAST));
	} while (slot_of(&b) != slot_of(&a) && port < 65535);
	port--;
	for (sn = 2; sn < 20; sn++) {
		WANT(to_port(7411, sn, NULL) == (FIRST | LAST));
		WANT(to_port(7411, sn, NULL) == (FIRST | LAST));
	}
	WANT(to_port(port, 2, NULL) == (FIRST | LAST));
	WANT(to_port(7411, 18, NULL) == REPAIR);
	WANT(to_port(port, 1, NULL) == REPAIR);
	done("recent: two flows in one slot");

	fresh();
	for (sn = 1; sn < 10; sn++)
		to_port(7411, sn, &a);
	for (; sn < 20; sn++)
		to_port(7412, sn, &b);
	for (; sn < 30; sn++)
		to_port(7411, sn, NULL);
	packet_rtps(&p, 2, 7413, CYCLONE);
	packet_heartbeat(&p, 0x07, PACKET_WRITER, 29);
	packet_end(&p, 0);
	WANT(flags(&p, &b) == (CONTROL | LATEST) && b.flow == a.flow);
	done("recent: control goes where the data went back to");

	fresh();
	packet_rtps(&p, 0, 0, CYCLONE);
	packet_data(&p, 0, 0, 1, 100);
	memset(p.data + 30, 0, 4);
	memset(p.data + 50, 0, 12);
	packet_end(&p, 0);
	WANT(flags(&p, NULL) == NONE);
	done("recent: no name is no flow");
}

/* An id that is in use by another flow: a second id; both in use: untagged */
static void collision(void)
{
	struct ros_flow other = { .name.dport = 1 };
	struct optsample_tag a, b;
	uint64_t before = counted(ROS_COLLISION);
	struct packet p;

	fresh();
	data(&p, 1);
	flags(&p, &a);
	bpf_map_update_elem(bpf.flows, &a.flow, &other, BPF_ANY);
	data(&p, ROS_RECENT_FOR);
	WANT(flags(&p, &b) == (FIRST | LAST));
	WANT(b.flow && b.flow != a.flow);
	bpf_map_update_elem(bpf.flows, &b.flow, &other, BPF_ANY);
	data(&p, 2 * ROS_RECENT_FOR);
	WANT(flags(&p, NULL) == NONE);
	WANT(counted(ROS_COLLISION) == before + 1);
	done("flow ids that collide");
}

void test_recent(void)
{
	recent_numbers();
	collision();
}
