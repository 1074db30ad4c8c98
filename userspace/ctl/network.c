// SPDX-License-Identifier: GPL-2.0-only
/*
 * NL80211_CMD_GET_SCAN, see network.h. NL80211_CMD_GET_INTERFACE does not know the
 * name if wpa_supplicant authenticates by itself.
 */
#include <linux/nl80211.h>
#include <net/if.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <string.h>
#include "network.h"

/* The name of the network among the elements of a beacon: the first one */
static void network_name(const struct nlattr *elements, struct network *n)
{
	const uint8_t *e = nla_data(elements);
	int left = nla_len(elements);

	while (left >= 2 && left >= 2 + e[1]) {
		if (!e[0]) {
			if (e[1] > sizeof(n->ssid))
				return;
			n->ssid_len = e[1];
			memcpy(n->ssid, e + 2, e[1]);
			return;
		}
		left -= 2 + e[1];
		e += 2 + e[1];
	}
}

static int network_seen(struct nl_msg *msg, void *arg)
{
	struct nlattr *tb[NL80211_ATTR_MAX + 1], *bss[NL80211_BSS_MAX + 1];

	if (genlmsg_parse(nlmsg_hdr(msg), 0, tb, NL80211_ATTR_MAX, NULL) ||
	    !tb[NL80211_ATTR_BSS] ||
	    nla_parse_nested(bss, NL80211_BSS_MAX, tb[NL80211_ATTR_BSS], NULL) ||
	    !bss[NL80211_BSS_STATUS] ||
	    !bss[NL80211_BSS_INFORMATION_ELEMENTS])
		return NL_SKIP;
	if (nla_get_u32(bss[NL80211_BSS_STATUS]) ==
	    NL80211_BSS_STATUS_ASSOCIATED)
		network_name(bss[NL80211_BSS_INFORMATION_ELEMENTS], arg);
	return NL_OK;
}

/* Of what was scanned, the one that the interface is associated with */
static bool network_ask(struct nl_sock *sk, int ifindex, struct network *n)
{
	int family = genl_ctrl_resolve(sk, "nl80211");
	struct nl_msg *msg;
	bool sent;

	if (family < 0)
		return false;
	msg = nlmsg_alloc();
	if (!msg)
		return false;
	genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, family, 0, NLM_F_DUMP,
		    NL80211_CMD_GET_SCAN, 0);
	nla_put_u32(msg, NL80211_ATTR_IFINDEX, ifindex);
	nl_socket_modify_cb(sk, NL_CB_VALID, NL_CB_CUSTOM, network_seen, n);
	sent = nl_send_auto(sk, msg) >= 0;
	nlmsg_free(msg);
	return sent && nl_recvmsgs_default(sk) >= 0 && n->ssid_len;
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
