// SPDX-License-Identifier: GPL-2.0-only
/*
 * Wi-Fi: power save, driver, and NetworkManager's random MAC.
 */
#include <linux/nl80211.h>
#include <errno.h>
#include <netlink/attr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "apps/optsample/doctor/doctor.h"
#include "netdev/genl.h"
#include "netdev/netlink.h"

static void power_save_seen(struct nlattr *tb[], void *arg)
{
	struct nlattr *ps = tb[NL80211_ATTR_PS_STATE];

	if (ps && nla_len(ps) >= 4)
		*(int *)arg = nla_get_u32(ps) == NL80211_PS_ENABLED;
}

/* Return: 1: power save is on, 0: off, negative errno: unknown */
static int power_save_ask(const struct doctor_dev *dev)
{
	int on = -EIO, err;

	err = genl_ask(&genl_nl80211, netlink_ifindex(dev->link),
		       NL80211_CMD_GET_POWER_SAVE, 0, power_save_seen, &on);
	return err ?: on;
}

static int power_save(const struct doctor *d)
{
	char key[64], value[DOCTOR_VALUE];

	if (!*d->root)
		return power_save_ask(d->dev);
	snprintf(key, sizeof(key), "%s.power_save", d->dev->link);
	return doctor_fact(d, key, value) ? text_true(value) : -ENOENT;
}

void check_power_save(struct doctor *d)
{
	const char *dev = d->dev->link;
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

/* Full MAC drivers free a packet when the chip has it, before it is sent. */
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
			 "/sys/class/net/%s/device/driver", d->dev->link)) {
		finding_add(d, DOCTOR_NOTE, NULL,
			    "cannot tell the driver of %s", d->dev->link);
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
 * NetworkManager's random MAC for scans
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
	/* in order of precedence; the last one counts */
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
