// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who manages the interface, and whether its address survives a loss of the
 * carrier. Without the address nothing reaches the queue, and the robot's own
 * nodes no longer receive from each other.
 */
#include <errno.h>
#include <fnmatch.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <unistd.h>
#include "apps/optsample/doctor/doctor.h"
#include "base/ifb.h"

extern char **environ;

enum { MANAGER_FILES = 64, NMCLI_MS = 3000 };

/**
 * struct manager - of interfaces
 * @manages:	does it manage @d->dev?
 * @report:	report its behaviour in an outage
 */
struct manager {
	const char	*name;
	bool		(*manages)(struct doctor *d);
	void		(*report)(struct doctor *d, const char *name);
};

/* The address is removed @when, unless optsample keeps it. */
static void report_lost(struct doctor *d, const char *name, const char *when)
{
	const struct doctor_dev *dev = d->dev;

	if (keeper_runs(d, dev)) {
		finding_add(d, DOCTOR_OK, NULL,
			    "%s removes the address %s: optsample keeps it",
			    name, when);
		return;
	}
	finding_add(d, DOCTOR_ERROR, NULL,
		    "%s removes the address %s: then the address is not preserved, and local topics stop",
		    name, when);
	if (dev->up && dev->whole && dev->daemon)
		finding_fix(d, "optsample down %s && optsample up %s (without --no-keep)",
			    dev->name, dev->name);
	else
		finding_fix(d, "optsample up %s", dev->name);
}

static void report_kept(struct doctor *d, const char *name, const char *why)
{
	finding_add(d, DOCTOR_OK, NULL, "%s keeps the address: %s", name, why);
}

/*
 * NetworkManager
 */

/* Read the output of a command, with a timeout. Return: 0, negative errno */
static int command_read(char *const argv[], char *buf, size_t size)
{
	posix_spawn_file_actions_t acts;
	struct pollfd p = { .events = POLLIN };
	size_t used = 0;
	ssize_t n = 1;
	int fd[2], err;
	pid_t pid;

	if (pipe2(fd, O_CLOEXEC))
		return -errno;
	posix_spawn_file_actions_init(&acts);
	posix_spawn_file_actions_adddup2(&acts, fd[1], 1);
	posix_spawn_file_actions_addopen(&acts, 2, "/dev/null", O_WRONLY, 0);
	err = posix_spawnp(&pid, argv[0], &acts, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&acts);
	close(fd[1]);
	p.fd = fd[0];
	while (!err && n > 0 && used < size - 1 && poll(&p, 1, NMCLI_MS) > 0) {
		n = read(fd[0], buf + used, size - 1 - used);
		if (n > 0)
			used += n;
	}
	buf[used] = '\0';
	close(fd[0]);
	if (err)
		return -err;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return used ? 0 : -EIO;
}

static bool nmcli_managed(const struct doctor_dev *dev)
{
	char *argv[] = { "nmcli", "-t", "-f", "GENERAL.NM-MANAGED", "device",
			 "show", (char *)dev->name, NULL };
	char text[256];

	return !command_read(argv, text, sizeof(text)) &&
	       strstr(text, "NM-MANAGED:yes");
}

static bool nm_manages(struct doctor *d)
{
	char text[4096], value[DOCTOR_VALUE];

	if (!proc_find(d, "NetworkManager") &&
	    (procs_visible(d) || !doctor_exists(d, "/run/NetworkManager")))
		return false;
	if (doctor_read(d, text, sizeof(text), "/run/NetworkManager/devices/%d",
			d->dev->ifindex) <= 0)
		return !*d->root && nmcli_managed(d->dev);
	if (ini_value(text, "device]", "managed", value))
		return text_true(value);
	return ini_value(text, "device]", "connection-uuid", value);
}

static void nm_report(struct doctor *d, const char *name)
{
	report_lost(d, name, "15 s after the carrier is lost");
}

/*
 * systemd-networkd
 */

static bool networkd_link(const struct doctor *d, const char *key,
			  char value[DOCTOR_VALUE])
{
	char text[8192];

	return doctor_read(d, text, sizeof(text),
			   "/run/systemd/netif/links/%d",
			   d->dev->ifindex) > 0 &&
	       text_value(text, key, value);
}

static bool networkd_manages(struct doctor *d)
{
	char state[DOCTOR_VALUE];

	if (!proc_find(d, "systemd-networkd") && procs_visible(d))
		return false;
	return networkd_link(d, "ADMIN_STATE", state) &&
	       strcmp(state, "unmanaged") && strcmp(state, "linger");
}

struct dropin {
	char	name[128];
	char	dir[160];
};

static int doctor_manager_by_name(const void *a, const void *b)
{
	return strcmp(((const struct dropin *)a)->name,
		      ((const struct dropin *)b)->name);
}

static bool is_listed(const struct dropin *v, int n, const char *name)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(v[i].name, name))
			return true;
	return false;
}

/* Files of @file.d in all folders; one in /etc hides others of its name. */
static int dropins_find(const struct doctor *d, const char *file,
			struct dropin v[MANAGER_FILES])
{
	static const char *const dirs[] = {
		"/etc/systemd/network", "/run/systemd/network",
		"/usr/local/lib/systemd/network", "/usr/lib/systemd/network",
		"/lib/systemd/network",
	};
	char dir[160], **names;
	int n = 0, found;

	for (size_t i = 0; i < sizeof(dirs) / sizeof(*dirs); i++) {
		snprintf(dir, sizeof(dir), "%s/%.100s.d", dirs[i], file);
		found = doctor_list(d, dir, &names);
		for (int j = 0; j < found && n < MANAGER_FILES; j++) {
			if (fnmatch("*.conf", names[j], 0) ||
			    strlen(names[j]) >= sizeof(v->name) ||
			    is_listed(v, n, names[j]))
				continue;
			snprintf(v[n].name, sizeof(v->name), "%.127s",
				 names[j]);
			snprintf(v[n++].dir, sizeof(v->dir), "%s", dir);
		}
		doctor_list_free(names, found);
	}
	qsort(v, n, sizeof(*v), doctor_manager_by_name);
	return n;
}

/* Settings of a .network file and its drop-ins; empty: not set */
struct networkd {
	char	keep[DOCTOR_VALUE];
	char	ignore[DOCTOR_VALUE];
	char	dhcp[DOCTOR_VALUE];
};

static bool networkd_file(const struct doctor *d, struct networkd *n,
			  const char *path)
{
	char *text = doctor_load(d, "%s", path);

	if (!text)
		return false;
	ini_value(text, "Network]", "KeepConfiguration", n->keep);
	ini_value(text, "Network]", "IgnoreCarrierLoss", n->ignore);
	ini_value(text, "Network]", "DHCP", n->dhcp);
	free(text);
	return true;
}

static bool networkd_read(const struct doctor *d, struct networkd *n,
			  const char *path)
{
	struct dropin v[MANAGER_FILES];
	const char *name = strrchr(path, '/');
	char full[DOCTOR_PATH];
	int found;

	memset(n, 0, sizeof(*n));
	if (!name || !networkd_file(d, n, path))
		return false;
	found = dropins_find(d, name + 1, v);
	for (int i = 0; i < found; i++) {
		snprintf(full, sizeof(full), "%.159s/%.127s", v[i].dir,
			 v[i].name);
		networkd_file(d, n, full);
	}
	return true;
}

/* IgnoreCarrierLoss=: a boolean, or a time as "10s", "1min" */
static bool ignores_long_enough(const char *value, uint32_t outage_s)
{
	char *unit;
	double s = strtod(value, &unit);

	if (text_true(value) || !strcmp(value, "infinity"))
		return true;
	if (!strncmp(unit, "ms", 2))
		s /= 1000;
	else if (*unit == 'm')
		s *= 60;
	else if (*unit == 'h')
		s *= 3600;
	return unit != value && s >= outage_s;
}

static void networkd_report(struct doctor *d, const char *name)
{
	char path[DOCTOR_VALUE] = "", when[64], full[64];
	struct networkd n;

	networkd_link(d, "NETWORK_FILE", path);
	snprintf(full, sizeof(full), "%s%s", name,
		 strstr(path, "-netplan-") ? " (netplan)" : "");
	if (!networkd_read(d, &n, path)) {
		finding_add(d, DOCTOR_NOTE, "file",
			    "cannot read the configuration of %s for %s: %s",
			    full, d->dev->name, *path ? path : "no file");
		report_lost(d, full, "when the carrier is lost");
	} else if (ignores_long_enough(n.ignore, d->dev->outage_s)) {
		report_kept(d, full, "IgnoreCarrierLoss is set");
	} else {
		snprintf(when, sizeof(when), *n.ignore && !text_false(n.ignore) ?
			 "%.20s after the carrier is lost" :
			 "when the carrier is lost", n.ignore);
		report_lost(d, full, when);
	}
}

/*
 * dhcpcd
 */

static bool matches_any(char *patterns, const char *name)
{
	char *save, *p = strtok_r(patterns, " \t,", &save);

	for (; p; p = strtok_r(NULL, " \t,", &save))
		if (!fnmatch(p, name, 0))
			return true;
	return false;
}

/* Settings of dhcpcd.conf for one interface */
struct dhcpcd {
	bool	denied;
	bool	allow;		/* allowinterfaces is set, and */
	bool	allowed;	/* lists this interface */
	bool	nolink;
};

static bool setting(char *line, const char *name, char **value)
{
	size_t len = strlen(name);

	line += strspn(line, " \t");
	if (strncmp(line, name, len) || (line[len] && !strchr(" \t", line[len])))
		return false;
	*value = line + len + strspn(line + len, " \t");
	return true;
}

static void dhcpcd_read(const struct doctor *d, struct dhcpcd *c)
{
	char *text = doctor_load(d, "/etc/dhcpcd.conf"), *save, *value;
	const char *dev = d->dev->name;
	bool here = true;

	memset(c, 0, sizeof(*c));
	for (char *line = text ? strtok_r(text, "\r\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\r\n", &save)) {
		if (setting(line, "interface", &value))
			here = matches_any(value, dev);
		else if (setting(line, "denyinterfaces", &value))
			c->denied |= matches_any(value, dev);
		else if (setting(line, "allowinterfaces", &value)) {
			c->allow = true;
			c->allowed |= matches_any(value, dev);
		} else if (setting(line, "nolink", &value)) {
			c->nolink |= here;
		}
	}
	free(text);
}

static bool dhcpcd_manages(struct doctor *d)
{
	const char *dev = d->dev->name;
	struct dhcpcd c;

	if (!proc_find(d, "dhcpcd"))
		return false;
	if (doctor_exists(d, "/run/dhcpcd/%s.pid", dev) ||
	    doctor_exists(d, "/run/dhcpcd-%s.pid", dev) ||
	    proc_has_word(d, "dhcpcd", dev))
		return true;
	dhcpcd_read(d, &c);
	/* without interfaces in its command line it manages all */
	return !c.denied && (!c.allow || c.allowed) &&
	       (doctor_exists(d, "/run/dhcpcd/pid") ||
		doctor_exists(d, "/run/dhcpcd.pid") ||
		proc_has_word(d, "dhcpcd", "[manager]") ||
		proc_has_word(d, "dhcpcd", "[master]"));
}

static void dhcpcd_report(struct doctor *d, const char *name)
{
	struct dhcpcd c;

	dhcpcd_read(d, &c);
	if (c.nolink)
		report_kept(d, name, "nolink is set");
	else
		report_lost(d, name, "when the carrier is lost");
}

/*
 * dhclient and udhcpc keep a lease until it ends.
 */

static bool dhclient_manages(struct doctor *d)
{
	return proc_has_word(d, "dhclient", d->dev->name) ||
	       proc_has_word(d, "udhcpc", d->dev->name);
}

/* Duration of the last lease, s; 0: unknown */
static unsigned long lease_time(const struct doctor *d)
{
	static const char key[] = "option dhcp-lease-time ";
	char *text = doctor_load(d, "/var/lib/dhcp/dhclient.%s.leases",
				 d->dev->name);
	unsigned long s = 0;

	if (!text)
		text = doctor_load(d, "/var/lib/dhcp/dhclient.leases");
	for (char *t = text; t && (t = strstr(t, key)); t += strlen(key))
		s = strtoul(t + strlen(key), NULL, 10);
	free(text);
	return s;
}

static void dhclient_report(struct doctor *d, const char *name)
{
	unsigned long lease = lease_time(d);
	char text[64];

	/* it is renewed after half of its time */
	snprintf(text, sizeof(text), "when its lease of %lu s ends", lease);
	if (lease && lease / 2 < d->dev->outage_s)
		report_lost(d, name, text);
	else
		report_kept(d, name, "until its lease ends");
}

/*
 * Other managers
 */

static void removed_at_once(struct doctor *d, const char *name)
{
	report_lost(d, name, "when the carrier is lost");
}

static bool connman_manages(struct doctor *d)
{
	return proc_find(d, "connmand");
}

/* ConnMan ignores devices whose names begin with a prefix of its list. */
static bool connman_ignores(const struct doctor *d, const char *name)
{
	char *text = doctor_load(d, "/etc/connman/main.conf");
	char value[DOCTOR_VALUE] = "", *list = value;
	size_t len;

	if (text)
		ini_value(text, "General]", "NetworkInterfaceBlacklist", value);
	free(text);
	for (list += strspn(list, ", \t"); *list;
	     list += len + strspn(list + len, ", \t")) {
		len = strcspn(list, ", \t");
		if (!strncmp(name, list, len))
			return true;
	}
	return false;
}

static void connman_fix(struct doctor *d)
{
	finding_fix(d, "in [General] of /etc/connman/main.conf: NetworkInterfaceBlacklist=vmnet,vboxnet,virbr,ifb,ve-,vb-,opt-,keep-,own-; then systemctl restart connman");
}

/* Does it manage a device that `up` made, or will make? */
static bool connman_takes(const struct doctor *d, const char *name)
{
	return (!d->dev->up || doctor_exists(d, "/sys/class/net/%s", name)) &&
	       !connman_ignores(d, name);
}

/* ConnMan treats other Ethernet-like devices as wired, and prefers them. */
static void connman_report(struct doctor *d, const char *name)
{
	char queue[IFNAMSIZ], keep[IFNAMSIZ];
	bool takes_queue, takes_keep;

	removed_at_once(d, name);
	ifb_name(d->dev->name, queue);
	keep_name(d->dev->name, keep);
	takes_queue = connman_takes(d, queue);
	takes_keep = connman_takes(d, keep);
	if (!takes_queue && !takes_keep)
		return;
	finding_add(d, DOCTOR_ERROR, "devices",
		    "%s treats %s%s%s as %s: once Wi-Fi is lost, it does not "
		    "search for it again",
		    name, takes_queue ? queue : "",
		    takes_queue && takes_keep ? " and " : "",
		    takes_keep ? keep : "",
		    takes_queue && takes_keep ? "wired networks" :
					     "a wired network");
	connman_fix(d);
}

static bool iwd_manages(struct doctor *d)
{
	char text[8192], value[DOCTOR_VALUE];

	return d->dev->wireless && proc_find(d, "iwd") &&
	       doctor_read(d, text, sizeof(text), "/etc/iwd/main.conf") > 0 &&
	       ini_value(text, "General]", "EnableNetworkConfiguration",
			 value) && text_true(value);
}

static const struct manager managers[] = {
	{ "NetworkManager", nm_manages, nm_report },
	{ "systemd-networkd", networkd_manages, networkd_report },
	{ "dhcpcd", dhcpcd_manages, dhcpcd_report },
	{ "dhclient", dhclient_manages, dhclient_report },
	{ "ConnMan", connman_manages, connman_report },
	{ "iwd", iwd_manages, removed_at_once },
};

static bool in_interfaces(const struct doctor *d, const char *dev)
{
	char *text = doctor_load(d, "/etc/network/interfaces"), line[32];
	bool found;

	snprintf(line, sizeof(line), "\niface %s ", dev);
	found = text && (strstr(text, line) ||
			 !strncmp(text, line + 1, strlen(line + 1)));
	free(text);
	return found;
}

/* Without a manager. */
static void report_static(struct doctor *d)
{
	const char *dev = d->dev->name;

	if (!procs_visible(d))
		finding_add(d, DOCTOR_NOTE, NULL,
			    "cannot tell who manages %s: processes of the host are not visible",
			    dev);
	else if (in_interfaces(d, dev))
		report_kept(d, "ifupdown", "it is static");
	else
		finding_add(d, DOCTOR_OK, NULL,
			    "no network manager is in charge: the address stays");
}

static void report_many(struct doctor *d, const char *first,
			const char *second)
{
	finding_add(d, DOCTOR_WARNING, "two",
		    "%s and %s both manage %s: each undoes what the other did",
		    first, second, d->dev->name);
	if (!strcmp(first, "NetworkManager"))
		finding_fix(d, "systemctl disable --now %s", second);
	else
		finding_fix(d, "systemctl disable --now %s", first);
}

/* own-DEV is only managed by managers that take all devices. */
static void report_own(struct doctor *d)
{
	const char *dev = d->dev->name;
	bool dhcpcd = dhcpcd_manages(d), networkd = networkd_manages(d);
	bool connman = connman_manages(d) && connman_takes(d, dev);

	if (dhcpcd) {
		finding_add(d, DOCTOR_WARNING, NULL,
			    "dhcpcd asks for a second address for %s", dev);
		finding_fix(d, "echo 'denyinterfaces own-*' >>/etc/dhcpcd.conf && systemctl restart dhcpcd");
	}
	if (networkd) {
		finding_add(d, DOCTOR_WARNING, NULL,
			    "systemd-networkd manages %s, too: its address may go with the carrier",
			    dev);
		finding_fix(d, "printf '[Match]\\nName=own-*\\n[Link]\\nUnmanaged=yes\\n' >/etc/systemd/network/00-optsample.network && networkctl reload");
	}
	if (connman) {
		finding_add(d, DOCTOR_WARNING, NULL,
			    "ConnMan treats %s as a wired network", dev);
		connman_fix(d);
	}
	if (!dhcpcd && !networkd && !connman)
		finding_add(d, DOCTOR_OK, NULL,
			    "no network manager removes the address");
}

void check_manager(struct doctor *d)
{
	const struct manager *first = NULL;

	if (d->dev->own) {
		report_own(d);
		return;
	}
	for (size_t i = 0; i < sizeof(managers) / sizeof(*managers); i++) {
		const struct manager *m = &managers[i];

		if (!m->manages(d))
			continue;
		m->report(d, m->name);
		if (first)
			report_many(d, first->name, m->name);
		else
			first = m;
	}
	if (!first)
		report_static(d);
}
