// SPDX-License-Identifier: GPL-2.0-only
/*
 * Middleware of the running ROS processes: which one, and its settings.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "apps/optsample/doctor/doctor.h"
#include "base/installed.h"

enum {
	ROS_CYCLONE_LEASE_S	= 10,	/* defaults */
	ROS_FASTDDS_LEASE_S	= 20,
	ROS_SEEN		= 16,	/* different configurations */
};

static const struct {
	const char	*library;
	unsigned int	uses;
} libraries[] = {
	{ "/libddsc.so", ROS_CYCLONE },
	{ "/libddsc0", ROS_CYCLONE },
	{ "/libfastrtps.so", ROS_FASTDDS },
	{ "/libfastdds.so", ROS_FASTDDS },
	{ "/libzenohc", ROS_ZENOH },
	{ "/librmw_zenoh", ROS_ZENOH },
	{ "/libzenohpico", ROS_ZENOH },
	{ "/libnddsc", ROS_CONNEXT },
	{ "/librmw_connextdds", ROS_CONNEXT },
	{ "/libroscpp.so", ROS_ROSCPP },
	{ "/liboptsample-ros1.so", ROS_LIBRARY },
};

static unsigned int libraries_of(const char *maps)
{
	unsigned int uses = 0;

	for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++)
		if (strstr(maps, libraries[i].library))
			uses |= libraries[i].uses;
	return uses;
}

/* Our own programs use DDS too; the daemon of `up` is called "exe". */
static bool is_ours(const struct doctor *d, const struct doctor_proc *p)
{
	char args[256];
	const char *name;

	if (!strncmp(p->comm, "optsample", 9))
		return true;
	if (!proc_args(d, p->pid, args, sizeof(args)))
		return false;
	args[strcspn(args, " ")] = '\0';
	name = strrchr(args, '/');
	return !strcmp(name ? name + 1 : args, "optsample");
}

static void ros_look(struct doctor *d, const struct doctor_proc *p)
{
	struct doctor_ros *r = &d->ros[d->nros];
	char *maps;

	if (is_ours(d, p))
		return;
	maps = doctor_load(d, "/proc/%d/maps", p->pid);
	if (!maps) {
		d->hidden++;
		return;
	}
	r->pid = p->pid;
	r->comm = p->comm;
	r->uses = libraries_of(maps);
	assert(d->nros < d->nprocs);
	d->nros += !!r->uses;
	free(maps);
}

void ros_read(struct doctor *d)
{
	d->ros = calloc(d->nprocs + 1, sizeof(*d->ros));
	if (!d->ros)
		abort();
	for (size_t i = 0; i < d->nprocs; i++)
		ros_look(d, &d->procs[i]);
}

/* Number of users; @names: the first of them, "a, b, ..." */
static int ros_count(const struct doctor *d, unsigned int uses,
		     char names[DOCTOR_VALUE])
{
	size_t len = 0;
	int n = 0;

	*names = '\0';
	for (size_t i = 0; i < d->nros; i++) {
		if (!(d->ros[i].uses & uses) || n++ >= 4)
			continue;
		len += snprintf(names + len, DOCTOR_VALUE - len, "%s%s",
				n > 1 ? ", " : "", d->ros[i].comm);
	}
	assert(len < DOCTOR_VALUE);
	if (n > 4)
		snprintf(names + len, DOCTOR_VALUE - len, ", ...");
	return n;
}

static void report_uses(struct doctor *d, unsigned int uses, const char *part,
			const char *name)
{
	char names[DOCTOR_VALUE];
	int n = ros_count(d, uses, names);

	if (n)
		finding_add(d, DOCTOR_OK, part, "%s: %d process%s (%s)", name,
			    n, n > 1 ? "es" : "", names);
}

static void report_zenoh(struct doctor *d)
{
	char names[DOCTOR_VALUE];
	int all = d->nros, n = ros_count(d, ROS_ZENOH, names);

	if (!n)
		return;
	finding_add(d, n == all ? DOCTOR_ERROR : DOCTOR_WARNING, "zenoh",
		    "Zenoh (%s) sends over TCP, which cannot be sampled",
		    names);
	finding_fix(d, "export RMW_IMPLEMENTATION=rmw_cyclonedds_cpp, where nodes are started");
}

static void report_ros1(struct doctor *d)
{
	char names[DOCTOR_VALUE];

	for (size_t i = 0; i < d->nros; i++)
		if (d->ros[i].uses & ROS_LIBRARY)
			d->ros[i].uses &= ~ROS_ROSCPP;
	if (!ros_count(d, ROS_ROSCPP, names))
		return;
	finding_add(d, DOCTOR_WARNING, "ros1",
		    "ROS 1 nodes (%s) publish over TCP, which cannot be sampled below them",
		    names);
	finding_fix(d, "LD_PRELOAD=%s/liboptsample-ros1.so, where they are started; see optsample-ros1(7)",
		    installed_folder);
}

static const char *rmw_wanted(const struct doctor *d,
			      char value[DOCTOR_VALUE])
{
	const char *rmw = *d->root ? NULL : getenv("RMW_IMPLEMENTATION");

	if (rmw)
		return rmw;
	return doctor_fact(d, "RMW_IMPLEMENTATION", value) ? value : "";
}

static void report_none(struct doctor *d)
{
	char value[DOCTOR_VALUE];
	const char *rmw = rmw_wanted(d, value);

	if (strstr(rmw, "zenoh")) {
		finding_add(d, DOCTOR_ERROR, "zenoh",
			    "RMW_IMPLEMENTATION is %s: Zenoh sends over TCP, which cannot be sampled",
			    rmw);
		finding_fix(d, "export RMW_IMPLEMENTATION=rmw_cyclonedds_cpp");
	} else if (d->hidden > 1) {
		finding_add(d, DOCTOR_NOTE, NULL,
			    "cannot tell which ROS processes run: no access to "
			    "%zu processes",
			    d->hidden);
		finding_fix(d, "sudo optsample doctor");
	} else {
		finding_add(d, DOCTOR_NOTE, NULL,
			    "no ROS process is running: settings not checked");
		finding_fix(d, "start the robot's nodes, then 'optsample doctor'");
	}
}

void check_ros(struct doctor *d)
{
	if (!d->nros) {
		report_none(d);
		return;
	}
	report_uses(d, ROS_CYCLONE, "cyclonedds", "Cyclone DDS");
	report_uses(d, ROS_FASTDDS, "fastdds", "Fast DDS");
	report_uses(d, ROS_CONNEXT, "connext", "Connext (not tested)");
	report_zenoh(d);
	report_ros1(d);
}

static bool is_true(char *value)
{
	bool yes = value && text_true(value);

	free(value);
	return yes;
}

static bool is_local_only(const struct doctor *d, int pid)
{
	char *range = proc_env(d, pid, "ROS_AUTOMATIC_DISCOVERY_RANGE");
	bool local = range && (!strcasecmp(range, "LOCALHOST") ||
			       !strcasecmp(range, "OFF"));

	free(range);
	return local || is_true(proc_env(d, pid, "ROS_LOCALHOST_ONLY"));
}

void check_ros_local(struct doctor *d)
{
	const char *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < d->nros; i++) {
		if (!is_local_only(d, d->ros[i].pid))
			continue;
		first = first ?: d->ros[i].comm;
		n++;
	}
	if (!n)
		return;
	finding_add(d, n == d->nros ? DOCTOR_ERROR : DOCTOR_WARNING, NULL,
		    "%zu of %zu ROS processes (%s ...) do not leave this host",
		    n, d->nros, first);
	finding_fix(d, "export ROS_AUTOMATIC_DISCOVERY_RANGE=SUBNET ROS_LOCALHOST_ONLY=0, where they are started");
}

void check_ros_domain(struct doctor *d)
{
	const struct doctor_dev *dev = d->dev;
	unsigned long domain;
	char *value;

	if (!dev->up)
		return;
	for (size_t i = 0; i < d->nros; i++) {
		if (!(d->ros[i].uses & (ROS_CYCLONE | ROS_FASTDDS |
					ROS_CONNEXT)))
			continue;
		value = proc_env(d, d->ros[i].pid, "ROS_DOMAIN_ID");
		domain = value ? strtoul(value, NULL, 10) : 0;
		free(value);
		if (domain == dev->domain)
			continue;
		finding_add(d, DOCTOR_ERROR, NULL,
			    "%s is in DDS domain %lu, but domain %u is sampled",
			    d->ros[i].comm, domain, dev->domain);
		finding_fix(d, "optsample down %s && optsample up %s --domain %lu",
			    dev->name, dev->name, domain);
		return;
	}
}

/*
 * Settings in XML: only the few needed here
 */

/* The text of the first @element at or after @xml. Return: false: none */
static bool xml_value(const char *xml, const char *element,
		      char value[DOCTOR_VALUE])
{
	size_t len = strlen(element);

	for (const char *s = xml; (s = strchr(s, '<')); s++) {
		if (strncasecmp(s + 1, element, len) || s[len + 1] != '>')
			continue;
		s += len + 2;
		s += strspn(s, " \t\r\n");
		len = strcspn(s, "<");
		while (len && strchr(" \t\r\n", s[len - 1]))
			len--;
		snprintf(value, DOCTOR_VALUE, "%.*s", (int)len, s);
		return true;
	}
	return false;
}

/* "120s", "500 ms", "2min", "inf" */
static double duration_s(const char *text)
{
	char *unit;
	double n = strtod(text, &unit);

	unit += strspn(unit, " ");
	if (!strncmp(unit, "ms", 2))
		return n / 1000;
	if (!strncmp(unit, "us", 2))
		return n / 1e6;
	if (!strncmp(unit, "ns", 2))
		return n / 1e9;
	if (*unit == 'm')
		return 60 * n;
	if (*unit == 'h')
		return 3600 * n;
	if (*unit == 'd')
		return 86400 * n;
	return n;
}

/* CYCLONEDDS_URI: files and XML, separated by commas; free() it */
static char *cyclone_config(const struct doctor *d, int pid, const char *uri)
{
	char path[DOCTOR_PATH], *all = strdup(""), *file, *more;

	while (*uri && *uri != '<') {
		size_t len = strcspn(uri, ",");
		const char *name = uri;
		size_t skip = strncmp(name, "file://", 7) ? 0 : 7;

		uri += len + !!uri[len];
		if (len <= skip)
			continue;
		snprintf(path, sizeof(path), "%.*s", (int)(len - skip),
			 name + skip);
		file = *path == '/' ? proc_file(d, pid, path) : NULL;
		if (file && asprintf(&more, "%s%s", all, file) >= 0) {
			free(all);
			all = more;
		}
		free(file);
	}
	if (asprintf(&more, "%s%s", all, uri) < 0)
		abort();
	free(all);
	return more;
}

static void lease_report(struct doctor *d, const char *comm, double lease_s,
			 const char *fix)
{
	/* the daemon knows the leases that are announced */
	if (d->dev->daemon)
		return;
	if (lease_s >= d->dev->outage_s) {
		finding_add(d, DOCTOR_OK, "lease", "%s: lease of %.0f s", comm,
			    lease_s);
		return;
	}
	finding_add(d, DOCTOR_ERROR, "lease",
		    "peers of %s time out after %.0f s without data and drop "
		    "what was kept: an outage may last %u s",
		    comm, lease_s, d->dev->outage_s);
	finding_fix(d, fix, 4 * d->dev->outage_s);
}

static bool names_interface(const char *xml, const char *dev)
{
	char text[64];

	snprintf(text, sizeof(text), "name=\"%s\"", dev);
	if (strstr(xml, text))
		return true;
	snprintf(text, sizeof(text), "name='%s'", dev);
	if (strstr(xml, text))
		return true;
	snprintf(text, sizeof(text), "<NetworkInterfaceAddress>%s<", dev);
	return strcasestr(xml, text);
}

static void cyclone_interfaces(struct doctor *d, const char *comm,
			       const char *xml)
{
	const struct doctor_dev *dev = d->dev;
	bool listed = strcasestr(xml, "<NetworkInterface") &&
		      !strcasestr(xml, "autodetermine=\"true\"") &&
		      !strcasestr(xml, " address=") &&
		      !strcasestr(xml, "<NetworkInterfaceAddress>auto");

	if (listed && !names_interface(xml, dev->name)) {
		finding_add(d, DOCTOR_WARNING, "interface",
			    "%s does not use %s: another interface is in CYCLONEDDS_URI",
			    comm, dev->name);
		finding_fix(d, "<General><Interfaces><NetworkInterface name=\"%s\"/></Interfaces></General> in CYCLONEDDS_URI",
			    dev->name);
	}
	if (!keeper_runs(d, dev) && !(listed && names_interface(xml, "lo"))) {
		finding_add(d, DOCTOR_NOTE, "lo",
			    "%s talks to local nodes through the address of "
			    "%s: if that is removed, they stop too",
			    comm, dev->name);
		finding_fix(d, "<NetworkInterface name=\"lo\" multicast=\"false\"/> beside %s, and <Peer address=\"127.0.0.1\"/>, in CYCLONEDDS_URI",
			    dev->name);
	}
}

static void cyclone_report(struct doctor *d, const struct doctor_ros *r,
			   const char *uri)
{
	char *xml = cyclone_config(d, r->pid, uri), value[DOCTOR_VALUE];
	double lease = ROS_CYCLONE_LEASE_S;

	if (xml_value(xml, "LeaseDuration", value))
		lease = strstr(value, "inf") ? 1e9 : duration_s(value);
	lease_report(d, r->comm, lease, "CYCLONEDDS_URI='<Discovery><LeaseDuration>%us</LeaseDuration></Discovery>', on both sides");
	if (d->dev->wireless && xml_value(xml, "AllowMulticast", value) &&
	    text_true(value)) {
		finding_add(d, DOCTOR_WARNING, "multicast",
			    "%s sends data by multicast, which Wi-Fi carries slowly and without repair",
			    r->comm);
		finding_fix(d, "<AllowMulticast>spdp</AllowMulticast> in CYCLONEDDS_URI");
	}
	cyclone_interfaces(d, r->comm, xml);
	free(xml);
}

/* Many nodes have the same settings: report them once. */
static bool doctor_dds_is_new(char *seen[ROS_SEEN], int *n, char *settings)
{
	for (int i = 0; i < *n; i++)
		if (!strcmp(seen[i], settings)) {
			free(settings);
			return false;
		}
	if (*n == ROS_SEEN) {
		free(settings);
		return false;
	}
	seen[(*n)++] = settings;
	return true;
}

static void seen_free(char *seen[ROS_SEEN], int n)
{
	while (n)
		free(seen[--n]);
}

void check_ros_cyclone(struct doctor *d)
{
	char *seen[ROS_SEEN], *uri;
	int n = 0;

	for (size_t i = 0; i < d->nros; i++) {
		if (!(d->ros[i].uses & ROS_CYCLONE))
			continue;
		uri = proc_env(d, d->ros[i].pid, "CYCLONEDDS_URI");
		uri = uri ?: strdup("");
		if (doctor_dds_is_new(seen, &n, uri))
			cyclone_report(d, &d->ros[i], uri);
	}
	seen_free(seen, n);
}

static double fastdds_lease(const char *xml)
{
	const char *lease = strcasestr(xml, "<leaseDuration>");
	char value[DOCTOR_VALUE];

	if (!lease)
		return ROS_FASTDDS_LEASE_S;
	if (!xml_value(lease, "sec", value))
		return ROS_FASTDDS_LEASE_S;
	return strstr(value, "INFINI") ? 1e9 : strtod(value, NULL);
}

static void fastdds_report(struct doctor *d, const struct doctor_ros *r,
			   const char *transports, const char *path)
{
	char *xml = *path == '/' ? proc_file(d, r->pid, path) : NULL;

	lease_report(d, r->comm, fastdds_lease(xml ?: ""),
		     "<leaseDuration><sec>%u</sec></leaseDuration> in the participant's profile, on both sides: FASTRTPS_DEFAULT_PROFILES_FILE");
	if (strstr(transports, "LARGE_DATA") || strstr(transports, "TCP") ||
	    (xml && strstr(xml, "<type>TCPv"))) {
		finding_add(d, DOCTOR_WARNING, "tcp",
			    "%s sends large data over TCP, which cannot be sampled",
			    r->comm);
		finding_fix(d, "export FASTDDS_BUILTIN_TRANSPORTS=DEFAULT, where it is started");
	}
	if (!strcmp(transports, "UDPv4") && !keeper_runs(d, d->dev)) {
		finding_add(d, DOCTOR_NOTE, "udp",
			    "%s talks to local nodes by UDP: if the address of "
			    "%s is removed, they stop too",
			    r->comm, d->dev->name);
		finding_fix(d, "export FASTDDS_BUILTIN_TRANSPORTS=DEFAULT, where it is started: shared memory");
	}
	free(xml);
}

void check_ros_fastdds(struct doctor *d)
{
	char *seen[ROS_SEEN], *transports, *path, *settings;
	int n = 0;

	for (size_t i = 0; i < d->nros; i++) {
		int pid = d->ros[i].pid;

		if (!(d->ros[i].uses & ROS_FASTDDS))
			continue;
		transports = proc_env(d, pid, "FASTDDS_BUILTIN_TRANSPORTS");
		path = proc_env(d, pid, "FASTDDS_DEFAULT_PROFILES_FILE") ?:
		       proc_env(d, pid, "FASTRTPS_DEFAULT_PROFILES_FILE");
		if (asprintf(&settings, "%s %s", transports ?: "",
			     path ?: "") < 0)
			abort();
		if (doctor_dds_is_new(seen, &n, settings))
			fastdds_report(d, &d->ros[i], transports ?: "",
				       path ?: "");
		free(transports);
		free(path);
	}
	seen_free(seen, n);
}
