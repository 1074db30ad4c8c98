// SPDX-License-Identifier: GPL-2.0-only
/*
 * Devices by sysfs and rtnetlink, see device.h.
 */
#include <assert.h>
#include <errno.h>
#include <net/if.h>	/* before <linux/if.h> */
#include <linux/if.h>
#include <linux/if_arp.h>
#include <linux/pkt_sch_optsample.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/error.h"
#include "netdev/device.h"
#include "netdev/netlink.h"

enum { DEVICE_PATH = 256 };

/*
 * Kind
 */

bool device_is_ethernet(const char *dev)
{
	char path[DEVICE_PATH];
	int type = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/net/%s/type", dev);
	f = fopen(path, "re");
	if (!f)
		return false;
	if (fscanf(f, "%d", &type) != 1)
		type = -1;
	fclose(f);
	return type == ARPHRD_ETHER;
}

static bool device_has_file(const char *dev, const char *name)
{
	char path[DEVICE_PATH];

	snprintf(path, sizeof(path), "/sys/class/net/%s/%s", dev, name);
	return !access(path, F_OK);
}

bool device_has_master(const char *dev)
{
	return device_has_file(dev, "master");
}

bool device_is_wireless(const char *dev)
{
	return device_has_file(dev, "phy80211") ||
	       device_has_file(dev, "wireless");
}

static bool device_is_vrf(const char *dev)
{
	char path[DEVICE_PATH], line[64];
	bool vrf = false;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/net/%s/uevent", dev);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		vrf |= !strcmp(line, "DEVTYPE=vrf\n");
	if (f)
		fclose(f);
	return vrf;
}

bool device_is_port(const char *dev, char master[IFNAMSIZ])
{
	char path[DEVICE_PATH], to[DEVICE_PATH];
	ssize_t n;

	snprintf(path, sizeof(path), "/sys/class/net/%s/master", dev);
	n = readlink(path, to, sizeof(to) - 1);
	if (n < 0)
		return false;
	to[n] = '\0';
	snprintf(master, IFNAMSIZ, "%.15s", basename(to));
	return !device_is_vrf(master);
}

struct device_kind {
	const char	*kind;
	bool		is;
};

static int device_on_kind(struct nlmsghdr *h, void *arg)
{
	struct device_kind *k = arg;
	struct nlattr *info, *kind;

	info = nlmsg_find_attr(h, sizeof(struct ifinfomsg), IFLA_LINKINFO);
	kind = info ? nla_find(nla_data(info), nla_len(info), IFLA_INFO_KIND) :
		      NULL;
	k->is = kind && !nla_strcmp(kind, k->kind);
	return 0;
}

bool device_is_kind(int ifindex, const char *kind)
{
	struct ifinfomsg i = { .ifi_index = ifindex };
	struct device_kind k = { .kind = kind };

	return !netlink_ask(netlink_request(RTM_GETLINK, 0, &i, sizeof(i)),
			    device_on_kind, &k) && k.is;
}

/*
 * Changes
 */

void device_set_ipv6(const char *dev, const char *name, const char *value)
{
	char path[DEVICE_PATH];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/sys/net/ipv6/conf/%s/%s", dev,
		 name);
	f = fopen(path, "we");
	if (!f)
		return;
	fputs(value, f);
	fclose(f);
}

int device_add(const char *name, const char *kind)
{
	struct ifinfomsg i = { 0 };
	struct nl_msg *msg = netlink_request(RTM_NEWLINK, NLM_F_CREATE |
					     NLM_F_EXCL, &i, sizeof(i));
	struct nlattr *info;

	assert(*name && strlen(name) < IFNAMSIZ);
	nla_put_string(msg, IFLA_IFNAME, name);
	info = nla_nest_start(msg, IFLA_LINKINFO);
	nla_put_string(msg, IFLA_INFO_KIND, kind);
	nla_nest_end(msg, info);
	return netlink_send(msg);
}

int device_up(const char *name, struct error *error)
{
	struct ifinfomsg i = {
		.ifi_index = netlink_ifindex(name),
		.ifi_flags = IFF_UP,
		.ifi_change = IFF_UP,
	};

	return netlink_do(netlink_request(RTM_NEWLINK, 0, &i, sizeof(i)),
			  error, "cannot set up %s", name);
}

int device_up_dormant(const char *name, struct error *error)
{
	struct ifinfomsg i = { .ifi_index = netlink_ifindex(name) };
	struct nl_msg *msg;
	int err;

	/* 1: not even a link-local address */
	device_set_ipv6(name, "addr_gen_mode", "1\n");
	err = device_up(name, error);
	if (err)
		return err;
	msg = netlink_request(RTM_NEWLINK, 0, &i, sizeof(i));
	nla_put_u8(msg, IFLA_LINKMODE, IF_LINK_MODE_DORMANT);
	nla_put_u8(msg, IFLA_OPERSTATE, IF_OPER_DORMANT);
	return netlink_do(msg, error, "cannot set up %s", name);
}

int device_delete(const char *name, struct error *error)
{
	struct ifinfomsg i = { .ifi_index = netlink_ifindex(name) };

	if (!i.ifi_index)
		return 0;
	return netlink_do(netlink_request(RTM_DELLINK, 0, &i, sizeof(i)),
			  error, "cannot remove %s", name);
}

int device_send_by(int ifindex, int lower, const uint8_t source[6])
{
	struct ifinfomsg i = { .ifi_index = ifindex };
	struct nl_msg *msg = netlink_request(RTM_NEWLINK, 0, &i, sizeof(i));
	struct nlattr *info, *data;

	info = nla_nest_start(msg, IFLA_LINKINFO);
	nla_put_string(msg, IFLA_INFO_KIND, "optsample");
	data = nla_nest_start(msg, IFLA_INFO_DATA);
	nla_put_u32(msg, IFLA_OPTSAMPLE_LINK, lower);
	if (source)
		nla_put(msg, IFLA_OPTSAMPLE_SOURCE, 6, source);
	nla_nest_end(msg, data);
	nla_nest_end(msg, info);
	return netlink_send(msg);
}
