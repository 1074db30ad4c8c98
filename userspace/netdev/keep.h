/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keep the addresses of an interface whose network manager removes them.
 *
 * systemd-networkd and dhcpcd remove a DHCP address when the carrier is lost,
 * NetworkManager after 15 s. Then neither the queue nor subscribers on the
 * robot get anything: sendto() fails in the routing tables.
 *
 * keep-DEV is an optsample device (or an ifb) with the same routes as DEV, with
 * the worst metric.
 * The addresses of DEV are local there, too. When DEV's are removed, these
 * remain: no packet is lost in between, and no action of the manager is undone.
 * It sends by DEV, and so by the queue; for an ifb bpf/keep.bpf.c does that.
 *
 * Temporary IPv6 addresses are removed with their base address, and the kernel
 * makes new ones when that is back. Running nodes still use the old ones, so
 * they are restored on DEV.
 *
 * An address is kept until DEV has it again, or gets another one, or its lease
 * is over. Those of keep-DEV disappear 30 s after the daemon died: IPv6
 * addresses and routes have a lifetime; IPv4 routes are flushed with the
 * marker, the only IPv4 address of keep-DEV, which has one.
 *
 *   keep.c		what is kept, and until when
 *   keep_link.c	read the state of DEV, write that of keep-DEV
 *   network.c		which Wi-Fi network DEV is in
 */
#ifndef NETDEV_KEEP_H
#define NETDEV_KEEP_H

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/ip_addr.h"
#include "netdev/log.h"

enum {
	KEEP_ADDRS	= 32,
	KEEP_TEMPORARY	= 8,	/* temporary ones of these */
	KEEP_ROUTES	= 64,
	KEEP_TEXT	= 256,
};

#define KEEP_FOREVER	UINT64_MAX

/**
 * struct keep_addr - an address that DEV has or had
 * @addr:	address
 * @plen:	length of its prefix, bits
 * @until:	end of its lease, ms; KEEP_FOREVER
 * @written:	when it was last set on keep-DEV, ms; 0: not yet
 * @here:	DEV has it
 * @lost_at:	since when DEV lacks it, ms
 * @sure:	it is valid in the network that DEV is in now
 * @temporary:	a temporary IPv6 address that the kernel made for another one,
 *		or that was restored on DEV
 * @restore:	set it on DEV again
 */
struct keep_addr {
	struct ip_addr	addr;
	uint8_t			plen;
	uint64_t		until;
	uint64_t		written;
	bool			here;
	uint64_t		lost_at;
	bool			sure;
	bool			temporary;
	bool			restore;
};

/**
 * struct keep_route - a route that DEV has or had
 * @to:		destination
 * @plen:	length of its prefix, bits
 * @via:	gateway; family 0: none
 * @table:	number of the routing table
 * @src:	source address for IPv4; family 0: none
 * @here:	DEV has it
 * @lost_at:	since when DEV lacks it, ms
 * @written:	when it was last set on keep-DEV, ms; 0: not yet
 */
struct keep_route {
	struct ip_addr	to;
	uint8_t			plen;
	struct ip_addr	via;
	uint32_t		table;
	struct ip_addr	src;
	bool			here;
	uint64_t		lost_at;
	uint64_t		written;
};

/**
 * struct keep_seen - state of DEV
 * @up:		it is operational
 * @changes:	count of carrier changes
 * @mac:	its link address
 * @mtu:	bytes
 * @naddrs:	addresses of global scope
 * @nroutes:	routes
 */
struct keep_seen {
	bool			up;
	uint32_t		changes;
	uint8_t			mac[6];
	uint32_t		mtu;
	int			naddrs;
	int			nroutes;
	struct keep_addr	addrs[KEEP_ADDRS];
	struct keep_route	routes[KEEP_ROUTES];
};

struct keep;

/**
 * keep_open() - start to keep the addresses of an interface
 * @dev:	its name
 * @log:	gets warnings
 *
 * Return: NULL if it cannot subscribe to the kernel's events
 */
struct keep *keep_open(const char *dev, const struct netdev_log *log);
/* Handle events; never waits. @now: ms */
void keep_turn(struct keep *k, uint64_t now);
/* To poll for events */
int keep_fd(const struct keep *k);
/* Number of keep-DEV, 0 if there is none */
int keep_ifindex(const struct keep *k);
/* Status of addresses that DEV lacks; "": none */
void keep_text(const struct keep *k, char text[KEEP_TEXT]);
void keep_close(struct keep *k);

/* keep_link.c; @dev and @keep are numbers of interfaces */

/* Return: 0, or a negative errno: @seen is incomplete */
int keep_read(int dev, struct keep_seen *seen, uint64_t now);
/* Renew the marker: if it expires the kernel flushes IPv4 routes. */
int keep_mark(int keep);
int keep_set_addr(int keep, const struct keep_addr *a, uint64_t now);
int keep_set_route(int keep, const struct keep_route *r);
int keep_restore_addr(int dev, const struct keep_addr *a, uint64_t now);
void keep_drop_addr(int keep, const struct keep_addr *a);
void keep_drop_route(int keep, const struct keep_route *r);
int keep_set_mtu(int keep, uint32_t mtu);
bool keep_same_route(const struct keep_route *a, const struct keep_route *b);

#endif
