// SPDX-License-Identifier: GPL-2.0-only
/*
 * NL80211_CMD_GET_SCAN, see network.h. NL80211_CMD_GET_INTERFACE lacks the name
 * if wpa_supplicant authenticates by itself.
 */
#include <linux/nl80211.h>
#include <netlink/attr.h>
#include <string.h>
#include "netdev/genl.h"
#include "netdev/netlink.h"
#include "netdev/network.h"

/* The network's name: the first element of a beacon that has one */
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

static void network_on_bss(struct nlattr *tb[], void *arg)
{
	struct nlattr *bss[NL80211_BSS_MAX + 1];

	if (!tb[NL80211_ATTR_BSS] ||
	    nla_parse_nested(bss, NL80211_BSS_MAX, tb[NL80211_ATTR_BSS], NULL) ||
	    !bss[NL80211_BSS_STATUS] ||
	    !bss[NL80211_BSS_INFORMATION_ELEMENTS])
		return;
	if (nla_get_u32(bss[NL80211_BSS_STATUS]) ==
	    NL80211_BSS_STATUS_ASSOCIATED)
		network_name(bss[NL80211_BSS_INFORMATION_ELEMENTS], arg);
}

/* Use the scan result of the associated network */
bool network_read(const char *dev, struct network *n)
{
	int ifindex = netlink_ifindex(dev);

	memset(n, 0, sizeof(*n));
	return ifindex && !genl_ask(&genl_nl80211, ifindex,
				    NL80211_CMD_GET_SCAN, NLM_F_DUMP,
				    network_on_bss, n) &&
	       n->ssid_len;
}

bool network_same(const struct network *a, const struct network *b)
{
	return a->ssid_len == b->ssid_len &&
	       !memcmp(a->ssid, b->ssid, a->ssid_len);
}
