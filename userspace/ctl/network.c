// SPDX-License-Identifier: GPL-2.0-only
/*
 * NL80211_CMD_GET_INTERFACE, see network.h.
 */
#include <linux/nl80211.h>
#include <net/if.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <string.h>
#include "network.h"

static int network_seen(struct nl_msg *msg, void *arg)
{
	struct nlattr *tb[NL80211_ATTR_MAX + 1], *ssid;
	struct network *n = arg;

	if (genlmsg_parse(nlmsg_hdr(msg), 0, tb, NL80211_ATTR_MAX, NULL))
		return NL_SKIP;
	ssid = tb[NL80211_ATTR_SSID];
	if (!ssid || nla_len(ssid) > (int)sizeof(n->ssid))
		return NL_SKIP;
	n->ssid_len = nla_len(ssid);
	memcpy(n->ssid, nla_data(ssid), n->ssid_len);
	return NL_OK;
}

static bool network_ask(struct nl_sock *sk, int ifindex, struct network *n)
{
	int family = genl_ctrl_resolve(sk, "nl80211");
	struct nl_msg *msg;

	if (family < 0)
		return false;
	msg = nlmsg_alloc();
	if (!msg)
		return false;
	genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, family, 0, 0,
		    NL80211_CMD_GET_INTERFACE, 0);
	nla_put_u32(msg, NL80211_ATTR_IFINDEX, ifindex);
	nl_socket_modify_cb(sk, NL_CB_VALID, NL_CB_CUSTOM, network_seen, n);
	return nl_send_sync(sk, msg) >= 0 && n->ssid_len;
}

bool network_read(const char *dev, struct network *n)
{
	int ifindex = if_nametoindex(dev);
	struct nl_sock *sk = nl_socket_alloc();
	bool found;

	memset(n, 0, sizeof(*n));
	found = sk && ifindex && !genl_connect(sk) &&
		network_ask(sk, ifindex, n);
	nl_socket_free(sk);
	return found;
}

bool network_same(const struct network *a, const struct network *b)
{
	return a->ssid_len == b->ssid_len &&
	       !memcmp(a->ssid, b->ssid, a->ssid_len);
}
