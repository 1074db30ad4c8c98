// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which device a tunnel sends by, see tunnel.h.
 */
#include <errno.h>
#include <linux/if_link.h>
#include <linux/if_tunnel.h>
#include <linux/wireguard.h>
#include <netinet/in.h>
#include <string.h>
#include "base/ip_addr.h"
#include "netdev/genl.h"
#include "netdev/netlink.h"
#include "netdev/route.h"
#include "netdev/tunnel.h"

enum { TUNNEL_DEPTH = 4, TUNNEL_REMOTES = 16 };

/**
 * struct tunnel - what is known of a device
 * @known:	it is a tunnel
 * @lower:	the device that it is bound to, 0: any
 * @mark:	firewall mark of its packets, 0: none
 * @remote:	@n addresses of its remote ends
 */
struct tunnel {
	bool			known;
	int			lower;
	uint32_t		mark;
	struct ip_addr	remote[TUNNEL_REMOTES];
	int			n;
};

/*
 * struct tunnel_kind - attributes of IFLA_INFO_DATA
 * @link:	u32, device that it is bound to; 0: there is none
 * @remote:	IPv4, or IPv6 by its length; 0: there is none
 * @remote6:	IPv6; 0: there is none
 */
static const struct tunnel_kind {
	const char	*kind;
	int		link;
	int		remote;
	int		remote6;
} tunnel_kinds[] = {
	{ "vxlan", IFLA_VXLAN_LINK, IFLA_VXLAN_GROUP, IFLA_VXLAN_GROUP6 },
	{ "geneve", 0, IFLA_GENEVE_REMOTE, IFLA_GENEVE_REMOTE6 },
	{ "gre", IFLA_GRE_LINK, IFLA_GRE_REMOTE, 0 },
	{ "gretap", IFLA_GRE_LINK, IFLA_GRE_REMOTE, 0 },
	{ "erspan", IFLA_GRE_LINK, IFLA_GRE_REMOTE, 0 },
	{ "ip6gre", IFLA_GRE_LINK, 0, IFLA_GRE_REMOTE },
	{ "ip6gretap", IFLA_GRE_LINK, 0, IFLA_GRE_REMOTE },
	{ "ipip", IFLA_IPTUN_LINK, IFLA_IPTUN_REMOTE, 0 },
	{ "sit", IFLA_IPTUN_LINK, IFLA_IPTUN_REMOTE, 0 },
	{ "ip6tnl", IFLA_IPTUN_LINK, 0, IFLA_IPTUN_REMOTE },
};

/* @addr: an address as on the wire, of the length of @family; not 0.0.0.0 */
static void tunnel_remote(struct tunnel *t, int family, const void *addr)
{
	static const uint8_t none[16];
	unsigned int len = ip_addr_len(family);
	struct ip_addr *to = &t->remote[t->n];

	if (t->n == TUNNEL_REMOTES || !memcmp(addr, none, len))
		return;
	*to = (struct ip_addr){ .family = family };
	memcpy(to->addr, addr, len);
	t->n++;
}

static void tunnel_remote_of(struct tunnel *t, int family,
			     struct nlattr *const *tb, int attr)
{
	if (attr && tb[attr] &&
	    nla_len(tb[attr]) == (int)ip_addr_len(family))
		tunnel_remote(t, family, nla_data(tb[attr]));
}

static void tunnel_data(struct tunnel *t, const struct tunnel_kind *k,
			struct nlattr *data)
{
	struct nlattr *tb[64];

	t->known = true;
	if (!data || nla_parse_nested(tb, 63, data, NULL))
		return;
	if (k->link && tb[k->link])
		t->lower = nla_get_u32(tb[k->link]);
	tunnel_remote_of(t, AF_INET, tb, k->remote);
	tunnel_remote_of(t, AF_INET6, tb, k->remote6);
}

/* struct sockaddr_in or sockaddr_in6 */
static void tunnel_endpoint(struct tunnel *t, struct nlattr *endpoint)
{
	const struct sockaddr_in *v4 = nla_data(endpoint);
	const struct sockaddr_in6 *v6 = nla_data(endpoint);

	if (nla_len(endpoint) >= (int)sizeof(*v6) &&
	    v6->sin6_family == AF_INET6)
		tunnel_remote(t, AF_INET6, &v6->sin6_addr);
	else if (nla_len(endpoint) >= (int)sizeof(*v4) &&
		 v4->sin_family == AF_INET)
		tunnel_remote(t, AF_INET, &v4->sin_addr);
}

static void tunnel_peers(struct nlattr *tb[], void *arg)
{
	struct nlattr *peer[WGPEER_A_MAX + 1], *one;
	struct tunnel *t = arg;
	int left;

	if (tb[WGDEVICE_A_FWMARK])
		t->mark = nla_get_u32(tb[WGDEVICE_A_FWMARK]);

	if (!tb[WGDEVICE_A_PEERS])
		return;
	nla_for_each_nested(one, tb[WGDEVICE_A_PEERS], left)
		if (!nla_parse_nested(peer, WGPEER_A_MAX, one, NULL) &&
		    peer[WGPEER_A_ENDPOINT])
			tunnel_endpoint(t, peer[WGPEER_A_ENDPOINT]);
}

static int tunnel_on_link(struct nlmsghdr *h, void *arg)
{
	struct nlattr *info[IFLA_INFO_MAX + 1], *a;
	struct ifinfomsg *i = nlmsg_data(h);
	struct tunnel *t = arg;
	const char *kind;

	a = h->nlmsg_type == RTM_NEWLINK ?
	    nlmsg_find_attr(h, sizeof(*i), IFLA_LINKINFO) : NULL;
	if (!a || nla_parse_nested(info, IFLA_INFO_MAX, a, NULL) ||
	    !info[IFLA_INFO_KIND])
		return 0;
	kind = nla_get_string(info[IFLA_INFO_KIND]);
	if (!strcmp(kind, "wireguard")) {
		t->known = true;
		genl_ask(&genl_wireguard, i->ifi_index, WG_CMD_GET_DEVICE,
			 NLM_F_DUMP, tunnel_peers, t);
	}
	for (size_t k = 0; k < sizeof(tunnel_kinds) / sizeof(*tunnel_kinds);
	     k++)
		if (!strcmp(kind, tunnel_kinds[k].kind))
			tunnel_data(t, &tunnel_kinds[k], info[IFLA_INFO_DATA]);
	return 0;
}

/*
 * Return: the device of the first remote end that has a route, or negative
 * errno as tunnel_lower()
 */
static int tunnel_route(const struct tunnel *t, int self)
{
	int err = -EDESTADDRREQ;
	struct route r;

	for (int i = 0; i < t->n; i++) {
		if (route_find(&t->remote[i], t->mark, &r))
			err = -ENETUNREACH;
		else if (r.ifindex && r.ifindex != self && r.type != RTN_LOCAL)
			return r.ifindex;
	}
	return err;
}

/* One step down. Return: as tunnel_lower() */
static int tunnel_below(int ifindex)
{
	struct ifinfomsg i = { .ifi_index = ifindex };
	struct tunnel t = { 0 };

	if (netlink_ask(netlink_request(RTM_GETLINK, 0, &i, sizeof(i)),
			tunnel_on_link, &t) || !t.known)
		return 0;
	return t.lower ?: tunnel_route(&t, ifindex);
}

int tunnel_lower(int ifindex)
{
	int lower = 0, below = tunnel_below(ifindex);

	for (int i = 0; below > 0 && i < TUNNEL_DEPTH; i++) {
		lower = below;
		below = tunnel_below(lower);
	}
	return below == -ENETUNREACH || !lower ? below : lower;
}
