// SPDX-License-Identifier: GPL-2.0-only
/*
 * Route lookups by RTM_GETROUTE.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include "netdev/netlink.h"
#include "netdev/route.h"

unsigned int route_addr_len(int family)
{
	return family == AF_INET ? 4 : 16;
}

bool route_same_addr(const struct route_addr *a, const struct route_addr *b)
{
	return a->family == b->family &&
	       !memcmp(a->addr, b->addr, sizeof(a->addr));
}

bool route_same_prefix(const struct route_addr *a, const struct route_addr *b,
		       int bits)
{
	uint8_t rest = 0xff00 >> (bits % 8);

	return !memcmp(a->addr, b->addr, bits / 8) &&
	       (!rest || !((a->addr[bits / 8] ^ b->addr[bits / 8]) & rest));
}

static int route_answer(struct nlmsghdr *h, void *arg)
{
	struct nlattr *tb[RTA_MAX + 1];
	struct rtmsg *rt = nlmsg_data(h);
	struct route *r = arg;

	if (h->nlmsg_type != RTM_NEWROUTE ||
	    nlmsg_parse(h, sizeof(*rt), tb, RTA_MAX, NULL))
		return 0;
	r->type = rt->rtm_type;
	if (tb[RTA_OIF])
		r->ifindex = nla_get_u32(tb[RTA_OIF]);
	if (tb[RTA_GATEWAY] && nla_len(tb[RTA_GATEWAY]) ==
	    (int)route_addr_len(r->via.family))
		memcpy(r->via.addr, nla_data(tb[RTA_GATEWAY]),
		       nla_len(tb[RTA_GATEWAY]));
	return 1;
}

int route_find(const struct route_addr *to, uint32_t mark, struct route *r)
{
	unsigned int len = route_addr_len(to->family);
	struct rtmsg rt = {
		.rtm_family = to->family,
		.rtm_dst_len = len * 8,
	};
	struct nl_msg *msg = netlink_request(RTM_GETROUTE, 0, &rt, sizeof(rt));
	int err;

	nla_put(msg, RTA_DST, len, to->addr);
	if (mark)
		nla_put_u32(msg, RTA_MARK, mark);
	memset(r, 0, sizeof(*r));
	r->via = *to;
	err = netlink_ask(msg, route_answer, r);
	if (err)
		return err;
	return r->type ? 0 : -ENETUNREACH;
}
