// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which addresses and routes are kept, and until when, see keep.h.
 *
 * Events only trigger a reading: the state of DEV is read again each time, so that
 * a lost event does no harm.
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "base/error.h"
#include "base/ifb.h"
#include "base/ip_addr.h"
#include "bpf/keep.h"
#include "netdev/classifier.h"
#include "netdev/device.h"
#include "netdev/keep.h"
#include "netdev/log.h"
#include "netdev/netlink.h"
#include "netdev/network.h"
#include "netdev/qdisc.h"
#include "netdev/queue_stats.h"
#include "netdev/state.h"

enum {
	KEEP_READ_MS	= 2000,		/* interval without events */
	KEEP_RENEW_MS	= 10000,
	/*
	 * If DEV is up and has an address, one that is missing for this time is
	 * gone for good. Managers remove and add addresses one by one.
	 */
	KEEP_SETTLE_MS	= 10000,
	KEEP_DELIBERATE_MS = 60000,	/* missing on purpose */
	KEEP_INHERIT_MS	= 3600000,	/* for an unknown lease */
	KEEP_PAUSE_MS	= 3000,		/* of the flows, renewed at each reading */
	KEEP_PAUSE_MAX_MS = 30000,
	KEEP_PAUSE6_MS	= 8000,		/* for IPv6, if IPv4 is back */
};

/**
 * struct keep - state of one interface
 * @dev:	DEV, and its number,
 * @ifindex:	0: it does not exist
 * @name:	keep-DEV, and its number
 * @keep:	0: it does not exist
 * @queue:	device with the queue
 * @settles:	the user set for how long the link settles
 * @egress:	keep-DEV is of the module's link type; else an ifb with a program
 * @map:	file descriptor of the program's map, -1 without one
 * @inherited:	addresses of an earlier run were adopted
 * @events:	of links, addresses and routes
 * @read_at:	time of the next reading, ms
 * @up:		DEV is operational,
 * @up_at:	since when, ms
 * @changes:	count of carrier changes when it last was
 * @whole_at:	since when it is up and has an address, ms; 0: it is not
 * @marked_at:	when the marker was last renewed, ms
 * @unnamed:	the name of DEV's Wi-Fi network is still to be read
 * @network:	Wi-Fi network of the addresses
 * @paused_at:	since when the flows wait for DEV's address, ms; 0: not paused
 * @sends_by:	number of DEV that keep-DEV or its program knows, -1: none
 * @mac:	and its link address
 * @mtu:	of keep-DEV
 * @full_logged: logged: too many addresses or routes
 * @failed_logged: logged: keep-DEV or DEV refused an address
 * @log:	gets warnings
 */
struct keep {
	char			dev[IFNAMSIZ];
	int			ifindex;
	char			name[IFNAMSIZ];
	int			keep;
	char			queue[IFNAMSIZ];
	bool			settles;
	bool			egress;
	int			map;
	bool			inherited;
	struct nl_sock		*events;
	uint64_t		read_at;
	bool			up;
	uint64_t		up_at;
	uint32_t		changes;
	uint64_t		whole_at;
	uint64_t		marked_at;
	bool			unnamed;
	struct network		network;
	uint64_t		paused_at;
	int			sends_by;
	uint8_t			mac[6];
	uint32_t		mtu;
	bool			full_logged;
	bool			failed_logged;
	struct netdev_log	log;
	int			naddrs;
	int			nroutes;
	struct keep_addr	addrs[KEEP_ADDRS];
	struct keep_route	routes[KEEP_ROUTES];
};

/*
 * Addresses
 */

/* Log it once. Return: @err */
static int keep_failed(struct keep *k, const char *dev, int err,
		       const struct ip_addr *a)
{
	char text[IP_ADDR_TEXT];

	if (!err || k->failed_logged)
		return err;
	ip_addr_text(a, text);
	netdev_warn(&k->log, "%s does not take %s: %s", dev, text, netlink_why(err));
	k->failed_logged = true;
	return err;
}

/* Return: index of @addr among the @n at @v, -1: none */
static int keep_find_addr(const struct keep_addr *v, int n,
			  const struct ip_addr *addr)
{
	for (int i = 0; i < n; i++)
		if (ip_addr_same(&v[i].addr, addr))
			return i;
	return -1;
}

/* Hold the flows for @ms; 0: no longer */
static void keep_hold(struct keep *k, uint32_t ms)
{
	struct error error;

	assert(ms <= KEEP_PAUSE_MS);
	if (qdisc_pause(k->queue, ms, &error))
		netdev_error(&k->log, error.text);
}

static bool keep_has_family(const struct keep_addr *v, int n, int family)
{
	for (int i = 0; i < n; i++)
		if (v[i].addr.family == family)
			return true;
	return false;
}

/* A temporary address was removed: routes need another source. */
static void keep_clear_source(struct keep *k, const struct ip_addr *src)
{
	for (int i = 0; i < k->nroutes; i++) {
		struct keep_route *r = &k->routes[i];

		if (!ip_addr_same(&r->src, src))
			continue;
		r->src = (struct ip_addr){ 0 };
		r->written = 0;
	}
}

/* Stop keeping an address, and the routes that need it. */
static void keep_release(struct keep *k, struct keep_addr *a)
{
	struct keep_addr gone = *a;
	int n = 0;

	assert(a >= k->addrs && a < k->addrs + k->naddrs);
	*a = k->addrs[--k->naddrs];
	if (gone.temporary &&
	    keep_has_family(k->addrs, k->naddrs, gone.addr.family)) {
		keep_clear_source(k, &gone.addr);
		keep_drop_addr(k->keep, &gone);
		return;
	}
	for (int i = 0; i < k->nroutes; i++) {
		struct keep_route *r = &k->routes[i];

		if (ip_addr_same(&r->src, &gone.addr) ||
		    (!r->here && r->to.family == gone.addr.family))
			keep_drop_route(k->keep, r);
		else
			k->routes[n++] = *r;
	}
	k->nroutes = n;
	keep_drop_addr(k->keep, &gone);
}

/* Drop the queue's messages: their path is gone. */
static void keep_flush(struct keep *k)
{
	struct error error;
	struct queue_stats s;
	unsigned int messages = 0;

	if (!queue_stats_find(k->dev, &s, &error))
		messages = s.qd.backlog_msgs;
	if (qdisc_flush(k->queue, &error))
		netdev_error(&k->log, error.text);
	else if (messages)
		netdev_warn(&k->log, "%s: %u messages were held for the former network: dropped",
			 k->dev, messages);
}

/*
 * DEV has got the new address @a. An address of the same family that it lost,
 * or that was not confirmed in this network, belongs to another network.
 */
static void keep_supersede(struct keep *k, const struct keep_addr *a)
{
	char was[IP_ADDR_TEXT], is[IP_ADDR_TEXT];
	bool any = false;

	ip_addr_text(&a->addr, is);
	for (int i = 0; i < k->naddrs; i++) {
		struct keep_addr *old = &k->addrs[i];

		if (old->addr.family != a->addr.family ||
		    (old->here && old->sure))
			continue;
		ip_addr_text(&old->addr, was);
		netdev_warn(&k->log, "%s has the address %s now, %s is given up", k->dev, is,
			 was);
		keep_release(k, old);
		i--;
		any = true;
	}
	/* IPv6 addresses often change: messages can use IPv4 if it is there. */
	if (any && (a->addr.family == AF_INET ||
		    !keep_has_family(k->addrs, k->naddrs, AF_INET)))
		keep_flush(k);
}

static void keep_log_full(struct keep *k, const char *what, int max)
{
	if (!k->full_logged)
		netdev_warn(&k->log, "%s has more than %d %s: the others are not kept",
			 k->dev, max, what);
	k->full_logged = true;
}

static int keep_count_temporary(const struct keep *k)
{
	int n = 0;

	for (int i = 0; i < k->naddrs; i++)
		n += k->addrs[i].temporary;
	return n;
}

static void keep_note_addr(struct keep *k, const struct keep_addr *seen)
{
	int at = keep_find_addr(k->addrs, k->naddrs, &seen->addr);
	struct keep_addr *a;

	if (at < 0) {
		if (!seen->temporary) {
			keep_supersede(k, seen);
		} else if (keep_count_temporary(k) >= KEEP_TEMPORARY) {
			/* Each outage adds one; nodes use the oldest. */
			keep_log_full(k, "temporary addresses", KEEP_TEMPORARY);
			return;
		}
		if (k->naddrs == KEEP_ADDRS) {
			keep_log_full(k, "addresses", KEEP_ADDRS);
			return;
		}
		assert(k->naddrs < KEEP_ADDRS);
		a = &k->addrs[k->naddrs++];
		*a = *seen;
		a->sure = true;
		return;
	}
	assert(at < k->naddrs);
	a = &k->addrs[at];
	a->temporary |= seen->temporary;
	/* It is back, permanent, or its lease was renewed. */
	a->sure |= !a->here || seen->until == KEEP_FOREVER ||
		   (a->until != KEEP_FOREVER && seen->until > a->until + 2000);
	if (a->plen != seen->plen) {
		keep_drop_addr(k->keep, a);
		a->plen = seen->plen;
		a->written = 0;
	}
	a->here = true;
	a->until = seen->until;
}

static void keep_log_lost(const struct keep *k, const struct keep_addr *a)
{
	char text[IP_ADDR_TEXT];

	ip_addr_text(&a->addr, text);
	netdev_warn(&k->log, "%s has lost %s: kept on %s", k->dev, text, k->name);
}

/* Is it missing although DEV has been complete for a while? */
static bool keep_settled(const struct keep *k, uint64_t lost_at, uint64_t now)
{
	return k->whole_at && now - k->whole_at > KEEP_SETTLE_MS &&
	       now - lost_at > KEEP_SETTLE_MS;
}

/* Is it missing for so long while DEV is up that it must be on purpose? */
static bool keep_is_unwanted(const struct keep *k, const struct keep_addr *a,
			     uint64_t now)
{
	return k->up && now - k->up_at > KEEP_DELIBERATE_MS &&
	       now - a->lost_at > KEEP_DELIBERATE_MS;
}

/* DEV has the address for which the temporary one @a was made. */
static bool keep_has_base(const struct keep *k, const struct keep_addr *a)
{
	for (int i = 0; i < k->naddrs; i++) {
		const struct keep_addr *b = &k->addrs[i];

		if (b->here && b->sure && !b->temporary &&
		    b->addr.family == a->addr.family && b->plen == a->plen &&
		    ip_addr_same_prefix(&b->addr, &a->addr, a->plen))
			return true;
	}
	return false;
}

/* If a temporary address ends alone it is not restored. */
static void keep_restore(struct keep *k, struct keep_addr *a, uint64_t now)
{
	if (!a->temporary)
		return;
	if (a->here || !keep_has_base(k, a)) {
		a->restore = !a->here;
		return;
	}
	if (!a->restore || !k->up || a->until <= now ||
	    keep_failed(k, k->dev, keep_restore_addr(k->ifindex, a, now),
			&a->addr))
		return;
	a->restore = false;
	a->lost_at = now;	/* it is missing until DAD has finished */
}

/* DEV is up with others but lost this one; or its lease is over. */
static bool keep_is_expired(const struct keep *k, const struct keep_addr *a,
			    const struct keep_seen *s, uint64_t now)
{
	if (a->here)
		return false;
	return a->until <= now || keep_is_unwanted(k, a, now) ||
	       (keep_settled(k, a->lost_at, now) &&
		keep_has_family(s->addrs, s->naddrs, a->addr.family));
}

static void keep_update_addrs(struct keep *k, const struct keep_seen *s,
			      uint64_t now)
{
	char text[IP_ADDR_TEXT];

	for (int i = 0; i < k->naddrs; i++) {
		struct keep_addr *a = &k->addrs[i];

		if (a->here && keep_find_addr(s->addrs, s->naddrs, &a->addr) < 0) {
			a->here = false;
			a->lost_at = now;
			keep_log_lost(k, a);
		}
	}
	for (int i = 0; i < s->naddrs; i++)
		keep_note_addr(k, &s->addrs[i]);
	for (int i = 0; i < k->naddrs; i++)
		keep_restore(k, &k->addrs[i], now);
	for (int i = 0; i < k->naddrs; i++) {
		struct keep_addr *a = &k->addrs[i];
		bool lease = a->until <= now, temporary = a->temporary;

		if (!keep_is_expired(k, a, s, now))
			continue;
		ip_addr_text(&a->addr, text);
		netdev_warn(&k->log, "%s: %s is given up: %s", k->dev, text, lease ?
			 "its lease is over" : "it was taken away for good");
		keep_release(k, a);
		i--;
		/* Temporary ones end daily and are replaced. */
		if (lease && !temporary &&
		    !keep_has_family(k->addrs, k->naddrs, AF_INET))
			keep_flush(k);
	}
}

/*
 * Routes
 */

/* The address by which packets leave that take the route, or NULL */
static const struct ip_addr *keep_source(const struct keep *k,
					    const struct keep_route *r)
{
	const struct ip_addr *to = r->via.family ? &r->via : &r->to, *any;

	any = NULL;
	for (int i = 0; i < k->naddrs; i++) {
		const struct keep_addr *a = &k->addrs[i];

		if (a->addr.family != r->to.family)
			continue;
		if (a->plen && a->plen < 128 &&
		    ip_addr_same_prefix(to, &a->addr, a->plen))
			return &a->addr;
		any = any ?: &a->addr;
	}
	return any;
}

static void keep_note_route(struct keep *k, const struct keep_route *seen)
{
	struct keep_route *r;

	for (r = k->routes; r < k->routes + k->nroutes; r++)
		if (keep_same_route(r, seen))
			break;
	if (r == k->routes + KEEP_ROUTES) {
		keep_log_full(k, "routes", KEEP_ROUTES);
		return;
	}
	if (r == k->routes + k->nroutes)
		k->nroutes++;
	else if (ip_addr_same(&r->via, &seen->via)) {
		r->here = true;
		return;
	}
	*r = *seen;
}

/* If DEV is complete, a route that it lacks is not kept. */
static void keep_update_routes(struct keep *k, const struct keep_seen *s,
			       uint64_t now)
{
	assert(s->nroutes <= KEEP_ROUTES && k->nroutes <= KEEP_ROUTES);
	for (int i = 0; i < k->nroutes; i++) {
		if (k->routes[i].here)
			k->routes[i].lost_at = now;
		k->routes[i].here = false;
	}
	for (int i = 0; i < s->nroutes; i++)
		keep_note_route(k, &s->routes[i]);
	for (int i = 0; i < k->nroutes; i++) {
		struct keep_route *r = &k->routes[i];

		if (r->here || !keep_settled(k, r->lost_at, now) ||
		    !keep_has_family(s->addrs, s->naddrs, r->to.family))
			continue;
		keep_drop_route(k->keep, r);
		*r = k->routes[--k->nroutes];
		i--;
	}
}

/*
 * keep-DEV
 */

static void keep_set_lower(struct keep *k)
{
	struct keep_link link = { .ifindex = k->ifindex };
	char path[CLASSIFIER_PATH], text[32] = "";
	uint32_t key = 0;
	FILE *f;

	k->sends_by = -1;
	if (k->egress) {
		if (!device_send_by(k->keep, k->ifindex, k->mac))
			k->sends_by = k->ifindex;
		return;
	}
	memcpy(link.address, k->mac, sizeof(link.address));
	snprintf(path, sizeof(path), "/sys/class/net/%s/address", k->name);
	f = fopen(path, "re");
	if (f) {
		uint8_t *own = (uint8_t *)link.own;

		if (fgets(text, sizeof(text), f))
			sscanf(text, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", own,
			       own + 1, own + 2, own + 3, own + 4, own + 5);
		fclose(f);
	}
	if (!bpf_map_update_elem(k->map, &key, &link, BPF_ANY))
		k->sends_by = k->ifindex;
}

static void keep_write(struct keep *k, const struct keep_seen *s, uint64_t now)
{
	if (memcmp(k->mac, s->mac, sizeof(k->mac)) ||
	    k->sends_by != k->ifindex) {
		memcpy(k->mac, s->mac, sizeof(k->mac));
		keep_set_lower(k);
	}
	if (now - k->marked_at >= KEEP_RENEW_MS && !keep_mark(k->keep))
		k->marked_at = now;
	if (s->mtu && k->mtu != s->mtu && !keep_set_mtu(k->keep, s->mtu))
		k->mtu = s->mtu;
	for (int i = 0; i < k->naddrs; i++) {
		struct keep_addr *a = &k->addrs[i];

		if ((!a->written || now - a->written >= KEEP_RENEW_MS) &&
		    !keep_failed(k, k->name, keep_set_addr(k->keep, a, now),
				 &a->addr))
			a->written = now;
	}
	for (int i = 0; i < k->nroutes; i++) {
		struct keep_route *r = &k->routes[i];
		const struct ip_addr *src;

		if (r->written && now - r->written < KEEP_RENEW_MS)
			continue;
		src = keep_source(k, r);
		r->src = src ? *src : (struct ip_addr){ 0 };
		if (!keep_failed(k, k->name, keep_set_route(k->keep, r), &r->to))
			r->written = now;
	}
}

/*
 * Did the network change?
 */

/*
 * How long to wait for DEV's addresses, ms; 0: all are known. Short for IPv6,
 * as many networks lack it.
 */
static uint64_t keep_pause_max(const struct keep *k)
{
	bool is_ipv4 = false, known = true, known_ipv4 = true;

	for (int i = 0; i < k->naddrs; i++) {
		const struct keep_addr *a = &k->addrs[i];

		is_ipv4 |= a->addr.family == AF_INET;
		known &= a->sure || (a->temporary && keep_has_base(k, a));
		known_ipv4 &= a->sure || a->addr.family != AF_INET;
	}
	if (known)
		return 0;
	return is_ipv4 && known_ipv4 ? KEEP_PAUSE6_MS : KEEP_PAUSE_MAX_MS;
}

/* Flows wait until DEV has their source address again. */
static void keep_pause(struct keep *k, uint64_t now)
{
	uint64_t max = keep_pause_max(k);

	if (now - k->paused_at < max) {
		keep_hold(k, KEEP_PAUSE_MS);
		return;
	}
	if (max == KEEP_PAUSE_MAX_MS)
		netdev_warn(&k->log, "%s: no address confirmed in the new network: sending held messages",
			 k->dev);
	k->paused_at = 0;
	for (int i = 0; i < k->naddrs; i++)
		k->addrs[i].sure = true;
	keep_hold(k, 0);
}

/*
 * A cable does not identify its network: a lease that DEV has lost may be
 * invalid there.
 */
static void keep_on_cable(struct keep *k, uint64_t now)
{
	for (int i = 0; i < k->naddrs; i++) {
		struct keep_addr *a = &k->addrs[i];

		if (a->here || a->until == KEEP_FOREVER)
			continue;
		a->sure = false;
		k->paused_at = now;
	}
}

static void keep_on_wifi(struct keep *k, uint64_t now)
{
	struct network network;

	if (!network_read(k->dev, &network))
		return;
	k->unnamed = false;
	if (k->network.ssid_len && !network_same(&network, &k->network)) {
		netdev_warn(&k->log, "%s is in another Wi-Fi network: holding messages until it has an address",
			 k->dev);
		for (int i = 0; i < k->naddrs; i++)
			k->addrs[i].sure = k->addrs[i].here &&
				k->addrs[i].until == KEEP_FOREVER;
		k->paused_at = now;
	} else if (k->network.ssid_len && !k->paused_at && !k->settles) {
		keep_hold(k, 0);
	}
	k->network = network;
}

static void keep_check_network(struct keep *k, bool came_up, uint64_t now)
{
	if (came_up) {
		k->unnamed = device_is_wireless(k->dev);
		if (!k->unnamed)
			keep_on_cable(k, now);
		/* The link was lost again: the pause restarts. */
		if (k->paused_at)
			k->paused_at = now;
	}
	if (k->up && k->unnamed)
		keep_on_wifi(k, now);
}

/*
 * The loop
 */

/* The device of a route; events of keep-DEV are our own. */
static int keep_route_ifindex(const struct nlmsghdr *h)
{
	const struct nlattr *oif = nlmsg_find_attr((struct nlmsghdr *)h,
						   sizeof(struct rtmsg),
						   RTA_OIF);

	return oif ? (int)nla_get_u32(oif) : 0;
}

static int keep_on_event(struct nlmsghdr *h, void *arg)
{
	struct keep *k = arg;
	int ifindex = 0;

	if (h->nlmsg_type == RTM_NEWLINK)
		ifindex = ((struct ifinfomsg *)nlmsg_data(h))->ifi_index;
	else if (h->nlmsg_type == RTM_NEWADDR || h->nlmsg_type == RTM_DELADDR)
		ifindex = ((struct ifaddrmsg *)nlmsg_data(h))->ifa_index;
	else if (h->nlmsg_type == RTM_NEWROUTE ||
		 h->nlmsg_type == RTM_DELROUTE)
		ifindex = keep_route_ifindex(h);
	if (ifindex == k->ifindex)
		k->read_at = 0;
	return 0;
}

static void keep_update(struct keep *k, uint64_t now)
{
	struct keep_seen s = { 0 };
	bool came_up;

	/* A removed radio has no state to read. */
	if (k->ifindex && keep_read(k->ifindex, &s, now)) {
		k->read_at = now;
		return;
	}
	came_up = s.up && (!k->up || s.changes != k->changes);
	if (came_up)
		k->up_at = now;
	k->up = s.up;
	if (s.up)
		k->changes = s.changes;
	if (!s.up || !s.naddrs)
		k->whole_at = 0;
	else if (!k->whole_at)
		k->whole_at = now;
	/* First: a new address may belong to another network */
	keep_check_network(k, came_up, now);
	keep_update_addrs(k, &s, now);
	keep_update_routes(k, &s, now);
	assert(k->naddrs <= KEEP_ADDRS && k->nroutes <= KEEP_ROUTES);
	keep_write(k, &s, now);
	if (k->paused_at && k->up)
		keep_pause(k, now);
}

/* Adopt addresses of an earlier run while their lifetime lasts. */
static void keep_inherit(struct keep *k, uint64_t now)
{
	struct keep_seen s;

	assert(!k->naddrs && !k->nroutes);
	if (keep_read(k->keep, &s, now))
		return;
	assert(s.naddrs <= KEEP_ADDRS && s.nroutes <= KEEP_ROUTES);
	for (int i = 0; i < s.naddrs; i++) {
		struct keep_addr *a = &k->addrs[k->naddrs++];

		*a = s.addrs[i];
		a->here = false;
		a->temporary = false;	/* keep-DEV does not tell */
		a->lost_at = now;
		a->sure = true;
		a->until = now + KEEP_INHERIT_MS;
	}
	for (int i = 0; i < s.nroutes; i++)
		k->routes[k->nroutes++] = s.routes[i];
}

static void keep_start(struct keep *k, int ifindex, uint64_t now)
{
	char pins[CLASSIFIER_PATH];
	struct state st;

	if (!state_load(k->dev, &st)) {
		k->settles = st.settles;
		k->egress = st.stack.egress;
		state_free(&st);
	}
	k->ifindex = ifindex;
	k->keep = netlink_ifindex(k->name);
	k->read_at = now;
	k->mtu = 0;
	if (!k->keep || k->inherited)
		return;
	classifier_pins(k->dev, pins);
	if (!k->egress)
		k->map = classifier_map(pins, "keep_link");
	if (!k->egress && k->map < 0) {
		netdev_warn(&k->log, "%s: no program for it: the addresses of %s are not kept",
			 k->name, k->dev);
		k->keep = 0;
		return;
	}
	keep_inherit(k, now);
	k->inherited = true;
}

struct keep *keep_open(const char *dev, const struct netdev_log *log)
{
	struct keep *k = calloc(1, sizeof(*k));

	if (!k)
		abort();
	snprintf(k->dev, sizeof(k->dev), "%s", dev);
	keep_name(dev, k->name);
	ifb_name(dev, k->queue);
	k->map = -1;
	k->log = *log;
	k->events = netlink_listen(RTNLGRP_LINK);
	if (!k->events ||
	    nl_socket_add_memberships(k->events, RTNLGRP_IPV4_IFADDR,
				      RTNLGRP_IPV6_IFADDR, RTNLGRP_IPV4_ROUTE,
				      RTNLGRP_IPV6_ROUTE, 0)) {
		keep_close(k);
		return NULL;
	}
	return k;
}

void keep_turn(struct keep *k, uint64_t now)
{
	int ifindex = netlink_ifindex(k->dev);

	if (netlink_receive(k->events, keep_on_event, k))
		k->read_at = 0;
	if (ifindex != k->ifindex)
		keep_start(k, ifindex, now);
	if (!k->keep || now < k->read_at)
		return;
	k->read_at = now + KEEP_READ_MS;
	keep_update(k, now);
}

int keep_fd(const struct keep *k)
{
	return nl_socket_get_fd(k->events);
}

int keep_ifindex(const struct keep *k)
{
	return k->keep;
}

void keep_text(const struct keep *k, char text[KEEP_TEXT])
{
	size_t n = 0;
	char a[IP_ADDR_TEXT];

	*text = '\0';
	for (int i = 0; i < k->naddrs && n < KEEP_TEXT - 80; i++) {
		if (k->addrs[i].here)
			continue;
		ip_addr_text(&k->addrs[i].addr, a);
		n += snprintf(text + n, KEEP_TEXT - n, "%s%s", n ? ", " : "",
			      a);
	}
	if (n)
		snprintf(text + n, KEEP_TEXT - n, ": lost by %s, kept on %s",
			 k->dev, k->name);
}

void keep_close(struct keep *k)
{
	if (!k)
		return;
	if (k->map >= 0)
		close(k->map);
	nl_socket_free(k->events);
	free(k);
}
