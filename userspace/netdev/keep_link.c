// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read the state of DEV, write that of keep-DEV, see keep.h.
 */
#include <assert.h>
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_addr.h>
#include <string.h>
#include <sys/socket.h>
#include "base/ip_addr.h"
#include "netdev/keep.h"
#include "netdev/netlink.h"

enum {
	KEEP_VALID_S	= 30,		/* lifetime without a daemon */
	KEEP_MARKER	= 0xc0000008,	/* 192.0.0.8, RFC 7600: a dummy */
	/* not usable (yet) */
	KEEP_ADDR_NOT	= IFA_F_TENTATIVE | IFA_F_DADFAILED,
	KEEP_RESTORED	= IFA_F_NOPREFIXROUTE | IFA_F_DEPRECATED,
};

/* Routes that differ only in the gateway are the same: it may change. */
bool keep_same_route(const struct keep_route *a, const struct keep_route *b)
{
	return a->table == b->table && a->plen == b->plen &&
	       ip_addr_same(&a->to, &b->to);
}

/* Link-local: what a DHCP client takes if no server answers */
static bool keep_is_link_local(const struct ip_addr *a)
{
	return a->family == AF_INET && a->addr[0] == 169 && a->addr[1] == 254;
}

static bool keep_get_addr(const struct nlattr *attr, int family,
			  struct ip_addr *a)
{
	memset(a, 0, sizeof(*a));
	if (!attr || nla_len(attr) != (int)ip_addr_len(family))
		return false;
	a->family = family;
	memcpy(a->addr, nla_data(attr), nla_len(attr));
	return true;
}

/* Metric of keep-DEV's routes: unique, to replace none of others. */
static uint32_t keep_metric(int keep)
{
	return UINT32_MAX - keep % 1024;
}

/* Is it a route of keep-DEV? */
static bool keep_is_marked(struct nlattr *tb[])
{
	return tb[RTA_PRIORITY] &&
	       nla_get_u32(tb[RTA_PRIORITY]) >= UINT32_MAX - 1023;
}

/*
 * Reading
 */

struct keep_read {
	int			dev;
	uint64_t		now;
	struct keep_seen	*seen;
};

static int keep_on_link(struct nlmsghdr *h, void *arg)
{
	const struct ifinfomsg *ifi = nlmsg_data(h);
	struct keep_read *reading = arg;
	struct keep_seen *s = reading->seen;
	struct nlattr *tb[IFLA_MAX + 1];

	if (h->nlmsg_type != RTM_NEWLINK || ifi->ifi_index != reading->dev ||
	    nlmsg_parse(h, sizeof(*ifi), tb, IFLA_MAX, NULL))
		return 0;
	s->up = ifi->ifi_flags & IFF_UP && ifi->ifi_flags & IFF_RUNNING;
	if (tb[IFLA_ADDRESS] && nla_len(tb[IFLA_ADDRESS]) == sizeof(s->mac))
		memcpy(s->mac, nla_data(tb[IFLA_ADDRESS]), sizeof(s->mac));
	if (tb[IFLA_CARRIER_CHANGES])
		s->changes = nla_get_u32(tb[IFLA_CARRIER_CHANGES]);
	if (tb[IFLA_MTU])
		s->mtu = nla_get_u32(tb[IFLA_MTU]);
	return 0;
}

static int keep_on_addr(struct nlmsghdr *h, void *arg)
{
	const struct ifaddrmsg *ifa = nlmsg_data(h);
	uint32_t flags = ifa->ifa_flags;
	struct keep_read *reading = arg;
	struct keep_seen *s = reading->seen;
	const struct ifa_cacheinfo *life;
	struct nlattr *tb[IFA_MAX + 1];
	struct keep_addr a = {
		.plen = ifa->ifa_prefixlen,
		.until = KEEP_FOREVER,
		.here = true,
	};

	if (h->nlmsg_type != RTM_NEWADDR ||
	    (int)ifa->ifa_index != reading->dev ||
	    ifa->ifa_scope != RT_SCOPE_UNIVERSE || s->naddrs == KEEP_ADDRS ||
	    nlmsg_parse(h, sizeof(*ifa), tb, IFA_MAX, NULL))
		return 0;
	if (tb[IFA_FLAGS])
		flags = nla_get_u32(tb[IFA_FLAGS]);
	if (flags & KEEP_ADDR_NOT ||
	    !keep_get_addr(tb[IFA_LOCAL] ? tb[IFA_LOCAL] : tb[IFA_ADDRESS],
			   ifa->ifa_family, &a.addr) ||
	    keep_is_link_local(&a.addr))
		return 0;
	if (tb[IFA_CACHEINFO] &&
	    nla_len(tb[IFA_CACHEINFO]) >= (int)sizeof(*life)) {
		life = nla_data(tb[IFA_CACHEINFO]);
		if (life->ifa_valid != UINT32_MAX)
			a.until = reading->now + life->ifa_valid * 1000ULL;
	}
	/*
	 * For IPv4 the flag means secondary; keep_restore_addr() cannot set it.
	 */
	a.temporary = ifa->ifa_family == AF_INET6 &&
		      (flags & IFA_F_TEMPORARY ||
		       (flags & KEEP_RESTORED) == KEEP_RESTORED);
	/* The kernel lists the oldest last, and the base address at the end. */
	if (a.temporary && s->naddrs >= KEEP_ADDRS / 2)
		return 0;
	assert(s->naddrs < KEEP_ADDRS);
	s->addrs[s->naddrs++] = a;
	return 0;
}

/*
 * Routes to skip: link-local ones, which each interface has, and a host route
 * by a gateway, as of a tunnel, which must find another path.
 */
static bool keep_skips_route(const struct keep_route *r)
{
	if (r->via.family && r->plen == 8 * ip_addr_len(r->to.family))
		return true;
	return r->to.family == AF_INET6 && r->plen &&
	       (IN6_IS_ADDR_LINKLOCAL(r->to.addr) ||
		IN6_IS_ADDR_MULTICAST(r->to.addr));
}

/* keep-DEV has an IPv4 address as a route of the table local. */
static void keep_on_local(struct keep_read *reading, struct nlattr *tb[])
{
	struct keep_seen *s = reading->seen;
	struct keep_addr a = { .plen = 32 };

	if (s->naddrs < KEEP_ADDRS &&
	    keep_get_addr(tb[RTA_DST], AF_INET, &a.addr) &&
	    keep_is_marked(tb))
		s->addrs[s->naddrs++] = a;
}

/* Only one gateway, and the route with the better metric */
static int keep_on_route(struct nlmsghdr *h, void *arg)
{
	const struct rtmsg *rt = nlmsg_data(h);
	struct keep_read *reading = arg;
	struct keep_seen *s = reading->seen;
	struct nlattr *tb[RTA_MAX + 1];
	struct keep_route r = {
		.plen = rt->rtm_dst_len,
		.table = rt->rtm_table,
		.here = true,
	};

	if (h->nlmsg_type != RTM_NEWROUTE || rt->rtm_flags & RTM_F_CLONED ||
	    s->nroutes == KEEP_ROUTES ||
	    nlmsg_parse(h, sizeof(*rt), tb, RTA_MAX, NULL) || !tb[RTA_OIF] ||
	    (int)nla_get_u32(tb[RTA_OIF]) != reading->dev || tb[RTA_VIA])
		return 0;
	if (rt->rtm_type == RTN_LOCAL && rt->rtm_family == AF_INET)
		keep_on_local(reading, tb);
	if (rt->rtm_type != RTN_UNICAST)
		return 0;
	if (tb[RTA_TABLE])
		r.table = nla_get_u32(tb[RTA_TABLE]);
	r.to.family = rt->rtm_family;
	if (tb[RTA_DST] && !keep_get_addr(tb[RTA_DST], rt->rtm_family, &r.to))
		return 0;
	if (tb[RTA_GATEWAY] &&
	    !keep_get_addr(tb[RTA_GATEWAY], rt->rtm_family, &r.via))
		return 0;
	if (keep_skips_route(&r))
		return 0;
	for (int i = 0; i < s->nroutes; i++)
		if (keep_same_route(&s->routes[i], &r))
			return 0;
	assert(s->nroutes < KEEP_ROUTES);
	s->routes[s->nroutes++] = r;
	return 0;
}

int keep_read(int dev, struct keep_seen *seen, uint64_t now)
{
	struct keep_read reading = { dev, now, seen };
	struct ifinfomsg ifi = { .ifi_index = dev };
	struct ifaddrmsg ifa = { 0 };
	struct rtmsg rt = { .rtm_family = AF_INET };
	struct rtmsg rt6 = { .rtm_family = AF_INET6 };
	int err;

	memset(seen, 0, sizeof(*seen));
	err = netlink_ask(netlink_request(RTM_GETLINK, 0, &ifi, sizeof(ifi)),
			  keep_on_link, &reading);
	if (!err)
		err = netlink_dump(RTM_GETADDR, &ifa, sizeof(ifa),
				   keep_on_addr, &reading);
	if (!err)
		err = netlink_dump(RTM_GETROUTE, &rt, sizeof(rt),
				   keep_on_route, &reading);
	/* The kernel may lack IPv6. */
	if (!err)
		netlink_dump(RTM_GETROUTE, &rt6, sizeof(rt6), keep_on_route,
			     &reading);
	return err;
}

/*
 * Writing
 */

static int keep_addr_do(int type, int dev, const struct keep_addr *a,
			int scope, uint32_t flags, uint32_t valid_s)
{
	struct ifaddrmsg ifa = {
		.ifa_family = a->addr.family,
		.ifa_prefixlen = a->plen,
		.ifa_scope = scope,
		.ifa_index = dev,
	};
	/* deprecated: never preferred to an address of DEV */
	struct ifa_cacheinfo life = { .ifa_valid = valid_s };
	unsigned int len = ip_addr_len(a->addr.family);
	struct nl_msg *msg = netlink_request(type, NLM_F_CREATE |
					     NLM_F_REPLACE, &ifa, sizeof(ifa));

	nla_put(msg, IFA_LOCAL, len, a->addr.addr);
	nla_put(msg, IFA_ADDRESS, len, a->addr.addr);
	nla_put_u32(msg, IFA_FLAGS, IFA_F_NOPREFIXROUTE | flags);
	nla_put(msg, IFA_CACHEINFO, sizeof(life), &life);
	return netlink_send(msg);
}

/* Remaining lease, at most the lifetime without a daemon */
static uint32_t keep_valid_s(const struct keep_addr *a, uint64_t now)
{
	uint64_t left = a->until == KEEP_FOREVER ? KEEP_VALID_S :
			a->until > now ? (a->until - now) / 1000 : 0;

	if (left > KEEP_VALID_S)
		left = KEEP_VALID_S;
	return left ? left : 1;
}

int keep_mark(int keep)
{
	struct keep_addr marker = {
		.addr = { .family = AF_INET },
		.plen = 32,
	};
	uint32_t addr = htonl(KEEP_MARKER);

	memcpy(marker.addr.addr, &addr, sizeof(addr));
	return keep_addr_do(RTM_NEWADDR, keep, &marker, RT_SCOPE_HOST, 0,
			    KEEP_VALID_S);
}

/*
 * Make the address local without setting it on keep-DEV: programs that join a
 * multicast group select the interface by its address.
 */
static int keep_local_do(int type, int keep, const struct keep_addr *a)
{
	struct rtmsg rt = {
		.rtm_family = AF_INET,
		.rtm_dst_len = 32,
		.rtm_table = RT_TABLE_LOCAL,
		.rtm_protocol = RTPROT_STATIC,
		.rtm_type = RTN_LOCAL,
		.rtm_scope = RT_SCOPE_HOST,
	};
	struct nl_msg *msg = netlink_request(type, NLM_F_CREATE |
					     NLM_F_REPLACE, &rt, sizeof(rt));

	nla_put(msg, RTA_DST, 4, a->addr.addr);
	nla_put_u32(msg, RTA_OIF, keep);
	nla_put_u32(msg, RTA_PRIORITY, keep_metric(keep));
	return netlink_send(msg);
}

int keep_set_addr(int keep, const struct keep_addr *a, uint64_t now)
{
	if (a->addr.family == AF_INET)
		return keep_local_do(RTM_NEWROUTE, keep, a);
	return keep_addr_do(RTM_NEWADDR, keep, a, RT_SCOPE_UNIVERSE,
			    IFA_F_NODAD, keep_valid_s(a, now));
}

int keep_restore_addr(int dev, const struct keep_addr *a, uint64_t now)
{
	uint64_t left = (a->until - now) / 1000;

	return keep_addr_do(RTM_NEWADDR, dev, a, RT_SCOPE_UNIVERSE, 0,
			    a->until == KEEP_FOREVER ? UINT32_MAX : left);
}

void keep_drop_addr(int keep, const struct keep_addr *a)
{
	if (a->addr.family == AF_INET)
		keep_local_do(RTM_DELROUTE, keep, a);
	else
		keep_addr_do(RTM_DELADDR, keep, a, RT_SCOPE_UNIVERSE, 0, 0);
}

static struct nl_msg *keep_route_request(int type, int flags, int keep,
					 const struct keep_route *r)
{
	struct rtmsg rt = {
		.rtm_family = r->to.family,
		.rtm_dst_len = r->plen,
		.rtm_table = r->table < 256 ? r->table : RT_TABLE_UNSPEC,
		.rtm_protocol = RTPROT_STATIC,
		.rtm_type = RTN_UNICAST,
		.rtm_scope = r->via.family || r->to.family == AF_INET6 ?
			     RT_SCOPE_UNIVERSE : RT_SCOPE_LINK,
		.rtm_flags = r->via.family ? RTNH_F_ONLINK : 0,
	};
	unsigned int len = ip_addr_len(r->to.family);
	struct nl_msg *msg = netlink_request(type, flags, &rt, sizeof(rt));

	if (r->plen)
		nla_put(msg, RTA_DST, len, r->to.addr);
	if (r->via.family)
		nla_put(msg, RTA_GATEWAY, len, r->via.addr);
	nla_put_u32(msg, RTA_OIF, keep);
	nla_put_u32(msg, RTA_TABLE, r->table);
	nla_put_u32(msg, RTA_PRIORITY, keep_metric(keep));
	return msg;
}

int keep_set_route(int keep, const struct keep_route *r)
{
	struct nl_msg *msg = keep_route_request(RTM_NEWROUTE, NLM_F_CREATE |
						NLM_F_REPLACE, keep, r);

	/* IPv4 routes are flushed with the marker instead. */
	if (r->to.family == AF_INET6)
		nla_put_u32(msg, RTA_EXPIRES, KEEP_VALID_S);
	if (r->src.family)
		nla_put(msg, RTA_PREFSRC, ip_addr_len(r->src.family),
			r->src.addr);
	return netlink_send(msg);
}

void keep_drop_route(int keep, const struct keep_route *r)
{
	netlink_send(keep_route_request(RTM_DELROUTE, 0, keep, r));
}

int keep_set_mtu(int keep, uint32_t mtu)
{
	struct ifinfomsg ifi = { .ifi_index = keep };
	struct nl_msg *msg = netlink_request(RTM_NEWLINK, 0, &ifi,
					     sizeof(ifi));

	nla_put_u32(msg, IFLA_MTU, mtu);
	return netlink_send(msg);
}
