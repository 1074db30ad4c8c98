// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ipvlan with addresses of the robot's own, see own.h.
 */
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include "base/cli.h"
#include "base/error.h"
#include "base/ip_addr.h"
#include "netdev/device.h"
#include "netdev/netlink.h"
#include "netdev/own.h"

/*
 * Addresses
 */

static int own_bits(const struct own_addr *a)
{
	return 8 * ip_addr_len(a->addr.family);
}

/* Are all bits after the prefix @bit? */
static bool own_host_is(const struct own_addr *a, int bit)
{
	for (int i = a->plen; i < own_bits(a); i++)
		if ((a->addr.addr[i / 8] >> (7 - i % 8) & 1) != bit)
			return false;
	return true;
}

/* The address of the subnet itself, or its broadcast address */
static bool own_is_subnet(const struct own_addr *a)
{
	if (own_bits(a) - a->plen < 2)
		return false;
	return own_host_is(a, 0) ||
	       (a->addr.family == AF_INET && own_host_is(a, 1));
}

static bool own_is_host(const struct ip_addr *a)
{
	const struct in6_addr *v6 = (const struct in6_addr *)a->addr;

	if (a->family == AF_INET)
		return a->addr[0] && a->addr[0] != 127 && a->addr[0] < 224;
	return !IN6_IS_ADDR_UNSPECIFIED(v6) && !IN6_IS_ADDR_LOOPBACK(v6) &&
	       !IN6_IS_ADDR_MULTICAST(v6) && !IN6_IS_ADDR_LINKLOCAL(v6) &&
	       !IN6_IS_ADDR_V4MAPPED(v6);
}

/* @text up to the slash */
static bool own_parse_addr(const char *text, size_t len, struct ip_addr *a)
{
	char addr[OWN_TEXT];

	if (len >= sizeof(addr))
		return false;
	snprintf(addr, sizeof(addr), "%.*s", (int)len, text);
	return !ip_addr_parse(addr, a);
}

static bool own_is_given(const struct own_addrs *a,
			 const struct ip_addr *addr)
{
	for (int i = 0; i < a->n; i++)
		if (ip_addr_same(&a->v[i].addr, addr))
			return true;
	return false;
}

bool own_same(const struct own_addrs *a, const struct own_addrs *b)
{
	for (int i = 0; i < a->n; i++)
		if (!own_is_given(b, &a->v[i].addr))
			return false;
	return a->n == b->n;
}

int own_parse(const char *text, struct own_addrs *a, struct error *error)
{
	size_t len = strcspn(text, "/");
	struct own_addr one = { 0 };
	uint32_t plen;

	if (!own_parse_addr(text, len, &one.addr))
		return error_set(error, -EINVAL, "address %s is not an IP address with a prefix, as 10.77.0.2/24",
				 text);
	if (!text[len])
		return error_set(error, -EINVAL, "address %s needs a prefix, as %s/%d",
				 text, text,
				 one.addr.family == AF_INET ? 24 : 64);
	if (parse_u32(text + len + 1, 1, own_bits(&one) - 1, &plen))
		return error_set(error, -EINVAL, "the prefix of address %s must be 1..%d",
				 text, own_bits(&one) - 1);
	one.plen = plen;
	if (!own_is_host(&one.addr))
		return error_set(error, -EINVAL, "address %s must be that of a host, not loopback, link-local or multicast",
				 text);
	if (own_is_subnet(&one))
		return error_set(error, -EINVAL, "address %s is that of a subnet, not of a host",
				 text);
	if (own_is_given(a, &one.addr))
		return error_set(error, -EINVAL, "address %s is given twice", text);
	if (a->n == OWN_ADDRS)
		return error_set(error, -E2BIG, "at most %d addresses", OWN_ADDRS);
	assert(a->n >= 0 && a->n < OWN_ADDRS);
	a->v[a->n++] = one;
	return 0;
}

void own_addr_text(const struct own_addr *a, char text[OWN_TEXT])
{
	char addr[IP_ADDR_TEXT];

	snprintf(text, OWN_TEXT, "%.48s/%u", ip_addr_text(&a->addr, addr),
		 a->plen);
}

void own_text(const struct own_addrs *a, char text[OWN_LIST])
{
	char one[OWN_TEXT];
	size_t n = 0;

	assert(a->n >= 0 && a->n <= OWN_ADDRS);
	*text = '\0';
	for (int i = 0; i < a->n; i++) {
		own_addr_text(&a->v[i], one);
		n += snprintf(text + n, OWN_LIST - n, "%s%s", i ? "," : "",
			      one);
	}
}

/*
 * Conflicts with existing addresses
 */

/**
 * struct own_read - while all addresses are read
 * @dev:	own-DEV, 0: it does not exist
 * @a:		wanted addresses
 * @compare:	also check those of other devices
 * @mine:	number of @a that own-DEV has
 * @err:	of a conflict,
 * @error:	and its line
 */
struct own_read {
	int			dev;
	const struct own_addrs	*a;
	bool			compare;
	int			mine;
	int			err;
	struct error		*error;
};

static bool own_get(const struct nlattr *attr, struct own_addr *a)
{
	if (!attr || nla_len(attr) != own_bits(a) / 8)
		return false;
	memcpy(a->addr.addr, nla_data(attr), nla_len(attr));
	return true;
}

/* Check @a against @subnet and @addr of another device @name */
static int own_compare(const struct own_addr *a, const struct own_addr *subnet,
		       const struct own_addr *addr, const char *name,
		       struct error *error)
{
	int bits = a->plen < subnet->plen ? a->plen : subnet->plen;
	char mine[OWN_TEXT], other[OWN_TEXT];

	if (a->addr.family != addr->addr.family)
		return 0;
	own_addr_text(a, mine);
	own_addr_text(addr, other);
	if (ip_addr_same(&a->addr, &addr->addr))
		return error_set(error, -EADDRINUSE, "address %s: %s has it already",
				 mine, name);
	/* a single address has no subnet route that could take packets */
	if (subnet->plen < own_bits(subnet) &&
	    ip_addr_same_prefix(&a->addr, &subnet->addr, bits))
		return error_set(error, -EADDRINUSE, "address %s: its subnet overlaps %s of %s: choose another one",
				 mine, other, name);
	return 0;
}

static int own_on_addr(struct nlmsghdr *h, void *arg)
{
	const struct ifaddrmsg *ifa = nlmsg_data(h);
	struct own_addr addr = {
		.addr = { .family = ifa->ifa_family },
		.plen = ifa->ifa_prefixlen,
	}, subnet = addr;
	struct nlattr *tb[IFA_MAX + 1];
	struct own_read *r = arg;
	char name[IFNAMSIZ] = "?";

	if (h->nlmsg_type != RTM_NEWADDR ||
	    (ifa->ifa_family != AF_INET && ifa->ifa_family != AF_INET6) ||
	    nlmsg_parse(h, sizeof(*ifa), tb, IFA_MAX, NULL) ||
	    !own_get(tb[IFA_LOCAL] ? tb[IFA_LOCAL] : tb[IFA_ADDRESS], &addr) ||
	    !own_get(tb[IFA_ADDRESS] ? tb[IFA_ADDRESS] : tb[IFA_LOCAL],
		     &subnet))
		return 0;
	if ((int)ifa->ifa_index == r->dev) {
		r->mine += own_is_given(r->a, &addr.addr);
		return 0;
	}
	if (!r->compare)
		return 0;
	if_indextoname(ifa->ifa_index, name);
	for (int i = 0; i < r->a->n && !r->err; i++)
		r->err = own_compare(&r->a->v[i], &subnet, &addr, name,
				     r->error);
	return r->err;
}

static int own_read(struct own_read *r)
{
	struct ifaddrmsg ifa = { 0 };

	return netlink_dump(RTM_GETADDR, &ifa, sizeof(ifa), own_on_addr, r);
}

int own_check(const char *dev, const char *lower, const struct own_addrs *a,
	      struct error *error)
{
	struct own_read r = {
		.dev = netlink_ifindex(dev), .a = a, .compare = true,
		.error = error,
	};
	int err;

	if (!device_is_ethernet(lower))
		return error_set(error, -EINVAL, "%s is no Ethernet or Wi-Fi device: it cannot have an address of the robot's own",
				 lower);
	if (device_has_master(lower))
		return error_set(error, -EBUSY, "%s is part of a bridge, bond or VRF: it cannot have an address of the robot's own",
				 lower);
	err = own_read(&r);
	if (err)
		return error_set(error, err, "cannot read addresses: %s",
				 netlink_why(err));
	return r.err;
}

/*
 * The device
 */

static bool own_any_ipv6(const struct own_addrs *a)
{
	for (int i = 0; i < a->n; i++)
		if (a->v[i].addr.family == AF_INET6)
			return true;
	return false;
}

static int own_create(const char *dev, const char *lower,
		      struct error *error)
{
	struct ifinfomsg i = { 0 };
	struct nl_msg *msg = netlink_request(RTM_NEWLINK, NLM_F_CREATE |
					     NLM_F_EXCL, &i, sizeof(i));
	struct nlattr *info, *data;
	int err;

	nla_put_string(msg, IFLA_IFNAME, dev);
	nla_put_u32(msg, IFLA_LINK, netlink_ifindex(lower));
	info = nla_nest_start(msg, IFLA_LINKINFO);
	nla_put_string(msg, IFLA_INFO_KIND, "ipvlan");
	data = nla_nest_start(msg, IFLA_INFO_DATA);
	nla_put_u16(msg, IFLA_IPVLAN_MODE, IPVLAN_MODE_L2);
	nla_nest_end(msg, data);
	nla_nest_end(msg, info);
	err = netlink_send(msg);
	if (err == -EOPNOTSUPP)
		return error_set(error, err, "the kernel has no ipvlan: install or build its module ipvlan");
	if (err == -EBUSY)
		return error_set(error, err, "cannot make ipvlan device %s: %s is in use by a macvlan or the like",
				 dev, lower);
	return err ? error_set(error, err,
			       "cannot make ipvlan device %s: %s", dev,
			       netlink_why(err)) : 0;
}

/* Without DAD: usable at once, even without a link. */
static int own_add_addr(const char *dev, const struct own_addr *a,
			struct error *error)
{
	struct ifaddrmsg ifa = {
		.ifa_family = a->addr.family,
		.ifa_prefixlen = a->plen,
		.ifa_flags = a->addr.family == AF_INET6 ? IFA_F_NODAD : 0,
		.ifa_index = netlink_ifindex(dev),
	};
	struct nl_msg *msg = netlink_request(RTM_NEWADDR, NLM_F_CREATE |
					     NLM_F_EXCL, &ifa, sizeof(ifa));
	char text[OWN_TEXT];

	nla_put(msg, IFA_LOCAL, own_bits(a) / 8, a->addr.addr);
	nla_put(msg, IFA_ADDRESS, own_bits(a) / 8, a->addr.addr);
	own_addr_text(a, text);
	return netlink_do(msg, error, "cannot give %s the address %s", dev,
			  text);
}

int own_add(const char *dev, const char *lower, const struct own_addrs *a,
	    struct error *error)
{
	int err = own_create(dev, lower, error);

	if (err)
		return err;
	/* A router of DEV's network must not configure it. */
	device_set_ipv6(dev, "accept_ra", "0\n");
	if (!own_any_ipv6(a))	/* then not even a link-local address */
		device_set_ipv6(dev, "addr_gen_mode", "1\n");
	err = device_up(dev, error);
	for (int i = 0; !err && i < a->n; i++)
		err = own_add_addr(dev, &a->v[i], error);
	return err;
}

static int own_on_link(struct nlmsghdr *h, void *arg)
{
	struct nlattr *link = nlmsg_find_attr(h, sizeof(struct ifinfomsg),
					      IFLA_LINK);

	if (h->nlmsg_type == RTM_NEWLINK && link)
		*(int *)arg = nla_get_u32(link);
	return 0;
}

bool own_is_on(const char *dev, const char *lower)
{
	struct ifinfomsg i = { .ifi_index = netlink_ifindex(dev) };
	int link = 0;

	return !netlink_ask(netlink_request(RTM_GETLINK, 0, &i, sizeof(i)),
			    own_on_link, &link) &&
	       link && link == (int)netlink_ifindex(lower);
}

bool own_is_ipvlan(int ifindex)
{
	return device_is_kind(ifindex, "ipvlan");
}

bool own_has(int ifindex, const struct own_addrs *a)
{
	struct own_read r = { .dev = ifindex, .a = a };

	return !own_read(&r) && r.mine == a->n;
}
