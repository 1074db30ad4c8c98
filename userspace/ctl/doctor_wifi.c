// SPDX-License-Identifier: GPL-2.0-only
/*
 * Wi-Fi: power save, driver, and NetworkManager's random MAC.
 */
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/nl80211.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include "doctor.h"

enum { WIFI_REPLY = 32768, WIFI_WAIT_S = 2 };

/*
 * Generic netlink with one socket; libnl-genl is not worth two requests.
 */

static int genl_open(void)
{
	struct timeval wait = { .tv_sec = WIFI_WAIT_S };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);

	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	return fd < 0 ? -errno : fd;
}

static struct nl_msg *genl_request(int family, uint8_t cmd)
{
	struct genlmsghdr g = { .cmd = cmd, .version = 1 };
	struct nl_msg *msg = nlmsg_alloc_simple(family, NLM_F_REQUEST);

	if (!msg || nlmsg_append(msg, &g, sizeof(g), NLMSG_ALIGNTO))
		abort();
	return msg;
}

/* Frees @msg. Return: attribute @attr of the answer, in @buf; NULL: none */
static struct nlattr *genl_ask(int fd, struct nl_msg *msg, char *buf, int attr)
{
	struct nlmsghdr *h = nlmsg_hdr(msg);
	ssize_t n = send(fd, h, h->nlmsg_len, 0);

	nlmsg_free(msg);
	if (n < 0)
		return NULL;
	n = recv(fd, buf, WIFI_REPLY, 0);
	h = (struct nlmsghdr *)buf;
	if (n < (ssize_t)sizeof(*h) || !nlmsg_ok(h, n) ||
	    h->nlmsg_type == NLMSG_ERROR)
		return NULL;
	return nlmsg_find_attr(h, GENL_HDRLEN, attr);
}

static int nl80211_family(int fd, char *buf)
{
	struct nl_msg *msg = genl_request(GENL_ID_CTRL, CTRL_CMD_GETFAMILY);
	struct nlattr *id;

	nla_put_string(msg, CTRL_ATTR_FAMILY_NAME, "nl80211");
	id = genl_ask(fd, msg, buf, CTRL_ATTR_FAMILY_ID);
	return id && nla_len(id) >= 2 ? nla_get_u16(id) : -ENOENT;
}

/* Return: 1: power save is on, 0: off, negative errno: not known */
static int power_save_ask(const struct doctor_dev *dev)
{
	static char buf[WIFI_REPLY];
	int fd = genl_open(), family, ret = -EIO;
	struct nl_msg *msg;
	struct nlattr *ps;

	if (fd < 0)
		return fd;
	family = nl80211_family(fd, buf);
	if (family > 0) {
		msg = genl_request(family, NL80211_CMD_GET_POWER_SAVE);
		nla_put_u32(msg, NL80211_ATTR_IFINDEX, dev->ifindex);
		ps = genl_ask(fd, msg, buf, NL80211_ATTR_PS_STATE);
		if (ps && nla_len(ps) >= 4)
			ret = nla_get_u32(ps) == NL80211_PS_ENABLED;
	}
	close(fd);
	return ret;
}

static int power_save(const struct doctor *d)
{
	char key[64], value[DOCTOR_VALUE];

	if (!*d->root)
		return power_save_ask(d->dev);
	snprintf(key, sizeof(key), "%s.power_save", d->dev->name);
	return doctor_fact(d, key, value) ? text_true(value) : -ENOENT;
}

void check_power_save(struct doctor *d)
{
	const char *dev = d->dev->name;
	int on;

	if (!d->dev->wireless)
		return;
	on = power_save(d);
	if (on < 0) {
		finding_add(d, DOCTOR_NOTE, NULL,
			    "cannot tell whether power save is on");
	} else if (!on) {
		finding_add(d, DOCTOR_OK, NULL, "power save is off");
	} else {
		finding_add(d, DOCTOR_WARNING, NULL,
			    "power save is on: what comes in waits up to 100 ms and more, and some drivers lose the link");
		finding_fix(d, "iw dev %s set power_save off", dev);
	}
}

/* Full MAC drivers free a packet when the chip took it. */
static const char *const blind_drivers[] = {
	"brcmfmac", "bcmdhd", "dhd", "rtl8822ce", "rtl88x2ce", "rtl88x2bu",
	"rtl8812au", "8812au", "88x2bu", "8821cu",
};

void check_driver(struct doctor *d)
{
	char target[DOCTOR_PATH];
	const char *driver;

	if (!d->dev->wireless)
		return;
	if (!doctor_link(d, target, sizeof(target),
			 "/sys/class/net/%s/device/driver", d->dev->name)) {
		finding_add(d, DOCTOR_NOTE, NULL,
			    "cannot tell the driver of %s", d->dev->name);
		return;
	}
	driver = strrchr(target, '/') ? strrchr(target, '/') + 1 : target;
	for (size_t i = 0; i < sizeof(blind_drivers) / sizeof(*blind_drivers);
	     i++) {
		if (strcmp(driver, blind_drivers[i]))
			continue;
		finding_add(d, DOCTOR_NOTE, NULL,
			    "the driver %s does not report what is still in the chip: that is lost with the link, whatever --inflight says",
			    driver);
		return;
	}
	finding_add(d, DOCTOR_OK, NULL, "driver %s", driver);
}

/*
 * NetworkManager's random MAC while it scans
 */

static void scan_config_dir(const struct doctor *d, const char *dir,
			    char value[DOCTOR_VALUE])
{
	char **names, *text;
	int n = doctor_list(d, dir, &names);

	for (int i = 0; i < n; i++) {
		text = doctor_load(d, "%s/%s", dir, names[i]);
		if (text)
			ini_value(text, "device",
				  "wifi.scan-rand-mac-address", value);
		free(text);
	}
	doctor_list_free(names, n);
}

void check_random_mac(struct doctor *d)
{
	char value[DOCTOR_VALUE] = "yes", *text;

	if (!d->dev->wireless || !proc_find(d, "NetworkManager"))
		return;
	/* in the order of their weight; the last one counts */
	scan_config_dir(d, "/usr/lib/NetworkManager/conf.d", value);
	scan_config_dir(d, "/run/NetworkManager/conf.d", value);
	text = doctor_load(d, "/etc/NetworkManager/NetworkManager.conf");
	if (text)
		ini_value(text, "device", "wifi.scan-rand-mac-address", value);
	free(text);
	scan_config_dir(d, "/etc/NetworkManager/conf.d", value);
	if (text_false(value)) {
		finding_add(d, DOCTOR_OK, NULL,
			    "the MAC stays the same in an outage");
		return;
	}
	if (keeper_runs(d, d->dev)) {
		finding_add(d, DOCTOR_OK, NULL,
			    "NetworkManager changes the MAC while it scans: what is kept leaves with the right one");
		return;
	}
	finding_add(d, DOCTOR_WARNING, NULL,
		    "NetworkManager changes the MAC while it scans: what was kept under the other one is lost");
	finding_fix(d, "printf '[device]\\nwifi.scan-rand-mac-address=no\\n' >/etc/NetworkManager/conf.d/optsample.conf && systemctl restart NetworkManager");
}
