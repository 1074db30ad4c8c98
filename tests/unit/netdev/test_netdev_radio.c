// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_netdev_radio - what nl80211 and WireGuard answer: Wi-Fi networks and
 * tunnels that this machine cannot have
 */
#include <arpa/inet.h>
#include <net/if.h>	/* before <linux/if.h> */
#include <linux/if_tunnel.h>
#include <linux/nl80211.h>
#include <linux/wireguard.h>
#include "netdev/genl.h"
#include "netdev/netlink.h"
#include "netdev/network.h"
#include "netdev/tunnel.h"
#include "netns.h"

enum { TUNNEL = 7777 };		/* number of a device that does not exist */

/*
 * Answers instead of the kernel's: @put writes one, as attributes
 */

static void (*put)(struct nl_msg *msg);
static const char *kind;			/* of the device TUNNEL */
static void (*put_data)(struct nl_msg *msg);	/* its IFLA_INFO_DATA */
static int asked_cmd, asked_ifindex;

int __wrap_genl_ask(const struct genl_family *family, int ifindex, int cmd,
		    int flags, void (*fn)(struct nlattr *tb[], void *arg),
		    void *arg);
int __real_netlink_ask(struct nl_msg *msg, netlink_fn fn, void *arg);
int __wrap_netlink_ask(struct nl_msg *msg, netlink_fn fn, void *arg);

int __wrap_genl_ask(const struct genl_family *family, int ifindex, int cmd,
		    int flags, void (*fn)(struct nlattr *tb[], void *arg),
		    void *arg)
{
	struct nlattr *tb[GENL_ATTRS + 1];
	struct nl_msg *msg;

	asked_cmd = cmd;
	asked_ifindex = ifindex;
	if (!put)
		return -EIO;
	ok_eq(flags, NLM_F_DUMP, "a dump of %s", family->name);
	msg = nlmsg_alloc_simple(0, 0);
	put(msg);
	nlmsg_parse(nlmsg_hdr(msg), 0, tb, family->max, NULL);
	fn(tb, arg);
	nlmsg_free(msg);
	return 0;
}

int __wrap_netlink_ask(struct nl_msg *msg, netlink_fn fn, void *arg)
{
	struct nlmsghdr *h = nlmsg_hdr(msg);
	struct ifinfomsg *i = nlmsg_data(h);
	struct nlattr *info, *data;
	struct nl_msg *answer;

	if (h->nlmsg_type != RTM_GETLINK || i->ifi_index != TUNNEL)
		return __real_netlink_ask(msg, fn, arg);
	answer = netlink_request(RTM_NEWLINK, 0, i, sizeof(*i));
	info = nla_nest_start(answer, IFLA_LINKINFO);
	nla_put_string(answer, IFLA_INFO_KIND, kind);
	if (put_data) {
		data = nla_nest_start(answer, IFLA_INFO_DATA);
		put_data(answer);
		nla_nest_end(answer, data);
	}
	nla_nest_end(answer, info);
	fn(nlmsg_hdr(answer), arg);
	nlmsg_free(answer);
	nlmsg_free(msg);
	return 0;
}

/*
 * Wi-Fi
 */

static uint32_t bss_status;
static const char *elements;
static size_t elements_len;

static void put_bss(struct nl_msg *msg)
{
	struct nlattr *bss = nla_nest_start(msg, NL80211_ATTR_BSS);

	nla_put_u32(msg, NL80211_BSS_STATUS, bss_status);
	if (elements)
		nla_put(msg, NL80211_BSS_INFORMATION_ELEMENTS, elements_len,
			elements);
	nla_nest_end(msg, bss);
}

#define beacon(text) (elements = (text), elements_len = sizeof(text) - 1)

/* Return: the name of the network of the beacon, "-": it is in none */
static const char *ssid(void)
{
	static char text[64];
	struct network n;

	if (!network_read("v0", &n))
		return "-";
	memcpy(text, n.ssid, n.ssid_len);
	text[n.ssid_len] = '\0';
	return text;
}

static void test_network(void)
{
	put = put_bss;
	bss_status = NL80211_BSS_STATUS_ASSOCIATED;
	beacon("\x00\x04" "robo" "\x01\x02zz");
	ok_str(ssid(), "robo", "the network of the interface");
	ok_eq(asked_cmd, NL80211_CMD_GET_SCAN, "is in the scan results");
	ok_eq(asked_ifindex, netlink_ifindex("v0"), "of the interface");
	beacon("\x01\x02zz\x00\x04" "robo");
	ok_str(ssid(), "robo", "its name is not the first element");
	beacon("\x00\x20" "12345678901234567890123456789012");
	ok_str(ssid(), "12345678901234567890123456789012", "the longest name");
	beacon("\x00\x21" "123456789012345678901234567890123");
	ok_str(ssid(), "-", "a longer one is none");
	beacon("\x00\x05" "robo");
	ok_str(ssid(), "-", "one that is cut off");
	beacon("\x00\x00");
	ok_str(ssid(), "-", "a hidden one");
	beacon("\x00");
	ok_str(ssid(), "-", "half an element");
	beacon("\x00\x04" "robo");
	bss_status = NL80211_BSS_STATUS_AUTHENTICATED;
	ok_str(ssid(), "-", "a network that it is not associated with");
	bss_status = NL80211_BSS_STATUS_ASSOCIATED;
	elements = NULL;
	ok_str(ssid(), "-", "one without a beacon");
	put = NULL;
	ok_str(ssid(), "-", "no answer");
}

/*
 * WireGuard
 */

static const char *peer_addr[2];

static void put_peer(struct nl_msg *msg, const char *text)
{
	struct nlattr *peer = nla_nest_start(msg, 1);
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };
	struct sockaddr_in v4 = { .sin_family = AF_INET };

	if (text && inet_pton(AF_INET, text, &v4.sin_addr) == 1)
		nla_put(msg, WGPEER_A_ENDPOINT, sizeof(v4), &v4);
	else if (text && inet_pton(AF_INET6, text, &v6.sin6_addr) == 1)
		nla_put(msg, WGPEER_A_ENDPOINT, sizeof(v6), &v6);
	nla_nest_end(msg, peer);
}

static uint32_t fwmark;

static void put_wireguard(struct nl_msg *msg)
{
	struct nlattr *peers;

	if (fwmark)
		nla_put_u32(msg, WGDEVICE_A_FWMARK, fwmark);
	peers = nla_nest_start(msg, WGDEVICE_A_PEERS);
	put_peer(msg, peer_addr[0]);
	put_peer(msg, peer_addr[1]);
	nla_nest_end(msg, peers);
}

static int wireguard(const char *a, const char *b)
{
	peer_addr[0] = a;
	peer_addr[1] = b;
	return tunnel_lower(TUNNEL);
}

static void test_wireguard(void)
{
	int v0 = netlink_ifindex("v0"), v1 = netlink_ifindex("v1");

	kind = "wireguard";
	put = put_wireguard;
	ok_eq(wireguard("10.1.0.7", NULL), v0, "by the route to its peer");
	ok_eq(asked_cmd, WG_CMD_GET_DEVICE, "which WireGuard knows");
	ok_eq(asked_ifindex, TUNNEL, "of the device");
	ok_eq(wireguard("10.2.0.7", NULL), v1, "another peer, another route");
	ok_eq(wireguard(NULL, "10.1.0.7"), v0, "the first one that is known");
	ok_eq(wireguard("203.0.113.1", "10.1.0.7"), v0, "and has a route");
	ok_eq(wireguard("2001:db8::7", NULL), v0, "over IPv6");
	ok_eq(wireguard(NULL, NULL), -EDESTADDRREQ, "no peer is known");
	ok_eq(wireguard("0.0.0.0", NULL), -EDESTADDRREQ, "nor by 0.0.0.0");
	ok_eq(wireguard("203.0.113.1", NULL), -ENETUNREACH, "none has a route");
	ok_eq(wireguard("10.1.0.1", NULL), -EDESTADDRREQ,
	      "this host itself is no link");
	need("ip rule add fwmark 5 table 55; ip route add 203.0.113.0/24 dev v1 table 55");
	fwmark = 5;
	ok_eq(wireguard("203.0.113.1", NULL), v1, "marked packets have their own");
	fwmark = 0;
	put = NULL;
	ok_eq(wireguard("10.1.0.7", NULL), -EDESTADDRREQ, "without an answer");
}

/*
 * Tunnels with one end
 */

static int remote_type;
static uint8_t remote[16];
static size_t remote_len;
static int link_type, link_ifindex;

static void put_remote(struct nl_msg *msg)
{
	if (remote_len)
		nla_put(msg, remote_type, remote_len, remote);
	if (link_ifindex)
		nla_put_u32(msg, link_type, link_ifindex);
}

static int tunnel(const char *name, int type, const char *to)
{
	kind = name;
	put_data = put_remote;
	remote_type = type;
	remote_len = strchr(to, ':') ? 16 : 4;
	if (inet_pton(remote_len == 4 ? AF_INET : AF_INET6, to, remote) != 1)
		abort();
	return tunnel_lower(TUNNEL);
}

static void test_kinds(void)
{
	int v0 = netlink_ifindex("v0"), v1 = netlink_ifindex("v1");

	ok_eq(tunnel("gre", IFLA_GRE_REMOTE, "10.1.0.7"), v0, "gre");
	ok_eq(tunnel("gretap", IFLA_GRE_REMOTE, "10.2.0.7"), v1, "gretap");
	ok_eq(tunnel("erspan", IFLA_GRE_REMOTE, "10.2.0.7"), v1, "erspan");
	ok_eq(tunnel("ipip", IFLA_IPTUN_REMOTE, "10.1.0.7"), v0, "ipip");
	ok_eq(tunnel("sit", IFLA_IPTUN_REMOTE, "10.1.0.7"), v0, "sit");
	ok_eq(tunnel("ip6tnl", IFLA_IPTUN_REMOTE, "2001:db8::7"), v0, "ip6tnl");
	ok_eq(tunnel("ip6gre", IFLA_GRE_REMOTE, "2001:db8::7"), v0, "ip6gre");
	ok_eq(tunnel("ip6gretap", IFLA_GRE_REMOTE, "2001:db8::7"), v0,
	      "ip6gretap");
	ok_eq(tunnel("geneve", IFLA_GENEVE_REMOTE, "10.1.0.7"), v0, "geneve");
	ok_eq(tunnel("geneve", IFLA_GENEVE_REMOTE6, "2001:db8::7"), v0,
	      "geneve over IPv6");
	ok_eq(tunnel("gre", IFLA_GRE_REMOTE, "2001:db8::7"), -EDESTADDRREQ,
	      "an address of the wrong length");
	ok_eq(tunnel("dummy", IFLA_GRE_REMOTE, "10.1.0.7"), 0, "no tunnel");
	link_type = IFLA_GRE_LINK;
	link_ifindex = v1;
	ok_eq(tunnel("gre", IFLA_GRE_REMOTE, "10.1.0.7"), v1,
	      "one that is bound to a device");
	link_ifindex = TUNNEL;
	ok_eq(tunnel("gre", IFLA_GRE_REMOTE, "10.1.0.7"), TUNNEL,
	      "a loop of tunnels ends");
	link_ifindex = 0;
	put_data = NULL;
	kind = "gre";
	ok_eq(tunnel_lower(TUNNEL), -EDESTADDRREQ, "one without attributes");
}

int main(void)
{
	netns_enter();
	netns_cable("v0", "v1");
	need("ip addr add 10.1.0.1/24 dev v0; ip addr add 10.2.0.1/24 dev v1");
	need("ip addr add 2001:db8::1/64 dev v0 nodad");
	test_network();
	test_wireguard();
	test_kinds();
	return tap_done();
}
