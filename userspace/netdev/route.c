// SPDX-License-Identifier: GPL-2.0-only
/*
 * Route lookups by RTM_GETROUTE.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include "base/ip_addr.h"
#include "netdev/netlink.h"
#include "netdev/route.h"

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
	    (int)ip_addr_len(r->via.family))
		memcpy(r->via.addr, nla_data(tb[RTA_GATEWAY]),
		       nla_len(tb[RTA_GATEWAY]));
	return 1;
}

int route_find(const struct ip_addr *to, uint32_t mark, struct route *r)
{
	unsigned int len = ip_addr_len(to->family);
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
